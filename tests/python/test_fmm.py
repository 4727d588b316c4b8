"""`sterna.fmm`: potentials and fields of charges, from NumPy arrays on any ranks."""

import pytest
from engine_support import script_output

SCRIPT = """
import numpy
from sterna import SternaError, comm, fmm

ranks = comm.Context()
rank, size = ranks.rank, ranks.size
generator = numpy.random.default_rng(1)
places, charges = 7 * generator.random((300, 3)), generator.random(300) - 0.5
mine = slice(None) if size == 1 else slice(rank, None, size)

def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(text)
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_without_images_it_is_the_sum_over_pairs(tmp_path, ranks):
    text = (
        SCRIPT
        + """
apart = places[:, None] - places
distance = numpy.linalg.norm(apart, axis=2)
numpy.fill_diagonal(distance, numpy.inf)
potentials = (charges / distance).sum(axis=1)
fields = (apart * (charges / distance**3)[:, :, None]).sum(axis=1)
solver = fmm.Solver(accuracy=1e-6)
result = solver(places[mine], charges[mine], virial=True)
energy = 0.5 * (charges * potentials).sum()
assert abs(result.energy - energy) < 1e-5 * abs(energy)
assert numpy.allclose(result.potentials, potentials[mine], atol=1e-4)
size_of_fields = numpy.sqrt((fields**2).mean())
assert numpy.sqrt(((result.fields - fields[mine])**2).mean()) < 1e-5 * size_of_fields
assert abs(numpy.trace(result.virial) - result.energy) < 1e-9 * abs(energy)
forces = charges[:, None] * fields
assert numpy.allclose(result.virial, places.T @ forces, atol=1e-4 * abs(energy))
assert solver.errors.field <= 1e-6 and "order" in solver.description
# Single precision, another order in memory, and lists.
other = solver(numpy.asfortranarray(places[mine]).astype("f4"), list(charges[mine]))
assert other.virial is None and abs(other.energy - energy) < 1e-4 * abs(energy)
"""
    )
    script_output(tmp_path, text, ranks)


@pytest.mark.parametrize("ranks", [1, 3])
def test_boxes_of_all_kinds_and_wrong_arrays(tmp_path, ranks):
    text = (
        SCRIPT
        + """
cells = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(8)]), axis=-1).reshape(-1, 3)
ions = numpy.where(cells.sum(axis=1) % 2 == 0, 1.0, -1.0)
cells = cells + 0.25
for box in (8, [8.0, 8, 8], [[0, 8, 0], [8, 0, 0], [8, 8, 8]]):
    solver = fmm.Solver(box, accuracy=1e-8, tolerance="potential", surroundings="conductor")
    result = solver(cells[mine], ions[mine])
    assert abs(result.energy / 256 + 1.7475645946332) < 1e-7
    assert numpy.allclose(result.potentials, -1.7475645946332 * ions[mine], atol=1e-6)
solver.tune(cells[mine], ions[mine])
assert solver.errors.potential <= 1e-8
solver.set_box(16.0)
assert abs(solver(2 * cells[mine], ions[mine]).energy / 128 + 1.7475645946332) < 1e-7
empty = solver([], []) if size == 1 else None
assert empty is None or empty.fields.shape == (0, 3)

raises(ValueError, "(2, 2)", lambda: fmm.Solver([[1, 2], [3, 4]]))
raises(ValueError, "expected one of field", lambda: fmm.Solver(tolerance="fields"))
raises(ValueError, "conductor, vacuum", lambda: fmm.Solver(8.0, surroundings="air"))
raises(SternaError, "accuracy of 0", lambda: fmm.Solver(accuracy=0.0))
raises(SternaError, "one plane", lambda: fmm.Solver([[1, 0, 0], [0, 1, 0], [1, 1, 0]]))
# What is wrong on the last rank ends the call on all.
last = rank == size - 1
kind = ValueError if last else SternaError
raises(kind, "(n, 3)" if last else "charges", lambda: solver(cells[mine, :2 if last else 3], ions[mine]))
kind = TypeError if last else SternaError
raises(kind, "numbers" if last else "charges", lambda: solver(cells[mine], ions[mine].astype("c16" if last else "f8")))
far = cells[mine].copy()
far[0, 0] = numpy.inf if last else 1.0
raises(SternaError, "not finite", lambda: solver(far, ions[mine]))
"""
    )
    script_output(tmp_path, text, ranks)
