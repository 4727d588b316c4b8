"""Sessions of MODYLAS: they run as they are, with its rules and its numbers."""

import itertools
import math
import re
import tomllib

import numpy as np
import pytest
from conftest import ROOT
from sterna import read_log

SAMPLE = ROOT / "tests" / "data" / "modylas"
SHARED = ROOT.parent / "shared" / "data" / "modylas"

JOULE = 6.02214199e23 / 4184  # kcal/mol; MODYLAS has the constants of CODATA 1998
COULOMB = 332.063713  # kcal/mol angstrom/e^2

DEFINITION = """\
<input> version= 1.0.0 </input>
<output>
  <monitor> start=0 interval=1 </monitor>
</output>
<integrator>
  dt_long=1.0d-15   # [sec]
  steps=0
</integrator>
<ensemble>
  ensemble=nve
</ensemble>
<intermolecular interaction>
  <twobody>
    cutoff=9.0
    LJcorrection=no
  </twobody>
  type=fmm
  <fmm> nmax=4 </fmm>
  ncell=8
</intermolecular interaction>
"""

# A ring of five with a tail of two: 5 is bonded to 0, 6 to 5.
BONDS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6)]
PLACES = np.array(
    [
        [0.0, 1.2, 0.1],
        [1.2, 0.4, -0.2],
        [0.7, -1.0, 0.2],
        [-0.8, -1.0, -0.1],
        [-1.1, 0.4, 0.2],
        [0.1, 2.7, 0.4],
        [1.3, 3.4, 0.9],
    ]
)
OTHER = PLACES[:, [1, 2, 0]] + [4.0, 3.0, 1.0]  # a second molecule
EPSILON = [0.1, 0.2, 0.1, 0.15, 0.1, 0.3, 0.05]
LENGTH = [3.2, 3.4, 3.2, 3.0, 3.2, 3.1, 2.6]
CHARGE = [0.3, -0.2, 0.1, 0.2, -0.3, -0.3, 0.2]


def angles():
    neighbors = {a: sorted({*sum((b for b in BONDS if a in b), ())} - {a}) for a in range(7)}
    return [(a, b, c) for b in range(7) for a, c in itertools.combinations(neighbors[b], 2)]


def torsions():
    found = []
    for b, c in BONDS:
        for a, d in itertools.product(range(7), repeat=2):
            ab, cd = tuple(sorted((a, b))), tuple(sorted((c, d)))
            pairs = {tuple(sorted(p)) for p in BONDS}
            if ab in pairs and cd in pairs and len({a, b, c, d}) == 4:
                found.append((a, b, c, d))
    return found


def block(name, rows, count=None):
    lines = (row if isinstance(row, tuple | np.ndarray) else (row,) for row in rows)
    text = "\n".join(" ".join(str(x) for x in line) for line in lines)
    key = f"{count}= {len(rows)}\n" if count else ""
    return f"{key}<{name}>\n{text}\n</{name}>\n"


def force_field(kind, more="", impropers=(), head=""):
    near = sorted({tuple(sorted(b)) for b in BONDS} | {tuple(sorted(a[::2])) for a in angles()})
    species = "".join(
        [
            "natom = 7\n",
            block("mass", [12.011] * 6 + [1.008]),
            block("charge", CHARGE),
            block("epsilon", EPSILON),
            block("r", LENGTH),
            block("lj void pair", near, "nvoidpair_lj"),
            block("coulomb void pair", [p[::-1] for p in near], "nvoidpair_coulomb"),
            block("bond", [(*b, 300.0, 1.45) for b in BONDS], "nbond"),
            block("angle", [(*a, 50.0, 109.5) for a in angles()], "nangle"),
            block("dihedral", [(*t, 1.4, 2, 30.0) for t in torsions()], "ndihedral"),
            block("itorsion", impropers, "nitorsion"),
            more,
        ]
    )
    return (
        f"<forcefield>\n type={kind}\n{head}</forcefield>\n<system>\n 0 2\n</system>\n"
        f"<topology and parameters>\n nspecies = 1\n <species>\n{species} </species>\n"
        "</topology and parameters>\n"
    )


