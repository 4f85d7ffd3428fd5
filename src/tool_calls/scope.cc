// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/scope.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tool_calls/escape.h"
#include "tool_calls/events.h"
#include "tool_calls/rules.h"

namespace sndr::tool_calls {

void Scope::repair(Rule rule, std::string detail, int index) {
  counters.add(rule);
  Event event;
  event.kind = Event::Kind::repair;
  event.rule = rule;
  event.index = index;
  event.text = std::move(detail);
  out.push_back(std::move(event));
}

std::string& Scope::text_of(Event::Kind kind, int index) {
  if (out.empty() || out.back().kind != kind || out.back().index != index) {
    Event event;
    event.kind = kind;
    event.index = index;
    out.push_back(std::move(event));
  }
  return out.back().text;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t size = text.size();
  if (size > kMost) {
    size = kMost;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  }
  std::string out;
  append_escaped(text.substr(0, size), out);
  if (size < text.size()) out += "...";
  return out;
}

}  // namespace sndr::tool_calls
