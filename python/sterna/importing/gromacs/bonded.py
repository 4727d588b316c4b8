"""Bonded entries of a molecule as terms of Sterna: one function for each function of GROMACS.

Source: GROMACS manual, "Bonded interactions"; docs/howto/flexible-molecules.md for Sterna's formulas.
A function that Sterna does not have is refused by its name.
"""

import math
from collections.abc import Callable, Iterator

import numpy

from sterna.importing.gromacs.functions import FUNCTIONS, MEMBERS
from sterna.importing.gromacs.topology import Entry, MoleculeType, Topology
from sterna.importing.system import PROPORTIONAL, Term, term

_MOST_MULTIPLICITY = 6
_HALF_TURN = 180.0

Values = tuple[float, ...]


def terms_of(entry: Entry, kind: MoleculeType, topology: Topology) -> Iterator[Term]:
    """Terms of one entry of bonds, angles, dihedrals or CMAPs. Raises SternaError with its line."""
    if entry.section == "cmap":
        yield _cmap(entry, kind, topology)
        return
    is_tabulated = (entry.section, entry.function) in _TABULATED
    for values in parameters_of(entry, kind, topology):
        if is_tabulated:
            yield from _tabulated(entry, values, topology)
        else:
            yield from _CONVERTERS[entry.section, entry.function](entry, values)


def parameters_of(entry: Entry, kind: MoleculeType, topology: Topology) -> list[Values]:
    """Returns the parameters of each term of an entry: its own, or those of its atoms' types."""
    function = FUNCTIONS[entry.section][entry.function]
    if entry.values or not function.parameters:
        return [entry.values]
    names = tuple(topology.types.types[kind.atoms[k].type].bonded_name for k in entry.atoms)
    found: list[Values] = topology.bonded.find(
        function.types, entry.function, function, names, entry.line
    )
    if not found:
        entry.line.fail(
            None,
            f"there are no parameters in it, and no [ {function.types} ] of function type "
            f"{entry.function} for {' '.join(names)}",
        )
    return found


def _positive(entry: Entry, place: int, value: float, what: str) -> float:
    if not value > 0.0:
        entry.fail_at(place, f"{what} is {value:g}; expected a number above 0")
    return value


def _not_negative(entry: Entry, place: int, value: float, what: str) -> float:
    if not value >= 0.0:
        entry.fail_at(place, f"{what} is {value:g}; expected 0 or more")
    return value


def _angle_at_rest(entry: Entry, value: float) -> float:
    if not 0.0 <= value <= _HALF_TURN:
        entry.fail_at(0, f"the angle at rest is {value:g}; expected 0 to 180 degrees")
    return value


def _harmonic_bond(entry: Entry, values: Values) -> Iterator[Term]:
    r0, stiffness = values
    if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
        return
    r0 = _positive(entry, 0, r0, "the length at rest")
    yield term("bond", entry.atoms, potential="harmonic", stiffness=stiffness, r0=r0)


def _morse_bond(entry: Entry, values: Values) -> Iterator[Term]:
    r0, depth, alpha = values
    if _not_negative(entry, 1, depth, "the depth of the well") == 0.0:
        return
    r0 = _positive(entry, 0, r0, "the length at rest")
    alpha = _positive(entry, 2, alpha, "beta")
    yield term("bond", entry.atoms, potential="morse", depth=depth, alpha=alpha, r0=r0)


def _gromos_bond(entry: Entry, values: Values) -> Iterator[Term]:
    r0, k = values
    if _not_negative(entry, 1, k, "a force constant") == 0.0:
        return
    r0 = _positive(entry, 0, r0, "the length at rest")
    yield term("bond", entry.atoms, potential="gromos", stiffness=2.0 * k * r0 * r0, r0=r0)


def _cubic_bond(entry: Entry, values: Values) -> Iterator[Term]:
    r0, k, kc = values
    if _not_negative(entry, 1, k, "a force constant") == 0.0:
        return
    r0 = _positive(entry, 0, r0, "the length at rest")
    yield term(
        "bond", entry.atoms, potential="polynomial", stiffness=2.0 * k, r0=r0, k3=k * kc
    )  # fmt: skip


def _fene_bond(entry: Entry, values: Values) -> Iterator[Term]:
    longest, stiffness = values
    if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
        return
    longest = _positive(entry, 0, longest, "the largest length")
    yield term("bond", entry.atoms, potential="fene", stiffness=stiffness, r_max=longest)