def coordinates(places):
    return (
        f"<atom>\n natom = {len(places)}\n{block('positions', places)}</atom>\n"
        "<periodic cell>\n <length> 24.0 24.0 24.0 </length>\n"
        " <angle> 90.0 90.0 90.0 </angle>\n</periodic cell>\n"
    )


def write(folder, definition, fields, places):
    (folder / "ring.mddef").write_text(definition)
    (folder / "ring.mdff").write_text(fields)
    (folder / "ring.mdxyz").write_text(places)
    return "ring.mddef"


def dihedral(places, atoms):
    a, b, c, d = (places[k] for k in atoms)
    axis = c - b
    m, n = np.cross(b - a, axis), np.cross(axis, d - c)
    sine = np.dot(np.cross(m, n), axis) / np.linalg.norm(axis)
    return math.atan2(sine, np.dot(m, n))


def expected(kind, special=()):
    """The energies of both molecules by MODYLAS's rules, in kcal/mol."""
    energy = dict.fromkeys(("bond", "angle", "torsion", "lj", "lj14", "coulomb14"), 0.0)
    void = {tuple(sorted(b)) for b in BONDS} | {tuple(sorted(a[::2])) for a in angles()}
    ends = {(t[0], t[3]) for t in torsions()}
    ends = {tuple(sorted(p)) for p in ends} - void
    barriers = kind in ("oplsaa", "amber")

    def well(e, length, r):
        x = (length / r) ** 6
        return e * (x * x - 2 * x) if kind == "charmm" else 4 * e * (x * x - x)

    def mixed(a, b):
        e = math.sqrt(EPSILON[a] * EPSILON[b])
        if barriers:
            return e, math.sqrt(LENGTH[a] * LENGTH[b])
        return e, 0.5 * (LENGTH[a] + LENGTH[b])

    for places in (PLACES, OTHER):
        for a, b in BONDS:
            energy["bond"] += 300.0 * (np.linalg.norm(places[a] - places[b]) - 1.45) ** 2
        for a, b, c in angles():
            u, v = places[a] - places[b], places[c] - places[b]
            angle = math.acos(np.dot(u, v) / np.linalg.norm(u) / np.linalg.norm(v))
            energy["angle"] += 50.0 * (angle - math.radians(109.5)) ** 2
        for atoms in torsions():
            phi, delta = dihedral(places, atoms), math.radians(30.0)
            if barriers:
                energy["torsion"] += 0.7 * (1 + math.cos(2 * phi + delta))
            else:
                energy["torsion"] += 1.4 * (1 + math.cos(2 * phi - delta))
        for a, b in itertools.combinations(range(7), 2):
            r = np.linalg.norm(places[a] - places[b])
            if (a, b) in void:
                continue
            if kind == "charmm" and (a, b) in special:
                energy["lj14"] += well(*special[a, b], r)
                energy["coulomb14"] += COULOMB * CHARGE[a] * CHARGE[b] / r
            elif kind != "charmm" and (a, b) in ends:
                energy["lj14"] += well(*mixed(a, b), r) / (2.0 if barriers else 2.5)
                energy["coulomb14"] += (
                    COULOMB * CHARGE[a] * CHARGE[b] / r / (2.0 if barriers else 1.2)
                )
            else:
                energy["lj"] += well(*mixed(a, b), r)
    for a, b in itertools.product(range(7), repeat=2):
        r = np.linalg.norm(PLACES[a] - OTHER[b])
        if r < 9.0:
            energy["lj"] += well(*mixed(a, b), r)
    return energy


