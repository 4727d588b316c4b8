#include "md/forces/manybody/input/many_body_physics.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "md/forces/manybody/input/check_many_body.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"

namespace sterna::md {
namespace {

std::vector<AddedKey> keys_of_many_body() {
  std::vector<AddedKey> keys;
  for (const ManyBodyRow& row : many_body_rows()) {
    std::vector<AddedKey> own = row.keys();
    std::ranges::move(own, std::back_inserter(keys));
  }
  return keys;
}

std::vector<ParameterFile> files_of_many_body() {
  std::vector<ParameterFile> files;
  for (const ManyBodyRow& row : many_body_rows()) files.push_back(row.file);
  return files;
}

std::vector<std::string_view> citations_of_many_body(const Input& input) {
  std::vector<std::string_view> citations;
  for (const ManyBodyRow& row : many_body_rows()) {
    if (row.citations != nullptr)
      std::ranges::copy(row.citations(input), std::back_inserter(citations));
  }
  return citations;
}

std::string bibliography_of_many_body(const Input& input) {
  std::string text;
  for (const ManyBodyRow& row : many_body_rows()) {
    if (row.citations == nullptr) continue;
    for (const std::string_view citation : row.citations(input)) {
      const auto paper = std::ranges::find_if(row.papers, [&](const Citation& candidate) {
        return candidate.text().starts_with(citation);
      });
      if (paper == row.papers.end()) {
        throw std::logic_error("no BibTeX entry of " + std::string(citation));
      }
      if (!text.empty()) text += '\n';
      text += paper->bibtex();
    }
  }
  return text;
}

}  // namespace

PhysicsRow physics::many_body() {
  return {.name = "many_body",
          .sentence = "potentials of solids and metals, whose energy is no sum over pairs",
          .keys = keys_of_many_body,
          .check = check_many_body,
          .files = files_of_many_body(),
          .citations = citations_of_many_body,
          .bibliography = bibliography_of_many_body};
}

}  // namespace sterna::md
