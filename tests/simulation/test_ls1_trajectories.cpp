#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../integrate/free_motion.hpp"
#include "md/domain/migration.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/forces/molecular/molecular_forces.hpp"
#include "md/integrate/integrators/velocity_verlet.hpp"
#include "md/integrate/kinetic.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "sterna/comm/reduction_batch.hpp"

// ls1-MarDyn's own numbers on its own systems: energies and virial at the start, and after 10 and
// 100 steps of its integrator, leapfrog with Fincham's rotator.

using namespace sterna;
using namespace sterna::md;

namespace {

const std::filesystem::path data =
    std::filesystem::path(STERNA_SOURCE_DIR).parent_path() / "shared" / "data" / "ls1";

/// Molecules of ls1's ASCII format: id, component, r, v, q (w x y z), D (laboratory frame).
std::vector<ParticleRecord> read_molecules(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  std::int64_t count = 0;
  while (file >> word && word != "MoleculeFormat" && word != "M") {
    if (word == "NumberOfMolecules" || word == "N") file >> count;
  }
  file >> word;
  REQUIRE(word == "ICRVQD");
  std::vector<ParticleRecord> records(static_cast<std::size_t>(count));
  for (ParticleRecord& r : records) {
    Vec3& v = r.velocity;
    Quaternion& q = r.orientation;
    Vec3& l = r.angular_momentum;
    file >> r.id >> r.position.type >> r.position.x >> r.position.y >> r.position.z;
    file >> v.x >> v.y >> v.z >> q.w >> q.x >> q.y >> q.z >> l.x >> l.y >> l.z;
    q = q.normalized();
    --r.position.type;
    r.image = {0, 0, 0};
  }
  REQUIRE(file.good());
  return records;
}

MoleculeModel model_of(const Component& component) {
  MoleculeModel model;
  model.components = {component};
  model.mixing.resize(1);
  model.shifted = {0};
  model.cutoff = model.lennard_jones_cutoff = 33.0702;
  model.electrostatics = MoleculeModel::Electrostatics::reaction_field;
  model.reaction_field_epsilon = 1.0e10;
  return model;
}

Component argon() {
  Component c;
  c.lennard_jones = {{{}, 0.000369852537, 6.4160007}};
  c.mass = 0.039948;
  return c;
}

Component carbon_dioxide() {
  Component c;
  const double oxygen = 2.43188952, charge = 0.377945376;
  c.lennard_jones = {{{}, 3.91811245e-05, 5.31712452},
                     {{0, 0, -oxygen}, 0.00031824324, 5.62288233},
                     {{0, 0, oxygen}, 0.00031824324, 5.62288233}};
  c.charges = {{{}, 21.2}, {{0, 0, -charge}, -10.6}, {{0, 0, charge}, -10.6}};
  c.mass = 0.044;
  c.inertia = {0.189250772, 0.189250772, 0.0};
  return c;
}

Component ethylene_oxide() {
  Component c;
  c.lennard_jones = {{{0, 1.46711523, 0}, 0.000196741979, 5.84473626},
                     {{1.47398696, -0.83835156, 0}, 0.000268352891, 6.66431081},
                     {{-1.47398696, -0.83835156, 0}, 0.000268352891, 6.66431081}};
  c.dipoles = {{{}, {0, 0.967443691, 0}}};
  c.mass = 0.044;
  c.inertia = {0.0541181671, 0.060833852, 0.114952019};
  return c;
}

struct Expected {
  std::int64_t step;
  double potential, kinetic, virial;
};

struct Case {
  const char* name;
  const char* file;
  Component component;
  double length;
  Expected expected[3];
};

}  // namespace

