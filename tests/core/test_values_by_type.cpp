#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "md/core/values_by_type.hpp"

using sterna::md::ValuesByType;

namespace {

struct Options {
  int number = 3;
  std::vector<int> list;
};

}  // namespace

TEST_CASE("a type has its default until it is changed") {
  ValuesByType values;
  const ValuesByType& seen = values;
  CHECK(seen.of<Options>().number == 3);
  CHECK(seen.of<std::string>().empty());
  values.of<Options>().number = 5;
  CHECK(seen.of<Options>().number == 5);
  CHECK(seen.of<std::string>().empty());
}

TEST_CASE("copies are deep, and what is moved or assigned keeps its values") {
  ValuesByType first;
  first.of<Options>() = {5, {1, 2}};
  ValuesByType second = first;
  second.of<Options>().list.push_back(3);
  second.of<std::string>() = "second";
  CHECK(first.of<Options>().list == std::vector{1, 2});
  CHECK(second.of<Options>().list == std::vector{1, 2, 3});
  CHECK(second.of<Options>().number == 5);
  CHECK(std::as_const(first).of<std::string>().empty());

  ValuesByType moved = std::move(second);
  CHECK(moved.of<std::string>() == "second");
  first = moved;
  moved.of<Options>().number = 9;
  CHECK(first.of<Options>().number == 5);
  CHECK(first.of<std::string>() == "second");
  first = ValuesByType();
  CHECK(first.of<Options>().number == 3);
}
