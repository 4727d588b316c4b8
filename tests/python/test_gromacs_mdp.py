"""What an .mdp file of GROMACS asks for becomes the input, or is told, or is refused by its name."""

import re
import tomllib

import pytest
from sterna import SternaError, read_log
from sterna.importing.gromacs.mdp import read_mdp
from sterna.importing.gromacs.notes import Notes
from test_import import GRO, TOP

PME = "coulombtype = PME\nrvdw = 0.8\nrcoulomb = 0.8\n"
BATH = "tc-grps = System\ntau-t = 0.2\nref-t = 310\n"
PRESSURE = "pcoupl = C-rescale\ntau-p = 3\nref-p = 2\ncompressibility = 5e-5\n"


def asked(folder, text):
    (folder / "run.mdp").write_text(text)
    notes = Notes()
    return read_mdp(folder / "run.mdp", notes), "\n".join(notes.texts())


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("", "run", {"steps": 0, "timestep": 0.001}),
        ("NSTEPS = 50 ; fifty\ndt=0.002\nintegrator = md-vv", "run", {"steps": 50, "timestep": 0.002}),
        ("integrator = steep\nnsteps = 9", "run", {"steps": 9, "integrator": "minimize"}),
        ("integrator = l-bfgs\nnsteps = 9", "run", {"steps": 9, "integrator": "lbfgs"}),
        ("integrator = l-bfgs\nemtol = 5", "sections", {"minimize": {"force_tolerance": 5.0}}),
        ("integrator = steep\nemtol = 5", "sections",
         {"minimize": {"force_tolerance": 5.0, "maximum_displacement": 0.01}}),
        ("", "sections", {"drift_control": [{"interval": 100, "sample_interval": 100}]}),
        ("comm_mode = None", "sections", {}),
        ("", "interaction", {"cutoff": 1.0, "truncation": "shifted"}),
        ("vdw_modifier = none\nDispCorr = EnerPres", "interaction",
         {"cutoff": 1.0, "truncation": "truncated", "tail_correction": "homogeneous"}),
        ("DispCorr = EnerPres", "interaction",
         {"cutoff": 1.0, "truncation": "truncated", "tail_correction": "homogeneous"}),
        ("vdw-modifier = Potential-switch\nrvdw-switch = 0.9", "interaction",
         {"cutoff": 1.0, "truncation": "quintic_switched", "switch_start": 0.9}),
        ("vdwtype = shift\nrvdw_switch = 0.9\nrvdw = 1.1", "interaction",
         {"cutoff": 1.1, "truncation": "cubic_force_switched", "switch_start": 0.9}),
        ("", "thermostat", {"kind": "none"}),
        (f"tcoupl = V-rescale\n{BATH}", "thermostat",
         {"kind": "stochastic_velocity_rescaling", "temperature": 310.0, "time_constant": 0.2}),
        (f"tcoupl = nose-hoover\n{BATH}", "thermostat",
         {"kind": "nose_hoover_chain", "temperature": 310.0, "time_constant": 0.2}),
        (f"integrator = sd\n{BATH}", "thermostat",
         {"kind": "langevin", "temperature": 310.0, "time_constant": 0.2}),
        ("gen-vel = yes\ngen-temp = 250", "temperature", 250.0),
        ("", "temperature", None),
        ("constraints = h-bonds", "constraints", "h-bonds"),
        ("define = -DPOSRES -DK=3", "defines", ("POSRES", "K=3")),
        ("", "electrostatics", {"kind": "cutoff"}),
        ("epsilon-r = 15\ncoulomb-modifier = None\nrcoulomb = 1.2", "electrostatics",
         {"kind": "cutoff", "permittivity": 15.0, "cutoff": 1.2, "truncation": "truncated"}),
        ("coulombtype = Reaction-Field\nepsilon_r = 15\nepsilon_rf = 0", "electrostatics",
         {"kind": "reaction_field", "permittivity": 15.0}),
        ("coulombtype = reaction_field\nepsilon-rf = 78\ncoulomb-modifier = none", "electrostatics",
         {"kind": "reaction_field", "reaction_field_permittivity": 78.0}),
        ("coulombtype = PME\nepsilon_r = 2\ncoulomb-modifier = Force-switch", "electrostatics",
         {"kind": "fmm", "permittivity": 2.0, "accuracy": 1e-4}),
        ("vdw_type = cutoff\nr-vdw = 1.1\nvdw-modifier = Potential-shift-verlet", "interaction",
         {"cutoff": 1.1, "truncation": "shifted"}),
        (f"{PRESSURE}refcoord-scaling = com", "reference_scaling", "center"),
    ],
)  # fmt: skip
def test_keys_are_taken_over(text, what, expected, tmp_path):
    assert getattr(asked(tmp_path, text)[0], what) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PRESSURE, {"kind": "stochastic_cell_rescaling", "bulk_modulus": pytest.approx(2e4)}),
        (PRESSURE.replace("C-rescale", "Parrinello-Rahman"), {"kind": "martyna_tobias_klein"}),
        (PRESSURE.replace("= 2", "= 2 2").replace("5e-5", "5e-5 5e-5") + "pcoupltype=semiisotropic",
         {"coupling": "semi_isotropic", "bulk_modulus": pytest.approx(2e4)}),
        (PRESSURE.replace("= 2", "= 2 2").replace("5e-5", "0 5e-5") + "pcoupltype=semiisotropic",
         {"coupling": "uniaxial", "bulk_modulus": pytest.approx(2e4)}),
        (PRESSURE.replace("= 2", "= 2 2 2 0 0 0").replace("5e-5", "5e-5 5e-5 5e-5 0 0 0")
         + "pcoupltype=anisotropic", {"coupling": "anisotropic"}),
    ],
)  # fmt: skip
def test_barostats_are_taken_over(text, expected, tmp_path):
    found = asked(tmp_path, text)[0].sections["barostat"]
    assert found["pressure"] == 2.0 and found["time_constant"] == 3.0
    assert expected.items() <= found.items()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dt 0.002", "1:1: error: expected a line such as `dt = 0.002`"),
        ("dt = 1\nDT = 2", "2:1: error: a second line of DT"),
        ("dt = fast", 'dt is "fast"; expected a number'),
        ("nsteps = -1", "nsteps is -1; expected an integer of at least 0"),
        ("integrator = bd", 'integrator is "bd", which is not taken over'),
        ("tcoupl = berendsen", 'tcoupl is "berendsen"'),
        ("pcoupl = berendsen", 'pcoupl is "berendsen"'),
        ("tcoupl = v-rescale\ntc-grps = A B\ntau-t = 1 1\nref-t = 300 310", "groups with other"),
        (
            "tcoupl = v-rescale\ntc-grps = A\ntau-t = -1\nref-t = 300",
            "expected tau-t and ref-t above 0",
        ),
        ("vdwtype = PME", 'vdwtype is "pme"'),
        ("vdw-modifier = force-switch", "rvdw-switch is 0; expected a length below rvdw"),
        (f"{PRESSURE}DispCorr = Ener", "does not go with a barostat"),
        ("epsilon-r = 0", "epsilon-r is 0"),
        ("epsilon-rf = -1", "epsilon-rf is -1"),
        ("rcoulomb = 0", "rcoulomb is 0; expected a length above 0"),
        ("coulombtype = Reaction-Field-zero", 'coulombtype is "reaction-field-zero", which is not'),
        ("coulombtype = shift", 'coulombtype is "shift", which is not taken over'),
        ("coulomb-modifier = Force-switch", 'coulomb-modifier is "force-switch", which is not'),
        ("constraints = h-angles", 'constraints is "h-angles"'),
        ("comm-mode = angular", 'comm-mode is "angular"'),
        ("free-energy = yes", "free-energy is not taken over"),
        ("pull = yes", "pull is not taken over"),
        ("freezegrps = A", "freezegrps is not taken over"),
        ("electric-field-x = 1 0 0 0", "electric-field-x is not taken over"),
        ("pbc = xy", "pbc is not taken over"),
        ("epsilon-surface = 1", "epsilon-surface is not taken over"),
        ("rvddw = 1", 'rvddw is not known, or not taken over; did you mean "rvdw"?'),
        ("surprise = 1", "surprise is not known, or not taken over"),
    ],
)
def test_what_is_not_taken_over_is_refused_with_its_line(text, message, tmp_path):
    with pytest.raises(SternaError) as caught:
        asked(tmp_path, text)
    assert message in str(caught.value)
    assert re.search(r"run\.mdp:\d+:\d+: error:", str(caught.value))


