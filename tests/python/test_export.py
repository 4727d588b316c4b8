"""`sterna export`: every format, opened by programs that are not Sterna, has the run's numbers."""

import json
import os
import subprocess
import warnings
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy
import pytest
from conftest import sterna_command, sterna_environment
from sterna import SternaError, read
from sterna.exporting.table import formats
from sterna.frames.trajectory import Trajectory
from sterna.launching.program import find_program
from trajectory_support import EDGES, WATER

mdanalysis = pytest.importorskip("MDAnalysis")
pytest.importorskip("gsd")


def body_matrices(q: numpy.ndarray) -> numpy.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(numpy.roll(q, -1, axis=1)).as_matrix()


def raw(path: Path, field: str, frame: int) -> numpy.ndarray:
    with h5py.File(path) as file:
        return file[f"particles/trajectory/{field}/value"][frame]


@dataclass
class Read:
    """What another program found in a file, in nm and ps, or reduced."""

    position: numpy.ndarray
    edges: numpy.ndarray
    frames: int
    velocity: numpy.ndarray | None = None
    force: numpy.ndarray | None = None
    step: int | None = None
    time: float | None = None
    names: list[str] | None = None
    elements: list[str] | None = None
    masses: numpy.ndarray | None = None
    charges: numpy.ndarray | None = None
    bonds: set | None = None
    energy: float | None = None  #: potential


def by_mdanalysis(path: Path, topology: Path | None, frame: int, **keys) -> Read:
    """MDAnalysis, which has everything in angstrom."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe = mdanalysis.Universe(*([topology] if topology else []), path, **keys)
        ts = universe.trajectory[frame]
        edges = mdanalysis.lib.mdamath.triclinic_vectors(ts.dimensions)
    return Read(
        position=ts.positions / 10,
        edges=edges / 10,
        frames=len(universe.trajectory),
        velocity=ts.velocities / 10 if ts.has_velocities else None,
        force=ts.forces * 10 if ts.has_forces else None,
        step=ts.data.get("step"),
        time=ts.time,
        names=list(universe.atoms.names) if hasattr(universe.atoms, "names") else None,
        masses=universe.atoms.masses if hasattr(universe.atoms, "masses") else None,
        charges=universe.atoms.charges if hasattr(universe.atoms, "charges") else None,
        bonds={tuple(sorted(b)) for b in universe.bonds.indices.tolist()}
        if hasattr(universe, "bonds")
        else None,
    )


def empty(path: Path) -> int:
    """The atoms of the run that the file beside is of."""
    return len(Trajectory(path.parent / f"{path.name.split('.')[0]}.h5md").atoms())


def read_xdr(path: Path, frame: int) -> Read:
    """XTC and TRR by MDTraj where it is installed, whose code is not MDAnalysis's."""
    universe = mdanalysis.Universe.empty(empty(path), trajectory=True)
    ts = universe.load_new(str(path)).trajectory[frame]
    mdtraj = pytest.importorskip("mdtraj")
    opened = (
        mdtraj.formats.XTCTrajectoryFile
        if path.suffix == ".xtc"
        else mdtraj.formats.TRRTrajectoryFile
    )
    with opened(str(path)) as file:
        positions, times, steps, boxes = file.read()[:4]
    assert numpy.allclose(10 * positions[frame], ts.positions, atol=1e-4)
    return Read(
        position=positions[frame], edges=boxes[frame], frames=len(times), step=int(steps[frame]),
        time=float(times[frame]),
        velocity=ts.velocities / 10 if ts.has_velocities else None,
        force=ts.forces * 10 if ts.has_forces else None,
    )  # fmt: skip


def read_dcd(path: Path, frame: int) -> Read:
    """By MDTraj and, for the time, by MDAnalysis."""
    mdtraj = pytest.importorskip("mdtraj")
    with mdtraj.formats.DCDTrajectoryFile(str(path)) as file:
        positions, lengths, angles = file.read()
    universe = mdanalysis.Universe.empty(empty(path), trajectory=True)
    ts = universe.load_new(str(path)).trajectory[frame]
    edges = mdanalysis.lib.mdamath.triclinic_vectors([*lengths[frame], *angles[frame]])
    assert numpy.allclose(mdanalysis.lib.mdamath.triclinic_vectors(ts.dimensions), edges, atol=1e-4)
    first = universe.trajectory[0].time
    last = universe.trajectory[frame].time
    return Read(positions[frame] / 10, edges / 10, len(positions), time=last - first)


