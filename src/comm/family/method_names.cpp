#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sterna/comm/methods.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::comm {
namespace {

/// Returns a name without the characters that do not count, in lower case.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

bool is_called(const MethodInfo& method, std::string_view name) {
  const std::string wanted = plain(name);
  return !wanted.empty() && (plain(method.name) == wanted ||
                             std::ranges::any_of(method.aliases, [&](std::string_view alias) {
                               return plain(alias) == wanted;
                             }));
}

}  // namespace

std::vector<MethodInfo> methods_called(std::span<const MethodInfo> methods, std::string_view name) {
  const auto exact = std::ranges::find(methods, name, &MethodInfo::name);
  if (exact != methods.end()) return {*exact};
  std::vector<MethodInfo> found;
  std::ranges::copy_if(methods, std::back_inserter(found),
                       [&](const MethodInfo& method) { return is_called(method, name); });
  return found;
}

std::string unknown_method_message(std::string_view family, std::string_view typed,
                                   std::span<const MethodInfo> methods) {
  std::vector<std::string_view> names;
  for (const MethodInfo& method : methods) names.push_back(method.name);
  if (std::ranges::find(names, "auto") == names.end()) names.insert(names.begin(), "auto");
  // names come first, because of equals the first is the nearest
  std::vector<std::string_view> known = names;
  for (const MethodInfo& method : methods) {
    known.insert(known.end(), method.aliases.begin(), method.aliases.end());
  }
  std::optional<std::string_view> meant = nearest_name(typed, known);
  const std::vector<MethodInfo> called = methods_called(methods, meant ? *meant : typed);
  if (!called.empty()) meant = called.front().name;
  return unknown_name_message(std::string(family) + " method", typed, names, meant);
}

}  // namespace sterna::comm
