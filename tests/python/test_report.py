"""`sterna report`: the page of each kind of run, and errors about what is no run."""

import base64
import json
import re
import shutil
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna.errors import SternaError
from sterna.report import write_report
from sterna.report.advice import advice
from sterna.report.html import element
from sterna.report.page import PARTS
from sterna.report.plot import Series, line_plot, ticks
from sterna.report.trajectory import held_atoms, pack, read_scene
from sterna.results.log import Log, read_log
from sterna.results.run import Run, find_run
from sterna.support.measured import measured_text

LIQUID = """\
units = "reduced"
[run]
name = "{name}"
steps = 300
timestep = 0.004
[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = {temperature}
[[type]]
name = "A<&B"
[interaction]
cutoff = 2.5
[output]
thermo_interval = 5
trajectory_interval = 50
[rdf]
interval = 20
[profile]
interval = 20
axis = "z"
bins = 32
[pressure_tensor]
interval = 10
surface_normal = "z"
[diffusion]
interval = 10
[viscosity]
interval = 5
"""

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """The elements of a page: (name, attributes, own text), and whether they are nested well."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.elements: list[tuple[str, dict, list[str]]] = []
        self._open: list[tuple[str, list[str]]] = []
        self.feed(self.source)
        self.close()
        assert not self._open, f"not closed: {self._open}"

    def handle_starttag(self, tag, attributes):
        text: list[str] = []
        self.elements.append((tag, dict(attributes), text))
        if tag not in VOID:
            self._open.append((tag, text))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self._open and self._open[-1][0] == tag, f"</{tag}> closes {self._open[-1:]}"
        self._open.pop()

    def handle_data(self, data):
        for _, text in self._open:
            text.append(data)

    def all(self, tag: str, **wanted: str) -> list[tuple[dict, str]]:
        return [
            (attributes, "".join(text))
            for name, attributes, text in self.elements
            if name == tag and all(attributes.get(key) == value for key, value in wanted.items())
        ]

    def part(self, name: str, run: int = 1) -> str:
        """The text of a part of the page, which must be there once."""
        ((_, text),) = self.all("section", id=f"run-{run}-{name}")
        return text


def run_sterna(folder: Path, text: str, ranks: int, name: str) -> Path:
    """Runs an input in a folder; returns its log."""
    path = folder / f"{name}.toml"
    path.write_text(text)
    done = subprocess.run(
        sterna_command("run", path, "-n", ranks),
        cwd=folder, env=sterna_environment(), capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / f"{name}.log.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the runs of these tests are: a liquid on two ranks, one on one rank, molecules."""
    folder = tmp_path_factory.mktemp("report")
    liquid = LIQUID.format(name="liquid", temperature=1.44)
    run_sterna(folder, liquid, 2, "liquid")
    run_sterna(folder, LIQUID.format(name="hot", temperature=3.0), 1, "hot")
    shutil.copy(ROOT / "examples/butane.extxyz", folder)
    text = (ROOT / "examples/butane.toml").read_text()
    text = text.replace("steps = 3000", "steps = 40").replace('"output"', '"."')
    text = re.sub(r"_interval = \d+", "_interval = 20", text)
    run_sterna(folder, text, 2, "butane")
    return folder


def report(path: Path, *others: Path, **options) -> Page:
    return Page(write_report([path, *others], **options))


@pytest.fixture(scope="module")
def liquid(folder):
    return report(folder / "liquid.log.jsonl")


