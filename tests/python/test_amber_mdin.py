"""What an mdin file of AMBER asks for becomes the input, or is told, or is refused by its name."""

import re
import shutil
import tomllib
from pathlib import Path

import numpy
import pytest
from conftest import nightly
from sterna import SternaError, read_log
from sterna.importing.amber.amber_system import Choices, read_amber
from sterna.importing.amber.masks import Known, MaskError, selected
from sterna.importing.amber.mdin import read_mdin
from sterna.importing.notes import Notes

DATA = Path(__file__).resolve().parents[1] / "data" / "import"
NPT = "ntb = 2, ntp = 1, barostat = 2, ntt = 3, gamma_ln = 2.0,"


def asked(folder, keys, ewald=""):
    text = f"A title\n&cntrl\n{keys}\n/\n" + (f"&ewald\n{ewald}\n/\n" if ewald else "")
    (folder / "md.in").write_text(text)
    notes = Notes()
    return read_mdin(folder / "md.in", notes), "\n".join(notes.texts())


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("", "run", {"steps": 1, "timestep": 0.001}),
        ("NSTLIM = 50 ! fifty\ndt=2.0D-3, ig = 7", "run", {"steps": 50, "timestep": 0.002, "seed": 7}),
        ("nstlim=5,nstlim=6", "run", {"steps": 6, "timestep": 0.001}),
        ("imin = 1, maxcyc = 9", "run", {"steps": 9, "integrator": "minimize"}),
        ("imin = 1, maxcyc = 9, ntmin = 3", "run", {"steps": 9, "integrator": "lbfgs"}),
        ("", "interaction",
         {"cutoff": 0.8, "truncation": "truncated", "tail_correction": "homogeneous"}),
        ("cut = 9.5", "cutoff", 0.95),
        ("", "constraints", "none"),
        ("ntc = 2, ntf = 2", "constraints", "h-bonds"),
        ("ntc = 3, ntf = 1", "constraints", "all-bonds"),
        ("", "thermostat", {"kind": "none"}),
        ("ntt = 3, gamma_ln = 2, temp0 = 310", "thermostat",
         {"kind": "langevin", "temperature": 310.0, "time_constant": 0.5}),
        ("ntt = 11, tautp = 0.3", "thermostat",
         {"kind": "stochastic_velocity_rescaling", "temperature": 300.0, "time_constant": 0.3}),
        ("ntt = 2, vrand = 500, dt = 0.002", "thermostat",
         {"kind": "andersen", "temperature": 300.0, "time_constant": 1.0}),
        ("tempi = 250", "temperature", 250.0),
        ("", "temperature", None),
        ("ntr = 1, restraint_wt = 2.5, restraintmask = '@CA'", "stiffness", 2092.0),
        (f"{NPT} ntr = 1, restraint_wt = 2.5, restraintmask = '@CA'", "reference_scaling", "all"),
    ],
)  # fmt: skip
def test_keys_are_taken_over(text, what, expected, tmp_path):
    assert getattr(asked(tmp_path, text)[0], what) == expected


@pytest.mark.parametrize(
    ("text", "section", "expected"),
    [
        ("", "drift_control", [{"interval": 1000, "sample_interval": 1000}]),
        ("nscm = 0", "drift_control", None),
        ("ntt = 3, gamma_ln = 1", "drift_control", None),
        ("ntpr = 20, ntwx = 30", "output",
         {"directory": "output", "thermo_interval": 20, "trajectory_interval": 30}),
        ("nrespa = 2", "multiple_time_steps", {"far_field": 2}),
        ("imin = 1, drms = 0.01", "minimize", {"force_tolerance": 0.4184}),
        (f"{NPT} pres0 = 2, taup = 3", "barostat",
         {"kind": "stochastic_cell_rescaling", "pressure": 2.0, "time_constant": 3.0,
          "bulk_modulus": pytest.approx(1e6 / 44.6)}),
        (f"{NPT} ntp = 2, comp = 50", "barostat",
         {"kind": "stochastic_cell_rescaling", "pressure": 1.0, "time_constant": 1.0,
          "bulk_modulus": pytest.approx(2e4), "coupling": "anisotropic"}),
        (f"{NPT} ntp = 3, csurften = 3, gamma_ten = 0.0, ninterface = 2", "barostat",
         {"kind": "stochastic_cell_rescaling", "pressure": 1.0, "time_constant": 1.0,
          "bulk_modulus": pytest.approx(1e6 / 44.6), "coupling": "semi_isotropic", "axis": "z"}),
    ],
)  # fmt: skip
def test_sections_are_taken_over(text, section, expected, tmp_path):
    assert asked(tmp_path, text)[0].sections.get(section) == expected


