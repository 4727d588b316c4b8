"""A browser opens the reports of five kinds of runs, without a network, and a checker of accessibility.

Skips where Chromium or the packages of tools/requirements/browser.txt are missing.
STERNA_SCREENSHOTS=FOLDER keeps pictures of all pages.
"""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna.report import write_report
from sterna.report.plot import Series, line_plot

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

LIQUID = """\
units = "reduced"
[run]
steps = {steps}
timestep = 0.004
[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.44
[[type]]
name = "Ar"
[interaction]
cutoff = 2.5
[output]
thermo_interval = 5
trajectory_interval = 20
[rdf]
interval = 20
"""


def shortened(example: str, steps: int) -> str:
    """An example whose steps are fewer, with a trajectory and output here."""
    text = (ROOT / "examples" / f"{example}.toml").read_text(encoding="utf-8")
    text = re.sub(r"^steps = \d+", f"steps = {steps}", text, flags=re.MULTILINE)
    text = re.sub(r"^(trajectory_interval|directory|thermo_interval) = .*\n", "", text, flags=re.M)
    added = f"[output]\nthermo_interval = 5\ntrajectory_interval = {steps // 4}\n"
    added += 'trajectory_fields = ["position", "velocity"]\n'
    return text.replace("[output]\n", added)


def start(folder: Path, name: str, text: str, ranks: int) -> subprocess.Popen:
    (folder / f"{name}.toml").write_text(text)
    return subprocess.Popen(
        sterna_command("run", f"{name}.toml", "-n", ranks, "--progress", "never"),
        cwd=folder, env=sterna_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip


def slab(folder: Path) -> str:
    subprocess.run(
        sterna_command("new", "slab", "lennard_jones", 0.85, "--molecules", 500),
        cwd=folder, env=sterna_environment(), check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    text = (folder / "slab.toml").read_text()
    text = re.sub(r"^steps = .*", "steps = 200", text, flags=re.MULTILINE)
    text = re.sub(r"^interval = .*", "interval = 10", text, flags=re.MULTILINE)
    return text.replace("thermo_interval = 1000", "thermo_interval = 10\ntrajectory_interval = 50")


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, Path]:
    """Reports of a liquid, a slab, a peptide in water, silicon on 8 ranks, a run that was killed."""
    folder = tmp_path_factory.mktemp("browser")
    for path in (ROOT / "examples").glob("*.extxyz"):
        (folder / path.name).write_bytes(path.read_bytes())
    shutil.copytree(ROOT / "examples/molecules", folder / "molecules")
    runs = {
        "liquid": (LIQUID.format(steps=200), 2),
        "slab": (slab(folder), 1),
        "protein": (shortened("peptide", 40), 2),
        "silicon": (shortened("silicon", 40), 8),
    }
    for name, (text, ranks) in runs.items():
        process = start(folder, name, text, ranks)
        said = process.communicate(timeout=300)[1]
        if "does not yield while it waits" in said:
            pytest.skip("this MPI is too slow with more ranks than cores")
        assert process.returncode == 0, f"{name}: {said}"
    crashed = start(folder, "crashed", LIQUID.format(steps=10_000_000), 1)
    log = folder / "crashed.log.jsonl"
    end = time.monotonic() + 120
    while not log.exists() or log.read_text().count('"thermo"') < 10:
        assert time.monotonic() < end and crashed.poll() is None
        time.sleep(0.1)
    os.killpg(crashed.pid, signal.SIGKILL)
    for process in Path("/proc").glob("[0-9]*"):
        # The ranks are in a session of their own.
        try:
            if b"crashed.toml" in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            continue
    crashed.communicate()
    until = time.monotonic() + 60
    names = [*runs, "crashed"]
    while True:
        logs = {n: folder / ("slab.produce" if n == "slab" else n) for n in names}
        found = {n: write_report([logs[n]], folder / f"{n}.html") for n in names}
        if "broken off" in found["crashed"].read_text() or time.monotonic() > until:
            return found
        time.sleep(0.5)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
        )
        yield opened
        opened.close()


