#pragma once

#include <string>

namespace sterna::md {

struct CommunicationSection {      ///< [communication]
  std::string halo = "auto";       ///< neighbor exchange method
  std::string migration = "auto";  ///< sparse exchange method
  std::string fmm = "auto";        ///< neighbor exchange method of the electrostatics
  bool tuning = true;              ///< "auto" measures
  std::string machine_file;        ///< empty: by comm::TuningOptions
  double timeout = 300.0;          ///< seconds
  std::string interface;           ///< network of TCP between nodes; empty: any
};

}  // namespace sterna::md
