#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "md/forces/manybody/input/ace_file.hpp"
#include "md/model/ace.hpp"

using namespace sterna::md;

namespace {

constexpr const char* small_file = R"(# two styles of YAML
elements: [Cu]
E0: [-1.5]
deltaSplineBins: 1e-3
embeddings:
  0: {ndensity: 1, FS_parameters: [1, 0.5], npoti: "FinnisSinclair", rho_core_cutoff: 5.,
      drho_core_cutoff: 2}   # over two lines
bonds:
  ? [0, 0]
  : nradmax: 1
    lmax: 1
    nradbasemax: 2
    radbasename: ChebPow
    radparameters: [2]
    radcoefficients:
    - - [1, 0.5]
      - [0.25, -1]
    prehc: 0
    lambdahc: 1
    rcut: 4
    dcut: 0.01
functions:
  0:
    - {mu0: 0, rank: 1, ndensity: 1, num_ms_combs: 1, mus: [0], ns: [2], ls: [0], ms_combs: [0], ctildes: [0.3]}
    - mu0: 0
      rank: 2
      ndensity: 1
      num_ms_combs: 2
      mus: [0, 0]
      ns: [1, 1]
      ls: [1, 1]
      ms_combs: [0, 0, 1, -1]
      ctildes: [1.0, -2.0]
)";

