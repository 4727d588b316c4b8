#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::python {

/// A field of the particles, as rows of doubles or integers: a row of `md::particle_fields`, or an
/// added field.
struct Field : md::FieldTraits {
  std::size_t columns;  ///< 1: the array has one axis
  bool whole_numbers;
  const md::AddedField* added = nullptr;  ///< null: a row of the table
};

/// The field of this name. Throws std::invalid_argument with the nearest name if there is none.
Field field_by_name(std::string_view name, const md::ParticleKind& kind,
                    const md::AddedFields& added);

/// Writes a row for each local particle, in internal units; positions are wrapped into the box,
/// with their image.
void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                double* rows);
void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                std::int64_t* rows);

}  // namespace sterna::python
