#pragma once

#include <cstdint>
#include <string>

namespace sterna::md {

/// Whether an open file begins as one of gzip does (RFC 1952).
bool is_gzip_file(int descriptor);

/// What was packed, in a file without a name in the folder for temporary files ($TMPDIR, /tmp): its
/// descriptor, which the caller closes. The system's zlib unpacks, loaded at run time. Throws
/// std::runtime_error with the reason: no zlib, damaged, no memory.
int unpack_gzip_file(const std::string& path);

}  // namespace sterna::md