def check_energies(row, energy):
    names = {
        "bond": "bonded_harmonic_bond_energy",
        "angle": "bonded_harmonic_angle_energy",
        "torsion": "bonded_periodic_torsion_energy",
        "lj": "lennard_jones_energy",
        "lj14": "bonded_lennard_jones_14_energy",
        "coulomb14": "bonded_coulomb_14_energy",
    }
    for name, value in energy.items():
        assert row[names[name]] == pytest.approx(value, rel=1e-7), name


@pytest.mark.parametrize("kind", ["charmm", "oplsaa", "amber", "gaff"])
def test_the_rules_of_each_force_field(kind, sterna, tmp_path):
    more, head, special = "", "", {}
    if kind == "charmm":
        # Of 1 and 6 each atom has parameters towards the other, of 2 and 5 one of them.
        rows = [(1, 6, 0.02, 3.0), (6, 1, 0.08, 2.8), (5, 2, 0.09, 2.6)]
        more = block("lj special pair", rows, "nspecialpair_lj")
        special = {(1, 6): (0.04, 2.9), (2, 5): (math.sqrt(0.1 * 0.09), 0.5 * (3.2 + 2.6))}
    if kind in ("gaff", "amber"):
        lj, coulomb = (2.5, 1.2) if kind == "gaff" else (2.0, 2.0)
        head = f" special_divide_lj={lj}\n special_divide_coulomb={coulomb}\n"
    path = write(
        tmp_path,
        DEFINITION,
        force_field(kind, more, head=head),
        coordinates(np.concatenate([PLACES, OTHER])),
    )
    done = sterna("run", path, "-n", 2)
    assert done.returncode == 0, done.stderr
    row = read_log(tmp_path / "ring.log.jsonl").rows[0]
    check_energies(row, expected(kind, special))
    converted = sterna("convert", path, "copy.toml")
    assert converted.returncode == 0, converted.stderr
    again = sterna("run", "copy.toml", "--overwrite")
    assert again.returncode == 0, again.stderr
    assert read_log(tmp_path / "ring.log.jsonl").rows[0]["potential_energy"] == pytest.approx(
        row["potential_energy"], rel=1e-10
    )


def test_impropers_of_each_force_field(sterna, tmp_path):
    atoms = (0, 1, 4, 5)
    phi = [dihedral(places, atoms) for places in (PLACES, OTHER)]
    cases = {
        "charmm": ([(*atoms, 40.0, 0.0)], sum(40.0 * p * p for p in phi), "harmonic"),
        "gaff": ([(*atoms, 1.1, -1, 2)], sum(1.1 * (1 - math.cos(2 * p)) for p in phi), "periodic"),
        "oplsaa": (
            [(*atoms, 2.2, 2, 180.0)],
            sum(1.1 * (1 + math.cos(2 * p - math.pi)) for p in phi),
            "periodic",
        ),
    }
    for kind, (rows, energy, potential) in cases.items():
        head = " special_divide_lj=2\n special_divide_coulomb=1.2\n" if kind == "gaff" else ""
        fields = force_field(kind, impropers=rows, head=head)
        path = write(tmp_path, DEFINITION, fields, coordinates(np.concatenate([PLACES, OTHER])))
        done = sterna("run", path, "--overwrite")
        assert done.returncode == 0, done.stderr
        row = read_log(tmp_path / "ring.log.jsonl").rows[0]
        assert row[f"bonded_{potential}_improper_energy"] == pytest.approx(energy, rel=1e-7)


