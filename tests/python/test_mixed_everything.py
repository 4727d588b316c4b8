"""All kinds of matter in one system, with all that a run may have: derivatives of the energy, ranks and
exchanges, motion, temperature, pressure, restarts, and files."""

import json

import numpy
import pytest
from engine_support import script_output
from mixed_everything import MOLECULES, Everything
from mixed_matter import Atom
from sterna import read_log
from test_rotors_and_atoms import DIOXIDE, POLAR, WATER, mixture, solver, write

STATE = """
import json, numpy, sterna
simulation = sterna.Simulation.from_file("all.toml")
simulation.measure()
found = {
    "energy": simulation.thermo["potential_energy"],
    "virial": simulation.virial_tensor().tolist(),
    **{name: simulation.gather(name).tolist() for name in ("force", "torque", "position")},
}
if simulation.rank == 0:
    print(json.dumps(found))
"""


def state(folder, ranks: int = 1) -> dict:
    found = json.loads(script_output(folder, STATE, ranks=ranks))
    return {name: numpy.array(value) for name, value in found.items()}


def test_forces_torques_and_virials_are_derivatives(tmp_path):
    """Of places, of orientations, and of the box with its shears: restraints, walls and a field are
    there, too."""
    Everything().write(
        tmp_path, charges="ewald", accuracy=1e-8,
        more="""\
[pressure_tensor]
interval = 1
[[restraint]]
stiffness = 500
component = "CO2"
place = [1.0, 1.0, 2.0]
[[wall]]
potential = "lj_9_3"
position = 3.6
side = "below"
epsilon = 2.0
sigma = 0.3
cutoff = 1.5
component = "water"
[[field]]
electric_field = [0.0, 0.1, 0.2]
component = "water"
""",
    )  # fmt: skip
    script_output(
        tmp_path,
        """
        import numpy, sterna
        simulation = sterna.Simulation.from_file("all.toml")
        def energy():
            simulation.measure()
            return simulation.thermo["potential_energy"]
        energy()
        force, torque = simulation.gather("force"), simulation.gather("torque")
        position, turn = simulation.gather("position"), simulation.gather("orientation")
        names = numpy.array(simulation.type_names)[simulation.gather("type")]
        size = numpy.sqrt((force**2).mean())
        h = 1e-5
        def product(a, b):
            w, v = a[0], a[1:]
            return numpy.array([w * b[0] - v @ b[1:], *(w * b[1:] + b[0] * v + numpy.cross(v, b[1:]))])
        for name in ("Si", "Ar", "Na", "X", "water", "CO2"):
            particle = numpy.flatnonzero(names == name)[3]
            for axis in (0, 2):
                energies = []
                for sign in (1, -1):
                    moved = position.copy()
                    moved[particle, axis] += sign * h
                    simulation.set("position", moved)
                    energies.append(energy())
                simulation.set("position", position)
                found = (energies[1] - energies[0]) / (2 * h)
                assert abs(found - force[particle, axis]) < 2e-4 * size, (name, axis)
                if name not in ("water", "CO2"):
                    continue
                energies = []
                for sign in (1, -1):
                    q = numpy.zeros(4)
                    q[0], q[1 + axis] = numpy.cos(h / 2), sign * numpy.sin(h / 2)
                    turned = turn.copy()
                    turned[particle] = product(q, turn[particle])
                    simulation.set("orientation", turned)
                    energies.append(energy())
                simulation.set("orientation", turn)
                found = (energies[1] - energies[0]) / (2 * h)
                assert abs(found - torque[particle, axis]) < 2e-4 * size, (name, axis)
        """,
    )


BY_THE_BOX = """
import numpy, sterna
simulation = sterna.Simulation.from_file("NAME.toml")
simulation.measure()
virial = simulation.virial_tensor()
size = numpy.sqrt((simulation.gather("force")**2).mean())
length = numpy.array(simulation.box.length)
h = 2e-6
def energy(edges, tilt):
    simulation.set_box(edges, tilt)
    simulation.measure()
    return simulation.thermo["potential_energy"]
for axis in range(3):
    energies = []
    for sign in (1, -1):
        edges = length.copy()
        edges[axis] *= 1 + sign * h
        energies.append(energy(edges, [0, 0, 0]))
    found = (energies[1] - energies[0]) / (2 * h)
    assert abs(found - virial[axis, axis]) < 2e-3 * size, (axis, found, virial)
for k, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
    energies = []
    for sign in (1, -1):
        tilt = [0.0, 0.0, 0.0]
        tilt[k] = sign * h * length[b]
        energies.append(energy(length, tilt))
    found = (energies[1] - energies[0]) / (2 * h)
    assert abs(found - virial[a, b]) < 2e-3 * size, (a, b, found, virial)
"""


