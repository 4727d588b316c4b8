#include "md/system/staggered_array.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace sterna::md;

namespace {

std::uintptr_t place_in_page(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 4096;
}

}  // namespace

TEST_CASE("arrays of different places never begin near each other in a page") {
  std::vector<StaggeredArray<float>> arrays;
  for (int place = 0; place < 9; ++place) arrays.emplace_back(place);
  for (const std::size_t size : {1u, 100u, 1024u, 5000u, 98304u, 3000000u}) {
    CAPTURE(size);
    std::vector<std::uintptr_t> places;
    for (auto& array : arrays) {
      array.resize(size);
      places.push_back(place_in_page(array.data()));
      CHECK(places.back() % 64 == 0);
    }
    std::ranges::sort(places);
    for (std::size_t k = 1; k < places.size(); ++k) CHECK(places[k] - places[k - 1] >= 448);
    CHECK(places.front() + 4096 - places.back() >= 448);
  }
}

TEST_CASE("a staggered array keeps its items, and new ones have the value that is asked for") {
  StaggeredArray<std::int32_t> array(3);
  CHECK(array.empty());
  array.resize(10, -1);
  array[3] = 7;
  array.resize(100000, 5);
  CHECK(array.size() == 100000);
  CHECK(array[3] == 7);
  CHECK(array[9] == -1);
  CHECK(std::all_of(array.begin() + 10, array.end(), [](std::int32_t item) { return item == 5; }));
  array.resize(4);
  array.resize(6);
  CHECK(array[3] == 7);
  CHECK(array[5] == 0);
  array.assign(8, 2);
  CHECK(std::count(array.begin(), array.end(), 2) == 8);
  StaggeredArray<std::int32_t> other(3);
  other = std::move(array);
  CHECK(other[7] == 2);
  other.release();
  CHECK(other.empty());
  other.resize(1, 9);
  CHECK(other[0] == 9);
}
