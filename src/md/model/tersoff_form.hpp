#pragma once

namespace sterna::md {

/// What a potential of Tersoff's kind consists of.
enum class TersoffForm {
  published,  ///< as Tersoff published it
  nuclei,     ///< with the repulsion of nuclei at short distances (tersoff/zbl)
  modified    ///< other functions of angle and cutoff (tersoff/mod)
};

}  // namespace sterna::md
