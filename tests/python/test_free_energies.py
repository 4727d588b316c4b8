"""Free energies of samples and hills that are known exactly."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import sterna_command, sterna_environment
from sterna.errors import SternaError
from sterna.free_energies import profile_of_hills, profile_of_windows, read_fields
from sterna.free_energies.command import write_profile

pymbar = pytest.importorskip("pymbar")

THERMAL = 0.8
CENTERS = (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5)


def double_well(x: np.ndarray) -> np.ndarray:
    return 2.0 * (x**2 - 1.0) ** 2 + 0.5 * x


def write_window(path: Path, center: float, count: int, stiffness: float = 10.0, **more) -> Path:
    """Independent samples of the double well with an umbrella, by the inverse of its integral."""
    grid = np.linspace(-3.0, 3.0, 20_001)
    energy = double_well(grid) + 0.5 * stiffness * (grid - center) ** 2
    weight = np.exp(-(energy - energy.min()) / THERMAL)
    total = np.cumsum(weight)
    generator = np.random.default_rng(round(100 * center) + 7_000)
    samples = np.interp(generator.random(count), total / total[-1], grid)
    kind = more.get("kind", "harmonic")
    head = f"#! FIELDS time x u.bias\n#! SET u.center {center}\n#! SET u.stiffness {stiffness}\n"
    head += f"#! SET u.kind {kind}\n#! SET u.variable x\n#! SET kT {THERMAL}\n"
    rows = [
        f"{k} {x:.10g} {0.5 * stiffness * (x - center) ** 2:.10g}" for k, x in enumerate(samples)
    ]
    path.write_text(head + "\n".join(rows) + "\n")
    return path


def test_windows_give_the_double_well(tmp_path):
    files = [
        read_fields(write_window(tmp_path / f"w{k}.colvar", center, 3000))
        for k, center in enumerate(CENTERS)
    ]
    profile = profile_of_windows(files, bins=60)
    inner = np.abs(profile.values) < 1.3
    away = (profile.free_energy - double_well(profile.values))[inner]
    away -= away.mean()
    error = profile.error[inner]
    assert 0.01 < error.max() < 0.2
    assert np.abs(away).max() < 6.0 * error.max()
    # Errors are neither too small nor too large by far.
    assert 0.2 < np.sqrt((away**2).mean()) / np.sqrt((error**2).mean()) < 3.0
    assert not profile.warnings


def test_windows_that_do_not_overlap_are_told(tmp_path):
    files = [
        read_fields(write_window(tmp_path / f"w{k}.colvar", center, 300, stiffness=300.0))
        for k, center in enumerate((-1.0, 1.0))
    ]
    profile = profile_of_windows(files, bins=20)
    assert any("overlap" in warning for warning in profile.warnings)


def test_hills_give_minus_their_sum(tmp_path):
    path = tmp_path / "run.hills"
    head = (
        "#! FIELDS time phi sigma_phi height biasf\n#! SET multivariate false\n"
        "#! SET kerneltype stretched-gaussian\n#! SET min_phi -pi\n#! SET max_phi pi\n"
    )
    centers = [3.0, -3.1, 0.2, 1.0]
    path.write_text(head + "".join(f"{k} {c} 0.4 {1.0 + k} 1\n" for k, c in enumerate(centers)))
    profile = profile_of_hills(read_fields(path), points=50)
    wanted = np.zeros(50)
    for k, c in enumerate(centers):
        away = (profile.values - c + np.pi) % (2 * np.pi) - np.pi
        hill = (np.exp(-0.5 * (away / 0.4) ** 2) - np.exp(-6.25)) / (1.0 - np.exp(-6.25))
        wanted += (1.0 + k) * np.where(0.5 * (away / 0.4) ** 2 < 6.25, hill, 0.0)
    np.testing.assert_allclose(profile.free_energy, wanted.max() - wanted, atol=1e-12)


def test_the_command_and_its_mistakes(tmp_path):
    folder = tmp_path / "windows"
    folder.mkdir()
    for k, center in enumerate(CENTERS):
        (folder / str(k)).mkdir()
        write_window(folder / str(k) / "run.colvar", center, 300)

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            sterna_command("free-energy", *arguments),
            cwd=tmp_path, env=sterna_environment(), capture_output=True, text=True, timeout=300,
            check=False,
        )  # fmt: skip

    done = command("windows", "-o", "profile.txt", "--bins", "30", "--energies", "u.npz")
    assert done.returncode == 0, done.stderr
    assert "independent samples" in done.stderr
    table = read_fields(tmp_path / "profile.txt")
    assert list(table.columns) == ["x", "free_energy", "error"]
    assert table.column("free_energy").min() == 0.0
    # What pymbar makes of the energies are the windows' free energies: by quadrature.
    states = np.load(tmp_path / "u.npz")
    found = pymbar.MBAR(states["u_kn"], states["N_k"]).compute_free_energy_differences()
    grid = np.linspace(-3.0, 3.0, 20_001)
    integrals = [
        np.exp(-(double_well(grid) + 5.0 * (grid - center) ** 2) / THERMAL).sum()
        for center in CENTERS
    ]
    wanted = -np.log(np.array(integrals) / integrals[0])
    away = np.abs(found["Delta_f"][0] - wanted)[1:]
    assert (away < 6.0 * found["dDelta_f"][0][1:]).all()
    (tmp_path / "damaged.colvar").write_text("#! FIELDS time x\n0 1\n1 2 3\n")
    (tmp_path / "empty").mkdir()
    for arguments, message in (
        (("damaged.colvar",), "damaged.colvar:3: expected 2 numbers"),
        (("none.colvar",), "cannot be read"),
        (("empty",), "and no NAME.colvar in this folder"),
        (("windows/0/run.colvar",), "at least two windows"),
        (("windows", "--variable", "y"), "expected one harmonic bias on 'y'"),
        (("windows", "--radial"), "above 0"),
        (("windows", "--from", "295"), "at least 10"),
    ):
        done = command(*arguments)
        assert done.returncode == 1
        assert message in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["profile.png", "profile.svg", "profile.doc"])
def test_a_profile_is_plotted(tmp_path, name):
    pytest.importorskip("matplotlib")
    files = [write_window(tmp_path / f"w{k}.colvar", x, 100) for k, x in enumerate(CENTERS[:2])]
    plot = tmp_path / name
    if plot.suffix == ".doc":
        with pytest.raises(SternaError, match=r"profile\.doc: .*supported formats"):
            write_profile(files, None, None, None, None, False, None, plot=plot)
        return
    _, messages = write_profile(files, None, None, None, None, False, None, plot=plot)
    assert messages[-1] == f"wrote {plot}"
    assert plot.stat().st_size > 1000


def test_files_that_are_no_tables(tmp_path):
    path = tmp_path / "x.colvar"
    for text, message in (
        ("1 2\n", ":1: expected a line #! FIELDS"),
        ("\n", "no table"),
        ("#! FIELDS time x\n0 nan\n", ":2: expected 2 numbers"),
        ("#! FIELDS time x\n0 1\n#! FIELDS time y\n", ":3: the columns change"),
    ):
        path.write_text(text)
        with pytest.raises(SternaError, match=message.replace(".", r"\.")):
            read_fields(path)
    # A run may be writing the last line.
    path.write_text("#! FIELDS time x\n0 1\n1 2")
    assert list(read_fields(path).column("x")) == [1.0]
