"""Inputs of ls1-MarDyn and MODYLAS in Python: run as jobs and in the process."""

import json
import shutil

import pytest
from conftest import ROOT
from engine_support import script_output

DATA = ROOT / "tests" / "data"


@pytest.fixture
def foreign(tmp_path):
    """Copies the inputs into the folder of the test."""

    def copy(program: str) -> str:
        for file in (DATA / program).iterdir():
            shutil.copy(file, tmp_path)
        if program == "ls1":
            return "ascii.xml"
        definition = tmp_path / "butane_1400.mddef"
        text = definition.read_text().replace("steps=110", "steps=10")
        definition.write_text(text.replace("interval=110", "interval=10"))
        return definition.name

    return copy


@pytest.mark.parametrize("program, steps", [("ls1", 20), ("modylas", 10)])
def test_a_job_and_a_simulation_here_give_the_same_numbers(program, steps, foreign, tmp_path):
    shown = script_output(
        tmp_path,
        f"""
        import json, sterna
        path = {foreign(program)!r}
        result = sterna.run(path, ranks=1)
        simulation = sterna.Simulation.from_file(path)
        simulation.run({steps})
        print(json.dumps([result.log.rows[-1], simulation.thermo, simulation.step]))
        """,
    )
    row, thermo, step = json.loads(shown.splitlines()[-1])
    assert step == row["step"] == steps
    for name, value in thermo.items():
        assert row[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_what_is_wrong_in_one_has_its_place(foreign, tmp_path):
    path = foreign("ls1")
    text = (tmp_path / path).read_text().replace('type="NVT"', 'type="muVT"')
    (tmp_path / path).write_text(text)
    shown = script_output(
        tmp_path,
        f"""
        import sterna
        for call in (sterna.run, sterna.Simulation.from_file, sterna.Input.read):
            try:
                call({path!r})
            except sterna.SternaError as error:
                print(error)
        """,
    )
    assert shown.count(f"{path}:7:6: error") == 3 and shown.count("muVT") >= 3
