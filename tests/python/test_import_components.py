"""`sterna import --rigid`: molecules of foreign files that keep their shapes become components. The
programs whose files they are have the same energies and forces; nothing of the motion is lost."""

import subprocess
import tomllib

import numpy
import pytest
from conftest import ROOT, nightly
from rigid_water_files import box_of, gro_text, topology, write_gromacs, write_lammps
from sterna import read_log
from sterna.frames.configuration import read_extended_xyz
from sterna.importing.rigid_shape import NotRigidError, shape_of
from sterna.importing.site_places import place_of

DATA = ROOT / "tests" / "data" / "import"


def imported(sterna, *arguments, status: int = 0) -> str:
    done = sterna("import", *arguments, "-o", "out.toml", "--overwrite")
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def table_of(said: str) -> dict[str, list[float]]:
    """Rows of a comparison: Sterna, the judge, and the difference."""
    lines = said.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("kJ/mol"))
    return {line.split()[0]: [float(x) for x in line.split()[1:]] for line in lines[begin + 1 :]}


def of_the_start(sterna, folder) -> dict:
    """The first row of the log of the imported input."""
    text = (folder / "out.toml").read_text()
    first = text.index("steps = ")
    text = text[:first] + "steps = 0" + text[text.index("\n", first) :]
    (folder / "start.toml").write_text(text)
    done = sterna("run", "start.toml", "-n", 1, "--overwrite")
    assert done.returncode == 0, done.stderr
    return read_log(folder / "output" / "start.log.jsonl").rows[0]


@pytest.mark.parametrize("name", [nightly("tip3p"), "spce", "tip4p_2005"])
def test_water_of_gromacs(judge, sterna, tmp_path, name):
    box = write_gromacs(tmp_path, name)
    arguments = ("water.top", "water.gro", "--cutoff", "0.6")
    said = imported(sterna, *arguments, "--rigid", "water=component", "--compare")
    assert "components: 64 SOL" in said and "gmx_d" in said
    table = table_of(said)
    assert table.keys() == {"lennard_jones", "charges", "potential", "forces"}
    for row, (mine, theirs, difference) in table.items():
        assert abs(theirs) > 10.0
        assert difference < (1e-8 if row == "forces" else 1e-10), (row, mine, theirs)
    sections = tomllib.loads((tmp_path / "out.toml").read_text())
    assert "type" not in sections
    (component,) = sections["component"]
    kinds = sorted(site["kind"] for site in component["site"])
    # The oxygen atom of water of four sites has no charge.
    lone = 3 if box.water.site else 2
    assert kinds == ["charge"] * (3 if box.water.site else lone + 1) + ["lennard_jones"]
    as_components = of_the_start(sterna, tmp_path)
    imported(sterna, *arguments)
    as_atoms = of_the_start(sterna, tmp_path)
    for row in (as_components, as_atoms):
        assert row["kinetic_energy"] == pytest.approx(box.kinetic_energy, rel=1e-10)
    # The same kinetic energy and temperature: the same degrees of freedom.
    assert as_components["temperature"] == pytest.approx(as_atoms["temperature"], rel=1e-10)
    assert as_components["rotational_energy"] > 0.1 * box.kinetic_energy
    for axis in "xyz":
        momentum = as_components[f"momentum_{axis}"]
        assert momentum == pytest.approx(as_atoms[f"momentum_{axis}"], abs=1e-8)
        assert abs(momentum) > 1.0


def test_water_is_where_its_atoms_were(sterna, tmp_path):
    """Centers of mass, orientations and angular momenta give back the places and velocities."""
    box = write_gromacs(tmp_path, "spce")
    imported(sterna, "water.top", "water.gro", "--cutoff", "0.6", "--rigid", "SOL=component")
    start = read_extended_xyz(tmp_path / "out.extxyz")
    sites = tomllib.loads((tmp_path / "out.toml").read_text())["component"][0]["site"]
    arms = numpy.array([one["position"] for one in sites if "mass" in one])
    masses = numpy.array([one["mass"] for one in sites if "mass" in one])
    moments = numpy.array([(masses * (arms**2).sum(axis=1)).sum() - (masses * arms[:, k] ** 2).sum()
                           for k in range(3)])  # fmt: skip
    rows = [line.split() for line in (tmp_path / "out.extxyz").read_text().splitlines()[2:]]
    momenta = numpy.array([[float(x) for x in row[-3:]] for row in rows])
    for n, (w, *v) in enumerate(start.orientations):
        turn = (w * w - numpy.dot(v, v)) * numpy.eye(3) + 2 * numpy.outer(v, v)
        turn += 2 * w * numpy.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        there = start.positions[n] + arms @ turn.T
        numpy.testing.assert_allclose(there, box.places[n], atol=1e-11)
        spin = turn @ ((turn.T @ momenta[n]) / moments)
        velocity = numpy.array([float(x) for x in rows[n][4:7]]) + numpy.cross(spin, arms @ turn.T)
        numpy.testing.assert_allclose(velocity, box.velocities[n], atol=1e-9)


