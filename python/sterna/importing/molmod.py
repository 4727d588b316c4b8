"""Molecular models of MolMod and ms2 (`.pm`) as an input with a rigid molecule for each.

A file names kinds of sites, and for each site its values, line by line, `key = value`, in a fixed order:
`module_component` of ms2 (G. Rutkai et al., Comput. Phys. Commun. 221, 343 (2017)) reads it so. Places are
in angstrom, energies in kelvin, charges in e, moments in debye and debye angstrom, angles in degrees.
"""

import difflib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from sterna.errors import SternaError
from sterna.importing.text import Line, lines_of, read_text
from sterna.support.files import replace_text, require_not_read
from sterna.support.toml_text import toml_text

#: The kinds of sites by their names in files, in small letters, and the keys of a site in their order.
_PLACE = ("x", "y", "z")
_KINDS = {
    "lennard_jones": ({"lj126", "lj"}, (*_PLACE, "sigma", "epsilon", "mass")),
    "charge": ({"charge", "c"}, (*_PLACE, "charge", "mass", "shielding")),
    "dipole": ({"dipole", "d"}, (*_PLACE, "theta", "phi", "dipole", "mass", "shielding")),
    "quadrupole": (
        {"quadrupole", "q"},
        (*_PLACE, "theta", "phi", "quadrupole", "mass", "shielding"),
    ),
}
#: Of MolMod's header, what the input keeps as a comment.
_KEPT_OF_HEADER = re.compile(r"#\s*(Substance|CAS-No\.|Reference)\s")


@dataclass
class Model:
    """A model as a file has it."""

    name: str
    header: list[str]  #: lines without their sign of a comment: substance and reference
    sites: list[dict[str, Any]] = field(default_factory=list)  #: as `[[component.site]]`
    masses: list[float] = field(default_factory=list)  #: of the sites, in u
    inertia: list[float] | None = None  #: u angstrom^2; None: that of the sites
    shields: bool = False

    @property
    def charge(self) -> float:
        return math.fsum(site.get("charge", 0.0) for site in self.sites)

    @property
    def is_an_atom(self) -> bool:
        """Whether all of it is a Lennard-Jones site, and perhaps a charge, at one place."""
        kinds = sorted(site["kind"] for site in self.sites)
        places = {tuple(site["position"]) for site in self.sites}
        return len(places) == 1 and kinds in (["lennard_jones"], ["charge", "lennard_jones"])

    @property
    def is_polar(self) -> bool:
        """Whether it has a dipole moment, so that a cutoff needs a reaction field."""
        moments = [[0.0, 0.0, 0.0]]
        for site in self.sites:
            if site["kind"] == "charge":
                moments.append([site["charge"] * x for x in site["position"]])
            elif site["kind"] == "dipole":
                moments.append([float(site["dipole_moment"].split()[0]) * x for x in site["axis"]])
        total = [math.fsum(moment[axis] for moment in moments) for axis in range(3)]
        largest = max(math.hypot(*moment) for moment in moments)
        return math.hypot(*total) > 1e-6 * largest


@dataclass
class Entry:
    """A line `key = value`."""

    line: Line
    key: str
    value: str

    def fail(self, message: str, at_value: bool = True) -> NoReturn:
        text = self.line.text.split("#", 1)[0]
        begin = text.index("=") + 1 if at_value else 0
        part = text[begin:] if at_value else text[: text.index("=")]
        begin += len(part) - len(part.lstrip())
        self.line.fail_between(begin, begin + max(1, len(part.strip())), message)

    def number(self, least: float = -math.inf, above: bool = False) -> float:
        try:
            value = float(re.sub("[dD]", "e", self.value))
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in self.value:
            self.fail(f'{self.key} is "{self.value}"; expected a number')
        if value < least or (above and value == least):
            self.fail(
                f"{self.key} is {self.value}; expected {'more than' if above else 'at least'} {least:g}"
            )
        return value

    def count(self, most: int) -> int:
        if not re.fullmatch(r"\d{1,6}", self.value) or not 1 <= int(self.value) <= most:
            self.fail(f'{self.key} is "{self.value}"; expected an integer from 1 to {most}')
        return int(self.value)


