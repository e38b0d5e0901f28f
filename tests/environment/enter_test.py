"""What a command finds inside a root."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import PROJECT, ScriptTest

# The least a root can be: the programs of this one, and a /var with a file of its own.
ROOT = """
for folder in /bin /lib /lib64 /usr; do
    [[ ! -d $folder ]] || { mkdir -p "$TEST/root$folder" && mount --rbind "$folder" "$TEST/root$folder"; }
done
mkdir -p "$TEST/root/etc" "$TEST/root/var/tmp" "$TEST/root/var/lib/dpkg" "$TEST/cache"
echo of the root >"$TEST/root/var/lib/dpkg/status"
"""


# A root of scripts/env is a private namespace already, and no mount point that unshare could make private again.
INSIDE_A_ROOT = os.environ.get("FERRY_ENV", "host") != "host"
UNSHARE = ["unshare", "--mount", *(["--propagation", "unchanged"] if INSIDE_A_ROOT else [])]

# What `mount --bind` and `mount --rbind` do; the roots of scripts/env have no mount.
MOUNT = """exec python3 -c 'import ctypes, os, sys
recursive = 16384 if sys.argv[1] == "--rbind" else 0
if ctypes.CDLL(None, use_errno=True).mount(*map(os.fsencode, sys.argv[2:4]), None, 4096 | recursive, None):
    sys.exit(os.strerror(ctypes.get_errno()))' "$@" """


def namespaces_can_be_made():
    return subprocess.run([*UNSHARE, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


@unittest.skipUnless(namespaces_can_be_made(), "no mount namespace can be made here")
class TheFolderACommandStandsIn(ScriptTest):
    def setUp(self):
        super().setUp()
        if not shutil.which("mount"):
            self.program("mount", MOUNT)

    def inside(self, folder, command):
        enter = f'cd "{folder}" && exec "{PROJECT}/scripts/lib/enter" "$TEST/root" "{PROJECT}" "$TEST/cache" {command}'
        return subprocess.run([*UNSHARE, "bash", "-ec", ROOT + enter], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_comes_along_from_where_systems_keep_their_own_files(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            Path(folder, "here").write_text("of the host\n")
            for attempt in ("first", "second, when its mount point is there"):
                with self.subTest(attempt):
                    run = self.inside(folder, "cat here")
                    self.assertEqual((run.stdout, run.stderr), ("of the host\n", ""))

    def test_is_the_roots_own_where_it_has_files_there(self):
        Path("/var/lib/dpkg").is_dir() or self.skipTest("this host has no such folder")
        run = self.inside("/var/lib/dpkg", "cat status")
        self.assertEqual((run.stdout, run.stderr), ("of the root\n", ""))


if __name__ == "__main__":
    unittest.main()
