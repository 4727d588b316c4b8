"""Rigid molecules beside atoms, flexible molecules and solids in Sterna, LAMMPS and OpenMM: the same
energies, forces, torques and virials."""

import numpy
import pytest
from mixed_matter import Atom, Mixture, Rigid
from mixed_peers import Peer, Solid, by_lammps, by_openmm
from test_lammps_many_body import potentials
from test_rotors_and_atoms import (
    ARGON,
    CARBON,
    DIOXIDE,
    POLAR,
    WATER,
    electrolyte,
    four_site_water,
    measured,
    mixture,
    places,
    solver,
    write,
)  # fmt: skip

NITROGEN = Rigid(
    "N2",
    masses=[((0, 0, 0.055), 14.007), ((0, 0, -0.055), 14.007)],
    wells=[((0, 0, 0.055), 0.3, 0.331), ((0, 0, -0.055), 0.3, 0.331)],
)
BENZENE = Rigid(
    "ring",
    masses=[((0.139 * c, 0.139 * s, 0), 13.019) for c, s in
            ((numpy.cos(a), numpy.sin(a)) for a in numpy.arange(6) * numpy.pi / 3)],
    wells=[((0.139 * c, 0.139 * s, 0), 0.45, 0.36) for c, s in
           ((numpy.cos(a), numpy.sin(a)) for a in numpy.arange(6) * numpy.pi / 3)],
)  # fmt: skip
BARE_POLAR = Rigid("polar", POLAR.masses, POLAR.wells)
BARE_DIOXIDE = Rigid("CO2", DIOXIDE.masses, DIOXIDE.wells)
NA, CL = Atom("Na", 22.99, 0.3, 0.25, 1.0), Atom("Cl", 35.45, 0.4, 0.42, -1.0)


def close(found: dict, peer: Peer, tolerance: float) -> None:
    force, torque = numpy.array(found["force"]), numpy.array(found["torque"])
    scale = numpy.sqrt((peer.force**2).mean())
    assert found["energy"] == pytest.approx(peer.energy, abs=tolerance * (abs(peer.energy) + 50.0))
    assert abs(force - peer.force).max() < 30 * tolerance * scale
    size = numpy.sqrt((peer.torque**2).mean())
    assert abs(torque - peer.torque).max() < 30 * tolerance * size
    if peer.virial is not None:
        # Torques on molecules make r_x f_y and r_y f_x differ; Sterna has the second, which belongs to
        # a shear of the box.
        off = numpy.tril(numpy.array(found["virial"]) - peer.virial)
        assert abs(off).max() < tolerance * 200 * scale


def nanoparticle() -> Rigid:
    """A ball of 93 atoms of a crystal, in its principal axes."""
    random = numpy.random.default_rng(5)
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(-4, 5)] * 3, indexing="ij"), axis=-1)
    grid = grid.reshape(-1, 3)
    grid = grid[(grid.sum(axis=1) % 2 == 0) & ((grid**2).sum(axis=1) < 9.5)]
    where = 0.2 * grid + random.uniform(-0.01, 0.01, grid.shape)
    where -= where.mean(axis=0)
    _, axes = numpy.linalg.eigh(where.T @ where)
    where = where @ (axes * numpy.linalg.det(axes))
    return Rigid(
        "ball",
        masses=[(tuple(r.tolist()), 30.0) for r in where],
        wells=[(tuple(r.tolist()), 0.8, 0.28) for r in where],
    )


def flexible(system: Mixture) -> list[list[int]]:
    first = len(system.kind) - 30
    return [[first + 3 * n + k for k in range(3)] for n in range(10)]


