"""Parameter files of CHARMM: PRM, RTF (for its types) and streams that hold both.

Source: CHARMM's documentation, parmfile.info, rtop.info and miscom.info. `!` begins a comment, a line
that ends in `-` goes on in the next one, lines that begin with `*` are titles. What is defined later
counts, as `read parameter flex append` has it; a dihedral of another multiplicity is one term more.
"""

import difflib
import math
import operator
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NoReturn

from sterna.errors import SternaError
from sterna.importing.notes import Notes
from sterna.importing.text import Line, read_text

ANY = "X"  #: any type

Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParameterLine(Line):
    """A statement; one that was continued is told by its last line."""

    comment_sign: ClassVar[str] = "!"


@dataclass(frozen=True)
class Entry:
    """The numbers of a line."""

    line: ParameterLine
    values: tuple[float, ...]


#: Sections by the first four letters of their names: how many types a line has, and at least and at
#: most how many numbers.
_SECTIONS = {
    "BOND": (2, 2, 2), "ANGL": (3, 2, 4), "THET": (3, 2, 4), "DIHE": (4, 3, 3), "PHI": (4, 3, 3),
    "IMPR": (4, 2, 3), "IMPH": (4, 2, 3), "NBFI": (2, 2, 4),
}  # fmt: skip
_HEADS = (*_SECTIONS, "ATOM", "CMAP", "NONB", "NBON", "HBON", "THOL", "NBTH", "END")
_NAMES = (
    "ATOMS", "BONDS", "ANGLES", "THETAS", "DIHEDRALS", "PHI", "IMPROPERS", "IMPHI", "CMAP",
    "NONBONDED", "NBFIX", "HBOND", "END",
)  # fmt: skip
#: Options of NONBONDED without a number, and those with one.
_OPTIONS = {
    "atom", "group", "cdiel", "cdie", "rdiel", "rdie", "fshift", "shift", "switch", "fswitch", "vatom",
    "vgroup", "vdistance", "vdist", "vswitch", "vshift", "vfswitch", "vfswit", "geom", "arith", "ewald",
    "nobycube", "bygroup", "nbscale", "vswi", "vfsw",
}  # fmt: skip
_NUMBERED = {"nbxmod", "cutnb", "ctofnb", "ctonnb", "eps", "e14fac", "wmin", "inbfrq"}
#: Statements of streams that change no parameter.
_HARMLESS = {
    "wrnlev", "bomlev", "bomblev", "prnlev", "ioformat", "echo", "format", "calc", "decr", "incr",
    "label", "autogenerate", "default", "use", "lower", "upper", "fastest", "faster", "timer",
}  # fmt: skip
_COMPARISONS = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "ge": operator.ge, "lt": operator.lt,
    "le": operator.le,
}  # fmt: skip