def _restraint_bond(entry: Entry, values: Values) -> Iterator[Term]:
    lower, upper, linear, stiffness = values
    if _not_negative(entry, 3, stiffness, "a force constant") == 0.0:
        return
    if not 0.0 <= lower <= upper <= linear:
        entry.fail_at(0, "the three distances decrease; expected low, up1 and up2 in rising order")
    yield term(
        "bond", entry.atoms, potential="flat_bottom", stiffness=stiffness,
        r_lower=lower, r_upper=upper, r_linear=linear,
    )  # fmt: skip


def _connection(_entry: Entry, _values: Values) -> Iterator[Term]:
    return iter(())


def _harmonic_angle(entry: Entry, values: Values) -> Iterator[Term]:
    theta0, stiffness = values
    if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
        return
    yield term(
        "angle", entry.atoms,
        potential="harmonic", bending_stiffness=stiffness, theta0=_angle_at_rest(entry, theta0),
    )  # fmt: skip


def _angle_by_cosine(potential: str) -> Callable[[Entry, Values], Iterator[Term]]:
    def convert(entry: Entry, values: Values) -> Iterator[Term]:
        theta0, stiffness = values
        if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
            return
        yield term(
            "angle", entry.atoms, potential=potential, bending_stiffness=stiffness,
            theta0=_angle_at_rest(entry, theta0),
        )  # fmt: skip

    return convert


def _quartic_angle(entry: Entry, values: Values) -> Iterator[Term]:
    theta0, *powers = values
    if any(powers):
        given = {f"c{n}": value for n, value in enumerate(powers)}
        yield term(
            "angle", entry.atoms,
            potential="polynomial", theta0=_angle_at_rest(entry, theta0), **given,
        )  # fmt: skip


def _urey_bradley(entry: Entry, values: Values) -> Iterator[Term]:
    yield from _harmonic_angle(entry, values[:2])
    r0, stiffness = values[2:]
    if _not_negative(entry, 3, stiffness, "a force constant") == 0.0:
        return
    r0 = _positive(entry, 2, r0, "the distance at rest")
    yield term("angle", entry.atoms, potential="urey_bradley", stiffness=stiffness, r0=r0)


def _periodic(section: str) -> Callable[[Entry, Values], Iterator[Term]]:
    def convert(entry: Entry, values: Values) -> Iterator[Term]:
        phase, amplitude, number = values
        if number != math.floor(number):
            entry.fail_at(2, f"the multiplicity is {number:g}; expected an integer")
        if amplitude == 0.0:
            return
        multiplicity = abs(int(number))
        if multiplicity == 0:
            # Constant, which no periodic term of Sterna is.
            constant = amplitude * (1.0 + math.cos(math.radians(phase)))
            yield _powers_of_cosine(entry, (constant, 0.0, 0.0, 0.0, 0.0, 0.0))
            return
        if multiplicity > _MOST_MULTIPLICITY:
            entry.fail_at(
                2, f"the multiplicity is {number:g}; Sterna has those up to {_MOST_MULTIPLICITY}"
            )
        # cos(-n phi - phase) is cos(n phi + phase).
        phase = math.remainder(math.copysign(phase, phase * number), 2.0 * _HALF_TURN)
        yield term(
            section, entry.atoms,
            potential="periodic", amplitude=amplitude, multiplicity=multiplicity, phase=phase,
        )  # fmt: skip

    return convert


def _improper(entry: Entry, values: Values) -> Iterator[Term]:
    phi0, stiffness = values
    if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
        return
    yield term(
        "improper", entry.atoms, potential="harmonic", bending_stiffness=stiffness,
        phi0=math.remainder(phi0, 2.0 * _HALF_TURN),
    )  # fmt: skip


def _powers_of_cosine(entry: Entry, values: Values) -> Term:
    powers = {f"c{n}": value for n, value in enumerate(values)}
    return term(
        "torsion", entry.atoms, potential="ryckaert_bellemans", **powers, zero_angle=_HALF_TURN
    )


def _ryckaert_bellemans(entry: Entry, values: Values) -> Iterator[Term]:
    if any(values):
        yield _powers_of_cosine(entry, values)


def _fourier(entry: Entry, values: Values) -> Iterator[Term]:
    if any(values):
        given = {f"v{n}": value for n, value in enumerate(values, 1)}
        yield term("torsion", entry.atoms, potential="opls", **given)


def _restricted_dihedral(entry: Entry, values: Values) -> Iterator[Term]:
    phi0, stiffness = values
    if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
        return
    yield term(
        "torsion", entry.atoms, potential="restricted", bending_stiffness=stiffness,
        phi0=math.remainder(phi0, 2.0 * _HALF_TURN),
    )  # fmt: skip


def _bending_torsion(entry: Entry, values: Values) -> Iterator[Term]:
    k, *powers = values
    if k and any(powers):
        given = {f"c{n}": k * value for n, value in enumerate(powers)}
        yield term("torsion", entry.atoms, potential="bending_torsion", **given)


