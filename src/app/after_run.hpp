#pragma once

#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna {

/// Work that an input leaves to the Python package: the report, and files in formats of other
/// programs. If the ranks were started by the site's launcher, rank 0 starts a process for each
/// before the job ends. If they were started by the `sterna` command, that command does the work,
/// even after ranks were killed.
class AfterRun {
 public:
  /// `python`: an interpreter with the package; empty: the command `sterna` is searched beside this
  /// program and then on PATH.
  explicit AfterRun(std::string python = {}) : python_(std::move(python)) {}

  /// Collective, before the run. Whether the package can export these formats; if not, it has
  /// written to standard error what to install. True on a machine without the package.
  bool can_export(const comm::Context& context, const std::vector<std::string>& formats) const;

  /// Records that a report on the run with this log must be written.
  void expect_report(const std::string& log);
  /// Records that this trajectory must be exported to this file.
  void expect_export(const std::string& trajectory, const std::string& file);

  /// Collective, because the launcher may end all ranks as soon as one of them has ended. Returns
  /// whether everything was written; on a machine without the package the user is told what to do
  /// elsewhere.
  bool write(const comm::Context& context) const;

  /// The commands by which a user does the recorded work after a run that ends here, each preceded
  /// by a newline; empty if nothing is recorded.
  std::string advice() const;

 private:
  struct Task {
    std::string result;                  ///< "report", "export melt.export.dcd"
    std::vector<std::string> arguments;  ///< of the command `sterna`
  };

  void expect(Task task);
  bool start(const Task& task) const;

  std::string python_;
  std::vector<Task> tasks_;
};

}  // namespace sterna
