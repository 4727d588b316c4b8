#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sterna::md {

/// What files and messages know of an added field.
struct AddedFieldLayout {
  std::string name;
  int components = 1;

  friend bool operator==(const AddedFieldLayout&, const AddedFieldLayout&) = default;
};

/// A field that a program or a force term adds to the particles: some numbers of type double for
/// each, without a unit. They belong to the particle: they go with it to other ranks and are in
/// checkpoints. Ghosts do not have them.
class AddedField {
 public:
  AddedField(AddedFieldLayout layout, std::size_t count, double initial)
      : layout_(std::move(layout)), values_(count * width(), initial) {}

  const std::string& name() const { return layout_.name; }
  int components() const { return layout_.components; }
  const AddedFieldLayout& layout() const { return layout_; }

  /// The numbers of local particle `i` of the store.
  std::span<double> of(std::size_t i) { return {values_.data() + i * width(), width()}; }
  std::span<const double> of(std::size_t i) const {
    return {values_.data() + i * width(), width()};
  }
  /// The numbers of all local particles, in the order of the store. Valid until lists are rebuilt.
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

 private:
  friend class AddedFields;
  std::size_t width() const { return static_cast<std::size_t>(layout_.components); }

  AddedFieldLayout layout_;
  std::vector<double> values_;
  bool restored_ = false;  ///< from a checkpoint, and not yet given out by `add`
};

/// The added fields of this rank's particles. They follow the particles of a `ParticleStore`: what
/// moves particles in the store calls the function of the same effect here. Without fields these
/// functions do nothing.
class AddedFields {
 public:
  static constexpr int most_components = 1000;

  /// Adds a field whose numbers are `initial` for all particles. If a checkpoint had it, its numbers
  /// stay. The reference is valid as long as this object. Throws std::invalid_argument if the name
  /// is no name or taken, or if the checkpoint has another number of components.
  AddedField& add(std::string_view name, int components, double initial);
  /// Null if there is none.
  AddedField* find(std::string_view name);
  const AddedField* find(std::string_view name) const;
  /// Throws std::invalid_argument, with the nearest name, if there is none.
  AddedField& at(std::string_view name);

  bool empty() const { return fields_.empty(); }
  std::vector<AddedFieldLayout> layouts() const;
  /// Bytes of a particle's numbers in a message or a file.
  std::size_t bytes() const { return bytes_; }

  /// Makes these fields, those of a checkpoint or of another simulation, without numbers.
  void restore(const std::vector<AddedFieldLayout>& layouts);
  /// The same fields with the same numbers, which `add` takes as those of a checkpoint.
  void copy_from(const AddedFields& others);

  /// Sets the number of local particles. New particles have zeros.
  void resize(std::size_t count);
  /// Moves the numbers of particle `source[i]` to particle i.
  void reorder(std::span<const std::uint32_t> source);
  /// Removes the particles at these ascending places.
  void remove(std::span<const std::size_t> places);
  /// Writes the numbers of particle `i` to `place`, which has room for `bytes()`, or reads them.
  void write(std::size_t i, std::byte* place) const;
  void read(std::size_t i, const std::byte* place);

 private:
  std::vector<std::unique_ptr<AddedField>> fields_;
  std::size_t count_ = 0;  ///< local particles
  std::size_t bytes_ = 0;
};

/// The fault of a name of an added field or of its number of components; empty: none.
std::string fault_of(const AddedFieldLayout& layout);

}  // namespace sterna::md
