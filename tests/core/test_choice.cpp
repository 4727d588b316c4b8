#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/core/precision.hpp"

using namespace sterna::md;

namespace {

enum class Fruit { apple, pear };
enum class Unnamed { one };

}  // namespace

template <>
constexpr auto sterna::md::choice_table<Fruit> =
    std::to_array<Choice<Fruit>>({{"Birne", Fruit::pear}, {"Apfel", Fruit::apple}});

TEST_CASE("a table gives names of values, and values of names, in any order") {
  CHECK(choice_name(Fruit::apple) == "Apfel");
  CHECK(choice_name(Fruit::pear) == "Birne");
  CHECK(choice_by_name<Fruit>("Apfel") == Fruit::apple);
  CHECK(choice_by_name<Fruit>("Birne") == Fruit::pear);
  CHECK(choice_by_name<Fruit>("apfel") == std::nullopt);
  CHECK(choice_by_name<Fruit>("") == std::nullopt);
  CHECK(choice_name(Unnamed::one).empty());
}

TEST_CASE("names that inputs have") {
  CHECK(choice_by_name<Precision>("double") == Precision::double_precision);
  CHECK(choice_by_name<Precision>("mixed") == Precision::mixed);
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    CHECK(choice_name(axis) == std::string(1, name_of(axis)));
  }
}
