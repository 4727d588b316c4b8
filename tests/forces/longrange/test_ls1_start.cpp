// Step 0 of ls1-MarDyn's argon, carbon dioxide and ethylene oxide: potential energy and virial with
// the correction beyond the cutoff.

#include <doctest/doctest.h>

#include <fstream>
#include <limits>
#include <string>

#include "forces/longrange/molecules.hpp"
#include "forces/molecular/molecular_system.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/simd/instruction_set.hpp"

using namespace sterna::md;

namespace {

struct Published {
  const char* name;
  const char* file;
  double length;
  Component component;
  double potential_energy, kinetic_energy, pressure;
  int rotations;  ///< degrees of freedom
};

test::MolecularSystem read_start(const std::string& path, double length) {
  std::ifstream file(path);
  std::string word;
  std::size_t count = 0;
  while (file >> word && word != "NumberOfMolecules" && word != "N") continue;
  file >> count;
  file >> word >> word;  // MoleculeFormat ICRVQD
  test::MolecularSystem system{
      .box = {{length, length, length}}, .center = {}, .orientation = {}, .component = {}};
  for (std::size_t k = 0; k < count; ++k) {
    double id, component, r[3], v[3], q[4], d[3];
    file >> id >> component >> r[0] >> r[1] >> r[2] >> v[0] >> v[1] >> v[2];
    file >> q[0] >> q[1] >> q[2] >> q[3] >> d[0] >> d[1] >> d[2];
    system.center.push_back({r[0], r[1], r[2]});
    system.orientation.push_back(Quaternion{q[0], q[1], q[2], q[3]}.normalized());
    system.component.push_back(0);
  }
  REQUIRE(file);
  return system;
}

}  // namespace

TEST_CASE("ls1-MarDyn's step 0") {
  Component argon, carbon_dioxide, ethylene_oxide;
  argon.lennard_jones = {{{}, 0.000369852537, 6.4160007}};
  const double o = 2.43188952, q = 0.377945376;
  carbon_dioxide.lennard_jones = {{{}, 3.91811245e-05, 5.31712452},
                                  {{0, 0, -o}, 0.00031824324, 5.62288233},
                                  {{0, 0, o}, 0.00031824324, 5.62288233}};
  carbon_dioxide.charges = {{{}, 21.2}, {{0, 0, -q}, -10.6}, {{0, 0, q}, -10.6}};
  ethylene_oxide.lennard_jones = {{{0, 1.46711523, 0}, 0.000196741979, 5.84473626},
                                  {{1.47398696, -0.83835156, 0}, 0.000268352891, 6.66431081},
                                  {{-1.47398696, -0.83835156, 0}, 0.000268352891, 6.66431081}};
  ethylene_oxide.dipoles = {{{}, {0, 0.967443691, 0}}};
  const Published cases[] = {
      {"argon", "argon/Argon_200K_18mol_l.inp", 108.43455, argon, -2.0989266059882e+00,
       7.7726514332221e-02, -2.6690050263281e-07, 0},
      {"co2", "co2/CO2_370K_15mol_l.inp", 115.228904, carbon_dioxide, -5.5246751121059e+00,
       5.9992177957715e+00, 1.1743216681062e-06, 2},
      {"eox", "eox/eox_eq.inp", 115.228904, ethylene_oxide, -1.1546281106670e+01,
       1.1672653709492e+01, 3.2396769092761e-06, 3},
  };
  for (const Published& published : cases) {
    CAPTURE(std::string(published.name));
    const std::string path = std::string(STERNA_SOURCE_DIR "/../shared/data/ls1/") + published.file;
    if (!std::ifstream(path)) {
      MESSAGE("skipped: ../shared/data/ls1/" << published.file << " is not there");
      continue;
    }
    const test::MolecularSystem system = read_start(path, published.length);
    const auto n = static_cast<double>(system.size());
    const double volume = published.length * published.length * published.length;
    MoleculeModel model = test::model_of({published.component}, 33.0702);
    model.electrostatics = MoleculeModel::Electrostatics::reaction_field;
    const auto correction = HomogeneousCorrection(model)(std::vector<double>{n}, volume);
    // p V = N T + W / 3, with T from all degrees of freedom.
    const double temperature = 2.0 * published.kinetic_energy / ((3.0 + published.rotations) * n);
    const double virial = 3.0 * (published.pressure * volume - n * temperature);
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
      const test::MolecularResult result =
          test::compute(model, system, precision, "auto", true, 2.0);
      // The large charges of carbon dioxide cancel, which single precision feels.
      const bool mixed = precision == Precision::mixed;
      const double tolerance = !mixed ? 1e-11 : published.component.charges.empty() ? 1e-6 : 1e-3;
      CHECK(result.sums.energy + correction.energy ==
            doctest::Approx(published.potential_energy).epsilon(tolerance));
      CHECK(result.sums.virial_trace() + correction.virial ==
            doctest::Approx(virial).epsilon(100 * tolerance));
    }
  }
}
