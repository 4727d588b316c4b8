"""What an .mdp file of GROMACS asks for becomes the input, or is told, or is refused by its name."""

import re
import tomllib

import numpy
import pytest
from sterna import SternaError, Trajectory, read_log
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.gromacs.judge import compare
from sterna.importing.gromacs.mdp import read_mdp
from sterna.importing.molecules import Molecules
from sterna.importing.notes import Notes
from sterna.support.toml_text import toml_text
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
        # Hyphens and underscores do not matter.
        ("vdwtype = cut_off\nvdw-modifier = potentialswitch\nrvdw-switch = 0.9", "interaction",
         {"cutoff": 1.0, "truncation": "quintic_switched", "switch_start": 0.9}),
        ("vdwtype = shift\nrvdw_switch = 0.9\nrvdw = 1.1\nrcoulomb = 1.1", "interaction",
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
        ("epsilon-r = 15\ncoulomb-modifier = None\nrvdw = 1.2\nrcoulomb = 1.2", "electrostatics",
         {"kind": "cutoff", "permittivity": 15.0, "truncation": "truncated"}),
        ("coulombtype = Reaction-Field\nepsilon_r = 15\nepsilon_rf = 0", "electrostatics",
         {"kind": "reaction_field", "permittivity": 15.0}),
        ("coulombtype = reaction_field\nepsilon-rf = 78\ncoulomb-modifier = none", "electrostatics",
         {"kind": "reaction_field", "reaction_field_permittivity": 78.0}),
        ("coulombtype = PME\nepsilon_r = 2\ncoulomb-modifier = Force-switch", "electrostatics",
         {"kind": "fmm", "permittivity": 2.0, "accuracy": 1e-4}),
        ("vdw_type = cutoff\nr-vdw = 1.1\nrcoulomb = 1.1\nvdw-modifier = Potential-shift-verlet", "interaction",
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
         .replace("C-rescale", "Parrinello_Rahman") + "pcoupltype=anisotropic",
         {"coupling": "anisotropic"}),
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
        ("dt =\u00a01", "1:5: error: a blank that is no space (U+00A0)"),
        ("; one\u2028dt = 1\ndt = x", '2:1: error: dt is "x"'),
        ("dt = fast", 'dt is "fast"; expected a number'),
        ("nsteps = -1", "nsteps is -1; expected an integer of at least 0"),
        # What grompp refuses is not run as something else.
        ("nsteps = 1e5", 'nsteps is "1e5"; expected an integer, such as 100000'),
        ("nstcomm = 1.5", 'nstcomm is "1.5"; expected an integer'),
        ("nstlist = 0", "nstlist is below 1, which GROMACS refuses"),
        ("lincs-order = x", 'lincs-order is "x"; expected an integer'),
        ("verlet-buffer-tolerance = 0", "a tolerance of 0 is refused by GROMACS"),
        ("cutoff-scheme = group", 'cutoff-scheme is "group", which is not taken over'),
        ("continuation = maybe", 'continuation is "maybe"'),
        ("rvdw = 0.9", "rcoulomb is 1 and rvdw 0.9; GROMACS has equal ones"),
        ("coulombtype = PME\nrcoulomb = 0.8", "rcoulomb is 0.8 and rvdw 1"),
        ("tc-grps = System", "expected as many numbers of tau-t and ref-t as tc-grps has groups"),
        ("integrator = steep\nref-t = 300 300", "expected as many numbers of tau-t and ref-t"),
        (PRESSURE.replace("C-rescale", "MTTK"), "MTTK needs the integrator md-vv"),
        (PRESSURE + "pcoupltype = anisotropic", "C-rescale is not anisotropic in GROMACS"),
        (PRESSURE.replace("tau-p = 3", "tau-p = 0"), "expected one number of tau-p above 0"),
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
        ("free-energy = yes", "there is no state of the run; expected init-lambda-state"),
        ("pull = yes", "pull is not taken over"),
        ("freezegrps = A", "expected Y or N for three axes of each group"),
        ("freezegrps = A\nfreezedim = Y Y N", "frozen along some axes are not taken over"),
        (f"{PRESSURE}freezegrps = A\nfreezedim = Y Y Y", "do not go with a barostat"),
        ("electric-field-x = 1 2 0 0", "a field that changes with time is not taken over"),
        ("electric-field-x = 1", "electric-field-x has 1 numbers; expected four"),
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


def test_an_electric_field_is_taken_over(tmp_path):
    text = "electric-field-z = 0.5 0 0 0\nannealing = no no"
    assert asked(tmp_path, text)[0].sections["field"] == [{"electric_field": [0.0, 0.0, 0.5]}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vdw-modifier = None", None),
        ("vdw-modifier = Potential-switch\nrvdw-switch = 0.7", None),
        ("", "where vdw-modifier shifts energies; expected None or Potential-switch"),
        ("vdw-modifier = Force-switch\nrvdw-switch = 0.7", "where vdw-modifier shifts energies"),
        ("vdw-modifier = Potential-switch\nrvdw-switch = 0.1", "than where switching begins"),
    ],
)
def test_pairs_beside_all_else_have_no_end(text, message, judge, tmp_path):
    """A line of [ pairs ] that is not excluded: a special pair for both is right where nothing ends."""
    (tmp_path / "a.top").write_text(TOP.replace("butane 3", "butane 2"))
    (tmp_path / "a.gro").write_text(GRO)
    (tmp_path / "run.mdp").write_text(f"{PME}constraints = none\n{text}\n")
    files = tmp_path / "a.top", tmp_path / "a.gro"
    choices = Choices(1.0, mdp=tmp_path / "run.mdp")
    if message is not None:
        with pytest.raises(SternaError, match=rf"a\.top:\d+:1: error: .*{message}"):
            read_gromacs(*files, choices)
        return
    for row in compare(judge, *files, choices, Molecules(read_gromacs(*files, choices))):
        assert row.difference < 1e-6, row


