"""`sterna export` to GROMACS: GROMACS and a second import have every energy and the forces.

GROMACS itself (gmx_d) computes the topology that was written; the run had exact sums of its charges.
"""

import re
import shutil
import subprocess
import tomllib

import numpy
import pytest
from conftest import ROOT, nightly, sterna_command, sterna_environment
from gromacs_topologies import FORCE_TOLERANCE, Generator
from gromacs_topologies import write as write_topology
from sterna import read_log
from sterna.importing import files
from sterna.importing.gromacs import judge as gromacs
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.molecules import Molecules

TOLERANCE = 1e-6  #: relative, of each energy, or in kJ/mol below 1 kJ/mol
_KJ = {"nano": 1.0, "real": 4.184, "reduced": 1.0, "metal": 96.48533212331}


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
            # Parts of the energy of charges take each other off.
            parts = abs(row.sterna - row.judge) / row.difference if row.difference else 0.0
            scale = largest if row.name == "potential" else max(parts, abs(row.judge), 1.0)
            assert unit * energy == pytest.approx(row.judge, abs=TOLERANCE * scale), row
            seen.add(row.name)
    assert "potential" in seen
    return molecules, seen


EXAMPLES = {
    "argon": {"lennard_jones"},
    "butane": {"lennard_jones", "angles", "torsions"},
    "lj_melt": {"lennard_jones"},
    "martini_salt": {"lennard_jones", "charges"},
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


@pytest.mark.parametrize("seed", [5, 11, nightly(24), nightly(37)])
def test_random_systems_have_every_energy(seed, judge, tmp_path):
    """All bonded terms, virtual sites, CMAPs, restraints and odd pairs, imported and exported."""
    generator = Generator(seed, tables=False)
    top, gro = write_topology(generator, tmp_path)
    choices = Choices(0.9, "none", defines=tuple(generator.defines))
    molecules = Molecules(read_gromacs(top, gro, choices))
    files.write(molecules, tmp_path / "run.toml", False)
    exported(tmp_path)
    compare(judge, tmp_path)


CHAIN = """\
{units}
[run]
steps = 100
timestep = 0.001

[start]
kind = "file"
file = "chain.extxyz"
temperature = 200

[interaction]
cutoff = {cutoff}
truncation = "{truncation}"
mixing = "{mixing}"
{more}

[electrostatics]
kind = "fmm"
accuracy = 1e-4

[[type]]
name = "C*a"
mass = 12
sigma = {sigma}
epsilon = 0.4

[[type]]
name = "c_A"
mass = 1.5
sigma = {sigma}
epsilon = 0.1

[[type]]
name = "2"
mass = 0
sigma = 1
epsilon = 0

[[pair]]
first = "C*a"
second = "c_A"
epsilon = 0.7

[[molecule]]
name = "chain molecule"
count = 12
excluded_bonds = 2
lennard_jones_14 = 0.5
coulomb_14 = 0.8333
constrained_bonds = "{constrained}"
atom = [
  {{ type = "C*a", charge = 0.3 }},
  {{ type = "C*a", charge = -0.3, name = "a ;long# name" }},
  {{ type = "C*a", charge = 0.2 }},
  {{ type = "C*a", charge = -0.4 }},
  {{ type = "C*a", charge = 0.3 }},
  {{ type = "C*a", charge = -0.2 }},
  {{ type = "c_A", charge = 0.1 }},
  {{ type = "2", charge = 0.0 }},
]

[[molecule.bond]]
potential = "harmonic"
stiffness = {stiffness}
r0 = {bond}
atoms = [[1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]

[[molecule.angle]]
potential = "polynomial"
theta0 = 110
c1 = 3
c2 = 200
c3 = -20
atoms = [[1, 2, 3], [2, 3, 4]]

[[molecule.torsion]]
potential = "ryckaert_bellemans"
zero_angle = 0
c1 = 3
c2 = -2
c3 = 4
atoms = [1, 2, 3, 4]

[[molecule.torsion]]
potential = "flat_bottom"
bending_stiffness = 50
phi0 = 40
half_width = 10
atoms = [[2, 3, 4, 5], [6, 5, 4, 3]]

[[molecule.improper]]
potential = "vector_angle"
amplitude = 3
multiplicity = 2
phase = 50
atoms = [1, 2, 4, 5]

[[molecule.angle]]
potential = "stretch_stretch"
stretch_stretch = {stiffness}
r1 = {bond}
r2 = {bond}
atoms = [3, 4, 5]

[[molecule.angle]]
potential = "linear"
stiffness = {stiffness}
share = 0.4
atoms = [6, 5, 4]

[[molecule.cmap]]
potential = "bicubic"
energy = {first}
atoms = [1, 2, 3, 4, 5]

[[molecule.cmap]]
potential = "bicubic"
energy = {second}
atoms = [2, 3, 4, 5, 6]

[[molecule.special_pair]]
charge_product = 0.05
atoms = [1, 6]

[[molecule.special_pair]]
epsilon = 0.2
sigma = {sigma}
atoms = [2, 6]

[[molecule.virtual_site]]
kind = "2"
a = 0.3
atoms = [8, 5, 4]

[[restraint]]
stiffness = 500
groups = ["ends"]
axes = ["x", "z"]

[[group]]
name = "ends"
select = "id 1:3 17 33"
"""


def write_chain(folder, *, units="nano", truncation="truncated", mixing="geometric", more=""):
    """Chains of a molecule with what imports never write: factors of 1-4 pairs, missing keys."""
    length = 1.0 if units in ("nano", "reduced") else 10.0
    numbers = numpy.random.default_rng(7)
    tables = [numbers.normal(scale=2.0, size=576).round(4).tolist() for _ in range(2)]
    text = CHAIN.format(
        units=f'units = "{units}"', cutoff=0.9 * length, truncation=truncation, mixing=mixing,
        more=more, sigma=0.3 * length, bond=0.15 * length, stiffness=20000 / length**2,
        first=tables[0], second=tables[1],
        constrained="none" if units == "reduced" else "hydrogen",  # which those units do not know
    )  # fmt: skip
    (folder / "run.toml").write_text(text)
    edge = 2.4 * length
    lines = [
        "96",
        f'Lattice="{edge} 0 0 0.9 {edge} 0 0.5 -0.7 {edge}" Properties=species:S:1:pos:R:3',
    ]
    for k in range(12):
        start = length * numpy.array(
            [0.3 + 1.2 * (k % 2), 0.7 * (k // 2 % 3), 0.6 + 1.1 * (k // 6)]
        )
        angle = numpy.deg2rad(35.0)
        places = [start]
        for n in range(6):
            turn = numpy.array([numpy.cos(angle), (-1) ** n * numpy.sin(angle), 0.2 * (n % 3 - 1)])
            places.append(places[-1] + 0.15 * length * turn / numpy.linalg.norm(turn))
        places.append(0.7 * places[4] + 0.3 * places[3])
        names = ["C*a"] * 6 + ["c_A", "2"]
        lines += [
            f"{name} " + " ".join(map(repr, map(float, place)))
            for name, place in zip(names, places, strict=True)
        ]
    (folder / "chain.extxyz").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"units": "real", "truncation": "shifted", "mixing": "lorentz_berthelot"},
        {"truncation": "cubic_force_switched", "more": "switch_start = 0.7"},
        {"units": "metal", "truncation": "quintic_switched", "more": "switch_start = 7.5"},
        {"units": "reduced"},
        {"mixing": "kong"},
    ],
)
def test_what_imports_never_write_is_exported(given, judge, tmp_path):
    write_chain(tmp_path, **given)
    said = exported(tmp_path)
    assert "run_reference.gro" in said
    _, seen = compare(judge, tmp_path)
    assert {"cmap", "restraints", "charges", "angles", "torsions"} <= seen
    # A name without the signs of comments.
    assert " a_lon 2 " in (tmp_path / "run.top").read_text()


