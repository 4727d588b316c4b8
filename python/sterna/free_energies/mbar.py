"""What all estimates by MBAR share (Shirts and Chodera, J. Chem. Phys. 129, 124105 (2008))."""

from types import ModuleType

from sterna.errors import SternaError

#: The least overlap of neighboring states that MBAR can join without a large error.
LEAST_OVERLAP = 0.03


def import_pymbar() -> ModuleType:
    """Imports pymbar. Raises SternaError with what to install."""
    try:
        # pymbar tells of its choice of a library, which nobody has asked for.
        import logging

        logging.getLogger("pymbar").setLevel(logging.ERROR)
        import pymbar
        import pymbar.timeseries
        import pymbar.utils
    except ImportError as error:
        raise SternaError("free energies by MBAR need pymbar: pip install pymbar") from error
    return pymbar
