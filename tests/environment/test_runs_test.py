"""scripts/test twice at the same time in one clone."""

import os
import shutil
import unittest

from support import PROJECT, ScriptTest


class TwoTestRunsAtOnce(ScriptTest):
    def setUp(self):
        super().setUp()
        self.clone = self.folder / "clone"
        shutil.copytree(PROJECT / "scripts", self.clone / "scripts")
        self.program("cmake", "echo built >>\"$TEST/calls\"")
        self.environment["FERRY_ENV"] = "host"
        for name in ("begun", "go"):
            os.mkfifo(self.folder / name)

    def begin_tests(self, ctest, *arguments):
        self.program("ctest", ctest)
        return self.begin(self.clone / "scripts/test", "--no-services", *arguments)

    def test_run_one_after_the_other(self):
        first = self.begin_tests('echo >"$TEST/begun"; read -r <"$TEST/go"; echo "first tested" | tee -a "$TEST/calls"')
        (self.folder / "begun").read_text()
        second = self.begin_tests('echo "second tested" | tee -a "$TEST/calls"')
        self.assertEqual(second.stderr.readline(), "ferry: another scripts/test of dev is running; waiting for it\n")
        (self.folder / "go").write_text("\n")

        outputs = [each.communicate()[0] for each in (first, second)]

        self.assertEqual([each.returncode for each in (first, second)], [0, 0])
        calls = self.lines_of("calls")
        self.assertLess(calls.index("first tested"), calls.index("second tested"))
        self.assertIn("built", calls[calls.index("first tested"):], "not while the first one tests what was built")
        self.assertEqual(outputs, ["first tested\n", "second tested\n"])
        self.assertEqual((self.clone / "build/log/test-dev.log").read_text(), "second tested\n")

    def test_of_different_presets_do_not_wait(self):
        first = self.begin_tests('echo >"$TEST/begun"; read -r <"$TEST/go"')
        (self.folder / "begun").read_text()
        second = self.begin_tests("echo tested", "--preset", "asan")
        self.assertEqual(second.communicate()[0], "tested\n")
        (self.folder / "go").write_text("\n")
        first.communicate()
        self.assertEqual([each.returncode for each in (first, second)], [0, 0])


if __name__ == "__main__":
    unittest.main()
