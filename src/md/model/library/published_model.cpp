#include "md/model/library/published_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "md/core/sort_by.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {
namespace {

constexpr std::string_view and_word = " and ";

/// Turns "A and B and C" into "A, B and C".
std::string listed(std::string_view authors) {
  std::string text;
  while (true) {
    const std::size_t end = authors.find(and_word);
    text += authors.substr(0, end);
    if (end == std::string_view::npos) return text;
    authors.remove_prefix(end + and_word.size());
    text += authors.find(and_word) == std::string_view::npos ? " and " : ", ";
  }
}

}  // namespace

std::string Citation::text() const {
  std::string text = listed(authors);
  text += journal.empty() ? fmt::format(", in {} ({}, {}), p. {}", book_title, publisher, year,
                                        pages.substr(0, pages.find('-')))
                          : fmt::format(", {} {}, {} ({})", journal, volume,
                                        pages.substr(0, pages.find('-')), year);
  if (!doi.empty()) text += fmt::format(", doi:{}", doi);
  return text;
}

std::string Citation::bibtex() const {
  const bool chapter = journal.empty();
  std::string text = fmt::format("@{}{{{},\n", chapter ? "incollection" : "article", key);
  const auto field = [&text](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {} = {{{}}},\n", name, value);
  };
  field("author", authors);
  field("title", title);
  field("journal", journal);
  field("booktitle", book_title);
  field("publisher", publisher);
  field("volume", volume);
  const std::size_t dash = pages.find('-');
  field("pages", dash == std::string_view::npos
                     ? std::string(pages)
                     : fmt::format("{}--{}", pages.substr(0, dash), pages.substr(dash + 1)));
  field("year", fmt::format("{}", year));
  field("doi", doi);
  return text + "}\n";
}

double PublishedModel::mass() const {
  double sum = 0.0;
  for (const PublishedSite& site : sites) sum += site.mass;
  return sum;
}

std::span<const PublishedModel> published_models() {
  static const std::vector<PublishedModel> models = [] {
    std::vector<PublishedModel> all;
    for (auto family : {spherical_models, quadrupolar_models, carbon_dioxide_models,
                        nitrogen_models, ethylene_oxide_models, water_models}) {
      auto part = family();
      std::ranges::move(part, std::back_inserter(all));
    }
    sort_by(all, &PublishedModel::substance);
    return all;
  }();
  return models;
}

std::vector<std::string_view> published_model_names() {
  std::vector<std::string_view> names;
  for (const PublishedModel& model : published_models()) names.push_back(model.name);
  return names;
}

const PublishedModel* find_published_model(std::string_view name) {
  const auto models = published_models();
  const auto found = std::ranges::find(models, name, &PublishedModel::name);
  return found == models.end() ? nullptr : &*found;
}

}  // namespace sterna::md
