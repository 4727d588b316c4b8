"""Rules of mixing between types, between components, and between both: energies are sums in NumPy by the
formulas of the papers, and LAMMPS has those of exported files. Other tests of LAMMPS, GROMACS and ls1 have
the rules that these know."""

import json
import tomllib
from dataclasses import replace

import numpy
import pytest
from engine_support import script_output
from lammps_support import run_lammps
from mixed_matter import Mixture, Rigid
from sterna import read_log
from sterna.fluids.pair_model import pair_model
from test_export_lammps import sterna
from test_insertion import run
from test_rotors_and_atoms import ARGON, CARBON, DIOXIDE, OXYGEN, POLAR, mixture, write

RULES = ("lorentz_berthelot", "geometric", "waldman_hagler", "kong", "fender_halsey")
BARE = [replace(DIOXIDE, quadrupoles=[]), replace(POLAR, dipoles=[])]

SPHERES = [
    Rigid("neon", masses=[((0, 0, 0), 20.18)], wells=[((0, 0, 0), 0.3, 0.28)]),
    Rigid("xenon", masses=[((0, 0, 0), 131.29)], wells=[((0, 0, 0), 1.9, 0.39)]),
]


def powers(rule: str, one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """The coefficients of -r^-6 and r^-12 of two sites, given by epsilon and sigma."""
    (e, a), (f, b) = one, other
    if rule == "waldman_hagler":
        # J. Comput. Chem. 14, 1077 (1993): the geometric mean of e a^6, and the mean of a^6.
        c6 = 4.0 * numpy.sqrt(e * a**6 * f * b**6)
        return c6, c6 * (a**6 + b**6) / 2.0
    if rule == "kong":
        # J. Chem. Phys. 59, 2464 (1973), equations of e a^6 and e a^12.
        root = ((e * a**12) ** (1 / 13) + (f * b**12) ** (1 / 13)) / 2.0
        return 4.0 * numpy.sqrt(e * a**6 * f * b**6), 4.0 * root**13
    depth = 2.0 / (1.0 / e + 1.0 / f) if rule == "fender_halsey" else numpy.sqrt(e * f)
    size = numpy.sqrt(a * b) if rule == "geometric" else (a + b) / 2.0
    return 4.0 * depth * size**6, 4.0 * depth * size**12


def energy(system: Mixture, rule: str, pairs: dict) -> float:
    """`pairs`: rule, eta and xi of two names."""
    place, owner, values, _ = system._sites("wells")
    _, r, near = system._apart(place, owner, place, owner)
    names = numpy.array(system.names)[system.kind[owner]]
    total = 0.0
    for i, j in zip(*numpy.nonzero(near), strict=True):
        both = pairs.get((names[i], names[j])) or pairs.get((names[j], names[i]))
        of_pair, eta, xi = both or (rule, 1.0, 1.0)
        c6, c12 = powers(of_pair, tuple(values[i]), tuple(values[j]))
        x = (eta / r[i, j]) ** 6
        total += 0.5 * xi * (c12 * x * x - c6 * x)
    return total


def sections_of(pairs: dict) -> str:
    return "".join(
        f'[[pair]]\nfirst = "{a}"\nsecond = "{b}"\nmixing = "{rule}"\neta = {eta}\nxi = {xi}\n'
        for (a, b), (rule, eta, xi) in pairs.items()
    )


def set_rule(folder, rule: str) -> None:
    path = folder / "mixed.toml"
    text = path.read_text()
    path.write_text(text.replace("[interaction]\n", f'[interaction]\nmixing = "{rule}"\n'))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kinds", ["types", "spheres", "components", "both"])
def test_energies_are_sums_by_the_formulas(tmp_path, rule, kinds):
    atoms, rigid, counts, pairs = {
        "types": ([ARGON, OXYGEN], [], [30, 30], {}),
        "spheres": ([], SPHERES, [30, 30], {("neon", "xenon"): (rule, 0.98, 1.05)}),
        "components": ([], BARE, [30, 30], {}),
        "both": (
            [ARGON, OXYGEN], BARE, [12, 12, 20, 20],
            {("Ar", "O"): ("kong", 0.97, 1.1), ("Ar", "CO2"): ("fender_halsey", 1.02, 0.9),
             ("CO2", "polar"): ("waldman_hagler", 1.01, 0.95)},
        ),
    }[kinds]  # fmt: skip
    system = mixture(atoms, rigid, counts, edge=2.6)
    write(tmp_path, system, sections_of(pairs))
    set_rule(tmp_path, rule)
    expected = energy(system, rule, pairs)
    plain = "lorentz_berthelot"
    other = energy(
        system, plain, {names: (plain, *of_pair[1:]) for names, of_pair in pairs.items()}
    )
    assert rule == plain or abs(expected - other) > 1e-4 * abs(other)
    for ranks in (1, 2):
        run(tmp_path, "mixed.toml", ranks)
        (row,) = read_log(tmp_path / "mixed.log.jsonl").rows
        assert row["potential_energy"] == pytest.approx(expected, rel=1e-9)


def test_virial_coefficients_mix_alike(tmp_path):
    pairs = {("Ar", "CO2"): ("kong", 1.02, 0.9)}
    system = mixture([ARGON, CARBON], BARE[:1], [5, 5, 5], edge=2.6)
    write(tmp_path, system, sections_of(pairs))
    set_rule(tmp_path, "waldman_hagler")
    model = pair_model(tmp_path / "mixed.toml")
    argon, carbon, dioxide = model.molecules
    for one, other, rule in ((argon, carbon, "waldman_hagler"), (argon, dioxide, "kong")):
        eta, xi = (1.02, 0.9) if rule == "kong" else (1.0, 1.0)
        epsilon, sigma = model.wells_between(one, other)
        wells = zip(other.epsilon, other.sigma, strict=True)
        for k, well in enumerate(wells):
            c6, c12 = powers(rule, (one.epsilon[0], one.sigma[0]), well)
            assert 4.0 * epsilon[0, k] * sigma[0, k] ** 6 == pytest.approx(xi * eta**6 * c6)
            assert 4.0 * epsilon[0, k] * sigma[0, k] ** 12 == pytest.approx(xi * eta**12 * c12)


@pytest.mark.parametrize("rule", RULES)
def test_lammps_and_an_import_have_the_energies_of_exported_types(rule, lammps, tmp_path):
    """Files have each pair where LAMMPS lacks the rule, and its name where LAMMPS has it."""
    system = mixture([ARGON, CARBON, OXYGEN], [], [20, 20, 20], edge=2.6)
    write(tmp_path, system, run="name = 'first'")
    set_rule(tmp_path, rule)
    path = tmp_path / "mixed.toml"
    path.write_text(path.read_text() + "[output]\ntrajectory_interval = 1\n")
    run(tmp_path, "mixed.toml")
    row = read_log(tmp_path / "first.log.jsonl").rows[0]
    sterna(tmp_path, "export", "first.h5md", "second.data", "--frames", "0")
    script, data = ((tmp_path / f"second.{name}").read_text() for name in ("in", "data"))
    names = {"geometric": "geometric", "waldman_hagler": "sixthpower"}
    known = rule not in ("kong", "fender_halsey")
    assert f"pair_modify mix {names.get(rule, 'arithmetic')}" in script
    assert ("PairIJ Coeffs" in data) == (not known)
    commands = script.replace("second.data", str(tmp_path / "second.data")).splitlines()
    commands = ["atom_modify map array", *commands, "fix advance all nve", "velocity all set 0 0 0"]
    (theirs, *_), _ = run_lammps(lammps, commands, 0, 1, tmp_path, ["evdwl", "press", "vol"])
    assert theirs["evdwl"] * 4.184 == pytest.approx(row["potential_energy"], rel=1e-10)
    # LAMMPS's unit of pressure has seven digits.
    virial = 3.0 * theirs["press"] * theirs["vol"] * 101325e-30 * 6.02214076e20
    assert virial == pytest.approx(row["virial"], rel=1e-6)
    sterna(tmp_path, "import", "second.data", "second.in", "-o", "second.toml")
    found = tomllib.loads((tmp_path / "second.toml").read_text())
    assert found["interaction"].get("mixing", "lorentz_berthelot") == rule
    assert "pair" not in found


BY_PYTHON = """
import json, sterna
energies = {}
for rule in %r:
    settings = sterna.Input(
        units="reduced", run={"timestep": 0.001, "precision": "double"},
        interaction={"cutoff": 3.0, "truncation": "truncated", "mixing": rule},
    )
    system = sterna.System.from_arrays(
        box=[8, 8, 8], position=[[0, 0, 0], [1.5, 0, 0]], type=[0, 1],
        types=[{"name": "a"}, {"name": "b", "epsilon": 3.0, "sigma": 1.4}],
    )
    simulation = sterna.Simulation(settings, system)
    simulation.measure()
    energies[rule] = simulation.thermo["potential_energy"]
print(json.dumps(energies))
"""


def test_a_run_by_python_has_the_rule_of_its_settings(tmp_path):
    found = json.loads(script_output(tmp_path, BY_PYTHON % (RULES,)))
    for rule in RULES:
        c6, c12 = powers(rule, (1.0, 1.0), (3.0, 1.4))
        assert found[rule] == pytest.approx(c12 / 1.5**12 - c6 / 1.5**6, rel=1e-10), rule


MIE = """
[[pair]]
first = "Ar"
second = "Ar"
potential = "mie"
epsilon = 1.0
sigma = 0.34
repulsive_exponent = 14.0

[[pair]]
first = "C"
second = "C"
potential = "mie"
epsilon = 0.5
sigma = 0.36
repulsive_exponent = {}
"""


def test_rules_that_a_potential_lacks_are_named(tmp_path):
    system = mixture([ARGON, CARBON], [], [9, 9])
    for rule, exponent, words in (
        ("kong", 14.0, "it is a rule for the exponents 12 and 6"),
        ("waldman_hagler", 12.0, "an attractive exponent of 6 and equal repulsive exponents"),
        ("waldman_hagler", 14.0, ""),
        ("fender_halsey", 12.0, ""),
    ):
        write(tmp_path, system, MIE.format(exponent))
        path = tmp_path / "mixed.toml"
        text = path.read_text()
        for atom in (ARGON, CARBON):
            text = text.replace(f"epsilon = {atom.epsilon}\nsigma = {atom.sigma}\n", "")
        path.write_text(text)
        set_rule(tmp_path, rule)
        said = run(tmp_path, "mixed.toml", fails=bool(words))
        if words:
            assert (
                f'mixing = "{rule}" gives none for their potential "mie"' in said and words in said
            )
            assert "expected one with first" in said


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("epsilon = 0.5\nxi = 0.9\n", "gives epsilon itself"),
        ("sigma = 0.3\neta = 1.1\n", "gives sigma itself"),
        ('mixing = "kongs"\n', 'did you mean "kong"'),
        ('mixing = "sixthpower"\n', 'did you mean "waldman_hagler"'),
        ('mixing = "kong"\nepsilon = 0.5\nsigma = 0.3\n', "as nothing is mixed"),
        ('mixing = "kong"\npotential = "morse"\ndepth = 1\nalpha = 20\nr0 = 0.3\n',
         'has no meaning with potential = "morse"'),
        ("xi = 0.9\nadds = true\npotential = 'lennard_jones'\nepsilon = 1\nsigma = 0.3\n",
         "has no meaning with adds = true"),
    ],
    ids=["xi", "eta", "name", "name of LAMMPS", "given", "potential", "added"],
)  # fmt: skip
def test_contradictions_are_refused(tmp_path, pair, words):
    system = mixture([ARGON, CARBON], [], [9, 9])
    write(tmp_path, system, f'[[pair]]\nfirst = "Ar"\nsecond = "C"\n{pair}')
    said = run(tmp_path, "mixed.toml", fails=True)
    assert words in said
    assert "mixed.toml:" in said


def test_a_type_alone_has_no_rule(tmp_path):
    system = mixture([ARGON, CARBON], [], [9, 9])
    write(tmp_path, system, '[[pair]]\nfirst = "Ar"\nsecond = "Ar"\nxi = 0.9\n')
    assert '"xi" in [[pair]] is of two unlike types' in run(tmp_path, "mixed.toml", fails=True)


def test_published_models_are_for_the_rule_of_lorentz_and_berthelot(tmp_path):
    system = mixture([ARGON], BARE[:1], [9, 9], edge=2.6)
    write(tmp_path, system)
    path = tmp_path / "mixed.toml"
    text = path.read_text()
    first = text.index("[[component]]")
    model = '[[component]]\nname = "CO2"\nmodel = "carbon_dioxide_trappe"\n\n'
    path.write_text(text[:first] + model + text[text.index("[interaction]") :])
    assert "was published for" not in run(tmp_path, "mixed.toml")
    set_rule(tmp_path, "kong")
    assert 'which was published for "lorentz_berthelot"' in run(tmp_path, "mixed.toml")
