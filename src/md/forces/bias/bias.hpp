#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/registry.hpp"

namespace sterna::md {

/// What a bias knows of one of its variables.
struct BiasedVariable {
  std::size_t index;  ///< among the variables of the run
  std::string name;
  double period = 0.0;  ///< 0: it does not repeat
  double least = 0.0;   ///< of a period

  /// `value` minus `center`, of the nearest image.
  double from(double center, double value) const;
};

/// What an input says of a bias. Values of variables are in internal units and radians.
struct BiasOptions {
  std::string name, kind;
  std::vector<BiasedVariable> variables;
  double center = 0.0, end_center = 0.0;
  std::int64_t start_step = 0, stop_step = 0;
  double stiffness = 0.0;  ///< energy per square of the variable
  double force = 0.0;      ///< energy per variable
  bool is_above = false;   ///< a wall that acts above its center
  double height = 0.0;     ///< energy
  std::vector<double> widths;
  std::int64_t interval = 0;    ///< steps between two hills
  double bias_factor = 0.0;     ///< 0: hills of one height
  double thermal_energy = 0.0;  ///< k T of well-tempered hills
};

/// A potential of some variables. It may change from step to step. All ranks have the same.
class Bias {
 public:
  explicit Bias(const BiasOptions& options)
      : name_(options.name), kind_(options.kind), variables_(options.variables) {}
  virtual ~Bias() = default;

  const std::string& name() const { return name_; }
  const std::string& kind() const { return kind_; }
  std::span<const BiasedVariable> variables() const { return variables_; }

  /// Becomes the potential of this step. Called once for each step, and again for the same one.
  virtual void go_to(std::int64_t /*step*/) {}
  /// The energy at these values of its variables, and its derivatives by them.
  virtual double energy(std::span<const double> values, std::span<double> slopes) const = 0;
  /// By how much the last `go_to` another step has changed the energy at these values.
  virtual double change(std::span<const double> /*values*/) const { return 0.0; }
  /// Whether it changes from step to step, so that it has a work.
  virtual bool changes() const { return false; }
  /// Takes the values of a step, once for each step, after its forces.
  virtual void take(std::int64_t /*step*/, double /*time*/, std::span<const double> /*values*/) {}

  /// Further columns of the file of values: names and present values.
  virtual std::vector<std::pair<std::string, double>> columns() const { return {}; }
  /// What tools need to know of it: names and values, for the head of that file.
  virtual std::vector<std::pair<std::string, double>> constants() const { return {}; }
  /// The text of its own file of hills, from the given hill on; empty: it has none. With `head`: what
  /// stands before the first one.
  virtual bool has_hills() const { return false; }
  virtual std::string hills_head() const { return {}; }
  virtual std::string hills_text(std::size_t /*first*/) const { return {}; }
  virtual std::size_t hill_count() const { return 0; }

  /// What a resumed run needs. `restore` throws std::invalid_argument if it is of another kind.
  virtual std::vector<double> state() const { return {}; }
  virtual void restore(std::span<const double> state);

 private:
  std::string name_, kind_;
  std::vector<BiasedVariable> variables_;
};

/// A kind of bias, declared in its file.
struct BiasRow {
  std::string_view name;
  std::string_view sentence;
  std::size_t most_variables = 1;
  std::vector<std::string_view> keys = {};           ///< keys of [[bias]] that only some kinds have
  std::vector<std::string_view> required_keys = {};  ///< those of them that it needs
  std::vector<std::string_view> aliases = {};
  std::unique_ptr<Bias> (*make)(const BiasOptions& options) = nullptr;
};

/// The rows, each defined in the bias's own file.
namespace bias {
#define STERNA_BIAS(name) BiasRow name();
#include "md/forces/bias/bias_list.inc"
#undef STERNA_BIAS
}  // namespace bias

/// All kinds, in the order of the reference page.
const Registry<BiasRow>& bias_table();

/// The usual `make` of a row.
template <class Kind>
std::unique_ptr<Bias> make_bias(const BiasOptions& options) {
  return made_from<Kind, Bias>(options);
}

}  // namespace sterna::md
