#include "md/input/model_list.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "md/input/read_input.hpp"
#include "md/model/library/published_model.hpp"

using namespace sterna::md;

TEST_CASE("docs/models.md is what the library says") {
  const std::string path = std::string(STERNA_SOURCE_DIR) + "/docs/models.md";
  if (std::getenv("STERNA_UPDATE_EXPECTED") != nullptr) {
    std::ofstream(path) << model_list_markdown();
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  INFO("run this test with STERNA_UPDATE_EXPECTED=1 to write docs/models.md anew");
  CHECK(text.str() == model_list_markdown());
}

TEST_CASE("every model is in every list") {
  const std::string list = model_list(), page = model_list_markdown();
  const auto json = nlohmann::json::parse(model_list_json());
  CHECK(json.size() == published_models().size());
  for (const PublishedModel& model : published_models()) {
    INFO(model.name);
    CHECK(list.find("  " + std::string(model.name) + " ") != std::string::npos);
    CHECK(page.find("\n## " + std::string(model.name) + "\n") != std::string::npos);
  }
  CHECK(json[0]["name"] == "argon");
  CHECK(json[0]["single_lennard_jones"] == true);
  CHECK(json[0]["largest_epsilon"].get<double>() == doctest::Approx(116.79));
}

TEST_CASE("the bibliography of a run has each publication once") {
  const auto result = read_input_text(R"(units = "nano"
[run]
steps = 1
timestep = "1 fs"
[start]
kind = "lattice"
particles = 100
density = 10
[interaction]
cutoff = 1
[[component]]
name = "A"
model = "nitrogen_trappe"
[[component]]
name = "B"
model = "carbon_dioxide_trappe"
[[component]]
name = "C"
model = "tip3p"
)",
                                      "test.toml");
  REQUIRE(result.ok());
  const std::string text = bibliography(result.input);
  CHECK(text.starts_with("@article{Potoff2001,\n"));
  CHECK(text.find("Potoff2001", 20) == std::string::npos);
  CHECK(text.find("}\n\n@article{Jorgensen1983,\n") != std::string::npos);
  CHECK(citation_lines(result.input)
            .starts_with("model nitrogen_trappe: J. J. Potoff and J. I. Siepmann, AIChE J. 47, "
                         "1676 (2001)"));
}

TEST_CASE("papers of published Tersoff parameters are cited, and of no other run") {
  const auto input_with = [](const std::string& potential) {
    const ReadResult result = read_input_text(
        "units = \"metal\"\n[run]\nsteps = 1\ntimestep = \"1 fs\"\n"
        "[start]\nkind = \"lattice\"\nlattice = \"zincblende\"\ncells = [3, 3, 3]\n"
        "density = \"3.2 g/cm^3\"\n"
        "[[type]]\nname = \"Si\"\nmass = 28.0855\nepsilon = 0.1\nsigma = 2.0\n"
        "[[type]]\nname = \"C\"\nmass = 12.011\nepsilon = 0.1\nsigma = 2.0\n"
        "[interaction]\n" +
            potential,
        "solid.toml", false);
    REQUIRE(result.ok());
    return result.input;
  };
  const Input solid = input_with("potential = \"tersoff\"\n");
  CHECK(citation_lines(solid) == "potential: J. Tersoff, Phys. Rev. B 39, 5566 (1989)\n");
  const std::string text = bibliography(solid);
  CHECK(text.starts_with("@article{Tersoff1989,\n"));
  CHECK(text.find("@", 1) == std::string::npos);
  // These names are those of elements, but nothing of Tersoff's is used.
  const Input pairs = input_with("cutoff = 5.0\n");
  CHECK(citation_lines(pairs).empty());
  CHECK(bibliography(pairs).empty());
}
