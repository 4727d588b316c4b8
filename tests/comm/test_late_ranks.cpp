#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "comm/context/late_ranks.hpp"
#include "comm/context/session_folder.hpp"
#include "support/child.hpp"

using namespace sterna::comm;
using sterna::test::Child;

TEST_CASE("of a run that starts or ends, the ranks are named that are late") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("late-ranks-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const Child stopped(SIGSTOP, WSTOPPED);
  const Child ended(SIGKILL, WEXITED);
  const auto announce = [&](int rank, const Process& process) {
    std::ofstream(folder / ("rank-" + std::to_string(rank)))
        << process.id << ' ' << process.start_time << ' ' << process.number_space << '\n';
  };
  setenv("STERNA_SESSION", folder.c_str(), 1);
  {
    SessionFolder session;
    session.announce(0, 4);
    announce(1, stopped.process());
    announce(2, ended.process());
    const std::string words =
        "; rank 1 (process " + std::to_string(stopped.process().id) + ") is stopped";
    CHECK(session.late_ranks().ranks == std::vector{1, 3});
    CHECK(session.late_ranks().reasons == words + "; rank 3 has not started");
    CHECK(name_ranks(session.late_ranks().ranks) == "ranks 1, 3");
    announce(1, Process::self());
    announce(3, Process::self());
    CHECK(session.late_ranks().reasons ==
          "; rank 2 (process " + std::to_string(ended.process().id) + ") has ended");
    announce(2, Process::self());
    CHECK(session.late_ranks().ranks.empty());
  }
  unsetenv("STERNA_SESSION");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a deadline that has passed says what is known") {
  LateRanks late;
  CHECK(name_ranks(late.ranks) == "the other ranks");
  CHECK(timeout_passed(5, late, false) ==
        "; the timeout of 5 s has passed; which of them is late is not known");
  CHECK(timeout_passed(5, late, true) == "; the timeout of 5 s has passed");
  late.add(3, " has not started");
  CHECK(name_ranks(late.ranks) == "rank 3");
  CHECK(timeout_passed(0.5, late, false) ==
        "; the timeout of 0.5 s has passed; rank 3 has not started");
}
