"""`./dev bench NAME` installs what a benchmark needs: the words of `benchmarks/NAME/needs`."""

import ast
import re
import subprocess

import pytest
from conftest import ROOT

BENCHMARKS = sorted(file.parent for file in ROOT.glob("benchmarks/*/run.py"))
#: Packages of tools/requirements/test.txt that benchmarks import, by the names of their modules.
TEST_PACKAGES = {"MDAnalysis", "openmm", "ase", "mpi4py", "pandas", "matplotlib", "mdtraj"}


def words(folder):
    file = folder / "needs"
    if not file.exists():
        return set()
    return {line for line in file.read_text(encoding="utf-8").splitlines() if line[:1] != "#"}


def imports(folder):
    """The modules that the files of a benchmark import."""
    found = set()
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
    return found


@pytest.mark.parametrize("folder", BENCHMARKS, ids=lambda folder: folder.name)
def test_a_benchmark_names_what_it_imports_and_runs(folder):
    modules, needs = imports(folder), words(folder)
    texts = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    if {module.split(".")[0] for module in modules} & TEST_PACKAGES:
        assert "test_packages" in needs
    # Of `from sterna import read_log` and the like the engine's module is no part.
    if re.search(r"^ *import sterna$", texts, re.M):
        assert "python_module" in needs
    if "find_lammps" in texts or "crystals" in modules:
        assert "lammps" in needs
    if 'which("gmx")' in texts:
        assert "gromacs" in needs
    if "fmm3d" in texts.lower():
        assert "fmm3d" in needs


def test_dev_knows_every_word():
    function = re.search(
        r"^install_needs\(\) \{.*?^\}", (ROOT / "dev").read_text(encoding="utf-8"), re.M | re.S
    )[0]
    known = set(re.findall(r"^      (\w+)\)", function, re.M))
    used = set().union(*(words(folder) for folder in BENCHMARKS))
    assert used == known


def test_an_unknown_word_ends_with_an_error_and_what_is_missing_is_told(tmp_path):
    text = (ROOT / "dev").read_text(encoding="utf-8")
    function = re.search(r"^install_needs\(\) \{.*?^\}", text, re.M | re.S)[0]
    (tmp_path / "tools").mkdir()
    install = tmp_path / "tools" / "install_lammps"
    install.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    install.chmod(0o755)
    script = (
        'set -euo pipefail\nsay() { echo "$*"; }\nfail() { echo "error: $*"; exit 1; }\n'
        f"{function}\ninstall_needs needs\necho begun\n"
    )

    def run(needs):
        (tmp_path / "needs").write_text(needs, encoding="utf-8")
        return subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    done = run("# A comment.\nlammps\n")
    assert done.returncode == 0, done.stderr
    assert "left out: LAMMPS: tools/install_lammps failed" in done.stdout
    assert done.stdout.endswith("begun\n")
    done = run("lamps\n")
    assert done.returncode == 1
    assert "needs has the word lamps" in done.stdout
