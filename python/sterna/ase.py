"""Sterna as a calculator of ASE: `from sterna.ase import Calculator`."""

from typing import TYPE_CHECKING, ClassVar

import numpy
from ase.calculators.calculator import Calculator as AseCalculator
from ase.calculators.calculator import all_changes
from ase.stress import full_3x3_to_voigt_6_stress

from sterna.live.input import Input
from sterna.live.kinds import Simulation
from sterna.live.system import System, frame_of_cell

if TYPE_CHECKING:
    import ase


class Calculator(AseCalculator):
    """Energy (eV), forces (eV/angstrom) and stress (eV/angstrom^3) of atoms.

    >>> atoms.calc = Calculator(sterna.Input(interaction={"cutoff": 8.5},
    ...                                      type=[{"name": "Ar", "mass": 39.948,
    ...                                             "sigma": 3.4, "epsilon": 0.0103}]))

    The input has `units = "metal"` (set where it names none), and a [[type]] for each chemical
    symbol. Stress is ASE's: xx, yy, zz, yz, xz, xy, negative under compression, without the kinetic
    part. Collective where there are several ranks, which must have the same atoms. Rigid molecules,
    and cells that are not periodic in all directions, are refused.
    """

    implemented_properties: ClassVar[list[str]] = ["energy", "free_energy", "forces", "stress"]

    def __init__(self, input: Input, **keys: object) -> None:  # noqa: A002
        """Local. Raises ValueError for an input of other units or with rigid molecules."""
        super().__init__(**keys)
        if "component" in input:
            raise ValueError("Calculator: forces on atoms are not those on rigid molecules")
        if input.sections.get("units", "metal") != "metal":
            raise ValueError('Calculator: expected an input with units = "metal"')
        run = {"timestep": 0.001, **input.sections.get("run", {})}
        # The input is only for energies: nothing moves, and sections about motion are left out.
        self._input = Input({"units": "metal", **input.sections}).replace(
            run=run, start=None, thermostat=None, barostat=None
        )
        self._simulation: Simulation | None = None

    def calculate(
        self,
        atoms: "ase.Atoms | None" = None,
        properties: list[str] = ["energy"],  # noqa: B006 - ASE's signature
        system_changes: list[str] = all_changes,
    ) -> None:
        """Collective. Called by ASE."""
        super().calculate(atoms, properties, system_changes)
        if self._simulation is None or set(system_changes) - {"positions"}:
            still = self.atoms.copy()
            still.set_momenta(numpy.zeros((len(still), 3)))
            self._make(still)
        else:
            # Even if ASE sees no change, an earlier call may have ended half-way.
            turn = frame_of_cell(self.atoms.cell.array)[1]
            self._simulation.set("position", self.atoms.get_positions() @ turn.T)
        turn = frame_of_cell(self.atoms.cell.array)[1]
        simulation = self._simulation
        simulation.measure()
        energy = simulation.thermo["potential_energy"]
        stress = -simulation.virial_tensor() / simulation.box.volume
        self.results = {
            "energy": energy,
            "free_energy": energy,
            "forces": simulation.gather("force") @ turn,
            "stress": full_3x3_to_voigt_6_stress(turn.T @ stress @ turn),
        }

    def _make(self, atoms: "ase.Atoms") -> None:
        from sterna.live.core import core

        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
        system = System.from_ase(atoms)
        rank, ranks = core().world()
        self._simulation = Simulation(self._input, system.share(rank, ranks))
