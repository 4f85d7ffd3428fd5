// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/value.h"

#include <fmt/core.h>

#include <string_view>

#include "tool_calls/coerce.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {

void ParameterValue::see_line(std::string_view piece) {
  const auto newline = piece.rfind('\n');
  if (newline != std::string_view::npos) {
    line_ = Line::start;
    piece.remove_prefix(newline + 1);
  }
  if (line_ == Line::text || piece.empty()) return;
  line_ = piece.find_first_not_of(" \t\r") == std::string_view::npos ? Line::blanks : Line::text;
}

void ParameterValue::text(std::string_view piece, CallWriter& call, Scope& scope) {
  if (piece.empty()) return;
  see_line(piece);
  if (!begun_) {
    begun_ = true;
    if (piece.front() == '\n') piece.remove_prefix(1);
    if (piece.empty()) return;
  }
  if (newline_) pass("\n", call, scope);
  newline_ = piece.back() == '\n';
  if (newline_) piece.remove_suffix(1);
  pass(piece, call, scope);
}

void ParameterValue::pass(std::string_view piece, CallWriter& call, Scope& scope) {
  if (dropped_ || piece.empty()) return;
  if (!streaming_) {
    kept_ += piece;
    const auto types = schema_.types();
    if (!types.takes_text() || may_leave_text(kept_, types)) return;  // not known yet
    streaming_ = true;
    call.begin_text(key_, scope);
    call.text(kept_, scope);
    kept_.clear();
    return;
  }
  call.text(piece, scope);
}

void ParameterValue::end(CallWriter& call, Scope& scope) {
  if (dropped_) return;
  if (streaming_) {
    call.end_text(scope);
    return;
  }
  const auto coerced = coerce_text(kept_, schema_, scope.on(Rule::loose_literal));
  call.value(key_, coerced.json, scope);
  if (coerced.loose)
    scope.repair(Rule::loose_literal, fmt::format("{}: {}", key_, excerpt(kept_)), call.index());
  if (!coerced.fits && scope.on(Rule::uncoerced_value))
    scope.repair(Rule::uncoerced_value,
                 fmt::format("{}: {} is not {}", key_, excerpt(kept_), to_string(schema_.types())),
                 call.index());
}

void ParameterValue::cut(CallWriter& call, Scope& scope) {
  if (streaming_ && !dropped_) call.end_text(scope);
}

}  // namespace sndr::tool_calls
