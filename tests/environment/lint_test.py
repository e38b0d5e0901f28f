"""scripts/lint says when it could not look at anything. The programs it runs only note what they were given."""

import shutil
import subprocess
import unittest

from support import PROJECT, ScriptTest

CHECKERS = ("shellcheck", "clang-format-19", "cmake")


class Lint(ScriptTest):
    def setUp(self):
        super().setUp()
        self.clone = self.folder / "clone"
        shutil.copytree(PROJECT / "scripts", self.clone / "scripts")
        (self.clone / ".gitignore").write_text("/build/\n")
        self.environment |= {"FERRY_ENV": "host", "GIT_CEILING_DIRECTORIES": str(self.folder),
                             "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        for name in CHECKERS:
            self.program(name, f'echo "{name} $*" >>"$TEST/checked"')

    def git(self, *arguments):
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
        subprocess.run(["git", *who, "-C", self.clone, *arguments], env=self.environment, check=True, capture_output=True)

    def commit_on(self, branch):
        self.git("init", "--initial-branch", branch)
        self.git("add", "--all")
        self.git("commit", "--message", "Begin")

    def lint(self, *arguments):
        run = self.begin(self.clone / "scripts/lint", *arguments)
        told = run.communicate()[1]
        return run.returncode, told

    def expect_nothing_checked(self):
        self.assertEqual(self.lines_of("checked"), [])


class LintOfAllFiles(Lint):
    def test_looks_at_what_git_knows_and_at_what_is_new(self):
        self.commit_on("main")
        (self.clone / "scripts/new.sh").write_text("# shellcheck shell=bash\n")
        status, told = self.lint()
        self.assertEqual(status, 0, told)
        checked = self.lines_of("checked")[0].split()
        self.assertEqual(checked[0], "shellcheck")
        self.assertLessEqual({"scripts/env", "scripts/lib/root.sh", "scripts/new.sh"}, set(checked))

    def test_fails_where_git_cannot_tell_the_files(self):
        status, told = self.lint()
        self.assertEqual(status, 1)
        self.assertIn(f"git cannot tell which files of {self.clone.resolve()} to look at", told)
        self.expect_nothing_checked()

    def test_fails_where_git_knows_no_files(self):
        self.git("init", "--initial-branch", "main")
        (self.clone / ".gitignore").write_text("*\n")
        status, told = self.lint()
        self.assertEqual(status, 1)
        self.assertIn("there was nothing to check", told)
        self.expect_nothing_checked()


class LintOfWhatChanged(Lint):
    def test_looks_at_that_only(self):
        self.commit_on("main")
        self.git("checkout", "-b", "topic")
        with (self.clone / "scripts/env").open("a") as script:
            script.write("# changed\n")
        status, told = self.lint("--changed")
        self.assertEqual(status, 0, told)
        self.assertEqual(len(self.lines_of("checked")), 1)
        self.assertTrue(self.lines_of("checked")[0].endswith(f"--source-path={self.clone.resolve()} scripts/env"))

    def test_passes_where_nothing_has(self):
        self.commit_on("main")
        status, told = self.lint("--changed")
        self.assertEqual((status, told), (0, "ferry: nothing differs from main, so there was nothing to check\n"))

    def test_fails_where_there_is_no_main(self):
        self.commit_on("topic")
        status, told = self.lint("--changed")
        self.assertEqual(status, 1)
        self.assertIn("no commit that this branch shares with main", told)
        self.expect_nothing_checked()


class Format(Lint):
    def test_fails_where_git_cannot_tell_the_files(self):
        run = self.begin(self.clone / "scripts/format")
        told = run.communicate()[1]
        self.assertEqual(run.returncode, 1)
        self.assertIn("git cannot tell which files", told)


if __name__ == "__main__":
    unittest.main()
