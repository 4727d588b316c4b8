"""The pages tell the truth: links lead somewhere, examples of input are valid, commands run."""

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, sterna_command, sterna_environment
from engine_support import script_output
from sterna import SternaError
from sterna.launching.program import find_companion, find_program

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("third_party/*.md")])
WHOLE_INPUTS = [
    ROOT / "README.md",
    *(ROOT / "docs" / p for p in ("quickstart.md", "howto/molecules.md")),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of the code blocks of a page."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    # Brackets of C++ in a code block are no link.
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        # Pages that are made with the site, whose links ./dev docs checks.
        if "://" not in target and not re.match(r"\.\./(md|comm|c|fortran)/", target):
            assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", WHOLE_INPUTS)
def test_whole_input_files_in_pages_are_valid(page, tmp_path, sterna):
    (text,) = (text for language, text in blocks(page) if language == "toml" and "units" in text)
    (tmp_path / "melt.toml").write_text(text)
    done = sterna("check", "melt.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not re.search(r"\b(error|warning):", done.stdout + done.stderr)


def script_of_page(name: str) -> str:
    """All blocks of Python of a page, one after the other."""
    page = ROOT / "docs" / "howto" / f"{name}.md"
    return "\n".join(text for language, text in blocks(page) if language == "python")


def test_the_page_on_simulations_in_python_runs_as_it_is_written(tmp_path):
    pytest.importorskip("ase")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shown = script_output(tmp_path, script_of_page("simulate-in-python"))
    assert 'did you mean "timestep"?' in shown


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_page_on_particle_fields_runs_as_it_is_written(ranks, tmp_path):
    shown = script_output(tmp_path, script_of_page("particle-fields"), ranks)
    assert "{'charge': 1, 'anchor': 3} (864, 3)" in shown


def test_the_eight_tasks_give_the_same_numbers_on_1_and_4_ranks(tmp_path):
    text = script_of_page("python-tasks")
    alone, four = (script_output(tmp_path, text, ranks).split() for ranks in (1, 4))
    assert [float(value) for value in alone] == pytest.approx(
        [float(value) for value in four], rel=1e-8
    )


def test_the_eight_tasks_are_as_short_as_they_should_be():
    # Statements without imports, of the best of eight other engines or fewer; the force has one for
    # its definition, one for forces, one for the energy.
    most = {
        "Build a system": 3,
        "Run some steps": 1,
        "Positions as NumPy": 3,  # a copy 1, a view 2
        "An observer of your own": 2,
        "An external force in Python": 4,  # with the run
        "Change a parameter and go on": 2,  # with the run
        "Save and restore": 4,  # with the force and the run
    }
    page = (ROOT / "docs" / "howto" / "python-tasks.md").read_text(encoding="utf-8")
    for heading, count in most.items():
        section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
        trees = [ast.parse(text) for language, text in BLOCK.findall(section)]
        statements = sum(isinstance(n, ast.stmt) for tree in trees for n in ast.walk(tree))
        assert statements == count, heading


@pytest.mark.parametrize("ranks", [1, 4])
def test_the_page_on_exchanges_runs_as_it_is_written(ranks, tmp_path):
    shown = script_output(tmp_path, script_of_page("exchanges-in-python"), ranks)
    assert (
        len(re.findall(r"^rank \d: ", shown, re.MULTILINE)) == ranks and "nbx works here" in shown
    )


def test_the_page_on_the_multipole_library_runs_as_it_is_written(tmp_path):
    shown = script_output(tmp_path, script_of_page("multipole-library"), 1)
    assert shown.startswith("order ")


@pytest.mark.parametrize(
    "name, shown",
    # Tersoff, Phys. Rev. B 38, 9902 (1988): 5.432 angstrom, -4.63 eV.
    [
        ("equation_of_state", "a = 5.4320 angstrom, E = -4.62"),
        ("relax", "a = 5.432 angstrom, E = -4.63 eV"),
    ],
)
def test_the_examples_with_ase_run(name, shown, tmp_path):
    pytest.importorskip("ase")
    text = (ROOT / "examples" / "python" / f"{name}.py").read_text(encoding="utf-8")
    assert shown in script_output(tmp_path, text)


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_page_on_learned_potentials_runs_as_it_is_written(ranks, tmp_path):
    pytest.importorskip("ase")
    shown = script_output(tmp_path, script_of_page("learned-potentials"), ranks)
    assert ("gathers: " if ranks == 1 else "clusters: ") in shown


def test_the_example_of_a_learned_potential_runs_on_two_ranks(tmp_path):
    text = (ROOT / "examples" / "python" / "learned_pairs.py").read_text(encoding="utf-8")
    shown = script_output(tmp_path, text, 2)
    error = float(re.search(r"error of the forces: ([\d.e+-]+) %", shown)[1])
    change = float(re.search(r"in 200 steps: ([\d.e+-]+) per atom", shown)[1])
    assert error < 5 and abs(change) < 1e-3


def test_the_export_page_runs_as_it_is_written(tmp_path):
    for package in ("MDAnalysis", "gsd", "mdtraj", "freud", "ase"):
        pytest.importorskip(package)
    written = blocks(ROOT / "docs" / "howto" / "export.md")
    (tmp_path / "argon.toml").write_text(next(text for kind, text in written if kind == "toml"))
    for language, text in written:
        for line in text.splitlines() if language == "sh" else []:
            words = shlex.split(line)
            assert words[0] == "sterna"
            subprocess.run(
                sterna_command(*words[1:]),
                cwd=tmp_path,
                env=sterna_environment(),
                check=True,
                timeout=120,
            )
    (script,) = (text for language, text in written if language == "python")
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=sterna_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == "256"


def test_the_placement_page_runs_as_it_is_written(tmp_path):
    try:
        find_companion("sterna-bench")
    except SternaError as error:
        pytest.skip(str(error))
    shown = ""
    for language, text in blocks(ROOT / "docs" / "howto" / "placement.md"):
        if language == "text":
            (tmp_path / "machine.network").write_text(text)
        elif language == "sh":
            words = shlex.split(text)
            assert words[0] == "sterna"
            shown += subprocess.run(
                sterna_command(*words[1:]),
                cwd=tmp_path,
                env=sterna_environment(),
                check=True,
                timeout=120,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
    assert "grid_order" in shown
    placed = (tmp_path / "ranks").read_text().splitlines()
    assert len(placed) == 4096
    assert any("=node256 " in line for line in placed)


def test_the_input_reference_is_what_the_program_writes(tmp_path):
    written = subprocess.run(
        [find_program(), "--reference"], capture_output=True, text=True, check=True
    ).stdout
    page = (ROOT / "docs" / "input.md").read_text(encoding="utf-8")
    assert page.strip() == written.strip(), "run ./dev docs"


def test_the_pages_of_methods_are_what_the_tables_say():
    tool = ROOT / "tools" / "write_reference_pages.py"
    done = subprocess.run(
        [sys.executable, tool, "--check", find_program()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "family", "method"),
    [
        ("add-an-exchange-method", "neighbor", "p2p_all"),
        ("add-a-sparse-method", "sparse", "allgather"),
    ],
)
def test_the_method_that_the_how_to_adds_is_the_one_that_is_tested(name, family, method):
    page = (ROOT / "docs" / "howto" / f"{name}.md").read_text(encoding="utf-8")
    code = re.search(r"```cpp\n(.*?)```", page, re.DOTALL)[1]
    assert code == (ROOT / f"tests/comm/added_method/{method}.cpp").read_text(encoding="utf-8")
    assert f"\n`src/comm/{family}/methods/{method}.cpp`:\n" in page
    diff = re.search(r"```diff\n(.*?)```", page, re.DOTALL)[1].splitlines()
    rows = (ROOT / f"src/comm/{family}/method_list.inc").read_text(encoding="utf-8").splitlines()
    assert [line[1:] for line in diff[3:] if line.startswith(" ")] == rows[-3:]
    assert [line for line in diff[3:] if line.startswith("+")] == [f"+STERNA_METHOD({method})"]


@pytest.mark.parametrize("folder", ["neighbor/methods", "sparse/methods", "placement/methods"])
def test_every_method_opens_with_the_same_headings(folder):
    sys.path.insert(0, str(ROOT / "tools"))
    from write_reference_pages import head_of

    files = sorted((ROOT / "src" / "comm" / folder).glob("*.cpp"))
    assert len(files) >= 6
    for path in files:
        assert len(head_of(path)) == 5


def test_a_method_is_found_by_what_the_literature_calls_it(sterna):
    shown = sterna("methods", "PCX")
    assert shown.returncode == 0
    assert "reduce_scatter" in shown.stdout and "alltoall" not in shown.stdout
    refused = sterna("methods", "consenus")
    assert refused.returncode == 2
    assert 'did you mean "nbx"?' in refused.stderr


def test_the_pages_of_methods_name_those_that_the_command_lists(sterna):
    listed = re.findall(r"^  (\w+) +(?:works|missing) ", sterna("methods").stdout, re.MULTILINE)
    assert len(listed) >= 6
    described = []
    for family in ("neighbor", "sparse"):
        overview = (ROOT / "docs" / f"methods-{family}.md").read_text(encoding="utf-8")
        for name in re.findall(rf"\(methods/{family}/(\w+)\.md\)", overview):
            described.append(name)
            page = ROOT / "docs" / "methods" / family / f"{name}.md"
            # With all that the head of its file must say.
            headings = re.findall(r"^- \*\*(\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
            assert headings[:5] == ["Idea", "Source", "Cost", "Hazards", "Others"], name
    assert sorted(listed) == sorted(described)


def test_dev_lists_its_verbs():
    shown = subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout
    for verb in ("demo", "test", "build", "sanitize", "bench", "format", "docs", "clean"):
        assert re.search(rf"^  {verb}\b", shown, re.MULTILINE)


def test_an_unknown_verb_is_refused():
    done = subprocess.run(
        [ROOT / "dev", "tset"], capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode != 0
    assert "unknown verb: tset" in done.stderr


def test_products_of_units_in_tables_are_no_emphasis():
    """As the site makes its pages; the table of units of docs/input.md has many."""
    markdown = pytest.importorskip("markdown")
    sys.path.insert(0, str(ROOT / "tools"))
    from site_hook import _with_products  # noqa: PLC0415

    page = (ROOT / "docs" / "input.md").read_text(encoding="utf-8")
    table = [line for line in page.split("\n") if line.startswith("|")]
    shown = markdown.markdown("\n".join(map(_with_products, table)), extensions=["tables"])
    assert "<em>" not in shown
    assert "u*nm^2, u*angstrom^2, kg*m^2" in shown
    assert _with_products("a*b*c") == "a*b*c"
    assert _with_products("| `a*b*c` | *word* |") == "| `a*b*c` | *word* |"
