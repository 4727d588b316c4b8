#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/core/choice.hpp"

namespace sterna::md {

struct OutputSection {  ///< [output]
  enum class TrajectoryPrecision { double_precision, single_precision };
  enum class Compression { none, lossless };
  /// Whether waiting for other ranks is timed separately from communication.
  enum class Timing { plain, synchronized };

  std::string directory = ".";  ///< relative to the working directory
  std::int64_t thermo_interval = 100;
  std::int64_t equilibration = -1;                         ///< steps that averages leave out; below
                                                           ///< 0: found
  std::int64_t trajectory_interval = 0;                    ///< 0: no trajectory
  std::vector<std::string> trajectory_fields{"position"};  ///< of trajectory_field_names()
  TrajectoryPrecision trajectory_precision = TrajectoryPrecision::double_precision;
  Compression trajectory_compression = Compression::none;
  double trajectory_rounding = 0.0;      ///< of positions; 0: none
  std::int64_t checkpoint_interval = 0;  ///< steps; 0: by `checkpoint_time`
  double checkpoint_time = 900.0;        ///< seconds; 0: not by the clock
  bool report = false;                   ///< written by the program that starts the run
  std::vector<std::string> exports;      ///< formats; exported by the program that starts the run
  std::int64_t xtc_interval = 0;         ///< steps; 0: no XTC file
  double xtc_rounding = 0.001;           ///< of positions in the XTC file
  Timing timing = Timing::plain;

  bool is_single_precision() const {
    return trajectory_precision == TrajectoryPrecision::single_precision;
  }
};

template <>
inline constexpr auto choice_table<OutputSection::TrajectoryPrecision> =
    std::to_array<Choice<OutputSection::TrajectoryPrecision>>(
        {{"double", OutputSection::TrajectoryPrecision::double_precision},
         {"single", OutputSection::TrajectoryPrecision::single_precision}});
template <>
inline constexpr auto choice_table<OutputSection::Compression> =
    std::to_array<Choice<OutputSection::Compression>>(
        {{"none", OutputSection::Compression::none},
         {"lossless", OutputSection::Compression::lossless,
          "\"lossless\" compresses the frames (HDF5's shuffle and deflate filters, which every "
          "program that reads HDF5 undoes). One rank does it, so frames take longer to write."}});
template <>
inline constexpr auto choice_table<OutputSection::Timing> =
    std::to_array<Choice<OutputSection::Timing>>(
        {{"plain", OutputSection::Timing::plain},
         {"synchronized", OutputSection::Timing::synchronized,
          "\"synchronized\" lets the ranks meet before each of them waits for data, so that the "
          "timing breakdown tells waiting for other ranks from communication. A step takes longer "
          "then; results are the same."}});

}  // namespace sterna::md
