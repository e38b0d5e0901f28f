"""The checks find what they are for, and say where it is."""

import contextlib
import io
import tempfile
import textwrap
import unittest
from pathlib import Path

import check_docs
import contract
import examples
import links
import stages


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")

    def expect(self, check, *problems):
        self.assertEqual([str(problem) for problem in check(self.root)], list(problems))


class ExamplesTest(CheckTest):
    def document(self, source, code):
        self.write("README.md", f"<!-- from: {source} -->\n```cpp\n{code}\n```\n")

    def test_takes_code_that_is_equal(self):
        self.write("a.cpp", "int a;\nint b;\n")
        self.document("a.cpp", "int a;\nint b;")
        self.expect(examples.check)

    def test_names_the_first_line_that_differs(self):
        self.write("a.cpp", "int a;\nint b;\n")
        self.document("a.cpp", "int a;\nint c;")
        self.expect(examples.check,
                    "README.md:1: the code is not that of a.cpp at line 4: 'int c;', should be 'int b;'")

    def test_misses_lines_at_the_end(self):
        self.write("a.cpp", "int a;\nint b;\n")
        self.document("a.cpp", "int a;")
        self.expect(examples.check, "README.md:1: the code is not that of a.cpp at line 4: nothing, should be 'int b;'")

    def test_takes_a_region_without_its_indentation(self):
        self.write("a.cpp", "int x;\n    // #region one\n    if (x)\n        y();\n    // #endregion\n")
        self.document("a.cpp#one", "if (x)\n    y();")
        self.expect(examples.check)

    def test_misses_a_region(self):
        self.write("a.cpp", "int x;\n")
        self.document("a.cpp#one", "int x;")
        self.expect(examples.check, "README.md:1: a.cpp has no '#region one'")

    def test_misses_the_end_of_a_region(self):
        self.write("a.cpp", "// #region one\nint x;\n")
        self.document("a.cpp#one", "int x;")
        self.expect(examples.check, "README.md:1: '#region one' of a.cpp has no '#endregion'")

    def test_misses_a_file(self):
        self.document("examples/gone.cpp", "int x;")
        self.expect(examples.check, "README.md:1: there is no file gone.cpp at that place")

    def test_misses_the_code(self):
        self.write("README.md", "<!-- from: a.cpp -->\nno code\n")
        self.expect(examples.check, "README.md:1: there is no code block below this comment")


class LinksTest(CheckTest):
    def test_takes_links_that_lead_somewhere(self):
        self.write("docs/a.md", "# One, two!\n[b](../b.md) [self](#one-two) [web](https://example.org) [f](.)\n")
        self.write("b.md", "[a](docs/a.md#one-two)\n[a]: docs/a.md\n")
        self.expect(links.check)

    def test_finds_a_link_to_no_file(self):
        self.write("a.md", "# Top\nsee [b](b.md)\n")
        self.expect(links.check, "a.md:2: the link to b.md leads nowhere")

    def test_finds_a_link_to_no_heading(self):
        self.write("a.md", "see [b](b.md#two)\n")
        self.write("b.md", "# One\n")
        self.expect(links.check, "a.md:1: the link to b.md#two leads to no heading of b.md")

    def test_leaves_code_alone(self):
        self.write("a.md", "`[b](b.md)`\n```\n[c](c.md)\n```\n")
        self.expect(links.check)

    def test_leaves_folders_of_builds_alone(self):
        self.write("build/a.md", "[b](b.md)\n")
        self.expect(links.check)


