#include "md/io/ls1/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "md/core/random.hpp"
#include "md/io/ls1/phase_space.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::size_t most_molecules = 200'000'000;

class Generator {
 public:
  Generator(const GeneratorConfig& config, std::uint64_t seed)
      : config_(config),
        generator_(config.generator),
        velocity_stream_(seed, RandomPurpose::velocity),
        vacancy_stream_(seed, RandomPurpose::vacancy),
        displacement_stream_(seed, RandomPurpose::displacement) {
    start_.box.length = config.box;
  }

  GeneratedStart generate() {
    const std::string_view name = generator_.attribute("name");
    if (name == "MultiObjectGenerator") {
      multi_object();
    } else if (name == "CubicGridGenerator") {
      cubic_grid();
    } else if (name == "mkesfera") {
      droplet();
    } else if (name == "ReplicaGenerator") {
      replica();
    } else {
      values_.choice(
          generator_, "name",
          {"MultiObjectGenerator", "CubicGridGenerator", "mkesfera", "ReplicaGenerator"});
    }
    check();
    if (start_.molecules.empty()) generator_.fail("the generator makes no molecule");
    return std::move(start_);
  }

 private:
  void check() const {
    for (const Diagnostic& diagnostic : values_.diagnostics()) {
      if (diagnostic.severity == Severity::error) throw XmlError(diagnostic);
    }
  }

  const Input::Component& component(std::int64_t number) const {
    return config_.types.components[static_cast<std::size_t>(number)];
  }
  std::int64_t component_count() const {
    return static_cast<std::int64_t>(config_.types.components.size());
  }

  double number(const XmlElement& parent, std::string_view path) {
    const XmlElement* element = values_.require(parent, path);
    return element != nullptr ? values_.positive(*element).value_or(1.0) : 1.0;
  }

