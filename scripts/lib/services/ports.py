"""Ports on 127.0.0.1 that no two instances can pick at the same time, and that stay theirs through a restart."""

import random
import socket
from pathlib import Path

ADDRESS = "127.0.0.1"


class Reservation:
    """A free port, and the claim on it.

    The claim is an abstract unix socket named after the port: it belongs to the same network namespace as the port,
    holds for all users, and goes away with its owner.
    """

    def __init__(self, port, claim):
        self.port = port
        self._claim = claim

    def release(self):
        self._claim.close()


def reserve():
    candidates = list(_range_no_client_uses())
    random.shuffle(candidates)
    for port in candidates:
        claim = _claim(port)
        if claim and _is_free(port):
            return Reservation(port, claim)
        if claim:
            claim.close()
    raise RuntimeError(f"no free port on {ADDRESS}")


def _range_no_client_uses():
    """Below the range the kernel takes client ports from, so that no outgoing connection can sit on a chosen port."""
    lowest_client_port = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    if lowest_client_port > 12000:
        return range(max(10000, lowest_client_port - 12000), lowest_client_port)
    return range(20000, 60000)


def _claim(port):
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0ferry-port-{port}")
        return claim
    except OSError:
        claim.close()
        return None


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
            return True
        except OSError:
            return False
