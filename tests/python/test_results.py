"""What a run found, as objects: the same after it has run and when it is opened later."""

import json
import typing

import numpy
import pytest
import sterna as package
from sterna.results.result import Result

INPUT = """\
units = "nano"
[run]
steps = 400
timestep = "5 fs"
[start]
kind = "lattice"
particles = 108
density = "1.374 g/cm^3"
temperature = "94.4 K"
[[component]]
name = "Ar"
model = "argon"
[interaction]
cutoff = 0.75
[thermostat]
kind = "langevin"
temperature = "94.4 K"
time_constant = "0.2 ps"
[output]
thermo_interval = 5
[rdf]
interval = 10
bins = 20
[pressure_tensor]
interval = 10
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Result:
    folder = tmp_path_factory.mktemp("results")
    path = folder / "argon.toml"
    text = INPUT.replace("[output]\n", f"[output]\ndirectory = {json.dumps(str(folder))}\n")
    path.write_text(text)
    made = package.run(path, ranks=1)
    made.input_path = path
    return made


def test_averages_are_those_that_the_run_wrote(result):
    end = result.log.events[-1]["timing"]
    assert list(result.averages) == list(end["averages"])
    temperature = result.averages["temperature"]
    assert temperature.mean == end["averages"]["temperature"]["mean"]
    assert temperature.error == end["averages"]["temperature"]["standard_error"] > 0.0
    assert temperature.unit == "K"
    assert temperature.settled in (True, False)
    assert temperature.independent > 1.0
    over = end["averages_over"]
    assert result.averages.first_step == over["first_step"]
    assert result.averages.rows + result.averages.rows_left_out == 81
    # By the engine once more, from the log alone: the same rule.
    again = result.log.averages()
    for name in ("temperature", "pressure", "potential_energy", "total_energy"):
        assert again[name].mean == pytest.approx(result.averages[name].mean, rel=1e-9)
        assert again[name].error == pytest.approx(result.averages[name].error, rel=1e-6)
    assert again.first_step == result.averages.first_step
    assert again.settled == result.averages.settled
    assert again["pressure"].unit == "bar"


def test_terminal_and_python_write_the_same(result):
    line = next(s for s in result.output.splitlines() if s.startswith("  temperature"))
    average = result.averages["temperature"]
    assert line.split(None, 1)[1] == str(average).removesuffix(", not settled")
    each = next(s for s in result.output.splitlines() if s.startswith("  potential_energy/N"))
    mean = float(each.split()[1].partition("(")[0])
    assert mean == pytest.approx(result.averages["potential_energy"].mean / 108, rel=1e-3)
    # The same quantity has the same name and number wherever it is shown.
    shown = " ".join(each.split()[:2])
    for text in (str(result.averages), str(result)):
        assert shown in [" ".join(line.split()[:2]) for line in text.splitlines()]
    assert f"<th>potential_energy/N</th><td>{each.split()[1]}</td>" in result._repr_html_()
    average = result.averages["potential_energy/N"]
    assert average.name == "potential_energy/N" and average.unit == "kJ/mol"
    assert average.mean == result.averages["potential_energy"].mean / 108
    assert average.error == result.averages["potential_energy"].error / 108
    for wrong in ("temperature/N", "potential_energ/N"):
        with pytest.raises(KeyError, match="there is no average"):
            result.averages[wrong]


def test_few_rows_say_that_they_do_not_tell(result):
    few = result.log.averages(int(result.log.rows[-10]["step"]))
    assert few.settled is None and few.rows < 30
    said = "so few rows do not tell whether the run has settled"
    assert said in str(few) and said in few._repr_html_()


def test_observers_have_named_arrays(result):
    assert sorted(result.observers) == ["pressure_tensor", "rdf"]
    rdf = result.observers["rdf"]
    assert rdf.columns == ["r", "Ar-Ar"]
    assert rdf.units == {"r": "nm", "Ar-Ar": ""}
    assert rdf["r"].shape == rdf["Ar-Ar"].shape == (20,)
    assert numpy.array_equal(rdf["r/nm"], rdf["r"])
    first = result.averages.first_step
    frames = sum(1 for step in range(0, 401, 10) if step >= first)
    # By whole blocks of two samples.
    assert rdf.remarks[0] in (f"g(r), {frames} frames", f"g(r), {frames - 1} frames")
    tensor = result.observers["pressure_tensor"]
    assert tensor.averages["pressure_xx"].mean == pytest.approx(
        result.averages["pressure_xx"].mean, rel=1e-8
    )
    with pytest.raises(KeyError, match="did you mean 'Ar-Ar'"):
        rdf["Ar-A"]
    with pytest.raises(KeyError, match="there is no column"):
        rdf["r/angstrom"]
    with pytest.raises(KeyError, match="did you mean 'rdf'"):
        result.observers["rdff"]


def test_an_opened_run_has_the_same(result):
    for given in (result.input_path, result.log_path, result.directory / "argon"):
        opened = package.open(given)
        assert dict(opened.averages) == dict(result.averages)
        assert str(opened) == str(result)
        assert numpy.array_equal(opened.observers["rdf"]["r"], result.observers["rdf"]["r"])


def test_a_result_shows_itself(result):
    text = str(result)
    assert "argon: complete, 400 steps" in text
    assert "temperature" in text and "observers: pressure_tensor, rdf" in text
    for shown in (result, result.averages, result.log):
        html = shown._repr_html_()
        assert html.count("<table>") == html.count("</table>") == 1
        assert "temperature" in html
    assert "81 rows" in repr(result.log)


def test_rows_are_a_table(result):
    pandas = pytest.importorskip("pandas")
    table = result.table()
    assert isinstance(table, pandas.DataFrame)
    assert list(table["step"]) == list(range(0, 401, 5))
    assert list(result.observers["rdf"].table()) == ["r/nm", "Ar-Ar"]


def test_the_log_of_a_run_without_an_end_has_averages(result, tmp_path):
    lines = result.log_path.read_text().splitlines()
    (tmp_path / "cut.log.jsonl").write_text("\n".join(lines[:-1]) + "\n")
    cut = package.open(tmp_path / "cut.log.jsonl")
    assert cut.averages["temperature"].mean == pytest.approx(
        result.averages["temperature"].mean, rel=1e-9
    )
    assert cut.averages["temperature"].unit == "K"


def test_the_module_lists_all_that_it_has():
    names = dir(package)
    assert {*package.__all__, "open", "Simulation", "Sweep", "Average"} <= set(names)
    for name in package.__all__:
        assert getattr(package, name) is not None


@pytest.mark.parametrize("kind", ["Average", "Averages", "Observation", "Result", "Sweep", "Log"])
def test_signatures_say_what_they_take_and_give(kind):
    of_kind = getattr(package, kind)
    for name, method in vars(of_kind).items():
        function = method.fget if isinstance(method, property) else method
        if name.startswith("_") or not callable(function) or isinstance(function, type):
            continue
        annotations = getattr(function, "__annotations__", {})
        assert typing.Any not in annotations.values(), name
        assert "return" in annotations, f"{kind}.{name}"