def test_switched_pairs_and_corrections(tmp_path):
    found, _ = asked(tmp_path, "cut = 10, fswitch = 8", "vdwmeth = 0")
    assert found.interaction == {
        "cutoff": 1.0, "truncation": "force_switched", "switch_start": 0.8,
    }  # fmt: skip
    assert "tail_correction" not in asked(tmp_path, "cut = 10", "vdwmeth = 0")[0].interaction


@pytest.mark.parametrize(
    ("text", "ewald", "message"),
    [
        ("nstlim", "", "expected `key = value`"),
        ("nstlim = 2 3", "", "nstlim has 2 values; expected one"),
        ("nstlim = two", "", 'nstlim is "two"; expected an integer'),
        ("dt = fast", "", 'dt is "fast"; expected a number'),
        ("dt = 0", "", "dt is 0; expected a number above 0"),
        ("nstlim = ", "", "nstlim has no value"),
        ("imin = 5", "", "imin is 5, which is not taken over"),
        ("ntb = 0", "", "a system without a box"),
        ("igb = 5", "", "igb is not taken over"),
        ("ntt = 1", "", "Berendsen's coupling, 1, samples no ensemble"),
        ("ntt = 3", "", "gamma_ln is 0; expected a friction above 0"),
        ("ntp = 1, ntt = 3, gamma_ln = 1", "", "barostat is 1, which samples no ensemble"),
        ("ntp = 1, barostat = 2", "", "without a thermostat"),
        ("ntb = 1, ntp = 1", "", "ntb is 1 and ntp is 1"),
        ("ntb = 2", "", "ntb is 2 and ntp is 0"),
        (f"{NPT} ntp = 3", "", "csurften is 0 and ntp is 3"),
        (f"{NPT} ntp = 3, csurften = 3, gamma_ten = 5", "", "gamma_ten is not taken over"),
        ("ntf = 2", "", "ntf is 2, which leaves out bonds that ntc = 1 does not keep"),
        ("ntc = 2, ntf = 4", "", "ntf is 4"),
        ("fswitch = 9", "", "fswitch is 9; expected a length below cut"),
        ("fswitch = 7", "", "expected vdwmeth = 0 in &ewald"),
        ("", "vdwmeth = 2", "vdwmeth is 2, which is not taken over"),
        ("", "eedmeth = 4", "eedmeth is not taken over"),
        ("", "use_pme = 0", "use_pme is not taken over"),
        ("irest = 1, ntx = 1", "", "ntx is 1 with irest = 1; expected 5"),
        ("nmropt = 2", "", "nmropt is 2, which is not taken over"),
        ("ibelly = 1, bellymask = ':1'", "", "ibelly is not taken over"),
        ("icfe = 1, clambda = 0.5", "", "icfe is not taken over"),
        ("efz = 0.1", "", "efz is not taken over"),
        ("lj1264 = 1", "", "lj1264 is not taken over"),
        ("noshakemask = ':1'", "", "noshakemask is not taken over"),
        ("dielc = 4", "", "dielc is not taken over"),
        ("ntr = 1", "", "ntr is 1 without a restraintmask"),
        ("ntr = 1, restraintmask = ':1'", "", "restraint_wt is 0"),
        ("ntr = 1, restraint_wt = 1, restraintmask = :1", "", "restraintmask is not in quotes"),
        ("gama_ln = 1", "", 'gama_ln is not known, or not taken over; did you mean "gamma_ln"?'),
        ("surprise = 1", "", "surprise is not known, or not taken over"),
        ("vdwmeth = 0", "", "vdwmeth is a key of &ewald, not of &cntrl"),
        ("", "cutt = 8", "cutt is not known"),
        ("tempi = 'x", "", "a text without the second quotation mark"),
    ],
)  # fmt: skip
def test_what_is_not_taken_over_is_refused_with_its_line(text, ewald, message, tmp_path):
    with pytest.raises(SternaError) as caught:
        asked(tmp_path, text, ewald)
    assert message in str(caught.value)
    assert re.search(r"md\.in:\d+:\d+: error:", str(caught.value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title\n", "there is no namelist &cntrl"),
        ("&cntrl\n nstlim = 3\n", "&cntrl has no end"),
        ("&cntrl\n nstlim = 3\n&ewald\n/\n", "&cntrl has no end before this"),
        ("&cntrl\n/\n&cntrl\n/\n", "a second namelist &cntrl"),
        ("&cntrl\n/\n&qmmm\n/\n", "the namelist &qmmm is not taken over"),
        ("&cntrll\n/\n", 'did you mean "&cntrl"?'),
        ("&cntrl ntr = 1, restraint_wt = 1 /\nHold\n1.0\nRES 1 10\nEND\nEND\n", "groups of atoms"),
    ],
)
def test_broken_files(text, message, tmp_path):
    (tmp_path / "md.in").write_text(text)
    with pytest.raises(SternaError, match=re.escape(message)) as caught:
        read_mdin(tmp_path / "md.in", Notes())
    assert "md.in" in str(caught.value)


