#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <optional>
#include <string>

#include "md/output/atomic_file.hpp"
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

  // A link or another file of this name is left as it is.
  const std::string precious = folder + "/precious.txt";
  std::ofstream(precious) << "years of work";
  const auto content = [&] {
    std::string text;
    std::getline(std::ifstream(precious), text);
    return text;
  };
  std::filesystem::create_symlink(precious, path);
  CHECK(contains(failure_of([&] { OutputLock link(path); }), "is a symbolic link"));
  CHECK(content() == "years of work");
  std::filesystem::remove(path);
  std::filesystem::create_hard_link(precious, path);
  CHECK(contains(failure_of([&] { OutputLock other(path); }), "is no lock of a run"));
  CHECK(content() == "years of work");
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(contains(failure_of([&] { OutputLock pipe(path); }), "a device or a pipe"));
  for (const auto mode : {RawFile::Mode::read, RawFile::Mode::write, RawFile::Mode::create}) {
    CHECK(contains(failure_of([&] { const RawFile pipe(path, mode); }), "a device or a pipe"));
  }
  std::filesystem::remove_all(folder);
}
