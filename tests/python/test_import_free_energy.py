"""Free energies of an .mdp file become [alchemy], or are told, or are refused by their names.

What gmx_d computes is recorded in tests/data/alchemy/gromacs_imports.json, with which the imported
systems are compared everywhere. Where GROMACS is, it has to agree with the record, which it writes anew
with STERNA_UPDATE_EXPECTED=1.
"""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field

import alchemical_systems as systems
import h5py
import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import SternaError, read_log
from sterna.free_energies import read_states
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.molecules import Molecules

RECORD = ROOT / "tests" / "data" / "alchemy" / "gromacs_imports.json"
LISTS = ("coul-lambdas", "vdw-lambdas")


@dataclass(frozen=True)
class Case:
    solute: str
    charges: str
    states: tuple[int, ...]  #: states in which it runs
    changes: dict = field(default_factory=dict)  #: keys of the .mdp file
    without: tuple[str, ...] = ()
    state_b: tuple = ()  #: changes of the topology


#: Keys of a molecule type that is coupled.
COUPLING = ("couple-moltype", "couple-lambda0", "couple-lambda1", "couple-intramol")
BONDED = {"bonded-lambdas": "0 0.1 0.25 0.4 0.6 0.8 1"}

CASES = {
    "ion": Case("ion", "PME", (1, 5)),
    "methane": Case("methane", "PME", (0, 4)),
    "ethanol decoupled": Case("ethanol", "reaction-field", (2, 5)),
    "ethanol decoupled, PME": Case("ethanol", "PME", (1,)),
    "ethanol annihilated": Case("ethanol", "PME", (2, 5), {"couple-intramol": "yes"}),
    "ethanol annihilated, cutoff": Case(
        "ethanol", "reaction-field", (2,), {"couple-intramol": "yes", "epsilon-rf": "78"}
    ),
    "van der Waals alone, backwards": Case(
        "ethanol", "reaction-field", (1, 3),
        {"couple-lambda0": "none", "couple-lambda1": "vdw", "fep-lambdas": "0 0.2 0.55 0.9 1",
         "sc-power": "2", "sc-alpha": "0.7", "sc-sigma": "0.27"},
        LISTS,
    ),
    "charges alone": Case(
        "chain", "reaction-field", (0, 2), {"couple-lambda1": "vdw", "epsilon-r": "2.5"}
    ),
    "no soft core": Case(
        "chain", "reaction-field", (4,),
        {"vdw-modifier": "Potential-switch", "rvdw-switch": "0.7", "couple-lambda0": "vdw"},
        ("sc-alpha", "sc-power", "coul-lambdas"),
    ),
    "bonded terms that change": Case(
        "chain", "reaction-field", (2, 6), BONDED, COUPLING,
        # Without charges that change GROMACS 2022 fails at pairs that do.
        (*systems.TERMS_OF_B, *systems.CHARGES_OF_B),
    ),
    "charges that change": Case(
        "chain", "reaction-field", (2,), {"epsilon-r": "2"}, COUPLING, tuple(systems.CHARGES_OF_B)
    ),
    "charges that change, PME": Case(
        "chain", "PME", (1,), {}, COUPLING, tuple(systems.CHARGES_OF_B)
    ),
    "ethane to methanol": Case(
        "ethane", "reaction-field", (1, 4, 5), BONDED, COUPLING, tuple(systems.METHANOL)
    ),
    "ethane to methanol, PME": Case(
        "ethane", "PME", (5,), BONDED | {"sc-power": "2"}, COUPLING, tuple(systems.METHANOL)
    ),
}  # fmt: skip
RUNS = [(name, state) for name, case in CASES.items() for state in case.states]


def written(folder, case, state):
    systems.write(folder, case.solute)
    systems.mutate(folder, case.state_b)
    text = systems.mdp(case.charges, state, changes=case.changes, without=case.without)
    (folder / "run.mdp").write_text(text)


