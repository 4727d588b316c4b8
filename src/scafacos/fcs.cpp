#include "sterna/scafacos/fcs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/fmm.hpp"

struct fcs_result {
  fcs_int code;
  std::string function, message;
};

struct fcs_handle {
  MPI_Comm communicator;
  sterna::comm::Context context;
  std::array<std::optional<std::array<fcs_float, 3>>, 3> box = {};
  std::array<fcs_float, 3> origin = {};
  std::optional<std::array<fcs_int, 3>> periodicity = {};
  fcs_int total_particles = 0, max_local_particles = 0, redistribute = 0, resort = 0;
  fcs_int tuning = FCS_FMM_HOMOGENOUS_SYSTEM;
  fcs_int tolerance_type = FCS_TOLERANCE_TYPE_FIELD_REL;
  fcs_float tolerance = 1e-5;
  bool with_virial = false;
  std::optional<std::array<double, 9>> virial = {};  ///< of the last run

  std::optional<sterna::fmm::Solver> solver = {};
  /// What the solver was made for.
  bool is_periodic = false, is_tuned = false;
  sterna::fmm::Edges edges = {};
  std::vector<fcs_float> potentials = {};  ///< where the caller wants none
};

namespace {

using namespace sterna;

/// An error with its code.
struct Refused {
  fcs_int code;
  std::string message;
};

[[noreturn]] void refuse(fcs_int code, const std::string& message) {
  throw Refused{code, message};
}

/// Runs the body of a call and turns what it throws into a result.
template <class Body>
FCSResult call(const char* function, Body&& body) noexcept {
  const auto result = [&](fcs_int code, const std::string& message) -> FCSResult {
    return new (std::nothrow) fcs_result{code, function, message};
  };
  try {
    body();
    return FCS_RESULT_SUCCESS;
  } catch (const Refused& refused) {
    return result(refused.code, refused.message);
  } catch (const std::bad_alloc&) {
    return result(FCS_ERROR_ALLOC_FAILED, "no memory left");
  } catch (const std::exception& error) {
    return result(FCS_ERROR_LOGICAL_ERROR, error.what());
  }
}

template <class Body>
FCSResult call_on(FCS handle, const char* function, Body&& body) noexcept {
  return call(function, [&] {
    if (handle == nullptr) refuse(FCS_ERROR_NULL_ARGUMENT, "the handle is a null pointer");
    body(*handle);
  });
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr)
    refuse(FCS_ERROR_NULL_ARGUMENT, fmt::format("{} is a null pointer", name));
}

template <class Number>
std::array<Number, 3> three(const Number* numbers, const char* name) {
  require(numbers, name);
  return {numbers[0], numbers[1], numbers[2]};
}

FCSResult get(FCS handle, const char* function, fcs_int* value, fcs_int fcs_handle::*member) {
  return call_on(handle, function, [&](const fcs_handle& fcs) {
    require(value, "the place of the result");
    *value = fcs.*member;
  });
}

fmm::Tolerance tolerance_of(fcs_int type) {
  switch (type) {
    case FCS_TOLERANCE_TYPE_ENERGY:
      return fmm::Tolerance::absolute_energy;
    case FCS_TOLERANCE_TYPE_ENERGY_REL:
      return fmm::Tolerance::energy;
    case FCS_TOLERANCE_TYPE_POTENTIAL:
      return fmm::Tolerance::absolute_potential;
    case FCS_TOLERANCE_TYPE_POTENTIAL_REL:
      return fmm::Tolerance::potential;
    case FCS_TOLERANCE_TYPE_FIELD:
      return fmm::Tolerance::absolute_field;
    case FCS_TOLERANCE_TYPE_FIELD_REL:
      return fmm::Tolerance::field;
    default:
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             fmt::format("the tolerance type is {}, expected one of FCS_TOLERANCE_TYPE_ENERGY to "
                         "FCS_TOLERANCE_TYPE_FIELD_REL",
                         type));
  }
}

