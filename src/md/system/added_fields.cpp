#include "md/system/added_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "md/system/particle_fields.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t longest_name_of_field = 64;

/// Names that frames and views in Python, or particles in a trajectory file, have besides the fields
/// of `particle_fields`.
constexpr std::string_view names_in_use[] = {"ghost_position", "thermo", "index_of",  "box",
                                             "species",        "mass",   "atom_name", "molecule",
                                             "step",           "time",   "edges"};

bool is_name_of_field(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inside = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= longest_name_of_field && is_letter(name.front()) &&
         std::ranges::all_of(name, is_inside);
}

bool is_name_of_particles(std::string_view name) {
  bool found = std::ranges::find(names_in_use, name) != std::end(names_in_use);
  for_each_field([&](const auto& field) { found = found || field.name == name; });
  return found;
}

}  // namespace

std::string fault_of(const AddedFieldLayout& layout) {
  if (!is_name_of_field(layout.name)) {
    return fmt::format(
        "\"{}\" cannot be the name of a particle field; expected a letter, then letters, digits "
        "and '_', at most {} characters",
        layout.name, longest_name_of_field);
  }
  if (is_name_of_particles(layout.name)) {
    return fmt::format("particles have their own \"{}\": the added field needs another name",
                       layout.name);
  }
  if (layout.components < 1 || layout.components > AddedFields::most_components) {
    return fmt::format("the particle field \"{}\" has {} components; expected 1 to {}", layout.name,
                       layout.components, AddedFields::most_components);
  }
  return {};
}

AddedField& AddedFields::add(std::string_view name, int components, double initial) {
  AddedFieldLayout layout{std::string(name), components};
  if (const std::string fault = fault_of(layout); !fault.empty()) {
    throw std::invalid_argument(fault);
  }
  if (AddedField* const there = find(name)) {
    if (!there->restored_) {
      throw std::invalid_argument(
          fmt::format("particles have an added field \"{}\" already", name));
    }
    if (there->components() != components) {
      throw std::invalid_argument(
          fmt::format("the particle field \"{}\" of the checkpoint has {} components, not {}", name,
                      there->components(), components));
    }
    there->restored_ = false;
    return *there;
  }
  fields_.push_back(std::make_unique<AddedField>(std::move(layout), count_, initial));
  bytes_ += static_cast<std::size_t>(components) * sizeof(double);
  return *fields_.back();
}

AddedField* AddedFields::find(std::string_view name) {
  return const_cast<AddedField*>(std::as_const(*this).find(name));
}

const AddedField* AddedFields::find(std::string_view name) const {
  const auto found = std::ranges::find(
      fields_, name, [](const auto& field) -> std::string_view { return field->name(); });
  return found == fields_.end() ? nullptr : found->get();
}

AddedField& AddedFields::at(std::string_view name) {
  if (AddedField* const found = find(name)) return *found;
  if (fields_.empty()) {
    throw std::invalid_argument(
        fmt::format("there is no particle field \"{}\": none was added", name));
  }
  std::vector<std::string_view> names;
  for (const auto& field : fields_) names.push_back(field->name());
  throw std::invalid_argument(comm::unknown_name_message("particle field", name, names));
}

std::vector<AddedFieldLayout> AddedFields::layouts() const {
  std::vector<AddedFieldLayout> layouts;
  for (const auto& field : fields_) layouts.push_back(field->layout());
  return layouts;
}

void AddedFields::restore(const std::vector<AddedFieldLayout>& layouts) {
  fields_.clear();
  bytes_ = 0;
  for (const AddedFieldLayout& layout : layouts) {
    add(layout.name, layout.components, 0.0).restored_ = true;
  }
}

void AddedFields::copy_from(const AddedFields& others) {
  count_ = others.count_;
  bytes_ = others.bytes_;
  fields_.clear();
  for (const auto& field : others.fields_) {
    fields_.push_back(std::make_unique<AddedField>(*field));
    fields_.back()->restored_ = true;
  }
}

void AddedFields::resize(std::size_t count) {
  count_ = count;
  for (const auto& field : fields_) field->values_.resize(count * field->width());
}

void AddedFields::reorder(std::span<const std::uint32_t> source) {
  for (const auto& field : fields_) {
    const std::size_t width = field->width();
    std::vector<double> sorted(field->values_.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
      std::copy_n(field->values_.data() + source[i] * width, width, sorted.data() + i * width);
    }
    field->values_ = std::move(sorted);
  }
}

void AddedFields::remove(std::span<const std::size_t> places) {
  if (places.empty()) return;
  for (const auto& field : fields_) {
    const std::size_t width = field->width();
    double* const values = field->values_.data();
    double* to = values + places.front() * width;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::size_t end = k + 1 < places.size() ? places[k + 1] : count_;
      to = std::copy(values + (places[k] + 1) * width, values + end * width, to);
    }
  }
  resize(count_ - places.size());
}

void AddedFields::write(std::size_t i, std::byte* place) const {
  for (const auto& field : fields_) {
    const std::size_t size = field->width() * sizeof(double);
    std::memcpy(place, field->values_.data() + i * field->width(), size);
    place += size;
  }
}

void AddedFields::read(std::size_t i, const std::byte* place) {
  for (const auto& field : fields_) {
    const std::size_t size = field->width() * sizeof(double);
    std::memcpy(field->values_.data() + i * field->width(), place, size);
    place += size;
  }
}

}  // namespace sterna::md
