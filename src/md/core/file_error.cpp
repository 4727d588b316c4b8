#include "md/core/file_error.hpp"

#include <fmt/format.h>

#include <cstring>

namespace sterna::md {

std::string system_failure(const std::string& path, const std::string& what, int error_number) {
  return fmt::format("{}: {}: {}", path, what, std::strerror(error_number));
}

}  // namespace sterna::md
