#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "md/start/foreign/ls1/generator.hpp"
#include "md/start/foreign/ls1/objects.hpp"

namespace sterna::md::ls1 {
namespace {

class MultiObjectGenerator final : public Generator {
 public:
  using Generator::Generator;

 private:
  static int rotations(const Input::Component& type) {
    return (type.inertia->x > 0.0) + (type.inertia->y > 0.0) + (type.inertia->z > 0.0);
  }

  void make_molecules() override {
    find_first_component();
    for (const XmlElement* part : generator_.all("objectgenerator")) fill_object(*part);
  }

  /// Finds the number of the first component. ls1's GridFiller counts components from 0, unlike the
  /// rest of ls1. An input that names no component 0 but the number after the last was written for
  /// a version that counts from 1.
  void find_first_component() {
    const XmlElement* last = nullptr;
    for (const XmlElement* part : generator_.all("objectgenerator")) {
      const XmlElement* basis = part->find("filler/basis");
      if (basis == nullptr || part->find("filler")->attribute("type") != "GridFiller") continue;
      for (const XmlElement* site : basis->all("site")) {
        const XmlElement* id = site->find("componentid");
        if (id == nullptr) continue;
        if (id->text == "0") return;
        if (id->text == std::to_string(component_count())) last = id;
      }
    }
    if (last == nullptr) return;
    first_component_ = 1;
    values_.warning(
        *last, fmt::format("GridFiller counts components from 0 in ls1, which has no component {} "
                           "here; the ids of this generator are taken to count from 1",
                           component_count()));
  }

  void fill_object(const XmlElement& part) {
    const XmlElement* filler = values_.require(part, "filler");
    const XmlElement* shape = values_.require(part, "object");
    check();
    const auto object = read_object(*shape, values_);
    enum class Velocity { given, equal, maxwell } velocity = Velocity::given;
    if (const XmlElement* assigner = part.find("velocityAssigner")) {
      const auto kind = values_.choice(
          *assigner, "type", {"EqualVelocityDistribution", "MaxwellVelocityDistribution"});
      if (kind) velocity = *kind == 0 ? Velocity::equal : Velocity::maxwell;
      if (!assigner->attribute("enableRandomSeed").empty()) {
        values_.warning(*assigner,
                        "enableRandomSeed: Sterna draws the velocities by the seed of [start], "
                        "which is the same in every run");
      }
    }
    const auto kind = values_.choice(*filler, "type", {"GridFiller", "ReplicaFiller"});
    check();
    double occupancy = 1.0;
    const Crystal crystal = *kind == 0 ? grid(*filler, occupancy) : replicated(*filler);
    check();
    std::uint64_t site = sites_;
    try {
      fill_with_crystal(crystal, *object, start_.box.length, [&](const Placed& placed) {
        ++site;
        if (occupancy < 1.0 && vacancy_stream_.sequence(site, 0).uniform() > occupancy) return;
        Placed molecule = placed;
        if (velocity == Velocity::equal) {
          equal_velocity(molecule, 3.0 + rotations(component(molecule.component)),
                         config_.temperature);
        } else if (velocity == Velocity::maxwell) {
          maxwell_velocity(molecule);
        }
        add(molecule);
      });
    } catch (const std::invalid_argument& error) {
      filler->fail(error.what());
    }
    sites_ = site;
  }

  Crystal grid(const XmlElement& filler, double& occupancy) {
    Crystal crystal;
    if (const XmlElement* lattice = values_.require(filler, "lattice")) {
      read_lattice(*lattice, crystal);
    }
    if (const XmlElement* basis = values_.require(filler, "basis")) {
      for (const XmlElement* site : basis->all("site")) {
        Placed molecule;
        if (const XmlElement* id = values_.require(*site, "componentid")) {
          molecule.component =
              values_.integer(*id, first_component_, first_component_ + component_count() - 1)
                  .value_or(first_component_) -
              first_component_;
        }
        if (const XmlElement* coordinate = site->find("coordinate")) {
          molecule.position = values_.vector(*coordinate).value_or(Vec3{});
        }
        crystal.basis.push_back(molecule);
      }
      if (crystal.basis.empty()) values_.error(*basis, "<basis> holds no <site>");
    }
    if (const XmlElement* share = filler.find("latticeOccupancy")) {
      occupancy = values_.positive(*share).value_or(1.0);
      if (occupancy > 1.0) values_.error(*share, "<latticeOccupancy> is above 1");
    }
    if (const XmlElement* density = filler.find("density")) {
      // A density gives a cubic lattice instead of the given vectors.
      const double sites = static_cast<double>(crystal.basis.size() * crystal.centers.size());
      const double edge = std::cbrt(sites * occupancy / values_.positive(*density).value_or(1.0));
      crystal.cell = {Vec3{edge, 0.0, 0.0}, Vec3{0.0, edge, 0.0}, Vec3{0.0, 0.0, edge}};
      crystal.leaves_hexagons = false;
    }
    if (const XmlElement* origin = filler.find("latticeOrigin")) {
      crystal.origin = values_.vector(*origin).value_or(Vec3{});
    }
    return crystal;
  }

  void read_lattice(const XmlElement& lattice, Crystal& crystal) {
    const auto system = values_.choice(lattice, "system",
                                       {"triclinic", "monoclinic", "orthorombic", "tetragonal",
                                        "rhomboedral", "hexagonal", "cubic"});
    crystal.leaves_hexagons = system == std::size_t{5};
    const auto centering = values_.choice(
        lattice, "centering", {"primitive", "body", "face", "base A", "base B", "base C"});
    static const std::vector<Vec3> centers[6] = {
        {{0.0, 0.0, 0.0}},
        {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}},
        {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}},
        {{0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}},
        {{0.0, 0.0, 0.0}, {0.5, 0.0, 0.5}},
        {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}}};
    crystal.centers = centers[centering.value_or(0)];
    for (const XmlElement* vector : lattice.all("vec")) {
      const auto which = values_.choice(*vector, "id", {"a", "b", "c"});
      if (which) crystal.cell[*which] = values_.vector(*vector).value_or(Vec3{});
    }
  }

  Crystal replicated(const XmlElement& filler) {
    Crystal crystal;
    crystal.centers = {Vec3{}};
    const XmlElement* input = values_.require(filler, "input");
    if (input == nullptr) return crystal;
    values_.choice(*input, "type", {"BinaryReader"});
    const BinaryPhaseSpace box = phase_space(*input);
    const Vec3& edges = box.box.length;
    crystal.cell = {Vec3{edges.x, 0.0, 0.0}, Vec3{0.0, edges.y, 0.0}, Vec3{0.0, 0.0, edges.z}};
    if (const XmlElement* origin = filler.find("origin")) {
      crystal.origin = values_.vector(*origin).value_or(Vec3{});
    }
    const XmlElement* id = filler.find("componentid");
    for (const ParticleRecord& record : box.molecules) {
      Placed molecule = placed(record);
      if (id != nullptr) {
        molecule.component = values_.integer(*id, 1, component_count()).value_or(1) - 1;
      }
      crystal.basis.push_back(molecule);
    }
    return crystal;
  }

  std::int64_t first_component_ = 0;
  std::uint64_t sites_ = 0;  // counts the sites of all objects
};

}  // namespace

std::unique_ptr<Generator> make_multi_object_generator(const GeneratorConfig& config,
                                                       std::uint64_t seed) {
  return std::make_unique<MultiObjectGenerator>(config, seed);
}

}  // namespace sterna::md::ls1
