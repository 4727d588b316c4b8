#include "md/forces/manybody/input/ace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/input/yaml_tree.hpp"
#include "md/input/fields.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

using AceNames = std::initializer_list<std::string_view>;
using AceNode = std::uint32_t;

constexpr int most_ace_factors = 12;
constexpr int most_ace_functions =
    1000;  ///< n, basis functions, densities: a limit against nonsense

struct AceBasisName {
  std::string_view name;
  AceRadialBasis basis;
};
constexpr AceBasisName ace_basis_names[] = {{"ChebExpCos", AceRadialBasis::chebyshev_exponential},
                                            {"ChebPow", AceRadialBasis::chebyshev_power},
                                            {"ChebLinear", AceRadialBasis::chebyshev_linear},
                                            {"SBessel", AceRadialBasis::bessel},
                                            {"TEST_SBessel", AceRadialBasis::bessel}};
struct AceInnerCutoffName {
  std::string_view name;
  AceInnerCutoff cutoff;
};
constexpr AceInnerCutoffName ace_inner_cutoff_names[] = {{"density", AceInnerCutoff::density},
                                                         {"distance", AceInnerCutoff::distance},
                                                         {"zbl", AceInnerCutoff::zbl}};
struct AceEmbeddingName {
  std::string_view name;
  bool shifted_scaled;
};
constexpr AceEmbeddingName ace_embedding_names[] = {{"FinnisSinclair", false},
                                                    {"FinnisSinclairShiftedScaled", true}};

/// A map with known keys.
class AceMap {
 public:
  AceMap(const YamlTree& tree, AceNode node, std::string what)
      : tree_(tree), node_(node), what_(std::move(what)) {
    if (tree[node].kind != YamlNode::Kind::map)
      tree.fail(node, fmt::format("expected {}: a map", what_));
    const std::vector<AceNode> nodes = tree.children(node);
    for (std::size_t k = 0; k + 1 < nodes.size(); k += 2) {
      if (tree[nodes[k]].kind != YamlNode::Kind::scalar)
        tree.fail(nodes[k], fmt::format("expected a key of {}", what_));
      for (const auto& [key, value] : entries_) {
        if (tree.text(key) == tree.text(nodes[k]))
          tree.fail(nodes[k], fmt::format("{} is there twice", quote(tree.text(key))));
      }
      entries_.emplace_back(nodes[k], nodes[k + 1]);
    }
  }

  /// Fails where there is another key, or one of the first keys is missing.
  void expect(AceNames required, AceNames allowed = {}) const {
    std::vector<std::string_view> all(required);
    all.insert(all.end(), allowed.begin(), allowed.end());
    for (const auto& [key, value] : entries_) {
      const std::string_view name = tree_.text(key);
      if (std::ranges::find(all, name) != all.end()) continue;
      std::string message = fmt::format("{} has no key {}", what_, quote(name));
      if (const auto near = comm::nearest_name(name, all)) {
        message += fmt::format("; did you mean {}?", quote(*near));
      } else {
        message += fmt::format("; expected {}", comm::joined(all, ", "));
      }
      tree_.fail(key, message);
    }
    for (const std::string_view name : required) {
      if (!has(name)) tree_.fail(node_, fmt::format("{} lacks {}", what_, name));
    }
  }
  bool has(std::string_view name) const { return find(name) != entries_.end(); }
  AceNode operator[](std::string_view name) const { return find(name)->second; }

 private:
  std::vector<std::pair<AceNode, AceNode>>::const_iterator find(std::string_view name) const {
    return std::ranges::find_if(entries_,
                                [&](const auto& entry) { return tree_.text(entry.first) == name; });
  }
  const YamlTree& tree_;
  AceNode node_;
  std::string what_;
  std::vector<std::pair<AceNode, AceNode>> entries_;
};

class AceReader {
 public:
  AceReader(std::string_view text, std::string_view name) : tree_(text, name) {}

  AceTables read() {
    const AceMap file(tree_, YamlTree::root, "the file");
    file.expect({"elements", "E0", "deltaSplineBins", "embeddings", "bonds", "functions"},
                {"metadata"});
    tables_.spacing = number(file["deltaSplineBins"], "deltaSplineBins");
    if (tables_.spacing <= 0.0)
      tree_.fail(file["deltaSplineBins"], "deltaSplineBins is not more than 0");
    read_elements(file["elements"]);
    const std::vector<AceNode> energies = sequence(file["E0"], "E0", count());
    for (std::size_t n = 0; n < count(); ++n)
      tables_.elements[n].lone_energy = number(energies[n], "E0");
    for (const auto& [element, node] : of_elements(file["embeddings"], "embeddings"))
      read_embedding(element, node);
    read_bonds(file["bonds"]);
    for (const auto& [element, node] : of_elements(file["functions"], "functions")) {
      for (const AceNode function : sequence(node, "functions of " + name(element)))
        read_function(element, function);
    }
    return std::move(tables_);
  }

