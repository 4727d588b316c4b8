#pragma once

#include "md/start/foreign/ls1/plugins.hpp"

namespace sterna::md::ls1 {

/// Sets the step after which the samples of `name` begin; below 0: from the start. All of Sterna's
/// observers begin after the same step, `[output] equilibration`, so the largest step of all
/// plugins is used, with a warning if this differs from ls1. Must be called before the section of
/// the observer is written.
void begin_sampling(const XmlElement& element, std::string_view name, std::int64_t after,
                    XmlValues& values, const Decides& decides, Input& input);

/// Whether any plugin has become an observer so far.
bool observes(const Input& input);

/// Reads ls1's RDF as [rdf]. `equilibration`: the number of steps in `<equilibration>`.
void read_rdf(const XmlElement& plugin, std::optional<std::int64_t> equilibration,
              XmlValues& values, const Decides& decides, Input& input);

/// Reads ls1's RegionSampling and SpatialProfile as [profile], if one of them samples densities and
/// temperatures in layers of the whole box. Otherwise warns that the measurement is left out.
void read_region_sampling(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input);
void read_spatial_profile(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input);

/// Reads ls1's GammaWriter as [pressure_tensor] with the surface tension of surfaces across y.
void read_gamma_writer(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                       Input& input);

/// Reads ls1's ODF as [orientation_order] and Permittivity as [dielectric]; warns if the molecules
/// are atoms.
void read_orientations(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                       const Decides& decides, Input& input);
void read_permittivity(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                       const Decides& decides, Input& input);

/// Warns that a measurement is left out.
void leave_out_measurement(const XmlElement& element, std::string_view name, XmlValues& values);

}  // namespace sterna::md::ls1
