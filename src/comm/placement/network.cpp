#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "sterna/comm/error.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/placement.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::comm {
namespace {

/// Returns the product if all factors are positive and it is a plausible number of nodes; otherwise
/// 0.
int checked_product(std::span<const int> sizes) {
  std::int64_t product = sizes.empty() ? 0 : 1;
  for (const int size : sizes) {
    if (size < 1) return 0;
    product *= size;
    if (product > std::numeric_limits<int>::max()) return 0;
  }
  return static_cast<int>(product);
}

int require_nodes(std::span<const int> sizes, std::string_view kind) {
  const int nodes = checked_product(sizes);
  if (nodes == 0) {
    throw Error(fmt::format("a {} network of {} nodes is none", kind, joined(sizes, " x ")));
  }
  return nodes;
}

/// Returns the positive number in a text, or 0.
int positive_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::max(number, 0) : 0;
}

/// Expands "node[001-128]" to node001 to node128, the notation of batch systems; returns nothing if
/// the text is no range of names.
std::optional<std::vector<std::string>> host_names(std::string_view text) {
  const std::size_t open = text.find_first_of("[]");
  if (open == std::string_view::npos) return std::vector<std::string>{std::string(text)};
  const std::size_t close = text.find_first_of("[]", open + 1);
  if (text[open] != '[' || close == std::string_view::npos || text[close] != ']') return {};
  if (text.find_first_of("[]", close + 1) != std::string_view::npos) return {};
  const std::string_view range = text.substr(open + 1, close - open - 1);
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return {};
  constexpr int most_hosts = 1 << 20;
  const bool from_zero = range.find_first_not_of('0') == dash && dash > 0;
  const int first = from_zero ? 0 : positive_number(range.substr(0, dash));
  const int last = positive_number(range.substr(dash + 1));
  if ((first == 0 && !from_zero) || last < first || last - first >= most_hosts) return {};
  std::vector<std::string> names;
  for (int number = first; number <= last; ++number) {
    names.push_back(
        fmt::format("{}{:0{}}{}", text.substr(0, open), number, dash, text.substr(close + 1)));
  }
  return names;
}

}  // namespace

Network Network::flat(int nodes) {
  Network network;
  network.nodes_ = require_nodes({&nodes, 1}, "flat");
  return network;
}

Network Network::torus(std::vector<int> sizes) {
  Network network;
  network.nodes_ = require_nodes(sizes, "torus");
  network.torus_ = std::move(sizes);
  return network;
}

Network Network::tree(std::vector<int> children) {
  Network network;
  network.nodes_ = require_nodes(children, "tree");
  network.tree_ = std::move(children);
  return network;
}

Network Network::read(const std::string& path) {
  // the file has a line for each of many nodes
  constexpr std::size_t largest_file = std::size_t{16} << 20;
  std::string text;
  try {
    text = read_regular_file(path, largest_file);
  } catch (const UnreadableFile& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  std::istringstream file(std::move(text));
  Network network;
  std::vector<std::string> hosts;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const auto fail = [&](const std::string& message) {
      throw Error(fmt::format("{}:{}: {}", path, number, message));
    };
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind;
    if (!(words >> kind)) continue;
    std::vector<std::string> values;
    for (std::string word; words >> word;) values.push_back(word);
    if (kind == "host") {
      const auto names = values.size() == 1 ? host_names(values.front()) : std::nullopt;
      if (!names) fail("host: a name was expected, or several as in node[001-128]");
      hosts.insert(hosts.end(), names->begin(), names->end());
      continue;
    }
    if (kind != "flat" && kind != "torus" && kind != "tree") {
      fail(fmt::format("flat, torus, tree or host was expected, not \"{}\"", kind));
    }
    if (network.nodes_ != 0) fail("a second network");
    std::vector<int> sizes;
    for (const std::string& value : values) {
      const int size = positive_number(value);
      if (size == 0) {
        fail(fmt::format("{}: a positive number was expected, not \"{}\"", kind, value));
      }
      sizes.push_back(size);
    }
    if (checked_product(sizes) == 0) fail(fmt::format("{}: sensible sizes were expected", kind));
    if (kind == "flat" && sizes.size() != 1) fail("flat: one number of nodes was expected");
    network = kind == "flat"    ? flat(sizes.front())
              : kind == "torus" ? torus(std::move(sizes))
                                : tree(std::move(sizes));
  }
  if (network.nodes_ == 0) {
    throw Error(fmt::format("{}: a line flat, torus or tree was expected", path));
  }
  if (!hosts.empty() && hosts.size() != static_cast<std::size_t>(network.nodes_)) {
    throw Error(fmt::format("{}: {} host{} for {} nodes: give one for each node, or none", path,
                            hosts.size(), hosts.size() == 1 ? "" : "s", network.nodes_));
  }
  network.hosts_ = std::move(hosts);
  return network;
}

int Network::nodes() const {
  return nodes_;
}

int Network::hops(int a, int b) const {
  if (a == b) return 0;
  if (!torus_.empty()) {
    int hops = 0;
    for (const int size : torus_) {
      const int distance = std::abs(a % size - b % size);
      hops += std::min(distance, size - distance);
      a /= size;
      b /= size;
    }
    return hops;
  }
  if (!tree_.empty()) {
    int level = 0;
    for (; a != b; ++level) {
      a /= tree_[static_cast<std::size_t>(level)];
      b /= tree_[static_cast<std::size_t>(level)];
    }
    return 2 * level;
  }
  return 1;
}

std::string Network::description() const {
  if (!torus_.empty()) return fmt::format("torus {}", joined(torus_, " x "));
  if (!tree_.empty()) return fmt::format("tree {}", joined(tree_, " x "));
  return fmt::format("flat {}", nodes_);
}

}  // namespace sterna::comm
