#!/usr/bin/env python3
"""Checks that includes, and what the linker is asked for, only point down the layers.

Layer 1, `sterna::comm` (include/sterna/comm, src/comm), includes nothing of layer 2. Inside either
layer, src/comm and src/md, a folder includes itself and the folders listed before it. A kind of force
(src/md/forces/KIND) includes what lies in src/md/forces itself, and no other kind. What a kind knows
of the input (src/md/forces/KIND/input) is a layer of its own above src/md/input. Only layer 1 may name
MPI, UCX or libfabric headers, so the engine sends every byte through it. The module of Python, src/python,
stands on both layers, and neither includes anything of it.

The library of the multipole method, include/sterna/fmm.hpp and src/fmm, stands on both layers, too. Its
interfaces for C use the handles of that of `sterna::comm`.

Object files of the engine tell what the linker is asked for: a folder needs no symbol that only a
higher one defines, whatever header declares it. Where the files of several folders are compiled
together, a symbol counts as needed by the highest of them and as defined by the lowest.

Usage: check_layers.py [ROOT] [--objects FOLDER], such as build/src/md/CMakeFiles/sterna_md.dir;
prints each offending line as file:line, each offending symbol, and exits with 1.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MD_LAYERS = (
    "core",
    "simd",
    "system",
    "model",
    "domain",
    "neighbors",
    "forces",
    "output",
    "input",
    "forces/KIND/input",
    "integrate",
    "trajectories",
    "observe",
    "start",
    "ensemble",
    "simulation",
    "replicas",
)
COMM_LAYERS = (
    "context",
    "transport",
    "onesided",
    "tune",
    "family",
    "neighbor",
    "sparse",
    "reduce",
    "placement",
    "message",
    "c",
    "fortran",
)
# The kernels that build rows of neighbors are compiled in one unit with those of Lennard-Jones pairs.
# `neighbors/pair_work.hpp` declares the functions that give both.
HANDED_DOWN = re.compile(
    r"^_ZN6sterna2md\d+pair_kernels_(baseline|avx2|avx512|neon|sve256|sve512)Ev$"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
TRANSPORT_HEADERS = re.compile(r"^(mpi\.h|mpi-ext\.h|uc[pst]/|rdma/)")


def layer_of(parts: Sequence[str]) -> str:
    """The layer of a path below src/md, split at its slashes."""
    owns_text = len(parts) > 3 and parts[0] == "forces" and parts[2] == "input"
    return "forces/KIND/input" if owns_text else parts[0]


def kind_of_force(path: str) -> str:
    """`pair` of md/forces/pair/x.hpp; empty elsewhere."""
    parts = path.split("/")
    return parts[2] if parts[:2] == ["md", "forces"] and len(parts) > 3 else ""


def problem_of_comm(folder: str, target: str) -> str | None:
    """Why a file of src/comm/`folder` may not include one of src/comm/`target`, or None."""
    for name in (folder, target):
        if name not in COMM_LAYERS:
            return f"src/comm/{name} is not in the list of layers ({', '.join(COMM_LAYERS)})"
    if COMM_LAYERS.index(target) > COMM_LAYERS.index(folder):
        return f"comm/{target} lies above comm/{folder}"
    return None


def problem(source: str, included: str) -> str | None:
    """Why the file `source` (relative to the root) may not include `included`, or None."""
    parts = source.split("/")
    in_comm = source.startswith(("include/sterna/comm/", "src/comm/"))
    in_md = source.startswith("src/md/")
    if source.startswith("src/comm/") and len(parts) > 3 and included.startswith("comm/"):
        reason = problem_of_comm(parts[2], included.split("/")[1])
        if reason:
            return reason
    if in_comm and included.startswith(("md/", "sterna/md")):
        return "sterna::comm is the lower layer: it includes nothing of sterna::md"
    if (in_comm or in_md) and included.startswith(("fmm/", "sterna/fmm")):
        return "sterna::fmm stands on the engine, which knows nothing of it"
    if (in_comm or in_md) and included.startswith("python/"):
        return "the engine knows nothing of Python: src/python stands on it"
    if source.startswith("include/") and included.startswith("comm/"):
        return "a public header includes only public headers"
    # ScaFaCoS's calls take a communicator of MPI by value.
    in_scafacos = source.startswith(("include/sterna/scafacos/", "src/scafacos/"))
    if not in_comm and TRANSPORT_HEADERS.match(included) and not in_scafacos:
        return "only sterna::comm talks to MPI, UCX and libfabric"
    of_c = source.startswith("src/fmm/c/") and included.startswith("comm/c/")
    if not in_comm and included.startswith("comm/") and not of_c:
        return "other layers use the public headers, sterna/comm/"
    if not in_md:
        return None
    folder = layer_of(parts[2:])
    if folder not in MD_LAYERS:
        return f"src/md/{folder} is not in the list of layers ({', '.join(MD_LAYERS)})"
    if included.startswith("md/"):
        target = layer_of(included.split("/")[1:])
        if target not in MD_LAYERS:
            return f"md/{target} is not in the list of layers"
        if MD_LAYERS.index(target) > MD_LAYERS.index(folder):
            return f"md/{target} lies above md/{folder}"
        kind, other = kind_of_force(source[len("src/") :]), kind_of_force(included)
        if folder.startswith("forces") and other not in ("", kind):
            return f"a kind of force knows no other: md/forces/{other}"
    return None


def check(root: Path) -> list[str]:
    """The offending lines below `root`, each as 'file:line: include: reason'."""
    found = []
    for top in ("include", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h", ".inc", ".inl"):
                continue
            source = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                reason = match and problem(source, match.group(1))
                if reason:
                    found.append(f"{source}:{number}: {match.group(1)}: {reason}")
    return found


@dataclass
class Unit:
    """What one object file is made of, in terms of the linker."""

    name: str
    folders: set[str]  # of src/md
    defines: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)

    def heights(self) -> list[int]:
        return [MD_LAYERS.index(folder) for folder in self.folders]


def problems_of_units(units: Iterable[Unit]) -> list[tuple[str, Unit, Unit]]:
    """Each symbol that a unit needs and only a higher one defines, with both."""
    units = list(units)
    owners: dict[str, Unit] = {}
    for unit in units:
        for symbol in unit.defines:
            lowest = owners.setdefault(symbol, unit)
            if min(unit.heights()) < min(lowest.heights()):
                owners[symbol] = unit
    return [
        (symbol, unit, owners[symbol])
        for unit in units
        for symbol in sorted(unit.needs & owners.keys())
        if min(owners[symbol].heights()) > max(unit.heights()) and not HANDED_DOWN.match(symbol)
    ]


def folders_of_object(path: Path, top: Path) -> set[str]:
    """The folders of src/md whose files an object file below `top` was compiled from."""
    parts = path.relative_to(top).parts
    if parts[0] != "Unity":
        folder = layer_of(parts)
        return {folder} if folder in MD_LAYERS else set()
    text = path.with_suffix("").read_text(encoding="utf-8")
    return {
        layer_of(file.split("/")) for file in re.findall(r'#include "[^"]*src/md/([^"]+)"', text)
    }


def units_of(top: Path) -> list[Unit]:
    """The object files below `top`. Symbols that several may define, as of templates, are left out."""
    units = []
    for path in sorted(top.rglob("*.o")):
        folders = folders_of_object(path, top)
        if not folders:
            continue
        unit = Unit(path.relative_to(top).as_posix(), folders)
        listed = subprocess.run(["nm", "-gP", path], capture_output=True, text=True, check=True)
        for line in listed.stdout.splitlines():
            symbol, kind = line.split()[:2]
            if kind == "U":
                unit.needs.add(symbol)
            elif kind in "TDBRG":
                unit.defines.add(symbol)
        units.append(unit)
    return units


def check_symbols(top: Path) -> list[str]:
    """The offending symbols of the object files below `top`."""
    units = units_of(top)
    if not units:
        return [f"{top}: no object files of the engine"]
    found = [
        f"{symbol}: {unit.name} ({', '.join(sorted(unit.folders))}) needs it, and only "
        f"{owner.name} ({', '.join(sorted(owner.folders))}) defines it"
        for symbol, unit, owner in problems_of_units(units)
    ]
    readable = subprocess.run(
        ["c++filt"], input="\n".join(found), capture_output=True, text=True, check=True
    )
    return readable.stdout.splitlines()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent
    )
    parser.add_argument("--objects", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    found = check(arguments.root)
    if arguments.objects is not None:
        found += check_symbols(arguments.objects)
    print("\n".join(found) if found else "layers: everything points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
