#include "md/forces/plumed/input/plumed_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "md/core/display_text.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {
namespace {

/// As PLUMED's FileBase::appendSuffix: "plumed.dat" of replica 1 is "plumed.1.dat". PLUMED knows
/// endings of up to four letters.
std::string name_for_replica(const std::string& path, int replica) {
  constexpr std::size_t longest_ending = 5;  // with the dot
  const std::size_t dot = path.rfind('.'), folder = path.rfind('/');
  const std::size_t name = folder == std::string::npos ? 0 : folder + 1;
  const bool has_ending = dot != std::string::npos && dot > name && dot + 1 < path.size() &&
                          path.size() - dot <= longest_ending;
  const std::size_t end = has_ending ? dot : path.size();
  return fmt::format("{}.{}{}", path.substr(0, end), replica, path.substr(end));
}

}  // namespace

std::string plumed_file_path(const Input& input) {
  const auto& options = input.section<PlumedOptions>();
  const std::filesystem::path file(options.file);
  if (file.is_absolute()) return options.file;
  return (std::filesystem::path(input.path).parent_path() / file).string();
}

std::string plumed_file_text(const Input& input, int replica) {
  constexpr std::size_t largest_file = 1u << 26;  // bytes
  std::string path = plumed_file_path(input);
  if (replica >= 0) {
    const std::string own = name_for_replica(path, replica);
    std::error_code ignored;
    if (std::filesystem::exists(own, ignored)) path = own;
  }
  try {
    return comm::read_regular_file(path, largest_file);
  } catch (const comm::UnreadableFile& error) {
    throw std::runtime_error(
        fmt::format("the input of PLUMED, {}, {}", quote_path(path), error.what()));
  }
}

}  // namespace sterna::md
