#!/usr/bin/env python3
"""Checks that includes only point down the layers.

Layer 1, `sterna::comm` (include/sterna/comm, src/comm), includes nothing of layer 2. Inside either
layer, src/comm and src/md, a folder includes itself and the folders listed before it. A kind of force
(src/md/forces/KIND) includes what lies in src/md/forces itself, and no other kind. Only layer 1 may
name MPI or UCX headers, so the engine sends every byte through it. The module of Python, src/python,
stands on both layers, and neither includes anything of it.

Usage: check_layers.py [ROOT]; prints each offending line as file:line and exits with 1.
"""

import re
import sys
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
    "integrate",
    "trajectories",
    "observe",
    "start",
    "simulation",
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
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
TRANSPORT_HEADERS = re.compile(r"^(mpi\.h|mpi-ext\.h|uc[pst]/)")


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
    if (in_comm or in_md) and included.startswith("python/"):
        return "the engine knows nothing of Python: src/python stands on it"
    if source.startswith("include/") and included.startswith("comm/"):
        return "a public header includes only public headers"
    if not in_comm and TRANSPORT_HEADERS.match(included):
        return "only sterna::comm talks to MPI and UCX"
    if not in_comm and included.startswith("comm/"):
        return "other layers use the public headers, sterna/comm/"
    if not in_md:
        return None
    folder = parts[2]
    if folder not in MD_LAYERS:
        return f"src/md/{folder} is not in the list of layers ({', '.join(MD_LAYERS)})"
    if included.startswith("md/"):
        target = included.split("/")[1]
        if target not in MD_LAYERS:
            return f"md/{target} is not in the list of layers"
        if MD_LAYERS.index(target) > MD_LAYERS.index(folder):
            return f"md/{target} lies above md/{folder}"
        kind, other = kind_of_force(source[len("src/") :]), kind_of_force(included)
        if folder == "forces" and other not in ("", kind):
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


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check(root)
    print("\n".join(found) if found else "layers: every include points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
