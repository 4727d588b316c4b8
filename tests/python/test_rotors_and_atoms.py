"""Rigid molecules beside atoms and flexible molecules in one system: energies, forces, torques and
virials are those of sums over all pairs, whatever the number of ranks."""

import json

import numpy
import pytest
from engine_support import run_script, script_output
from mixed_matter import Atom, Mixture, Rigid, rotation
from sterna import read_log

DIOXIDE = Rigid(
    "CO2",
    masses=[((0, 0, 0), 12.011), ((0, 0, 0.115), 15.999), ((0, 0, -0.115), 15.999)],
    wells=[((0, 0, 0.12), 1.1, 0.298), ((0, 0, -0.12), 1.1, 0.298)],
    quadrupoles=[((0, 0, 0), -0.08)],
)
WATER = Rigid(
    "water",
    masses=[((0, 0, -0.0064), 15.9994), ((0.0816, 0, 0.0512), 1.008), ((-0.0816, 0, 0.0512), 1.008)],
    wells=[((0, 0, -0.0064), 0.65, 0.3166)],
    charges=[
        ((0, 0, -0.0064), -0.8476), ((0.0816, 0, 0.0512), 0.4238), ((-0.0816, 0, 0.0512), 0.4238)
    ],
)  # fmt: skip
POLAR = Rigid(
    "polar",
    masses=[((0, 0, 0.05), 20.0), ((0, 0.04, -0.05), 10.0), ((0, -0.04, -0.05), 10.0)],
    wells=[
        ((0, 0, 0.05), 0.8, 0.33),
        ((0, 0.04, -0.05), 0.3, 0.25),
        ((0, -0.04, -0.05), 0.3, 0.25),
    ],
    dipoles=[((0, 0, 0.05), 0.05)],
)
ARGON = Atom("Ar", 39.948, 0.9961, 0.3405)
CARBON = Atom("C", 12.011, 0.4, 0.34)
OXYGEN = Atom("O", 15.999, 0.7, 0.3)

UNITS = 'units = "nano"\n'
SCRIPT = """
import json, sterna
simulation = sterna.Simulation.from_file("mixed.toml")
simulation.measure()
simulation_data = {
    "energy": simulation.thermo["potential_energy"],
    "terms": simulation.energies,
    "virial": simulation.virial_tensor().tolist(),
    **{name: simulation.gather(name).tolist() for name in ("force", "torque")},
}
if simulation.rank == 0:
    print(json.dumps(simulation_data))
"""


def places(cells: int, edge: float, jitter: float, seed: int) -> numpy.ndarray:
    random = numpy.random.default_rng(seed)
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(cells)] * 3, indexing="ij"), axis=-1)
    corners = (grid.reshape(-1, 3) + 0.5) * edge / cells
    return random.permutation(corners + random.uniform(-jitter, jitter, corners.shape))


def mixture(atoms, rigid, counts, edge=2.2, **more) -> Mixture:
    """`counts`: particles of each of these, in the order of the file."""
    random = numpy.random.default_rng(7)
    kind = numpy.repeat(numpy.arange(len(counts)), counts)
    orientation = random.normal(size=(len(kind), 4))
    orientation[kind < len(atoms)] = [1, 0, 0, 0]
    orientation /= numpy.linalg.norm(orientation, axis=1)[:, None]
    return Mixture(
        atoms=atoms,
        rigid=rigid,
        box=numpy.full(3, edge),
        kind=kind,
        position=places(4, edge, 0.04, 3)[: len(kind)],
        orientation=orientation,
        **{"cutoff": 0.97, **more},
    )


def write(folder, system: Mixture, more: str = "", run: str = "", molecules: str = "") -> None:
    (folder / "mixed.xyz").write_text(system.start_file())
    (folder / "mixed.toml").write_text(
        UNITS
        + f'[run]\nsteps = 0\ntimestep = 0.001\nprecision = "double"\n{run}\n'
        + '[start]\nkind = "file"\nfile = "mixed.xyz"\n'
        + system.sections()
        + molecules
        + system.interaction()
        + more
    )


def measured(folder, ranks: int = 1) -> dict:
    return json.loads(script_output(folder, SCRIPT, ranks=ranks))


