"""Whether an installed wheel gives all of Sterna: run by `tests/wheel/run` in an empty folder."""

import ast
import importlib.metadata
import importlib.util
import subprocess
import sys
import time
from pathlib import Path

scripts = Path(sys.executable).parent
started, worked = time.perf_counter(), time.process_time()
import sterna  # noqa: E402

seconds, busy = time.perf_counter() - started, time.process_time() - worked
print(f"    import sterna: {seconds:.3f} s, {busy:.3f} s of them of the processor")
package = Path(sterna.__file__).parent
assert package.is_relative_to(sys.prefix), package
assert sterna.__version__ == importlib.metadata.version("sterna")
assert "numpy" not in sys.modules

# Types: the marker, and stubs of the compiled module with all that it has.
assert (package / "py.typed").exists()
stubs = ast.parse((package / "_core.pyi").read_text(encoding="utf-8"))
declared = {node.name for node in stubs.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
from sterna.live.core import core  # noqa: E402

compiled = {name for name in dir(core()) if not name.startswith("_")}
assert compiled <= declared, compiled - declared
assert Path(core().__file__).is_relative_to(sys.prefix)

# The page of `man` and the completions of shells.
share = Path(sys.prefix) / "share"
assert (share / "man/man1/sterna.1").is_file()
for name in ("bash-completion/completions/sterna", "zsh/site-functions/_sterna",
             "fish/vendor_completions.d/sterna.fish"):  # fmt: skip
    assert "_STERNA_COMPLETE" in (share / name).read_text(encoding="utf-8"), name

# A simulation in the process, on workers, and as a script under the launcher.
SCRIPT = """
import sterna
settings = sterna.Input(units="reduced", run={"timestep": 0.002}, interaction={"cutoff": 2.5})
system = sterna.System.lattice([6, 6, 6], density=0.8442, temperature=1.44)
def energy(**options):
    simulation = sterna.Simulation(settings, system, **options)
    simulation.run(20)
    return simulation.thermo["total_energy"]
"""
names: dict = {}
exec(SCRIPT, names)
alone = names["energy"]()
workers = names["energy"](ranks=2)
assert abs(alone / workers - 1) < 1e-10, (alone, workers)
Path("script.py").write_text(
    SCRIPT + "value = energy()\nfrom sterna import comm\nranks = comm.Context()\n"
    "assert ranks.size == 2 and ranks.sum(1.0) == 2.0\n"
    "if ranks.rank == 0: print(value)\n"
)
command = [str(scripts / "sterna"), "launch", "-n", "2", "script.py"]
shown = subprocess.run(command, capture_output=True, text=True, check=False)
assert shown.returncode == 0, shown.stdout + shown.stderr
assert abs(float(shown.stdout) / alone - 1) < 1e-10, shown.stdout

# The command, and a run with files: HDF5 is found, too.
names["settings"].replace(
    run={"name": "melt", "steps": 20},
    type=[{"name": "A"}],
    start={"kind": "lattice", "cells": [6, 6, 6], "density": 0.8442, "temperature": 1.44},
    output={"trajectory_interval": 10},
).write("melt.toml")
subprocess.run([str(scripts / "sterna"), "check", "melt.toml"], capture_output=True, check=True)
result = sterna.run("melt.toml", ranks=2)
assert result.trajectory is not None
assert abs(result.log["total_energy"][-1] / alone - 1) < 1e-9
shown = subprocess.run(
    [str(scripts / "sterna"), "version"], capture_output=True, text=True, check=True
).stdout
assert str(sys.prefix) in shown, shown

# The main job, as README has it.
started = time.perf_counter()
subprocess.run([str(scripts / "sterna"), "run", "lj_melt.toml"], capture_output=True, check=True)
print(f"    sterna run lj_melt.toml: {time.perf_counter() - started:.1f} s")
print("    simulations on 1 and 2 ranks, workers, exchanges, the command: all well")