def open_page(browser, path: Path, **options):
    """A page without a network; what it asked for and complained of is noted in it."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    page.set_default_timeout(200_000)  # a loaded machine takes its time
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(path.as_uri())
    return page


def keep(page, name: str) -> None:
    folder = os.environ.get("STERNA_SCREENSHOTS")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


KINDS = ["liquid", "slab", "protein", "silicon", "crashed"]


@pytest.mark.parametrize("name", KINDS)
def test_a_report_opens_draws_and_moves(browser, reports, name):
    page = open_page(browser, reports[name])
    page.wait_for_selector('.viewer [data-ready="yes"], .viewer[data-ready="yes"]')
    assert page.asked == [reports[name].as_uri()]
    plots = page.locator("svg.plot")
    assert plots.count() >= (1 if name == "crashed" else 4)
    for k in range(plots.count()):
        box = plots.nth(k).bounding_box()
        assert box["width"] > 100 and box["height"] > 50
        assert plots.nth(k).locator("polyline, rect, circle, path").count() > 0
    canvas = page.locator("canvas").first
    canvas.focus()
    before = canvas.screenshot()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    turned = canvas.screenshot()
    assert turned != before
    frame = page.locator("input.frame").first
    page.keyboard.press("Space")
    shown = {frame.input_value()}
    end = time.monotonic() + 30
    while len(shown) < 2 and time.monotonic() < end:
        page.wait_for_timeout(100)
        shown.add(frame.input_value())
    assert len(shown) >= 2
    keep(page, name)
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("name", ["protein", "silicon"])
def test_particles_take_other_colors(browser, reports, name):
    page = open_page(browser, reports[name])
    page.wait_for_selector('.viewer[data-ready="yes"]')
    canvas, choice = page.locator("canvas"), page.locator("select.color")
    choices = choice.locator("option").all_inner_texts()
    of_molecules = ["molecule"] if name == "protein" else []
    assert choices == ["element", "type", *of_molecules, "kinetic energy", "rank"]
    pictures = set()
    for value in ("element", "type", *of_molecules, "energy", "rank"):
        choice.select_option(value)
        page.wait_for_timeout(200)
        pictures.add(canvas.screenshot())
        shown = page.locator(".viewer .legend:visible")
        assert shown.count() == 1 and shown.get_attribute("data-for") == value
        keep(page, f"{name}-by-{value}")
    assert len(pictures) == len(choices)
    choice.select_option("type")
    if name == "protein":
        # Without the types of water the peptide is there to see.
        for kind in ("O3", "H7"):
            page.get_by_label(kind, exact=True).uncheck()
        page.wait_for_timeout(200)
        pictures.add(canvas.screenshot())
        keep(page, "protein-without-water")
        assert len(pictures) == len(choices) + 1
        # The button hides the same.
        without = canvas.screenshot()
        for kind in ("O3", "H7"):
            page.get_by_label(kind, exact=True).check()
        button = page.get_by_role("button", name="Hide water")
        button.click()
        page.wait_for_timeout(200)
        assert button.count() == 0 and page.get_by_role("button", name="Show water").count() == 1
        assert canvas.screenshot() == without
    assert page.complaints == []
    page.context.close()


@pytest.fixture(scope="module")
def villin(tmp_path_factory) -> Path:
    """The report of villin's headpiece without its water, which OpenMM brings along."""
    app = pytest.importorskip("openmm.app")
    folder = tmp_path_factory.mktemp("villin")
    read = app.PDBFile(str(Path(app.__file__).parent / "data" / "test.pdb"))
    protein = app.Modeller(read.topology, read.positions)
    protein.deleteWater()
    with (folder / "villin.pdb").open("w") as file:
        app.PDBFile.writeFile(protein.topology, protein.positions, file)
    made = sterna_command(
        "import", "villin.pdb", "--force-field", "amber14-all.xml", "--force-field",
        "amber14/tip3p.xml", "-o", "villin.toml",
    )  # fmt: skip
    subprocess.run(made, cwd=folder, env=sterna_environment(), check=True, capture_output=True)
    text = (folder / "villin.toml").read_text()
    text = re.sub(r"^steps = .*", "steps = 2", text, flags=re.M)
    text = re.sub(r"^trajectory_interval = .*", "trajectory_interval = 1", text, flags=re.M)
    (folder / "villin.toml").write_text(text)
    run = sterna_command("run", "villin.toml", "-n", "1", "--progress", "never")
    subprocess.run(run, cwd=folder, env=sterna_environment(), check=True, capture_output=True)
    return write_report([next(folder.rglob("villin.log.jsonl"))], folder / "villin.html")


