#include "comm/onesided/barrier.hpp"

#include <algorithm>
#include <cstring>

#include "comm/onesided/notice.hpp"
#include "comm/transport/ofi/transport.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {

// A word is twice the number of the round, plus 1 if a flag was raised. Even and odd rounds have
// words of their own. A rank that writes in round r+2 has left round r+1, so this rank has entered
// that round and has read all words of round r. Within a round each word has one writer.

template <class Transport>
auto PutBarrier<Transport>::steps_of(int rank, const std::vector<int>& ranks) -> std::vector<Step> {
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

template <class Transport>
std::vector<int> PutBarrier<Transport>::partners_of(const std::vector<Step>& steps) {
  std::vector<int> partners;
  for (const Step& step : steps) {
    partners.push_back(step.to);
    partners.push_back(step.from);
  }
  std::ranges::sort(partners);
  partners.erase(std::ranges::unique(partners).begin(), partners.end());
  return partners;
}

template <class Transport>
PutBarrier<Transport>::PutBarrier(Context::Implementation& context, std::string_view exchange_name,
                                  int tag, const std::vector<int>& ranks)
    : rank_(context.rank),
      steps_(steps_of(context.rank, ranks)),
      incoming_(context, exchange_name, tag, bytes(), partners_of(steps_),
                [&](std::byte*) {
                  outgoing_ = std::make_unique<typename Transport::Source>(bytes());
                  return std::vector<NoNote>(partners_of(steps_).size());
                }),
      step_(steps_.size()) {
  for (Step& step : steps_) {
    const auto target = std::ranges::find(incoming_.remotes(), step.to, &Remote::rank);
    step.target = static_cast<std::size_t>(target - incoming_.remotes().begin());
  }
}

template <class Transport>
std::size_t PutBarrier<Transport>::bytes() const {
  return 2 * steps_.size() * notice_stride;
}

template <class Transport>
std::size_t PutBarrier<Transport>::word_offset(std::size_t step) const {
  return (2 * step + round_ % 2) * notice_stride;
}

template <class Transport>
void PutBarrier<Transport>::enter(std::uint64_t round, bool flag) {
  round_ = round;
  flag_ = flag;
  step_ = 0;
  put_ = false;
}

template <class Transport>
bool PutBarrier<Transport>::test() {
  for (; step_ < steps_.size(); ++step_) {
    auto& target = incoming_.remotes()[steps_[step_].target].memory;
    const std::size_t offset = word_offset(step_);
    if (!put_) {
      if (!target.sent()) return false;  // the word of two rounds ago may still be read
      const std::uint64_t word = 2 * round_ + (flag_ ? 1 : 0);
      std::memcpy(outgoing_->data() + offset, &word, sizeof word);
      Transport::put(target, offset, outgoing_->data() + offset, sizeof word, *outgoing_);
      put_ = true;
    }
    const std::uint64_t word = read_notice(incoming_.data() + offset);
    if (word < 2 * round_) return false;
    flag_ = flag_ || word % 2 != 0;
    put_ = false;
  }
  return true;
}

template <class Transport>
bool PutBarrier<Transport>::idle() {
  return std::ranges::all_of(incoming_.remotes(),
                             [](Remote& remote) { return remote.memory.sent(); });
}

template <class Transport>
int PutBarrier<Transport>::late_rank() const {
  return step_ < steps_.size() ? steps_[step_].from : rank_;
}

template class PutBarrier<rdma::Transport>;
template class PutBarrier<ofi::Transport>;

}  // namespace sterna::comm