def test_thermostats_minimization_and_outputs(sterna, tmp_path):
    """What the definition of a run becomes."""
    head = " special_divide_lj=2\n special_divide_coulomb=1.2\n"
    fields = force_field("gaff", head=head)
    places = coordinates(np.concatenate([PLACES, OTHER]))
    bath = "temperature=250.0\n maxwell_velocities=yes\n <thermostat> tau_Q=0.5e-12 </thermostat>"
    box = "<barostat>\n tau_W=1.0e-12\n tau_Q=0.3e-12\n initialize=yes\n </barostat>"
    cases = {
        f"ensemble=nvt\n {bath}": {
            "thermostat.kind": "nose_hoover_chain",
            "thermostat.temperature": 250.0,
            "thermostat.time_constant": pytest.approx(1000.0 * math.pi),
            "start.temperature": 250.0,
        },
        "ensemble=nve\n temperature=200\n velocity_scaling=yes": {
            "thermostat.kind": "velocity_scaling",
            "thermostat.temperature": 200.0,
            "start.constraints": "first_step",
        },
        f"ensemble=npt_a\n {bath}\n pressure=2.02650e5\n {box}": {
            "thermostat.kind": "nose_hoover_chain",
            "barostat.kind": "martyna_tobias_klein",
            "barostat.coupling": "isotropic",
            "barostat.pressure": pytest.approx(2.0),
            "barostat.time_constant": pytest.approx(2000.0 * math.pi),
            "barostat.chain_time_constant": pytest.approx(600.0 * math.pi),
            "barostat.interval": 10,
        },
        f"ensemble=npt_z\n {bath}\n Pref_inner=1.01325e5\n Pref_outer=0\n {box}": {
            "barostat.coupling": "semi_isotropic",
            "barostat.pressure": pytest.approx(1.0),
        },
        "ensemble=opt": {"run.integrator": "minimize", "minimize.maximum_displacement": 0.2},
        "ensemble=nve": {
            "run.timestep": pytest.approx(1.0),
            "electrostatics.kind": "fmm",
            "electrostatics.surroundings": "conductor",
            "interaction.tail_correction": "none",
            "interaction.truncation": "truncated",
            "output.thermo_interval": 1,
            "run.constraint_tolerance": 5e-9,
            "output.checkpoint_interval": 7,
            "output.trajectory_interval": 3,
        },
    }
    for text, keys in cases.items():
        definition = DEFINITION.replace("ensemble=nve", text)
        definition = definition.replace("steps=0", "steps=3\n<shake> shake_tolerance=1d-8 </shake>")
        definition = definition.replace(
            "</output>",
            "<restart> interval=7 </restart>\n<trajectory> interval=3 </trajectory>\n</output>",
        )
        path = write(tmp_path, definition, fields, places)
        (tmp_path / "copy.toml").unlink(missing_ok=True)
        done = sterna("convert", path, "copy.toml")
        assert done.returncode == 0, done.stderr
        given = tomllib.loads((tmp_path / "copy.toml").read_text())
        for key, value in keys.items():
            section, name = key.split(".")
            tables = given[section]
            assert (tables[0] if isinstance(tables, list) else tables)[name] == value, key
        done = sterna("run", path, "--overwrite", "-n", 2)
        assert done.returncode == 0, done.stderr


def monitor(path):
    rows = {}
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            row = [float(word) for word in line.split()]
            rows[int(row[0])] = row
    return rows


def follow(folder, name, ranks, sterna, tmp_path):
    """The greatest relative deviations of rows 1 to 10: potential, kinetic, total energy."""
    for ending in ("mdff", "mdxyz"):
        (tmp_path / f"{name}.{ending}").symlink_to(folder / f"{name}.{ending}")
    definition = (folder / f"{name}.mddef").read_text()
    # The run ends after ten steps; its output of the last of 110 then has no place.
    shorter = re.sub(r"steps=110", "steps=10", definition)
    (tmp_path / f"{name}.mddef").write_text(shorter.replace("interval=110", "interval=10"))
    done = sterna("run", f"{name}.mddef", "-n", ranks, timeout=600)
    assert done.returncode == 0, done.stderr
    rows = {row["step"]: row for row in read_log(tmp_path / f"{name}.log.jsonl").rows}
    deviations = []
    for step, row in monitor(folder / f"{name}.mdmntr_ref").items():
        if step > 10:
            break
        potential = rows[step]["potential_energy"] / JOULE / row[3] - 1
        kinetic = rows[step]["kinetic_energy"] / JOULE / row[4] - 1
        total = rows[step]["total_energy"] / JOULE / row[5] - 1
        deviations.append([abs(potential), abs(kinetic), abs(total)])
    assert len(deviations) == 10
    return np.max(deviations, axis=0), rows[0]


