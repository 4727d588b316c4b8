"""The rounds of vapors: what runs, what is remembered, and what a study does with what it finds there."""

import dataclasses
import json
import math

import numpy
import pytest
import sterna as module
from sterna.building.new import find_fluid
from sterna.fluids.grand_equilibrium import GrandEquilibrium
from sterna.fluids.mixture_equilibrium import MixtureEquilibrium, State, _Phase, _value
from sterna.fluids.mixture_model import mixture_model
from sterna.fluids.phase_runs import PhaseRuns

SIZES = (500, 100, 10, 10, 1, 1)


class Runs:
    """A sweep that completes at once."""

    def run(self, tell, cores):  # noqa: ARG002
        return True


class Study(PhaseRuns):
    """A study whose vapors meet their liquids where the test says."""

    def __init__(self, folder, meets):
        super().__init__(find_fluid("lennard_jones"), folder, SIZES)
        self.liquids = Runs()
        self.ran: list[float] = []
        self._meets = iter(meets)

    def _near_vapors(self):
        return {"1": [0.1]}

    def _vapors(self, densities):
        self.ran.append(densities["1"][0])
        return Runs()

    def _met_vapors(self):
        met = next(self._meets)
        return {"1": None if met is None else [met]}

    def start(self):
        self.run(lambda _: None, None)
        return self.ran


def test_another_vapor_runs_until_it_is_near(tmp_path):
    assert Study(tmp_path, [0.05, 0.051]).start() == [0.1, 0.05]
    # Another call keeps it.
    assert Study(tmp_path, [0.052]).start() == [0.05]


def test_what_is_remembered_has_run(tmp_path):
    """After the last round nothing runs, so nothing else is remembered."""
    ran = Study(tmp_path, [0.2, 0.4, 0.8]).start()
    assert ran == [0.1, 0.2, 0.4]
    assert json.loads((tmp_path / "vapor-densities.json").read_text()) == {"1": [0.4]}


def test_a_vapor_that_has_condensed_is_run_at_half_the_density(tmp_path):
    assert Study(tmp_path, [None, None]).start() == [0.1, 0.05, 0.025]
    assert Study(tmp_path, [0.02, 0.02]).start() == [0.025, 0.02]


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"1": [0.1, 0.2]}', '{"1": {}}', '{"1": -1}', '{"1": NaN}']
)
def test_a_memory_that_is_none_is_passed_over(tmp_path, text):
    (tmp_path / "vapor-densities.json").write_text(text)
    assert Study(tmp_path, [0.1]).start() == [0.1]


def test_a_memory_of_plain_numbers_counts(tmp_path):
    (tmp_path / "vapor-densities.json").write_text('{"1": 0.07}')
    assert Study(tmp_path, [0.07]).start() == [0.07]


def test_mixtures_do_not_disturb_the_memory_of_pure_fluids(tmp_path):
    (tmp_path / "vapor-densities.json").write_text('{"100": [1.0, 2.0]}')
    found = module.vle("argon", [100], tmp_path, run=False, tell=None, reference="none")
    assert found.states == ["waiting"]
    study = GrandEquilibrium("argon", numpy.array([100.0]), tmp_path, *SIZES[:4], 1, 1)
    mixture = made_mixture(tmp_path)
    mixture._remember({"100 0.5/0.5": [1.0, 2.0]})
    assert mixture._memory != study._memory
    assert "argon,krypton 100 0.5/0.5" in mixture._remembered()


def made_mixture(folder) -> MixtureEquilibrium:
    return MixtureEquilibrium(
        mixture_model("argon,krypton"), [State(100.0, (0.5, 0.5))], folder, SIZES
    )


def made_liquid(excess: float) -> _Phase:
    return _Phase(
        numpy.array([0.016, 0.016]), 0.001, numpy.full(2, excess), numpy.full(2, 0.02),
        numpy.full(2, 31.0), numpy.full(2, 1.0), 2.0, 0.1, -6.0, 0.01, 3e-4, 4e-3,
        numpy.full(2, 1e4),
    )  # fmt: skip


def test_a_vapor_that_was_dense_and_is_dilute_needs_no_run(tmp_path, monkeypatch):
    """More steps of the liquid may say so; its run at the old density is not extended then."""
    study = made_mixture(tmp_path)
    study._remember({"100 0.5/0.5": [1e-3, 1e-3]})
    monkeypatch.setattr(study, "_liquids", lambda: [made_liquid(-7.0)])
    assert not study._near_vapors()
    assert study.values().values["vapor_pressure"][0] > 0.0
    dense = [made_liquid(-3.0)]
    monkeypatch.setattr(study, "_liquids", lambda: dense)
    assert study._near_vapors()
    assert study.values().states == ["its vapor has not run"]


@pytest.mark.parametrize("name", ["excess_error", "volume_error"])
def test_an_error_that_is_not_known_leaves_the_results_without_one(tmp_path, monkeypatch, name):
    study = made_mixture(tmp_path)
    known = made_liquid(-7.0)
    monkeypatch.setattr(study, "_liquids", lambda: [known])
    found = study.values()
    assert found.errors["vapor_pressure"][0] > 0.0
    assert not found.notes
    half = dataclasses.replace(known, **{name: numpy.array([0.02, math.nan])})
    monkeypatch.setattr(study, "_liquids", lambda: [half])
    found = study.values()
    assert found.values["vapor_pressure"][0] > 0.0
    for quantity, error in found.errors.items():
        assert math.isnan(error[0]), quantity


def test_the_error_of_fewer_than_two_blocks_is_none():
    assert _value({"pressure/bar": 2.0, "pressure_error": 0.5}, "pressure") == (2.0, 0.5)
    for error in (0.0, None, math.nan):
        value, found = _value({"pressure/bar": 2.0, "pressure_error": error}, "pressure")
        assert value == 2.0
        assert math.isnan(found)
