"""The result of pair_style and pair_coeff: the potentials between types, and their mixing.

Source: https://docs.lammps.org, pair_coeff, pair_hybrid and pair_modify.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sterna.importing.lammps.bonded_rows import Coefficients
from sterna.importing.lammps.bonded_styles import STYLES
from sterna.importing.lammps.command import Command, nearest, plain_style
from sterna.importing.lammps.data_file import Section
from sterna.importing.lammps.many_body_styles import MANY_BODY_STYLES, ManyBody, read_many_body
from sterna.importing.lammps.pair_rows import (
    CHARGE_ENDS,
    EXPONENTS_OF_KINDS,
    LENNARD_JONES,
    MANY_BODY,
    PAIR_STYLES,
    PairStyle,
    Potential,
    Values,
    mie,
    mixed_distance,
    mixed_energy,
    nothing,
)
from sterna.importing.lammps.refused_styles import why_refused
from sterna.importing.text import Line


@dataclass
class SubStyle:
    """A style with the distances that pair_style gives it."""

    name: str
    row: PairStyle | None  #: None for "none"
    inner: float = 0.0
    cutoff: float | None = None  #: None if the script has no pair_style
    charge_cutoff: float | None = None  #: cutoff of charges that act within one
    charge_number: float = 0.0  #: number of their damping or screening
    charge_inner: float = 0.0  #: distance at which their switching begins
    kappa: float = 0.0


@dataclass
class Entry:
    """The parameters of a pair of types in one pair_coeff, or in one line of a section."""

    style: int  #: index of the sub-style
    values: Values
    values_14: Values
    exponents: tuple[int, int] | None  #: exponents of lj/sdk
    distances: tuple[float, ...] | None  #: cutoff, or inner distance and cutoff; None: the style's
    line: Line
    charge_cutoff: float | None = None  #: likewise


@dataclass(frozen=True)
class PairOfTypes:
    """The potential between two types."""

    style: SubStyle
    potential: Potential
    potential_14: Potential
    truncation: str  #: empty: it ends by itself
    inner: float
    cutoff: float | None
    charge_cutoff: float | None = None  #: cutoff of charges, if the style has charges with one

    @property
    def end_of_charges(self) -> "tuple[str, float, float, float] | None":
        """Row, cutoff, number and inner distance where its charges end; None: they do not."""
        style = self.style
        if style.row.charges not in CHARGE_ENDS:
            return None
        return (style.row.charges, self.charge_cutoff, style.charge_number, style.charge_inner)

    @property
    def is_switched(self) -> bool:
        return self.truncation.endswith("switched")


@dataclass
class PairState:
    """A pair style as commands leave it."""

    name: str
    command: "Command | None"
    line: Line | None = None  #: the head of the section that names the style
    styles: list[SubStyle] = field(default_factory=list)
    entries: dict[tuple[int, int], list[Entry]] = field(default_factory=dict)
    shift: bool = False
    tail: bool = False
    mix: str | None = None
    coulomb: float = 1.0  #: Coulomb's constant, known when pairs are resolved
    many_body: list[ManyBody] = field(default_factory=list)

    @classmethod
    def of_section(cls, section: Section) -> "PairState":
        """Returns the style that the head of a data file's section names."""
        row = PAIR_STYLES.get(section.style)
        if row is None:
            section.head.fail(
                None,
                f'the pair style "{section.style}" is not taken over; docs/howto/import.md lists '
                "those that are"
                if section.style
                else 'nothing says which pair style this is; expected one as in "Pair Coeffs # '
                'lj/cut/coul/long", or an input script with pair_style',
            )
        end = CHARGE_ENDS.get(row.charges)
        if row.has_inner or row.has_kappa or row.has_flags or (end is not None and end.number):
            section.head.fail(
                None,
                f"{section.style} has more arguments than the cutoff; expected an input script with "
                "pair_style and its arguments",
            )
        made = cls(section.style, None, section.head)
        made.styles = [SubStyle(section.style, row)]
        return made

    @property
    def is_hybrid(self) -> bool:
        return self.name in ("hybrid", "hybrid/overlay")

    def set_arguments(self, command: Command) -> None:
        """Those of pair_style; cutoffs of single pairs become those of the style."""
        self.command = command
        if self.is_hybrid:
            self.styles = [
                _sub_style(command, first, last) for first, last in _parts_of_hybrid(command)
            ]
        elif self.name == "none":
            self.styles = [SubStyle("none", None)]
        else:
            self.styles = [_sub_style(command, 0, len(command.arguments))]
        for entries in self.entries.values():
            for entry in entries:
                entry.distances = entry.charge_cutoff = None

    def take(  # noqa: PLR0913
        self, pairs: Sequence[tuple[int, int]], line: Line, fields: list[str], first: int,
        count: int,
    ) -> None:  # fmt: skip
        """Coefficients of pairs of types, from 0, that begin at a field. `count`: of types."""
        which, first = self._named_style(line, fields, first) if self.is_hybrid else (0, first)
        many = which is not None and self.styles[which].name in MANY_BODY_STYLES
        taken = [pair for pair in pairs if any(one.takes(*pair) for one in self.many_body)]
        if taken and not many and (which is None or self.name != "hybrid/overlay"):
            a, b = taken[0]
            line.fail(
                None,
                f"the types {a + 1} and {b + 1} have a many-body style, which is not taken from them "
                "again",
            )
        if which is None:
            for pair in pairs:
                self.entries[pair] = []
            return
        if many:
            self._take_many_body(which, list(pairs), line, fields, first, count)
            return
        entry = _entry(self.styles[which], which, Coefficients(line, fields, first))
        for pair in pairs:
            before = self.entries.get(pair, [])
            if self.name == "hybrid/overlay":
                kept = [one for one in before if one.style != which]
                self.entries[pair] = [*kept, entry]
            else:
                self.entries[pair] = [entry]

    def _take_many_body(  # noqa: PLR0913
        self, which: int, pairs: list[tuple[int, int]], line: Line, fields: list[str], first: int,
        count: int,
    ) -> None:  # fmt: skip
        made = read_many_body(self.styles[which].name, pairs, line, fields, first, count)
        for other in self.many_body:
            if (
                other.name == made.name
                and other.path == made.path
                and not made.style.names_elements
            ):
                made.elements |= other.elements
            elif other.style.key == made.style.key and not made.style.names_elements:
                line.fail(first, "the functions of several files are not taken over together")
        self.many_body = [one for one in self.many_body if one.style.key != made.style.key]
        if any(made.elements.keys() & other.elements.keys() for other in self.many_body):
            line.fail(None, "a type has two many-body styles, whose sum is not taken over")
        self.many_body.append(made)
        for a in range(count):
            for b in range(a, count):
                if not made.takes(a, b):
                    continue
                if self.name == "hybrid/overlay":
                    self.entries.setdefault((a, b), [])
                    continue
                self.entries[a, b] = []

    def _named_style(self, line: Line, fields: list[str], k: int) -> tuple[int | None, int]:
        """Which sub-style the fields name, and the field behind it."""
        if k >= len(fields):
            line.fail(k, "expected a sub-style of pair_style hybrid")
        name = plain_style(fields[k])
        if name == "none":
            return None, k + 1
        same = [n for n, one in enumerate(self.styles) if one.name == name]
        if not same:
            line.fail(k, f'"{name}" is no sub-style of this pair_style')
        if len(same) == 1:
            return same[0], k + 1
        number = line.integer_at(fields, k + 1, f"which of the {name} it is", 1, len(same))
        return same[number - 1], k + 2

    def resolved(
        self, count: int, head: Line, coulomb: float
    ) -> dict[tuple[int, int], list[PairOfTypes]]:
        """Of all pairs of types, from 0, with what mixing gives. Raises SternaError where one has
        no coefficients. `coulomb`: Coulomb's constant in LAMMPS's units; 0: there is none."""
        self.coulomb = coulomb
        found: dict[tuple[int, int], list[PairOfTypes]] = {}
        for a in range(count):
            for b in range(a, count):
                found[a, b] = [self._pair(entry, a, b) for entry in self._entries_of(a, b, head)]
        return found

    def _entries_of(self, a: int, b: int, head: Line) -> list[Entry]:
        if (a, b) in self.entries:
            return self.entries[a, b]
        if self.name == "none" or (self.name == "zero" and not self.entries):
            return []
        line = self.command.line if self.command is not None else head
        if a == b or (a, a) not in self.entries or (b, b) not in self.entries:
            who = f"the atom type {a + 1} has" if a == b else f"types {a + 1} and {b + 1} have"
            line.fail(None, f"{who} no pair coefficients")
        of_a, of_b = self.entries[a, a], self.entries[b, b]
        if [one.style for one in of_a] != [one.style for one in of_b]:
            line.fail(
                None, f"types {a + 1} and {b + 1} have no pair coefficients, and other styles"
            )
        return [self._mixed(x, y, a, b, line) for x, y in zip(of_a, of_b, strict=True)]

    def _mixed(self, x: Entry, y: Entry, a: int, b: int, line: Line) -> Entry:
        style = self.styles[x.style]
        row = style.row
        rule = row.mixing if self.mix is None or row.always_mixes_so else self.mix
        unmixed = row.mix is None and any(kind == "." for _, kind in row.coefficients)
        if x.exponents != y.exponents or unmixed:
            line.fail(
                None,
                f"types {a + 1} and {b + 1} have no pair coefficients, and {style.name} does not mix",
            )

        def of(u: Values, v: Values) -> Values:
            if row.mix is not None:
                return self._made(line, a, b, lambda: row.mix(rule, u, v))
            sizes = (u[1], v[1]) if len(u) > 1 else (1.0, 1.0)
            return tuple(
                mixed_energy(rule, p, q, *sizes)
                if kind == "energy"
                else mixed_distance("arithmetic" if kind == "arithmetic" else rule, p, q)
                for p, q, (_, kind) in zip(u, v, row.coefficients, strict=True)
            )

        distances = None
        if x.distances is not None or y.distances is not None:
            own = (style.inner, style.cutoff) if row.has_inner else (style.cutoff,)
            both = zip(x.distances or own, y.distances or own, strict=True)
            distances = tuple(mixed_distance(rule, p, q) for p, q in both)
        charge_cutoff = None
        if x.charge_cutoff is not None or y.charge_cutoff is not None:
            first, other = (one.charge_cutoff or style.charge_cutoff for one in (x, y))
            charge_cutoff = mixed_distance(rule, first, other)
        return Entry(
            x.style,
            of(x.values, y.values),
            of(x.values_14, y.values_14),
            None,
            distances,
            x.line,
            charge_cutoff,
        )

    def _pair(self, entry: Entry, a: int, b: int) -> PairOfTypes:
        style = self.styles[entry.style]
        row = style.row
        if entry.exponents is not None:
            n, m = entry.exponents
            epsilon, sigma = entry.values
            potential = potential_14 = mie(epsilon, sigma, n, m)
        else:
            potential, potential_14 = (
                self._made(entry.line, a, b, lambda values=values: row.potential(values))
                for values in (entry.values, entry.values_14)
            )
        if row.has_kappa:
            potential = (potential[0], potential[1] | {"kappa": style.kappa})
        if row.by_charges:
            if not self.coulomb:
                entry.line.fail(None, f"{style.name} has units real or metal")
            potential[1]["strength"] *= self.coulomb
        distances = entry.distances or (style.inner, style.cutoff)
        inner, cutoff = distances[0] if row.has_inner else 0.0, distances[-1]
        if row.end is not None:
            cutoff = row.end(entry.values)
        if row.longer_by is not None and cutoff is not None:
            longer = entry.values[row.longer_by]
            if longer and self.shift:
                entry.line.fail(
                    None,
                    f"pair_modify shift yes of {style.name} takes off the energy of pairs that are not "
                    "displaced, so that it is not 0 at the cutoff, which Sterna does not have",
                )
            cutoff += longer
        potential, potential_14 = _or_nothing(potential), _or_nothing(potential_14)
        if row.complete is not None and acts(potential):
            whole = potential
            potential = self._made(
                entry.line, a, b, lambda: row.complete(whole, inner, cutoff or math.inf)
            )
        _check(potential, entry.line, a, b)
        truncation = row.truncation
        if truncation == "truncated" and self.shift and row.takes_shift:
            truncation = "shifted"
        charge_cutoff = None
        if row.charges in CHARGE_ENDS:
            charge_cutoff = entry.charge_cutoff or style.charge_cutoff or cutoff
        return PairOfTypes(style, potential, potential_14, truncation, inner, cutoff, charge_cutoff)

    @staticmethod
    def _made(line: Line, a: int, b: int, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except ValueError as problem:
            line.fail(None, f"of the types {a + 1} and {b + 1}, {problem}")


#: Keys that say how strongly a potential acts.
_STRENGTHS = ("epsilon", "amplitude", "c6", "c8", "depth", "strength", "height", "stiffness")


def acts(potential: Potential) -> bool:
    """Whether it is not 0 everywhere."""
    name, keys = potential
    if name == "lennard_jones" and keys["sigma"] == 0.0:
        return False
    return any(keys.get(key) for key in _STRENGTHS)


def _or_nothing(potential: Potential) -> Potential:
    """Lennard-Jones without depth where nothing acts."""
    return potential if acts(potential) else nothing(())


def _check(potential: Potential, line: Line, a: int, b: int) -> None:
    """Checks that the engine has a potential with these numbers."""
    name, keys = potential
    pair = f"the types {a + 1} and {b + 1}"
    if not acts(potential):
        return
    signed = {"soft": "amplitude", "yukawa": "strength", "gaussian": "height"}.get(name)
    for key in ("epsilon", "depth", "amplitude", "strength", "stiffness", "sigma"):
        if key != signed and keys.get(key, 0.0) < 0.0:
            line.fail(None, f"{key} of {pair} is below 0, which is not taken over")
    for key in ("rho", "alpha", "r0", "kappa", "sigma", "core"):
        if (name, key) == ("born_mayer_huggins", "sigma") or (name, key) == ("beck", "alpha"):
            continue
        if keys.get(key, 1.0) <= 0.0:
            line.fail(None, f"{key} of {pair} is {keys[key]:g}; expected a positive number")
    if name == "mie":
        n, m = keys["repulsive_exponent"], keys["attractive_exponent"]
        if not 3.0 < m < n:
            line.fail(None, f"the exponents of {pair} are {n:g} and {m:g}; expected n > m > 3")


def _entry(style: SubStyle, which: int, c: Coefficients) -> Entry:
    row = style.row
    if row is None:
        c.line.fail(None, "pair_style none has no coefficients")
    exponents = None
    if row.has_kind:
        at, word = c.next, c.word("lj9_6, lj12_4 or lj12_6")
        if word not in EXPONENTS_OF_KINDS:
            c.line.fail(at, f'"{word}" is not taken over; expected lj9_6, lj12_4 or lj12_6')
        exponents = EXPONENTS_OF_KINDS[word]
    first = c.next
    values = tuple(c.number(name) for name, _ in row.coefficients)
    if any(value < 0.0 for value in values[:2]) and row.coefficients[:2] == LENNARD_JONES:
        at = first + (0 if values[0] < 0.0 else 1)
        c.line.fail(at, "expected no negative number")
    flag = bool(row.option) and c.fields[-1] == row.option and c.more
    if flag:
        c = Coefficients(c.line, c.fields[:-1], c.next)
    values_14 = values
    if row.has_pairs_14 and c.more:
        at = c.next
        values_14 = (c.number("epsilon of 1-4 pairs"), c.number("sigma of 1-4 pairs"))
        for k, value in enumerate(values_14):
            if value < 0.0:
                c.line.fail(at + k, "expected no negative number")
    if row.option:
        values = values_14 = (*values, 1.0 if flag else 0.0)
    distances = None
    if c.more and row.own_distances and row.end is None:
        names = ("the inner distance", "the cutoff") if row.has_inner else ("the cutoff",)
        distances = tuple(c.number(f"{name} of this pair") for name in names)
        if distances[-1] <= 0.0:
            c.line.fail(c.next - 1, "the cutoff of a pair must be positive")
    charge_cutoff = None
    end = CHARGE_ENDS.get(row.charges)
    if end is not None and end.own_cutoffs and distances is not None:
        # A single cutoff is that of both.
        charge_cutoff = c.number("the cutoff of charges") if c.more else distances[-1]
        if charge_cutoff <= 0.0:
            c.line.fail(c.next - 1, "the cutoff of a pair must be positive")
    if c.more:
        c.line.fail(c.next, "unexpected text behind the last coefficient")
    return Entry(which, values, values_14, exponents, distances, c.line, charge_cutoff)


def _check_ways(command: Command, k: int, last: int, name: str) -> None:
    """Raises SternaError unless the arguments of a many-body style from `k` on, up to `last`, tell
    only how it is computed."""
    style = MANY_BODY_STYLES[name]
    while k < last:
        word = command.arguments[k]
        if word in style.sizes:
            if k + 1 >= last:
                command.fail(last, f"expected a number behind {word}")
            command.number(k + 1, word)
            k += 1
        elif word not in style.ways:
            known = [*style.ways, *style.sizes]
            command.fail(
                k,
                f"pair_style {name} is taken over without arguments only"
                if not known
                else f'pair_style {name} has no argument "{word}"{nearest(word, known)}',
            )
        k += 1


def _sub_style(command: Command, first: int, last: int) -> SubStyle:
    """Of pair_style's arguments from `first` on, up to `last`."""
    name = plain_style(command.arguments[first])
    if name in MANY_BODY_STYLES:
        _check_ways(command, first + 1, last, name)
        return SubStyle(name, MANY_BODY)
    if name not in PAIR_STYLES:
        known = [*PAIR_STYLES, *MANY_BODY_STYLES]
        command.fail(
            first,
            f'the pair style "{name}" is not taken over'
            f"{why_refused(name) or nearest(name, known)}; docs/howto/import.md lists those that are",
        )
    row = PAIR_STYLES[name]
    made, k = SubStyle(name, row), first + 1

    def next_number(what: str) -> float:
        nonlocal k
        if k >= last:
            command.fail(last, f"expected {what} of {name}")
        k += 1
        return command.number(k - 1, what)

    if row.has_kappa:
        made.kappa = next_number("kappa")
    end = CHARGE_ENDS.get(row.charges)
    if end is not None and end.number:
        made.charge_number = next_number(end.number)
        if made.charge_number <= 0.0:
            command.fail(k - 1, f"{end.number} must be positive")
    if row.has_flags:
        words = command.arguments[k : k + 2]
        if words not in (["cut", "long"], ["cut", "off"]):
            command.fail(
                k,
                f'of {name} only "cut long" and "cut off" are taken over: dispersion without a '
                "cutoff is not",
            )
        made.row = row = replace(row, charges="long" if words[1] == "long" else "")
        k += 2
    if row.has_inner:
        made.inner = next_number("the inner distance")
    if row.end is None:
        made.cutoff = next_number("the cutoff")
        if made.cutoff <= 0.0 or (row.has_inner and not 0.0 < made.inner <= made.cutoff):
            command.fail(k - 1, "expected a positive cutoff, beyond the inner distance")
        if row.has_inner and row.complete is None and made.inner == made.cutoff:
            command.fail(k - 1, "expected a cutoff beyond the inner distance")
    made.charge_cutoff, made.charge_inner = made.cutoff, made.inner
    if end is not None and end.has_inner and k < last:
        made.charge_inner = next_number("the inner distance of charges")
        if k >= last:
            command.fail(k, "expected the cutoff of charges behind their inner distance")
    if row.charges and (row.coefficients or row.charges == "long") and k < last:
        made.charge_cutoff = next_number("the cutoff of charges")
        if made.charge_cutoff <= 0.0 or (
            end and end.has_inner and made.charge_inner >= made.charge_cutoff
        ):
            command.fail(k - 1, "expected a positive cutoff, beyond the inner distance")
    if name == "zero":
        while k < last and command.arguments[k] in ("nocoeff", "full"):
            k += 1
    if k < last:
        command.fail(k, f"unexpected text behind the distances of {name}")
    return made


def _parts_of_hybrid(command: Command) -> list[tuple[int, int]]:
    """Where the sub-styles of hybrid begin and end."""
    words = command.arguments
    no_styles = {"nocoeff", "full"}
    for style in MANY_BODY_STYLES.values():
        no_styles |= {*style.ways, *style.sizes}
    starts = [
        k for k in range(1, len(words)) if words[k][:1].isalpha() and words[k] not in no_styles
    ]
    if not starts or starts[0] != 1:
        command.fail(1, "expected the sub-styles of hybrid")
    return list(zip(starts, [*starts[1:], len(words)], strict=True))


def sub_styles(kind: str, command: Command) -> list[str]:
    """The sub-styles of a bonded style hybrid."""
    names = [plain_style(word) for word in command.arguments[1:]]
    for k, name in enumerate(names, 1):
        if name not in STYLES[kind]:
            command.fail(
                k,
                f'the {kind} style "{name}" is not taken over'
                f"{why_refused(name) or nearest(name, [*STYLES[kind]])}",
            )
    if not names:
        command.fail(1, "expected the sub-styles of hybrid")
    return names
