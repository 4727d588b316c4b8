"""Rigid molecules of an imported system that become `[[component]]`s: `sterna import --rigid`.

A component has a center of mass and an orientation in place of atoms with constraints, so that its
motion needs no solver of constraints. Its energy is the same: all interactions with others stay those
of its sites. What a component cannot have is refused by the molecule's name, with the reason.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.bodies import Bodies, Body, in_principal_axes
from sterna.importing.lennard_jones import mixed
from sterna.importing.molecules import Molecule, Molecules
from sterna.importing.rigid import WATER_NAMES
from sterna.importing.rigid_shape import NotRigidError, excluded_pairs, shape_of
from sterna.importing.system import Atom, System
from sterna.support.mixing import RULES
from sterna.support.names import no_such

ALL = "all"
_WATER = "water"
_KINDS = ("component", "atoms")
_MOST_DEVIATION = 0.1  #: of the largest extent of a molecule
_SAME = 1e-9  #: relative, of parameters
_PLAIN_PAIR = {"first", "second", "sigma", "epsilon"}


def choices_of(texts: Sequence[str]) -> dict[str, str]:
    """Reads NAME=component and NAME=atoms. Raises SternaError."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, kind = text.rpartition("=")
        if not name or not kind:
            raise SternaError(f"--rigid {text}: expected NAME=component, as in water=component", 2)
        if kind not in _KINDS:
            raise SternaError(f"--rigid {text}: {no_such('kind', kind, list(_KINDS))}", 2)
        if found.setdefault(name, kind) != kind:
            raise SternaError(f"--rigid says both component and atoms of {name}", 2)
    return found


@dataclass
class _Kind:
    """Molecules of one kind."""

    molecule: Molecule
    name: str  #: as the file calls it
    atoms: numpy.ndarray  #: (molecules, atoms) of the system


class _Refused(Exception):  # noqa: N818 (it becomes a SternaError, or a note)
    """The text says why molecules cannot be components."""


def with_components(system: System, choices: Mapping[str, str]) -> tuple[System, list[str]]:
    """The system with bodies in place of the molecules that `choices` names, and notes for the user.

    Names are those of molecules in the file; "water" stands for all names of water, and "all" for all
    molecules that keep their shapes. Raises SternaError for names that there are not, and for molecules
    that cannot become components.
    """
    molecules = Molecules(system)
    kinds, first = [], 0
    for one in molecules.kinds:
        last = first + one.count * one.size
        atoms = numpy.array(molecules.order[first:last]).reshape(one.count, one.size)
        kinds.append(_Kind(one, system.molecule_name(atoms[0].tolist()), atoms))
        first = last
    _require_names(choices, list(dict.fromkeys(kind.name for kind in kinds)))
    maker = _Maker(system)
    bodies: list[Body | None] = []
    kept: dict[str, str] = {}
    for kind in kinds:
        chosen, by_name = _chosen(kind.name, choices)
        body = None
        if chosen:
            try:
                body = maker.body_of(kind)
            except (NotRigidError, _Refused) as why:
                if by_name:
                    raise SternaError(
                        f"--rigid {by_name}=component: {kind.name} cannot be a component: {why}", 2
                    ) from None
                kept.setdefault(kind.name, str(why))
        bodies.append(body)
    if not any(bodies):
        reasons = "; ".join(f"{name}: {why}" for name, why in kept.items())
        raise SternaError(f"--rigid: no molecule becomes a component ({reasons})", 2)
    made = _Converted(system, kinds, bodies).system()
    counts: Counter[str] = Counter()
    for kind, body in zip(kinds, bodies, strict=True):
        if body is not None:
            counts[body.name] += kind.molecule.count
    notes = [f"components: {', '.join(f'{count} {name}' for name, count in counts.items())}"]
    notes += [
        f"{name} stays atoms: {why}" for name, why in kept.items() if "single atom" not in why
    ]
    return made, notes


def _require_names(choices: Mapping[str, str], names: list[str]) -> None:
    has_water = any(name.upper() in WATER_NAMES for name in names)
    known = [*names, ALL, *([_WATER] if has_water else [])]
    for name in choices:
        if name not in known:
            raise SternaError(f"--rigid {name}: {no_such('molecule', name, known)}", 2)


