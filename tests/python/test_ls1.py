"""Inputs of ls1-MarDyn: they run as they are, give ls1's numbers, and the same ones as TOML."""

import shutil

import pytest
from conftest import ROOT
from sterna import read_log

OWN = ROOT / "tests" / "data" / "ls1"
SHARED = ROOT.parent / "shared" / "data" / "ls1"

# ls1-MarDyn (HEAD 1c9a9d598, double precision) on these inputs: potential energy and virial of the
# whole system by step.
ARGON_NVE = {
    0: (-2.0989266059882, -1.17633066675),
    10: (-2.1222175251933, -1.53935242554),
    100: (-2.3958388093626, -6.79943316388),
}
CARBON_DIOXIDE = {
    0: (-5.5246751121059, -1.80901348266),
    10: (-5.5525206731005, -2.35860003909),
}
ETHYLENE_OXIDE = {
    0: (-11.546281106670, 3.19721892074),
    10: (-11.478360883094, 4.34758239318),
}
ARGON_NVT = {10: -2.12237614246097, 100: -2.10548880481140}


def needs_ls1_data():
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not there")


def rows_of(log):
    return {int(row["step"]): row for row in log.rows}


def test_the_example_runs_to_its_end(sterna, tmp_path):
    done = sterna("run", ROOT / "examples" / "ls1" / "config.xml", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    log = read_log(tmp_path / "droplet.log.jsonl")
    assert log.events[-1]["status"] == "complete"
    # Velocity scaling with exponent 0.4 holds the temperature within a fifth of a percent.
    assert log["temperature"][-5:] == pytest.approx(0.8, rel=0.01)


@pytest.mark.parametrize("name", ["ascii", "binary", "grid"])
def test_the_converted_input_gives_the_same_numbers(name, sterna, tmp_path):
    for file in OWN.iterdir():
        shutil.copy(file, tmp_path)
    done = sterna("run", f"{name}.xml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / f"{name}.log.jsonl").rows
    assert [row["step"] for row in rows] == [0, 5, 10, 15, 20]
    done = sterna("convert", f"{name}.xml", "other.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("run", "other.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / f"{name}.log.jsonl").rows == rows


def test_a_converted_input_finds_its_start_from_another_folder(sterna, tmp_path):
    (tmp_path / "run").mkdir()
    done = sterna("convert", OWN / "binary.xml", "run/binary.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sterna("check", "run/binary.toml").returncode == 0
    again = sterna("convert", OWN / "binary.xml", "run/binary.toml")
    assert again.returncode == 1
    assert "exists already" in again.stderr


def test_a_second_distribution_is_told_and_not_taken_for_the_first(sterna, tmp_path):
    for file in OWN.iterdir():
        shutil.copy(file, tmp_path)
    plugin = (
        '<outputplugin name="RDF"><intervallength>{}</intervallength><bins>50</bins></outputplugin>'
    )
    path = tmp_path / "grid.xml"
    both = plugin.format(0.02) + plugin.format(0.04)
    path.write_text(path.read_text().replace("<output>", f"<output>{both}"))
    done = sterna("convert", "grid.xml", "grid.toml")
    assert done.returncode == 0, done.stderr
    assert "RDF: Sterna does not take this measurement" in done.stdout + done.stderr
    assert "maximum = 1" in (tmp_path / "grid.toml").read_text().splitlines()


@pytest.mark.parametrize("interval", [1, 7, 20])
def test_a_start_that_overlaps_is_told_at_any_interval_of_the_table(interval, sterna, tmp_path):
    for file in OWN.iterdir():
        shutil.copy(file, tmp_path)
    start = tmp_path / "atoms.inp"
    lines = start.read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if line.split()[:1] == ["7"])
    # At a sixth of sigma from the first atom.
    lines[first + 1] = lines[first].replace("7", "8", 1).replace("3.0", "3.17")
    start.write_text("\n".join(lines) + "\n")
    config = tmp_path / "ascii.xml"
    config.write_text(
        config.read_text().replace("<writefrequency>5", f"<writefrequency>{interval}")
    )
    done = sterna("run", "ascii.xml", "-n", 2)
    said = done.stdout + done.stderr
    assert "the forces of the start move a particle by " in said, said
    assert "particles overlap" in said


def test_mistakes_have_their_place_once_on_any_number_of_ranks(sterna, tmp_path):
    for file in OWN.iterdir():
        shutil.copy(file, tmp_path)
    path = tmp_path / "ascii.xml"
    path.write_text(path.read_text().replace('type="NVT"', 'type="muVT"'))
    for arguments in (["check", "ascii.xml"], ["run", "ascii.xml", "-n", "2"]):
        done = sterna(*arguments)
        said = done.stdout + done.stderr
        assert done.returncode == 2, said
        assert said.count("ascii.xml:7:6: error") == 1
        assert "muVT" in said


@pytest.mark.parametrize("ranks", [1, 2])
def test_argon_has_the_energies_and_virials_of_ls1(ranks, sterna, tmp_path):
    needs_ls1_data()
    done = sterna("run", SHARED / "argon" / "nve.xml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "nve.log.jsonl")
    tail = log.events[0]["settings"]["tail_virial"]
    rows = rows_of(log)
    for step, (energy, virial) in ARGON_NVE.items():
        # Rounding grows with the steps.
        accuracy = 1e-9 if step == 0 else 1e-8
        assert rows[step]["potential_energy"] == pytest.approx(energy, rel=accuracy)
        assert rows[step]["virial"] + tail == pytest.approx(virial, rel=accuracy)


def test_argon_with_the_default_thermostat_has_the_energies_of_ls1(sterna, tmp_path):
    needs_ls1_data()
    done = sterna("run", SHARED / "argon" / "nvt.xml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_of(read_log(next(tmp_path.glob("*.log.jsonl"))))
    for step, energy in ARGON_NVT.items():
        assert rows[step]["potential_energy"] == pytest.approx(energy, rel=1e-9)


@pytest.mark.parametrize(
    "config, numbers", [("co2/nve.xml", CARBON_DIOXIDE), ("eox/nve_eq.xml", ETHYLENE_OXIDE)]
)
def test_molecules_have_the_energies_and_virials_of_ls1(config, numbers, sterna, tmp_path):
    needs_ls1_data()
    done = sterna("run", SHARED / config, "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(next(tmp_path.glob("*.log.jsonl")))
    tail = log.events[0]["settings"]["tail_virial"]
    rows = rows_of(log)
    for step, (energy, virial) in numbers.items():
        assert rows[step]["potential_energy"] == pytest.approx(energy, rel=1e-9)
        assert rows[step]["virial"] + tail == pytest.approx(virial, rel=1e-9)
