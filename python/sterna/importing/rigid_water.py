"""Water whose bonds are constrained becomes rigid, whatever its residue is called.

OpenMM makes water rigid in residues with the names that it knows (`HOH`, `WAT`, `SOL`, ...). In others
the angle would bend on, too fast for the time steps that constrained bonds allow.
"""

import math
from typing import Any


def make_rigid(mm: Any, topology: Any, system: Any) -> None:
    """Constrains the two hydrogen atoms of each such molecule, at the angle where it rests; `mm` is
    the module openmm."""
    nanometer, radian = mm.unit.nanometer, mm.unit.radian
    lengths: dict[frozenset[int], float] = {}
    for n in range(system.getNumConstraints()):
        first, second, distance = system.getConstraintParameters(n)
        lengths[frozenset((first, second))] = distance.value_in_unit(nanometer)
    # angles by their atoms, the middle one first
    angles: dict[tuple[int, frozenset[int]], tuple[Any, int]] = {}
    for force in system.getForces():
        if not isinstance(force, mm.HarmonicAngleForce):
            continue
        for n in range(force.getNumAngles()):
            first, middle, second, *_ = force.getAngleParameters(n)
            angles[middle, frozenset((first, second))] = force, n
    for residue in topology.residues():
        # Virtual sites have no element.
        atoms = [atom for atom in residue.atoms() if atom.element is not None]
        atoms.sort(key=lambda atom: atom.element.symbol)
        if [atom.element.symbol for atom in atoms] != ["H", "H", "O"]:
            continue
        first, second, oxygen = (atom.index for atom in atoms)
        legs = [lengths.get(frozenset((oxygen, hydrogen))) for hydrogen in (first, second)]
        pair = frozenset((first, second))
        if None in legs or pair in lengths or (oxygen, pair) not in angles:
            continue
        force, n = angles[oxygen, pair]
        *ends, angle, _ = force.getAngleParameters(n)
        a, b = legs
        squared = a * a + b * b - 2.0 * a * b * math.cos(angle.value_in_unit(radian))
        system.addConstraint(first, second, math.sqrt(squared) * nanometer)
        force.setAngleParameters(n, *ends, angle, 0.0)
