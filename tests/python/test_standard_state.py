"""What a restraint costs a molecule without interactions: published values, sampling, and a run."""

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import sterna_command, sterna_environment
from sterna.errors import SternaError
from sterna.free_energies import (
    FieldsFile,
    free_energies_of_states,
    read_fields,
    read_states,
    restraint_free_energy,
)
from sterna.free_energies.command import write_profile

KCAL = 4.184  # kJ
THERMAL = 0.00831446261815324 * 298.15  # kJ/mol
STANDARD_VOLUME = 1.66053906717384  # nm^3
CHAIN = "abcABC"
VARIABLES = {
    "r": ("distance", "aA"),
    "t1": ("angle", "baA"),
    "t2": ("angle", "aAB"),
    "p1": ("torsion", "cbaA"),
    "p2": ("torsion", "baAB"),
    "p3": ("torsion", "aABC"),
}


def head(restraint: dict[str, tuple[float, float]], variables=VARIABLES, **more: str) -> FieldsFile:
    """The head of a file. `restraint`: center and stiffness by variable."""
    constants = {"kT": str(THERMAL), "standard_volume": str(STANDARD_VOLUME)} | more
    for name, (center, stiffness) in restraint.items():
        kind, groups = variables[name]
        constants |= {
            f"variable.{name}": kind, f"variable.{name}.groups": ",".join(groups),
            f"b_{name}.center": str(center), f"b_{name}.stiffness": str(stiffness),
            f"b_{name}.kind": "harmonic", f"b_{name}.variable": name,
        }  # fmt: skip
    return FieldsFile(Path("run.colvar"), {}, constants)


def test_published_restraints():
    """Boresch et al. (2003), equation 32, and a harmonic restraint to a point, both at 298.15 K."""
    stiff = {name: (math.pi / 2.0, 100.0 * KCAL) for name in VARIABLES}
    stiff["r"] = (0.5, 10.0 * KCAL * 100.0)
    found = restraint_free_energy(head(stiff))
    assert found.is_oriented
    assert found.free_energy * THERMAL / KCAL == pytest.approx(10.24, abs=0.01)
    product = math.prod(stiffness for _, stiffness in stiff.values())
    equation_32 = math.log(
        8.0 * math.pi**2 * STANDARD_VOLUME * math.sqrt(product)
        / (0.5**2 * (2.0 * math.pi * THERMAL) ** 3)
    )  # fmt: skip
    assert found.free_energy == pytest.approx(equation_32, abs=0.01)
    # The limit is that of stiff restraints.
    stiffer = {name: (center, 1e4 * stiffness) for name, (center, stiffness) in stiff.items()}
    assert restraint_free_energy(head(stiffer)).free_energy - 3.0 * math.log(1e4) == pytest.approx(
        equation_32, abs=1e-5
    )
    at_point = restraint_free_energy(head({"r": (0.0, 10.0 * KCAL * 100.0)}))
    assert not at_point.is_oriented
    assert at_point.free_energy * THERMAL / KCAL == pytest.approx(5.27, abs=0.01)
    exact = math.log(STANDARD_VOLUME / (2.0 * math.pi * THERMAL / 4184.0) ** 1.5)
    assert at_point.free_energy == pytest.approx(exact, abs=1e-10)


def test_a_wall_and_a_soft_ball():
    """A wall leaves a ball, and a soft edge."""
    walls = {
        "variable.r": "distance", "variable.r.groups": "a,A", "w.upper_wall": "0.8",
        "w.stiffness": "5000", "w.kind": "wall", "w.variable": "r",
    }  # fmt: skip
    found = restraint_free_energy(head({}, **walls))
    width = THERMAL / 5000.0
    ball = 4.0 / 3.0 * math.pi * 0.8**3
    edge = math.sqrt(math.pi / 2.0 * width) * (0.8**2 + width) + 2.0 * 0.8 * width
    left = ball + 4.0 * math.pi * edge
    assert found.free_energy == pytest.approx(math.log(STANDARD_VOLUME / left), abs=1e-10)
    assert found.biases == ["w"]


