#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "md/forces/pair/input/potential_page.hpp"

using namespace sterna::md;

TEST_CASE("docs/potentials.md is what the potentials say") {
  const std::string path = std::string(STERNA_SOURCE_DIR) + "/docs/potentials.md";
  if (std::getenv("STERNA_UPDATE_EXPECTED") != nullptr) {
    std::ofstream(path) << potential_page_markdown();
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  INFO("run this test with STERNA_UPDATE_EXPECTED=1 to write docs/potentials.md anew");
  CHECK(text.str() == potential_page_markdown());
}