def compare(found: dict, system: Mixture, tolerance: float, all_axes: bool = True) -> None:
    energy = system.energy()
    force, torque = numpy.array(found["force"]), numpy.array(found["torque"])
    scale = numpy.sqrt((force**2).mean())
    assert found["energy"] == pytest.approx(energy, abs=tolerance * (abs(energy) + 50.0))
    for particle in range(0, len(system.kind), 5):
        expected = system.force(particle)
        assert abs(force[particle] - expected).max() < 30 * tolerance * scale
    turning = numpy.flatnonzero(system.kind >= len(system.atoms))
    size = numpy.sqrt((torque[turning] ** 2).mean())
    for particle in turning[::4]:
        expected = system.torque(particle)
        assert abs(torque[particle] - expected).max() < 30 * tolerance * size
    assert not torque[system.kind < len(system.atoms)].any()
    virial, expected = numpy.diag(found["virial"]), system.virial()
    if all_axes:
        assert virial == pytest.approx(expected, abs=tolerance * 200 * scale)
    assert virial.sum() == pytest.approx(expected.sum(), abs=tolerance * 200 * scale)


@pytest.mark.parametrize("site_cutoff", [False, True])
@pytest.mark.parametrize("geometric", [False, True])
def test_lennard_jones_sites_beside_atoms(tmp_path, site_cutoff, geometric):
    system = mixture(
        [ARGON, CARBON], [DIOXIDE, POLAR], [15, 9, 20, 20],
        site_cutoff=site_cutoff,
        geometric=geometric,
        factors={("Ar", "CO2"): (1.02, 0.9), ("CO2", "polar"): (0.98, 1.1)},
        own_pairs={("Ar", "C"): (0.5, 0.36)},
    )  # fmt: skip
    write(tmp_path, system)
    compare(measured(tmp_path), system, 1e-7)


def test_ranks_and_precisions(tmp_path):
    system = mixture([ARGON, CARBON], [DIOXIDE, POLAR], [15, 9, 20, 20], edge=3.2)
    write(tmp_path, system)
    alone = measured(tmp_path)
    for ranks in (2, 3, 5):
        found = measured(tmp_path, ranks)
        for name in ("energy", "virial", "force", "torque"):
            numpy.testing.assert_allclose(found[name], alone[name], rtol=1e-10, atol=1e-9)
    text = (tmp_path / "mixed.toml").read_text()
    (tmp_path / "mixed.toml").write_text(text.replace('"double"', '"mixed"'))
    for ranks in (1, 3):
        found = measured(tmp_path, ranks)
        for name in ("energy", "virial", "force", "torque"):
            scale = numpy.abs(alone[name]).max()
            numpy.testing.assert_allclose(found[name], alone[name], atol=2e-5 * scale)


def test_an_added_potential_acts_between_its_atoms_alone(tmp_path):
    system = mixture([ARGON, CARBON], [DIOXIDE, POLAR], [15, 9, 20, 20])
    write(tmp_path, system)
    plain = measured(tmp_path)
    depth, range_, place = 0.7, 15.0, 0.35
    added = (
        '[[pair]]\nfirst = "Ar"\nsecond = "C"\npotential = "morse"\nadds = true\n'
        f"depth = {depth}\nalpha = {range_}\nr0 = {place}\n"
    )
    write(tmp_path, system, added)
    energy, force = 0.0, numpy.zeros((len(system.kind), 3))
    for a in numpy.flatnonzero(system.kind == 0):
        for b in numpy.flatnonzero(system.kind == 1):
            d = system.position[b] - system.position[a]
            d -= system.box * numpy.rint(d / system.box)
            r = numpy.linalg.norm(d)
            if r >= system.cutoff:
                continue
            decay = numpy.exp(-range_ * (r - place))
            energy += depth * ((1.0 - decay) ** 2 - 1.0)
            pull = 2.0 * depth * range_ * (1.0 - decay) * decay * d / r
            force[a] += pull
            force[b] -= pull
    assert abs(energy) > 1.0
    for ranks in (1, 3):
        both = measured(tmp_path, ranks)
        assert both["energy"] - plain["energy"] == pytest.approx(energy, abs=1e-7)
        numpy.testing.assert_allclose(
            numpy.array(both["force"]) - numpy.array(plain["force"]), force, atol=1e-6
        )
        numpy.testing.assert_allclose(both["torque"], plain["torque"], atol=1e-9)


# ---- charges


