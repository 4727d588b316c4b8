#pragma once

#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna {

/// What an input leaves to the Python package, where the ranks are those of a launcher of the site:
/// the report, and files in formats of other programs. Rank 0 starts a process for each before the
/// job ends. Ranks of the `sterna` command leave it to that command, which also does it for ranks
/// that were killed.
class AfterRun {
 public:
  /// `python`: one that has the package; empty: the command `sterna` is sought beside this program
  /// and then on PATH.
  explicit AfterRun(std::string python = {}) : python_(std::move(python)) {}

  /// Collective, before the run. Whether the package has what these formats need; else it has said
  /// on standard error what to install. True on a machine without the package.
  bool can_export(const comm::Context& context, const std::vector<std::string>& formats) const;

  /// From now on there is a run to report on, with this log.
  void expect_report(const std::string& log);
  /// Likewise with a trajectory that is to be written as this file.
  void expect_export(const std::string& trajectory, const std::string& file);

  /// Collective, as the launcher may end all ranks as soon as one of them has ended. Returns whether
  /// nothing went wrong; a machine without the package is told what to do elsewhere.
  bool write(const comm::Context& context) const;

  /// How a user does it for a run that ends here: a line for each, all of them begun again; empty
  /// where nothing is expected.
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
