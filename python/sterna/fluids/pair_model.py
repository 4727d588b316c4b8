"""Molecules as sites, and how the sites of two molecules interact, from a model's name or an input."""

import os
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.exporting.quantities import COULOMB, ENERGY, LENGTH, Quantities
from sterna.launching.launch import program_environment
from sterna.launching.models import find_model
from sterna.launching.program import find_program
from sterna.support.constants import KJ_MOL_PER_K
from sterna.support.files import require_regular
from sterna.support.mixing import RULES, mixed_well
from sterna.support.quantity import number_and_unit

CM3_MOL_PER_NM3 = 602.214076  #: exact
KJ_PER_BAR_CM3 = 1e-4
_ELEMENTARY_CHARGE = 1.602176634e-19  # C
_DEBYE = 1e-21 / 299792458.0 / _ELEMENTARY_CHARGE * 1e9  # e nm
_BOHR = 0.0529177210903  # nm
#: The units of charges and multipoles that inputs may have, in e and nm.
_MOMENTS = {
    "e": 1.0, "C": 1.0 / _ELEMENTARY_CHARGE,
    "D": _DEBYE, "debye": _DEBYE, "Debye": _DEBYE, "e*nm": 1.0, "e*angstrom": 0.1,
    "e*bohr": _BOHR, "C*m": 1e9 / _ELEMENTARY_CHARGE,
    "D*angstrom": 0.1 * _DEBYE, "DA": 0.1 * _DEBYE, "D*A": 0.1 * _DEBYE,
    "Dangstrom": 0.1 * _DEBYE, "buckingham": 0.1 * _DEBYE, "e*nm^2": 1.0,
    "e*angstrom^2": 0.01, "e*bohr^2": _BOHR**2, "C*m^2": 1e18 / _ELEMENTARY_CHARGE,
}  # fmt: skip
#: The plain numbers of an input: powers of a length in nm for charges, dipoles and quadrupoles.
_LENGTHS = {"reduced": 1.0, "nano": 1.0, "metal": 0.1, "real": 0.1}
#: Sections of an input with particles that are no rigid molecules, or with other forces on them.
_OTHER_MATTER = ("molecule", "wall", "field")


def _no_places() -> numpy.ndarray:
    return numpy.zeros((0, 3))


@dataclass
class Molecule:
    """An atom or a rigid molecule: its sites about the center of mass, in nm, kJ/mol and e.

    In reduced units these are the units of the input. Arrays of places have the shape (sites, 3).
    """

    name: str
    mass: float = 1.0
    substance: str = ""  #: what it is a model of, as the library says
    wells: numpy.ndarray = field(default_factory=_no_places)  #: places of Lennard-Jones sites
    epsilon: numpy.ndarray = field(default_factory=lambda: numpy.zeros(0))
    sigma: numpy.ndarray = field(default_factory=lambda: numpy.zeros(0))
    charges: numpy.ndarray = field(default_factory=_no_places)
    charge: numpy.ndarray = field(default_factory=lambda: numpy.zeros(0))
    dipoles: numpy.ndarray = field(default_factory=_no_places)
    dipole: numpy.ndarray = field(default_factory=_no_places)  #: moments as vectors
    quadrupoles: numpy.ndarray = field(default_factory=_no_places)
    quadrupole: numpy.ndarray = field(default_factory=lambda: numpy.zeros(0))
    quadrupole_axis: numpy.ndarray = field(default_factory=_no_places)  #: unit vectors

    @property
    def is_atom(self) -> bool:
        """Whether it looks the same from all sides: one Lennard-Jones site at its center."""
        more = len(self.charges) + len(self.dipoles) + len(self.quadrupoles)
        return len(self.wells) == 1 and not self.wells.any() and not more

    @property
    def is_along_z(self) -> bool:
        """Whether it looks the same from all sides of the z-axis."""
        vectors = (self.wells, self.charges, self.dipoles, self.dipole, self.quadrupoles)
        return not any(v[:, :2].any() for v in (*vectors, self.quadrupole_axis))

    @property
    def extent(self) -> float:
        """The distance of the farthest site from the center."""
        places = [self.wells, self.charges, self.dipoles, self.quadrupoles]
        return max(float(numpy.linalg.norm(p, axis=1).max()) for p in places if len(p))