def electrolyte(quadrupolar: bool = True) -> tuple[Mixture, str]:
    """Ions, water, carbon dioxide, a polar molecule, and bent flexible molecules with charges."""
    dioxide = DIOXIDE if quadrupolar else Rigid("CO2", DIOXIDE.masses, DIOXIDE.wells)
    atoms = [
        Atom("Na", 22.99, 0.3, 0.25, 1.0),
        Atom("Cl", 35.45, 0.4, 0.42, -1.0),
        Atom("X", 14.0, 0.5, 0.34, 0.3),
        Atom("Y", 16.0, 0.6, 0.3, -0.6),
    ]
    rigid = [WATER, dioxide, POLAR]
    system = mixture(atoms, rigid, [5, 5, 0, 0, 16, 8, 8], factors={("X", "water"): (1.0, 0.8)})
    corners = places(4, 2.2, 0.03, 3)[42:52]
    legs = numpy.array([[-0.08, 0.06, 0.0], [0.0, 0.0, 0.0], [0.08, 0.06, 0.0]])
    bent = (corners[:, None] + legs).reshape(-1, 3)
    first = len(system.kind)
    system = system.copy(
        kind=numpy.concatenate([system.kind, numpy.tile([2, 3, 2], 10)]),
        position=numpy.concatenate([system.position, bent]),
        orientation=numpy.concatenate([system.orientation, numpy.tile([1.0, 0, 0, 0], (30, 1))]),
        excluded=[
            (first + 3 * n + a, first + 3 * n + b)
            for n in range(10) for a, b in ((0, 1), (1, 2), (0, 2))
        ],
        bonds=[
            (first + 3 * n + a, first + 3 * n + b, 0.11, 50000.0)
            for n in range(10) for a, b in ((0, 1), (1, 2))
        ],
        charges_far=True,
    )  # fmt: skip
    text = ""
    for name, count in (("Na", 5), ("Cl", 5), ("water", 16), ("CO2", 8), ("polar", 8)):
        text += f'[[molecule]]\nname = "{name}"\ncount = {count}\natom = [{{ type = "{name}" }}]\n'
    text += """\
[[molecule]]
name = "bent"
count = 10
excluded_bonds = 2
atom = [{ name = "X1", type = "X" }, { type = "Y" }, { name = "X2", type = "X" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = 50000
r0 = 0.11
atoms = [[1, 2], [2, 3]]
"""
    return system, text


def solver(kind: str) -> str:
    return f'[electrostatics]\nkind = "{kind}"\naccuracy = 1e-6\n[pressure_tensor]\ninterval = 1\n'


@pytest.mark.parametrize("kind", ["ewald", "fmm"])
def test_charges_of_both_in_one_sum(tmp_path, kind):
    system, molecules = electrolyte()
    # Who looks at pairs sees all of them in the rows of the longest range.
    observer = "[rdf]\ninterval = 1\n" if kind == "ewald" else ""
    write(tmp_path, system, solver(kind) + observer, molecules=molecules)
    alone = measured(tmp_path)
    compare(alone, system, 2e-6)
    for ranks in (2, 5):
        found = measured(tmp_path, ranks)
        for name in ("energy", "virial", "force", "torque"):
            scale = numpy.abs(alone[name]).max()
            # The tree of the multipole method may be another one on more ranks.
            slack = 1e-10 if kind == "ewald" else 1e-5
            numpy.testing.assert_allclose(found[name], alone[name], atol=slack * scale)


def test_types_without_molecules(tmp_path):
    """Charges of types, not of a topology."""
    atoms = [Atom("Na", 22.99, 0.3, 0.25, 1.0), Atom("Cl", 35.45, 0.4, 0.42, -1.0)]
    system = mixture(atoms, [WATER, DIOXIDE], [8, 8, 24, 12], charges_far=True)
    write(tmp_path, system, solver("fmm"))
    compare(measured(tmp_path), system, 2e-6)


def test_quadrupoles_need_one_charge_of_each_type(tmp_path):
    system, molecules = electrolyte()
    other = molecules.replace('{ name = "X1", type = "X" }', '{ type = "X", charge = 0.2 }')
    write(tmp_path, system, solver("fmm"), molecules=other)
    done = run_script(tmp_path, SCRIPT)
    assert done.returncode != 0
    assert 'atoms of type "X" have different charges, and the quadrupoles' in done.stderr


