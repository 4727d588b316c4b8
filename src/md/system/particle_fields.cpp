#include "md/system/particle_fields.hpp"

namespace sterna::md {

std::size_t bytes_in_files(const ParticleKind& kind) {
  std::size_t bytes = 0;
  for_each_field_in_files(kind, [&](const auto& field) {
    bytes += field.components * sizeof(typename std::remove_cvref_t<decltype(field)>::StoredType);
  });
  return bytes;
}

std::vector<std::string_view> trajectory_field_names() {
  std::vector<std::string_view> names;
  for_each_field([&](const auto& field) {
    if (field.in_trajectory) names.push_back(field.name);
  });
  return names;
}

}  // namespace sterna::md
