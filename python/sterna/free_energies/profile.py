"""A free energy along a variable."""

from dataclasses import dataclass, field, replace

import numpy as np


@dataclass
class Profile:
    """The free energy at values of a variable, least 0, in the units of the files."""

    variable: str
    values: np.ndarray
    free_energy: np.ndarray
    #: Standard errors: of windows those of the differences from the bin with the most samples; None:
    #: not known.
    error: np.ndarray | None = None
    warnings: list[str] = field(default_factory=list)
    #: What was found about the samples, a line each.
    remarks: list[str] = field(default_factory=list)
    #: Of windows, what `pymbar.MBAR` takes: the reduced energies of all samples in the state of each
    #: window (`u_kn`), the numbers of samples of each (`N_k`), and the samples (`x_n`).
    states: dict[str, np.ndarray] | None = None

    def without_jacobian(self, thermal_energy: float) -> "Profile":
        """Without the part that the growing surface of a sphere has in that of a distance."""
        flat = self.free_energy + 2.0 * thermal_energy * np.log(self.values)
        shifted = flat - np.nanmin(flat)
        return replace(self, free_energy=shifted)

    def text(self) -> str:
        """A table in PLUMED's form."""
        has_error = self.error is not None
        lines = [f"#! FIELDS {self.variable} free_energy" + (" error" if has_error else "")]
        for k, value in enumerate(self.values):
            row = f"{value:.10g} {self.free_energy[k]:.10g}"
            if has_error:
                row += f" {self.error[k]:.10g}"
            lines.append(row)
        return "\n".join(lines) + "\n"