 private:
  std::size_t count() const { return tables_.elements.size(); }
  const std::string& name(std::size_t element) const { return tables_.elements[element].name; }

  std::string_view word(AceNode node, std::string_view what) const {
    if (tree_[node].kind != YamlNode::Kind::scalar)
      tree_.fail(node, fmt::format("{} is no word", what));
    return tree_.text(node);
  }
  double number(AceNode node, std::string_view what) const {
    double value = 0.0;
    const bool is_scalar = tree_[node].kind == YamlNode::Kind::scalar;
    if (!is_scalar || !parse_number(tree_.text(node), value) || !std::isfinite(value)) {
      tree_.fail(node, fmt::format("{} is {}; expected a number", what,
                                   is_scalar ? quote(tree_.text(node)) : "no scalar"));
    }
    return value;
  }
  int integer(AceNode node, std::string_view what, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const bool is_scalar = tree_[node].kind == YamlNode::Kind::scalar;
    if (!is_scalar || !parse_integer(tree_.text(node), value) || value < least || value > most) {
      tree_.fail(node, fmt::format("{} is {}; expected a whole number from {} to {}", what,
                                   is_scalar ? quote(tree_.text(node)) : "no scalar", least, most));
    }
    return static_cast<int>(value);
  }
  std::vector<AceNode> sequence(AceNode node, std::string_view what) const {
    if (tree_[node].kind != YamlNode::Kind::sequence)
      tree_.fail(node, fmt::format("expected {}: values in brackets", what));
    return tree_.children(node);
  }
  std::vector<AceNode> sequence(AceNode node, std::string_view what, std::size_t expected) const {
    std::vector<AceNode> nodes = sequence(node, what);
    if (nodes.size() != expected) {
      tree_.fail(node, fmt::format("{} has {} values; expected {}", what, nodes.size(), expected));
    }
    return nodes;
  }
  std::vector<double> numbers(AceNode node, std::string_view what, std::size_t expected) const {
    std::vector<double> values;
    for (const AceNode one : sequence(node, what, expected)) values.push_back(number(one, what));
    return values;
  }

  /// The row of a table that a word names.
  template <class Row>
  const Row& row(AceNode node, std::string_view what, const Row* begin, const Row* end) const {
    const std::string_view text = word(node, what);
    const Row* const found = std::find_if(begin, end, [&](const Row& r) { return r.name == text; });
    if (found != end) return *found;
    std::vector<std::string_view> names;
    for (const Row* one = begin; one != end; ++one) names.push_back(one->name);
    std::string message = fmt::format("there is no {} {}", what, quote(text));
    if (const auto near = comm::nearest_name(text, names)) {
      message += fmt::format("; did you mean {}?", quote(*near));
    } else {
      message += fmt::format("; there is {}", comm::joined(names, ", "));
    }
    tree_.fail(node, message);
  }

  void read_elements(AceNode node) {
    for (const AceNode one : sequence(node, "elements")) {
      const std::string_view element = word(one, "an element");
      if (element.empty()) tree_.fail(one, "an element has no name");
      if (std::ranges::find(tables_.elements, element, &AceElement::name) != tables_.elements.end())
        tree_.fail(one, fmt::format("{} is there twice", quote(element)));
      tables_.elements.push_back({.name = std::string(element)});
    }
    if (count() == 0) tree_.fail(node, "there are no elements");
    if (count() > 200) tree_.fail(node, "there are more than 200 elements");
  }

  /// The values of a map whose keys are the numbers of the elements, each of which it must have.
  std::vector<std::pair<std::size_t, AceNode>> of_elements(AceNode node,
                                                           std::string_view what) const {
    if (tree_[node].kind != YamlNode::Kind::map)
      tree_.fail(node, fmt::format("expected {}: a map with a key for each element", what));
    const std::vector<AceNode> nodes = tree_.children(node);
    std::vector<std::pair<std::size_t, AceNode>> found;
    for (std::size_t k = 0; k + 1 < nodes.size(); k += 2) {
      const auto element = static_cast<std::size_t>(
          integer(nodes[k], fmt::format("the number of an element in {}", what), 0,
                  static_cast<std::int64_t>(count()) - 1));
      if (std::ranges::find(found, element, &std::pair<std::size_t, AceNode>::first) != found.end())
        tree_.fail(nodes[k], fmt::format("{} is there twice", name(element)));
      found.emplace_back(element, nodes[k + 1]);
    }
    for (std::size_t element = 0; element < count(); ++element) {
      if (std::ranges::find(found, element, &std::pair<std::size_t, AceNode>::first) == found.end())
        tree_.fail(node, fmt::format("{} has no key {}, for {}", what, element, name(element)));
    }
    return found;
  }

