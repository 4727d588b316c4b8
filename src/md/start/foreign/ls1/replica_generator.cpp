#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "md/start/foreign/ls1/generator.hpp"

namespace sterna::md::ls1 {
namespace {

class ReplicaGenerator final : public Generator {
 public:
  using Generator::Generator;

 private:
  /// Makes copies of a box, or stacks copies of a box of vapor and a box of liquid along y with a
  /// gap between the phases.
  void make_molecules() override {
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
    const auto anywhere = [](double) { return true; };
    const auto away_from_liquid = [&](double y) {
      return !((y > liquid_begin - gap && y < liquid_begin) ||
               (y > liquid_end && y < liquid_end + gap) || y > start_.box.length.y - gap);
    };
    if (homogeneous) {
      stack(vapor, 0.0, vapor_blocks, across, anywhere);
      return;
    }
    if (vapor_on_both_sides) stack(vapor, 0.0, vapor_blocks, across, away_from_liquid);
    stack(liquid, liquid_begin, liquid_blocks, across, anywhere);
    stack(vapor, liquid_end, vapor_blocks, across, away_from_liquid);
  }

  /// Adds the molecules of `blocks` copies of a box along y, from y = `from` on, and of `across`
  /// copies along x and z, at those y of which `may_be_at` is true.
  template <class MayBeAt>
  void stack(const BinaryPhaseSpace& box, double from, std::int64_t blocks, std::int64_t across,
             const MayBeAt& may_be_at) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const double y = from + static_cast<double>(block) * box.box.length.y;
      for (std::int64_t i = 0; i < across; ++i) {
        for (std::int64_t k = 0; k < across; ++k) {
          for (const ParticleRecord& record : box.molecules) {
            Placed molecule = placed(record);
            molecule.position += Vec3{static_cast<double>(i) * box.box.length.x, y,
                                      static_cast<double>(k) * box.box.length.z};
            if (may_be_at(molecule.position.y)) add(molecule);
          }
        }
      }
    }
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
};

}  // namespace

std::unique_ptr<Generator> make_replica_generator(const GeneratorConfig& config,
                                                  std::uint64_t seed) {
  return std::make_unique<ReplicaGenerator>(config, seed);
}

}  // namespace sterna::md::ls1