def read_gsd(path: Path, frame: int) -> Read:
    """By MDAnalysis (topology) and freud (box), else by gsd itself."""
    import gsd.hoomd

    with gsd.hoomd.open(str(path)) as file:
        found, count = file[frame], len(file)
    lx, ly, lz, xy, xz, yz = found.configuration.box
    edges = numpy.array([[lx, 0, 0], [xy * ly, ly, 0], [xz * lz, yz * lz, lz]])
    # The particles are inside the box around the origin.
    fractions = found.particles.position @ numpy.linalg.inv(edges)
    assert abs(fractions).max() <= 0.5 + 1e-5
    whole = found.particles.position + found.particles.image @ edges + 0.5 * edges.sum(axis=0)
    universe = mdanalysis.Universe(str(path))
    assert numpy.allclose(universe.atoms.masses, found.particles.mass)
    bonds = set()
    if hasattr(universe, "bonds"):
        bonds = {tuple(sorted(b)) for b in universe.bonds.indices.tolist()}
    return Read(
        whole, edges, count, velocity=found.particles.velocity, step=found.configuration.step,
        time=float(found.log["time"][0]), masses=found.particles.mass,
        charges=found.particles.charge, bonds=bonds,
    )  # fmt: skip


def read_extxyz(path: Path, frame: int) -> Read:
    """By ASE."""
    ase_io = pytest.importorskip("ase.io")
    found = ase_io.read(path, ":")
    atoms = found[frame]
    assert atoms.pbc.all()
    return Read(
        atoms.positions / 10, atoms.cell.array / 10, len(found), step=atoms.info["step"],
        velocity=atoms.arrays["velo"] / 10, time=atoms.info["time"],
        names=atoms.arrays["name"].tolist(), elements=atoms.get_chemical_symbols(),
        charges=atoms.get_initial_charges(),
    )  # fmt: skip


def read_lammpstrj(path: Path, frame: int) -> Read:
    """By ASE (positions, box) and MDAnalysis (velocities, forces)."""
    ase_io = pytest.importorskip("ase.io")
    found = ase_io.read(path, ":", format="lammps-dump-text")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe = mdanalysis.Universe.empty(empty(path), trajectory=True)
        ts = universe.load_new(str(path), format="LAMMPSDUMP").trajectory[frame]
    atoms = found[frame]
    real = "mixture" not in path.name
    return Read(
        # Positions are in the box: `check` puts molecules together.
        atoms.positions / 10, atoms.cell.array / 10, len(found), step=ts.data["step"],
        velocity=ts.velocities * (100 if real else 0.1), elements=atoms.get_chemical_symbols(),
        force=ts.forces * (4.184 * 10 if real else 0.1) if ts.has_forces else None,
    )  # fmt: skip


def read_data(path: Path, frame: int) -> Read:
    """By MDAnalysis and ASE."""
    ase_io = pytest.importorskip("ase.io")
    real = "mixture" not in path.name
    atoms = ase_io.read(path, format="lammps-data", atom_style="full", units="real")
    atoms = atoms[numpy.argsort(atoms.arrays["id"])]
    universe = mdanalysis.Universe(str(path), atom_style="id resid type charge x y z ix iy iz")
    bonds = set()
    if hasattr(universe, "bonds"):
        bonds = {tuple(sorted(b)) for b in universe.bonds.indices.tolist()}
    velocity = universe.atoms.velocities * (0.1 if real else 1e-4)
    return Read(
        atoms.positions / 10, atoms.cell.array / 10, 1, masses=universe.atoms.masses,
        velocity=velocity, charges=universe.atoms.charges, bonds=bonds,
    )  # fmt: skip


def read_pdb(path: Path, frame: int) -> Read:
    """By MDAnalysis and ASE, which refuses names that tell no element."""
    found = by_mdanalysis(path, None, frame)
    if "mixture" not in path.name:
        ase_io = pytest.importorskip("ase.io")
        atoms = ase_io.read(path, index=":")[frame]
        assert numpy.allclose(atoms.positions / 10, found.position, atol=1e-4)
        assert numpy.allclose(atoms.cell.array / 10, found.edges, atol=1e-4)
        found.elements = atoms.get_chemical_symbols()
    found.velocity = found.step = found.time = found.masses = found.charges = None
    return found


