"""The check that no function of C++ above sixty lines is without a reason."""

import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import check_functions

BODY = "  work();\n" * 70


def _check(tmp_path, text: str, known: str = "") -> list[str]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "part.cpp").write_text(text)
    (tmp_path / "tools").mkdir()
    (tmp_path / check_functions.LIST).write_text(known)
    return check_functions.check(tmp_path)


def test_no_function_of_the_source_tree_is_long_without_a_reason():
    assert check_functions.check(ROOT) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"void plain(int a) {{\n{BODY}}}\n", "plain"),
        (
            f"namespace one {{\nnamespace {{\n\nvoid Two::three(\n    int a) {{\n{BODY}}}\n",
            "Two::three",
        ),
        (f"template <class T>\nauto made() -> T {{\n{BODY}}}\n", "made"),
        (f"Two::Two(int a)\n    : a_(a), b_{{a}},\n      c_(a) {{\n{BODY}}}\n", "Two::Two"),
        (
            "class Two final : public One {\n public:\n  explicit Two(int a) : a_(a) {}\n\n"
            f"  int three() const override {{\n{BODY.replace('  ', '    ')}  }}\n}};\n",
            "three",
        ),
        (f"template <class T = int>\nvoid given(int a = 3) {{\n{BODY}}}\n", "given"),
        (f"// Sums.\nvoid sums() {{\n{BODY}}}\n", "sums"),
    ],
)
def test_a_long_function_is_found(tmp_path, text, name):
    (found,) = _check(tmp_path, text)
    assert f" {name} has 7" in found


@pytest.mark.parametrize(
    "text",
    [
        "void few() {\n" + "  work();\n" * 58 + "}\n",
        f"// Rows.\n// It is long because it is a table.\nvoid rows() {{\n{BODY}}}\n",
        "class Long {\n" + "  void one() { work(); }\n" * 70 + "};\n",
        "constexpr std::array<Row, 70> rows{{\n" + "    {f(1), 2},\n" * 70 + "}};\n",
        "namespace one {\n" + "void one() {\n  work();\n}\n" * 70 + "}  // namespace one\n",
    ],
)
def test_what_is_short_or_has_a_reason_passes(tmp_path, text):
    assert _check(tmp_path, text) == []


def test_a_function_of_the_list_passes_until_it_is_short(tmp_path):
    text = f"void plain() {{\n{BODY}}}\n"
    assert _check(tmp_path, text, "src/part.cpp plain\n") == []
    (tmp_path / "src" / "part.cpp").write_text("void plain() {\n  work();\n}\n")
    (found,) = check_functions.check(tmp_path)
    assert found.startswith("tools/long_functions.txt:1: src/part.cpp plain is not long any more")
