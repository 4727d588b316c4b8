"""Replicas that exchange states: ensembles, acceptance, bits, kills, and free energies of states."""

import json
import math
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import sterna
from conftest import ROOT, sterna_command, sterna_environment
from scipy import stats
from sterna import read_log
from sterna.errors import SternaError
from sterna.free_energies import free_energies_of_states, read_states

GAS_CONSTANT = 0.00831446261815324

# Particles that do not interact.
IDEAL = """\
[run]
name = "ideal"
steps = {steps}
timestep = 0.02
seed = 3
[start]
kind = "file"
file = "ideal.extxyz"
temperature = 1.0
[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 0.5
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = {time_constant}
[replicas]
interval = {interval}
[output]
thermo_interval = {thermo}
"""

MELT = """\
units = "reduced"
[run]
name = "melt"
steps = {steps}
timestep = 0.004
seed = 5
[start]
kind = "lattice"
lattice = "fcc"
cells = [4, 4, 4]
density = 0.8442
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 1.0
time_constant = 0.2
[replicas]
interval = 20
[output]
thermo_interval = 10
checkpoint_time = {checkpoint}
"""


def states(temperatures) -> str:
    return "".join(f"[[state]]\ntemperature = {of}\n" for of in temperatures)


def write_ideal(folder: Path, text: str, count: int, edge: float) -> None:
    places = np.random.default_rng(8).uniform(0.0, edge, (count, 3))
    rows = "\n".join(f"A {x:.6f} {y:.6f} {z:.6f}" for x, y, z in places)
    (folder / "ideal.extxyz").write_text(
        f'{count}\nLattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3\n{rows}\n'
    )
    (folder / "ideal.toml").write_text(text)


def run(folder: Path, *arguments, status: int = 0) -> str:
    done = subprocess.run(
        sterna_command("run", *arguments),
        cwd=folder, env=sterna_environment(), capture_output=True, text=True, timeout=400,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def events(path: Path, kind: str) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["event"] == kind]


def require_metropolis(rows: list[dict], beta, pressure, interval: int) -> None:
    """The attempts of the log are those of even and odd pairs by turns, by Metropolis' rule."""
    assert [row["step"] for row in rows] == [interval * (k + 1) for k in range(len(rows))]
    before = list(range(len(beta)))
    for count, row in enumerate(rows):
        assert row["states"] == before
        assert [a["states"][0] for a in row["attempts"]] == list(range(count % 2, len(beta) - 1, 2))
        replica_in = {state: replica for replica, state in enumerate(before)}
        after = list(before)
        for attempt in row["attempts"]:
            i, j = attempt["states"]
            a, b = replica_in[i], replica_in[j]
            energy, volume = row["potential_energy"], row["volume"]
            delta = -(beta[j] - beta[i]) * (energy[b] - energy[a])
            delta -= (beta[j] * pressure[j] - beta[i] * pressure[i]) * (volume[b] - volume[a])
            assert attempt["delta"] == pytest.approx(delta, abs=1e-9 * max(1.0, abs(delta)))
            assert 0.0 < attempt["random"] < 1.0
            assert attempt["accepted"] == (
                attempt["delta"] <= 0.0 or attempt["random"] < math.exp(-attempt["delta"])
            )
            if attempt["accepted"]:
                after[a], after[b] = j, i
        assert row["next_states"] == after
        before = after


def by_state(rows: list[dict], quantity: str) -> list[np.ndarray]:
    """The values of the samples of each state."""
    count = len(rows[0]["states"])
    found = [[] for _ in range(count)]
    for row in rows:
        for replica, state in enumerate(row["states"]):
            found[state].append(row[quantity][replica])
    return [np.array(of) for of in found]


