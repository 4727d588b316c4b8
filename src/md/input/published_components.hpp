#pragma once

#include <vector>

#include "md/input/input.hpp"
#include "md/model/library/published_model.hpp"

namespace sterna::md {

/// Gives each component that names a model the sites of that model.
void take_published_sites(Input& input);

/// The library's models that the input uses, each once, in the order of the components.
std::vector<const PublishedModel*> used_models(const Input& input);

}  // namespace sterna::md
