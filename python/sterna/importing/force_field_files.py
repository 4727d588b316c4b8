"""The search for the force fields that `--force-field` names.

OpenMM looks in the working folder first, and runs the Python code that a force field may have
(`<Script>`, `<InitializationScript>`). Code is run of installed packages only.
"""

import os
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from xml.parsers import expat

from sterna.errors import SternaError

_CODE = ("Script", "InitializationScript")


def located(names: Sequence[str], data: Path) -> list[str]:
    """Absolute paths; a name that is nowhere stays, for OpenMM to complain of.

    `data`: the folder of OpenMM's own force fields. Raises SternaError with status 2 where a name means two files, and where a file that no package
    brings has Python code, or includes one that has.
    """
    folders = _folders(data)
    found = [_located(name, folders) for name in names]
    waiting, seen = list(found), set()
    while waiting:
        path = waiting.pop()
        if path in seen or not os.path.isfile(path):
            continue
        seen.add(path)
        installed = any(Path(path).is_relative_to(folder) for folder in folders)
        for line, element, attributes in _elements(path):
            if element == "Include":
                waiting.append(_included(attributes.get("file", ""), path, folders))
            elif element in _CODE and not installed:
                raise SternaError(
                    f"{path}:{line}: <{element}> has Python code, which OpenMM would run; expected a "
                    "force field without, or a System that OpenMM has made of it and serialized "
                    "(XmlSerializer)",
                    status=2,
                )
    return found


def _folders(data: Path) -> list[Path]:
    """Returns the folders that OpenMM searches: its own, and those of packages with further force
    fields.
    """
    more = [entry.load()() for entry in entry_points(group="openmm.forcefielddir")]
    return [Path(folder).resolve() for folder in (data, *more)]


def _located(name: str, folders: Sequence[Path]) -> str:
    brought = next((str(folder / name) for folder in folders if (folder / name).is_file()), None)
    here = os.path.realpath(name) if os.path.isfile(name) else None
    if here is None or brought is None:
        return here or brought or name
    if Path(name).is_absolute() or name.startswith(("./", "../")):
        return here
    if Path(here).read_bytes() == Path(brought).read_bytes():
        return brought
    raise SternaError(
        f"{name} is a file of the working folder, and another one is {brought}; expected ./{name} "
        "for the first, or the whole path of the second",
        status=2,
    )


def _included(name: str, by: str, folders: Sequence[Path]) -> str:
    """Finds an included file as OpenMM does."""
    beside = os.path.join(os.path.dirname(by), name)
    return os.path.realpath(beside) if os.path.isfile(beside) else _located(name, folders)


def _elements(path: str) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yields the children of the root with their lines; in broken XML, those before its first
    mistake.
    """
    found: list[tuple[int, str, dict[str, str]]] = []
    open_elements: list[str] = []
    parser = expat.ParserCreate()

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(open_elements) == 1:
            found.append((parser.CurrentLineNumber, name, attributes))
        open_elements.append(name)

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_elements.pop()
    try:
        with open(path, "rb") as file:
            parser.ParseFile(file)
    except expat.ExpatError:
        pass  # OpenMM reports the mistake.
    return iter(found)
