"""The factory of simulations: a call of `Simulation` makes the kind that its options ask for."""

import inspect
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

#: Whether a simulation on so many ranks is of a kind; None is for a call without `ranks`.
AskedFor = Callable[[int | None], bool]


class Factory(type):
    """The class of `Simulation`.

    A kind of simulation is a subclass that says in its head when it is made in place of `Simulation`,
    as in `class WorkerSimulation(Simulation, asked_for=...)`. It is known once its module has been
    imported, which `live/kinds.py` does for all of them. Other subclasses are called as any class.
    """

    _kinds: "list[tuple[AskedFor, type]]"

    def __init__(
        cls,
        name: str,
        bases: tuple[type, ...],
        members: dict[str, object],
        asked_for: AskedFor | None = None,
    ) -> None:
        super().__init__(name, bases, members)
        if asked_for is None:
            cls._kinds = []
        else:
            next(base for base in bases if isinstance(base, Factory))._kinds.append(
                (asked_for, cls)
            )

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        members: dict[str, object],
        asked_for: AskedFor | None = None,
    ) -> type:
        return super().__new__(mcs, name, bases, members)

    def kind_for(cls: type[Made], ranks: int | None) -> type[Made]:
        """Local. The class that a simulation on so many ranks is made of."""
        for asked_for, kind in vars(cls).get("_kinds", ()):
            if asked_for(ranks):
                return kind
        return cls

    def __call__(cls: type[Made], *arguments: object, **options: object) -> Made:
        kind = cls.kind_for(options.get("ranks"))
        return type.__call__(kind, *arguments, **options)

    @property
    def __signature__(cls) -> inspect.Signature:
        """What `help` and notebooks show of a call: the options of `__init__`."""
        found = inspect.signature(cls.__init__)
        return found.replace(parameters=list(found.parameters.values())[1:])
