#pragma once

#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/plugins.hpp"

namespace sterna::md::ls1 {

/// Reads ls1's MaxCheck as [[limit]].
void read_max_check(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                    const Decides& decides, Input& input);
/// Reads ls1's DriftCtrl as [[drift_control]].
void read_drift_control(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                        const Decides& decides, Input& input);
/// Reads ls1's COMaligner as [alignment].
void read_alignment(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                    Input& input);

}  // namespace sterna::md::ls1
