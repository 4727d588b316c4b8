"""The keys that a study varies, beside those that inputs have."""

import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.support.toml_text import toml_text

_UNKNOWN = re.compile(r":\d+:\d+: error: (unknown (?:key|section).*)$", re.MULTILINE)


def refuse_unknown_keys(study: Path, base: Mapping, text: str, varied: Sequence[str]) -> None:
    """Raises SternaError, naming the place in the study, where a key that varies is none of inputs.

    `base`: the sections of the input that is varied; `text`: the input of a run. What the input has
    wrong by itself is left to the runs.
    """
    found = _unknown(text)
    for message in sorted(found - _unknown(toml_text(base)) if found else ()):
        # The part of a key that the message has in quotation marks or brackets is the wrong one.
        wrong = next((n for n in re.findall(r'["\[]([\w-]+)["\]]', message)), "")
        key = next((key for key in varied if wrong in key.split(".")), "")
        if key:
            raise SternaError(f"{study}{_place(study, key)}: {key}: {message}", 2)


def _unknown(text: str) -> set[str]:
    """Messages on keys and sections that an input does not have."""
    with tempfile.TemporaryDirectory(prefix="sterna-sweep-") as folder:
        path = Path(folder) / "run.toml"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [find_program(), "--check", "--", path],
            env=program_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    return set(_UNKNOWN.findall(done.stdout + done.stderr))


def _place(study: Path, key: str) -> str:
    """`:LINE:COLUMN` of a key in the study; empty where it is not found."""
    lines = study.read_text(encoding="utf-8").splitlines()
    for name in (key, key.rpartition(".")[2]):
        for number, line in enumerate(lines, 1):
            if found := re.match(rf"""\s*["']?({re.escape(name)})["']?\s*=""", line):
                return f":{number}:{found.start(1) + 1}"
    return ""
