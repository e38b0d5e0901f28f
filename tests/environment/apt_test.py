"""apt on a machine that was started a moment ago, and on one without a network."""

import unittest

from support import ScriptTest

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 (apt-get)"


class AptIsBusy(ScriptTest):
    def setUp(self):
        super().setUp()
        self.program("sleep", ":")

    def apt_get_fails(self, times, text):
        self.program("apt-get", f"""
            echo "$*" >>"$TEST/calls"
            (($(wc -l <"$TEST/calls") > {times})) || {{ echo "{text}" >&2 && exit 100; }}
            echo done""")

    def test_is_waited_for(self):
        self.apt_get_fails(1, LOCKED)
        run = self.run_commands("apt_update")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.lines_of("calls"), ["update", "update"])
        self.assertIn("another apt is at work on this machine; waiting for it", run.stderr)
        self.assertIn("done", run.stdout)

    def test_is_waited_for_when_packages_are_installed(self):
        self.apt_get_fails(2, LOCKED)
        run = self.run_commands("apt_install some-package")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(self.lines_of("calls")), 3)
        self.assertIn("DPkg::Lock::Timeout", self.lines_of("calls")[0])
        self.assertTrue(self.lines_of("calls")[0].endswith(" some-package"))

    def test_is_no_reason_to_try_anything_else_again(self):
        self.apt_get_fails(9, "E: Unable to locate package some-package")
        run = self.run_commands("apt_install some-package")
        self.assertEqual(run.returncode, 100)
        self.assertEqual(len(self.lines_of("calls")), 1)
        self.assertIn("Unable to locate package", run.stdout)


if __name__ == "__main__":
    unittest.main()
