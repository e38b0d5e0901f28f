"""Instances that run: what they serve, and how they take crashes."""

import subprocess
import tempfile
import unittest
import urllib.request
from base64 import b64encode
from pathlib import Path
from urllib.parse import urlsplit

from support import Running, begin, outside_any_instance, services, variables


class TwoInstancesAtOnce(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        starting = [begin("start"), begin("start")]
        ended = [process.communicate() for process in starting]
        cls.instances = []
        for process, (output, errors) in zip(starting, ended):
            if process.returncode:
                raise AssertionError(errors)
            cls.instances.append(Running(variables(output)))
        cls.one, cls.other = cls.instances

    @classmethod
    def tearDownClass(cls):
        for instance in cls.instances:
            instance.command("stop")
            assert not Path(instance.folder).exists()

    def test_they_share_no_folder_and_no_port(self):
        ports = self.one.ports() + self.other.ports()

        self.assertNotEqual(self.one.folder, self.other.folder)
        self.assertEqual(len(ports), 10)
        self.assertEqual(len(set(ports)), 10)

    def test_a_queue_of_one_is_unknown_to_the_other(self):
        self.one.keep_a_message("letters", b"from one")
        with self.other.channel() as channel, self.assertRaisesRegex(Exception, "NOT_FOUND"):
            channel.queue_declare("letters", passive=True)

    def test_a_table_of_one_is_unknown_to_the_other(self):
        self.one.sql("create table only_here (id int)")

        self.assertEqual(self.other.sql("select to_regclass('only_here')"), "")

    def test_the_management_api_answers(self):
        address = urlsplit(self.one.exports["FERRY_RABBITMQ_HTTP"])
        request = urllib.request.Request(f"http://127.0.0.1:{address.port}/api/overview")
        request.add_header("Authorization", "Basic " + b64encode(b"guest:guest").decode())

        self.assertEqual(urllib.request.urlopen(request).status, 200)

    def test_rabbitmqctl_reaches_the_broker_and_says_what_is_wrong(self):
        self.assertIn("Runtime", self.one.command("control", "--", "status"))
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            self.one.command("control", "--", "no_such_command")
        self.assertIn("no_such_command", refused.exception.stderr)

    def test_everything_listens_on_the_loopback_address_only(self):
        ports = {str(port) for port in self.one.ports()}
        lines = subprocess.run(["ss", "-Htln"], check=True, capture_output=True, text=True).stdout.splitlines()
        listening = [line.split()[3].rpartition(":") for line in lines]

        self.assertEqual({port for _, _, port in listening} & ports, ports)
        self.assertLessEqual({address for address, _, port in listening if port in ports}, {"127.0.0.1", "[::1]"})

    def test_a_crashed_broker_comes_back_with_its_messages_on_the_same_port(self):
        before = self.one.status()["rabbitmq"]
        self.one.keep_a_message("survivors", b"still here")

        self.one.command("crash", "rabbitmq")
        self.assertEqual(self.one.status()["rabbitmq"][0], "stopped")
        self.one.command("restart", "rabbitmq")

        after = self.one.status()["rabbitmq"]
        self.assertEqual(after[0], "running")
        self.assertNotEqual(after[1], before[1])
        self.assertEqual(after[2], before[2])
        self.assertEqual(self.one.take_a_message("survivors"), b"still here")

    def test_a_crashed_database_comes_back_with_its_rows_on_the_same_port(self):
        self.other.sql("create table survivors as select 42 as id")
        port = self.other.status()["postgres"][2]

        self.other.command("crash", "postgres")
        self.assertEqual(self.other.status()["postgres"][0], "stopped")
        self.other.command("restart", "postgres")

        self.assertEqual(self.other.status()["postgres"][2], port)
        self.assertEqual(self.other.sql("select id from survivors"), "42")

    def test_a_politely_stopped_database_can_be_restarted(self):
        self.other.command("stop", "postgres")
        self.other.command("restart", "postgres")

        self.assertEqual(self.other.sql("select 1"), "1")

    def test_a_paused_server_is_silent_and_a_resumed_one_answers(self):
        self.other.command("pause", "postgres")
        state, pid, _ = self.other.status()["postgres"]
        self.assertEqual(state, "paused")
        self.assertIn("T (stopped)", Path(f"/proc/{pid}/status").read_text())

        self.other.command("resume", "postgres")
        self.assertEqual(self.other.sql("select 1"), "1")

    def test_env_prints_what_start_printed_for_a_shell(self):
        self.assertEqual(variables(self.one.command("env")), self.one.exports)

    def test_the_folder_in_the_environment_names_the_instance(self):
        environment = {**outside_any_instance(), "FERRY_SERVICES_DIR": self.one.folder}

        self.assertIn("postgres running", services("status", env=environment))


class AFolderOfOnesOwn(unittest.TestCase):
    def test_keeps_its_data_when_it_is_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            for statement in ("create table kept as select 7 as id", "select id from kept"):
                instance = Running(variables(services("start", "--dir", folder, "postgres")))
                try:
                    answer = instance.sql(statement)
                finally:
                    instance.command("stop")
            self.assertEqual(answer, "7")

    def test_may_have_a_long_name(self):
        with tempfile.TemporaryDirectory(suffix="x" * 150) as folder:
            instance = Running(variables(services("start", "--dir", folder, "postgres")))
            try:
                self.assertEqual(instance.sql("select 1"), "1")
            finally:
                instance.command("stop")

    def test_gets_a_second_server_beside_the_first(self):
        with tempfile.TemporaryDirectory() as folder:
            services("start", "--dir", folder, "postgres")
            try:
                again = variables(services("start", "--dir", folder, "postgres"))
                self.assertEqual(again["FERRY_SERVICES_DIR"], folder)
            finally:
                services("stop", "--dir", folder)
