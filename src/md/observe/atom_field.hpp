#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "md/input/check_input.hpp"
#include "md/input/observer_row.hpp"
#include "md/observe/observer_table.hpp"
#include "md/system/added_fields.hpp"

namespace sterna::md {

/// An observer's number for each atom, in a particle field that the key `field` names. The field is
/// in trajectories and checkpoints. Without a name nothing is kept.
class AtomField {
 public:
  /// The number of atoms that the observer does not look at.
  static constexpr double not_observed = -1.0;

  /// Throws FileError where the run goes on from a state that has another field of this name.
  AtomField(const ObserverRequest& request, std::string_view name);

  /// Sets the number of local particle `i`.
  void set(std::size_t i, double number) {
    if (field_ != nullptr) field_->of(i)[0] = number;
  }

 private:
  AddedField* field_;
};

template <class Options>
std::string field_of(const Input& input) {
  return input.section<Options>().field;
}

template <class Options>
double bytes_of_field(const Input& input) {
  return field_of<Options>(input).empty() ? 0.0 : sizeof(double);
}

template <class Options>
KeySchema field_key(std::string_view description) {
  return {.name = "field",
          .target = option<&Options::field>,
          .description = description,
          .default_text = "no field",
          .aliases = {"particle_field", "each_atom", "per_atom"}};
}

/// Reports a `field` of the section `name` that cannot be the name of a particle field, or that an
/// earlier section has.
void check_field(const Input& input, const IsGood& is_good, const Report& report,
                 std::string_view name);

}  // namespace sterna::md
