"""Data files of LAMMPS with the force field: LAMMPS and a second import have Sterna's energies."""

import re
import subprocess

import numpy
import pytest
from conftest import ROOT, nightly, sterna_command, sterna_environment
from lammps_support import run_lammps
from sterna import read_log
from sterna.exporting.quantities import ENERGY, LENGTH, STIFFNESS, Quantities
from test_export import export
from test_import import DATA
from test_import_force_fields import write_methanol
from test_import_lammps import DATA as WATER_AND_IONS
from test_import_lammps import SCRIPT
from test_lammps_full import CASES, STYLES, WITHOUT_14, write_data

TERMS = ["ebond", "eangle", "edihed", "eimp", "evdwl", "ecoul", "elong", "etail"]
#: What of Sterna's log they are, without the particles' name of the kind of term.
PARTS = {
    "ebond": ["bonded_harmonic_bond", "bonded_morse_bond"],
    "eangle": ["bonded_harmonic_angle", "bonded_urey_bradley"],
    "edihed": ["bonded_periodic_torsion", "bonded_opls_torsion",
               "bonded_ryckaert_bellemans_torsion"],
    "eimp": ["bonded_harmonic_improper", "bonded_periodic_improper"],
    "evdwl": ["lennard_jones", "bonded_lennard_jones_14", "bonded_ended_lennard_jones_14"],
    "charges": ["electrostatics", "bonded_coulomb_14"],
}  # fmt: skip


def sterna(folder, *arguments):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def energies_of(folder, name):
    """Of the start of an imported input, with exact sums of the charges; kcal/mol."""
    path = folder / f"{name}.toml"
    text = path.read_text().replace("steps = 10000", "steps = 0")
    text = text.replace("trajectory_interval = 1000", "trajectory_interval = 1")
    text = text.replace('kind = "fmm"\naccuracy = 0.0001', 'kind = "ewald"\naccuracy = 1e-8')
    path.write_text(text.replace("[run]\n", '[run]\nprecision = "double"\n', 1))
    sterna(folder, "run", path.name)
    row = read_log(folder / "output" / f"{name}.log.jsonl").rows[0]
    unit = 4.184 if 'units = "nano"' in text else 1.0
    return {
        term: sum(row.get(f"{part}_energy", 0.0) for part in parts) / unit
        for term, parts in PARTS.items()
    }


def methanol(folder):
    """OPLS: geometric mixing, torsions by powers of the cosine, halves of 1-4 pairs; rigid bonds."""
    write_methanol(folder, numpy.random.default_rng(5))
    return ["methanol.top", "methanol.gro", "--cutoff", 0.9]


def alcohol(_folder):
    """AMBER: impropers, 1-4 factors 1/2 and 5/6, water with constraints only."""
    return [DATA / "alcohol.prmtop", DATA / "alcohol.inpcrd", "--cutoff", 0.83]


def free_alcohol(folder):
    return [*alcohol(folder), "--constraints", "none"]


def water_and_ions(folder):
    """LAMMPS's own, with a pair of types that mixing does not give."""
    (folder / "water.data").write_text(WATER_AND_IONS)
    (folder / "in.water").write_text(SCRIPT)
    return ["water.data", "in.water"]


def every_style(folder):
    """Of LAMMPS: bonds of two styles, Urey-Bradley, all dihedrals and impropers."""
    settings, _, _ = CASES["opls"]
    write_data(folder / "system.data", WITHOUT_14, 0.0)
    (folder / "in.system").write_text(STYLES.format(**settings))
    return ["system.data", "in.system"]


SYSTEMS = [methanol, alcohol, free_alcohol, water_and_ions, every_style]


def written(folder, system):
    """Imports, runs and exports; the energies of the start."""
    sterna(folder, "import", *system(folder), "-o", "first.toml")
    first = energies_of(folder, "first")
    told = sterna(folder, "export", "first.toml", "second.data", "--frames", "0")
    assert "second.data" in told and "second.in" in told
    return first


@pytest.mark.parametrize("system", SYSTEMS)
def test_lammps_has_every_energy(system, lammps, tmp_path):
    first = written(tmp_path, system)
    script = (tmp_path / "second.in").read_text()
    assert "read_data second.data" in script
    script = script.replace("read_data second.data", f"read_data {tmp_path / 'second.data'}")
    script = script.replace("kspace_style pppm 1e-5", "kspace_style ewald 1e-9")
    script = script.replace("pair_modify", "pair_modify table 0")
    rows, _ = run_lammps(
        lammps, ["atom_modify map array", *script.splitlines(), "fix advance all nve"], 0, 1,
        tmp_path, TERMS,
    )  # fmt: skip
    theirs = rows[0] | {"charges": rows[0]["ecoul"] + rows[0]["elong"]}
    theirs["evdwl"] -= theirs["etail"]
    scale = max(abs(value) for value in first.values())
    assert sum(value != 0.0 for value in first.values()) > 3
    for term, value in first.items():
        # Where LAMMPS shifts pairs, it shifts those three bonds apart, too.
        if term == "evdwl" and "shift yes" in script:
            continue
        # The error function in LAMMPS's pair styles is exact to 1.5e-7 of each pair of charges.
        tolerance = 5e-6 if term == "charges" else 1e-6
        assert theirs[term] == pytest.approx(value, rel=tolerance, abs=1e-8 * scale), term


