#include "sterna/comm/joined.hpp"

#include <fmt/format.h>

namespace sterna::comm {
namespace {

template <class Part>
std::string join_parts(std::span<const Part> parts, std::string_view between) {
  std::string text;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (n > 0) text += between;
    text += fmt::format("{}", parts[n]);
  }
  return text;
}

}  // namespace

std::string joined(std::span<const std::string> parts, std::string_view between) {
  return join_parts(parts, between);
}
std::string joined(std::span<const std::string_view> parts, std::string_view between) {
  return join_parts(parts, between);
}
std::string joined(std::span<const int> parts, std::string_view between) {
  return join_parts(parts, between);
}
std::string joined(std::span<const std::int64_t> parts, std::string_view between) {
  return join_parts(parts, between);
}
std::string joined(std::span<const double> parts, std::string_view between) {
  return join_parts(parts, between);
}

}  // namespace sterna::comm