class ContractTest(CheckTest):
    def contract(self, text):
        self.write("docs/contract.md", text)

    def test_takes_what_agrees(self):
        self.contract("- **B1** One.\n"
                      "  `One.works`\n- **B2** Two. *Not\n  yet*\n- **B3** Three. *In part*: `Two.works`\n")
        self.write("tests/one_test.cpp",
                   "TEST(One, works) { // B1\n}\nTEST_P(Two,\n       works) {\n    x(); // B3\n}\n")
        self.expect(contract.check)

    def test_finds_a_test_that_does_not_exist(self):
        self.contract("- **B1** One.\n  `One.is_gone`\n")
        self.expect(contract.check, "docs/contract.md:2: B1 names the test One.is_gone, which does not exist")

    def test_finds_a_test_that_is_not_listed(self):
        self.contract("- **B1** One. `One.works`\n")
        self.write("tests/one_test.cpp", "TEST(One, works) {\n}\nTEST_F(One, works_twice) { // B1\n}\n")
        self.expect(contract.check,
                    "tests/one_test.cpp:3: One.works_twice proves B1; name it there, at docs/contract.md:1")

    def test_takes_a_comment_above_a_test_as_its_own(self):
        self.contract("- **B1** One. `One.works`\n")
        self.write("tests/one_test.cpp", "TEST(One, works) {\n}\n// B1\nTEST(One, works_twice) {\n}\n")
        self.expect(contract.check,
                    "tests/one_test.cpp:4: One.works_twice proves B1; name it there, at docs/contract.md:1")

    def test_finds_a_number_the_contract_does_not_have(self):
        self.contract("- **B1** One. *Not yet*\n")
        self.write("tests/suite.hpp", "/// B2\nclass suite;\n")
        self.expect(contract.check, "tests/suite.hpp:1: B2 is not in docs/contract.md")

    def test_finds_a_gap_in_the_numbers(self):
        self.contract("- **B1** One. *Not yet*\n- **B3** Three. *Not yet*\n")
        self.expect(contract.check, "docs/contract.md:2: here should be B2, not B3; numbers run without gaps")

    def test_finds_a_case_without_proof(self):
        self.contract("- **B1** One.\n\n## Two\n`Other.text`\n")
        self.expect(contract.check, "docs/contract.md:1: B1 names no test; name one, or mark it *not yet*")

    def test_finds_a_mark_that_is_out_of_date(self):
        self.contract("- **B1** One. *Not yet* `One.works`\n")
        self.write("tests/one_test.cpp", "TEST(One, works) { // B1\n}\n")
        self.expect(contract.check,
                    "docs/contract.md:1: B1 is marked 'not yet' but names a test; say 'in part', or nothing")

    def test_knows_tests_that_cmake_adds(self):
        self.contract("- **B1** One. `Compiling.fails_here` `Own.name`\n")
        self.write("tests/CMakeLists.txt",
                   "ferry_compile_failures(PREFIX Compiling LIBRARY x)\nadd_test(NAME Own.name COMMAND x)\n")
        self.write("tests/compile_fail/fails_here.cpp", "")
        self.expect(contract.check)

    def test_misses_the_contract(self):
        self.expect(contract.check, "docs/contract.md:1: the contract is missing")


class StagesTest(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("middleware/include/fault.hpp",
                   'class fault {\n    static constexpr std::string_view key = "fault";\n};\n')
        self.write("middleware/src/defaults.cpp", """
            void receive(plan& plan) const override {
                plan.use(middleware::dead_letter{}) // outside middleware::fault
                    .use(middleware::fault{});
            }
            """)

    def test_takes_a_document_with_all_stages_in_order(self):
        self.write("docs/pipeline.md", "`fault`\n```\nreceive  dead_letter > fault\n```\n")
        self.expect(stages.check)

    def test_misses_a_stage(self):
        self.write("docs/pipeline.md", "receive dead_letter > fault\n")
        self.expect(stages.check, "middleware/include/fault.hpp:2: docs/pipeline.md does not tell of the stage `fault`")

    def test_finds_another_order(self):
        self.write("docs/pipeline.md", "`fault`\nreceive fault > dead_letter\n")
        self.expect(stages.check,
                    "middleware/src/defaults.cpp:1: docs/pipeline.md does not have the line "
                    "'receive dead_letter > fault'")

    def test_misses_the_document(self):
        self.expect(stages.check, "docs/pipeline.md:1: the document about the stages is missing")


class CommandTest(CheckTest):
    def run_main(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = check_docs.main([*arguments, "--root", str(self.root)])
        return status, errors.getvalue()

    def test_fails_and_prints_each_problem(self):
        self.write("a.md", "[b](b.md)\n")
        self.assertEqual(self.run_main("links"), (1, "a.md:1: the link to b.md leads nowhere\n"))

    def test_succeeds_silently(self):
        self.assertEqual(self.run_main("links", "examples"), (0, ""))

    def test_refuses_a_check_it_does_not_have(self):
        with self.assertRaises(SystemExit):
            self.run_main("spelling")


if __name__ == "__main__":
    unittest.main()