RIGID = """\
units = "{units}"

[run]
steps = 0
timestep = 0.001

[start]
kind = "random"
particles = 300
density = {density}
temperature = {temperature}

[interaction]
cutoff = {cutoff}
truncation = "shifted"
molecular_cutoff = "site"

[electrostatics]
kind = "fmm"
accuracy = 1e-4

[[component]]
name = "water"
model = "{water}"
fraction = 3

[[component]]
name = "N2"
model = "nitrogen_trappe"

[[component]]
name = "out of plane"

[[component.site]]
kind = "lennard_jones"
mass = 10
epsilon = {epsilon}
sigma = {sigma}

[[component.site]]
kind = "charge"
mass = 3
position = [{d}, 0, 0]
charge = 0.2

[[component.site]]
kind = "charge"
mass = 4
position = [0, {d}, 0]
charge = 0.1

[[component.site]]
kind = "charge"
position = [0, 0, {d}]
charge = -0.3

[[component]]
name = "Ar"
model = "argon"

[[pair]]
first = "Ar"
second = "N2"
eta = 0.97
xi = 1.1
"""


@pytest.mark.parametrize(
    "given",
    [
        {"units": "nano", "water": "spce", "density": 10, "temperature": 300, "cutoff": 0.9,
         "epsilon": 0.8, "sigma": 0.3, "d": 0.05},
        {"units": "metal", "water": "tip4p_2005", "density": 0.01, "temperature": 300, "cutoff": 9,
         "epsilon": 0.008, "sigma": 3, "d": 0.5, "mixing": ("waldman_hagler", "kong")},
    ],
)  # fmt: skip
def test_rigid_molecules_are_constraints_and_virtual_sites(given, judge, tmp_path):
    text = RIGID.format(**given)
    if "mixing" in given:  # of the run, and of argon and nitrogen
        of_run, of_pair = given["mixing"]
        text = text.replace("[interaction]\n", f'[interaction]\nmixing = "{of_run}"\n')
        text = text.replace("[[pair]]\n", f'[[pair]]\nmixing = "{of_pair}"\n')
    (tmp_path / "run.toml").write_text(text)
    exported(tmp_path)
    molecules, _ = compare(judge, tmp_path)
    text = (tmp_path / "run.top").read_text()
    # TIP4P has its negative charge between the atoms, where SETTLE wants them in a row.
    assert text.count("[ settles ]") == (given["water"] == "spce") and "[ constraints ]" in text
    assert "[ virtual_sites2 ]" in text and "[ virtual_sites3 ]" in text
    # Sites have the velocities of their molecules.
    energy = read_log(tmp_path / "run.log.jsonl").rows[0]["kinetic_energy"] * _KJ[given["units"]]
    masses = {one["name"]: one["mass"] for one in molecules.system.types}
    mass = numpy.array([masses[atom.type] for atom in molecules.system.atoms])
    squares = (molecules.system.velocities**2).sum(axis=1)
    assert 0.5 * (mass * squares).sum() == pytest.approx(energy, rel=1e-9)


