"""Each bonded style by itself, beside LAMMPS: the same energies and forces, and errors by name."""

import random

import numpy
import pytest
from sterna.errors import SternaError
from sterna.importing.lammps.judge import TOLERANCE, compare
from sterna.importing.lammps.lammps_system import read_lammps

#: Lines of coefficients of each style.
STYLES = {
    "bond": {
        "fene/expand": ["30 2.4 0.1 1.4 0.05"],
        "harmonic/shift": ["40 1.5 2.5"],
        "harmonic/shift/cut": ["40 1.3 1.55"],
        "nonlinear": ["20 1.5 0.9"],
        "gaussian": ["300 1 0.5 0.4 1.5", "310 3 0.5 0.4 1.5 0.2 0.6 1.3 0.1 0.3 1.7"],
    },
    "angle": {
        "class2": ["110 40 -10 5", "bb 30 1.4 1.6", "ba 20 -15 1.4 1.6"],
        "class2/p6": ["110 40 -10 5 -3 2", "bb 0 1.4 1.6", "ba 20 0 1.4 1.6", "bb 12 1.5 1.3"],
        "mm3": ["40 112"],
        "cross": ["30 20 -15 1.4 1.6 108"],
        "cosine/shift/exp": ["40 110 2.0", "40 110 -3.5", "40 110 0.0"],
        "gaussian": ["300 1 20 0.4 100", "300 3 20 0.4 100 10 0.6 120 5 0.2 90"],
        "fourier/simple": ["40 0.3 1", "40 -0.3 2"],
    },
    "dihedral": {
        "helix": ["0.7 0.4 1.1"],
        "class2": [
            "0.7 20 -0.5 40 0.3 170", "mbt 2 -3 1.5 1.4", "ebt 1 2 -3 3 -2 1 1.4 1.6",
            "at 2 -1 3 1.5 2 -2 110 115", "aat -4 112 108", "bb13 20 1.45 1.55",
        ],
        "cosine/shift/exp": ["5 120 2.0", "5 -60 -1.5", "5 30 0.0"],
        "spherical": [
            "1 2.0  2 30 1  1 100 0  1 90 0",
            "2 2.0  1 -75 0.5  2 100 0.3  0 90 0  -1.5  0 0 0  1 74 1  3 20 0.1",
        ],
    },
    "improper": {
        "harmonic": ["20 35", "20 0", "20 180"],
        "umbrella": ["20 0", "20 40", "20 120"],
        "fourier": ["20 0.9 0.2 0.3", "20 0.9 0.2 0.3 0", "20 0.9 0.2 0.3 1"],
        "class2": ["20 5", "aa 10 -5 7 110 115 105"],
        "inversion/harmonic": ["20 0.1", "20 25"],
        "distance": ["30 12"],
        "distharm": ["30 0.4"],
        "sqdistharm": ["30 0.2"],
        "ring": ["20 60"],
        "cossq": ["20 0"],
    },
}  # fmt: skip

#: Coefficients that are refused, and why.
REFUSED = {
    "bond": {"quartic": "1200 -0.55 0.25 1.3 34.7"},
    "angle": {"fourier/simple": "40 0.3 3", "cosine/shift/exp": "40 110 0.0005"},
    "dihedral": {"cosine/shift/exp": "5 120 0.0005"},
    "improper": {"cossq": "20 30", "umbrella": "20 180"},
}
MEMBERS = {"bond": 2, "angle": 3, "dihedral": 4, "improper": 4}
EDGE = 22.0


def write(folder, kind, style, coefficients):
    """Branched molecules whose atoms a script with one kind of terms joins."""
    numbers = random.Random(17)
    places, members = [], []
    for n in range(3):
        first, center = len(places), numpy.array([5.0 + 5.0 * n, 6.0, 9.0])
        shape = [[0, 0, 0], [1.4, 0.1, 0.3], [-0.6, 1.2, 0.2], [-0.7, -1.1, -0.4], [2.0, 1.3, 0.2]]
        for place in shape:
            places.append(center + place + [numbers.uniform(-0.2, 0.2) for _ in range(3)])
        of_kind = {
            "bond": [(0, 1), (0, 2), (0, 3), (1, 4)],
            "angle": [(1, 0, 2), (1, 0, 3), (3, 0, 2), (4, 1, 0)],
            "dihedral": [(4, 1, 0, 2), (3, 0, 1, 4)],
            "improper": [(0, 1, 2, 3)],
        }[kind]
        if kind == "improper" and style in ("class2", "ring"):
            of_kind = [(1, 0, 2, 3)]
        members += [tuple(first + 1 + k for k in one) for one in of_kind]
    lines = ["a style\n", f"{len(places)} atoms", "1 atom types", f"{len(members)} {kind}s",
             f"1 {kind} types", *(f"0.0 {EDGE} {axis}lo {axis}hi" for axis in "xyz"),
             "", "Masses", "", "1 12.011", "", "Atoms # full", ""]  # fmt: skip
    for n, place in enumerate(places):
        lines.append(f"{n + 1} {n // 5 + 1} 1 0.0 " + " ".join(repr(float(x)) for x in place))
    lines += ["", f"{kind.capitalize()}s", ""]
    lines += [f"{n} 1 {' '.join(map(str, one))}" for n, one in enumerate(members, 1)]
    (folder / "style.data").write_text("\n".join(lines) + "\n")
    script = [
        "units real", "atom_style full", "pair_style lj/cut 5.0", f"{kind}_style {style}",
        "special_bonds lj/coul 0 0 0", "read_data style.data", "pair_coeff * * 0.0 1.0",
        *(f"{kind}_coeff 1 {one}" for one in coefficients), "fix 1 all nve", "run 10",
    ]  # fmt: skip
    (folder / "in.style").write_text("\n".join(script) + "\n")
    return folder / "style.data", [folder / "in.style"]


