"""Modules that had other places once, under which the API page listed them.

`from sterna.trajectory import Trajectory` goes on: the old name is that of the module which has the
class now. What is in `sterna` itself needs none of this.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: Old names of modules and their names now.
MOVED = {
    "sterna.box": "sterna.live.box",
    "sterna.callbacks": "sterna.live.callbacks",
    "sterna.frame": "sterna.live.frame",
    "sterna.input": "sterna.live.input",
    "sterna.log": "sterna.results.log",
    "sterna.parameters": "sterna.live.parameters",
    "sterna.simulation": "sterna.live.kinds",
    "sterna.sweep": "sterna.sweeps.sweep",
    "sterna.system": "sterna.live.system",
    "sterna.trajectory": "sterna.frames.trajectory",
    "sterna.workers": "sterna.live.workers",
}


class _Moved(MetaPathFinder, Loader):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        # The import system gives its caller what stands here.
        sys.modules[module.__name__] = importlib.import_module(MOVED[module.__name__])


def keep_old_names() -> None:
    """From now on imports of old names find the modules that they are now."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.append(_Moved())


def names_of_package(package: str, places: dict[str, str], name: str) -> object:
    """`__getattr__` of a package that was a module: names that now are in modules of it."""
    if name not in places:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{package}.{places[name]}"), name)