def test_forms_of_namelists(tmp_path):
    """Comments, the end on the same line, $ and repeated values are Fortran's."""
    texts = [
        "&cntrl nstlim=7,dt=0.002,cut=9./\n",
        " $CNTRL\n nstlim = 7 dt = 0.002\n cut = 9.0 ! a / is no end here: nstlim = 8\n $END\n",
        "title\n &cntrl\n  nstlim\n  = 1*7\n  dt(1) = 2E-3, cut = 9\n &end\n",
    ]
    for text in texts:
        (tmp_path / "md.in").write_text(text)
        found = read_mdin(tmp_path / "md.in", Notes())
        assert found.run == {"steps": 7, "timestep": 0.002}, text
        assert found.cutoff == 0.9


def test_what_has_no_counterpart_is_told(tmp_path):
    _, told = asked(
        tmp_path, f"{NPT} iwrap = 1, ntwr = 500, nmropt = 0, saltcon = 0.1, irest = 1, ntx = 5\n"
        "temp0 = 300.0, temp0 = 310", "nfft1 = 32",
    )  # fmt: skip
    for text in ("iwrap, ntwr, saltcon, nfft1", "Monte Carlo", "half a step before",
                 "temp0 stands twice"):  # fmt: skip
        assert text in told


# ---- masks

PEPTIDE = Known(
    names=["N", "H", "CA", "C", "O5*", "N", "CA", "CB", "O", "Cl-"],
    types=["N3", "H", "CX", "C", "O", "N", "CX", "CT", "O", "IM"],
    elements=["N", "H", "C", "C", "O", "N", "C", "C", "O", "Cl"],
    residues=[1, 1, 1, 1, 1, 2, 2, 2, 2, 3],
    residue_names=["ALA"] * 5 + ["GLY"] * 4 + ["Cl-"],
)


@pytest.mark.parametrize(
    ("mask", "atoms"),
    [
        ("*", range(10)), (":1", range(5)), (":1-2", range(9)), (":2,3", range(5, 10)),
        ("@1-3,6", (0, 1, 2, 5)), ("@CA,C", (2, 3, 6)), (":1@CA", (2,)), (":1@CA,C,N", (0, 2, 3)),
        (":ALA,GLY@CA", (2, 6)), ("@C*", (2, 3, 6, 7, 9)), ("@C=", (2, 3, 6, 7, 9)),
        ("@C?", (2, 6, 7)), ("@O5\\*", (4,)), (":Cl-", (9,)), (":A??", range(5)),
        ("@%CX", (2, 6)), ("@/C", (2, 3, 6, 7)), ("!@/C", (0, 1, 4, 5, 8, 9)),
        ("!:1-2", (9,)), (":1 & @CA", (2,)), (":1&!@CA", (0, 1, 3, 4)),
        ("@CA | :3", (2, 6, 9)), (":3|:1&@CA", (2, 9)), ("(:3|:1)&@CA,Cl-", (2, 9)),
        (":1@CA:2@CB", (2, 7)), ("!(:1|:2)", (9,)), (":1-999", range(10)), ("@N@O", (0, 5, 8)),
        (" : 1 - 2 @CA", ()),
    ],
)  # fmt: skip
def test_masks(mask, atoms):
    if not atoms:
        with pytest.raises(MaskError):
            selected(mask, PEPTIDE)
        return
    assert numpy.flatnonzero(selected(mask, PEPTIDE)).tolist() == list(atoms)


