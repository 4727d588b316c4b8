"""Every pair potential that LAMMPS has too: the same energies, virial and forces."""

import numpy
import pytest
from lammps_support import Type, run_lammps
from sterna import read_log
from test_lammps import MIXING, perturbed_crystal
from test_lammps_salt import CUBE, write_ions

h5py = pytest.importorskip("h5py")

CUTOFF = 2.5

# Of both programs: parameters of three pairs, the second and third of which are weaker or smaller.
POTENTIALS = {
    "lennard_jones": (
        f"lj/cut {CUTOFF}",
        ("epsilon", "sigma"),
        [(1.0, 1.0), (0.8, 0.95), (0.6, 1.05)],
        lambda epsilon, sigma: (epsilon, sigma),
    ),
    "mie": (
        f"mie/cut {CUTOFF}",
        ("epsilon", "sigma", "repulsive_exponent", "attractive_exponent"),
        [(1.0, 1.0, 14.0, 7.0), (0.8, 0.95, 11.5, 5.25), (0.6, 1.05, 12.0, 6.0)],
        lambda *values: values,
    ),
    "buckingham": (
        f"buck {CUTOFF}",
        ("amplitude", "rho", "c6"),
        [(2000.0, 0.15, 1.0), (1500.0, 0.15, 0.8), (900.0, 0.16, 1.2)],
        lambda *values: values,
    ),
    "born_mayer_huggins": (
        f"born {CUTOFF}",
        ("amplitude", "sigma", "rho", "c6", "c8"),
        [(1.0, 1.1, 0.15, 0.5, 0.3), (0.8, 1.0, 0.14, 0.4, 0.2), (1.2, 1.05, 0.16, 0.6, 0.1)],
        lambda amplitude, sigma, rho, c6, c8: (amplitude, rho, sigma, c6, -c8),
    ),
    "morse": (
        f"morse {CUTOFF}",
        ("depth", "alpha", "r0"),
        [(1.0, 4.0, 1.1), (0.8, 5.0, 1.0), (1.2, 4.5, 1.05)],
        lambda *values: values,
    ),
    "yukawa": (
        f"yukawa 1.5 {CUTOFF}",
        ("strength", "kappa"),
        [(2.0, 1.5), (1.0, 1.5), (3.0, 1.5)],
        lambda strength, kappa: (strength,),  # noqa: ARG005
    ),
    "weeks_chandler_andersen": (
        f"lj/cut {CUTOFF}",
        ("epsilon", "sigma"),
        [(1.0, 1.0), (0.8, 0.95), (0.6, 1.05)],
        lambda epsilon, sigma: (epsilon, sigma, 2 ** (1 / 6) * sigma),
    ),
    "soft": (f"soft {CUTOFF}", ("amplitude",), [(5.0,), (3.0,), (8.0,)], lambda value: (value,)),
    "lennard_jones_expanded": (
        f"lj/expand {CUTOFF - 0.1}",
        ("epsilon", "sigma", "displacement"),
        [(1.0, 0.9, 0.1), (0.8, 0.85, 0.1), (0.6, 0.95, 0.1)],
        lambda *values: values,
    ),
    "lennard_jones_smoothed": (
        f"lj/smooth 1.5 {CUTOFF}",
        ("epsilon", "sigma", "smooth_start"),
        [(1.0, 1.0, 1.5), (0.8, 0.95, 1.5), (0.6, 1.05, 1.5)],
        lambda epsilon, sigma, smooth_start: (epsilon, sigma),  # noqa: ARG005
    ),
    "lennard_jones_cubic": (
        "lj/cubic",
        ("epsilon", "sigma"),
        [(1.0, 1.0), (0.8, 0.95), (0.6, 1.05)],
        lambda *values: values,
    ),
    "inverse_power": (
        f"born {CUTOFF}",
        ("epsilon", "sigma", "exponent"),
        [(1.0, 1.0, 8.0), (0.8, 0.95, 8.0), (0.6, 1.05, 8.0)],
        lambda epsilon, sigma, exponent: (0.0, 1.0, 0.0, 0.0, epsilon * sigma**exponent),
    ),
    "gaussian": (
        f"gauss/cut {CUTOFF}",
        ("height", "width", "center"),
        [(-2.0, 0.5, 1.1), (1.0, 0.6, 1.0), (3.0, 0.4, 0.3)],
        lambda height, width, center: (height * (2.0 * numpy.pi) ** 0.5 * width, center, width),
    ),
    "uhlenbeck_ford": (
        f"ufm {CUTOFF}",
        ("epsilon", "sigma"),
        [(2.0, 0.8), (1.5, 0.9), (3.0, 0.7)],
        lambda *values: values,
    ),
    "beck": (
        f"beck {CUTOFF}",
        ("amplitude", "alpha", "c6", "core", "steep_length", "quadrupole_length"),
        [
            (2000.0, 6.0, 1.0, 0.3, 1.8, 2.709**0.5),
            (1500.0, 6.5, 0.8, 0.4, 1.6, 2.709**0.5),
            (900.0, 6.2, 1.2, 0.5, 2.0, 2.709**0.5),
        ],
        lambda a, alpha, c6, core, steep, quadrupole: (a, c6, core, alpha, steep**-6),  # noqa: ARG005
    ),
    "cosine_squared": (
        f"cosine/squared {CUTOFF}",
        ("epsilon", "r0", "repulsion"),
        [(1.0, 1.1, 1.0), (0.8, 1.0, 0.0), (1.2, 1.2, 1.0)],
        lambda epsilon, r0, repulsion: (epsilon, r0, *(["wca"] if repulsion else [])),
    ),
    "wang_frenkel": (
        f"wf/cut {CUTOFF}",
        ("epsilon", "sigma", "mu", "nu"),
        [(1.0, 1.0, 1.0, 1.0), (0.8, 0.95, 2.0, 1.0), (1.2, 1.05, 1.0, 2.0)],
        lambda epsilon, sigma, mu, nu: (epsilon, sigma, int(nu), int(mu)),
    ),
    "harmonic_repulsion": (
        "harmonic/cut",
        ("stiffness", "cutoff"),
        [(50.0, 1.4), (40.0, 1.3), (60.0, 1.5)],
        lambda stiffness, cutoff: (0.5 * stiffness, cutoff),
    ),
}
#: Those that end by themselves.
OWN_END = ("weeks_chandler_andersen", "soft", "lennard_jones_cubic", "cosine_squared",
           "wang_frenkel", "harmonic_repulsion")  # fmt: skip

