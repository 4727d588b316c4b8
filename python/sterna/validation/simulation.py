"""Runs the simulations of a study, each on one rank; those that a folder has already stay."""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sterna.errors import SternaError
from sterna.launching.launch import available_cores, program_environment
from sterna.launching.processes import die_with_parent
from sterna.launching.program import find_program

Item = TypeVar("Item")
Value = TypeVar("Value")


def for_each(
    items: Iterable[Item],
    jobs: int | None,
    function: Callable[[Item], Value],
    name: Callable[[Item], str],
) -> list[Value]:
    """function(item) for all items in their order, `jobs` at a time (default: one for each core).

    Says when each is done.
    """
    items = list(items)

    def told(item: Item) -> Value:
        value = function(item)
        print(f"{name(item)}: done", file=sys.stderr, flush=True)
        return value

    with ThreadPoolExecutor(jobs or available_cores()) as pool:
        try:
            return list(pool.map(told, items))
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def folder_of_runs(folder: str | None) -> Iterator[Path]:
    """The folder that the user named, or a temporary one that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="sterna-validate-") as temporary:
        yield Path(folder or temporary).resolve()


def for_each_replica(
    replicas: int, jobs: int | None, folder: str | None, measure: Callable[[int, Path], Value]
) -> list[Value]:
    """measure(number, folder) for the replicas 0, 1 ..., each in a folder of its own."""
    with folder_of_runs(folder) as root:
        return for_each(
            range(replicas),
            jobs,
            lambda number: measure(number, root / f"replica{number}"),
            lambda number: f"replica {number}",
        )


def _fingerprint(inputs: Sequence[str], files: Mapping[str, str]) -> str:
    text = json.dumps([list(inputs), dict(files)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def simulate(
    folder: Path,
    name: str,
    inputs: Sequence[str],
    files: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
) -> None:
    """Runs the input texts in `folder`, each but the first resuming where the one before ended.

    `files` (name: text) are written first. What input number i leaves in files `name.K`, for K in
    `keep`, is copied to `name.i.K`, since the next input writes them again. Where the folder holds
    the finished simulation of the same inputs and files, nothing is run. Raises SternaError with
    what the program said where it failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = files or {}
    mark = folder / f"{name}.finished"
    fingerprint = _fingerprint(inputs, files)
    if mark.is_file() and mark.read_text(encoding="utf-8").strip() == fingerprint:
        return
    mark.unlink(missing_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    for number, text in enumerate(inputs):
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [
                find_program(),
                f"{name}.toml",
                "--resume" if number else "--overwrite",
                "--progress",
                "never",
            ],
            cwd=folder,
            env=program_environment() | {"OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=die_with_parent,
        )
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip())[-2000:]
            raise SternaError(f"{folder / name}.toml: {said}", done.returncode)
        for kind in keep:
            left = folder / f"{name}.{kind}"
            if left.exists():
                shutil.copyfile(left, folder / f"{name}.{number}.{kind}")
    mark.write_text(fingerprint + "\n", encoding="utf-8")
