// The same as replay.cpp by SimGrid, whose model of networks shares the bandwidth of each link among
// the messages on it: to check replay.cpp on few ranks. One actor for each rank, four ranks a node.
//
//   check_by_simgrid PLATFORM PLAN METHOD STEPS [options of SimGrid]
//
// Beyond 64 KiB a message of `p2p` starts when both sides have come to the exchange.

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "plan.hpp"

namespace sg = simgrid::s4u;

namespace {

class RankActor {
 public:
  RankActor(const Plan& plan, bool put, int steps, int rank, Result& result)
      : plan_(plan), put_(put), steps_(steps), rank_(rank), result_(result) {}

  void operator()() {
    const auto self = sg::Actor::self();
    for (int e = 0; e < plan_.exchanges; ++e) {
      for (int parity = 0; parity < 2; ++parity) mailbox("e", e, parity, rank_)->set_receiver(self);
    }
    int reductions = 0;
    for (const Operation& operation : plan_.operations)
      reductions += operation.kind == Kind::reduce;
    for (int k = 0; k < reductions; ++k) {
      for (int parity = 0; parity < 2; ++parity) {
        for (int bit = 1, round = 0; bit < plan_.ranks; bit *= 2, ++round) {
          mailbox("r" + std::to_string(k) + "-", round, parity, rank_)->set_receiver(self);
        }
      }
    }
    posted_.resize(static_cast<std::size_t>(plan_.exchanges));
    sent_.resize(posted_.size());
    sg::this_actor::sleep_until(1e-3);  // all have their mailboxes
    const auto at = static_cast<std::size_t>(rank_);
    for (int step = 0; step < steps_; ++step) {
      parity_ = step % 2;
      reduction_ = 0;
      for (std::size_t k = 0; k < plan_.operations.size(); ++k) {
        const double begin = sg::Engine::get_clock();
        perform(plan_.operations[k]);
        result_.seconds[k][at] = sg::Engine::get_clock() - begin;
      }
      if (step == 0) result_.first_end[at] = sg::Engine::get_clock();
    }
    result_.last_end[at] = sg::Engine::get_clock();
  }

 private:
  static sg::Mailbox* mailbox(const std::string& name, int number, int parity, int rank) {
    return sg::Mailbox::by_name(name + std::to_string(number) + "-" + std::to_string(parity) + "-" +
                                std::to_string(rank));
  }

  void perform(const Operation& operation) {
    switch (operation.kind) {
      case Kind::compute:
        pause(operation.seconds[static_cast<std::size_t>(rank_)]);
        break;
      case Kind::start:
        start(operation.argument);
        break;
      case Kind::finish:
        finish(operation.argument);
        break;
      case Kind::reduce:
        reduce(operation.argument);
        break;
    }
  }

  static void pause(double seconds) {
    if (seconds > 0.0) sg::this_actor::sleep_for(seconds);
  }

  const Role& role(int exchange) const {
    return plan_.roles[static_cast<std::size_t>(exchange)][static_cast<std::size_t>(rank_)];
  }

  void start(int exchange) {
    const auto at = static_cast<std::size_t>(exchange);
    const Role& own = role(exchange);
    for (int k = 0; k < own.late_arrivals; ++k) {
      posted_[at].push_back(mailbox("l", exchange, parity_, rank_)->get_async<int>(&notice_));
    }
    for (const Message& message : own.sends) {
      pause(overhead);
      const bool at_once = leaves_at_once(message.bytes, put_);
      auto* const box = mailbox(at_once ? "e" : "l", exchange, parity_, message.target);
      const auto bytes = static_cast<std::uint64_t>(message.bytes);
      if (at_once) {
        box->put_init(&payload_, bytes)->detach();
      } else {
        sent_[at].push_back(box->put_async(&payload_, bytes));
      }
    }
  }

  void finish(int exchange) {
    const auto at = static_cast<std::size_t>(exchange);
    for (int k = 0; k < role(exchange).eager_arrivals; ++k) {
      mailbox("e", exchange, parity_, rank_)->get<int>();
      if (!put_) pause(overhead);
    }
    for (const auto& posted : posted_[at]) {
      posted->wait();
      pause(overhead);
    }
    for (const auto& sent : sent_[at]) sent->wait();
    posted_[at].clear();
    sent_[at].clear();
  }

  void reduce(int bytes) {
    const std::string name = "r" + std::to_string(reduction_++) + "-";
    for (int bit = 1, round = 0; bit < plan_.ranks; bit *= 2, ++round) {
      pause(overhead);
      mailbox(name, round, parity_, rank_ ^ bit)
          ->put_init(&payload_, static_cast<std::uint64_t>(bytes))
          ->detach();
      mailbox(name, round, parity_, rank_)->get<int>();
      pause(overhead + combine_seconds * bytes / 8.0);
    }
  }

  const Plan& plan_;
  bool put_;
  int steps_, rank_;
  Result& result_;
  int parity_ = 0, reduction_ = 0;
  int payload_ = 0;
  int* notice_ = nullptr;
  std::vector<std::vector<sg::CommPtr>> posted_, sent_;
};

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  if (argc != 5) {
    std::fprintf(stderr, "usage: check_by_simgrid PLATFORM PLAN METHOD STEPS\n");
    return 2;
  }
  const bool put = std::string(argv[3]) == "put";
  const int steps = std::stoi(argv[4]);
  engine.load_platform(argv[1]);
  const Plan plan(argv[2], put);
  Result result(plan);
  for (int rank = 0; rank < plan.ranks; ++rank) {
    const std::string host = "node-" + std::to_string(rank / ranks_per_node);
    sg::Actor::create("rank", engine.host_by_name(host), RankActor(plan, put, steps, rank, result));
  }
  engine.run();
  result.print(steps);
  return 0;
}
