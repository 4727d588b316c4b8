// The reader of NIST configurations.
//
// sources: src/md/core/units.cpp src/md/core/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/io/diagnostics.cpp src/md/io/readers/*.cpp

#include "start_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const StartFileFuzzer file(data, size);
  sterna::md::StartFileOptions options;
  options.type_names = {"Ar"};
  options.format = "nist";
  file.read(options);
  return 0;
}