def test_the_virial_is_the_derivative_by_the_box(tmp_path):
    # Of constraints, whose forces are no derivatives, there are none.
    everything = Everything(without=["atomic_water"])
    everything.write(
        tmp_path, charges="ewald", accuracy=1e-8, more="[pressure_tensor]\ninterval = 1\n"
    )
    script_output(tmp_path, BY_THE_BOX.replace("NAME", "all"))


def test_the_virial_of_charges_beside_dipoles_is_the_derivative_by_the_box(tmp_path):
    atoms = [Atom("Na", 22.99, 0.3, 0.25, 1.0), Atom("Cl", 35.45, 0.4, 0.42, -1.0)]
    system = mixture(atoms, [WATER, POLAR], [8, 8, 20, 28], charges_far=True, site_cutoff=True)
    write(tmp_path, system, solver("ewald").replace("1e-6", "1e-8"))
    script_output(tmp_path, BY_THE_BOX.replace("NAME", "mixed"))


def test_any_number_of_ranks(tmp_path):
    Everything().write(tmp_path, charges="ewald", more="[pressure_tensor]\ninterval = 1\n")
    alone = state(tmp_path)
    for ranks in (2, 3, 5, 9):
        shared = state(tmp_path, ranks)
        for name, value in alone.items():
            slack = 1e-10 * abs(value).max()
            numpy.testing.assert_allclose(shared[name], value, atol=slack, err_msg=name)


def test_every_exchange_method_gives_the_same_bits(tmp_path):
    Everything().write(
        tmp_path, start="temperature = 600", accuracy=1e-3, smoothing=0.0,
        # Regions of equal numbers of particles: measured times would cut them elsewhere each time.
        more='[domain]\ndecomposition = "bisection"\nweights = "particles"\nrebalance_interval = 20\n'
        '[[thermostat]]\nkind = "langevin"\ntemperature = 600\ntime_constant = 0.1\n',
    )  # fmt: skip
    script_output(
        tmp_path,
        """
        import numpy, sterna
        from sterna import comm
        settings = sterna.Input.read("all.toml")
        halos = [m.name for m in comm.neighbor_methods()]
        moves = [m.name for m in comm.sparse_methods()]
        assert len(halos) > 4 and len(moves) > 4
        first = None
        for n in range(max(len(halos), len(moves))):
            halo, migration = halos[n % len(halos)], moves[n % len(moves)]
            try:
                simulation = sterna.Simulation(settings.replace(communication={
                    "halo": halo, "migration": migration, "fmm": halo}))
            except sterna.SternaError as error:
                reasons = ("is not available", "cannot", "does not work here")
                assert any(reason in str(error) for reason in reasons), error
                continue
            simulation.run(40)
            found = [simulation.gather(name) for name in ("position", "orientation", "velocity")]
            simulation.close()
            first = found if first is None else first
            for one, other in zip(first, found):
                assert (one == other).all(), (halo, migration)
        """,
        ranks=3,
    )


@pytest.mark.parametrize("steps", ["", "[multiple_time_steps]\npairs = 2\nfar_field = 4\n"])
def test_time_can_be_reversed(tmp_path, steps):
    everything = Everything(quadrupoles=False)
    everything.write(
        tmp_path, start="temperature = 300", accuracy=1e-4, run="constraint_tolerance = 1e-12",
        solver='precision = "double"\n', more=steps,
    )  # fmt: skip
    script_output(
        tmp_path,
        """
        import numpy, sterna
        simulation = sterna.Simulation.from_file("all.toml")
        simulation.run(0)
        names = ("position", "orientation", "velocity")
        start = {name: simulation.gather(name) for name in names}
        simulation.run(80)
        moved = simulation.gather("position") - start["position"]
        for name in ("velocity", "angular_momentum"):
            simulation.set(name, -simulation.gather(name))
        simulation.run(80)
        box = numpy.array(simulation.box.length)
        off = simulation.gather("position") - start["position"]
        off -= box * numpy.rint(off / box)
        moved -= box * numpy.rint(moved / box)
        assert abs(moved).max() > 0.02
        assert abs(off).max() < 1e-8, abs(off).max()
        turned = abs((simulation.gather("orientation") * start["orientation"]).sum(axis=1))
        assert abs(turned - 1.0).max() < 1e-10
        names = numpy.array(simulation.type_names)[simulation.gather("type")]
        off = abs(simulation.gather("velocity") + start["velocity"]).max(axis=1)
        assert off[names != "M"].max() < 1e-5, dict(zip(names, off))
        """,
    )


