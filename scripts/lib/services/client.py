"""The caller's side: making an instance, finding one, asking its supervisor."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from . import processes

STARTER = Path(__file__).resolve().parent.parent / "run_services.py"


class Failure(Exception):
    """What to tell the user."""


class Instance:
    """A folder with servers, as seen from outside."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()

    @classmethod
    def create(cls, folder=None, logs=None, durable=False, owner=None, ends_users=False):
        """Starts a supervisor; `owner` is the process whose end ends the instance, `ends_users` ends its users, too."""
        temporary = folder is None
        folder = Path(tempfile.mkdtemp(prefix="ferry-services-")) if temporary else Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)  # the postgres user must pass through
        instance = cls(folder)
        if instance.is_alive():
            raise Failure(f"servers are running in {instance.folder} already; stop them, or name another folder")
        logs = Path(logs).resolve() if logs else instance.folder / "log"
        logs.mkdir(parents=True, exist_ok=True)
        instance._start_supervisor(logs, owner, {"durable": durable, "temporary": temporary, "ends_users": ends_users})
        return instance

    def _start_supervisor(self, logs, owner, choices):
        """The listening socket is made here, so that requests can be sent before the supervisor runs."""
        with socket.socket(socket.AF_UNIX) as listener, OwnerHandle(owner) as owner_handle:
            self._control_socket().unlink(missing_ok=True)
            with self._short_path() as path:
                listener.bind(path)
            listener.listen()
            options = {**choices, "folder": str(self.folder), "logs": str(logs), "owner": owner_handle.number,
                       "listener": listener.fileno()}
            with (logs / "supervisor.log").open("ab") as log:
                subprocess.Popen(
                    [sys.executable, "-B", STARTER, "supervise", json.dumps(options)],
                    pass_fds=[number for number in (owner_handle.number, listener.fileno()) if number is not None],
                    start_new_session=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def is_alive(self):
        try:
            self._connect().close()
            return True
        except OSError:
            return False

    def ask(self, what, servers=()):
        try:
            with self._connect() as connection, connection.makefile("rw") as stream:
                print(json.dumps({"do": what, "servers": list(servers)}), file=stream, flush=True)
                answer = stream.readline()
        except OSError as error:
            raise Failure(f"no servers are running in {self.folder} ({error.strerror})") from error
        if not answer:
            raise Failure(f"the supervisor of {self.folder} ended without an answer; see its log, supervisor.log")
        answer = json.loads(answer)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def stop(self):
        if self.is_alive():
            return self.ask("stop")
        self._remove_what_a_killed_supervisor_left()
        return {}

    def _remove_what_a_killed_supervisor_left(self):
        processes.kill_marked_with(self.folder)
        if self.folder.name.startswith("ferry-services-") and self._control_socket().exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _connect(self):
        connection = socket.socket(socket.AF_UNIX)
        try:
            with self._short_path() as path:
                connection.connect(path)
        except OSError:
            connection.close()
            raise
        return connection

    def _control_socket(self):
        return self.folder / "control"

    def _short_path(self):
        return ShortPath(self._control_socket())


class ShortPath:
    """Unix sockets have room for 107 characters only, folders may be longer."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        self._folder = os.open(self._path.parent, os.O_PATH)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_):
        os.close(self._folder)


class OwnerHandle:
    """A pidfd, because a number may belong to somebody else by the time it is looked at. None means no owner."""

    def __init__(self, pid):
        self._pid = pid

    def __enter__(self):
        try:
            self.number = os.pidfd_open(self._pid) if self._pid else None
        except ProcessLookupError as error:
            raise Failure(f"the owner, process {self._pid}, is gone already") from error
        return self

    def __exit__(self, *_):
        if self.number is not None:
            os.close(self.number)
