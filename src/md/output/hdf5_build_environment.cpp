#include "md/output/hdf5_build_environment.hpp"

namespace sterna::md::hdf5 {

const char* build_environment() {
#ifdef STERNA_BUILD_ENVIRONMENT
  return STERNA_BUILD_ENVIRONMENT;
#else
  return nullptr;
#endif
}

}  // namespace sterna::md::hdf5
