"""A private RabbitMQ server with its management API."""

import os
import subprocess
import time
from pathlib import Path

from .ports import ADDRESS
from .server import Server, StartFailed

# Not the wrapper in /usr/sbin, which insists on its own user.
PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
CONTROL = PROGRAM.with_name("rabbitmqctl")
NODE = "ferry@localhost"


class ControlFailed(RuntimeError):
    """rabbitmqctl has refused; the text says why."""


class RabbitMQ(Server):
    name = "rabbitmq"
    port_names = ("amqp", "http", "distribution", "epmd")

    def command(self):
        if not PROGRAM.exists():
            raise StartFailed("RabbitMQ is not installed; run this through scripts/env")
        return [PROGRAM]

    def exports(self):
        return {
            "FERRY_RABBITMQ_URL": f"amqp://guest:guest@{ADDRESS}:{self.port('amqp')}",
            "FERRY_RABBITMQ_HTTP": f"http://guest:guest@{ADDRESS}:{self.port('http')}",
        }

    def environment(self):
        return {
            "RABBITMQ_NODENAME": NODE,
            "RABBITMQ_NODE_IP_ADDRESS": ADDRESS,
            "RABBITMQ_NODE_PORT": str(self.port("amqp")),
            "RABBITMQ_DIST_PORT": str(self.port("distribution")),
            # Its own name server, so that nodes of the same name do not meet.
            "ERL_EPMD_PORT": str(self.port("epmd")),
            "ERL_EPMD_ADDRESS": ADDRESS,
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.folder / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
        }

    def prepare(self):
        (self.folder / "enabled_plugins").write_text("[rabbitmq_management].\n")
        (self.folder / "rabbitmq.conf").write_text(
            f"management.tcp.ip = {ADDRESS}\n"
            f"management.tcp.port = {self.port('http')}\n")
        wal = "datasync" if self.durable else "none"
        # The tick is when RabbitMQ looks for messages nobody has settled in time; a minute is long for a test.
        (self.folder / "advanced.config").write_text(
            f"[{{rabbit, [{{channel_tick_interval, 500}}]}}, {{ra, [{{wal_sync_method, {wal}}}]}}].\n")

    def control(self, arguments):
        """What rabbitmqctl says to that."""
        ended = subprocess.run([CONTROL, *arguments], capture_output=True, text=True,
                               env={"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(self.folder),
                                    **self.environment()})
        if ended.returncode:
            raise ControlFailed(f"rabbitmqctl {' '.join(arguments)}: {ended.stderr or ended.stdout}")
        return ended.stdout

    def before_crash(self):
        """RabbitMQ writes the name of a new quorum queue to disk up to a second after it has answered the declaration.

        A queue whose name was lost hangs for ever after the restart, which is not what crash tests are about.
        """
        names = self.folder / "data" / NODE / "quorum" / NODE / "names.dets"
        deadline = time.monotonic() + 5
        while names.exists() and not _is_saved(names) and time.monotonic() < deadline:
            time.sleep(0.01)


def _is_saved(dets_file):
    """The third word of the header says whether the file is complete."""
    return dets_file.read_bytes()[8:12] == b"\0\0\0\1"
