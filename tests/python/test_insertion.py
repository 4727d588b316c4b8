"""[insertion]: energies of inserted molecules are those of sums over all pairs in NumPy and differences
of total energies; chemical potentials are those of an equation of state and of other random numbers."""

import subprocess
from dataclasses import replace

import numpy
import pytest
from conftest import sterna_command, sterna_environment
from mixed_matter import Atom, Mixture, Rigid
from sterna import read_log
from test_rotors_and_atoms import ARGON, CARBON, DIOXIDE, POLAR, WATER, electrolyte, mixture, write

BOLTZMANN = 0.00831446261815324
METHANE = Atom("CH4", 16.043, 1.2309, 0.373)
#: As large as real ones, so that no molecule falls into another.
QUADRUPOLE = replace(DIOXIDE, quadrupoles=[((0, 0, 0), -0.009)])
#: No net charge, a dipole and a quadrupole of charges, unlike any other molecule here.
BENT = Rigid(
    "bent",
    masses=[((0, 0, 0), 12.0), ((0.09, 0, 0.05), 2.0), ((-0.09, 0, 0.05), 2.0)],
    wells=[((0, 0, 0), 0.5, 0.29), ((0.09, 0, 0.05), 0.2, 0.2), ((-0.09, 0, 0.05), 0.4, 0.25)],
    charges=[((0, 0, 0), -0.4), ((0.09, 0, 0.05), 0.3), ((-0.09, 0, 0.05), 0.1)],
)
SODIUM = Atom("Na", 22.99, 0.4, 0.26, charge=0.5)
CHLORINE = Atom("Cl", 35.45, 0.6, 0.4, charge=-0.5)
THERMOSTAT = """
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.2
"""


def insertion(count: int, more: str = "", temperature: float = 300.0) -> str:
    return (
        THERMOSTAT.format(temperature=temperature)
        + f"[insertion]\ninterval = 1\ninsertions = {count}\n{more}\n"
    )


