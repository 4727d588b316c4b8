"""The inputs that ls1-MarDyn ships, where they lie beside the repository."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT, sterna_environment
from sterna import read_log
from sterna.launching import program

EXAMPLES = ROOT.parent / "shared" / "data" / "ls1" / "examples"
needs_examples = pytest.mark.skipif(not EXAMPLES.exists(), reason=f"{EXAMPLES} is not there")


# Parts of these are not there: starts that another run makes or that were left out, templates of a
# script, a list of all options that is no run.
NOT_WHOLE = [
    "DropletCollision/templates/tpl_1_generateLiquid.xml",
    "DropletCollision/templates/tpl_2_dropletSingle.xml",
    "DropletCollision/templates/tpl_3_dropletCollision.xml",
    "Evaporation/stationary/sim01/run02/config.xml",
    "Evaporation/stationary/sim02/run02/config.xml",
    "Evaporation/stationary/sim03/run02/config.xml",
    "Injection/nemd/sim01/run01/config.xml",
    "Injection/nemd/sim01/run02/config.xml",
    "Injection/nemd/sim02/run01/config.xml",
    "Injection/nemd/sim02/run02/config.xml",
    "all-options.xml",
]


def check(path) -> subprocess.CompletedProcess:
    """As `sterna check`, without the start of Python, which takes ten times as long."""
    return subprocess.run(
        [program.find_program(), "--check", path],
        env=sterna_environment() | {"UCX_MEM_EVENTS": "n"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@needs_examples
def test_inputs_that_are_not_whole_say_what_is_missing():
    for name in NOT_WHOLE:
        done = check(EXAMPLES / name)
        said = done.stdout + done.stderr
        assert done.returncode == 2, f"{name}: {said}"
        assert re.search("there is no such file|does not exist|needs either", said), said


QUICK = {
    "ids_from_0": "Generators/MultiObjectGenerator/mixing_isotopic_1CLJ/liq1/run01/config.xml",
    "refreshed_ids": "surface-tension_LRC/C6H12/liq/500K/run02/config.xml",
    "files_ids": "Adsorption/CO2/run01/config.xml",
    "mkesfera": "Generators/mkesfera/config.xml",
}


@needs_examples
@pytest.mark.parametrize("name", QUICK)
def test_twenty_steps_with_a_trajectory(name, sterna, tmp_path):
    h5py = pytest.importorskip("h5py")
    config = EXAMPLES / QUICK[name]
    top = EXAMPLES / config.relative_to(EXAMPLES).parts[0]
    shutil.copytree(top, tmp_path / top.name, ignore=shutil.ignore_patterns("*.h5md", "*.jsonl"))
    path = tmp_path / config.relative_to(EXAMPLES)
    text = path.read_text("utf-8")
    text = re.sub(r"(<production>\s*<steps>)[^<]*", r"\g<1>20", text, count=1)
    text = re.sub(r"<writefrequency>\d+", "<writefrequency>10", text)
    # One that all of them have; it means a trajectory of Sterna's.
    writer = '<outputplugin name="MmpldWriter"><writefrequency>10</writefrequency></outputplugin>'
    text = text.replace("</output>", writer + "</output>")
    path.write_text(text, "utf-8")
    done = sterna("run", path, "-n", 2, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(next(tmp_path.glob("*.log.jsonl")))
    assert log.rows[-1]["step"] == 20
    with h5py.File(next(tmp_path.glob("*.h5md"))) as file:
        ids = file["particles/trajectory/id"][:]
        positions = file["particles/trajectory/position/value"]
        assert positions.shape == (3, len(ids), 3)
        assert (ids[1:] > ids[:-1]).all()
        if name == "refreshed_ids":
            assert ids[0] == 1
            assert ids[-1] == len(ids)


@needs_examples
def test_a_cylinder_along_y_holds_as_many_molecules_as_in_ls1():
    # ls1-MarDyn (HEAD 1c9a9d598) inserts 9150 molecules.
    done = check(EXAMPLES / "Injection" / "liq" / "sim01" / "run03" / "config.xml")
    assert ": 9150 particles on " in done.stdout, done.stdout + done.stderr


def configs():
    """All with a <simulation>."""
    return sorted(p for p in EXAMPLES.rglob("*.xml") if "<simulation" in p.read_text("utf-8"))


@needs_examples
def test_inputs_that_are_whole_are_accepted_or_refused_for_a_reason():
    refused = {}
    whole = 0
    for path in configs():
        name = str(path.relative_to(EXAMPLES))
        if name in NOT_WHOLE:
            continue
        whole += 1
        done = check(path)
        said = done.stdout + done.stderr
        if done.returncode == 0:
            continue
        assert done.returncode == 2, f"{name}: {said}"
        # File, line and column of what is not done.
        assert re.search(r"\.xml:\d+:\d+: error: ", said), f"{name}: {said}"
        refused[name] = said
    assert len(refused) <= whole / 8, "\n".join(refused)