/// Makes the solver, or gives it the present box.
void prepare(fcs_handle& fcs) {
  if (!fcs.periodicity) refuse(FCS_ERROR_MISSING_ELEMENT, "the periodicity is not set");
  const bool periodic = (*fcs.periodicity)[0] != 0;
  fmm::Edges edges{};
  for (std::size_t k = 0; k < 3; ++k) {
    if (periodic && !fcs.box[k]) {
      refuse(FCS_ERROR_MISSING_ELEMENT, fmt::format("box_{} is not set", "abc"[k]));
    }
    if (periodic) edges[k] = *fcs.box[k];
  }
  if (fcs.solver && fcs.is_periodic == periodic) {
    if (edges != fcs.edges) fcs.solver->set_box(edges);
  } else {
    fmm::Options options;
    options.accuracy = fcs.tolerance;
    options.tolerance = tolerance_of(fcs.tolerance_type);
    fcs.solver.reset();
    fcs.is_tuned = false;
    fcs.solver =
        periodic ? fmm::Solver(fcs.context, edges, options) : fmm::Solver(fcs.context, options);
    fcs.is_periodic = periodic;
  }
  fcs.edges = edges;
}

struct Particles {
  std::span<const double> positions, charges;
};

/// Arrays that are missing, and numbers that cannot be, become arrays that do not fit, so that the
/// solver ends the call on all ranks.
Particles particles_of(fcs_int count, const fcs_float* positions, const fcs_float* charges) {
  static constexpr double one[] = {1.0};
  if (count < 0 || (count > 0 && charges == nullptr)) return {{}, one};
  const auto particles = static_cast<std::size_t>(count);
  return {{positions, positions == nullptr ? 0 : 3 * particles}, {charges, particles}};
}

/// One after the other, the words of a list between commas.
class Words {
 public:
  explicit Words(std::string_view list) : rest_(list) {}
  bool empty() const { return rest_.empty(); }
  std::string_view next() {
    const std::size_t comma = rest_.find(',');
    std::string_view word = rest_.substr(0, comma);
    rest_ = comma == std::string_view::npos ? std::string_view() : rest_.substr(comma + 1);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    return word;
  }
  template <class Number>
  Number number(std::string_view name) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             fmt::format("{}: expected a number, not \"{}\"", name, word));
    }
    return value;
  }
  template <class Number>
  std::array<Number, 3> three(std::string_view name) {
    std::array<Number, 3> numbers;
    for (Number& value : numbers) value = number<Number>(name);
    return numbers;
  }

 private:
  std::string_view rest_;
};

/// Throws what a call has returned.
void take(FCSResult result) {
  if (result == FCS_RESULT_SUCCESS) return;
  const std::unique_ptr<fcs_result> owned(result);
  refuse(owned->code, owned->message);
}

struct Parameter {
  std::string_view name;
  FCSResult (*set)(FCS handle, Words& words);
};

template <FCSResult (*set)(FCS, const fcs_float*)>
FCSResult set_vector(FCS handle, Words& words) {
  return set(handle, words.three<fcs_float>("three numbers").data());
}
template <FCSResult (*set)(FCS, fcs_int)>
FCSResult set_integer(FCS handle, Words& words) {
  return set(handle, words.number<fcs_int>("a whole number"));
}
template <fcs_int type>
FCSResult set_tolerance(FCS handle, Words& words) {
  return fcs_set_tolerance(handle, type, words.number<fcs_float>("a tolerance"));
}

