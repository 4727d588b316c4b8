"""Parameters of bonds, angles, dihedrals and constraints by the types of their atoms.

Source: `toppush.cpp` (push_bondtype, push_dihedraltype, defaultInteractionsOfType) of GROMACS 2026.
A type is kept in both directions. A later line of the same types replaces an earlier one, but of
dihedrals of function type 9, where lines directly behind each other are terms of one sum.
"""

from collections.abc import Container
from dataclasses import dataclass, field

from sterna.importing.gromacs.functions import FUNCTIONS, STATE_B_OF_TYPES, TYPE_SECTIONS, Function
from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.notes import Notes

_ANY = "X"
_REPEATED = 9  #: function type of dihedrals with several terms
_IMPROPER = 2


@dataclass
class _Type:
    names: tuple[str, ...]
    values: list[float]  #: values of states A and B
    line: TopologyLine
    doubtful: bool = False  #: whether its meaning depends on the version of GROMACS


@dataclass
class BondedTypes:
    #: The types by section and list of types: each type forward, then reversed.
    _lists: dict[tuple[str, int], list[_Type]] = field(default_factory=dict)
    _places: dict[tuple[str, int], dict[tuple[str, ...], list[int]]] = field(default_factory=dict)
    _found: dict[tuple, int | None] = field(default_factory=dict)

    def add(
        self,
        section: str,
        line: TopologyLine,
        fields: list[str],
        known: Container[str],
        notes: Notes,
    ) -> None:
        """A line of `[ bondtypes ]` or another section of types; `known`: bonded types."""
        members, count = TYPE_SECTIONS[section]
        names = fields[:count]
        if section == "dihedraltypes":
            names, count = _dihedral_names(line, fields)
        functions = FUNCTIONS[members]
        number = line.integer_at(fields, count, "the function type", 0, 99)
        if number not in functions:
            expected = ", ".join(map(str, functions))
            line.fail(
                count, f"there is no function type {number} of [ {section} ]; expected {expected}"
            )
        for place, name in enumerate(fields[:count]):
            is_wildcard = name == _ANY and section == "dihedraltypes"
            if name not in known and not is_wildcard:
                line.fail(place, f'unknown bonded type "{name}"')
        function = functions[number]
        values = [line.number_at(fields, k, "a parameter") for k in range(count + 1, len(fields))]
        both = function.parameters + function.parameters_b
        if len(values) not in (function.parameters, both):
            expected = f"{function.parameters}" + (
                f" or {both}" if both != function.parameters else ""
            )
            line.fail(None, f"a {function.name} of [ {section} ] has {len(values)} parameters; "
                            f"expected {expected}")  # fmt: skip
        if len(values) == function.parameters:
            values += values[: function.parameters_b]
        elif values[: function.parameters_b] != values[function.parameters :]:
            notes.tell(STATE_B_OF_TYPES, line)
        self._push((section, function.list or number), _Type(tuple(names), values, line),
                   number == _REPEATED and section == "dihedraltypes", function, notes)  # fmt: skip

    def _push(
        self, key: tuple[str, int], new: _Type, repeats: bool, function: Function, notes: Notes
    ) -> None:
        types = self._lists.setdefault(key, [])
        places = self._places.setdefault(key, {})
        alike = sorted({*places.get(new.names, ()), *places.get(new.names[::-1], ())})
        continues = repeats and len(types) > 1 and types[-2].names == new.names
        reverse = _backward(new.values, function)

        def wanted(n: int) -> list[float]:
            return new.values if types[n].names == new.names else reverse

        same = [n for n in alike if types[n].values == wanted(n)]
        if continues:
            # Older versions of GROMACS drop such a line, newer ones (2025.2) count it twice.
            new.doubtful = bool(same)
        elif repeats and alike:
            if len(same) < len(alike):
                new.line.fail(
                    None,
                    "other terms of these dihedral types stand before, and not directly: GROMACS "
                    "refuses such a file",
                )
            return
        elif alike:
            if len(same) < len(alike):
                notes.tell(
                    f"parameters of a {function.name} replace those of an earlier line, as in "
                    "GROMACS",
                    new.line,
                )
                for n in alike:
                    types[n].values, types[n].line = wanted(n), new.line
            return
        backward = _Type(new.names[::-1], reverse, new.line, new.doubtful)
        for one in (new, backward):
            places.setdefault(one.names, []).append(len(types))
            types.append(one)

    def find(
        self,
        section: str,
        number: int,
        function: Function,
        names: tuple[str, ...],
        line: TopologyLine,
    ) -> list[tuple[float, ...]]:
        """Parameters of state A, of each term; nothing where no type matches.

        `names`: bonded types of the atoms; `line`: the entry that asks.
        """
        key = (section, function.list or number)
        types = self._lists.get(key, [])
        asked = (*key, names)
        if asked not in self._found:
            self._found[asked] = (
                self._best(types, names)
                if function.has_wildcards
                else min(self._places.get(key, {}).get(names, ()), default=None)
            )
        place = self._found[asked]
        if place is None:
            return []
        found = [types[place]]
        if function.has_wildcards and function.list:
            # Each second entry is of the same direction.
            for one in types[place + 2 :: 2]:
                if one.names != types[place].names:
                    break
                found.append(one)
        for one in found:
            if one.doubtful:
                line.fail(
                    None,
                    f"its dihedral type has the same term twice ({one.line.path}:"
                    f"{one.line.number}): GROMACS before 2025.2 takes it once, later versions "
                    "twice; take one of the lines out, or give the sum of both",
                )
        return [tuple(one.values[: function.parameters]) for one in found]

    @staticmethod
    def _best(types: list[_Type], names: tuple[str, ...]) -> int | None:
        """The first of the types that match in most atoms without a wildcard."""
        best, most = None, -1
        for n, one in enumerate(types):
            exact = 0
            for mine, asked in zip(one.names, names, strict=True):
                if mine == asked:
                    exact += 1
                elif mine != _ANY:
                    break
            else:
                if exact > most:
                    best, most = n, exact
        return best


def _backward(values: list[float], function: Function) -> list[float]:
    """Parameters of both states for the atoms from the other end."""
    if not function.is_directed:
        return values
    firsts = {0, function.parameters}
    return [1.0 - value if k in firsts else value for k, value in enumerate(values)]


def _dihedral_names(line: TopologyLine, fields: list[str]) -> tuple[list[str], int]:
    """Returns four types, and how many names the line has; two names belong to the inner or outer
    atoms.
    """
    if len(fields) >= 3 and len(fields[2]) == 1 and fields[2].isdigit():
        first, second = fields[:2]
        if int(fields[2]) == _IMPROPER:
            return [first, _ANY, _ANY, second], 2
        return [_ANY, first, second, _ANY], 2
    if len(fields) >= 5 and fields[4].isdigit():
        if len(fields[4]) > 1:
            line.fail(4, "GROMACS reads no [ dihedraltypes ] of a function type of two digits; expected "
                         "parameters in the lines of [ dihedrals ]")  # fmt: skip
        return fields[:4], 4
    line.fail(None, "expected two or four types and a function type")