@pytest.mark.parametrize(
    ("mask", "place", "message"),
    [
        ("", 0, "expected a list"), (":", 1, "expected a number"), (":1&", 3, "expected a list"),
        ("(:1", 3, 'expected ")"'), (":1)", 2, 'unexpected ")"'), ("CA", 0, "expected a list"),
        (":1<:5", 2, "by distance"), (":3-1", 1, "goes down"), (":1,,2", 3, "expected a number"),
    ],
)  # fmt: skip
def test_broken_masks(mask, place, message):
    with pytest.raises(MaskError) as caught:
        selected(mask, PEPTIDE)
    assert message in caught.value.message
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("mask", "column", "message"),
    [(":1@CA&", 50, "expected a list"), (":NIX", 43, "selects no atom")],
)
def test_masks_are_told_with_their_place(mask, column, message, tmp_path):
    (tmp_path / "md.in").write_text(f"&cntrl ntr=1,restraint_wt=1,restraintmask='{mask}' /\n")
    with pytest.raises(SternaError) as caught:
        read_amber(
            DATA / "phenol.prmtop", DATA / "phenol.inpcrd",
            Choices(0.4, "none", (1.6, 1.6, 1.6), tmp_path / "md.in"),
        )  # fmt: skip
    assert message in str(caught.value)
    assert f"md.in:1:{column}: error:" in str(caught.value)


# ---- runs


def files(folder: Path, keys: str, ewald: str = "") -> list[str]:
    for name in ("phenol.prmtop", "phenol.inpcrd"):
        shutil.copy(DATA / name, folder / name)
    text = f"&cntrl cut = 6.0, {keys} /\n" + (f"&ewald {ewald} /\n" if ewald else "")
    (folder / "md.in").write_text(text)
    return ["import", "phenol.prmtop", "phenol.inpcrd", "--mdin", "md.in", "-o", "out.toml"]


