"""Third virial coefficients of pair potentials.

Idea: C = -1/3 of the integral of <f12 f13 f23> over the places of two molecules about the third, with
f = exp(-u/kT) - 1 and the mean over all orientations. Of atoms three integrals are left, done by
quadrature. Of molecules C is the known coefficient of hard spheres times a ratio of two means of one
Markov chain (Mayer sampling): its weight is |f12 f13 f23| plus a share of the reference's, so that both
means are bounded, and every walk comes back to the reference.
Source: J. K. Singh and D. A. Kofke, Phys. Rev. Lett. 92, 220601 (2004); for the two weights together,
K. M. Benjamin, A. J. Schultz and D. A. Kofke, Ind. Eng. Chem. Res. 45, 5566 (2006).
Cost: two pairs of molecules for each step of each walk. Hazards: where few steps are in the reference,
the error is itself badly known. Others: quadrature over orientations, for linear molecules alone.
"""

from dataclasses import dataclass

import numpy

from sterna.fluids.pair_energy import PairEnergy, TurnedMolecule, matrices
from sterna.fluids.pair_model import PairModel
from sterna.fluids.second_virial import HARD, near_ends, panels

_FAR = 14.0  #: sigma, beyond which an atom's share is below 1e-9
_GRID = 20_000  #: places of the tabulated integral
_BLOCKS = 32  #: groups of walks, whose spread is the error
_PAIRS = ((0, 1), (0, 2), (1, 2))
_ADAPTED = 25  #: steps after which step lengths and the reference's share are set again


@dataclass
class ThirdVirial:
    """C at one temperature, in the model's unit of volume squared.

    `reference`: the share of the reference in the weight; 1 of quadrature.
    """

    value: float
    error: float
    reference: float = 1.0


def third_virial_of_atoms(
    model: PairModel, kinds: tuple[int, int, int], temperature: float
) -> ThirdVirial:
    """C of three atoms by quadrature: -8 pi^2/3 of the integral of f12 f13 f23 over the triangle."""
    thermal = model.boltzmann * temperature
    energies = [PairEnergy(model, kinds[i], kinds[j], HARD * thermal) for i, j in _PAIRS]

    def mayer(energy: PairEnergy, r: numpy.ndarray) -> numpy.ndarray:
        apart = numpy.zeros((3, r.size))
        apart[2] = r.ravel()
        one, other = TurnedMolecule(energy.a, None), TurnedMolecule(energy.b, None)
        return numpy.expm1(-energy.energy(apart, one, other)[0] / thermal).reshape(r.shape)

    def values(refined: int) -> float:
        sides = []
        for energy in energies[:2]:
            ends = _far_ends(near_ends(model, energy, 1.0 / refined), energy)
            r, weights = panels(ends)
            sides.append((r, weights * r * mayer(energy, r)))
        (r12, f12), (r13, f13) = sides
        table = _Integral(lambda r: r * mayer(energies[2], r), model, energies[2], refined)
        third = table(numpy.add.outer(r12, r13)) - table(abs(numpy.subtract.outer(r12, r13)))
        return float(f12 @ third @ f13)

    coarse, fine = (-8.0 * numpy.pi**2 / 3.0 * values(refined) for refined in (1, 2))
    return ThirdVirial(fine, max(abs(fine - coarse), 1e-9 * abs(fine)))


def _far_ends(ends: numpy.ndarray, energy: PairEnergy) -> numpy.ndarray:
    far = _FAR * float(max(energy.a.sigma.max(), energy.b.sigma.max()))
    if ends[-1] >= far:
        return ends
    return numpy.concatenate([ends, numpy.linspace(ends[-1], far, 21)[1:]])


