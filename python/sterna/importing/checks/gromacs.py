"""Files of GROMACS. Source: its manual, "Topologies" and "File formats"."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

#: Sections of a molecule, and the atoms that a line of them begins with.
_MEMBERS = {
    "bonds": 2, "pairs": 2, "angles": 3, "dihedrals": 4, "constraints": 2, "cmap": 5, "settles": 1,
}  # fmt: skip
_TAKEN = (
    "defaults", "moleculetype", "molecules", "atoms", *_MEMBERS, "exclusions", "atomtypes",
    "bondtypes", "angletypes", "dihedraltypes", "pairtypes", "cmaptypes", "nonbond_params",
    "virtual_sites2", "virtual_sites3", "dummies2", "dummies3", "system", "constrainttypes",
    "implicit_genborn_params", "position_restraints",
)  # fmt: skip
_NOT_TAKEN = (
    "distance_restraints", "dihedral_restraints", "orientation_restraints",
    "angle_restraints", "angle_restraints_z", "virtual_sites1", "virtual_sites4",
    "virtual_sitesn", "dummies4", "dummiesn", "polarization", "water_polarization",
    "thole_polarization", "intermolecular_interactions", "pairs_nb",
)  # fmt: skip
#: Function types of GROMACS that OpenMM reads.
_FUNCTIONS = {
    "bonds": ("1", "2"), "pairs": ("1",), "angles": ("1", "2", "5"),
    "dihedrals": ("1", "2", "3", "4", "5", "9"),
}  # fmt: skip
#: Fewest columns of a GRO line: residue, name and number, and three coordinates behind.
_HEAD_WIDTH = 20


def read_topology(
    app: Any, path: Path, box: Any, include: Path | None, defines: Sequence[str] = ()
) -> Any:
    """The topology by OpenMM (`app`), after each line was looked at. Raises SternaError.

    `include`: where included files are sought, too, besides the folder of the file; None: where
    OpenMM finds GROMACS. `defines`: names that are defined before the first line.
    """

    class Located(app.GromacsTopFile):
        """Knows where it reads."""

        def _processFile(self, file: str) -> None:  # noqa: N802 - the name in OpenMM
            kept, opened = "", []
            for number, text in enumerate(read_text(Path(file)).split("\n"), 1):
                if text.strip().endswith("\\"):
                    kept += " " + text[: text.rfind("\\")]
                    continue
                line = Line(Path(file), number, (kept + " " + text).removeprefix(" "))
                kept = ""
                before = len(self._ifStack)
                try:
                    _look_at(self, line)
                    self._processLine(" " + line.text, file)
                except SternaError:
                    raise
                except Exception as error:
                    line.fail(None, _words_of(error, line))
                opened += [line] * (len(self._ifStack) - before)
                del opened[len(opened) + min(0, len(self._ifStack) - before) :]
            if opened:
                opened[-1].fail(None, "this has no #endif")
            if file == str(path) and not hasattr(self, "_defaults"):
                raise SternaError(
                    f"{path}: error: the section [ defaults ] is missing; it usually comes by "
                    "#include of forcefield.itp",
                    status=2,
                )

    return Located(
        str(path),
        periodicBoxVectors=box,
        includeDir=None if include is None else str(include),
        defines=dict.fromkeys(defines, ""),
    )


def position_restraints(topology: Any) -> list[tuple[int, tuple[float, float, float]]]:
    """Of a topology that `read_topology` read: atoms, from 0, and their stiffness along each axis.

    In kJ/mol/nm^2; the energy has the factor 1/2.
    """
    held: dict[int, list] = topology.__dict__.get("_held", {})
    found = []
    first = 0
    for name, count in topology._molecules:
        molecule = topology._moleculeTypes[name]
        for _ in range(count):
            found += [(first + atom, stiffness) for atom, stiffness in held.get(id(molecule), [])]
            first += len(molecule.atoms)
    return found


def _words_of(error: Exception, line: Line) -> str:
    """What OpenMM says, without the line."""
    text = str(error).replace(line.text, "").replace(line.text.split(";")[0], "").strip()
    if text.startswith("Could not locate #include file"):
        text += "; --include names the folder that it is in, which GROMACS has as share/gromacs/top"
    return text.removesuffix(":").replace(" line:", "")


def _look_at(reader: Any, line: Line) -> None:
    """What OpenMM would pass over, or trip over later."""
    bare = Line(line.path, line.number, line.text.split(";", 1)[0].rstrip())
    text = bare.text.strip()
    if not text or not all(reader._ifStack) or text.startswith(("#", "*")):
        return
    if text.startswith("["):
        _look_at_section(bare, text.strip("[] \t"))
        return
    section = reader._currentCategory
    fields = text.split()
    if section == "molecules":
        if fields[0] not in reader._moleculeTypes:
            bare.fail(0, _unknown("molecule type", fields[0], list(reader._moleculeTypes)))
        bare.integer_at(fields, 1, "the number of molecules", 0, 10**9)
    molecule = reader._currentMoleculeType
    if molecule is None:
        return
    if section == "atoms":
        if len(fields) > 1 and fields[1] not in reader._atomTypes:
            bare.fail(1, _unknown("atom type", fields[1], list(reader._atomTypes)))
        for place, what in ((6, "the charge"), (7, "the mass")):
            if place < len(fields):
                _number(reader, bare, fields, place, what)
    elif section == "position_restraints":
        _look_at_restraint(reader, bare, fields, molecule)
    elif section in _MEMBERS:
        count = _MEMBERS[section]
        for place in range(count):
            bare.integer_at(fields, place, "the number of an atom", 1, len(molecule.atoms))
        functions = _FUNCTIONS.get(section, ())
        if functions and len(fields) > count and fields[count] not in functions:
            bare.fail(
                count,
                f"function type {fields[count]} of [ {section} ] is not taken over; expected "
                f"{', '.join(functions)}",
            )
        for place in range(count + 1, len(fields)):
            _number(reader, bare, fields, place, "a parameter")


def _look_at_restraint(reader: Any, line: Line, fields: list[str], molecule: Any) -> None:
    """OpenMM passes over them, so they are kept here."""
    atom = line.integer_at(fields, 0, "the number of an atom", 1, len(molecule.atoms))
    function = line.integer_at(fields, 1, "the function type", 1, 2)
    if function == 2:
        line.fail(
            1, "flat-bottomed position restraints are not taken over; expected function type 1"
        )
    stiffness = []
    for place in (2, 3, 4):
        text = fields[place] if place < len(fields) else ""
        value = reader._defines.get(text)
        if isinstance(value, str):
            fields = [*fields[:place], value, *fields[place + 1 :]]
        constant = line.number_at(fields, place, "a force constant")
        if constant < 0.0:
            line.fail(place, f"a force constant is {text}; expected one that is not negative")
        stiffness.append(constant)
    reader.__dict__.setdefault("_held", {}).setdefault(id(molecule), []).append(
        (atom - 1, tuple(stiffness))
    )


def _number(reader: Any, line: Line, fields: list[str], place: int, what: str) -> None:
    """A number, or the name of some by #define."""
    if fields[place] not in reader._defines:
        line.number_at(fields, place, what)