# ---- the same water as rotor and as constrained atoms

WATER_ATOMS = [Atom("O", 15.9994, 0.65, 0.3166, -0.8476), Atom("H", 1.008, 0.0, 0.1, 0.4238)]
OXYGEN_HYDROGEN = float(numpy.hypot(0.0816, 0.0576))
SHARE = 0.13  # of the way from oxygen to each hydrogen atom, to the charge of four-site water
_OXYGEN, _HYDROGEN = (numpy.array(WATER.masses[n][0]) for n in (0, 1))
CHARGE_PLACE = _OXYGEN + 2 * SHARE * (_HYDROGEN - _OXYGEN) * [0, 0, 1]


def four_site_water() -> Rigid:
    charges = [
        ((CHARGE_PLACE if n == 0 else place), q) for n, (place, q) in enumerate(WATER.charges)
    ]
    return Rigid("water", WATER.masses, WATER.wells, [(tuple(p), q) for p, q in charges])


def water_of(rotors: int, four_sites: bool = False, molecules: int = 64) -> tuple[str, str]:
    """The input and the start of the same water, of which so many molecules are rotors."""
    system = mixture([], [WATER], [molecules])
    rigid, atoms = WATER, WATER_ATOMS
    names, places_of_atoms = ["O", "H", "H"], [numpy.array(place) for place, _ in WATER.masses]
    more_atoms = more_sections = ""
    if four_sites:
        rigid = four_site_water()
        oxygen, hydrogen = WATER_ATOMS
        atoms = [
            Atom("O", oxygen.mass, oxygen.epsilon, oxygen.sigma), hydrogen,
            Atom("M", 0.0, 0.0, 0.1, oxygen.charge),
        ]  # fmt: skip
        names, places_of_atoms = [*names, "M"], [*places_of_atoms, CHARGE_PLACE]
        more_atoms = ', { type = "M" }'
        more_sections = (
            f'[[molecule.virtual_site]]\nkind = "3"\na = {SHARE}\nb = {SHARE}\n'
            "atoms = [4, 1, 2, 3]\n"
        )
    random = numpy.random.default_rng(11)
    lines = []
    for k in range(molecules):
        turn = rotation(system.orientation[k])
        center, velocity = system.position[k], random.normal(size=3) * 0.4
        momentum = turn @ (random.normal(size=3) * [0.1, 0.2, 0.2])
        if k < rotors:
            lines.append(("water", center, system.orientation[k], velocity, momentum))
            continue
        arms = [turn @ place for place in places_of_atoms]
        inertia = sum(
            m * (a @ a * numpy.eye(3) - numpy.outer(a, a))
            for a, (_, m) in zip(arms, WATER.masses, strict=False)
        )
        spin = numpy.linalg.solve(inertia, momentum)
        for name, arm in zip(names, arms, strict=True):
            at = center + arm, [1.0, 0, 0, 0], velocity + numpy.cross(spin, arm), numpy.zeros(3)
            lines.append((name, *at))
    text = f"{len(lines)}\n"
    text += 'Lattice="2.2 0 0 0 2.2 0 0 0 2.2" Properties=species:S:1:pos:R:3:'
    text += "orient:R:4:velo:R:3:angmom:R:3\n"
    for name, *columns in lines:
        text += f"{name} " + " ".join(repr(float(x)) for column in columns for x in column) + "\n"
    sections = ""
    if rotors < molecules:
        sections += "".join(atom.section() for atom in atoms)
    if rotors:
        sections += rigid.section()
    if 0 < rotors < molecules:
        sections += (
            f'[[molecule]]\nname = "rotor"\ncount = {rotors}\natom = [{{ type = "water" }}]\n'
        )
    if rotors < molecules:
        sections += f"""\
[[molecule]]
name = "atoms"
count = {molecules - rotors}
atom = [{{ type = "O" }}, {{ name = "H1", type = "H" }}, {{ name = "H2", type = "H" }}{more_atoms}]
[[molecule.constraint]]
distance = {OXYGEN_HYDROGEN!r}
atoms = [[1, 2], [1, 3]]
[[molecule.constraint]]
distance = {2 * 0.0816!r}
atoms = [[2, 3]]
[[molecule.exclusion]]
atoms = [[1, 2], [1, 3], [2, 3]]
{more_sections}"""
    interaction = """\
[interaction]
cutoff = 0.9
truncation = "truncated"
molecular_cutoff = "site"
tail_correction = true
[electrostatics]
kind = "fmm"
accuracy = 1e-6
"""
    return sections + interaction, text