def cases():
    for kind, styles in STYLES.items():
        for style, lines in styles.items():
            if style.startswith("class2"):
                yield kind, style, tuple(lines)
            else:
                yield from ((kind, style, (line,)) for line in lines)


@pytest.mark.parametrize(("kind", "style", "coefficients"), [*cases()])
def test_a_style_means_what_it_means_in_lammps(
    kind, style, coefficients, lammps, tmp_path
):  # fmt: skip
    _, rows = compare(*write(tmp_path, kind, style, coefficients), 1.0, set())
    found = {row.name: (row.sterna, row.judge, row.difference) for row in rows}
    what = {"bond": "bonds", "angle": "angles"}.get(kind, "torsions")
    if style != "harmonic/shift/cut":
        assert found[what][0] != 0.0
    for row in rows:
        # One digit of LAMMPS's forces of mm3 is another than that of its energies.
        bound = 2e-3 if style == "mm3" and row.name == "forces" else TOLERANCE
        assert row.difference < bound, found


@pytest.mark.parametrize(
    ("kind", "style"), [(kind, style) for kind, some in REFUSED.items() for style in some]
)
def test_what_lammps_has_otherwise_is_refused(kind, style, tmp_path):
    data, scripts = write(tmp_path, kind, style, [REFUSED[kind][style]])
    with pytest.raises(SternaError, match=r"in\.style:\d+:\d+: error: "):
        read_lammps(data, scripts, 1.0, None)


def write_table(folder, style, head, rows):
    data, scripts = write(folder, "dihedral", "quadratic", ["20 -75"])
    (folder / "torsions.txt").write_text(f"# a table\n\nSHAPE\n{head}\n\n" + "\n".join(rows) + "\n")
    text = scripts[0].read_text().replace("dihedral_style quadratic", f"dihedral_style {style}")
    scripts[0].write_text(text.replace("20 -75", "torsions.txt SHAPE"))
    return data, scripts


def rows_of(angles, unit=1.0, forces=False):
    found = []
    for n, angle in enumerate(angles, 1):
        phi = numpy.radians(angle)
        energy = 2.0 * numpy.cos(2.0 * phi) + 0.7 * numpy.sin(phi)
        force = f" {4.0 * numpy.sin(2.0 * phi) - 0.7 * numpy.cos(phi):.12g}" if forces else ""
        found.append(f"{n} {angle * unit:.12g} {energy:.12g}{force}")
    return found


@pytest.mark.parametrize(
    ("count", "first", "unit"), [(48, 0.0, 1.0), (360, -179.0, numpy.pi / 180)]
)
def test_tables_of_dihedrals_without_forces(count, first, unit, lammps, tmp_path):
    """Uneven angles, and as many points as the style asks for."""
    angles = first + 360.0 * (numpy.arange(30) / 30.0) ** 1.1
    head = f"N 30 NOF {'DEGREES' if unit == 1.0 else 'RADIANS'}"
    case = write_table(tmp_path, f"table spline {count}", head, rows_of(angles, unit))
    _, rows = compare(*case, 1.0, set())
    found = {row.name: row for row in rows}
    assert found["torsions"].sterna != 0.0
    assert all(row.difference < TOLERANCE for row in rows), rows


BROKEN_TABLES = {
    ("table linear 48", "N 30 NOF"): "with `spline` and without forces",
    ("table spline 48", "N 30"): "with `spline` and without forces",
    ("table spline 47", "N 30 NOF"): "expected an even number",
    ("table spline 48", "N 31 NOF"): "expected N and as many lines",
    ("table spline 48", "N 30 NOFF"): 'unknown word "NOFF"',
    ("table spline", "N 30 NOF"): "expected `dihedral_style table spline N`",
}


@pytest.mark.parametrize("case", BROKEN_TABLES)
def test_tables_that_are_refused(case, tmp_path):
    angles = numpy.arange(30) * 12.0
    forces = case[1] == "N 30"
    data, scripts = write_table(tmp_path, *case, rows_of(angles, forces=forces))
    with pytest.raises(SternaError) as caught:
        read_lammps(data, scripts, 1.0, None)
    assert BROKEN_TABLES[case] in str(caught.value)


def test_tables_of_bonds_say_why_they_are_refused(tmp_path):
    data, scripts = write(tmp_path, "bond", "table linear 100", ["file.txt SHAPE"])
    with pytest.raises(SternaError, match="interpolates energies and forces of a table each"):
        read_lammps(data, scripts, 1.0, None)