def test_water_of_lammps(lammps, sterna, tmp_path):
    box = write_lammps(tmp_path, "spce")
    done = sterna(
        "import",
        "water.data",
        "in.water",
        "--rigid",
        "H2O=component",
        "-o",
        "out.toml",
        "--compare",
    )
    table = table_of(done.stdout)
    assert table["pairs"][2] < 1e-10
    # LAMMPS has erfc by a polynomial: errors of 1e-6 of the charges' energy, whose parts cancel here.
    assert table["charges"][0] == pytest.approx(table["charges"][1], abs=1e-6 * 64 * 250)
    assert table["forces"][2] < 1e-6
    row = of_the_start(sterna, tmp_path)
    assert row["kinetic_energy"] * 4.184 == pytest.approx(box.kinetic_energy, rel=1e-10)


@pytest.mark.parametrize("water", ["tip4pew", "tip5p"])
def test_a_protein_in_water_of_amber(sterna, tmp_path, water):
    """An alanine dipeptide and ions among components with virtual sites; OpenMM reads the files itself."""
    pytest.importorskip("openmm")
    said = imported(
        sterna, DATA / f"{water}.prmtop", DATA / f"{water}.inpcrd", "--cutoff", "0.6",
        "--rigid", "all=component", "--compare",
    )  # fmt: skip
    assert "chain_1 stays atoms: constraints leave 48 motions inside of it: the bond" in said
    table = table_of(said)
    assert {"bonds", "angles", "torsions", "lennard_jones", "charges", "forces"} <= table.keys()
    # The most exact Ewald sums of the engine leave errors of this size.
    charges = 1e-8
    for row, (mine, theirs, difference) in table.items():
        most = {"forces": 1e-6, "charges": charges}.get(row, 1e-10)
        assert difference < most, (row, mine, theirs)
    sections = tomllib.loads((tmp_path / "out.toml").read_text())
    assert [one["name"] for one in sections["component"]] == ["WAT"]
    assert sections["type"] and "virtual_site" not in str(sections)


SODIUM = """\
[ moleculetype ]
NA 1
[ atoms ]
1 NA 1 NA NA 1 1.0 22.99
[ moleculetype ]
CL 1
[ atoms ]
1 CL 1 CL CL 1 -1.0 35.45
"""


@pytest.mark.parametrize("rule", [2, 3])
def test_parameters_of_pairs_of_types(judge, sterna, tmp_path, rule):
    """Of water and ions, as NBFIX has them: they become factors of mixing."""
    box = box_of("spce")
    ions = [("NA", "NA", [0.31, 0.31, 0.31]), ("CL", "CL", [0.93, 0.93, 0.62])]
    (tmp_path / "water.gro").write_text(gro_text(box, ions))
    (tmp_path / "water.top").write_text(
        topology(
            box, types="NA 22.99 0 A 0.25 0.3\nCL 35.45 0 A 0.44 0.42",
            pairs="OW NA 1 0.27 0.5\nOW OW 1 0.31 0.7\nNA CL 1 0.3 0.6", molecules=SODIUM,
            more="NA 1\nCL 1\n", rule=rule,
        )
    )  # fmt: skip
    said = imported(
        sterna, "water.top", "water.gro", "--cutoff", "0.6", "--rigid", "all=component", "--compare"
    )
    for row, (_, _, difference) in table_of(said).items():
        assert difference < (1e-8 if row == "forces" else 1e-10), row
    pairs = tomllib.loads((tmp_path / "out.toml").read_text())["pair"]
    # Sodium has parameters of its own with water; with chloride water mixes.
    with_water = [one for one in pairs if "SOL" in one.values()]
    assert ("NA", "SOL") in [(one["first"], one["second"]) for one in with_water]
    assert all({"eta", "xi"} <= one.keys() for one in with_water)