constexpr Parameter parameters_of_list[] = {
    {"box_a", set_vector<fcs_set_box_a>},
    {"box_b", set_vector<fcs_set_box_b>},
    {"box_c", set_vector<fcs_set_box_c>},
    {"offset", set_vector<fcs_set_box_origin>},
    {"periodicity",
     [](FCS handle, Words& words) {
       return fcs_set_periodicity(handle, words.three<fcs_int>("periodicity").data());
     }},
    {"near_field_flag", set_integer<fcs_set_near_field_flag>},
    {"redistribute", set_integer<fcs_set_redistribute>},
    {"total_particles", set_integer<fcs_set_total_particles>},
    {"require_virial", set_integer<fcs_set_compute_virial>},
    {"tolerance_energy", set_tolerance<FCS_TOLERANCE_TYPE_ENERGY>},
    {"tolerance_energy_rel", set_tolerance<FCS_TOLERANCE_TYPE_ENERGY_REL>},
    {"tolerance_potential", set_tolerance<FCS_TOLERANCE_TYPE_POTENTIAL>},
    {"tolerance_potential_rel", set_tolerance<FCS_TOLERANCE_TYPE_POTENTIAL_REL>},
    {"tolerance_field", set_tolerance<FCS_TOLERANCE_TYPE_FIELD>},
    {"tolerance_field_rel", set_tolerance<FCS_TOLERANCE_TYPE_FIELD_REL>},
    {"fmm_internal_tuning", set_integer<fcs_fmm_set_internal_tuning>},
};

void set_parameter(FCS handle, std::string_view name, Words& words) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters_of_list) {
    if (parameter.name == name) return take(parameter.set(handle, words));
    names.push_back(parameter.name);
  }
  refuse(FCS_ERROR_WRONG_ARGUMENT, comm::unknown_name_message("parameter", name, names));
}

}  // namespace

fcs_int fcs_result_get_return_code(FCSResult result) {
  return result == nullptr ? 0 : result->code;
}
const char* fcs_result_get_function(FCSResult result) {
  return result == nullptr ? "" : result->function.c_str();
}
const char* fcs_result_get_message(FCSResult result) {
  return result == nullptr ? "" : result->message.c_str();
}
void fcs_result_print_result(FCSResult result) {
  if (result == nullptr) return;
  std::printf("%s: %s (%d)\n", result->function.c_str(), result->message.c_str(), result->code);
}
void fcs_result_destroy(FCSResult result) {
  delete result;
}

FCSResult fcs_init(FCS* new_handle, const char* method_name, MPI_Comm communicator) {
  return call(__func__, [&] {
    require(new_handle, "new_handle");
    require(method_name, "method_name");
    if (std::string_view(method_name) != "fmm") {
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             fmt::format("the method \"{}\" is not here, expected \"fmm\"", method_name));
    }
    if (communicator == MPI_COMM_NULL) {
      refuse(FCS_ERROR_WRONG_ARGUMENT, "the communicator is MPI_COMM_NULL");
    }
    *new_handle = new fcs_handle{communicator, comm::Context::from_communicator(&communicator)};
  });
}
FCSResult fcs_destroy(FCS handle) {
  delete handle;
  return FCS_RESULT_SUCCESS;
}
const char* fcs_get_method_name(FCS handle) {
  return handle == nullptr ? "" : "fmm";
}
MPI_Comm fcs_get_communicator(FCS handle) {
  return handle == nullptr ? MPI_COMM_NULL : handle->communicator;
}

