"""Runs a program and checks what it prints, and that it ends with exit code 0.

    check_program.py has TEXT PROGRAM [ARGUMENT...]     its output has this text in it
    check_program.py is FILE PROGRAM [ARGUMENT...]      its output is what is in the file

What it writes to standard error belongs to its output.
"""

import difflib
import subprocess
import sys
from pathlib import Path


def complaint_about(how, wanted, code, output):
    """Why it is not as wanted; none when it is."""
    if code != 0:
        return f"exit code {code}"
    if how == "has" and wanted not in output:
        return f"the output has no\n{wanted}"
    if how == "is" and output != wanted:
        lines = difflib.unified_diff(wanted.splitlines(), output.splitlines(), "wanted", "printed", lineterm="")
        return "\n".join(["the output is another:", *lines])
    return None


def main(words):
    if len(words) < 3 or words[0] not in ("has", "is"):
        print(__doc__, file=sys.stderr)
        return 2
    how, wanted, *command = words
    if how == "is":
        wanted = Path(wanted).read_text(encoding="utf-8")
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    print(ended.stdout, end="", flush=True)
    complaint = complaint_about(how, wanted, ended.returncode, ended.stdout)
    if complaint:
        print(f"check_program: {complaint}", file=sys.stderr)
    return 1 if complaint else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