def _chosen(name: str, choices: Mapping[str, str]) -> tuple[bool, str]:
    """Whether molecules of this name become components, and the name in the choice that says so; of
    "all", none."""
    if name in choices:
        return choices[name] == "component", name
    if name.upper() in WATER_NAMES and _WATER in choices:
        return choices[_WATER] == "component", _WATER
    return choices.get(ALL) == "component", ""


class _Maker:
    """Components of the molecules of a system."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._types = {kind["name"]: kind for kind in system.types}
        self._own = {
            pair["first"]: pair
            for pair in system.pairs
            if pair["first"] == pair["second"] and pair.keys() == _PLAIN_PAIR
        }
        self._held = {atom for atom, _ in system.restraints}
        self._known: dict[str, Body] = {}
        self._names: set[str] = set(self._types)

    def body_of(self, kind: _Kind) -> Body:
        """Raises NotRigidError or _Refused."""
        tables = kind.molecule.tables
        held = next((k for k in kind.atoms.ravel().tolist() if k in self._held), None)
        if held is not None:
            raise _Refused(
                f"{self._system.atom_name(held)} has a position restraint, which holds an atom, and a "
                "component has none"
            )
        masses = numpy.array([float(self._types[one["type"]]["mass"]) for one in tables["atom"]])
        inside = {key: value for key, value in tables.items() if key != "atom"}
        atoms = [(one["name"], one["type"], one["charge"]) for one in tables["atom"]]
        key = repr((kind.name, inside, atoms))
        if key in self._known:
            self._require_alike(kind, self._known[key])
            return self._known[key]
        places = self._system.positions[kind.atoms[0]]
        edges = self._system.box
        places = places - numpy.rint((places - places[0]) @ numpy.linalg.inv(edges)) @ edges
        shape = in_principal_axes(shape_of(tables, masses.tolist(), places), masses)
        self._require_exclusions(tables)
        self._require_solver(tables)
        name, number = kind.name, 1
        while name in self._names:
            number += 1
            name = f"{kind.name}_{number}"
        body = Body(name, self._sites(tables, masses, shape), shape, masses)
        self._require_alike(kind, body)
        self._names.add(name)
        self._known[key] = body
        return body

    def _require_solver(self, tables: Mapping[str, Any]) -> None:
        charges = self._system.electrostatics
        is_charged = any(one["charge"] for one in tables["atom"])
        if is_charged and charges is not None and charges["kind"] not in ("fmm", "ewald"):
            raise _Refused(
                f'it has charges, which end at a cutoff here (kind = "{charges["kind"]}"); those of '
                "components act at any distance"
            )

    def _require_exclusions(self, tables: Mapping[str, Any]) -> None:
        atoms = tables["atom"]
        excluded = excluded_pairs(tables)
        for a, b in itertools.combinations(range(len(atoms)), 2):
            charged = atoms[a]["charge"] and atoms[b]["charge"]
            has_wells = all(self._epsilon(atoms[k]["type"]) for k in (a, b))
            if (charged or has_wells) and (a, b) not in excluded:
                raise _Refused(
                    f"its atoms {atoms[a]['name']} and {atoms[b]['name']} interact with each other, and "
                    "sites of one component do not; expected an exclusion"
                )

    def _epsilon(self, name: str) -> float:
        return float((self._own.get(name) or self._types[name]).get("epsilon", 0.0))

    def _sites(
        self, tables: Mapping[str, Any], masses: numpy.ndarray, shape: numpy.ndarray
    ) -> list[dict[str, Any]]:
        sites: list[dict[str, Any]] = []
        for atom, mass, place in zip(tables["atom"], masses.tolist(), shape.tolist(), strict=True):
            at = {"position": place}
            parameters = self._own.get(atom["type"]) or self._types[atom["type"]]
            made = []
            if self._epsilon(atom["type"]):
                wells = {key: parameters[key] for key in ("epsilon", "sigma")}
                made.append({"kind": "lennard_jones"} | at | wells)
            if atom["charge"] or (mass > 0.0 and not made):
                made.append({"kind": "charge"} | at | {"charge": atom["charge"]})
            if mass > 0.0:
                made[0]["mass"] = mass
            sites += made
        return sites

    def _require_alike(self, kind: _Kind, body: Body) -> None:
        """Raises _Refused where a molecule of the kind has another shape, such as the mirror image."""
        count = len(kind.atoms)
        all_of_kind = Bodies(
            self._system, kind.atoms.tolist(), [body] * count, numpy.zeros((count, 4)), None
        )
        off = all_of_kind.placed(self._system.positions).differences
        extent = float(numpy.ptp(body.places, axis=0).max())
        worst = int(numpy.argmax(off))
        if off[worst] > _MOST_DEVIATION * extent:
            raise _Refused(
                f"the molecule of {self._system.atom_name(int(kind.atoms[worst, 0]))} differs by "
                f"{off[worst]:.3g} from the shape that its constraints ask for, which has an extent of "
                f"{extent:.3g}"
            )


class _Converted:
    """A system with bodies."""

    def __init__(
        self, system: System, kinds: Sequence[_Kind], bodies: Sequence[Body | None]
    ) -> None:
        self._system = system
        self._kinds = kinds
        self._bodies = bodies
        self._types = {kind["name"]: kind for kind in system.types}
        self._pairs = {frozenset((p["first"], p["second"])): p for p in system.pairs}
        #: Types of sites of each component, as far as they have wells, with the component.
        self._sites: dict[str, tuple[Body, list[str]]] = {}
        used: set[str] = set()
        for kind, body in zip(kinds, bodies, strict=True):
            names = {atom["type"] for atom in kind.molecule.tables["atom"]}
            if body is None:
                used |= names
            else:
                self._sites[body.name] = body, sorted(names)
        self._used = [kind["name"] for kind in system.types if kind["name"] in used]

    def system(self) -> System:
        system = self._system
        particles: list[list[int]] = []
        kinds: list[Body | None] = []
        for kind, body in zip(self._kinds, self._bodies, strict=True):
            rows = kind.atoms.tolist()
            particles += rows if body is not None else [[atom] for row in rows for atom in row]
            kinds += [body] * (len(particles) - len(kinds))
        bodies = Bodies(system, particles, kinds, numpy.zeros((len(particles), 4)), None)
        placed = bodies.placed(system.positions)
        bodies.orientations = placed.orientations
        velocities = None
        if system.velocities is not None:
            velocities, bodies.angular_momenta = bodies.motion(placed, system.velocities)
        place = {atoms[0]: n for n, atoms in enumerate(particles) if kinds[n] is None}
        self._require_sections()
        return replace(
            system,
            atoms=[self._atom(atoms, body) for atoms, body in zip(particles, kinds, strict=True)],
            types=[kind for kind in system.types if kind["name"] in self._used],
            pairs=self._new_pairs(),
            terms=[
                replace(one, atoms=tuple(place[atom] for atom in one.atoms))
                for one in system.terms
                if one.atoms[0] in place
            ],
            joined=[(place[a], place[b]) for a, b in system.joined if a in place],
            positions=placed.centers,
            velocities=velocities,
            interaction=self._interaction(),
            molecule_name=lambda members: system.molecule_name(
                [atom for one in members for atom in particles[one]]
            ),
            atom_name=lambda particle: system.atom_name(particles[particle][0]),
            restraints=[(place[atom], stiffness) for atom, stiffness in system.restraints],
            reference=self._reference(bodies),
            bodies=bodies,
        )

    def _atom(self, atoms: list[int], body: Body | None) -> Atom:
        first = self._system.atoms[atoms[0]]
        if body is None:
            return first
        return Atom(body.name, body.name, None, first.residue)

    def _reference(self, bodies: Bodies) -> Any:
        reference = self._system.reference
        if reference is None:
            return None
        return replace(reference, positions=bodies.placed(reference.positions).centers)

    def _require_sections(self) -> None:
        """Sections that act on the atoms of a type know no sites of components."""
        lost = {name for _, names in self._sites.values() for name in names}
        for section, value in {
            **self._system.sections,
            "thermostat": self._system.thermostat,
        }.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, Mapping) and one.get("component") in lost:
                    component = next(
                        name
                        for name, (_, names) in self._sites.items()
                        if one["component"] in names
                    )
                    raise SternaError(
                        f"--rigid: {component} cannot be a component: [[{section}]] acts on its atoms of "
                        f"the type {one['component']}",
                        2,
                    )

    def _interaction(self) -> dict[str, Any]:
        found = dict(self._system.interaction)
        name = next(iter(self._sites))
        if found.get("truncation", "shifted") not in ("truncated", "shifted"):
            raise SternaError(
                f"--rigid: {name} cannot be a component: pairs end by truncation = "
                f'"{found["truncation"]}" here; those of components are "truncated" or "shifted"',
                2,
            )
        return found | {"molecular_cutoff": "site"}

    # ---- Lennard-Jones parameters of pairs

    def _new_pairs(self) -> list[dict[str, Any]]:
        """`[[pair]]`s of types, and factors of pairs with components."""
        made = [
            pair
            for pair in self._system.pairs
            if pair["first"] in self._used and pair["second"] in self._used
        ]
        others = [(name, [name]) for name in self._used]
        components = [(name, names) for name, (_, names) in self._sites.items()]
        for n, (name, types) in enumerate(components):
            for other, of_other in (*others, *components[n:]):
                factors = self._factors(name, types, other, of_other)
                if factors is not None:
                    made.append({"first": other, "second": name} | factors)
        return made

    def _factors(
        self, name: str, types: list[str], other: str, of_other: list[str]
    ) -> dict[str, float] | None:
        """`eta` and `xi` of a component and another one, or a type; None: mixing does."""
        found: dict[str, float] | None = None
        is_first = True
        for a, b in itertools.product(types, of_other):
            sigma, epsilon = self._parameters(name, a, b)
            mixed_sigma, mixed_epsilon = self._mixed(a, b, other in self._sites)
            if mixed_epsilon == 0.0:
                if epsilon != 0.0:
                    self._fail(name, a, b, "interact, and one of them does not with its own type")
                continue
            eta = sigma / mixed_sigma if epsilon != 0.0 else 1.0
            factors = {"eta": eta, "xi": epsilon / mixed_epsilon}
            if is_first:
                found, is_first = factors, False
            elif not all(
                numpy.isclose(found[key], factors[key], rtol=_SAME, atol=0.0) for key in factors
            ):
                self._fail(
                    name, a, b, "have parameters of their own, and all sites of a component have the "
                    "same factors of mixing",
                )  # fmt: skip
        if found is None or numpy.allclose(list(found.values()), 1.0, rtol=_SAME, atol=0.0):
            return None
        if name == other:
            self._fail(name, types[0], types[-1], "have parameters of their own")
        return found

    def _parameters(self, component: str, a: str, b: str) -> tuple[float, float]:
        """Sigma and epsilon of two types."""
        pair = self._pairs.get(frozenset((a, b)))
        if pair is not None:
            if pair.keys() != _PLAIN_PAIR:
                self._fail(component, a, b, "have a potential of their own")
            return pair["sigma"], pair["epsilon"]
        if a == b:
            return self._types[a].get("sigma", 1.0), self._types[a].get("epsilon", 0.0)
        return self._mean([self._types[a], self._types[b]])

    def _mixed(self, a: str, b: str, are_both_sites: bool) -> tuple[float, float]:
        """What Sterna mixes of a site and another one, or an atom."""
        own = [self._pairs.get(frozenset((name,)), self._types[name]) for name in (a, b)]
        if not are_both_sites:
            own[1] = self._types[b]
        return self._mean(own)

    def _mean(self, both: list[Mapping[str, Any]]) -> tuple[float, float]:
        first, second = (
            (float(one.get("sigma", 1.0)), float(one.get("epsilon", 0.0))) for one in both
        )
        return mixed(self._system.interaction.get("mixing", RULES[0]), first, second)

    def _fail(self, name: str, a: str, b: str, why: str) -> None:
        raise SternaError(f"--rigid: {name} cannot be a component: the types {a} and {b} {why}", 2)
