"""tidy.py COMPILE_COMMANDS CACHE FILE...: clang-tidy over the files, two at a time on two cores.

A file that was clean is skipped for as long as its preprocessed text, its flags and the configuration stay the same.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIDY = "clang-tidy-19"


def main(database, cache, names):
    commands = {Path(entry["directory"], entry["file"]).resolve(): entry for entry in json.loads(Path(database).read_text())}
    files = [path for path in (Path(name).resolve() for name in names) if path in commands]
    cache.mkdir(parents=True, exist_ok=True)
    common = tool_fingerprint()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = pool.map(lambda file: check(file, commands[file], cache, common), files)
        return report(len(files), checks)


def report(count, checks):
    clean = True
    for number, (file, how, output) in enumerate(checks, 1):
        print(f"[{number}/{count}] {file.relative_to(Path.cwd())}: {how}", flush=True)
        if output:
            clean = False
            print(output, flush=True)
    return 0 if clean else 1


def check(file, entry, cache, common):
    """(file, how it went, what is wrong with it)"""
    began = time.monotonic()
    stamp = cache / fingerprint(file, entry, common)
    if stamp.exists():
        stamp.touch()
        return file, "unchanged", ""
    ended = subprocess.run([TIDY, "--quiet", "--warnings-as-errors=*", f"-p={Path(sys.argv[1]).parent}", str(file)],
                           capture_output=True, text=True)
    seconds = f"{time.monotonic() - began:.0f} s"
    if ended.returncode:
        return file, seconds, ended.stdout + ended.stderr
    stamp.touch()
    return file, seconds, ""


def tool_fingerprint():
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    configuration = subprocess.run([TIDY, "--dump-config"], capture_output=True, check=True).stdout
    return hashlib.sha256(version + configuration).digest()


def fingerprint(file, entry, common):
    """Comments are kept in the text, because NOLINT is one; where the clone lies makes no difference."""
    arguments = shlex.split(entry["command"])
    output = arguments.index("-o")
    del arguments[output:output + 2]
    text = subprocess.run([*arguments, "-E", "-CC"], cwd=entry["directory"], capture_output=True).stdout
    everything = b"\0".join((str(file).encode(), entry["command"].encode(), text))
    return hashlib.sha256(common + everything.replace(str(Path.cwd()).encode(), b".")).hexdigest()


sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
