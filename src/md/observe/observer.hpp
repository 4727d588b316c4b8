#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/observe/frame.hpp"
#include "md/observe/observer_report.hpp"
#include "md/observe/sample_blocks.hpp"

namespace sterna::md {

/// Watches a run: takes a sample every `interval` steps, and has the result at the end. An observer
/// gathers three parts: `sums` of this rank alone, which add up over the ranks; `common`, which is
/// the same on all ranks; and `history`, which this rank remembers of earlier samples for later
/// ones. A checkpoint keeps all of them, so that a resumed run has the same results. Samples are
/// kept in blocks, so that those of a run that had not settled can be left out at the end.
class Observer {
 public:
  /// What one rank remembers, in pieces, so that no copy of all of it is ever needed.
  using History = std::vector<std::vector<std::byte>>;

  explicit Observer(std::string name, std::int64_t interval)
      : name_(std::move(name)), interval_(interval) {}
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Of the section of the input file.
  const std::string& name() const { return name_; }
  bool is_due(std::int64_t step) const { return step % interval_ == 0; }

  /// Collective. Takes a sample unless one of this step was taken: a simulation that goes on from
  /// step 0 comes by that step again.
  void sample_once(const Frame& frame);
  std::int64_t latest_step() const { return latest_step_; }
  void set_latest_step(std::int64_t step) { latest_step_ = step; }

  /// Collective.
  virtual void sample(const Frame& frame) = 0;
  virtual std::span<double> sums() { return {}; }
  virtual std::vector<double> common() const = 0;
  /// With what `common` gave; the number of values may differ where the input was changed, and
  /// then nothing is taken.
  virtual void set_common(std::span<const double> values) = 0;
  /// Views of it; as many pieces on every rank.
  virtual std::vector<std::span<const std::byte>> history() const { return {}; }
  /// Collective, after `set_common`. `parts` are histories of ranks at the time of the checkpoint,
  /// any number of them here: all ranks together have each once. They may be emptied.
  virtual void set_history(std::span<History>) {}
  /// From `sums` added up over all ranks.
  virtual ObserverReport report(std::span<const double> all_sums) const = 0;

  /// What this rank's samples from `first_step` on have summed up, by whole blocks, and what comes
  /// of that, added up over all ranks.
  std::vector<double> sums_from(std::int64_t first_step);
  ObserverReport report_from(std::int64_t first_step, std::span<const double> all_sums);

  /// What this rank alone has, for a checkpoint: `sums`, those of earlier blocks, `history`.
  std::vector<std::span<const std::byte>> pieces();
  /// What all ranks have of earlier blocks, and the way back, after which the sums of these blocks
  /// are 0; false where the state contradicts itself.
  std::vector<double> state_of_blocks() const;
  bool set_state_of_blocks(std::span<const double> state);
  std::size_t earlier_blocks() const { return closed_.size(); }
  std::span<double> sums_of_earlier(std::size_t block) { return closed_[block].sums; }

 protected:
  /// Whether `sums` and `common` of two parts of a run add up to those of both. The base keeps such
  /// observers' samples in blocks; others leave out early samples themselves.
  virtual bool adds_up() const { return false; }
  /// Where a report begins.
  std::int64_t reported_from() const { return reported_from_; }

 private:
  struct Block {
    std::vector<double> common, sums;
  };
  void close_block();

  std::string name_;
  std::int64_t interval_;
  std::int64_t latest_step_ = -1;  ///< that was sampled
  SampleBlocks blocks_;
  std::vector<Block> closed_;  ///< all but the present one
  std::int64_t reported_from_ = 0;
};

}  // namespace sterna::md
