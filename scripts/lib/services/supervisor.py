"""The one process that owns an instance: parent of its servers, keeper of its ports, and the one that cleans up.

It lives until it is told to stop, or until the process the instance was started for is gone, however that ended.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import time
from pathlib import Path

from . import processes
from .postgres import Postgres
from .rabbitmq import RabbitMQ
from .server import Abandoned, PortTaken, StartFailed

KINDS = {kind.name: kind for kind in (RabbitMQ, Postgres)}
ATTEMPTS = 5


class Supervisor:
    def __init__(self, folder, logs, durable, temporary, abandoned, ends_users=False):
        """`abandoned` are handles that become readable once nobody needs the servers any more."""
        self._folder = folder
        self._logs = logs
        self._durable = durable
        self._temporary = temporary
        self._servers = {}
        self._abandoned = abandoned
        self._ends_users = ends_users

    def serve(self, listener):
        """Answers one request after another until the end."""
        try:
            while not (told := set(processes.readable([listener, *self._abandoned]))) & set(self._abandoned):
                assert listener in told
                if self._answer_next(listener):
                    return
        except Abandoned:
            pass
        finally:
            self._clean_up()

    def _answer_next(self, listener):
        """True when that was the last request."""
        connection, _ = listener.accept()
        with connection, connection.makefile("rw") as stream:
            line = stream.readline()
            if not line:
                return False
            request = json.loads(line)
            last = request["do"] == "stop" and not request["servers"]
            if last:
                self._clean_up()
                answer = {}
            else:
                answer = self._perform(request)
            with contextlib.suppress(BrokenPipeError):
                print(json.dumps(answer), file=stream, flush=True)
            return last

    def _perform(self, request):
        began = time.monotonic()
        try:
            said = getattr(self, "_" + request["do"])(request["servers"])
        except (StartFailed, OSError, RuntimeError) as error:
            return {"error": str(error)}
        return {"took": time.monotonic() - began, "exports": self._exports(), "status": self._status_lines(),
                "said": said}

    def _exports(self):
        exports = {processes.USER_OF: str(self._folder)}
        for server in self._servers.values():
            exports |= server.exports()
        return exports

    def _status_lines(self):
        return [{"server": server.name, "state": server.state, "pid": server.process.pid,
                 "ports": {name: server.port(name) for name in server.port_names}}
                for server in self._servers.values()]

    def _status(self, _names):
        pass

    def _start(self, names):
        for name in names:
            self._servers.setdefault(name, KINDS[name](self._folder, self._logs, self._durable))
        wanted = [self._servers[name] for name in names if self._servers[name].state == "stopped"]
        try:
            self._launch(wanted)
        except StartFailed:
            for server in wanted:
                server.kill()
                server.forget_ports()
                del self._servers[server.name]
            raise

    def _launch(self, servers):
        """All at once, because the slow one takes seconds."""
        for server in servers:
            server.launch()
        for server in servers:
            self._await_on_some_port(server)

    def _await_on_some_port(self, server):
        for _ in range(ATTEMPTS - 1):
            try:
                return server.await_ready(self._abandoned)
            except PortTaken:
                server.forget_ports()
                server.launch()
        return server.await_ready(self._abandoned)

    def _stop(self, names):
        for server in self._known(names):
            server.stop()

    def _crash(self, names):
        for server in self._known(names):
            server.crash()

    def _pause(self, names):
        for server in self._known(names):
            server.pause()

    def _resume(self, names):
        for server in self._known(names):
            server.resume()

    def _restart(self, names):
        """On the same folder and the same ports, which clients know."""
        for server in self._known(names):
            server.stop()
            server.launch()
            server.await_ready(self._abandoned)

    def _control(self, arguments):
        return self._known(["rabbitmq"])[0].control(arguments)

    def _known(self, names):
        unknown = [name for name in names if name not in self._servers]
        if unknown:
            raise StartFailed(f"{', '.join(unknown)}: never started in {self._folder}")
        return [self._servers[name] for name in names]

    def _clean_up(self):
        """What the servers wrote is thrown away, or safe on disk, so nobody waits for a polite shutdown."""
        for server in self._servers.values():
            server.kill()
            server.forget_ports()
        processes.kill_marked_with(self._folder)
        if self._ends_users:
            processes.kill_marked_with(self._folder, processes.USER_OF)
        if self._temporary:
            shutil.rmtree(self._folder, ignore_errors=True)


def _stop_signals():
    """A handle that becomes readable on SIGTERM or SIGINT."""
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(sender.detach())
    return receiver


def main(arguments):
    """Started by `client.Instance.create`, with the listening socket and the owner's pidfd as open files."""
    options = json.loads(arguments[0])
    listener = socket.socket(fileno=options["listener"])
    abandoned = [_stop_signals()] if options["owner"] is None else [_stop_signals(), options["owner"]]
    supervisor = Supervisor(Path(options["folder"]), Path(options["logs"]), options["durable"], options["temporary"],
                            abandoned, options["ends_users"])
    os.chdir("/")
    supervisor.serve(listener)
