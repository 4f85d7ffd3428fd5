// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/call_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "tool_calls/escape.h"
#include "tool_calls/events.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"
#include "tool_calls/tools.h"

namespace sndr::tool_calls {

bool CallWriter::given(std::string_view key) const {
  return std::find(given_.begin(), given_.end(), key) != given_.end();
}

bool CallWriter::admit(std::string_view key, const Tool* tool, Scope& scope) {
  if (tool != nullptr && !tool->declares(key) && scope.on(Rule::undeclared_parameter))
    scope.repair(Rule::undeclared_parameter,
                 fmt::format("{} isn't a parameter of {}", excerpt(key), name_), index_);
  if (!given(key)) {
    given_.emplace_back(key);
    return true;
  }
  if (!scope.on(Rule::duplicate_parameter)) return true;
  scope.repair(Rule::duplicate_parameter,
               fmt::format("{} is given again; its first value stands", excerpt(key)), index_);
  return false;
}

void CallWriter::start(Scope& scope) {
  if (started()) return;
  index_ = scope.next_index++;
  Event event;
  event.kind = Event::Kind::call_start;
  event.index = index_;
  event.name = name_;
  const auto hash =
      Fingerprint().add(scope.options.id_seed).add(std::to_string(index_)).add(name_).hex();
  event.id = "call_" + hash.substr(0, 24);
  scope.out.push_back(std::move(event));
}

void CallWriter::begin_member(std::string_view key, Scope& scope) {
  start(scope);
  auto& out = scope.arguments(index_);
  out += std::exchange(written_, true) ? ',' : '{';
  out += quoted(key);
  out += ':';
}

void CallWriter::value(std::string_view key, std::string_view json, Scope& scope) {
  begin_member(key, scope);
  scope.arguments(index_) += json;
}

void CallWriter::begin_text(std::string_view key, Scope& scope) {
  begin_member(key, scope);
  scope.arguments(index_) += '"';
  in_text_ = true;
}

void CallWriter::text(std::string_view piece, Scope& scope) {
  append_escaped(piece, scope.arguments(index_));
}

void CallWriter::end_text(Scope& scope) {
  scope.arguments(index_) += '"';
  in_text_ = false;
}

void CallWriter::end(bool complete, const Tool* tool, Scope& scope) {
  if (complete) start(scope);
  if (!started()) return;
  if (in_text_) end_text(scope);
  scope.arguments(index_) += written_ ? "}" : "{}";
  if (complete && tool != nullptr && scope.on(Rule::missing_required))
    for (const auto& key : tool->required())
      if (!given(key))
        scope.repair(Rule::missing_required, fmt::format("{} of {}", key, name_), index_);
  Event event;
  event.kind = Event::Kind::call_end;
  event.index = index_;
  event.complete = complete;
  scope.out.push_back(std::move(event));
}

}  // namespace sndr::tool_calls
