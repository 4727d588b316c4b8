"""Atoms that MODYLAS holds: `<position constrain>` of .mdff files, and .posiconst files."""

import re
import tomllib

import h5py
import numpy as np
import pytest
from sterna import read_log
from test_modylas import DEFINITION, OTHER, PLACES, SAMPLE, coordinates, force_field, write

HEAD = " special_divide_lj=2\n special_divide_coulomb=1.2\n"
FIELDS = force_field("gaff", head=HEAD)
START = np.concatenate([PLACES, OTHER])
MASS = np.array(([12.011] * 6 + [1.008]) * 2)
HEAVY = MASS > 1.5
CONSTANT = 3.5  # kcal/mol/angstrom^2, of K r^2
DYNAMICS = DEFINITION.replace("steps=0", "steps=20").replace(
    "<monitor> start=0 interval=1 </monitor>",
    "mdtrj=yes <monitor> start=0 interval=1 </monitor> <trajectory> interval=1 </trajectory>",
)


def held(kind="harmonic", atoms="", position="", constant=CONSTANT):
    force = f" force_constant={constant}\n" if kind == "harmonic" else ""
    return (
        f"<position constrain>\n type={kind}\n{force} <atom>\n{atoms} </atom>\n"
        f" <position>\n{position} </position>\n</position constrain>\n"
    )


