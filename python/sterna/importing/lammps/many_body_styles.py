"""Many-body pair styles of LAMMPS: a row for each, their files, and which element each type is.

Source: https://docs.lammps.org, pair_eam, pair_adp, pair_tersoff, pair_sw, pair_snap and
pair_pace.
"""

from dataclasses import dataclass
from pathlib import Path

from sterna.importing.text import Line


@dataclass(frozen=True)
class ManyBodyStyle:
    """A row of the table."""

    key: str  #: key of a `[[type]]`, whose value is an element; the potential has the same name
    file_key: str  #: key of `[interaction]`
    names_elements: bool = True  #: behind the file stands an element for each type, or NULL
    brings_masses: bool = False
    second_file_key: str = ""  #: key of `[interaction]` of a second file
    values: int = 0  #: of an entry, where their number tells Sterna which style it is
    ways: tuple[str, ...] = ()  #: arguments of the style that tell how, not what, is computed
    sizes: tuple[str, ...] = ()  #: such arguments with a number behind them


MANY_BODY_STYLES: dict[str, ManyBodyStyle] = {
    "eam": ManyBodyStyle("embedded_atom", "embedded_atom_file", False, True),
    "eam/alloy": ManyBodyStyle("embedded_atom", "embedded_atom_file", True, True),
    "eam/fs": ManyBodyStyle("embedded_atom", "embedded_atom_file", True, True),
    "adp": ManyBodyStyle("embedded_atom", "embedded_atom_file", True, True),
    "tersoff": ManyBodyStyle("tersoff", "parameter_file", values=14),
    "tersoff/zbl": ManyBodyStyle("tersoff", "parameter_file", values=18),
    "tersoff/mod": ManyBodyStyle("tersoff", "parameter_file", values=17),
    "sw": ManyBodyStyle("stillinger_weber", "stillinger_weber_file"),
    "snap": ManyBodyStyle("snap", "snap_file", second_file_key="snap_parameter_file"),
    "pace": ManyBodyStyle("ace", "ace_file", ways=("product", "recursive"), sizes=("chunksize",)),
}


@dataclass
class ManyBody:
    """The many-body style of a pair_coeff."""

    name: str
    style: ManyBodyStyle
    path: Path
    line: Line
    elements: dict[int, str]  #: elements of types, counted from 0
    second_path: Path | None = None

    def files(self) -> dict[str, Path]:
        """The files by their keys in `[interaction]`."""
        files = {self.style.file_key: self.path}
        if self.second_path is not None:
            files[self.style.second_file_key] = self.second_path
        return files

    def takes(self, a: int, b: int) -> bool:
        """Whether these two types interact by it."""
        return a in self.elements and b in self.elements

    def check_units(self, units: str) -> None:
        """LAMMPS converts a file that says its units, and takes any other in those of the script.
        Raises SternaError for one of the latter that is not in Sterna's, eV."""
        first_line = self.path.read_text(errors="replace").partition("\n")[0]
        if units != "metal" and "UNITS:" not in first_line:
            self.line.fail(
                None,
                f"{self.path} does not say its units, so they are those of the script, {units}; "
                'expected a file with "UNITS: metal" in its first line',
            )

    def masses(self) -> dict[int, float]:
        """Returns the masses from the file, by types, counted from 0."""
        if not self.style.brings_masses:
            return {}
        try:
            of_elements = _masses(self.name, self.path.read_text().splitlines())
        except (ValueError, IndexError, UnicodeDecodeError):
            self.line.fail(None, f"{self.path} is no file of pair_style {self.name}")
        missing = [one for one in self.elements.values() if one not in of_elements]
        if self.style.names_elements and missing:
            self.line.fail(
                None,
                f"{self.path} has no element {missing[0]}; there is {', '.join(of_elements)}",
            )
        alone = next(iter(of_elements.values()))
        return {a: of_elements.get(one, alone) for a, one in self.elements.items()}


