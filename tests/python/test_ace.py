"""Atomic cluster expansions in Sterna and in pacemaker: energies, forces and the nine components of the
virial of disordered and sheared crystals, with coefficients at random that cover what a file can say;
a trajectory on 1 to 9 ranks; a published potential of copper."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import ace_potentials as made
import numpy
import pytest
import sterna as module
from lammps_support import System, Type

REFERENCES = Path(__file__).parents[1] / "data" / "ace" / "references.json"


@pytest.fixture(scope="module")
def references() -> dict:
    return json.loads(REFERENCES.read_text())


@pytest.fixture(scope="module")
def pacemaker() -> str:
    """A Python that has pacemaker."""
    python = os.environ.get("STERNA_PACEMAKER_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import pyace"], capture_output=True).returncode != 0:
        pytest.skip(
            "no pacemaker to compare with: STERNA_PACEMAKER_PYTHON names no Python with pyace"
        )
    return python


def write(folder: Path, of: made.Crystal, elements: list[str], more: str = "") -> Path:
    """Writes the start and the input for the file potential.yace."""
    system = System(
        [Type(mass=made.mass(n)) for n in range(len(elements))],
        of.species,
        of.position,
        numpy.zeros_like(of.position),
        numpy.diag(of.cell),
        (of.cell[1, 0], of.cell[2, 0], of.cell[2, 1]),
    )
    system.write_data(folder / "start.data")
    text = f"""\
units = "metal"
[run]
steps = {made.STEPS}
timestep = {made.TIMESTEP!r}
[start]
kind = "file"
file = "start.data"
[interaction]
potential = "ace"
ace_file = "potential.yace"
{more}
"""
    for n, element in enumerate(elements):
        text += f'[[type]]\nname = "{element}"\nmass = {made.mass(n)!r}\n'
    path = folder / "input.toml"
    path.write_text(text)
    return path


def check(path: Path, expected: dict, tolerance: float = 1e-10) -> None:
    with module.Simulation.from_file(path) as simulation:
        simulation.measure()
        energy = simulation.thermo["potential_energy"]
        force = simulation.gather("force")
        virial = simulation.virial_tensor()
    peer = numpy.array(expected["forces"])
    scale = max(1.0, numpy.linalg.norm(peer, axis=1).max())
    assert energy == pytest.approx(expected["energy"], rel=1e-10)
    assert numpy.abs(force - peer).max() < tolerance * scale
    assert numpy.abs(virial - numpy.array(expected["virial"])).max() < tolerance * scale * len(peer)


@pytest.mark.parametrize("name", made.KINDS)
def test_energies_forces_and_virials(name, references, tmp_path):
    kind = made.KINDS[name]
    (tmp_path / "potential.yace").write_text(made.yace(kind))
    path = write(tmp_path, made.crystal(kind, 3), kind.elements)
    check(path, references[name])


def test_beside_other_atoms(references, tmp_path):
    """Each type has its potential; the atoms of a gas are too far from the metal to feel it."""
    kind = made.KINDS["exponential"]
    of = made.crystal(kind, 3)
    (tmp_path / "potential.yace").write_text(made.yace(kind))
    # The crystal becomes a slab of a longer box, whose other part has the gas.
    alone = made.Crystal(numpy.diag([1.0, 1.0, 3.0]) @ of.cell, of.position, of.species)
    gas = numpy.array([[2.0, 2.0, 20.0], [5.1, 2.2, 20.3], [3.0, 5.0, 21.0]])
    both = made.Crystal(
        alone.cell,
        numpy.concatenate([of.position, gas]),
        numpy.concatenate([of.species, [1, 1, 1]]),
    )

    def energy(crystal: made.Crystal, elements: list[str], head: str, types: str) -> float:
        path = write(tmp_path, crystal, elements)
        text = path.read_text().replace('potential = "ace"\n', head)
        path.write_text(text[: text.index("[[type]]")] + types)
        with module.Simulation.from_file(path) as simulation:
            simulation.measure()
            return simulation.thermo["potential_energy"]

    metal = '[[type]]\nname = "M"\nmass = 40.0\nace = "Cu"\n'
    no_pairs = "epsilon = 0.0\nsigma = 3.0\n"
    argon = '[[type]]\nname = "Ar"\nmass = 45.0\nepsilon = 0.01\nsigma = 3.4\n'
    pairs = 'potential = "lennard_jones"\ncutoff = 6.0\n'
    slab = energy(alone, ["Cu"], 'potential = "ace"\n', metal)
    together = energy(both, ["Cu", "Ar"], pairs, metal + no_pairs + argon)
    gas_alone = sum(
        4 * 0.01 * (s**12 - s**6) - 4 * 0.01 * ((3.4 / 6) ** 12 - (3.4 / 6) ** 6)
        for a in range(3)
        for s in [3.4 / numpy.linalg.norm(gas[a] - gas[a - 1])]
    )
    assert together == pytest.approx(slab + gas_alone, rel=1e-10)
    assert abs(gas_alone) > 1e-3


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8, 9])
def test_trajectories_on_several_ranks(ranks, references, tmp_path):
    kind = made.KINDS["power"]
    (tmp_path / "potential.yace").write_text(made.yace(kind))
    path = write(tmp_path, made.crystal(kind, 4), kind.elements)
    expected = references["moving"]
    with module.Simulation.from_file(path, ranks=ranks) as simulation:
        simulation.measure()
        assert simulation.thermo["potential_energy"] == pytest.approx(expected["energy"], rel=1e-10)
        simulation.run(made.STEPS)
        assert simulation.thermo["potential_energy"] == pytest.approx(expected["after"], rel=1e-6)


def test_the_references_are_those_of_the_original(references, pacemaker):
    script = Path(made.__file__)
    done = subprocess.run([pacemaker, str(script)], capture_output=True, text=True, check=True)
    computed = json.loads(done.stdout[done.stdout.index("{") :])
    assert computed.keys() == references.keys()
    for name, one in computed.items():
        assert one["energy"] == pytest.approx(references[name]["energy"], rel=1e-12)
        if "forces" in one:
            assert numpy.array(one["forces"]) == pytest.approx(
                numpy.array(references[name]["forces"]), rel=1e-9, abs=1e-9
            )


# Reads a potential of LAMMPS in its older form, writes it in the newer one, and computes a crystal.
PUBLISHED = """\
import json, sys
import numpy
from pyace import ACECTildeBasisSet
from ace_potentials import Crystal, computed_by_the_original