def test_what_has_no_counterpart_is_told(tmp_path):
    _, told = asked(
        tmp_path, f"nstlist = 20\nlincs-order = 6\npull = no\npull-ngroups = 2\npbc = xyz\n{PRESSURE}"
        "epsilon-surface = 0.0\nepsilon-r = 2\nDispCorr = AllEnerPres",
    )  # fmt: skip
    for text in ("nstlist, lincs-order, pull-ngroups", "cut off without a shift", "half a step before"):  # fmt: skip
        assert text in told


@pytest.mark.parametrize(
    "charges",
    [
        "coulombtype = reaction-field\nepsilon-r = 15\n",
        "coulombtype = reaction-field\nepsilon-rf = 30\nepsilon-r = 2\ncoulomb-modifier = None\n",
        "coulombtype = cut-off\nepsilon-r = 2\n",
        "coulombtype = cut-off\ncoulomb-modifier = None\n",
    ],
    ids=["conductor", "dielectric", "shifted", "truncated"],
)
def test_charges_that_end_at_a_cutoff_are_those_of_gromacs(charges, judge, sterna, tmp_path):
    """Excluded pairs, the charges themselves and 1-4 pairs, too."""
    (tmp_path / "a.top").write_text(TOP)
    (tmp_path / "a.gro").write_text(GRO)
    text = PME.replace("coulombtype = PME\n", "") + charges
    (tmp_path / "run.mdp").write_text(text)
    done = sterna("import", "a.top", "a.gro", "--mdp", "run.mdp", "--compare", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    assert abs(float(rows["charges"][1])) > 0.1
    for name in ("lennard_jones", "charges", "potential"):
        mine, theirs = map(float, rows[name][:2])
        assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-6), name


