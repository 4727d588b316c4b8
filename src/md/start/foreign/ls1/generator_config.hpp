#pragma once

#include <string>

#include "md/core/vector.hpp"
#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/xml_document.hpp"

namespace sterna::md::ls1 {

/// The parts of a config.xml that its generator needs.
struct GeneratorConfig {
  XmlElement generator;
  MoleculeTypes types;  ///< its `elements` are not set
  Vec3 box;             ///< of `<domain>`
  double temperature = 0.0;
  double cutoff = 0.0;     ///< the larger of both; 0 if there is none
  std::int64_t cells = 1;  ///< number of ls1's linked cells in a cutoff
};
/// Reads them. Throws XmlError if the file is no config.xml with a generator.
GeneratorConfig read_generator_config(const std::string& path);

}  // namespace sterna::md::ls1
