"""Runs in Jupyter notebooks, executed by nbclient."""

import re

import pytest
from conftest import sterna_environment
from engine_support import MELT, require_core

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

BAR = re.compile(r'<progress style="width:60ex" max="(\d+)" value="(\d+)"></progress> step (\d+) ')


class Client(nbclient.NotebookClient):
    """Keeps what the kernel shows, in the order of its messages."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.shown = []

    def process_message(self, message, cell, cell_index):
        if message["msg_type"] in ("display_data", "update_display_data"):
            self.shown.append((message["msg_type"], message["content"]["data"]))
        return super().process_message(message, cell, cell_index)


def execute(folder, monkeypatch, *cells):
    require_core()
    environment = sterna_environment() | {
        name: str(folder / name) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR")
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    client = Client(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()  # raises the error of a cell
    return client


# Long enough for a few looks at any speed: the run ends after the fifth.
RUN = """
import sterna.support.progress
drawn = []
show = sterna.support.progress.RunProgress._show_in_notebook
def counted(self, report):
    show(self, report)
    drawn.append(report["step"])
    if len(drawn) == 5:
        raise KeyboardInterrupt
sterna.support.progress.RunProgress._show_in_notebook = counted
try:
    simulation.run(10**8)
except KeyboardInterrupt:
    pass
print(drawn)
"""


@pytest.mark.parametrize("ranks", [None, 2], ids=["here", "workers"])
def test_a_run_shows_a_bar_that_is_gone_at_its_end(tmp_path, monkeypatch, ranks):
    make = f"simulation = sterna.Simulation(settings, system, ranks={ranks})"
    client = execute(tmp_path, monkeypatch, MELT + make, RUN)
    (printed,) = (o.text for o in client.nb.cells[1].outputs if o.output_type == "stream")
    bars = [BAR.match(data["text/html"]) for _, data in client.shown if "text/html" in data]
    assert all(bars), client.shown
    assert [int(bar[2]) for bar in bars] == eval(printed)
    assert [bar[2] for bar in bars] == [bar[3] for bar in bars]
    assert {bar[1] for bar in bars} == {str(10**8)}
    kinds = [kind for kind, _ in client.shown]
    assert kinds == ["display_data"] + ["update_display_data"] * 5  # one place, five looks, its end
    assert client.shown[-1][1] == {"text/plain": ""}
    (left,) = (o for o in client.nb.cells[1].outputs if o.output_type == "display_data")
    assert left.data == {"text/plain": ""}


def test_no_bar_where_none_is_wanted(tmp_path, monkeypatch):
    make = "simulation = sterna.Simulation(settings, system)"
    quiet = """
import sterna.support.progress
sterna.support.progress.RunProgress.__init__.__defaults__ = (0.0,)
simulation.run(2000, progress=False)
"""
    client = execute(tmp_path, monkeypatch, MELT + make, quiet)
    assert client.shown == [] and client.nb.cells[1].outputs == []
