"""Ids of start files: any different numbers run, are kept, and are written to the trajectory."""

import numpy
import pytest

h5py = pytest.importorskip("h5py")

EDGE = 4
SPACING = 2.0
INPUT = """
[run]
name = "{name}"
steps = {steps}
timestep = 0.004

[start]
kind = "file"
file = "{name}.{format}"
{more}

[[type]]
name = "1"

[interaction]
cutoff = 2.5

[diffusion]
interval = 5

[output]
thermo_interval = 5
trajectory_interval = 5
trajectory_fields = ["position", "velocity"]
checkpoint_interval = 10
"""
NUMBERS = numpy.arange(EDGE**3)
KINDS = {
    "plain": NUMBERS + 1,
    "from_0": NUMBERS,
    "gaps": 7 * NUMBERS + 5,
    "large": numpy.where(NUMBERS == 63, 2**48 - 1, NUMBERS + 10**9),
}


def particles():
    """Positions and velocities, in the order that ids ascend in."""
    places = numpy.indices((EDGE, EDGE, EDGE)).reshape(3, -1).T
    shifts = numpy.sin(1.0 + NUMBERS[:, None] * numpy.array([1.0, 2.0, 3.0]))
    return SPACING * (places + 0.25) + 0.2 * shifts, numpy.cos(7.0 * shifts)


def write_start(folder, name, ids, shape):
    positions, velocities = particles()
    rows = [
        (i, " ".join(f"{x:.17g}" for x in r), " ".join(f"{x:.17g}" for x in v))
        for i, r, v in zip(ids, positions, velocities, strict=True)
    ]
    # A file need not have its particles in the order of their ids.
    rows = rows[1::2] + rows[::2]
    edge = EDGE * SPACING
    if shape == "extxyz":
        lattice = f"{edge} 0 0 0 {edge} 0 0 0 {edge}"
        text = f'{len(rows)}\nLattice="{lattice}" '
        text += "Properties=species:S:1:pos:R:3:velo:R:3:id:I:1\n"
        text += "".join(f"1 {r} {v} {i}\n" for i, r, v in rows)
    else:
        text = f"ids\n\n{len(rows)} atoms\n1 atom types\n\n"
        text += "".join(f"0 {edge} {axis}lo {axis}hi\n" for axis in "xyz")
        text += "\nAtoms # atomic\n\n" + "".join(f"{i} 1 {r}\n" for i, r, v in rows)
        text += "\nVelocities\n\n" + "".join(f"{i} {v}\n" for i, r, v in rows)
    (folder / f"{name}.{shape}").write_text(text)


def run(sterna, folder, name, ids, shape, ranks=2, steps=20, more=""):
    write_start(folder, name, ids, shape)
    text = INPUT.format(name=name, steps=steps, format=shape, more=more)
    (folder / f"{name}.toml").write_text(text)
    done = sterna("run", f"{name}.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_trajectory(folder, name)


def read_trajectory(folder, name):
    with h5py.File(folder / f"{name}.h5md") as file:
        group = file["particles/trajectory"]
        return group["id"][:], group["position/value"][:], group["velocity/value"][:]


@pytest.mark.parametrize(
    "kind, shape", [("from_0", "extxyz"), ("gaps", "data"), ("large", "data"), ("large", "extxyz")]
)
def test_any_ids_run_as_1_to_n_do_and_are_kept(kind, shape, sterna, tmp_path):
    ids, *trajectory = run(sterna, tmp_path, "plain", KINDS["plain"], shape)
    assert (ids == KINDS["plain"]).all()
    others, *same = run(sterna, tmp_path, kind, KINDS[kind], shape)
    assert (others == KINDS[kind]).all()
    for expected, found in zip(trajectory, same, strict=True):
        assert (found == expected).all()
    displacements = [(tmp_path / f"{name}.diffusion.txt").read_text() for name in ("plain", kind)]
    assert displacements[0] == displacements[1]


def test_a_resumed_run_keeps_its_ids_on_another_number_of_ranks(sterna, tmp_path):
    run(sterna, tmp_path, "gaps", KINDS["gaps"], "data", ranks=2, steps=10)
    path = tmp_path / "gaps.toml"
    path.write_text(path.read_text().replace("steps = 10", "steps = 20"))
    done = sterna("run", "gaps.toml", "-n", 1, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    ids, positions, _ = read_trajectory(tmp_path, "gaps")
    assert (ids == KINDS["gaps"]).all()
    assert positions.shape[0] == 5
    start, _ = particles()
    moved = positions - start
    assert abs(moved - EDGE * SPACING * numpy.round(moved / (EDGE * SPACING))).max() < 0.5


def test_ids_are_numbered_anew_where_that_is_asked_for(sterna, tmp_path):
    ids, positions, _ = run(
        sterna, tmp_path, "anew", KINDS["gaps"], "extxyz", more="renumber = true"
    )
    assert (ids == KINDS["plain"]).all()
    start, _ = particles()
    in_file = numpy.concatenate([start[1::2], start[::2]])
    moved = positions[0] - in_file
    assert abs(moved - EDGE * SPACING * numpy.round(moved / (EDGE * SPACING))).max() < 1e-12


def test_an_id_that_comes_twice_is_an_error_on_every_number_of_ranks(sterna, tmp_path):
    ids = KINDS["gaps"].copy()
    ids[40] = ids[3]
    write_start(tmp_path, "twice", ids, "extxyz")
    text = INPUT.format(name="twice", steps=20, format="extxyz", more="")
    (tmp_path / "twice.toml").write_text(text)
    for ranks in (1, 2):
        done = sterna("run", "twice.toml", "-n", ranks)
        assert done.returncode != 0
        assert (done.stdout + done.stderr).count(f"a second particle of id {ids[3]}") == 1