THERMO = [
    "neighbor 0.3 bin",
    "fix advance all nve",
    "compute pair_pressure all pressure NULL virial",
    "thermo_style custom step pe ke pxx pyy pzz vol",
    "thermo_modify norm no press pair_pressure",
]


def two_types():
    return perturbed_crystal((6, 5, 6), 0.8, [Type(), Type(2.0)], seed=4)


def start(data) -> list[str]:
    return ["units lj", "atom_style atomic", "atom_modify map array", f"read_data {data}"]


def input_text(types: int, pairs: str, truncation: str, tail: bool = False) -> str:
    text = f"""\
units = "reduced"
[run]
name = "comparison"
steps = 0
timestep = 0.001
[start]
kind = "file"
file = "start.data"
[interaction]
cutoff = {CUTOFF}
truncation = "{truncation}"
tail_correction = {"true" if tail else "false"}
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""
    for number in range(types):
        text += f'[[type]]\nname = "T{number}"\nmass = {1.0 + number}\n'
    return text + pairs


def word(value) -> str:
    return value if isinstance(value, str) else repr(value)


def pair_text(first: int, second: int, potential: str, values: dict) -> str:
    keys = "".join(f"{key} = {value!r}\n" for key, value in values.items())
    return (
        f'[[pair]]\nfirst = "T{first}"\nsecond = "T{second}"\npotential = "{potential}"\n{keys}'
    ).replace("'", '"')


def compare(lammps, sterna, commands, text, ranks, folder):
    peer_rows, peer = run_lammps(lammps, commands + THERMO, 0, 1, folder)
    (folder / "input.toml").write_text(text)
    done = sterna("run", "input.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(folder / "comparison.log.jsonl").rows[0]
    with h5py.File(folder / "comparison.h5md") as file:
        force = file["particles/trajectory/force/value"][0]
    assert row["potential_energy"] == pytest.approx(peer_rows[0]["potential_energy"], rel=1e-10)
    # That of LAMMPS has the correction in it.
    virial = row["virial"] + row.get("tail_correction_virial", 0.0)
    assert virial == pytest.approx(peer_rows[0]["virial"], rel=1e-10)
    scale = numpy.sqrt((peer["force"] ** 2).sum(axis=1).mean())
    assert numpy.abs(force - peer["force"]).max() < 1e-10 * scale
    return row


@pytest.mark.parametrize("truncation", ["truncated", "shifted"])
@pytest.mark.parametrize("potential", POTENTIALS)
def test_a_potential_is_that_of_lammps(potential, truncation, lammps, sterna, tmp_path):
    system = two_types()
    system.write_data(tmp_path / "start.data")
    style, keys, values, to_lammps = POTENTIALS[potential]
    ends = potential in OWN_END
    shift = "yes" if ends or truncation == "shifted" else "no"
    tail = "yes" if shift == "no" and potential in ("lennard_jones", "mie", "buckingham") else "no"
    commands = [*start(tmp_path / "start.data"), f"pair_style {style}"]
    if potential in ("beck", "lennard_jones_expanded") and truncation == "shifted":
        pytest.skip("LAMMPS does not shift it, or not to 0")
    if potential != "soft":
        commands.append(f"pair_modify shift {shift} tail {tail}")
    pairs = ""
    for (i, j), numbers in zip(((0, 0), (0, 1), (1, 1)), values, strict=True):
        commands.append(f"pair_coeff {i + 1} {j + 1} {' '.join(map(word, to_lammps(*numbers)))}")
        pairs += pair_text(i, j, potential, dict(zip(keys, numbers, strict=True)))
    text = input_text(2, pairs, truncation, tail == "yes")
    row = compare(lammps, sterna, commands, text, 1 + (truncation == "shifted"), tmp_path)
    # All pairs are of one kind: the term has its name.
    assert f"{potential}_energy" in row


@pytest.mark.parametrize("rule", ["lorentz_berthelot", "geometric", "waldman_hagler"])
@pytest.mark.parametrize(
    "potential",
    ["mie", "weeks_chandler_andersen", "lennard_jones_expanded", "lennard_jones_smoothed"],
)
def test_unlike_types_mix_as_in_lammps(potential, rule, lammps, sterna, tmp_path):
    system = perturbed_crystal((6, 5, 6), 0.8, [Type(), Type(2.0), Type(3.0)], seed=6)
    system.write_data(tmp_path / "start.data")
    style, keys, values, to_lammps = POTENTIALS[potential]
    if potential == "mie" and rule == "waldman_hagler":  # a rule for equal exponents
        values = [(epsilon, sigma, 9.0, 6.0) for epsilon, sigma, *_ in values]
    commands = [
        *start(tmp_path / "start.data"),
        f"pair_style {style}",
        f"pair_modify shift yes mix {MIXING[rule]}",
    ]
    pairs = ""
    for n, numbers in enumerate(values):
        commands.append(f"pair_coeff {n + 1} {n + 1} {' '.join(map(word, to_lammps(*numbers)))}")
        pairs += pair_text(n, n, potential, dict(zip(keys, numbers, strict=True)))
    text = input_text(3, pairs, "shifted").replace(
        "[interaction]", f'[interaction]\nmixing = "{rule}"'
    )
    if potential == "lennard_jones_expanded":  # LAMMPS shifts it not to 0
        commands = [line.replace("shift yes", "shift no") for line in commands]
        text = text.replace('"shifted"', '"truncated"')
    row = compare(lammps, sterna, commands, text, 1 + (rule == "geometric"), tmp_path)
    assert f"{potential}_energy" in row
    assert "lennard_jones_energy" not in row


def test_a_table_is_that_of_lammps(lammps, sterna, tmp_path):
    system = two_types()
    system.write_data(tmp_path / "start.data")
    count = 50000
    r = numpy.sqrt(numpy.linspace(0.7**2, CUTOFF**2, count))
    # 1/r^9 and a wave, so that nothing is a power of r^2.
    energy = r**-9 + 0.3 * numpy.cos(4.0 * r)
    force = 9 * r**-10 + 1.2 * numpy.sin(4.0 * r)
    rows = numpy.stack([r, energy, force], axis=1).tolist()
    with (tmp_path / "table.txt").open("w") as file:
        file.write("# r u -du/dr\n")
        file.writelines(f"{a!r} {b!r} {c!r}\n" for a, b, c in rows)
    with (tmp_path / "table.lammps").open("w") as file:
        file.write(f"WAVE\nN {count} RSQ 0.7 {CUTOFF}\n\n")
        file.writelines(f"{n} {a!r} {b!r} {c!r}\n" for n, (a, b, c) in enumerate(rows, 1))
    commands = [
        *start(tmp_path / "start.data"),
        f"pair_style table spline {count}",
        f"pair_coeff * * {tmp_path / 'table.lammps'} WAVE {CUTOFF}",
    ]
    pairs = "".join(
        pair_text(i, j, "tabulated", {"table": "table.txt"}) for i, j in ((0, 0), (0, 1), (1, 1))
    )
    compare(lammps, sterna, commands, input_text(2, pairs, "truncated"), 2, tmp_path)


def test_a_mixture_is_that_of_lammps(lammps, sterna, tmp_path):
    """Three types and six kinds of pair; one is left to mixing."""
    system = perturbed_crystal((6, 5, 6), 0.8, [Type(), Type(2.0), Type(3.0)], seed=5)
    system.write_data(tmp_path / "start.data")
    styles = {
        (0, 1): "morse",
        (0, 2): "born_mayer_huggins",
        (1, 1): "buckingham",
        (1, 2): "mie",
        (2, 2): "yukawa",
    }
    names = " ".join(POTENTIALS[name][0] for name in ("lennard_jones", *styles.values()))
    commands = [
        *start(tmp_path / "start.data"),
        f"pair_style hybrid {names}",
        "pair_modify shift yes",
        "pair_coeff 1 1 lj/cut 1.0 1.0",
    ]
    pairs = ""
    for (i, j), potential in styles.items():
        style, keys, values, to_lammps = POTENTIALS[potential]
        numbers = values[(i + j) % 3]
        coefficients = " ".join(map(repr, to_lammps(*numbers)))
        commands.append(f"pair_coeff {i + 1} {j + 1} {style.split()[0]} {coefficients}")
        pairs += pair_text(i, j, potential, dict(zip(keys, numbers, strict=True)))
    row = compare(lammps, sterna, commands, input_text(3, pairs, "shifted"), 3, tmp_path)
    parts = [row[f"pairs_{name}_energy"] for name in ("lennard_jones", *styles.values())]
    assert sum(parts) == pytest.approx(row["potential_energy"], rel=1e-12)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_melt_of_ions_is_that_of_lammps(ranks, lammps, sterna, tmp_path):
    write_ions(tmp_path, CUBE)
    ions = {  # Fumi and Tosi (1964): eV, angstrom
        (0, 0): (0.2637, 2.340, 0.317, 1.0486, 0.4993),
        (0, 1): (0.2110, 2.755, 0.317, 6.9905, 8.6757),
        (1, 1): (0.1582, 3.170, 0.317, 72.4015, 145.4272),
    }
    commands = [
        "units metal",
        "atom_style charge",
        "atom_modify map array",
        "read_data start.data",
        "pair_style born/coul/long 8.5 8.5",
        "pair_modify shift yes",
        "kspace_style ewald 1e-10",
    ]
    text = """\
