#pragma once

#include "md/start/foreign/ls1/plugins.hpp"

namespace sterna::md::ls1 {

/// That the samples of `name` begin after this step; below 0: with the first one. Sterna's observers
/// all begin after the same step, `[output] equilibration`: the last of those that the plugins have.
/// A warning tells where that is not the one of ls1. To be called before the section of the observer
/// is written.
void begin_sampling(const XmlElement& element, std::string_view name, std::int64_t after,
                    XmlValues& values, const Decides& decides, Input& input);

/// Whether any plugin has become an observer.
bool observes(const Input& input);

/// ls1's RDF: [rdf]. `equilibration`: steps of `<equilibration>`.
void read_rdf(const XmlElement& plugin, std::optional<std::int64_t> equilibration,
              XmlValues& values, const Decides& decides, Input& input);

/// ls1's RegionSampling and SpatialProfile: [profile], where one of them asks for densities and
/// temperatures of layers of the whole box; otherwise a warning, since measurements do not change a
/// run.
void read_region_sampling(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input);
void read_spatial_profile(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input);

/// ls1's GammaWriter: [pressure_tensor] with the surface tension of surfaces across y.
void read_gamma_writer(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                       Input& input);

/// ls1's ODF: [orientation_order]; Permittivity: [dielectric]. A warning where the molecules are
/// atoms.
void read_orientations(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                       const Decides& decides, Input& input);
void read_permittivity(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                       const Decides& decides, Input& input);

/// Says that a measurement is left out.
void leave_out_measurement(const XmlElement& element, std::string_view name, XmlValues& values);

}  // namespace sterna::md::ls1
