#include "comm/onesided/barrier.hpp"

#include <algorithm>
#include <cstring>

#include "comm/onesided/notice.hpp"

namespace sterna::comm {

// A word is twice the number of the round, plus 1 if a flag was raised. Even and odd rounds have
// words of their own. A rank that writes in round r+2 has left round r+1, so this rank has entered
// that round and has read all words of round r. Within a round each word has one writer.

std::vector<PutBarrier::Step> PutBarrier::steps_of(int rank, const std::vector<int>& ranks) {
  std::vector<Step> steps;
  const auto here = std::ranges::find(ranks, rank);
  if (here == ranks.end()) return steps;
  const auto size = static_cast<int>(ranks.size());
  const auto index = static_cast<int>(here - ranks.begin());
  const auto at = [&](int i) { return ranks[static_cast<std::size_t>((i + size) % size)]; };
  for (int distance = 1; distance < size; distance *= 2) {
    steps.push_back({at(index + distance), at(index - distance)});
  }
  return steps;
}

std::vector<int> PutBarrier::partners_of(const std::vector<Step>& steps) {
  std::vector<int> partners;
  for (const Step& step : steps) {
    partners.push_back(step.to);
    partners.push_back(step.from);
  }
  std::ranges::sort(partners);
  partners.erase(std::ranges::unique(partners).begin(), partners.end());
  return partners;
}

PutBarrier::PutBarrier(Context::Implementation& context, std::string_view exchange_name, int tag,
                       const std::vector<int>& ranks)
    : rank_(context.rank),
      steps_(steps_of(context.rank, ranks)),
      incoming_(context, exchange_name, tag, bytes(), partners_of(steps_),
                [&](std::byte*) {
                  outgoing_ = std::make_unique<rdma::Memory>(bytes());
                  return std::vector<NoNote>(partners_of(steps_).size());
                }),
      step_(steps_.size()) {
  for (Step& step : steps_) {
    const auto target = std::ranges::find(incoming_.remotes(), step.to, &Words::Remote::rank);
    step.target = static_cast<std::size_t>(target - incoming_.remotes().begin());
  }
}

std::size_t PutBarrier::bytes() const {
  return 2 * steps_.size() * notice_stride;
}

std::size_t PutBarrier::word_offset(std::size_t step) const {
  return (2 * step + round_ % 2) * notice_stride;
}

void PutBarrier::enter(std::uint64_t round, bool flag) {
  round_ = round;
  flag_ = flag;
  step_ = 0;
  put_ = false;
}

bool PutBarrier::test() {
  for (; step_ < steps_.size(); ++step_) {
    rdma::RemoteMemory& target = incoming_.remotes()[steps_[step_].target].memory;
    const std::size_t offset = word_offset(step_);
    if (!put_) {
      if (!target.sent()) return false;  // the word of two rounds ago may still be read
      const std::uint64_t word = 2 * round_ + (flag_ ? 1 : 0);
      std::memcpy(outgoing_->data() + offset, &word, sizeof word);
      target.put(offset, outgoing_->data() + offset, sizeof word, outgoing_.get());
      put_ = true;
    }
    const std::uint64_t word = read_notice(incoming_.data() + offset);
    if (word < 2 * round_) return false;
    flag_ = flag_ || word % 2 != 0;
    put_ = false;
  }
  return true;
}

bool PutBarrier::idle() {
  return std::ranges::all_of(incoming_.remotes(),
                             [](Words::Remote& remote) { return remote.memory.sent(); });
}

int PutBarrier::late_rank() const {
  return step_ < steps_.size() ? steps_[step_].from : rank_;
}

}  // namespace sterna::comm