def test_harmonic_oscillators_have_the_right_ensemble_at_each_temperature(tmp_path):
    temperatures = [1.0, 1.2, 1.44, 1.728]
    text = IDEAL.format(steps=80000, time_constant=0.5, interval=100, thermo=1000)
    write_ideal(tmp_path, text + states(temperatures) + "[[restraint]]\nstiffness = 40.0\n", 10, 12)
    told = run(tmp_path, "ideal.toml", "-n", "2")
    rows = events(tmp_path / "ideal.replicas.jsonl", "exchange")
    require_metropolis(rows, [1.0 / of for of in temperatures], [0.0] * 4, 100)
    # The energy of n oscillators in three dimensions over k T has a gamma distribution.
    for of, energies in zip(temperatures, by_state(rows, "potential_energy"), strict=True):
        assert stats.kstest(energies[20:] / of, stats.gamma(15).cdf).pvalue > 1e-6
    # Of 30 degrees of freedom and a ratio of 1.2, from two independent gamma variables.
    accepted = [a["accepted"] for row in rows for a in row["attempts"]]
    assert np.mean(accepted) == pytest.approx(0.621, abs=5.0 * math.sqrt(0.25 / len(accepted)))
    end = events(tmp_path / "ideal.replicas.jsonl", "end")[0]
    assert [pair["attempts"] for pair in end["pairs"]] == [400, 400, 400]
    matrix = np.array(end["transition_matrix"])
    np.testing.assert_allclose(matrix.sum(axis=0), 1.0)
    assert end["second_eigenvalue"] == pytest.approx(np.linalg.eigvalsh(matrix)[-2], abs=1e-9)
    # Walks from the first state to the last one and back, counted anew.
    trips = []
    for replica in range(4):
        walk = [row["next_states"][replica] for row in rows]
        ends = [state for state in ([0] if replica == 0 else []) + walk if state in (0, 3)]
        turns = [e for k, e in enumerate(ends) if k == 0 or e != ends[k - 1]]
        trips.append(sum(1 for k in range(2, len(turns)) if turns[k] == 0 and turns[k - 2] == 0))
    assert end["round_trips"] == trips
    assert sum(trips) > 0
    assert f"round trips of replicas through all states: {sum(trips)}" in told
    # Each row of a replica's log says the state of that step, that of before an exchange.
    log = read_log(tmp_path / "ideal.replica-1.log.jsonl")
    logged = dict(zip(log["step"].tolist(), log["state"].tolist(), strict=True))
    assert all(logged[row["step"]] == row["states"][1] for row in rows)


@pytest.mark.parametrize("thermostat", ["langevin", "nose_hoover_chain"])
def test_velocities_are_those_of_the_new_temperature(thermostat, tmp_path):
    # Without forces, and nearly without a thermostat, kinetic energies change at exchanges only.
    temperatures = [1.0, 1.3, 2.0]
    text = IDEAL.format(steps=200, time_constant=1e9, interval=10, thermo=10)
    text = text.replace('"langevin"', f'"{thermostat}"')
    write_ideal(tmp_path, text + states(temperatures), 8, 6)
    run(tmp_path, "ideal.toml", "-n", "1")
    rows = events(tmp_path / "ideal.replicas.jsonl", "exchange")
    # All states have the same energy.
    assert all(a["accepted"] and a["delta"] == 0.0 for row in rows for a in row["attempts"])
    for replica in range(3):
        log = read_log(tmp_path / f"ideal.replica-{replica}.log.jsonl")
        kinetic = log["kinetic_energy"]
        for k, row in enumerate(rows[:-1]):
            old, new = row["states"][replica], row["next_states"][replica]
            ratio = temperatures[new] / temperatures[old]
            assert kinetic[k + 2] / kinetic[k + 1] == pytest.approx(ratio, rel=1e-3)
        # The conserved energy does not count what exchanges give.
        conserved = log["conserved_energy"]
        assert np.ptp(conserved) < 1e-2 * kinetic.max()


