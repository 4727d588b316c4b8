"""Rigid bodies of hundreds of sites beside atoms and small rigid molecules: energies, forces and
torques are those of sums over all pairs of sites, on any number of ranks."""

import json

import numpy
import pytest
from conftest import nightly
from engine_support import script_output
from mixed_matter import Atom, Mixture, Rigid, rotation
from sterna import read_log
from test_rotors_and_atoms import DIOXIDE, UNITS, WATER, measured, solver, write

EDGE = 4.4
ATOMS = [Atom("Ar", 39.948, 0.9961, 0.3405), Atom("C", 12.011, 0.4, 0.34)]


def block(name: str, counts, charges: int = 0, seed: int = 5) -> Rigid:
    """A block of a lattice with two kinds of sites, and charges at the places of some of them. Its
    masses are at the corners, so its axes are principal ones."""
    random = numpy.random.default_rng(seed)
    axes = [0.22 * (numpy.arange(n) - (n - 1) / 2) for n in counts]
    grid = numpy.stack(numpy.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    size = [axis[-1] + 0.05 for axis in axes]
    corners = [
        (tuple(s * e for s, e in zip(signs, size, strict=True)), 400.0)
        for signs in numpy.ndindex(2, 2, 2)
        for signs in [[2 * s - 1 for s in signs]]
    ]
    places = [tuple(p.tolist()) for p in grid + random.uniform(-0.02, 0.02, grid.shape)]
    wells = [(p, *((0.5, 0.28) if k % 3 else (0.3, 0.24))) for k, p in enumerate(places)]
    amounts = [0.1 * (-1) ** k for k in range(charges)]
    at = random.permutation(len(places))[:charges]
    charged = [(places[k], q) for k, q in zip(at, amounts, strict=True)]
    return Rigid(name, masses=corners, wells=wells, charges=charged)


def system_with(bodies: list[Rigid], small: list[Rigid], **more) -> Mixture:
    """Two of the first body, one of each other, and around them atoms and small molecules."""
    random = numpy.random.default_rng(2)
    centers = numpy.array([[1.1, 1.1, 1.1], [2.9, 1.9, 1.2], [2.2, 2.2, 3.2]])
    which = [0, 0, *range(1, len(bodies))]
    turns = random.normal(size=(len(which), 4))
    turns /= numpy.linalg.norm(turns, axis=1)[:, None]
    sites = numpy.concatenate([
        centers[n] + numpy.array([well[0] for well in bodies[k].wells]) @ rotation(turns[n]).T
        for n, k in enumerate(which)
    ])  # fmt: skip
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(8)] * 3, indexing="ij"), axis=-1)
    free = random.permutation((grid.reshape(-1, 3) + 0.5) * EDGE / 8)
    d = free[:, None] - sites[None]
    d -= EDGE * numpy.rint(d / EDGE)
    gap = numpy.sqrt((d**2).sum(axis=2)).min(axis=1)
    # Most of them are where they feel the bodies.
    free = free[(gap > 0.31) & (gap < 0.8)][:150]
    counts = [60, 30, *([len(free[90:]) // len(small)] * len(small) if small else [])]
    number = sum(counts)
    kinds = numpy.repeat([0, 1, *range(2 + len(bodies), 2 + len(bodies) + len(small))], counts)
    small_turns = random.normal(size=(number, 4))
    small_turns[kinds < 2] = [1, 0, 0, 0]
    return Mixture(
        atoms=ATOMS,
        rigid=[*bodies, *small],
        box=numpy.full(3, EDGE),
        kind=numpy.concatenate([kinds, [2 + k for k in which]]),
        position=numpy.concatenate([free[:number], centers[: len(which)]]),
        orientation=numpy.concatenate([
            small_turns / numpy.linalg.norm(small_turns, axis=1)[:, None], turns
        ]),
        site_cutoff=True,
        **{"cutoff": 0.97, **more},
    )  # fmt: skip


GRAIN, PLATE = block("grain", (7, 6, 5)), block("plate", (9, 7, 1), seed=6)
SYSTEMS = {
    "uncharged": lambda: system_with(
        [GRAIN, PLATE], [DIOXIDE], factors={("Ar", "grain"): (1.03, 0.9), ("grain", "plate"): (0.97, 1.2)}
    ),
    "cut charges": lambda: system_with([block("grain", (7, 6, 5), 60), PLATE], [WATER]),
    "all charges": lambda: system_with(
        [block("grain", (7, 6, 5), 60), PLATE], [WATER], charges_far=True
    ),
}  # fmt: skip


def close(found: dict, system: Mixture, tolerance: float) -> None:
    energy = system.energy()
    assert found["energy"] == pytest.approx(energy, abs=tolerance * (abs(energy) + 50.0))
    force, torque = numpy.array(found["force"]), numpy.array(found["torque"])
    last = len(system.kind) - 1
    scale = numpy.sqrt((force**2).mean())
    for particle in (3, 70, last - 3, last - 1, last):
        difference = abs(force[particle] - system.force(particle)).max()
        assert difference < 30 * tolerance * max(scale, abs(force[particle]).max()), particle
    size = abs(torque).max()
    for particle in (last - 3, last - 1, last):
        assert abs(torque[particle] - system.torque(particle)).max() < 30 * tolerance * size
    expected = system.virial()
    assert numpy.diag(found["virial"]) == pytest.approx(expected, abs=tolerance * 200 * scale)


@pytest.mark.parametrize("name", ["uncharged", nightly("cut charges"), "all charges"])
def test_sums_over_all_sites(tmp_path, name):
    system = SYSTEMS[name]()
    assert sum(len(one.wells) > 200 for one in system.rigid) > 0
    write(tmp_path, system, solver("ewald") if name == "all charges" else "")
    alone = measured(tmp_path)
    close(alone, system, 2e-6 if name == "all charges" else 1e-7)
    for ranks in (2, 4):
        found = measured(tmp_path, ranks)
        for what in ("energy", "virial", "force", "torque"):
            scale = numpy.abs(alone[what]).max()
            numpy.testing.assert_allclose(found[what], alone[what], atol=1e-10 * scale)
    text = (tmp_path / "mixed.toml").read_text()
    (tmp_path / "mixed.toml").write_text(text.replace('"double"', '"mixed"'))
    for ranks in (1, 3):
        found = measured(tmp_path, ranks)
        for what in ("energy", "virial", "force", "torque"):
            scale = numpy.abs(alone[what]).max()
            numpy.testing.assert_allclose(found[what], alone[what], atol=2e-5 * scale)


def test_ranks_and_exchanges_move_it_alike(tmp_path):
    write(tmp_path, system_with([GRAIN, PLATE], [DIOXIDE]), run="seed = 4")
    text = (tmp_path / "mixed.toml").read_text()
    text = text.replace('file = "mixed.xyz"', 'file = "mixed.xyz"\ntemperature = 120')
    (tmp_path / "mixed.toml").write_text(text)
    script = """
        import json, numpy, sterna
        from sterna import comm
        settings = sterna.Input.read("mixed.toml")
        methods = [m.name for m in comm.neighbor_methods()] if sterna.comm.world_size() > 1 else ["auto"]
        first = None
        for method in methods:
            try:
                simulation = sterna.Simulation(settings.replace(communication={"halo": method}))
            except sterna.SternaError as error:
                reasons = ("is not available", "cannot", "does not work here")
                assert any(reason in str(error) for reason in reasons), error
                continue
            simulation.run(30)
            rank = simulation.rank
            names = ("position", "orientation", "angular_momentum")
            found = {name: simulation.gather(name).tolist() for name in names}
            simulation.close()
            first = first or found
            assert first == found, method
        if rank == 0:
            print(json.dumps(first))
        """
    alone, *others = (
        json.loads(script_output(tmp_path, script.replace(
            "sterna.comm.world_size()", str(ranks)), ranks=ranks))
        for ranks in (1, 3, 4)
    )  # fmt: skip
    assert abs(numpy.array(alone["angular_momentum"])[-3:]).max() > 1.0
    for found in others:
        for name, numbers in alone.items():
            expected = numpy.array(numbers)
            off = numpy.array(found[name]) - expected
            if name == "position":
                off -= EDGE * numpy.rint(off / EDGE)
            assert abs(off).max() < 1e-8 * abs(expected).max(), name


@pytest.mark.parametrize("precision", ["double", "mixed"])
def test_energy_beside_a_thousand_sites(sterna, tmp_path, precision):
    grain = block("grain", (10, 10, 10))
    assert len(grain.wells) == 1000
    atoms = numpy.stack(numpy.meshgrid(*[numpy.arange(9)] * 3, indexing="ij"), axis=-1)
    atoms = (atoms.reshape(-1, 3) + 0.5) * EDGE / 9
    atoms = atoms[abs(atoms - EDGE / 2).max(axis=1) > 1.3]
    lines = [f"Ar {x} {y} {z} 1 0 0 0" for x, y, z in atoms]
    lines.append(f"grain {EDGE / 2} {EDGE / 2} {EDGE / 2} 1 0 0 0")
    (tmp_path / "grain.xyz").write_text(
        f'{len(lines)}\nLattice="{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}" Properties=species:S:1:pos:R:3:orient:R:4\n'
        + "\n".join(lines)
        + "\n"
    )
    (tmp_path / "grain.toml").write_text(
        UNITS
        + f'[run]\nsteps = 600\ntimestep = "2 fs"\nseed = 8\nprecision = "{precision}"\n'
        + '[start]\nkind = "file"\nfile = "grain.xyz"\ntemperature = "150 K"\n'
        + ATOMS[0].section()
        + grain.section()
        + '[interaction]\ncutoff = 0.97\ntruncation = "shifted"\nmolecular_cutoff = "site"\n'
        "[output]\nthermo_interval = 10\n"
    )
    done = sterna("run", "grain.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    rows = read_log(tmp_path / "grain.log.jsonl").rows
    kinetic = numpy.array([row["kinetic_energy"] for row in rows])
    total = numpy.array([row["total_energy"] for row in rows])
    # The atoms begin on a lattice, so much of the energy changes its kind.
    assert kinetic.max() - kinetic.min() > 100.0
    assert abs(total - total[0]).max() < 0.01 * (kinetic.max() - kinetic.min())


def test_what_a_component_of_many_sites_needs(sterna, tmp_path):
    def said(system: Mixture) -> str:
        write(tmp_path, system)
        done = sterna("check", "mixed.toml")
        assert done.returncode != 0
        return done.stdout + done.stderr

    grain = block("grain", (7, 7, 6), 60)
    wanted = 'the component "grain" has 362 sites, more than 256: '
    assert wanted + 'expected molecular_cutoff = "site" in [interaction]' in said(
        system_with([grain], []).copy(site_cutoff=False)
    )
    with_quadrupole = Rigid("grain", grain.masses, grain.wells, quadrupoles=[((0, 0, 0), 0.1)])
    assert 'more than 256: expected sites of the kinds "lennard_jones" and "charge" only' in said(
        system_with([with_quadrupole], [])
    )
    assert wanted + 'with charges among them it does not go with the dipoles or quadrupoles of "CO2"' in (
        said(system_with([grain], [DIOXIDE]))
    )  # fmt: skip