@pytest.mark.parametrize(
    "keys",
    [
        f"{NPT} nstlim = 20, dt = 0.002, ntc = 2, ntf = 2, tempi = 300, ntpr = 5, ntwx = 10, "
        "ntr = 1, restraint_wt = 2, restraintmask = '@1-12'",
        "nstlim = 20, dt = 0.001, ntt = 11, tempi = 300, ntpr = 10, nrespa = 2",
        "nstlim = 20, dt = 0.001, ntt = 2, vrand = 10, tempi = 300, ntpr = 10",
        "imin = 1, maxcyc = 20, drms = 1.0, ntpr = 10",
    ],
    ids=["NPT", "Bussi", "Andersen", "minimization"],
)
def test_what_is_asked_for_runs(keys, sterna, tmp_path):
    done = sterna(*files(tmp_path, keys))
    assert done.returncode == 0, done.stdout + done.stderr
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    if "ntr" in keys:
        assert written["restraint"][0]["reference_scaling"] == "all"
        assert written["restraint"][0]["virial"] == "ignored"
        assert written["restraint"][0]["stiffness"] == pytest.approx(2 * 2 * 418.4)
        assert written["group"][0]["select"] == "id 1:12"
        assert written["output"]["thermo_interval"] == 5
    done = sterna("run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / "output" / "out.log.jsonl").rows[-1]["step"] > 0


@pytest.mark.parametrize("begin", [3.0, nightly(5.0)])
def test_energies_are_those_of_the_force_switch(begin, sterna, tmp_path):
    """The judge computes the formula of Steinbach and Brooks."""
    done = sterna(*files(tmp_path, f"fswitch = {begin}", "vdwmeth = 0"), "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    mine, theirs = map(float, rows["lennard_jones"][:2])
    assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-6)
    plain = sterna(*files(tmp_path, "ntpr = 1"), "--compare", "--overwrite")
    other = {line.split()[0]: line.split()[1:] for line in plain.stdout.splitlines() if line}
    assert abs(float(other["lennard_jones"][0]) - mine) > 0.1


def test_restraints_hold_at_the_reference(sterna, tmp_path):
    """w dx^2 without a factor of 1/2, at places that -ref of sander has."""
    arguments = files(
        tmp_path, "nstlim = 0, ntr = 1, restraint_wt = 3, restraintmask = '@1,5', ntpr = 1"
    )
    lines = (tmp_path / "phenol.inpcrd").read_text().splitlines(keepends=True)
    x = [float(lines[2][k : k + 12]) for k in (0, 12, 24)]
    lines[2] = f"{x[0] + 0.1:12.7f}{x[1]:12.7f}{x[2] - 0.2:12.7f}" + lines[2][36:]
    (tmp_path / "held.rst7").write_text("".join(lines))
    done = sterna(*arguments, "--reference", "held.rst7")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    energy = read_log(tmp_path / "output" / "out.log.jsonl").rows[0]["restraints_energy"]
    assert energy == pytest.approx(3.0 * (0.1**2 + 0.2**2) * 4.184, rel=1e-6)


def test_velocities_are_wanted_by_irest(tmp_path):
    (tmp_path / "md.in").write_text("&cntrl irest = 1, ntx = 5 /\n")
    with pytest.raises(SternaError, match=r"md\.in:1:16: error: irest is 1.* has none"):
        read_amber(
            DATA / "phenol.prmtop", DATA / "phenol.inpcrd",
            Choices(0.4, "none", None, tmp_path / "md.in"),
        )  # fmt: skip


def test_options_that_the_file_has_are_refused_beside_it(sterna, tmp_path):
    arguments = files(tmp_path, "ntpr = 1")
    done = sterna(*arguments, "--cutoff", 0.9)
    assert done.returncode == 2
    assert "--cutoff and --constraints are in the file of --mdin" in done.stderr
    done = sterna(
        "import", "phenol.prmtop", "phenol.inpcrd", "-o", "b.toml", "--reference", "x.rst7"
    )
    assert done.returncode == 2
    assert "expected --mdin, too" in done.stderr


LANGEVIN = "ntt = 3, gamma_ln = 1.0, nstlim = 1000, temp0 = 300, nmropt = 1,"
END = "&wt type='END' /\n"


def heated(folder, weights, keys=LANGEVIN):
    (folder / "heat.in").write_text(f"Heat\n&cntrl\n{keys}\n/\n{weights}")
    notes = Notes()
    return read_mdin(folder / "heat.in", notes), "\n".join(notes.texts())


def temperature_at(thermostats, step):
    """What the engine keeps in this step."""
    one = next(t for t in thermostats if step <= t.get("stop_step", 1000))
    first, last = one["temperature"], one.get("end_temperature", one["temperature"])
    begin, end = one.get("start_step", 0), one.get("stop_step", 1000)
    return first + (last - first) * (step - begin) / max(end - begin, 1)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("&wt type='TEMP0', istep1=0, istep2=1000, value1=100, value2=300 /\n",
         {0: 100, 250: 150, 1000: 300}),
        ("&wt TYPE='TEMP0' ISTEP1=0 ISTEP2=600 VALUE1=100.0 VALUE2=280.0 /\n"
         "&wt TYPE='TEMP0' ISTEP1=601 ISTEP2=1000 VALUE1=280.0 VALUE2=280.0 /\n",
         {0: 100, 300: 190, 600: 280, 601: 280, 1000: 280}),
        # Before the change it is temp0, and behind it stays.
        ("&wt type='TEMP0', istep1=200, istep2=400, value1=310, value2=350 /\n",
         {0: 300, 199: 300, 200: 310, 300: 330, 400: 350, 900: 350}),
        ("&wt type='temp0', istep1=500, istep2=0, value1=350, value2=0 /\n",
         {0: 300, 499: 300, 500: 350, 1000: 350}),
        ("&wt type='TEMP0', istep1=0, istep2=2000, value1=100, value2=300 /\n",
         {0: 100, 1000: 200}),
        ("&wt type='TEMP0', istep1=0, istep2=100, value1=0, value2=200 /\n"
         "&wt type='TEMP0', istep1=100, istep2=200, value1=200, value2=400 /\n",
         {0: 0.01, 50: 100, 100: 200, 150: 300, 200: 400, 999: 400}),
    ],
)  # fmt: skip
def test_temperatures_follow_wt(weights, expected, tmp_path):
    made, told = heated(tmp_path, weights + END)
    thermostats = made.sections.get("thermostat", [made.thermostat])
    assert thermostats[0] == made.thermostat and made.thermostat["kind"] == "langevin"
    found = {step: temperature_at(thermostats, step) for step in expected}
    assert found == pytest.approx(expected, abs=0.01)
    assert ("become 0.01 K" in told) == (0.01 in expected.values())


