// The reader of NIST configurations.
//
// sources: src/md/core/units.cpp src/comm/context/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/io/diagnostics.cpp src/md/io/readers/*.cpp
// sources: src/md/io/ls1/xml_*.cpp src/md/io/ls1/molecule_types.cpp src/md/io/ls1/*phase_space.cpp
// sources: src/md/io/ls1/gener*.cpp src/md/io/ls1/lattice_fill.cpp src/md/io/ls1/objects.cpp
// sources: src/md/io/ls1/start_file.cpp src/md/core/random.cpp src/md/model/tersoff.cpp
// sources: src/comm/context/regular_file.cpp src/md/io/foreign_files.cpp

#include "start_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const StartFileFuzzer file(data, size);
  sterna::md::StartFileOptions options;
  options.type_names = {"Ar"};
  options.format = "nist";
  file.read(options);
  return 0;
}
