#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "md/input/input.hpp"
#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// Called with the name of a key of the input, such as "run.name", that an element decides.
using Decides = std::function<void(std::string_view key, const XmlElement& element)>;

/// Takes over from an `<outputplugin>` or `<plugin>` what Sterna does too, and says what it does
/// not: a warning where the run is the same without the plugin, an error where the plugin changes
/// the physics. `equilibration`: the number of steps that `<run>` has before the production.
void read_plugin(const XmlElement& plugin, const MoleculeTypes& types,
                 std::optional<std::int64_t> equilibration, XmlValues& values,
                 const Decides& decides, Input& input);

}  // namespace sterna::md::ls1
