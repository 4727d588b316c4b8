"""One system with all kinds of matter: a plate of silicon (Tersoff), and above it argon, ions, rigid
water and carbon dioxide, flexible molecules, and water of constrained atoms with virtual sites."""

import numpy
from mixed_matter import Rigid, rotation
from test_rotors_and_atoms import (
    CHARGE_PLACE,
    DIOXIDE,
    OXYGEN_HYDROGEN,
    SHARE,
    UNITS,
    WATER,
)  # fmt: skip

BOX = numpy.array([4 * 0.5431, 4 * 0.5431, 3.2])
_FACES = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
_DIAMOND = numpy.concatenate([_FACES, _FACES + 0.25])

TYPES = """\
[[type]]
name = "Si"
mass = 28.0855
epsilon = 1.2
sigma = 0.35
tersoff = "Si(C)"

[[type]]
name = "Ar"
mass = 39.948
epsilon = 0.9961
sigma = 0.3405

[[type]]
name = "Na"
mass = 22.99
epsilon = 0.4
sigma = 0.25
charge = 1.0

[[type]]
name = "Cl"
mass = 35.45
epsilon = 0.4
sigma = 0.42
charge = -1.0

[[type]]
name = "X"
mass = 14.0
epsilon = 0.5
sigma = 0.34
charge = 0.3

[[type]]
name = "Y"
mass = 16.0
epsilon = 0.6
sigma = 0.3
charge = -0.6

[[type]]
name = "O"
mass = 15.9994
epsilon = 0.65
sigma = 0.3166

[[type]]
name = "H"
mass = 1.008
epsilon = 0.0
sigma = 0.1
charge = 0.4238

[[type]]
name = "M"
mass = 0.0
epsilon = 0.0
sigma = 0.1
charge = -0.8476

"""

#: Particles of each molecule, by the name of the molecule: how many molecules, the types of each.
MOLECULES = {
    "plate": (256, ["Si"]),
    "argon": (10, ["Ar"]),
    "sodium": (6, ["Na"]),
    "chloride": (6, ["Cl"]),
    "rigid_water": (16, ["water"]),
    "dioxide": (10, ["CO2"]),
    "bent": (10, ["X", "Y", "X"]),
    "atomic_water": (6, ["O", "H", "H", "M"]),
}
_TERMS = {
    "bent": """\
excluded_bonds = 2
atom = [{ name = "X1", type = "X" }, { type = "Y" }, { name = "X2", type = "X" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = 50000
r0 = 0.1
atoms = [[1, 2], [2, 3]]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = 300
theta0 = 110
atoms = [1, 2, 3]
""",
    "atomic_water": f"""\
atom = [{{ type = "O" }}, {{ name = "H1", type = "H" }}, {{ name = "H2", type = "H" }}, {{ type = "M" }}]
[[molecule.constraint]]
distance = {OXYGEN_HYDROGEN!r}
atoms = [[1, 2], [1, 3]]
[[molecule.constraint]]
distance = {2 * 0.0816!r}
atoms = [[2, 3]]
[[molecule.exclusion]]
atoms = [[1, 2], [1, 3], [2, 3]]
[[molecule.virtual_site]]
kind = "3"
a = {SHARE}
b = {SHARE}
atoms = [4, 1, 2, 3]
""",
}


class Everything:
    def __init__(self, without: list[str] = (), quadrupoles: bool = True) -> None:
        """`without`: molecules that are left out. Quadrupoles, which end at the cutoff, jump there."""
        self.counts = {
            name: 0 if name in without else count for name, (count, _) in MOLECULES.items()
        }
        self.quadrupoles = quadrupoles
        random = numpy.random.default_rng(4)
        corners = numpy.stack(numpy.meshgrid(range(4), range(4), range(2), indexing="ij"), axis=-1)
        plate = ((corners.reshape(-1, 1, 3) + _DIAMOND).reshape(-1, 3) + 0.1) * 0.5431
        spots = numpy.stack(
            numpy.meshgrid(range(4), range(4), range(4), indexing="ij"), axis=-1
        ).reshape(-1, 3)
        spots = random.permutation((spots + 0.5) * [0.5431, 0.5431, 0.47] + [0, 0, 1.22])
        water = [numpy.array(place) for place, _ in WATER.masses]
        legs = numpy.array([[-0.082, 0.057, 0.0], [0.0, 0.0, 0.0], [0.082, 0.057, 0.0]])
        names, places, turns, self.molecule = [], [*plate], [], []
        at = 0
        for molecule, (_, types) in MOLECULES.items():
            for _ in range(self.counts[molecule]):
                names += types
                self.molecule += [molecule] * len(types)
                q = random.normal(size=4)
                q /= numpy.linalg.norm(q)
                rigid = molecule in ("rigid_water", "dioxide")
                turns += [q if rigid else numpy.array([1.0, 0, 0, 0])] * len(types)
                if molecule == "plate":
                    continue
                arms = numpy.zeros((1, 3))
                if molecule == "bent":
                    arms = legs @ rotation(q).T
                elif molecule == "atomic_water":
                    arms = numpy.array([*water, CHARGE_PLACE]) @ rotation(q).T
                places += [*(spots[at] + arms)]
                at += 1
        self.names = names
        self.molecule = numpy.array(self.molecule)
        self.position, self.orientation = numpy.array(places), numpy.array(turns)

    def start_file(self) -> str:
        edges = [float(edge) for edge in BOX]
        lines = [
            str(len(self.names)),
            f'Lattice="{edges[0]} 0 0 0 {edges[1]} 0 0 0 {edges[2]}" '
            "Properties=species:S:1:pos:R:3:orient:R:4",
        ]
        for name, r, q in zip(self.names, self.position, self.orientation, strict=True):
            lines.append(f"{name} " + " ".join(repr(float(x)) for x in (*r, *q)))
        return "\n".join(lines) + "\n"

    def write(  # noqa: PLR0913
        self, folder, *, steps: int = 0, timestep: float = 0.0005, run: str = "", start: str = "",
        charges: str = "fmm", accuracy: float = 1e-5, smoothing: float = 0.3, more: str = "",
        name: str = "all", solver: str = "",
    ) -> None:  # fmt: skip
        """NAME.toml and its start. Nothing jumps at the cutoff where pairs are shifted."""
        (folder / f"{name}.xyz").write_text(self.start_file())
        text = f"{UNITS}[run]\nsteps = {steps}\ntimestep = {timestep}\n{run}\n"
        text += f'[start]\nkind = "file"\nfile = "{name}.xyz"\n{start}\n{TYPES}'
        dioxide = DIOXIDE if self.quadrupoles else Rigid("CO2", DIOXIDE.masses, DIOXIDE.wells)
        text += WATER.section() + dioxide.section()
        for molecule, (_, types) in MOLECULES.items():
            count = self.counts[molecule]
            if count == 0:
                continue
            text += f'[[molecule]]\nname = "{molecule}"\ncount = {count}\n'
            text += _TERMS.get(molecule) or f'atom = [{{ type = "{types[0]}" }}]\n'
        text += '[interaction]\ncutoff = 0.9\ntruncation = "shifted"\nmolecular_cutoff = "site"\n'
        text += f'[electrostatics]\nkind = "{charges}"\naccuracy = {accuracy}\n'
        if charges == "fmm":
            text += f"smoothing = {smoothing}\n{solver}"
        (folder / f"{name}.toml").write_text(text + more)
