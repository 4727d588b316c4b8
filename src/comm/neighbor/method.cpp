#include "comm/neighbor/method.hpp"

#include "comm/context/agreement.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

void throw_on_all(const NeighborSetting& setting, const std::string& fault) {
  const std::string agreed = agree_on_reason(setting.context, fault, setting.exchange);
  if (!agreed.empty()) throw Error(setting.exchange + ": " + agreed);
}

}  // namespace sterna::comm