def _bond_bond(entry: Entry, values: Values) -> Iterator[Term]:
    r1, r2, stiffness = values
    if stiffness:
        yield term(
            "angle", entry.atoms, potential="stretch_stretch", stretch_stretch=stiffness,
            r1=_not_negative(entry, 0, r1, "a length at rest"),
            r2=_not_negative(entry, 1, r2, "a length at rest"),
        )  # fmt: skip


def _bond_angle(entry: Entry, values: Values) -> Iterator[Term]:
    *lengths, stiffness = values
    if stiffness:
        given = {
            f"r{n + 1}": _not_negative(entry, n, value, "a length at rest")
            for n, value in enumerate(lengths)
        }
        yield term(
            "angle", entry.atoms, potential="stretch_outer", stretch_stretch=stiffness, **given
        )


def _linear_angle(entry: Entry, values: Values) -> Iterator[Term]:
    share, stiffness = values
    if _not_negative(entry, 1, stiffness, "a force constant") == 0.0:
        return
    yield term("angle", entry.atoms, potential="linear", stiffness=stiffness, share=share)


def _dihedral_restraint(entry: Entry, values: Values) -> Iterator[Term]:
    phi0, half_width, stiffness = values
    if _not_negative(entry, 2, stiffness, "a force constant") == 0.0:
        return
    if not 0.0 <= half_width <= _HALF_TURN:
        entry.fail_at(1, f"the half width is {half_width:g}; expected 0 to 180 degrees")
    yield term(
        "torsion", entry.atoms, potential="flat_bottom", bending_stiffness=stiffness,
        phi0=math.remainder(phi0, 2.0 * _HALF_TURN), half_width=half_width,
    )  # fmt: skip


def _angle_restraint(entry: Entry, values: Values) -> Iterator[Term]:
    theta0, stiffness, number = values
    if stiffness == 0.0:
        return
    if not 1.0 <= number <= _MOST_MULTIPLICITY or number != math.floor(number):
        entry.fail_at(
            2, f"the multiplicity is {number:g}; expected an integer from 1 to {_MOST_MULTIPLICITY}"
        )
    if len(set(entry.atoms)) < len(entry.atoms):
        yield _restraint_of_an_angle(entry, theta0, stiffness, int(number))
        return
    # 1 - cos(n (theta - theta0)), of which Sterna has the sum.
    phase = math.remainder(number * theta0 + _HALF_TURN, 2.0 * _HALF_TURN)
    yield term(
        "improper", entry.atoms, potential="vector_angle", amplitude=stiffness,
        multiplicity=int(number), phase=phase,
    )  # fmt: skip


def _restraint_of_an_angle(entry: Entry, theta0: float, stiffness: float, number: int) -> Term:
    """An angle restraint whose two vectors have an atom in common: stiffness (1 - cos(n (theta -
    theta0))) of the angle about that atom, or of 180 degrees less it."""
    i, j, k, m = entry.atoms
    common = {*entry.atoms[:2]} & {*entry.atoms[2:]}
    if len(common) != 1 or i == j or k == m:
        entry.line.fail(None, "the two vectors of an angle restraint are along one line")
    (middle,) = common
    first, last = (i if middle == j else j), (k if middle == m else m)
    # One vector leads to the common atom and the other one away from it.
    is_outside = (middle == i) != (middle == k)
    phase = math.radians(number * theta0)
    sign = (-1.0) ** number if is_outside else 1.0
    even, odd = sign * math.cos(phase), (-sign if is_outside else sign) * math.sin(phase)
    if number > 1 and (number * theta0) % _HALF_TURN != 0.0:
        entry.fail_at(
            0,
            f"the angle at rest is {theta0:g} and the multiplicity {number}; where the two vectors "
            "have an atom in common, expected the multiplicity 1, or a product of both that is a "
            "multiple of 180",
        )
    powers = numpy.polynomial.chebyshev.cheb2poly([0.0] * number + [-stiffness * even])
    given = {f"c{n}": float(value) for n, value in enumerate(powers)}
    given["c0"] += stiffness
    sine = {"s1": -stiffness * odd} if number == 1 and theta0 % _HALF_TURN != 0.0 else {}
    return term(
        "angle", (first, middle, last), potential="cosine_polynomial", **given, **sine
    )  # fmt: skip


_TABULATED = {
    ("bonds", 8): "bond", ("bonds", 9): "bond", ("angles", 8): "angle", ("dihedrals", 8): "torsion",
}  # fmt: skip


