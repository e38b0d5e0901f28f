"""docs/pipeline.md must tell of every stage, in the order in which they stand."""

import re
from pathlib import Path

import markdown
from markdown import Problem

DOCUMENT = Path("docs/pipeline.md")
DEFAULTS = Path("middleware/src/defaults.cpp")
KEY = re.compile(r'\bkey = "([^"]+)"')
PIPELINE = re.compile(r"\bvoid (receive|replies|consume|dispatch)\(")


def check(root):
    path = root / DOCUMENT
    if not path.is_file():
        return [Problem(DOCUMENT, 1, "the document about the stages is missing")]
    text = path.read_text(encoding="utf-8")
    return [*untold_stages(root, text), *wrong_orders(root, text)]


def untold_stages(root, text):
    for file in markdown.files(root / "middleware", {".hpp"}):
        for number, line in enumerate(markdown.lines_of(file), 1):
            for key in KEY.findall(line):
                if f"`{key}`" not in text:
                    yield Problem(file.relative_to(root), number, f"{DOCUMENT} does not tell of the stage `{key}`")


def wrong_orders(root, text):
    for line, name, keys in orders(root / DEFAULTS):
        wanted = " > ".join(keys)
        if not re.search(rf"(^|\s){re.escape(name)}\s+{re.escape(wanted)}\s*$", text, re.MULTILINE):
            yield Problem(DEFAULTS, line, f"{DOCUMENT} does not have the line '{name} {wanted}'")


def orders(defaults):
    """The stages of each pipeline: the classes it uses, whose names are their keys, after the pipeline's own name
    where several have a stage of that key."""
    found = []
    for number, line in enumerate(markdown.lines_of(defaults) if defaults.is_file() else [], 1):
        begin = PIPELINE.search(line)
        if begin:
            found.append((number, begin[1], []))
        elif found:
            used = re.findall(r"\.use\(middleware::(\w+)", line.partition("//")[0])
            found[-1][2].extend(name.removeprefix(f"{found[-1][1]}_") for name in used)
    return [entry for entry in found if entry[2]]