def check_page(page: Page, runs: int = 1) -> None:
    """What holds for each report: all parts, nothing from elsewhere, names of all pictures."""
    for k in range(1, runs + 1):
        for name in PARTS:
            assert page.part(name, k).strip(), f"{name} of run {k} is empty"
    identities = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert len(identities) == len(set(identities))
    for tag, attributes, _ in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
        assert attributes.get("href", "#content")[1:] in identities
        assert set(attributes.get("aria-labelledby", "").split()) <= set(identities)
        if attributes.get("role") == "img":
            assert attributes["aria-label"]
    assert not re.search("</(input|meta)>", page.source)
    policy = page.all("meta", **{"http-equiv": "Content-Security-Policy"})[0][0]["content"]
    assert policy.startswith("default-src 'none'")
    assert "url(" not in page.source and "@import" not in page.source
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import)\s*\(", page.source)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page.source))
    assert addresses <= {"http://www.w3.org/2000/svg"}, addresses


def test_a_liquid_on_two_ranks(liquid, folder):
    check_page(liquid)
    log = read_log(folder / "liquid.log.jsonl")
    end = log.events[-1]
    summary = liquid.part("summary")
    assert "The run is complete." in summary and "Last step: 300." in summary
    for name, value in end["timing"]["averages"].items():
        per = 864 if name.endswith("_energy") else 1
        shown = measured_text(value["mean"] / per, value["standard_error"] / per)
        assert f"{name}{'/N' if per > 1 else ''}{shown}" in summary.replace("\n", "")
    assert f"{300 / end['timing']['seconds']:.5g} steps/s" in summary
    setup = liquid.part("setup")
    for said in ("Ranks2", "Particles864", "Open MPI", "cells = [6, 6, 6]", 'name = "A<&B"'):
        assert said in setup.replace("\n", "") or "MPI" in said
    assert "velocity_verlet" in setup and "default" in setup
    observed = liquid.part("observers")
    for said in ("Radial distribution", "Density along z", "Mean square displacement",
                 "straight line", "Running integral", "pressure_xx"):  # fmt: skip
        assert said in observed, said
    times = liquid.part("times")
    for phase in end["timing"]["phases"]:
        assert phase in times
    exchanges = liquid.part("exchanges")
    for verdict in end["timing"]["methods"]:
        assert verdict["reason"] in exchanges
        assert str(verdict["bytes_sent"]) in exchanges
        for candidate in verdict["candidates"]:
            assert candidate["method"] in exchanges
    looks = [event for event in log.events if event["event"] == "balance"]
    assert looks
    for look in looks:
        assert look["reason"] in liquid.part("balance")


def test_times_by_rank_add_up_and_what_is_sent_is_counted_twice_alike(liquid, folder):
    timing = read_log(folder / "liquid.log.jsonl").events[-1]["timing"]
    by_rank, traffic = timing["by_rank"], timing["traffic"]
    assert by_rank["rank"] == [0, 1] and sum(by_rank["particles"]) == 864
    for k in range(2):
        spent = sum(seconds[k] for seconds in by_rank["seconds"].values())
        assert spent == pytest.approx(timing["seconds"], rel=0.02)
    for name, spread in timing["phases"].items():
        if name in by_rank["seconds"]:
            seconds = by_rank["seconds"][name]
            assert max(seconds) == pytest.approx(spread["max"], abs=2e-6)
            assert min(seconds) == pytest.approx(spread["min"], abs=2e-6)
    # Two counts of the same: by exchange, and by the rank that it went to.
    assert traffic["from"] == [0, 1] and traffic["to"] == [1, 0]
    assert traffic["bytes"] == by_rank["bytes_sent"]
    assert traffic["bytes"][0] == sum(verdict["bytes_sent"] for verdict in timing["methods"])
    page = liquid.part("traffic")
    for number in (*traffic["bytes"], *traffic["messages"]):
        assert str(number) in page
    assert "Each rank sends to 1 of 1 others" in page
    times = liquid.part("times")
    for name, seconds in by_rank["seconds"].items():
        assert name in times
        assert all(f"{value:.4g}" in times for value in seconds)


def test_what_ranks_send_is_what_the_geometry_says(tmp_path):
    # A crystal at rest on 2 x 2 x 2 ranks: what goes to a face, an edge and a corner is known.
    text = """\
units = "reduced"
[run]
name = "crystal"
steps = 50
timestep = 0.001
[start]
kind = "lattice"
lattice = "sc"
cells = [12, 12, 12]
density = 1.0
temperature = 0.0
[[type]]
name = "A"
epsilon = 1e-6
[interaction]
cutoff = 1.7
[neighbor]
skin = 0.2
[domain]
grid = [2, 2, 2]
[communication]
halo = "p2p"
[output]
thermo_interval = 50
"""
    log = read_log(run_sterna(tmp_path, text, 8, "crystal"))
    timing = log.events[-1]["timing"]
    halo = next(m for m in timing["methods"] if m["exchange"] == "halo positions")
    traffic = timing["traffic"]
    sent = {
        (a, b): size
        for a, b, size in zip(traffic["from"], traffic["to"], traffic["bytes"], strict=True)
    }
    assert set(sent) == {(a, b) for a in range(8) for b in range(8) if a != b}
    per_axis = [(a ^ b).bit_count() for a, b in sent]
    by_kind = {n: {sent[pair] for pair, axes in zip(sent, per_axis, strict=True) if axes == n}
               for n in (1, 2, 3)}  # fmt: skip
    # All pairs of a kind send as much: the crystal is the same everywhere.
    assert all(len(sizes) == 1 for sizes in by_kind.values()), by_kind
    face, edge, corner = (by_kind[n].pop() for n in (1, 2, 3))
    # 6 x 6 x 6 atoms in a region; a halo of two layers takes 2 of 6 at each of both sides. Of half
    # of them positions come, of the others forces. (A rebuild's message has one number more.)
    assert edge / face == pytest.approx(4 / 6, rel=1e-4)
    assert corner / face == pytest.approx(16 / 36, rel=1e-4)
    assert halo["bytes_sent"] <= 3 * (face + edge) + corner


def test_colors_by_kinetic_energy_and_by_rank(tmp_path):
    import h5py

    text = LIQUID.format(name="warm", temperature=1.44).replace(
        "trajectory_interval = 50",
        'trajectory_interval = 100\ntrajectory_fields = ["position", "velocity"]',
    )
    log = run_sterna(tmp_path, text, 4, "warm")
    data = json.loads(report(log).all("script", type="application/json")[0][1])
    levels = numpy.frombuffer(zlib.decompress(base64.b64decode(data["energies"])), numpy.uint8)
    levels = levels.reshape(data["frames"], data["particles"])
    with h5py.File(tmp_path / "warm.h5md") as file:
        velocities = file["particles/trajectory/velocity/value"][...]
        kinetic = file["observables/kinetic_energy/value"][...]
    energies = 0.5 * (velocities**2).sum(axis=2)
    assert energies.sum(axis=1) == pytest.approx(kinetic.reshape(-1), rel=1e-9)
    wanted = numpy.minimum(64.0 * energies / energies.mean(), 255.0)
    assert numpy.abs(levels - wanted).max() <= 0.5 + 1e-9
    regions = numpy.array(data["regions"])
    assert regions.shape == (4, 2, 3)
    assert numpy.prod(regions[:, 1] - regions[:, 0], axis=1).sum() == pytest.approx(1.0)


def test_every_logged_number_of_a_short_run_is_in_the_tables(liquid, folder):
    log = read_log(folder / "liquid.log.jsonl")
    text = liquid.part("thermodynamics")
    for column in ("temperature", "pressure", "potential_energy", "total_energy"):
        for value in log[column]:
            assert f"{value:.8g}" in text, column
    assert f"{log['lennard_jones_energy'][7]:.8g}" in liquid.part("energies")


def test_the_report_is_small_and_smaller_without_the_trajectory(folder, liquid, tmp_path):
    without = report(folder / "liquid.log.jsonl", output=tmp_path / "x.html", trajectory=False)
    check_page(without)
    assert len(without.source) < min(1_000_000, len(liquid.source))
    assert "leave the trajectory out" in without.part("system")
    assert not without.all("canvas") and liquid.all("canvas")


def test_what_the_viewer_gets_is_the_trajectory(liquid, folder):
    import h5py

    data = json.loads(liquid.all("script", type="application/json")[0][1])
    planes = numpy.frombuffer(zlib.decompress(base64.b64decode(data["packed"])), numpy.uint8)
    low, high = planes.reshape(2, data["frames"], data["particles"], 3).astype(int)
    fractions = numpy.cumsum(low + 256 * high, axis=0) % 65536 / 65536
    with h5py.File(folder / "liquid.h5md") as file:
        positions = file["particles/trajectory/position/value"][...]
    edge = data["edges"][0][0][0]
    assert fractions.shape == positions.shape == (7, 864, 3)
    away = positions / edge - fractions
    away -= numpy.round(away)
    assert numpy.abs(away).max() < 1.1 / 65536
    assert data["names"] == ["A<&B"] and data["steps"] == list(range(0, 301, 50))


def test_a_trajectory_over_its_budget_loses_frames_and_then_particles(folder):
    fewer = read_scene(folder / "liquid.h5md", 3 * 864 * 6)
    assert (fewer.shown, fewer.frames) == (864, 3) and fewer.steps[-1] == 300
    least = read_scene(folder / "liquid.h5md", 1000)
    assert least.frames == 1 and 100 < least.shown < 200
    assert len(least.packed) < 2000


def test_packing_keeps_what_comes_after_the_point():
    packed = pack(numpy.array([[[-0.25, 1.5, 0.999999999]]]))
    low, high = zlib.decompress(base64.b64decode(packed))[:3], None
    high = zlib.decompress(base64.b64decode(packed))[3:]
    assert [a + 256 * b for a, b in zip(low, high, strict=True)] == [49152, 32768, 65535]


def test_molecules_have_bonds_and_terms(folder):
    page = report(folder / "butane")
    check_page(page)
    data = json.loads(page.all("script", type="application/json")[0][1])
    assert len(data["bonds"]) == 2 * 432 and set(data["names"]) == {"CH2", "CH3"}
    observed = page.part("observers")
    assert "Torsion distribution; butane is most often at" in observed
    assert "Radius of gyration in time; the run found radius_of_gyration_butane" in observed
    assert "probability density of the torsion, 1/deg" in observed
    assert "ends-ends is greatest" in observed
    assert max(data["bonds"]) == 575
    log = read_log(folder / "butane.log.jsonl")
    terms = [
        column for column in log.columns if column.endswith(("angle_energy", "torsion_energy"))
    ]
    assert terms
    for term in terms:
        name = term.removesuffix("_energy").replace("_", " ")
        assert f"{name} (part of bonded)" in page.part("energies")
    assert "tail correction-50.5489" in page.part("energies")
    assert "fs" in page.part("thermodynamics")


def test_what_the_viewer_knows_of_elements_molecules_and_water(folder, tmp_path):
    """Of butane and water beside each other, by the numbers of the trajectory."""
    source = ROOT / "examples" / "peptide.toml"
    for path in (ROOT / "examples").glob("peptide*.extxyz"):
        shutil.copy(path, tmp_path)
    shutil.copytree(ROOT / "examples" / "molecules", tmp_path / "molecules")
    text = re.sub(r"(?m)^steps = .*", "steps = 2", source.read_text())
    text = re.sub(r"(?m)^(trajectory_interval|directory|thermo_interval) = .*\n", "", text)
    text = text.replace("[output]\n", "[output]\ntrajectory_interval = 2\n")
    log = run_sterna(tmp_path, text, 1, "peptide")
    data = json.loads(report(log).all("script", type="application/json")[0][1])
    particles = data["particles"]
    assert len(data["element"]) == len(data["molecule"]) == particles
    water = numpy.zeros(particles, bool)
    water[data["water"]] = True
    symbols = numpy.array(data["elementNames"])[data["element"]]
    assert 0 < water.sum() < particles and water.sum() % 3 == 0
    assert (symbols[water] == "O").sum() == water.sum() // 3
    assert {"C", "N", "O", "H"} <= set(symbols[~water])
    assert len(set(numpy.array(data["molecule"])[~water])) < 0.1 * (~water).sum()
    from sterna.support.elements import COLORS  # noqa: PLC0415

    assert data["elementColors"][data["elementNames"].index("O")] == COLORS["O"]


def test_atoms_that_constraints_hold_are_joined_to_the_nearest_of_their_molecule():
    # A water across the face of a box, a bonded pair with a hydrogen, an ion; scattered numbers.
    edges = numpy.diag([2.0, 3.0, 4.0])
    places = [[1.98, 1, 1], [0.06, 1, 1], [1.98, 1.09, 1], [1, 1, 1], [1.15, 1, 1], [1.25, 1, 1],
              [1.97, 1, 1]]  # fmt: skip
    bonded = numpy.array([False, False, False, True, True, False, False])
    molecules = numpy.array([5, 5, 5, 2, 2, 2, 9])
    mixed = numpy.array([3, 6, 0, 5, 1, 4, 2])
    fractions = (numpy.array(places) / numpy.diag(edges))[mixed]
    pairs = held_atoms(fractions, edges, molecules[mixed], bonded[mixed])
    assert {tuple(sorted(mixed[pair])) for pair in pairs} == {(0, 1), (0, 2), (4, 5)}
    alone = held_atoms(fractions, edges, numpy.arange(7), bonded)
    assert alone.shape == (0, 2)


def test_a_slab_has_its_profile_and_its_surface_tension(sterna, tmp_path):
    done = sterna("new", "slab", "lennard_jones", "0.75", "-m", "400")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "slab.toml").read_text()
    text = re.sub(r"(?m)^steps = .*", "steps = 200", text)
    text = re.sub(r"(?m)^(equilibration|\w+_interval) = .*", r"\1 = 50", text)
    text = re.sub(r"(?m)^interval = .*", "interval = 10", text)
    (tmp_path / "slab.toml").write_text(text)
    done = sterna("run", "slab.toml", "-n", "2", "--report")
    assert done.returncode == 0, done.stderr
    log = tmp_path / "slab.produce.log.jsonl"
    assert "slab.produce.report.html" in done.stdout.splitlines()[-1]
    page = Page(find_run(log).file(".report.html"))
    check_page(page)
    observed = page.part("observers")
    assert "Density along z" in observed and "Temperature along z" in observed
    tension = read_log(log).events[-1]["timing"]["averages"]["surface_tension"]
    assert measured_text(tension["mean"], tension["standard_error"]) in page.part("summary")


