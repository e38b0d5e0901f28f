"""Ends: however a run ends, its servers end with it and nothing is left behind."""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import SERVICES, Running, begin, eventually, is_alive, services, variables

from services import processes


class Run(unittest.TestCase):
    def test_gives_back_the_exit_code_of_its_command(self):
        ended = subprocess.run([SERVICES, "run", "postgres", "--", "sh", "-c", "exit 7"], capture_output=True)

        self.assertEqual(ended.returncode, 7)

    def test_tells_of_a_command_that_died_by_a_signal(self):
        ended = subprocess.run([SERVICES, "run", "postgres", "--", "sh", "-c", "kill -KILL $$"], capture_output=True)

        self.assertEqual(ended.returncode, 128 + signal.SIGKILL)

    def test_stops_its_servers_when_the_command_cannot_be_run(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([SERVICES, "run", "--dir", folder, "postgres", "--", "no-such-command"],
                                   capture_output=True)

            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(list(processes.marked_with(folder)), [])

    def test_leaves_an_instance_alone_that_runs_in_its_folder_already(self):
        with tempfile.TemporaryDirectory() as folder:
            instance = Running(variables(services("start", "--dir", folder, "postgres")))
            try:
                ended = subprocess.run([SERVICES, "run", "--dir", folder, "postgres", "--", "true"],
                                       capture_output=True, text=True)

                self.assertEqual(ended.returncode, 1)
                self.assertIn("running in", ended.stderr)
                self.assertEqual(instance.sql("select 1"), "1")
            finally:
                instance.command("stop")

    def test_passes_the_terminal_through(self):
        ended = subprocess.run([SERVICES, "run", "postgres", "--", "cat"], input=b"hello", capture_output=True)

        self.assertEqual(ended.stdout, b"hello")

    def test_passes_a_signal_to_its_command_and_cleans_up(self):
        runner, instance = begin_run("postgres")
        runner.send_signal(signal.SIGTERM)

        self.assertEqual(runner.wait(), 128 + signal.SIGTERM)
        self.assertFalse(Path(instance.folder).exists())
        runner.communicate()

    def test_killed_by_force_leaves_no_process_and_no_folder(self):
        runner, instance = begin_run("rabbitmq", "postgres")
        servers = instance.pids()
        helpers = list(processes.marked_with(instance.folder))
        self.assertGreater(len(helpers), len(servers))

        runner.kill()
        runner.communicate()

        eventually(lambda: not Path(instance.folder).exists())
        self.assertEqual([pid for pid in [*servers, *helpers] if is_alive(pid)], [])

    def test_ends_what_its_command_left_running(self):
        left = "tail -f /dev/null >/dev/null 2>&1 & echo $!"
        ended = subprocess.run([SERVICES, "run", "postgres", "--", "sh", "-c", left], capture_output=True, text=True)

        self.assertFalse(is_alive(int(ended.stdout)))

    def test_killed_while_its_servers_start_leaves_nothing_either(self):
        runner = begin("run", "rabbitmq", "--", "true")
        folder = Path(runner.stderr.readline().split()[-1])
        eventually(lambda: list(processes.marked_with(folder)))

        runner.kill()
        runner.communicate()

        eventually(lambda: not folder.exists())
        self.assertEqual(list(processes.marked_with(folder)), [])


class Start(unittest.TestCase):
    def test_with_an_owner_ends_with_it(self):
        owner = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        instance = Running(variables(services("start", "--owner", str(owner.pid), "postgres")))

        owner.communicate()

        eventually(lambda: not Path(instance.folder).exists())

    def test_loses_its_servers_with_its_supervisor_and_stop_removes_the_rest(self):
        instance = Running(variables(services("start", "postgres")))
        server = instance.pids()[0]
        supervisor = int(Path(f"/proc/{server}/status").read_text().split("PPid:")[1].split()[0])

        os.kill(supervisor, signal.SIGKILL)

        eventually(lambda: not is_alive(server))
        instance.command("stop")
        self.assertFalse(Path(instance.folder).exists())

    def test_says_why_it_failed_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "postgres" / "data"
            data.mkdir(parents=True)
            ended = subprocess.run([SERVICES, "start", "--dir", folder, "postgres"], capture_output=True, text=True)

            self.assertEqual(ended.returncode, 1)
            self.assertIn("postgres ended with code", ended.stderr)
            self.assertIn(str(Path(folder) / "log" / "postgres.log"), ended.stderr)
            services("stop", "--dir", folder)


class Stop(unittest.TestCase):
    def test_of_nothing_is_no_error(self):
        with tempfile.TemporaryDirectory() as folder:
            services("stop", "--dir", folder)


def begin_run(*servers):
    """A run whose command prints its environment and then waits for its input's end."""
    runner = begin("run", *servers, "--", "sh", "-c", "env | grep ^FERRY_; echo; cat", stdin=subprocess.PIPE)
    lines = ""
    while (line := runner.stdout.readline()).strip():
        lines += line
    return runner, Running(variables(lines))
