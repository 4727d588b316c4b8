#include "comm/message/broadcast_tree.hpp"

#include <algorithm>
#include <cstddef>

namespace sterna::comm {
namespace {

/// Appends the children of the member at `index` in the binomial tree over `members`, whose first
/// is the root. Children of high order come first, because their subtrees are the deepest.
void append_children(std::span<const int> members, std::size_t index, std::vector<int>& children) {
  std::size_t step = 1;
  while (step < members.size() && (index & step) == 0) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    if (index + step < members.size()) children.push_back(members[index + step]);
  }
}

}  // namespace

std::vector<int> broadcast_children(std::span<const int> node_of, int root, int rank) {
  const auto node = [&](int of) { return node_of[static_cast<std::size_t>(of)]; };
  std::vector<int> leaders;
  std::vector<int> here;
  for (int each = 0; each < static_cast<int>(node_of.size()); ++each) {
    if (node(each) == static_cast<int>(leaders.size())) leaders.push_back(each);
    if (node(each) == node(rank)) here.push_back(each);
  }
  leaders[static_cast<std::size_t>(node(root))] = root;
  const int leader = leaders[static_cast<std::size_t>(node(rank))];
  std::ranges::rotate(here, std::ranges::find(here, leader));

  std::vector<int> children;
  if (rank == leader) {
    const auto index = static_cast<std::size_t>(node(rank));
    const auto first = static_cast<std::size_t>(node(root));
    std::ranges::rotate(leaders, leaders.begin() + static_cast<std::ptrdiff_t>(first));
    append_children(leaders, (index + leaders.size() - first) % leaders.size(), children);
  }
  const auto index = static_cast<std::size_t>(std::ranges::find(here, rank) - here.begin());
  append_children(here, index, children);
  return children;
}

}  // namespace sterna::comm