def test_rigid_molecules(sterna, tmp_path):
    text = (ROOT / "examples/ethylene_oxide.toml").read_text()
    text = text.replace("steps = 3000", "steps = 20").replace('"output"', '"."')
    text = re.sub(r"interval = \d+", "interval = 10", text)
    more = "[dielectric]\ninterval = 10\n[orientation_order]\ninterval = 10\n"
    (tmp_path / "eox.toml").write_text(text + more)
    done = sterna("run", "eox.toml", "-n", "2")
    assert done.returncode == 0, done.stderr
    page = report(tmp_path)
    check_page(page)
    assert "EOX:1-EOX:1" in page.part("observers") and "permittivity" in page.part("observers")
    assert "Orientation towards z" in page.part("observers")
    assert "Eckl" in page.part("setup")
    assert "molecules coulomb (part of molecules)" in page.part("energies")


@pytest.mark.parametrize(
    ("changes", "part", "said"),
    [
        ({"steps = 100": "steps = 0"}, "summary", "The run is complete. Last step: 0."),
        ({"steps = 100": 'steps = 20\nintegrator = "minimize"'}, "thermodynamics", "Largest force"),
        (
            {"[output]": '[thermostat]\nkind = "stochastic_velocity_rescaling"\ntemperature = 1.44\n'
             'time_constant = 0.2\n[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 1.0\n'
             'bulk_modulus = 20.0\ntime_constant = 1.0\n[output]'},
            "thermodynamics", "Volume",
        ),
    ],
)  # fmt: skip
def test_runs_without_steps_without_time_and_with_another_volume(
    sterna, melt, tmp_path, changes, part, said
):
    path = melt(trajectory=50)
    text = path.read_text()
    for old, new in changes.items():
        text = text.replace(old, new)
    path.write_text(text)
    done = sterna("run", path, "-n", "1", "--report")
    assert done.returncode == 0, done.stderr
    page = Page(tmp_path / "melt.report.html")
    check_page(page)
    assert said in page.part(part)


