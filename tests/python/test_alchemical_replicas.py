"""Replicas in alchemical states: exchanges by independent energies, charges that follow the state, free
energies, bits, and energies in any state."""

import json
import math
import re
import shutil
import subprocess

import alchemical_systems as systems
import h5py
import numpy as np
import pytest
import sterna
import test_import_free_energy as mutations
from conftest import ROOT, sterna_command, sterna_environment
from sterna import read_log
from sterna.errors import InputError
from sterna.free_energies import read_exchanges, read_states

LAMBDAS = [0.0, 0.3, 0.6, 1.0]

PAIR = (
    systems.PAIR
    + """\
[replicas]
interval = 25
exchange = "{exchange}"
[output]
directory = "output"
trajectory_interval = {trajectory}
"""
)


def run_sterna(folder, *arguments, status=0):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if "does not yield while it waits" in done.stderr:
        pytest.skip("this MPI is too slow with more ranks than cores")
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def write_pair(folder, steps, trajectory=0, more="", exchange="neighbors"):
    folder.mkdir(exist_ok=True)
    (folder / "pair.extxyz").write_text(
        '2\nLattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3\nA 1 1 1\nB 2.5 2.5 2.5\n'
    )
    text = PAIR.format(steps=steps, seed=11, trajectory=trajectory, exchange=exchange)
    (folder / "pair.toml").write_text(text + more)


def events(path, kind):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["event"] == kind]


def positions_of(path):
    """Positions by step, in the order of ids."""
    with h5py.File(path) as file:
        group = file["particles/trajectory"]
        assert (np.diff(group["id"][:]) == 1).all()
        steps, places = group["position/step"][:], group["position/value"][:]
    return {int(step): place for step, place in zip(steps, places, strict=True)}


def energy_of_pair(positions, switched, edge=5.0):
    """u and du/dlambda of the soft core of Beutler et al., alpha = 0.5, that ends at 2.5."""
    away = positions[1] - positions[0]
    away -= edge * np.round(away / edge)
    s6 = (away @ away) ** 3 + 0.5 * switched
    if s6 >= 2.5**6:
        return 0.0, 0.0
    u = 4.0 * (s6**-2 - s6**-1)
    by_s6 = 4.0 * (-2.0 * s6**-3 + s6**-2)
    return (1.0 - switched) * u, -u + (1.0 - switched) * 0.5 * by_s6


def require_exchanges(folder, states):
    """The attempts, files and energies are those that the positions of trajectories give.

    `states`: lambda and temperature of each.
    """
    output = folder / "output"
    rows = events(output / "pair.replicas.jsonl", "exchange")
    count = len(states)
    places = [positions_of(output / f"pair.replica-{k}.h5md") for k in range(count)]
    files = [read_states(output / f"pair.state-{k}.dhdl.xvg") for k in range(count)]
    assert [len(file.time) for file in files] == [len(rows)] * count
    attempted = accepted = 0
    for number, row in enumerate(rows):
        at = [places[replica][row["step"]] for replica in range(count)]
        energies = np.array([[energy_of_pair(x, of[0]) for of in states] for x in at])
        reduced = energies[:, :, 0] / np.array([of[1] for of in states])
        for replica, state in enumerate(row["states"]):
            assert row["potential_energy"][replica] == pytest.approx(
                energies[replica, state, 0], rel=1e-6, abs=1e-8
            )
            file = files[state]
            own = reduced[replica] - reduced[replica, state]
            np.testing.assert_allclose(file.reduced()[number], own, rtol=1e-5, atol=1e-7)
            slope = energies[replica, state, 1] / states[state][1]
            assert file.derivatives[number, 1] / file.thermal_energy == pytest.approx(
                slope, rel=1e-5, abs=1e-7
            )
            assert file.derivatives[number, 0] == 0.0
        for attempt in row["attempts"]:
            i, j = attempt["states"]
            a, b = row["states"].index(i), row["states"].index(j)
            delta = reduced[b, i] + reduced[a, j] - reduced[a, i] - reduced[b, j]
            assert attempt["delta"] == pytest.approx(delta, rel=1e-5, abs=1e-7)
            taken = attempt["delta"] <= 0.0 or attempt["random"] < math.exp(-attempt["delta"])
            assert attempt["accepted"] == taken
            assert (row["next_states"][a] == j) == taken
            attempted, accepted = attempted + 1, accepted + taken
    assert 0 < accepted < attempted
    return files


