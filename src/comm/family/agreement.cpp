#include "comm/family/agreement.hpp"

#include <fmt/format.h>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

std::vector<std::string> agree_on_reasons(Context::Implementation& context,
                                          const std::vector<std::string>& mine,
                                          std::string_view exchange_name) {
  std::vector<int> objects;
  for (const std::string& reason : mine) objects.push_back(reason.empty() ? 0 : 1);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, objects.data(), static_cast<int>(objects.size()), MPI_INT,
                           MPI_MAX, context.communicator, &request),
            exchange_name);
  wait_for_request(context, request, exchange_name, "allreduce", 0);
  std::vector<std::string> agreed(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (objects[i] != 0) agreed[i] = agree_on_reason(context, mine[i], exchange_name);
  }
  return agreed;
}

void agree_on_method(Context::Implementation& context, std::string fault, std::size_t method,
                     std::string_view named, std::string_view exchange_name) {
  const std::string agreed = agree_on_reason(context, fault, exchange_name);
  if (!agreed.empty())
    throw Error(fmt::format("{}: {}", exchange_name, fault.empty() ? agreed : fault));
  const auto mine = static_cast<std::int64_t>(method);
  const std::int64_t highest = largest(context, mine, exchange_name);
  const std::int64_t lowest = -largest(context, -mine, exchange_name);
  if (highest != lowest) {
    throw Error(fmt::format("{}: the ranks name different methods ({} on rank {})", exchange_name,
                            named, context.rank));
  }
}

}  // namespace sterna::comm
