#include "md/forces/pair/input/potential_page.hpp"

#include <fmt/format.h>

#include "md/forces/pair/pair_potential_table.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {
namespace {

constexpr std::string_view potentials_introduction = R"(# Pair potentials

<!-- Generated from src/md/forces/pair/potentials; the test test_potential_page keeps it so. -->

Two types are a Lennard-Jones pair, by mixing, unless a `[[pair]]` gives them another potential:

```toml
[[pair]]
first = "Na"
second = "Cl"
potential = "born_mayer_huggins"
amplitude = "0.2110 eV"
sigma = "2.755 angstrom"
rho = "0.317 angstrom"
c6 = "6.9905 eV*angstrom^6"
c8 = "8.6757 eV*angstrom^8"
```

A run may have several potentials; the log then shows the energy, the virial and the time of each.
A `[[pair]]` with `adds = true` acts besides what its types have already, so that the sum of several
potentials acts between them.
All of them work in every precision, on every instruction set and any number of ranks, beside
`[electrostatics]`, and with every `truncation` in `[interaction]`:

- `"truncated"`: cut off.
- `"shifted"`: moved to be zero at the cutoff.
- `"force_shifted"`: the force goes to zero, too.
- `"switched"`: smoothly to zero between `switch_start` and the cutoff, by the switching function of
  CHARMM.
- `"quintic_switched"`: the same by that of OpenMM, which is potential-switch of GROMACS.
- `"force_switched"`: the force of each power goes smoothly to zero from `switch_start` on, as in
  CHARMM (vfswitch) and LAMMPS (charmmfsw). For `lennard_jones` only.
- `"cubic_force_switched"`: the force goes smoothly to zero by a polynomial of third order, which is
  force-switch of GROMACS.

`tail_correction` adds what a cut off or switched potential lacks, by the potential's own integral.

A pair may have a `cutoff` of its own, shorter than that of the run, and its own `truncation` and
`switch_start`. A type needs no epsilon and sigma where each of its pairs has a potential. The force
is -du/dr. Plain numbers are in the [units](input.md#numbers-and-units) of the input. How to add one
of your own: [add a pair potential](howto/add-a-pair-potential.md).

| potential | what it is |
|---|---|
)";

constexpr std::string_view unlike_types = R"(
## Unlike types

Two types that have the same potential with themselves mix by the rule of that potential, if it has
one. So N types need N `[[pair]]`s:

```toml
[[pair]]
first = "CH3"
second = "CH3"
potential = "mie"
epsilon = "121.25 K"
sigma = "3.783 angstrom"
repulsive_exponent = 16.0

[[pair]]
first = "CH2"
second = "CH2"
potential = "mie"
epsilon = "61.0 K"
sigma = "3.99 angstrom"
repulsive_exponent = 16.0
```

The page of a potential has its rule. Many have that of the Lennard-Jones potential, which `mixing`
in `[interaction]` names:

| `mixing` | epsilon | sigma |
|---|---|---|
| `"lorentz_berthelot"` | sqrt(e1 e2) | (s1 + s2) / 2 |
| `"geometric"` | sqrt(e1 e2) | sqrt(s1 s2) |
| `"waldman_hagler"` | 2 sqrt(e1 e2) s1^3 s2^3 / (s1^6 + s2^6) | ((s1^6 + s2^6) / 2)^(1/6) |
| `"kong"` | C6^2 / (4 C12) | (C12 / C6)^(1/6) |
| `"fender_halsey"` | 2 e1 e2 / (e1 + e2) | (s1 + s2) / 2 |

Here e1, s1 and e2, s2 are epsilon and sigma of the two. For Kong's rule C6 = 4 sqrt(e1 s1^6 e2 s2^6)
and C12 = 4 (((e1 s1^12)^(1/13) + (e2 s2^12)^(1/13)) / 2)^13. Two that are alike are not changed, and
one with epsilon = 0 interacts with none. Other lengths, such as `smooth_start`, have the mean that
sigma has: geometric, of sixth powers in `"waldman_hagler"`, else arithmetic.

- `"lorentz_berthelot"`: Lorentz, Ann. Phys. 248, 127 (1881); Berthelot, C. R. Acad. Sci. 126, 1703
  (1898).
- `"geometric"`: Good and Hope, J. Chem. Phys. 53, 540 (1970). OPLS has it.
- `"waldman_hagler"`: Waldman and Hagler, J. Comput. Chem. 14, 1077 (1993). LAMMPS calls it
  `sixthpower`.
- `"kong"`: Kong, J. Chem. Phys. 59, 2464 (1973).
- `"fender_halsey"`: Fender and Halsey, J. Chem. Phys. 36, 1881 (1962).

The rule holds for sites of `[[component]]`s, too. Two types or components may have another rule and
the factors `eta` of sigma and `xi` of epsilon:

```toml
[interaction]
cutoff = "1.4 nm"
mixing = "waldman_hagler"

[[pair]]
first = "Ar"
second = "CO2"
mixing = "kong"
xi = 0.98
```

Where a potential has none, or the two have different ones,
an error names the `[[pair]]` that is missing. Two types that both have `epsilon` or `sigma` in
`[[type]]` are a Lennard-Jones pair, and the check of the input says so. A `[[pair]]` of the two
overrides any rule.
)";