@pytest.mark.parametrize(
    "modifier", ["None", "Potential-shift", "Potential-switch", "Force-switch"]
)
def test_energies_are_those_that_the_file_asks_for(modifier, judge, sterna, tmp_path):
    """GROMACS gets the modifier and the permittivity, too."""
    (tmp_path / "a.top").write_text(TOP)
    (tmp_path / "a.gro").write_text(GRO)
    (tmp_path / "run.mdp").write_text(
        f"{PME}vdw-modifier = {modifier}\nrvdw-switch = 0.6\nepsilon-r = 2.5\nconstraints = none\n"
    )
    done = sterna("import", "a.top", "a.gro", "--mdp", "run.mdp", "--compare", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judge: GROMACS" in done.stdout
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    for name in ("lennard_jones", "charges", "potential"):
        mine, theirs = map(float, rows[name][:2])
        assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-6), name


@pytest.mark.parametrize(
    "text",
    [
        f"{PME}integrator = md\nnsteps = 20\ndt = 0.001\ntcoupl = v-rescale\n{BATH}{PRESSURE}"
        "define = -DPOSRES\nrefcoord-scaling = com\nDispCorr = EnerPres\ngen-vel = yes\n"
        "constraints = all-bonds\n",
        f"{PME}integrator = sd\nnsteps = 20\ndt = 0.0005\n{BATH}gen-vel = yes\n",
        f"{PME}integrator = steep\nnsteps = 20\nemtol = 100\n",
    ],
    ids=["NPT", "Langevin", "minimization"],
)
def test_what_is_asked_for_runs(text, sterna, tmp_path):
    held = "[ position_restraints ]\n2 1 500 500 500\n"
    top = TOP.replace("[ system ]", f"#ifdef POSRES\n{held}#endif\n[ system ]")
    (tmp_path / "a.top").write_text(top)
    (tmp_path / "a.gro").write_text(GRO)
    (tmp_path / "run.mdp").write_text(text)
    done = sterna("import", "a.top", "a.gro", "--mdp", "run.mdp", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    if "POSRES" in text:
        assert written["restraint"][0]["reference_scaling"] == "center"
        assert written["barostat"]["time_constant"] == 3.0
        assert len(written["molecule"][0]["constraint"][0]["atoms"]) == 3
    done = sterna("run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / "output" / "out.log.jsonl").rows[-1]["step"] > 0


def test_options_that_the_file_has_are_refused_beside_it(sterna, tmp_path):
    (tmp_path / "a.top").write_text(TOP)
    (tmp_path / "a.gro").write_text(GRO)
    (tmp_path / "run.mdp").write_text(PME)
    done = sterna("import", "a.top", "a.gro", "--mdp", "run.mdp", "--cutoff", 0.9, "-o", "out.toml")
    assert done.returncode == 2
    assert "--cutoff and --constraints are in the file of --mdp" in done.stderr
