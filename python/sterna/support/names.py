"""Things by name, and the nearest name where there is none of that name."""

import difflib
from collections.abc import Iterator, Mapping
from typing import TypeVar

Item = TypeVar("Item")


class Named(Mapping[str, Item]):
    """Things by name; a name that is none of them raises KeyError, with the nearest one."""

    _what = "entry"

    def __init__(self, items: Mapping[str, Item]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> Item:
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(no_such(self._what, name, self._items)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._items)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._items) or 'none'}>"


def no_such(what: str, name: object, names: Mapping | list[str]) -> str:
    """The message for a name that is not there."""
    near = difflib.get_close_matches(str(name), list(names), 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no {what} {name!r}{meant} (there are: {', '.join(names) or 'none'})"
