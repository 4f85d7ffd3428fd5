// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/events.h"

#include <string_view>
#include <utility>

namespace sndr::tool_calls {

std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    default:
      return "tool_calls";
  }
}

Outcome collect(const Events& events) {
  Outcome out;
  Outcome::Call call;
  for (const auto& event : events) {
    switch (event.kind) {
      case Event::Kind::reasoning:
        out.reasoning += event.text;
        break;
      case Event::Kind::content:
        out.content += event.text;
        break;
      case Event::Kind::call_start:
        call = {event.id, event.name, {}};
        break;
      case Event::Kind::arguments:
        call.arguments += event.text;
        break;
      case Event::Kind::call_end:
        (event.complete ? out.calls : out.incomplete).push_back(std::move(call));
        call = {};
        break;
      case Event::Kind::repair:
        out.repairs.push_back({event.rule, event.text});
        break;
      case Event::Kind::finish:
        out.reason = event.reason;
        break;
    }
  }
  return out;
}

}  // namespace sndr::tool_calls