def run_water(
    sterna, folder, rotors: int, steps: int, *arguments, run: str = "", more: str = "",
    four_sites: bool = False,
):  # fmt: skip
    sections, start = water_of(rotors, four_sites)
    name = f"water{rotors}"
    (folder / f"{name}.xyz").write_text(start)
    (folder / f"{name}.toml").write_text(
        f'{UNITS}[run]\nsteps = {steps}\ntimestep = 0.001\nprecision = "double"\n{run}\n'
        f'[start]\nkind = "file"\nfile = "{name}.xyz"\n{sections}'
        f"[output]\nthermo_interval = 5\n{more}"
    )
    done = sterna("run", f"{name}.toml", "--overwrite", *arguments)
    assert done.returncode == 0, done.stderr
    return read_log(folder / f"{name}.log.jsonl").rows


@pytest.mark.parametrize("four_sites", [False, True])
def test_water_of_both_kinds_is_water_of_one(sterna, tmp_path, four_sites):
    """Energies, temperature and pressure along a trajectory of rotors, atoms, and both."""
    all_rotors = run_water(sterna, tmp_path, 64, 100, four_sites=four_sites)
    for rotors, ranks in ((0, 1), (32, 1), (32, 3)):
        rows = run_water(sterna, tmp_path, rotors, 100, "-n", ranks, four_sites=four_sites)
        for row, expected in zip(rows, all_rotors, strict=True):
            for key in ("potential_energy", "kinetic_energy", "total_energy"):
                # Errors of the charges' forces part the trajectories.
                slack = 0.004 if row["step"] == 0 else 0.1
                assert row[key] == pytest.approx(expected[key], abs=slack), (row, key)
        # The pressure of centers of mass, from that of atoms with constraints or of rotors, without
        # what becomes of the momentum of the whole.
        first, expected = (
            row["virial"] + 2.0 * (row["kinetic_energy"] - row.get("rotational_energy", 0.0))
            for row in (rows[0], all_rotors[0])
        )
        assert first == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("algorithm", ["settle", "shake"])
def test_constrained_water_beside_rotors_by_every_algorithm(sterna, tmp_path, algorithm):
    all_rotors = run_water(sterna, tmp_path, 64, 40)
    rows = run_water(
        sterna, tmp_path, 32, 40,
        run=f'constraint_algorithm = "{algorithm}"\nconstraint_tolerance = 1e-10',
    )  # fmt: skip
    for row, expected in zip(rows, all_rotors, strict=True):
        for key in ("potential_energy", "kinetic_energy", "total_energy"):
            slack = 0.004 if row["step"] == 0 else 0.05
            assert row[key] == pytest.approx(expected[key], abs=slack), (row, key)


# ---- motion


def test_energy_is_conserved_and_ranks_agree(sterna, tmp_path):
    system, molecules = electrolyte(quadrupolar=False)
    # Nothing jumps where a site comes to the cutoff.
    system = system.copy(site_cutoff=True)
    rows = {}
    for ranks in (1, 3):
        write(
            tmp_path, system,
            '[electrostatics]\nkind = "fmm"\naccuracy = 1e-5\nsmoothing = 0.3\n'
            "[output]\nthermo_interval = 10\n",
            molecules=molecules,
        )  # fmt: skip
        text = (tmp_path / "mixed.toml").read_text()
        text = text.replace("steps = 0\ntimestep = 0.001", "steps = 400\ntimestep = 0.0005")
        text = text.replace('file = "mixed.xyz"', 'file = "mixed.xyz"\ntemperature = 200')
        text = text.replace('truncation = "truncated"', 'truncation = "shifted"')
        (tmp_path / "mixed.toml").write_text(text)
        done = sterna("run", "mixed.toml", "-n", ranks, "--overwrite")
        assert done.returncode == 0, done.stderr
        rows[ranks] = read_log(tmp_path / "mixed.log.jsonl").rows
    total = numpy.array([row["total_energy"] for row in rows[1]])
    kinetic = numpy.array([row["kinetic_energy"] for row in rows[1]])
    assert kinetic.std() > 20 * total.std()
    for alone, shared in zip(rows[1][:4], rows[3][:4], strict=True):
        for key in ("potential_energy", "kinetic_energy", "pressure"):
            # Another number of ranks may have another tree.
            assert shared[key] == pytest.approx(alone[key], rel=1e-5)


