"""Who leaves out what a part must have reads one error of the compiler, which says what it is."""

import pytest
from added_code import errors_of
from conftest import ROOT

PAIRS = "forces/pair/pair_potential_table.cpp"
BONDED = "forces/bonded/bonded_table.cpp"


def errors_without(table: str, file: str, member: str, folder) -> str:
    """Of a table, where a member of a struct in one of its files has another name."""
    text = (ROOT / "src" / "md" / file).read_text(encoding="utf-8")
    assert f" {member}" in text
    changed = folder / "src" / "md" / file
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(f" {member}", f" {member}_of_another_name"), encoding="utf-8")
    return errors_of(ROOT / "src" / "md" / table, PAIRS, folder)


@pytest.mark.parametrize(
    ("table", "file", "member", "sentence"),
    [
        (PAIRS, "forces/pair/potentials/morse.hpp", "formula", "a pair potential has all members"),
        (PAIRS, "forces/pair/potentials/morse.hpp", "evaluate", "a pair potential has all members"),
        (PAIRS, "forces/pair/potentials/mie.hpp", "coefficients", "a pair potential has all"),
        (PAIRS, "forces/pair/potentials/mie.hpp", "mixing", "a pair potential that mixes has"),
        (BONDED, "forces/bonded/terms/harmonic_bond.hpp", "energy_name", "a bonded term has all"),
        (BONDED, "forces/bonded/terms/harmonic_bond.hpp", "atoms", "a bonded term has all members"),
        (BONDED, "forces/bonded/terms/morse_bond.hpp", "coefficients", "a bonded term has all"),
    ],
)
def test_a_member_that_is_missing_is_named(table, file, member, sentence, tmp_path):
    said = errors_without(table, file, member, tmp_path)
    assert said.count("error: ") == 1, said
    assert sentence in said.split("error: ")[1]
    assert f"::{member}" in said.split("error: ")[1]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            "make_thermostat<NoseHooverThermostat>",
            "make_thermostat<std::reference_wrapper<const ThermostatRequest>>",
            "a row makes a class of the base of its table",
        ),
        (
            "explicit NoseHooverThermostat(const ThermostatRequest& request)",
            "explicit NoseHooverThermostat(const ThermostatRequest& request, int)",
            "a row makes a class whose constructor takes what it is made from",
        ),
    ],
)
def test_a_class_that_no_row_can_make_is_refused(before, after, sentence, tmp_path):
    text = (ROOT / "src/md/integrate/thermostats/nose_hoover_chain.cpp").read_text(encoding="utf-8")
    assert before in text
    source = tmp_path / "thermostat.cpp"
    source.write_text(text.replace(before, after), encoding="utf-8")
    said = errors_of(source, PAIRS, tmp_path)
    assert said.count("error: ") == 1, said
    assert sentence in said
