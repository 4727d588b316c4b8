"""Stages of a run from Python: one of them as a simulation, all of them by `run`, their results."""

import shutil

import pytest
import sterna
from test_stages import MELT


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    (folder / "melt.toml").write_text(
        MELT.replace("thermo_interval = 20", f'thermo_interval = 20\ndirectory = "{folder}"')
    )
    return folder, sterna.run(folder / "melt.toml", ranks=1)


def test_run_returns_what_each_stage_left(finished):
    folder, result = finished
    assert list(result.stages) == ["minimize", "heat", "produce"]
    assert result.name == "melt.produce"
    heated = result.stages["heat"]
    assert heated.state == "complete"
    assert heated.averages["temperature"].mean == pytest.approx(1.1, rel=0.2)
    opened = sterna.open(folder / "melt.toml")
    assert opened.stages["heat"].log.rows == heated.log.rows
    assert "stages: minimize (complete), heat (complete)" in str(opened)
    with pytest.raises(KeyError, match="did you mean 'produce'"):
        result.stages["prodce"]
    # Of a run without stages there are none.
    assert len(heated.stages) == 0


def test_a_stage_is_a_simulation_that_begins_where_the_one_before_it_ended(finished):
    folder, result = finished
    path = folder / "melt.toml"
    assert sterna.Input.read(path).stages == ["minimize", "heat", "produce"]
    with sterna.Simulation.from_file(path, stage="produce") as simulation:
        steps = simulation.input["run"]["steps"]
        before = result.stages["heat"].log.rows[-1]
        simulation.run(0)
        expected = pytest.approx(before["potential_energy"], rel=1e-12)
        assert simulation.thermo["potential_energy"] == expected
        simulation.run(steps)
        assert steps == 80
        # The same bits as the command's.
        for name in ("potential_energy", "kinetic_energy"):
            assert simulation.thermo[name] == result.log.rows[-1][name]
    # After a minimization velocities are drawn, with the numbers of this stage.
    with sterna.Simulation.from_file(path, stage="heat") as simulation:
        simulation.run(60)
        assert simulation.thermo["total_energy"] == before["total_energy"]


def test_a_stage_as_an_input_can_be_changed(finished):
    folder, _ = finished
    heat = sterna.Input.read(folder / "melt.toml").stage("heat")
    assert heat["run"]["name"] == "melt.heat"
    assert heat["start"]["temperature"] == 1.1
    assert not heat.check()
    hotter = heat.replace(thermostat=[heat["thermostat"][0] | {"temperature": 3.0}])
    with sterna.Simulation(hotter) as simulation:
        simulation.run(200)
        assert simulation.thermo["temperature"] > 1.3


def test_a_repeated_stage(finished, tmp_path):
    folder, result = finished
    for path in folder.iterdir():
        shutil.copy(path, tmp_path / path.name)
    text = (tmp_path / "melt.toml").read_text().replace(str(folder), str(tmp_path))
    (tmp_path / "melt.toml").write_text(text)
    again = sterna.run(tmp_path / "melt.toml", ranks=1, from_stage="produce")
    assert again.log.rows == result.log.rows
    assert "stage heat" not in again.output


def test_what_is_wrong_is_told(finished, tmp_path):
    folder, _ = finished
    path = folder / "melt.toml"
    with pytest.raises(KeyError, match="there is no stage 'het'; did you mean 'heat'"):
        sterna.Simulation.from_file(path, stage="het")
    with pytest.raises(sterna.SternaError, match="has stages: name one of them"):
        sterna.Simulation.from_file(path)
    alone = tmp_path / "melt.toml"
    alone.write_text(MELT)
    with pytest.raises(sterna.SternaError, match="melt.heat.checkpoint"):
        sterna.Simulation.from_file(alone, stage="produce")
    broken = tmp_path / "broken.toml"
    broken.write_text(MELT.replace("steps = 80", "stepz = 80"))
    found = sterna.Input.read(broken).check()
    assert len(found) == 1 and found[0].line == 37
    with pytest.raises(sterna.InputError, match="stepz"):
        sterna.Simulation.from_file(broken, stage="heat")