def test_a_resumed_run_has_the_same_bits(tmp_path):
    system, molecules = electrolyte()
    write(tmp_path, system, solver("fmm").replace("1e-6", "1e-4"), molecules=molecules)
    script = """
    import sterna
    settings = sterna.Input.read("mixed.toml")
    settings = settings.replace(thermostat={
        "kind": "langevin", "temperature": 300, "time_constant": 0.1})
    simulation = sterna.Simulation(settings)
    simulation.run(30)
    simulation.save("mixed.checkpoint")
    simulation.run(30)
    again = sterna.Simulation.resume("mixed.checkpoint", settings)
    again.run(30)
    for name in ("position", "velocity", "orientation", "angular_momentum", "force", "torque"):
        assert (simulation.gather(name) == again.gather(name)).all(), name
    """
    script_output(tmp_path, script)
    script_output(tmp_path, script, ranks=2)


def test_constant_pressure_with_all_kinds(sterna, tmp_path):
    """Rotors, constrained atoms and flexible molecules follow the box; degrees of freedom count."""
    rows = run_water(
        sterna, tmp_path, 32, 200, "-n", 2,
        more="""
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 300
time_constant = 0.05
[barostat]
kind = "stochastic_cell_rescaling"
pressure = "1 bar"
time_constant = 0.5
bulk_modulus = "22 kbar"
""",
    )  # fmt: skip
    volumes = {row["volume"] for row in rows}
    assert len(volumes) > 10
    kinetic, temperature = rows[-1]["kinetic_energy"], rows[-1]["temperature"]
    # 32 rotors and 32 constrained molecules have six degrees each, but for the momentum.
    assert kinetic == pytest.approx(
        0.5 * (64 * 6 - 3) * 0.00831446261815324 * temperature, rel=1e-6
    )


# ---- solids


def test_silicon_beside_rotors(tmp_path):
    basis = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    basis = numpy.concatenate([basis, basis + 0.25])
    edge = 0.5431
    corners = numpy.stack(numpy.meshgrid(range(4), range(4), range(2), indexing="ij"), axis=-1)
    random = numpy.random.default_rng(2)
    silicon = ((corners.reshape(-1, 1, 3) + basis).reshape(-1, 3) + 0.1) * edge
    silicon += random.uniform(-0.01, 0.01, silicon.shape)
    count = 32
    gas = numpy.stack(numpy.meshgrid(range(4), range(4), range(2), indexing="ij"), axis=-1)
    gas = (gas.reshape(-1, 3) + 0.5) * [edge, edge, 0.45] + [0.0, 0.0, 1.35]
    atom = Atom("Si", 28.0855, 1.7, 0.38)
    turn = random.normal(size=(count, 4))
    system = Mixture(
        atoms=[atom],
        rigid=[DIOXIDE, POLAR],
        box=numpy.array([4 * edge, 4 * edge, 2.6]),
        kind=numpy.concatenate([numpy.zeros(len(silicon), int), numpy.arange(count) % 2 + 1]),
        position=numpy.concatenate([silicon, gas]),
        orientation=numpy.concatenate([
            numpy.tile([1.0, 0, 0, 0], (len(silicon), 1)),
            turn / numpy.linalg.norm(turn, axis=1)[:, None],
        ]),
        cutoff=1.0,
        without_pairs={"Si"},
        factors={("Si", "CO2"): (1.0, 0.9)},
    )  # fmt: skip
    write(tmp_path, system)
    text = (tmp_path / "mixed.toml").read_text()
    text = text.replace('name = "Si"\n', 'name = "Si"\ntersoff = "Si(C)"\n', 1)
    (tmp_path / "mixed.toml").write_text(text)
    both = measured(tmp_path)
    alone = system.copy(kind=system.kind[: len(silicon)], position=silicon, rigid=[], factors={})
    (tmp_path / "mixed.xyz").write_text(alone.start_file())
    bare = text[: text.index("[[component]]")]
    bare = bare.replace('tersoff = "Si(C)"\n', "").replace("epsilon = 1.7\nsigma = 0.38\n", "")
    bare = bare.replace('name = "Si"\n', 'name = "Si"\ntersoff = "Si(C)"\n')
    (tmp_path / "mixed.toml").write_text(bare + '[interaction]\npotential = "tersoff"\n')
    solid = json.loads(script_output(tmp_path, SCRIPT.replace('"force", "torque"', '"force",')))
    assert both["energy"] - solid["energy"] == pytest.approx(system.energy(), abs=1e-6)
    force, torque = numpy.array(both["force"]), numpy.array(both["torque"])
    force[: len(silicon)] -= numpy.array(solid["force"])
    for particle in (*range(180, 256, 7), *range(256, 288, 3)):
        assert force[particle] == pytest.approx(system.force(particle), abs=1e-3)
    for particle in range(256, 288, 3):
        assert torque[particle] == pytest.approx(system.torque(particle), abs=1e-3)
    (tmp_path / "mixed.xyz").write_text(system.start_file())
    (tmp_path / "mixed.toml").write_text(text)
    for ranks in (2, 5):
        found = measured(tmp_path, ranks)
        for name in ("energy", "virial", "force", "torque"):
            numpy.testing.assert_allclose(found[name], both[name], rtol=1e-10, atol=1e-7)


