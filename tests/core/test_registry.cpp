#include <doctest/doctest.h>

#include <stdexcept>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"

using namespace sterna::md;

namespace {

struct Fruit {
  std::string_view name;
  bool is_sweet = false;
  std::vector<std::string_view> aliases = {};
};
struct Chapter {
  struct Schema {
    std::string_view name;
  } schema;
};
struct Word {
  std::string_view section, name;
};

const Registry<Fruit>& fruits() {
  static const Registry<Fruit> table(
      "fruit", {{"apple", true, {"pomme", "mela"}}, {"lemon"}, {"pear", true, {"poire"}}});
  return table;
}

}  // namespace

TEST_CASE("rows are found by their names, and by what others call them") {
  CHECK(fruits().size() == 3);
  CHECK(fruits().find("lemon") == &fruits()[1]);
  CHECK(fruits().find("Lemon") == nullptr);
  CHECK(fruits().find("pomme") == nullptr);
  CHECK(fruits().find_alias("mela") == &fruits()[0]);
  CHECK(fruits().find_alias("lemon") == nullptr);
  CHECK(&fruits().get("pear") == &fruits()[2]);
  CHECK(fruits().number_of(fruits().get("pear")) == 2);
}

TEST_CASE("an unknown name leads to the nearest one") {
  CHECK(fruits().nearest("pera") == "pear");
  CHECK(fruits().nearest("grapefruit") == std::nullopt);
  CHECK_THROWS_WITH_AS(
      fruits().get("appel"),
      "unknown fruit \"appel\"; did you mean \"apple\"? Valid are: apple, lemon, pear",
      std::invalid_argument);
}

TEST_CASE("names are in the order of the rows") {
  CHECK(fruits().names() == std::vector<std::string_view>{"apple", "lemon", "pear"});
  CHECK(fruits().names_that([](const Fruit& fruit) { return fruit.is_sweet; }) ==
        std::vector<std::string_view>{"apple", "pear"});
}

TEST_CASE("a section's name is that of its row, and rows of sections are called by both") {
  const Registry<Chapter> chapters("chapter", {{{"one"}}, {{"two"}}});
  CHECK(chapters.find("two") == &chapters[1]);
  const Registry<Word> words("word", {{"bond", "harmonic"}, {"angle", "harmonic"}});
  CHECK(words.find("angle", "harmonic") == &words[1]);
  CHECK(words.find("torsion", "harmonic") == nullptr);
}

TEST_CASE("a table with a name twice, or with none, cannot be made") {
  using Fruits = Registry<Fruit>;
  CHECK_THROWS_WITH_AS(Fruits("fruit", {{"fig"}, {"plum"}, {"fig"}}),
                       "the table of each fruit has a row twice: fig", std::logic_error);
  CHECK_THROWS_WITH_AS(Fruits("fruit", {{"fig"}, {""}}),
                       "the table of each fruit has a row without a name", std::logic_error);
  using Words = Registry<Word>;
  CHECK_THROWS_AS(Words("word", {{"bond", "morse"}, {"bond", "morse"}}), std::logic_error);
}