def neutral_pairs() -> dict[str, Mixture]:
    """Systems without molecules: of atoms and rigid molecules."""
    random = numpy.random.default_rng(9)
    ball = nanoparticle()
    around = places(8, 4.4, 0.03, 3)
    around = around[numpy.linalg.norm(around - 2.2, axis=1) > 1.05][:200]
    turn = random.normal(size=4)
    particle = Mixture(
        atoms=[ARGON],
        rigid=[ball, NITROGEN],
        box=numpy.full(3, 4.4),
        kind=numpy.array([1] + [0] * 120 + [2] * 80),
        position=numpy.concatenate([[[2.2, 2.2, 2.2]], around]),
        orientation=numpy.concatenate([
            [turn / numpy.linalg.norm(turn)],
            numpy.tile([1.0, 0, 0, 0], (120, 1)),
            (lambda q: q / numpy.linalg.norm(q, axis=1)[:, None])(random.normal(size=(80, 4))),
        ]),
        cutoff=0.97,
        site_cutoff=True,
    )  # fmt: skip
    return {
        "argon in carbon dioxide": mixture([ARGON], [BARE_DIOXIDE], [30, 34], site_cutoff=True),
        "two atoms, two rigid molecules, own pairs": mixture(
            [ARGON, CARBON], [BARE_DIOXIDE, BARE_POLAR], [15, 9, 20, 20],
            site_cutoff=True,
            factors={("Ar", "CO2"): (1.02, 0.9), ("CO2", "polar"): (0.98, 1.1)},
            own_pairs={("Ar", "C"): (0.5, 0.36)},
        ),
        "rings and nitrogen in argon, geometric": mixture(
            [ARGON], [BENZENE, NITROGEN], [14, 20, 30],
            edge=2.8, site_cutoff=True, geometric=True, cutoff=1.3,
        ),
        "a ball of 93 sites in argon and nitrogen": particle,
    }  # fmt: skip


