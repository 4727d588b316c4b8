"""Styles of bonded terms by their kinds, and the types that a command names."""

import re
from collections.abc import Callable

from sterna.importing.lammps.angle_styles import ANGLE_STYLES
from sterna.importing.lammps.bond_styles import BOND_STYLES
from sterna.importing.lammps.bonded_rows import Coefficients, Kind, zero
from sterna.importing.lammps.command import Command
from sterna.importing.lammps.data_file import DataFile
from sterna.importing.lammps.dihedral_styles import DIHEDRAL_STYLES
from sterna.importing.lammps.dihedral_tables import table_dihedral
from sterna.importing.lammps.improper_styles import IMPROPER_STYLES

STYLES: dict[str, dict[str, Callable[[Coefficients], list[Kind]]]] = {
    "bond": BOND_STYLES,
    "angle": ANGLE_STYLES,
    "dihedral": DIHEDRAL_STYLES,
    "improper": IMPROPER_STYLES,
}
DIHEDRAL_STYLES["table"] = table_dihedral
for _styles in STYLES.values():
    _styles["zero"] = zero
    _styles["none"] = zero


def type_range(data: DataFile, command: Command, place: int, kind: str) -> range:
    """Types by a number, a label, or `m*n`."""
    text = command.word(place, f"{kind} types")
    count = data.count(f"{kind} types")
    if text in data.labels.get(kind, {}):
        number = data.labels[kind][text]
        return range(number, number + 1)
    if "*" in text:
        first, _, last = text.partition("*")
        limits = (first or "1", last or str(count))
    else:
        limits = (text, text)
    if not all(re.fullmatch(r"\d{1,9}", limit) for limit in limits):
        command.fail(place, f'expected {kind} types such as 2, 1*3 or *; found "{text}"')
    low, high = map(int, limits)
    if not 1 <= low <= high <= count:
        command.fail(place, f"there is no such {kind} type; expected 1 to {count}")
    return range(low, high + 1)
