"""Elastic constants by `sterna elastic`, beside those that LAMMPS gives."""

import re

import numpy
import pytest
import sterna as module
from conftest import ROOT
from sterna.commands.elastic import elastic
from test_lammps_many_body import potentials


def silicon(edge: float, cells=(2, 2, 2), **more) -> module.Input:
    return module.Input(
        units="metal",
        start={"kind": "lattice", "lattice": "diamond", "cells": list(cells),
               "density": 8.0 / edge**3},
        type=[{"name": "Si", "mass": 28.0855}],
        interaction={"potential": "stillinger_weber"},
        **more,
    )  # fmt: skip


# By LAMMPS at the edge without pressure: C11, C12, C44 in GPa. Those of Stillinger and Weber's silicon
# in the literature are 151.4, 76.4 and 56.4 (Balamane, Halicioglu and Tiller, Phys. Rev. B 46, 2250).
SILICON = (151.424, 76.422, 56.449)


def test_silicon():
    found = elastic(silicon(5.4309497784))
    assert found.cubic == pytest.approx(SILICON, rel=1e-3)
    assert found.asymmetry < 0.01
    assert numpy.abs(found.stress).max() < 1e-4
    assert found.energy == pytest.approx(-4.3366, rel=1e-7)
    c11, c12, c44 = found.cubic
    # For a cubic crystal all means of the bulk modulus are the same.
    for mean in (found.bulk.voigt, found.bulk.reuss, found.bulk.hill):
        assert mean == pytest.approx((c11 + 2.0 * c12) / 3.0, rel=1e-3)
    assert found.shear.voigt == pytest.approx((c11 - c12 + 3.0 * c44) / 5.0, rel=1e-3)
    reuss = 5.0 * c44 * (c11 - c12) / (4.0 * c44 + 3.0 * (c11 - c12))
    assert found.shear.reuss == pytest.approx(reuss, rel=1e-3)
    assert found.is_stable


def test_atoms_that_are_not_relaxed_make_shear_harder():
    found = elastic(silicon(5.4309497784), relax=False)
    assert found.cubic[:2] == pytest.approx(SILICON[:2], rel=1e-3)
    # Cowley, Phys. Rev. Lett. 60, 2379 (1988), with a larger epsilon: 161.6 GPa for C11, and 117.2 GPa
    # for C44 without internal strain.
    assert found.cubic[2] / found.cubic[0] == pytest.approx(117.2 / 161.6, rel=2e-3)


def test_a_box_is_relaxed():
    found = elastic(silicon(5.5), relax_box=True)
    assert found.box.length / 2.0 == pytest.approx([5.4309497784] * 3, rel=1e-6)
    assert found.cubic == pytest.approx(SILICON, rel=1e-3)


def test_a_box_under_pressure_is_told():
    text = str(elastic(silicon(5.38)))
    assert "note: the box is under a pressure of" in text
    assert "--relax-box" in text


def test_a_turned_crystal_has_turned_constants():
    """A triclinic cell of the same crystal: its first edge lies along [1 1 0]."""
    edge = 5.4309497784
    conventional = elastic(silicon(edge))
    c = numpy.zeros((3, 3, 3, 3))
    order = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
    for i, (a, b) in enumerate(order):
        for j, (d, e) in enumerate(order):
            for left in {(a, b), (b, a)}:
                for right in {(d, e), (e, d)}:
                    c[left + right] = conventional.constants[i, j]
    primitive = 0.5 * edge * numpy.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    q, upper = numpy.linalg.qr(primitive.T)
    signs = numpy.sign(numpy.diag(upper))
    turn, cell = (q * signs).T, (upper * signs[:, None]).T
    cells = 4
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(cells)] * 3, indexing="ij"), axis=-1)
    shift = 0.25 * edge * turn @ numpy.ones(3)
    position = corners.reshape(-1, 3) @ cell
    position = numpy.concatenate([position, position + shift])
    made = cells * cell
    settings = silicon(edge).replace(start=None)
    found = elastic(
        settings,
        system=module.System.from_arrays(
            numpy.diag(made), position, tilt=(made[1, 0], made[2, 0], made[2, 1])
        ),
    )
    turned = numpy.einsum("ai,bj,ck,dl,ijkl->abcd", turn, turn, turn, turn, c)
    expected = numpy.array([[turned[i + j] for j in order] for i in order])
    assert numpy.abs(found.constants - expected).max() < 0.1
    assert found.cubic is None


# File, kind of lattice, edge without pressure, cells, mass, constants; by LAMMPS.
METALS = [
    ("Cu_mishin1.eam.alloy", "Cu", "fcc", 3.6149250659, 4, 63.546, (169.878, 122.586, 76.206)),
    ("Fe_mm.eam.fs", "Fe", "bcc", 2.8553248608, 5, 55.845, (244.286, 145.322, 116.348)),
]


@pytest.mark.parametrize("metal", METALS, ids=[row[0] for row in METALS])
def test_metals(metal, lammps, sterna, tmp_path):
    file, element, lattice, edge, cells, mass, expected = metal
    path = potentials(lammps) / file
    if not path.exists():
        pytest.skip(f"this LAMMPS has no {file}")
    (tmp_path / file).write_bytes(path.read_bytes())
    atoms = {"fcc": 4, "bcc": 2}[lattice]
    (tmp_path / "input.toml").write_text(
        f'units = "metal"\n[start]\nkind = "lattice"\nlattice = "{lattice}"\n'
        f"cells = [{cells}, {cells}, {cells}]\ndensity = {atoms / edge**3!r}\n"
        f'[[type]]\nname = "{element}"\nmass = {mass}\n'
        f'[interaction]\npotential = "embedded_atom"\nembedded_atom_file = "{file}"\n'
    )
    # LAMMPS's constants are those of strains of 1e-5.
    done = sterna("elastic", "input.toml", "--strain", "1e-5")
    assert done.returncode == 0, done.stdout + done.stderr
    cubic = re.search(r"C11 = ([\d.]+), C12 = ([\d.]+), C44 = ([\d.]+)", done.stdout)
    assert cubic is not None, done.stdout
    assert [float(value) for value in cubic.groups()] == pytest.approx(expected, rel=1e-3)


def test_the_example(sterna):
    done = sterna("elastic", str(ROOT / "examples" / "silicon_constants.toml"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cubic: C11 = 151.4" in done.stdout
    assert "elastic constants (GPa), strains of 0.001, atoms relaxed" in done.stdout


def test_what_is_no_crystal_of_atoms(sterna, tmp_path):
    path = ROOT / "examples" / "spce.toml"
    done = sterna("elastic", str(path))
    assert done.returncode == 1
    assert "[[component]] is not a crystal of atoms" in done.stderr + done.stdout


def test_atoms_that_do_not_come_to_rest():
    with pytest.raises(module.SternaError, match="after 2 steps a force of"):
        elastic(silicon(5.43), strain=0.05, steps=2)
