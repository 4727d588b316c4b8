// Steps of molecular dynamics as their messages and computing times, on a network of links that each
// carry one message after the other.
//
//   replay NETWORK SHAPE PLAN METHOD STEPS      replay torus 4,16,16 step.plan put 3
//
// NETWORK and SHAPE: `torus` with its nodes along each axis, messages going along one axis after the
// other by the shorter way; or `fat_tree` NODES,SWITCHES,ROOTS: SWITCHES with NODES each, connected
// by one link to each of ROOTS, the root being chosen by the receiver's number. Four ranks a node.
//
// A message holds each link of its route for its bytes over the link's bandwidth. Links serve
// messages in the order in which their heads arrive. A head moves on as soon as the next link is
// free, while the tail follows (cut-through, with buffers for all that waits). METHOD:
//   p2p  costs the sender and the receiver `overhead`; beyond `eager_bytes` it leaves when the
//        receiver has come to the exchange and told so
//   put  into memory that is known, with a notice: costs its sender `overhead`, leaves at once at any
//        size, and its receiver only sees a counter rise
// Reductions are messages in both, by recursive doubling of whole contributions. Meant for ranks that
// are a power of two.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plan.hpp"

namespace {

struct LinkKind {
  double bandwidth, latency;
};
constexpr LinkKind inside_node{20e9, 200e-9};
constexpr LinkKind of_torus{6.25e9, 200e-9};
constexpr LinkKind of_tree{12.5e9, 250e-9};

class Network {
 public:
  Network(const std::string& name, const std::vector<int>& shape)
      : torus_(name == "torus"), shape_(shape) {
    if (torus_) {
      nodes_ = 1;
      for (const int along : shape_) nodes_ *= along;
      free_.resize(static_cast<std::size_t>(nodes_) * (2 * shape_.size() + 1));
    } else {
      if (shape_.size() != 3) throw std::invalid_argument("a fat tree has NODES,SWITCHES,ROOTS");
      nodes_ = shape_[0] * shape_[1];
      free_.resize(static_cast<std::size_t>(3 * nodes_ + 2 * shape_[1] * shape_[2]));
    }
  }

  int nodes() const { return nodes_; }

  struct Hop {
    int link, next;
  };
  /// From the place of a message's head on: at first the node `from`. The link to pass next; -1: it
  /// is at `to`.
  Hop hop(int from, int to, int place) const {
    if (from == to) return place == from ? Hop{from, -1} : Hop{-1, place};
    return torus_ ? hop_of_torus(to, place) : hop_of_tree(from, to, place);
  }
  /// Holds the link; when the head is at its other end.
  double pass(int link, double bytes, double time) {
    const LinkKind& kind = kind_of(link);
    double& free = free_[static_cast<std::size_t>(link)];
    const double begin = std::max(time, free);
    free = begin + bytes / kind.bandwidth;
    return begin + kind.latency;
  }
  /// How long after its head the tail of a message comes.
  double tail(int from, int to, double bytes) const {
    return bytes / (from == to ? inside_node : between_nodes()).bandwidth;
  }
  /// Of an empty network.
  double latency(int from, int to) const {
    double sum = 0.0;
    for (int place = from;;) {
      const Hop next = hop(from, to, place);
      if (next.link < 0) return sum;
      sum += kind_of(next.link).latency;
      place = next.next;
    }
  }

 private:
  const LinkKind& between_nodes() const { return torus_ ? of_torus : of_tree; }
  /// Links 0 to nodes - 1 are those inside of nodes.
  const LinkKind& kind_of(int link) const { return link < nodes_ ? inside_node : between_nodes(); }

  Hop hop_of_torus(int to, int place) const {
    int stride = 1;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const int n = shape_[axis];
      const int at = place / stride % n, end = to / stride % n;
      if (at != end) {
        const bool up = 2 * ((end - at + n) % n) <= n;
        const int direction = 2 * static_cast<int>(axis) + (up ? 0 : 1);
        const int next = (at + (up ? 1 : n - 1)) % n;
        return {nodes_ * (1 + direction) + place, place + (next - at) * stride};
      }
      stride *= n;
    }
    return {-1, place};
  }

