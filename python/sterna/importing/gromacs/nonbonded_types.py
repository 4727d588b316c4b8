"""Atom types, their combination, `[ nonbond_params ]`, and parameters of 1-4 pairs.

Source: `toppush.cpp` (push_at, push_nbt, generate_nbparams, default_nb_params), `topio.cpp` and
`grompp.cpp` of GROMACS 2026; manual, "Parameter files".
"""

import difflib
import math
from dataclasses import dataclass, field

from sterna.importing.gromacs.functions import STATE_B_OF_TYPES
from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.lennard_jones import Powers
from sterna.importing.notes import Notes

_TWELVE = 12.0
#: The meaning of a type's two parameters: C6 and C12, or sigma and epsilon with one mean of sigma.
C6_AND_C12, ARITHMETIC, GEOMETRIC = 1, 2, 3


@dataclass(frozen=True)
class Defaults:
    """The line of `[ defaults ]`."""

    rule: int = 1
    generates_pairs: bool = False
    fudge_lennard_jones: float = 1.0
    fudge_coulomb: float = 1.0

    @classmethod
    def read(cls, line: TopologyLine, fields: list[str]) -> "Defaults":
        function = line.integer_at(fields, 0, "the type of non-bonded interactions", 1, 2)
        if function == 2:
            line.fail(0, "Buckingham potentials are not taken over, nor does GROMACS run them")
        rule = line.integer_at(fields, 1, "the combination rule", 1, 3)
        word = fields[2] if len(fields) > 2 else "no"
        if word[0].lower() not in "yn":
            line.fail(2, f'gen-pairs is "{word}"; expected yes or no')
        lennard_jones = line.number_at(fields, 3, "fudgeLJ") if len(fields) > 3 else 1.0
        coulomb = line.number_at(fields, 4, "fudgeQQ") if len(fields) > 4 else 1.0
        if len(fields) > 5 and line.number_at(fields, 5, "the power of the repulsion") != _TWELVE:
            line.fail(5, "a repulsion of another power than 12 is not taken over")
        line.expect_end(fields, 6, "nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ N")
        return cls(rule, word[0].lower() == "y", lennard_jones, coulomb)

    def powers(self, v: float, w: float) -> Powers:
        """Returns the powers from the two parameters of a line."""
        if self.rule == C6_AND_C12:
            return Powers(w, v)
        # A negative sigma stands for a potential that only repels.
        powers = Powers.of(abs(v), w)
        return powers if v >= 0.0 else Powers(powers.c12, 0.0)


@dataclass(frozen=True)
class AtomType:
    name: str
    bonded_name: str
    mass: float
    charge: float
    is_site: bool  #: whether it is of atoms without mass
    v: float
    w: float
    line: TopologyLine