def run(sterna, folder, definition, fields, *arguments):
    path = write(folder, definition, fields, coordinates(START))
    done = sterna("run", path, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done, read_log(folder / "ring.log.jsonl").rows


def paths(folder):
    """Of all atoms in all frames, in angstrom; none of them is near a face of the box."""
    with h5py.File(folder / "ring.h5md", "r") as file:
        place = 10.0 * file["particles/trajectory/position/value"][:]
    assert place.min() > 3.0 and place.max() < 21.0
    return place


SELECTIONS = {
    "all": (" atom_type=all\n molecules=all\n", np.ones(14, bool)),
    "nothing is said": ("", np.ones(14, bool)),
    "heavy": (" atom_type=heavy_atoms\n molecules=all\n", HEAVY),
    "a molecule": (
        " molecules=specified\n nmolecule=1\n <molecule> 0 1 </molecule>\n",
        np.arange(14) >= 7,
    ),
    "heavy of two": (
        " atom_type=heavy_atoms\n molecules=specified\n nmolecule=2\n"
        " <molecule>\n 0 1\n 0 0\n </molecule>\n",
        HEAVY,
    ),
    "but for some": (
        " atom_type=heavy_atoms\n natom_allow_unconstrain=2\n"
        " <allow atom unconstrain> 3 8 </allow atom unconstrain>\n",
        HEAVY & ~np.isin(np.arange(14), [3, 8]),
    ),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_springs_to_the_start(name, sterna, tmp_path):
    atoms, chosen = SELECTIONS[name]
    fields = FIELDS + held(atoms=atoms, position=" type=initial\n")
    _, rows = run(sterna, tmp_path, DYNAMICS, fields, "-n", 2)
    place = paths(tmp_path)
    assert len(rows) == len(place) == 21
    energy = CONSTANT * ((place - place[0]) ** 2).sum(2)[:, chosen].sum(1)
    assert energy[-1] > 1e-3
    assert [row["restraints_energy"] for row in rows] == pytest.approx(energy, rel=1e-9, abs=1e-12)


def test_springs_to_other_places(sterna, tmp_path):
    """In the .mdff file, some of them in other images, and the same as an input of Sterna's."""
    rng = np.random.default_rng(1)
    target = START + rng.normal(0.0, 0.3, START.shape)
    rows = target + 24.0 * rng.integers(-1, 2, START.shape)
    listed = "".join(f" {k} {x} {y} {z}\n" for k, (x, y, z) in enumerate(rows) if HEAVY[k])
    position = f" type=specified\n <coordinate>\n{listed} </coordinate>\n"
    fields = FIELDS + held(atoms=" atom_type=heavy_atoms\n", position=position)
    _, log = run(sterna, tmp_path, DEFINITION, fields, "-n", 2)
    energy = CONSTANT * ((START - target) ** 2)[HEAVY].sum()
    assert log[0]["restraints_energy"] == pytest.approx(energy, rel=1e-10)

    assert sterna("convert", "ring.mddef", "copy.toml").returncode == 0
    restraint = tomllib.loads((tmp_path / "copy.toml").read_text())["restraint"][0]
    assert restraint["stiffness"] == 2 * CONSTANT
    assert restraint["reference_file"] == "ring.mdff" and restraint["virial"] == "ignored"
    assert sterna("run", "copy.toml", "--overwrite").returncode == 0
    again = read_log(tmp_path / "ring.log.jsonl").rows[0]["restraints_energy"]
    assert again == pytest.approx(energy, rel=1e-10)


def test_a_list_of_its_own(sterna, tmp_path):
    """NAME.posiconst counts where the force field holds nothing; posi_const.dat is its old name."""
    target = START + [0.1, -0.2, 0.3]
    free = np.arange(14) % 3 == 1
    text = f"harmonic {CONSTANT}\n" + "".join(
        f" {int(f)} {x} {y} {z}\n" for f, (x, y, z) in zip(free, target, strict=True)
    )
    energy = CONSTANT * 0.14 * (~free).sum()
    for name in ("posi_const.dat", "ring.posiconst"):
        (tmp_path / name).write_text(text)
        _, rows = run(sterna, tmp_path, DEFINITION, FIELDS, "--overwrite")
        assert rows[0]["restraints_energy"] == pytest.approx(energy, rel=1e-9)
    (tmp_path / "ring.posiconst").write_text("no-position-constrain\n")
    _, rows = run(sterna, tmp_path, DEFINITION, FIELDS, "--overwrite")
    assert "restraints_energy" not in rows[0]


def test_a_resumed_run_has_the_places_of_its_start(sterna, tmp_path):
    """Of the first start, on another number of ranks, and without the file that had them."""
    target = START + [0.1, -0.2, 0.3]
    listed = "".join(f" {k} {x} {y} {z}\n" for k, (x, y, z) in enumerate(target))
    position = f" type=specified\n <coordinate>\n{listed} </coordinate>\n"
    fields = FIELDS + held(position=position)
    run(sterna, tmp_path, DYNAMICS, fields)
    whole = read_log(tmp_path / "ring.log.jsonl").rows[-1]["restraints_energy"]
    assert sterna("convert", "ring.mddef", "copy.toml").returncode == 0
    text = (tmp_path / "copy.toml").read_text()
    (tmp_path / "copy.toml").write_text(text.replace("steps = 20", "steps = 10"))
    assert sterna("run", "copy.toml", "--overwrite").returncode == 0
    (tmp_path / "copy.toml").write_text(text)
    # Nobody reads it again.
    (tmp_path / "ring.mdff").write_text("")
    done = sterna("run", "copy.toml", "-n", 3, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "ring.log.jsonl").rows
    assert rows[-1]["step"] == 20
    assert rows[-1]["restraints_energy"] == pytest.approx(whole, rel=1e-6)


def test_huge_masses_rest(sterna, tmp_path):
    atoms = " atom_type=heavy_atoms\n"
    done, _ = run(sterna, tmp_path, DYNAMICS, FIELDS + held("huge_mass", atoms), "-n", 2)
    assert "their degrees of freedom do not count in temperatures" in done.stdout + done.stderr
    place = paths(tmp_path)
    assert (place[-1][HEAVY] == place[0][HEAVY]).all()
    assert np.abs(place[-1] - place[0])[~HEAVY].max() > 1e-3


def test_some_molecules_are_fixed_in_a_minimization(sterna, tmp_path):
    definition = DYNAMICS.replace("ensemble=nve", "ensemble=opt")
    atoms = " molecules=specified\n nmolecule=1\n <molecule> 0 0 </molecule>\n"
    atoms += " natom_allow_unconstrain=1\n <allow atom unconstrain> 6 </allow atom unconstrain>\n"
    run(sterna, tmp_path, definition, FIELDS + held("fix", atoms))
    place = paths(tmp_path)
    assert (place[-1][:6] == place[0][:6]).all()
    assert np.abs(place[-1] - place[0])[6:].max(1).min() > 1e-4


NPT = (
    "ensemble=npt_a pressure=1e5 temperature=300.0 <thermostat> tau_Q=0.5e-12 </thermostat> "
    "<barostat> tau_W=1.0e-12 </barostat>"
)
SOME = " molecules=specified\n nmolecule=1\n <molecule> 0 1 </molecule>\n"
BROKEN = [
    # (ensemble, block, what is said; a warning where it begins so)
    ("nve", held("huge"), 'type = "huge"; did you mean "huge_mass"?'),
    ("nve", held().replace(" type=harmonic\n", "", 1), "lacks type = harmonic, huge_mass or fix"),
    ("nve", held().replace("force_constant=3.5", ""), "type = harmonic needs force_constant"),
    ("nve", held(constant=-1), "force_constant = -1; expected a number from 0"),
    ("nve", held(atoms=" atom_type=heavy\n"), 'atom_type = "heavy"; did you mean "heavy_atoms"?'),
    ("nve", held(atoms=" molecules=some\n"), 'molecules = "some"; expected'),
    ("nve", held(atoms=" molecules=specified\n"), "molecules = specified needs nmolecule"),
    ("nve", held(atoms=SOME.replace("=1", "=2")), "nmolecule = 2, but 1 is given"),
    ("nve", held(atoms=SOME.replace("0 1", "0")), "<molecule> has 1 words, which is no multiple"),
    ("nve", held(atoms=SOME.replace("0 1", "1 1")), "there is no molecule 1 of a species 1"),
    ("nve", held(atoms=SOME.replace("0 1", "0 2")), "there is no molecule 2 of a species 0"),
    ("nve", held(atoms=SOME.replace("0 1", "0 a")), 'found "a"'),
    ("nve", held(atoms=SOME.replace("0 1", "0 1 0 0")), "warning: nmolecule = 1, but 2 are given"),
    (
        "nve",
        held(
            atoms=" natom_allow_unconstrain=1 <allow atom unconstrain> 14 </allow atom unconstrain>"
        ),
        "has the atom 14, but the last one is 13",
    ),
    ("nve", held(position=" type=specified\n"), "expected <coordinate> with the number of an atom"),
    (
        "nve",
        held(position=" type=specified\n <coordinate> 0 1.0 2.0 up </coordinate>\n"),
        'expected a number; found "up"',
    ),
    ("nve", held(position=" type=start\n"), 'type = "start"; expected'),
    ("nve", held(atoms=" color=3\n"), 'warning: "color" means nothing here'),
    (NPT, held("huge_mass"), "huge_mass does not go with a box that changes"),
    ("opt", held("huge_mass"), "huge_mass does not go with ensemble = opt"),
    ("nve", held("huge_mass", SOME), "huge_mass changes the masses of all molecules of a species"),
    ("nve", held("huge_mass"), "all molecules are frozen"),
    ("nve", held("fix"), "type = fix holds atoms with ensemble = opt only"),
    ("opt", held(), "warning: type = harmonic in ensemble = opt"),
]


@pytest.mark.parametrize(("ensemble", "block", "said"), BROKEN)
def test_what_is_wrong_is_told(ensemble, block, said, sterna, tmp_path):
    definition = DEFINITION.replace(
        "ensemble=nve", ensemble if "=" in ensemble else f"ensemble={ensemble}"
    )
    path = write(tmp_path, definition, FIELDS + block, coordinates(START))
    done = sterna("check", path)
    text = done.stdout + done.stderr
    assert said.removeprefix("warning: ") in text, text
    assert done.returncode == (0 if said.startswith("warning: ") else 2), text
    assert re.search(r"ring\.mdff:\d+:\d+: (error|warning): ", text), text


LISTS = [
    ("harmonic", "harmonic needs a force constant"),
    ("harmonic -1", "expected a force constant that is not negative"),
    (
        "harmonics 1",
        'expected harmonic, huge_mass, fix or no-position-constrain; found "harmonics"',
    ),
    ("harmonic 1\n0 1 2", "expected 0 or 1 and three coordinates for each atom"),
    ("harmonic 1\n0 1 2 3", "the file has 1 atoms; expected 14"),
    ("harmonic 1\n2 1 2 3", "expected an integer from 0 to 1"),
    ("fix\n" + "0\n" * 13, "the file has 13 atoms; expected 14"),
    ("huge_mass\n" + "0\n" * 7 + "1\n" * 7, "huge_mass changes the masses of all molecules"),
    ("fix\n" + "0\n" * 14, "type = fix holds atoms with ensemble = opt only"),
]


@pytest.mark.parametrize(("text", "said"), LISTS)
def test_what_is_wrong_in_a_list_is_told(text, said, sterna, tmp_path):
    (tmp_path / "ring.posiconst").write_text(text)
    done = sterna("check", write(tmp_path, DEFINITION, FIELDS, coordinates(START)))
    assert said in done.stderr + done.stdout, done.stderr + done.stdout
    assert done.returncode == 2
    assert re.search(r"ring\.posiconst:\d+:\d+: error: ", done.stderr + done.stdout)


def test_springs_hold_atoms_under_constant_pressure(sterna, tmp_path):
    """Places that are not scaled, counted from the middle of the box, as MODYLAS has them."""
    definition = DYNAMICS.replace("ensemble=nve", NPT)
    run(sterna, tmp_path, definition, FIELDS + held(), "-n", 2)
    assert sterna("convert", "ring.mddef", "copy.toml").returncode == 0
    restraint = tomllib.loads((tmp_path / "copy.toml").read_text())["restraint"][0]
    assert restraint["reference_scaling"] == "none" and restraint["virial"] == "ignored"


def test_a_sample_is_held(sterna, tmp_path):
    """MODYLAS's liquid butane with springs on carbon atoms of some molecules."""
    definition = (SAMPLE / "butane_1400.mddef").read_text()
    definition = re.sub(r"\bsteps\s*=\s*\d+", "steps=0", definition)
    fields = (SAMPLE / "butane_1400.mdff").read_text()
    block = (SAMPLE / "butane_1400.mdxyz").read_text().split("<positions>")[1]
    place = np.array(block.split("</positions>")[0].split(), float).reshape(-1, 3)
    molecules = [3, 700, 1399]
    rng = np.random.default_rng(2)
    target = place + rng.normal(0.0, 0.2, place.shape)
    mass = re.search(r"<mass>(.*?)</mass>", fields, re.S)[1].split()
    heavy = [k for k, m in enumerate(mass) if float(m) > 1.5]
    assert len(mass) == 14 and len(heavy) == 4
    ids = [14 * m + k for m in molecules for k in heavy]
    listed = "".join(" ".join(map(str, (k, *target[k]))) + "\n" for k in ids)
    chosen = " ".join(f"0 {m}" for m in molecules)
    block = held(
        atoms=f" atom_type=heavy_atoms\n molecules=specified\n nmolecule=3\n <molecule> {chosen} </molecule>\n",
        position=f" type=specified\n <coordinate>\n{listed} </coordinate>\n",
    )
    (tmp_path / "held.mddef").write_text(definition)
    (tmp_path / "held.mdff").write_text(fields + block)
    (tmp_path / "held.mdxyz").symlink_to(SAMPLE / "butane_1400.mdxyz")
    done = sterna("run", "held.mddef", "-n", 2, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "held.log.jsonl").rows[0]
    energy = CONSTANT * ((place - target)[ids] ** 2).sum()
    assert row["restraints_energy"] == pytest.approx(energy, rel=1e-8)
