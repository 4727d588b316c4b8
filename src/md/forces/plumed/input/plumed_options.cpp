#include "md/forces/plumed/input/plumed_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "md/core/display_text.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {

std::string plumed_file_path(const Input& input) {
  const auto& options = input.section<PlumedOptions>();
  const std::filesystem::path file(options.file);
  if (file.is_absolute()) return options.file;
  return (std::filesystem::path(input.path).parent_path() / file).string();
}

std::string plumed_file_text(const Input& input) {
  constexpr std::size_t largest_file = 1u << 26;  // bytes
  try {
    return comm::read_regular_file(plumed_file_path(input), largest_file);
  } catch (const comm::UnreadableFile& error) {
    throw std::runtime_error(fmt::format("the input of PLUMED, {}, {}",
                                         quote_path(input.section<PlumedOptions>().file),
                                         error.what()));
  }
}

}  // namespace sterna::md
