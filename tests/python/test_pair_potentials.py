"""Runs of several pair potentials: ranks, exchange methods, precisions, advice, tables that change."""

import numpy
import pytest
from sterna import read_log

h5py = pytest.importorskip("h5py")

INPUT = """\
[run]
name = "mixture"
steps = {steps}
timestep = 0.002
seed = 5
precision = "{precision}"
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.8
temperature = 1.2
[[type]]
name = "A"
[[type]]
name = "B"
mass = 2.0
[interaction]
cutoff = 2.5
truncation = "{truncation}"
{interaction}
[[pair]]
first = "A"
second = "B"
potential = "buckingham"
amplitude = 2000.0
rho = 0.15
c6 = 1.0
[[pair]]
first = "B"
second = "B"
{last}
[output]
thermo_interval = {thermo}
trajectory_interval = {steps}
trajectory_fields = ["position", "velocity", "force"]
{rest}
"""
MIE = """\
potential = "mie"
epsilon = 0.8
sigma = 0.95
repulsive_exponent = 14
attractive_exponent = 7"""


@pytest.fixture
def mixture(tmp_path):
    def write(steps=20, precision="double", truncation="shifted", last=MIE, **more) -> None:
        more = {"interaction": "", "rest": "", "thermo": 10, **more}
        text = INPUT.format(
            steps=steps, precision=precision, truncation=truncation, last=last, **more
        )
        (tmp_path / "mixture.toml").write_text(text)

    return write


