"""Rigid molecules beside atoms and flexible molecules: one small system, the input that describes it
to Sterna, and its energy as plain sums over all pairs of sites in NumPy."""

from dataclasses import dataclass, field
from math import erf, erfc, pi, sqrt

import numpy

COULOMB = 138.93545764438198  # kJ/mol nm / e^2
_erf = numpy.vectorize(erf, otypes=[float])
_erfc = numpy.vectorize(erfc, otypes=[float])


@dataclass
class Rigid:
    """A rigid molecule, whose sites are given by its principal axes; about any point, from which they
    go to the center of mass."""

    name: str
    masses: list  # of points: (x, y, z), mass
    wells: list = field(default_factory=list)  # (x, y, z), epsilon, sigma
    charges: list = field(default_factory=list)  # (x, y, z), charge
    dipoles: list = field(default_factory=list)  # (x, y, z), moment along z
    quadrupoles: list = field(default_factory=list)  # (x, y, z), moment along z

    def __post_init__(self) -> None:
        mass = sum(m for _, m in self.masses)
        center = sum(m * numpy.array(place) for place, m in self.masses) / mass
        for name in ("masses", "wells", "charges", "dipoles", "quadrupoles"):
            moved = [
                (tuple((numpy.array(place) - center).tolist()), *rest)
                for place, *rest in getattr(self, name)
            ]
            setattr(self, name, moved)

    def section(self) -> str:
        """[[component]] with its sites."""
        text = f'[[component]]\nname = "{self.name}"\n'

        def site(kind: str, place, more: str) -> str:
            return f'[[component.site]]\nkind = "{kind}"\nposition = {list(place)}\n{more}\n'

        for place, mass in self.masses:
            text += site("charge", place, f"charge = 0.0\nmass = {mass}")
        for place, epsilon, sigma in self.wells:
            text += site("lennard_jones", place, f"epsilon = {epsilon}\nsigma = {sigma}")
        for place, charge in self.charges:
            text += site("charge", place, f"charge = {charge}")
        for place, moment in self.dipoles:
            text += site("dipole", place, f"dipole_moment = {moment}\naxis = [0, 0, 1]")
        for place, moment in self.quadrupoles:
            text += site("quadrupole", place, f"quadrupole_moment = {moment}\naxis = [0, 0, 1]")
        return text


@dataclass
class Atom:
    """A [[type]]."""

    name: str
    mass: float
    epsilon: float
    sigma: float
    charge: float = 0.0

    def section(self) -> str:
        charge = f"charge = {self.charge}\n" if self.charge else ""
        return (
            f'[[type]]\nname = "{self.name}"\nmass = {self.mass}\n'
            f"epsilon = {self.epsilon}\nsigma = {self.sigma}\n{charge}"
        )


def two_charges(place, moment: float, apart: float = 3e-4) -> list:
    """In place of a point dipole along z."""
    x, y, z = place
    return [((x, y, z + s * apart / 2), s * moment / apart) for s in (1, -1)]


def rotation(q: numpy.ndarray) -> numpy.ndarray:
    w, x, y, z = q / numpy.linalg.norm(q)
    return numpy.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


def turned(q: numpy.ndarray, axis: int, angle: float) -> numpy.ndarray:
    """The orientation after a rotation about an axis of the laboratory."""
    w, x, y, z = q
    half = numpy.zeros(4)
    half[0], half[1 + axis] = numpy.cos(angle / 2), numpy.sin(angle / 2)
    a, b = half[0], half[1:]
    v = numpy.array([x, y, z])
    return numpy.concatenate([[a * w - b @ v], a * v + w * b + numpy.cross(b, v)])