std::string potential_markdown(const PairPotentialRow& row) {
  std::string text = fmt::format(
      "# `{0}`\n\n<!-- Written from the row of the potential by ./dev docs. -->\n\n{1}\n\n"
      "```text\nu(r) = {2}\n```\n\nSource: {3}.\n\nHow pairs end at the cutoff, and how to give "
      "one: "
      "[pair potentials](../potentials.md).\n",
      row.name, row.sentence, row.formula, row.source);
  if (row.own_end != nullptr) {
    text += "\nIt ends by itself: `truncation` changes nothing, and nothing is missing beyond.\n";
  }
  text += row.mix == nullptr
              ? "\nUnlike types: no rule of mixing; each unlike pair needs a `[[pair]]`.\n"
              : fmt::format("\nUnlike types: {}.\n", row.mixing);
  if (row.finite_at_zero && !row.reads_table) {
    text += "\nIt is finite at r = 0.\n";
  }
  if (row.reads_table) {
    text +=
        "\nThe key `table` names a file with lines of three numbers: the distance, the energy, and "
        "the force -du/dr. Distances ascend, equally spaced or not. Below the first the force "
        "stays "
        "what it is there; the potential ends at the last, or at the cutoff before it.\n\n"
        "```text\n# r    u         -du/dr\n1.0   4.000000  24.00000\n1.1  -0.983373   4.39536\n"
        "```\n";
    return text;
  }
  text += "\n| parameter | value | default | meaning |\n|---|---|---|---|\n";
  for (const PairParameter& parameter : row.parameters) {
    const std::string_view noun = dimension_noun(parameter.dimension);
    const std::string range = range_text(parameter.range);
    text += fmt::format("| `{}` | {}{}{} | {} | {} |\n", parameter.name,
                        noun.substr(noun.find(' ') + 1), range.empty() ? "" : " ", range,
                        row.name == "lennard_jones" ? "mixed"
                        : parameter.required        ? "required"
                                                    : fmt::format("`{}`", parameter.preset),
                        parameter.description);
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> potential_pages() {
  std::map<std::string, std::string> pages;
  for (const PairPotentialRow& row : pair_potential_table()) {
    pages[fmt::format("potentials/{}.md", row.name)] = potential_markdown(row);
  }
  return pages;
}

std::string potential_page_markdown() {
  std::string page(potentials_introduction);
  for (const PairPotentialRow& row : pair_potential_table()) {
    page += fmt::format("| [`{0}`](potentials/{0}.md) | {1} |\n", row.name, row.sentence);
  }
  return page.append(unlike_types);
}

}  // namespace sterna::md