def changed_run(folder, *changes):
    """The input of chains with texts replaced, or put before the first section; not run."""
    write_chain(folder)
    path = folder / "run.toml"
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('truncation = "truncated"', 'truncation = "force_shifted"',
         "[interaction] truncation = 'force_shifted'"),
        ("[electrostatics]", "[[wall]]\npotential = 'harmonic'\nposition = 0.1\nstiffness = 1\n\n"
         "[electrostatics]", "[[wall]]"),
        ("[electrostatics]", "[[field]]\nacceleration = [0, 0, 1]\n\n[electrostatics]", "[[field]]"),
        ("c3 = -20", "c5 = -20", "[[molecule.angle]] of chain molecule, potential = 'polynomial' with "
         "c5 = -20"),
        ('potential = "polynomial"\ntheta0 = 110', 'potential = "cosine_polynomial"',
         "potential = 'cosine_polynomial'"),
        ('potential = "harmonic"', 'potential = "fene"\nshift = 0.1\nr_max = 0.4',
         "potential = 'fene' with shift = 0.1"),
        ("epsilon = 0.7\n", 'epsilon = 0.7\nsigma = 0.3\npotential = "weeks_chandler_andersen"\n',
         "[[pair]] of C*a and c_A: 'weeks_chandler_andersen'"),
        ('select = "id 1:3 17 33"', 'select = "name c_A"', "the group ends"),
    ],
)  # fmt: skip
def test_what_gromacs_lacks_is_refused_by_name(old, new, message, tmp_path):
    changes = [(old, new)]
    if "fene" in new:
        changes.append(("\nr0 = 0.15", ""))
        changes.append(('constrained_bonds = "hydrogen"\n', ""))
    if "weeks" in new:
        changes.append(("lennard_jones_14 = 0.5\n", ""))
    path = changed_run(tmp_path, *changes)
    path.write_text(start_of(path.read_text()))
    sterna(tmp_path, "run", "run.toml", "-n", 1)
    said = sterna(tmp_path, "export", "run.toml", "run.top", status=2)
    assert message in said, said
    assert not list(tmp_path.glob("*.top")) and not list(tmp_path.glob("*.gro"))


@pytest.mark.parametrize("end", ["top", "data", "xml"])
def test_an_input_that_was_not_run_has_its_start_exported(end, tmp_path):
    """The same files as those of a run of no steps, and nothing else."""
    shutil.copytree(ROOT / "examples", tmp_path / "inputs")
    name = {"top": "peptide", "data": "butane", "xml": "ethylene_oxide"}[end]
    before = sorted(tmp_path.rglob("*"))
    said = sterna(tmp_path, "export", f"inputs/{name}.toml", f"start.{end}")
    assert f"{name}.toml has no trajectory: its start is written" in said
    made = {path for path in tmp_path.rglob("*")} - set(before)
    assert {path.stem for path in made} == {"start"} and f"start.{end}" in {p.name for p in made}
    path = tmp_path / "inputs" / f"{name}.toml"
    text = path.read_text()
    path.write_text(start_of(text))
    sterna(tmp_path / "inputs", "run", path.name, "-n", 1)
    path.write_text(text)
    sterna(tmp_path, "export", f"inputs/{name}.h5md", f"run.{end}")
    for one in made:
        # Steps, sums of charges and names of files differ, the model does not.
        first, second = (
            [line for line in file.read_text().splitlines() if not set(line) <= set("; ")]
            for file in (one, one.with_name(one.name.replace("start", "run")))
        )
        changed = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
        assert len(changed) < 8, changed
    if end == "top":
        assert "nsteps                   = 400" in (tmp_path / "start.mdp").read_text()


