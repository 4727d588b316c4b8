"""Potentials of the atomic cluster expansion with coefficients at random, crystals that they have,
and what pacemaker's own evaluator computes for these.

Run by a Python that has pacemaker (PyPI: python-ace), it writes the numbers of the original program:

    python tests/python/ace_potentials.py tests/data/ace/references.json
"""

import itertools
import json
import math
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy

STEPS = 20
TIMESTEP = 0.0005  # ps


def clebsch_gordan(a: int, ma: int, b: int, mb: int, c: int) -> float:
    """Racah's formula for whole numbers; the projection of c is that of the sum."""
    mc = ma + mb
    if abs(ma) > a or abs(mc) > c or not abs(a - b) <= c <= a + b:
        return 0.0
    f = math.factorial
    total = 0.0
    for k in range(a + b - c + 1):
        terms = [k, a + b - c - k, a - ma - k, b + mb - k, c - b + ma + k, c - a - mb + k]
        if min(terms) >= 0:
            total += (-1) ** k / math.prod(f(n) for n in terms)
    triangle = f(c + a - b) * f(c - a + b) * f(a + b - c) / f(a + b + c + 1)
    spins = f(c + mc) * f(c - mc) * f(a - ma) * f(a + ma) * f(b - mb) * f(b + mb)
    return math.sqrt((2 * c + 1) * triangle * spins) * total


def coupled(ls: list[int], sums: list[int]) -> list[tuple[tuple[int, ...], float]]:
    """The sets of m of harmonics of `ls` that are coupled one after another to `sums`, the last of
    which is 0, and the factor of each."""
    sets = []
    for ms in itertools.product(*(range(-j, j + 1) for j in ls)):
        if sum(ms) != 0:
            continue
        factor, m = 1.0, ms[0]
        for t in range(1, len(ls)):
            factor *= clebsch_gordan(sums[t - 1], m, ls[t], ms[t], sums[t])
            m += ms[t]
        if factor != 0.0:
            sets.append((ms, factor))
    return sets


@dataclass
class Kind:
    """What a potential has, and a crystal."""

    elements: list[str]
    basis: str
    scale: float
    inner: str | None  #: inner_cutoff_type
    largest_rank: int
    parameters: list[float]  #: FS_parameters
    scaled: bool = True  #: FinnisSinclairShiftedScaled
    radial: int = 3  #: nradmax
    basis_count: int = 6  #: nradbasemax
    largest_l: int = 2
    core: tuple[float, float] = (0.0, 1.0)  #: prehc, lambdahc
    core_limit: tuple[float, float] = (1e5, 250.0)  #: rho_core_cutoff, drho_core_cutoff
    inner_range: tuple[float, float] = (0.0, 0.0)  #: rcut_in, dcut_in
    width: float = 0.01  #: dcut
    edge: float = 3.9
    disorder: float = 0.2
    tilt: tuple[float, float, float] = (0.0, 0.0, 0.0)
    functions: int = 8  #: of each rank
    lone: list[float] = field(default_factory=lambda: [0.0, 0.0])


