#pragma once

#include <string>

#include "sterna/comm/context.hpp"

namespace sterna {

/// The report that an input asks for, where the ranks are those of a launcher of the site: the
/// Python package writes it, by a process that rank 0 starts before the job ends. Ranks of the
/// `sterna` command leave it to that command, which also writes it of ranks that were killed.
class ReportAtEnd {
 public:
  /// `python`: one that has the package; empty: the command `sterna` is sought beside this program
  /// and then on PATH.
  explicit ReportAtEnd(std::string python = {}) : python_(std::move(python)) {}

  /// From now on there is a run to report on, with this log.
  void expect(std::string log);

  /// Collective, as the launcher may end all ranks as soon as one of them has ended. Returns whether
  /// nothing went wrong; a machine without the package is told how to write the report.
  bool write(const comm::Context& context);

  /// How a user writes the report of a run that ends here; empty where none is expected.
  std::string advice() const;

 private:
  bool start() const;

  std::string python_;
  std::string log_;
};

}  // namespace sterna