FCSResult fcs_set_common(FCS handle, fcs_int near_field_flag, const fcs_float* box_a,
                         const fcs_float* box_b, const fcs_float* box_c,
                         const fcs_float* box_origin, const fcs_int* periodicity,
                         fcs_int total_particles) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    take(fcs_set_near_field_flag(handle, near_field_flag));
    take(fcs_set_box_a(handle, box_a));
    take(fcs_set_box_b(handle, box_b));
    take(fcs_set_box_c(handle, box_c));
    take(fcs_set_box_origin(handle, box_origin));
    take(fcs_set_periodicity(handle, periodicity));
    take(fcs_set_total_particles(handle, total_particles));
  });
}
FCSResult fcs_set_dimensions(FCS handle, fcs_int dimensions) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    if (dimensions != 3) {
      refuse(FCS_ERROR_NOT_IMPLEMENTED, fmt::format("{} dimensions: there are three", dimensions));
    }
  });
}
fcs_int fcs_get_dimensions(FCS handle) {
  return handle == nullptr ? 0 : 3;
}
FCSResult fcs_set_near_field_flag(FCS handle, fcs_int near_field_flag) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    if (near_field_flag == 0) {
      refuse(FCS_ERROR_NOT_IMPLEMENTED, "the near field cannot be left to the program");
    }
  });
}
fcs_int fcs_get_near_field_flag(FCS handle) {
  return handle == nullptr ? 0 : 1;
}
FCSResult fcs_set_redistribute(FCS handle, fcs_int redistribute) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) { fcs.redistribute = redistribute; });
}
fcs_int fcs_get_redistribute(FCS handle) {
  return handle == nullptr ? 0 : handle->redistribute;
}

FCSResult fcs_set_box_a(FCS handle, const fcs_float* box_a) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) { fcs.box[0] = three(box_a, "box_a"); });
}
FCSResult fcs_set_box_b(FCS handle, const fcs_float* box_b) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) { fcs.box[1] = three(box_b, "box_b"); });
}
FCSResult fcs_set_box_c(FCS handle, const fcs_float* box_c) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) { fcs.box[2] = three(box_c, "box_c"); });
}
const fcs_float* fcs_get_box_a(FCS handle) {
  return handle == nullptr || !handle->box[0] ? nullptr : handle->box[0]->data();
}
const fcs_float* fcs_get_box_b(FCS handle) {
  return handle == nullptr || !handle->box[1] ? nullptr : handle->box[1]->data();
}
const fcs_float* fcs_get_box_c(FCS handle) {
  return handle == nullptr || !handle->box[2] ? nullptr : handle->box[2]->data();
}
FCSResult fcs_set_box_origin(FCS handle, const fcs_float* box_origin) {
  return call_on(handle, __func__,
                 [&](fcs_handle& fcs) { fcs.origin = three(box_origin, "box_origin"); });
}
const fcs_float* fcs_get_box_origin(FCS handle) {
  return handle == nullptr ? nullptr : handle->origin.data();
}
FCSResult fcs_set_periodicity(FCS handle, const fcs_int* periodicity) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    const auto given = three(periodicity, "periodicity");
    if ((given[0] != 0) != (given[1] != 0) || (given[1] != 0) != (given[2] != 0)) {
      refuse(FCS_ERROR_INCOMPATIBLE_METHOD,
             fmt::format("periodicity {} {} {}: expected a box that is periodic in all directions, "
                         "or in none",
                         given[0], given[1], given[2]));
    }
    fcs.periodicity = given;
  });
}
const fcs_int* fcs_get_periodicity(FCS handle) {
  return handle == nullptr || !handle->periodicity ? nullptr : handle->periodicity->data();
}
FCSResult fcs_set_total_particles(FCS handle, fcs_int total_particles) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    if (total_particles < 1) {
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             fmt::format("{} particles in all: expected at least 1", total_particles));
    }
    fcs.total_particles = total_particles;
  });
}
fcs_int fcs_get_total_particles(FCS handle) {
  return handle == nullptr ? 0 : handle->total_particles;
}
FCSResult fcs_set_max_local_particles(FCS handle, fcs_int max_local_particles) {
  return call_on(handle, __func__,
                 [&](fcs_handle& fcs) { fcs.max_local_particles = max_local_particles; });
}
fcs_int fcs_get_max_local_particles(FCS handle) {
  return handle == nullptr ? 0 : handle->max_local_particles;
}

