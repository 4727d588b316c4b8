#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::python {

/// What there is of each particle, as rows of doubles or of whole numbers: a row of
/// `md::particle_fields`.
struct Field : md::FieldTraits {
  std::size_t columns;  ///< 1: an array of one axis
  bool whole_numbers;
};

/// Throws std::invalid_argument with the nearest name where there is no such field.
Field field_by_name(std::string_view name, const md::ParticleKind& kind);

/// A row for each local particle, in internal units; positions wrapped into the box, with their
/// image.
void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                double* rows);
void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                std::int64_t* rows);

}  // namespace sterna::python
