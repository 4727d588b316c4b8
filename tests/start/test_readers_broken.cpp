// Every file of tests/data/broken_starts.txt must give the text of NAME.expected to the letter.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "md/start/readers/start_file_reader.hpp"
#include "start/particles_of_pieces.hpp"
#include "support/archive.hpp"

using namespace sterna::md;

namespace {

/// By the ending of the name; ".txt" leaves it to the content. All but those named no_box and the
/// formats that have one get a box of 10 x 10 x 10.
StartFileOptions options_for(const std::filesystem::path& path) {
  StartFileOptions options;
  const std::string ending = path.extension().string();
  options.format = ending == ".txt" ? "auto" : ending == ".data" ? "lammps" : ending.substr(1);
  options.type_names = {"Ar", "Kr"};
  if (ending == ".nist") options.type_names.resize(1);
  if (ending == ".xyz" && path.stem() != "no_box") options.box = Vec3{10.0, 10.0, 10.0};
  return options;
}

/// What is wrong with a file is not hidden by reading it in pieces.
void check_that_pieces_fail(const std::filesystem::path& path) {
  for (const std::uint64_t bytes : test::piece_sizes) {
    try {
      const auto found = test::particles_of_pieces(path.string(), options_for(path), bytes);
      CHECK_FALSE(found.has_value());
    } catch (const StartFileError&) {
      // The file cannot be opened.
    }
  }
}

std::string outcome(const std::filesystem::path& path) {
  try {
    const auto reader = StartFileReader::open(path.string(), options_for(path));
    while (!reader->read_chunk(2).empty()) {
    }
  } catch (const StartFileError& error) {
    Diagnostic diagnostic = error.diagnostic();
    CHECK(diagnostic.file == path.string());
    CHECK(diagnostic.severity == Severity::error);
    check_that_pieces_fail(path);
    diagnostic.file = path.filename().string();
    return render(diagnostic);
  }
  return "no error\n";
}

}  // namespace

TEST_CASE("every broken start file has its exact message") {
  const sterna::test::Archive archive("broken_starts.txt");
  const bool update = std::getenv("STERNA_UPDATE_EXPECTED") != nullptr;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(archive.folder())) {
    if (entry.path().extension() != ".expected") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  CHECK(paths.size() >= 100);
  for (const auto& path : paths) {
    CAPTURE(path.filename().string());
    const auto expected = path.string() + ".expected";
    if (update) std::ofstream(expected) << outcome(path);
    REQUIRE(std::filesystem::exists(expected));
    CHECK(outcome(path) == sterna::test::Archive::content(expected));
  }
  if (update) archive.update();
}
