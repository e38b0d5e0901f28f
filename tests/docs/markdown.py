"""What all checks need to know about the files they look at."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

NOT_OURS = {".git", ".cache", "build"}
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


@dataclass(frozen=True)
class Problem:
    file: Path
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Fence:
    """A code block: the line of its opening mark, counted from 1, and the lines between its marks."""

    line: int
    code: list


def files(root, suffixes):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - NOT_OURS)
        found += [Path(folder, name) for name in sorted(names) if Path(name).suffix in suffixes]
    return found


def documents(root):
    return files(root, {".md"})


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def fences(lines):
    found, opened, mark = [], None, None
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if opened is None and match:
            opened, mark = number, match[1]
        elif opened is not None and match and line.strip() == match[1] and match[1].startswith(mark):
            found.append(Fence(opened, lines[opened : number - 1]))
            opened = None
    return found


def prose(lines):
    """The lines with their numbers, without code blocks and without code in the text."""
    inside = {n for fence in fences(lines) for n in range(fence.line, fence.line + len(fence.code) + 2)}
    return [(n, re.sub(r"`[^`]*`", "", line)) for n, line in enumerate(lines, 1) if n not in inside]
