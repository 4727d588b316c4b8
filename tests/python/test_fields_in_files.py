"""Fields that a script adds to the particles: in trajectories, and from stage to stage."""

import numpy
import pytest
import sterna
from engine_support import script_output
from sterna import Trajectory

INPUT = """\
units = "reduced"
[run]
name = "melt"
timestep = 0.002
{steps}
[start]
kind = "lattice"
cells = [4, 4, 5]
density = 0.6
temperature = 2.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[output]
directory = "output"
thermo_interval = 20
trajectory_interval = 20
trajectory_precision = "{precision}"
"""
STAGES = """\
[[stage]]
name = "first"
[stage.run]
steps = 40
[[stage]]
name = "second"
[stage.run]
steps = 20
"""


@pytest.mark.parametrize(("ranks", "precision"), [(1, "double"), (2, "single"), (4, "double")])
def test_a_trajectory_has_the_fields(ranks, precision, tmp_path):
    (tmp_path / "melt.toml").write_text(INPUT.format(steps="steps = 80", precision=precision))
    script_output(
        tmp_path,
        """
import numpy
import sterna

simulation = sterna.Simulation.from_file("melt.toml", files=True)
n = simulation.particle_count
random = numpy.random.default_rng(5)
simulation.add_particle_field("charge", initial=0.25)
for step in (20, 40, 60, 80):
    if step == 60:
        simulation.add_particle_field("spin", components=3)
        simulation.set("spin", random.normal(size=(n, 3)))
    simulation.set("charge", random.normal(size=n))
    simulation.run(20)
simulation.close()
""",
        ranks,
    )
    random = numpy.random.default_rng(5)
    trajectory = sterna.Trajectory(tmp_path / "output" / "melt.h5md")
    assert trajectory.steps.tolist() == [0, 20, 40, 60, 80]
    assert trajectory.particle_fields == {"charge": 1, "spin": 3}
    n = trajectory.particle_count
    exactly = numpy.float32 if precision == "single" else numpy.float64
    for frame in trajectory:
        if frame.step == 0:
            continue
        if frame.step == 60:
            spin = random.normal(size=(n, 3)).astype(exactly)
        charge = random.normal(size=n).astype(exactly)
        assert numpy.array_equal(frame.particle_field("charge"), charge)
        if frame.step >= 60:
            assert numpy.array_equal(frame.particle_field("spin"), spin)
        else:
            assert "spin" not in frame.particle_fields
    with pytest.raises(sterna.SternaError, match="did you mean 'charge'"):
        frame.particle_field("charg")


def test_other_programs_read_the_fields(sterna, tmp_path):
    ase = pytest.importorskip("ase.io", reason="no ASE to read the files")
    (tmp_path / "melt.toml").write_text(INPUT.format(steps="steps = 20", precision="double"))
    script_output(
        tmp_path,
        """
import numpy
import sterna

simulation = sterna.Simulation.from_file("melt.toml", files=True)
n = simulation.particle_count
simulation.add_particle_field("kind", initial=0.25)
simulation.add_particle_field("spin", components=3)
simulation.set("spin", numpy.random.default_rng(5).normal(size=(n, 3)))
simulation.run(20)
simulation.close()
""",
    )
    spin = numpy.random.default_rng(5).normal(size=(320, 3))
    for name in ("melt.extxyz", "melt.lammpstrj"):
        done = sterna("export", "output/melt.h5md", name)
        assert done.returncode == 0, done.stdout + done.stderr
    atoms = ase.read(tmp_path / "melt.extxyz", index=-1)
    assert numpy.array_equal(atoms.arrays["spin"], spin)
    # The column `kind` is that of types.
    assert (atoms.arrays["field_kind"] == 0.25).all()
    lines = (tmp_path / "melt.lammpstrj").read_text().splitlines()
    columns = [line for line in lines if line.startswith("ITEM: ATOMS")][-1].split()[2:]
    assert columns[-4:] == ["d_kind", "d2_spin[1]", "d2_spin[2]", "d2_spin[3]"]
    table = numpy.array([line.split()[-4:] for line in lines[-320:]], dtype=float)
    assert numpy.array_equal(table[:, 1:], spin)
    assert (table[:, 0] == 0.25).all()
    of_ase = Trajectory(tmp_path / "output" / "melt.h5md").to_ase()
    assert numpy.array_equal(of_ase.arrays["spin"], spin)


@pytest.mark.parametrize(("ranks", "then"), [(1, 4), (3, 2), (2, 1)])
def test_fields_go_from_stage_to_stage(ranks, then, tmp_path):
    text = INPUT.format(steps="", precision="double") + STAGES
    (tmp_path / "melt.toml").write_text(text)
    script_output(
        tmp_path,
        """
import numpy
import sterna

with sterna.Simulation.from_file("melt.toml", stage="first", files=True) as simulation:
    n = simulation.particle_count
    simulation.add_particle_field("charge")
    simulation.add_particle_field("spin", components=3)
    simulation.set("charge", numpy.arange(1.0, n + 1))
    simulation.set("spin", numpy.random.default_rng(2).normal(size=(n, 3)))
    simulation.run(40)
    simulation.save("output/melt.first.checkpoint")
""",
        ranks,
    )
    script_output(
        tmp_path,
        """
import numpy
import sterna

with sterna.Simulation.from_file("melt.toml", stage="second", files=True) as simulation:
    n = simulation.particle_count
    assert simulation.particle_fields == {"charge": 1, "spin": 3}
    simulation.add_particle_field("charge", initial=-7.0)
    simulation.run(20)
    assert numpy.array_equal(simulation.gather("charge"), numpy.arange(1.0, n + 1))
    spin = numpy.random.default_rng(2).normal(size=(n, 3))
    assert numpy.array_equal(simulation.gather("spin"), spin)
""",
        then,
    )
    frame = sterna.Trajectory(tmp_path / "output" / "melt.second.h5md")[-1]
    assert numpy.array_equal(frame.particle_field("charge"), numpy.arange(1.0, 321.0))
    assert frame.particle_field("spin").shape == (320, 3)
