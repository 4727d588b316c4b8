"""Notes for the user on the files, which the input does not show."""

from dataclasses import dataclass, field

from sterna.importing.text import Line


@dataclass
class Notes:
    """Texts, each once, with the first place and the number of further ones."""

    _places: dict[str, list[Line | None]] = field(default_factory=dict)

    def tell(self, text: str, line: Line | None = None) -> None:
        self._places.setdefault(text, []).append(line)

    def first_line(self, text: str) -> Line | None:
        """Returns the first place of a text; None: it was not told, or has no place."""
        return self._places.get(text, [None])[0]

    def withdraw(self, text: str) -> None:
        """Takes back a text, if it was told."""
        self._places.pop(text, None)

    def texts(self) -> list[str]:
        made = []
        for text, lines in self._places.items():
            first, more = lines[0], len(lines) - 1
            place = "" if first is None else f"{first.path}:{first.number}: "
            others = f" (and {more} more place{'s' if more > 1 else ''})" if more else ""
            made.append(f"{place}{text}{others}")
        return made