KINDS = {
    "exponential": Kind(["Cu"], "ChebExpCos", 5.25, None, 4, [1, 1, 1, 0.5], core=(100.0, 1.5),
                        lone=[-1.25]),
    "power": Kind(["Al", "Ni"], "ChebPow", 2.0, "distance", 3, [1, 1, 0.7, 0.5], scaled=False,
                  core=(60.0, 0.4), inner_range=(2.7, 0.4), tilt=(0.9, -0.6, 0.5),
                  lone=[0.5, -2.0]),
    "linear": Kind(["Cu"], "ChebLinear", 1.0, "density", 3, [1, 1], radial=2),
    "Bessel": Kind(["Al", "Ni"], "SBessel", 1.0, "density", 3, [1, 1, 0.5, 0.75, 1, 0.5],
                   radial=1, basis_count=9, largest_l=3),
    "nuclei": Kind(["Al", "Ni"], "ChebExpCos", 4.0, "zbl", 3, [1, 1, 1, 0.5], core=(1.0, 1.0),
                   inner_range=(2.7, 0.5), width=0.6, disorder=0.3),
    "core": Kind(["Cu"], "ChebPow", 2.0, "density", 3, [1, 1, 1, 0.5], core=(400.0, 1.0),
                 core_limit=(4.0, 3.0), disorder=0.3),
    "steps": Kind(["Al", "Ni"], "ChebPow", 2.0, "distance", 3, [1, 1, 1, 0.5], core=(60.0, 0.4),
                  core_limit=(4.0, 0.0), inner_range=(2.7, 0.0), disorder=0.3),
    "rank 6": Kind(["Cu"], "ChebExpCos", 3.0, "distance", 6, [1, 0.5], largest_l=1, functions=4),
}  # fmt: skip


def numbers(values) -> str:
    return "[" + ", ".join(repr(float(x)) for x in values) + "]"


def yace(kind: Kind) -> str:
    """The text of the potential's file."""
    random = numpy.random.default_rng(7)
    densities = len(kind.parameters) // 2
    pairs = list(itertools.product(range(len(kind.elements)), repeat=2))
    lines = [
        f"elements: [{', '.join(kind.elements)}]",
        f"E0: {numbers(kind.lone[: len(kind.elements)])}",
        "deltaSplineBins: 0.001",
        "embeddings:",
    ]
    name = "FinnisSinclairShiftedScaled" if kind.scaled else "FinnisSinclair"
    for n in range(len(kind.elements)):
        lines.append(
            f"  {n}: {{ndensity: {densities}, FS_parameters: {numbers(kind.parameters)}, "
            f"npoti: {name}, rho_core_cutoff: {kind.core_limit[0]}, "
            f"drho_core_cutoff: {kind.core_limit[1]}}}"
        )
    lines.append("bonds:")
    for a, b in pairs:
        shape = (kind.radial, kind.largest_l + 1, kind.basis_count)
        values = random.normal(size=shape).tolist()
        text = (
            f"  [{a}, {b}]: {{nradmax: {kind.radial}, lmax: {kind.largest_l}, "
            f"nradbasemax: {kind.basis_count}, radbasename: {kind.basis}, "
            f"radparameters: [{kind.scale + 0.1 * (a + 2 * b)}], radcoefficients: {values!r}, "
            f"prehc: {kind.core[0]}, lambdahc: {kind.core[1] + 0.1 * (a + 2 * b)}, "
            f"rcut: {4.3 - 0.1 * (a + 2 * b)}, dcut: {kind.width}"
        )
        if kind.inner is not None:
            text += (
                f", rcut_in: {kind.inner_range[0] + 0.05 * (a + 2 * b)}, "
                f"dcut_in: {kind.inner_range[1]}, inner_cutoff_type: {kind.inner}"
            )
        lines.append(text + "}")
    lines.append("functions:")
    for n in range(len(kind.elements)):
        lines.append(f"  {n}:")
        lines += [f"    - {text}" for text in functions(kind, n, densities, random)]
    return "\n".join(lines) + "\n"


