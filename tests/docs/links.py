"""Relative links must lead somewhere."""

import re
from urllib.parse import unquote

import markdown
from markdown import Problem

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s*(\S+)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)


def check(root):
    return [problem for path in markdown.documents(root) for problem in check_document(root, path)]


def check_document(root, path):
    problems = []
    for number, line in markdown.prose(markdown.lines_of(path)):
        for match in LINK.finditer(line):
            text = fault_of(path, match[1] or match[2])
            problems += [Problem(path.relative_to(root), number, text)] if text else []
    return problems


def fault_of(path, target):
    if ELSEWHERE.match(target):
        return None
    place, _, heading = unquote(target).partition("#")
    file = (path.parent / place).resolve() if place else path
    if not file.exists():
        return f"the link to {target} leads nowhere"
    if heading and file.suffix == ".md" and heading not in anchors(markdown.lines_of(file)):
        return f"the link to {target} leads to no heading of {file.name}"
    return None


def anchors(lines):
    """The names that headings get as anchors: small letters, dashes for spaces, no punctuation, numbered when equal."""
    counts, found = {}, set()
    inside = {n for fence in markdown.fences(lines) for n in range(fence.line, fence.line + len(fence.code) + 2)}
    for number, line in enumerate(lines, 1):
        match = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if match and number not in inside:
            name = re.sub(r"[^\w\- ]", "", match[1].lower()).replace(" ", "-")
            count = counts.get(name, 0)
            counts[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    return found