MDP = """\
integrator = md
dt = 0.002
nsteps = 100
rvdw = 0.6
rcoulomb = 0.6
coulombtype = PME
constraints = h-bonds
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 300
"""


def test_energies_that_are_shifted_and_stages(judge, sterna, tmp_path):
    write_gromacs(tmp_path, "tip4p_2005")
    (tmp_path / "em.mdp").write_text(
        "integrator = steep\nemtol = 500\nnsteps = 20\nrvdw = 0.6\nrcoulomb = 0.6\n"
        "coulombtype = PME\nconstraints = h-bonds\nvdw-modifier = Potential-shift\n"
    )
    (tmp_path / "md.mdp").write_text(MDP + "vdw-modifier = Potential-shift\n")
    said = imported(
        sterna, "water.top", "water.gro", "--mdp", "em.mdp", "--mdp", "md.mdp", "--rigid",
        "water=component", "--compare",
    )  # fmt: skip
    assert "stages: em, md" in said
    for row, (_, _, difference) in table_of(said).items():
        assert difference < (1e-8 if row == "forces" else 1e-10), row
    done = sterna("run", "out.toml", "-n", 1)
    assert done.returncode == 0, done.stderr
    rows = read_log(tmp_path / "output" / "out.md.log.jsonl").rows
    assert rows[-1]["step"] == 100


def test_only_those_that_are_named(sterna, tmp_path):
    """A name says more than all."""
    box = box_of("tip3p")
    copy = topology(box).split("[ moleculetype ]")[1].split("[ system ]")[0]
    (tmp_path / "water.gro").write_text(gro_text(box))
    text = topology(box, molecules="[ moleculetype ]" + copy.replace("SOL", "WAT"), more="WAT 24\n")
    (tmp_path / "water.top").write_text(text.replace("SOL 64\n", "SOL 40\n"))
    arguments = ("water.top", "water.gro", "--cutoff", "0.6")
    for options, components in (
        (["all=component", "WAT=atoms"], ["SOL"]),
        (["WAT=component"], ["WAT"]),
        (["all=component"], ["SOL", "WAT"]),
        (["water=component", "SOL=atoms"], ["WAT"]),
    ):
        imported(sterna, *arguments, *[word for one in options for word in ("--rigid", one)])
        sections = tomllib.loads((tmp_path / "out.toml").read_text())
        assert [one["name"] for one in sections["component"]] == components, options
        kept = [one["name"] for one in sections["molecule"] if len(one["atom"]) == 3]
        assert sorted(components + kept) == ["SOL", "WAT"]
        assert [one["count"] for one in sections["molecule"]] == [40, 24]
        done = sterna("check", "out.toml")
        assert done.returncode == 0, done.stdout + done.stderr


FLEXIBLE = "[ bonds ]\n1 2 1 0.1 345000\n1 3 1 0.1 345000\n[ angles ]\n2 1 3 1 109.47 383\n"
BONDS_ONLY = "[ constraints ]\n1 2 1 0.1\n1 3 1 0.1\n"
RESTRAINT = "[ settles ]\n1 1 0.1 0.1632980861840286\n[ position_restraints ]\n1 1 1000 1000 1000\n"

