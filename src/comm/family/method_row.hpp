#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comm/tune/cost_model.hpp"
#include "comm/tune/cost_terms.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// When `auto` begins with a method, before anything is measured.
struct FirstChoice {
  int priority = 0;         ///< the highest of those that work here; 0: never
  std::string_view reason;  ///< for the verdict: "all peers are on one node"
};

/// A row of a family's table: all that the rest of the library, the tests and the documentation know
/// of a method. It stands at the end of the method's own file.
template <class Method, class Setting>
struct MethodRow {
  MethodInfo info;
  /// Empty where the method works for this rank and these peers, otherwise why not. Local. Without
  /// peers: what can be said of the context alone. See requirements.hpp.
  std::string (*why_unavailable)(const Context& context, std::span<const int> peers);
  /// Collective for sparse methods.
  std::unique_ptr<Method> (*make)(const Setting& setting);
  /// What a rank does in a round in which it sends to `peers` ranks and as many send to it.
  CostTerms (*cost)(const PatternShape& shape);
  FirstChoice first_choice = {};
  /// A method that this one is the same as, with a detour, where that one works on all ranks: a race
  /// between the two would be decided by chance. Empty: none.
  std::string_view same_as = {};
};

/// `MethodRow::make` of a method whose class is made of the setting alone.
template <class Class, class Base, class Setting>
std::unique_ptr<Base> make_method(const Setting& setting) {
  return std::make_unique<Class>(setting);
}

/// What a rank does in a round of the method with so many peers, all ranks on one node and, for
/// sparse methods, all of them possible sources: "12 puts and notices, 4.8 kB sent".
template <class Row>
std::string work_in_words(const Row& row, int ranks, double peers, double bytes) {
  return in_words(row.cost({ranks, ranks, peers, bytes, 0.0, ranks - 1.0}));
}

}  // namespace sterna::comm
