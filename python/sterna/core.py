"""The engine in this process: loads the extension module `sterna._core`, and ends it in order.

The module loads MPI's library but does not start MPI: the first `Simulation` does.
"""

import atexit
import contextlib
import importlib.util
import os
import sys
import threading
import traceback
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

from sterna.errors import SternaError

_lock = threading.Lock()
_core: ModuleType | None = None


def core() -> ModuleType:
    """The extension module. Raises SternaError where this installation has none."""
    global _core
    with _lock:
        if _core is None:
            _core = _load()
            _end_in_order(_core)
    return _core


def _load() -> ModuleType:
    # UCX reads its settings when the library is loaded.
    from sterna.launch import process_settings

    for name, value in process_settings().items():
        os.environ.setdefault(name, value)
    path = _find()
    specification = importlib.util.spec_from_file_location("sterna._core", path)
    try:
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
    except ImportError as error:
        raise SternaError(f"{path} cannot be loaded: {error}") from error
    sys.modules["sterna._core"] = module
    return module


def _find() -> Path:
    """Returns the module of the installed package, or that of the same build as `sterna-md`."""
    from sterna.program import find_program

    package = Path(__file__).parent
    folders = [package]
    with contextlib.suppress(SternaError):
        folders.append(find_program().resolve().parents[1] / "python")
    for folder in folders:
        for suffix in EXTENSION_SUFFIXES:
            if (folder / f"_core{suffix}").exists():
                return folder / f"_core{suffix}"
    raise SternaError(
        "the module sterna._core was not found, which simulations in Python need: install Sterna "
        "(pip install .), or build it (./dev build sterna_core) with this Python, "
        f"{sys.version_info.major}.{sys.version_info.minor}"
    )


def _end_in_order(module: ModuleType) -> None:
    process = os.getpid()

    def end() -> None:
        # A child of fork has no part in the job.
        if os.getpid() == process and module.place()[1] > 0:
            module.end()

    atexit.register(end)
    shown = sys.excepthook

    def report(kind: type, error: BaseException, trace: object) -> None:
        """The other ranks would wait for one that an exception has ended: they end with it."""
        rank, ranks = module.place()
        if os.getpid() == process and ranks > 1:
            text = "".join(traceback.format_exception(kind, error, trace))
            module.abort(f"rank {rank}:\n{text.rstrip()}")
        shown(kind, error, trace)

    sys.excepthook = report
