"""Objects whose attributes tell something and cannot be set."""

import difflib


class Fixed:
    """Setting any attribute but private ones raises AttributeError, with what to do instead.

    Otherwise a misspelt or read-only name would be set without an effect. Attributes that a class
    of a user adds to a subclass stay theirs.
    """

    _instead = ""  #: advice, as the end of a sentence
    _instead_of: dict[str, str] = {}  # noqa: RUF012 - of single names
    _settable: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> None:
        """Local. Raises AttributeError, except for names that may be set."""
        if name.startswith("_") or name in self._settable or self._is_of_a_user(name):
            object.__setattr__(self, name, value)
            return
        kind = type(self).__name__
        known = [other for other in dir(type(self)) if not other.startswith("_")]
        known += self._settable
        near = difflib.get_close_matches(name, known, 1)
        if name in known or not near:
            what = f"{kind}.{name} cannot be set"
        else:
            what = f"{kind} has no {name!r} to be set; did you mean {near[0]!r}?"
        instead = self._instead_of.get(name, self._instead)
        raise AttributeError(f"{what}{': ' if not what.endswith('?') else ' '}{instead}")

    def _is_of_a_user(self, name: str) -> bool:
        ours = next(c for c in type(self).__mro__ if c.__module__.startswith("sterna."))
        return ours is not type(self) and not hasattr(ours, name)
