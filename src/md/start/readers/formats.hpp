#pragma once

#include <cstdint>
#include <memory>

#include "md/input/line_reader.hpp"
#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md {

/// Ids are part of the counters of random numbers, which leave them 48 bits.
constexpr std::int64_t largest_id = (std::int64_t{1} << 48) - 1;
constexpr std::int64_t most_particles = std::int64_t{1} << 47;

/// One function a format, each reads the file's header and stands before its first particle.
std::unique_ptr<StartFileReader> open_xyz(std::shared_ptr<const FileHandle> file,
                                          const StartFileOptions& options);
std::unique_ptr<StartFileReader> open_extended_xyz(std::shared_ptr<const FileHandle> file,
                                                   const StartFileOptions& options);
std::unique_ptr<StartFileReader> open_lammps_data(std::shared_ptr<const FileHandle> file,
                                                  const StartFileOptions& options);
std::unique_ptr<StartFileReader> open_nist(std::shared_ptr<const FileHandle> file,
                                           const StartFileOptions& options);
/// Defined in start/foreign/ls1/start_file.cpp.
std::unique_ptr<StartFileReader> open_ls1(std::shared_ptr<const FileHandle> file,
                                          const StartFileOptions& options);

/// Throws at the line behind the last, where the file ended too early.
[[noreturn]] void fail_early_end(const LineReader& reader, std::int64_t read,
                                 std::int64_t expected);
/// Throws unless only blank lines follow.
void expect_end_of_file(LineReader& reader, std::int64_t particles);

}  // namespace sterna::md
