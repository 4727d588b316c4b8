"""Systems that were imported, run and exported are the same when they are imported again."""

import subprocess
import tomllib

import numpy
import pytest
from conftest import nightly, sterna_command, sterna_environment
from sterna import read, read_log
from test_import import DATA
from test_import_force_fields import write_methanol
from test_residues import solution  # noqa: F401 - a fixture

FORCE_FIELD = [
    "--force-field", "amber14/protein.ff14SB.xml", "--force-field", "amber14/tip3p.xml",
]  # fmt: skip


def run(folder, *arguments):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def run_for(folder, name, steps):
    """Runs an imported input so long; the energies of its start."""
    path = folder / f"{name}.toml"
    text = path.read_text().replace("steps = 10000", f"steps = {steps}")
    text = text.replace("trajectory_interval = 1000", "trajectory_interval = 1")
    text = text.replace('kind = "fmm"\naccuracy = 0.0001', 'kind = "ewald"\naccuracy = 1e-7')
    path.write_text(text.replace("[run]\n", '[run]\nprecision = "double"\n', 1))
    run(folder, "run", path.name)
    row = read_log(folder / "output" / f"{name}.log.jsonl").rows[0]
    return {key: value for key, value in row.items() if key.endswith("_energy")}


def topology_of(folder, name):
    """All but the places, with the molecules that lie in files of their own."""
    found = tomllib.loads((folder / f"{name}.toml").read_text())
    for molecule in found["molecule"]:
        if "file" in molecule:
            molecule |= tomllib.loads((folder / molecule.pop("file")).read_text())
    del found["start"], found["output"], found["run"]
    return found


def assert_same(folder, digits):
    """The systems `first` and `second` are the same, but for places that were rounded so."""
    assert topology_of(folder, "first") == topology_of(folder, "second")
    results = [read(folder / "output" / name) for name in ("first", "second")]
    first, second = (result.to_mdanalysis().atoms for result in results)
    for attribute in ("names", "types", "resnames", "resids", "icodes", "segids", "charges"):
        found = getattr(second, attribute).tolist()
        assert getattr(first, attribute).tolist() == found, attribute
    assert first.bonds.indices.tolist() == second.bonds.indices.tolist()
    at, again = results[0].frames[-1], results[1].frames[0]
    assert numpy.allclose(at.edges, again.edges, atol=1e-4)
    apart = at.position - again.position
    apart -= numpy.rint(apart @ numpy.linalg.inv(at.edges)) @ at.edges
    # Constraints move what was rounded.
    assert abs(apart).max() <= 1.5 * 10.0**-digits


def methanol(folder):
    write_methanol(folder, numpy.random.default_rng(5))
    return [folder / "methanol.top"], folder / "methanol.gro", ["--cutoff", 0.9]


def alcohol_of_amber(_folder):
    return [DATA / "alcohol.prmtop"], DATA / "alcohol.inpcrd", ["--cutoff", 0.8]


def alcohol_of_charmm(_folder):
    files = [DATA / f"alcohol.{suffix}" for suffix in ("psf", "prm", "rtf")]
    return files, DATA / "alcohol.pdb", ["--cutoff", 0.8]


def water_with_extra_points(_folder):
    return [DATA / "tip5p.prmtop"], DATA / "tip5p.inpcrd", ["--cutoff", 0.5]


@pytest.mark.parametrize(
    ("files", "suffix", "digits"),
    [
        (methanol, "gro", 3),
        nightly(alcohol_of_amber, "pdb", 4),
        nightly(alcohol_of_charmm, "pdb", 4),
        (water_with_extra_points, "pdb", 4),
    ],
)
def test_places_come_back_to_their_topology(tmp_path, files, suffix, digits):
    """The topology of the other program with the file that Sterna exported."""
    topology, places, options = files(tmp_path)
    run(tmp_path, "import", *topology, places, *options, "-o", "first.toml")
    run_for(tmp_path, "first", 2)
    run(tmp_path, "export", "first.toml", f"places.{suffix}", "--frames", "-1")
    run(tmp_path, "import", *topology, f"places.{suffix}", *options, "-o", "second.toml")
    run_for(tmp_path, "second", 0)
    assert_same(tmp_path, digits)


def test_a_pdb_file_and_its_force_field(solution, tmp_path):  # noqa: F811
    """Names, chains and insertion codes, too: the file says all that there is."""
    options = [*FORCE_FIELD, "--cutoff", 0.8]
    run(tmp_path, "import", "places.pdb", *options, "-o", "first.toml")
    run_for(tmp_path, "first", 2)
    run(tmp_path, "export", "first.toml", "exported.pdb", "--frames", "-1")
    run(tmp_path, "import", "exported.pdb", *options, "-o", "second.toml")
    run_for(tmp_path, "second", 0)
    assert_same(tmp_path, 4)


@pytest.mark.parametrize("suffix", ["extxyz", "h5md"])
def test_a_frame_without_rounding_has_the_energies_to_the_last_digits(tmp_path, suffix):
    """What starts from it has the energies that the run had there."""
    topology, places, options = alcohol_of_amber(tmp_path)
    run(
        tmp_path, "import", *topology, places, *options, "--constraints", "none", "-o", "first.toml"
    )
    run_for(tmp_path, "first", 2)
    last = read_log(tmp_path / "output" / "first.log.jsonl").rows[-1]
    assert last["step"] == 2
    if suffix == "extxyz":
        run(tmp_path, "export", "first.toml", "frame.extxyz", "--centers", "--frames", "-1")
        start = "frame.extxyz"
    else:
        start = "output/first.h5md"
    text = (tmp_path / "first.toml").read_text()
    assert 'file = "first.extxyz"' in text
    text = text.replace("first.extxyz", start).replace('precision = "double"\n', "")
    (tmp_path / "second.toml").write_text(text)
    again = run_for(tmp_path, "second", 2)
    others = ("kinetic", "total", "conserved")
    names = [name for name in again if not name.startswith(others)]
    assert len(names) > 4
    for name in names:
        assert again[name] == pytest.approx(last[name], rel=1e-9, abs=1e-9), name