def rows_of_run(sterna, folder, ranks=1) -> list[dict]:
    done = sterna("run", "mixture.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_log(folder / "mixture.log.jsonl").rows


def first_row(sterna, folder, ranks=1) -> dict:
    return rows_of_run(sterna, folder, ranks)[0]


def test_any_number_of_ranks_computes_the_same(mixture, sterna, tmp_path):
    mixture(steps=2, thermo=1)
    expected = first_row(sterna, tmp_path)
    for part in ("lennard_jones", "buckingham", "mie"):
        assert expected[f"pairs_{part}_energy"] != 0.0
    for ranks in range(2, 10):
        row = first_row(sterna, tmp_path, ranks)
        assert row == pytest.approx(expected, rel=1e-11, abs=1e-11), ranks


@pytest.mark.long  # test_run.py has the same of Lennard-Jones pairs
def test_every_exchange_method_gives_the_same_bits(mixture, sterna, tmp_path):
    results = []
    for halo in ("p2p", "rdma_double_buffer", "shm_direct", "auto"):
        for precision in ("double", "mixed"):
            mixture(steps=40, precision=precision, rest=f'[communication]\nhalo = "{halo}"')
            first_row(sterna, tmp_path, 4)
            with h5py.File(tmp_path / "mixture.h5md") as file:
                group = file["particles/trajectory"]
                results.append(
                    (precision, group["position/value"][-1], group["velocity/value"][-1])
                )
    for precision, position, velocity in results[2:]:
        reference = next(result for result in results if result[0] == precision)
        assert numpy.array_equal(position, reference[1])
        assert numpy.array_equal(velocity, reference[2])


def test_mixed_precision_computes_the_same(mixture, sterna, tmp_path):
    for truncation, interaction in (
        ("truncated", "tail_correction = true"),
        ("force_shifted", ""),
        ("switched", "switch_start = 2.0"),
    ):
        # On the lattice of the start all distances are the same, and so is their rounding; the virial
        # is a small difference of large sums there.
        more = {"steps": 40, "thermo": 40, "truncation": truncation, "interaction": interaction}
        mixture(**more)
        row = rows_of_run(sterna, tmp_path)[-1]
        assert row["step"] == 40
        mixture(**more, precision="mixed")
        assert rows_of_run(sterna, tmp_path)[-1] == pytest.approx(row, rel=2e-5, abs=2e-4)


def test_energy_is_conserved(mixture, sterna, tmp_path):
    mixture(steps=400, truncation="force_shifted", thermo=50)
    first_row(sterna, tmp_path)
    energy = read_log(tmp_path / "mixture.log.jsonl")["total_energy"]
    assert numpy.abs(energy - energy[0]).max() < 2e-4 * abs(energy[0])


def test_a_resumed_run_has_the_same_bits_and_notices_another_table(mixture, sterna, tmp_path):
    def table(factor: float) -> None:
        r = numpy.linspace(0.8, 2.5, 500)
        rows = numpy.stack([r, factor * r**-9, 9 * factor * r**-10], axis=1)
        numpy.savetxt(tmp_path / "curve.txt", rows, fmt="%.17g", header="r u -du/dr")

    table(1.0)
    tabulated = 'potential = "tabulated"\ntable = "curve.txt"'
    rest = "checkpoint_interval = 10"
    mixture(steps=120, last=tabulated, rest=rest)
    first_row(sterna, tmp_path, 2)
    whole = read_log(tmp_path / "mixture.log.jsonl").rows
    previous = tmp_path / "mixture.checkpoint.previous"
    previous.replace(tmp_path / "mixture.checkpoint")
    done = sterna("run", "mixture.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "resuming" in done.stdout
    assert read_log(tmp_path / "mixture.log.jsonl").rows == whole
    table(2.0)
    mixture(steps=150, last=tabulated, rest=rest)
    done = sterna("run", "mixture.toml", "-n", 2, "--resume")
    assert done.returncode != 0
    assert "a table of pairs has another content than when the run began" in (
        done.stdout + done.stderr
    )


def test_soft_particles_start_from_random_places(mixture, sterna, tmp_path):
    """Pairs that overlap fully, beside Lennard-Jones pairs."""
    mixture(steps=20, last='potential = "soft"\namplitude = 5.0\ncutoff = 1.2')
    text = (tmp_path / "mixture.toml").read_text()
    text = text.replace('name = "A"', 'name = "A"\nfraction = 0.02').replace(
        'kind = "lattice"\ncells = [6, 6, 6]',
        'kind = "random"\nparticles = 800\nminimum_distance = 0.05',
    )
    (tmp_path / "mixture.toml").write_text(text + "[[limit]]\nforce = 1000.0\n")
    row = first_row(sterna, tmp_path, 2)
    assert numpy.isfinite(row["potential_energy"])


def test_check_advises_on_potentials(mixture, sterna):
    mixture(last='potential = "yukawa"\nstrength = 2.0\nkappa = 0.5')
    done = sterna("check", "mixture.toml")
    output = done.stdout + done.stderr
    assert 'the potential "yukawa" of "B" and "B" still has' in output
    mixture(last='potential = "morse"\ndepth = 1.0\nalpha = 4.0\nr0 = 2.8')
    done = sterna("check", "mixture.toml")
    output = done.stdout + done.stderr
    assert 'the potential "morse" of "B" and "B" ends at 2.5, before it is zero at 2.62' in output


def test_check_knows_the_fastest_motion(mixture, sterna):
    # Two particles of mass 2 in a well of the curvature 2 * 40 * 20^2: a period of 0.0351.
    mixture(last='potential = "morse"\ndepth = 40.0\nalpha = 20.0\nr0 = 1.1')
    done = sterna("check", "mixture.toml")
    output = done.stdout + done.stderr
    assert 'two particles "B" and "B" oscillate about the minimum of their potential in 0.0351' in (
        output
    )
    assert done.returncode == 0


TWO = """\
units = "reduced"
[run]
steps = 0
timestep = 0.002
precision = "{precision}"
[start]
kind = "file"
file = "two.xyz"
box = [4, 4, 4]
[[type]]
name = "A"
epsilon = {epsilon}
sigma = {sigma}
[interaction]
cutoff = 1.9
truncation = "truncated"
tail_correction = "none"
"""


@pytest.mark.parametrize(
    ("epsilon", "sigma", "distance", "is_lost"),
    [
        # 12 c12 is 5e-55, which is 0 in single precision: only the attraction would be left.
        (1e-20, 1e-3, 1.2e-3, True),
        (1e-60, 1.0, 1.2, True),
        (1e-41, 1.0, 1.2, True),
        # As in Go models: c6 is 0 in single precision, and nothing beside the repulsion.
        (1e-93, 1e8, 1.8, False),
        (3e-35, 113.0, 0.24, False),
        (1e-18, 1.0, 1.2, False),
    ],
)
def test_mixed_precision_loses_no_part_of_a_pair(
    epsilon, sigma, distance, is_lost, sterna, tmp_path
):
    (tmp_path / "two.xyz").write_text(f"2\n\nA 1 1 1\nA {1 + distance!r} 1 1\n")
    path = tmp_path / "two.toml"
    right = 4 * epsilon * ((sigma / distance) ** 12 - (sigma / distance) ** 6)
    for precision in ("double", "mixed"):
        path.write_text(TWO.format(precision=precision, epsilon=epsilon, sigma=sigma))
        done = sterna("run", "two.toml", "-n", 1, "--overwrite")
        if precision == "mixed" and is_lost:
            assert done.returncode == 2, done.stdout
            assert "two.toml:5:" in done.stderr and "below 1.2e-38" in done.stderr
            continue
        assert done.returncode == 0, done.stderr
        energy = read_log(tmp_path / "two.log.jsonl").rows[0]["potential_energy"]
        assert energy == pytest.approx(right, rel=1e-5, abs=0.0)