def test_an_input_that_does_not_run_is_not_exported(tmp_path):
    (tmp_path / "bad.toml").write_text("[run]\nsteps = 1\n")
    said = sterna(tmp_path, "export", "bad.toml", "bad.top", status=2)
    assert "bad.toml" in said and "error" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.toml"]


BATHS = {
    "nve": ("", {"integrator": "md-vv", "tcoupl": "no", "pcoupl": "no"}, ""),
    "rescaling": (
        "[thermostat]\nkind = 'stochastic_velocity_rescaling'\ntemperature = 300\n"
        "time_constant = 0.1\n[barostat]\nkind = 'stochastic_cell_rescaling'\npressure = 2\n"
        "time_constant = 1.5\nbulk_modulus = 20000\ncoupling = 'semi_isotropic'\n",
        {"integrator": "md", "tcoupl": "v-rescale", "tau-t": "0.1", "ref-t": "300.0",
         "pcoupl": "C-rescale", "ref-p": "2.0 2.0", "compressibility": "5e-05 5e-05",
         "pcoupltype": "semiisotropic"}, "",
    ),
    "chain": (
        "[thermostat]\nkind = 'nose_hoover_chain'\ntemperature = 300\ntime_constant = 0.5\n"
        "[barostat]\nkind = 'martyna_tobias_klein'\npressure = 1\ntime_constant = 12\n",
        {"tcoupl": "nose-hoover", "pcoupl": "Parrinello-Rahman"}, "becomes Parrinello-Rahman",
    ),
    "langevin": (
        "[thermostat]\nkind = 'langevin'\ntemperature = 300\ntime_constant = 0.5\n"
        "[[drift_control]]\ninterval = 50\n", {"integrator": "sd", "nstcomm": "50"}, "",
    ),
    "middle": (
        "[thermostat]\nkind = 'langevin'\ntemperature = 300\ntime_constant = 0.5\n",
        {"integrator": "sd", "tau-t": "0.5"}, "thermostats act elsewhere in a step",
    ),
    "andersen": (
        "[thermostat]\nkind = 'andersen'\ntemperature = 300\ntime_constant = 1\n", {"tcoupl": "no"},
        "[thermostat] kind = 'andersen' is left out",
    ),
    "minimum": ("[minimize]\nforce_tolerance = 5\n", {"integrator": "steep", "emtol": "5.0"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BATHS))
def test_run_parameters_are_those_of_the_input(name, judge, tmp_path):
    text, expected, note = BATHS[name]
    scaling = "reference_scaling = 'center'\nstiffness" if "barostat" in text else "stiffness"
    changes = [("[electrostatics]", f"{text}\n[electrostatics]"), ("[[restraint]]\nstiffness",
                f"[[restraint]]\n{scaling}")]  # fmt: skip
    if name == "minimum":
        changes.append(("timestep = 0.001", "integrator = 'minimize'"))
    if name == "middle":
        changes.append(("timestep = 0.001", "timestep = 0.001\nintegrator = 'baoab'"))
    changed_run(tmp_path, *changes)
    said = exported(tmp_path)
    assert note in said and (note or "warning" not in said.replace("sterna-md", "")), said
    lines = (tmp_path / "run.mdp").read_text().splitlines()
    found = dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines if "=" in line[1:]
                 and not line.startswith(";"))  # fmt: skip
    assert expected.items() <= found.items()
    done = subprocess.run(
        [judge.program, "-quiet", "grompp", "-f", "run.mdp", "-c", "run.gro", "-p", "run.top", "-r",
         "run_reference.gro", "-maxwarn", "1"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # What is imported again is the same input, with Parrinello-Rahman taken for what it came from.
    sterna(tmp_path, "import", "run.top", "run.gro", "--mdp", "run.mdp", "--reference",
           "run_reference.gro", "-o", "second.toml")  # fmt: skip
    first, second = (
        tomllib.loads((tmp_path / f"{name}.toml").read_text()) for name in ("run", "second")
    )
    for section in ("thermostat", "barostat"):
        if name != "andersen" and section in first:
            if "time_constant" in first[section]:
                times = [one[section].pop("time_constant") for one in (first, second)]
                assert times[1] == pytest.approx(times[0], rel=1e-6)
            assert second[section].items() >= first[section].items()
