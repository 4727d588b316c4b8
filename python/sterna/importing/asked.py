"""A system run as a file of settings of another program asks for: an .mdp, an mdin, a configuration."""

from dataclasses import replace
from typing import Any, Protocol

import numpy

from sterna.importing.system import System


class AskedRun(Protocol):
    """The common properties of these files' settings."""

    interaction: dict[str, Any]  #: without mixing, which is of the force field
    run: dict[str, Any]
    thermostat: dict[str, Any]
    sections: dict[str, Any]
    temperature: float | None


def run_as_asked(
    system: System, asked: AskedRun, velocities: numpy.ndarray | None, **others: Any
) -> System:
    """`others`: further fields of the system that one program's files decide."""
    mixing = {key: value for key, value in system.interaction.items() if key == "mixing"}
    return replace(
        system,
        interaction=asked.interaction | mixing,
        run=asked.run,
        thermostat=asked.thermostat,
        sections=asked.sections,
        temperature=asked.temperature,
        velocities=velocities,
        **others,
    )
