#include "md/forces/plumed/plumed_start.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "md/forces/plumed/plumed_files.hpp"

namespace sterna::md {
namespace {

/// A file in memory that the kernel opens by its name.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view text)
      : descriptor_(::memfd_create("plumed", MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !text.empty()) {
      const auto written = ::write(descriptor_, text.data(), text.size());
      if (written <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (descriptor_ < 0 || !text.empty()) throw PlumedError("there is no memory for its input");
  }
  ~FileInMemory() { ::close(descriptor_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

/// All commands before "init" but the name of the input.
void tell_system(Plumed& plumed, const PlumedStart& start) {
  const int bytes_of_real = sizeof(double);
  plumed.command("setRealPrecision", &bytes_of_real);
  if (start.has_natural_units) {
    plumed.command("setNaturalUnits");
  } else {
    const double one = 1.0;  // PLUMED's units are nm, ps, kJ/mol, u and e as well
    plumed.command("setMDEnergyUnits", &one);
    plumed.command("setMDLengthUnits", &one);
    plumed.command("setMDTimeUnits", &one);
    plumed.command("setMDMassUnits", &one);
    plumed.command("setMDChargeUnits", &one);
  }
  plumed.command("setMDEngine", "sterna");
  plumed.collect_log();
  plumed.command("setTimestep", &start.timestep);
  if (start.thermal_energy > 0.0) plumed.command("setKbT", &start.thermal_energy);
  plumed.command("setNatoms", &start.atom_count);
  const int restarts = start.restarts ? 1 : 0;
  plumed.command("setRestart", &restarts);
}

/// The lines at which statements of PLUMED begin: one that ends in "..." goes on until a line that
/// begins with it.
std::vector<std::size_t> beginnings_of_statements(const std::vector<std::string_view>& lines) {
  std::vector<std::size_t> begins;
  bool goes_on = false;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string_view line = lines[n].substr(0, lines[n].find('#'));
    const auto first = line.find_first_not_of(" \t\r");
    line = first == std::string_view::npos ? std::string_view() : line.substr(first);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (goes_on) {
      goes_on = !line.starts_with("...");
    } else if (!line.empty()) {
      begins.push_back(n);
      goes_on = line == "..." || line.ends_with(" ...") || line.ends_with("\t...");
    }
  }
  return begins;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// What the kernel says of this input; empty: it takes it.
std::string complaint(const std::shared_ptr<const PlumedKernel>& kernel, const PlumedStart& start,
                      std::string_view text) {
  // Files have names of their own, so that none is overwritten or moved aside.
  const std::string suffix = fmt::format(".sterna-check-{}", ::getpid());
  std::string message;
  PlumedFiles files;
  {
    const FileInMemory input(fmt::format("_SET_SUFFIX {}\n{}\n", suffix, text));
    Plumed plumed(kernel);
    files.begin();
    try {
      tell_system(plumed, start);
      plumed.command("setPlumedDat", input.path());
      plumed.command("init");
    } catch (const PlumedError& error) {
      message = error.what();
    }
    files.end();
  }
  for (const std::string& path : files.paths()) {
    if (path.find(suffix) == std::string::npos) continue;
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return message;
}

}  // namespace

void start_plumed(Plumed& plumed, const PlumedStart& start) {
  tell_system(plumed, start);
  if (start.replica < 0) {
    plumed.command("setPlumedDat", start.path);
    plumed.command("init");
    return;
  }
  const FileInMemory input(
      fmt::format("_SET_SUFFIX .{}\nINCLUDE FILE={}\n", start.replica, start.path));
  plumed.command("setPlumedDat", input.path());
  plumed.command("init");
}

std::optional<PlumedMistake> find_plumed_mistake(const std::shared_ptr<const PlumedKernel>& kernel,
                                                 const PlumedStart& start) {
  std::string message = complaint(kernel, start, start.text);
  if (message.empty()) return std::nullopt;
  const std::vector<std::string_view> lines = lines_of(start.text);
  const std::vector<std::size_t> begins = beginnings_of_statements(lines);
  const auto text_of = [&](std::size_t statements) {
    const char* const end = statements < begins.size() ? lines[begins[statements]].data()
                                                       : start.text.data() + start.text.size();
    return std::string_view(start.text.data(), static_cast<std::size_t>(end - start.text.data()));
  };
  // The first `good` statements have no mistake, the first `bad` have one.
  std::size_t good = 0, bad = begins.size();
  while (bad > good + 1) {
    const std::size_t middle = (good + bad) / 2;
    std::string of_part = complaint(kernel, start, text_of(middle));
    if (of_part.empty()) {
      good = middle;
    } else {
      bad = middle;
      message = std::move(of_part);
    }
  }
  return PlumedMistake{begins.empty() ? 0 : static_cast<int>(begins[bad - 1]) + 1, message};
}

}  // namespace sterna::md
