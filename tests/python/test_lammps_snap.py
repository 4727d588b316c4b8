"""Spectral neighbor analysis potentials in Sterna and in LAMMPS: energies, forces and the six stress
components of perfect, disordered, sheared and molten crystals by published parameters and by
coefficients at random, and trajectories on 1 to 9 ranks."""

import itertools
import re
from pathlib import Path

import numpy
import pytest
import sterna as module
from lammps_support import metal, run_lammps
from test_lammps_many_body import BAR_ANGSTROM3, BCC, DIAMOND, FCC, crystal, potentials

STRESS = ["pxx", "pyy", "pzz", "pxy", "pxz", "pyz", "vol"]
STEPS = 20
NONE = (0.0, 0.0, 0.0)


def kinds_of_components(twice_j: int, channels: int) -> list[tuple]:
    """For each component, as the papers define them, a name that it shares with those that are equal
    to it because harmonics of the same j can be exchanged. Forces of LAMMPS are derivatives of its
    energy only where equal components have equal coefficients, as those of a fit have."""
    triples = [
        (j1, j2, j)
        for j1 in range(twice_j + 1)
        for j2 in range(j1 + 1)
        for j in range(j1 - j2, min(twice_j, j1 + j2) + 1, 2)
        if j >= j1
    ]
    elements = itertools.product(range(channels), repeat=3)
    return [
        tuple(sorted(zip(triple, three, strict=True))) for three in elements for triple in triples
    ]


# Potentials of coefficients at random: twojmax, elements, parameters.
RANDOM = {
    "plain": (7, 1, "rfac0 0.9\nrmin0 0.2\nbzeroflag 0\nswitchflag 1"),
    "quadratic": (4, 2, "quadraticflag 1\nbzeroflag 1\nbnormflag 1"),
    "inner": (5, 2, "switchinnerflag 1\nsinner 1.3 1.1\ndinner 0.5 0.7\nrfac0 0.99"),
    "chemical": (3, 2, "chemflag 1\nwselfallflag 0\nbzeroflag 1"),
    "chemical_all": (3, 2, "chemflag 1\nwselfallflag 1\nbnormflag 0\nbzeroflag 1"),
    "chemical_quadratic": (2, 2, "chemflag 1\nquadraticflag 1\nbnormflag 1\nbzeroflag 0"),
    "largest": (10, 1, "bzeroflag 1"),
}


def write_random(name: str, folder: Path) -> None:
    twice_j, elements, text = RANDOM[name]
    kinds = kinds_of_components(twice_j, elements if "chemflag 1" in text else 1)
    random = numpy.random.default_rng(3)
    values: dict[tuple, float] = {}

    def value(*key) -> float:
        return values.setdefault(tuple(sorted(key)), float(random.normal()))

    lines = []
    for n in range(elements):
        values.clear()
        own = [0.02 * value(("constant",))] + [0.02 * value(kind) for kind in kinds]
        if "quadraticflag 1" in text:
            own += [
                2e-5 * value(kind, other) for k, kind in enumerate(kinds) for other in kinds[k:]
            ]
        lines.append(f"{'AB'[n]} {1.0 + 0.1 * n} {1.0 - 0.3 * n}")
        lines += [f"{one!r}  # {k}" for k, one in enumerate(own)]
    lines = ["# coefficients at random", "", f"{elements} {len(own)}", *lines]
    (folder / f"{name}.snapcoeff").write_text("\n".join(lines) + "\n")
    (folder / f"{name}.snapparam").write_text(
        f"# parameters\nrcutfac 2.1\ntwojmax {twice_j}\n{text}\n"
    )


