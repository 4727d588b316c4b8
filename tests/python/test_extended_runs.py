"""A run that is extended goes on with the bits of one that was longer from the beginning."""

import json
import os
import re
import sys

import h5py
import numpy
import pytest
from conftest import ROOT, nightly

sys.path.insert(0, str(ROOT / "tests" / "campaign"))
import same_bits

MELT = """[run]
steps = 400
timestep = 0.004
[start]
kind = "lattice"
lattice = "fcc"
cells = [5, 5, 5]
density = 0.8442
temperature = 1.44
[[type]]
name = "LJ"
[interaction]
cutoff = 2.5
truncation = "truncated"
{more}
"""
HEAT = '[thermostat]\nkind = "{}"\ntemperature = 1.0\ntime_constant = 0.4\n'
PRESSURE = HEAT.format("stochastic_velocity_rescaling") + (
    '[barostat]\nkind = "{}"\npressure = 1.0\ntime_constant = 1.0\n{}\n'
)
SYSTEMS = {
    "energy": "",
    "langevin": HEAT.format("langevin"),
    "nose_hoover_chain": HEAT.format("nose_hoover_chain"),
    "stochastic_cell_rescaling": PRESSURE.format(
        "stochastic_cell_rescaling", "bulk_modulus = 20.0"
    ),
    "tolerance": '[neighbor]\nbuffer = "tolerance"\n' + HEAT.format("langevin"),
    "observers": "[rdf]\ninterval = 7\n[diffusion]\ninterval = 10\n",
}


def short_run(text: str, steps: int, precision: str) -> str:
    """The input with so many steps, and a trajectory; no checkpoint but those of its own accord."""
    text = same_bits.short_input(text, 400, precision)
    text = re.sub(r"^checkpoint_interval.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^thermo_interval.*", "thermo_interval = 10", text, flags=re.MULTILINE)
    return re.sub(r"^steps *=.*", f"steps = {steps}", text, flags=re.MULTILINE)


def thermo(path) -> list[dict]:
    events = map(json.loads, path.read_text().splitlines())
    return [event for event in events if event["event"] == "thermo"]


def extended(sterna, tmp_path, text: str, precision: str, ranks: int, first=200, last=400):
    """Runs it in one go and in two; compares what both have written. Returns what the second said."""
    said = ""
    for name, parts in (("whole", [last]), ("parts", [first, last])):
        for part in parts:
            path = tmp_path / f"{name}.toml"
            path.write_text(short_run(text, part, precision))
            options = ["--resume"] if part != parts[0] else []
            done = sterna("run", path.name, "-n", ranks, *options)
            assert done.returncode == 0, done.stderr
            said = done.stdout
    folder = tmp_path / "output" if (tmp_path / "output").is_dir() else tmp_path
    whole, parts = (thermo(folder / f"{name}.log.jsonl") for name in ("whole", "parts"))
    assert parts == whole
    with h5py.File(folder / "whole.h5md") as one, h5py.File(folder / "parts.h5md") as two:
        ones, twos = one["particles/trajectory"], two["particles/trajectory"]
        for field in ("position", "velocity", "force", "box/edges"):
            assert numpy.array_equal(ones[f"{field}/step"], twos[f"{field}/step"])
            assert numpy.array_equal(ones[f"{field}/value"], twos[f"{field}/value"]), field
    for observer in folder.glob("whole.*.txt"):
        other = folder / observer.name.replace("whole", "parts")
        assert observer.read_bytes() == other.read_bytes(), observer.name
    return said


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.long
def test_a_melt_that_is_extended_has_the_same_bits(system, sterna, tmp_path):
    said = extended(sterna, tmp_path, MELT.format(more=SYSTEMS[system]), "double", 2)
    assert "so that no bit depends on its end" in said


@pytest.mark.parametrize(
    ("example", "precision", "steps"),
    [nightly("butane", "mixed", 60), ("tip4p", "mixed", 40), nightly("argon", "mixed", 200)],
)
def test_examples_that_are_extended_have_the_same_bits(example, precision, steps, sterna, tmp_path):
    text = (ROOT / "examples" / f"{example}.toml").read_text()
    start = ROOT / "examples" / f"{example}.extxyz"
    if start.exists():
        os.symlink(start, tmp_path / start.name)
    extended(sterna, tmp_path, text, precision, 2, steps, 2 * steps)


def test_a_run_that_ended_before_a_rebuild_has_the_same_bits_too(sterna, tmp_path):
    extended(sterna, tmp_path, MELT.format(more=SYSTEMS["langevin"]), "double", 2, 3, 60)


def test_a_run_is_extended_several_times(sterna, tmp_path):
    text = MELT.format(more=SYSTEMS["nose_hoover_chain"])
    for name, parts in (("whole", [150]), ("parts", [37, 45, 46, 110, 150])):
        for part in parts:
            path = tmp_path / f"{name}.toml"
            path.write_text(short_run(text, part, "double"))
            done = sterna("run", path.name, "-n", 1, *(["--resume"] if part != parts[0] else []))
            assert done.returncode == 0, done.stderr
    assert thermo(tmp_path / "parts.log.jsonl") == thermo(tmp_path / "whole.log.jsonl")


def test_what_changes_the_state_goes_on_from_the_end(sterna, tmp_path):
    path = tmp_path / "melt.toml"
    path.write_text(short_run(MELT.format(more=SYSTEMS["langevin"]), 50, "double"))
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    path.write_text(path.read_text().replace("steps = 50", "steps = 60").replace("= 1.0", "= 1.1"))
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert "melt.checkpoint at step 50" in done.stdout


def test_a_ramp_that_is_extended_says_that_its_temperature_is_another_one(sterna, tmp_path):
    ramp = SYSTEMS["langevin"] + "end_temperature = 2.0\n"
    path = tmp_path / "melt.toml"
    path.write_text(short_run(MELT.format(more=ramp), 50, "double"))
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    done = sterna("run", "melt.toml", "-n", 1, "--resume", "--steps", 100)
    assert done.returncode == 0, done.stderr
    assert "end_temperature: reached at step 100 now" in done.stdout
    assert "so that no bit depends on its end" not in done.stdout


def test_a_ramp_with_an_end_of_its_own_is_extended_with_the_same_bits(sterna, tmp_path):
    ramp = SYSTEMS["langevin"] + "end_temperature = 2.0\nstop_step = 60\n"
    extended(sterna, tmp_path, MELT.format(more=ramp), "double", 2, 101, 150)


@pytest.mark.parametrize(
    "more",
    [
        HEAT.format("nose_hoover_chain") + "end_temperature = 2.0\nstop_step = 140\n",
        HEAT.format("nose_hoover_chain") + "end_temperature = 2.0\nstop_step = 140\n"
        '[barostat]\nkind = "martyna_tobias_klein"\npressure = 1.0\ntime_constant = 4.0\n',
    ],
)
def test_a_ramp_of_a_chain_is_extended_in_its_middle_with_the_same_bits(more, sterna, tmp_path):
    extended(sterna, tmp_path, MELT.format(more=more), "double", 2, 101, 150)