def total_energies(
    sterna, folder, name: str, ranks: int = 1
) -> tuple[numpy.ndarray, numpy.ndarray]:
    done = sterna("run", f"{name}.toml", "-n", ranks, "--overwrite")
    assert done.returncode == 0, done.stderr
    rows = read_log(folder / f"{name}.log.jsonl").rows
    return (
        numpy.array([row["conserved_energy"] for row in rows]),
        numpy.array([row["kinetic_energy"] for row in rows]),
    )


NOSE_HOOVER = """
[thermostat]
kind = "nose_hoover_chain"
temperature = 300
time_constant = 0.05
"""


@pytest.mark.parametrize(
    ("case", "run", "more"),
    [
        ("double", "", ""),
        ("mixed", 'precision = "mixed"', ""),
        ("steps", "", "[multiple_time_steps]\npairs = 2\nfar_field = 2\n"),
        ("restrained", "", '[[group]]\nname = "held"\nselect = "molecule plate or molecule dioxide"\n'
         '[[restraint]]\ngroups = ["held"]\nstiffness = 2000\n'),
        ("thermostat", "", NOSE_HOOVER),
        ("isotropic", "", NOSE_HOOVER + '[barostat]\nkind = "martyna_tobias_klein"\n'
         'pressure = "1 kbar"\ntime_constant = 0.5\ninterval = 2\n'),
        ("anisotropic", "", NOSE_HOOVER + '[barostat]\nkind = "martyna_tobias_klein"\n'
         'pressure = "1 kbar"\ntime_constant = 0.5\ninterval = 2\ncoupling = "anisotropic"\n'),
    ],
    ids=lambda value: value if value and value.isalpha() else "",
)  # fmt: skip
def test_energy_is_conserved(sterna, tmp_path, case, run, more):
    everything = Everything(quadrupoles=False)
    everything.write(
        tmp_path, steps=400, run=run, start="temperature = 300", accuracy=1e-4,
        more="[output]\nthermo_interval = 4\n" + more,
    )  # fmt: skip
    conserved, kinetic = total_energies(sterna, tmp_path, "all")
    # The start is no equilibrium: what is kinetic rises by a multiple of what it was.
    assert kinetic.max() - kinetic.min() > 300.0
    assert conserved.std() < 0.01 * (kinetic.max() - kinetic.min()), case
    half = len(conserved) // 2
    drift = conserved[half:].mean() - conserved[:half].mean()
    assert abs(drift) < 0.01 * (kinetic.max() - kinetic.min())


def test_a_solid_beside_a_gas_is_shared_out_by_cost(tmp_path):
    """Regions that are cut again while the run goes on: the trajectory stays the same."""
    everything = Everything()
    script = """
    import json, sterna
    simulation = sterna.Simulation.from_file("all.toml")
    simulation.run(40)
    found = {name: simulation.gather(name).tolist() for name in ("position", "orientation")}
    if simulation.rank == 0:
        print(json.dumps(found))
    """
    found = []
    for ranks in (1, 3, 4):
        everything.write(
            tmp_path, start="temperature = 600", charges="ewald",
            more='[domain]\ndecomposition = "bisection"\nrebalance_interval = 10\n',
        )  # fmt: skip
        found.append(json.loads(script_output(tmp_path, script, ranks=ranks)))
    for other in found[1:]:
        for name, value in found[0].items():
            numpy.testing.assert_allclose(other[name], value, atol=1e-8)