std::string replaced(std::string from, std::string to) {
  std::string text = small_file;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  try {
    const AceTables tables = read_ace_file(text, "Cu.yace");
    const AcePotential potential(tables, {0}, 1.0, 1.0);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a file is read in both styles of YAML") {
  const AceTables tables = read_ace_file(small_file, "Cu.yace");
  REQUIRE(tables.elements.size() == 1);
  CHECK(tables.spacing == 0.001);
  const AceElement& copper = tables.elements[0];
  CHECK(copper.name == "Cu");
  CHECK(copper.lone_energy == -1.5);
  CHECK(!copper.shifted_scaled);
  CHECK(copper.core_limit == 5.0);
  REQUIRE(copper.functions.size() == 2);
  CHECK(copper.functions[0].n == std::vector<int>{1});
  CHECK(copper.functions[1].m == std::vector<int>{0, 0, 1, -1});
  CHECK(copper.functions[1].coefficients == std::vector<double>{1.0, -2.0});
  REQUIRE(tables.bonds.size() == 1);
  CHECK(tables.bonds[0].basis == AceRadialBasis::chebyshev_power);
  CHECK(tables.bonds[0].inner_cutoff == AceInnerCutoff::density);
  CHECK(tables.bonds[0].coefficients == std::vector<double>{1.0, 0.5, 0.25, -1.0});

  // By hand: x = 1 - r / 4 = 1/2 at r = 2, g_k = (1 - T_k(1 - 2 x^2)) / 2.
  const AcePotential potential(tables, {0}, 1.0, 1.0);
  const double g1 = 0.5 - 0.5 * 0.5, g2 = 0.5 - 0.5 * (2.0 * 0.25 - 1.0), radial = 0.25 * g1 - g2;
  const AcePotential::Neighbor neighbor{{0.0, 2.0, 0.0}, 0};
  // Y_10 = sqrt(3) z = 0, and Y_11 Y_1-1 = -(3/2) (x^2 + y^2).
  const double density = 0.3 * g2 - 2.0 * radial * radial * -1.5;
  CHECK(potential.energy(0, {&neighbor, 1}) ==
        doctest::Approx(-1.5 + std::sqrt(density)).epsilon(1e-9));
}

TEST_CASE("what a file lacks or has too much is told with its place") {
  const auto says = [](const std::string& text, const std::string& message) {
    const std::string error = error_of(text);
    CAPTURE(error);
    CHECK(error.find(message) != std::string::npos);
  };
  says(small_file, "none");
  says(replaced("lmax: 1", "lmaxx: 1"),
       "line 11, column 5: the bond Cu-Cu has no key \"lmaxx\"; did you mean \"lmax\"?");
  says(replaced("ChebPow", "ChebPov"),
       "line 13, column 18: there is no radbasename \"ChebPov\"; did you mean \"ChebPow\"?");
  says(replaced("ChebPow", "ACE.jl.base"), "there is ChebExpCos, ChebPow");
  says(replaced("    rcut: 4\n", ""), "the bond Cu-Cu lacks rcut");
  says(replaced("rcut: 4", "rcut: four"),
       "line 20, column 11: rcut is \"four\"; expected a number");
  says(replaced("rcut: 4", "rcut: -4"), "rcut of the bond Cu-Cu is -4; expected more than 0");
  says(replaced("rcut: 4", "rcut: 4\n    rcut: 5"), "line 21, column 5: \"rcut\" is there twice");
  says(replaced("[0.25, -1]", "[0.25]"), "radcoefficients of an n and l has 1 values; expected 2");
  says(replaced("FinnisSinclair", "Finnis"), "did you mean \"FinnisSinclair\"?");
  says(replaced("[1, 0.5], npoti", "[1], npoti"), "FS_parameters has 1 values; expected 2");
  says(replaced("ns: [2]", "ns: [3]"),
       "ns (of nradbasemax) is \"3\"; expected a whole number from 1 to 2");
  says(replaced("ns: [1, 1]", "ns: [1, 2]"), "ns (of nradmax) is \"2\"");
  says(replaced("ls: [1, 1]", "ls: [1, 2]"), "ls (of lmax) is \"2\"");
  says(replaced("[0, 0, 1, -1]", "[0, 0, 2, -2]"), "ms_combs (of ls) is \"2\"");
  says(replaced("[0, 0, 1, -1]", "[0, 0, 1, 0]"), "add up to 1; expected 0");
  says(replaced("[0, 0, 1, -1]", "[0, 0, 1]"), "ms_combs has 3 values; expected 4");
  says(replaced("mus: [0, 0]", "mus: [0, 1]"), "mus is \"1\"");
  says(replaced("mu0: 0, rank: 1, ndensity: 1", "mu0: 1, rank: 1, ndensity: 1"),
       "mu0 of a function of Cu");
  says(replaced("mu0: 0, rank: 1, ndensity: 1", "mu0: 0, rank: 1, ndensity: 2"),
       "ndensity of a function of Cu");
  says(replaced("? [0, 0]", "? [0, 1]"), "the number of an element in bonds is \"1\"");
  says(replaced("? [0, 0]", "? [0]"), "a pair of elements has 1 values");
  says(replaced("embeddings:\n  0:", "embeddings:\n  1:"),
       "the number of an element in embeddings");
  says(replaced("E0: [-1.5]", "E0: [-1.5, 0]"), "E0 has 2 values; expected 1");
  says(replaced("elements: [Cu]", "elements: [Cu, Cu]"), "\"Cu\" is there twice");
  says(replaced("elements: [Cu]", "elements: []"), "there are no elements");
  says(replaced("deltaSplineBins: 1e-3", "deltaSplineBins: 0"), "is not more than 0");
  says(replaced("deltaSplineBins: 1e-3", "deltaSplineBins: 3"), "expected 10 to 1000000 times");
  says(replaced("    dcut: 0.01", "    dcut: 0.01\n    inner_cutoff_type: zbl"),
       "dcut_in (with inner_cutoff_type: zbl)");
  says(replaced("drho_core_cutoff: 2", "drho_core_cutoff: -2"),
       "line 7, column 25: drho_core_cutoff is -2; expected at least 0");
  says(replaced("    dcut: 0.01", "    dcut: 0.01\n    rcut_in: 5\n    dcut_in: 0.5"),
       "rcut_in - dcut_in of the bond Cu-Cu is 4.5, so that nothing remains of its radial "
       "functions; expected less than rcut, which is 4");
  says(replaced("    dcut: 0.01", "    dcut: 0.01\n    rcut_in: 4.4\n    dcut_in: 0.5"), "none");
  for (const std::string exponent : {"0", "-0.5"}) {
    // The plain form has these powers.
    says(replaced("[1, 0.5], npoti", "[1, " + exponent + "], npoti"), "none");
    const std::string scaled = "[1, " + exponent + R"(], npoti: "FinnisSinclairShiftedScaled")";
    says(replaced(R"([1, 0.5], npoti: "FinnisSinclair")", scaled),
         "an exponent in FS_parameters of Cu is " + exponent + "; expected more than 0");
  }
  says(replaced("num_ms_combs: 1, mus: [0], ns: [2], ls: [0], ms_combs: [0], ctildes: [0.3]",
                "num_ms_combs: 2, mus: [0], ns: [2], ls: [0], ms_combs: [0, 0], ctildes: [0.3, 1]"),
       "line 24, column 52: num_ms_combs of a function of rank 1 is 2; expected 1");
  says(replaced("    dcut: 0.01", "    dcut: 0.01\n    inner_cutoff_type: zbll"),
       "did you mean \"zbl\"?");
}

TEST_CASE("what is no YAML of these files is told with its place") {
  const auto says = [](const std::string& text, const std::string& message) {
    const std::string error = error_of(text);
    CAPTURE(error);
    CHECK(error.find(message) != std::string::npos);
  };
  says("", "the file is empty");
  says("# nothing\n\n", "line 3, column 1: the file is empty");
  says("Cu", "expected the file: a map");
  says("nelements=1\nelements: Cu\n", "pair_style pace in its older form");
  says(replaced("[Cu]", "[Cu"), "line 3, column 1: expected \",\" or \"]\"");
  says(replaced("[Cu]", "[Cu]]"), "line 2, column 15: \"]\" stands behind a value");
  says(replaced("[Cu]", "&all [Cu]"), "has a meaning in YAML that is not known here");
  says(replaced("[Cu]", "!!seq [Cu]"), "has a meaning in YAML that is not known here");
  says(replaced("\"FinnisSinclair\"", "\"FinnisSinclair"), "the line ends without \"");
  says(replaced("\"FinnisSinclair\"", "\"Finnis\\tSinclair\""), "escapes in quotes");
  says(replaced("    lmax: 1", "      lmax: 1"), "line 11");
  says(replaced("    lmax: 1", "   lmax: 1"), "line 11");
  says(replaced("E0: [-1.5]", "E0"), "line 3, column 3: expected \":\" behind a key");
  says(replaced("{ndensity: 1,", "{ndensity 1,"), "expected \":\" behind a key");
  says(std::string(small_file) + "  more: 1\n", "line 34");
  says(std::string(1000, '['), "nested too deeply");
  std::string deep;
  for (int k = 0; k < 500; ++k) deep += "- ";
  says(deep + "1", "nested too deeply");
  // Line ends of other systems, and a mark of the begin.
  std::string windows = "---\n";
  for (const char* c = small_file; *c != '\0'; ++c)
    windows += *c == '\n' ? std::string("\r\n") : std::string(1, *c);
  says(windows, "none");
}
