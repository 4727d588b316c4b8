"""All kinds of simulations. Who imports `Simulation` from here gets its factory complete."""

from sterna.live.simulation import Simulation
from sterna.live.workers import WorkerSimulation

__all__ = ["Simulation", "WorkerSimulation"]