def read_gro(path: Path, frame: int) -> Read:
    """By ASE and MDAnalysis."""
    found = by_mdanalysis(path, None, frame)
    ase_io = pytest.importorskip("ase.io")
    atoms = ase_io.read(path)
    assert numpy.allclose(atoms.positions / 10, found.position, atol=1e-4)
    assert numpy.allclose(atoms.cell.array / 10, found.edges, atol=1e-4)
    found.step = found.time = found.masses = found.charges = found.bonds = None
    return found


@dataclass
class Reader:
    """How a format is read here, and to how many nm it is exact."""

    read: object
    tolerance: float
    per_reduced: float = 1.0  #: what `read` makes of a reduced length of 1


READERS = {
    "xtc": Reader(read_xdr, 6e-4),
    "trr": Reader(read_xdr, 2e-6),
    "dcd": Reader(read_dcd, 2e-6, 0.1),
    "gsd": Reader(read_gsd, 2e-6),
    "extxyz": Reader(read_extxyz, 1e-9, 0.1),
    "lammpstrj": Reader(read_lammpstrj, 1e-6, 0.1),
    "data": Reader(read_data, 1e-6, 0.1),
    "pdb": Reader(read_pdb, 2e-4, 0.1),
    "gro": Reader(read_gro, 6e-4),
}


@dataclass
class Expected:
    """What the run has, by its H5MD file and the model's published geometry."""

    position: numpy.ndarray
    edges: numpy.ndarray
    velocity: numpy.ndarray
    force: numpy.ndarray | None
    step: int
    time: float
    names: list[str]
    elements: list[str]
    masses: list[float]
    charges: list[float]
    bonds: set


def expected_of(folder: Path, name: str, frame: int) -> Expected:
    path = folder / f"{name}.h5md"
    position, velocity = raw(path, "position", frame), raw(path, "velocity", frame)
    edges = raw(path, "box/edges", frame)
    edges = edges if edges.ndim == 2 else numpy.diag(edges)
    with h5py.File(path) as file:
        step = int(file["particles/trajectory/box/edges/step"][frame])
        time = float(file["particles/trajectory/box/edges/time"][frame])
    if name == "mixture":
        n = len(position)
        with h5py.File(path) as file:
            species = file["particles/trajectory/species"][()]
        names = ["AB"[s] for s in species]
        return Expected(
            position, edges, velocity, None, step, time, names, ["X" for _ in names],
            [1.0 + s for s in species], [0.0] * n, set(),
        )  # fmt: skip
    if name == "butane":
        molecules = position.reshape(20, 4, 3)
        for k in range(1, 4):
            d = molecules[:, k] - molecules[:, k - 1]
            molecules[:, k] -= numpy.rint(d @ numpy.linalg.inv(edges)) @ edges
        return Expected(
            molecules.reshape(-1, 3), edges, velocity, raw(path, "force", frame), step, time,
            ["C1", "C2", "C3", "C4"] * 20, ["C"] * 80, [15.035, 14.027, 14.027, 15.035] * 20,
            [0.0] * 80, {(4 * m + k, 4 * m + k + 1) for m in range(20) for k in range(3)},
        )  # fmt: skip
    # SPC/E (Berendsen 1987): 0.1 nm, the tetrahedral angle; the axes of the body are the model's.
    turns = body_matrices(raw(path, "orientation", frame))
    sites = numpy.array(model_sites("spce"))
    assert numpy.linalg.norm(sites[1] - sites[0]) == pytest.approx(0.1)
    cosine = (sites[1] - sites[0]) @ (sites[2] - sites[0]) / 0.01
    assert cosine == pytest.approx(-1 / 3, abs=1e-4)
    masses = numpy.array([15.999, 1.008, 1.008])
    sites -= masses @ sites / masses.sum()
    arms = numpy.einsum("nij,sj->nsi", turns, sites)
    momentum = raw(path, "angular_momentum", frame)
    # The inertia of the sites in the laboratory's frame, and from it how the molecule turns.
    square = numpy.einsum("s,nsi,nsi->n", masses, arms, arms)[:, None, None] * numpy.eye(3)
    inertia = square - numpy.einsum("s,nsi,nsj->nij", masses, arms, arms)
    omega = numpy.linalg.solve(inertia, momentum[:, :, None])[:, :, 0]
    return Expected(
        (position[:, None] + arms).reshape(-1, 3), edges,
        (velocity[:, None] + numpy.cross(omega[:, None], arms)).reshape(-1, 3), None, step, time,
        ["O", "H1", "H2"] * 64, ["O", "H", "H"] * 64, masses.tolist() * 64,
        [-0.8476, 0.4238, 0.4238] * 64,
        {(3 * m, 3 * m + k) for m in range(64) for k in (1, 2)},
    )  # fmt: skip


