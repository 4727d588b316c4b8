"""sterna.Input: what is wrong with an input made in Python is said as of a file."""

import pytest
import sterna
from engine_support import require_core
from sterna.support.toml_text import toml_text

GOOD = {
    "units": "reduced",
    "run": {"timestep": 0.002},
    "start": {"kind": "lattice", "cells": [4, 4, 4], "density": 0.8, "temperature": 1.0},
    "type": [{"name": "A"}],
    "interaction": {"cutoff": 2.5},
}


@pytest.fixture(autouse=True)
def _needs_core():
    require_core()


def test_toml_text_writes_what_tomllib_reads():
    import tomllib

    document = {
        "units": "real",
        "flag": True,
        "run": {"timestep": 1e-3, "steps": 5, "name": 'a "b"\\\n\x7f\u00e9'},
        "molecule": [{"name": "x", "bond": [{"atoms": [1, 2]}, {"atoms": [2, 3]}]}],
        "odd key": {"list": [[1.5, 2.0], [3.0, 4.0]]},
    }
    assert tomllib.loads(toml_text(document)) == document


def test_values_of_numpy_are_written():
    import numpy

    text = toml_text({"a": numpy.float64(0.5), "b": numpy.arange(3), "c": numpy.int64(4)})
    assert text == "a = 0.5\nb = [0, 1, 2]\nc = 4\n"


def test_what_an_input_cannot_hold_is_named():
    with pytest.raises(TypeError, match=r"run\.timestep is \{1\}; expected a number, a text, a li"):
        sterna.Input(run={"timestep": {1}})


def test_a_good_input_has_no_findings_but_advice():
    assert [d for d in sterna.Input(GOOD).check() if d.severity != "advice"] == []


def test_findings_have_place_and_nearest_name():
    bad = {**GOOD, "run": {"timestp": 0.002}}
    found = sterna.Input(bad).check()
    unknown = next(d for d in found if "timestp" in d.message)
    assert unknown.message == 'unknown key "timestp" in [run]; did you mean "timestep"?'
    assert (unknown.severity, unknown.file) == ("error", "settings")
    assert unknown.source_line == "timestp = 0.002"
    assert sterna.Input(bad).text.splitlines()[unknown.line - 1] == unknown.source_line
    assert str(unknown).startswith(f"settings:{unknown.line}:1: error: unknown key")


def test_an_input_of_python_is_checked_as_the_file_with_its_text(tmp_path):
    bad = {**GOOD, "run": {"timestep": -1.0, "steps": 3}, "interaction": {"cutof": 2.5}}
    path = tmp_path / "bad.toml"
    sterna.Input(bad).write(path)
    in_python = [str(d).replace("settings:", f"{path}:") for d in sterna.Input(bad).check()]
    assert in_python == [str(d) for d in sterna.Input.read(path).check()]
    assert len(in_python) >= 2


def test_a_file_that_is_missing_or_no_toml(tmp_path):
    with pytest.raises(
        sterna.InputError, match=r"missing\.toml: error: the input file does not exist"
    ):
        sterna.Input.read(tmp_path / "missing.toml")
    path = tmp_path / "broken.toml"
    path.write_text("[run\nsteps = 3\n")
    with pytest.raises(sterna.InputError) as raised:
        sterna.Input.read(path)
    (finding,) = raised.value.diagnostics
    assert (finding.line, finding.file) == (1, str(path))
    assert str(raised.value).startswith(f"{path}:1:")


def test_replace_merges_sections_and_takes_keys_out():
    first = sterna.Input(GOOD)
    second = first.replace(run={"seed": 3}, interaction={"cutoff": None, "skin": 0.3}, start=None)
    assert second["run"] == {"timestep": 0.002, "seed": 3}
    assert second["interaction"] == {"skin": 0.3}
    assert "start" not in second
    assert first == sterna.Input(GOOD)


def test_a_change_of_what_was_read_out_changes_nothing():
    made = sterna.Input(GOOD)
    made["run"]["timestep"] = 5.0
    made.sections["run"]["timestep"] = 5.0
    assert made["run"]["timestep"] == 0.002