def test_a_checkpoint_goes_on_with_other_ranks(tmp_path):
    Everything().write(
        tmp_path, start="temperature = 300", accuracy=1e-4,
        solver='precision = "double"\n', more=NOSE_HOOVER,
    )  # fmt: skip
    script_output(
        tmp_path,
        """
        import numpy, sterna
        settings = sterna.Input.read("all.toml")
        simulation = sterna.Simulation(settings)
        simulation.run(20)
        simulation.save("all.checkpoint")
        names = ("position", "velocity", "orientation", "angular_momentum")
        saved = {name: simulation.gather(name) for name in names}
        simulation.run(20)
        later = {name: simulation.gather(name) for name in names}
        numpy.savez("saved.npz", **saved)
        numpy.savez("later.npz", **later)
        """,
    )
    for ranks in (1, 2, 5):
        script_output(
            tmp_path,
            """
            import numpy, sterna
            settings = sterna.Input.read("all.toml")
            simulation = sterna.Simulation.resume("all.checkpoint", settings)
            names = ("position", "velocity", "orientation", "angular_momentum")
            saved, later = numpy.load("saved.npz"), numpy.load("later.npz")
            for name in names:
                assert (simulation.gather(name) == saved[name]).all(), name
            simulation.run(20)
            for name in names:
                off = abs(simulation.gather(name) - later[name]).max()
                assert off <= (0.0 if simulation.ranks == 1 else 1e-9), (name, off)
            """,
            ranks=ranks,
        )


def test_every_kind_of_motion_has_its_temperature(tmp_path):
    """Two parts at two temperatures, by thermostats of components; then all kinds in one bath."""
    everything = Everything(quadrupoles=False)
    part = '[[thermostat]]\nkind = "langevin"\ntime_constant = 0.005\n'
    everything.write(
        tmp_path, timestep=0.001, start="temperature = 300", accuracy=1e-3, smoothing=0.1,
        run='precision = "mixed"',
        more=part + 'component = "water"\ntemperature = 500\n' + part
        + 'component = "Si"\ntemperature = 250\n',
    )  # fmt: skip
    script_output(
        tmp_path,
        """
        import numpy, sterna
        settings = sterna.Input.read("all.toml")
        boltzmann = 0.00831446261815324
        def masses(simulation, names):
            mass = {"Si": 28.0855, "Ar": 39.948, "Na": 22.99, "Cl": 35.45, "X": 14.0, "Y": 16.0,
                    "O": 15.9994, "H": 1.008, "M": 0.0, "water": 18.0154, "CO2": 44.009}
            return numpy.array([mass[name] for name in names])
        simulation = sterna.Simulation(settings)
        names = numpy.array(simulation.type_names)[simulation.gather("type")]
        mass = masses(simulation, names)
        hydrogen, carbon_dioxide = 1.008 * 2 * 0.0816**2, 2 * 15.999 * 0.115**2
        def rotation_energy(simulation):
            # By what the log has of all rotors.
            return simulation.thermo["rotational_energy"]
        simulation.run(800)
        found = {"water": [], "Si": []}
        for _ in range(150):
            simulation.run(10)
            velocity = simulation.gather("velocity")
            for name in found:
                own = names == name
                energy = 0.5 * (mass[own][:, None] * velocity[own]**2).sum()
                found[name].append(energy / (0.5 * 3 * own.sum() * boltzmann))
        for name, wanted in (("water", 500), ("Si", 250)):
            values = numpy.array(found[name])
            error = values.std() / len(values)**0.5
            # Heat flows from the one part to the other, so neither is quite at its temperature.
            assert abs(values.mean() - wanted) < 5 * error + 0.03 * wanted, (name, values.mean(), error)
        simulation.close()

        bath = {"kind": "langevin", "time_constant": 0.01, "temperature": 400}
        simulation = sterna.Simulation(settings.replace(thermostat=bath))
        simulation.run(1000)
        rotors = numpy.isin(names, ["water", "CO2"])
        constrained = numpy.isin(names, ["O", "H", "M"])
        degrees = {"translation": 3 * rotors.sum(), "rotation": 3 * 16 + 2 * 10,
                   "solid": 3 * (names == "Si").sum(), "constrained": 6 * 6}
        free = ~rotors & ~constrained & (names != "Si")
        degrees["atoms"] = 3 * free.sum()
        sums = {name: [] for name in degrees}
        for _ in range(200):
            simulation.run(10)
            energy = 0.5 * mass * (simulation.gather("velocity")**2).sum(axis=1)
            of = {"translation": energy[rotors].sum(), "solid": energy[names == "Si"].sum(),
                  "constrained": energy[constrained].sum(), "atoms": energy[free].sum(),
                  "rotation": rotation_energy(simulation)}
            for name, value in of.items():
                sums[name].append(value / (0.5 * degrees[name] * boltzmann))
        mean = {name: numpy.mean(values) for name, values in sums.items()}
        for name, value in mean.items():
            blocks = numpy.array(sums[name]).reshape(10, 20).mean(axis=1)
            error = blocks.std() / 3
            assert abs(value - 400) < 4 * error + 8, (name, mean, error)
        # The log's temperature counts the same degrees, but for those of the momentum.
        total = simulation.thermo
        expected = 2 * total["kinetic_energy"] / boltzmann / sum(degrees.values())
        assert abs(total["temperature"] - expected) < 1e-6 * expected
        """,
        timeout=1200,
    )


