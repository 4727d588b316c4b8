"""Each public method of simulations in Python says whether all ranks must call it."""

import ast

import pytest
from conftest import ROOT


@pytest.mark.parametrize(
    "module",
    [
        "ase",
        "live/box",
        "live/callbacks",
        "comm",
        "fmm",
        "live/frame",
        "live/input",
        "live/neighbors",
        "live/parameters",
        "live/simulation",
        "live/system",
    ],
)
def test_docstrings_begin_with_collective_or_local(module):
    tree = ast.parse((ROOT / "python" / "sterna" / f"{module}.py").read_text(encoding="utf-8"))
    methods = [
        method
        for kind in tree.body
        if isinstance(kind, ast.ClassDef) and not kind.name.startswith("_")
        for method in kind.body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
    ]
    silent = [
        method.name
        for method in methods
        if not (ast.get_docstring(method) or "").startswith(("Local.", "Collective"))
    ]
    assert methods and silent == []
