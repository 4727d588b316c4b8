#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/kept_steps.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A scalar of a step in units of the input.
struct LoggedScalar {
  std::string name;
  double value;
};

/// The log of a run: one JSON object per line, each with an "event" ("start", "thermo", "warning",
/// "checkpoint", "failure", "end", ...). Rank 0 writes each line at once, so that the log survives
/// a crash. Numbers that are not finite are written as null.
///
/// Logging calls need not be collective and never throw, because on a full disk the other ranks
/// would wait. A failure is stored, and `agree_on_failure` throws it on all ranks.
class JsonLog {
 public:
  /// The origin of a run's files, for later readers.
  struct Provenance {
    std::string program;        ///< "sterna 0.2.0"
    std::string communication;  ///< Context::description()
    std::string input_path;
    std::string input_text;  ///< logged with its hash
    Json settings;
    std::optional<std::int64_t> resumed_from;  ///< step
  };

  /// Collective. An existing log is replaced, or, where `resume_step` is given, continued: from the
  /// first line on that is later than this step, or incomplete, it is dropped. FileError where a line
  /// within is damaged.
  JsonLog(const comm::Context& context, const std::string& path,
          std::optional<std::int64_t> resume_step = {});

  /// Writes any other event. `fields` is an object.
  void write(const std::string& event, const Json& fields);

  void start(const Provenance& provenance);
  void thermo(std::int64_t step, double time, std::span<const LoggedScalar> scalars);
  void warning(std::int64_t step, const std::string& text);
  void checkpoint(std::int64_t step, const std::string& path, std::uint64_t bytes, double seconds);
  /// `status`: "complete", "interrupted", "failed".
  void end(std::int64_t step, const std::string& status, const Json& timing);

  /// The kept rows of `thermo` in a log that is continued, on rank 0.
  const KeptSteps& kept_rows() const { return kept_rows_; }

  bool failed() const { return !failure_.empty(); }
  /// Collective. Throws FileError on all ranks if a line could not be written.
  void agree_on_failure() const;
  /// Like `agree_on_failure`, after the lines are on the disk; to be called before a checkpoint
  /// that relies on them.
  void sync();

 private:
  comm::Context context_;
  RawFile file_;  ///< rank 0
  std::uint64_t end_ = 0;
  KeptSteps kept_rows_;
  std::string failure_;
};

}  // namespace sterna::md