#: Options of --rigid, what the topology has in place of [ settles ], lines of the .mdp, and the message.
REFUSED = {
    "flexible": (["SOL=component"], FLEXIBLE, "",
                 "SOL cannot be a component: constraints leave 3 motions inside of it: the bond OW HW1 "
                 "can stretch"),
    "angle": (["water=component"], BONDS_ONLY + "[ angles ]\n2 1 3 1 109.47 383\n", "",
              "constraints leave 1 motion inside of it: the angle HW1 OW HW2 can bend"),
    "pair": (["SOL=component"], BONDS_ONLY, "", "the distance of HW1 and HW2 is not kept"),
    "energy": (["SOL=component"], "[ settles ]\n1 1 0.1 0.1632980861840286\n[ angles ]\n2 1 3 1 100 300\n",
               "", 'the angle HW1 OW HW2 of the kind "harmonic" has an energy'),
    "restraint": (["SOL=component"], RESTRAINT, "",
                  "atom 1 (OW of SOL 1) has a position restraint, which holds an atom"),
    "name": (["SOLV=component"], "", "", "there is no molecule 'SOLV'; did you mean 'SOL'?"),
    "kind": (["SOL=componant"], "", "", "there is no kind 'componant'; did you mean 'component'?"),
    "form": (["SOL"], "", "", "--rigid SOL: expected NAME=component"),
    "twice": (["SOL=component", "SOL=atoms"], "", "", "says both component and atoms of SOL"),
    "none": (["all=component"], FLEXIBLE, "", "no molecule becomes a component (SOL: constraints leave"),
    "switched": (["SOL=component"], "", "vdw-modifier = Potential-switch\nrvdw-switch = 0.5\n",
                 'SOL cannot be a component: pairs end by truncation = "quintic_switched"'),
    "field": (["SOL=component"], "", "coulombtype = Reaction-Field\nepsilon-rf = 0\n",
              'it has charges, which end at a cutoff here (kind = "reaction_field")'),
    "frozen": (["SOL=component"], "", "freezegrps = SOL\nfreezedim = Y Y Y\n",
               "SOL cannot be a component: [[freeze]] acts on its atoms of the type"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_component_is_refused_with_its_reason(sterna, tmp_path, case):
    options, held, mdp, message = REFUSED[case]
    box = box_of("spce")
    (tmp_path / "water.gro").write_text(gro_text(box))
    (tmp_path / "water.top").write_text(topology(box, held=held))
    arguments = ["--cutoff", "0.6", "--constraints", "none"]
    if mdp:
        (tmp_path / "run.mdp").write_text(
            MDP.replace(
                "coulombtype = PME\n", "" if "coulombtype" in mdp else "coulombtype = PME\n"
            ).replace(
                "tcoupl = v-rescale", "tcoupl = no" if "freeze" in mdp else "tcoupl = v-rescale"
            )
            + mdp
        )
        arguments = ["--mdp", "run.mdp"]
    choices = [word for one in options for word in ("--rigid", one)]
    said = imported(sterna, "water.top", "water.gro", *arguments, *choices, status=2)
    assert message in said, said
    assert not (tmp_path / "out.toml").exists()


def test_other_reasons(sterna, tmp_path):
    box = box_of("spce")
    text = topology(box)
    arguments = ("water.top", "water.gro", "--cutoff", "0.6", "--rigid", "SOL=component")
    (tmp_path / "water.gro").write_text(gro_text(box))
    (tmp_path / "water.top").write_text(
        text.replace("2 1 3\n", "2 1\n").replace("3 1 2\n", "3 1\n")
    )
    said = imported(sterna, *arguments, status=2)
    assert "its atoms HW1 and HW2 interact with each other" in said
    # One molecule of another shape than its constraints.
    box.places[3, 1] += [0.0, 0.05, 0.05]
    (tmp_path / "water.gro").write_text(gro_text(box))
    (tmp_path / "water.top").write_text(text)
    said = imported(sterna, *arguments, status=2)
    assert "the molecule of atom 10 (OW of SOL 4) differs by 0.0" in said
    said = imported(
        sterna, "water.gro", "--model", "water=spce", "--rigid", "SOL=component", status=2
    )
    assert "--rigid is for atoms, and --model for rigid molecules" in said
    (tmp_path / "water.gro").write_text(
        gro_text(box_of("spce"), [("NA", "NA", [0.31, 0.31, 0.31])])
    )
    (tmp_path / "water.top").write_text(
        topology(box, types="NA 22.99 0 A 0.25 0.3", molecules=SODIUM.split("[ moleculetype ]\nCL")[0],
                 more="NA 1\n")
    )  # fmt: skip
    said = imported(
        sterna, "water.top", "water.gro", "--cutoff", "0.6", "--rigid", "NA=component", status=2
    )
    assert "NA cannot be a component: it is a single atom, which does not turn" in said


# ---- shapes


def tables(count: int, distances: dict) -> dict:
    return {
        "atom": [{"name": f"A{k}", "type": "A", "charge": 0.0} for k in range(count)],
        "constraint": [{"distance": d, "atoms": [a + 1, b + 1]} for (a, b), d in distances.items()],
    }


def apart(places: numpy.ndarray, pairs) -> dict:
    return {(a, b): float(numpy.linalg.norm(places[a] - places[b])) for a, b in pairs}


def all_pairs(count: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(count) for b in range(a + 1, count)]


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 12])
def test_a_shape_follows_from_its_distances(count):
    """Places of a file with three decimals: the shape has all digits of the constraints."""
    random = numpy.random.default_rng(count)
    places = random.normal(size=(count, 3))
    pairs = all_pairs(count)
    for kept in (pairs, pairs[: 3 * count - 6] if count > 4 else pairs):
        distances = apart(places, kept)
        try:
            shape = shape_of(tables(count, distances), [1.0] * count, numpy.round(places, 3))
        except NotRigidError as error:
            # As many distances as are needed, but not all of them independent.
            assert len(kept) < len(pairs) and "motion" in str(error)
            continue
        for pair, distance in apart(shape, kept).items():
            assert distance == pytest.approx(distances[pair], rel=1e-13)
        # The same hand: no mirror image.
        arms, mine = places - places.mean(axis=0), shape - shape.mean(axis=0)
        u, _, v = numpy.linalg.svd(arms.T @ mine)
        turn = u @ numpy.diag([1, 1, numpy.sign(numpy.linalg.det(u @ v))]) @ v
        assert abs(mine @ turn.T - arms).max() < 0.01


