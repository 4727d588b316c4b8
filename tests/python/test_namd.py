"""What a configuration of NAMD asks for becomes the input, or is told, or is refused by its name."""

import re
import tomllib

import numpy
import pytest
from sterna import SternaError, read_log
from sterna.importing.charmm.charmm_system import Choices, read_charmm
from sterna.importing.charmm.namd import is_namd, read_namd
from sterna.importing.notes import Notes
from test_charmm import crd, files

BASE = """structure a.psf
coordinates a.crd
parameters a.prm
exclude scaled1-4
cutoff 9
switchdist 7
temperature 300
PME on
cellBasisVector1 20 0 0
cellBasisVector2 0 21 0
cellBasisVector3 0 0 22
"""
NPT = """langevin on
langevinTemp 310
langevinDamping 2
LangevinPiston on
LangevinPistonTarget 1.01325
LangevinPistonPeriod 200
LangevinPistonDecay 100
LangevinPistonTemp 310
"""


def changed(text: str) -> str:
    """The base with these lines; those of the same keys are theirs."""
    keys = {line.split()[0].lower() for line in text.splitlines() if line.split()}
    kept = [line for line in BASE.splitlines() if line.split()[0].lower() not in keys]
    return "\n".join(kept) + "\n" + text + "\n"


def asked(folder, text):
    files(folder)
    (folder / "run.namd").write_text(changed(text))
    notes = Notes()
    return read_namd(folder / "run.namd", notes), "\n".join(notes.texts())


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("timestep 2.0 ;# fs\nrun 50", "run", {"steps": 50, "timestep": 0.002}),
        ("set n 50\nset step 2\ntimestep = $step\nrun ${n}", "run", {"steps": 50, "timestep": 0.002}),
        ("numsteps 7\nseed 5", "run", {"steps": 7, "timestep": 0.001, "seed": 5}),
        ("minimize 30", "run", {"steps": 30, "integrator": "minimize"}),
        ("", "interaction", {"cutoff": 0.9, "truncation": "switched", "switch_start": 0.7}),
        ("vdwForceSwitching yes", "interaction",
         {"cutoff": 0.9, "truncation": "force_switched", "switch_start": 0.7}),
        ("switching off\nLJcorrection on", "interaction",
         {"cutoff": 0.9, "truncation": "truncated", "tail_correction": "homogeneous"}),
        ("", "thermostat", {"kind": "none"}),
        ("langevin on\nlangevinTemp 310\nlangevinDamping 5", "thermostat",
         {"kind": "langevin", "temperature": 310.0, "time_constant": 0.2}),
        ("stochRescale on\nstochRescaleTemp 310\nstochRescalePeriod 1.5", "thermostat",
         {"kind": "stochastic_velocity_rescaling", "temperature": 310.0, "time_constant": 1.5}),
        ("rigidBonds all", "constraints", "hydrogen"), ("rigidBonds water", "constraints", "water"),
        ("1-4scaling 0.5", "factor_14", 0.5), ("exclude 1-3", "exclude", "1-3"),
        ("vdwGeometricSigma on", "is_geometric", True), ("temperature 250K", "temperature", 250.0),
    ],
)  # fmt: skip
def test_keys_are_taken_over(text, what, expected, tmp_path):
    assert getattr(asked(tmp_path, text)[0], what) == expected


@pytest.mark.parametrize(
    ("text", "section", "expected"),
    [
        (NPT, "barostat", {"kind": "martyna_tobias_klein", "pressure": 1.01325, "time_constant": 0.2}),
        (NPT + "timestep 1", "barostat", {"interval": 2}),
        (NPT.replace("200", "2000") + "timestep 1", "barostat", {"time_constant": 2.0}),
        (NPT + "fullElectFrequency 2\noutputEnergies 4\ndcdfreq 20", "barostat", {"interval": 4}),
        (NPT + "useFlexibleCell yes", "barostat", {"coupling": "anisotropic"}),
        (NPT + "useFlexibleCell yes\nuseConstantRatio yes", "barostat", {"coupling": "semi_isotropic"}),
        (NPT + "useFlexibleCell yes\nuseConstantArea yes", "barostat", {"coupling": "uniaxial"}),
        ("nonbondedFreq 2\nfullElectFrequency 4\noutputEnergies 6\ndcdfreq 20", "multiple_time_steps",
         {"pairs": 2, "far_field": 4}),
        ("nonbondedFreq 2\nfullElectFrequency 4\noutputEnergies 6\ndcdfreq 20", "output",
         {"thermo_interval": 8, "trajectory_interval": 20}),
        ("outputEnergies 10\ndcdfreq 20", "output",
         {"thermo_interval": 10, "trajectory_interval": 20}),
    ],
)  # fmt: skip
def test_sections_are_taken_over(text, section, expected, tmp_path):
    assert expected.items() <= asked(tmp_path, text)[0].sections[section].items()


