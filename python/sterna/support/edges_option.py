"""The option `--box` of commands: the edges of a box."""

import math

import typer
from typer.core import TyperCommand

from sterna.errors import SternaError

_NAME = "--box"


def edges_of(text: str) -> tuple[float, float, float]:
    """Three edges from a text such as "4,4,5", or "4" for a cube. Raises SternaError."""
    words = text.split(",")
    try:
        edges = [float(word) for word in words]
    except ValueError:
        edges = []
    if len(edges) not in (1, 3) or not all(0.0 < edge < math.inf for edge in edges):
        raise SternaError(f"{_NAME} {text}: expected one length or three, such as 4,4,5", 2)
    a, b, c = edges * (3 // len(edges))
    return a, b, c


class CommandWithEdges(TyperCommand):
    """Takes `--box 4 4 5` for `--box 4,4,5`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        for n, word in enumerate(args):
            edges = args[n + 1 : n + 4]
            if word == _NAME and len(edges) == 3 and all(map(_is_number, edges)):
                return super().parse_args(ctx, [*args[: n + 1], ",".join(edges), *args[n + 4 :]])
        return super().parse_args(ctx, args)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