def turned(random: np.random.Generator, count: int, places: np.ndarray) -> np.ndarray:
    """The places of a rigid molecule (n, 3) in `count` random orientations."""
    q = random.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.einsum("ijk,nj->kni", matrix, places)


def angle(a, b, c):
    u, v = a - b, c - b
    product = (u * v).sum(-1) / (np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1))
    return np.arccos(np.clip(product, -1.0, 1.0))


def torsion(a, b, c, d):
    u, v, w = b - a, c - b, d - c
    n, m = np.cross(u, v), np.cross(v, w)
    return np.arctan2((np.cross(n, m) * v).sum(-1) / np.linalg.norm(v, axis=-1), (n * m).sum(-1))


def test_six_variables_by_sampling():
    """A rigid molecule at random places and orientations beside a chain that stands still."""
    random = np.random.default_rng(11)
    restraint = {
        "r": (0.6, 300.0), "t1": (1.1, 12.0), "t2": (2.3, 9.0),
        "p1": (-2.8, 6.0), "p2": (0.4, 7.0), "p3": (3.0, 5.0),
    }  # fmt: skip
    fixed = dict(
        zip("cba", np.array([[-0.3, 0.1, 0.2], [-0.2, 0.0, 0.0], [0.0, 0.0, 0.0]]), strict=True)
    )
    molecule = np.array([[0.0, 0.0, 0.0], [0.15, 0.0, 0.0], [0.2, 0.14, 0.0]])
    half = 1.2  # of a cube around a; beyond it the restraint leaves nothing
    weights = []
    for _ in range(20):
        place = random.uniform(-half, half, (100_000, 1, 3))
        at = turned(random, 100_000, molecule) + place
        x = fixed | {name: at[:, k] for k, name in enumerate("ABC")}
        energy = 0.0
        for name, (center, stiffness) in restraint.items():
            kind, groups = VARIABLES[name]
            where = [np.broadcast_to(x[group], (100_000, 3)) for group in groups]
            if kind == "distance":
                away = np.linalg.norm(where[1] - where[0], axis=1) - center
            else:
                away = (angle if kind == "angle" else torsion)(*where) - center
            if kind == "torsion":
                away -= 2.0 * np.pi * np.round(away / (2.0 * np.pi))
            energy = energy + 0.5 * stiffness * away**2
        weights.append(np.exp(-energy / THERMAL).mean())
    mean, error = np.mean(weights), np.std(weights) / math.sqrt(len(weights) - 1)
    assert error < 0.03 * mean
    sampled = -math.log(mean)  # from a volume of (2 half)^3 on
    found = restraint_free_energy(head(restraint), standard_volume=(2.0 * half) ** 3)
    assert found.free_energy == pytest.approx(sampled, abs=6.0 * error / mean)


def test_other_orders_of_groups_and_biases():
    stiff = {name: (1.0, 400.0) for name in VARIABLES}
    found = restraint_free_energy(head(stiff))
    backwards = {name: (kind, groups[::-1]) for name, (kind, groups) in VARIABLES.items()}
    order = {name: stiff[name] for name in reversed(stiff)}
    assert restraint_free_energy(head(order, backwards)).free_energy == pytest.approx(
        found.free_energy, abs=1e-12
    )
    # A bias that is off in this state is none.
    off = head(stiff, **{"m.kind": "moving", "m.stiffness": "0"})
    assert restraint_free_energy(off) == found


@pytest.mark.parametrize(
    ("changed", "groups"),
    [("p1", "cbAa"), ("p3", "aABb"), ("t1", "aAB"), ("r", "bA"), ("p2", "bABC"), ("t2", "aAC")],
)
def test_variables_that_are_no_chain(changed, groups):
    variables = VARIABLES | {changed: (VARIABLES[changed][0], groups)}
    with pytest.raises(SternaError, match="a chain of six groups"):
        restraint_free_energy(head({name: (1.0, 400.0) for name in VARIABLES}, variables))