# ---- corrections beyond the cutoff


def test_homogeneous_and_planar_corrections(tmp_path):
    system = mixture([ARGON], [POLAR], [32, 32], site_cutoff=True)
    found = {}
    for kind in ("none", "homogeneous", "planar"):
        write(tmp_path, system)
        text = (tmp_path / "mixed.toml").read_text() + f'tail_correction = "{kind}"\n'
        (tmp_path / "mixed.toml").write_text(text)
        found[kind] = json.loads(
            script_output(
                tmp_path,
                "import json, sterna\n"
                'simulation = sterna.Simulation.from_file("mixed.toml")\n'
                "simulation.measure()\n"
                'print(json.dumps(simulation.thermo["potential_energy"]))\n',
            )
        )
    sites = [(0.9961, 0.3405)] * 32 + [well[1:] for well in POLAR.wells] * 32
    expected, volume, rc = 0.0, float(system.box.prod()), system.cutoff
    for e1, s1 in sites:
        for e2, s2 in sites:
            e, s6 = (e1 * e2) ** 0.5, ((s1 + s2) / 2) ** 6
            expected += 8 * numpy.pi * e / volume * (s6**2 / (9 * rc**9) - s6 / (3 * rc**3))
    assert found["homogeneous"] - found["none"] == pytest.approx(expected, rel=1e-9)
    assert found["planar"] - found["none"] == pytest.approx(expected, rel=0.05)


# ---- starts and files


def test_starts_of_all_kinds(tmp_path):
    system = mixture([ARGON, CARBON], [DIOXIDE, POLAR], [15, 9, 20, 20])
    write(tmp_path, system, "[output]\ntrajectory_interval = 1\n"
          'trajectory_precision = "double"\n'
          'trajectory_fields = ["position", "orientation"]\n')  # fmt: skip
    script = """
    import json, numpy, sterna
    settings = sterna.Input.read("mixed.toml")
    first = sterna.Simulation.from_file("mixed.toml", files=True)
    first.run(0)
    energy = first.thermo["potential_energy"]
    arrays = {name: first.gather(name) for name in ("position", "orientation", "type")}
    box, place = first.box.length, (first.rank, first.ranks)
    first.save("whole.checkpoint")
    first.close()
    def energy_of(start, system=None):
        simulation = sterna.Simulation(settings.replace(start=start) if start else settings, system)
        simulation.measure()
        return simulation.thermo["potential_energy"]
    assert abs(energy_of({"kind": "file", "file": "mixed.h5md"}) - energy) < 1e-9
    assert energy_of({"kind": "file", "file": "whole.checkpoint"}) == energy
    without = settings.replace(start=None, output=None)
    system = sterna.System.from_arrays(box, **arrays).share(*place)
    simulation = sterna.Simulation(without, system)
    simulation.measure()
    assert abs(simulation.thermo["potential_energy"] - energy) < 1e-9
    # Shares of a lattice, whose atoms have the orientation of the laboratory.
    start = {"kind": "lattice", "particles": 400, "density": 2.0, "temperature": 100}
    simulation = sterna.Simulation(without.replace(start=start))
    kinds = simulation.gather("type")
    assert sorted(set(numpy.bincount(kinds))) == [100]
    turned = simulation.gather("orientation")
    assert (turned[kinds < 2] == [1, 0, 0, 0]).all()
    assert numpy.unique(turned[kinds >= 2], axis=0).shape == (200, 4)
    simulation.run(20)
    """
    script_output(tmp_path, script)
    script_output(tmp_path, script, ranks=3)


