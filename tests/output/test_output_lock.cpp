#include <sys/wait.h>

#include <optional>

#include "md/output/output_lock.hpp"
#include "output/output_support.hpp"

using namespace sterna::md;

TEST_CASE("one holder at a time, who is named") {
  std::string folder = (std::filesystem::temp_directory_path() / "sterna-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/run.lock";
  {
    std::optional<OutputLock> first(path);
    CHECK(first->why_missing().empty());
    const std::string text = failure_of([&] { OutputLock second(path); });
    CHECK(contains(text, path + ": another run writes files of this name: process " +
                             std::to_string(::getpid()) + " on "));
    OutputLock moved(std::move(*first));
    first.reset();
    CHECK(contains(failure_of([&] { OutputLock second(path); }), "another run"));
  }
  CHECK(!std::filesystem::exists(path));
  CHECK(contains(failure_of([&] { OutputLock nowhere(folder + "/none/run.lock"); }),
                 "cannot open: No such file or directory"));

  // Of a process that is killed nothing stays but the file.
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputLock lock(path);
    ::raise(SIGKILL);
  }
  REQUIRE(child > 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(std::filesystem::exists(path));
  CHECK(failure_of([&] { OutputLock next(path); }).empty());
  CHECK(!std::filesystem::exists(path));
  std::filesystem::remove_all(folder);
}
