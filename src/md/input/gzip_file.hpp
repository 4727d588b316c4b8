#pragma once

#include <cstdint>
#include <string>

namespace sterna::md {

/// Whether an open file begins with the magic number of gzip (RFC 1952).
bool is_gzip_file(int descriptor);

/// Unpacks a file into an unnamed file in the folder for temporary files ($TMPDIR, /tmp) and
/// returns its descriptor, which the caller closes. Uses the system's zlib, loaded at run time.
/// Throws std::runtime_error with the reason: no zlib, damaged file, no memory.
int unpack_gzip_file(const std::string& path);

}  // namespace sterna::md