def test_a_protein_is_a_cartoon(browser, villin):
    page = open_page(browser, villin)
    page.wait_for_selector('.viewer[data-ready="yes"]')
    canvas = page.locator("canvas")
    before = canvas.screenshot()
    assert not page.locator(".legend.structure").is_visible()
    page.get_by_role("button", name="Show as cartoon").click()
    page.wait_for_timeout(500)
    keep(page, "villin-as-cartoon")
    assert canvas.screenshot() != before
    assert page.locator(".legend.structure").is_visible()
    # Its three helices: residues 44 to 51, 54 to 59 and 63 to 74 of 41 to 76. McKnight et al., Nat.
    # Struct. Biol. 4, 180 (1997). Distances of CA atoms alone tell their ends to two residues.
    structure = canvas.get_attribute("data-structure")
    helices = [part.span() for part in re.finditer("H+", structure)]
    assert "E" not in structure and len(helices) == 3, structure
    first = 77 - len(structure)
    for (begin, end), (known_first, known_last) in zip(
        helices, [(44, 51), (54, 59), (63, 74)], strict=True
    ):
        assert abs(first + begin - known_first) <= 2
        assert abs(first + end - 1 - known_last) <= 2
    page.get_by_role("button", name="Show all atoms").click()
    page.wait_for_timeout(500)
    assert canvas.screenshot() == before
    assert page.complaints == []
    page.context.close()


def test_helices_and_strands_are_told_by_their_shape(browser):
    """Ideal ones: 100 degrees and 0.15 nm each residue, and a pleat of 0.33 nm each residue."""
    text = (ROOT / "python/sterna/report/viewer.js").read_text()
    text = text[text.index("  const plus = ") : text.index("  // Triangles of a ribbon")]
    helix = [
        [0.23 * math.cos(k * math.radians(100)), 0.23 * math.sin(k * math.radians(100)), 0.15 * k]
        for k in range(12)
    ]
    strand = [[0.33 * k, 0.09 * (-1) ** k, 0.0] for k in range(8)]
    line = [[0.38 * k, 0.0, 0.0] for k in range(9)]
    page = browser.new_page()
    for atoms, letters in (
        (helix, "H" * 12),
        (strand, "E" * 8),
        (line, "-" * 9),
        (helix[:3], "---"),
    ):
        found = page.evaluate(f"(atoms) => {{ {text} return structureOf(atoms).join(''); }}", atoms)
        assert found == letters
    page.close()


