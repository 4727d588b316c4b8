#include <fmt/format.h>

#include "md/input/fields.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"
#include "md/start/readers/formats.hpp"

namespace sterna::md {

std::unique_ptr<StartFileReader> open_ls1(std::shared_ptr<const FileHandle> file,
                                          const StartFileOptions& options) {
  if (!options.ls1_header_path.empty()) {
    return ls1::open_binary_phase_space(std::move(file), options);
  }
  LineReader reader(file);
  reader.next();
  if (Fields(reader.line()).next().starts_with('<')) {
    return ls1::open_generated_start(file->path(), options);
  }
  return ls1::open_ascii_phase_space(std::move(file), options);
}

}  // namespace sterna::md