# Potential, elements, lattice, types of its places, cells, edge, disorder, tilt.
CASES = {
    "tungsten": ("W_2940_2017_2", ["W"], BCC, [0, 0], 4, 3.16, 0.1, NONE),
    "perfect tungsten": ("W_2940_2017_2", ["W"], BCC, [0, 0], 4, 3.18, 0.0, NONE),
    "sheared tungsten": ("W_2940_2017_2", ["W"], BCC, [0, 0], 4, 3.2, 0.1, (1.1, -0.8, 0.6)),
    "tantalum": ("Ta06A", ["Ta"], BCC, [0, 0], 4, 3.316, 0.2, NONE),
    "molten tantalum": ("Ta06A", ["Ta"], BCC, [0, 0], 4, 3.4, 0.6, NONE),
    "beryllium in tungsten": ("WBe_Wood_PRB2019", ["Be", "W"], BCC, [0, 1], 4, 3.1, 0.2, NONE),
    "copper": ("Cu_Zuo_JPCA2020", ["Cu"], FCC, [0] * 4, 3, 3.621, 0.1, NONE),
    "quadratic copper": ("Cu_Zuo_JPCA2020.quadratic", ["Cu"], FCC, [0] * 4, 3, 3.6, 0.1, NONE),
    "carbon": ("C_SNAP_2021.10.15.quadratic", ["C"], DIAMOND, [0] * 8, 2, 3.57, 0.1, NONE),
    "molybdenum": ("Mo_Chen_PRM2017", ["Mo"], BCC, [0, 0], 4, 3.15, 0.2, NONE),
    "indium phosphide": ("InP_JCPA2020", ["In", "P"], DIAMOND, [0] * 4 + [1] * 4, 3, 5.83, 0.2,
                         (0.5, 0.2, -0.3)),
} | {
    f"{name} at random": (name, ["A", "B"][: row[1]], DIAMOND, [0, row[1] - 1] * 4, 2, 5.0, 0.4,
                          (0.3, 0.2, -0.2))
    for name, row in RANDOM.items()
}  # fmt: skip


def inputs(case: str, lammps, folder: Path, cells: int | None = None):
    """Writes the input of Sterna; returns the system, the commands of LAMMPS and the path."""
    name, elements, basis, places, usual, edge, disorder, tilt = CASES[case]
    if name in RANDOM:
        write_random(name, folder)
    else:
        for ending in ("snapcoeff", "snapparam"):
            path = potentials(lammps) / f"{name}.{ending}"
            if not path.exists():
                pytest.skip(f"this LAMMPS has no {path.name}")
            (folder / path.name).write_bytes(path.read_bytes())
    count = cells or usual
    system = crystal(basis, places, (count, count, count), edge, disorder)
    if any(tilt):
        system.lean(tilt)
    data = folder / "start.data"
    system.write_data(data)
    dt = 0.0005
    masses = [f"mass {n} {kind.mass!r}" for n, kind in enumerate(system.types, 1)]
    files = f"{name}.snapcoeff {name}.snapparam"
    commands = metal(
        data, dt, 1.0, ["pair_style snap", f"pair_coeff * * {files} {' '.join(elements)}", *masses]
    )
    text = f"""\
units = "metal"
[run]
steps = {STEPS}
timestep = {dt!r}
[start]
kind = "file"
file = "{data.name}"
[interaction]
potential = "snap"
snap_file = "{name}.snapcoeff"
"""
    for element, kind in zip(elements, system.types, strict=True):
        text += f'[[type]]\nname = "{element}"\nmass = {kind.mass!r}\n'
    (folder / "input.toml").write_text(text)
    return system, commands, folder / "input.toml"


def compare(path: Path, peer, arrays, tolerance: float = 1e-10) -> None:
    with module.Simulation.from_file(path) as simulation:
        simulation.measure()
        energy = simulation.thermo["potential_energy"]
        force = simulation.gather("force")
        virial = simulation.virial_tensor()
    assert energy == pytest.approx(peer[0]["potential_energy"], rel=1e-10)
    # A perfect crystal has no forces: they are compared with those of one bond.
    scale = max(1.0, numpy.linalg.norm(arrays["force"], axis=1).max())
    assert numpy.abs(force - arrays["force"]).max() < tolerance * scale
    stress = numpy.array([peer[0][name] for name in STRESS[:6]]) * peer[0]["vol"] / BAR_ANGSTROM3
    own = virial[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    assert numpy.abs(own - stress).max() < tolerance * scale * len(force)


@pytest.mark.parametrize("case", CASES)
def test_energies_forces_and_stresses(case, lammps, tmp_path):
    _, commands, path = inputs(case, lammps, tmp_path)
    peer, arrays = run_lammps(lammps, commands, 0, 1, tmp_path, STRESS)
    # Equal components have coefficients in this file that differ in their twelfth digit.
    compare(path, peer, arrays, 3e-9 if case == "indium phosphide" else 1e-10)


def test_beside_a_repulsion_of_nuclei(lammps, tmp_path):
    """Published potentials are fitted to what is left beside the repulsion by Ziegler, Biersack and
    Littmark."""
    _, commands, path = inputs("molten tantalum", lammps, tmp_path)
    start = commands.index("pair_style snap")
    commands[start : start + 2] = [
        "pair_style hybrid/overlay zbl 4.0 4.8 snap",
        "pair_coeff 1 1 zbl 73 73",
        "pair_coeff * * snap Ta06A.snapcoeff Ta06A.snapparam Ta",
    ]
    peer, arrays = run_lammps(lammps, commands, 0, 1, tmp_path, STRESS)
    text = path.read_text().replace(
        'potential = "snap"\n', 'potential = "lennard_jones"\ncutoff = 4.8\n'
    )
    text = text.replace('name = "Ta"\n', 'name = "Ta"\nsnap = "Ta"\n')
    text += f"""\
[[pair]]
first = "Ta"
second = "Ta"
adds = true
potential = "ziegler_biersack_littmark"
strength = {14.399645 * 73 * 73!r}
screening_length = {0.4685 / (2.0 * 73**0.23)!r}
truncation = "cubic_force_switched"
switch_start = 4.0
cutoff = 4.8
"""
    path.write_text(text)
    compare(path, peer, arrays)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8, 9])
