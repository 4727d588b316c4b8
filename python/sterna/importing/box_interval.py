"""How often the box of an imported run is driven."""

from collections.abc import Mapping
from typing import Any

_DEFAULT = 10  # steps, of Sterna


def box_interval(
    barostat: Mapping[str, Any], timestep: float, steps: Mapping[str, int] | None = None
) -> dict[str, int]:
    """`interval` of [barostat] where the default is none for its time constant.

    The programs that inputs are taken from drive the box in each step. Martyna-Tobias-Klein moves it
    half-way between two steps that read the pressure, which compute all forces: those of
    [multiple_time_steps] are `steps`. `timestep` is in the unit of the time constant.
    """
    if barostat["kind"] != "martyna_tobias_klein":
        return {}
    least = 2 * max((steps or {}).values(), default=1)
    most = min(_DEFAULT, barostat["time_constant"] / (200.0 * timestep) * (1.0 + 1e-9))
    interval = max(1, int(most // least)) * least
    return {} if interval == _DEFAULT else {"interval": interval}