def _look_at_section(line: Line, name: str) -> None:
    if name in _TAKEN:
        return
    if name in _NOT_TAKEN:
        line.fail(None, f"the section [ {name} ] is not taken over; take it out")
    line.fail(None, _unknown("section", name, [*_TAKEN, *_NOT_TAKEN]))


def _unknown(what: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known[:8])}"
    return f'unknown {what} "{name}"; {hint}'


def has_no_box(fields: list[str]) -> bool:
    """Whether the last line of a GRO file has zeros only, as GROMACS writes molecules in vacuum."""
    try:
        return len(fields) >= 3 and not any(map(float, fields))
    except ValueError:
        return False


def check_coordinates(path: Path) -> None:
    lines = [Line(path, n, t) for n, t in enumerate(read_text(path).splitlines(), 1)]
    if len(lines) < 3:
        raise SternaError(
            f"{path}: error: expected a title, the number of atoms, their lines and the box (GRO of "
            "GROMACS)",
            status=2,
        )
    atoms = lines[1].integer_at(lines[1].text.split(), 0, "the number of atoms", 1, 10**9)
    if len(lines) < atoms + 3:
        lines[-1].fail(
            None,
            f"the file ends after {len(lines)} lines; expected a title, the number of atoms, "
            f"{atoms} atoms and the box",
        )
    for line in lines[2 : atoms + 2]:
        points = [n for n, c in enumerate(line.text) if c == "." and n >= _HEAD_WIDTH]
        width = points[1] - points[0] if len(points) > 1 else 8
        for k, axis in enumerate("xyz"):
            begin = _HEAD_WIDTH + k * width
            item = line.text[begin : begin + width]
            try:
                float(item)
            except ValueError:
                line.fail_between(
                    begin, begin + max(1, len(item)),
                    f'coordinate {axis} is "{item.strip()}"; expected a number in columns '
                    f"{begin + 1} to {begin + width}",
                )  # fmt: skip
    box = lines[atoms + 2]
    fields = box.text.split()
    if has_no_box(fields):
        return
    for k in range(max(3, min(9, len(fields)))):
        value = box.number_at(fields, k, "a number of the box")
        if k < 3 and value <= 0.0:
            box.fail(k, f"an edge of the box is {fields[k]}; expected a length above 0")
