#include "comm/context/agreement.hpp"

#include <fmt/format.h>

#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"

namespace sterna::comm {

std::int64_t largest(Context::Implementation& context, std::int64_t mine,
                     std::string_view exchange_name) {
  std::int64_t result = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, context.communicator, &request),
            exchange_name);
  wait_for_request(context, request, exchange_name, "allreduce", 0);
  return result;
}

std::string agree_on_reason(Context::Implementation& context, const std::string& mine,
                            std::string_view exchange_name) {
  // The lowest rank with an objection contributes the largest value.
  const std::int64_t first =
      context.size -
      largest(context, mine.empty() ? 0 : context.size - context.rank, exchange_name);
  if (first == context.size) return {};
  const int root = static_cast<int>(first);
  std::string reason = fmt::format("rank {}: {}", root, mine);
  auto length = static_cast<std::int64_t>(reason.size());
  for (const bool text : {false, true}) {
    if (text) reason.resize(static_cast<std::size_t>(length));
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(text ? MPI_Ibcast(reason.data(), static_cast<int>(length), MPI_CHAR, root,
                                context.communicator, &request)
                   : MPI_Ibcast(&length, 1, MPI_INT64_T, root, context.communicator, &request),
              exchange_name);
    wait_for_request(context, request, exchange_name, "broadcast", 0);
  }
  return reason;
}

void announce_object(Context::Implementation& context, std::string_view kind,
                     std::string_view name) {
  if (context.size == 1) return;
  std::int64_t number = 0;
  for (const char letter : kind) number = (31 * number + letter) % 1000003;
  const std::int64_t mine[] = {number, -number};
  std::int64_t most[] = {0, 0};
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, context.communicator, &request),
            name);
  wait_for_request(context, request, name, "allreduce", 0);
  if (most[0] == -most[1]) return;
  throw Error(
      fmt::format("{}: this rank makes {} where others make something else; all ranks must make "
                  "their objects in the same order",
                  name, kind));
}

void throw_on_all(Context::Implementation& context, const std::string& fault,
                  std::string_view exchange_name) {
  const std::string agreed = agree_on_reason(context, fault, exchange_name);
  if (!agreed.empty()) throw Error(fmt::format("{}: {}", exchange_name, agreed));
}

}  // namespace sterna::comm