case = json.load(sys.stdin)
ACECTildeBasisSet(case["from"]).save_yaml(case["to"])
of = Crystal(*(numpy.array(case[name]) for name in ("cell", "position", "species")))
print("result:", json.dumps(computed_by_the_original(open(case["to"]).read(), ["Cu"], of)))
"""


@pytest.mark.parametrize("disorder", [0.0, 0.1, 0.5])
def test_published_copper(disorder, pacemaker, lammps, tmp_path):
    from test_lammps_many_body import potentials

    source = potentials(lammps) / "Cu-PBE-core-rep.ace"
    if not source.exists():
        pytest.skip("this LAMMPS has no Cu-PBE-core-rep.ace")
    kind = made.Kind(["Cu"], "", 0.0, None, 0, [], edge=3.62, disorder=disorder)
    of = made.crystal(kind, 3)
    case = {name: getattr(of, name).tolist() for name in ("cell", "position", "species")}
    case |= {"from": str(source), "to": str(tmp_path / "potential.yace")}
    done = subprocess.run(
        [pacemaker, "-c", PUBLISHED], input=json.dumps(case), capture_output=True, text=True,
        check=True, cwd=Path(made.__file__).parent,
    )  # fmt: skip
    check(write(tmp_path, of, ["Cu"]), json.loads(done.stdout.partition("result:")[2]))


BROKEN = {
    "no file": ('ace_file = "potential.yace"\n', "", "lacks the key \"ace_file\""),
    "a missing file": ("potential.yace", "other.yace", "other.yace"),
    "an element": ('name = "Cu"', 'name = "cu"', 'has no element "cu"; did you mean "Cu"?'),
    "a file of another type": ('potential = "ace"', 'potential = "lennard_jones"\ncutoff = 4.0',
                               "parameters of ACE, which no [[type]] has"),
    "reduced units": ('units = "metal"', 'units = "reduced"', "lengths and energies of its own"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_inputs(case, sterna, tmp_path):
    old, new, message = BROKEN[case]
    kind = made.KINDS["exponential"]
    (tmp_path / "potential.yace").write_text(made.yace(kind))
    path = write(tmp_path, made.crystal(kind, 3), kind.elements)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    told(sterna, message)


def test_a_broken_file(sterna, tmp_path):
    kind = made.KINDS["exponential"]
    (tmp_path / "potential.yace").write_text(made.yace(kind).replace("dcut:", "dcutt:"))
    write(tmp_path, made.crystal(kind, 3), kind.elements)
    told(sterna, "line 7", '"dcutt"; did you mean "dcut"?')


@pytest.mark.parametrize("name, warned", [("linear", True), ("exponential", False)])
def test_steps_at_the_cutoff_are_told(name, warned, sterna, tmp_path):
    kind = made.KINDS[name]
    (tmp_path / "potential.yace").write_text(made.yace(kind))
    write(tmp_path, made.crystal(kind, 3), kind.elements)
    done = sterna("check", "input.toml")
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    assert text.count("ChebLinear") == warned, text


def told(sterna, *messages: str) -> None:
    done = sterna("check", "input.toml")
    assert done.returncode != 0
    text = re.sub(r"\s+", " ", re.sub(r"[│|]", " ", done.stdout + done.stderr))
    for message in messages:
        assert message in text, text
