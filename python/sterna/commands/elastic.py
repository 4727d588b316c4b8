"""`sterna elastic`: the elastic constants of a crystal at rest, from the stress in strained boxes.

The box of the input's start is strained by a little in each of the six ways, up and down; the atoms
are relaxed each time, and the central difference of the stress is a row of the constants. A box that
is strained keeps the form that Sterna has, with its first edge along x and the second in the plane of
x and y: the crystal is turned with it, and its stress is turned back.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError

if TYPE_CHECKING:
    from sterna.live.box import Box
    from sterna.live.input import Input
    from sterna.live.system import System

#: The components of a stress in the order of Voigt.
_VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
#: A unit of energy over volume in GPa, and of force in eV/angstrom, by the units of the input.
_GIGAPASCAL = {"metal": 160.21766340, "real": 6.9476954571, "nano": 1.66053906717e-3}
_EV_PER_ANGSTROM = {"metal": 1.0, "real": 0.0433641043, "nano": 1.03642697e-3}
#: How far the constants of a cubic crystal may be from those of one, relative to the largest.
_CUBIC = 5e-3
#: Forces that are left in a relaxed crystal, in eV/angstrom; of reduced units, in theirs.
_FORCE_TOLERANCE = 1e-7
#: Stress that is left in a relaxed box, relative to the largest constant.
_STRESS_TOLERANCE = 1e-6
_MOST_BOXES = 12


@dataclass(frozen=True)
class Moduli:
    """Of a powder of the crystal, by three averages over all directions."""

    voigt: float  #: of the constants: all grains have the same strain
    reuss: float  #: of their inverse: all grains have the same stress
    hill: float  #: the mean of both


@dataclass(frozen=True)
class ElasticConstants:
    """The elastic constants of a crystal, in GPa, or in reduced units."""

    constants: numpy.ndarray  #: (6, 6), symmetric, in the order xx, yy, zz, yz, xz, xy
    asymmetry: float  #: the largest |C_ij - C_ji| before the mean of both was taken
    stress: numpy.ndarray  #: (3, 3), of the box that was not strained
    box: "Box"
    energy: float  #: of an atom, in units of the input
    unit: str  #: "GPa", or "" of reduced units
    strain: float
    relaxed: bool  #: whether the atoms were relaxed
    compliances: numpy.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Local."""
        object.__setattr__(self, "compliances", numpy.linalg.pinv(self.constants))

    @property
    def bulk(self) -> Moduli:
        """The bulk modulus."""
        voigt = self.constants[:3, :3].sum() / 9.0
        reuss = 1.0 / self.compliances[:3, :3].sum()
        return Moduli(voigt, reuss, 0.5 * (voigt + reuss))

    @property
    def shear(self) -> Moduli:
        """The shear modulus."""
        c, s = self.constants, self.compliances
        off = c[0, 1] + c[0, 2] + c[1, 2]
        voigt = (numpy.trace(c[:3, :3]) - off + 3.0 * numpy.trace(c[3:, 3:])) / 15.0
        off = s[0, 1] + s[0, 2] + s[1, 2]
        reuss = 15.0 / (4.0 * numpy.trace(s[:3, :3]) - 4.0 * off + 3.0 * numpy.trace(s[3:, 3:]))
        return Moduli(voigt, reuss, 0.5 * (voigt + reuss))

    @property
    def cubic(self) -> tuple[float, float, float] | None:
        """C11, C12 and C44 of a crystal whose axes are those of the box, or None."""
        c = self.constants
        c11, c44 = numpy.diag(c)[:3].mean(), numpy.diag(c)[3:].mean()
        c12 = (c[0, 1] + c[0, 2] + c[1, 2]) / 3.0
        form = numpy.full((3, 3), c12) + (c11 - c12) * numpy.eye(3)
        cubic = numpy.block(
            [[form, numpy.zeros((3, 3))], [numpy.zeros((3, 3)), c44 * numpy.eye(3)]]
        )
        if numpy.abs(c - cubic).max() > _CUBIC * numpy.abs(c).max():
            return None
        return float(c11), float(c12), float(c44)

    @property
    def is_stable(self) -> bool:
        """Whether every small strain costs energy (Born)."""
        return bool(numpy.linalg.eigvalsh(self.constants)[0] > 0.0)

    def __str__(self) -> str:
        """The report of the command."""
        return "\n".join(_report(self)) + "\n"


