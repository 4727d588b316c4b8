#include "md/forces/kim/kim_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>

#include "md/core/display_text.hpp"
#include "md/forces/kim/kim_library.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

std::vector<std::string> names_of(kim::Id kind) {
  const kim::Library& kim = kim::library();
  std::vector<std::string> names;
  kim::Collections* collections = nullptr;
  if (kim.KIM_Collections_Create(&collections) != 0) return names;
  int count = 0;
  if (kim.KIM_Collections_CacheListOfItemNamesByType(collections, kind, &count) == 0) {
    for (int n = 0; n < count; ++n) {
      const char* name = nullptr;
      if (kim.KIM_Collections_GetItemNameByType(collections, n, &name) == 0) {
        names.emplace_back(name);
      }
    }
  }
  kim.KIM_Collections_Destroy(&collections);
  return names;
}

/// The message for a model that is not there, with those that may be meant.
std::string no_such_model(const std::string& name) {
  const kim::Library& kim = kim::library();
  const std::vector<std::string> simulator_models =
      names_of(kim.KIM_COLLECTION_ITEM_TYPE_simulatorModel);
  if (std::ranges::find(simulator_models, name) != simulator_models.end()) {
    return fmt::format(
        "{} is a simulator model, an input for another program, which cannot be computed here; "
        "expected a portable model",
        quote(name));
  }
  const std::vector<std::string> models = installed_kim_models();
  std::string message = fmt::format("KIM has no portable model {} among the {} that are installed",
                                    quote(name), models.size());
  const std::vector<std::string_view> views(models.begin(), models.end());
  if (const auto near = comm::nearest_name(name, views)) {
    // The end of these long names tells them apart.
    return message + fmt::format("; did you mean \"{}\"?", *near);
  }
  constexpr std::size_t most = 3;
  std::vector<std::string_view> like;
  for (const std::string_view model : views) {
    if (model.find(name) != std::string_view::npos && like.size() < most) like.push_back(model);
  }
  if (!like.empty()) message += "; there is " + comm::joined(like, ", ");
  return message;
}

int give_neighbors(void* rows_of_all, int /*lists*/, const double* /*cutoffs*/, int /*list*/,
                   int particle, int* count, const int** neighbors) {
  const auto row =
      static_cast<const FullRows*>(rows_of_all)->row(static_cast<std::size_t>(particle));
  *count = static_cast<int>(row.size());
  *neighbors = reinterpret_cast<const int*>(row.data());
  return 0;
}

}  // namespace

std::vector<std::string> installed_kim_models() {
  return names_of(kim::library().KIM_COLLECTION_ITEM_TYPE_portableModel);
}

struct KimModel::Handles {
  const kim::Library& kim = kim::library();
  kim::Model* model = nullptr;
  kim::ComputeArguments* arguments = nullptr;

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    if (arguments != nullptr) kim.KIM_Model_ComputeArgumentsDestroy(model, &arguments);
    if (model != nullptr) kim.KIM_Model_Destroy(&model);
  }
  /// Throws std::runtime_error if the model needs more than the engine gives, or gives no forces.
  void require_known_needs(const std::string& name) const;
};

void KimModel::Handles::require_known_needs(const std::string& name) const {
  int count = 0;
  kim.KIM_COMPUTE_ARGUMENT_NAME_GetNumberOfComputeArgumentNames(&count);
  for (int n = 0; n < count; ++n) {
    kim::Id argument{}, support{};
    kim.KIM_COMPUTE_ARGUMENT_NAME_GetComputeArgumentName(n, &argument);
    kim.KIM_ComputeArguments_GetArgumentSupportStatus(arguments, argument, &support);
    const bool is_wanted = argument == kim.KIM_COMPUTE_ARGUMENT_NAME_partialEnergy ||
                           argument == kim.KIM_COMPUTE_ARGUMENT_NAME_partialForces;
    if (is_wanted && support == kim.KIM_SUPPORT_STATUS_notSupported) {
      throw std::runtime_error(fmt::format("the model {} does not compute {}", quote(name),
                                           kim.KIM_ComputeArgumentName_ToString(argument)));
    }
    if (!is_wanted && support == kim.KIM_SUPPORT_STATUS_required) {
      throw std::runtime_error(
          fmt::format("the model {} requires the argument {}, which Sterna "
                      "does not give",
                      quote(name), kim.KIM_ComputeArgumentName_ToString(argument)));
    }
  }
  kim.KIM_COMPUTE_CALLBACK_NAME_GetNumberOfComputeCallbackNames(&count);
  for (int n = 0; n < count; ++n) {
    kim::Id callback{}, support{};
    kim.KIM_COMPUTE_CALLBACK_NAME_GetComputeCallbackName(n, &callback);
    kim.KIM_ComputeArguments_GetCallbackSupportStatus(arguments, callback, &support);
    if (callback != kim.KIM_COMPUTE_CALLBACK_NAME_GetNeighborList &&
        support == kim.KIM_SUPPORT_STATUS_required) {
      throw std::runtime_error(
          fmt::format("the model {} requires the call {}, which Sterna does "
                      "not give",
                      quote(name), kim.KIM_ComputeCallbackName_ToString(callback)));
    }
  }
}