def test_trajectories_on_several_ranks(ranks, lammps, tmp_path):
    case = "chemical at random"
    _, commands, path = inputs(case, lammps, tmp_path, cells=4)
    peer, arrays = run_lammps(lammps, commands, STEPS, STEPS, tmp_path)
    with module.Simulation.from_file(path, ranks=ranks) as simulation:
        simulation.measure()
        assert simulation.thermo["potential_energy"] == pytest.approx(
            peer[0]["potential_energy"], rel=1e-10
        )
        simulation.run(STEPS)
        assert simulation.thermo["potential_energy"] == pytest.approx(
            peer[-1]["potential_energy"], rel=1e-6
        )


BROKEN = {
    "no parameters": ("one.coeff", "", "", "snap_parameter_file"),
    "a missing file": ("missing.snapcoeff", "", "", "missing.snapparam"),
    "a count": ("one.snapcoeff", "1 7\nA 0.5 1\n" + "1\n" * 7, "", "A has 7 coefficients; expected 6"),
    "a word": ("one.snapcoeff", "1 6\nA 0.5 1\n1\n 2 \n x\n", "", "line 5, column 2"),
    "an end": ("one.snapcoeff", "1 6\nA 0.5 1\n1\n2\n", "", "ends without coefficient 3 of 6 of A"),
    "more": ("one.snapcoeff", "1 6\nA 0.5 1\n" + "1\n" * 7, "", "line 9, column 1"),
    "a parameter": ("one.snapcoeff", "", "rcutfac 4\ntwojmax 2\n rfact0 1\n", "did you mean"),
    "no cutoff": ("one.snapcoeff", "", "twojmax 2\n", "the file lacks rcutfac"),
    "units": ("one.snapcoeff", "# UNITS: real\n1 6\n", "", 'the units are "real"'),
    "an element": ("one.snapcoeff", "1 6\nX 0.5 1\n" + "1\n" * 6, "", "has no element"),
    "a flag": ("one.snapcoeff", "", "rcutfac 4\ntwojmax 2\nchemflag 2\n", "line 3, column 10"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(case, sterna, tmp_path):
    name, coefficients, parameters, message = BROKEN[case]
    if "missing" not in name:
        (tmp_path / "one.snapparam").write_text(parameters or "rcutfac 4.0\ntwojmax 2\n")
    (tmp_path / name).write_text(coefficients or "1 6\nA 0.5 1\n" + "1\n" * 6)
    (tmp_path / "input.toml").write_text(
        f'units = "metal"\n[start]\nkind = "lattice"\ncells = [4, 4, 4]\ndensity = 0.08\n'
        f'[[type]]\nname = "A"\nmass = 63.5\n[interaction]\npotential = "snap"\n'
        f'snap_file = "{name}"\n'
    )
    done = sterna("check", "input.toml")
    assert done.returncode != 0
    told = re.sub(r"\s+", " ", re.sub(r"[│|]", " ", done.stdout + done.stderr))
    assert message in told, told