def run(folder, name: str, ranks: int = 1, fails: bool = False, more=("--overwrite",)) -> str:
    command = [*sterna_command(), "run", name, *more]
    command += ["--ranks", str(ranks)]
    done = subprocess.run(
        command,
        cwd=folder,
        env=sterna_environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    said = done.stdout + done.stderr
    assert (done.returncode != 0) == fails, said
    return said


def results(folder, name: str) -> tuple[dict, dict]:
    """The values of the file, and of each kind its lowest energy, with place and orientation."""
    values, lowest = {}, {}
    for line in (folder / f"{name}.insertion.txt").read_text().splitlines():
        if not line.startswith("#"):
            quantity, mean, error = line.split()
            values[quantity] = float(mean), float(error)
        elif "lowest energy" in line:
            kind, _, rest = line[2:].partition(": lowest energy ")
            numbers = rest.replace("quaternion", " ").replace("at", " ").replace(",", " ").split()
            lowest[kind] = numpy.array([float(number) for number in numbers])
    return values, lowest


def with_one_more(system: Mixture, name: str, lowest: numpy.ndarray) -> Mixture:
    return system.copy(
        kind=numpy.append(system.kind, system.names.index(name)),
        position=numpy.vstack([system.position, lowest[1:4]]),
        orientation=numpy.vstack([system.orientation, lowest[4:8]]),
    )


@pytest.mark.parametrize("site_cutoff", [False, True])
@pytest.mark.parametrize("ranks", [1, 3])
def test_energies_are_sums_over_pairs(tmp_path, site_cutoff, ranks):
    # Every pair of sites that there is; two kinds are not in the box.
    system = mixture(
        [ARGON, CARBON, METHANE], [QUADRUPOLE, POLAR, BENT], [9, 5, 0, 12, 12, 0],
        site_cutoff=site_cutoff, edge=2.8,
        factors={("Ar", "CO2"): (1.02, 0.9), ("CO2", "polar"): (0.98, 1.1)},
        own_pairs={("Ar", "C"): (0.5, 0.36), ("C", "CH4"): (0.6, 0.35)},
    )  # fmt: skip
    write(tmp_path, system, insertion(5000), run='name = "m"')
    run(tmp_path, "mixed.toml", ranks)
    values, lowest = results(tmp_path, "m")
    assert set(lowest) == set(system.names)
    for name in system.names:
        expected = with_one_more(system, name, lowest[name]).energy() - system.energy()
        assert lowest[name][0] == pytest.approx(expected, abs=1e-10 * (1 + abs(system.energy())))
        assert numpy.linalg.norm(lowest[name][4:]) == pytest.approx(1.0)
    # Kinds that are not in the box have a Henry constant only.
    assert "henry_constant_bent" in values
    assert "fugacity_bent" not in values


FLUID = """\
units = "nano"
[run]
name = "{name}"
steps = 0
timestep = 0.001
precision = "double"
[start]
kind = "file"
file = "{start}"
temperature = 300
[[component]]
name = "EOX"
model = "ethylene_oxide"
[[component]]
name = "C2H6"
model = "ethane_2cljq"
[[component]]
name = "CO2"
model = "carbon_dioxide_merker"
[[pair]]
first = "EOX"
second = "CO2"
xi = 0.95
[interaction]
cutoff = 1.0
truncation = "truncated"
electrostatics = "reaction_field"
reaction_field_epsilon = 8.0
tail_correction = true
"""


def test_energies_are_differences_of_totals(tmp_path):
    """With a reaction field and what lies beyond the cutoff, of molecules with dipoles and
    quadrupoles."""
    system = mixture([], [QUADRUPOLE, POLAR, BENT], [20, 20, 0], edge=2.4)
    text = system.start_file().replace("CO2 ", "EOX ").replace("polar ", "C2H6 ")
    (tmp_path / "start.xyz").write_text(text)
    (tmp_path / "fluid.toml").write_text(
        FLUID.format(name="f", start="start.xyz") + insertion(2000)
    )
    run(tmp_path, "fluid.toml")
    values, lowest = results(tmp_path, "f")

    def total(start: str) -> float:
        (tmp_path / "total.toml").write_text(FLUID.format(name="t", start=start))
        run(tmp_path, "total.toml")
        return read_log(tmp_path / "t.log.jsonl")["potential_energy"][0]

    before = total("start.xyz")
    for name in ("EOX", "C2H6", "CO2"):
        lines = text.splitlines()
        lines[0] = str(int(lines[0]) + 1)
        lines.append(f"{name} " + " ".join(repr(float(x)) for x in lowest[name][1:]))
        (tmp_path / "more.xyz").write_text("\n".join(lines) + "\n")
        assert lowest[name][0] == pytest.approx(total("more.xyz") - before, abs=1e-9)


@pytest.mark.parametrize("kind", ["ewald", "fmm"])
def test_energies_of_charges_at_any_distance(tmp_path, kind):
    """Charges and dipoles, among rigid molecules with charges and dipoles and atoms with charges."""
    system = mixture(
        [CARBON, SODIUM, CHLORINE], [BENT, POLAR, WATER], [9, 6, 6, 12, 12, 0],
        edge=2.6, charges_far=True,
    )  # fmt: skip
    accuracy = "1e-8" if kind == "ewald" else "1e-5"
    more = f'[electrostatics]\nkind = "{kind}"\naccuracy = {accuracy}\n'
    for ranks in (1, 3):
        write(tmp_path, system, more + insertion(3000), run=f'name = "m{ranks}"')
        run(tmp_path, "mixed.toml", ranks)
        _, lowest = results(tmp_path, f"m{ranks}")
        assert set(lowest) == {"C", "bent", "polar", "water"}  # no ions
        for name in lowest:
            expected = with_one_more(system, name, lowest[name]).energy() - system.energy()
            # Dipoles are two charges in NumPy.
            tolerance = 3e-6 if kind == "ewald" else 1e-3
            assert lowest[name][0] == pytest.approx(expected, abs=tolerance * (1 + abs(expected)))


def test_rigid_molecules_among_flexible_ones(tmp_path):
    """Atoms of molecules have the charges of the topology, and are no kind to insert."""
    system, molecules = electrolyte(quadrupolar=False)
    more = '[electrostatics]\nkind = "ewald"\naccuracy = 1e-8\n' + insertion(3000)
    write(tmp_path, system, more, run='name = "m"', molecules=molecules)
    run(tmp_path, "mixed.toml", ranks=2)
    _, lowest = results(tmp_path, "m")
    assert set(lowest) == {one.name for one in system.rigid}
    for name in lowest:
        expected = with_one_more(system, name, lowest[name]).energy() - system.energy()
        assert lowest[name][0] == pytest.approx(expected, abs=3e-6 * (1 + abs(expected)))


def test_a_single_insertion_is_its_weight(tmp_path):
    system = mixture([ARGON], [QUADRUPOLE], [1, 1], edge=4.0)
    write(tmp_path, system, insertion(1), run='name = "m"')
    run(tmp_path, "mixed.toml")
    values, lowest = results(tmp_path, "m")
    for name in ("Ar", "CO2"):
        energy = lowest[name][0]
        assert values[f"excess_chemical_potential_{name}"][0] == pytest.approx(energy, abs=1e-12)
        density = values[f"density_{name}"][0]
        heat = BOLTZMANN * 300.0
        fugacity = values[f"fugacity_{name}"][0]  # bar; 1 kJ/mol/nm^3 is 16.6053906717 bar
        assert fugacity == pytest.approx(
            16.6053906717 * heat / 4.0**3 * numpy.exp(energy / heat), rel=1e-9
        )
        assert density > 0.0


def test_means_are_those_of_other_random_numbers(tmp_path):
    """Places and orientations are uniform: NumPy's own insertions have the same mean."""
    system = mixture([], [QUADRUPOLE, BENT], [6, 6], edge=2.2)
    write(tmp_path, system, insertion(20000, "orientations = 2"), run='name = "m"')
    run(tmp_path, "mixed.toml")
    values, _ = results(tmp_path, "m")
    random = numpy.random.default_rng(11)
    before, heat = system.energy(), BOLTZMANN * 300.0
    for name in ("CO2", "bent"):
        weights = []
        for _ in range(500):
            place = numpy.concatenate([[0.0], random.uniform(0, 2.2, 3), random.normal(size=4)])
            place[4:] /= numpy.linalg.norm(place[4:])
            more = with_one_more(system, name, place)
            overlaps = more.lennard_jones() > system.lennard_jones() + 1000.0 * heat
            weights.append(0.0 if overlaps else numpy.exp((before - more.energy()) / heat))
        found = numpy.exp(-values[f"excess_chemical_potential_by_kT_{name}"][0])
        error = numpy.std(weights) / numpy.sqrt(len(weights))
        assert found == pytest.approx(numpy.mean(weights), abs=4.0 * error)


def test_ranks_give_the_same_file(tmp_path):
    system = mixture([ARGON], [QUADRUPOLE, POLAR], [20, 20, 20], edge=2.8)
    texts = []
    for ranks in (1, 2, 3, 5, 8, 9):
        write(tmp_path, system, insertion(300), run=f'name = "m{ranks}"')
        run(tmp_path, "mixed.toml", ranks)
        texts.append(results(tmp_path, f"m{ranks}"))
    for values, lowest in texts[1:]:
        assert values.keys() == texts[0][0].keys()
        for name, (mean, _) in values.items():
            assert mean == pytest.approx(texts[0][0][name][0], rel=1e-10, abs=1e-10)
        for kind, place in lowest.items():
            numpy.testing.assert_allclose(place, texts[0][1][kind], rtol=1e-10, atol=1e-10)


LIQUID = """\
units = "reduced"
[run]
name = "lj"
steps = {steps}
timestep = 0.004
seed = 5
[start]
kind = "lattice"
lattice = "fcc"
cells = [4, 4, 4]
density = {density}
temperature = {temperature}
[[type]]
name = "LJ"
[interaction]
cutoff = 2.9
truncation = "truncated"
tail_correction = true
[output]
equilibration = 1000
"""


@pytest.mark.parametrize(
    ("temperature", "density", "reference"),
    # By the equation of state of Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016).
    [(1.5, 0.5, -1.3379), (2.0, 0.7, 0.9769), (1.0, 0.02, -0.2117)],
)
def test_chemical_potential_of_lennard_jones(tmp_path, temperature, density, reference):
    more = "" if density < 0.6 else "insertions = 3000"
    text = LIQUID.format(steps=4000, density=density, temperature=temperature)
    text += THERMOSTAT.format(temperature=temperature)
    text += f"[insertion]\ninterval = 20\n{more}\n"
    (tmp_path / "lj.toml").write_text(text)
    run(tmp_path, "lj.toml")
    values, _ = results(tmp_path, "lj")
    mean, error = values["excess_chemical_potential_by_kT_LJ"]
    assert error < 0.05
    assert mean == pytest.approx(reference, abs=3.0 * error + 0.015)


ETHANE = """\
units = "nano"
[run]
name = "ethane"
steps = 8000
timestep = "3 fs"
seed = 4
[start]
kind = "lattice"
lattice = "fcc"
cells = [3, 3, 3]
density = "{density} mol/l"
temperature = "{temperature} K"
[[component]]
name = "ethane"
model = "ethane_2cljq"
[interaction]
cutoff = 1.1
truncation = "truncated"
tail_correction = true
[output]
equilibration = 2000
thermo_interval = 20
[insertion]
interval = 10
insertions = 500
orientations = 2
"""


@pytest.mark.parametrize(
    ("temperature", "density", "reference", "pressure"),
    # By the equation of state of two-center Lennard-Jones fluids with quadrupoles of Saager and Fischer
    # (Fluid Phase Equilib. 72, 67 (1992)) and Lisal, as teqp 0.23.2 has it: L/sigma = 0.68094,
    # Q^2/(eps sigma^5) = 0.07. Pressures in bar.
    [(350, 8.0, -1.2994, 105.8), (300, 12.0, -2.1991, 64.6)],
)
def test_chemical_potential_of_ethane(tmp_path, temperature, density, reference, pressure):
    """Orientations, the angle-averaged correction and the quadrupole of a molecule."""
    text = ETHANE.format(temperature=temperature, density=density)
    (tmp_path / "ethane.toml").write_text(text + THERMOSTAT.format(temperature=temperature))
    run(tmp_path, "ethane.toml")
    values, _ = results(tmp_path, "ethane")
    mean, error = values["excess_chemical_potential_by_kT_ethane"]
    assert error < 0.05
    assert mean == pytest.approx(reference, abs=4.0 * error + 0.03)
    log = read_log(tmp_path / "ethane.log.jsonl")
    pressures = log["pressure"][log["step"] >= 2000]
    # The pressure forgets in some tens of steps what it was.
    apart = numpy.std(pressures) / numpy.sqrt(len(pressures) / 4.0)
    assert numpy.mean(pressures) == pytest.approx(pressure, abs=4.5 * apart)


REFUSED = {
    "an ion": ('components = ["Na"]', "", 'components = ["Na"]', "has a charge"),
    "a name": ('components = ["watr"]', "", 'components = ["watr"]', 'did you mean "water"'),
    "twice": ('components = ["C", "C"]', "", "components", "twice"),
    "no temperature": ("", "thermostat", "interval = 1", "expected a [thermostat]"),
    "no ensemble": ("", "velocity_scaling", "interval = 1", "samples none"),
    "a wall": ("", "wall", "interval = 1", "[[wall]]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_named(tmp_path, case):
    keys, change, place, words = REFUSED[case]
    system = mixture([CARBON, SODIUM, CHLORINE], [WATER], [9, 6, 6, 12], edge=2.6)
    text = insertion(10, keys)
    if change == "thermostat":
        text = text.replace(THERMOSTAT.format(temperature=300.0), "")
    elif change == "velocity_scaling":
        text = text.replace("stochastic_velocity_rescaling", change).replace(
            "time_constant = 0.2\n", ""
        )
    elif change == "wall":
        text += '[[wall]]\npotential = "reflecting"\naxis = "z"\n'
    write(tmp_path, system, '[electrostatics]\nkind = "fmm"\n' + text)
    said = run(tmp_path, "mixed.toml", fails=True)
    assert words in said
    line = next(line for line in said.splitlines() if words in line)
    number = int(line.split("mixed.toml:")[1].split(":")[0])
    assert place in (tmp_path / "mixed.toml").read_text().splitlines()[number - 1]


def test_a_narrow_box_is_refused(tmp_path):
    system = mixture([ARGON], [QUADRUPOLE], [4, 4], edge=2.2, cutoff=2.4)
    write(tmp_path, system, insertion(10))
    assert "wider than the range" in run(tmp_path, "mixed.toml", ranks=2, fails=True)


def test_few_insertions_that_carry_the_mean_are_warned_of(tmp_path):
    system = mixture([ARGON], [QUADRUPOLE, POLAR], [20, 20, 20], edge=1.9, cutoff=0.9)
    write(tmp_path, system, insertion(200), run='name = "m"')
    said = run(tmp_path, "mixed.toml")
    assert "carry the mean" in said or "overlaps" in said


def test_few_blocks_cannot_tell_of_correlation(tmp_path):
    """A run of up to 255 samples has a block of each, and few of them say nothing of slow changes."""
    system = mixture([ARGON], [], [6], edge=2.4, cutoff=0.9)
    for steps, told in ((0, "1 block of 1 sample cannot"), (9, "10 blocks of 1 sample"), (59, "")):
        write(tmp_path, system, insertion(200), run='name = "m"')
        path = tmp_path / "mixed.toml"
        path.write_text(path.read_text().replace("steps = 0", f"steps = {steps}"))
        said = run(tmp_path, "mixed.toml")
        assert told in said
        assert ("cannot tell how slowly" in said) == bool(told)


def test_one_block_with_all_the_weight_has_no_error(tmp_path):
    """In a dense liquid most places are overlaps, and of three one alone is none with some seeds."""
    system = mixture([ARGON], [], [64], edge=1.5, cutoff=0.7)
    for seed in range(1, 40):
        write(tmp_path, system, insertion(1), run=f'name = "m"\nseed = {seed}')
        path = tmp_path / "mixed.toml"
        path.write_text(path.read_text().replace("steps = 0", "steps = 2"))
        said = run(tmp_path, "mixed.toml")
        if "has all the weight" in said:
            break
    else:
        pytest.fail("no run has one block with all the weight")
    assert "so that the variance of blocks is not finite" in said
    assert "changes so slowly" not in said
