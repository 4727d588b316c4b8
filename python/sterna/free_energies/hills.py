"""The free energy that the hills of metadynamics have filled."""

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.fields import FieldsFile
from sterna.free_energies.profile import Profile

#: Hills end at half this squared distance in widths; they are shifted and stretched to be 0 there.
_END = 6.25


def profile_of_hills(
    file: FieldsFile, points: int = 200, until: float | None = None, blocks: int = 4
) -> Profile:
    """Minus the sum of the hills up to a time; of one variable.

    The file's heights are those of this sum, also where hills are well-tempered. Errors are the
    spread of the sums at the ends of the last `blocks` quarters of the second half of the run.
    """
    names = list(file.columns)
    variables = [name for name in names if f"sigma_{name}" in names]
    if len(variables) != 1 or "height" not in names:
        raise SternaError(
            f"{file.path}: expected hills of one variable; here {len(variables)} "
            "(PLUMED's sum_hills takes more)"
        )
    variable = variables[0]
    centers, widths = file.column(variable), file.column(f"sigma_{variable}")
    heights, times = file.column("height"), file.column("time")
    if until is not None:
        kept = times <= until
        centers, widths, heights = centers[kept], widths[kept], heights[kept]
    if len(centers) < 2:
        raise SternaError(f"{file.path}: there are {len(centers)} hills; expected at least 2")
    period = file.period(variable)
    if period is not None:
        values = np.linspace(period[0], period[1], points, endpoint=False)
    else:
        reach = 2.0 * widths.max()
        values = np.linspace(centers.min() - reach, centers.max() + reach, points)

    first = len(centers) // 2
    ends = np.unique(np.linspace(first, len(centers), blocks + 1).astype(int))
    edge = np.exp(-_END)
    total = np.zeros(points)
    profiles = []
    begin = 0
    for end in ends:
        for k in range(begin, end):
            away = values - centers[k]
            if period is not None:
                length = period[1] - period[0]
                away -= length * np.round(away / length)
            half = 0.5 * (away / widths[k]) ** 2
            inside = half < _END
            total[inside] += heights[k] * (np.exp(-half[inside]) - edge) / (1.0 - edge)
        begin = end
        profiles.append(total.max() - total)
    spread = np.array(profiles[1:])
    lowest = int(np.argmin(profiles[-1]))
    relative = spread - spread[:, lowest : lowest + 1]
    error = relative.std(axis=0, ddof=1) if len(spread) > 1 else None
    profile = Profile(variable, values, profiles[-1], error)
    profile.remarks.append(
        f"{len(centers)} hills, the last one {heights[-1] / heights[0]:.2g} of the first"
    )
    profile.warnings.append(
        "errors are the spread of the profiles in the second half of the run; what is wrong in all of "
        "them is not in it"
    )
    return profile