class Entries:
    """The lines of a file, one after the other."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._lines = iter(lines_of(path, text))
        self._next = self._read()

    def _read(self) -> Entry | None:
        line = next(self._lines, None)
        if line is None:
            return None
        key, equals, value = line.text.split("#", 1)[0].partition("=")
        if not equals or not key.strip() or not value.strip():
            line.fail(None, "expected `key = value`")
        return Entry(line, key.strip(), value.strip())

    def peek(self) -> Entry | None:
        return self._next

    def take(self, key: str) -> Entry:
        """The next line, which must have this key."""
        entry = self._next
        if entry is None:
            raise SternaError(f'{self.path}: error: expected "{key}"; found the end of the file', 2)
        if entry.key != key:
            entry.fail(f'expected "{key}"; found "{entry.key}"', at_value=False)
        self._next = self._read()
        return entry

    def take_if(self, key: str) -> Entry | None:
        return self.take(key) if self._next is not None and self._next.key == key else None


def read(path: Path) -> Model:
    """Reads a model. Raises SternaError, with file, line and column, where the file is not one, or has what
    rigid molecules of Sterna do not have.
    """
    text = read_text(path)
    name = re.sub(r"[^A-Za-z0-9_+-]+", "_", path.stem).strip("_") or "model"
    model = Model(name, _header_of(text))
    entries = Entries(path, text)
    first = entries.peek()
    if first is not None and first.key not in ("NSiteTypes", "NIdfTypes"):
        entries.take("NSiteTypes")
    for _ in range(entries.take("NSiteTypes").count(100)):
        kind = _kind_of(entries.take("SiteType"))
        for _ in range(entries.take("NSites").count(100_000)):
            _take_site(entries, kind, model)
    entry = entries.peek()
    if entry is not None and entry.key in ("NIdfTypes", "NConstraintUnits"):
        entry.fail(
            f"{entry.key} is of flexible molecules; expected a rigid one, which ends with NRotAxes",
            at_value=False,
        )
    _take_rotation(entries, model)
    entry = entries.peek()
    # ms2's states of gradual insertion, which are no part of the model, end the file.
    if entry is not None and entry.key != "NFluct":
        entry.fail(f'unexpected "{entry.key}" behind the last line of the model', at_value=False)
    if sum(model.masses) <= 0.0:
        raise SternaError(f"{path}: error: the model has no mass", 2)
    return model


def _header_of(text: str) -> list[str]:
    kept: list[str] = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            break
        goes_on = bool(kept) and re.match(r"#\s{8,}\S", line) is not None
        if _KEPT_OF_HEADER.match(line) or goes_on:
            kept.append(" ".join(line.lstrip("#").split()))
    return kept


def _kind_of(entry: Entry) -> str:
    for kind, (names, _) in _KINDS.items():
        if entry.value.lower() in names:
            return kind
    near = difflib.get_close_matches(entry.value, ["LJ126", "Charge", "Dipole", "Quadrupole"], 1)
    advice = f'; did you mean "{near[0]}"?' if near else ""
    entry.fail(
        f'SiteType is "{entry.value}"; expected LJ126, Charge, Dipole or Quadrupole, the sites of '
        f"Sterna's rigid molecules{advice}"
    )


def _take_site(entries: Entries, kind: str, model: Model) -> None:
    values: dict[str, Entry] = {}
    for key in _KINDS[kind][1]:
        # Files of earlier years have no shields.
        entry = entries.take_if(key) if key == "shielding" else entries.take(key)
        if entry is not None:
            values[key] = entry
    site: dict[str, Any] = {
        "kind": kind,
        "position": [_rounded(values[axis].number() / 10.0) for axis in _PLACE],  # nm
    }
    mass = values["mass"].number(least=0.0)
    if kind == "lennard_jones":
        values["sigma"].number(least=0.0, above=True)
        values["epsilon"].number(least=0.0)
        site["sigma"] = f"{values['sigma'].value} angstrom"
        site["epsilon"] = f"{values['epsilon'].value} K"
    elif kind == "charge":
        site["charge"] = values["charge"].number()
    else:
        theta, phi = (math.radians(values[angle].number()) for angle in ("theta", "phi"))
        values[kind].number()
        site["axis"] = [
            _rounded(x)
            for x in (
                math.sin(theta) * math.cos(phi),
                math.sin(theta) * math.sin(phi),
                math.cos(theta),
            )
        ]
        unit = "D" if kind == "dipole" else "D*angstrom"
        site[f"{kind}_moment"] = f"{values[kind].value} {unit}"
    model.shields |= "shielding" in values and values["shielding"].number(least=0.0) > 0.0
    model.sites.append(site)
    model.masses.append(mass)
    if mass > 0.0 and kind in ("dipole", "quadrupole"):
        # Point dipoles and quadrupoles of Sterna have no mass; a charge of 0 beside them has it.
        model.masses[-1] = 0.0
        model.sites.append({"kind": "charge", "position": site["position"], "charge": 0.0})
        model.masses.append(mass)


def _rounded(value: float) -> float:
    """Without the rounding errors of sines and of tenths."""
    return round(value, 14) + 0.0


def _take_rotation(entries: Entries, model: Model) -> None:
    entry = entries.take("NRotAxes")
    if entry.value.lower() == "auto":
        return
    if entry.value not in ("0", "2", "3"):
        entry.fail(f'NRotAxes is "{entry.value}"; expected auto, 0, 2 or 3')
    total = entries.take_if("TotalMass")
    if total is not None and not math.isclose(
        total.number(least=0.0), sum(model.masses), rel_tol=1e-4
    ):
        total.fail(
            f"TotalMass is {total.value} u, and the sites have {sum(model.masses):g} u; expected the same"
        )
    model.inertia = [0.0, 0.0, 0.0]
    for axis in range(int(entry.value)):
        key = f"InertMom{'XYZ'[axis]}"
        model.inertia[axis] = entries.take(key).number(least=0.0, above=True)


def sections(models: Sequence[Model]) -> dict[str, Any]:
    """The sections of an input: a dilute gas of the models at 300 K, in equal shares, or in those that
    make it neutral.

    Raises SternaError where charged models cannot make a neutral system.
    """
    shares = _shares(models)
    atoms = [(m, share) for m, share in zip(models, shares, strict=True) if m.is_an_atom]
    molecules = [(m, share) for m, share in zip(models, shares, strict=True) if not m.is_an_atom]
    lightest = min(mass for model in models for mass in model.masses if mass > 0.0)
    found: dict[str, Any] = {
        "units": "nano",
        "run": {"steps": 10000, "timestep": "1 fs" if lightest < 2.0 else "2 fs"},
        "start": {
            "kind": "lattice",
            "lattice": "sc",
            "cells": [8, 8, 8],
            "density": "0.1 mol/l",
            "temperature": "300 K",
        },
    }
    if atoms:
        found["type"] = [_type_of(model, share) for model, share in atoms]
    if molecules:
        found["component"] = [_component_of(model, share) for model, share in molecules]
    found["interaction"] = {"cutoff": "1.4 nm", "truncation": "truncated", "tail_correction": True}
    if any(model.charge != 0.0 for model in models):
        found["electrostatics"] = {"kind": "fmm", "accuracy": 1e-4}
    elif any(model.is_polar for model in models):
        found["interaction"]["electrostatics"] = "reaction_field"
    found["thermostat"] = {
        "kind": "stochastic_velocity_rescaling",
        "temperature": "300 K",
        "time_constant": "0.5 ps",
    }
    found["output"] = {"thermo_interval": 100}
    return found


def _shares(models: Sequence[Model]) -> list[float]:
    signs = [0 if abs(m.charge) < 1e-6 else int(math.copysign(1, m.charge)) for m in models]
    if not any(signs):
        return [1.0] * len(models)
    if not (1 in signs and -1 in signs):
        n = next(n for n, sign in enumerate(signs) if sign)
        other = "negative" if signs[n] > 0 else "positive"
        raise SternaError(
            f"{models[n].name} has a charge of {models[n].charge:+g}; name a model with a {other} charge "
            "beside it, so that the system is neutral",
            2,
        )
    return [
        1.0 if sign == 0 else 1.0 / (abs(model.charge) * signs.count(sign))
        for model, sign in zip(models, signs, strict=True)
    ]


def _type_of(model: Model, share: float) -> dict[str, Any]:
    lj = next(site for site in model.sites if site["kind"] == "lennard_jones")
    found = {
        "name": model.name,
        "mass": math.fsum(model.masses),
        "epsilon": lj["epsilon"],
        "sigma": lj["sigma"],
    }
    if model.charge != 0.0:
        found["charge"] = model.charge
    return found | {"fraction": share}


def _component_of(model: Model, share: float) -> dict[str, Any]:
    found: dict[str, Any] = {"name": model.name, "fraction": share}
    if model.inertia is not None:
        found["inertia"] = [f"{value!r} u*angstrom^2" for value in model.inertia]
    found["site"] = [
        site if mass == 0.0 else site | {"mass": mass}
        for site, mass in zip(model.sites, model.masses, strict=True)
    ]
    return found


def write(
    files: Sequence[Path],
    output: Path,
    overwrite: bool,
    sections_of: Callable[[Sequence[Model]], dict[str, Any]] | None = None,
    also_read: Sequence[Path] = (),
) -> tuple[list[Path], list[str]]:
    """Writes the input; returns the files written, and notes on what was not kept.

    `sections_of`: makes the sections of the models, in place of `sections`; `also_read`: files that
    it has read. Raises SternaError where a file is not a model, where two have one name, and where the
    output is there already or is one of the files.
    """
    if output.suffix != ".toml":
        raise SternaError(f"the output is {output}; expected a name that ends in .toml", status=2)
    models = [read(path) for path in files]
    for n, model in enumerate(models):
        if model.name in [other.name for other in models[:n]]:
            raise SternaError(f"two models are called {model.name}; rename a file", status=2)
    found = (sections_of or sections)(models)
    if output.exists() and not overwrite:
        raise SternaError(f"{output} exists; --overwrite replaces it", status=2)
    require_not_read((output,), [*files, *also_read])
    head = "".join(
        f"# {model.name}: {' '.join(model.header)}\n" for model in models if model.header
    )
    if sections_of is None:
        head += "# A dilute gas: change density and temperature in [start] and [thermostat].\n"
    replace_text(output, head + toml_text(found))
    notes = [
        f"{model.name}: shields of charges and moments (shielding) are not kept; ms2 uses them in Monte "
        "Carlo steps and insertions"
        for model in models
        if model.shields
    ]
    return [output], notes