def _masses(name: str, lines: list[str]) -> dict[str, float]:
    """Returns the masses of a file's elements."""
    if name == "eam":
        return {"": float(lines[1].split()[1])}
    names = lines[3].split()[1:]
    head = lines[4].split()
    densities = len(names) if name == "eam/fs" else 1
    values = int(head[0]) + densities * int(head[2])
    words = " ".join(lines[5:]).split()
    return {one: float(words[k * (4 + values) + 1]) for k, one in enumerate(names)}


def read_many_body(  # noqa: PLR0913
    name: str, pairs: list[tuple[int, int]], line: Line, fields: list[str], first: int, count: int
) -> ManyBody:
    """Of a pair_coeff for pairs of types, from 0, whose file is the field `first`. `count`: of types.
    Raises SternaError where there is no such file, or not an element for each type."""
    style = MANY_BODY_STYLES[name]
    if first >= len(fields):
        line.fail(None, f"expected the file of pair_style {name}")
    path = _found(Path(fields[first]), line, first)
    second_path = None
    if style.second_file_key:
        first += 1
        if first >= len(fields):
            line.fail(None, f"expected the second file of pair_style {name}")
        second_path = _found(Path(fields[first]), line, first)
    words = fields[first + 1 :]
    if not style.names_elements:
        if words:
            line.fail(first + 1, f"expected no more than the file of pair_style {name}")
        types = {a for pair in pairs for a in pair}
        return ManyBody(name, style, path, line, dict.fromkeys(sorted(types), path.stem))
    if len(pairs) != count * (count + 1) // 2:
        line.fail(1, f"pair_coeff of {name} is for all types: expected * *")
    if len(words) != count:
        line.fail(
            min(first + 1, len(fields) - 1),
            f"{len(words)} elements stand behind the file; expected one for each of {count} types, "
            "or NULL",
        )
    elements = {a: word for a, word in enumerate(words) if word != "NULL"}
    if style.values:
        _check_values(path, line, first, name, style.values)
    if second_path is not None:
        _check_order(path, second_path, line, first + 1, list(dict.fromkeys(elements.values())))
    return ManyBody(name, style, path, line, elements, second_path)


def _words(path: Path) -> list[list[str]]:
    """The words of a file's lines, without comments."""
    lines = path.read_text(errors="replace").splitlines()
    return [line.partition("#")[0].split() for line in lines]


def _check_values(path: Path, line: Line, field: int, name: str, values: int) -> None:
    """Raises SternaError where the first entry has not as many values as those of its style."""
    words = [word for row in _words(path) for word in row][3:]
    count = next((k for k, word in enumerate(words) if not _is_number(word)), len(words))
    if count != values:
        line.fail(
            field,
            f"the first entry of {path} has {count} numbers behind its three elements; expected "
            f"{values}, those of {name}",
        )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _check_order(path: Path, second: Path, line: Line, field: int, elements: list[str]) -> None:
    """Where a SNAP file has values of triples of elements, LAMMPS takes them in the order of the
    pair_coeff, Sterna in that of the file. Raises SternaError where these are not the same."""
    ordered = [
        words[0]
        for words in _words(second)
        if words[1:] == ["1"] and words[0] in ("chemflag", "switchinnerflag")
    ]
    words = [word for row in _words(path) for word in row]
    if not ordered or len(words) < 2 or not words[1].isdigit():
        return
    in_file = words[2 :: int(words[1]) + 3]
    if elements != in_file:
        line.fail(
            field,
            f"with {ordered[0]} 1 LAMMPS takes the coefficients for elements in the order "
            f"{' '.join(elements)}; expected that of {path}, {' '.join(in_file)}",
        )


def _found(path: Path, line: Line, field: int) -> Path:
    """Relative to the working folder, as LAMMPS has it, or to the script's."""
    for one in (path, line.path.parent / path):
        if one.is_file():
            return one
    line.fail(field, f"there is no file {path}")
    raise AssertionError
