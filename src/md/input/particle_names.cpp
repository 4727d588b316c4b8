#include "md/input/particle_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/core/display_text.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {

std::vector<std::string_view> particle_names(const Input& input) {
  std::vector<std::string_view> names;
  for (const auto& type : input.types) names.push_back(type.name);
  for (const auto& component : input.components) names.push_back(component.name);
  return names;
}

std::string_view particle_section(const Input& input) {
  if (input.components.empty()) return "[[type]]";
  return input.types.empty() ? "[[component]]" : "[[type]] or [[component]]";
}

bool is_component(const Input& input, std::string_view name) {
  return std::ranges::find(input.components, name, &Input::Component::name) !=
         input.components.end();
}

std::string unknown_particle(const Input& input, std::string_view name) {
  const std::vector<std::string_view> names = particle_names(input);
  std::string message = fmt::format("no {} has the name {}", particle_section(input), quote(name));
  constexpr std::size_t most = 8;
  if (const auto near = comm::nearest_name(name, names)) {
    message += fmt::format("; did you mean {}?", quote(*near));
  } else if (!names.empty()) {
    message += "; there is";
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
      message += (i == 0 ? " " : ", ") + quote(names[i]);
    }
    if (names.size() > most) message += ", ...";
  }
  return message;
}

}  // namespace sterna::md
