"""Observers of groups on several ranks and across restarts; groups of any particles; errors."""

import numpy
import pytest
from observer_support import (
    INPUT,
    OBSERVERS,
    assert_same,
    group_sections,
    observer,
    read,
    results,
    run,
    write_start,
)


def test_three_ranks_give_the_same_numbers(tmp_path):
    expected = results(run(tmp_path / "one"))
    assert len(expected) == 13
    assert_same(results(run(tmp_path / "three", ranks=3)), expected)


def test_a_restart_goes_on_with_what_was_gathered(tmp_path):
    more = "checkpoint_interval = 1\n" + OBSERVERS + "[neighbor]\nmaximum_interval = 5\n"
    whole = results(run(tmp_path / "whole", more=more))
    folder = run(tmp_path / "parts", more=more, steps=30, ranks=2)
    for path in folder.glob("soft.*.txt"):
        path.unlink()
    resumed = results(run(folder, "--resume", more=more, ranks=2))
    assert_same(resumed, whole)


def test_a_group_that_changed_begins_anew(tmp_path):
    more = "checkpoint_interval = 1\n" + group_sections({"part": "resname pentane"})
    more += observer("radius_of_gyration", groups=["part"]) + observer("end_to_end_distance")
    folder = run(tmp_path / "parts", more=more, steps=30)
    (folder / "soft.checkpoint.previous").unlink()
    run(folder, "--resume", more=more.replace("resname pentane", "resid 1"))
    assert len(read(folder, "radius_of_gyration")["time"]) == 3
    assert len(read(folder, "end_to_end_distance")["time"]) == 7


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("", "is empty; expected a text"),
        (" ", 'column 1 of the selection " ": the selection is empty'),
        ("nme C1", 'column 1 of the selection "nme C1": expected'),
        ("nme C1", 'did you mean "name"?'),
        ("name C1 and", "column 12"),
        ("name", 'expected a text or pattern behind "name", but the text ends here'),
        ("(name C1", 'of the "(" in column 1, but the text ends here'),
        ("name C1) or name C2", "column 8"),
        ("resid 5:2", "the range ends before it begins: 5 to 2"),
        ("resid one", "expected whole numbers or ranges such as 1:10"),
        ("prop q > 1", 'expected x, y, z, mass or charge behind "prop" instead of "q"'),
        ("prop x", 'expected <, <=, >, >=, == or != and a number behind "x"'),
        ("prop x > y", 'expected a number behind "x >" instead of "y"'),
        ("name C1 and around 3 name O", "column 13 of the selection"),
        ("protein", '"protein" is not supported here'),
        ("mass 12", 'write "prop mass > 1"'),
        ("name C9", "no atom of this input is in the selection"),
        ("resid 187", "no atom of this input is in the selection"),
    ],
)
def test_errors_of_selections_say_where_and_what(select, message, sterna, tmp_path):
    write_start(tmp_path)
    (tmp_path / "soft.toml").write_text(
        INPUT.format(more=group_sections({"part": select}), steps=1)
    )
    done = sterna("check", "soft.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
    assert "soft.toml:" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (observer("rdf", groups=["prat"]), 'did you mean "part"?'),
        (observer("rdf", groups=["part", "part"]), 'the group "part" is named twice'),
        (observer("rmsd", groups=["left"]), "another one in each frame"),
        (observer("diffusion", groups=["left"]), "another one in each frame"),
        (observer("bond_distribution", minimum=2.0, maximum=1.0), "beyond the smallest one"),
        (
            observer("hydrogen_bonds", hydrogens="part", acceptors="part", distance=7.0),
            "pairs are known up to the cutoff only",
        ),
        (observer("structure_factor", maximum=0.1), "no wave fits the box"),
        (group_sections({"part": "all"}), 'already a [[group]] with the name "part"'),
    ],
)
def test_errors_of_groups_in_observers(section, message, sterna, tmp_path):
    write_start(tmp_path)
    groups = group_sections({"part": "name C1", "left": "prop x < 5"})
    (tmp_path / "soft.toml").write_text(INPUT.format(more=groups + section, steps=1))
    done = sterna("check", "soft.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr


MIXTURE = """\
units = "reduced"
[run]
steps = 40
timestep = 0.004
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.8
temperature = 1.2
[[type]]
name = "A"
[[type]]
name = "B"
mass = 2.0
[interaction]
cutoff = 2.5
"""
RIGID = """\
units = "reduced"
[run]
steps = 40
timestep = 0.002
[start]
kind = "lattice"
lattice = "sc"
cells = [8, 8, 8]
density = 0.2
temperature = 1.2
[[component]]
name = "A"
[[component.site]]
kind = "lennard_jones"
position = [0.2, 0.0, 0.0]
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[component.site]]
kind = "lennard_jones"
position = [-0.2, 0.0, 0.0]
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[component]]
name = "B"
[[component.site]]
kind = "lennard_jones"
position = [0.0, 0.0, 0.0]
mass = 3.0
epsilon = 1.0
sigma = 1.0
[interaction]
cutoff = 2.5
"""


@pytest.mark.parametrize("text", [MIXTURE, RIGID], ids=["atoms", "rigid molecules"])
def test_groups_of_types_are_what_types_are(text, sterna, tmp_path):
    """Of atoms and rigid molecules, also where groups need the ids of ghosts."""
    observers = "[rdf]\ninterval = 10\nsites = false\n[diffusion]\ninterval = 10\n"
    observers += "[profile]\ninterval = 10\nbins = 7\ncentered = false\n"
    grouped = observers.replace("interval = 10\n", 'interval = 10\ngroups = ["A", "B"]\n')
    grouped += group_sections({"A": "name A and id 1:10000", "B": "not prop mass < 1.9 and type B"})
    for name, more, ranks in (
        ("types", observers, 1),
        ("groups", grouped, 1),
        ("three", grouped, 3),
    ):
        (tmp_path / f"{name}.toml").write_text(text + more)
        done = sterna("run", f"{name}.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
    for kind in ("rdf", "diffusion", "profile"):
        expected = numpy.loadtxt(tmp_path / f"types.{kind}.txt")
        assert expected[:, 1:].max() > 0
        for name in ("groups", "three"):
            found = numpy.loadtxt(tmp_path / f"{name}.{kind}.txt")
            numpy.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    # A group that is all of a system has the same atoms as no group.
    (tmp_path / "all.toml").write_text(
        text + group_sections({"A": "all"}) + "[structure_factor]\ninterval = 10\nmaximum = 4\n"
    )
    assert sterna("run", "all.toml", "-n", 2).returncode == 0
    everything = numpy.loadtxt(tmp_path / "all.structure_factor.txt")
    (tmp_path / "all.toml").write_text(
        text + group_sections({"A": "all"})
        + '[structure_factor]\ninterval = 10\nmaximum = 4\ngroups = ["A"]\n'
    )  # fmt: skip
    assert sterna("run", "all.toml", "-n", 3, "--overwrite").returncode == 0
    numpy.testing.assert_allclose(
        numpy.loadtxt(tmp_path / "all.structure_factor.txt"), everything, rtol=1e-6
    )


@pytest.mark.parametrize("text", [MIXTURE, RIGID], ids=["atoms", "rigid molecules"])
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("select", ["id 100000", "index 5000:6000 and type A", "resid 10000"])
def test_ids_that_no_particle_has_are_an_error(text, ranks, select, sterna, tmp_path):
    more = (
        group_sections({"good": "id 1:3", "part": select})
        + '[rdf]\ninterval = 10\ngroups = ["part"]\n'
    )
    (tmp_path / "run.toml").write_text(text + more)
    done = sterna("run", "run.toml", "-n", ranks)
    assert done.returncode not in (0, 3), done.stdout
    told = done.stdout + done.stderr
    line = (text + more).splitlines().index(f'select = "{select}"') + 1
    assert f"run.toml:{line}:" in told, told
    assert f'no atom of this input is in the selection "{select}"' in told


def test_a_type_without_particles_is_no_error(sterna, tmp_path):
    """As at the end of a series of mixtures."""
    more = group_sections({"part": "type B"}) + '[rdf]\ninterval = 10\ngroups = ["part"]\n'
    text = MIXTURE.replace('name = "B"', 'name = "B"\nfraction = 0')
    (tmp_path / "run.toml").write_text(text + more)
    done = sterna("run", "run.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