FCSResult fcs_set_tolerance(FCS handle, fcs_int tolerance_type, fcs_float tolerance) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    tolerance_of(tolerance_type);
    if (!(tolerance > 0.0) || !std::isfinite(tolerance)) {
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             fmt::format("a tolerance of {}: expected a number above 0", tolerance));
    }
    if (fcs.tolerance_type != tolerance_type || fcs.tolerance != tolerance) fcs.solver.reset();
    fcs.tolerance_type = tolerance_type;
    fcs.tolerance = tolerance;
  });
}
FCSResult fcs_get_tolerance(FCS handle, fcs_int* tolerance_type, fcs_float* tolerance) {
  return call_on(handle, __func__, [&](const fcs_handle& fcs) {
    require(tolerance_type, "tolerance_type");
    require(tolerance, "tolerance");
    *tolerance_type = fcs.tolerance_type;
    *tolerance = fcs.tolerance;
  });
}
FCSResult fcs_set_parameters(FCS handle, const char* parameters, fcs_int continue_on_errors) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    require(parameters, "parameters");
    std::optional<Refused> first;
    for (Words words(parameters); !words.empty();) {
      const std::string_view name = words.next();
      try {
        set_parameter(handle, name, words);
      } catch (const Refused& refused) {
        if (!first) first = refused;
        if (continue_on_errors == 0) break;
      }
    }
    if (first) throw *first;
  });
}
FCSResult fcs_print_parameters(FCS handle) {
  return call_on(handle, __func__, [&](const fcs_handle& fcs) {
    std::string text = "fmm, by Sterna\n";
    for (std::size_t k = 0; k < 3; ++k) {
      if (!fcs.box[k]) continue;
      const auto& edge = *fcs.box[k];
      text += fmt::format("box_{}: {} {} {}\n", "abc"[k], edge[0], edge[1], edge[2]);
    }
    if (fcs.periodicity) {
      text += fmt::format("periodic: {}\n", (*fcs.periodicity)[0] != 0 ? "yes" : "no");
    }
    text += fmt::format("total particles: {}\ntolerance: type {}, {}\n", fcs.total_particles,
                        fcs.tolerance_type, fcs.tolerance);
    if (fcs.solver && fcs.is_tuned) {
      const fmm::Errors& errors = fcs.solver->errors();
      text += fmt::format("{}\nmeasured relative errors: fields {:.2g}, potentials {:.2g}\n",
                          fcs.solver->description(), errors.field, errors.potential);
    }
    std::fputs(text.c_str(), stdout);
  });
}
FCSResult fcs_fmm_set_internal_tuning(FCS handle, fcs_int system) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    if (system != FCS_FMM_HOMOGENOUS_SYSTEM && system != FCS_FMM_INHOMOGENOUS_SYSTEM) {
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             fmt::format("an internal tuning of {}: expected 0 or 1", system));
    }
    fcs.tuning = system;
  });
}
FCSResult fcs_fmm_get_internal_tuning(FCS handle, fcs_int* system) {
  return get(handle, __func__, system, &fcs_handle::tuning);
}

