#pragma once

#include <vector>

#include "md/model/library/published_model.hpp"

namespace sterna::md {

/// The models of the library by family; each function has a file of its own.
std::vector<PublishedModel> spherical_models();
std::vector<PublishedModel> quadrupolar_models();
std::vector<PublishedModel> carbon_dioxide_models();
std::vector<PublishedModel> nitrogen_models();
std::vector<PublishedModel> ethylene_oxide_models();
std::vector<PublishedModel> water_models();

/// J. Vrabec, J. Stoll and H. Hasse (2001): the source of the spherical and quadrupolar models.
const Citation& vrabec_2001();

}  // namespace sterna::md