def test_two_runs_are_compared(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)  # as outputs of an input are relative to the working directory
    page = report(folder / "liquid", folder / "hot.toml", output=tmp_path / "both.html")
    check_page(page, 2)
    ((_, text),) = page.all("section", id="comparison")
    for said in ("1: liquid", "2: hot", "Temperature", "Radial distribution functions: "):
        assert said in text
    for name in ("liquid", "hot"):
        mean = read_log(folder / f"{name}.log.jsonl").events[-1]["timing"]["averages"][
            "temperature"
        ]
        assert measured_text(mean["mean"], mean["standard_error"]) in text
    assert "The run has one rank" in page.part("balance", 2)
    energy = read_log(folder / "hot.log.jsonl").events[-1]["timing"]["averages"]["potential_energy"]
    each = measured_text(energy["mean"] / 864, energy["standard_error"] / 864)
    assert "potential_energy/N" in text and each in text


def test_a_run_that_broke_off_has_a_report_that_says_so(folder, tmp_path):
    text = (folder / "liquid.log.jsonl").read_text()
    rows = [m.start() for m in re.finditer('{"event":"thermo"', text)]
    log = tmp_path / "cut.log.jsonl"
    log.write_text(text[: rows[40] + 33])  # in the midst of a line
    page = report(log)
    check_page(page)
    assert "broke off" in page.part("summary")
    last = read_log(folder / "liquid.log.jsonl").rows[39]
    assert f"Last step: {last['step']}." in page.part("summary")
    assert f"{last['temperature']:.8g}" in page.part("thermodynamics")
    assert "when it ends" in page.part("times")
    log.write_text(text[: rows[0]])
    page = report(log)
    assert "no rows yet" in page.part("thermodynamics")