FCSResult fcs_tune(FCS handle, fcs_int local_particles, fcs_float* positions, fcs_float* charges) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    prepare(fcs);
    // Some programs tune in each step. The solver itself sees when the charges are others.
    if (fcs.is_tuned) return;
    const Particles particles = particles_of(local_particles, positions, charges);
    fcs.solver->tune(particles.positions, particles.charges);
    fcs.is_tuned = true;
  });
}
FCSResult fcs_run(FCS handle, fcs_int local_particles, fcs_float* positions, fcs_float* charges,
                  fcs_float* field, fcs_float* potentials) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    prepare(fcs);
    const Particles particles = particles_of(local_particles, positions, charges);
    const std::size_t count = particles.charges.size();
    if (potentials == nullptr) {
      fcs.potentials.resize(count);
      potentials = fcs.potentials.data();
    }
    const fmm::Sums sums =
        fcs.solver->compute(particles.positions, particles.charges, {potentials, count},
                            {field, field == nullptr ? 0 : 3 * count}, fcs.with_virial);
    fcs.is_tuned = true;
    fcs.virial.reset();
    if (fcs.with_virial) fcs.virial = sums.virial;
  });
}
FCSResult fcs_compute_dipole_correction(FCS handle, fcs_int local_particles, fcs_float* positions,
                                        fcs_float* charges, fcs_float epsilon,
                                        fcs_float* field_correction, fcs_float* energy_correction) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) {
    for (const auto& edge : fcs.box) {
      if (!edge) refuse(FCS_ERROR_MISSING_ELEMENT, "the box is not set");
    }
    const auto &a = *fcs.box[0], &b = *fcs.box[1], &c = *fcs.box[2];
    const double volume =
        std::abs(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0]));
    const Particles particles = particles_of(local_particles, positions, charges);
    const bool fits = particles.positions.size() == 3 * particles.charges.size();
    std::array<double, 3> dipole{};
    for (std::size_t i = 0; fits && i < particles.positions.size(); ++i) {
      dipole[i % 3] += particles.charges[i / 3] * particles.positions[i];
    }
    double misfits = fits ? 0.0 : 1.0;
    comm::ReductionBatch(fcs.context, "dipole").sum(dipole.data(), 3).sum(misfits).run();
    if (misfits > 0.0) {
      refuse(FCS_ERROR_WRONG_ARGUMENT,
             "a rank has no positions, no charges, or a number of particles below 0");
    }
    // De Leeuw, Perram and Smith, Proc. R. Soc. A 373, 27 (1980).
    const double scale =
        epsilon < 0.0 ? 0.0 : 4.0 * std::numbers::pi / ((1.0 + 2.0 * epsilon) * volume);
    double square = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      square += dipole[k] * dipole[k];
      if (field_correction != nullptr) field_correction[k] = -scale * dipole[k];
    }
    if (energy_correction != nullptr) *energy_correction = 0.5 * scale * square;
  });
}

FCSResult fcs_set_compute_virial(FCS handle, fcs_int compute_virial) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) { fcs.with_virial = compute_virial != 0; });
}
FCSResult fcs_get_compute_virial(FCS handle, fcs_int* compute_virial) {
  return call_on(handle, __func__, [&](const fcs_handle& fcs) {
    require(compute_virial, "compute_virial");
    *compute_virial = fcs.with_virial ? 1 : 0;
  });
}
FCSResult fcs_get_virial(FCS handle, fcs_float* virial) {
  return call_on(handle, __func__, [&](const fcs_handle& fcs) {
    require(virial, "virial");
    if (!fcs.virial) {
      refuse(FCS_ERROR_LOGICAL_ERROR,
             "there is no virial: call fcs_set_compute_virial(handle, 1) before fcs_run");
    }
    for (std::size_t k = 0; k < 9; ++k) virial[k] = (*fcs.virial)[k];
  });
}

FCSResult fcs_get_near_field_delegation(FCS handle, fcs_int* near_field_delegation) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    require(near_field_delegation, "near_field_delegation");
    *near_field_delegation = 0;
  });
}
FCSResult fcs_set_r_cut(FCS handle, fcs_float) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    refuse(FCS_ERROR_NOT_IMPLEMENTED, "the multipole method has no cutoff");
  });
}
FCSResult fcs_unset_r_cut(FCS handle) {
  return call_on(handle, __func__, [](fcs_handle&) {});
}
FCSResult fcs_set_max_particle_move(FCS handle, fcs_float) {
  return call_on(handle, __func__, [](fcs_handle&) {});
}
FCSResult fcs_set_resort(FCS handle, fcs_int resort) {
  return call_on(handle, __func__, [&](fcs_handle& fcs) { fcs.resort = resort; });
}
FCSResult fcs_get_resort(FCS handle, fcs_int* resort) {
  return get(handle, __func__, resort, &fcs_handle::resort);
}
FCSResult fcs_get_resort_availability(FCS handle, fcs_int* availability) {
  return call_on(handle, __func__, [&](fcs_handle&) {
    require(availability, "availability");
    *availability = 0;
  });
}