def test_zero_momentum_is_a_drift_control(tmp_path):
    found, _ = asked(tmp_path, "zeroMomentum on")
    assert found.sections["drift_control"] == [{"interval": 1, "sample_interval": 1}]
    assert "drift_control" not in asked(tmp_path, "")[0].sections


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exclude 1-2", 'exclude is "1-2"; expected scaled1-4, 1-4 or 1-3'),
        ("switchdist 9", "switchdist is 9; expected a length below cutoff"),
        ("timestep fast", 'timestep is "fast"; expected a number'),
        ("PME perhaps", 'pme is "perhaps"; expected on or off'),
        ("timestep 1\ntimestep 2", "a second line of timestep, which NAMD refuses"),
        ("structure b.psf", "b.psf does not exist"),
        ("cellBasisVector1 20 1 0", "expected vectors of the box as x 0 0"),
        ("langevin on", "expected langevinTemp and langevinDamping above 0"),
        (NPT.replace("Temp 310\nlangevinDamp", "Temp 300\nlangevinDamp"), "langevinPistonTemp is 310"),
        ("LangevinPiston on\nLangevinPistonTarget 1\nLangevinPistonPeriod 50\nLangevinPistonTemp 3",
         "a constant pressure without a thermostat"),
        ("BerendsenPressure on", "BerendsenPressure is not taken over"),
        ("tCouple on", "tCouple is not taken over"), ("rescaleFreq 10", "rescaleFreq is not taken over"),
        ("fixedAtoms on", "fixedAtoms is not taken over"), ("alch on", "alch is not taken over"),
        ("colvars on", "colvars is not taken over"), ("extraBonds yes", "extraBonds is not taken over"),
        ("constraints on", "constraints is not taken over"),
        ("GBIS on", "GBIS is not taken over"), ("drude on", "drude is not taken over"),
        ("dielectric 4", "dielectric is not taken over"),
        ("watermodel tip4", "watermodel is not taken over"),
        ("nonbondedFreq 2\nfullElectFrequency 3", "expected a multiple of nonbondedFreq, 2"),
        ("langevinDampng 5", 'langevinDampng is not known, or not taken over; did you mean "langevind'),
        ("surprise 5", "surprise is not known, or not taken over"),
        ("if {1} {", 'the Tcl command "if" is not taken over'),
        ("timestep [expr 2]", "Tcl in brackets"), ("timestep $x", "the variable $x is not set"),
        ("run 5\ncutoff 8", "cutoff behind minimize or run"),
        ("minimize few", 'the number of steps is "few"'), ("velocities v.pdb", "velocities of a PDB file"),
    ],
)  # fmt: skip
def test_what_is_not_taken_over_is_refused_with_its_line(text, message, tmp_path):
    with pytest.raises(SternaError) as caught:
        asked(tmp_path, text)
    assert message in str(caught.value)
    assert re.search(r"run\.namd:\d+:\d+: error:", str(caught.value))


def test_what_has_no_counterpart_is_told(tmp_path):
    _, told = asked(
        tmp_path,
        f"{NPT}langevinHydrogen off\nPMEGridSpacing 1\nalch off\nalchLambda 0.5\nminimize 5\nrun 3",
    )
    for text in ("PMEGridSpacing, alchLambda", "hydrogen atoms have friction", "minimize 5 is left out",
                 "Martyna-Tobias-Klein"):  # fmt: skip
        assert text in told


