#pragma once

#include <string>

// The functions of libkim-api (version 2) that the engine calls, in its C interface. The library is
// loaded at run time, so neither building nor running needs it.

namespace sterna::md::kim {

/// An enumerated value of KIM: units, names of arguments, support. In C each is a structure of one
/// integer.
struct Id {
  int id;
  friend bool operator==(const Id&, const Id&) = default;
};

struct Model;             // KIM_Model
struct ComputeArguments;  // KIM_ComputeArguments
struct Collections;       // KIM_Collections
using Function = void();

// STERNA_KIM_FUNCTION(name, result, parameters)
#define STERNA_KIM_FUNCTIONS(X)                                                                 \
  X(KIM_Log_PushDefaultVerbosity, void, (Id))                                                   \
  X(KIM_SpeciesName_FromString, Id, (const char*))                                              \
  X(KIM_SpeciesName_ToString, const char*, (Id))                                                \
  X(KIM_SPECIES_NAME_GetNumberOfSpeciesNames, void, (int*))                                     \
  X(KIM_SPECIES_NAME_GetSpeciesName, int, (int, Id*))                                           \
  X(KIM_COMPUTE_ARGUMENT_NAME_GetNumberOfComputeArgumentNames, void, (int*))                    \
  X(KIM_COMPUTE_ARGUMENT_NAME_GetComputeArgumentName, int, (int, Id*))                          \
  X(KIM_ComputeArgumentName_ToString, const char*, (Id))                                        \
  X(KIM_COMPUTE_CALLBACK_NAME_GetNumberOfComputeCallbackNames, void, (int*))                    \
  X(KIM_COMPUTE_CALLBACK_NAME_GetComputeCallbackName, int, (int, Id*))                          \
  X(KIM_ComputeCallbackName_ToString, const char*, (Id))                                        \
  X(KIM_LengthUnit_ToString, const char*, (Id))                                                 \
  X(KIM_EnergyUnit_ToString, const char*, (Id))                                                 \
  X(KIM_Collections_Create, int, (Collections**))                                               \
  X(KIM_Collections_Destroy, void, (Collections**))                                             \
  X(KIM_Collections_CacheListOfItemNamesByType, int, (Collections*, Id, int*))                  \
  X(KIM_Collections_GetItemNameByType, int, (Collections*, int, const char**))                  \
  X(KIM_Model_Create, int, (Id, Id, Id, Id, Id, Id, const char*, int*, Model**))                \
  X(KIM_Model_Destroy, void, (Model**))                                                         \
  X(KIM_Model_GetUnits, void, (const Model*, Id*, Id*, Id*, Id*, Id*))                          \
  X(KIM_Model_GetInfluenceDistance, void, (const Model*, double*))                              \
  X(KIM_Model_GetNeighborListPointers, void, (const Model*, int*, const double**, const int**)) \
  X(KIM_Model_GetSpeciesSupportAndCode, int, (const Model*, Id, int*, int*))                    \
  X(KIM_Model_ComputeArgumentsCreate, int, (const Model*, ComputeArguments**))                  \
  X(KIM_Model_ComputeArgumentsDestroy, int, (const Model*, ComputeArguments**))                 \
  X(KIM_Model_Compute, int, (const Model*, const ComputeArguments*))                            \
  X(KIM_ComputeArguments_GetArgumentSupportStatus, int, (const ComputeArguments*, Id, Id*))     \
  X(KIM_ComputeArguments_GetCallbackSupportStatus, int, (const ComputeArguments*, Id, Id*))     \
  X(KIM_ComputeArguments_SetArgumentPointerInteger, int, (ComputeArguments*, Id, const int*))   \
  X(KIM_ComputeArguments_SetArgumentPointerDouble, int, (ComputeArguments*, Id, const double*)) \
  X(KIM_ComputeArguments_SetCallbackPointer, int, (ComputeArguments*, Id, Id, Function*, void*))

#define STERNA_KIM_CONSTANTS(X)                     \
  X(KIM_NUMBERING_zeroBased)                        \
  X(KIM_LENGTH_UNIT_A)                              \
  X(KIM_ENERGY_UNIT_eV)                             \
  X(KIM_CHARGE_UNIT_e)                              \
  X(KIM_TEMPERATURE_UNIT_K)                         \
  X(KIM_TIME_UNIT_ps)                               \
  X(KIM_LOG_VERBOSITY_silent)                       \
  X(KIM_LANGUAGE_NAME_cpp)                          \
  X(KIM_COLLECTION_ITEM_TYPE_portableModel)         \
  X(KIM_COLLECTION_ITEM_TYPE_simulatorModel)        \
  X(KIM_SUPPORT_STATUS_required)                    \
  X(KIM_SUPPORT_STATUS_notSupported)                \
  X(KIM_COMPUTE_CALLBACK_NAME_GetNeighborList)      \
  X(KIM_COMPUTE_ARGUMENT_NAME_numberOfParticles)    \
  X(KIM_COMPUTE_ARGUMENT_NAME_particleSpeciesCodes) \
  X(KIM_COMPUTE_ARGUMENT_NAME_particleContributing) \
  X(KIM_COMPUTE_ARGUMENT_NAME_coordinates)          \
  X(KIM_COMPUTE_ARGUMENT_NAME_partialEnergy)        \
  X(KIM_COMPUTE_ARGUMENT_NAME_partialForces)

struct Library {
#define STERNA_KIM_DECLARE(name, result, parameters) result(*name) parameters = nullptr;
  STERNA_KIM_FUNCTIONS(STERNA_KIM_DECLARE)
#undef STERNA_KIM_DECLARE
#define STERNA_KIM_DECLARE(name) Id name{};
  STERNA_KIM_CONSTANTS(STERNA_KIM_DECLARE)
#undef STERNA_KIM_DECLARE
};

/// The library, which is loaded by the first call and stays. STERNA_KIM names another file than
/// libkim-api.so.2. Throws std::runtime_error if it cannot be loaded.
const Library& library();

}  // namespace sterna::md::kim
