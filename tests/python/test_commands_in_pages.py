"""What README and docs print can be typed: commands, inputs and the tutorials, as they stand there."""

import csv
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from conftest import ROOT, sterna_command, sterna_environment
from sterna import command, read_log
from test_documentation import BLOCK, PAGES, blocks

#: Blocks of these languages, or of none, are what somebody types.
SHELL = ("", "sh", "bash")
FRAGMENTS = [
    (page, k, text)
    for page in PAGES
    if "how" in page.parts[-2] or page.parts[-2] in ("docs", "tutorial")
    for k, (language, text) in enumerate(blocks(page))
    # The pages that add something show a section that is not in the engine; a study is no input:
    # test_sweep.py reads it.
    if language == "toml"
    and not page.name.startswith("add-a")
    and not text.startswith("[tether]")
    and page.name != "sweeps.md"
    and not text.startswith("input =")
]


def typed(page: Path) -> list[str]:
    """The commands `sterna ...` of a page, without the comments behind them."""
    found = []
    for language, text in blocks(page):
        if language in SHELL:
            found += [line for line in text.split("\n") if line.startswith("sterna ")]
    return found


def words_of(line: str) -> list[str]:
    return shlex.split(line, comments=True)[1:]


#: What Typer raises about words that it does not understand; Typer has a click of its own.
Misunderstood = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def understand(words: list[str]) -> None:
    """Raises Misunderstood where the command line knows no such verb, option or argument."""
    command.add_groups()
    verb, parent, name = typer.main.get_command(command.app), None, "sterna"
    while words and words[0] in getattr(verb, "commands", {}):
        parent = verb.make_context(name, words[:1], parent=parent)
        name, words = words[0], words[1:]
        verb = verb.commands[name]
    if hasattr(verb, "commands") and words:
        raise Misunderstood(f"no verb {words[0]}")
    verb.make_context(name, list(words), parent=parent, resilient_parsing=not words)


@pytest.mark.parametrize("page", [page for page in PAGES if typed(page)], ids=lambda p: p.name)
def test_commands_are_known(page):
    for line in typed(page):
        try:
            understand(words_of(line))
        except Misunderstood as error:
            pytest.fail(f"{page}: {line}: {error.format_message()}")


def test_the_navigation_leads_to_every_page_once():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(re.findall("^nav:", text, re.MULTILINE)) == 1
    generated = ("md/", "comm/", "c/", "fortran/")
    named = [
        n for n in re.findall(r"^ +- .*?([\w/-]+\.md)$", text, re.M) if not n.startswith(generated)
    ]
    pages = ROOT / "docs"
    # The site's hook puts the pages of a folder in its place.
    for folder in re.findall(r"^ +- ([\w/-]+)/$", text, re.M):
        named += [path.relative_to(pages).as_posix() for path in (pages / folder).glob("*.md")]
    there = [path.relative_to(pages).as_posix() for path in pages.rglob("*.md")]
    assert sorted(named) == sorted(there)


def test_an_unknown_option_would_be_noticed():
    with pytest.raises(Misunderstood):
        understand(["run", "x.toml", "--rank", "4"])
    with pytest.raises(Misunderstood):
        understand(["rnu", "x.toml"])
    understand(["new", "slab", "lennard_jones", "0.85"])


def test_verbs_of_dev_are_known():
    shown = subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout
    verbs = set(re.findall(r"^  ([a-z]+)", shown.split("settings,")[0], re.MULTILINE))
    assert "demo" in verbs
    for page in PAGES:
        for language, text in blocks(page):
            if language in SHELL:
                for verb in re.findall(r"^(?:[A-Z_]+=\S+ )*\./dev ([a-z]+)", text, re.MULTILINE):
                    assert verb in verbs, f"{page}: ./dev {verb}"


@pytest.mark.parametrize(
    ("page", "text"),
    [(page, text) for page, _, text in FRAGMENTS],
    ids=[f"{page.name}-{k}" for page, k, _ in FRAGMENTS],
)
def test_parts_of_inputs_have_keys_that_there_are(page, text, sterna, tmp_path):
    tomllib.loads(text)
    (tmp_path / "part.toml").write_text(text)
    done = sterna("check", "part.toml")
    # A part lacks what makes a run; what it has must be known.
    wrong = re.findall("error: unknown .*", done.stderr + done.stdout)
    assert not wrong, f"{page}: {wrong}"


