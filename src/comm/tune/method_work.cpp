#include "comm/context/context_implementation.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/sparse/table.hpp"
#include "comm/tune/cost_model.hpp"
#include "comm/tune/machine_file.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

std::string work_of_neighbor_method(std::string_view method, int ranks, double peers,
                                    double bytes) {
  return in_words(find_neighbor_method(method).cost({ranks, ranks, peers, bytes, 0.0, 0.0}));
}

std::string work_of_sparse_method(std::string_view method, int ranks, double peers, double bytes) {
  // As many possible sources as there are other ranks.
  return in_words(find_sparse_method(method).cost({ranks, ranks, peers, bytes, 0.0, ranks - 1.0}));
}

std::string machine_file(const Context& context) {
  return machine_file_path(context.implementation().options.tuning.machine_file);
}

}  // namespace sterna::comm
