#include "md/start/foreign/ls1/generator_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

GeneratorConfig read_generator_config(const std::string& path) {
  const XmlElement root = read_xml(path);
  const auto need = [&](const char* where) -> const XmlElement& {
    const XmlElement* element = root.find(where);
    if (element == nullptr) root.fail(fmt::format("there is no <{}> in this file", where));
    return *element;
  };
  XmlValues values;
  GeneratorConfig config;
  config.generator = need("simulation/ensemble/phasespacepoint/generator");
  config.types = read_molecule_types(need("simulation/ensemble/components"), values);
  config.types.elements.clear();
  const XmlElement& domain = need("simulation/ensemble/domain");
  constexpr std::string_view edges[3] = {"lx", "ly", "lz"};
  for (int axis = 0; axis < 3; ++axis) {
    const XmlElement* edge = values.require(domain, edges[axis]);
    if (edge != nullptr) config.box[axis] = values.positive(*edge).value_or(1.0);
  }
  config.temperature = values.number(need("simulation/ensemble/temperature")).value_or(0.0);
  for (const char* name : {"defaultCutoff", "radiusLJ"}) {
    const XmlElement* cutoff = root.find(fmt::format("simulation/algorithm/cutoffs/{}", name));
    if (cutoff == nullptr) continue;
    config.cutoff = std::max(config.cutoff, values.positive(*cutoff).value_or(0.0));
  }
  if (const XmlElement* cells =
          root.find("simulation/algorithm/datastructure/cellsInCutoffRadius")) {
    config.cells = values.integer(*cells, 1, 1000).value_or(1);
  }
  for (const Diagnostic& diagnostic : values.diagnostics()) {
    if (diagnostic.severity == Severity::error) throw XmlError(diagnostic);
  }
  return config;
}

}  // namespace sterna::md::ls1
