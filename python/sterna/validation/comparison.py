"""What was measured beside what is published, and whether the two agree."""

import math
from dataclasses import asdict, dataclass, fields

#: How many standard deviations of the difference still count as agreement.
TOLERANCE = 2.0


@dataclass(frozen=True)
class Comparison:
    """One quantity; all numbers are in `unit`.

    `uncertainty` is what is allowed for the published value, as a standard deviation. With
    `at_most` the published value is a bound: smaller values agree too.
    """

    quantity: str
    mean: float
    standard_error: float
    published: float
    uncertainty: float
    source: str
    unit: str = ""
    at_most: bool = False

    @property
    def difference(self) -> float:
        """Measured minus published."""
        return self.mean - self.published

    @property
    def combined(self) -> float:
        """Standard deviation of the difference."""
        return math.hypot(self.standard_error, self.uncertainty)

    @property
    def agrees(self) -> bool:
        """Whether the difference is at most `TOLERANCE` of its standard deviations."""
        far = self.difference if self.at_most else abs(self.difference)
        return bool(far <= TOLERANCE * self.combined)

    def as_json(self) -> dict:
        """For a file; the difference in combined standard deviations is None where they are 0."""
        return asdict(self) | {
            "difference": self.difference,
            "difference_over_combined": self.difference / self.combined if self.combined else None,
            "agrees": self.agrees,
        }

    @classmethod
    def from_json(cls, values: dict) -> "Comparison":
        """Returns the comparison that `as_json` wrote."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})