@dataclass
class Parameters:
    """The parameters in kcal/mol, angstroms and degrees, as in the files; types in capital
    letters.
    """

    notes: Notes
    paths: list[Path] = field(default_factory=list)
    numbers: dict[int, str] = field(default_factory=dict)  #: types of MASS lines with a number
    bonds: dict[Types, Entry] = field(default_factory=dict)
    angles: dict[Types, Entry] = field(default_factory=dict)
    #: Entries by multiplicity; impropers, too, have one entry for each.
    dihedrals: dict[Types, dict[int, Entry]] = field(default_factory=dict)
    impropers: dict[Types, Entry] = field(default_factory=dict)
    cmaps: dict[Types, Entry] = field(default_factory=dict)
    nonbonded: dict[str, Entry] = field(default_factory=dict)
    nbfix: dict[Types, Entry] = field(default_factory=dict)
    e14fac: float = 1.0
    is_geometric: bool = False
    line_of_options: ParameterLine | None = None

    def read(self, path: Path) -> None:
        """Adds a file. Raises SternaError with line and column."""
        self.paths.append(path)
        _Reader(path, self).read()

    # ---- look-up

    def bond(self, types: Types) -> Entry | None:
        return _either(self.bonds, types)

    def angle(self, types: Types) -> Entry | None:
        return _either(self.angles, types)

    def dihedral(self, types: Types) -> list[Entry] | None:
        """Returns the entries of all multiplicities: those of these types, or else with any types
        at the ends.
        """
        a, b, c, d = types
        found = _either(self.dihedrals, (a, b, c, d)) or _either(self.dihedrals, (ANY, b, c, ANY))
        return None if found is None else list(found.values())

    def improper(self, types: Types) -> Entry | None:
        a, b, c, d = types
        for form in (
            (a, b, c, d), (a, ANY, ANY, d), (ANY, b, c, d), (ANY, b, c, ANY), (ANY, ANY, c, d),
        ):  # fmt: skip
            found = _either(self.impropers, form)
            if found is None and form.count(ANY) == 1 or found is None and form[:2] == (ANY, ANY):
                # The same of the atoms in reverse order.
                mirrored = tuple(
                    ANY if sign == ANY else kind
                    for sign, kind in zip(form, reversed(types), strict=True)
                )
                found = _either(self.impropers, mirrored)
            if found is not None:
                return found
        return None


def _either(table: dict, types: Types):  # noqa: ANN202
    found = table.get(types)
    return table.get(types[::-1]) if found is None else found


