#include "md/start/foreign/ls1/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "md/core/display_text.hpp"
#include "md/start/foreign/ls1/generator.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md::ls1 {
namespace {

struct GeneratorEntry {
  std::string_view name;  ///< in the config.xml
  MakeGenerator* make;
};

constexpr std::array<GeneratorEntry, 6> generators{{
    {"MultiObjectGenerator", make_multi_object_generator},
    {"CubicGridGenerator", make_cubic_grid_generator},
    {"mkesfera", make_droplet_generator},
    {"mkTcTS", make_layer_generator},
    {"PerCellGenerator", make_cell_generator},
    {"ReplicaGenerator", make_replica_generator},
}};

}  // namespace

GeneratedStart generate_start(const GeneratorConfig& config, std::uint64_t seed) {
  const std::string_view name = config.generator.attribute("name");
  const auto* entry = std::ranges::find(generators, name, &GeneratorEntry::name);
  if (entry != generators.end()) return entry->make(config, seed)->generate();
  std::vector<std::string_view> names;
  std::string list;
  for (const GeneratorEntry& known : generators) {
    if (!names.empty()) list += &known == &generators.back() ? " or " : ", ";
    names.push_back(known.name);
    list += known.name;
  }
  const auto near = comm::nearest_name(name, names);
  config.generator.fail(
      fmt::format("<generator> has name = {}; {}", quote(name),
                  near ? fmt::format("did you mean {}?", quote(*near)) : "expected " + list));
}

}  // namespace sterna::md::ls1
