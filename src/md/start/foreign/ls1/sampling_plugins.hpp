#pragma once

#include "md/start/foreign/ls1/plugins.hpp"

namespace sterna::md::ls1 {

/// ls1's RegionSampling and SpatialProfile: [profile], where one of them asks for densities and
/// temperatures of layers of the whole box; otherwise a warning, since measurements do not change a
/// run.
void read_region_sampling(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input);
void read_spatial_profile(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input);

}  // namespace sterna::md::ls1
