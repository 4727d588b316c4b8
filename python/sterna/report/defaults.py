"""The input of a run with its defaults, from the program's own schema."""

import json
import subprocess
import tomllib
from dataclasses import dataclass

from sterna.errors import SternaError
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program, version

#: Sections that act in every run, whether the input has them or not.
_ALWAYS = ("run", "interaction", "neighbor", "domain", "communication", "output")


@dataclass
class Setting:
    """A key of the input; `given` is False where the value is the default."""

    section: str
    key: str
    value: str
    given: bool


def schema_of(program: str) -> dict:
    """The schema of the program where it is of the version that ran; else nothing."""
    if program != f"sterna {version()}":
        return {}
    try:
        shown = subprocess.run(
            [find_program(), "--schema"],
            env=program_environment(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return json.loads(shown.stdout).get("properties", {})
    except (SternaError, OSError, subprocess.CalledProcessError, json.JSONDecodeError):
        return {}


def settings_of(text: str, schema: dict) -> list[Setting]:
    """Returns the settings of an input in TOML, both its own and the defaults; empty for other
    inputs.
    """
    try:
        sections = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return []
    found = [
        Setting("(before the sections)", key, _shown(value), True)
        for key, value in _scalars(sections)
    ]
    names = [name for name in sections if isinstance(sections[name], (dict, list))]
    names += [name for name in _ALWAYS if name not in sections and name in schema]
    for name in names:
        several = isinstance(sections.get(name), list)
        for k, section in enumerate(sections[name] if several else [sections.get(name, {})], 1):
            if isinstance(section, dict):
                label = f"{name} {k}" if several else name
                found += _of_section(label, section, _keys_of(schema.get(name, {})))
    return found


def _scalars(section: dict) -> list[tuple[str, object]]:
    return [(key, value) for key, value in section.items() if not isinstance(value, (dict, list))]


def _of_section(label: str, section: dict, keys: dict) -> list[Setting]:
    given = [Setting(label, key, _shown(value), True) for key, value in section.items()]
    left = [
        Setting(label, key, _shown(about["default"]), False)
        for key, about in keys.items()
        if key not in section and "default" in about
    ]
    return given + left


def _keys_of(about: dict) -> dict:
    """The keys of a section, or of one section of a list."""
    for form in (about, about.get("items", {}), *about.get("anyOf", [])):
        if "properties" in form:
            return form["properties"]
    return {}


def _shown(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    # A text may be the name of a file.
    whole = isinstance(value, str) or len(shown) <= 160
    return shown if whole else f"{shown[:150]} …"
