"""Ports: chosen so that nobody else has them, and chosen again when somebody was quicker."""

import socket
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  (finds the package)

from services import ports
from services.supervisor import Supervisor


class Reserve(unittest.TestCase):
    def test_never_gives_the_same_port_twice(self):
        reservations = [ports.reserve() for _ in range(50)]
        self.addCleanup(lambda: [reservation.release() for reservation in reservations])

        self.assertEqual(len({reservation.port for reservation in reservations}), 50)

    def test_skips_a_port_somebody_listens_on(self):
        with listener() as busy, candidates(busy.getsockname()[1]):
            with self.assertRaises(RuntimeError):
                ports.reserve()

    def test_skips_a_port_another_instance_has_claimed(self):
        claimed = ports.reserve()
        with candidates(claimed.port):
            with self.assertRaises(RuntimeError):
                ports.reserve()
            claimed.release()
            ports.reserve().release()


class ABusyPort(unittest.TestCase):
    def test_is_exchanged_for_another_one(self):
        with listener() as busy, instance() as supervisor:
            taken = ports.Reservation(busy.getsockname()[1], socket.socket())
            with mock.patch.object(ports, "reserve", side_effect=[taken, ports.reserve()]):
                answer = supervisor._perform({"do": "start", "servers": ["postgres"]})

            self.assertNotIn("error", answer)
            self.assertNotEqual(answer["status"][0]["ports"]["sql"], taken.port)

    def test_at_a_restart_is_an_error_that_names_it(self):
        with instance() as supervisor:
            port = supervisor._perform({"do": "start", "servers": ["postgres"]})["status"][0]["ports"]["sql"]
            supervisor._perform({"do": "crash", "servers": ["postgres"]})
            with listener(port):
                answer = supervisor._perform({"do": "restart", "servers": ["postgres"]})

            self.assertIn(str(port), answer["error"])


def listener(port=0):
    busy = socket.socket()
    busy.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    busy.bind((ports.ADDRESS, port))
    busy.listen()
    return busy


def candidates(*numbers):
    return mock.patch.object(ports, "_range_no_client_uses", return_value=numbers)


class instance:
    """A supervisor inside this process."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp())
        self.folder.chmod(0o755)
        self.supervisor = Supervisor(self.folder, self.folder / "log", durable=False, temporary=True, abandoned=[])
        return self.supervisor

    def __exit__(self, *_):
        self.supervisor._clean_up()
