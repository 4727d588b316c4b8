"""Damaged files of runs, and HDF5 files that lead to others: one error, which names the file."""

import subprocess
import sys

import h5py
import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import SternaError, Trajectory, read_log
from sterna.frames.configuration import read_last_frame
from sterna.report.trajectory import read_scene

sys.path.insert(0, str(ROOT / "tests" / "campaign"))
import mutated_files

RUN = (
    mutated_files.INPUT.split("xtc_interval")[0] + "trajectory_fields = ['position', 'velocity']\n"
)
START = RUN.replace("[start]", "[start]\nkind = 'file'\nfile = 'given.h5md'").replace(
    'kind = "lattice"\ncells = [4, 4, 4]\ndensity = 0.8442\n', ""
)


def run_sterna(folder, *arguments) -> subprocess.CompletedProcess:
    return subprocess.run(
        sterna_command(*arguments), cwd=folder, env=sterna_environment(), capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a short run."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "whole.toml").write_text(RUN)
    done = run_sterna(folder, "run", "whole.toml", "-n", 1)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_sample_of_the_campaign():
    assert mutated_files.main(["--trials", "60", "--seed", "11"]) == 0


def with_external_link(path, secret):
    with h5py.File(path, "r+") as file:
        del file["particles/trajectory/velocity"]
        file["particles/trajectory/velocity"] = h5py.ExternalLink(secret, "velocity")


def with_external_group(path, secret):
    with h5py.File(path, "r+") as file:
        del file["particles/trajectory"]
        file["particles/trajectory"] = h5py.ExternalLink(secret, "particles/trajectory")


def with_soft_link_to_an_external_one(path, secret):
    with h5py.File(path, "r+") as file:
        del file["particles/trajectory/velocity/value"]
        file["other"] = h5py.ExternalLink(secret, "/")
        file["particles/trajectory/velocity/value"] = h5py.SoftLink("/other/velocity/value")


def with_external_storage(path, secret):
    with h5py.File(path, "r+") as file:
        count = file["particles/trajectory/velocity/value"].shape
        del file["particles/trajectory/velocity/value"]
        size = int(numpy.prod(count)) * 8
        file["particles/trajectory/velocity"].create_dataset(
            "value", count, "<f8", external=[(str(secret), 0, size)]
        )


def with_virtual_dataset(path, secret):
    with h5py.File(path, "r+") as file:
        count = file["particles/trajectory/velocity/value"].shape
        del file["particles/trajectory/velocity/value"]
        layout = h5py.VirtualLayout(count, "<f8")
        layout[...] = h5py.VirtualSource(str(secret), "velocity/value", shape=count)
        file["particles/trajectory/velocity"].create_virtual_dataset("value", layout)


@pytest.mark.parametrize(
    "leads_out",
    [
        with_external_link,
        with_external_group,
        with_soft_link_to_an_external_one,
        with_external_storage,
        with_virtual_dataset,
    ],
)
def test_no_file_is_read_that_a_given_one_leads_to(whole, tmp_path, leads_out):
    secret, given = tmp_path / "secret.h5", tmp_path / "given.h5md"
    with h5py.File(whole / "whole.h5md") as source, h5py.File(secret, "w") as made:
        source.copy("particles/trajectory/velocity", made)
        source.copy("particles", made)
    given.write_bytes((whole / "whole.h5md").read_bytes())
    leads_out(given, secret)
    (tmp_path / "start.toml").write_text(START)
    for arguments in (("check", "start.toml", "-n", 1), ("run", "start.toml", "-n", 2)):
        done = run_sterna(tmp_path, *arguments)
        assert done.returncode != 0, done.stdout
        said = done.stdout + done.stderr
        assert "given.h5md" in said and ("other file" in said or "another file" in said), said
    for reads in (Trajectory, read_scene, lambda path: read_last_frame(path, ["A", "B"])):
        with pytest.raises(SternaError, match="given.h5md: .* (other files|another file)"):
            reads(given)
    done = run_sterna(tmp_path, "export", "given.h5md", "out.gro")
    assert done.returncode == 2 and "given.h5md" in done.stderr and "Traceback" not in done.stderr


def test_a_soft_link_inside_of_the_file_is_followed(whole, tmp_path):
    given = tmp_path / "given.h5md"
    given.write_bytes((whole / "whole.h5md").read_bytes())
    with h5py.File(given, "r+") as file:
        file.move("particles/trajectory/velocity", "kept")
        file["particles/trajectory/velocity"] = h5py.SoftLink("/kept")
    (tmp_path / "start.toml").write_text(START)
    done = run_sterna(tmp_path, "check", "start.toml", "-n", 1)
    assert done.returncode == 0, done.stdout
    assert (Trajectory(given)[0].velocity == Trajectory(whole / "whole.h5md")[0].velocity).all()


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("id", lambda ids: ids.astype("S"), "id holds |S"),
        ("id", lambda ids: ids + 0.5, "id holds float64, expected integers"),
        ("id", lambda ids: ids[::-1], "id holds no ascending ids"),
        ("id", lambda ids: ids - 2, "id holds no ascending ids"),
        ("species", lambda species: species + 0.5, "species holds float64"),
        ("position/value", lambda places: places.astype("S"), "position/value holds |S"),
        ("box/edges/step", lambda steps: steps + 0.5, "box/edges/step holds float64"),
    ],
)
def test_arrays_of_another_kind_are_named(name, change, said, whole, tmp_path):
    given = tmp_path / "given.h5md"
    given.write_bytes((whole / "whole.h5md").read_bytes())
    with h5py.File(given, "r+") as file:
        group = file["particles/trajectory"]
        values = group[name][()]
        del group[name]
        group[name] = change(values)
    with pytest.raises(SternaError) as found:
        Trajectory(given)
    assert f"{given}: " in str(found.value) and said in str(found.value)


def test_another_mass_in_a_trajectory_is_told(whole, tmp_path):
    (tmp_path / "given.h5md").write_bytes((whole / "whole.h5md").read_bytes())
    text = START.replace('name = "B"', 'name = "B"\nmass = 2.5')
    (tmp_path / "start.toml").write_text(text)
    done = run_sterna(tmp_path, "run", "start.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    said = 'particles of "B" have a mass of 1 in the trajectory, but 2.5 in the input, which holds'
    assert done.stderr.count(said) + done.stdout.count(said) == 1


def test_files_that_are_not_there_or_no_files_are_named(tmp_path):
    for path in (tmp_path / "none.log.jsonl", tmp_path):
        with pytest.raises(SternaError, match=f"{path}: the log cannot be read"):
            read_log(path)
    for path in (tmp_path / "none.h5md", tmp_path):
        with pytest.raises(SternaError, match=f"{path}: "):
            Trajectory(path)