def charged_systems() -> dict[str, tuple[Mixture, str]]:
    four_sites = four_site_water()
    with_flexible, molecules = electrolyte(quadrupolar=False)
    names = ("Na", "Cl", "water", "CO2", "polar")
    cut = dict(site_cutoff=True, charges_far=True)
    flexible_system = Mixture(**{
        **with_flexible.__dict__, "rigid": [WATER, BARE_DIOXIDE, BARE_POLAR], **cut
    })  # fmt: skip
    assert all(f'name = "{name}"' in molecules for name in names)
    return {
        "ions in water of three sites": (mixture([NA, CL], [WATER], [8, 8, 48], **cut), ""),
        "ions in water of four sites": (mixture([NA, CL], [four_sites], [8, 8, 48], **cut), ""),
        "ions, water and carbon dioxide": (
            mixture([NA, CL], [WATER, BARE_DIOXIDE], [8, 8, 28, 20], **cut), ""
        ),
        "ions, water, rigid and flexible molecules": (flexible_system, molecules),
        "ions, water of both kinds and rings": (
            mixture(
                [NA, CL], [WATER, Rigid("other", four_sites.masses, four_sites.wells,
                                        four_sites.charges), BENZENE],
                [6, 6, 20, 20, 12], edge=2.6, factors={("Na", "water"): (1.05, 0.8)}, **cut,
            ), "",
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", neutral_pairs())
def test_atoms_beside_rigid_molecules(name, lammps, tmp_path):
    system = neutral_pairs()[name]
    write(tmp_path, system)
    found = measured(tmp_path)
    close(found, by_lammps(lammps, system, tmp_path), 1e-7)
    close(found, by_openmm(system), 1e-7)


@pytest.mark.parametrize("name", charged_systems())
def test_charges_of_atoms_and_rigid_molecules(name, lammps, tmp_path):
    system, molecules = charged_systems()[name]
    write(tmp_path, system, solver("fmm"), molecules=molecules)
    found = measured(tmp_path)
    groups = flexible(system) if molecules else []
    # The constant of LAMMPS's metal units has eight digits, and molecules have much energy in them.
    close(found, by_lammps(lammps, system, tmp_path, groups), 1e-5)
    close(found, by_openmm(system), 2e-6)


# ---- solids

FACE_CENTERED = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
DIAMOND = numpy.concatenate([FACE_CENTERED, FACE_CENTERED + 0.25])
SILICON = Atom("Si", 28.0855, 1.7, 0.38)
COPPER = Atom("Cu", 63.546, 2.0, 0.26)


def slab(atoms, rigid, basis, cells, edge: float, above: list[int], height: float, **more):
    """A solid of the first of the atoms, and above it as many particles of each of these kinds as
    there is room for."""
    random = numpy.random.default_rng(2)
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(n) for n in cells], indexing="ij"), axis=-1)
    solid = ((corners.reshape(-1, 1, 3) + basis).reshape(-1, 3) + 0.1) * edge
    solid += random.uniform(-0.01, 0.01, solid.shape)
    box = numpy.array([cells[0] * edge, cells[1] * edge, height])
    bottom = cells[2] * edge + 0.2
    counts = [int(length / 0.45) for length in (*box[:2], height - bottom - 0.2)]
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(n) for n in counts], indexing="ij"), axis=-1)
    spacing = [*(box[:2] / counts[:2]), 0.45]
    gas = (grid.reshape(-1, 3) + 0.5) * spacing + [0, 0, bottom]
    gas = random.permutation(gas + random.uniform(-0.03, 0.03, gas.shape))
    gas = gas[: len(gas) // len(above) * len(above)]
    kind = numpy.concatenate([numpy.zeros(len(solid), int), numpy.resize(above, len(gas))])
    turn = random.normal(size=(len(kind), 4))
    turn[kind < len(atoms)] = [1, 0, 0, 0]
    return Mixture(
        atoms=atoms, rigid=rigid, box=box, kind=kind, position=numpy.concatenate([solid, gas]),
        orientation=turn / numpy.linalg.norm(turn, axis=1)[:, None],
        cutoff=1.0, site_cutoff=True, without_pairs={atoms[0].name}, **more,
    )  # fmt: skip


def solids(lammps) -> dict[str, tuple[Mixture, Solid, str]]:
    folder = potentials(lammps)
    silicon = Solid("Si", "tersoff", f"{folder}/Si.tersoff", "Si")
    copper = Solid("Cu", "eam/alloy", f"{folder}/Cu_zhou.eam.alloy", "Cu")
    tersoff = ('tersoff = "Si"\n', f'parameter_file = "{folder}/Si.tersoff"\n')
    metal = ('embedded_atom = "Cu"\n', f'embedded_atom_file = "{folder}/Cu_zhou.eam.alloy"\n')
    plate = (DIAMOND, (4, 4, 2), 0.5431)
    foil = (FACE_CENTERED, (6, 6, 3), 0.3615)
    return {
        "silicon, argon and water": (
            slab([SILICON, ARGON], [WATER], *plate, [2, 2, 1], 3.0, charges_far=True),
            silicon, tersoff,
        ),
        "silicon, argon, carbon dioxide": (
            slab([SILICON, ARGON], [BARE_DIOXIDE], *plate, [2, 1], 2.6,
                 factors={("Si", "CO2"): (1.0, 0.9)}),
            silicon, tersoff,
        ),
        "copper, argon and nitrogen": (
            slab([COPPER, ARGON], [NITROGEN], *foil, [2, 1], 2.6), copper, metal,
        ),
        "copper, ions and water": (
            slab([COPPER, NA, CL], [four_site_water()], *foil, [3, 1, 3, 2], 2.9, charges_far=True),
            copper, metal,
        ),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "silicon, argon and water", "silicon, argon, carbon dioxide",
        "copper, argon and nitrogen", "copper, ions and water",
    ],
)  # fmt: skip
def test_solids_beside_atoms_and_rigid_molecules(name, lammps, tmp_path):
    system, solid, (of_type, of_interaction) = solids(lammps)[name]
    write(tmp_path, system, solver("fmm") if system.charges_far else "")
    text = (tmp_path / "mixed.toml").read_text()
    line = f'name = "{solid.name}"\n'
    text = text.replace(line, line + of_type, 1)
    text = text.replace("[interaction]\n", "[interaction]\n" + of_interaction)
    (tmp_path / "mixed.toml").write_text(text)
    found = measured(tmp_path)
    peer = by_lammps(lammps, system, tmp_path, solid=solid)
    close(found, peer, 1e-5 if system.charges_far else 2e-7)
