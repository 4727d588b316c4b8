#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "md/input/input.hpp"
#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// Called with a key of the input, such as "run.name", and the element that gives it.
using Decides = std::function<void(std::string_view key, const XmlElement& element)>;

/// Converts an `<outputplugin>` or `<plugin>` as far as Sterna has the same feature, and reports
/// the rest: as a warning if the run is the same without the plugin, as an error if the plugin
/// changes the physics. `equilibration`: the number of steps before the production in `<run>`.
void read_plugin(const XmlElement& plugin, const MoleculeTypes& types,
                 std::optional<std::int64_t> equilibration, XmlValues& values,
                 const Decides& decides, Input& input);

}  // namespace sterna::md::ls1
