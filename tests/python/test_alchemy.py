"""Alchemical molecules: energies in all states beside GROMACS, differences, ends, analytic values.

What gmx_d computes is recorded in tests/data/alchemy/gromacs.json, with which Sterna is compared
everywhere. Where GROMACS is, it has to agree with the record, which it writes anew with
STERNA_UPDATE_EXPECTED=1.
"""

import json
import os
import re
import shutil
import subprocess

import alchemical_systems as systems
import h5py
import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import read_log
from sterna.free_energies import read_states

RECORD = ROOT / "tests" / "data" / "alchemy" / "gromacs.json"
CASES = [(name, charges) for name in systems.SOLUTES for charges in ("reaction-field", "PME")]
ELECTROSTATICS = {
    "reaction-field": 'kind = "reaction_field"\ncutoff = 0.9',
    "PME": 'kind = "ewald"\naccuracy = 1e-8',
    "fmm": 'kind = "fmm"\naccuracy = 1e-7',
}


def run_sterna(folder, *arguments):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if "does not yield while it waits" in done.stderr:
        pytest.skip("this MPI is too slow with more ranks than cores")
    return done


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The text of an imported system, in a folder with its start."""
    made = {}

    def get(name, **parts):
        key = (name, *sorted(parts.items()))
        if key not in made:
            folder = tmp_path_factory.mktemp(name)
            systems.write(folder, name, **parts)
            done = run_sterna(
                folder, "import", "topol.top", "conf.gro", "--constraints", "none", "--cutoff", "0.9",
                "-o", "out.toml",
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            text = (folder / "out.toml").read_text()
            text = text[: text.index("[thermostat]")] + text[text.index("[output]") :]
            made[key] = (folder, text)
        return made[key]

    return get


def one_step(tmp_path, imported, name, charges, section, ranks=1, more=None, **parts):
    """The rows of the file of states and of the log at the start of a run, and the forces."""
    start, text = imported(name, **parts)
    shutil.copy(start / "out.extxyz", tmp_path)
    changes = {
        "steps = 10000": 'steps = 0\nname = "run"\nprecision = "double"',
        '"truncated"': '"shifted"',
        'tail_correction = "homogeneous"': "",
        'kind = "fmm"\naccuracy = 0.0001': ELECTROSTATICS[charges],
        "trajectory_interval = 1000": (
            'trajectory_interval = 1\ntrajectory_fields = ["position", "force"]'
        ),
    } | (more or {})
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    (tmp_path / "run.toml").write_text(text + "\n" + section)
    done = run_sterna(tmp_path, "run", "run.toml", "-n", ranks, "--overwrite")
    assert done.returncode == 0, done.stdout + done.stderr
    output = tmp_path / "output"
    with h5py.File(output / "run.h5md") as file:
        forces = file["particles/trajectory/force/value"][0]
    states = read_states(output / "run.dhdl.xvg") if section else None
    return states, read_log(output / "run.log.jsonl").rows[0], forces


def of_gromacs(program, folder, name, charges, state):
    """Potential energy, derivatives, and differences from the run's state to all states."""
    systems.write(folder, name)
    (folder / "run.mdp").write_text(systems.mdp(charges, state))
    systems.run_gromacs(program, folder)
    row = (folder / "d.xvg").read_text().splitlines()[-1].split()[1:]
    return [float(x) for x in row]