def test_a_run_whose_lock_is_held_is_running(folder, tmp_path):
    import fcntl

    text = (folder / "liquid.log.jsonl").read_text()
    log = tmp_path / "now.log.jsonl"
    log.write_text(text[: text.index('{"event":"end"')])
    with (tmp_path / "now.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "still going on" in report(log).part("summary")
    assert "broke off" in report(log).part("summary")


def test_a_resumed_run_is_judged_by_its_last_part(folder, tmp_path):
    text = (folder / "liquid.log.jsonl").read_text()
    start = text.splitlines()[0]
    log = tmp_path / "again.log.jsonl"
    log.write_text(text + start.replace('"ranks":2', '"ranks":3', 1) + "\n")
    run = find_run(log)
    assert run.end is None and run.start["ranks"] == 3 and run.state == "broken off"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("no.log.jsonl", None, "does not exist"),
        ("x.log.jsonl", "{}\nnonsense\n{}\n", "x.log.jsonl:2:1: not JSON"),
        ("x.log.jsonl", "5\n{}\n", "x.log.jsonl:1: an event is expected"),
        ("x.log.jsonl", '{"event":"thermo","step":0,"time":0}\n', "no start event"),
        ("x.log.jsonl", "", "no start event"),
        (
            "x.log.jsonl",
            '{"event":"start"}\n{"event":"thermo","step":1}\n',
            "x.log.jsonl:2: in this event, 'thermo', time is None",
        ),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(SternaError, match=re.escape(said)):
        write_report([tmp_path / name])
    assert not list(tmp_path.glob("*.html"))


def test_errors_of_the_command_line(folder, sterna, tmp_path):
    done = sterna("report", folder / "liquit")
    assert done.returncode == 2 and "liquid.log.jsonl?" in done.stderr
    done = sterna("report", folder)
    assert done.returncode == 2 and "logs in it: butane.log.jsonl, hot.log.jsonl" in done.stderr
    done = sterna("report", folder / "liquid", "-o", folder / "liquid.toml")
    assert done.returncode == 2 and "is no report" in done.stderr
    assert "lattice" in (folder / "liquid.toml").read_text()
    done = sterna("report", folder / "liquid", "-o", tmp_path / "nowhere/x.html")
    assert done.returncode == 1 and "cannot be written" in done.stderr
    for _ in range(2):  # a report is replaced
        done = sterna("report", folder / "liquid", "-o", tmp_path / "x.html")
        assert done.returncode == 0 and done.stdout == f"wrote {tmp_path / 'x.html'}\n"


def test_a_long_log_is_a_small_report(tmp_path):
    rows = [
        {"event": "thermo", "step": k, "time": 0.1 * k, "temperature": 1.0 + 0.01 * (k % 7),
         "kinetic_energy": 1.5, "conserved_energy": 2.0, "x_energy": float(k)}
        for k in range(50_000)
    ]  # fmt: skip
    events = [{"event": "start", "settings": {"particles": 10}}, *rows]
    (tmp_path / "long.log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    page = report(tmp_path)
    check_page(page)
    assert len(page.source) < 500_000
    assert "100 of 50000 rows" in page.part("thermodynamics")


def test_a_damaged_file_of_an_observer_is_named(folder, tmp_path):
    shutil.copy(folder / "liquid.log.jsonl", tmp_path)
    (tmp_path / "liquid.rdf.txt").write_text("# g(r)\n# r A-A\n0.1 1\n0.2\n")
    with pytest.raises(SternaError, match=r"liquid.rdf.txt:4: 2 columns expected"):
        write_report([tmp_path / "liquid"])
    (tmp_path / "liquid.rdf.txt").write_text("# g(r)\n# r A-A\n0.1 1\n0.2 x\n")
    with pytest.raises(SternaError, match=r"liquid.rdf.txt:4: numbers expected"):
        write_report([tmp_path / "liquid"])
    (tmp_path / "liquid.rdf.txt").unlink()
    (tmp_path / "liquid.h5md").write_text("no HDF5")
    with pytest.raises(SternaError, match=r"liquid.h5md: no HDF5 file"):
        write_report([tmp_path / "liquid"])


def _run_with(
    timing: dict, ranks: int = 4, particles: int = 40_000, rows: list | None = None
) -> Run:
    start = {"event": "start", "ranks": ranks, "settings": {"particles": particles}}
    end = {"event": "end", "step": 9, "status": "complete", "timing": timing}
    thermo = [{"event": "thermo", **row} for row in rows or []]
    return Run(Path("x.log.jsonl"), Log([start, *thermo, end]))


def _phases(**seconds: float) -> dict:
    spreads = {
        name.replace("_", " "): {"min": s, "avg": s, "max": s} for name, s in seconds.items()
    }
    return {"phases": spreads, "seconds": 10.0}


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (_run_with(_phases(halo_exchange=1.2)), "The halo exchange is 12 % of the step."),
        (_run_with(_phases(halo_exchange=1.2), ranks=1), None),
        (_run_with(_phases(halo_exchange=0.9)), None),
        (_run_with(_phases(observers=2.0)), "Observers take 20 % of the time"),
        (_run_with(_phases(output=0.7, checkpoint=0.5)), "Output and checkpoints take 12 %"),
        (_run_with(_phases(pair_list=1.0, sorting=1.5)), "Making neighbor lists takes 25 %"),
        (
            _run_with({"communication_share": 0.3}),
            "Communication and waiting take 30 % of the time; ",
        ),
        (
            _run_with({"communication_share": 0.3}, particles=400),
            "with 100 particles for each rank",
        ),
        (_run_with({"mode": "synchronized", "waiting_share": 0.2}), "wait for each other 20 %"),
        (_run_with({"balance": {"imbalance": 1.25}}), "computes 25 % longer"),
        (
            _run_with({"averages_over": {"rows": 3, "rows_left_out": 4, "first_step": 0}}),
            "4 of 7 rows",
        ),
    ],
)
def test_advice_is_given_where_the_numbers_say_so(run, said):
    given = advice(run)
    assert given == [] if said is None else [line for line in given if said in line] == given != []


