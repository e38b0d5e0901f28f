"""What the tests of the scripts share: their functions, with programs of the test's own in front of the real ones."""

import contextlib
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LIBRARIES = ("common.sh", "apt.sh", "host.sh", "root.sh")


def script(scripts):
    return "set -euo pipefail\n" + "".join(f". '{scripts}/lib/{name}'\n" for name in LIBRARIES)


class ScriptTest(unittest.TestCase):
    script = script(PROJECT / "scripts")
    within = []

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        self.environment = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder),
                            "XDG_CACHE_HOME": str(self.folder / "cache"), "TEST": str(self.folder)}

    def program(self, name, script):
        """A program of that name, which the scripts find first. $TEST is the folder of the test."""
        file = self.programs / name
        file.write_text(f"#!/bin/bash\nset -euo pipefail\n{script}\n")
        file.chmod(0o755)

    def begin(self, *command):
        process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    def begin_commands(self, commands):
        return self.begin(*self.within, "bash", "-c", self.script + commands)

    @staticmethod
    def end(process):
        """Whatever a failed test leaves behind waits for what will not come."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def run_commands(self, commands, within=None):
        return subprocess.run([*(within or self.within), "bash", "-c", self.script + commands], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def lines_of(self, name):
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []
