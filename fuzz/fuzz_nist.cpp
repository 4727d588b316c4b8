// The reader of NIST configurations.
//
// sources: src/md/core/units.cpp src/comm/context/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/input/diagnostics.cpp src/md/start/readers/*.cpp src/md/input/fields.cpp
// sources: src/md/input/line_reader.cpp src/md/start/foreign/ls1/xml_*.cpp
// sources: src/md/start/foreign/ls1/molecule_types.cpp src/md/start/foreign/ls1/*phase_space.cpp
// sources: src/md/start/foreign/ls1/gener*.cpp src/md/start/foreign/ls1/lattice_fill.cpp
// sources: src/md/start/foreign/ls1/objects.cpp src/md/start/foreign/ls1/start_file.cpp
// sources: src/md/core/random.cpp src/md/model/tersoff.cpp src/md/model/stillinger_weber.cpp src/comm/context/regular_file.cpp
// sources: src/md/input/foreign_files.cpp
// sources: src/md/start/foreign/modylas/coordinates.cpp src/md/start/foreign/modylas/words.cpp
// sources: src/md/input/gzip_file.cpp src/md/output/hdf5_*.cpp src/md/core/file_error.cpp
// sources: src/md/output/checkpoint_file.cpp src/md/core/checksum.cpp

#include "start_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const StartFileFuzzer file(data, size);
  sterna::md::StartFileOptions options;
  options.type_names = {"Ar"};
  options.format = "nist";
  file.read(options);
  return 0;
}
