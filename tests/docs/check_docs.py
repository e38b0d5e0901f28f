"""Checks that the documents still say what the code does.

    check_docs.py [contract] [examples] [links] [stages] [--root FOLDER]

contract  docs/contract.md has every case once, and names tests that exist; a test that names a case is named there
examples  a code block below `<!-- from: FILE -->` or `<!-- from: FILE#REGION -->` is that file, or that part of it
links     relative links lead to files and headings that exist
stages    docs/pipeline.md names every stage of the middleware, in the order of the defaults
"""

import argparse
import sys
from pathlib import Path

import contract
import examples
import links
import stages

CHECKS = {"contract": contract.check, "examples": examples.check, "links": links.check, "stages": stages.check}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="all of them when none is named")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    options = parser.parse_args(arguments)
    unknown = [name for name in options.checks if name not in CHECKS]
    if unknown:
        parser.error(f"there is no check {', '.join(unknown)}; choose from {', '.join(CHECKS)}")
    problems = [problem for name in options.checks or CHECKS for problem in CHECKS[name](options.root)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