def elastic(
    given: "str | PathLike | Input",
    system: "System | None" = None,
    *,
    strain: float = 1e-3,
    relax: bool = True,
    relax_box: bool = False,
    steps: int = 20000,
    ranks: int | None = None,
    told: Callable[[str], None] = lambda text: None,
) -> ElasticConstants:
    """Collective. The elastic constants of the start of an input, at rest.

    `given`: an input, or its file; `system`: the atoms, in place of [start]. `strain`: how far the box is strained up and down. `relax`:
    whether the atoms are relaxed in each strained box. `relax_box`: first makes the box that has no
    stress. `steps`: of each relaxation, at most. `told` is called with what is done. Raises
    SternaError where the atoms do not come to rest, and for what a crystal at rest has not.
    """
    from sterna.live.input import Input

    settings = given if isinstance(given, Input) else Input.read(given)
    crystal = _Crystal(settings, system, relax, steps, ranks, told)
    if relax_box:
        crystal.release_stress(strain)
    constants, asymmetry = crystal.constants(strain)
    stress = crystal.stress_of(numpy.zeros((3, 3)))
    return ElasticConstants(
        constants=constants,
        asymmetry=asymmetry,
        stress=stress,
        box=crystal.box,
        energy=crystal.energy,
        unit="" if crystal.units == "reduced" else "GPa",
        strain=strain,
        relaxed=relax,
    )


class _Crystal:
    """The atoms of an input at rest, and its box."""

    def __init__(  # noqa: PLR0913
        self,
        settings: "Input",
        system: "System | None",
        relax: bool,
        steps: int,
        ranks: int | None,
        told: Callable[[str], None],
    ) -> None:
        from sterna.live.simulation import Simulation

        for name in ("component", "molecule"):
            if name in settings:
                raise SternaError(f"elastic: [[{name}]] is not a crystal of atoms")
        if settings.stages:
            raise SternaError("elastic: the input has stages; expected one without")
        changes: dict[str, object] = {
            name: None for name in ("thermostat", "barostat", "limit", "drift_control", "alignment")
        }
        # Nothing moves in time; a run has these keys all the same.
        step = 1e-3 if settings.sections.get("units") == "reduced" else "1 fs"
        self._settings = settings.replace(
            **changes,
            run={"precision": "double", "steps": steps, "timestep": step},
            output={"thermo_interval": None},
        )
        self._relax, self._steps, self._ranks, self._told = relax, steps, ranks, told
        with Simulation(self._settings, system, ranks=ranks) as simulation:
            self.units = simulation.units
            self.box = simulation.box
            self._fractions = simulation.gather("position") @ numpy.linalg.inv(self.box.edges)
            self._type, self._id = simulation.gather("type"), simulation.gather("id")
        self._settings = self._settings.replace(start=None)
        self._to_unit = _GIGAPASCAL.get(self.units, 1.0)
        self._tolerance = _FORCE_TOLERANCE / _EV_PER_ANGSTROM.get(self.units, 1.0)
        self.energy = 0.0
        told(f"{len(self._id)} atoms")
        # All strained boxes start from here.
        self.stress_of(numpy.zeros((3, 3)), keep=True)

    def stress_of(self, strain: numpy.ndarray, keep: bool = False) -> numpy.ndarray:
        """The stress (3, 3) of the box under a symmetric strain, with the atoms relaxed. `keep`:
        they stay where they are then."""
        from sterna.live.simulation import Simulation
        from sterna.live.system import System

        edges, turn = _strained(self.box.edges, strain)
        system = System.from_arrays(
            numpy.diag(edges),
            self._fractions @ edges,
            type=self._type,
            id=self._id,
            tilt=(edges[1, 0], edges[2, 0], edges[2, 1]),
        )
        settings = self._settings
        if self._relax:
            settings = settings.replace(
                run={"integrator": "lbfgs", "steps": self._steps},
                minimize={"force_tolerance": self._tolerance},
            )
        with Simulation(settings, system, ranks=self._ranks) as simulation:
            if self._relax:
                simulation.run(self._steps)
            else:
                simulation.measure()
            force = numpy.abs(simulation.gather("force")).max()
            if self._relax and force > self._tolerance:
                raise SternaError(
                    f"elastic: after {self._steps} steps a force of {force:.2g} is left; expected at "
                    f"most {self._tolerance:.2g}. Is the start near a crystal at rest? --steps "
                    "allows more"
                )
            if keep:
                self._fractions = simulation.gather("position") @ numpy.linalg.inv(edges)
                self.energy = simulation.thermo["potential_energy"] / len(self._id)
            # The tensor's two off-diagonal elements are the same for atoms.
            virial = simulation.virial_tensor()
            volume = simulation.box.volume
        return -turn.T @ virial @ turn * (self._to_unit / volume)

    def constants(self, size: float) -> tuple[numpy.ndarray, float]:
        """The constants, and the largest difference of two that should be the same."""
        rows = numpy.empty((6, 6))
        for k, strain in enumerate(_strains(size)):
            difference = (self.stress_of(strain) - self.stress_of(-strain)) / (2.0 * size)
            rows[k] = [difference[a, b] for a, b in _VOIGT]
            self._told(f"strain {k + 1} of 6")
        return 0.5 * (rows + rows.T), float(numpy.abs(rows - rows.T).max())

    def release_stress(self, size: float) -> None:
        """Strains the box until it has no stress, by the constants of the first box."""
        from sterna.live.box import Box

        constants, _ = self.constants(size)
        inverse = numpy.linalg.pinv(constants, rcond=1e-8)
        allowed = _STRESS_TOLERANCE * numpy.abs(constants).max()
        for _ in range(_MOST_BOXES):
            stress = self.stress_of(numpy.zeros((3, 3)), keep=True)
            if numpy.abs(stress).max() < allowed:
                return
            voigt = inverse @ [-stress[a, b] for a, b in _VOIGT]
            longest = numpy.abs(voigt).max()
            if longest > 0.05:  # as far as the constants hold
                voigt *= 0.05 / longest
            strain = numpy.zeros((3, 3))
            for value, (a, b) in zip(voigt, _VOIGT, strict=True):
                strain[a, b] = strain[b, a] = value if a == b else 0.5 * value
            edges, _ = _strained(self.box.edges, strain)
            tilt = numpy.array([edges[1, 0], edges[2, 0], edges[2, 1]])
            self.box = Box(numpy.diag(edges).copy(), tilt)
        raise SternaError(
            f"elastic: the stress is {numpy.abs(stress).max():.3g} after {_MOST_BOXES} boxes; "
            "expected a start that is near a crystal without stress"
        )


