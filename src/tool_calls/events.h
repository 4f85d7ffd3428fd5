// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool_calls/rules.h"

/// What a parser says about a model's text, in the order in which a client should hear it.
///
///   reasoning  text        thinking, without its tags and without newlines at either end
///   content    text        the answer
///   call_start index id name
///   arguments  index text  the next piece of the call's JSON; pieces hold whole characters
///   call_end   index complete
///   repair     rule text   what was changed, or what could not be; `index` where it is about a
///   call finish     reason      always the last
///
/// What always holds, for any bytes in any pieces:
///   - Indices are 0, 1, 2, ...; a call ends before the next one starts.
///   - A call's pieces, joined up to any point, are a prefix of a valid JSON object; up to
///     `call_end` they are one. A call that wasn't completed is closed too, and its `call_end` says
///     `complete = false`: it must not be run, and `collect` doesn't list it.
///   - The joined texts don't depend on how the input was cut.
///   - Nothing comes out that wasn't in the text, and `{}` only where the model called without
///     arguments.
///   - Text that isn't part of a call, or of its markup, comes out as reasoning or content.
namespace sndr::tool_calls {

/// Why the engine stopped; anything but "stop" counts as cut off.
enum class Stop : std::uint8_t { stop, length };

enum class FinishReason : std::uint8_t { stop, length, tool_calls };
[[nodiscard]] std::string_view to_string(FinishReason reason);

struct Event {
  enum class Kind : std::uint8_t {
    reasoning,
    content,
    call_start,
    arguments,
    call_end,
    repair,
    finish
  };
  Kind kind = Kind::content;
  Rule rule = Rule::prose_mention;  ///< repair
  bool complete = false;            ///< call_end
  FinishReason reason = FinishReason::stop;
  int index = -1;    ///< the call that it is about, or -1
  std::string text;  ///< the text, the piece of JSON, the repair's detail
  std::string id;    ///< call_start: "call_" and 24 hexadecimal digits
  std::string name;  ///< call_start
};
using Events = std::vector<Event>;

/// Everything that a text came to: what an answer without streaming holds.
struct Outcome {
  struct Call {
    std::string id;
    std::string name;
    std::string arguments;  ///< a JSON object
  };
  struct Repair {
    Rule rule;
    std::string detail;
  };
  std::string reasoning;
  std::string content;
  std::vector<Call> calls;       ///< complete ones alone
  std::vector<Call> incomplete;  ///< for debugging: what there was of the others
  std::vector<Repair> repairs;
  FinishReason reason = FinishReason::stop;
};
[[nodiscard]] Outcome collect(const Events& events);

}  // namespace sndr::tool_calls