@pytest.mark.parametrize(
    ("keys", "weights", "message"),
    [
        ("", "&wt type='TEMP0', istep2=10, value1=1, value2=2 /\n", "5:1: error: expected &wt type='END'"),
        ("", "&wt type='REST', istep2=10 /\n" + END, "&wt of type REST is not taken over"),
        ("", "&wt istep2=10 /\n" + END, "&wt has no type"),
        ("", "&wt type='TEMP0', step2=10 /\n" + END, '"step2" is no key of &wt'),
        ("", "&wt type='TEMP0', istep2=x /\n" + END, 'istep2 is "x"; expected a number'),
        ("", "&wt type='TEMP0', istep2=10, imult=1 /\n" + END, "imult of &wt is not taken over"),
        ("", "&wt type='TEMP0', istep1=9, istep2=5 /\n" + END, "istep2 is 5, before istep1, 9"),
        ("", "&wt type='TEMP0', istep2=50 /\n&wt type='TEMP0', istep1=30, istep2=60 /\n" + END,
         "begins before another one ends"),
        ("", "&wt type='TEMP0', istep2=10, value1=-1 /\n" + END, "value1 must not be negative"),
        ("", END + "DISANG=rest.txt\n", "restraints of DISANG are not taken over"),
        ("", END + "surprise\n", "expected LISTOUT=FILE"),
        ("ntt = 0,", "&wt type='TEMP0', istep2=10, value1=1, value2=2 /\n" + END,
         "TEMP0 changes without a thermostat"),
        ("ntb = 2, ntp = 1, barostat = 2,", "&wt type='TEMP0', istep2=10, value1=1, value2=2 /\n"
         + END, "does not go with a barostat"),
    ],
)  # fmt: skip
def test_wt_that_is_not_taken_over_is_refused(keys, weights, message, tmp_path):
    with pytest.raises(SternaError) as caught:
        heated(tmp_path, weights, f"{LANGEVIN} {keys}")
    assert message in str(caught.value) and "heat.in" in str(caught.value)


def test_a_run_that_is_heated_by_wt(sterna, tmp_path):
    """The engine follows the temperatures of sections that take over from each other."""
    for name in ("alcohol.prmtop", "alcohol.inpcrd"):
        shutil.copy(DATA / name, tmp_path / name)
    (tmp_path / "heat.in").write_text(
        "Heat\n&cntrl\nnstlim = 400, dt = 0.0005, cut = 7.0, ntt = 3, gamma_ln = 200, ntpr = 5,\n"
        "tempi = 100, ig = 5, nmropt = 1,\n/\n"
        "&wt type='TEMP0', istep1=0, istep2=200, value1=100, value2=400 /\n"
        "&wt type='TEMP0', istep1=201, istep2=400, value1=400, value2=400 /\n" + END
    )
    done = sterna("import", "alcohol.prmtop", "alcohol.inpcrd", "--mdin", "heat.in", "-o", "h.toml")
    assert done.returncode == 0, done.stderr
    assert [one["temperature"] for one in tomllib.loads((tmp_path / "h.toml").read_text())["thermostat"]] == [100.0, 400.0]  # fmt: skip
    done = sterna("run", "h.toml", "-n", "1")
    assert done.returncode == 0, done.stderr
    rows = read_log(tmp_path / "output" / "h.log.jsonl").rows
    late = [row["temperature"] for row in rows if row["step"] > 220]
    assert numpy.mean(late) == pytest.approx(400, rel=0.3)
