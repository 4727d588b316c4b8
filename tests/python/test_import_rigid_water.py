"""Water is rigid whatever its residue is called."""

import tomllib

import pytest


def pdb_text(residue):
    """27 molecules of TIP3P water on a lattice, with their bonds."""
    text = "CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1\n"
    bonds = ""
    for k in range(27):
        x, y, z = (6.2 * (k // 3**axis % 3) + 1.0 for axis in range(3))
        atoms = [("O", "O", 0, 0), ("H1", "H", 0.757, 0.5859), ("H2", "H", -0.757, 0.5859)]
        for n, (name, element, dx, dy) in enumerate(atoms):
            text += (
                f"HETATM{3 * k + n + 1:5d} {name:>3s}  {residue} A{k + 1:4d}    "
                f"{x + dx:8.3f}{y + dy:8.3f}{z:8.3f}  1.00  0.00          {element:>2s}\n"
            )
        bonds += f"CONECT{3 * k + 1:5d}{3 * k + 2:5d}{3 * k + 3:5d}\n"
    return text + bonds + "END\n"


# OpenMM knows the first name only.
@pytest.mark.parametrize("residue", ["HOH", "OPC"])
def test_water_of_any_name_is_rigid(sterna, tmp_path, residue):
    (tmp_path / "water.pdb").write_text(pdb_text(residue))
    done = sterna(
        "import", "water.pdb", "--force-field", "tip3p.xml", "--cutoff", "0.9",
        "-o", "out.toml", "--compare",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (molecule,) = tomllib.loads((tmp_path / "out.toml").read_text())["molecule"]
    assert "angle" not in molecule
    distances = {}
    for constraint in molecule["constraint"]:
        atoms = constraint["atoms"]
        for pair in atoms if isinstance(atoms[0], list) else [atoms]:
            distances[tuple(pair)] = constraint["distance"]
    assert distances.keys() == {(1, 2), (1, 3), (2, 3)}
    # Jorgensen et al., J. Chem. Phys. 79, 926 (1983): 0.9572 angstrom, 104.52 degrees.
    assert distances[1, 2] == pytest.approx(0.09572)
    assert distances[2, 3] == pytest.approx(0.1513901, rel=1e-6)


def test_water_bends_where_no_constraints_are_asked_for(sterna, tmp_path):
    (tmp_path / "water.pdb").write_text(pdb_text("OPC"))
    done = sterna(
        "import", "water.pdb", "--force-field", "tip3p.xml", "--cutoff", "0.9",
        "--constraints", "none", "-o", "out.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (molecule,) = tomllib.loads((tmp_path / "out.toml").read_text())["molecule"]
    assert "angle" in molecule
    assert "constraint" not in molecule