def functions(kind: Kind, center: int, densities: int, random) -> list[str]:
    texts = []

    def add(mus, ns, ls, sets) -> None:
        rank = len(mus)
        of_density = random.normal(size=densities) * 0.2 * 0.25**rank
        texts.append(
            f"{{mu0: {center}, rank: {rank}, ndensity: {densities}, num_ms_combs: {len(sets)}, "
            f"mus: {mus}, ns: {ns}, ls: {ls}, "
            f"ms_combs: {[m for ms, _ in sets for m in ms]}, "
            f"ctildes: {numbers(c * x for _, c in sets for x in of_density)}}}"
        )

    kinds = len(kind.elements)
    for mu, k in itertools.product(range(kinds), range(kind.basis_count)):
        add([mu], [k + 1], [0], [((0,), 1.0)])
    for rank in range(2, kind.largest_rank + 1):
        made = 0
        while made < kind.functions:
            mus = [int(x) for x in random.integers(kinds, size=rank)]
            ns = [int(x) + 1 for x in random.integers(kind.radial, size=rank)]
            ls = [int(x) for x in random.integers(kind.largest_l + 1, size=rank)]
            sums = [ls[0]]
            for j in ls[1:-1]:
                sums.append(int(random.integers(abs(sums[-1] - j), sums[-1] + j + 1)))
            # Mirror images have the same energy.
            if sum(ls) % 2 != 0 or sums[-1] != ls[-1]:
                continue
            add(mus, ns, ls, coupled(ls, [*sums, 0]))
            made += 1
    return texts


FCC = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])


@dataclass
class Crystal:
    cell: numpy.ndarray
    position: numpy.ndarray
    species: numpy.ndarray


def crystal(kind: Kind, cells: int) -> Crystal:
    """A disordered crystal, sheared where the kind says so."""
    random = numpy.random.default_rng(11)
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(cells)] * 3, indexing="ij"), axis=-1)
    fraction = (corners.reshape(-1, 1, 3) + FCC + 0.1).reshape(-1, 3) / cells
    x = cells * kind.edge
    xy, xz, yz = kind.tilt
    cell = numpy.array([[x, 0.0, 0.0], [xy, x, 0.0], [xz, yz, x]])
    position = fraction @ cell
    position += random.uniform(-kind.disorder, kind.disorder, position.shape)
    species = random.integers(len(kind.elements), size=len(position))
    return Crystal(cell, position, species)


def mass(species: int) -> float:
    return 40.0 + 5.0 * species


def computed_by_the_original(text: str, elements: list[str], of: Crystal) -> dict:
    """Energy, forces and the matrix of the virial, in eV and angstrom; the last is the sum of the
    products of vectors and forces."""
    import ase
    from pyace import PyACECalculator

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "potential.yace"
        path.write_text(text)
        atoms = ase.Atoms(
            [elements[n] for n in of.species], positions=of.position, cell=of.cell, pbc=True
        )
        atoms.calc = PyACECalculator(str(path))
        stress = atoms.get_stress(voigt=False)
        return {
            "energy": float(atoms.get_potential_energy()),
            "forces": atoms.get_forces().tolist(),
            "virial": (-stress * atoms.get_volume()).tolist(),
        }


def energy_after(text: str, elements: list[str], of: Crystal) -> float:
    """The potential energy after some steps by the original's forces, from rest."""
    step = TIMESTEP
    unit = 9648.533212331  # eV / angstrom / (g/mol) in angstrom / ps^2
    masses = numpy.array([mass(n) for n in of.species])[:, None]
    position, velocity = of.position.copy(), numpy.zeros_like(of.position)
    made = computed_by_the_original(text, elements, of)
    for _ in range(STEPS):
        velocity += 0.5 * step * unit * numpy.array(made["forces"]) / masses
        position += step * velocity
        made = computed_by_the_original(text, elements, Crystal(of.cell, position, of.species))
        velocity += 0.5 * step * unit * numpy.array(made["forces"]) / masses
    return made["energy"]


def main() -> None:
    references = {}
    for name, kind in KINDS.items():
        made = computed_by_the_original(yace(kind), kind.elements, crystal(kind, 3))
        made["forces"] = [[float(f"{x:.12e}") for x in row] for row in made["forces"]]
        references[name] = made
    moving = KINDS["power"]
    large = crystal(moving, 4)
    references["moving"] = {
        "energy": computed_by_the_original(yace(moving), moving.elements, large)["energy"],
        "after": energy_after(yace(moving), moving.elements, large),
    }
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(references) + "\n")
    else:
        json.dump(references, sys.stdout)


if __name__ == "__main__":
    main()