@pytest.mark.parametrize(
    "system",
    [methanol, nightly(alcohol), nightly(free_alcohol), nightly(water_and_ions), every_style],
)
def test_a_second_import_has_every_energy(system, tmp_path):
    first = written(tmp_path, system)
    constraints = "none" if system in (free_alcohol, water_and_ions, every_style) else "hydrogen"
    sterna(
        tmp_path, "import", "second.data", "second.in", "--constraints", constraints, "-o",
        "second.toml",
    )  # fmt: skip
    second = energies_of(tmp_path, "second")
    for term, value in first.items():
        assert second[term] == pytest.approx(value, rel=2e-8, abs=1e-8), term
    # And the file that it is exported to is the same but for its first line.
    told = sterna(tmp_path, "export", "second.toml", "third.data", "--frames", "0")
    assert "third.in" in told
    if constraints == "none":
        second, third = (
            (tmp_path / f"{name}.data").read_text().splitlines()[1:] for name in ("second", "third")
        )
        assert len(second) == len(third)
        heads = [line for line in second if line and not line[0].isdigit()]
        assert heads == [line for line in third if line and not line[0].isdigit()]


@pytest.mark.parametrize(
    ("keys", "more", "factors"),
    [
        # Pairs three bonds apart keep their factor where bonds exclude less, or a section excludes them.
        ("excluded_bonds = 2\nlennard_jones_14 = 0.5\n", "", "lj 0.0 0.0 0.5 "),
        ("lennard_jones_14 = 0.25\n", "[[molecule.exclusion]]\natoms = [1, 4]\n\n",
         "lj 0.0 0.0 0.25 "),
        ("excluded_bonds = 2\n", "", "lj 0.0 0.0 1.0 "),
    ],
)  # fmt: skip
def test_factors_of_pairs_three_bonds_apart(keys, more, factors, tmp_path):
    for name in ("butane.toml", "butane.extxyz"):
        (tmp_path / name).write_text((ROOT / "examples" / name).read_text())
    text = (tmp_path / "butane.toml").read_text()
    text = re.sub(r"(?s)\[\[group\]\].*?(?=\[output\])", "", text)
    text = text.replace("count = 144\n", f"count = 144\n{keys}")
    text = text.replace("[[molecule.bond]]", f"{more}[[molecule.bond]]", 1)
    text = text.replace("steps = 3000", "steps = 0").replace("= 1000", "= 1")
    text = text.replace('directory = "output"\n', "")
    (tmp_path / "butane.toml").write_text(text)
    sterna(tmp_path, "run", "butane.toml")
    sterna(tmp_path, "export", "butane.toml", "second.data")
    assert factors in (tmp_path / "second.in").read_text()
    sterna(
        tmp_path, "import", "second.data", "second.in", "--constraints", "all", "-o", "second.toml"
    )
    first = read_log(tmp_path / "butane.log.jsonl").rows[0]
    energies = energies_of(tmp_path, "second")
    expected = sum(first.get(f"{part}_energy", 0.0) for part in PARTS["evdwl"])
    assert energies["evdwl"] == pytest.approx(expected, rel=1e-8)


def test_what_lammps_lacks_is_refused_by_name(tmp_path):
    sterna(tmp_path, "import", *methanol(tmp_path), "-o", "first.toml")
    text = (tmp_path / "first.toml").read_text()
    text = text.replace("steps = 10000", "steps = 0")
    text = text.replace("trajectory_interval = 1000", "trajectory_interval = 1")
    for changed, message in (
        (text.replace("[interaction]\n", '[interaction]\ntruncation = "force_shifted"\n', 1)
         .replace('truncation = "truncated"\n', ""), "truncation = 'force_shifted' with charges"),
        (text.replace("[1, 5], [1, 6], ", "[1, 5], "), "whose factor 1 no special_bonds gives"),
        (text.replace("[[molecule.bond]]", "[[molecule.improper]]\npotential = 'harmonic'\n"
                      "bending_stiffness = 3\nphi0 = 35\natoms = [1, 2, 3, 4]\n[[molecule.bond]]",
                      1), "[[molecule.improper]] of"),
    ):  # fmt: skip
        assert changed != text
        (tmp_path / "changed.toml").write_text(changed)
        sterna(tmp_path, "run", "changed.toml", "--overwrite")
        done = export(tmp_path, "changed.toml", "changed.data")
        assert done.returncode == 2 and message in done.stderr, done.stderr
        assert "--no-force-field" in done.stderr
        assert not (tmp_path / "changed.data").exists()
        done = export(tmp_path, "changed.toml", "changed.data", "--no-force-field", "--overwrite")
        assert done.returncode == 0 and not (tmp_path / "changed.in").exists()
        assert "Coeffs" not in (tmp_path / "changed.data").read_text()
        (tmp_path / "changed.data").unlink()


def test_quantities_have_their_units():
    quantities = Quantities("real", "real", 10.0, 1 / 4.184)
    assert quantities.number(0.1 + 0.2, LENGTH) == 0.1 + 0.2
    assert quantities.number("520 kcal/mol/angstrom^2", STIFFNESS) == pytest.approx(520.0)
    # Martin and Siepmann, J. Phys. Chem. B 1998, 2569: 98 K; k_B is 0.0019872043 kcal/(mol K).
    assert quantities.number("98 K", ENERGY) == pytest.approx(98 * 0.0019872043, rel=1e-7)
    assert quantities.number("0.154 nm", LENGTH) == pytest.approx(1.54)
    from_nano = Quantities("nano", "real", 10.0, 1 / 4.184)
    assert from_nano.number(418.4, STIFFNESS) == pytest.approx(1.0)
    with pytest.raises(Exception, match='the unit "furlong" is not known'):
        quantities.number("3 furlong", LENGTH)
