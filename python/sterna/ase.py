"""Sterna as a calculator of ASE, and calculators of ASE as force terms of Sterna.

`from sterna.ase import Calculator, Force`.
"""

from typing import TYPE_CHECKING, ClassVar

import numpy
from ase import Atoms
from ase.calculators.calculator import Calculator as AseCalculator
from ase.calculators.calculator import all_changes
from ase.stress import full_3x3_to_voigt_6_stress

from sterna.live.callbacks import Reach
from sterna.live.frame import ForceFrame
from sterna.live.input import Input
from sterna.live.kinds import Simulation
from sterna.live.neighbors import atomic_numbers
from sterna.live.system import System, frame_of_cell

if TYPE_CHECKING:
    import ase

    from sterna.live.box import Box
    from sterna.live.simulated import Simulated


_ROUNDING = 1e-9  #: eV/angstrom: forces below are none


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


class Force:
    """A calculator of ASE as a force term, on one rank or on several.

    >>> simulation.force(sterna.ase.Force(EMT()))

    The input has `units = "metal"`, and types that are called by chemical symbols. There are two
    ways, and `way` says which one a simulation takes, and why:

    - "clusters": each rank computes its own atoms and the ghosts around them as a cluster without
      periods. The energy is that of its own atoms, and the forces on these are complete, as ghosts
      come from as far as `reach`. The virial is the difference of energies under small strains, in
      steps that need it: twelve more energies.
    - "gathers": rank 0 computes all atoms as one periodic system, and the other ranks wait.

    With `way="auto"` a calculator computes clusters where there are several ranks, it has energies
    of atoms ("energies"), and its reach is known.
    """

    def __init__(
        self,
        calculator: "ase.calculators.calculator.Calculator",
        *,
        reach: float | None = None,
        way: str = "auto",
        name: str | None = None,
        strain: float = 1e-5,
    ) -> None:
        """Local. `reach` (angstrom): the distance beyond which an atom changes no force on another.

        That is twice the cutoff for a potential whose energies of atoms depend on neighbors within
        the cutoff, and the cutoff for pairs. Without it the reach of ASE's EMT, LennardJones and
        MorsePotential is known. `name`: of the term in the log; default: the calculator's class.
        `strain`: for the virial of clusters; larger for a calculator in single precision. Raises
        ValueError for another `way`, and where clusters are impossible.
        """
        if way not in ("auto", "clusters", "gathers"):
            raise ValueError(f'Force: way is {way!r}, expected "auto", "clusters" or "gathers"')
        if reach is not None and not (numpy.isfinite(reach) and reach > 0):
            raise ValueError(f"Force: reach is {reach}, expected a length above 0")
        if not 0 < strain < 0.1:  # noqa: PLR2004 - no small strain any more
            raise ValueError(f"Force: strain is {strain}, expected a small number above 0")
        self.calculator = calculator
        self.name = type(calculator).__name__.lower() if name is None else name
        self.way = ""  #: after `Simulation.force`: the way, and why
        self._reach, self._wanted, self._strain = reach, way, strain
        self._numbers = numpy.zeros(0, numpy.int64)
        self._atoms: Atoms | None = None

    def reach(self, simulation: "Simulated") -> Reach:
        """Local. Called by `Simulation.force`. Raises ValueError for units other than "metal", and
        where clusters are asked for and impossible.
        """
        if simulation._core.units != "metal":
            raise ValueError('Force: expected an input with units = "metal", which are ASE\'s')
        self._numbers = atomic_numbers(simulation.type_names)
        has_energies = "energies" in self.calculator.implemented_properties
        reach = self._reach or _reach_of(self.calculator)
        kind = type(self.calculator).__name__
        if not has_energies:
            against = f"{kind} has no energies of single atoms"
        elif reach is None:
            against = f"the reach of {kind} is not known; give reach=..."
        else:
            against = ""
        if self._wanted == "clusters" and against:
            raise ValueError(f"Force: clusters are impossible: {against}")
        if self._wanted == "auto" and not against and simulation._core.ranks == 1:
            against = "there is one rank"
        if self._wanted == "gathers":
            against = "it was asked for"
        if against:
            self.way = f"gathers: {against}"
            return Reach("gathers")
        self.way = f"clusters: {kind} has energies of atoms, which feel others up to {reach:g} A"
        return Reach("clusters", float(reach))

    def compute(self, frame: ForceFrame, with_sums: bool) -> float:
        """Local. Called in each step: clusters."""
        near = frame.neighbors
        if near.count == 0:
            return 0.0
        atoms = self._atoms_of(self._numbers[near.type], near.position, None)
        energies = numpy.array(atoms.get_potential_energies()[: near.count])
        force = atoms.get_forces()[: near.count]
        # In a perfect crystal all is rounding, which would not add up to 0 in proportion.
        near.force[: near.count] = numpy.where(numpy.abs(force) < _ROUNDING, 0.0, force)
        if with_sums:
            frame.virial[:] = self._virial(atoms, near.count)
        return float(energies.sum())

    def compute_all(
        self,
        box: "Box",
        position: numpy.ndarray,
        type: numpy.ndarray,
        with_sums: bool,  # noqa: A002
    ) -> tuple[float, numpy.ndarray, numpy.ndarray]:
        """Local. Called in each step on rank 0: gathers."""
        atoms = self._atoms_of(self._numbers[type], position, box.edges)
        energy, force = atoms.get_potential_energy(), atoms.get_forces()
        virial = numpy.full((3, 3), numpy.nan)
        if with_sums and "stress" in self.calculator.implemented_properties:
            virial = -atoms.get_stress(voigt=False) * atoms.get_volume()
        return energy, force, virial

    def _atoms_of(
        self, numbers: numpy.ndarray, position: numpy.ndarray, edges: numpy.ndarray | None
    ) -> Atoms:
        """The same object as long as the atoms are the same ones, so that calculators keep lists."""
        if self._atoms is None or not numpy.array_equal(self._atoms.numbers, numbers):
            self._atoms = Atoms(numbers=numbers, positions=position)
            self._atoms.calc = self.calculator
        self._atoms.positions[:] = position
        if edges is not None:
            self._atoms.set_cell(edges)
            self._atoms.pbc = True
        return self._atoms

    def _virial(self, atoms: Atoms, count: int) -> numpy.ndarray:
        """Minus the derivative of the energy of the first `count` atoms by strains."""
        position = atoms.positions.copy()
        virial = numpy.zeros((3, 3))
        for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            energies = []
            for h in (-self._strain, self._strain):
                atoms.positions[:] = position
                atoms.positions[:, a] += h * position[:, b]
                energies.append(atoms.get_potential_energies()[:count].sum())
            virial[a, b] = virial[b, a] = (energies[0] - energies[1]) / (2.0 * self._strain)
        atoms.positions[:] = position
        return virial


def _reach_of(calculator: "ase.calculators.calculator.Calculator") -> float | None:
    """The distance (angstrom) beyond which an atom changes no force; None where it is not known."""
    from ase.calculators.emt import EMT
    from ase.calculators.lj import LennardJones
    from ase.calculators.morse import MorsePotential

    parameters = calculator.parameters
    if isinstance(calculator, LennardJones):
        return parameters.rc or 3.0 * parameters.sigma
    if isinstance(calculator, MorsePotential):
        return parameters.r0 * parameters.rcut2
    if isinstance(calculator, EMT) and not parameters.asap_cutoff:
        # Its cutoff is the same for all elements. With ASAP's it depends on those of a cluster.
        return 2.0 * calculator._calc_cutoff(Atoms("Cu"))[1]
    return None
