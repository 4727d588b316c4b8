"""Frames of trajectories and compressed files as starts."""

import gzip
import subprocess
from pathlib import Path

import h5py
import numpy
import pytest
from conftest import sterna_command, sterna_environment
from sterna import read
from sterna.launching.program import find_program
from trajectory_support import BUTANE, MIXTURE, WATER

FIELDS = ("position", "velocity", "image", "orientation", "angular_momentum")
TEXTS = {"water": WATER, "butane": BUTANE, "mixture": MIXTURE}


def write_next(folder: Path, name: str, start: str) -> None:
    """`next.toml`, the run of this name from other [start] keys, for no step."""
    text = TEXTS[name]
    first, last = text.index("[start]"), text.index("[[", text.index("[start]"))
    lines = [line for line in text[first:last].splitlines() if "temperature" not in line]
    assert lines
    text = text[:first] + f'[start]\nkind = "file"\n{start}\n' + text[last:]
    steps = next(line for line in text.splitlines() if line.startswith("steps"))
    text = text.replace(steps, "steps = 0").replace(
        f'name = "{name}"\nsteps', 'name = "next"\nsteps'
    )
    (folder / "next.toml").write_text(text)


def go_on(folder: Path, name: str, start: str, ranks: int = 1) -> subprocess.CompletedProcess:
    """Runs it."""
    write_next(folder, name, start)
    return subprocess.run(
        sterna_command("run", "next.toml", "-n", str(ranks), "--overwrite"), cwd=folder,
        env=sterna_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def check(folder: Path, name: str, start: str) -> subprocess.CompletedProcess:
    """Checks it, which reads the whole file."""
    write_next(folder, name, start)
    return subprocess.run(
        [find_program(), "--check", "next.toml"], cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def frame_of(path: Path, number: int) -> dict[str, numpy.ndarray]:
    with h5py.File(path) as file:
        group = file["particles/trajectory"]
        found = {f: group[f"{f}/value"][number] for f in FIELDS if f in group}
        return found | {"id": group["id"][()], "species": group["species"][()]}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_frame_of_a_trajectory_starts_a_run(runs, tmp_path, name, ranks):
    trajectory = f'file = "{runs / name}.h5md"'
    for number, keys in ((-1, trajectory), (1, f'{trajectory}\nformat = "h5md"\nframe = 1')):
        done = go_on(tmp_path, name, keys, ranks)
        assert done.returncode == 0, done.stdout + done.stderr
        before, now = frame_of(runs / f"{name}.h5md", number), frame_of(tmp_path / "next.h5md", 0)
        assert before.keys() == now.keys()
        for field, values in before.items():
            # Constraints are put right at a start, to 1e-8 of their lengths.
            tolerance = 1e-6 if name == "butane" else 1e-14
            assert numpy.allclose(now[field], values, rtol=0, atol=tolerance), field
    log = read(runs / name).log
    first = read(tmp_path / "next").log
    row = {int(step): n for n, step in enumerate(log["step"])}
    step = h5py.File(runs / f"{name}.h5md")["particles/trajectory/box/edges/step"][1]
    if name != "mixture":  # whose log has no row of each frame
        assert first["potential_energy"][0] == pytest.approx(
            log["potential_energy"][row[int(step)]], rel=1e-6
        )


@pytest.mark.parametrize("name", TEXTS)
def test_centers_in_extended_xyz_are_the_frame_without_loss(runs, tmp_path, name):
    done = subprocess.run(
        sterna_command(
            "export", runs / name, tmp_path / "start.extxyz", "--centers", "--frames", "-1"
        ),
        env=sterna_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = go_on(tmp_path, name, 'file = "start.extxyz"')
    assert done.returncode == 0, done.stdout + done.stderr
    before, now = frame_of(runs / f"{name}.h5md", -1), frame_of(tmp_path / "next.h5md", 0)
    for field, values in before.items():
        tolerance = 1e-6 if name == "butane" else 1e-12
        assert numpy.allclose(now[field], values, rtol=0, atol=tolerance), field


def test_a_start_file_may_be_compressed(runs, tmp_path):
    text = (runs / "water_start.extxyz").read_bytes()
    (tmp_path / "start.extxyz.gz").write_bytes(gzip.compress(text))
    done = go_on(tmp_path, "water", 'file = "start.extxyz.gz"\ntemperature = 300')
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(tmp_path / "next.h5md") as file:
        packed = file["particles/trajectory/position/value"][0]
    with h5py.File(runs / "water.h5md") as file:
        assert numpy.array_equal(packed, file["particles/trajectory/position/value"][0])


def compressed(text: bytes) -> bytes:
    return gzip.compress(text)


def hdf5(change) -> object:
    """A copy of the run's trajectory with something wrong."""

    def make(runs: Path, path: Path) -> None:
        path.write_bytes((runs / "water.h5md").read_bytes())
        with h5py.File(path, "a") as file:
            change(file["particles/trajectory"])

    return make


def replace(group: h5py.Group, name: str, values: numpy.ndarray) -> None:
    old = group[name]
    attributes = dict(old.attrs)
    del group[name]
    new = group.create_dataset(name, data=values)
    for key, value in attributes.items():
        new.attrs[key] = value


def spoil(field: str, place: tuple, value: float):
    def change(group: h5py.Group) -> None:
        group[field][place] = value

    return change


def without_names(group: h5py.Group) -> None:
    replace(group, "species", numpy.zeros(64, "i4"))


def renamed(group: h5py.Group) -> None:
    values = numpy.zeros(64, "i4")
    del group["species"]
    group.create_dataset("species", data=values, dtype=h5py.enum_dtype({"H20": 0}, basetype="i4"))


def bytes_of(change):
    def make(runs: Path, path: Path) -> None:
        path.write_bytes(change((runs / "water_start.extxyz").read_bytes()))

    return make


def cut(runs: Path, path: Path) -> None:
    path.write_bytes((runs / "water.h5md").read_bytes()[:2500])


# What is in [start], the file, and what the message must say.
BROKEN = {
    "cut.h5md": (cut, "", "this HDF5 file cannot be read"),
    "other.h5md": (
        lambda runs, path: h5py.File(path, "w").create_dataset("x", data=[1]).file.close(),
        "", "expected a trajectory of Sterna, with particles/trajectory/position/value",
    ),
    "far.h5md": (None, 'format = "h5md"\nframe = 4', "the trajectory has 4 frames, and `frame`"),
    "before.h5md": (None, 'format = "h5md"\nframe = -5', "expected 0 to 3, or -1 for the last"),
    "box.h5md": (None, "box = [3, 3, 3]", "the input's box is 3 x 3 x 3 nm"),
    "names.h5md": (hdf5(without_names), "", "species has no names of its values"),
    "renamed.h5md": (hdf5(renamed), "", 'unknown particle type "H20"; did you mean "H2O"?'),
    "nan.h5md": (hdf5(spoil("position/value", (3, 5, 1), numpy.nan)), "", "is not finite"),
    "away.h5md": (hdf5(spoil("position/value", (3, 5, 1), 1e12)), "", "box lengths away"),
    "speed.h5md": (hdf5(spoil("velocity/value", (3, 5, 1), numpy.inf)), "", "is not finite"),
    "turned.h5md": (hdf5(spoil("orientation/value", (3, 7, 0), 4.0)), "", "is no unit quaternion"),
    "twice.h5md": (hdf5(spoil("id", (4,), 1)), "", "which is no id or that of an earlier row"),
    "negative.h5md": (hdf5(spoil("id", (4,), -3)), "", "which is no id or that of an earlier row"),
    "flat.h5md": (
        hdf5(spoil("box/edges/value", (3,), 0.0)), "", "must be a right-handed set",
    ),
    "short.h5md": (
        hdf5(lambda group: replace(group, "velocity/value", numpy.zeros((2, 64, 3)))), "",
        "velocity/value has the shape 2 x 64 x 3, expected more than 3 frames",
    ),
    "fewer.h5md": (
        hdf5(lambda group: replace(group, "orientation/value", numpy.zeros((4, 63, 4)))), "",
        "orientation/value has the shape 4 x 63 x 4",
    ),
    "flatter.h5md": (
        hdf5(lambda group: replace(group, "position/value", numpy.zeros((4, 64)))), "",
        "position/value has the shape 4 x 64, expected frames x particles x 3",
    ),
    "none.h5md": (
        hdf5(lambda group: replace(group, "position/value", numpy.zeros((0, 64, 3)))), "",
        "the trajectory has no frame",
    ),
    "boxless.h5md": (hdf5(lambda group: group.pop("box")), "", "box/edges/value in it"),
    "speciesless.h5md": (hdf5(lambda group: group.pop("species")), "", "species in it"),
    "cut.extxyz.gz": (bytes_of(lambda b: compressed(b)[:-30]), "", "cannot be unpacked"),
    "noise.extxyz.gz": (
        bytes_of(lambda b: compressed(b)[:40] + bytes(200)), "", "cannot be unpacked",
    ),
    "empty.extxyz.gz": (bytes_of(lambda b: compressed(b"")), "", "in it is empty"),
    "less.extxyz.gz": (
        bytes_of(lambda b: compressed(b"\n".join(b.splitlines()[:9]))), "",
        "the file ends after 7 of 64 particles",
    ),
    "water.gro.gz": (bytes_of(compressed), "", "is a structure of GROMACS"),
    "water.xtc": (bytes_of(lambda b: b), "", "is a trajectory of GROMACS"),
    "start.extxyz.zst": (bytes_of(lambda b: b), "", "is compressed; unpack it first: unzstd"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_start_file_has_a_message_that_helps(runs, tmp_path, name):
    make, keys, message = BROKEN[name]
    path = tmp_path / name
    if make is None:
        path.write_bytes((runs / "water.h5md").read_bytes())
    else:
        make(runs, path)
    done = check(tmp_path, "water", f'file = "{name}"\n{keys}')
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stdout, done.stdout
    assert name in done.stdout


def test_units_of_trajectory_and_input_must_agree(runs, tmp_path):
    done = check(tmp_path, "mixture", f'file = "{runs}/water.h5md"')
    assert done.returncode == 2
    assert "the trajectory is in nm and ps, the input in reduced units" in done.stdout


def test_frames_are_compressed_without_loss_or_rounded(runs, tmp_path):
    (tmp_path / "water_start.extxyz").write_text((runs / "water_start.extxyz").read_text())
    sizes = {}
    for name, keys in (
        ("lossless", 'trajectory_compression = "lossless"'),
        ("rounded", 'trajectory_compression = "lossless"\ntrajectory_rounding = 0.001'),
        ("single", 'trajectory_precision = "single"'),
    ):
        text = WATER.replace('name = "water"', f'name = "{name}"') + keys + "\n"
        (tmp_path / f"{name}.toml").write_text(text)
        subprocess.run(
            sterna_command("run", f"{name}.toml", "-n", "3"), cwd=tmp_path,
            env=sterna_environment(), check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        sizes[name] = 0
        with h5py.File(tmp_path / f"{name}.h5md") as file, h5py.File(runs / "water.h5md") as whole:
            for field in FIELDS:
                values = file[f"particles/trajectory/{field}/value"]
                expected = whole[f"particles/trajectory/{field}/value"][()]
                if name == "lossless" or field == "image":
                    # Ranks sum forces in another order.
                    assert numpy.allclose(values[()], expected, rtol=1e-9, atol=1e-9)
                elif name == "rounded" and field == "position":
                    assert 1e-5 < abs(values[()] - expected).max() <= 0.0005
                sizes[name] += values.id.get_storage_size()
                assert (values.compression == "gzip") == (name != "single")
            if name == "single":
                assert file["particles/trajectory/position/value"].dtype == "f4"
    assert sizes["rounded"] < sizes["lossless"]


def test_a_run_goes_on_with_its_compressed_trajectory(runs, tmp_path):
    (tmp_path / "water_start.extxyz").write_text((runs / "water_start.extxyz").read_text())
    text = WATER + 'trajectory_compression = "lossless"\n'
    (tmp_path / "water.toml").write_text(text)

    def run(*options: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            sterna_command("run", "water.toml", "-n", "2", *options), cwd=tmp_path,
            env=sterna_environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert run().returncode == 0
    (tmp_path / "water.toml").write_text(text.replace("steps = 12", "steps = 20"))
    done = run("--resume")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "water.h5md") as file:
        group = file["particles/trajectory"]
        assert group["position/step"][()].tolist() == [0, 4, 8, 12, 16, 20]
        assert numpy.isfinite(group["position/value"][()]).all()
    (tmp_path / "water.toml").write_text(WATER.replace("steps = 12", "steps = 24"))
    done = run("--resume")
    assert done.returncode == 1
    assert "cannot be continued: its position/value is compressed" in done.stderr


def test_names_of_files_are_shown_whole(sterna, tmp_path):
    """Their ends tell which ones are meant."""
    name = f"{'folder' * 30}/{'start' * 30}.data"
    other = "file" * 40
    (tmp_path / other).write_text("")
    (tmp_path / "melt.toml").write_text(
        'units = "reduced"\n[run]\nsteps = 1\ntimestep = 0.001\n[interaction]\ncutoff = 2.5\n'
        f'[start]\nkind = "file"\nfile = "{name}"\n'
        f'[[type]]\nname = "A"\n[output]\ndirectory = "{other}"\n'
    )
    done = sterna("check", "melt.toml")
    assert done.returncode == 2
    assert f'the start file "{name}" does not exist' in done.stdout
    assert f'"directory" in [output] is "{other}", which is a file' in done.stdout


@pytest.mark.parametrize(("name", "told"), [("water", 1), ("butane", 0)])
def test_lost_orientations_are_told(runs, name, told, tmp_path):
    """A frame without them is no place to go on from for rigid molecules."""
    text = (runs / f"{name}.h5md").read_bytes()
    (tmp_path / "given.h5md").write_bytes(text)
    with h5py.File(tmp_path / "given.h5md", "r+") as file:
        frames = file["particles/trajectory"]
        assert ("orientation" in frames) == bool(told)
        if told:
            del frames["orientation"]
    done = go_on(tmp_path, name, 'file = "given.h5md"', 2)
    said = done.stdout + done.stderr
    assert said.count("the trajectory has no orientations") == told, said
    assert "given.h5md" in said or not told
