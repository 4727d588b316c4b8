#!/usr/bin/env python3
"""Checks that imports of python/sterna only point down its packages, and that no modules go round.

A package imports itself and those listed before it in PACKAGES; a module that lies in python/sterna
itself counts as a package. All imports count: at the head of a module, in functions, and those for
annotations alone (TYPE_CHECKING). `sterna` itself, which gives the names that users have, stands
above all of it. An import in a function is fine only of a module that LATER names, with the reason
why it waits. Modules that import each other in a circle are an error, whatever the kind of import.

Usage: check_packages.py [ROOT]; prints each offending line as file:line and exits with 1.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = (
    "_core",
    "errors",
    "support",
    "launching",
    "frames",
    "results",
    "free_energies",
    "importing",
    "exporting",
    "building",
    "report",
    "runs",
    "sweeps",
    "fluids",
    "live",
    "validation",
    "bench",
    "comm",
    "fmm",
    "ase",
    "commands",
    "command",
    "__main__",
)
#: Modules, or packages with all of their modules, that functions import when they need them.
LATER = {
    "bench.tables": "Rich, and only `sterna bench` shows its tables",
    "commands": "a verb loads what it needs, so that `sterna run` starts without the others",
    "exporting": "NumPy and h5py take longer to load than all else of `sterna run`",
    "free_energies": "NumPy and pymbar",
    "fluids": "NumPy, and the report only where one is written",
    "frames": "NumPy and h5py, as above; MDAnalysis and matplotlib may be missing",
    "importing": "each program's reader is loaded for its own files; OpenMM takes seconds",
    "live": "NumPy, and the extension module with MPI's library",
    "report": "NumPy, and only who asks for a report needs it",
    "results.observations": "NumPy",
    "results.result": "verbs that only look at results",
    "results.run": "NumPy",
    "runs.at_end": "a simulation that writes no files needs none of it",
    "support.hdf5": "h5py, and only reports of runs with a trajectory need it",
    "sweeps": "pandas, matplotlib and NumPy",
}
#: Imports for annotations alone that may close a circle: a module that works on the object of
#: another, which calls it.
FOR_ANNOTATIONS = {
    ("fluids.saturation_report", "fluids.saturation"),
    ("fluids.mixture_report", "fluids.bubble_points"),
    ("importing.bodies", "importing.system"),
    ("sweeps.plots", "sweeps.sweep"),
    ("sweeps.slurm", "sweeps.sweep"),
}


@dataclass(frozen=True)
class Import:
    """A module of Sterna that another one imports; names are without "sterna."."""

    source: str
    target: str
    file: str
    line: int
    in_function: bool
    for_annotations: bool

    def where(self) -> str:
        return f"{self.file}:{self.line}: {self.target or 'sterna'}"


def modules_of(root: Path) -> dict[str, Path]:
    """All modules below python/sterna by name; "" is `sterna` itself."""
    top = root / "python" / "sterna"
    found = {}
    for path in sorted(top.rglob("*.py")):
        parts = path.relative_to(top).with_suffix("").parts
        found[".".join(parts).removesuffix("__init__").removesuffix(".")] = path
    return found


def _targets(node: ast.AST, module: str, is_package: bool, modules: dict[str, Path]) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names if alias.name.split(".")[0] == "sterna"]
        return [name.removeprefix("sterna").removeprefix(".") for name in names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        parts = ["sterna", *module.split(".")] if module else ["sterna"]
        kept = parts[: len(parts) - node.level + is_package]
        base = ".".join([*kept, *([node.module] if node.module else [])])
    if base.split(".")[0] != "sterna":
        return []
    base = base.removeprefix("sterna").removeprefix(".")
    inner = [f"{base}.{alias.name}".removeprefix(".") for alias in node.names]
    return [name if name in modules or name == "_core" else base for name in inner]


def imports_of(root: Path) -> Iterator[Import]:
    """Every import of one module of Sterna by another."""
    modules = modules_of(root)
    for module, path in modules.items():
        file = path.relative_to(root).as_posix()
        pending: list[tuple[ast.AST, bool, bool]] = [
            (ast.parse(path.read_text(encoding="utf-8")), False, False)
        ]
        while pending:
            node, inside, typing = pending.pop()
            for target in _targets(node, module, path.name == "__init__.py", modules):
                if target != module:
                    yield Import(module, target, file, node.lineno, inside, typing)
            inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                pending += [(child, inside, True) for child in node.body]
                pending += [(child, inside, typing) for child in node.orelse]
            else:
                pending += [(child, inside, typing) for child in ast.iter_child_nodes(node)]


def problem(found: Import) -> str | None:
    """Why there may be no such import, or None."""
    source, target = found.source.split(".")[0], found.target.split(".")[0]
    if not source:
        return None
    for name in (source, target):
        if name and name not in PACKAGES:
            return f"{name} is not in the list of packages ({', '.join(PACKAGES)})"
    if not target:
        return "the names of users are above: import the module that has it"
    if PACKAGES.index(target) > PACKAGES.index(source):
        return f"{target} lies above {source}"
    named = any(found.target == name or found.target.startswith(f"{name}.") for name in LATER)
    if found.in_function and not named:
        return (
            "an import in a function; put it at the head, or name the module in LATER and say why"
        )
    return None


def circles(imports: list[Import]) -> list[list[str]]:
    """Modules that import each other: the shortest way round from each, without repetition."""
    arrows: dict[str, set[str]] = {}
    for found in imports:
        pair = (found.source, found.target)
        if found.source and not (found.for_annotations and pair in FOR_ANNOTATIONS):
            arrows.setdefault(found.source, set()).add(found.target)
    rounds: dict[frozenset[str], list[str]] = {}
    for start in sorted(arrows):
        ways = [[start]]
        seen: set[str] = set()
        for way in ways:
            for target in sorted(arrows.get(way[-1], ())):
                if target == start:
                    rounds.setdefault(frozenset(way), [*way, start])
                elif target not in seen:
                    seen.add(target)
                    ways.append([*way, target])
    return list(rounds.values())


def check(root: Path) -> list[str]:
    """The offending lines below `root`, each as 'file:line: module: reason', and the circles."""
    imports = list(imports_of(root))
    found = [
        f"{one.where()}: {reason}"
        for one in sorted(imports, key=lambda one: (one.file, one.line))
        if (reason := problem(one))
    ]
    in_functions = [one.target for one in imports if one.in_function]
    found += [
        f"LATER names {name}, which no function imports"
        for name in LATER
        if not any(target == name or target.startswith(f"{name}.") for target in in_functions)
    ]
    found += [f"a circle: {' -> '.join(way)}" for way in circles(imports)]
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check(root)
    print("\n".join(found) if found else "packages: everything points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
