"""A private PostgreSQL server."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

from .ports import ADDRESS
from .server import Server, StartFailed, become


class Postgres(Server):
    name = "postgres"
    port_names = ("sql",)
    crash_signal = signal.SIGQUIT  # its immediate shutdown: no checkpoint, recovery at the next start
    stop_signal = signal.SIGINT
    user = "postgres"  # it refuses to be root

    @property
    def data(self):
        return self.folder / "data"

    def command(self):
        settings = {
            "listen_addresses": ADDRESS,
            "port": self.port("sql"),
            "unix_socket_directories": "",
            "max_connections": 200,
            "log_line_prefix": "%m [%p] ",
        }
        if not self.durable:
            settings |= {"fsync": "off", "full_page_writes": "off"}
        return [program("postgres"), "-D", self.data, *(f"--{key}={value}" for key, value in settings.items())]

    def exports(self):
        return {"FERRY_POSTGRES_URL": f"postgresql://postgres@{ADDRESS}:{self.port('sql')}/postgres"}

    def prepare(self):
        if self.data.exists():
            return
        self._give_to_user(self.folder)
        template = self._template()
        if not _copied(template, self.data):
            self._initdb()
            _publish(self.data, template)
        self._give_to_user(self.data)

    def _give_to_user(self, folder):
        if os.geteuid() == 0:
            subprocess.run(["chown", "--recursive", f"{self.user}:", folder], check=True)

    def _template(self):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ferry"
        version = subprocess.run([program("postgres"), "--version"], check=True, capture_output=True, text=True).stdout
        return cache / f"postgres-{version.split()[2]}-template"

    def _initdb(self):
        with self.log.open("ab") as log:
            made = subprocess.run(
                ["setpriv", *become(self.user), "--", program("initdb"), "-D", self.data, "--username=postgres",
                 "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if made.returncode:
            shutil.rmtree(self.data, ignore_errors=True)
            raise StartFailed(f"initdb failed; can the user {self.user} reach {self.folder}? Its log is {self.log}")


def program(name):
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise StartFailed("PostgreSQL is not installed; run this through scripts/env")
    return found[-1]


def _copied(source, target):
    """False when there is no such folder, or one of somebody else's."""
    copy = subprocess.run(["cp", "--archive", "--reflink=auto", source, target], stderr=subprocess.DEVNULL)
    if copy.returncode:
        shutil.rmtree(target, ignore_errors=True)
    return copy.returncode == 0


def _publish(data, template):
    """Renamed when complete, so that nobody copies half of it. A cache that cannot be written costs a second a run."""
    part = template.with_name(f"{template.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        template.parent.mkdir(parents=True, exist_ok=True)
        if _copied(data, part):
            part.rename(template)
    shutil.rmtree(part, ignore_errors=True)
