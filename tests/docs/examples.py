"""Code in documents that is taken from a file must be equal to it."""

import re
import textwrap

import markdown
from markdown import Problem

SOURCE = re.compile(r"^\s*<!-- from: (?P<file>[^#\s]+)(?:#(?P<region>\S+))? -->\s*$")


class Missing(Exception):
    pass


def check(root):
    return [problem for path in markdown.documents(root) for problem in check_document(root, path)]


def check_document(root, path):
    lines = markdown.lines_of(path)
    blocks = {fence.line: fence for fence in markdown.fences(lines)}
    problems = []
    for number, line in enumerate(lines, 1):
        source = SOURCE.match(line)
        if source:
            text = difference(root, source, block_below(lines, blocks, number))
            problems += [Problem(path.relative_to(root), number, text)] if text else []
    return problems


def block_below(lines, blocks, number):
    below = number + 1
    while below <= len(lines) and not lines[below - 1].strip():
        below += 1
    return blocks.get(below)


def difference(root, source, block):
    if block is None:
        return "there is no code block below this comment"
    try:
        wanted = part_of(root / source["file"], source["region"])
    except Missing as missing:
        return str(missing)
    for number in range(max(len(wanted), len(block.code))):
        said, meant = line_at(block.code, number), line_at(wanted, number)
        if said != meant:
            line = block.line + 1 + number
            return f"the code is not that of {source['file']} at line {line}: {said}, should be {meant}"
    return None


def line_at(lines, number):
    return repr(lines[number]) if number < len(lines) else "nothing"


def part_of(path, region):
    if not path.is_file():
        raise Missing(f"there is no file {path.name} at that place")
    lines = markdown.lines_of(path)
    return lines if region is None else region_of(lines, region, path.name)


def region_of(lines, region, name):
    """The lines between `#region NAME` and `#endregion`, which stand in comments, without common indentation."""
    begin = next((n for n, line in enumerate(lines) if line.rstrip().endswith(f"#region {region}")), None)
    if begin is None:
        raise Missing(f"{name} has no '#region {region}'")
    end = next((n for n in range(begin, len(lines)) if lines[n].rstrip().endswith("#endregion")), None)
    if end is None:
        raise Missing(f"'#region {region}' of {name} has no '#endregion'")
    return textwrap.dedent("\n".join(lines[begin + 1 : end])).splitlines()
