"""Styles of LAMMPS that are refused for a reason that their name does not tell."""

TABLES = (
    "LAMMPS interpolates energies and forces of a table each by itself, so that its forces are not "
    "the derivatives of its energies"
)
_REASONS = {
    "table": TABLES,
    "table/cut": TABLES,
    "quartic": "its bonds break, and those of Sterna stay",
    "harmonic/restrain": "its bonds remember their lengths at the start",
    "hybrid/scaled": "its factors may change during a run; expected hybrid/overlay",
}


def why_refused(name: str) -> str:
    """Returns a reason to append to a message; empty if none is known."""
    reason = _REASONS.get(name)
    return f": {reason}" if reason else ""
