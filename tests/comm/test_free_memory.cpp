#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "comm/context/control_group.hpp"
#include "sterna/comm/free_memory.hpp"
#include "sterna/comm/item_bytes.hpp"

using namespace sterna::comm;

namespace fs = std::filesystem;

namespace {

/// A tree of control groups as the kernel shows it.
class Groups {
 public:
  Groups() { fs::create_directories(root); }
  ~Groups() { fs::remove_all(root); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << '\n';
  }
  std::uint64_t free() const { return free_in_control_groups(root / "list", root / "mount"); }

  const fs::path root =
      fs::temp_directory_path() / ("sterna_control_groups_" + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("control groups of version 2: the least of the group and those above it") {
  const Groups groups;
  CHECK(groups.free() == unlimited);
  groups.write("list", "0::/jobs/job 7/step");
  CHECK(groups.free() == unlimited);
  groups.write("mount/jobs/memory.max", "9000");
  groups.write("mount/jobs/memory.current", "4000");
  CHECK(groups.free() == 5000);
  groups.write("mount/jobs/job 7/memory.max", "3000");
  groups.write("mount/jobs/job 7/memory.current", "1000");
  groups.write("mount/jobs/job 7/step/memory.max", "max");
  groups.write("mount/jobs/job 7/step/memory.current", "1000");
  CHECK(groups.free() == 2000);
  // Caches that the system gives up when it must are free.
  groups.write("mount/jobs/job 7/memory.stat", "anon 300\ninactive_file 600\nactive_file 100");
  CHECK(groups.free() == 2600);
  groups.write("mount/jobs/job 7/memory.current", "4000");
  groups.write("mount/jobs/job 7/memory.stat", "inactive_file 0");
  CHECK(groups.free() == 0);
}

TEST_CASE("control groups of version 1, and a container that sees its own group only") {
  const Groups groups;
  groups.write("list", "8:pids:/a\n4:cpu,memory:/a/b\n0::/");
  groups.write("mount/memory/a/memory.limit_in_bytes", "9223372036854771712");
  groups.write("mount/memory/a/memory.usage_in_bytes", "10");
  groups.write("mount/memory/a/b/memory.limit_in_bytes", "700");
  groups.write("mount/memory/a/b/memory.usage_in_bytes", "500");
  groups.write("mount/memory/a/b/memory.stat", "inactive_file 1\ntotal_inactive_file 100");
  CHECK(groups.free() == 300);
  groups.write("list", "4:memory:/../path/of/the/host");
  groups.write("mount/memory/memory.limit_in_bytes", "250");
  groups.write("mount/memory/memory.usage_in_bytes", "50");
  CHECK(groups.free() == 200);
}

TEST_CASE("what is free, and what says so") {
  const FreeMemory node = free_memory_of_node();
  CHECK(node.bytes > 0);
  CHECK(node.bytes < (std::uint64_t{1} << 50U));
  CHECK_FALSE(node.limit.empty());
  CHECK(free_memory_of_process().bytes > 0);
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  rlimit limit = before;
  // The address sanitizer has many tebibytes of addresses for itself.
  limit.rlim_cur = rlim_t{1} << 46U;
  ::setrlimit(RLIMIT_AS, &limit);
  const FreeMemory process = free_memory_of_process();
  ::setrlimit(RLIMIT_AS, &before);
  CHECK(process.limit == "ulimit -v");
  CHECK(process.bytes < limit.rlim_cur);
  CHECK(process.bytes > limit.rlim_cur / 100);
}

TEST_CASE("sizes in words, and sizes beyond all") {
  CHECK(memory_text(512) == "512 bytes");
  CHECK(memory_text(1024) == "1.0 KiB");
  CHECK(memory_text(std::uint64_t{1} << 43U) == "8.0 TiB");
  CHECK(memory_text((std::uint64_t{1} << 30U) - 1) == "1.0 GiB");
  CHECK(memory_text(unlimited) == "more than 2^64 bytes");
  CHECK(item_bytes(3, 8) == 24);
  CHECK(item_bytes((std::size_t{1} << 61U) + 1, 8) == too_many_bytes);
  CHECK(item_bytes(too_many_bytes, 0) == 0);
  CHECK(sum_of_bytes(too_many_bytes - 1, 2) == too_many_bytes);
  CHECK(padded_bytes(129, 128) == 256);
  CHECK(padded_bytes(too_many_bytes - 5, 128) == too_many_bytes);
}