def shorten(path: Path, **values: int) -> None:
    """Fewer steps than a reader takes; all else as printed."""
    text = path.read_text()
    for key, value in values.items():
        text, count = re.subn(rf"^{key} = [\d_]+", f"{key} = {value}", text, flags=re.MULTILINE)
        assert count > 0, f"{path}: {key}"
    path.write_text(text)


def put(text: str, told: str, folder: Path, save_as: str) -> Path | None:
    """Does with a block of TOML what the text before it tells to do; the input that it changed.

    A block that begins with the units is a whole input, for a file of the name `save_as`.
    """
    if saved := re.search(r"Save this as `(\w+\.toml)`:$", told):
        save_as = saved[1]
    if saved or text.startswith("units"):
        path = folder / save_as
        path.write_text(text)
        return path
    if added := re.search(r"Add this at the end of `(\w+\.toml)`:$", told):
        path = folder / added[1]
        path.write_text(f"{path.read_text()}\n{text}")
        return path
    if changed := re.search(r"[Cc]hange `\[(\w+)\]` of `(\w+\.toml)` to this:$", told):
        path = folder / changed[2]
        before = path.read_text()
        section = re.search(rf"^\[{changed[1]}\]\n(?:(?!\[).*\n)+", before, re.MULTILINE)
        path.write_text(before.replace(section[0], f"{text}\n"))
        return path
    return None