  /// Places beyond the nodes: the lower switches for messages upwards, the roots by the switch that
  /// they came from, the lower switches for messages downwards.
  Hop hop_of_tree(int from, int to, int place) const {
    const int per_switch = shape_[0], switches = shape_[1], roots = shape_[2];
    const int a = from / per_switch, b = to / per_switch, root = to % roots;
    const int down = nodes_ + switches + roots;
    if (place == from) return {nodes_ + from, a == b ? down : nodes_ + a};
    if (place == to) return {-1, place};
    if (place == down) return {2 * nodes_ + to, to};
    if (place < nodes_ + switches) return {3 * nodes_ + a * roots + root, nodes_ + switches + root};
    return {3 * nodes_ + (switches + b) * roots + root, down};
  }

  bool torus_;
  std::vector<int> shape_;
  int nodes_ = 0;
  std::vector<double> free_;  // when each link is
};

class Replay {
 public:
  Replay(const Plan& plan, Network& network, bool put, int steps, Result& result)
      : plan_(plan), network_(network), put_(put), steps_(steps), result_(result) {
    for (int bit = 1; bit < plan.ranks; bit *= 2) ++rounds_;
    std::int32_t slots = plan.exchanges;
    for (const Operation& operation : plan.operations) {
      first_slot_.push_back(slots);
      if (operation.kind == Kind::reduce) slots += rounds_;
    }
    ranks_.resize(plan.rank_count());
    for (Rank& rank : ranks_) rank.slots.resize(2 * static_cast<std::size_t>(slots));
  }