def test_energy_that_drifts_is_told_from_energy_that_scatters():
    def run(slope: float) -> Run:
        rows = [
            {"step": k, "time": k, "kinetic_energy": 50.0,
             "conserved_energy": slope * k + 0.1 * (-1) ** k}
            for k in range(100)
        ]  # fmt: skip
        over = {"rows": 100, "rows_left_out": 0, "first_step": 0}
        return _run_with({"averages_over": over}, rows=rows)

    assert advice(run(0.0)) == []
    (line,) = advice(run(0.05))
    assert "drifts by 9.9 % of the kinetic energy" in line


def test_colors_have_the_six_digits_that_the_viewer_reads():
    style = (ROOT / "python/sterna/report/report.css").read_text()
    colors = re.findall(r"--[a-z0-9]+: (#\w+)", style)
    assert len(colors) > 40
    assert [color for color in colors if not re.fullmatch("#[0-9a-f]{6}", color)] == []


def test_values_from_files_are_escaped():
    assert element("p", '<script>&"') == "<p>&lt;script&gt;&amp;&quot;</p>"
    assert element("a", "x", class_="k", aria_label='"') == '<a class="k" aria-label="&quot;">x</a>'


def test_ticks_are_round_and_inside():
    assert ticks(0.0, 12.0) == [0, 2, 4, 6, 8, 10, 12]
    assert numpy.allclose(ticks(-0.31, 0.42), [-0.2, 0.0, 0.2, 0.4])


