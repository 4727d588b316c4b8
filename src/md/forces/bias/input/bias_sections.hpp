#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/choice.hpp"
#include "md/forces/bias/collective_variable.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

struct VariableSection : VariableOptions {};  ///< [[variable]]

struct BiasSection {  ///< [[bias]], with values in the unit of the variable
  enum class Side { above, below };

  std::string name, kind;
  std::string variable;  ///< empty: those of `variables`
  std::vector<std::string> variables;
  double center = 0.0, end_center = 0.0;
  std::int64_t start_step = 0, stop_step = 0;
  double stiffness = 0.0, force = 0.0;  ///< energies
  Side side = Side::above;
  double height = 0.0;
  std::vector<double> widths;
  std::int64_t interval = 0;
  double bias_factor = 0.0;           ///< 0: hills of one height
  std::optional<double> temperature;  ///< nothing: that of the thermostat

  /// The names of its variables.
  std::vector<std::string> all_variables() const {
    return variable.empty() ? variables : std::vector<std::string>{variable};
  }
};

template <>
inline constexpr auto choice_table<BiasSection::Side> = std::to_array<Choice<BiasSection::Side>>(
    {{"above", BiasSection::Side::above, "\"above\": the wall acts on values above its center."},
     {"below", BiasSection::Side::below, "\"below\": it acts on values below."}});

struct VariableOutput {  ///< a key of [output]
  std::int64_t interval = 100;
};

/// The temperature of the run: that of its only thermostat, at the start of a ramp; nothing: there
/// is none, or several.
std::optional<double> temperature_of_run(const Input& input);

/// Values of a variable in the units of the input, times this, are in internal units and radians.
double unit_of(const VariableRow& row, const UnitSystem& units);

void check_biases(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);
void check_biases_in_box(const Input& input, const Box& box, const Report& report);

namespace section {
InputSection variable();
InputSection bias();
}  // namespace section

/// The key of [output] that says how often values of variables are written.
KeySchema variables_interval_key();

}  // namespace sterna::md