def _strains(size: float) -> Iterator[numpy.ndarray]:
    """The six symmetric strains of Voigt, whose shears are angles."""
    for a, b in _VOIGT:
        strain = numpy.zeros((3, 3))
        strain[a, b] = strain[b, a] = size if a == b else 0.5 * size
        yield strain


def _strained(edges: numpy.ndarray, strain: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The edges, rows, of a strained box in the form that a box has, and the rotation R into it: what
    was the vector v is R v."""
    plain = edges @ (numpy.eye(3) + strain)
    # plain^T = Q U with U upper-triangular: the columns of U are the edges, turned by Q^T.
    q, upper = numpy.linalg.qr(plain.T)
    signs = numpy.sign(numpy.diag(upper))
    return (upper * signs[:, None]).T, (q * signs).T


def _report(found: ElasticConstants) -> Iterator[str]:
    unit = f" ({found.unit})" if found.unit else ""
    length = ", ".join(f"{edge:.6f}" for edge in found.box.length)
    yield f"box {length}; energy of an atom {found.energy:.8f}"
    stress = ", ".join(f"{found.stress[a, b]:.4f}" for a, b in _VOIGT)
    yield f"stress{unit} xx, yy, zz, yz, xz, xy: {stress}"
    atoms = "relaxed" if found.relaxed else "not relaxed"
    yield f"elastic constants{unit}, strains of {found.strain:g}, atoms {atoms}:"
    for row in found.constants:
        yield "  " + " ".join(f"{value + 0.0:10.3f}" for value in row)
    yield f"largest difference of C_ij and C_ji: {found.asymmetry:.3g}"
    if found.cubic is not None:
        c11, c12, c44 = found.cubic
        yield f"cubic: C11 = {c11:.3f}, C12 = {c12:.3f}, C44 = {c44:.3f}"
        if c11 != c12:
            yield f"Zener's anisotropy 2 C44 / (C11 - C12): {2.0 * c44 / (c11 - c12):.4f}"
    yield f"moduli of a powder{unit}:   Voigt      Reuss       Hill"
    for name, moduli in (("bulk", found.bulk), ("shear", found.shear)):
        values = " ".join(f"{v:10.3f}" for v in (moduli.voigt, moduli.reuss, moduli.hill))
        yield f"  {name:<20} {values}"
    bulk, shear = found.bulk.hill, found.shear.hill
    young, ratio = (
        9.0 * bulk * shear / (3.0 * bulk + shear),
        0.5 - 1.5 * shear / (3.0 * bulk + shear),
    )
    yield f"Young's modulus{unit} {young:.3f}, Poisson's ratio {ratio:.4f} (of Hill's means)"
    pressure = -numpy.trace(found.stress) / 3.0
    if abs(pressure) > 0.01 * abs(bulk):
        yield (
            f"note: the box is under a pressure of {pressure:.3f}{unit}; --relax-box makes one "
            "without stress"
        )
    if not found.is_stable:
        yield "warning: the crystal is unstable: some strain costs no energy"
