"""The `sterna bench` command: what it writes, its tables, its errors."""

import io
import json
import os
from importlib.util import find_spec

import pytest
from conftest import ROOT
from rich.console import Console
from sterna import SternaError
from sterna.bench import plots as bench_plots
from sterna.bench import tables as bench_tables
from sterna.launching.program import find_companion, find_program


@pytest.fixture(autouse=True)
def _program():
    try:
        find_companion("sterna-bench")
    except SternaError as error:
        pytest.skip(str(error))


def test_the_reductions_as_json_and_as_a_table(sterna, tmp_path):
    file = tmp_path / "reduce.json"
    done = sterna(
        "bench", "reduce", "-n", "1,2", "--values", "1,4", "--rounds", "20", "--json", file
    )
    assert done.returncode == 0, done.stderr
    assert "not agglomerated" in done.stdout
    assert "11.95 %" in done.stdout  # the paper's own figure
    document = json.loads(file.read_text())
    assert document["benchmark"] == "reduce"
    assert document["machine"]["cores"] == os.cpu_count()
    assert document["versions"]["communication"]
    columns = {"method", "ranks", "peers", "bytes", "median_us", "p10_us", "p90_us", "rounds"}
    for row in document["rows"]:
        assert columns <= row.keys()
        assert 0 < row["p10_us"] <= row["median_us"] <= row["p90_us"]
        assert row["rounds"] == 20
    assert [(row["ranks"], row["values"], row["method"]) for row in document["rows"]] == [
        (ranks, values, method)
        for ranks in (1, 2)
        for values in (1, 4)
        for method in ("one_by_one", "agglomerated", "agglomerated_fixed_order")
    ]


def test_a_panel_for_each_topology_and_a_column_for_each_number_of_neighbors(sterna):
    done = sterna(
        *("bench", "neighbor", "-n", "3", "--methods", "p2p", "--rounds", "20", "--peers", "2")
    )
    assert done.returncode == 0, done.stderr
    assert "1d, 3 ranks" in done.stdout
    assert "3d, 3 ranks" in done.stdout
    assert "2 adjacent" in done.stdout
    assert "MPI_Isend/Irecv" in done.stdout


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("fmm", ["us per", "error", "found", "exchange"]),
        ("message", ["median us", "of MPI"]),
        ("halo_fmm", ["median us", "of MPI", "% of step"]),
        ("direct_put", ["ghosts", "median us"]),
        ("kernels", ["cycles", "peak avx2", "near field"]),
        ("soak", ["longest ms", "grown MB"]),
        ("tune_check", ["best us", "Not shown, but written by --json FILE: nodes"]),
        ("neighbor_1d", ["6 adjacent"]),
        ("sparse", ["16 ranks"]),
        ("placement", ["hop-MB"]),
        ("reduce", ["fixed order"]),
    ],
)
def test_every_table_fits_a_terminal_and_says_what_to_look_at(name, heads):
    document = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())
    screen = io.StringIO()
    view = bench_tables.view_of(document["benchmark"])
    bench_tables.show({"notes": []} | document, view, Console(file=screen, width=80))
    shown = screen.getvalue()
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\u2026" not in shown  # nothing is cut
    for head in heads:
        assert head in shown
    if view.columns:
        assert "Look at `" in shown
        table = next(n for n, line in enumerate(lines) if line.startswith("\u2500"))
        assert len(document["rows"]) <= len(lines) - table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nieghbor",), 'did you mean "neighbor"?'),
        (("reduce", "-n", "two"), "--ranks two: numbers of ranks such as 2,4,8"),
        (("reduce", "--values", "0"), "--values"),
        (("neighbor", "--methods", "p2q"), "p2q"),
        (("neighbor", "--metods", "p2p"), 'did you mean "--methods"?'),
        (("reduce", "-n", "1", "--json", "no/such/folder.json"), "could not be written"),
    ],
)
def test_mistakes_are_told_and_the_status_says_so(sterna, arguments, message):
    done = sterna("bench", *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [(), ("-h",), ("--help",), ("neighbor", "-h"), ("neighbor", "--help")]
)
def test_help(sterna, arguments):
    done = sterna("bench", *arguments)
    assert done.returncode == 0, done.stderr
    assert ("--topology" if "neighbor" in arguments else "soak") in done.stdout


def test_help_where_the_program_was_not_built(sterna, tmp_path, monkeypatch):
    alone = tmp_path / "sterna-md"
    alone.symlink_to(find_program())
    monkeypatch.setenv("STERNA_MD", str(alone))
    done = sterna("bench", "--help")
    assert done.returncode != 0
    assert "Measure the communication" in done.stdout
    assert "sterna-bench was not found" in done.stderr
    assert "./dev build" in done.stderr


@pytest.mark.skipif(
    not (find_spec("matplotlib") and find_spec("plotly")), reason="needs matplotlib and plotly"
)
def test_plots_are_drawn(sterna, tmp_path):
    done = sterna(
        *("bench", "reduce", "-n", "1", "--values", "1,2", "--rounds", "20", "--plot", "drawn")
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "drawn.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "drawn.html").read_text()
    assert "one_by_one" in page
    assert '<script src="http' not in page  # opens offline


def test_without_what_draws_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(bench_plots.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SternaError, match="pip install matplotlib plotly"):
        bench_plots.require()
