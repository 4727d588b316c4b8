"""The potential of Stillinger and Weber in Sterna and in LAMMPS: energies, forces and the six stress
components of perfect, disordered, sheared, molten and alloyed crystals, and trajectories on 1 to 9
ranks."""

import re
from pathlib import Path

import numpy
import pytest
import sterna as module
from lammps_support import metal, run_lammps
from test_lammps_many_body import BAR_ANGSTROM3, DIAMOND, crystal, potentials

STRESS = ["pxx", "pyy", "pzz", "pxy", "pxz", "pyz", "vol"]
STEPS = 50

#: Water of one particle a molecule: Molinero and Moore, J. Phys. Chem. B 113, 4008 (2009), in eV:
#: LAMMPS converts kcal/mol by a constant of eight digits.
MW = "mW mW mW 0.2683804 2.3925 1.8 23.15 1.2 -0.333333333333 7.049556277 0.6022245584 4 0 0\n"
#: Powers, cutoffs by tolerance and angles of the pair and of both ends that are all different.
ODD = """\
A A A 2.1 2.0 1.9 21.0 1.2 -0.33 7.0 0.60 4.0 0.0 0.0
B B B 1.1 1.8 1.8 31.0 1.1 -0.25 6.5 0.65 5.0 0.5 1e-4
A B B 1.6 1.9 1.7 25.0 0.9 -0.40 7.2 0.62 4.5 0.0 1e-3
B A A 1.6 1.9 1.7 18.0 0.9 -0.10 7.2 0.62 4.5 0.0 1e-3
A A B 1.3 0.0 0.0 24.0 0.0 -0.20 0.0 0.00 0.0 0.0 0.0
A B A 1.3 0.0 0.0 24.0 0.0 -0.20 0.0 0.00 0.0 0.0 0.0
B A B 1.9 0.0 0.0 20.0 0.0 -0.30 0.0 0.00 0.0 0.0 0.0
B B A 1.9 0.0 0.0 20.0 0.0 -0.30 0.0 0.00 0.0 0.0 0.0
"""
FILES = {"mW.sw": MW, "odd.sw": ODD}

# File, elements, types of the eight places, edge, disorder, tilt of the box.
CASES = {
    "perfect silicon": ("Si.sw", ["Si"], [0] * 8, 5.431, 0.0, (0.0, 0.0, 0.0)),
    "silicon": ("Si.sw", ["Si"], [0] * 8, 5.431, 0.3, (0.0, 0.0, 0.0)),
    "sheared silicon": ("Si.sw", ["Si"], [0] * 8, 5.5, 0.1, (1.3, -0.9, 0.7)),
    "molten silicon": ("Si.sw", ["Si"], [0] * 8, 5.31, 0.7, (0.0, 0.0, 0.0)),
    "water": ("mW.sw", ["mW"], [0] * 8, 6.2, 0.5, (0.0, 0.0, 0.0)),
    "gallium nitride": ("GaN.sw", ["Ga", "N"], [0] * 4 + [1] * 4, 4.5, 0.2, (0.0, 0.0, 0.0)),
    "cadmium telluride": ("CdTe.sw", ["Te", "Cd"], [0, 1, 0, 0, 1, 1, 0, 1], 6.5, 0.5, (0.8, 0, 0)),
    "an odd alloy": ("odd.sw", ["A", "B"], [0, 1, 0, 0, 1, 1, 0, 1], 5.2, 0.4, (0.5, 0.3, -0.4)),
}  # fmt: skip