@dataclass
class NonbondedTypes:
    """`defaults` is set before the first type is read."""

    defaults: Defaults = field(default_factory=Defaults)
    types: dict[str, AtomType] = field(default_factory=dict)
    bonded_names: set[str] = field(default_factory=set)
    _pairs: dict[tuple[str, str], tuple[float, float, TopologyLine]] = field(default_factory=dict)
    _pairs_14: dict[tuple[str, str], tuple[float, float, TopologyLine]] = field(
        default_factory=dict
    )

    def add_type(self, line: TopologyLine, fields: list[str], notes: Notes) -> None:
        """A line of `[ atomtypes ]`, with or without bonded type and atomic number."""
        if len(fields) < 6:
            line.fail(len(fields), _FORM)
        if _is_letter(fields[5]):
            bonded, first = fields[1], 3
        elif _is_letter(fields[3]):
            bonded, first = fields[0], 1
        else:
            has_number = _is_integer(fields[1])
            bonded, first = (fields[0] if has_number else fields[1]), 2
        if len(fields) < first + 5:
            line.fail(len(fields), _FORM)
        for place, name in ((0, fields[0]), (1, bonded)):
            if len(name) == 1 and name.isdigit():
                line.fail(place, f"the name of a type is {name}; expected more than a digit")
        mass = line.number_at(fields, first, "the mass")
        charge = line.number_at(fields, first + 1, "the charge")
        letter = fields[first + 2].upper()
        if len(letter) != 1 or letter not in "ANSBVD":
            line.fail(first + 2, f'the kind of particle is "{letter}"; expected A or V')
        if letter not in "AVD":
            line.fail(first + 2, f"particles of the kind {letter} are not taken over")
        if mass < 0.0:
            line.fail(first, f"the mass is {fields[first]}; expected one that is not negative")
        if letter != "A" and mass != 0.0:
            line.fail(first, "a virtual site has a mass; expected 0")
        v = line.number_at(fields, first + 3, "the first Lennard-Jones parameter")
        w = line.number_at(fields, first + 4, "the second Lennard-Jones parameter")
        self._check(line, first + 3, v, w)
        if fields[0] in self.types:
            notes.tell("an atom type is defined again: the last line counts, as in GROMACS", line)
        self.types[fields[0]] = AtomType(fields[0], bonded, mass, charge, letter != "A", v, w, line)
        self.bonded_names.add(bonded)

    def add_pair(self, section: str, line: TopologyLine, fields: list[str], notes: Notes) -> None:
        """A line of `[ nonbond_params ]` or `[ pairtypes ]`."""
        for place in (0, 1):
            if place >= len(fields) or fields[place] not in self.types:
                name = fields[place] if place < len(fields) else ""
                near = difflib.get_close_matches(name, self.types, 1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                line.fail(place, f'unknown atom type "{name}"{hint}')
        most = 2 if section == "pairtypes" else 1
        function = line.integer_at(fields, 2, "the function type", 1, most)
        if function == 2:
            line.fail(2, "[ pairtypes ] of function type 2 are not taken over; expected 1")
        v = line.number_at(fields, 3, "the first Lennard-Jones parameter")
        w = line.number_at(fields, 4, "the second Lennard-Jones parameter")
        self._check(line, 3, v, w)
        counts = (5, 7) if section == "pairtypes" else (5,)
        if len(fields) not in counts:
            line.fail(5, "expected two types, the function type and two parameters")
        if len(fields) == 7:  # parameters of state B follow
            state_b = [line.number_at(fields, place, "a parameter of state B") for place in (5, 6)]
            if state_b != [v, w]:
                notes.tell(STATE_B_OF_TYPES, line)
        pairs = self._pairs_14 if section == "pairtypes" else self._pairs
        key = _ordered(fields[0], fields[1])
        if key in pairs and pairs[key][:2] != (v, w):
            notes.tell(f"[ {section} ] has other parameters for a pair of types before: the last "
                       "line counts, as in GROMACS", line)  # fmt: skip
        pairs[key] = (v, w, line)

    def _check(self, line: TopologyLine, place: int, v: float, w: float) -> None:
        if w < 0.0:
            line.fail(place + 1, f"a Lennard-Jones parameter is {w:g}; expected 0 or more")
        if v < 0.0 and self.defaults.rule == C6_AND_C12:
            line.fail(place, f"C6 is {v:g}; expected 0 or more")

    def line_of(self, first: str, second: str) -> TopologyLine:
        """Returns the line with the parameters of a pair of types, or that of the first type."""
        found = self._pairs.get(_ordered(first, second))
        return self.types[first].line if found is None else found[2]

    def parameters(self, first: str, second: str) -> tuple[float, float]:
        """The two parameters of two types: own ones, else combined."""
        found = self._pairs.get(_ordered(first, second))
        if found is not None:
            return found[:2]
        a, b = self.types[first], self.types[second]
        if self.defaults.rule == C6_AND_C12:
            return math.sqrt(a.v * b.v), math.sqrt(a.w * b.w)
        if self.defaults.rule == ARITHMETIC:
            sigma = 0.5 * (abs(a.v) + abs(b.v))
        else:
            sigma = math.sqrt(abs(a.v * b.v))
        return -sigma if min(a.v, b.v) < 0.0 else sigma, math.sqrt(a.w * b.w)

    def powers(self, first: str, second: str) -> Powers:
        return self.defaults.powers(*self.parameters(first, second))

    def powers_14(self, first: str, second: str) -> Powers | None:
        """Returns the powers of a 1-4 pair whose line has no parameters; None if they are not
        defined.
        """
        found = self._pairs_14.get(_ordered(first, second))
        if found is not None:
            return self.defaults.powers(*found[:2])
        if not self.defaults.generates_pairs:
            return None
        powers, fudge = self.powers(first, second), self.defaults.fudge_lennard_jones
        return Powers(fudge * powers.c12, fudge * powers.c6)


_FORM = (
    "expected name, bonded type (optional), atomic number (optional), mass, charge, A or V, and "
    "two Lennard-Jones parameters"
)


def _ordered(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text.isalpha()


def _is_integer(text: str) -> bool:
    return text.lstrip("+-").isdigit()
