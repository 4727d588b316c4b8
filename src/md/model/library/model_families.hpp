#pragma once

#include <vector>

#include "md/model/library/published_model.hpp"

namespace sterna::md {

/// The parts of the library, one file each.
std::vector<PublishedModel> spherical_models();
std::vector<PublishedModel> quadrupolar_models();
std::vector<PublishedModel> carbon_dioxide_models();
std::vector<PublishedModel> nitrogen_models();
std::vector<PublishedModel> ethylene_oxide_models();
std::vector<PublishedModel> water_models();

/// J. Vrabec, J. Stoll and H. Hasse (2001): spherical and quadrupolar models of one kind.
const Citation& vrabec_2001();

}  // namespace sterna::md