def inputs(case, lammps, folder: Path, cells, dt: float):
    """Writes the input of Sterna; returns the system, the commands of LAMMPS and the path."""
    file, elements, places, edge, disorder, tilt = CASES[case]
    if file in FILES:
        (folder / file).write_text(FILES[file])
    else:
        path = potentials(lammps) / file
        if not path.exists():
            pytest.skip(f"this LAMMPS has no {file}")
        (folder / file).write_bytes(path.read_bytes())
    system = crystal(DIAMOND, places, cells, edge, disorder)
    if any(tilt):
        system.lean(tilt)
    data = folder / "start.data"
    system.write_data(data)
    masses = [f"mass {n} {kind.mass!r}" for n, kind in enumerate(system.types, 1)]
    commands = metal(
        data, dt, 1.0, ["pair_style sw", f"pair_coeff * * {file} {' '.join(elements)}", *masses]
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
potential = "stillinger_weber"
stillinger_weber_file = "{file}"
"""
    for element, kind in zip(elements, system.types, strict=True):
        text += f'[[type]]\nname = "{element}"\nmass = {kind.mass!r}\n'
    (folder / "input.toml").write_text(text)
    return system, commands, folder / "input.toml"


@pytest.mark.parametrize("case", CASES)
def test_energies_forces_and_stresses(case, lammps, tmp_path):
    _, commands, path = inputs(case, lammps, tmp_path, (3, 3, 3), 0.001)
    peer, arrays = run_lammps(lammps, commands, 0, 1, tmp_path, STRESS)
    with module.Simulation.from_file(path) as simulation:
        simulation.measure()
        energy = simulation.thermo["potential_energy"]
        force = simulation.gather("force")
        virial = simulation.virial_tensor()
    assert energy == pytest.approx(peer[0]["potential_energy"], rel=1e-10)
    # A perfect crystal has no forces: they are compared with those of one bond.
    scale = max(1.0, numpy.linalg.norm(arrays["force"], axis=1).max())
    assert numpy.abs(force - arrays["force"]).max() < 1e-10 * scale
    stress = numpy.array([peer[0][name] for name in STRESS[:6]]) * peer[0]["vol"] / BAR_ANGSTROM3
    own = virial[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    assert numpy.abs(own - stress).max() < 1e-10 * scale * len(force)


@pytest.mark.parametrize("case", ["molten silicon", "water", "an odd alloy"])
def test_mixed_precision(case, lammps, tmp_path):
    _, commands, path = inputs(case, lammps, tmp_path, (3, 3, 3), 0.001)
    peer, arrays = run_lammps(lammps, commands, 0, 1, tmp_path)
    settings = module.Input.read(path).replace(run={"precision": "mixed"})
    with module.Simulation(settings) as simulation:
        simulation.measure()
        energy = simulation.thermo["potential_energy"]
        force = simulation.gather("force")
    assert energy == pytest.approx(peer[0]["potential_energy"], rel=3e-6)
    scale = numpy.linalg.norm(arrays["force"], axis=1).max()
    assert numpy.abs(force - arrays["force"]).max() < 1e-5 * scale


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8, 9])
def test_trajectories_on_several_ranks(ranks, lammps, sterna, tmp_path):
    system, commands, path = inputs("an odd alloy", lammps, tmp_path, (5, 5, 5), 0.001)
    peer, arrays = run_lammps(lammps, commands, STEPS, STEPS, tmp_path)
    with module.Simulation.from_file(path, ranks=ranks) as simulation:
        simulation.measure()
        assert simulation.thermo["potential_energy"] == pytest.approx(
            peer[0]["potential_energy"], rel=1e-10
        )
        simulation.run(STEPS)
        # LAMMPS's constants of metal units have eight digits.
        assert simulation.thermo["potential_energy"] == pytest.approx(
            peer[1]["potential_energy"], rel=1e-6
        )
        moved = (simulation.gather("position") - arrays["position"]) @ numpy.linalg.inv(system.cell)
    assert numpy.abs((moved - numpy.round(moved)) @ system.cell).max() < 1e-5


# By LAMMPS: the edge, the energy, the force on the first atom, the sum of squares of all components
# of forces, and pxx (bar, of water atm), of 3 cells an axis.
RATTLED = {
    "Si": ("metal", 28.0855, 5.431, -914.5838794298, (0.1205175310, 1.4182545234, 0.3820589928),
           1181.6910584426, 5912.674778),
    "mW": ("real", 18.015, 6.2, -2624.0344067294, (0.2291243379, 3.0843573360, 0.8414801902),
           5837.6949097882, 482.204060),
}  # fmt: skip


@pytest.mark.parametrize("name", RATTLED)
@pytest.mark.parametrize("is_file", [False, True], ids=["by name", "from a file in kcal/mol"])
def test_published_parameters(name, is_file, tmp_path):
    units, mass, edge, energy, first, squares, pxx = RATTLED[name]
    places = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    places = numpy.concatenate([places, places + 0.25])
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(3)] * 3, indexing="ij"), axis=-1)
    position = (corners.reshape(-1, 1, 3) + places).reshape(-1, 3)
    position = position * edge
    number = numpy.arange(1, len(position) + 1)[:, None]
    position = position + 0.1 * numpy.sin(number * numpy.array([[12.9898, 78.233, 37.719]]))
    interaction = {"potential": "stillinger_weber"}
    if is_file:
        epsilon = 6.189 if name == "mW" else 2.1683
        tag = "UNITS: real" if name == "mW" else "UNITS: metal"
        sigma, strength = (2.3925, 23.15) if name == "mW" else (2.0951, 21.0)
        path = tmp_path / "of.sw"
        path.write_text(
            f"# {tag}\n{name} {name} {name} {epsilon} {sigma} 1.8 {strength} 1.2 -0.333333333333\n"
            "7.049556277 0.6022245584 4.0 0.0 0.0  # the end\n"
        )
        interaction["stillinger_weber_file"] = str(path)
    settings = module.Input(
        units=units,
        run={"steps": 1, "timestep": "1 fs"},
        interaction=interaction,
        type=[{"name": name, "mass": mass}],
    )
    system = module.System.from_arrays([3 * edge] * 3, position)
    with module.Simulation(settings, system) as simulation:
        simulation.measure()
        assert simulation.thermo["potential_energy"] == pytest.approx(energy, rel=2e-10)
        force = simulation.gather("force")
        stress = simulation.virial_tensor()[0, 0] / (3 * edge) ** 3
    assert force[0] == pytest.approx(first, abs=1e-8)
    assert (force**2).sum() == pytest.approx(squares, rel=1e-9)
    factor = BAR_ANGSTROM3 if units == "metal" else 68568.415
    assert stress * factor == pytest.approx(pxx, rel=1e-6)


BROKEN = {
    "a word": ("A A A 1 2 x" + " 1" * 8, "line 1, column 11: a of A A A is \"x\"; expected a number"),
    "too few words": ("A A A 1 2 1.8 21", "this entry has 7 of 14 words: three elements, then epsilon"),
    "twice": (MW.replace("mW", "A") * 2, "there is already an entry for A A A"),
    "another element": (MW, "has no entry for \"A\"; there is mW"),
    "a missing triple": (ODD.replace("B A B", "B C B"), "has no entry for B A B"),
    "a pair of two sizes": (ODD.replace("B A A 1.6 1.9", "B A A 1.6 1.8"), "sigma of a pair must not"),
    "an angle of two orders": (ODD.replace("A B A 1.3", "A B A 1.4"), "must not depend on the order"),
    "no length": (MW.replace("mW", "A").replace("2.3925", "0"), "sigma of a pair must be positive"),
    "no such name": (None, "there are no published parameters \"A\""),
    "a published mixture": ("Si mW", "mW cannot be mixed with Si"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(case, sterna, tmp_path):
    text, message = BROKEN[case]
    keys, names = 'stillinger_weber_file = "broken.sw"', ["A", "B"] if "A B" in str(text) else ["A"]
    if case == "a published mixture":
        keys, names = "", text.split()
    elif text is None:
        keys = ""
    else:
        (tmp_path / "broken.sw").write_text(text)
    types = "".join(f'[[type]]\nname = "{name}"\nmass = 28.0\n' for name in names)
    (tmp_path / "input.toml").write_text(
        f'units = "metal"\n[run]\nsteps = 1\ntimestep = 0.001\n[start]\nkind = "lattice"\n'
        f"cells = [4, 4, 4]\ndensity = 0.05\n{types}"
        f'[interaction]\npotential = "stillinger_weber"\n{keys}\n'
    )
    done = sterna("check", "input.toml")
    assert done.returncode != 0
    told = re.sub(r"\s+", " ", re.sub(r"[│|]", " ", done.stdout + done.stderr))
    assert message in told, told


@pytest.mark.parametrize("ranks", [1, 3])
def test_water_beside_a_gas(ranks, lammps, sterna, tmp_path):
    from test_lammps_many_body import compare

    (tmp_path / "mW.sw").write_text(MW)
    system = crystal(DIAMOND, [0] * 8, (3, 3, 2), 6.2, 0.3, gas=9)
    own, cross, cutoff = (0.0103, 3.4), (0.02, 2.8), 7.0
    compare(
        system,
        [
            f"pair_style hybrid sw lj/cut {cutoff}",
            "pair_coeff * * sw mW.sw mW NULL",
            f"pair_coeff 1 2 lj/cut {cross[0]} {cross[1]}",
            f"pair_coeff 2 2 lj/cut {own[0]} {own[1]}",
        ],
        ['stillinger_weber = "mW"', f"epsilon = {own[0]}\nsigma = {own[1]}"],
        f'cutoff = {cutoff}\ntruncation = "truncated"\nstillinger_weber_file = "mW.sw"',
        ranks,
        lammps,
        sterna,
        tmp_path,
        more=f'[[pair]]\nfirst = "T0"\nsecond = "T1"\nepsilon = {cross[0]}\nsigma = {cross[1]}\n',
    )
