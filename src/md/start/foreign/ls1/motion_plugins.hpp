#pragma once

#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/plugins.hpp"

namespace sterna::md::ls1 {

/// ls1's MaxCheck: [[limit]].
void read_max_check(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                    const Decides& decides, Input& input);
/// ls1's DriftCtrl: [[drift_control]].
void read_drift_control(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                        const Decides& decides, Input& input);
/// ls1's COMaligner: [alignment].
void read_alignment(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                    Input& input);

}  // namespace sterna::md::ls1
