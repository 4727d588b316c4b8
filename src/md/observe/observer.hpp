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

/// Observes a run: takes a sample every `interval` steps, and gives the result at the end. An
/// observer gathers three parts: `sums` of this rank alone, which are added over the ranks;
/// `common`, which is the same on all ranks; and `history`, former samples that this rank keeps for
/// later ones. A checkpoint keeps all of them, so that a resumed run has the same results. Samples
/// are kept in blocks, so that those before the run has settled can be left out at the end.
class Observer {
 public:
  /// The history of one rank, in pieces, so that no copy of the whole is ever needed.
  using History = std::vector<std::vector<std::byte>>;

  explicit Observer(std::string name, std::int64_t interval)
      : name_(std::move(name)), interval_(interval) {}
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// The name of the section in the input file.
  const std::string& name() const { return name_; }
  bool is_due(std::int64_t step) const { return step % interval_ == 0; }

  /// Collective. Takes a sample, unless this step was sampled already: a simulation that continues
  /// from step 0 reaches that step twice.
  void sample_once(const Frame& frame);
  std::int64_t latest_step() const { return latest_step_; }
  void set_latest_step(std::int64_t step) { latest_step_ = step; }

  /// Collective.
  virtual void sample(const Frame& frame) = 0;
  virtual std::span<double> sums() { return {}; }
  virtual std::vector<double> common() const = 0;
  /// Restores the values of `common`. If their number does not fit, because the input was changed,
  /// they are ignored.
  virtual void set_common(std::span<const double> values) = 0;
  /// Views of the history, with the same number of pieces on every rank.
  virtual std::vector<std::span<const std::byte>> history() const { return {}; }
  /// Collective, after `set_common`. `parts` are histories of the ranks that wrote the checkpoint,
  /// any number of them on this rank: all ranks together have each of them once. They may be
  /// emptied.
  virtual void set_history(std::span<History>) {}
  /// The result, from `sums` added over all ranks.
  virtual ObserverReport report(std::span<const double> all_sums) const = 0;

  /// The sums of this rank's samples in the blocks from `first_step` on, and the report from these
  /// sums added over all ranks.
  std::vector<double> sums_from(std::int64_t first_step);
  ObserverReport report_from(std::int64_t first_step, std::span<const double> all_sums);

  /// This rank's own data for a checkpoint: `sums`, the sums of earlier blocks, and `history`.
  std::vector<std::span<const std::byte>> pieces();
  /// The parts of earlier blocks that are common to all ranks, and their restoration, after which
  /// the sums of these blocks are 0; false if the state is inconsistent.
  std::vector<double> state_of_blocks() const;
  bool set_state_of_blocks(std::span<const double> state);
  std::size_t earlier_blocks() const { return closed_.size(); }
  std::span<double> sums_of_earlier(std::size_t block) { return closed_[block].sums; }

 protected:
  /// Whether `sums` and `common` of two parts of a run can be added to those of both parts. If so,
  /// the base class keeps the samples in blocks; other observers leave out early samples
  /// themselves.
  virtual bool adds_up() const { return false; }
  /// The first step of the report.
  std::int64_t reported_from() const { return reported_from_; }

 private:
  struct Block {
    std::vector<double> common, sums;
  };
  void close_block();

  std::string name_;
  std::int64_t interval_;
  std::int64_t latest_step_ = -1;  ///< step of the last sample
  SampleBlocks blocks_;
  std::vector<Block> closed_;  ///< all blocks but the present one
  std::int64_t reported_from_ = 0;
};

}  // namespace sterna::md