def test_trajectories_have_the_sites_of_both(sterna, tmp_path):
    system, molecules = electrolyte()
    write(
        tmp_path, system,
        solver("fmm").replace("1e-6", "1e-3")
        + "[xyz]\ninterval = 1\n[output]\ntrajectory_interval = 1\nxtc_interval = 1\n"
        'trajectory_fields = ["position", "orientation"]\n',
        molecules=molecules,
    )  # fmt: skip
    done = sterna("run", "mixed.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    exported = sterna("export", "mixed.h5md", "exported.extxyz")
    assert exported.returncode == 0, exported.stderr

    def table(path):
        lines = path.read_text().splitlines()
        return [line.split() for line in lines[2 : 2 + int(lines[0])]]

    whole, running = (
        table(tmp_path / "exported.extxyz"),
        table(tmp_path / "mixed.trajectory.xyz"),
    )
    sites = 10 + 16 * 3 + 8 * 5 + 8 * 3 + 30
    assert len(running) == len(whole) == sites
    assert [row[0] for row in running] == [row[0] for row in whole]
    for mine, other in zip(running, whole, strict=True):
        d = numpy.array(mine[1:4], float) - numpy.array(other[1:4], float)
        assert abs(d - 22.0 * numpy.rint(d / 22.0)).max() < 2e-3


# ---- what makes no sense

LENNARD_JONES = '[interaction]\ncutoff = 1.0\ntruncation = "truncated"\n'


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[[pair]]\nfirst = "Ar"\nsecond = "CO2"\nsigma = 0.3\n' + LENNARD_JONES,
         '"sigma" in [[pair]] has no meaning with [[component]]s'),
        ('[[pair]]\nfirst = "Ar"\nsecond = "C"\nsigma = 0.3\neta = 1.1\n' + LENNARD_JONES,
         '"eta" in [[pair]] is a factor of the mixed sigma'),
        ('[[pair]]\nfirst = "CO2"\nsecond = "Ar"\npotential = "morse"\n' + LENNARD_JONES,
         '"potential" in [[pair]] is there for two [[type]]s'),
        (LENNARD_JONES.replace("truncated", "force_shifted"),
         'truncation = "force_shifted" is not there for [[component]]s'),
        (LENNARD_JONES + 'potential = "tersoff"\n',
         '"potential" in [interaction] is "tersoff", which says nothing of [[component]]s'),
        (LENNARD_JONES + '[electrostatics]\nkind = "reaction_field"\n',
         "the [[component]] \"CO2\" has charges, dipoles or quadrupoles"),
        (LENNARD_JONES + '[[molecule]]\nname = "x"\ncount = 1\n'
         'atom = [{ type = "Ar" }, { type = "CO2" }]\n',
         '"CO2" is a [[component]], a rigid molecule, to which nothing is bonded'),
        (LENNARD_JONES + '[[molecule]]\nname = "x"\ncount = 1\n'
         'atom = [{ type = "CO2", charge = 1.0 }]\n',
         '"CO2" is a [[component]], whose sites have the charges'),
        (LENNARD_JONES + '[[type]]\nname = "CO2"\nmass = 1.0\nepsilon = 1.0\nsigma = 0.3\n',
         'there is already a [[type]] with the name "CO2"'),
        ('[[pair]]\nfirst = "Ar"\nsecond = "CO3"\nxi = 1.1\n' + LENNARD_JONES,
         'no [[type]] or [[component]] has the name "CO3"; did you mean "CO2"?'),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_an_error(sterna, tmp_path, more, message):
    system = mixture([ARGON, CARBON], [DIOXIDE], [4, 4, 4])
    write(tmp_path, system)
    text = (tmp_path / "mixed.toml").read_text()
    (tmp_path / "mixed.toml").write_text(text[: text.index("[interaction]")] + more)
    done = sterna("check", "mixed.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