units = "metal"
[run]
name = "salt"
steps = 0
timestep = 0.001
[start]
kind = "file"
file = "start.extxyz"
[[type]]
name = "Na"
mass = 22.98977
charge = 1.0
[[type]]
name = "Cl"
mass = 35.453
charge = -1.0
[interaction]
cutoff = 8.5
truncation = "shifted"
[electrostatics]
kind = "fmm"
accuracy = 1e-5
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""
    for (i, j), (amplitude, sigma, rho, c6, c8) in ions.items():
        commands.append(f"pair_coeff {i + 1} {j + 1} {amplitude} {rho} {sigma} {c6} {-c8}")
        text += f"""\
[[pair]]
first = "{("Na", "Cl")[i]}"
second = "{("Na", "Cl")[j]}"
potential = "born_mayer_huggins"
amplitude = {amplitude}
sigma = {sigma}
rho = {rho}
c6 = {c6}
c8 = {c8}
"""
    peer_rows, peer = run_lammps(lammps, commands + THERMO, 0, 1, tmp_path)
    (tmp_path / "salt.toml").write_text(text)
    done = sterna("run", "salt.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "salt.log.jsonl").rows[0]
    with h5py.File(tmp_path / "salt.h5md") as file:
        force = file["particles/trajectory/force/value"][0]
    # The accuracy is that of the charges.
    energy = peer_rows[0]["potential_energy"]
    assert row["potential_energy"] == pytest.approx(energy, rel=1e-5)
    scale = 96.48533212 * 10.0  # eV/angstrom in kJ/mol/nm
    difference = force / scale - peer["force"]
    assert numpy.sqrt((difference**2).sum() / (peer["force"] ** 2).sum()) < 2e-5