KimModel::KimModel(const std::string& name) : name_(name), handles_(std::make_unique<Handles>()) {
  const kim::Library& kim = handles_->kim;
  const std::vector<std::string> models = installed_kim_models();
  if (std::ranges::find(models, name) == models.end()) {
    throw std::runtime_error(no_such_model(name));
  }
  int accepted = 0;
  if (kim.KIM_Model_Create(kim.KIM_NUMBERING_zeroBased, kim.KIM_LENGTH_UNIT_A,
                           kim.KIM_ENERGY_UNIT_eV, kim.KIM_CHARGE_UNIT_e,
                           kim.KIM_TEMPERATURE_UNIT_K, kim.KIM_TIME_UNIT_ps, name.c_str(),
                           &accepted, &handles_->model) != 0) {
    handles_->model = nullptr;
    throw std::runtime_error(fmt::format("KIM cannot load the model {}", quote(name)));
  }
  if (accepted == 0) {
    kim::Id length{}, energy{}, others[3];
    kim.KIM_Model_GetUnits(handles_->model, &length, &energy, others, others + 1, others + 2);
    throw std::runtime_error(fmt::format(
        "the model {} computes in {} and {}; expected one that takes angstrom and eV", quote(name),
        kim.KIM_LengthUnit_ToString(length), kim.KIM_EnergyUnit_ToString(energy)));
  }
  if (kim.KIM_Model_ComputeArgumentsCreate(handles_->model, &handles_->arguments) != 0) {
    handles_->arguments = nullptr;
    throw std::runtime_error(fmt::format("KIM cannot prepare the model {}", quote(name)));
  }
  handles_->require_known_needs(name);
}
KimModel::~KimModel() = default;
KimModel::KimModel(KimModel&&) noexcept = default;

std::vector<std::string> KimModel::species() const {
  const kim::Library& kim = handles_->kim;
  std::vector<std::string> found;
  int count = 0;
  kim.KIM_SPECIES_NAME_GetNumberOfSpeciesNames(&count);
  for (int n = 0; n < count; ++n) {
    kim::Id name{};
    int is_supported = 0, code = 0;
    kim.KIM_SPECIES_NAME_GetSpeciesName(n, &name);
    const int failed =
        kim.KIM_Model_GetSpeciesSupportAndCode(handles_->model, name, &is_supported, &code);
    if (failed == 0 && is_supported != 0) {
      found.emplace_back(kim.KIM_SpeciesName_ToString(name));
    }
  }
  return found;
}

int KimModel::species_code(const std::string& species) const {
  const kim::Library& kim = handles_->kim;
  int is_supported = 0, code = 0;
  const int failed = kim.KIM_Model_GetSpeciesSupportAndCode(
      handles_->model, kim.KIM_SpeciesName_FromString(species.c_str()), &is_supported, &code);
  if (failed == 0 && is_supported != 0) return code;
  const std::vector<std::string> known = this->species();
  const std::vector<std::string_view> views(known.begin(), known.end());
  throw std::runtime_error(fmt::format("the model {} has no species {}; it has {}", quote(name_),
                                       quote(species), comm::joined(views, ", ")));
}

double KimModel::influence_distance() const {
  double distance = 0.0;
  handles_->kim.KIM_Model_GetInfluenceDistance(handles_->model, &distance);
  return distance;
}

double KimModel::cutoff() const {
  int count = 0;
  const double* cutoffs = nullptr;
  const int* will_not_ask = nullptr;
  handles_->kim.KIM_Model_GetNeighborListPointers(handles_->model, &count, &cutoffs, &will_not_ask);
  return count == 0 ? influence_distance() : *std::max_element(cutoffs, cutoffs + count);
}

bool KimModel::needs_rows_of_ghosts() const {
  int count = 0;
  const double* cutoffs = nullptr;
  const int* will_not_ask = nullptr;
  handles_->kim.KIM_Model_GetNeighborListPointers(handles_->model, &count, &cutoffs, &will_not_ask);
  return std::any_of(will_not_ask, will_not_ask + count,
                     [](int will_not) { return will_not == 0; });
}

bool KimModel::compute(const Particles& particles, std::span<double> forces, double& energy) {
  const kim::Library& kim = handles_->kim;
  kim::ComputeArguments* const to = handles_->arguments;
  const int count = static_cast<int>(particles.species_code.size());
  // An argument that is null is not computed, so an empty rank needs an address, too.
  const double none[3] = {};
  double ignored[3] = {};
  const int no_code[1] = {};
  const auto whole = [&](kim::Id name, const int* data) {
    return kim.KIM_ComputeArguments_SetArgumentPointerInteger(to, name, data);
  };
  const auto number = [&](kim::Id name, const double* data) {
    return kim.KIM_ComputeArguments_SetArgumentPointerDouble(to, name, data);
  };
  const bool empty = count == 0;
  int failed = whole(kim.KIM_COMPUTE_ARGUMENT_NAME_numberOfParticles, &count);
  failed |= whole(kim.KIM_COMPUTE_ARGUMENT_NAME_particleSpeciesCodes,
                  empty ? no_code : particles.species_code.data());
  failed |= whole(kim.KIM_COMPUTE_ARGUMENT_NAME_particleContributing,
                  empty ? no_code : particles.is_local.data());
  failed |= number(kim.KIM_COMPUTE_ARGUMENT_NAME_coordinates,
                   empty ? none : particles.coordinates.data());
  failed |= number(kim.KIM_COMPUTE_ARGUMENT_NAME_partialEnergy, &energy);
  failed |= number(kim.KIM_COMPUTE_ARGUMENT_NAME_partialForces, empty ? ignored : forces.data());
  failed |= kim.KIM_ComputeArguments_SetCallbackPointer(
      to, kim.KIM_COMPUTE_CALLBACK_NAME_GetNeighborList, kim.KIM_LANGUAGE_NAME_cpp,
      reinterpret_cast<kim::Function*>(&give_neighbors), const_cast<FullRows*>(&particles.rows));
  return failed == 0 && kim.KIM_Model_Compute(handles_->model, to) == 0;
}

}  // namespace sterna::md