@pytest.mark.parametrize("ranks", [1, 3])
def test_butane_follows_modylas(ranks, sterna, tmp_path):
    deviations, _ = follow(SAMPLE, "butane_1400", ranks, sterna, tmp_path)
    # MODYLAS's table of the Lennard-Jones potential makes 2e-4 of the energy.
    assert np.all(deviations < [2e-4, 5e-5, 2e-4]), deviations


def test_multiple_time_steps_follow_short_steps(sterna, tmp_path):
    """The far field in every fourth of the steps of a run that computes all in each; pairs, too."""
    for ending in ("mdff", "mdxyz"):
        (tmp_path / f"butane.{ending}").symlink_to(SAMPLE / f"butane_1400.{ending}")
    definition = (SAMPLE / "butane_1400.mddef").read_text().replace("interval=110", "interval=40")

    def rows(step, steps, short, middle):
        text = re.sub(r"dt_long=\S+", f"dt_long={step}", definition)
        text = text.replace("steps=110", f"steps={steps}")
        text = text.replace("nshort_per_middle=1", f"nshort_per_middle={short}")
        text = text.replace("nmiddle_per_long=1", f"nmiddle_per_long={middle}")
        (tmp_path / "butane.mddef").write_text(text)
        done = sterna("run", "butane.mddef", "-n", 2, "--overwrite", timeout=600)
        assert done.returncode == 0, done.stderr
        return {row["step"]: row for row in read_log(tmp_path / "butane.log.jsonl").rows}

    short = rows("0.25d-15", 40, 1, 1)
    far = rows("1.0d-15", 10, 1, 4)
    # The molecules of this start repel each other hard: pairs in every second step are felt.
    multiple = rows("1.0d-15", 10, 2, 2)
    for log, tolerance in ((far, 1e-5), (multiple, 5e-2)):
        assert list(log) == list(range(0, 41, 4))
        for step, row in log.items():
            assert row["time"] == pytest.approx(0.25 * step)
            for name in ("potential_energy", "kinetic_energy"):
                assert row[name] == pytest.approx(short[step][name], rel=tolerance), (step, name)
            assert row["total_energy"] == pytest.approx(short[step]["total_energy"], rel=1e-3)


def test_the_protein_follows_modylas(sterna, tmp_path):
    if not SHARED.exists():
        pytest.skip("needs MODYLAS's sample pyp111 in ../shared")
    deviations, start = follow(SHARED / "pyp111", "pyp111", 2, sterna, tmp_path)
    assert np.all(deviations < [2e-6, 5e-6, 2e-6]), deviations
    # Terms of an independent program, in kcal/mol.
    for name, energy in {
        "bonded_harmonic_bond_energy": 393.524515,
        "bonded_urey_bradley_energy": 107.908674,
        "bonded_harmonic_angle_energy": 904.684037,
        "bonded_periodic_torsion_energy": 595.294457,
        "bonded_harmonic_improper_energy": 71.679527,
        "bonded_cmap_energy": -85.683932,
    }.items():
        assert start[name] == pytest.approx(energy, abs=2e-6), name
    pairs = start["lennard_jones_energy"] + start["bonded_lennard_jones_14_energy"]
    assert pairs == pytest.approx(9053.475173 - 1316.790856, abs=1e-4)