def follow(page: Path, folder: Path, **values: int) -> str:
    """Does what a page says in a folder, in order; returns what was printed.

    `values` replace keys of whole inputs, of those that `sterna new` and `sterna import` write, and
    the steps in what the page changes.
    """
    shown = ""
    source = page.read_text(encoding="utf-8")
    name = re.search(r"(?:[Ss]ave this as|open|run) `?(\w+\.toml)", source)
    for block in BLOCK.finditer(source):
        language, text = block.groups()
        if language == "toml":
            path = put(text, source[: block.start()].rstrip(), folder, name[1])
            if path and text.startswith("units"):
                shorten(path, **values)
            elif path and text.startswith("[run]"):
                # Dynamics goes on from the steps of a minimization.
                shorten(path, steps=values["steps"] * (2 if "timestep" in text else 1))
            continue
        lines = [line for line in text.split("\n") if line.startswith("sterna ")]
        if language == "python":
            runs = [[sys.executable, "-c", text]]
        elif language in SHELL:
            runs = [sterna_command(*words_of(line)) for line in lines]
        else:
            continue
        for run in runs:
            done = subprocess.run(
                run, cwd=folder, env=sterna_environment(), capture_output=True, text=True,
                timeout=600, check=False, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            assert done.returncode == 0, f"{page}: {run}: {done.stdout}{done.stderr}"
            shown += done.stdout
            if "new" in run or "import" in run:
                written = re.findall(r"(\w+\.toml)\b", done.stdout)
                for path in {folder / file for file in written}:
                    if "run]" in path.read_text():  # or [stage.run]
                        shorten(path, **values)
    return shown


def test_readme(tmp_path):
    shown = follow(ROOT / "README.md", tmp_path, steps=200)
    # The run that Python begins last clears the files of the one before, its report among them.
    assert "wrote melt.report.html" in shown
    assert "melt · complete · step 200" in shown
    with (tmp_path / "study" / "results.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [row["state"] for row in table] == ["complete"] * 6
    assert all(float(row["pressure_error"]) > 0 for row in table)


def test_the_quick_start(tmp_path):
    shown = follow(ROOT / "docs/quickstart.md", tmp_path)
    assert "nothing is left to do" in shown
    # The run with another potential is the last one, that of the crystal a backup.
    columns = [
        read_log(tmp_path / name).columns for name in ("#melt.log.jsonl.1#", "melt.log.jsonl")
    ]
    assert "lennard_jones_energy" in columns[0] and "mie_energy" in columns[1]


def test_the_tutorial_on_an_interface(tmp_path):
    page = ROOT / "docs/tutorial/first-interface.md"
    shown = follow(page, tmp_path, steps=400, thermo_interval=100, interval=10)
    assert 'tail_correction = "none"' in (tmp_path / "slab.toml").read_text()
    assert (tmp_path / "#slab.produce.report.html.1#").exists()  # of the first of two runs
    assert re.search(r"surface_tension +\S+", shown)
    found = re.search(r"liquid about (\S+), vapor about (\S+)", shown)
    assert 0.5 < float(found[1]) < 1.0 and float(found[2]) < 0.2


def test_the_tutorial_on_a_molecule_in_water(tmp_path):
    page = ROOT / "docs/tutorial/molecule-in-water.md"
    shown = follow(page, tmp_path, steps=100, thermo_interval=20, equilibration=20)
    distance = float(re.search(r"the first shell of water is at (\S+) nm", shown)[1])
    assert 0.3 < distance < 1.0
    assert "spce" in shown and (tmp_path / "methane.bib").exists()


def test_the_tutorial_on_a_protein(tmp_path):
    pytest.importorskip("openmm")
    page = ROOT / "docs/tutorial/first-protein.md"
    shown = follow(page, tmp_path, steps=40, thermo_interval=10)
    temperature = float(re.search(r"^ +temperature +([\d.]+)", shown, re.MULTILINE)[1])
    assert 280 < temperature < 320
    # MDAnalysis finds the same in the last frame as the observer in all samples.
    measured = float(re.search(r"radius_of_gyration_backbone +([\d.]+)\S* nm", shown)[1])
    analyzed = float(re.search(r"radius of gyration: (\S+) nm", shown)[1])
    assert measured == pytest.approx(analyzed, abs=0.005)
    assert (tmp_path / "output/villin.report.html").exists()
    # Water and ions around the protein are relaxed and heated, and the dynamics goes on from there.
    assert re.search(r"^1 chain_\w+, \d+ HOH, \d+ NA, \d+ CL$", shown, re.MULTILINE)
    rows = read_log(tmp_path / "output/protein.produce.log.jsonl").rows
    assert rows[-1]["step"] == 40 and rows[-1]["temperature"] < 400


def test_the_tutorial_on_a_liquid(tmp_path):
    shown = follow(ROOT / "docs/tutorial/liquid-argon.md", tmp_path, steps=800, thermo_interval=20)
    found = re.search(r"g\(r\) is greatest, (\S+), at r = (\S+) nm", shown)
    assert 2.0 < float(found[1]) < 4.5 and float(found[2]) == pytest.approx(0.37, abs=0.03)
    assert re.search(r"^D   = [\d.]+\(\d+\)e-\d+ m\^2/s", shown, re.MULTILINE)
    capacity = re.search(r"^C_V = ([\d.]+).* J/\(mol K\)", shown, re.MULTILINE)
    assert 12.4 < float(capacity[1]) < 40
    assert (tmp_path / "argon.measure.png").exists()


def test_the_tutorial_on_a_table(tmp_path):
    shown = follow(ROOT / "docs/tutorial/density-table.md", tmp_path, steps=200, thermo_interval=10)
    assert shown.count("of 15: ") == 15
    rows = re.findall(r"^ +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", shown, re.MULTILINE)
    assert len(rows) == 15
    assert {row[0] for row in rows} == {"100.0", "105.0", "110.0", "115.0", "120.0"}
    assert all(1.0 < float(row[2]) < 2.4 and float(row[3]) > 0 for row in rows)
    assert (tmp_path / "study" / "report.html").exists() and (tmp_path / "density.png").exists()


def test_the_tutorial_on_the_mobility_of_a_protein(tmp_path):
    pytest.importorskip("openmm")
    shown = follow(ROOT / "docs/tutorial/protein-rmsf.md", tmp_path, steps=200, thermo_interval=10)
    found = re.search(r"residue \d+ of (\d+) moves most, by (\S+) nm", shown)
    assert found[1] == "35" and 0.005 < float(found[2]) < 0.2
    assert re.search(r"^all: 0\.\d+", shown, re.MULTILINE)


def test_the_tutorial_on_a_polymer(tmp_path):
    pytest.importorskip("rdkit")
    if shutil.which("antechamber") is None:
        pytest.skip("there is no AmberTools here")
    shown = follow(ROOT / "docs/tutorial/polymer-melt.md", tmp_path, steps=500, thermo_interval=20)
    density = re.search(r"^density: ([\d.]+)", shown, re.MULTILINE)
    size = re.search(r"^radius of gyration: ([\d.]+)", shown, re.MULTILINE)
    assert 0.2 < float(density[1]) < 1.0 and 0.4 < float(size[1]) < 0.8


def test_the_tutorial_on_an_exchange_prints_the_example():
    printed = blocks(ROOT / "docs/tutorial/first-exchange.md")
    folder = ROOT / "examples/comm/halo_exchange"
    for language, name in (("cpp", "halo_exchange.cpp"), ("cmake", "CMakeLists.txt")):
        (text,) = (text for found, text in printed if found == language)
        assert text == (folder / name).read_text(encoding="utf-8")


def test_the_page_on_slabs_and_droplets(tmp_path, sterna):
    page = ROOT / "docs/howto/slab-droplet-mixture.md"
    lines = [line for line in typed(page) if " mixture " not in line]
    assert len(lines) == 3
    for line in lines:
        done = sterna(*words_of(line))
        assert done.returncode == 0, f"{line}: {done.stderr}"
        name = re.search(r"sterna run (\w+\.toml)", done.stdout)[1]
        assert sterna("check", name).returncode == 0


def test_pages_about_runs(melt, tmp_path, sterna):
    melt(steps=20, checkpoint=10).rename(tmp_path / "input.toml")
    for name in ("howto/run.md", "howto/restart.md"):
        for line in typed(ROOT / "docs" / name):
            if "input.toml" in line:
                done = sterna(*words_of(line))
                assert done.returncode == 0, f"{line}: {done.stderr}"


def test_the_page_on_ls1(tmp_path, sterna):
    for path in (ROOT / "examples/ls1").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    shorter = (tmp_path / "config.xml").read_text().replace("<steps>500<", "<steps>10<")
    (tmp_path / "config.xml").write_text(shorter)
    for line in typed(ROOT / "docs/howto/ls1.md"):
        done = sterna(*words_of(line))
        assert done.returncode == 0, f"{line}: {done.stderr}"
    assert sterna("check", "run.toml").returncode == 0


@pytest.mark.parametrize(
    "page, things", [("thermostats", "thermostat"), ("howto/constant-pressure", "barostat")]
)
def test_the_overview_leads_to_the_page_of_each_kind(page, things):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    led_to = re.findall(rf"\({'../' * page.count('/')}{things}s/(\w+)\.md\)", text)
    path = ROOT / f"src/md/integrate/{things}s/{things}_list.inc"
    listed = re.findall(r"^STERNA_\w+\((\w+)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(led_to) == sorted(listed)
    for name in listed:
        own = (ROOT / "docs" / f"{things}s" / f"{name}.md").read_text(encoding="utf-8")
        equations = re.search(r"```text\n(.+?)\n```", own, re.DOTALL)
        # A journal, volume, page and year.
        source = re.search(r"^Source: .+ \d+, \d+ \((?:19|20)\d\d\)", own, re.MULTILINE)
        assert equations and source, name


def test_the_prose_is_short_and_spelled_right():
    pytest.importorskip("codespell_lib")
    done = subprocess.run(
        [sys.executable, ROOT / "tools/check_prose.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_long_sentences_and_typos_are_found(tmp_path):
    pytest.importorskip("codespell_lib")
    page = ROOT / "docs" / "gallery.md"
    wrong = tmp_path / "page.md"
    wrong.write_text(
        page.read_text() + "\nIt was teh end.\n\nA sentence of " + "many " * 33 + ".\n"
    )
    sys.path.insert(0, str(ROOT / "tools"))
    from check_prose import long_sentences, misspelled, paragraphs

    assert any("teh ==> the" in line for line in misspelled([wrong]))
    assert len(list(long_sentences(wrong))) == 1
    assert not list(long_sentences(page))
    assert list(paragraphs("# x\n\none\ntwo\n- three\n")) == [(3, "one two"), (5, "three")]


def test_words_that_the_glossary_replaces_are_found(tmp_path):
    sys.path.insert(0, str(ROOT / "tools"))
    from check_prose import banned_in_pages, banned_in_sources

    page = tmp_path / "page.md"
    page.write_text("It is dearer.\n\n```\nanew\n```\nAn `anew` and the Lobby.\n")
    assert [line.split(": ")[0] for line in banned_in_pages(page)] == [f"{page}:1", f"{page}:6"]
    source = tmp_path / "src" / "comm" / "x.cpp"
    source.parent.mkdir(parents=True)
    source.write_text(
        "int mushroom, outboxes;\nint room_;\nclass Boxes;\nclass MailBoxes;\nint a_wish;\n"
        '[[deprecated("Room is now X")]]\nusing Room = X;\n'
    )
    lines = [int(line.split(":")[1]) for line in banned_in_sources(tmp_path)]
    assert lines == [2, 3, 4, 5]
