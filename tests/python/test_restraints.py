"""Springs that a run goes on with, where a barostat changes the box."""

import pytest
from sterna import read_log

INPUT = """\
[run]
steps = {steps}
timestep = 0.002
[start]
kind = "lattice"
particles = 256
density = 0.7
temperature = 1.2
[[type]]
name = "A"
[[group]]
name = "half"
select = "id 1:128"
[interaction]
cutoff = 2.5
truncation = "force_shifted"
[barostat]
kind = "martyna_tobias_klein"
pressure = 4.0
time_constant = 2.0
interval = 4
[[restraint]]
stiffness = 100.0
groups = ["half"]
reference_scaling = "center"
[[restraint]]
stiffness = 100.0
axes = ["z"]
reference_scaling = "none"
[[restraint]]
stiffness = 1.0
place = [1.0, 2.0, 3.0]
reference_scaling = "all"
"""


def test_a_resumed_run_has_the_same_springs(sterna, tmp_path):
    """In another box than that of the start, on another number of ranks."""

    def run(steps, *arguments):
        (tmp_path / "held.toml").write_text(INPUT.format(steps=steps))
        done = sterna("run", "held.toml", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return read_log(tmp_path / "held.log.jsonl").rows[-1]

    whole = run(40, "-n", 2)
    run(20, "-n", 2, "--overwrite")
    row = run(40, "-n", 3, "--resume")
    assert row["step"] == whole["step"] == 40
    for name in ("restraints_energy", "conserved_energy", "volume"):
        assert row[name] == pytest.approx(whole[name], rel=1e-9), name