def test_water_is_minimized_with_its_constraints(sterna, tmp_path):
    if not SHARED.exists():
        pytest.skip("needs MODYLAS's sample water in ../shared")
    for ending in ("mddef", "mdff", "mdxyz"):
        (tmp_path / f"water_opt.{ending}").symlink_to(SHARED / "water" / f"water_opt.{ending}")
    done = sterna("run", "water_opt.mddef", "-n", 2, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "the start violates them by up to 0.12" in done.stdout
    rows = read_log(tmp_path / "water_opt.log.jsonl").rows
    energy = [row["potential_energy"] / 13284 for row in rows]
    assert all(later < earlier for earlier, later in itertools.pairwise(energy))
    # Rigid TIP3P before a run has between -3 and -4 kcal/mol for each atom.
    assert energy[0] > 80 and -4.2 < energy[-1] < -3.7


def test_water_has_the_energy_of_its_start(sterna, tmp_path):
    if not SHARED.exists():
        pytest.skip("needs MODYLAS's sample water in ../shared")
    for ending in ("mddef", "mdff", "mdxyz"):
        (tmp_path / f"water_opt.{ending}").symlink_to(SHARED / "water" / f"water_opt.{ending}")
    done = sterna("convert", "water_opt.mddef", "water.toml")
    assert done.returncode == 0, done.stderr
    # As it stands, before anything is put right.
    text = (tmp_path / "water.toml").read_text()
    for old, new in (
        ('integrator = "minimize"', "timestep = 1.0"),
        ("steps = 100", "steps = 0"),
        ('format = "modylas"', 'format = "modylas"\nconstraints = "first_step"'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "water.toml").write_text(text)
    done = sterna("run", "water.toml", "-n", 2, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "water_opt.log.jsonl").rows[0]
    # Of an independent program, to the digits that are known of it (kcal/mol).
    assert row["lennard_jones_energy"] == pytest.approx(1.2883e6, abs=50)
    assert row["potential_energy"] == pytest.approx(1.2428e6, abs=50)


BROKEN = [
    # (file, text, replaced by, part of what is said)
    ("mddef", "version= 1.0.0", "version= 0.9.0", "expected <input> version = 1.0.0"),
    ("mddef", "</integrator>", "</integrate>", "expected </integrator>"),
    ("mddef", "</ensemble>", "", "expected </ensemble>"),
    ("mddef", "ensemble=nve", "ensemble=nev", 'ensemble = "nev"; did you mean "nve"?'),
    ("mddef", "ensemble=nve", "ensemble=nptlz", "expected opt, nve, nvt, npt_a"),
    ("mddef", "ensemble=nve", "ensemble=npt_a", "<ensemble> lacks pressure"),
    (
        "mddef",
        "ensemble=nve",
        "ensemble=npt_a pressure=1e5",
        "<ensemble> lacks tau_W in <barostat>",
    ),
    (
        "mddef",
        "ensemble=nve",
        "ensembel=nve",
        '"ensembel" means nothing here; did you mean "ensemble"?',
    ),
    ("mddef", "steps=0", "steps=many", "expected an integer"),
    ("mddef", "steps=0", "steps=", 'the key "steps" has no value'),
    ("mddef", "steps=0", "", "<integrator> lacks steps"),
    ("mddef", "dt_long=1.0d-15", "", "<integrator> lacks dt_long"),
    ("mddef", "dt_long=1.0d-15", "dt_long=-1", "dt_long = -1; expected a number greater than 0"),
    (
        "mddef",
        "steps=0",
        "steps=0 <multiple time step> nshort_per_middle=0 </multiple time step>",
        "expected an integer",
    ),
    ("mddef", "cutoff=9.0", "", "<twobody> lacks cutoff"),
    ("mddef", "LJcorrection=no", "LJcorrection=maybe", 'expected "yes" or "no"'),
    ("mddef", "type=fmm", "type=fm", 'type = "fm"; did you mean "fmm"?'),
    ("mddef", "<fmm> nmax=4 </fmm>", "<fmm> nmax=4 </fmm> <fmn> </fmn>", '"fmn" means nothing'),
    ("mddef", "<fmm> nmax=4 </fmm>", "<fmm nmax=4 </fmm>", "a tag without name or without"),
    ("mdff", "type=gaff", "type=gaf", 'type = "gaf"; did you mean "gaff"?'),
    ("mdff", " special_divide_lj=2\n", "", "needs special_divide_lj and special_divide_coulomb"),
    ("mdff", "<system>", "<sytem>", '"</system>" does not close the block "<sytem>"'),
    ("mdff", "nspecies = 1", "nspecies = 2", "nspecies = 2, but there are 1 <species> blocks"),
    ("mdff", " 0 2\n", " 0 2 1\n", "expected a number and a count of molecules for each"),
    ("mdff", "natom = 7", "natom = 8", "natom = 8, but <mass> has 7 numbers"),
    ("mdff", "12.011\n", "heavy\n", 'expected a number; found "heavy"'),
    ("mdff", "12.011\n", "0.0\n", "an atom without mass is not taken over"),
    ("mdff", "nbond= 7", "nbond= 9", "nbond = 9, but <bond> has 7 records"),
    ("mdff", "nbond= 7", "nbond= 6", "MODYLAS leaves out the rest, too"),
    ("mdff", "0 1 300.0 1.45", "0 9 300.0 1.45", 'expected an integer from 0 to 6; found "9"'),
    ("mdff", "0 1 300.0 1.45", "1 1 300.0 1.45", "<bond>: an atom stands twice in a record"),
    ("mdff", "0 1 300.0 1.45", "0 1 300.0", "which is no multiple of the 4 of a record"),
    ("mdff", "<charge>", "<charges>", '"</charge>" does not close the block "<charges>"'),
    ("mdff", "natom = 7", "natom = 7\n colour = 3", '"colour" means nothing here'),
    (
        "mdff",
        "natom = 7",
        "natom = 7\n ncmap=1 <cmap> 0 1 2 3 4 7 </cmap>",
        "expected a kind of map from 1 to 6; found 7",
    ),
    (
        "mdff",
        "<bond>",
        "<bond morse2> 1 2 </bond morse2> <bond>",
        "<bond morse2> is not taken over",
    ),
    (
        "mdxyz",
        "natom = 14",
        "natom = 13",
        "ring.mdff:11:2: error: the start has 13 particles, and the molecules have 14",
    ),
    ("mdxyz", "natom = 14", "", "the file has no natom"),
    ("mdxyz", "</positions>", "1.0\n</positions>", "expected </positions> after 14 atoms"),
    ("mdxyz", "0.0 1.2 0.1", "0.0 up 0.1", 'expected a coordinate; found "up"'),
    ("mdxyz", "24.0 24.0 24.0", "24.0 24.0", "expected three numbers of the box"),
    ("mdxyz", " <length>", " <lengths>", '"</length>" closes no block that is open'),
    ("mdxyz", "90.0 90.0 90.0", "90.0 90.0 190.0", "angles of the box between 0 and 180"),
]


@pytest.mark.parametrize(("ending", "old", "new", "said"), BROKEN)
def test_what_is_wrong_is_told(ending, old, new, said, sterna, tmp_path):
    head = " special_divide_lj=2\n special_divide_coulomb=1.2\n"
    texts = {
        "mddef": DEFINITION,
        "mdff": force_field("gaff", head=head),
        "mdxyz": coordinates(np.concatenate([PLACES, OTHER])),
    }
    assert old in texts[ending]
    texts[ending] = texts[ending].replace(old, new, 1)
    path = write(tmp_path, texts["mddef"], texts["mdff"], texts["mdxyz"])
    done = sterna("check", path)
    text = done.stdout + done.stderr
    assert said in text, text
    # With line and column, but for what is no part of any line.
    assert re.search(rf"ring\.{ending}:\d+:\d+: (error|warning): ", text) or "ring.mddef:" in text
    is_warning = "leaves out" in said or "colour" in said
    assert done.returncode == (0 if is_warning else 2), text


def test_a_missing_file_is_told(sterna, tmp_path):
    path = write(tmp_path, DEFINITION, "", "")
    (tmp_path / "ring.mdff").unlink()
    done = sterna("run", path, "-n", 2)
    assert done.returncode == 2
    assert "ring.mdff: error: " in done.stderr
