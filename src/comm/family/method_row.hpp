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

/// The priority of a method as the first one that `auto` uses, before anything is measured.
struct FirstChoice {
  int priority = 0;         ///< the highest among working methods is chosen; 0: never
  std::string_view reason;  ///< reason for the verdict: "all peers are on one node"
};

/// The places where a method takes part in a race. Elsewhere it cannot win, and to say whether it
/// works it might have to start a transport that is of no use there.
enum class Races {
  anywhere,
  between_nodes,        ///< if the ranks are on several nodes
  between_shared_nodes  ///< if, besides, a node has several ranks
};

/// A row of a family's table. It says all that the rest of the library, the tests and the
/// documentation know of a method. It is defined at the end of the method's own file.
template <class Method, class Setting>
struct MethodRow {
  MethodInfo info;
  /// Returns why the method does not work for this rank and these peers; empty if it works. Local.
  /// Without peers the answer is about the context alone. See requirements.hpp.
  std::string (*why_unavailable)(const Context& context, std::span<const int> peers);
  /// Makes the method; collective for sparse methods.
  std::unique_ptr<Method> (*make)(const Setting& setting);
  /// Returns the operations of a rank in a round in which it sends to `peers` ranks and receives
  /// from as many.
  CostTerms (*cost)(const PatternShape& shape);
  FirstChoice first_choice = {};
  /// Another method that does the same with fewer steps, if it works on all ranks. Chance would
  /// decide a race between the two, so this method then takes no part. Empty if there is none.
  std::string_view same_as = {};
  /// Where it takes part in a race.
  Races races = Races::anywhere;
};

/// The function `MethodRow::make` of a method whose constructor takes only the setting.
template <class Class, class Base, class Setting>
std::unique_ptr<Base> make_method(const Setting& setting) {
  return std::make_unique<Class>(setting);
}

/// Says in words what a rank does in a round of the method with this many peers: "12 puts and
/// notices, 4.8 kB sent". All ranks are on one node and, for sparse methods, all of them are
/// possible sources.
template <class Row>
std::string work_in_words(const Row& row, int ranks, double peers, double bytes) {
  return in_words(row.cost({ranks, ranks, peers, bytes, 0.0, ranks - 1.0}));
}

}  // namespace sterna::comm