def test_a_straight_molecule_is_rigid():
    places = numpy.array([[0, 0, 0], [0.116, 0, 0], [-0.116, 0, 0]])
    distances = apart(places, all_pairs(3))
    shape = shape_of(tables(3, distances), [12.0, 16.0, 16.0], places + 1e-4)
    assert apart(shape, all_pairs(3)) == pytest.approx(distances, rel=1e-12)
    with pytest.raises(NotRigidError, match="2 motions inside of it: the distance of A1 and A2"):
        shape_of(tables(3, apart(places, [(0, 1), (0, 2)])), [12.0, 16.0, 16.0], places)


def test_constraints_that_contradict_each_other():
    random = numpy.random.default_rng(1)
    places = random.normal(size=(5, 3))
    distances = apart(places, all_pairs(5))
    distances[0, 1] *= 1.01
    with pytest.raises(NotRigidError, match="constraints contradict each other"):
        shape_of(tables(5, distances), [1.0] * 5, places)


KINDS = {
    "2": ("[ virtual_sites2 ]\n5 1 2 1 0.3\n", 2),
    "2fd": ("[ virtual_sites2 ]\n5 1 2 2 0.05\n", 2),
    "3": ("[ virtual_sites3 ]\n5 1 2 3 1 0.3 0.2\n", 3),
    "3fd": ("[ virtual_sites3 ]\n5 1 2 3 2 0.4 0.06\n", 3),
    "3fad": ("[ virtual_sites3 ]\n5 1 2 3 3 110 0.07\n", 3),
    "3out": ("[ virtual_sites3 ]\n5 1 2 3 4 0.3 0.2 2.5\n", 3),
    "4fdn": ("[ virtual_sites4 ]\n5 1 2 3 4 2 0.9 0.8 0.06\n", 4),
    "n": ("[ virtual_sitesn ]\n5 3 1 0.2 2 0.3 4 0.5\n", 3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_of_four_atoms_with_a_virtual_site(judge, sterna, tmp_path, kind):
    """No plane and no symmetry: each kind of site, places, forces and torques by GROMACS."""
    random = numpy.random.default_rng(7)
    shape = numpy.array([[0, 0, 0], [0.11, 0, 0.01], [-0.04, 0.1, 0], [-0.02, -0.05, 0.12]])
    lines, edge = [], 1.6
    u = numpy.linalg.qr(random.normal(size=(27, 3, 3)))[0]
    u *= numpy.linalg.det(u)[:, None, None]
    for n in range(27):
        center = (numpy.array([n % 3, n // 3 % 3, n // 9]) + 0.5) * edge / 3
        at = [*(center + shape @ u[n].T), center]
        for k, place in enumerate(at):
            lines.append(
                f"{n + 1:5d}MOL  {f'A{k + 1}':>5}{5 * n + k + 1:5d}"
                + "".join(f"{x:17.12f}" for x in place)
            )
    text = "\n".join(["bodies", str(len(lines)), *lines, f"{edge} {edge} {edge}", ""])
    (tmp_path / "water.gro").write_text(text)
    held = "".join(f"{a + 1} {b + 1} 2 {d!r}\n" for (a, b), d in apart(shape, all_pairs(4)).items())
    excluded = "".join(
        f"{a} {' '.join(str(b) for b in range(1, 6) if b != a)}\n" for a in range(1, 6)
    )
    (tmp_path / "water.top").write_text(
        "[ defaults ]\n1 2 no 1 1\n[ atomtypes ]\nA 12 0 A 0.3 0.4\nB 14 0 A 0.28 0.7\nV 0 0 V 0 0\n"
        "[ moleculetype ]\nMOL 1\n[ atoms ]\n1 A 1 MOL A1 1 0.3 12\n2 B 1 MOL A2 1 -0.1 14\n"
        "3 A 1 MOL A3 1 0.2 12\n4 B 1 MOL A4 1 0 14\n5 V 1 MOL A5 1 -0.4 0\n"
        f"[ constraints ]\n{held}{KINDS[kind][0]}[ exclusions ]\n{excluded}"
        "[ system ]\nbodies\n[ molecules ]\nMOL 27\n"
    )
    said = imported(
        sterna,
        "water.top",
        "water.gro",
        "--cutoff",
        "0.75",
        "--rigid",
        "MOL=component",
        "--compare",
    )
    for row, (_, _, difference) in table_of(said).items():
        # Ewald sums to 1e-8: bodies are larger than cells of the multipole method.
        assert difference < (1e-10 if row == "lennard_jones" else 1e-7), row


def test_sites_in_local_coordinates_and_of_four_atoms():
    """GROMACS has no local coordinates, and no `4fd` any more."""
    atoms = numpy.array([[1.0, 1, 1], [2, 1, 1], [1, 3, 1], [1, 1, 4]])
    local = {"kind": "local", "origin_weights": [1, 0, 0], "x_weights": [-1, 1, 0],
             "y_weights": [-1, 0, 1], "position": [0.1, 0.2, 0.3]}  # fmt: skip
    numpy.testing.assert_allclose(place_of(local, atoms[:3]), [1.1, 1.2, 1.3])
    towards = numpy.array([1 - 0.25 - 0.5, 0.25 * 2, 0.5 * 3])
    found = place_of({"kind": "4fd", "a": 0.25, "b": 0.5, "distance": 0.7}, atoms)
    numpy.testing.assert_allclose(found, atoms[0] + 0.7 * towards / numpy.linalg.norm(towards))


def test_a_mirror_image_is_another_shape(sterna, tmp_path):
    shape = numpy.array([[0, 0, 0], [0.11, 0, 0.01], [-0.04, 0.1, 0], [-0.02, -0.05, 0.12]])
    mirrored = shape * [1, 1, -1]
    rows = [
        f"{n + 1:5d}MOL  {f'A{k + 1}':>5}{4 * n + k + 1:5d}" + "".join(f"{x:8.3f}" for x in place)
        for n, molecule in enumerate((shape + 0.5, mirrored + 1.2))
        for k, place in enumerate(molecule)
    ]
    (tmp_path / "water.gro").write_text("\n".join(["two", "8", *rows, "2 2 2", ""]))
    held = "".join(f"{a + 1} {b + 1} 1 {d!r}\n" for (a, b), d in apart(shape, all_pairs(4)).items())
    atoms = "".join(f"{k} A 1 MOL A{k} 1 0 12\n" for k in range(1, 5))
    (tmp_path / "water.top").write_text(
        "[ defaults ]\n1 2 no 1 1\n[ atomtypes ]\nA 12 0 A 0.3 0.4\n[ moleculetype ]\nMOL 3\n"
        f"[ atoms ]\n{atoms}[ constraints ]\n{held}[ system ]\ntwo\n[ molecules ]\nMOL 2\n"
    )
    said = imported(
        sterna, "water.top", "water.gro", "--cutoff", "0.7", "--rigid", "MOL=component", status=2
    )
    assert "the molecule of atom 5 (A1 of MOL 2) differs by" in said


def test_the_help_names_the_option(sterna):
    done: subprocess.CompletedProcess = sterna("import", "--help")
    assert "--rigid" in done.stdout and "NAME=component" in done.stdout