def test_files_of_namd_alone(tmp_path):
    """Binary places and velocities, and the box of an XSC file."""
    files(tmp_path)
    x, v = (numpy.random.default_rng(k).normal(size=(5, 3)) for k in (1, 2))
    for name, values, order in (("a.coor", x, "<"), ("a.vel", v, ">")):
        data = numpy.array([5], f"{order}i4").tobytes() + values.astype(f"{order}f8").tobytes()
        (tmp_path / name).write_bytes(data)
    (tmp_path / "a.xsc").write_text("# NAMD\n9 30 0 0 0 31 0 0 0 32 0 0 0\n")
    text = changed("binCoordinates a.coor\nbinVelocities a.vel\nextendedSystem a.xsc")
    (tmp_path / "run.namd").write_text(text.replace("temperature 300\n", ""))
    assert is_namd(tmp_path / "run.namd") and not is_namd(tmp_path / "a.prm")
    system = read_charmm(
        tmp_path / "a.psf", [tmp_path / "a.prm"], tmp_path / "a.crd",
        Choices(1.0, "none", None, tmp_path / "run.namd"),
    )  # fmt: skip
    assert numpy.allclose(system.positions, 0.1 * x)
    assert numpy.allclose(system.velocities, 0.1 * 20.45482706 * v)
    assert numpy.allclose(numpy.diag(system.box), [3.0, 3.1, 3.2])
    (tmp_path / "a.coor").write_bytes(data[:-8])
    with pytest.raises(SternaError, match=r"a\.coor: error: it has 116 bytes; expected 124"):
        read_charmm(
            tmp_path / "a.psf", [tmp_path / "a.prm"], tmp_path / "a.crd",
            Choices(1.0, "none", None, tmp_path / "run.namd"),
        )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "vdwForceSwitching on", "switching off", "exclude 1-3", "exclude 1-4", "1-4scaling 0.4",
     "fullElectFrequency 2"],
)  # fmt: skip
def test_energies_are_those_of_the_judge(text, sterna, tmp_path):
    """Which gets the switching function, the exclusions and the factor, too."""
    files(tmp_path)
    (tmp_path / "run.namd").write_text(changed(text + "\nrun 4"))
    done = sterna("import", "run.namd", "-o", "out.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judge: OpenMM" in done.stdout


@pytest.mark.parametrize(
    "text", [NPT + "timestep 0.1\nrun 20", "minimize 20"], ids=["NPT", "minimization"]
)
def test_what_is_asked_for_runs(text, sterna, tmp_path):
    files(tmp_path)
    (tmp_path / "run.namd").write_text(
        changed(text.replace("minimize", "outputEnergies 5\nminimize"))
    )
    done = sterna("import", "run.namd", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    assert written["interaction"]["truncation"] == "switched"
    done = sterna("run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / "output" / "out.log.jsonl").rows[-1]["step"] > 0


def test_charges_need_ewald_sums(tmp_path):
    files(tmp_path)
    (tmp_path / "run.namd").write_text(changed("PME off"))
    found = tmp_path / "a.psf", [tmp_path / "a.prm"], tmp_path / "a.crd"
    with pytest.raises(SternaError, match=r"run\.namd:\d+:1: error: charges need PME on"):
        read_charmm(*found, Choices(1.0, "none", None, tmp_path / "run.namd"))


def test_the_file_beside_those_of_charmm(sterna, tmp_path):
    files(tmp_path, places=crd())
    (tmp_path / "run.namd").write_text(changed("run 3"))
    done = sterna("import", "a.psf", "a.prm", "a.crd", "--namd", "run.namd", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("import", "run.namd", "--cutoff", 0.8, "-o", "b.toml")
    assert "--cutoff and --constraints are in the file of --namd" in done.stderr


STAGES = "minimize 20\nreinitvels 250\nrun 10\nlangevinTemp 330\ntimestep 0.5\nrun 30\n"
BATH = "langevin on\nlangevinTemp 310\nlangevinDamping 5\ntimestep 1\n"


def test_several_commands_are_stages(sterna, tmp_path):
    files(tmp_path)
    (tmp_path / "run.namd").write_text(changed(BATH + STAGES))
    done = sterna("import", "run.namd", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stages: minimize, run, run_2" in done.stdout
    assert "left out" not in done.stderr
    first, second, third = tomllib.loads((tmp_path / "out.toml").read_text())["stage"]
    assert first["run"] == {"steps": 20, "integrator": "minimize"}
    assert second["run"] == {"steps": 10, "timestep": 0.001}
    assert second["start"] == {"temperature": 250.0}
    assert second["thermostat"]["temperature"] == 310.0
    assert third["run"] == {"steps": 30, "timestep": 0.0005}
    assert third["thermostat"]["temperature"] == 330.0
    assert "start" not in third
    checked = sterna("check", "out.toml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    done = sterna("run", "out.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / "output" / "out.run_2.log.jsonl").rows[-1]["step"] == 30


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run 5\ncutoff 8\nrun 6", "cutoff behind minimize or run: expected one of the settings"),
        ("run 5\ntimestep 1\ntimestep 2\nrun 6", "a second line of timestep"),
        ("minimize 5\nreinitvels hot\nrun 6", "expected `reinitvels TEMPERATURE`"),
    ],
)
def test_what_stages_cannot_be_is_refused(text, message, sterna, tmp_path):
    files(tmp_path)
    (tmp_path / "run.namd").write_text(changed(BATH.replace("timestep 1\n", "") + text))
    done = sterna("import", "run.namd", "-o", "out.toml")
    assert done.returncode == 2
    assert message in re.sub(r"\s+", " ", done.stderr) and "run.namd:" in done.stderr