class _Integral:
    """The integral of a function from 0 to x, by panels and Hermite's cubic between them."""

    def __init__(self, function, model: PairModel, energy: PairEnergy, refined: int) -> None:
        ends = _far_ends(near_ends(model, energy, 1.0 / refined), energy)
        count = max(2, refined * _GRID // len(ends))
        grid = numpy.unique(
            numpy.concatenate(
                [numpy.linspace(a, b, count) for a, b in zip(ends, ends[1:], strict=False)]
            )
        )
        nodes, weights = panels(grid, 3)
        parts = (weights * function(nodes)).reshape(-1, 3).sum(1)
        self._grid = grid
        self._sums = numpy.concatenate([[0.0], numpy.cumsum(parts)])
        # A cutoff is an end, where the function may jump: each cell has the slopes of its own sides.
        inner = 1e-9 * numpy.diff(grid)
        self._left, self._right = function(grid[:-1] + inner), function(grid[1:] - inner)

    def __call__(self, x: numpy.ndarray) -> numpy.ndarray:
        x = numpy.minimum(x, self._grid[-1])
        cell = numpy.clip(numpy.searchsorted(self._grid, x) - 1, 0, len(self._left) - 1)
        width = self._grid[cell + 1] - self._grid[cell]
        t = (x - self._grid[cell]) / width
        before, after = self._sums[cell], self._sums[cell + 1]
        s = 1.0 - t
        return (
            before * s * s * (1.0 + 2.0 * t)
            + after * t * t * (3.0 - 2.0 * t)
            + width * t * s * (self._left[cell] * s - self._right[cell] * t)
        )


def third_virial(
    model: PairModel,
    kinds: tuple[int, int, int],
    temperature: float,
    steps: int = 2000,
    walks: int = 2048,
    seed: int = 1,
) -> ThirdVirial:
    """C of three molecules by Mayer sampling: `walks` Markov chains side by side."""
    sampling = _Sampling(model, kinds, temperature, walks, seed)
    sampling.settle(max(200, steps // 5))
    return sampling.sample(steps)


class _Sampling:
    """Walks of three molecules, the first of which stays where it is."""

    def __init__(
        self,
        model: PairModel,
        kinds: tuple[int, int, int],
        temperature: float,
        walks: int,
        seed: int,
    ) -> None:
        self._thermal = model.boltzmann * temperature
        hard = HARD * self._thermal
        self._energies = [PairEnergy(model, kinds[i], kinds[j], hard) for i, j in _PAIRS]
        self._molecules = [model.molecules[kind] for kind in kinds]
        self._random = numpy.random.default_rng([seed, *kinds, walks])
        self._walks = walks
        sigma = min(float(energy._sigma.min()) for energy in self._energies)
        self._diameter = 0.9 * sigma + sum(m.extent for m in self._molecules) / 3.0
        self._share = 1.0  #: of the reference in the weight
        self._lengths = numpy.full(3, 0.5 * self._diameter)
        self._angles = numpy.full(3, 0.5)
        places = 0.2 * self._diameter * self._random.standard_normal((3, 3, walks))
        places[0] = 0.0
        self._places = places
        self._turns = [self._new_turns() for _ in kinds]
        self._sites = [
            TurnedMolecule(molecule, turn)
            for molecule, turn in zip(self._molecules, self._turns, strict=True)
        ]
        found = [self._mayer(k, self._places, self._sites) for k in range(3)]
        self._mayers = numpy.array([f for f, _ in found])
        self._inside = numpy.array([inside for _, inside in found])

    def _new_turns(self) -> numpy.ndarray:
        return _turns_of(self._random.standard_normal((4, self._walks)))

    def _mayer(
        self, pair: int, places: numpy.ndarray, sites: list[TurnedMolecule]
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """f of a pair of molecules, and whether it overlaps in the reference."""
        i, j = _PAIRS[pair]
        apart = places[i] - places[j]
        energy, _ = self._energies[pair].energy(apart, sites[i], sites[j])
        return numpy.expm1(-energy / self._thermal), (apart**2).sum(0) < self._diameter**2

    def _weights(
        self, mayers: numpy.ndarray, inside: numpy.ndarray
    ) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """Their product, that of the reference without its sign, and the weight of both."""
        product, reference = mayers.prod(0), inside.all(0).astype(float)
        return product, reference, abs(product) + self._share * reference

    def _step(self, moved: int) -> numpy.ndarray:
        """Moves a molecule of each walk, and turns it; returns which were accepted."""
        places, sites = self._places.copy(), list(self._sites)
        if moved > 0:
            places[moved] += self._lengths[moved] * self._random.uniform(-1, 1, (3, self._walks))
        turns = None
        if not self._molecules[moved].is_atom:
            turned = self._random.standard_normal((4, self._walks)) * self._angles[moved]
            turned[0] = 1.0
            turns = numpy.einsum("ijn,jkn->ikn", _turns_of(turned), self._turns[moved])
            sites[moved] = TurnedMolecule(self._molecules[moved], turns)
        mayers, inside = self._mayers.copy(), self._inside.copy()
        for pair in range(3):
            if moved in _PAIRS[pair]:
                mayers[pair], inside[pair] = self._mayer(pair, places, sites)
        before = self._weights(self._mayers, self._inside)[2]
        after = self._weights(mayers, inside)[2]
        accepted = after > self._random.random(self._walks) * before
        numpy.copyto(self._places, places, where=accepted)
        numpy.copyto(self._mayers, mayers, where=accepted)
        numpy.copyto(self._inside, inside, where=accepted)
        if turns is not None:
            numpy.copyto(self._turns[moved], turns, where=accepted)
            self._sites[moved].replace(sites[moved], accepted)
        return accepted

    def _movable(self) -> list[int]:
        return [k for k in range(3) if k > 0 or not self._molecules[k].is_atom]

    def settle(self, steps: int) -> None:
        """Lets the walks forget their start, and sets step lengths and the reference's share."""
        movable = self._movable()
        accepted = numpy.zeros(3)
        product_share = reference_share = 0.0
        for step in range(steps):
            for moved in movable:
                accepted[moved] += self._step(moved).mean()
            product, reference, weight = self._weights(self._mayers, self._inside)
            product_share += float((abs(product) / weight).mean())
            reference_share += float((reference / weight).mean())
            if (step + 1) % _ADAPTED == 0:
                factor = numpy.clip(accepted / _ADAPTED / 0.4, 0.7, 1.4)
                self._lengths = numpy.clip(
                    factor * self._lengths, 0.05 * self._diameter, 3.0 * self._diameter
                )
                self._angles = numpy.clip(factor * self._angles, 0.05, 2.0)
                # As much of the weight in the reference as in the product.
                self._share = product_share / max(reference_share, 1e-300)
                accepted[:] = 0.0
                product_share = reference_share = 0.0

    def sample(self, steps: int) -> ThirdVirial:
        """C with its error from groups of walks, each left out in turn."""
        movable = self._movable()
        products, references = numpy.zeros(self._walks), numpy.zeros(self._walks)
        in_reference = 0.0
        for _ in range(steps):
            for moved in movable:
                self._step(moved)
            product, reference, weight = self._weights(self._mayers, self._inside)
            products += product / weight
            references -= reference / weight
            in_reference += float((self._share * reference / weight).mean())
        of_spheres = 5.0 * numpy.pi**2 / 18.0 * self._diameter**6
        groups = [numpy.array_split(sums, _BLOCKS) for sums in (products, references)]
        of_groups = numpy.array([[part.sum() for part in group] for group in groups])
        total = of_groups.sum(1)
        left_out = total[:, None] - of_groups
        ratios = left_out[0] / left_out[1]
        error = float(numpy.sqrt((_BLOCKS - 1) / _BLOCKS * ((ratios - ratios.mean()) ** 2).sum()))
        return ThirdVirial(
            float(of_spheres * total[0] / total[1]), of_spheres * error, in_reference / steps
        )


def _turns_of(quaternions: numpy.ndarray) -> numpy.ndarray:
    return matrices(quaternions / numpy.linalg.norm(quaternions, axis=0))
