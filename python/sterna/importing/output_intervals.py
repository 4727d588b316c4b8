"""Intervals of output that fit to multiple time steps, whose forces are not all there in each step."""

from typing import Any

from sterna.importing.notes import Notes


def fit_output(sections: dict[str, Any], notes: Notes) -> None:
    """Rounds intervals of `[output]` up to steps that compute all forces, and tells so."""
    every = sections.get("multiple_time_steps", {}).get("far_field", 1)
    output = sections["output"]
    for key, value in output.items():
        if isinstance(value, int) and value % every:
            output[key] = -(-value // every) * every
            notes.tell(
                f"{key} is {output[key]}, not {value}: only every {every} steps have all forces"
            )
