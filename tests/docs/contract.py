"""docs/contract.md and the tests must agree on what is proven."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import markdown
from markdown import Problem

CONTRACT = Path("docs/contract.md")
CASE = re.compile(r"^- \*\*B(\d+)\*\*")
NAMED_TEST = re.compile(r"`([A-Z]\w*\.\w+)`")
MACRO = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
CTEST = re.compile(r"add_test\(\s*NAME\s+([\w.]+)\s")
COMPILE_FAILURES = re.compile(r"ferry_compile_failures\(\s*PREFIX\s+(\w+)")


@dataclass
class Case:
    number: int
    line: int
    text: str
    tests: dict = field(default_factory=dict)  # name: line

    def says(self, words):
        return words in " ".join(self.text.lower().split())


@dataclass(frozen=True)
class Test:
    name: str
    file: Path
    line: int
    cases: frozenset


def check(root):
    path = root / CONTRACT
    if not path.is_file():
        return [Problem(CONTRACT, 1, "the contract is missing")]
    cases = cases_of(markdown.lines_of(path))
    tests = [test for file in markdown.files(root / "tests", {".cpp", ".hpp"}) for test in tests_of(root, file)]
    names = {test.name for test in tests} | ctest_names(root)
    return [*numbering(cases), *verdicts(cases), *missing_tests(cases, names), *unlisted_tests(cases, tests)]


def cases_of(lines):
    cases, current = [], None
    for number, line in enumerate(lines, 1):
        begin = CASE.match(line)
        if begin:
            current = Case(int(begin[1]), number, "")
            cases.append(current)
        elif line.startswith("#"):
            current = None
        if current:
            current.text += line + "\n"
            current.tests.update((name, number) for name in NAMED_TEST.findall(line))
    return cases


def numbering(cases):
    for place, case in enumerate(cases, 1):
        if case.number != place:
            yield Problem(CONTRACT, case.line, f"here should be B{place}, not B{case.number}; numbers run without gaps")
            return


def verdicts(cases):
    for case in cases:
        if case.says("*not yet*") and case.tests:
            text = f"B{case.number} is marked 'not yet' but names a test; say 'in part', or nothing"
            yield Problem(CONTRACT, case.line, text)
        elif not case.says("*not yet*") and not case.tests:
            yield Problem(CONTRACT, case.line, f"B{case.number} names no test; name one, or mark it *not yet*")


def missing_tests(cases, names):
    for case in cases:
        for name, line in case.tests.items():
            if name not in names:
                yield Problem(CONTRACT, line, f"B{case.number} names the test {name}, which does not exist")


def unlisted_tests(cases, tests):
    known = {case.number: case for case in cases}
    for test in tests:
        for number in sorted(test.cases):
            if number not in known:
                yield Problem(test.file, test.line, f"B{number} is not in {CONTRACT}")
            elif test.name and test.name not in known[number].tests:
                place = f"{CONTRACT}:{known[number].line}"
                yield Problem(test.file, test.line, f"{test.name} proves B{number}; name it there, at {place}")


def tests_of(root, file):
    """The tests of a file with the cases that comments name; what stands before the first belongs to no test."""
    text = file.read_text(encoding="utf-8")
    begins = [(text.count("\n", 0, match.start()) + 1, f"{match[1]}.{match[2]}") for match in MACRO.finditer(text)]
    owned = {line: set() for line, _ in begins} | {0: set()}
    for line, cases in commented_cases(text.splitlines(), {line for line, _ in begins}):
        owned[max(begin for begin in owned if begin <= line)] |= cases
    place = file.relative_to(root)
    found = [Test(name, place, line, frozenset(owned[line])) for line, name in begins]
    return [Test("", place, 1, frozenset(owned[0]))] + found if owned[0] else found


def commented_cases(lines, begins):
    for number, line in enumerate(lines, 1):
        _, _, comment = line.partition("//")
        cases = {int(case) for case in re.findall(r"\bB(\d{1,3})\b", comment)}
        above_a_test = line.startswith("//") and number + 1 in begins
        if cases:
            yield number + above_a_test, cases


def ctest_names(root):
    """What CMake files add by themselves: programs, and the files beside them that must not compile."""
    names = set()
    for file in (path for path in markdown.files(root, {".txt"}) if path.name == "CMakeLists.txt"):
        text = file.read_text(encoding="utf-8")
        names.update(CTEST.findall(text))
        for prefix in COMPILE_FAILURES.findall(text):
            names.update(f"{prefix}.{path.stem}" for path in (file.parent / "compile_fail").glob("*.cpp"))
    return names
