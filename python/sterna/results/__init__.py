"""What a run left behind: its log, averages, observers and files."""

from sterna.support.moved import names_of_package

_NAMES = {"Average": "averages", "Averages": "averages", "Observation": "observations"}


def __getattr__(name: str) -> object:
    return names_of_package(__name__, _NAMES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