TEST_CASE("ls1-MarDyn's systems have ls1-MarDyn's energies at the start and along its way") {
  if (!std::filesystem::exists(data)) {
    MESSAGE("skipped: ", data.string(), " is not there");
    return;
  }
  const Case cases[] = {
      {"argon",
       "argon/Argon_200K_18mol_l.inp",
       argon(),
       108.43455,
       {{0, -2.0989266059882e+00, 7.7726514332221e-02, -1.17633066675e+00},
        {10, -2.1222175251933e+00, 1.0100539809993e-01, -1.53935242554e+00},
        {100, -2.3958388093626e+00, 3.7461312702462e-01, -6.79943316388e+00}}},
      {"carbon dioxide",
       "co2/CO2_370K_15mol_l.inp",
       carbon_dioxide(),
       115.228904,
       {{0, -5.5246751121059e+00, 5.9992177957715e+00, -1.80901348266e+00},
        {10, -5.5525206731005e+00, 6.0270083066635e+00, -2.35860003909e+00},
        {100, -5.5187527715710e+00, 5.9932662693702e+00, -8.30988079406e-01}}},
      {"ethylene oxide",
       "eox/eox_eq.inp",
       ethylene_oxide(),
       115.228904,
       {{0, -1.1546281106670e+01, 1.1672653709492e+01, 3.19721892074e+00},
        {10, -1.1478360883094e+01, 1.1606747425587e+01, 4.34758239318e+00},
        {100, -1.1614036589490e+01, 1.1746084594803e+01, 2.85299157742e+00}}},
  };
  const comm::Context context;
  constexpr double timestep = 0.0667516;
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MoleculeModel model = model_of(c.component);
    const Box box{{c.length, c.length, c.length}};
    const RegularGrid grid(box, context.size());
    ParticleStore particles;
    particles.set_rotating(true);
    std::vector<ParticleRecord> records;
    if (context.rank() == 0) records = read_molecules(data / c.file);
    Distribution(context, grid, {.rotating = true}).append(records, particles);
    std::int64_t count = static_cast<std::int64_t>(particles.local_count());
    comm::ReductionBatch(context, "test").sum(count).run();
    const double counts[] = {static_cast<double>(count)};
    const auto correction = HomogeneousCorrection(model)(counts, box.volume());

    ForceEngine::Options options;
    options.skin = 2.0;
    options.rotating = true;
    PhaseTimer timer;
    std::vector<std::unique_ptr<ShortRangeForces>> forces;
    forces.push_back(std::make_unique<MolecularForces>(model, Precision::double_precision, "auto"));
    ForceEngine engine(context, grid, std::move(forces), {}, options, timer);
    const double masses[] = {c.component.mass};
    const Vec3 inertia[] = {c.component.inertia};
    const RigidBody bodies[] = {RigidBody(c.component.inertia)};
    test::FreeMotion motion(particles);
    VelocityVerlet integrator(timestep, masses,
                              RigidRotor(timestep, inertia, RotationMethod::leapfrog));
    engine.rebuild(particles, 0);
    for (std::int64_t step = 0; step <= 100; ++step) {
      EnergyAndVirial sums;
      if (step > 0) {
        integrator.advance(particles, motion);
        const auto largest_step = [&]() -> ForceEngine::LargestStep {
          return {integrator.longest_path(), integrator.longest_gain()};
        };
        if (engine.must_rebuild(particles, step, largest_step, 0)) engine.rebuild(particles, step);
      }
      engine.compute_forces(particles, {step, 0.0, timestep, box}, &sums);
      if (step > 0) integrator.finish_step();
      for (const Expected& expected : c.expected) {
        if (expected.step != step) continue;
        CAPTURE(step);
        integrator.complete_velocities(particles);
        double kinetic = kinetic_sums(particles, masses).energy;
        kinetic += rotational_energy(particles, bodies);
        double potential = sums.energy, virial = sums.virial_trace();
        comm::ReductionBatch(context, "test").sum(kinetic).sum(potential).sum(virial).run();
        // Trajectories part from rounding on; what ls1 prints of the pressure has 14 digits, of
        // which some go with the ideal part.
        const double tolerance = step == 0 ? 1e-12 : step == 10 ? 1e-10 : 1e-7;
        CHECK(std::fabs(potential + correction.energy - expected.potential) <
              tolerance * std::fabs(expected.potential));
        CHECK(std::fabs(kinetic - expected.kinetic) < tolerance * expected.kinetic);
        CHECK(std::fabs(virial + correction.virial - expected.virial) <
              10.0 * tolerance * std::fabs(expected.potential));
      }
    }
    engine.complete();
  }
}
