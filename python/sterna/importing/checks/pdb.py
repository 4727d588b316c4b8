"""PDB files. Source: https://www.wwpdb.org/documentation/file-format, version 3.3."""

from pathlib import Path

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

_COLUMNS = {"x": (30, 38), "y": (38, 46), "z": (46, 54)}
_BOX = {"a": (6, 15), "b": (15, 24), "c": (24, 33), "alpha": (33, 40), "beta": (40, 47),
        "gamma": (47, 54)}  # fmt: skip


def check(path: Path) -> None:
    atoms = 0
    for number, text in enumerate(read_text(path).splitlines(), 1):
        is_atom = text.startswith(("ATOM  ", "HETATM"))
        if not is_atom and not text.startswith("CRYST1"):
            continue
        line = Line(path, number, text)
        for name, (begin, end) in (_COLUMNS if is_atom else _BOX).items():
            item = text[begin:end]
            try:
                float(item)
            except ValueError:
                what = "coordinate" if is_atom else "edge or angle"
                line.fail_between(
                    begin, end,
                    f'{what} {name} is "{item.strip()}"; expected a number in columns {begin + 1} '
                    f"to {end}",
                )  # fmt: skip
        atoms += is_atom
    if atoms == 0:
        raise SternaError(f"{path}: error: there is no ATOM or HETATM line in it", status=2)