  void read_embedding(std::size_t element, AceNode node) {
    const AceMap map(tree_, node, "the embedding of " + name(element));
    map.expect({"ndensity", "FS_parameters", "npoti", "rho_core_cutoff", "drho_core_cutoff"});
    AceElement& of = tables_.elements[element];
    of.shifted_scaled =
        row(map["npoti"], "npoti", std::begin(ace_embedding_names), std::end(ace_embedding_names))
            .shifted_scaled;
    const int densities = integer(map["ndensity"], "ndensity", 1, most_ace_functions);
    const std::vector<double> values =
        numbers(map["FS_parameters"], "FS_parameters", 2 * static_cast<std::size_t>(densities));
    for (std::size_t p = 0; p < values.size(); p += 2)
      of.embedding.push_back({values[p], values[p + 1]});
    of.core_limit = number(map["rho_core_cutoff"], "rho_core_cutoff");
    of.core_limit_width = number(map["drho_core_cutoff"], "drho_core_cutoff");
    if (of.core_limit_width < 0.0) {
      tree_.fail(map["drho_core_cutoff"],
                 fmt::format("drho_core_cutoff is {}; expected at least 0", of.core_limit_width));
    }
  }

  void read_bonds(AceNode node) {
    if (tree_[node].kind != YamlNode::Kind::map)
      tree_.fail(node, "expected bonds: a map whose keys are pairs of elements");
    const std::vector<AceNode> nodes = tree_.children(node);
    std::vector<char> is_there(count() * count(), 0);
    tables_.bonds.resize(count() * count());
    for (std::size_t k = 0; k + 1 < nodes.size(); k += 2) {
      std::size_t pair[2];
      const std::vector<AceNode> both = sequence(nodes[k], "a pair of elements", 2);
      for (std::size_t n = 0; n < 2; ++n) {
        pair[n] = static_cast<std::size_t>(integer(both[n], "the number of an element in bonds", 0,
                                                   static_cast<std::int64_t>(count()) - 1));
      }
      const std::size_t place = pair[0] * count() + pair[1];
      if (is_there[place] != 0)
        tree_.fail(nodes[k], fmt::format("the bond [{}, {}] is there twice", pair[0], pair[1]));
      is_there[place] = 1;
      read_bond(fmt::format("the bond {}-{}", name(pair[0]), name(pair[1])), nodes[k + 1],
                tables_.bonds[place]);
    }
    for (std::size_t place = 0; place < is_there.size(); ++place) {
      if (is_there[place] == 0)
        tree_.fail(node,
                   fmt::format("bonds has no key [{}, {}]", place / count(), place % count()));
    }
  }

  void read_bond(const std::string& what, AceNode node, AceBond& bond) const {
    const AceMap map(tree_, node, what);
    map.expect({"nradmax", "lmax", "nradbasemax", "radbasename", "radparameters", "radcoefficients",
                "prehc", "lambdahc", "rcut", "dcut"},
               {"rcut_in", "dcut_in", "inner_cutoff_type"});
    bond.basis = row(map["radbasename"], "radbasename", std::begin(ace_basis_names),
                     std::end(ace_basis_names))
                     .basis;
    bond.functions = integer(map["nradmax"], "nradmax", 0, most_ace_functions);
    bond.largest_l = integer(map["lmax"], "lmax", 0, AcePotential::largest_l);
    bond.basis_functions = integer(map["nradbasemax"], "nradbasemax", 1, most_ace_functions);
    const std::vector<AceNode> scales = sequence(map["radparameters"], "radparameters");
    if (scales.empty()) tree_.fail(map["radparameters"], "radparameters has no value");
    for (const AceNode one : scales) number(one, "radparameters");
    bond.scale = number(scales.front(), "radparameters");
    read_coefficients(map["radcoefficients"], bond);
    bond.core_strength = number(map["prehc"], "prehc");
    bond.core_decay = number(map["lambdahc"], "lambdahc");
    bond.cutoff = number(map["rcut"], "rcut");
    bond.cutoff_width = number(map["dcut"], "dcut");
    if (map.has("rcut_in")) bond.inner_begin = number(map["rcut_in"], "rcut_in");
    if (map.has("dcut_in")) bond.inner_width = number(map["dcut_in"], "dcut_in");
    if (map.has("inner_cutoff_type")) {
      bond.inner_cutoff = row(map["inner_cutoff_type"], "inner_cutoff_type",
                              std::begin(ace_inner_cutoff_names), std::end(ace_inner_cutoff_names))
                              .cutoff;
    }
  }