def test_states_of_alchemy_exchange_by_the_energies_of_their_positions(tmp_path):
    write_pair(tmp_path, steps=5000, trajectory=25)
    told = run_sterna(tmp_path, "run", "pair.toml", "-n", 2)
    assert "4 replicas on 2 groups" in told
    files = require_exchanges(tmp_path, [(of, 1.0) for of in LAMBDAS])
    assert files[0].lambdas == [(0.0, of) for of in LAMBDAS]
    # The states have one kind of file, of the form of a single run's.
    assert not list((tmp_path / "output").glob("*replica-*.dhdl.xvg"))
    replicas = sterna.Replicas(tmp_path / "pair.toml")
    assert replicas.count == 4
    log = read_log(tmp_path / "output" / "pair.replica-1.log.jsonl")
    assert set(log["state"].tolist()) <= {0, 1, 2, 3}


MIXED = """\
[[state]]
temperature = 1.0
[[state]]
temperature = 1.0
alchemical_state = 1
[[state]]
temperature = 1.3
alchemical_state = 1
[[state]]
temperature = 1.3
alchemical_state = 3
"""


def test_temperatures_and_alchemical_states_exchange_together(tmp_path):
    write_pair(tmp_path, steps=3000, trajectory=25, more=MIXED)
    run_sterna(tmp_path, "run", "pair.toml", "-n", 1)
    states = [(0.0, 1.0), (0.3, 1.0), (0.3, 1.3), (1.0, 1.3)]
    files = require_exchanges(tmp_path, states)
    assert files[0].lambdas == [(0.0, of[0], float(k)) for k, of in enumerate(states)]
    table = run_sterna(tmp_path, "free-energy", "output")
    assert "FIELDS state coul vdw free_energy error bar bar_error overlap samples" in table
    start = events(tmp_path / "output" / "pair.replicas.jsonl", "start")[0]
    assert [of["alchemical_state"] for of in start["states"]] == [0, 1, 1, 3]


BIASED = """\
[[group]]
name = "one"
select = "id 1"
[[group]]
name = "other"
select = "id 2"
[[variable]]
name = "d"
kind = "distance"
groups = ["one", "other"]
[[bias]]
name = "pull"
kind = "harmonic"
variable = "d"
center = 1.2
stiffness = 4.0
[[state]]
alchemical_state = 0
[[state]]
alchemical_state = 1
bias = [{ name = "pull", center = 1.4 }]
[[state]]
alchemical_state = 3
bias = [{ name = "pull", stiffness = 1.0 }]
"""


