"""`sterna new membrane`: lipids in water by OpenMM."""

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy
import pytest

pytest.importorskip("openmm")


def new(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "sterna", "new", "membrane", *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_membrane_has_two_leaflets_in_water(tmp_path: Path) -> None:
    done = new("--lipid", "DLPC", "-o", tmp_path / "dlpc.toml")
    assert done.returncode == 0, done.stderr
    assert "128 DLP" in done.stdout
    sections = tomllib.loads((tmp_path / "dlpc.toml").read_text())
    stages = {stage["name"]: stage for stage in sections["stage"]}
    assert list(stages) == ["minimize", "heat", "equilibrate", "produce"]
    for name in ("equilibrate", "produce"):
        assert stages[name]["barostat"]["coupling"] == "semi_isotropic"
    with (tmp_path / "dlpc.extxyz").open() as file:
        count, head = int(file.readline()), file.readline()
        rows = [line.split() for line in file]
    assert len(rows) == count
    # Phosphorus atoms: as many above as below. The area of each lipid at 303 K is 0.608 nm^2:
    # Kucerka et al., Biochim. Biophys. Acta 1808, 2761 (2011).
    z = numpy.array([float(row[3]) for row in rows if row[0].startswith("P")])
    assert len(z) == 128
    assert (z > z.mean()).sum() == 64
    edges = numpy.array(head.split('"')[1].split(), float).reshape(3, 3)
    assert edges[0, 0] * edges[1, 1] / 64 == pytest.approx(0.61, abs=0.07)


def test_what_is_no_membrane_is_told(tmp_path: Path) -> None:
    done = new("--salt", 0.1, "-o", tmp_path / "a.toml")
    assert done.returncode == 2
    assert "--salt, --padding and --center are for a structure" in done.stderr
    done = new(tmp_path / "none.pdb", "-o", tmp_path / "a.toml")
    assert done.returncode == 2
    assert "does not exist" in done.stderr
    assert new("--lipid", "POPX", "-o", tmp_path / "a.toml").returncode == 2
