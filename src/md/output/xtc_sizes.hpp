#pragma once

#include <array>
#include <cstdint>

namespace sterna::md {

/// The number of values of a small coordinate: three coordinates of entry i fit into i bits. The
/// table is part of the format.
inline constexpr std::array<std::int32_t, 73> xtc_sizes{
    0,        0,        0,       0,       0,       0,       0,       0,       0,       8,
    10,       12,       16,      20,      25,      32,      40,      50,      64,      80,
    101,      128,      161,     203,     256,     322,     406,     512,     645,     812,
    1024,     1290,     1625,    2048,    2580,    3250,    4096,    5060,    6501,    8192,
    10321,    13003,    16384,   20642,   26007,   32768,   41285,   52015,   65536,   82570,
    104031,   131072,   165140,  208063,  262144,  330280,  416127,  524287,  660561,  832255,
    1048576,  1321122,  1664510, 2097152, 2642245, 3329021, 4194304, 5284491, 6658042, 8388607,
    10568983, 13316085, 16777216};
inline constexpr int first_xtc_entry = 9;
inline constexpr int last_xtc_entry = xtc_sizes.size() - 1;

}  // namespace sterna::md