def test_pressures_exchange_with_their_work(tmp_path):
    # Volumes of an ideal gas are V^N exp(-p V / k T).
    count, given = 64, [(1.0, 1.0), (1.06, 1.0), (1.06, 0.94), (1.0, 0.94)]
    text = IDEAL.format(steps=60000, time_constant=0.5, interval=50, thermo=1000)
    text += (
        '[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 1.0\ntime_constant = 1.0\n'
        "bulk_modulus = 1.0\ninterval = 5\n"
    )
    for temperature, pressure in given:
        text += f"[[state]]\ntemperature = {temperature}\npressure = {pressure}\n"
    write_ideal(tmp_path, text, count, 4)
    run(tmp_path, "ideal.toml", "-n", "2")
    rows = events(tmp_path / "ideal.replicas.jsonl", "exchange")
    beta = [1.0 / of[0] for of in given]
    require_metropolis(rows, beta, [of[1] for of in given], 50)
    for k, volumes in enumerate(by_state(rows, "volume")):
        reduced = beta[k] * given[k][1] * volumes[40::10]
        assert stats.kstest(reduced, stats.gamma(count + 1).cdf).pvalue > 1e-6


def test_equal_states_always_exchange(tmp_path):
    (tmp_path / "melt.toml").write_text(MELT.format(steps=200, checkpoint=0) + states([1.2] * 3))
    run(tmp_path, "melt.toml", "-n", "1")
    for row in events(tmp_path / "melt.replicas.jsonl", "exchange"):
        assert all(a["accepted"] and a["delta"] == 0.0 for a in row["attempts"])


def results(folder: Path) -> dict[str, object]:
    """All that a run has found, without times and numbers of ranks."""
    found: dict[str, object] = {
        path.name: path.read_bytes() for path in folder.glob("melt.state-*.dhdl.xvg")
    }
    found["exchanges"] = events(folder / "melt.replicas.jsonl", "exchange")
    for path in folder.glob("melt.replica-*.log.jsonl"):
        found[path.name] = read_log(path).rows
    assert len(found) == 9
    return found


MELTS = states([1.0, 1.03, 1.06, 1.09])


def test_bits_are_those_of_any_number_of_groups(tmp_path):
    found = []
    for ranks in (1, 2, 3, 4):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        (folder / "melt.toml").write_text(MELT.format(steps=200, checkpoint=0) + MELTS)
        run(folder, "melt.toml", "-n", ranks)
        found.append(results(folder))
    assert any(a["accepted"] for row in found[0]["exchanges"] for a in row["attempts"])
    assert found[1] == found[0]
    assert found[2] == found[0]
    assert found[3] == found[0]
    # A longer run goes on from the end with the bits of one that was asked for at once, on other
    # ranks, too.
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "melt.toml").write_text(MELT.format(steps=400, checkpoint=0) + MELTS)
    run(whole, "melt.toml", "-n", 2)
    run(tmp_path / "4", "melt.toml", "-n", 1, "--resume", "--steps", 400)
    assert results(tmp_path / "4") == results(whole)
    told = run(tmp_path / "4", "melt.toml", "-n", 1, "--resume", "--steps", 400)
    assert "nothing is left to do" in told


def test_chains_and_boxes_go_on_with_their_bits(tmp_path):
    text = MELT.format(steps=400, checkpoint=0)
    text = text.replace("stochastic_velocity_rescaling", "nose_hoover_chain")
    text = text.replace("density = 0.8442", "density = 0.7").replace("0.004", "0.002")
    text += (
        '[barostat]\nkind = "martyna_tobias_klein"\npressure = 1.0\ntime_constant = 2.0\n'
        "interval = 2\n" + MELTS.replace("1.09", "1.09\npressure = 1.2")
    )
    found = []
    for name, parts in (("whole", (400,)), ("parts", (200, 400))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "melt.toml").write_text(text)
        for ranks, steps in enumerate(parts, 1):
            resume = ["--resume"] if steps != parts[0] else []
            run(folder, "melt.toml", "-n", ranks, "--steps", steps, *resume)
        found.append(results(folder))
    assert any(a["accepted"] for row in found[0]["exchanges"] for a in row["attempts"])
    assert found[0] == found[1]


def test_more_ranks_than_replicas(tmp_path):
    (tmp_path / "melt.toml").write_text(MELT.format(steps=40, checkpoint=0) + states([1.0, 1.03]))
    told = run(tmp_path, "melt.toml", "-n", 3)
    assert "2 replicas on 2 groups of ranks (3 ranks)" in told
    ranks = [
        read_log(tmp_path / f"melt.replica-{k}.log.jsonl").events[0]["ranks"] for k in range(2)
    ]
    assert sorted(ranks) == [1, 2]


