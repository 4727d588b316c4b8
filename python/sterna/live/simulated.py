"""What callbacks, frames and sections need of a simulation, whatever kind it is."""

from typing import TYPE_CHECKING, Protocol

from sterna.live.box import Box
from sterna.live.input import Input

if TYPE_CHECKING:
    from sterna._core import Simulation as CoreSimulation


class Simulated(Protocol):
    """Their meanings are those of `Simulation`."""

    _core: "CoreSimulation"
    step: int
    time: float
    particle_count: int
    type_names: list[str]
    box: Box
    input: Input
    thermo: dict[str, float]

    def change(self, **sections: object) -> None:
        """See `Simulation.change`."""