def model_sites(name: str) -> list[list[float]]:
    """Places of the atoms of a model of the library, each once, in the order of its sites."""
    shown = subprocess.run(
        [find_program(), "--model-table"], capture_output=True, text=True, check=True
    ).stdout
    (model,) = (entry for entry in json.loads(shown) if entry["name"] == name)
    places = []
    for site in model["sites"]:
        if site["position"] not in places:
            places.append(site["position"])
    return places


def export(folder: Path, *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        sterna_command("export", *map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_every_format_is_read_by_another_program():
    # Inputs of other programs have tests of their own: test_export_gromacs.py, test_export_ls1.py.
    assert {known.suffix for known in formats()} == {*READERS, "top", "xml"}


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("name", ["water", "butane", "mixture"])
def test_another_program_finds_the_numbers_of_the_run(runs, tmp_path, name, suffix):
    from sterna.exporting.command import export as write

    for needed in runs.glob(f"{name}.*"):
        (tmp_path / needed.name).symlink_to(needed)
    output = tmp_path / f"{name}.{suffix}"
    made = write(tmp_path / f"{name}.h5md", output)
    number = made.numbers[-1]
    reader = READERS[suffix]
    found = reader.read(output, len(made.numbers) - 1)
    expected = expected_of(tmp_path, name, number)
    unit = reader.per_reduced if name == "mixture" else 1.0
    assert found.frames == len(made.numbers)
    assert numpy.allclose(found.edges, unit * expected.edges, atol=reader.tolerance)
    difference = found.position - unit * expected.position
    if suffix in ("lammpstrj", "data"):  # in the box
        cell = unit * expected.edges
        difference -= numpy.rint(difference @ numpy.linalg.inv(cell)) @ cell
    assert abs(difference).max() < reader.tolerance
    if found.velocity is not None:
        tolerance = 1e-3 if suffix == "gro" else 1e-5
        assert numpy.allclose(found.velocity, unit * expected.velocity, atol=tolerance)
    if found.force is not None:
        assert numpy.allclose(found.force, expected.force, rtol=1e-5, atol=1e-2)
    if found.step is not None:
        assert found.step == expected.step
    if found.time is not None:
        scale = 1.0 if name != "mixture" or suffix != "dcd" else found.time / expected.time
        assert found.time == pytest.approx(expected.time * scale, rel=1e-5)
    if found.names is not None:
        assert found.names == expected.names
    if found.elements is not None:
        assert found.elements == expected.elements
    if found.masses is not None:
        assert numpy.allclose(found.masses, expected.masses)
    if found.charges is not None:
        assert numpy.allclose(found.charges, expected.charges)
    if found.bonds is not None:
        assert found.bonds == expected.bonds


def test_the_sites_have_the_kinetic_energy_of_the_molecules(runs):
    result = read(runs / "water")
    atoms = result.frames.atoms()
    for number, frame in enumerate(result.frames):
        at = atoms.at(frame)
        energy = 0.5 * (atoms.mass * (at.velocity**2).sum(axis=1)).sum()
        assert energy == pytest.approx(result.log["kinetic_energy"][number], rel=1e-9)


def test_mdanalysis_has_topology_units_and_time(runs):
    universe = read(runs / "water").to_mdanalysis()
    assert len(universe.trajectory) == 4
    expected = expected_of(runs, "water", 2)
    ts = universe.trajectory[2]
    assert numpy.allclose(ts.positions, 10 * expected.position, atol=1e-5)
    assert numpy.allclose(ts.velocities, 10 * expected.velocity, atol=1e-4)
    assert ts.time == pytest.approx(0.008) and ts.data["step"] == 8
    assert ts.dt == pytest.approx(0.004)
    assert ts.volume == pytest.approx(1000 * numpy.linalg.det(EDGES), rel=1e-5)
    assert len(universe.select_atoms("resname H2O and element O")) == 64
    assert universe.atoms.total_charge() == pytest.approx(0.0, abs=1e-9)
    assert {tuple(b) for b in universe.bonds.indices.tolist()} == expected.bonds
    lengths = [bond.length() for bond in universe.bonds]
    assert numpy.allclose(lengths, 1.0, atol=1e-5)
    copied = universe.copy()
    assert numpy.allclose(copied.trajectory[2].positions, ts.positions)


def test_ase_mdtraj_and_freud_have_the_frame(runs):
    pytest.importorskip("ase")
    result = read(runs / "water.h5md")
    expected = expected_of(runs, "water", 3)
    atoms = result.to_ase()
    assert numpy.allclose(atoms.positions, 10 * expected.position)
    assert atoms.get_chemical_symbols() == expected.elements
    assert numpy.allclose(atoms.get_initial_charges(), expected.charges)
    # 1 kJ/mol is 0.0103643 eV.
    energy = result.log["kinetic_energy"][-1] * 0.01036426966
    assert atoms.get_kinetic_energy() == pytest.approx(energy, rel=1e-6)
    mdtraj = pytest.importorskip("mdtraj")
    trajectory = result.to_mdtraj()
    assert numpy.allclose(trajectory.xyz[3], expected.position, atol=1e-6)
    assert trajectory.topology.n_bonds == 128
    water = mdtraj.compute_angles(trajectory, [[1, 0, 2]])
    assert numpy.rad2deg(water) == pytest.approx(109.47, abs=0.05)
    assert trajectory.unitcell_volumes == pytest.approx(numpy.linalg.det(EDGES), rel=1e-5)
    freud = pytest.importorskip("freud")
    box, points = result.to_freud()
    assert box.volume == pytest.approx(numpy.linalg.det(EDGES), rel=1e-5)
    query = freud.locality.AABBQuery(box, points)
    near = query.query(points, {"r_max": 0.105, "exclude_ii": True}).toNeighborList()
    found = {tuple(sorted(pair)) for pair in zip(*numpy.array(near[:]).T.tolist(), strict=True)}
    assert found == expected.bonds


def test_frames_and_atoms_are_chosen(runs, tmp_path):
    from sterna.exporting.command import export as write

    def frames_of(**options: object) -> list[int]:
        write(runs / "mixture", tmp_path / "x.extxyz", overwrite=True, **options)
        lines = (tmp_path / "x.extxyz").read_text().splitlines()
        return [int(line.split("step=")[1].split()[0]) for line in lines if "step=" in line]

    assert frames_of() == [0, 2, 4, 6, 8]
    assert frames_of(frames="-1") == [8]
    assert frames_of(frames="1:4:2") == [2, 6]
    assert frames_of(steps="2:6") == [2, 4, 6]
    assert frames_of(steps=":4", every=2) == [0, 4]
    assert frames_of(times="0.008:") == [4, 6, 8]
    frames_of(select=["B"])
    text = (tmp_path / "x.extxyz").read_text()
    assert " B B " in text and " A A " not in text
    done = export(runs, "water", tmp_path / "o.extxyz", "--select", "O", "--frames", "0")
    assert "wrote" in done.stdout and "1 frame of 64 atoms" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["water", "x.foo"], "x.foo: expected a file whose name ends in one of .xtc, .trr"),
        (["nothing", "x.xtc"], "no run nothing: there is neither nothing.log.jsonl nor"),
        (["none.toml", "x.xtc"], "the input file none.toml does not exist"),
        (["water", "x.xtc", "--frames", "9"], "no frame is left of 4, of steps 0 to 12"),
        (["water", "x.xtc", "--frames", "a:b"], "--frames a:b: expected a number"),
        (["water", "x.xtc", "--steps", "1:2:3"], "--steps 1:2:3: expected FIRST:LAST"),
        (["water", "x.xtc", "--times", "5:"], "and times 0 to 0.012 ps"),
        (["water", "x.xtc", "--select", "OH"], "no type, molecule, residue or atom 'OH'; there are H, H1"),
        (["water", "x.gro", "--frames", ":"], "a .gro file holds one frame, and 4 were chosen"),
        (["water", "water.toml", "--format", "xtc"], "water.toml exists; --overwrite replaces it"),
        (["water", "no/x.extxyz"], "no/x.extxyz cannot be written: No such file or directory"),
        (["water.toml", "x.pdb", "--format", "pdbx"], "pdbx: expected a file whose name ends"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_told(runs, arguments, message):
    before = sorted(runs.iterdir())
    done = export(runs, *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr, done.stderr
    assert sorted(runs.iterdir()) == before


def test_molecules_without_orientations_are_centers(runs, tmp_path):
    text = WATER.replace(
        '"position", "velocity", "image", "orientation", "angular_momentum"', '"position"'
    )
    (tmp_path / "water_start.extxyz").write_text((runs / "water_start.extxyz").read_text())
    (tmp_path / "water.toml").write_text(text)
    subprocess.run(
        [find_program(), "water.toml"], cwd=tmp_path, env=sterna_environment(), check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    done = export(tmp_path, "water.toml", "w.xtc")
    assert done.returncode == 2
    assert "the trajectory has no orientations" in done.stderr and "--centers" in done.stderr
    done = export(tmp_path, "water.toml", "w.xtc", "--centers")
    assert done.returncode == 0 and "4 frames of 64 atoms" in done.stdout


def test_without_the_package_the_message_says_what_to_install(runs, tmp_path):
    (tmp_path / "gsd").mkdir()
    (tmp_path / "gsd" / "__init__.py").write_text("raise ImportError('hidden')")
    environment = sterna_environment()
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]])
    done = subprocess.run(
        sterna_command("export", str(runs / "water"), str(tmp_path / "x.gsd")),
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "exporting to .gsd needs gsd, which is not installed: pip install gsd" in done.stderr


def test_a_damaged_trajectory_is_refused(runs, tmp_path):
    path = tmp_path / "cut.h5md"
    path.write_bytes((runs / "water.h5md").read_bytes()[:3000])
    with pytest.raises(SternaError, match="no HDF5 file"):
        Trajectory(path)
    with h5py.File(path, "w") as file:
        file.create_group("particles/trajectory")
    with pytest.raises(SternaError, match="this is no whole trajectory of Sterna"):
        Trajectory(path)


@pytest.mark.parametrize("suffix", ["gsd", "extxyz", "lammpstrj", "data", "xtc", "dcd"])
def test_ovito_opens_it(runs, tmp_path, suffix):
    ovito = pytest.importorskip("ovito", reason="tools/requirements/interop.txt")
    from ovito.io import import_file

    assert ovito.version
    output = tmp_path / f"water.{suffix}"
    assert export(runs, "water", output).returncode == 0
    keys = {"atom_style": "full"} if suffix == "data" else {}
    pipeline = import_file(str(output), **keys)
    frames = pipeline.source.num_frames
    found = pipeline.compute(frames - 1)
    expected = expected_of(runs, "water", 3)
    # OVITO takes lengths as they are in the file; those of XTC it turns into angstrom.
    scale = 1.0 if suffix == "gsd" else 10.0
    tolerance = 0.006 if suffix == "xtc" else 1e-4
    assert frames == (1 if suffix == "data" else 4)
    edges = numpy.array(found.cell[:, :3]).T
    assert numpy.allclose(edges, scale * expected.edges, atol=tolerance)
    order = numpy.arange(192)
    if "Particle Identifier" in found.particles:
        order = numpy.argsort(found.particles["Particle Identifier"])
    d = numpy.array(found.particles.positions)[order] - scale * expected.position
    d -= numpy.array(found.cell[:, 3])
    d -= numpy.rint(d @ numpy.linalg.inv(edges)) @ edges
    assert abs(d).max() < tolerance
    if suffix == "gsd":
        bonds = numpy.array(found.particles.bonds.topology)
        assert {tuple(sorted(pair)) for pair in bonds.tolist()} == expected.bonds
