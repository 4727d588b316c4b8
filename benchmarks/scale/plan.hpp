// The plan of a step, as network.py writes it: the exchanges (who sends how many bytes to whom) and
// the operations that all ranks do in the same order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What a message costs its sender, and with `p2p` its receiver.
constexpr double overhead = 0.3e-6;
/// With `p2p` larger messages leave when the receiver has come to the exchange, too.
constexpr double eager_bytes = 65536;
/// Of combining one number of a contribution to a reduction.
constexpr double combine_seconds = 1e-9;
constexpr int ranks_per_node = 4;

enum class Kind : std::int32_t { compute, start, finish, reduce };

struct Message {
  std::int32_t target;
  double bytes;
};

/// An exchange as one rank sees it.
struct Role {
  std::vector<Message> sends;
  std::int32_t eager_arrivals = 0, late_arrivals = 0;
};

struct Operation {
  Kind kind;
  std::int32_t argument;  // of start and finish: the exchange; of reduce: bytes
  std::vector<double> seconds;
};

inline bool leaves_at_once(double bytes, bool put) {
  return put || bytes <= eager_bytes;
}

struct Plan {
  std::int32_t ranks = 0, exchanges = 0;
  std::vector<std::vector<Role>> roles;  // [exchange][rank]
  std::vector<Operation> operations;

  Plan(const std::string& path, bool put) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("no plan " + path);
    const auto head = read<std::int32_t>(file, 3);
    ranks = head[0];
    exchanges = head[1];
    for (int e = 0; e < exchanges; ++e) roles.push_back(read_roles(file, put));
    for (int k = 0; k < head[2]; ++k) {
      const auto what = read<std::int32_t>(file, 2);
      Operation operation{static_cast<Kind>(what[0]), what[1], {}};
      if (operation.kind == Kind::compute) operation.seconds = read<double>(file, rank_count());
      operations.push_back(std::move(operation));
    }
  }

  std::size_t rank_count() const { return static_cast<std::size_t>(ranks); }

 private:
  template <class T>
  static std::vector<T> read(std::ifstream& file, std::size_t count) {
    std::vector<T> values(count);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(count * sizeof(T)));
    if (!file) throw std::runtime_error("the plan ends early");
    return values;
  }

  std::vector<Role> read_roles(std::ifstream& file, bool put) const {
    const auto count = static_cast<std::size_t>(read<std::int32_t>(file, 1)[0]);
    const auto sources = read<std::int32_t>(file, count);
    const auto targets = read<std::int32_t>(file, count);
    const auto bytes = read<double>(file, count);
    std::vector<Role> roles(rank_count());
    for (std::size_t m = 0; m < count; ++m) {
      roles[static_cast<std::size_t>(sources[m])].sends.push_back({targets[m], bytes[m]});
      Role& receiver = roles[static_cast<std::size_t>(targets[m])];
      ++(leaves_at_once(bytes[m], put) ? receiver.eager_arrivals : receiver.late_arrivals);
    }
    // From the own number on, so that not all write to the first ranks first.
    for (std::size_t r = 0; r < roles.size(); ++r) {
      auto& sends = roles[r].sends;
      std::sort(sends.begin(), sends.end(),
                [](const Message& a, const Message& b) { return a.target < b.target; });
      const auto next = std::find_if(sends.begin(), sends.end(), [&](const Message& message) {
        return message.target > static_cast<std::int32_t>(r);
      });
      std::rotate(sends.begin(), next, sends.end());
    }
    return roles;
  }
};

struct Result {
  std::vector<std::vector<double>> seconds;  // [operation][rank], of the last step
  std::vector<double> first_end, last_end;   // [rank], of steps

  explicit Result(const Plan& plan)
      : seconds(plan.operations.size(), std::vector<double>(plan.rank_count())),
        first_end(plan.rank_count()),
        last_end(plan.rank_count()) {}

  /// A line of JSON: seconds of a step after the first, and of each operation in the last step, mean
  /// and most over the ranks.
  void print(int steps) const {
    const auto most = [](const std::vector<double>& values) {
      return *std::max_element(values.begin(), values.end());
    };
    const double first = most(first_end), last = most(last_end);
    std::printf("{\"step\": %.9g, \"mean\": [", steps > 1 ? (last - first) / (steps - 1) : first);
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      double sum = 0.0;
      for (const double value : seconds[k]) sum += value;
      std::printf("%s%.6g", k > 0 ? ", " : "", sum / static_cast<double>(seconds[k].size()));
    }
    std::printf("], \"most\": [");
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      std::printf("%s%.6g", k > 0 ? ", " : "", most(seconds[k]));
    }
    std::printf("]}\n");
  }
};
