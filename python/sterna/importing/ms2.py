"""A state of a mixture of ms2 (`.par`) as an input: its models, shares, binary factors and density.

Lines are `key = value` in the order in which ms2 asks for them (C. W. Glass et al., Comput. Phys. Commun.
185, 3302 (2014); module `ms2_ensemble`). Of each two components, in the order (1, 2), (1, 3), (2, 3), there
are eta and xi, the factors of Lorentz's sigma and Berthelot's epsilon.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sterna.errors import SternaError
from sterna.importing import molmod
from sterna.importing.text import read_text

_CENTERS = {"com", "centerofmass"}
_SITES = {"site", "site-site"}
_REACTION_FIELD = {"rf", "reactionfield", "reaction field"}
_INTERVAL = 20  #: steps between two samples of test molecules


@dataclass
class State:
    """What a file says of one ensemble."""

    path: Path
    files: list[Path] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    inserted: list[bool] = field(default_factory=list)
    factors: list[tuple[float, float]] = field(default_factory=list)  #: eta, xi
    values: dict[str, molmod.Entry] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def number(self, key: str) -> float:
        """A positive number that the file must have."""
        if key not in self.values:
            raise SternaError(f'{self.path}: error: expected "{key}"', 2)
        return self.values[key].number(least=0.0, above=True)

    def word(self, key: str, default: str) -> str:
        """A word in small letters."""
        return self.values[key].value.lower() if key in self.values else default


#: Keys that are kept; all others are told.
_KEPT = {
    "Units", "LengthUnit", "NEnsembles", "Temperature", "Density", "NParticles", "NComponents", "NTest",
    "CutoffMode", "LongRange", "Cutoff", "Epsilon", "PotModel", "MolarFract", "MoleFract",
    "ChemPotMethod", "eta", "xi",
}  # fmt: skip


def read(path: Path) -> State:
    """Reads a file. Raises SternaError, with file, line and column, where it is none, or has several states."""
    state = State(path)
    etas: list[float] = []
    for entry in _entries(path):
        key, last = entry.key, len(state.files) - 1
        if key == "PotModel":
            state.files.append(path.parent / entry.value)
            state.shares.append(math.nan)
            state.inserted.append(False)
        elif key in ("MolarFract", "MoleFract") and last >= 0:
            state.shares[last] = entry.number(least=0.0)
        elif key == "ChemPotMethod" and last >= 0:
            state.inserted[last] = entry.value.lower() == "widom"
        elif key == "eta":
            etas.append(entry.number(least=0.0, above=True))
        elif key == "xi":
            if len(etas) != len(state.factors) + 1:
                entry.fail('expected "eta" before each "xi"', at_value=False)
            state.factors.append((etas[-1], entry.number(least=0.0)))
        elif key == "NEnsembles" and entry.value != "1":
            entry.fail(f"NEnsembles is {entry.value}; expected 1: a file for each state")
        elif key in _KEPT:
            state.values[key] = entry
        elif key not in state.left_out:
            state.left_out.append(key)
    _check(state)
    return state


def _entries(path: Path) -> Iterator[molmod.Entry]:
    entries = molmod.Entries(path, read_text(path))
    while (entry := entries.peek()) is not None:
        yield entries.take(entry.key)


def _check(state: State) -> None:
    if not state.files:
        raise SternaError(f'{state.path}: error: expected "PotModel"', 2)
    if state.word("Units", "si") != "si":
        entry = state.values["Units"]
        entry.fail(f"Units is {entry.value}; expected SI")
    if state.word("LongRange", "rf") not in _REACTION_FIELD:
        entry = state.values["LongRange"]
        entry.fail(f"LongRange is {entry.value}; expected the reaction field, RF")
    if state.word("CutoffMode", "com") not in _CENTERS | _SITES:
        entry = state.values["CutoffMode"]
        entry.fail(f"CutoffMode is {entry.value}; expected COM or Site")
    if "NComponents" in state.values:
        entry = state.values["NComponents"]
        if entry.count(100) != len(state.files):
            entry.fail(
                f'NComponents is {entry.value}, and there are {len(state.files)} lines "PotModel"'
            )
    for file, share in zip(state.files, state.shares, strict=True):
        if math.isnan(share):
            raise SternaError(f'{state.path}: error: expected "MolarFract" of {file.name}', 2)
    pairs = len(state.files) * (len(state.files) - 1) // 2
    if len(state.factors) != pairs:
        raise SternaError(
            f"{state.path}: error: {len(state.files)} components have {pairs} pairs, and there are "
            f'{len(state.factors)} lines "xi"; expected one of each pair',
            2,
        )


def sections(state: State, models: Sequence[molmod.Model]) -> dict[str, Any]:
    """The sections of the input."""
    found = molmod.sections(models)
    temperature = f"{state.number('Temperature'):g} K"
    found["start"] = {
        "kind": "random",
        "particles": round(state.number("NParticles")),
        "density": f"{state.number('Density'):.10g} mol/l",
        "temperature": temperature,
    }
    found["thermostat"]["temperature"] = temperature
    shares = dict(zip((model.name for model in models), state.shares, strict=True))
    for one in found.get("type", []) + found.get("component", []):
        one["fraction"] = shares[one["name"]]
    pairs = [
        _pair(a, b, *factors)
        for (a, b), factors in zip(itertools.combinations(models, 2), state.factors, strict=True)
        if factors != (1.0, 1.0)
    ]
    if pairs:
        found["pair"] = pairs
    interaction = found["interaction"]
    if "Cutoff" in state.values:
        # In units of length, which are in angstrom.
        cutoff = state.number("Cutoff") * state.number("LengthUnit")
        interaction["cutoff"] = f"{cutoff:.10g} angstrom"
    if state.word("CutoffMode", "com") in _SITES and "component" in found:
        interaction["molecular_cutoff"] = "site"
    if "Epsilon" in state.values and "electrostatics" in interaction:
        interaction["reaction_field_epsilon"] = state.number("Epsilon")
    found["stage"] = [
        {"name": "minimize", "run": {"integrator": "minimize", "steps": 500}},
        {"name": "run"},
    ]
    inserted = [m.name for m, is_there in zip(models, state.inserted, strict=True) if is_there]
    if inserted:
        count = round(state.number("NTest")) if "NTest" in state.values else 1000
        found["stage"][-1]["insertion"] = {
            "interval": _INTERVAL,
            "insertions": count,
            "components": inserted,
        }
    return found


def _pair(a: molmod.Model, b: molmod.Model, eta: float, xi: float) -> dict[str, Any]:
    names = {"first": a.name, "second": b.name}
    if not (a.is_an_atom and b.is_an_atom):
        return names | {"eta": eta, "xi": xi}
    # Two types have numbers of their own in place of factors.
    (e1, s1), (e2, s2) = map(_well, (a, b))
    return names | {
        "epsilon": f"{xi * math.sqrt(e1 * e2)!r} K",
        "sigma": f"{eta * 0.5 * (s1 + s2)!r} angstrom",
    }


def _well(model: molmod.Model) -> tuple[float, float]:
    """Epsilon in K and sigma in angstrom of an atom."""
    site = next(site for site in model.sites if site["kind"] == "lennard_jones")
    return float(site["epsilon"].split()[0]), float(site["sigma"].split()[0])


def write(file: Path, output: Path, overwrite: bool) -> tuple[list[Path], list[str]]:
    """Writes the input; returns the files written, and notes on what was not kept.

    Raises SternaError where the file or one of its models is none, and where the output is there already
    or is one of these files.
    """
    state = read(file)
    written, notes = molmod.write(
        state.files, output, overwrite, lambda models: sections(state, models), [file]
    )
    if state.left_out:
        notes.append(f"{file.name}: not kept: {', '.join(state.left_out)}")
    return written, notes
