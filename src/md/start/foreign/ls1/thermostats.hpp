#pragma once

#include "md/input/input.hpp"
#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/plugins.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// Reads `<thermostats>` of `<algorithm>` into `input`. Without them ls1 scales all velocities to
/// the temperature of the ensemble in every step, which `temperature_element` gives.
void read_thermostats(const XmlElement& algorithm, const XmlElement& temperature_element,
                      double temperature, const MoleculeTypes& types, XmlValues& values,
                      const Decides& decides, Input& input);

}  // namespace sterna::md::ls1