def _tabulated(entry: Entry, values: Values, topology: Topology) -> Iterator[Term]:
    number, factor = values
    if number != math.floor(number) or number < 0.0:
        entry.fail_at(0, f"the number of a table is {number:g}; expected an integer from 0")
    if factor == 0.0:
        return
    place = MEMBERS[entry.section] + 1 if entry.values else None
    table = topology.tables.find(entry.section, int(number), entry.line, place)
    range_of_bond = {"r_first": table.first, "r_last": table.last}
    section = _TABULATED[entry.section, entry.function]
    yield term(
        section, entry.atoms, potential="tabulated", **(range_of_bond if section == "bond" else {}),
        energy=tuple(factor * x for x in table.energies),
        force=tuple(factor * x for x in table.forces),
    )  # fmt: skip


def _cmap(entry: Entry, kind: MoleculeType, topology: Topology) -> Term:
    types = topology.cmaps.types
    number = int(entry.values[0]) if entry.values else 0
    if number > 0:
        if number > len(types):
            entry.fail_at(0, f"there are {len(types)} [ cmaptypes ]; expected one of them")
        energy = types[number - 1].energy
    else:
        atoms = [kind.atoms[k] for k in entry.atoms]
        names = tuple(topology.types.types[atom.type].bonded_name for atom in atoms)
        found = topology.cmaps.find(names, tuple(atom.residue for atom in atoms))
        if found is None:
            entry.line.fail(None, f"there is no [ cmaptypes ] for {' '.join(names)}")
        energy = found.energy
    return term("cmap", entry.atoms, potential="bicubic", energy=energy)


_CONVERTERS: dict[tuple[str, int], Callable[[Entry, Values], Iterator[Term]]] = {
    ("bonds", 1): _harmonic_bond,
    ("bonds", 2): _gromos_bond,
    ("bonds", 3): _morse_bond,
    ("bonds", 4): _cubic_bond,
    ("bonds", 5): _connection,
    ("bonds", 6): _harmonic_bond,
    ("bonds", 7): _fene_bond,
    ("bonds", 10): _restraint_bond,
    ("angles", 1): _harmonic_angle,
    ("angles", 2): _angle_by_cosine("cosine_squared"),
    ("angles", 3): _bond_bond,
    ("angles", 4): _bond_angle,
    ("angles", 5): _urey_bradley,
    ("angles", 6): _quartic_angle,
    ("angles", 9): _linear_angle,
    ("angles", 10): _angle_by_cosine("restricted"),
    ("dihedrals", 1): _periodic("torsion"),
    ("dihedrals", 2): _improper,
    ("dihedrals", 3): _ryckaert_bellemans,
    ("dihedrals", 4): _periodic("improper"),
    ("dihedrals", 5): _fourier,
    ("dihedrals", 9): _periodic("torsion"),
    ("dihedrals", 10): _restricted_dihedral,
    ("dihedrals", 11): _bending_torsion,
    ("dihedral_restraints", 1): _dihedral_restraint,
    ("angle_restraints", 1): _angle_restraint,
}


#: The parameters in which terms of the same atoms may differ, because they add up.
_SUMMED = PROPORTIONAL | {
    ("cmap", "bicubic"): ("energy",),
    **{(section, "tabulated"): ("energy", "force") for section in ("bond", "angle", "torsion")},
}


class Sum:
    """Terms with one in place of several of the same atoms, which Sterna has once."""

    def __init__(self) -> None:
        self._found: dict[tuple, dict] = {}
        self._kinds: dict[tuple, tuple] = {}

    def add(self, one: Term, entry: Entry) -> None:
        """Raises SternaError where two terms of the same atoms are not one of their kind."""
        values = dict(one.parameters)
        kind = (one.section, values["potential"])
        summed = _SUMMED[kind]
        rest = tuple(item for item in values.items() if item[0] not in summed)
        key = (one.section, one.atoms, rest)
        before = self._found.get(key)
        if before is not None:
            for name in values.keys() & set(summed):
                before[name] = _plus(before[name], values[name]) if name in before else values[name]
            return
        if kind[1] not in ("periodic", "vector_angle"):
            # Sterna has only one bond of two atoms, whatever its potential is.
            place = (one.section, one.atoms, "" if one.section == "bond" else kind[1])
            if self._kinds.setdefault(place, key) != key:
                entry.line.fail(
                    None,
                    "there is already a term of these atoms with another value at rest, and Sterna "
                    "has one of a kind",
                )
        self._found[key] = values

    def terms(self) -> list[Term]:
        return [
            Term(section, atoms, tuple(values.items()))
            for (section, atoms, _), values in self._found.items()
        ]


def _plus(first: float | tuple, second: float | tuple) -> float | tuple:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return tuple(a + b for a, b in zip(first, second, strict=True))
    assert isinstance(first, float) and isinstance(second, float)
    return first + second
