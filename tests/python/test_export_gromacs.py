"""`sterna export` to GROMACS: GROMACS and a second import have every energy and the forces.

GROMACS itself (gmx_d) computes the topology that was written; the run had exact sums of its charges.
"""

import re
import shutil
import subprocess

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from gromacs_topologies import FORCE_TOLERANCE, Generator
from gromacs_topologies import write as write_topology
from sterna import Trajectory, read_log
from sterna.importing import files
from sterna.importing.gromacs import judge as gromacs
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.molecules import Molecules

TOLERANCE = 1e-6  #: relative, of each energy, or in kJ/mol below 1 kJ/mol
_KJ = {"nano": 1.0, "real": 4.184, "reduced": 1.0, "metal": 96.48533212331}
_PER_NM = {"nano": 1.0, "real": 41.84, "reduced": 1.0, "metal": 964.8533212331}


def sterna(folder, *arguments, status=0):
    done = subprocess.run(
        sterna_command(*arguments), cwd=folder, env=sterna_environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def start_of(text):
    """An input that computes its start only, with exact sums, and writes it."""
    text = re.sub(r"(?m)^steps = \d+", "steps = 0", text)
    text = re.sub(r"(?m)^(trajectory_\w+|directory|thermo_interval) = .*\n", "", text)
    text = re.sub(r'kind = "fmm"', 'kind = "ewald"', text)
    text = re.sub(r"accuracy = [\d.e-]+", "accuracy = 1e-8", text)
    fields = ["position", "velocity", "force", "image"]
    if "[[component]]" in text:
        fields += ["orientation", "angular_momentum"]
    if "[output]" not in text:
        text = text.rstrip() + "\n\n[output]\n"
    return text.replace("[output]\n", f"[output]\ntrajectory_interval = 1\n"
                        f"trajectory_fields = {fields}\n".replace("'", '"'), 1)  # fmt: skip


def exported(folder, name="run"):
    """Runs the start of NAME.toml and exports it to NAME.top; what the export said."""
    path = folder / f"{name}.toml"
    path.write_text(start_of(path.read_text()))
    sterna(folder, "run", path.name, "-n", 1)
    return sterna(folder, "export", path.name, f"{name}.top")


def compare(judge, folder, name="run"):
    """GROMACS, the second import and the run have the same energies and forces."""
    top, gro = folder / f"{name}.top", folder / f"{name}.gro"
    reference = folder / f"{name}_reference.gro"
    choices = Choices(
        1.0, mdp=folder / f"{name}.mdp", reference=reference if reference.exists() else None
    )
    molecules = Molecules(read_gromacs(top, gro, choices))
    rows = gromacs.compare(judge, top, gro, choices, molecules)
    units = re.search(r'(?m)^units = "(\w+)"', (folder / f"{name}.toml").read_text())
    unit = _KJ[units[1] if units else "reduced"]
    first = read_log(folder / f"{name}.log.jsonl").rows[0]
    seen = set()
    largest = max(abs(row.judge) for row in rows if row.name != "forces")
    for row in rows:
        if row.name == "forces":
            assert row.difference < FORCE_TOLERANCE, row
            continue
        assert row.difference < TOLERANCE, row
        keys = gromacs._ROWS[row.name][0]
        # Rigid molecules have logs without terms.
        if row.name == "potential" or any(key in first for key in keys):
            energy = sum(first.get(key, 0.0) for key in keys)
            energy -= first.get("tail_correction_energy", 0.0) * (row.name == "potential")
            scale = largest if row.name == "potential" else abs(row.judge)
            assert unit * energy == pytest.approx(
                row.judge, abs=TOLERANCE * max(1.0, scale)
            ), row
            seen.add(row.name)
    assert "potential" in seen
    return molecules, seen


def forces_of(folder, name="run"):
    return Trajectory(folder / f"{name}.h5md")[0].force


EXAMPLES = {
    "argon": {"lennard_jones"},
    "butane": {"lennard_jones", "angles", "torsions"},
    "lj_melt": {"lennard_jones"},
    "molten_salt": {"lennard_jones", "charges"},
    "peptide": {"lennard_jones", "charges", "bonds", "angles", "torsions"},
    "salt_solution": {"lennard_jones", "charges", "bonds", "angles", "torsions"},
    "tip4p": {"lennard_jones", "charges"},
}


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_examples_have_every_energy(name, judge, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    exported(tmp_path, name)
    _, seen = compare(judge, tmp_path, name)
    assert EXAMPLES[name] <= seen
    # And the run parameters are ones that GROMACS takes without a word, and runs with.
    for arguments in (
        ["grompp", "-f", f"{name}.mdp", "-c", f"{name}.gro", "-p", f"{name}.top"],
        ["mdrun", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-s", "topol.tpr"],
    ):
        done = subprocess.run(
            [judge.program, "-quiet", *arguments], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("seed", [3, 11, 24, 38])
def test_random_systems_have_every_energy(seed, judge, tmp_path):
    """All bonded terms, virtual sites, CMAPs, restraints and odd pairs, imported and exported."""
    generator = Generator(seed)
    top, gro = write_topology(generator, tmp_path)
    choices = Choices(0.9, "none", defines=tuple(generator.defines))
    molecules = Molecules(read_gromacs(top, gro, choices))
    files.write(molecules, tmp_path / "run.toml", False)
    exported(tmp_path)
    compare(judge, tmp_path)
