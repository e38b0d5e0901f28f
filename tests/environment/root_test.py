"""scripts/env on a host that cannot give it what it needs."""

import os
import subprocess
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LIBRARIES = [PROJECT / "scripts/lib" / name for name in ("common.sh", "apt.sh", "root.sh")]


@unittest.skipIf(os.geteuid(), "only root can give up a capability of root")
class RootWithoutSysAdmin(unittest.TestCase):
    def test_is_told_which_capability_is_missing(self):
        sources = "; ".join(f". '{library}'" for library in LIBRARIES)
        run = subprocess.run(
            ["setpriv", "--bounding-set=-sys_admin", "bash", "-c", f"{sources}; require_namespaces"],
            capture_output=True,
            text=True,
            check=False,
        )

        self.assertEqual(run.returncode, 1)
        self.assertIn("the capability SYS_ADMIN is missing", run.stderr)


if __name__ == "__main__":
    unittest.main()
