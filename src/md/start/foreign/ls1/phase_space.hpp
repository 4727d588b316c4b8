#pragma once

#include <memory>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/line_reader.hpp"
#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md::ls1 {

/// ls1's ASCII phase space (`.inp`): a first line `mardyn WORD VERSION`, header lines, then a line
/// for each molecule. Of the header, number and format of the molecules are used; other lines are
/// compared with the input.
std::unique_ptr<StartFileReader> open_ascii_phase_space(std::shared_ptr<const FileHandle> file,
                                                        const StartFileOptions& options);

/// ls1's binary phase space: molecules packed one after the other, native byte order, described by
/// a header in XML.
std::unique_ptr<StartFileReader> open_binary_phase_space(std::shared_ptr<const FileHandle> file,
                                                         const StartFileOptions& options);

/// The start that the generator in a config.xml makes. It is held in memory as a whole.
std::unique_ptr<StartFileReader> open_generated_start(const std::string& config_path,
                                                      const StartFileOptions& options);

/// The XML header of a binary phase space. Throws StartFileError.
struct BinaryHeader {
  Box box;
  std::int64_t molecules = 0;
  std::string format;
  std::vector<Diagnostic> warnings{};
};
BinaryHeader read_binary_header(const std::string& path);

/// A whole binary phase space. Throws StartFileError.
struct BinaryPhaseSpace {
  Box box;
  std::vector<ParticleRecord> molecules;  ///< positions in the box
  std::vector<Diagnostic> warnings{};     ///< about its header
};
BinaryPhaseSpace read_binary_phase_space(const std::string& header_path,
                                         const std::string& data_path,
                                         std::int64_t component_count);

}  // namespace sterna::md::ls1