def test_what_is_no_restraint():
    two = {"r": (0.5, 100.0), "t1": (1.0, 100.0)}
    with pytest.raises(
        SternaError, match=r"one distance.* there are: b_r of a distance, b_t1 of a"
    ):
        restraint_free_energy(head(two))
    with pytest.raises(SternaError, match="there are: none"):
        restraint_free_energy(head({"r": (0.5, 0.0)}))
    pulls = {
        "p.kind": "constant_force",
        "p.variable": "r",
        "p.force": "1",
        "variable.r": "distance",
    }
    with pytest.raises(SternaError, match="'p' is no restraint"):
        restraint_free_energy(head({}, **pulls))
    with pytest.raises(SternaError, match="what kind of variable 'x' is"):
        restraint_free_energy(head({}, **{"u.kind": "harmonic", "u.variable": "x"}))
    cold = head({"r": (0.5, 100.0)})
    del cold.constants["kT"]
    with pytest.raises(SternaError, match="give --temperature"):
        restraint_free_energy(cold)


def test_options_that_do_not_go_together(tmp_path):
    path = tmp_path / "run.colvar"
    path.write_text("#! FIELDS time x\n")

    def asked(files, variable=None, radial=False):
        return write_profile(files, variable, None, None, None, radial, None, standard_state=True)

    with pytest.raises(SternaError, match="--variable does not go with --standard-state"):
        asked([path], variable="x")
    with pytest.raises(SternaError, match="--radial does not go with --standard-state"):
        asked([path], radial=True)
    with pytest.raises(SternaError, match=r"expected one NAME\.colvar"):
        asked([path, path])


# Two atoms that do not interact, and whose distance is held in four states.
PAIR = """\
units = "nano"
[run]
name = "pair"
steps = 60000
timestep = "10 fs"
seed = 4
[start]
kind = "file"
file = "pair.extxyz"
temperature = "300 K"
[[type]]
name = "A"
mass = "10 u"
epsilon = 0.0
sigma = 0.3
[[type]]
name = "B"
mass = "10 u"
epsilon = 0.0
sigma = 0.3
[interaction]
cutoff = "0.5 nm"
[thermostat]
kind = "langevin"
temperature = "300 K"
time_constant = "0.5 ps"
[[group]]
name = "one"
select = "type A"
[[group]]
name = "other"
select = "type B"
[[variable]]
name = "r"
kind = "distance"
groups = ["one", "other"]
[[bias]]
name = "hold"
kind = "harmonic"
variable = "r"
center = 0.4
stiffness = 500.0
[[state]]
bias = [{ name = "hold", stiffness = 0.0 }]
[[state]]
bias = [{ name = "hold", stiffness = 15.0 }]
[[state]]
bias = [{ name = "hold", stiffness = 90.0 }]
[[state]]
bias = [{ name = "hold", stiffness = 500.0 }]
[replicas]
interval = 50
[output]
thermo_interval = 1000
variables_interval = 1000
"""


def test_replicas_of_a_held_atom(tmp_path):
    """Exchanges between no restraint and a stiff one cost what the integral says."""
    edge = 1.5
    (tmp_path / "pair.extxyz").write_text(
        f'2\nLattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3\n'
        "A 0.2 0.2 0.2\nB 0.6 0.2 0.2\n"
    )
    (tmp_path / "pair.toml").write_text(PAIR)

    def sterna(*arguments: str) -> str:
        done = subprocess.run(
            sterna_command(*arguments), cwd=tmp_path, env=sterna_environment(), check=False,
            capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    sterna("run", "pair.toml", "-n", "1")
    files = [read_states(tmp_path / f"pair.state-{k}.dhdl.xvg") for k in range(4)]
    runs = free_energies_of_states([file.from_time(5.0) for file in files])
    held = tmp_path / "pair.replica-3.colvar"
    shown = sterna("free-energy", "--standard-state", held.name).splitlines()
    thermal = 0.00831446261815324 * 300.0
    values = [float(word) for word in shown[1].split()]
    assert values[1:] == pytest.approx([thermal, STANDARD_VOLUME], rel=1e-5)
    found = restraint_free_energy(read_fields(held))
    assert values[0] == pytest.approx(found.free_energy, abs=1e-6)
    from_box = found.free_energy + math.log(edge**3 / STANDARD_VOLUME)
    assert runs.error[-1] < 0.1
    assert runs.free_energy[-1] == pytest.approx(from_box, abs=6.0 * runs.error[-1])