@pytest.mark.parametrize(("name", "charges"), CASES)
def test_the_record_is_what_gromacs_computes(name, charges, tmp_path):
    program = shutil.which(os.environ.get("STERNA_GROMACS", "gmx_d"))
    if program is None:
        pytest.skip("no GROMACS to compare with: there is no gmx_d (apt install gromacs)")
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {"rows": {}}
    found = [of_gromacs(program, tmp_path, name, charges, k) for k in range(len(systems.SCHEDULE))]
    if os.environ.get("STERNA_UPDATE_EXPECTED"):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        record["program"] = re.search(r"^GROMACS version: *(\S+)", version.stdout, re.M)[1]
        record["rows"][f"{name} {charges}"] = found
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    expected = record["rows"][f"{name} {charges}"]
    assert numpy.allclose(found, expected, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize(("name", "charges"), CASES)
def test_states_are_those_of_gromacs(name, charges, tmp_path, imported):
    """GROMACS interpolates energies of charges, Sterna charges.

    With U_AA, the energy of the solute's charges with their own images, both differ by
    lambda (1 - lambda) U_AA; U_AA follows from three states of Sterna, and the others test it.
    """
    expected = json.loads(RECORD.read_text())["rows"][f"{name} {charges}"]
    lambdas = numpy.array([coul for coul, _ in systems.SCHEDULE])
    off = systems.SCHEDULE.index((1, 0))
    constant = []
    for state, (potential, by_coul, by_vdw, *differences) in enumerate(expected):
        states, log, _ = one_step(tmp_path, imported, name, charges, systems.section(state))
        mine = states.differences[0] - states.differences[0][off]
        own = 2.0 * mine[0] - 4.0 * mine[systems.SCHEDULE.index((0.5, 0))]
        energies = mine + lambdas * (1.0 - lambdas) * own
        theirs = numpy.array(differences) - differences[off]
        size = max(abs(theirs).max(), 1.0)
        assert numpy.allclose(energies, theirs, rtol=0.0, atol=1e-6 * size), state
        assert states.derivatives[0, 1] == pytest.approx(by_vdw, rel=1e-6)
        assert -mine[0] == pytest.approx(by_coul, rel=1e-6, abs=1e-6)
        linear = mine[0] - own
        slope = -(linear + 2.0 * (1.0 - lambdas[state]) * own)
        assert states.derivatives[0, 0] == pytest.approx(slope, rel=1e-6, abs=1e-5)
        whole = log["potential_energy"] + lambdas[state] * (1.0 - lambdas[state]) * own
        constant.append(whole - potential)
    # Pairs within the molecule are shifted at the cutoff in Sterna alone.
    assert numpy.ptp(constant) < 2e-4
    assert abs(numpy.mean(constant)) < (1e-3 if name == "methane" else 3e-3)
    if name == "chain":
        assert abs(own) > 10.0


def test_fmm_gives_the_energies_of_ewald_sums(tmp_path, imported):
    rows = {}
    for charges in ("PME", "fmm"):
        states, log, forces = one_step(tmp_path, imported, "chain", charges, systems.section(2))
        rows[charges] = (
            states.differences[0],
            states.derivatives[0],
            log["potential_energy"],
            forces,
        )
    for ewald, fmm in zip(*rows.values(), strict=True):
        assert numpy.allclose(fmm, ewald, rtol=1e-5, atol=1e-5 * abs(numpy.array(ewald)).max())


@pytest.mark.parametrize("charges", ["reaction-field", "fmm"])
def test_a_state_has_the_energies_that_other_states_foretold(charges, tmp_path, imported):
    """Also of molecules whose inner interactions go."""
    for kind in ("decoupling", "annihilation"):
        potential, foretold = [], None
        for state in range(len(systems.SCHEDULE)):
            section = systems.section(state, more=f'kind = "{kind}"\n')
            states, log, _ = one_step(tmp_path, imported, "chain", charges, section)
            potential.append(log["potential_energy"])
            if foretold is None:
                foretold = states.differences[0]
        assert numpy.allclose(numpy.array(potential) - potential[0], foretold, atol=2e-3), kind


@pytest.mark.parametrize("power", [1, 2])
def test_derivatives_are_differences_of_energies(power, tmp_path, imported):
    step = 1e-4
    center = (0.4, 0.55)
    schedule = [center]
    for k in (0, 1):
        for sign in (-1, 1):
            moved = list(center)
            moved[k] += sign * step
            schedule.append(tuple(moved))
    section = systems.section(0, schedule, f"soft_core_power = {power}\n")
    states, _, _ = one_step(tmp_path, imported, "chain", "reaction-field", section)
    of = states.differences[0]
    for k in (0, 1):
        slope = (of[2 + 2 * k] - of[1 + 2 * k]) / (2.0 * step)
        assert states.derivatives[0, k] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("charges", ["reaction-field", "fmm"])
def test_forces_are_differences_of_energies(charges, tmp_path, imported):
    start, _ = imported("chain")
    section = systems.section(0, [(0.3, 0.4)])
    _, _, forces = one_step(tmp_path, imported, "chain", charges, section)
    lines = (start / "out.extxyz").read_text().splitlines()
    step = 1e-5
    places = numpy.array([line.split()[1:4] for line in lines[2:]], dtype=float)
    away = places - places[2]
    away -= systems.EDGE * numpy.round(away / systems.EDGE)
    near = int(numpy.argsort(numpy.linalg.norm(away[5:], axis=1))[0]) + 5
    try:
        for atom, axis in ((0, 0), (2, 1), (4, 2), (near, 0)):
            energies = []
            for sign in (-1, 1):
                words = lines[2 + atom].split()
                words[1 + axis] = f"{places[atom, axis] + sign * step:.15g}"
                changed = [*lines[: 2 + atom], " ".join(words), *lines[3 + atom :]]
                (start / "out.extxyz").write_text("\n".join(changed) + "\n")
                _, log, _ = one_step(tmp_path, imported, "chain", charges, section)
                energies.append(log["potential_energy"])
            slope = -(energies[1] - energies[0]) / (2.0 * step)
            assert forces[atom, axis] == pytest.approx(slope, rel=1e-4, abs=0.5)
    finally:
        (start / "out.extxyz").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("kind", ["decoupling", "annihilation"])
@pytest.mark.parametrize("charges", ["reaction-field", "PME"])
def test_a_path_of_energies_is_a_straight_line(charges, kind, tmp_path, imported):
    """Its energy is between those of the ends; forces and pressure are derivatives of it."""
    start, _ = imported("chain")
    more = f'charge_path = "energies"\nkind = "{kind}"\n'
    schedule = [(0.3, 0), (0, 0), (1, 0)]
    section = systems.section(0, schedule, more)
    states, log, forces = one_step(tmp_path, imported, "chain", charges, section)
    whole, off = states.differences[0, 1:]
    assert abs(whole) > 1.0
    assert 0.7 * whole + 0.3 * off == pytest.approx(0.0, abs=1e-8 * abs(whole))
    assert states.derivatives[0, 0] == pytest.approx(off - whole, rel=1e-10)
    for state, expected in ((1, whole), (2, off)):
        section_of_end = systems.section(state, schedule, more)
        _, other, _ = one_step(tmp_path, imported, "chain", charges, section_of_end)
        difference = other["potential_energy"] - log["potential_energy"]
        assert difference == pytest.approx(expected, abs=1e-3)
    _, parts, apart = one_step(tmp_path, imported, "chain", charges, section, ranks=3)
    assert parts["potential_energy"] == pytest.approx(log["potential_energy"], rel=1e-8)
    assert numpy.allclose(apart, forces, rtol=1e-6, atol=1e-3)

    lines = (start / "out.extxyz").read_text().splitlines()
    places = numpy.array([line.split()[1:4] for line in lines[2:]], dtype=float)

    def energy_at(moved, edge):
        words = [line.split() for line in lines[2:]]
        rows = [
            " ".join([w[0], *(f"{x:.15g}" for x in place), *w[4:]])
            for w, place in zip(words, moved, strict=True)
        ]
        head = re.sub(r'Lattice="[^"]*"', f'Lattice="{edge} 0 0 0 {edge} 0 0 0 {edge}"', lines[1])
        (start / "out.extxyz").write_text("\n".join([lines[0], head, *rows]) + "\n")
        _, found, _ = one_step(tmp_path, imported, "chain", charges, section)
        return found["potential_energy"]

    step = 1e-5
    try:
        for atom, axis in ((0, 0), (4, 2)):
            shift = numpy.zeros_like(places)
            shift[atom, axis] = step
            slope = energy_at(places + shift, systems.EDGE) - energy_at(
                places - shift, systems.EDGE
            )
            assert forces[atom, axis] == pytest.approx(-slope / (2.0 * step), rel=1e-4, abs=0.5)
        slope = energy_at(places * (1.0 + step), systems.EDGE * (1.0 + step)) - energy_at(
            places * (1.0 - step), systems.EDGE * (1.0 - step)
        )
        bar = 16.6053906717  # kJ/mol/nm^3
        # The momentum is 0, which takes the degrees of freedom of one atom.
        of_motion = 2.0 * log["kinetic_energy"] * len(places) / (len(places) - 1)
        pressure = (of_motion - slope / (2.0 * step)) / (3.0 * systems.EDGE**3) * bar
        assert log["pressure"] == pytest.approx(pressure, rel=1e-5, abs=1.0)
    finally:
        (start / "out.extxyz").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("charges", ["reaction-field", "fmm"])
def test_the_ends_are_the_plain_run_and_the_parts_alone(charges, tmp_path, imported):
    tail = {'tail_correction = "homogeneous"': 'tail_correction = "homogeneous"',
            '"truncated"': '"truncated"'}  # fmt: skip
    _, plain, forces = one_step(tmp_path, imported, "chain", charges, "", more=tail)
    _, whole, same = one_step(tmp_path, imported, "chain", charges, systems.section(0), more=tail)
    assert whole["potential_energy"] == pytest.approx(plain["potential_energy"], rel=1e-9)
    assert whole["pressure"] == pytest.approx(plain["pressure"], rel=1e-8)
    assert numpy.allclose(same, forces, rtol=1e-9, atol=1e-7)
    _, apart, pushed = one_step(tmp_path, imported, "chain", charges, systems.section(6), more=tail)
    _, water, of_water = one_step(tmp_path, imported, "chain", charges, "", more=tail, solute=False)
    vacuum = {'kind = "fmm"\naccuracy = 0.0001': 'kind = "fmm"\nsurroundings = "open"',
              'tail_correction = "homogeneous"': ""}  # fmt: skip
    _, alone, of_solute = one_step(
        tmp_path, imported, "chain", charges, "", more=tail | vacuum, water=False
    )
    both = water["potential_energy"] + alone["potential_energy"]
    assert apart["potential_energy"] == pytest.approx(both, abs=2e-3)
    assert numpy.allclose(pushed, numpy.concatenate([of_solute, of_water]), rtol=1e-4, atol=0.05)


@pytest.mark.parametrize("charges", ["reaction-field", "fmm"])
def test_ranks_agree(charges, tmp_path, imported):
    section = systems.section(0, [(0.3, 0.4), (0, 0), (1, 1)])
    one = one_step(tmp_path, imported, "chain", charges, section)
    for ranks in (2, 3, 9):
        more = one_step(tmp_path, imported, "chain", charges, section, ranks=ranks)
        loose = 1e-5 if charges == "fmm" else 1e-10
        assert numpy.allclose(more[0].differences, one[0].differences, rtol=loose, atol=1e-6)
        assert numpy.allclose(more[0].derivatives, one[0].derivatives, rtol=loose)
        assert more[1]["potential_energy"] == pytest.approx(one[1]["potential_energy"], rel=1e-6)
        assert numpy.allclose(more[2], one[2], rtol=1e-4, atol=0.02)


PAIR = (
    systems.PAIR
    + """\
state = {state}
interval = 25
[output]
directory = "output"
"""
)


def pair_run(folder, state, seed=11):
    folder.mkdir(exist_ok=True)
    (folder / "pair.extxyz").write_text(
        '2\nLattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3\nA 1 1 1\nB 2.5 2.5 2.5\n'
    )
    (folder / "pair.toml").write_text(PAIR.format(steps=100000, seed=seed + state, state=state))
    return folder


def test_two_atoms_have_the_free_energy_of_the_second_virial_coefficient(tmp_path):
    """In a cube V one atom costs -kT ln(1 - 2 B2 / V): 0.07368 kT less with the other one.

    B2 of the potential that ends at 2.5 sigma is -2.28173 (2 pi sigma^3 / 3) at T = 1.
    """
    pytest.importorskip("pymbar")
    for state in range(4):
        folder = pair_run(tmp_path / f"{state}", state)
        done = run_sterna(folder, "run", "pair.toml", "-n", 1)
        assert done.returncode == 0, done.stdout + done.stderr
    table = tmp_path / "table.txt"
    done = run_sterna(tmp_path, "free-energy", ".", "-o", table)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the last state minus the first" in done.stderr
    assert "warning" not in done.stderr
    last = [float(x) for x in table.read_text().splitlines()[-1].split()]
    found, error, bar, integrated = last[3], last[4], last[5], last[7]
    assert numpy.isfinite([bar, integrated]).all()
    second = -2.28173 * 2.0 * numpy.pi / 3.0
    expected = numpy.log(1.0 - 2.0 * second / 125.0)
    assert expected == pytest.approx(0.07368, abs=1e-5)
    assert 0.0 < error < 0.01
    assert found == pytest.approx(expected, abs=5.5 * error)


def test_a_resumed_run_writes_the_rows_of_one_that_was_not_interrupted(tmp_path):
    whole, parts = pair_run(tmp_path / "whole", 1), pair_run(tmp_path / "parts", 1)
    texts = []
    for folder, lengths in ((whole, [2000]), (parts, [1100, 2000])):
        text = (folder / "pair.toml").read_text()
        for steps in lengths:
            changed = text.replace("steps = 100000", f"steps = {steps}")
            (folder / "pair.toml").write_text(changed + "checkpoint_interval = 100\n")
            again = ["--resume"] if steps != lengths[0] else []
            done = run_sterna(folder, "run", "pair.toml", *again)
            assert done.returncode == 0, done.stdout + done.stderr
        texts.append((folder / "output" / "pair.dhdl.xvg").read_text())
    assert texts[0] == texts[1]
    assert len(read_states(whole / "output" / "pair.dhdl.xvg").time) == 81


def test_alchemlyb_reads_the_file_as_that_of_gromacs(tmp_path):
    pytest.importorskip("alchemlyb")
    from alchemlyb.parsing.gmx import extract_dHdl, extract_u_nk

    folder = pair_run(tmp_path / "pair", 1)
    text = (folder / "pair.toml").read_text()
    for old, new in (('"reduced"', '"nano"'), ("steps = 100000", "steps = 500"),
                     ("temperature = 1.0", "temperature = 100.0")):  # fmt: skip
        text = text.replace(old, new)
    (folder / "pair.toml").write_text(text)
    done = run_sterna(folder, "run", "pair.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    path = folder / "output" / "pair.dhdl.xvg"
    mine = read_states(path)
    reduced = extract_u_nk(path, T=100.0)
    beta = 1.0 / (0.00831446261815324 * 100.0)
    assert reduced.index.names == ["time", "coul-lambda", "vdw-lambda"]
    assert list(reduced.columns) == mine.lambdas
    assert numpy.allclose(reduced.to_numpy(), beta * mine.differences, rtol=1e-6)
    slopes = extract_dHdl(path, T=100.0)
    assert numpy.allclose(slopes.to_numpy(), beta * mine.derivatives, rtol=1e-6)
    assert (reduced.index.get_level_values("vdw-lambda") == 0.3).all()


BROKEN = [
    ('molecules = ["a"]', 'molecules = ["aa"]', 'did you mean "a"?'),
    ('molecules = ["a"]', 'molecules = ["a", "a"]', "named twice"),
    ('molecules = ["a"]', "molecules = []", "a list of 0 values"),
    ("state = 1", "state = 4", "counted from 0"),
    ("[0, 0.3, 0.6, 1]", "[0, 0.3, 0.6, 1.5]", "at most 1"),
    ("van_der_waals = [0, 0.3, 0.6, 1]", "", "no states"),
    ("[0, 0.3, 0.6, 1]", "[0, 0.3, 0.6, 1]\ncharges = [0, 1]", "one of each for each state"),
    ('atom = [{ type = "B" }]', 'atom = [{ type = "A" }]', "type of its own"),
    ("cutoff = 2.5", "cutoff = 2.6", "two cutoffs wide"),
    ("soft", "soft_core_power = 3", "at most 2"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_mistakes_are_told(old, new, message, tmp_path):
    folder = pair_run(tmp_path / "pair", 1)
    text = (folder / "pair.toml").read_text()
    if old == "soft":
        old, new = "interval = 25", f"interval = 25\n{new}"
    assert old in text
    text = text.replace(old, new).replace("steps = 100000", "steps = 0")
    (folder / "pair.toml").write_text(text)
    done = run_sterna(folder, "run", "pair.toml")
    assert done.returncode != 0
    assert message in done.stderr
    assert "pair.toml:" in done.stderr


MUTATION = """\
kind = "mutation"
[[mutation]]
type = "B"
becomes = "A"
charge = 0.5
[[mutated_term]]
molecule = "b"
section = "bond"
potential = "harmonic"
atoms = [1, 2]
parameters = ["r0", "stiffness"]
from = [1.0, 10.0]
to = [1.2, 0.0]
[[mutated_pair]]
molecule = "b"
atoms = [1, 2]
epsilon = 1.0
to_sigma = 0.9
"""
BROKEN_MUTATIONS = [
    ('kind = "mutation"', "", "this section is for kind"),
    ('type = "B"', 'type = "A"', "is not that of atoms of the"),
    ('type = "B"', 'type = "BB"', 'no [[type]] has the name "BB"; did you mean "B"?'),
    ('becomes = "A"', 'becomes = "AA"', 'no [[type]] has the name "AA"; did you mean "A"?'),
    ('molecule = "b"\nsection', 'molecule = "a"\nsection', '"a" is not one of the "molecules"'),
    ('section = "bond"', 'section = "bonds"', 'did you mean "bond"?'),
    ('potential = "harmonic"', 'potential = "harmonics"', 'did you mean "harmonic"?'),
    (
        'potential = "harmonic"',
        'potential = "tabulated"',
        "is no potential of a bond that can change",
    ),
    (
        "atoms = [1, 2]\nparameters",
        "atoms = [1, 3]\nparameters",
        "there is no atom 3: the molecule",
    ),
    ("atoms = [1, 2]\nparameters", "atoms = [1, 1]\nparameters", "the atom 1 stands twice"),
    ("atoms = [1, 2]\nparameters", "atoms = [1]\nparameters", "expected 2 atoms, and there are 1"),
    ('"r0", "stiffness"', '"r0", "stifness"', 'no parameter "stifness"; did you mean "stiffness"?'),
    ("from = [1.0, 10.0]", "from = [1.0]", 'there are 1 numbers and 2 "parameters"'),
    ("to = [1.2, 0.0]", "to = [0.0, 0.0]", '"r0" is 0; expected more than 0'),
    ("to_sigma = 0.9", "to_sigma = 0.0", "to_sigma"),
    ("[[mutated_term]]", '[[mutation]]\ntype = "B"\n[[mutated_term]]', "has two [[mutation]]s"),
]


def mutation_run(folder, old="", new=""):
    text = MUTATION.replace(old, new, 1) if old else MUTATION
    assert not old or old in MUTATION
    pair_run(folder, 0)
    run = (folder / "pair.toml").read_text()
    for before, after in (
        ('[alchemy]\nmolecules = ["a"]\nvan_der_waals = [0, 0.3, 0.6, 1]\nstate = 0\ninterval = 25\n', ""),
        ('atom = [{ type = "B" }]',
         'atom = [{ type = "B" }, { type = "B" }]\n[[molecule.exclusion]]\natoms = [1, 2]'),
        ("steps = 100000", "steps = 0"),
    ):  # fmt: skip
        assert before in run, before
        run = run.replace(before, after)
    head = '[alchemy]\nmolecules = ["b"]\nvan_der_waals = [0, 1]\nstate = 0\ninterval = 1\n'
    (folder / "pair.toml").write_text(run + head + text)
    lines = (folder / "pair.extxyz").read_text().splitlines()
    (folder / "pair.extxyz").write_text("\n".join(["3", *lines[1:], "B 3.4 2.5 2.5"]) + "\n")
    return run_sterna(folder, "run", "pair.toml")


def test_a_mutation_by_hand(tmp_path):
    """Three atoms whose energies follow from the formulas."""
    done = mutation_run(tmp_path / "run")
    assert done.returncode == 0, done.stdout + done.stderr
    states = read_states(tmp_path / "run" / "output" / "pair.dhdl.xvg")
    # Types have the same pair potential: only the pair of the molecule loses its well, at 0.9.
    sixth = 0.9**-6
    assert states.differences[0, 1] == pytest.approx(-4.0 * (sixth**2 - sixth), rel=1e-9)


@pytest.mark.parametrize(("old", "new", "message"), BROKEN_MUTATIONS)
def test_mistakes_in_mutations_are_told(old, new, message, tmp_path):
    done = mutation_run(tmp_path / "run", old, new)
    assert done.returncode != 0
    assert message in done.stderr
    assert "pair.toml:" in done.stderr


CHARGED = {
    '{ type = "A" }': '{ type = "A", charge = 1.0 }',
    '{ type = "B" }': '{ type = "B", charge = -1.0 }',
    "[thermostat]": '[electrostatics]\nkind = "reaction_field"\n[thermostat]',
    "steps = 100000": "steps = 0",
}


@pytest.mark.parametrize(
    ("charges", "code", "message"),
    [
        ("[0, 0.5, 1, 1]", 1, None),
        ("[1, 1, 1, 0.5]", 2, "opposite charges meet"),
        ("[0, 1, 1, 1]", 0, "the charge of the system changes by 1 from state to state"),
    ],
)
def test_charges_that_change_are_looked_at(charges, code, message, tmp_path):
    folder = pair_run(tmp_path / "pair", 0)
    text = (folder / "pair.toml").read_text()
    for old, new in CHARGED.items():
        text = text.replace(old, new)
    text = text.replace("[0, 0.3, 0.6, 1]", f"[0, 0.3, 0.6, 1]\ncharges = {charges}")
    (folder / "pair.toml").write_text(text)
    done = run_sterna(folder, "check", "pair.toml")
    said = done.stdout + done.stderr
    assert (done.returncode == 0) == (code != 2)
    assert (message or "soft cores let atoms come close") in said


def test_the_example_runs(tmp_path):
    shutil.copytree(ROOT / "examples" / "alchemy", tmp_path / "alchemy")
    text = (
        (tmp_path / "alchemy" / "methane.toml").read_text().replace("steps = 50000", "steps = 100")
    )
    (tmp_path / "alchemy" / "methane.toml").write_text(text)
    done = run_sterna(tmp_path / "alchemy", "sweep", "windows.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted((tmp_path / "alchemy").rglob("*.dhdl.xvg"))
    assert sorted(read_states(path).state for path in files) == list(range(7))
