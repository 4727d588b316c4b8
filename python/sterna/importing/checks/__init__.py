"""What is wrong with files of other programs, by file, line and column.

OpenMM reads these files, and its errors often tell neither where they are nor what was expected. So
files are looked at first: whether what a reader goes by is there, has its size, and is a number
where it must be one. What the numbers mean is left to OpenMM.

- `pdb`;
- `serialized`: a System of OpenMM.
"""

from collections.abc import Callable
from pathlib import Path

from sterna.importing.checks import pdb, serialized

_CHECKS: dict[str, Callable[[Path], None]] = {
    ".pdb": pdb.check,
    ".xml": serialized.check,
}


def check_file(path: Path) -> None:
    """Raises SternaError at the first mistake in a file whose format is known."""
    check = _CHECKS.get(path.suffix.lower())
    if check is not None:
        check(path)
