#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/model/site_kind.hpp"

namespace sterna::md {

/// The publication of a model.
struct Citation {
  std::string_view key;      ///< of the BibTeX entry: "Berendsen1987"
  std::string_view authors;  ///< in BibTeX's form: "T. Merker and C. Engin"
  std::string_view title, journal = {}, volume = {}, pages;
  int year = 0;
  std::string_view doi = {};                         ///< empty if there is none
  std::string_view book_title = {}, publisher = {};  ///< for a book chapter

  /// A citation such as "T. Merker, C. Engin, J. Vrabec and H. Hasse, J. Chem. Phys. 132, 234512
  /// (2010), doi:..."
  std::string text() const;
  /// An entry of a BibTeX file, with a line break at its end.
  std::string bibtex() const;
};

/// A site of a published model, in nm, u, kJ/mol and e. Members without meaning for its kind are 0.
struct PublishedSite {
  using Kind = SiteKind;
  Kind kind;
  Vec3 position{};
  double mass = 0.0;
  double epsilon = 0.0, sigma = 0.0;
  double charge = 0.0;
  Vec3 axis{0.0, 0.0, 1.0};
  double moment = 0.0;  ///< dipole: e nm; quadrupole: e nm^2
};

/// A rigid molecule with its published parameters, which an input file can refer to by name.
struct PublishedModel {
  std::string_view name;         ///< "spce"
  std::string_view substance;    ///< "water"
  std::string_view description;  ///< one line: its sites, the properties it was fitted to
  std::vector<PublishedSite> sites;
  Citation citation;
  /// Critical point of the real substance, as a guide to its liquid and vapor: K, particles per
  /// nm^3.
  double critical_temperature = 0.0, critical_density = 0.0;

  double mass() const;  ///< u
};

/// All models of the library, ordered by substance.
std::span<const PublishedModel> published_models();
std::vector<std::string_view> published_model_names();
/// The model with this name, or null.
const PublishedModel* find_published_model(std::string_view name);

}  // namespace sterna::md
