"""What the two servers have in common: starting, readiness, stopping, crashing."""

import contextlib
import os
import signal
import socket
import subprocess
import time

from . import ports, processes

PATIENCE = 120  # seconds a server may take to start or to stop, many times what it needs


class StartFailed(Exception):
    """A server did not come up; the text says why and where its log is."""


class PortTaken(StartFailed):
    """Somebody else bound the port first."""


class Abandoned(Exception):
    """Whoever the server was started for is gone."""


class Server:
    """One private server process with a folder, a log and ports of its own. Subclasses say what is special."""

    name = ""
    port_names = ()
    crash_signal = signal.SIGKILL
    stop_signal = signal.SIGTERM
    user = None  # whom to become when started by root

    def __init__(self, instance, logs, durable):
        self.instance = instance
        self.folder = instance / self.name
        self.log = logs / f"{self.name}.log"
        self.durable = durable
        self.reservations = {}
        self.process = None
        self.paused = False
        self._readiness = None

    # What subclasses say.

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def exports(self):
        raise NotImplementedError

    def prepare(self):
        """Fills the folder before the first start."""

    def before_crash(self):
        """Waits for what a crash must not take away if a restart is to work at all."""

    # What all servers do.

    def port(self, name):
        return self.reservations[name].port

    @property
    def state(self):
        if not self.process or self.process.poll() is not None:
            return "stopped"
        return "paused" if self.paused else "running"

    def launch(self):
        """Starts the process; `await_ready` waits for it."""
        if not self.reservations:
            self.reservations = {name: ports.reserve() for name in self.port_names}
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.prepare()
        self._readiness = ReadinessSocket()
        self._began = time.monotonic()
        self._log_size = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", f"--pdeathsig={self.crash_signal.name[3:]}", *become(self.user), "--", *self.command()],
                env=self._whole_environment(), cwd=self.folder, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.paused = False

    def await_ready(self, abandoned):
        """`abandoned` are handles that become readable when nobody waits any more."""
        ended = os.pidfd_open(self.process.pid)
        try:
            self._await_ready(ended, abandoned)
        finally:
            os.close(ended)
            self._readiness.close()

    def _await_ready(self, ended, abandoned):
        deadline = self._began + PATIENCE
        while time.monotonic() < deadline:
            told = processes.readable([self._readiness.handle, ended, *abandoned], deadline - time.monotonic())
            if any(handle in told for handle in abandoned):
                raise Abandoned
            if self._readiness.handle in told and self._readiness.is_ready():
                return
            if ended in told:
                raise self._failure()
        raise StartFailed(f"{self.name} was not ready after {PATIENCE} s; its log is {self.log}")

    def _failure(self):
        code = self.process.wait()
        with self.log.open(errors="replace") as log:
            log.seek(self._log_size)
            text = log.read()
        kind = PortTaken if any(word in text.lower() for word in ("address already in use", "eaddrinuse")) else StartFailed
        tail = "\n".join(text.splitlines()[-15:])
        return kind(f"{self.name} ended with code {code} while starting; its log is {self.log}:\n{tail}")

    def forget_ports(self):
        for reservation in self.reservations.values():
            reservation.release()
        self.reservations = {}

    def stop(self):
        """Politely: clients are told."""
        self._end(self.stop_signal)

    def crash(self):
        if self.state == "running":
            self.before_crash()
        self.kill()

    def kill(self):
        self._end(self.crash_signal)

    def pause(self):
        """Alive but silent, as behind a dead network."""
        self._signal_all(signal.SIGSTOP)
        self.paused = True

    def resume(self):
        self._signal_all(signal.SIGCONT)
        self.paused = False

    def _end(self, how):
        if self.state == "stopped":
            return
        self.process.send_signal(how)
        if self.paused:
            self.resume()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _signal_all(self, number):
        for pid in list(processes.tree(self.process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _whole_environment(self):
        """Nothing of the caller's, whose RABBITMQ_, ERL_ and PG variables may be meant for other servers."""
        return {"PATH": os.defpath + ":/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": str(self.folder),
                "NOTIFY_SOCKET": self._readiness.name, processes.SERVER_OF: str(self.instance), **self.environment()}


class ReadinessSocket:
    """Both servers say READY=1 to NOTIFY_SOCKET, as under systemd, so nobody has to ask them again and again."""

    def __init__(self):
        self.handle = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.handle.bind("")  # an abstract name chosen by the kernel
        self.name = "@" + self.handle.getsockname()[1:].decode()

    def is_ready(self):
        return b"READY=1" in self.handle.recv(4096).split(b"\n")

    def close(self):
        self.handle.close()


def become(user):
    """setpriv's options for dropping root's rights to `user`."""
    if not user or os.geteuid() != 0:
        return []
    return [f"--reuid={user}", f"--regid={user}", "--init-groups"]