NAMED = "[ Rest ]\n1 2 3 ; three\n4\n[ Ends ]\n5 8\n6 7\n"


def grouped(folder, text, index=None):
    (folder / "a.top").write_text(TOP)
    (folder / "a.gro").write_text(GRO)
    (folder / "run.mdp").write_text(PME + text)
    if index is not None:
        (folder / "a.ndx").write_text(index)
    return read_gromacs(
        folder / "a.top", folder / "a.gro",
        Choices(1.0, mdp=folder / "run.mdp", index=None if index is None else folder / "a.ndx"),
    )  # fmt: skip


@pytest.mark.parametrize(("kind", "integrator"), [("Parrinello-Rahman", "md"), ("MTTK", "md-vv")])
def test_a_box_keeps_the_mass_that_gromacs_gives_it(kind, integrator, tmp_path):
    """Of the strain of a cube GROMACS computes the acceleration 4 pi^2 beta/(3 tau^2) (P - P0), and
    with MTTK 9 kT (kJ/mol) times that; Sterna 3 V (P - P0)/W, W = (degrees + 3) kT (tau/2 pi)^2."""
    text = f"tcoupl = v-rescale\n{BATH}{PRESSURE}integrator = {integrator}\n"
    system = grouped(tmp_path, text.replace("C-rescale", kind))
    thermal, volume = 0.00831446261815 * 310, abs(numpy.linalg.det(system.box))
    held = sum(one.section == "constraint" for one in system.terms)
    degrees = 3 * len(system.atoms) - held - 3
    tau = system.sections["barostat"]["time_constant"]
    mass = (degrees + 3) * thermal * (tau / (2 * numpy.pi)) ** 2
    asked_for = 4 * numpy.pi**2 * (5e-5 * 16.60539) / (3 * 3**2)
    if kind == "MTTK":
        asked_for *= 3 * 3 * thermal
    assert 3 * volume / mass == pytest.approx(asked_for, rel=1e-6)


@pytest.mark.parametrize(
    ("groups", "index"),
    [("System", None), ("system", None), ("Other", None), ("BUT", None), ("Ends rest", NAMED)],
)
def test_a_thermostat_has_all_atoms(groups, index, tmp_path):
    count = len(groups.split())
    system = grouped(
        tmp_path, f"tcoupl = v-rescale\ntc-grps = {groups}\ntau-t ={' 0.2' * count}\n"
        f"ref-t ={' 310' * count}\n", index,
    )  # fmt: skip
    assert system.thermostat["temperature"] == 310.0


@pytest.mark.parametrize(
    ("groups", "index", "message"),
    [
        (
            "Protein",
            None,
            'run.mdp:5:1: error: there is no group "Protein"; --index names the file',
        ),
        ("Ends", NAMED, "run.mdp:5:1: error: 4 atoms are in none of tc-grps; GROMACS expects all"),
        ("Ends System", NAMED, 'run.mdp:5:1: error: the index file has no group "System"'),
        (
            "Ends All",
            NAMED + "[ All ]\n1 2 3 4 5 6 7 8",
            'atoms of "All" are in another of tc-grps',
        ),
        ("Ends", "1 2", "a.ndx:1:1: error: expected the name of a group, such as [ System ]"),
        ("Ends", "[ A ]\n9", "a.ndx:2:1: error: the number of an atom is 9; expected 1 to 8"),
        ("Ends", "[ A ]\n[ a ]", 'a.ndx:2:1: error: a second group "a"'),
        ("Ends", "", "a.ndx: error: there is no group; expected"),
    ],
)
def test_groups_that_are_not_there_or_lack_atoms_are_refused(groups, index, message, tmp_path):
    count = len(groups.split())
    with pytest.raises(SternaError) as caught:
        grouped(
            tmp_path, f"tcoupl = v-rescale\ntc-grps = {groups}\ntau-t ={' 0.2' * count}\n"
            f"ref-t ={' 310' * count}\n", index,
        )  # fmt: skip
    assert message in str(caught.value), str(caught.value)


def test_frozen_atoms_rest(sterna, tmp_path):
    """Their types become two where other atoms of the type move."""
    grouped(tmp_path, "constraints = none\nfreezegrps = Ends\nfreezedim = Y Y Y\nnsteps = 50\n"
            "gen-vel = yes\ndt = 0.0005\n", NAMED)  # fmt: skip
    done = sterna("import", "a.top", "a.gro", "--mdp", "run.mdp", "--index", "a.ndx",
                  "-o", "out.toml")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    written["output"] |= {"trajectory_interval": 50, "trajectory_fields": ["position", "image"]}
    (tmp_path / "out.toml").write_text(toml_text(written))
    done = sterna("run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    frames = Trajectory(tmp_path / "output" / "out.h5md")
    moved = abs(frames[-1].unwrapped() - frames[0].unwrapped()).max(axis=1)
    assert (moved[4:] < 1e-12).all() and (moved[:4] > 1e-4).all()


def test_what_has_no_counterpart_is_told(tmp_path):
    _, told = asked(
        tmp_path, f"nstlist = 20\nlincs-order = 6\npull = no\npull-ngroups = 2\npbc = xyz\n{PRESSURE}"
        "epsilon-surface = 0.0\nepsilon-r = 2\nDispCorr = AllEnerPres",
    )  # fmt: skip
    for text in ("nstlist, lincs-order, pull-ngroups", "cut off without a shift", "half a step before",
                 "the mean of C6 for the tail correction"):  # fmt: skip
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