  std::int64_t count(const XmlElement& parent, std::string_view path) {
    const XmlElement* element = values_.require(parent, path);
    return element != nullptr ? values_.integer(*element, 1, 100'000).value_or(1) : 1;
  }

  void add(Placed molecule) {
    if (start_.molecules.size() == most_molecules) {
      generator_.fail(fmt::format("the generator makes more than {} molecules", most_molecules));
    }
    int crossings[3];
    molecule.position = start_.box.wrap(molecule.position, crossings);
    start_.molecules.push_back(molecule);
  }

  RandomSequence random_of_next(const RandomStream& stream) const {
    return stream.sequence(start_.molecules.size() + 1, 0);
  }

  // ---- velocities

  /// All molecules of a component have the same speed.
  void equal_velocity(Placed& molecule, double degrees_of_freedom) const {
    RandomSequence random = random_of_next(velocity_stream_);
    const double mass = mass_of(component(molecule.component));
    const double speed = std::sqrt(degrees_of_freedom * config_.temperature / mass);
    const double height = 2.0 * random.uniform() - 1.0;
    const double angle = 2.0 * std::numbers::pi * random.uniform();
    const double across = std::sqrt(1.0 - height * height);
    molecule.velocity = speed * Vec3{across * std::cos(angle), across * std::sin(angle), height};
  }

  void maxwell_velocity(Placed& molecule) const {
    RandomSequence random = random_of_next(velocity_stream_);
    const Input::Component& type = component(molecule.component);
    const double speed = std::sqrt(config_.temperature / mass_of(type));
    Vec3 turn;
    for (int axis = 0; axis < 3; ++axis) {
      molecule.velocity[axis] = speed * random.normal();
      turn[axis] = std::sqrt(config_.temperature * (*type.inertia)[axis]) * random.normal();
    }
    molecule.angular_momentum = molecule.orientation.to_lab(turn);
  }

  void remove_momentum() {
    Vec3 momentum;
    double mass = 0.0;
    for (const Placed& molecule : start_.molecules) {
      momentum += mass_of(component(molecule.component)) * molecule.velocity;
      mass += mass_of(component(molecule.component));
    }
    for (Placed& molecule : start_.molecules) molecule.velocity -= momentum * (1.0 / mass);
  }

  static int rotations(const Input::Component& type) {
    return (type.inertia->x > 0.0) + (type.inertia->y > 0.0) + (type.inertia->z > 0.0);
  }

  // ---- MultiObjectGenerator

  void multi_object() {
    values_.expect_children(generator_, {"objectgenerator"});
    for (const XmlElement* part : generator_.all("objectgenerator")) fill_object(*part);
  }

  void fill_object(const XmlElement& part) {
    values_.expect_children(part, {"filler", "object", "velocityAssigner"});
    const XmlElement* filler = values_.require(part, "filler");
    const XmlElement* shape = values_.require(part, "object");
    check();
    const auto object = read_object(*shape, values_);
    enum class Velocity { given, equal, maxwell } velocity = Velocity::given;
    if (const XmlElement* assigner = part.find("velocityAssigner")) {
      const auto kind = values_.choice(
          *assigner, "type", {"EqualVelocityDistribution", "MaxwellVelocityDistribution"});
      if (kind) velocity = *kind == 0 ? Velocity::equal : Velocity::maxwell;
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
          equal_velocity(molecule, 3.0 + rotations(component(molecule.component)));
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
    values_.expect_children(filler,
                            {"lattice", "basis", "latticeOrigin", "density", "latticeOccupancy"});
    Crystal crystal;
    if (const XmlElement* lattice = values_.require(filler, "lattice")) {
      read_lattice(*lattice, crystal);
    }
    if (const XmlElement* basis = values_.require(filler, "basis")) {
      for (const XmlElement* site : basis->all("site")) {
        Placed molecule;
        const XmlElement* id = values_.require(*site, "componentid");
        if (id != nullptr) {
          molecule.component = values_.integer(*id, 1, component_count()).value_or(1) - 1;
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
      // A cubic lattice of this density in place of the given vectors.
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
    values_.expect_children(filler, {"input", "origin", "componentid"});
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

  /// The binary files that `<header>` and `<data>` of the element name.
  BinaryPhaseSpace phase_space(const XmlElement& element) {
    const XmlElement* header = values_.require(element, "header");
    const XmlElement* data = values_.require(element, "data");
    check();
    return read_binary_phase_space(header->resolve(header->text), data->resolve(data->text),
                                   component_count());
  }

  static Placed placed(const ParticleRecord& record) {
    return {record.position.type, record.position.vector(), record.velocity, record.orientation,
            record.angular_momentum};
  }

  // ---- CubicGridGenerator

  /// A body-centered grid whose number of molecules is nearest to the wanted one.
  void cubic_grid() {
    values_.expect_children(generator_,
                            {"specification", "density", "numMolecules", "binaryMixture"});
    const XmlElement* density = generator_.find("density");
    const XmlElement* wanted_count = generator_.find("numMolecules");
    if ((density == nullptr) == (wanted_count == nullptr)) {
      generator_.fail("<generator> needs either <density> or <numMolecules>");
    }
    double wanted = 0.0;
    if (density != nullptr) {
      wanted = std::floor(values_.positive(*density).value_or(1.0) * start_.box.volume());
    } else {
      wanted = static_cast<double>(values_.integer(*wanted_count, 2, 200'000'000).value_or(2));
    }
    const XmlElement* mixture = generator_.find("binaryMixture");
    const bool binary = mixture != nullptr && values_.boolean(*mixture).value_or(false);
    if (binary && component_count() < 2) {
      values_.error(*mixture, "<binaryMixture> needs two components");
    }
    check();
    if (!(wanted <= 2e8)) generator_.fail("the grid has more than 2e8 molecules");
    const std::array<std::int64_t, 3> cells = grid_cells(wanted);
    Vec3 spacing;
    for (int axis = 0; axis < 3; ++axis) {
      spacing[axis] = start_.box.length[axis] / static_cast<double>(cells[axis]);
    }
    for (std::int64_t k = 0; k < cells[2]; ++k) {
      for (std::int64_t j = 0; j < cells[1]; ++j) {
        for (std::int64_t i = 0; i < cells[0]; ++i) {
          for (int center = 0; center < 2; ++center) {
            const double offset = center == 0 ? 0.25 : 0.75;
            Placed molecule;
            molecule.component = binary ? center : 0;
            molecule.position = {(static_cast<double>(i) + offset) * spacing.x,
                                 (static_cast<double>(j) + offset) * spacing.y,
                                 (static_cast<double>(k) + offset) * spacing.z};
            equal_velocity(molecule, 3.0);
            add(molecule);
          }
        }
      }
    }
    remove_momentum();
  }

  std::array<std::int64_t, 3> grid_cells(double wanted) const {
    const double wanted_cells = std::floor(0.5 * wanted);
    std::array<std::int64_t, 3> rounded{}, best{};
    for (int axis = 0; axis < 3; ++axis) {
      const double edge = start_.box.length[axis];
      rounded[axis] = std::max<std::int64_t>(
          1, std::llround(std::cbrt(wanted_cells / start_.box.volume()) * edge));
    }
    double smallest = 1e300;
    for (std::int64_t z = -1; z <= 1; ++z) {
      for (std::int64_t y = -1; y <= 1; ++y) {
        for (std::int64_t x = -1; x <= 1; ++x) {
          const std::array<std::int64_t, 3> cells{rounded[0] + x, rounded[1] + y, rounded[2] + z};
          if (std::ranges::min(cells) < 1) continue;
          const double off =
              std::abs(2.0 * static_cast<double>(cells[0] * cells[1] * cells[2]) - wanted);
          // The first guess wins among equals.
          if (off < smallest || (off == smallest && cells == rounded)) {
            smallest = off;
            best = cells;
          }
        }
      }
    }
    return best;
  }

  // ---- mkesfera

  /// A droplet in its vapor: face centers of a cubic grid, three to a cell, each taken with the
  /// probability that makes the density inside or outside.
  void droplet() {
    values_.expect_children(generator_, {"droplet", "outer-density"});
    const double radius = number(generator_, "droplet/radius");
    const double inner = number(generator_, "droplet/density");
    const double outer = number(generator_, "outer-density");
    const Vec3& edges = start_.box.length;
    const double longest = std::max({edges.x, edges.y, edges.z});
    Vec3 center{0.5 * longest, 0.5 * longest, 0.5 * longest};
    if (const XmlElement* given = generator_.find("droplet/center")) {
      center = values_.vector(*given, center).value_or(center);
    }
    check();
    constexpr double overload = 1.3333;  // more sites than molecules
    constexpr double displacement = 0.07;
    const double volume = longest * longest * longest;
    const double cells = std::ceil(std::cbrt(volume * overload * std::max(inner, outer) / 3.0));
    if (!(cells <= 1000.0)) generator_.fail("the droplet's grid has more than 3e9 sites");
    const double edge = longest / cells;
    const double site_density = 3.0 * cells * cells * cells / volume;
    const auto n = static_cast<std::int64_t>(cells);
    std::uint64_t site = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t k = 0; k < n; ++k) {
          for (int face = 0; face < 3; ++face) {
            ++site;
            const Vec3 place{(static_cast<double>(i) + (face == 0 ? 0.0 : 0.5)) * edge,
                             (static_cast<double>(j) + (face == 1 ? 0.0 : 0.5)) * edge,
                             (static_cast<double>(k) + (face == 2 ? 0.0 : 0.5)) * edge};
            if (place.x >= edges.x || place.y >= edges.y || place.z >= edges.z) continue;
            double squared = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
              double d = place[axis] - center[axis];
              d -= std::round(d / edges[axis]) * edges[axis];
              squared += d * d;
            }
            const double density = squared > radius * radius ? outer : inner;
            if (vacancy_stream_.sequence(site, 0).uniform() > density / site_density) continue;
            RandomSequence random = displacement_stream_.sequence(site, 0);
            Placed molecule;
            molecule.position = place;
            for (int axis = 0; axis < 3; ++axis) {
              molecule.position[axis] += displacement * edge * (random.uniform() - 0.5);
            }
            equal_velocity(molecule, 3.0);
            add(molecule);
          }
        }
      }
    }
  }

  // ---- ReplicaGenerator

  /// Copies of a box, or of a vapor's and a liquid's, stacked along y with room between the phases.
  void replica() {
    values_.expect_children(generator_, {"type", "files", "numblocks", "diameter", "componentIDs"});
    const XmlElement* type = values_.require(generator_, "type");
    check();
    const bool homogeneous = type->text == "homogeneous";
    const bool vapor_on_both_sides = type->text == "heterogeneous_VLV";
    if (!homogeneous && !vapor_on_both_sides && type->text != "heterogeneous_LV") {
      type->fail(
          fmt::format("<type> is \"{}\"; expected homogeneous, heterogeneous_VLV or "
                      "heterogeneous_LV",
                      type->text));
    }
    const XmlElement* vapor_files = values_.require(generator_, "files/vapor");
    const XmlElement* liquid_files =
        homogeneous ? nullptr : values_.require(generator_, "files/liquid");
    const std::int64_t across = count(generator_, "numblocks/xz");
    const std::int64_t vapor_blocks = count(generator_, "numblocks/vapor");
    const std::int64_t liquid_blocks = homogeneous ? 0 : count(generator_, "numblocks/liquid");
    const double gap = homogeneous ? 0.0 : number(generator_, "diameter");
    check();
    BinaryPhaseSpace vapor = phase_space(*vapor_files);
    change_components("vapor", vapor);
    BinaryPhaseSpace liquid;
    if (liquid_files != nullptr) {
      liquid = phase_space(*liquid_files);
      change_components("liquid", liquid);
      for (const int axis : {0, 2}) {
        if (std::abs(liquid.box.length[axis] - vapor.box.length[axis]) >
            1e-9 * vapor.box.length[axis]) {
          liquid_files->fail("the boxes of vapor and liquid differ across y");
        }
      }
    }
    check();
    const double vapor_length = static_cast<double>(vapor_blocks) * vapor.box.length.y;
    const double liquid_length = static_cast<double>(liquid_blocks) * liquid.box.length.y;
    const double liquid_begin = vapor_on_both_sides ? vapor_length : 0.0;
    const double liquid_end = liquid_begin + liquid_length;
    start_.box.length = {static_cast<double>(across) * vapor.box.length.x,
                         liquid_end + vapor_length,
                         static_cast<double>(across) * vapor.box.length.z};
    const double end = start_.box.length.y;
    const auto stack = [&](const BinaryPhaseSpace& box, double from, std::int64_t blocks,
                           bool keeps_distance) {
      for (std::int64_t block = 0; block < blocks; ++block) {
        const double y = from + static_cast<double>(block) * box.box.length.y;
        for (std::int64_t i = 0; i < across; ++i) {
          for (std::int64_t k = 0; k < across; ++k) {
            for (const ParticleRecord& record : box.molecules) {
              Placed molecule = placed(record);
              molecule.position += Vec3{static_cast<double>(i) * box.box.length.x, y,
                                        static_cast<double>(k) * box.box.length.z};
              const double at = molecule.position.y;
              const bool beside_liquid = (at > liquid_begin - gap && at < liquid_begin) ||
                                         (at > liquid_end && at < liquid_end + gap) ||
                                         at > end - gap;
              if (!keeps_distance || !beside_liquid) add(molecule);
            }
          }
        }
      }
    };
    if (homogeneous || vapor_on_both_sides) stack(vapor, 0.0, vapor_blocks, !homogeneous);
    if (homogeneous) return;
    stack(liquid, liquid_begin, liquid_blocks, false);
    stack(vapor, liquid_end, vapor_blocks, true);
  }

  void change_components(std::string_view phase, BinaryPhaseSpace& box) {
    const XmlElement* changes = generator_.find(fmt::format("componentIDs/{}", phase));
    if (changes == nullptr) return;
    std::vector<std::int64_t> target(static_cast<std::size_t>(component_count()));
    std::iota(target.begin(), target.end(), std::int64_t{0});
    for (const XmlElement* change : changes->all("change")) {
      const XmlElement* from = values_.require(*change, "from");
      const XmlElement* to = values_.require(*change, "to");
      if (from == nullptr || to == nullptr) continue;
      const auto old_id = values_.integer(*from, 1, component_count());
      const auto new_id = values_.integer(*to, 1, component_count());
      if (old_id && new_id) target[static_cast<std::size_t>(*old_id - 1)] = *new_id - 1;
    }
    for (ParticleRecord& record : box.molecules) {
      record.position.type = target[static_cast<std::size_t>(record.position.type)];
    }
  }

  const GeneratorConfig& config_;
  const XmlElement& generator_;
  mutable XmlValues values_;
  RandomStream velocity_stream_, vacancy_stream_, displacement_stream_;
  GeneratedStart start_;
  std::uint64_t sites_ = 0;  // of all objects so far
};

}  // namespace

GeneratedStart generate_start(const GeneratorConfig& config, std::uint64_t seed) {
  return Generator(config, seed).generate();
}

}  // namespace sterna::md::ls1
