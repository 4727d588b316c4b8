#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "md/input/input_schema.hpp"
#include "md/input/read_input.hpp"
#include "md/input/stages.hpp"
#include "support/archive.hpp"

// Every file NAME.toml of tests/data/broken_inputs.txt must give exactly the text in NAME.expected.
// After a deliberate change of a message run this test with STERNA_UPDATE_EXPECTED=1, and read the
// diff.

using namespace sterna::md;
namespace fs = std::filesystem;

namespace {

/// The methods differ between builds, so the expected texts name their list only.
std::string with_placeholders(std::string text) {
  for (const auto& [key, placeholder] :
       {std::pair{"halo", "@HALO_METHODS@"}, std::pair{"migration", "@MIGRATION_METHODS@"}}) {
    const std::string list = choice_list(find_key("communication", key)->choices());
    const auto at = text.find(list);
    if (at != std::string::npos) text.replace(at, list.size(), placeholder);
  }
  return text;
}

/// The lines that differ, "-" expected and "+" found.
std::string difference(const std::string& expected, const std::string& found) {
  std::istringstream a(expected), b(found);
  std::string text, left, right;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(a, left));
    const bool more_b = static_cast<bool>(std::getline(b, right));
    if (!more_a && !more_b) return text;
    if (more_a && more_b && left == right) continue;
    if (more_a) text += "- " + left + "\n";
    if (more_b) text += "+ " + right + "\n";
  }
}

}  // namespace

TEST_CASE("every broken input gives exactly its message") {
  const sterna::test::Archive archive("broken_inputs.txt");
  const fs::path& folder = archive.folder();
  const bool update = std::getenv("STERNA_UPDATE_EXPECTED") != nullptr;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  CHECK(files.size() >= 45);
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    std::vector<Diagnostic> diagnostics;
    for (const StageInput& stage : read_stages_of_file(name)) {
      diagnostics.insert(diagnostics.end(), stage.read.diagnostics.begin(),
                         stage.read.diagnostics.end());
    }
    const std::string found = with_placeholders(render(diagnostics));
    fs::path expected_file = file;
    expected_file.replace_extension(".expected");
    if (update) std::ofstream(expected_file, std::ios::binary) << found;
    const std::string expected = sterna::test::Archive::content(expected_file);
    INFO(name, ":\n", difference(expected, found));
    CHECK(found == expected);
    CHECK_FALSE(found.empty());
  }
  fs::current_path(before);
  if (update) archive.update();
}
