"""What the tests of scripts/services share."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pika

PROJECT = Path(__file__).resolve().parents[2]
SERVICES = PROJECT / "scripts" / "services"
sys.path.insert(0, str(PROJECT / "scripts" / "lib"))


def services(*arguments, **options):
    return subprocess.run([SERVICES, *arguments], check=True, capture_output=True, text=True, **options).stdout


def begin(*arguments, **options):
    return subprocess.Popen([SERVICES, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def variables(lines):
    return dict(line.removeprefix("export ").split("=", 1) for line in lines.splitlines())


def eventually(condition, patience=60):
    """For ends of processes that are not our children and have no other way to tell."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it never came true")
        time.sleep(0.02)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


class Running:
    """One instance, with the questions tests ask it."""

    def __init__(self, exports):
        self.exports = exports
        self.folder = exports["FERRY_SERVICES_DIR"]

    def command(self, what, *servers):
        return services(what, "--dir", self.folder, *servers)

    def status(self):
        """server -> (state, pid, {port name: port})"""
        lines = [line.split() for line in self.command("status").splitlines()]
        return {name: (state, int(pid), {port.split("=")[0]: int(port.split("=")[1]) for port in ports})
                for name, state, pid, *ports in lines}

    def pids(self):
        return [pid for _, pid, _ in self.status().values()]

    def ports(self):
        return [port for _, _, ports in self.status().values() for port in ports.values()]

    def sql(self, statement):
        return subprocess.run(["psql", self.exports["FERRY_POSTGRES_URL"], "-AtXq", "-v", "ON_ERROR_STOP=1", "-c", statement],
                              check=True, capture_output=True, text=True).stdout.strip()

    @contextlib.contextmanager
    def channel(self):
        with pika.BlockingConnection(pika.URLParameters(self.exports["FERRY_RABBITMQ_URL"])) as connection:
            channel = connection.channel()
            channel.confirm_delivery()
            yield channel

    def keep_a_message(self, queue, body):
        with self.channel() as channel:
            channel.queue_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
            channel.basic_publish("", queue, body, pika.BasicProperties(delivery_mode=2))

    def take_a_message(self, queue):
        with self.channel() as channel:
            return channel.basic_get(queue, auto_ack=True)[2]


def outside_any_instance():
    return {name: value for name, value in os.environ.items() if not name.startswith("FERRY_SERVICES")}