@dataclass(frozen=True)
class Ending:
    """Where the Lennard-Jones part ends; infinity: nowhere."""

    cutoff: float = numpy.inf
    shifted: bool = False
    by_site: bool = False  #: whether each pair of sites ends on its own, or by the centers

    def __str__(self) -> str:
        if not numpy.isfinite(self.cutoff):
            return "Lennard-Jones sites at any distance"
        where = "sites" if self.by_site else "centers"
        return (
            f"Lennard-Jones sites up to {self.cutoff:g} between {where}"
            f"{', shifted' if self.shifted else ''}"
        )


@dataclass
class PairModel:
    """The molecules of a fluid, and what acts between each two of them."""

    molecules: list[Molecule]
    reduced: bool
    ending: Ending = Ending()
    mixing: str = RULES[0]
    #: By the names of two: their rule, where it is another one.
    rules: dict[frozenset[str], str] = field(default_factory=dict)
    #: By the names of two: factors eta of sigma and xi of epsilon.
    factors: dict[frozenset[str], tuple[float, float]] = field(default_factory=dict)
    #: By the names of two atoms: epsilon and sigma, where they are not mixed.
    own: dict[frozenset[str], tuple[float, float]] = field(default_factory=dict)

    @property
    def boltzmann(self) -> float:
        """Boltzmann's constant in the model's unit of energy."""
        return 1.0 if self.reduced else KJ_MOL_PER_K

    @property
    def coulomb(self) -> float:
        """The energy of two unit charges at unit distance."""
        return 1.0 if self.reduced else COULOMB

    @property
    def names(self) -> list[str]:
        return [molecule.name for molecule in self.molecules]

    @property
    def sigma(self) -> float:
        """The largest sigma of all sites, by which reduced coefficients are reduced."""
        return max(float(molecule.sigma.max()) for molecule in self.molecules)

    def wells_between(self, a: Molecule, b: Molecule) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Epsilon and sigma of all pairs of Lennard-Jones sites; arrays (sites of a, sites of b)."""
        names = frozenset((a.name, b.name))
        if names in self.own:
            epsilon, sigma = self.own[names]
            return numpy.array([[epsilon]]), numpy.array([[sigma]])
        eta, xi = (1.0, 1.0) if a.name == b.name else self.factors.get(names, (1.0, 1.0))
        rule = self.rules.get(names, self.mixing)
        wells = [
            [mixed_well(rule, one, other) for other in zip(b.epsilon, b.sigma, strict=True)]
            for one in zip(a.epsilon, a.sigma, strict=True)
        ]
        epsilon, sigma = (
            numpy.array(wells).reshape(len(a.epsilon), len(b.epsilon), 2).transpose(2, 0, 1)
        )
        return xi * epsilon, eta * sigma


def pair_model(given: str | os.PathLike | Sequence[str]) -> PairModel:
    """The model of a name that `sterna models` lists, of several names, or of an input file.

    "lennard_jones" is the Lennard-Jones fluid in reduced units. Raises SternaError where there is
    no such model, and for inputs whose molecules are not rigid.
    """
    if isinstance(given, os.PathLike) or (
        isinstance(given, str) and (Path(given).suffix in (".toml", ".xml") or "/" in given)
    ):
        return _of_input(Path(given))
    names = [given] if isinstance(given, str) else list(given)
    names = [part.strip() for name in names for part in name.split(",")]
    if len(set(names)) < len(names):
        raise SternaError(f"a model is named twice in {','.join(names)}", 2)
    if "lennard_jones" in names:
        if len(names) > 1:
            raise SternaError("lennard_jones is in reduced units: it mixes with no model", 2)
        return PairModel([_atom("LJ", 1.0, 1.0, 1.0)], reduced=True)
    return PairModel([of_library(name) for name in names], reduced=False)


def of_library(name: str) -> Molecule:
    """A published model. Raises SternaError with the names that there are."""
    entry = find_model(name)
    first = entry["sites"][0]
    center = numpy.array(first["position"]) - numpy.array(first["body_position"])
    made = _molecule(name, [_site_of_library(site) for site in entry["sites"]], center)
    made.substance = entry["substance"]
    return made


def _atom(name: str, mass: float, epsilon: float, sigma: float) -> Molecule:
    place = numpy.zeros((1, 3))
    return Molecule(
        name, mass, wells=place, epsilon=numpy.array([epsilon]), sigma=numpy.array([sigma])
    )


@dataclass(frozen=True)
class _Site:
    kind: str
    position: tuple[float, ...]
    mass: float = 0.0
    epsilon: float = 0.0
    sigma: float = 0.0
    moment: float = 0.0  #: or charge
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)


def _site_of_library(site: Mapping) -> _Site:
    return _Site(
        site["kind"],
        tuple(site["position"]),
        site.get("mass", 0.0),
        site.get("epsilon", 0.0),
        site.get("sigma", 0.0),
        site.get("charge", site.get("moment", 0.0)),
        tuple(site.get("axis", (0.0, 0.0, 1.0))),
    )


def _molecule(name: str, sites: Sequence[_Site], center: numpy.ndarray | None = None) -> Molecule:
    """A molecule of these sites about `center`, without which it is the center of mass."""
    mass = sum(site.mass for site in sites)
    if center is None:
        center = sum(site.mass * numpy.array(site.position) for site in sites) / mass

    def places(kind: str) -> tuple[numpy.ndarray, list[_Site]]:
        found = [site for site in sites if site.kind == kind]
        return numpy.array([site.position for site in found]).reshape(-1, 3) - center, found

    def directions(found: Sequence[_Site]) -> numpy.ndarray:
        axes = numpy.array([site.axis for site in found]).reshape(-1, 3)
        return axes / numpy.linalg.norm(axes, axis=1, keepdims=True)

    wells, of_wells = places("lennard_jones")
    charges, of_charges = places("charge")
    dipoles, of_dipoles = places("dipole")
    quadrupoles, of_quadrupoles = places("quadrupole")
    keep = numpy.array([site.moment != 0.0 for site in of_charges], bool)
    charge = numpy.array([site.moment for site in of_charges])
    if abs(charge.sum()) > 1e-9 * max(1e-300, abs(charge).sum()):
        raise SternaError(
            f"{name} has the charge {charge.sum():g}: the virial coefficients of ions are infinite",
            2,
        )
    if not len(wells):
        raise SternaError(f"{name} has no Lennard-Jones site: nothing keeps two of it apart", 2)
    return Molecule(
        name,
        mass,
        wells=wells,
        epsilon=numpy.array([site.epsilon for site in of_wells]),
        sigma=numpy.array([site.sigma for site in of_wells]),
        charges=charges[keep],
        charge=charge[keep],
        dipoles=dipoles,
        dipole=numpy.array([site.moment for site in of_dipoles])[:, None] * directions(of_dipoles),
        quadrupoles=quadrupoles,
        quadrupole=numpy.array([site.moment for site in of_quadrupoles]),
        quadrupole_axis=directions(of_quadrupoles),
    )


def _sections_of(path: Path) -> dict:
    """The sections of an input, which is valid. Raises SternaError with what the engine says."""
    require_regular(path)
    environment = program_environment()
    command = [find_program(), "--check", "--", str(path)]
    if path.suffix == ".xml":
        with tempfile.TemporaryDirectory(prefix="sterna-virial-") as folder:
            written = Path(folder) / "converted.toml"
            command = [find_program(), f"--convert={written}", "--", str(path)]
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                return tomllib.loads(written.read_text(encoding="utf-8"))
    else:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    raise SternaError(done.stderr.strip() or done.stdout.strip(), done.returncode)


def _of_input(path: Path) -> PairModel:
    sections = _sections_of(path)
    for name in _OTHER_MATTER:
        if name in sections:
            raise SternaError(
                f"{path}: [[{name}]]: virial coefficients are those of atoms and rigid molecules "
                "alone, of [[type]]s and [[component]]s",
                2,
            )
    interaction = sections["interaction"]
    if interaction.get("potential", "lennard_jones") != "lennard_jones":
        raise SternaError(
            f"{path}: [interaction]: potential = {interaction['potential']!r}: a potential of many "
            'bodies has no virial coefficients from pairs; expected "lennard_jones"',
            2,
        )
    units = sections.get("units", "reduced")
    quantities = Quantities(units, "nano", 1.0, 1.0)
    molecules = []
    for kind in sections.get("type", []):
        if number_and_unit(kind.get("charge", 0.0))[0]:
            raise SternaError(
                f"{path}: the type {kind['name']} has a charge: the virial coefficients of ions are "
                "infinite",
                2,
            )
        epsilon = quantities.number(kind.get("epsilon", 1.0), ENERGY)
        sigma = quantities.number(kind.get("sigma", 1.0), LENGTH)
        mass = number_and_unit(kind.get("mass", 1.0))[0] or 1.0
        molecules.append(_atom(kind["name"], mass, epsilon, sigma))
    for component in sections.get("component", []):
        if "model" in component:
            made = of_library(component["model"])
            made.name = component["name"]
        else:
            sites = [_site_of_input(site, units, quantities) for site in component["site"]]
            made = _molecule(component["name"], sites)
        molecules.append(made)
    if not molecules:
        molecules.append(_atom("LJ", 1.0, 1.0, 1.0))
    model = PairModel(
        molecules,
        units == "reduced",
        _ending_of(path, interaction, quantities),
        interaction.get("mixing", RULES[0]),
    )
    for pair in sections.get("pair", []):
        _add_pair(path, model, pair, quantities)
    return model


def _site_of_input(site: Mapping, units: str, quantities: Quantities) -> _Site:
    kind = site["kind"]
    power = {"dipole": 1, "quadrupole": 2}.get(kind, 0)
    moment = 0.0
    if kind != "lennard_jones":
        key = "charge" if kind == "charge" else f"{kind}_moment"
        number, unit = number_and_unit(site[key])
        moment = float(number) * (_MOMENTS[unit] if unit else _LENGTHS[units] ** power)
    return _Site(
        kind,
        tuple(quantities.number(x, LENGTH) for x in site.get("position", (0.0, 0.0, 0.0))),
        float(number_and_unit(site.get("mass", 0.0))[0] or 0.0),
        quantities.number(site.get("epsilon", 0.0), ENERGY),
        quantities.number(site.get("sigma", 0.0), LENGTH),
        moment,
        tuple(map(float, site.get("axis", (0.0, 0.0, 1.0)))),
    )


def _ending_of(path: Path, interaction: Mapping, quantities: Quantities) -> Ending:
    if interaction.get("tail_correction", "none") not in ("none", False):
        return Ending()
    truncation = interaction.get("truncation", "shifted")
    if truncation not in ("shifted", "truncated"):
        raise SternaError(
            f'{path}: [interaction]: truncation = "{truncation}": expected "shifted" or "truncated", '
            "or a tail_correction, with which the potential counts at any distance",
            2,
        )
    cutoff = quantities.number(
        interaction.get("lennard_jones_cutoff", interaction["cutoff"]), LENGTH
    )
    by_site = interaction.get("molecular_cutoff") == "site"
    return Ending(cutoff, truncation == "shifted", by_site)


def _add_pair(path: Path, model: PairModel, pair: Mapping, quantities: Quantities) -> None:
    names = frozenset((pair["first"], pair["second"]))
    unlike = [
        key for key in ("adds", "cutoff", "truncation") if key in pair and pair[key] is not False
    ]
    if pair.get("potential", "lennard_jones") != "lennard_jones" or unlike:
        what = f'potential "{pair["potential"]}"' if "potential" in pair else unlike[0]
        raise SternaError(
            f"{path}: [[pair]] of {pair['first']} and {pair['second']}: {what}: virial coefficients "
            "are those of Lennard-Jones sites, charges, dipoles and quadrupoles",
            2,
        )
    if "mixing" in pair:
        model.rules[names] = pair["mixing"]
    if "eta" in pair or "xi" in pair:
        model.factors[names] = (float(pair.get("eta", 1.0)), float(pair.get("xi", 1.0)))
    if "epsilon" in pair or "sigma" in pair:
        a, b = (next(m for m in model.molecules if m.name == pair[k]) for k in ("first", "second"))
        epsilon, sigma = (float(of[0, 0]) for of in model.wells_between(a, b))
        model.own[names] = (
            quantities.number(pair["epsilon"], ENERGY) if "epsilon" in pair else epsilon,
            quantities.number(pair["sigma"], LENGTH) if "sigma" in pair else sigma,
        )
