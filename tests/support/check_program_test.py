"""A program passes when it prints what it should and ends well, and not with one of the two."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = [sys.executable, "-B", str(Path(__file__).with_name("check_program.py"))]


class CheckProgramTest(unittest.TestCase):
    def check(self, how, wanted, script):
        ended = subprocess.run([*CHECK, how, wanted, "sh", "-c", script], capture_output=True, text=True)
        return ended.returncode, ended.stderr

    def file(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".txt")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_what_prints_the_text_passes(self):
        self.assertEqual(self.check("has", "two\nthree", "echo one; echo two; echo three"), (0, ""))

    def test_what_does_not_print_the_text_fails(self):
        code, said = self.check("has", "two.*", "echo two")
        self.assertEqual(code, 1)
        self.assertIn("the output has no\ntwo.*", said)

    def test_what_prints_the_text_and_ends_badly_fails(self):
        for end, code in (("exit 1", "1"), ("kill -SEGV $$", "-11")):
            with self.subTest(end=end):
                self.assertEqual(self.check("has", "one", f"echo one; {end}"), (1, f"check_program: exit code {code}\n"))

    def test_what_prints_the_file_and_nothing_else_passes(self):
        self.assertEqual(self.check("is", self.file("one\ntwo\n"), "echo one; echo two"), (0, ""))

    def test_what_prints_more_than_the_file_fails(self):
        for script in ("echo one; echo two", "echo one; echo two >&2"):
            with self.subTest(script=script):
                code, said = self.check("is", self.file("one\n"), script)
                self.assertEqual(code, 1)
                self.assertIn("\n+two", said)


if __name__ == "__main__":
    unittest.main()