  void run() {
    for (int rank = 0; rank < plan_.ranks; ++rank) advance(rank);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      event.place < 0 ? arrive(event) : move_head(event);
    }
    for (const Rank& rank : ranks_) {
      if (rank.step != steps_) throw std::logic_error("a rank waits for ever");
    }
  }

 private:
  struct Event {
    double time;
    std::uint64_t number;  // of equal times the earlier made
    std::int32_t source, target, slot;
    std::int32_t place;  // of the head; -1: the tail has arrived
    double bytes;
    /// For a queue that gives the largest first.
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  /// What has come of an exchange, or of a round of a reduction, in even or odd steps.
  struct Slot {
    std::vector<double> arrivals;
    double started = -1.0;         // with p2p, when this rank came to the exchange
    std::vector<Event> held_back;  // that wait until it does
    std::int32_t sent_late = 0;    // by this rank, and not there yet
    double last_sent_arrival = 0.0;
  };
  struct Rank {
    double time = 0.0, began = 0.0;
    int step = 0;
    std::size_t operation = 0;
    int round = 0;  // of a reduction
    bool sent = false;
    std::vector<Slot> slots;
  };

  Slot& slot_of(int rank, std::int32_t slot) {
    return ranks_[static_cast<std::size_t>(rank)].slots[static_cast<std::size_t>(slot)];
  }
  std::int32_t with_parity(const Rank& rank, std::int32_t slot) const {
    return 2 * slot + rank.step % 2;
  }
  static int node(int rank) { return rank / ranks_per_node; }

  void add(double time, int source, int target, std::int32_t slot, double bytes) {
    events_.push({time, next_number_++, source, target, slot, node(source), bytes});
  }

  /// What a rank does until it must wait.
  void advance(int number) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    while (rank.step < steps_) {
      const Operation& operation = plan_.operations[rank.operation];
      if (!perform(number, rank, operation)) return;
      result_.seconds[rank.operation][static_cast<std::size_t>(number)] = rank.time - rank.began;
      rank.began = rank.time;
      if (++rank.operation < plan_.operations.size()) continue;
      rank.operation = 0;
      auto& ends = rank.step == 0 ? result_.first_end : result_.last_end;
      ends[static_cast<std::size_t>(number)] = rank.time;
      ++rank.step;
    }
  }

  /// False where something has not come yet.
  bool perform(int number, Rank& rank, const Operation& operation) {
    switch (operation.kind) {
      case Kind::compute:
        rank.time += operation.seconds[static_cast<std::size_t>(number)];
        return true;
      case Kind::start:
        start(number, rank, operation.argument);
        return true;
      case Kind::finish:
        return finish(number, rank, operation.argument);
      case Kind::reduce:
        return reduce(number, rank, operation.argument);
    }
    return true;
  }

  const Role& role(int exchange, int rank) const {
    return plan_.roles[static_cast<std::size_t>(exchange)][static_cast<std::size_t>(rank)];
  }

  void start(int number, Rank& rank, int exchange) {
    const std::int32_t at = with_parity(rank, exchange);
    Slot& slot = slot_of(number, at);
    slot.started = rank.time;
    for (Event event : slot.held_back) {
      event.time =
          std::max(event.time, rank.time + network_.latency(node(number), node(event.source)));
      events_.push(event);
    }
    slot.held_back.clear();
    for (const Message& message : role(exchange, number).sends) {
      rank.time += overhead;
      add(rank.time, number, message.target, at, message.bytes);
      slot.sent_late += leaves_at_once(message.bytes, put_) ? 0 : 1;
    }
  }

  bool finish(int number, Rank& rank, int exchange) {
    Slot& slot = slot_of(number, with_parity(rank, exchange));
    const Role& own = role(exchange, number);
    const auto wanted = static_cast<std::size_t>(own.eager_arrivals + own.late_arrivals);
    if (slot.arrivals.size() < wanted || slot.sent_late > 0) return false;
    for (const double arrival : slot.arrivals) {
      rank.time = std::max(rank.time, arrival) + (put_ ? 0.0 : overhead);
    }
    rank.time = std::max(rank.time, slot.last_sent_arrival);
    slot.arrivals.clear();
    slot.started = -1.0;
    slot.last_sent_arrival = 0.0;
    return true;
  }

  bool reduce(int number, Rank& rank, int bytes) {
    while (rank.round < rounds_) {
      const std::int32_t at = with_parity(rank, first_slot_[rank.operation] + rank.round);
      if (!rank.sent) {
        rank.time += overhead;
        add(rank.time, number, number ^ (1 << rank.round), at, bytes);
        rank.sent = true;
      }
      Slot& slot = slot_of(number, at);
      if (slot.arrivals.empty()) return false;
      rank.time = std::max(rank.time, slot.arrivals.front()) + overhead;
      rank.time += combine_seconds * bytes / 8.0;
      slot.arrivals.clear();
      rank.sent = false;
      ++rank.round;
    }
    rank.round = 0;
    return true;
  }

  bool is_late(const Event& event) const {
    return event.slot < 2 * plan_.exchanges && !leaves_at_once(event.bytes, put_);
  }

  /// Of late messages until the receiver's word has come.
  bool held_back(const Event& event) {
    Slot& receiver = slot_of(event.target, event.slot);
    if (receiver.started < 0.0) {
      receiver.held_back.push_back(event);
      return true;
    }
    const double told = receiver.started + network_.latency(node(event.target), node(event.source));
    if (told <= event.time) return false;
    Event later = event;
    later.time = told;
    events_.push(later);
    return true;
  }

  void move_head(Event event) {
    const int from = node(event.source), to = node(event.target);
    if (event.place == from && is_late(event) && held_back(event)) return;
    const Network::Hop hop = network_.hop(from, to, event.place);
    if (hop.link >= 0) event.time = network_.pass(hop.link, event.bytes, event.time);
    event.place = hop.next;
    if (from == to || hop.link < 0) {
      event.time += network_.tail(from, to, event.bytes);
      event.place = -1;
    }
    events_.push(event);
  }

  void arrive(const Event& event) {
    slot_of(event.target, event.slot).arrivals.push_back(event.time);
    if (is_late(event)) {
      Slot& sender = slot_of(event.source, event.slot);
      --sender.sent_late;
      sender.last_sent_arrival = std::max(sender.last_sent_arrival, event.time);
      advance(event.source);
    }
    advance(event.target);
  }

  const Plan& plan_;
  Network& network_;
  bool put_;
  int steps_;
  Result& result_;
  int rounds_ = 0;
  std::vector<std::int32_t> first_slot_;  // [operation]
  std::vector<Rank> ranks_;
  std::priority_queue<Event> events_;
  std::uint64_t next_number_ = 0;
};

std::vector<int> numbers(const std::string& text) {
  std::vector<int> found;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    found.push_back(std::stoi(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: replay NETWORK SHAPE PLAN METHOD STEPS\n");
    return 2;
  }
  try {
    const bool put = std::string(argv[4]) == "put";
    const int steps = std::stoi(argv[5]);
    const Plan plan(argv[3], put);
    Network network(argv[1], numbers(argv[2]));
    if (network.nodes() * ranks_per_node != plan.ranks) {
      throw std::invalid_argument("the network has not the nodes for the plan's ranks");
    }
    Result result(plan);
    Replay(plan, network, put, steps, result).run();
    result.print(steps);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "replay: %s\n", error.what());
    return 1;
  }
}