def test_kills_lose_nothing(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
        (folder / "melt.toml").write_text(MELT.format(steps=1000, checkpoint='"0.01 s"') + MELTS)
    run(whole, "melt.toml", "-n", 1)
    assert len(events(whole / "melt.replicas.jsonl", "exchange")) == 50
    generator = np.random.default_rng(11)
    for _ in range(5):
        before = (killed / "melt.replicas.json").exists()
        process = subprocess.Popen(
            sterna_command("run", "melt.toml", "-n", "2", *(["--resume"] if before else [])),
            cwd=killed, env=sterna_environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        deadline = time.monotonic() + 200
        while not (killed / "melt.replicas.json").exists() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(generator.uniform(0.0, 0.6))
        process.kill()
        process.communicate()
        # The ranks follow, and only then may another run begin.
        while list(killed.glob("*.lock")):
            done = subprocess.run(
                sterna_command("run", "melt.toml", "-n", "1", "--resume", "--steps", "20"),
                cwd=killed, env=sterna_environment(), capture_output=True, text=True, check=False,
            )  # fmt: skip
            if "another run writes" not in done.stderr:
                break
            assert time.monotonic() < deadline
    run(killed, "melt.toml", "-n", 1, "--resume")
    assert results(killed) == results(whole)


def test_a_signal_ends_it_with_a_checkpoint(tmp_path):
    (tmp_path / "melt.toml").write_text(MELT.format(steps=100000000, checkpoint=0) + MELTS)
    process = subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", "2"),
        cwd=tmp_path, env=sterna_environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    log = tmp_path / "melt.replicas.jsonl"
    deadline = time.monotonic() + 200
    while not (log.exists() and log.read_text().count("\n") > 3):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.terminate()
    told, _ = process.communicate(timeout=200)
    assert process.returncode == 3, told
    last = events(log, "exchange")[-1]["step"]
    assert json.loads((tmp_path / "melt.replicas.json").read_text())["step"] == last
    run(tmp_path, "melt.toml", "-n", 2, "--resume", "--steps", last + 20)
    assert [row["step"] for row in events(log, "exchange")] == list(range(20, last + 21, 20))
    # Other states are another run.
    text = (tmp_path / "melt.toml").read_text()
    (tmp_path / "melt.toml").write_text(text.replace("1.03", "1.04"))
    told = run(tmp_path, "melt.toml", "-n", 1, "--resume", "--steps", last + 40, status=1)
    assert "the run had other states, so nothing was changed" in told


def test_gibbs_sampling_keeps_the_ensembles(tmp_path):
    temperatures = [1.0, 1.15, 1.3]
    text = IDEAL.format(steps=50000, time_constant=0.5, interval=100, thermo=1000)
    text = text.replace("interval = 100\n", 'interval = 100\nexchange = "gibbs"\n', 1)
    write_ideal(tmp_path, text + states(temperatures) + "[[restraint]]\nstiffness = 40.0\n", 10, 12)
    run(tmp_path, "ideal.toml", "-n", "2")
    rows = events(tmp_path / "ideal.replicas.jsonl", "exchange")
    for of, energies in zip(temperatures, by_state(rows, "potential_energy"), strict=True):
        assert stats.kstest(energies[20:] / of, stats.gamma(15).cdf).pvalue > 1e-6
    # States are drawn from their probability given the energies.
    found, expected, variance = 0.0, 0.0, 0.0
    beta = np.array([1.0 / of for of in temperatures])
    for row in rows:
        energy = np.array(row["potential_energy"])
        orders = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
        weights = np.array([-(beta[order] * energy).sum() for order in orders])
        chances = np.exp(weights - weights.max())
        chance = (chances / chances.sum())[orders[:, 0] == 0].sum()
        found += row["next_states"][0] == 0
        expected += chance
        variance += chance * (1.0 - chance)
    assert abs(found - expected) < 5.0 * math.sqrt(variance)


UMBRELLA = """\
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
center = 0.0
stiffness = 4.0
"""


def test_biases_exchange_and_give_free_energies(tmp_path):
    # Two particles on a spring from 0: an oscillator in three dimensions, of which k to 4 k costs
    # 1.5 ln 4 k T.
    stiffness = [4.0, 8.0, 16.0]
    text = IDEAL.format(steps=80000, time_constant=0.5, interval=40, thermo=40) + UMBRELLA
    text = text.replace("thermo_interval = 40", "thermo_interval = 40\nvariables_interval = 40")
    text += '[[state]]\nbias = [{ name = "pull" }]\n'
    text += "".join(f'[[state]]\nbias = [{{ name = "pull", stiffness = {k} }}]\n' for k in (8, 16))
    write_ideal(tmp_path, text, 2, 12)
    # Apart by 0.5.
    start = (tmp_path / "ideal.extxyz").read_text().splitlines()
    (tmp_path / "ideal.extxyz").write_text("\n".join([*start[:2], "A 6 6 6", "A 6.5 6 6"]) + "\n")
    run(tmp_path, "ideal.toml", "-n", "2")
    rows = events(tmp_path / "ideal.replicas.jsonl", "exchange")
    distance = []
    for replica in range(3):
        lines = (tmp_path / f"ideal.replica-{replica}.colvar").read_text().splitlines()
        table = [line.split() for line in lines if not line.startswith("#")]
        distance.append({round(float(row[0]) / 0.02): float(row[1]) for row in table})
    files = [read_states(tmp_path / f"ideal.state-{k}.dhdl.xvg") for k in range(3)]
    for count, row in enumerate(rows):
        for replica, state in enumerate(row["states"]):
            square = 0.5 * distance[replica][row["step"]] ** 2
            assert row["potential_energy"][replica] == pytest.approx(stiffness[state] * square)
            expected = [(k - stiffness[state]) * square for k in stiffness]
            np.testing.assert_allclose(files[state].reduced()[count], expected, atol=1e-8)
        for attempt in row["attempts"]:
            i, j = attempt["states"]
            a, b = row["states"].index(i), row["states"].index(j)
            squares = [0.5 * distance[replica][row["step"]] ** 2 for replica in (a, b)]
            delta = (stiffness[i] - stiffness[j]) * (squares[1] - squares[0])
            assert attempt["delta"] == pytest.approx(delta, abs=1e-9)
    found = free_energies_of_states(files)
    for k in range(1, 3):
        assert abs(found.free_energy[k] - 1.5 * k * math.log(2.0)) < 5.0 * found.error[k]
        assert found.error[k] < 0.1
    assert not found.warnings

    done = subprocess.run(
        sterna_command("free-energy", ".", "--energies", "u.npz"),
        cwd=tmp_path, env=sterna_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{found.free_energy[2]:.6f}" in done.stdout
    saved = np.load(tmp_path / "u.npz")
    np.testing.assert_array_equal(saved["N_k"], found.N_k)
    fewer = free_energies_of_states(files[:2])
    assert fewer.warnings[0].startswith("no samples are of state 2")
    assert fewer.N_k[2] == 0


def test_alchemlyb_reads_the_energies(tmp_path):
    gmx = pytest.importorskip("alchemlyb.parsing.gmx")
    estimators = pytest.importorskip("alchemlyb.estimators")
    (tmp_path / "melt.toml").write_text(MELT.format(steps=800, checkpoint=0) + MELTS)
    run(tmp_path, "melt.toml", "-n", "1")
    import pandas

    tables, own = [], []
    for k in range(4):
        path = tmp_path / f"melt.state-{k}.dhdl.xvg"
        tables.append(gmx.extract_u_nk(str(path), T=1.0))
        own.append(read_states(path))
        np.testing.assert_allclose(tables[k].to_numpy(), own[k].reduced(), atol=1e-6)
    found = estimators.MBAR().fit(pandas.concat(tables))
    import pymbar

    joined = np.concatenate([of.reduced() for of in own]).T
    counts = [len(of.time) for of in own]
    mbar = pymbar.MBAR(joined, counts, solver_protocol="robust", initialize="BAR")
    judged = mbar.compute_free_energy_differences()["Delta_f"]
    np.testing.assert_allclose(found.delta_f_.to_numpy(), judged, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("steps = 200", "steps = 210"), "expected a multiple of \"interval\""),
        (("interval = 20\n", "interval = 20\nenergy_interval = 15\n"), "expected a divisor of"),
        (("temperature = 1.03", "temprature = 1.03"), 'did you mean "temperature"?'),
        (("temperature = 1.03", "pressure = 1.03"), "a state with a pressure needs a [barostat]"),
        (("[thermostat]", "[[thermostat]]\nkind = \"none\"\n[[thermostat]]"), "need one [thermostat]"),
        (("time_constant = 0.2", "time_constant = 0.2\nstop_step = 100"), "in some steps only"),
        (("temperature = 1.03", 'bias = [{ name = "pull" }]'), "no [[bias]] has the name"),
        (("interval = 20\n", 'interval = 20\nexchange = "neighbours"\n'), '"neighbors"'),
        (("checkpoint_time = 0", "report = true"), "a run of replicas writes no report"),
    ],
)  # fmt: skip
def test_bad_input_is_told(change, message, tmp_path):
    text = MELT.format(steps=200, checkpoint=0) + MELTS
    assert change[0] in text
    (tmp_path / "melt.toml").write_text(text.replace(*change, 1))
    told = run(tmp_path, "melt.toml", "-n", 2, status=2)
    assert "melt.toml:" in told and message in told, told


def test_states_without_replicas_are_told(tmp_path):
    text = MELT.format(steps=20, checkpoint=0) + MELTS
    (tmp_path / "melt.toml").write_text(text.replace("[replicas]\ninterval = 20\n", ""))
    told = run(tmp_path, "melt.toml", "-n", 1)
    assert "warning: a run is in none of the [[state]]s without [replicas]" in told


def test_poor_overlap_is_told(tmp_path):
    text = MELT.format(steps=1000, checkpoint=0) + states([1.0, 2.0])
    (tmp_path / "melt.toml").write_text(text)
    told = run(tmp_path, "melt.toml", "-n", 2)
    assert "warning: states 0 and 1 overlap little" in told
    end = events(tmp_path / "melt.replicas.jsonl", "end")[0]
    assert end["pairs"][0]["acceptance"] < 0.1
    assert len(end["warnings"]) == 1


def test_the_example_runs_in_python(tmp_path, monkeypatch):
    text = (ROOT / "examples" / "replica_exchange.toml").read_text()
    (tmp_path / "replica_exchange.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    replicas = sterna.Replicas("replica_exchange.toml").run(ranks=2)
    assert len(list((tmp_path / "output").glob("*.dhdl.xvg"))) == replicas.count == 4
    assert replicas.steps.tolist() == list(range(50, 3001, 50))
    assert replicas.states[0].tolist() == [0, 1, 2, 3]
    assert (replicas.acceptance > 0.1).all()
    assert [len(of) for of in replicas.by_state("potential_energy")] == [60] * 4
    assert (np.sort(replicas.states, axis=1) == np.arange(4)).all()
    found = replicas.free_energies(begin=2.0)
    # With d f / d beta = U, and energies near -5 for each of 256 particles.
    beta = 1.0 / np.array([1.20, 1.24, 1.28, 1.32])
    energies = [of[10:].mean() for of in replicas.by_state("potential_energy")]
    slopes = np.diff(found.free_energy) / np.diff(beta)
    middle = 0.5 * (np.array(energies[1:]) + np.array(energies[:-1]))
    np.testing.assert_allclose(slopes, middle, rtol=0.02)
    with pytest.raises(SternaError, match="has replicas; sterna.Replicas"):
        sterna.run("replica_exchange.toml")
    with pytest.raises(SternaError, match="a single simulation has no replicas"):
        sterna.Simulation.from_file("replica_exchange.toml")