@dataclass
class Mixture:
    """Particles of types and components, and how they interact."""

    atoms: list[Atom]
    rigid: list[Rigid]
    box: numpy.ndarray
    kind: numpy.ndarray  # of each particle: atoms first, then rigid molecules
    position: numpy.ndarray
    orientation: numpy.ndarray
    cutoff: float
    site_cutoff: bool = False
    geometric: bool = False
    charges_far: bool = False  # charges and dipoles by Ewald sums, else within the cutoff
    factors: dict = field(default_factory=dict)  # (name, name): eta, xi
    own_pairs: dict = field(default_factory=dict)  # (name, name) of atoms: epsilon, sigma
    excluded: list = field(default_factory=list)  # pairs of particles
    bonds: list = field(default_factory=list)  # particle, particle, r0, stiffness
    without_pairs: set = field(default_factory=set)  # names of atoms that have a term of their own

    @property
    def names(self) -> list[str]:
        return [one.name for one in (*self.atoms, *self.rigid)]

    def copy(self, **changed) -> "Mixture":
        return Mixture(**{**self.__dict__, **changed})

    def start_file(self) -> str:
        """Extended XYZ."""
        edge = self.box
        lines = [
            f'Lattice="{float(edge[0])!r} 0 0 0 {float(edge[1])!r} 0 0 0 {float(edge[2])!r}" '
            "Properties=species:S:1:pos:R:3:orient:R:4"
        ]
        for k in range(len(self.kind)):
            numbers = [*self.position[k], *self.orientation[k]]
            lines.append(f"{self.names[self.kind[k]]} " + " ".join(repr(float(n)) for n in numbers))
        return f"{len(lines) - 1}\n" + "\n".join(lines) + "\n"

    def sections(self) -> str:
        """Types, components and pairs."""
        text = "".join(one.section() for one in (*self.atoms, *self.rigid))
        for (first, second), (eta, xi) in self.factors.items():
            text += f'[[pair]]\nfirst = "{first}"\nsecond = "{second}"\neta = {eta}\nxi = {xi}\n'
        for (first, second), (epsilon, sigma) in self.own_pairs.items():
            text += f'[[pair]]\nfirst = "{first}"\nsecond = "{second}"\n'
            text += f"epsilon = {epsilon}\nsigma = {sigma}\n"
        return text

    def interaction(self) -> str:
        text = f'[interaction]\ncutoff = {self.cutoff}\ntruncation = "truncated"\n'
        if self.site_cutoff:
            text += 'molecular_cutoff = "site"\n'
        if self.geometric:
            text += 'mixing = "geometric"\n'
        return text

    # ---- sums over all pairs

    def _sites(self, what: str):
        """Place, owner, values and axis of all sites of this sort."""
        place, owner, values, axis = [], [], [], []
        for k, kind in enumerate(self.kind):
            turn = rotation(self.orientation[k])
            for site in self._of(kind, what):
                place.append(self.position[k] + turn @ numpy.array(site[0]))
                owner.append(k)
                values.append(site[1:])
                axis.append(turn[:, 2])
        shape = (len(place), -1) if place else (0, 2)
        return (
            numpy.array(place).reshape(-1, 3), numpy.array(owner, int),
            numpy.array(values, float).reshape(shape), numpy.array(axis).reshape(-1, 3),
        )  # fmt: skip

    def _of(self, kind: int, what: str) -> list:
        if kind < len(self.atoms):
            atom = self.atoms[kind]
            center = (0.0, 0.0, 0.0)
            return {
                "wells": [(center, atom.epsilon, atom.sigma)], "charges": [(center, atom.charge)]
            }.get(what, [])  # fmt: skip
        one = self.rigid[kind - len(self.atoms)]
        if what == "all_charges":
            return sum((two_charges(*site) for site in one.dipoles), list(one.charges))
        return getattr(one, what)

    def _apart(self, place, owner, other, owner_of_other):
        """Vectors from the others to the sites in the images that are nearest by what the cutoff
        counts, and whether they are within the cutoff."""
        d = place[:, None] - other[None]
        counted = d
        if not self.site_cutoff:
            counted = self.position[owner][:, None] - self.position[owner_of_other][None]
        shift = -self.box * numpy.rint(counted / self.box)
        near = ((counted + shift) ** 2).sum(axis=2) < self.cutoff**2
        near &= owner[:, None] != owner_of_other[None]
        d = d + shift
        return d, numpy.sqrt(numpy.where(near, (d**2).sum(axis=2), 1.0)), near

    def lennard_jones(self) -> float:
        place, owner, values, _ = self._sites("wells")
        _, r, near = self._apart(place, owner, place, owner)
        kinds, (epsilon, sigma) = self.kind[owner], values.T
        e = numpy.sqrt(numpy.outer(epsilon, epsilon))
        s = (
            numpy.sqrt(numpy.outer(sigma, sigma))
            if self.geometric
            else (sigma[:, None] + sigma) / 2
        )
        names = numpy.array(self.names)[kinds]

        def of_pair(first: str, second: str) -> numpy.ndarray:
            one = (names == first)[:, None] & (names == second)[None]
            return one | one.T

        for (first, second), (eta, xi) in self.factors.items():
            pair = of_pair(first, second)
            e[pair] *= xi
            s[pair] *= eta
        for (first, second), (own_epsilon, own_sigma) in self.own_pairs.items():
            pair = of_pair(first, second)
            e[pair], s[pair] = own_epsilon, own_sigma
        apart = numpy.isin(names, list(self.without_pairs))
        e[apart[:, None] & apart[None]] = 0.0
        for first, second in self.excluded:
            e[numpy.ix_(owner == first, owner == second)] = 0.0
            e[numpy.ix_(owner == second, owner == first)] = 0.0
        x = (s / r) ** 6
        return 0.5 * float((4.0 * e * (x * x - x) * near).sum())

    def coulomb(self) -> float:
        """Charges and dipoles."""
        return COULOMB * (self._all_images() if self.charges_far else self._truncated())

    def _truncated(self) -> float:
        place, owner, charge, _ = self._sites("charges")
        charge = charge[:, 0]
        _, r, near = self._apart(place, owner, place, owner)
        total = 0.5 * float((numpy.outer(charge, charge) / r * near).sum())
        at, molecule, moment, axis = self._sites("dipoles")
        if len(at) == 0:
            return total
        mu = moment * axis
        d, r, near = self._apart(place, owner, at, molecule)
        along = numpy.einsum("ijk,jk->ij", d, mu)
        total += float((charge[:, None] * along / r**3 * near).sum())
        d, r, near = self._apart(at, molecule, at, molecule)
        first = numpy.einsum("ijk,ik->ij", d, mu) / r
        second = numpy.einsum("ijk,jk->ij", d, mu) / r
        return total + 0.5 * float(((mu @ mu.T - 3 * first * second) / r**3 * near).sum())

    def _all_images(self) -> float:
        atoms = self._sites("charges")
        place, owner, charge, _ = self._sites("all_charges")
        of_atoms = self.kind[atoms[1]] < len(self.atoms)
        place = numpy.concatenate([atoms[0][of_atoms], place])
        owner = numpy.concatenate([atoms[1][of_atoms], owner])
        charge = numpy.concatenate([atoms[2][of_atoms, 0], charge[:, 0]])
        products = numpy.outer(charge, charge)
        # Ewald sums. Of one molecule, and of excluded pairs, what the sum over waves has between the
        # nearest images is taken off.
        kappa = 8.8 / self.box.min()
        centers = self.position[owner][:, None] - self.position[owner][None]
        d = place[:, None] - place[None]
        off = owner[:, None] == owner[None]
        for first, second in self.excluded:
            pair = (owner == first)[:, None] & (owner == second)[None]
            off |= pair | pair.T
        d -= self.box * numpy.rint(numpy.where(off[..., None], centers, d) / self.box)
        r = numpy.sqrt((d**2).sum(axis=2))
        numpy.fill_diagonal(r, 1.0)
        screened = numpy.where(off, -_erf(kappa * r), _erfc(numpy.minimum(kappa * r, 30.0))) / r
        numpy.fill_diagonal(screened, -2.0 * kappa / sqrt(pi))
        total = 0.5 * float((products * screened).sum())
        volume = self.box.prod()
        most = [int(numpy.ceil(kappa * length * 9.4 / (2 * pi))) for length in self.box]
        waves = [
            2 * pi / length * numpy.arange(-n, n + 1)
            for n, length in zip(most, self.box, strict=True)
        ]
        x, y, z = (numpy.exp(1j * numpy.outer(k, place[:, n])) for n, k in enumerate(waves))
        planes = (x[:, None] * y[None]).reshape(-1, len(place))
        structure = ((planes * charge) @ z.T).reshape(len(x), len(y), len(z))
        kx, ky, kz = numpy.meshgrid(*waves, indexing="ij")
        square = kx**2 + ky**2 + kz**2
        square[tuple(most)] = numpy.inf
        total += (2 * pi / volume) * float(
            (numpy.exp(-square / (4 * kappa**2)) / square * abs(structure) ** 2).sum()
        )
        total -= pi * charge.sum() ** 2 / (2 * kappa**2 * volume)
        return total

    def quadrupoles(self) -> float:
        """With each other, with charges and with dipoles, within the cutoff."""
        place, owner, moment, axis = self._sites("quadrupoles")
        if len(place) == 0:
            return 0.0
        moment = moment[:, 0]
        d, r, near = self._apart(place, owner, place, owner)
        c1 = numpy.einsum("ijk,ik->ij", d, axis) / r
        c2 = numpy.einsum("ijk,jk->ij", d, axis) / r
        c = axis @ axis.T
        form = 1 - 5 * (c1**2 + c2**2) - 15 * c1**2 * c2**2 + 2 * (c - 5 * c1 * c2) ** 2
        total = 0.5 * float((0.75 * numpy.outer(moment, moment) / r**5 * form * near).sum())
        charged, molecule, charge, _ = self._sites("charges")
        d, r, near = self._apart(charged, molecule, place, owner)
        cosine = numpy.einsum("ijk,jk->ij", d, axis) / r
        total += float((0.5 * charge[:, :1] * moment * (3 * cosine**2 - 1) / r**3 * near).sum())
        at, molecule, dipole, direction = self._sites("dipoles")
        if len(at) > 0:
            mu = dipole * direction
            d, r, near = self._apart(at, molecule, place, owner)
            along = numpy.einsum("ijk,jk->ij", d, axis)
            turned_by = numpy.einsum("ijk,ik->ij", d, mu)
            slope = (
                6 * along * (mu @ axis.T) / r**5
                - 15 * along**2 * turned_by / r**7
                + 3 * turned_by / r**5
            )
            total += float((0.5 * moment * slope * near).sum())
        return COULOMB * total

    def bonded(self) -> float:
        total = 0.0
        for first, second, r0, stiffness in self.bonds:
            d = self.position[first] - self.position[second]
            d -= self.box * numpy.rint(d / self.box)
            total += 0.5 * stiffness * (numpy.linalg.norm(d) - r0) ** 2
        return total

    def energy(self) -> float:
        return self.lennard_jones() + self.coulomb() + self.quadrupoles() + self.bonded()

    # ---- derivatives, by differences of these sums

    def force(self, particle: int, h: float = 1e-5) -> numpy.ndarray:
        result = numpy.zeros(3)
        for axis in range(3):
            for sign in (1, -1):
                moved = self.position.copy()
                moved[particle, axis] += sign * h
                result[axis] -= sign * self.copy(position=moved).energy() / (2 * h)
        return result

    def torque(self, particle: int, h: float = 1e-5) -> numpy.ndarray:
        result = numpy.zeros(3)
        for axis in range(3):
            for sign in (1, -1):
                orientation = self.orientation.copy()
                orientation[particle] = turned(orientation[particle], axis, sign * h)
                result[axis] -= sign * self.copy(orientation=orientation).energy() / (2 * h)
        return result

    def virial(self, h: float = 1e-5) -> numpy.ndarray:
        """Sums of r_a f_a by centers of rigid molecules and by atoms, of the three axes."""
        result = numpy.zeros(3)
        for axis in range(3):
            for sign in (1, -1):
                scale = numpy.ones(3)
                scale[axis] += sign * h
                scaled = self.copy(position=self.position * scale, box=self.box * scale)
                result[axis] -= sign * scaled.energy() / (2 * h)
        return result
