"""read_with_python.py LAUNCH MPIEXEC PROGRAM: has test_h5md_writer write its files on 1 and 3 ranks
and reads them with h5py and MDAnalysis. Exit status 77 (skipped) where a reader or HDF5 is missing.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PARTICLES, FRAMES = 3000, 3


def expected_position(frame):
    """As self_identifying in output_support.hpp."""
    ids = np.arange(1, PARTICLES + 1)[:, None]
    return ids + 0.25 * np.arange(3)[None, :] + 1e-6 * frame


def check_with_h5py(path, real, units):
    with h5py.File(path, "r") as file:
        assert list(file["h5md"].attrs["version"]) == [1, 1]
        assert file["h5md/creator"].attrs["name"] == "Sterna"
        group = file["particles/trajectory"]
        assert group["box"].attrs["dimension"] == 3
        assert list(group["box"].attrs["boundary"]) == ["periodic"] * 3
        assert group["box/edges/value"][:].tolist() == [[4000.0] * 3] * FRAMES
        for name in ("position", "velocity", "force", "image"):
            assert group[name]["step"][:].tolist() == [0, 100, 200]
            assert group[name]["time"][:].tolist() == [0.0, 0.5, 1.0]
            assert group[name]["value"].shape == (FRAMES, PARTICLES, 3)
        ids = np.arange(1, PARTICLES + 1)
        assert (group["id"][:] == ids).all()
        assert (group["species"][:] == ids % 3).all()
        assert h5py.check_enum_dtype(group["species"].dtype) == {"A": 0, "B": 1, "C": 2}
        assert (group["mass"][:] == np.array([1.0, 2.5, 4.0])[ids % 3]).all()
        for frame in range(FRAMES):
            position = expected_position(frame)
            assert group["position/value"].dtype == real
            assert (group["position/value"][frame] == position.astype(real)).all()
            assert (group["velocity/value"][frame] == (-position).astype(real)).all()
            assert (group["force/value"][frame] == (2 * position).astype(real)).all()
            assert (group["image/value"][frame][:, 1] == -(ids % 7)).all()
        assert file["observables/temperature/value"][:].tolist() == [1.0, 2.0, 3.0]
        assert file["observables/pressure/step"][:].tolist() == [0, 100, 200]
        assert ("orientation" in group) == units
        if units:
            # Molecules: quaternions w x y z, as self_identifying_orientation.
            orientation = group["orientation/value"]
            assert orientation.shape == (FRAMES, PARTICLES, 4)
            expected = (ids[:, None] + 0.25 * np.arange(3, 7)) * np.array([1, -1, 1, -1])
            assert (orientation[0] == expected.astype(real)).all()
            assert "unit" not in orientation.attrs
            assert group["position/value"].attrs["unit"] == "nm"
            assert group["position/time"].attrs["unit"] == "ps"
            assert group["mass"].attrs["unit"] == "u"
        else:
            assert "unit" not in group["position/value"].attrs


def check_with_mdanalysis(path, convert_units):
    import MDAnalysis

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if convert_units:
            universe = MDAnalysis.Universe(str(path))
        else:
            # A file without units: MDAnalysis wants to be told, and tells its topology reader too,
            # which does not know the option (2.11). So the topology comes first.
            universe = MDAnalysis.Universe.empty(PARTICLES)
            universe.load_new(str(path), convert_units=False)
    assert universe.atoms.n_atoms == PARTICLES
    assert universe.trajectory.n_frames == FRAMES
    length = 10.0 if convert_units else 1.0  # MDAnalysis has Angstrom
    for frame, step in enumerate(universe.trajectory):
        assert step.time == 0.5 * frame
        assert step.data["step"] == 100 * frame
        assert step.data["temperature"] == 1.0 + frame
        assert np.allclose(step.positions, length * expected_position(frame), rtol=1e-6)
        assert np.allclose(step.velocities, -length * expected_position(frame), rtol=1e-6)
        assert np.allclose(step.dimensions, [length * 4000] * 3 + [90] * 3)


def main():
    launch, mpiexec, program = sys.argv[1:]
    digests = set()
    for ranks in (1, 3):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            written = subprocess.run(
                [launch, mpiexec, str(ranks), program, "--no-skip"]
                + ["--test-case=files for other readers"],
                env=os.environ | {"STERNA_TEST_OUTPUT": name},
                capture_output=True,
                text=True,
            )
            if "no HDF5 library was found" in written.stdout:
                print("skipped: no HDF5 library was found")
                return 77
            assert written.returncode == 0, written.stdout + written.stderr
            check_with_h5py(folder / "reduced.h5md", np.float64, units=False)
            check_with_h5py(folder / "nano.h5md", np.float32, units=True)
            digests.add(hashlib.sha256((folder / "reduced.h5md").read_bytes()).hexdigest())
            try:
                import MDAnalysis
            except ImportError as error:
                print(f"not read with MDAnalysis: {error}")
                continue
            check_with_mdanalysis(folder / "reduced.h5md", convert_units=False)
            check_with_mdanalysis(folder / "nano.h5md", convert_units=True)
            print(
                f"{ranks} ranks: read with h5py {h5py.__version__} (HDF5 "
                f"{h5py.version.hdf5_version}) and MDAnalysis {MDAnalysis.__version__}"
            )
    assert len(digests) == 1, "the bytes of the file depend on the number of ranks"
    return 0


if __name__ == "__main__":
    sys.exit(main())