def test_a_long_line_keeps_its_extremes_and_a_constant_one_is_drawn():
    y = numpy.zeros(100_000)
    y[54_321], y[77_777] = 5.0, -3.0
    x = numpy.arange(len(y), dtype=float)
    drawn = line_plot("c", "x", "y", [Series("s", x, y)])
    points = re.search(r'points="([^"]*)"', drawn)[1].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert len(points) < 1500
    low, high = (float(v) for v in re.search(r'data-range="([^"]*)"', drawn)[1].split()[2:])
    frame = [float(v) for v in re.search(r'data-frame="([^"]*)"', drawn)[1].split()]
    for extreme, at in ((5.0, min(heights)), (-3.0, max(heights))):
        where = frame[2] - (extreme - low) / (high - low) * (frame[2] - frame[3])
        assert abs(where - at) < 0.1
    assert "nan" not in line_plot("c", "x", "y", [Series("s", x[:3], numpy.ones(3))])
    assert "nan" not in line_plot("c", "x", "y", [Series("s", x[:1], numpy.array([numpy.nan]))])


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("name", ["liquid", "butane"])
def test_a_browser_draws_it_without_errors(folder, tmp_path, name):
    path = write_report([folder / name], tmp_path / "page.html")
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader", f"--user-data-dir={tmp_path / 'profile'}",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr",
            "--virtual-time-budget=5000", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert 'data-ready="yes"' in done.stdout, done.stderr
    assert "CONSOLE" not in done.stderr, done.stderr