  /// By n, l and basis function.
  void read_coefficients(AceNode node, AceBond& bond) const {
    const auto functions = static_cast<std::size_t>(bond.functions);
    const auto levels = static_cast<std::size_t>(bond.largest_l) + 1;
    const auto basis = static_cast<std::size_t>(bond.basis_functions);
    for (const AceNode of_n : sequence(node, "radcoefficients", functions)) {
      for (const AceNode of_l : sequence(of_n, "radcoefficients of an n", levels)) {
        for (const double value : numbers(of_l, "radcoefficients of an n and l", basis))
          bond.coefficients.push_back(value);
      }
    }
  }

  void read_function(std::size_t element, AceNode node) {
    const AceMap map(tree_, node, "a function of " + name(element));
    map.expect(
        {"mu0", "rank", "ndensity", "num_ms_combs", "mus", "ns", "ls", "ms_combs", "ctildes"});
    AceFunction function;
    const auto own = static_cast<std::int64_t>(element);
    integer(map["mu0"], "mu0 of a function of " + name(element), own, own);
    const auto rank = static_cast<std::size_t>(integer(map["rank"], "rank", 1, most_ace_factors));
    const auto densities = static_cast<std::int64_t>(tables_.elements[element].embedding.size());
    integer(map["ndensity"], "ndensity of a function of " + name(element), densities, densities);
    const auto sets =
        static_cast<std::size_t>(integer(map["num_ms_combs"], "num_ms_combs", 1, 100'000'000));
    if (rank == 1 && sets > 1) {
      tree_.fail(map["num_ms_combs"],
                 fmt::format("num_ms_combs of a function of rank 1 is {}; expected 1, since its "
                             "only m is 0",
                             sets));
    }
    const std::vector<AceNode> elements = sequence(map["mus"], "mus", rank);
    const std::vector<AceNode> n = sequence(map["ns"], "ns", rank);
    const std::vector<AceNode> l = sequence(map["ls"], "ls", rank);
    for (std::size_t t = 0; t < rank; ++t) {
      const int other = integer(elements[t], "mus", 0, static_cast<std::int64_t>(count()) - 1);
      const AceBond& bond = tables_.bonds[element * count() + static_cast<std::size_t>(other)];
      function.elements.push_back(other);
      function.n.push_back(integer(n[t], rank == 1 ? "ns (of nradbasemax)" : "ns (of nradmax)", 1,
                                   rank == 1 ? bond.basis_functions : bond.functions) -
                           1);
      function.l.push_back(integer(l[t], "ls (of lmax)", 0, rank == 1 ? 0 : bond.largest_l));
    }
    const std::vector<AceNode> m = sequence(map["ms_combs"], "ms_combs", rank * sets);
    for (std::size_t set = 0; set < sets; ++set) {
      int sum = 0;
      for (std::size_t t = 0; t < rank; ++t) {
        const int most = function.l[t];
        function.m.push_back(integer(m[set * rank + t], "ms_combs (of ls)", -most, most));
        sum += function.m.back();
      }
      if (sum != 0) {
        tree_.fail(m[set * rank],
                   fmt::format("{} numbers of ms_combs from here on add up to {}; expected 0, as "
                               "for all that does not depend on directions",
                               rank, sum));
      }
    }
    function.coefficients =
        numbers(map["ctildes"], "ctildes", sets * static_cast<std::size_t>(densities));
    tables_.elements[element].functions.push_back(std::move(function));
  }

  YamlTree tree_;
  AceTables tables_;
};

}  // namespace

AceTables read_ace_file(std::string_view text, std::string_view name) {
  if (text.substr(0, 1000).find("nelements=") != std::string_view::npos) {
    throw AceFileError(fmt::format(
        "{}: this is a file of pair_style pace in its older form (.ace); expected its newer form "
        "(.yace), which pyace.ACECTildeBasisSet(\"{}\").save_yaml(...) of pacemaker writes",
        name, name));
  }
  try {
    return AceReader(text, name).read();
  } catch (const YamlError& error) {
    throw AceFileError(error.what());
  }
}

}  // namespace sterna::md