def test_biases_and_alchemical_states_exchange_together(tmp_path):
    write_pair(tmp_path, steps=2000, trajectory=25, more=BIASED)
    run_sterna(tmp_path, "run", "pair.toml", "-n", 2)
    output = tmp_path / "output"
    rows = events(output / "pair.replicas.jsonl", "exchange")
    places = [positions_of(output / f"pair.replica-{k}.h5md") for k in range(3)]
    states = [(0.0, 1.2, 4.0), (0.3, 1.4, 4.0), (1.0, 1.2, 1.0)]
    for row in rows:
        at = [places[replica][row["step"]] for replica in range(3)]
        energies = np.zeros((3, 3))
        for replica, x in enumerate(at):
            away = x[1] - x[0]
            distance = np.linalg.norm(away - 5.0 * np.round(away / 5.0))
            for k, (switched, center, stiffness) in enumerate(states):
                bias = 0.5 * stiffness * (distance - center) ** 2
                energies[replica, k] = energy_of_pair(x, switched)[0] + bias
        for replica, state in enumerate(row["states"]):
            assert row["potential_energy"][replica] == pytest.approx(
                energies[replica, state], rel=1e-5, abs=1e-6
            )
        for attempt in row["attempts"]:
            i, j = attempt["states"]
            a, b = row["states"].index(i), row["states"].index(j)
            delta = energies[b, i] + energies[a, j] - energies[a, i] - energies[b, j]
            assert attempt["delta"] == pytest.approx(delta, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("exchange", ["neighbors", "gibbs"])
def test_two_atoms_have_the_free_energy_of_the_second_virial_coefficient(
    exchange, tmp_path, monkeypatch
):
    """In a cube V one atom costs -kT ln(1 - 2 B2 / V): 0.07368 kT less with the other one.

    B2 of the potential that ends at 2.5 sigma is -2.28173 (2 pi sigma^3 / 3) at T = 1.
    """
    pytest.importorskip("pymbar")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    write_pair(tmp_path, steps=100000, exchange=exchange)
    run_sterna(tmp_path, "run", "pair.toml", "-n", 1)
    told = run_sterna(
        tmp_path, "free-energy", "output", "-o", "table.txt", "--plot", "states.png"
    )  # fmt: skip
    assert "the last state minus the first" in told
    assert "warning" not in told
    last = [float(x) for x in (tmp_path / "table.txt").read_text().splitlines()[-1].split()]
    found, error, bar, integrated = last[3], last[4], last[5], last[7]
    assert np.isfinite([bar, integrated]).all()
    second = -2.28173 * 2.0 * np.pi / 3.0
    expected = np.log(1.0 - 2.0 * second / 125.0)
    assert expected == pytest.approx(0.07368, abs=1e-5)
    assert 0.0 < error < 0.01
    assert found == pytest.approx(expected, abs=5.5 * error)
    assert (tmp_path / "states.png").read_bytes().startswith(b"\x89PNG")
    # What is told of exchanges is what the engine has counted.
    log = tmp_path / "output" / "pair.replicas.jsonl"
    end = events(log, "end")[0]
    exchanges = read_exchanges(log)
    assert exchanges.round_trips.tolist() == end["round_trips"]
    np.testing.assert_allclose(exchanges.transition_matrix, end["transition_matrix"], atol=1e-12)
    assert exchanges.second_eigenvalue == pytest.approx(end["second_eigenvalue"], abs=1e-9)
    shares = [pair["acceptance"] for pair in end["pairs"]]
    np.testing.assert_allclose(exchanges.acceptance, shares)
    assert f"round trips through all states: {sum(end['round_trips'])}" in told
    replicas = sterna.Replicas(tmp_path / "pair.toml")
    replicas.plot().savefig(tmp_path / "exchanges.svg")
    assert "walks of replicas" in (tmp_path / "exchanges.svg").read_text()
    convergence = replicas.free_energies().convergence()
    np.testing.assert_allclose(
        [convergence[way][-1] for way in ("forward", "backward")], [(1.0, found, error)] * 2,
        rtol=1e-4,
    )  # fmt: skip
    assert len(convergence["forward"]) == 10


def results(folder, name):
    """All that a run has found, without times and numbers of ranks."""
    output = folder / "output"
    found = {path.name: path.read_bytes() for path in output.glob(f"{name}.state-*.dhdl.xvg")}
    found["exchanges"] = events(output / f"{name}.replicas.jsonl", "exchange")
    for path in output.glob(f"{name}.replica-*.log.jsonl"):
        found[path.name] = read_log(path).rows
    return found


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """The text of a chain of charge 1 in water, in a folder with its start."""
    folder = tmp_path_factory.mktemp("chain")
    systems.write(folder, "chain")
    run_sterna(
        folder, "import", "topol.top", "conf.gro", "--constraints", "none", "--cutoff", "0.9", "-o",
        "out.toml",
    )  # fmt: skip
    text = (folder / "out.toml").read_text()
    text = text[: text.index("[thermostat]")] + text[text.index("[output]") :]
    text = re.sub(r"steps = 10000\ntimestep = .*\n", 'steps = 60\ntimestep = 0.0002\nname = "run"\n'
                  'precision = "double"\n', text)  # fmt: skip
    assert "timestep = 0.0002" in text
    text = text.replace("trajectory_interval = 1000",
                        'trajectory_interval = 10\ntrajectory_fields = ["position", "force"]')  # fmt: skip
    return folder, text


CLOSE = [(0.3, 0.0), (0.35, 0.0), (0.4, 0.05), (0.4, 0.1)]
REPLICAS = """
[thermostat]
kind = "langevin"
temperature = 300.0
time_constant = 0.1
[replicas]
interval = 10
"""


def write_chain(folder, chain, charges, section):
    start, text = chain
    folder.mkdir(exist_ok=True)
    shutil.copy(start / "out.extxyz", folder)
    solver = {
        "reaction-field": 'kind = "reaction_field"\ncutoff = 0.9',
        "ewald": 'kind = "ewald"\naccuracy = 1e-7',
        "fmm": 'kind = "fmm"\naccuracy = 1e-7',
    }[charges]
    assert 'kind = "fmm"\naccuracy = 0.0001' in text
    text = text.replace('kind = "fmm"\naccuracy = 0.0001', solver)
    (folder / "run.toml").write_text(text + "\n" + section)


@pytest.mark.filterwarnings("ignore::sterna.InputWarning")
@pytest.mark.parametrize("charges", ["reaction-field", "fmm", "ewald"])
def test_charges_follow_the_state(charges, chain, tmp_path):
    """Energies and forces of replicas are those of runs that were made in the state."""
    alchemy = systems.section(0, CLOSE).replace("state = 0\ninterval = 1\n", "")
    write_chain(tmp_path / "replicas", chain, charges, alchemy + REPLICAS)
    run_sterna(tmp_path / "replicas", "run", "run.toml", "-n", 2)
    output = tmp_path / "replicas" / "output"
    judges = []
    for state in range(len(CLOSE)):
        write_chain(tmp_path / f"{state}", chain, charges, systems.section(state, CLOSE))
        judges.append(sterna.Simulation.from_file(tmp_path / f"{state}" / "run.toml"))
    require_energies_of_states(output, judges, 1e-9 if charges == "reaction-field" else 1e-5)


def require_energies_of_states(output, judges, scale):
    """`judges`: simulations that were made in each of the states."""
    rows = events(output / "run.replicas.jsonl", "exchange")
    count = len(judges)
    assert any(row["states"] != list(range(count)) for row in rows)
    kT = 0.00831446261815324 * 300.0
    files = [read_states(output / f"run.state-{k}.dhdl.xvg") for k in range(count)]
    for replica in range(count):
        places = positions_of(output / f"run.replica-{replica}.h5md")
        with h5py.File(output / f"run.replica-{replica}.h5md") as file:
            steps = file["particles/trajectory/force/step"][:].tolist()
            forces = file["particles/trajectory/force/value"][:]
        for number, row in enumerate(rows):
            state = row["states"][replica]
            energies = []
            for judge in judges:
                judge.set("position", places[row["step"]])
                judge.measure()
                energies.append(judge.thermo["potential_energy"])
            energy = row["potential_energy"][replica]
            # Positions of files are in single precision.
            assert energy == pytest.approx(energies[state], abs=1e-3 + scale * abs(energy))
            expected = judges[state].gather("force")
            size = np.abs(expected).max()
            np.testing.assert_allclose(
                forces[steps.index(row["step"])], expected, atol=(1e-5 + scale) * size
            )
            differences = np.array(energies) - energies[state]
            np.testing.assert_allclose(kT * files[state].reduced()[number], differences, atol=2e-3)
            # And so are the energies that a simulation tells of other states.
            told = [judges[0].energy(k) for k in range(count)]
            np.testing.assert_allclose(np.array(told) - told[state], differences, atol=2e-3)
            assert judges[0].energy() == pytest.approx(told[0], rel=1e-12)
    for judge in judges:
        judge.close()


@pytest.mark.filterwarnings("ignore::sterna.InputWarning")
@pytest.mark.parametrize("path", ["charges", "energies"])
def test_molecules_that_mutate_exchange_states(path, tmp_path):
    """Ethane that becomes methanol: types, charges, bonded terms and 1-4 pairs."""
    start = tmp_path / "start"
    start.mkdir()
    mutations.written(start, mutations.CASES["ethane to methanol"], 1)
    assert mutations.imported(start).returncode == 0
    text = (start / "out.toml").read_text()
    states = [(0.3, 0.4, 0.3), (0.32, 0.42, 0.34), (0.34, 0.44, 0.3)]
    for k, key in enumerate(("charges", "van_der_waals", "bonded")):
        text = re.sub(rf"(?m)^{key} = .*", f"{key} = {[state[k] for state in states]}", text)
    for old, new in (
        ("steps = 0\n", 'steps = 60\nname = "run"\nprecision = "double"\n'),
        ("timestep = 0.001", "timestep = 0.0002"),
        ("trajectory_interval = 1000",
         'trajectory_interval = 10\ntrajectory_fields = ["position", "force"]'),
        ('charge_path = "energies"', f'charge_path = "{path}"'),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    text = re.sub(r"(?m)^interval = 1\n", "", text)
    text = re.sub(r'\[thermostat\]\nkind = "none"\n', "", text)
    for name in ("replicas", "0", "1", "2"):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(start / "out.extxyz", folder)
        state = "" if name == "replicas" else f"state = {name}\n"
        own = re.sub(r"(?m)^state = 1\n", state, text)
        (folder / "run.toml").write_text(own + (REPLICAS if name == "replicas" else ""))
    run_sterna(tmp_path / "replicas", "run", "run.toml", "-n", 2)
    judges = [sterna.Simulation.from_file(tmp_path / f"{k}" / "run.toml") for k in range(3)]
    output = tmp_path / "replicas" / "output"
    require_energies_of_states(output, judges, 1e-9)
    assert read_states(output / "run.state-1.dhdl.xvg").parts[2] == "bonded-lambda"


@pytest.mark.parametrize("charges", ["reaction-field", "fmm"])
def test_bits_are_those_of_any_number_of_groups_and_of_resumed_runs(charges, chain, tmp_path):
    alchemy = systems.section(0, CLOSE).replace("state = 0\ninterval = 1\n", "")
    found = []
    for name, ranks, parts in (
        ("4", 4, (60,)),
        ("2", 2, (60,)),
        ("1", 1, (60,)),
        ("p", 2, (30, 60)),
    ):
        folder = tmp_path / name
        write_chain(folder, chain, charges, alchemy + REPLICAS)
        for steps in parts:
            more = ["--resume"] if steps != parts[0] else []
            run_sterna(folder, "run", "run.toml", "-n", ranks, "--steps", steps, *more)
        found.append(results(folder, "run"))
    exchanges = found[0]["exchanges"]
    # The resumed run goes on from states that are not those of the start.
    assert exchanges[2]["next_states"] != [0, 1, 2, 3]
    assert len(found[0]) == 9
    assert found[1] == found[0]
    assert found[2] == found[0]
    assert found[3] == found[0]


def test_equal_states_always_exchange(chain, tmp_path):
    states = "".join("[[state]]\nalchemical_state = 1\n" for _ in range(3))
    alchemy = systems.section(0, CLOSE).replace("interval = 1\n", "")
    write_chain(tmp_path, chain, "reaction-field", alchemy + REPLICAS + states)
    run_sterna(tmp_path, "run", "run.toml", "-n", 1)
    for row in events(tmp_path / "output" / "run.replicas.jsonl", "exchange"):
        assert all(a["accepted"] and a["delta"] == 0.0 for a in row["attempts"])


def test_a_simulation_tells_the_energy_in_states_with_biases(tmp_path):
    write_pair(tmp_path, steps=100)
    text = (tmp_path / "pair.toml").read_text()
    single = text[: text.index("[replicas]")] + text[text.index("[output]") :]
    (tmp_path / "pair.toml").write_text(single.replace("trajectory_interval = 0\n", "") + BIASED)
    with pytest.warns(sterna.InputWarning, match="a run is in none of the"):
        simulation = sterna.Simulation.from_file(tmp_path / "pair.toml")
    with simulation:
        simulation.set("position", [[0.5, 1.0, 2.0], [1.5, 1.4, 2.2]])
        at = simulation.gather("position")
        distance = np.linalg.norm(at[1] - at[0])
        states = [(0.0, 1.2, 4.0), (0.3, 1.4, 4.0), (1.0, 1.2, 1.0)]
        for k, (switched, center, stiffness) in enumerate(states):
            expected = energy_of_pair(at, switched)[0] + 0.5 * stiffness * (distance - center) ** 2
            assert simulation.energy(k) == pytest.approx(expected, rel=1e-12)
        # The run itself is in state 0 of [alchemy], with the biases of the input.
        assert simulation.energy() == pytest.approx(simulation.energy(0), rel=1e-12)
        for wrong in (3, -1):
            with pytest.raises(ValueError, match="state"):
                simulation.energy(wrong)


def test_alchemlyb_reads_the_files_of_states(tmp_path):
    gmx = pytest.importorskip("alchemlyb.parsing.gmx")
    write_pair(tmp_path, steps=500)
    text = (tmp_path / "pair.toml").read_text().replace('"reduced"', '"nano"')
    (tmp_path / "pair.toml").write_text(text.replace("temperature = 1.0", "temperature = 100.0"))
    run_sterna(tmp_path, "run", "pair.toml", "-n", 1)
    for state, switched in enumerate(LAMBDAS):
        path = tmp_path / "output" / f"pair.state-{state}.dhdl.xvg"
        own = read_states(path)
        table = gmx.extract_u_nk(str(path), T=100.0)
        assert list(table.columns) == [(0.0, of) for of in LAMBDAS]
        np.testing.assert_allclose(table.to_numpy(), own.reduced(), rtol=1e-6, atol=1e-9)
        slopes = gmx.extract_dHdl(str(path), T=100.0)
        kT = 0.00831446261815324 * 100.0
        np.testing.assert_allclose(slopes.to_numpy(), own.derivatives / kT, rtol=1e-6)
        assert (slopes.index.get_level_values("vdw-lambda") == switched).all()


@pytest.mark.parametrize(
    ("old", "new", "status", "message"),
    [
        ("[output]", "[[state]]\nalchemical_state = 4\n[[state]]\n[output]", 2, "which has 4 states"),
        ("[output]", "[[state]]\nalchemical_sate = 1\n[[state]]\n[output]", 2, '"alchemical_state"?'),
        ("[output]", "[[state]]\nalchemical_state = -1\n[[state]]\n[output]", 2, "at least 0"),
        ("[0, 0.3, 0.6, 1]", "[0.3]", 2, "expected at least two, here is one"),
        ("[0, 0.3, 0.6, 1]", "[0, 0.3, 0.6, 1]\nstate = 2", 0, '"state" has no effect'),
        ("[0, 0.3, 0.6, 1]", "[0, 0.3, 0.6, 1]\ninterval = 5", 0, "\"interval\" in [alchemy] has no"),
        ("[output]", "[rdf]\ninterval = 10\n[output]", 0, "[rdf] of a replica are over all states"),
    ],
)  # fmt: skip
def test_mistakes_are_told(old, new, status, message, tmp_path):
    write_pair(tmp_path, steps=100)
    text = (tmp_path / "pair.toml").read_text()
    assert old in text
    (tmp_path / "pair.toml").write_text(text.replace(old, new, 1))
    told = run_sterna(tmp_path, "check", "pair.toml", status=status)
    assert "pair.toml:" in told and message in told, told


def test_states_without_alchemy_or_with_fields_are_refused(tmp_path):
    write_pair(tmp_path, steps=100)
    text = (tmp_path / "pair.toml").read_text()
    begin, end = text.index("[alchemy]"), text.index("[replicas]")
    none = text[:begin] + text[end:] + "[[state]]\nalchemical_state = 1\n[[state]]\n"
    (tmp_path / "pair.toml").write_text(none)
    told = run_sterna(tmp_path, "check", "pair.toml", status=2)
    assert "a state with an alchemical state needs [alchemy]" in told
    field = text.replace("[0, 0.3, 0.6, 1]", "[0, 0.3, 0.6, 1]\ncharges = [0, 1, 1, 1]")
    field += "[[field]]\nelectric_field = [0, 0, 1]\n"
    (tmp_path / "pair.toml").write_text(field)
    assert "do not go with an electric field" in run_sterna(
        tmp_path, "check", "pair.toml", status=2
    )


def test_the_example_runs(tmp_path):
    shutil.copytree(ROOT / "examples" / "alchemy", tmp_path / "alchemy")
    path = tmp_path / "alchemy" / "replicas.toml"
    text = path.read_text()
    assert "steps = 50000" in text
    path.write_text(text.replace("steps = 50000", "steps = 500"))
    run_sterna(tmp_path / "alchemy", "run", "replicas.toml", "-n", 2)
    files = sorted((tmp_path / "alchemy" / "output").glob("*.dhdl.xvg"))
    assert sorted(read_states(file).state for file in files) == list(range(7))


def test_a_simulation_refuses_replicas(tmp_path):
    write_pair(tmp_path, steps=100)
    with pytest.raises(InputError, match="a single simulation has no replicas"):
        sterna.Simulation.from_file(tmp_path / "pair.toml")


def python_weights(chances_of, draws, states):
    """The weights after each draw, by Tan's two stages, from the probabilities of the states."""
    weights, shares, visits = np.zeros(states), np.zeros(states), np.zeros(states)
    settled, found = 0, []
    for count, (reduced, drawn) in enumerate(draws, 1):
        chances = chances_of(weights, reduced)
        visits[drawn] += 1
        gain = count**-0.8 if settled == 0 else 1.0 / (count - settled + settled**0.8)
        weights = weights - min(1.0 / states, gain) * states * chances
        weights -= weights[0]
        shares += chances
        if count & (count - 1) == 0:
            is_flat = shares.min() >= 0.8 * shares.sum() / states and visits.min() > 0
            if settled == 0 and count >= 16 * states and is_flat:
                settled = count
            shares[:] = 0.0
        found.append((weights, settled > 0))
    return found


def chances_of(weights, reduced):
    chances = np.exp(weights - reduced - (weights - reduced).max())
    return chances / chances.sum()


def test_an_expanded_ensemble_finds_its_weights(tmp_path, monkeypatch):
    """One replica walks over all states; its weights are the free energies of the states."""
    pytest.importorskip("pymbar")
    monkeypatch.chdir(tmp_path)
    write_pair(tmp_path, steps=60000, trajectory=25, exchange="expanded")
    told = run_sterna(tmp_path, "run", "pair.toml", "-n", 1)
    assert "1 replica on 1 group" in told
    output = tmp_path / "output"
    rows = events(output / "pair.replicas.jsonl", "exchange")
    places = positions_of(output / "pair.replica-0.h5md")
    reduced = [
        np.array([energy_of_pair(places[row["step"]], of)[0] for of in LAMBDAS]) for row in rows
    ]
    drawn = [row["next_states"][0] for row in rows]
    assert [row["states"][0] for row in rows] == [0, *drawn[:-1]]
    judged = python_weights(chances_of, zip(reduced, drawn, strict=True), 4)
    for row, (weights, settled) in zip(rows, judged, strict=True):
        np.testing.assert_allclose(row["weights"], weights, atol=1e-4)
        assert row["settled"] == settled
    assert rows[-1]["settled"]
    # States are drawn by their probabilities.
    before = [np.zeros(4), *(weights for weights, _ in judged[:-1])]
    chances = np.array([chances_of(w, u) for w, u in zip(before, reduced, strict=True)])
    for state in range(4):
        hits = np.array(drawn) == state
        variance = (chances[:, state] * (1.0 - chances[:, state])).sum()
        assert abs(hits.sum() - chances[:, state].sum()) < 5.0 * math.sqrt(variance)
        assert hits.mean() == pytest.approx(0.25, abs=0.1)
    expected = math.log(1.0 + 2.0 * 2.28173 * 2.0 * np.pi / 3.0 / 125.0)
    assert rows[-1]["weights"][3] == pytest.approx(expected, abs=0.2)
    run_sterna(tmp_path, "free-energy", "output", "-o", "table.txt", "--plot", "states.pdf")
    last = [float(x) for x in (tmp_path / "table.txt").read_text().splitlines()[-1].split()]
    assert 0.0 < last[4] < 0.05
    assert last[3] == pytest.approx(expected, abs=5.5 * last[4])
    replicas = sterna.Replicas(tmp_path / "pair.toml")
    assert (replicas.count, replicas.state_count) == (1, 4)
    assert replicas.weights[-1].tolist() == rows[-1]["weights"]
    end = replicas.end
    assert end["visits"] == np.bincount(drawn, minlength=4).tolist()
    assert replicas.round_trips.tolist() == end["round_trips"]
    np.testing.assert_allclose(replicas.transition_matrix, end["transition_matrix"], atol=1e-12)
    assert replicas.exchanges.second_eigenvalue == pytest.approx(end["second_eigenvalue"])
    replicas.plot().savefig(tmp_path / "walk.png")


def test_walkers_share_their_weights_on_any_number_of_groups(chain, tmp_path):
    alchemy = systems.section(0, CLOSE).replace("state = 0\ninterval = 1\n", "")
    expanded = REPLICAS + 'exchange = "expanded"\nwalkers = 3\n'
    found = []
    for name, ranks, parts in (("1", 1, (60,)), ("3", 3, (60,)), ("p", 2, (30, 60))):
        folder = tmp_path / name
        write_chain(folder, chain, "reaction-field", alchemy + expanded)
        for steps in parts:
            more = ["--resume"] if steps != parts[0] else []
            run_sterna(folder, "run", "run.toml", "-n", ranks, "--steps", steps, *more)
        found.append(results(folder, "run"))
    assert found[0]["exchanges"][0]["states"] == [0, 1, 2]
    assert found[0]["exchanges"][2]["next_states"] != [0, 1, 2]
    assert len(found[0]) == 8
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_given_weights_stay(tmp_path):
    write_pair(tmp_path, steps=20000, exchange="expanded")
    text = (tmp_path / "pair.toml").read_text()
    given = [1.0, 1.0, 1.0, 3.0]
    (tmp_path / "pair.toml").write_text(
        text.replace('"expanded"\n', f'"expanded"\nweights = {given}\n')
    )
    run_sterna(tmp_path, "run", "pair.toml", "-n", 1)
    rows = events(tmp_path / "output" / "pair.replicas.jsonl", "exchange")
    assert all(row["weights"] == [0.0, 0.0, 0.0, 2.0] and row["settled"] for row in rows)
    # Free energies are below 0.1, so that the last state is visited by about exp(2) to 1.
    share = np.mean([row["next_states"][0] == 3 for row in rows])
    assert share == pytest.approx(math.exp(2.0) / (3.0 + math.exp(2.0)), abs=0.12)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('"neighbors"\nwalkers = 2', '"walkers" is for an expanded ensemble'),
        ('"gibbs"\nweights = [0, 1, 2, 3]', '"weights" is for an expanded ensemble'),
        ('"expanded"\nweights = [0, 1, 2]', "has 3 numbers; expected one for each of 4 states"),
        ('"expanded"\nwalkers = 0', "at least 1"),
    ],
)
def test_mistakes_of_expanded_ensembles_are_told(keys, message, tmp_path):
    write_pair(tmp_path, steps=100)
    text = (tmp_path / "pair.toml").read_text().replace('"neighbors"', keys)
    (tmp_path / "pair.toml").write_text(text)
    told = run_sterna(tmp_path, "check", "pair.toml", status=2)
    assert "pair.toml:" in told and message in told, told
