"""Runs of tests: two at the same time in one clone, and one where a container forbids what it would like."""

import os
import shutil
import unittest

from support import PROJECT, ScriptTest


class TestRun(ScriptTest):
    def setUp(self):
        super().setUp()
        self.clone = self.folder / "clone"
        shutil.copytree(PROJECT / "scripts", self.clone / "scripts")
        self.program("cmake", "echo built >>\"$TEST/calls\"")
        self.environment["FERRY_ENV"] = "host"


class TwoTestRunsAtOnce(TestRun):
    def setUp(self):
        super().setUp()
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


class WhereNobodyMayChooseTheLayoutOfMemory(TestRun):
    """As in a container with the usual filter for system calls."""

    def setUp(self):
        super().setUp()
        self.program("setarch", "echo 'setarch: failed to set personality' >&2; exit 1")

    def run_script(self, name, *arguments):
        run = self.begin(self.clone / "scripts" / name, *arguments)
        return *run.communicate(), run.returncode

    def test_tests_run_all_the_same(self):
        self.program("ctest", "echo tested")
        output, complaints, status = self.run_script("test", "--no-services")
        self.assertEqual((output, status), ("tested\n", 0), complaints)

    def test_fuzz_targets_run_all_the_same(self):
        (self.clone / "tests/fuzz/corpus/reader").mkdir(parents=True)
        target = self.clone / "build/fuzz/tests/fuzz/reader_fuzz"
        target.parent.mkdir(parents=True)
        target.write_text("#!/bin/sh\necho stat::number_of_executed_units: 17\n")
        target.chmod(0o755)
        output, complaints, status = self.run_script("fuzz", "reader")
        self.assertEqual(status, 0, complaints)
        self.assertIn("reader: 17 runs", output)


if __name__ == "__main__":
    unittest.main()