def test_the_matrix_and_the_bars_of_ranks_are_read_by_pointer_and_keyboard(browser, reports):
    page = open_page(browser, reports["silicon"])
    matrix = page.locator("svg.matrix")
    readout = matrix.locator("xpath=../output")
    log = json.loads((reports["silicon"].parent / "silicon.log.jsonl").read_text().splitlines()[-1])
    traffic = log["timing"]["traffic"]
    assert matrix.locator(".cell").count() == len(traffic["from"]) > 8
    matrix.locator(".cell").first.hover()
    said = f"Rank {traffic['from'][0]} to rank {traffic['to'][0]}: "
    assert readout.inner_text().startswith(said)
    page.mouse.move(1, 1)
    matrix.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert re.match(r"Rank \d to rank \d: ", readout.inner_text())
    rows = page.locator("svg.stacked text.tick.end").all_text_contents()
    assert rows == [f"rank {k}" for k in range(8)]
    # Each bar is as long as its rank was busy.
    seconds = log["timing"]["by_rank"]["seconds"].values()
    busy = [sum(phase[rank] for phase in seconds) for rank in range(8)]
    lengths = page.evaluate(
        """[...document.querySelectorAll("svg.stacked text.tick.end")].map((name) => {
          let end = 0;
          for (let next = name.nextElementSibling; next.matches("rect"); next = next.nextElementSibling)
            end += next.width.baseVal.value;
          return end;
        })"""
    )
    for length, time_of_rank in zip(lengths, busy, strict=True):
        # Parts that are too short to be seen are left out.
        assert length / max(lengths) == pytest.approx(time_of_rank / max(busy), abs=0.01)
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", KINDS)
def test_no_violation_of_accessibility(browser, reports, name, scheme):
    options = {"color_scheme": scheme, "reduced_motion": "reduce", "bypass_csp": True}
    page = open_page(browser, reports[name], **options)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    keep(page, f"{name}-{scheme}")
    page.context.close()


#: Texts of plots that lie on another one or reach out of their plot, and how far the page scrolls.
OVERLAPS = """() => {
  const found = [];
  for (const plot of document.querySelectorAll("svg.plot, svg.bars")) {
    const outer = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll("text")].filter((e) => e.textContent.trim());
    const boxes = texts.map((e) => e.getBoundingClientRect());
    boxes.forEach((a, k) => {
      if (a.left < outer.left - 1 || a.right > outer.right + 1)
        found.push(`${texts[k].textContent} is cut off`);
      boxes.slice(k + 1).forEach((b, n) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3)
          found.push(`${texts[k].textContent} lies on ${texts[k + 1 + n].textContent}`);
      });
    });
  }
  return found;
}"""


@pytest.mark.parametrize("width", [360, 390, 1280])
@pytest.mark.parametrize("name", KINDS)
def test_a_phone_and_a_screen_show_all_of_it(browser, reports, name, width):
    page = open_page(browser, reports[name], viewport={"width": width, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERLAPS) == []
    keep(page, f"{name}-{width}")
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("low", [-3759.635, -640.0821, 1.0e-7, 123456.0, -1.2345678e9])
def test_ticks_of_many_digits_have_room(browser, tmp_path, width, low):
    x = numpy.linspace(0.0, 1.0, 20)
    y = low + 1e-5 * abs(low) * numpy.sin(x)
    drawn = line_plot("c", "time/ps", "conserved energy/kJ/mol", [Series("s", x, y)])
    css = (ROOT / "python/sterna/report/report.css").read_text(encoding="utf-8")
    path = tmp_path / "plot.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<style>{css}</style><main>{drawn}</main>"
    )
    page = open_page(browser, path, viewport={"width": width, "height": 740})
    assert page.evaluate(OVERLAPS) == []
    page.context.close()


def test_a_report_prints(browser, reports, tmp_path):
    page = open_page(browser, reports["slab"])
    page.pdf(path=tmp_path / "slab.pdf")
    assert (tmp_path / "slab.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "slab.pdf").stat().st_size > 20_000
    page.context.close()


def test_the_keyboard_reaches_every_plot_and_button(browser, reports):
    page = open_page(browser, reports["liquid"])
    reached = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        tag = page.evaluate(
            "(() => { const e = document.activeElement; return e.tagName + '.' + "
            "(e.getAttribute('class') || '') })()"
        )
        reached.add(tag)
        if tag == "BODY." and len(reached) > 1:
            break
    plots = page.locator("svg.plot")
    assert any(tag.startswith("svg.") for tag in reached), reached
    assert {"CANVAS.", "BUTTON.play", "INPUT.frame", "INPUT.size"} <= reached
    first = plots.first
    first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".readout").first.inner_text().strip()
    page.context.close()