class _Reader:
    def __init__(self, path: Path, made: Parameters) -> None:
        self._path = path
        self._made = made
        self._section = ""
        self._in_topology = False
        self._any = self._has_ended = False
        self._variables: dict[str, str | None] = {}  #: None if the value is not known
        self._blocks: list[bool] = []  #: for each `if ... then`: whether its lines count
        self._cmap: tuple[ParameterLine, Types, int, list[float]] | None = None

    def read(self) -> None:
        for line in self._statements():
            if self._section or self._in_topology or not self._command(line):
                self._take(line)
            if self._has_ended:
                break
        self._end_cmap()
        if not self._any:
            raise SternaError(
                f"{self._path}: error: there are no parameters of CHARMM in it", status=2
            )

    # ---- commands of streams

    def _command(self, line: ParameterLine) -> bool:
        """Whether a line outside of sections is a command, which is carried out."""
        fields = line.fields
        word = fields[0].lower()
        if word == "endif" or word == "else":
            if not self._blocks:
                line.fail(0, f"{word} without `if ... then`")
            if word == "else":
                self._blocks[-1] = not self._blocks[-1]
            else:
                self._blocks.pop()
            return True
        if word == "if" and fields[-1].lower() == "then":
            counts = all(self._blocks)
            self._blocks.append(counts and self._is_true(line, fields[1:-1]) is True)
            return True
        if not all(self._blocks):
            return True
        if word == "set" and len(fields) > 1:
            self._variables[fields[1].upper()] = self._value(" ".join(fields[2:]))
        elif word == "if":
            self._if(line, fields)
        elif word in ("return", "stop"):
            self._has_ended = True
        elif word == "goto":
            line.fail(0, "goto is not taken over")
        elif word not in _HARMLESS:
            return False
        return True

    def _if(self, line: ParameterLine, fields: list[str]) -> None:
        """Handles an `if` of one line. Only a command that sets a variable may depend on unknown
        values.
        """
        rest, holds = fields, True
        unknown = False
        while rest and rest[0].lower() == "if":
            found = self._is_true(line, rest[1:4], may_fail=False)
            unknown = unknown or found is None
            holds = holds and bool(found)
            rest = rest[4:]
        if len(rest) < 2 or rest[0].lower() != "set":
            if unknown or holds:
                line.fail(0, "expected `set` behind a condition, or `then`")
            return
        if unknown:
            self._variables[rest[1].upper()] = None
        elif holds:
            self._variables[rest[1].upper()] = self._value(" ".join(rest[2:]))

    def _value(self, text: str) -> str | None:
        """Returns a word with @names replaced; None if only CHARMM itself knows the value
        (?NATC).
        """
        if "?" in text:
            return None
        for name in re.findall(r"@\{?(\w+)\}?", text):
            value = self._variables.get(name.upper())
            if value is None:
                return None
            text = re.sub(rf"@\{{?{name}\}}?", value, text)
        return text

    def _is_true(self, line: ParameterLine, words: list[str], may_fail: bool = True) -> bool | None:
        """Returns None if the result is not known and may not fail."""
        if len(words) != 3 or words[1].lower() not in _COMPARISONS:
            if may_fail:
                line.fail(None, "expected a condition such as `if @name eq 1 then`")
            return None
        sides = [
            self._variables.get(word.upper(), self._value(word.strip('"')))
            for word in (words[0], words[2])
        ]
        if None in sides:
            if may_fail:
                line.fail(None, "the condition depends on what only CHARMM knows; set it by hand")
            return None
        first, second = sides
        compare = _COMPARISONS[words[1].lower()]
        try:
            return bool(compare(float(first), float(second)))
        except ValueError:
            return bool(compare(first.upper(), second.upper()))

    def _statements(self) -> list[ParameterLine]:
        """Lines without comments; one that ends in a dash has the next one in it."""
        found, kept = [], ""
        for number, raw in enumerate(read_text(self._path).split("\n"), 1):
            text = raw.rstrip("\r")
            bare = text.split("!", 1)[0].rstrip()
            if not bare.strip() or bare.lstrip().startswith("*"):
                continue
            if bare.endswith("-"):
                kept += bare[:-1] + " "
                continue
            found.append(ParameterLine(self._path, number, kept + bare))
            kept = ""
        return found

    def _take(self, line: ParameterLine) -> None:
        fields = line.fields
        word = fields[0].lower()
        if word == "read" and len(fields) > 1:
            self._begin_of_read(line, fields)
            return
        if word == "mass":
            self._mass(line, fields)
            return
        if self._in_topology:
            if word == "end":
                self._in_topology = False
            return
        if self._is_topology(fields):
            self._in_topology = True
            self._any = True
            return
        head = self._head(fields)
        if head is not None:
            self._end_cmap()
            self._any = True
            self._section = "" if head == "END" else head
            if head in ("NONB", "NBON"):
                self._section = "NONB"
                self._options(line, fields)
            return
        if not self._section:
            self._outside(line, fields)
        elif self._section in _SECTIONS:
            self._parameters(line, fields)
        elif self._section == "NONB":
            self._nonbonded(line, fields)
        elif self._section == "CMAP":
            self._table(line, fields)
        elif self._section in ("THOL", "NBTH"):
            line.fail(0, "Thole screening of Drude particles is not taken over")
        elif self._section == "ATOM":
            line.fail(0, f'expected MASS in ATOMS; found "{fields[0]}"')

    @staticmethod
    def _head(fields: list[str]) -> str | None:
        """The section that a line begins."""
        word = fields[0].upper()
        known = next((head for head in _HEADS if word.startswith(head)), None)
        if known is None or (known == "END" and word != "END"):
            return None
        if known in ("NONB", "NBON", "HBON"):
            return known
        # A type may be called like a section.
        return known if len(fields) == 1 else None

    def _begin_of_read(self, line: ParameterLine, fields: list[str]) -> None:
        self._end_cmap()
        self._any = True
        kind = fields[1].lower()
        self._section = ""
        if kind.startswith("rtf"):
            self._in_topology = True
        elif kind.startswith("para"):
            self._in_topology = False
        else:
            line.fail(
                1, f'"read {fields[1]}" is not taken over; expected read rtf or read parameter'
            )

    def _is_topology(self, fields: list[str]) -> bool:
        """Whether a file of residues (RTF) begins here: with its version, or residues."""
        if self._section:
            return False
        word = fields[0].upper()
        is_version = len(fields) == 2 and all(re.fullmatch(r"\d+", f, re.ASCII) for f in fields)
        return is_version or word[:4] in ("RESI", "PRES", "DECL", "DEFA", "AUTO")

    def _mass(self, line: ParameterLine, fields: list[str]) -> None:
        self._any = True
        number = line.integer_at(fields, 1, "the number of a type", -(10**6), 10**6)
        if len(fields) < 4:
            line.fail(len(fields), "expected `MASS number type mass`")
        line.number_at(fields, 3, "the mass")
        if number > 0:
            self._made.numbers[number] = fields[2].upper()

    def _outside(self, line: ParameterLine, fields: list[str]) -> NoReturn:
        near = difflib.get_close_matches(fields[0].upper(), _NAMES, 1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        line.fail(0, f'unknown section "{fields[0]}"{hint}; expected BONDS, ANGLES, DIHEDRALS, IMPROPERS, '
                     "NONBONDED or another of CHARMM's")  # fmt: skip

    # ---- sections

    def _values(
        self, line: ParameterLine, fields: list[str], first: int, least: int, most: int
    ) -> tuple[float, ...]:
        section = self._section
        if len(fields) - first > most:
            line.fail(
                first + most, f"a line of {section} has {first} types and at most {most} numbers"
            )
        return tuple(
            line.number_at(fields, first + k, f"number {k + 1} of this line of {section}")
            for k in range(max(least, len(fields) - first))
        )

    def _parameters(self, line: ParameterLine, fields: list[str]) -> None:
        count, least, most = _SECTIONS[self._section]
        if len(fields) == 1:
            near = difflib.get_close_matches(fields[0].upper(), _NAMES, 1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            line.fail(0, f'unknown section "{fields[0]}"{hint}')
        values = self._values(line, fields, count, least, most)
        types = tuple(word.upper() for word in fields[:count])
        made, entry = self._made, Entry(line, values)
        if self._section == "BOND":
            self._no_wildcard(line, types)
            self._set(made.bonds, types, entry)
        elif self._section in ("ANGL", "THET"):
            self._no_wildcard(line, types)
            if len(values) == 3:
                line.fail(len(fields), "expected the length of the Urey-Bradley term behind its K")
            self._set(made.angles, types, entry)
        elif self._section in ("DIHE", "PHI"):
            self._dihedral(line, types, entry)
        elif self._section in ("IMPR", "IMPH"):
            signs = tuple(one == ANY for one in types)
            if signs not in _IMPROPERS and signs[::-1] not in _IMPROPERS:
                line.fail(0, "expected A B C D, A X X D, X B C D, X B C X or X X C D")
            self._set(made.impropers, types, entry)
        else:
            self._no_wildcard(line, types)
            if len(values) == 3:
                line.fail(len(fields), "expected Rmin of 1-4 pairs behind their epsilon")
            self._set(made.nbfix, types, entry)

    def _no_wildcard(self, line: ParameterLine, types: Types) -> None:
        for k, one in enumerate(types):
            if one == ANY or re.search(r"[*%#]", one):
                line.fail(k, f'"{one}" stands for several types, which is not taken over here')

    def _dihedral(self, line: ParameterLine, types: Types, entry: Entry) -> None:
        signs = tuple(one == ANY for one in types)
        if any(signs) and signs != (True, False, False, True):
            line.fail(0, "expected types A B C D or X B C X")
        number = entry.values[1]
        if number != int(number) or not 0 <= number <= 6:
            line.fail(5, f"the multiplicity is {number:g}; expected an integer of 0 to 6")
        table = self._made.dihedrals
        key = types[::-1] if types[::-1] in table else types
        known = table.setdefault(key, {})
        before = known.get(int(number))
        if before is not None and before.values != entry.values:
            self._replaced(line)
        known[int(number)] = entry

    def _set(self, table: dict[Types, Entry], types: Types, entry: Entry) -> None:
        key = types[::-1] if types[::-1] in table else types
        before = table.get(key)
        if before is not None and before.values != entry.values:
            self._replaced(entry.line)
        table[key] = entry

    def _replaced(self, line: ParameterLine) -> None:
        self._made.notes.tell("a line replaces other parameters of the same types", line)

    def _nonbonded(self, line: ParameterLine, fields: list[str]) -> None:
        if fields[0].lower() in _NUMBERED | _OPTIONS:
            self._options(line, ["NONBONDED", *fields])
            return
        values = self._values(line, fields, 1, 3, 6)
        if len(values) in (4, 5):
            line.fail(len(fields), "expected three numbers for 1-4 pairs")
        (kind,) = types = (fields[0].upper(),)
        self._no_wildcard(line, types)
        before = self._made.nonbonded.get(kind)
        entry = Entry(line, values)
        if before is not None and before.values != values:
            self._replaced(line)
        self._made.nonbonded[kind] = entry

    def _options(self, line: ParameterLine, fields: list[str]) -> None:
        made, k = self._made, 1
        made.line_of_options = line
        while k < len(fields):
            word = fields[k].lower()
            if word in _NUMBERED:
                self._option(line, fields, k, word)
                k += 2
                continue
            if word == "geom":
                made.is_geometric = True
            elif word == "arith":
                made.is_geometric = False
            elif word in ("rdiel", "rdie"):
                line.fail(
                    None, "a dielectric that grows with the distance (RDIE) is not taken over"
                )
            elif word not in _OPTIONS:
                near = difflib.get_close_matches(word, sorted(_OPTIONS | _NUMBERED), 1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                line.fail(None, f'unknown option "{fields[k]}" of NONBONDED{hint}')
            k += 1

    def _option(self, line: ParameterLine, fields: list[str], k: int, word: str) -> None:
        try:
            value = float(fields[k + 1])
        except (IndexError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            line.fail(None, f"expected a number behind {word} of NONBONDED")
        if word == "nbxmod" and abs(value) != 5:
            line.fail(
                None, f"nbxmod is {value:g}; expected 5: no pairs up to two bonds apart, and 1-4 pairs "
                "with their own parameters",
            )  # fmt: skip
        if word == "eps" and value != 1.0:
            line.fail(None, f"eps is {value:g}; expected a dielectric constant of 1")
        if word == "e14fac":
            self._made.e14fac = value

    # ---- CMAP

    def _table(self, line: ParameterLine, fields: list[str]) -> None:
        is_head = len(fields) == 9 and not _is_number(fields[0])
        if is_head:
            self._end_cmap()
            size = line.integer_at(fields, 8, "the number of points along an angle", 2, 360)
            if size % 2 == 1:
                line.fail(8, f"a CMAP has {size} points along an angle; expected an even number")
            self._cmap = line, tuple(word.upper() for word in fields[:8]), size, []
            return
        if self._cmap is None:
            line.fail(0, "expected eight types and the number of points of a CMAP")
        self._cmap[3].extend(
            line.number_at(fields, k, "an energy of the CMAP") for k in range(len(fields))
        )

    def _end_cmap(self) -> None:
        if self._cmap is None:
            return
        line, types, size, values = self._cmap
        self._cmap = None
        if len(values) != size * size:
            line.fail(None, f"the CMAP has {len(values)} energies; expected {size} times {size}")
        self._set(self._made.cmaps, types, Entry(line, tuple(values)))


_IMPROPERS = (
    (False,) * 4, (False, True, True, False), (True, False, False, False),
    (True, False, False, True), (True, True, False, False),
)  # fmt: skip


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def missing(parameters: Parameters, what: str, types: Types) -> str:
    names = ", ".join(str(path) for path in parameters.paths)
    return f"there are no parameters of the {what} of the types {' '.join(types)} in {names}"


def fail_missing(
    line: Line, word: int, parameters: Parameters, what: str, types: Types
) -> NoReturn:
    line.fail(word, missing(parameters, what, types))