def test_files_and_selections_know_all_kinds(sterna, tmp_path):
    everything = Everything()
    everything.write(
        tmp_path, steps=10, start="temperature = 300", accuracy=1e-3, smoothing=0.0,
        more="""\
[[group]]
name = "solid"
select = "molecule plate"
[[group]]
name = "rigid"
select = "molecule rigid_water or molecule dioxide"
[[group]]
name = "ends"
select = "name X1 or name X2"
[rdf]
interval = 5
groups = ["rigid", "ends"]
[profile]
interval = 5
axis = "z"
[xyz]
interval = 5
[dcd]
interval = 5
groups = ["rigid", "ends"]
[output]
trajectory_interval = 5
trajectory_fields = ["position", "orientation", "velocity", "angular_momentum"]
xtc_interval = 5
""",
    )  # fmt: skip
    done = sterna("run", "all.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    # Sites: of each atom one, of water three, of carbon dioxide as many points as it has.
    of_dioxide = len({place for what in ("masses", "wells", "quadrupoles")
                      for place, *_ in getattr(DIOXIDE, what)})  # fmt: skip
    atoms = sum(count * len(types) for name, (count, types) in MOLECULES.items()
                if name not in ("rigid_water", "dioxide"))  # fmt: skip
    sites = atoms + 3 * 16 + of_dioxide * 10
    running = (tmp_path / "all.trajectory.xyz").read_text().splitlines()
    assert int(running[0]) == sites
    for suffix in ("extxyz", "pdb", "gro", "lammpstrj", "xtc", "dcd", "trr", "gsd"):
        exported = sterna("export", "all.h5md", f"exported.{suffix}")
        if "pip install" in exported.stderr:
            continue
        assert exported.returncode == 0, (suffix, exported.stderr)
        text = (tmp_path / f"exported.{suffix}").read_bytes()
        if suffix in ("extxyz", "gro"):
            lines = text.decode().splitlines()
            assert int(lines[1 if suffix == "gro" else 0]) == sites
        elif suffix == "pdb":
            atoms_of_file = [line for line in text.decode().split("ENDMDL")[0].splitlines()
                             if line.startswith(("ATOM", "HETATM"))]  # fmt: skip
            assert len(atoms_of_file) == sites
        else:
            assert len(text) > 4 * sites
    import h5py

    with h5py.File(tmp_path / "all.h5md") as file:
        particles = file["particles/trajectory"]
        assert particles["position/value"].shape == (3, len(everything.names), 3)
        turned = particles["orientation/value"][-1]
        momenta = particles["angular_momentum/value"][-1]
    rotors = numpy.isin(everything.molecule, ["rigid_water", "dioxide"])
    assert (turned[~rotors] == [1, 0, 0, 0]).all() and not momenta[~rotors].any()
    assert abs(numpy.linalg.norm(turned[rotors], axis=1) - 1.0).max() < 1e-12
    assert abs(momenta[rotors]).max(axis=1).min() > 0.0


def test_arrays_of_all_kinds_are_a_start(tmp_path):
    Everything().write(tmp_path, start="temperature = 300", accuracy=1e-4)
    script = """
    import numpy, sterna
    settings = sterna.Input.read("all.toml")
    first = sterna.Simulation(settings)
    first.measure()
    names = ("position", "velocity", "orientation", "type", "id")
    arrays = {name: first.gather(name) for name in names}
    system = sterna.System.from_arrays(first.box.length, **arrays).share(first.rank, first.ranks)
    second = sterna.Simulation(settings.replace(start=None), system)
    second.set("angular_momentum", first.gather("angular_momentum"))
    for simulation in (first, second):
        simulation.run(5)
    for name in ("potential_energy", "kinetic_energy"):
        off = abs(second.thermo[name] - first.thermo[name])
        assert off < 1e-9 * abs(first.thermo[name]), (name, off)
    """
    script_output(tmp_path, script)
    script_output(tmp_path, script, ranks=2)
