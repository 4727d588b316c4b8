"""What `sterna import --compare` compares: systems of any size, constraints, and no file left."""

import os
import signal
import subprocess
import sys
import time

import numpy
import pytest
from conftest import sterna_command, sterna_environment, write_python_program
from sterna.importing import comparison, files
from sterna.importing.molecules import Molecules
from sterna.importing.system import Atom, System, term
from test_import import GRO, TOP

openmm = pytest.importorskip("openmm")

from openmm import app, unit  # noqa: E402 (behind the skip)
from sterna.importing.openmm_system import system_of  # noqa: E402
from sterna.importing.sources import Source  # noqa: E402

_INPUT_LIMIT = 1 << 20  # bytes of an input of sterna-md


def test_a_system_of_any_size_is_computed(tmp_path):
    """A molecule whose tables alone are larger than an input may be."""
    count = 130
    numbers = numpy.random.default_rng(3)
    tables = numbers.normal(size=(count - 4, 576))
    terms = [term("bond", (k, k + 1), potential="harmonic", r0=0.15, stiffness=1e4)
             for k in range(count - 1)]  # fmt: skip
    terms += [term("cmap", tuple(range(k, k + 5)), potential="bicubic", energy=tuple(table.tolist()))
              for k, table in enumerate(tables)]  # fmt: skip
    k = numpy.arange(count)
    positions = numpy.stack([0.1 * k, 0.1 * (k % 2), 0.1 * (k // 2 % 2)], axis=1) + 0.5
    system = System(
        units="nano",
        atoms=[Atom(f"C{n}", "C", 0.0) for n in range(count)],
        types=[{"name": "C", "mass": 12.0, "sigma": 0.3, "epsilon": 0.0}],
        pairs=[],
        terms=terms,
        joined=[],
        box=numpy.diag([15.0, 3.0, 3.0]),
        positions=positions,
        velocities=None,
        interaction={"cutoff": 0.9, "truncation": "truncated"},
        electrostatics=None,
        run={"steps": 1, "timestep": 0.001},
        thermostat={},
        temperature=None,
        molecule_name=lambda _: "chain",
        atom_name=lambda k: f"atom {k + 1}",
        molecule_keys={"excluded_bonds": 0},
    )
    molecules = Molecules(system)
    written = files.write(molecules, tmp_path / "whole.toml", False)
    assert sum(path.stat().st_size for path in written) > _INPUT_LIMIT
    found = comparison.start_of_sterna(molecules, positions)
    lengths = numpy.linalg.norm(numpy.diff(positions, axis=0), axis=1)
    assert found.row["bonded_harmonic_bond_energy"] == pytest.approx(
        (0.5e4 * (lengths - 0.15) ** 2).sum(), rel=1e-9
    )
    assert found.row["bonded_cmap_energy"] != 0.0
    assert numpy.isfinite(found.forces).all()


def constrained_chain(count=30):
    """Charged beads with constraints between neighbors and stiff angles, none where it should be."""
    topology = app.Topology()
    residue = topology.addResidue("CHN", topology.addChain())
    atoms = [topology.addAtom(f"C{k}", app.element.carbon, residue) for k in range(count)]
    system, pairs = openmm.System(), openmm.NonbondedForce()
    angles = openmm.HarmonicAngleForce()
    for k in range(count):
        system.addParticle(12.011)
        pairs.addParticle(0.1 * (-1) ** k, 0.3, 0.4)
    for k in range(count - 1):
        topology.addBond(atoms[k], atoms[k + 1])
        system.addConstraint(k, k + 1, 0.15)
    for k in range(count - 2):
        angles.addAngle(k, k + 1, k + 2, 1.95, 4000.0)
    pairs.createExceptionsFromBonds([(k, k + 1) for k in range(count - 1)], 0.5, 0.5)
    pairs.setNonbondedMethod(pairs.PME)
    pairs.setCutoffDistance(0.9)
    system.addForce(angles)
    system.addForce(pairs)
    box = numpy.diag([6.0, 3.0, 3.0])
    system.setDefaultPeriodicBoxVectors(*box)
    topology.setPeriodicBoxVectors(box * unit.nanometer)
    k = numpy.arange(count)
    places = numpy.stack([1 + 0.1243 * k, 1.5 + 0.042 * (-1.0) ** k, 1.5 + 0 * k], axis=1)
    places += numpy.random.default_rng(3).normal(scale=0.01, size=places.shape)
    return Source(topology, system, places)


class LooseContext:
    """OpenMM's context whose constraints are kept to within 1e-4 only, whatever is asked for."""

    def __init__(self, context):
        self._context = context

    def __getattr__(self, name):
        return getattr(self._context, name)

    def applyConstraints(self, _tolerance):  # noqa: N802 - as OpenMM's
        self._context.applyConstraints(1e-4)


def test_constraints_that_openmm_does_not_keep_are_no_difference(monkeypatch):
    source = constrained_chain()
    plain = comparison._context
    loose = LooseContext(plain(source.system, source.positions))
    loose.applyConstraints(1e-9)
    state = loose.getState(getPositions=True, getForces=True)
    nanometer = unit.nanometer
    places = numpy.array(state.getPositions(asNumpy=True).value_in_unit(nanometer))
    lengths = numpy.linalg.norm(numpy.diff(places, axis=0), axis=1)
    assert abs(lengths / 0.15 - 1.0).max() > 1e-5
    molecules = Molecules(system_of(source))
    # At OpenMM's own places the forces are others than at those where constraints are kept.
    theirs = numpy.array(
        state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / nanometer)
    )
    apart = comparison._force_row(comparison.start_of_sterna(molecules, places).forces, theirs)
    assert apart.difference > comparison.TOLERANCE
    monkeypatch.setattr(
        comparison, "_context", lambda system, positions: LooseContext(plain(system, positions))
    )
    rows = {row.name: row for row in comparison.compare(source, molecules)}
    assert abs(rows["angles"].judge) > 1.0
    for row in rows.values():
        assert row.difference < 1e-6, row


def waiting_program(path, ready):
    """GROMACS that tells its version, and otherwise never ends."""
    write_python_program(
        path,
        "import pathlib, sys, time\n"
        "if '--version' in sys.argv:\n"
        "    print('GROMACS version: 2022.5\\nPrecision: double')\n"
        "    raise SystemExit\n"
        f"pathlib.Path({str(ready)!r}).write_text('')\n"
        "time.sleep(600)\n",
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_import_that_is_ended_leaves_no_temporary_file(number, tmp_path):
    """While it compares a compressed topology, with the files of the judge there, too."""
    import gzip

    temporary, ready = tmp_path / "temporary", tmp_path / "ready"
    temporary.mkdir()
    waiting_program(tmp_path / "gmx_d", ready)
    for name, text in (("a.top", TOP), ("a.gro", GRO)):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    process = subprocess.Popen(
        sterna_command("import", "a.top.gz", "a.gro.gz", "-o", "out.toml", "--compare"),
        cwd=tmp_path,
        env=sterna_environment() | {"TMPDIR": str(temporary),
                                    "STERNA_GROMACS": str(tmp_path / "gmx_d")},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not ready.exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    # Open MPI has a folder of its own there, for all runs of a user.
    assert list(temporary.glob("sterna-*"))
    process.send_signal(number)
    process.communicate(timeout=120)
    assert process.returncode not in (0, None)
    assert list(temporary.glob("sterna-*")) == []


def test_an_export_that_is_ended_leaves_no_file(tmp_path):
    """SIGTERM comes while a format writes: the unfinished file goes."""
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from sterna.exporting import command, table\n"
        "class Run:\n"
        "    steps = times = __import__('numpy').zeros(1, int)\n"
        "    path = Path('run.h5md')\n"
        "    def __len__(self): return 1\n"
        "    def atoms(self, massless): return None\n"
        "def write(path, export):\n"
        "    path.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    signal.pause()\n"
        "import contextlib\n"
        "command._trajectory_of = lambda run, known: contextlib.nullcontext((Run(), None))\n"
        "command.format_of = lambda path, name: table.Format('txt', '', write)\n"
        "command.export(Path('run.h5md'), Path('out.txt'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=sterna_environment(), check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert os.listdir(tmp_path) == []