def run(folder, *arguments):
    return subprocess.run(
        sterna_command(*arguments), cwd=folder, env=sterna_environment(), capture_output=True,
        text=True, timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def imported(folder, files=("topol.top", "conf.gro")):
    return run(folder, "import", *files, "--mdp", "run.mdp", "-o", "out.toml", "--overwrite")


def by_gromacs(program, folder):
    """The potential energy, derivatives and energies of all states, by their legends."""
    systems.run_gromacs(program, folder)
    text = (folder / "d.xvg").read_text()
    row = [float(x) for x in text.splitlines()[-1].split()[1:]]
    found = {"derivatives": {}, "energies": []}
    for legend, value in zip(re.findall(r'^@ s\d+ legend "(.*)"$', text, re.M), row, strict=True):
        if "dH/d" in legend:
            found["derivatives"][re.search(r"(\w+)-lambda", legend)[1]] = value
        elif "to " in legend:
            found["energies"].append(value)
        elif "Potential" in legend:
            found["potential"] = value
    return found


@pytest.mark.parametrize(("name", "state"), RUNS)
def test_the_record_is_what_gromacs_computes(name, state, tmp_path):
    program = shutil.which(os.environ.get("STERNA_GROMACS", "gmx_d"))
    if program is None:
        pytest.skip("no GROMACS to compare with: there is no gmx_d (apt install gromacs)")
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {"runs": {}}
    written(tmp_path, CASES[name], state)
    found = by_gromacs(program, tmp_path)
    if os.environ.get("STERNA_UPDATE_EXPECTED"):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        record["program"] = re.search(r"^GROMACS version: *(\S+)", version.stdout, re.M)[1]
        record["runs"][f"{name}, state {state}"] = found
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    expected = record["runs"][f"{name}, state {state}"]
    for key, value in found["derivatives"].items():
        assert value == pytest.approx(expected["derivatives"][key], rel=1e-7, abs=1e-6)
    assert numpy.allclose(found["energies"], expected["energies"], rtol=1e-7, atol=1e-6)
    assert found["potential"] == pytest.approx(expected["potential"], rel=1e-7)


@pytest.mark.parametrize(("name", "state"), RUNS)
def test_an_imported_run_has_the_energies_of_gromacs(name, state, tmp_path):
    """All states and derivatives, relative to the largest difference of states: 1e-6."""
    case = CASES[name]
    expected = json.loads(RECORD.read_text())["runs"][f"{name}, state {state}"]
    written(tmp_path, case, state)
    done = imported(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "out.toml").read_text()
    text = text.replace("steps = 0", 'steps = 0\nname = "run"\nprecision = "double"')
    text = text.replace('kind = "fmm"\naccuracy = 0.0001', 'kind = "ewald"\naccuracy = 1e-8')
    (tmp_path / "out.toml").write_text(text)
    done = run(tmp_path, "run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    states = read_states(tmp_path / "output" / "run.dhdl.xvg")
    potential = read_log(tmp_path / "output" / "run.log.jsonl").rows[0]["potential_energy"]
    size = max(map(abs, expected["energies"]))
    assert size > 0.01
    assert numpy.allclose(states.differences[0], expected["energies"], rtol=0.0, atol=1e-6 * size)
    # The rest is the error of PME, which does not depend on the state.
    assert potential == pytest.approx(expected["potential"], rel=1e-6, abs=1e-3)
    backwards = case.changes.get("couple-lambda0") == "none"
    names = [name.removesuffix("-lambda") for name in states.parts]
    mine = dict(zip(names, states.derivatives[0], strict=True))
    mine["fep"] = mine["vdw"]  # of one lambda, where charges do not change
    if backwards:
        mine = {key: -value for key, value in mine.items()}
    for key, value in expected["derivatives"].items():
        if key not in mine:
            assert value == 0.0  # there are no bonded terms that change
            continue
        if key == "vdw" and case.changes.get("couple-lambda1") == "vdw" and not backwards:
            assert value == 0.0  # GROMACS has none of what does not change
            continue
        assert mine[key] == pytest.approx(value, rel=1e-6, abs=1e-6 * size), key


def read(folder):
    choices = Choices(1.0, mdp=folder / "run.mdp")
    return read_gromacs(folder / "topol.top", folder / "conf.gro", choices)


def one_step(folder, ranks=1):
    """States, the row of the log and forces at the start."""
    done = run(folder, "run", "out.toml", "-n", str(ranks), "--overwrite")
    if "does not yield while it waits" in done.stderr:
        pytest.skip("this MPI is too slow with more ranks than cores")
    assert done.returncode == 0, done.stdout + done.stderr
    output = folder / "output"
    with h5py.File(output / "run.h5md") as file:
        forces = file["particles/trajectory/force/value"][0]
    row = read_log(output / "run.log.jsonl").rows[0]
    return read_states(output / "run.dhdl.xvg"), row["potential_energy"], forces


def test_a_mutation_on_a_path_of_charges(tmp_path):
    """Forces and derivatives are differences of energies, other states are foretold, ranks agree."""
    case = CASES["ethane to methanol"]
    written(tmp_path, case, 1)
    assert imported(tmp_path).returncode == 0
    step = 1e-4
    center = (0.4, 0.55, 0.35)
    schedule = [center, (1.0, 1.0, 1.0)]
    for k in range(3):
        for sign in (-1, 1):
            schedule.append(tuple(x + sign * step * (n == k) for n, x in enumerate(center)))
    text = (tmp_path / "out.toml").read_text()
    for key, k in (("charges", 0), ("van_der_waals", 1), ("bonded", 2)):
        text = re.sub(rf"(?m)^{key} = .*", f"{key} = {[state[k] for state in schedule]}", text)
    text = text.replace('charge_path = "energies"', 'charge_path = "charges"')
    text = text.replace("steps = 0", 'steps = 0\nname = "run"\nprecision = "double"')
    text = text.replace("trajectory_interval = 1000", 'trajectory_interval = 1\n'
                        'trajectory_fields = ["position", "force"]')  # fmt: skip
    made = {}
    for state in (0, 1):
        changed = re.sub(r"(?m)^state = .*", f"state = {state}", text)
        (tmp_path / "out.toml").write_text(changed)
        made[state] = one_step(tmp_path)
    foretold = made[0][0].differences[0]
    assert made[1][1] - made[0][1] == pytest.approx(foretold[1], abs=1e-5)
    for k in range(3):
        slope = (foretold[3 + 2 * k] - foretold[2 + 2 * k]) / (2.0 * step)
        assert made[0][0].derivatives[0, k] == pytest.approx(slope, rel=1e-6, abs=1e-5)
    (tmp_path / "out.toml").write_text(re.sub(r"(?m)^state = .*", "state = 0", text))
    more = one_step(tmp_path, ranks=3)
    assert numpy.allclose(more[0].differences, made[0][0].differences, rtol=1e-9, atol=1e-8)
    assert numpy.allclose(more[2], made[0][2], rtol=1e-6, atol=1e-3)
    lines = (tmp_path / "out.extxyz").read_text().splitlines()
    for atom, axis in ((0, 0), (4, 1), (7, 2)):
        energies = []
        for sign in (-1, 1):
            words = lines[2 + atom].split()
            words[1 + axis] = f"{float(words[1 + axis]) + sign * 1e-5:.15g}"
            changed = [*lines[: 2 + atom], " ".join(words), *lines[3 + atom :]]
            (tmp_path / "out.extxyz").write_text("\n".join(changed) + "\n")
            energies.append(one_step(tmp_path)[1])
        slope = -(energies[1] - energies[0]) / 2e-5
        assert made[0][2][atom, axis] == pytest.approx(slope, rel=1e-4, abs=0.5)


def asked(folder, changes=None, without=()):
    """The system that the files make."""
    systems.write(folder, "chain", water=False)
    text = systems.mdp("reaction-field", 2, changes=changes, without=without)
    (folder / "run.mdp").write_text(text)
    return read(folder)


NO_STATE = (*LISTS, "init-lambda-state")


@pytest.mark.parametrize(
    ("changes", "without", "expected"),
    [
        ({}, (), {"kind": "decoupling", "state": 2, "interval": 1, "soft_core_alpha": 0.5,
                  "soft_core_power": 1, "molecules": ["MOL"], "charge_path": "energies",
                  "van_der_waals": [0, 0, 0, 0, 0.3, 0.7, 1]}),
        # The defaults of GROMACS.
        ({}, ("nstdhdl", "sc-alpha", "sc-power", "couple-intramol", "couple-lambda0"),
         {"kind": "decoupling", "interval": 50, "soft_core_alpha": 0.0,
          "charges": [0, 0.25, 0.5, 1, 1, 1, 1]}),
        ({"couple-moltype": "mol", "couple-intramol": "yes"}, (), {"kind": "annihilation"}),
        # A part without lambdas of its own has none, unless fep-lambdas are there.
        ({"vdw-lambdas": "0 0 0 0 .3 .7 .9"}, ("coul-lambdas",), {"charges": [0] * 7}),
        ({"fep-lambdas": "0 .1 .2 .3 .4 .5 1", "coul-lambdas": "0 0.1 0.2 0.3 1 1 1"},
         ("vdw-lambdas",), {"van_der_waals": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 1],
                            "charges": [0, 0.1, 0.2, 0.3, 1, 1, 1]}),
        ({"init-lambda": "0.3", "couple-lambda0": "vdw"}, NO_STATE,
         {"van_der_waals": [0.3], "charges": [1.0], "state": 0}),
        ({"init-lambda": "0.5", "fep-lambdas": "0 0.5 1", "couple-lambda0": "vdw"}, NO_STATE,
         {"van_der_waals": [0, 0.5, 1], "state": 1}),
        # Only with soft charges, which act on none here, is sc-sigma the smallest size of pairs.
        ({"fep-lambdas": "0 0 1", "couple-lambda0": "vdw", "sc-sigma": "0.25"}, LISTS,
         {"soft_core_sigma": 0.25}),
        ({"couple-lambda0": "none", "couple-lambda1": "vdw-q", "sc-power": "2",
          "coul-lambdas": "0 0 0 0 .3 .7 1", "vdw-lambdas": "0 .3 .7 1 1 1 1"}, (),
         {"charges": [1, 1, 1, 1, 0.7, 0.3, 0], "van_der_waals": [1, 0.7, 0.3, 0, 0, 0, 0],
          "soft_core_power": 2}),
    ],
)  # fmt: skip
def test_options_are_taken_over(changes, without, expected, tmp_path):
    assert expected.items() <= asked(tmp_path, changes, without).sections["alchemy"].items()


def test_without_free_energy_the_other_options_have_no_effect(tmp_path):
    system = asked(tmp_path, {"free-energy": "no", "couple-lambda0": "surprise"})
    assert "alchemy" not in system.sections


@pytest.mark.parametrize(
    ("changes", "without", "message"),
    [
        ({}, ("couple-lambda1",), "couple-lambda0 and couple-lambda1 are the same: nothing changes"),
        ({}, ("sc-alpha",), "without a soft core the derivative is infinite"),
        ({"calc-lambda-neighbors": "1"}, (), "has the energies of all states"),
        ({}, ("calc-lambda-neighbors",), "has the energies of all states"),
        ({"separate-dhdl-file": "no"}, (), "in NAME.dhdl.xvg in any case"),
        ({"dh_hist_size": "10"}, (), "has no histograms"),
        ({}, (), "has no column of the whole energy"),
        ({"couple-lambda0": "none", "couple-lambda1": "vdw"}, (), "derivatives have the other sign"),
        ({"vdw-modifier": "Force-switch", "rvdw-switch": "0.7"}, (),
         "GROMACS (2022) computes them without the switching function"),
    ],
)  # fmt: skip
def test_what_differs_is_told(changes, without, message, tmp_path):
    assert message in "\n".join(asked(tmp_path, changes, without).not_kept)


@pytest.mark.parametrize(
    ("changes", "without", "message"),
    [
        ({"free-energy": "expanded"}, (), 'free-energy is "expanded", which is not taken over'),
        ({"delta-lambda": "1e-5"}, (), "(slow growth) is not taken over"),
        ({"couple-moltype": "system"}, (), "the whole system as couple-moltype"),
        ({"couple-moltype": "MOLE"}, (), 'molecules of the type "MOLE"; did you mean "MOL"?'),
        ({"couple-moltype": ""}, (), "without couple-moltype, and the topology has no state B"),
        ({"couple-lambda1": "nothing"}, (), "expected vdw-q, vdw, q, none"),
        ({"coul-lambdas": "0 1"}, (), "vdw-lambdas has 7 numbers and coul-lambdas 2"),
        ({"vdw-lambdas": "0 0 0 0 0 0 1.5"}, (), "vdw-lambdas has 1.5; expected numbers from 0 to 1"),
        ({"vdw-lambdas": "0 0 0 0 0 0 x"}, (), 'vdw-lambdas is "x"; expected a number'),
        ({"temperature-lambdas": "0 0 0 0 0 0 1"}, (), "temperature-lambdas are not taken over"),
        ({"init-lambda-state": "7"}, (), "there are 7 states, which are counted from 0"),
        ({}, ("init-lambda-state",), "there is no state of the run"),
        ({}, LISTS, "init-lambda-state is 2, but there are no states"),
        ({"init-lambda": "0.5"}, (), "init-lambda and init-lambda-state are both given"),
        ({"init-lambda": "0.5"}, ("init-lambda-state",), "init-lambda is 0.5, which does not name a"),
        ({"sc-coul": "yes"}, (), "GROMACS gives charges a soft core, too"),
        ({"fep-lambdas": "0 0.5 1"}, LISTS, "as one lambda switches off both; expected coul-lambdas"),
        ({"sc-power": "3"}, (), "sc-power is 3; expected 1 or 2"),
        ({"sc-r-power": "48"}, (), "sc-r-power is 48; expected 6"),
        ({"sc-alpha": "-1"}, (), "sc-alpha is -1; expected 0 or more"),
        ({"sc-function": "gapsys"}, (), "the soft core of Gapsys et al. is not taken over"),
        ({"nstdhdl": "-1"}, (), "nstdhdl is -1; expected 0 or more"),
        ({"calc-lambda-neighbors": "-2"}, (), "calc-lambda-neighbors is -2; expected -1 or more"),
        ({"couple-lambda0": "q"}, (), "state 0 has charges without van der Waals interactions"),
        ({"coul-lambdas": "0 0 0 0 0 0 0"}, (), "state 6 has charges without van der Waals"),
        ({"couple-lamda1": "none"}, (), 'did you mean "couple-lambda1"?'),
    ],
)  # fmt: skip
def test_what_means_something_else_is_refused_with_its_line(changes, without, message, tmp_path):
    with pytest.raises(SternaError) as caught:
        asked(tmp_path, changes, without)
    assert message in str(caught.value)
    assert re.search(r"run\.mdp:\d+:\d+: error:", str(caught.value))


STATE_B = [
    ("1 C1 1 MOL A 1 0.3 12.011", "1 C1 1 MOL A 1 0.3 12.011 N1 0.3 12.011"),
    ("1 C1 1 MOL A 1 0.3 12.011", "1 C1 1 MOL A 1 0.3 12.011 C1 0.2"),
    ("1 2 1 0.15 200000", "1 2 1 0.15 200000 0.16 200000"),
    ("[ moleculetype ]\nMOL", "[ bondtypes ]\nC1 C1 1 0.1 9 0.2 9\n[ moleculetype ]\nMOL"),
    ("[ moleculetype ]\nMOL", "[ pairtypes ]\nC1 C1 1 0.1 9 0.2 9\n[ moleculetype ]\nMOL"),
]


@pytest.mark.parametrize("is_asked", [True, False])
@pytest.mark.parametrize(("old", "new"), STATE_B)
def test_a_state_b_is_not_passed_over(old, new, is_asked, tmp_path):
    systems.write(tmp_path, "chain", water=False)
    text = (tmp_path / "topol.top").read_text()
    assert old in text
    (tmp_path / "topol.top").write_text(text.replace(old, new, 1))
    changes = {} if is_asked else {"free-energy": "no"}
    (tmp_path / "run.mdp").write_text(systems.mdp("reaction-field", 2, changes=changes))
    if is_asked:
        with pytest.raises(SternaError) as caught:
            read(tmp_path)
        said = str(caught.value)
        assert "are not taken over" in said and "free-energy = yes" in said
    else:
        said = "\n".join(read(tmp_path).not_kept)
        assert "parameters of a perturbed state B are ignored" in said
    assert re.search(r"topol\.top:\d+:", said)


REFUSED_OF_B = [
    ("1 2 1 0.15 200000", "1 2 2 0.15 200000 0.16 200000", "a G96 bond that changes to a state B"),
    ("[ pairs ]", "[ dihedrals ]\n1 2 3 4 9 20 5 2 20 5 3\n[ pairs ]", "the multiplicity differs"),
    ("[ pairs ]", "[ dihedrals ]\n1 2 3 4 9 20 5 7 20 6 7\n[ pairs ]", "the multiplicity is 7"),
    (
        "[ pairs ]",
        "[ position_restraints ]\n1 1 9 9 9 8 8 8\n[ pairs ]",
        "a position restraint that",
    ),
    ("1 2 1 0.15 200000", "1 2 1 0.15 200000 -0.16 200000", "a length at rest is -0.16"),
    ("1 2 1 0.15 200000", "1 2 1 0.15 200000 0.16 -1", "a force constant is -1"),
    ("1 4 1\n", "1 4 1\n1 5 1 0.3 0.2 0.3 0.4\n", "are not excluded, which is not taken over"),
]


def mutated(folder, changes, options=None, without=()):
    systems.write(folder, "chain", water=False)
    systems.mutate(folder, changes)
    text = systems.mdp("reaction-field", 2, changes=options, without=(*COUPLING, *without))
    (folder / "run.mdp").write_text(text)
    return read(folder)


@pytest.mark.parametrize(("old", "new", "message"), REFUSED_OF_B)
def test_a_state_b_that_is_not_taken_over_is_refused_with_its_line(old, new, message, tmp_path):
    with pytest.raises(SternaError) as caught:
        mutated(tmp_path, [(old, new)])
    assert message in str(caught.value)
    assert re.search(r"topol\.top:\d+:\d+: error:", str(caught.value))


def test_a_state_b_with_soft_charges_is_refused(tmp_path):
    with pytest.raises(SternaError, match="GROMACS gives charges a soft core, too"):
        mutated(tmp_path, systems.CHARGES_OF_B, {"fep-lambdas": "0 0.5 1"}, LISTS)


def test_lengths_of_constraints_change(tmp_path):
    sections = mutated(tmp_path, systems.TERMS_OF_B, {"constraints": "all-bonds"} | BONDED).sections
    changed = [(one["atoms"], one["distance"]) for one in sections["mutated_constraint"]]
    assert changed == [([1, 2], 0.17)]
    assert not any(one["section"] == "bond" for one in sections["mutated_term"])


@pytest.mark.parametrize("lambdas", ["0 0 0.1 0.2 0.3 0.5 1", None])
def test_masses_of_a_state_b_change_with_lambdas_of_their_own(lambdas, tmp_path):
    heavier = [("1 C1 1 MOL A 1 0.3 12.011", "1 C1 1 MOL A 1 0.3 12.011 C1 0.3 14")]
    options = {"mass-lambdas": lambdas} if lambdas else {}
    if lambdas is None:
        # Without lambdas nothing changes, and nothing is to be said of it.
        assert "mutation" not in mutated(tmp_path, heavier, options).sections
        return
    sections = mutated(tmp_path, heavier, options).sections
    assert [one["mass"] for one in sections["mutation"]] == [14.0]
    assert sections["alchemy"]["masses"] == [0, 0, 0.1, 0.2, 0.3, 0.5, 1]


def test_atoms_that_become_different_ones_get_types_of_their_own(tmp_path):
    system = mutated(tmp_path, systems.CHARGES_OF_B)
    of = {one["type"]: one for one in system.sections["mutation"]}
    kind = next(one for one in Molecules(system).kinds if one.name == "MOL")
    charges = [
        of[a["type"]]["charge"] if a["type"] in of else a["charge"] for a in kind.tables["atom"]
    ]
    assert charges == [0.5, -0.2, 0.1, -0.1, 0.6]
    assert {one["becomes"] for one in of.values()} == {"C1", "N1"}


def test_a_molecule_type_in_two_places_and_with_the_types_of_others(tmp_path):
    """Atoms of the coupled molecules get types of their own, which interact as before."""
    systems.write(tmp_path, "chain")
    top = (tmp_path / "topol.top").read_text()
    count = int(re.findall(r"SOL (\d+)", top)[-1])
    top = top.replace(f"MOL 1\nSOL {count}\n", f"SOL 1\nMOL 1\nSOL {count - 2}\nTWIN 1\n")
    twin = top[top.index("[ moleculetype ]") : top.index("[ moleculetype ]\nSOL")]
    twin = twin.replace("MOL 3", "TWIN 3", 1)
    top = top.replace("[ system ]", twin + "[ system ]")
    (tmp_path / "topol.top").write_text(top)
    lines = (tmp_path / "conf.gro").read_text().splitlines()
    atoms = lines[2:-1]
    solute, water = atoms[:5], atoms[5:]
    order = [*water[:3], *solute, *water[3 : 3 * (count - 1)], *solute]
    (tmp_path / "conf.gro").write_text(
        "\n".join([lines[0], str(len(order)), *order, lines[-1]]) + "\n"
    )
    (tmp_path / "run.mdp").write_text(systems.mdp("reaction-field", 2))
    system = read(tmp_path)
    (name,) = system.sections["alchemy"]["molecules"]
    kinds = Molecules(system).kinds
    types = {one.name: {atom["type"] for atom in one.tables["atom"]} for one in kinds}
    assert types[name] == {"C1_coupled", "N1_coupled"}
    of = {one["name"]: one for one in system.types}
    assert of["C1_coupled"]["sigma"] == of["C1"]["sigma"]
    assert {"C1", "N1"} in types.values()
