#include "python/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "sterna/comm/nearest_name.hpp"

namespace sterna::python {
namespace {

/// Writes the rows of a field whose numbers are of the kind of `Value`.
template <class Value>
void write_numbers(const Field& wanted, const md::ParticleStore& particles, const md::Box& box,
                   Value* rows) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (wanted.added != nullptr) {
      std::ranges::copy(wanted.added->values(), rows);
      return;
    }
  }
  md::for_each_field([&](const auto& field) {
    using Number = typename std::remove_cvref_t<decltype(field)>::NumberType;
    if constexpr (std::is_floating_point_v<Number> == std::is_floating_point_v<Value>) {
      if (field.name != wanted.name) return;
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        for (const Number number : md::shown(field, particles, box, i)) *rows++ = number;
      }
    }
  });
}

}  // namespace

Field field_by_name(std::string_view name, const md::ParticleKind& kind,
                    const md::AddedFields& added) {
  if (const md::AddedField* const own = added.find(name)) {
    return {{.name = own->name()}, static_cast<std::size_t>(own->components()), false, own};
  }
  std::optional<Field> found;
  std::vector<std::string_view> names;
  bool missing = false;  // the field exists, but not for these particles
  md::for_each_field([&](const auto& field) {
    using Row = std::remove_cvref_t<decltype(field)>;
    const bool kept = md::is_kept(field.kept, kind);
    if (kept) names.push_back(field.name);
    if (field.name != name) return;
    found = Field{field, Row::components, Row::whole_numbers};
    missing = !kept;
  });
  const auto layouts = added.layouts();
  for (const md::AddedFieldLayout& layout : layouts) names.push_back(layout.name);
  if (found && !missing) return *found;
  if (found) {
    throw std::invalid_argument(fmt::format(
        "no particle of this simulation rotates, so there is no \"{}\"; expected one of {}", name,
        fmt::join(names, ", ")));
  }
  throw std::invalid_argument(comm::unknown_name_message("array of particles", name, names));
}

void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                double* rows) {
  write_numbers(field, particles, box, rows);
}

void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                std::int64_t* rows) {
  write_numbers(field, particles, box, rows);
}

}  // namespace sterna::python
