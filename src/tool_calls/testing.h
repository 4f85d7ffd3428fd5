// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/json/stream_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tool_calls/parser.h"

/// What must hold for any text, cut in any way: for this room's tests and its fuzz target. Each
/// check returns "" or what is broken.
namespace sndr::tool_calls {

/// A generator with the same numbers everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2654435769U + 1) {}
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

/// Pieces of 1 to `most` bytes, cut inside characters, too.
inline std::vector<std::string_view> cut(std::string_view text, Dice& dice, std::size_t most) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto size = std::min(text.size(), 1 + dice.below(most));
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

inline Events run(const std::vector<std::string_view>& pieces, std::shared_ptr<const Tools> tools,
                  const Options& options, Stop stop) {
  Parser parser(std::move(tools), options);
  Events out;
  for (const auto piece : pieces) parser.feed(piece, out);
  parser.finish(stop, out);
  return out;
}

/// The shape of the events: indices, order, and that every prefix of the arguments is one of JSON.
inline std::string broken_events(const Events& events) {
  int next = 0;
  bool open = false;
  std::string arguments;
  boost::json::stream_parser json;
  if (events.empty() || events.back().kind != Event::Kind::finish) return "finish isn't the last";
  for (const auto& event : events) {
    if (valid_prefix(event.text) != event.text.size()) return "a piece isn't UTF-8";
    const bool text = event.kind <= Event::Kind::content || event.kind == Event::Kind::arguments;
    if (text && event.text.empty()) return "an empty piece";
    boost::system::error_code ec;
    switch (event.kind) {
      case Event::Kind::call_start:
        if (open || event.index != next || event.name.empty()) return "a call starts out of turn";
        if (event.id.size() != 29 || !event.id.starts_with("call_")) return "a bad id";
        open = true;
        arguments.clear();
        json.reset();
        break;
      case Event::Kind::arguments:
        if (!open || event.index != next) return "arguments out of turn";
        arguments += event.text;
        json.write(event.text.data(), event.text.size(), ec);
        if (ec) return "not a prefix of JSON: " + arguments;
        break;
      case Event::Kind::call_end:
        if (!open || event.index != next) return "a call ends out of turn";
        json.finish(ec);
        if (ec || !json.release().is_object()) return "not a JSON object: " + arguments;
        if (!event.complete && arguments == "{}") return "{} for a call that isn't complete";
        open = false;
        ++next;
        break;
      case Event::Kind::repair:
        if (event.text.empty()) return "a repair without a detail";
        if (event.index > next) return "a repair of a call that isn't there";
        break;
      case Event::Kind::finish:
        if (open) return "a call is open at the end";
        if (&event != &events.back()) return "finish twice";
        break;
      default:
        if (open) return "text inside a call";
    }
  }
  return "";
}

/// An outcome as one text, for comparing.
inline std::string describe(const Outcome& outcome) {
  std::string out = "reasoning: " + outcome.reasoning + "\ncontent: " + outcome.content + "\n";
  for (const auto& call : outcome.calls)
    out += "call: " + call.id + " " + call.name + " " + call.arguments + "\n";
  for (const auto& call : outcome.incomplete)
    out += "incomplete: " + call.id + " " + call.name + " " + call.arguments + "\n";
  for (const auto& repair : outcome.repairs)
    out += "repair: " + std::string(info(repair.rule).name) + ": " + repair.detail + "\n";
  return out + "finish: " + std::string(to_string(outcome.reason)) + "\n";
}

inline std::string without_space(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out += c;
  return out;
}

/// Text in which nothing was called comes out whole: every byte but white space next to markup and
/// the tags of thinking. Only for text without a rule that drops something.
inline std::string lost_text(std::string_view text, const Events& events) {
  std::string came;
  for (const auto& event : events) {
    if (event.kind == Event::Kind::call_start) return "";
    const auto dropping = {Rule::truncated_call, Rule::tag_cascade, Rule::whitespace_run,
                           Rule::turn_end, Rule::answer_in_thinking};
    if (event.kind == Event::Kind::repair &&
        std::find(dropping.begin(), dropping.end(), event.rule) != dropping.end())
      return "";
    if (event.kind == Event::Kind::content || event.kind == Event::Kind::reasoning)
      came += event.text;
  }
  const auto bare = [](std::string_view whole) {
    auto out = without_space(whole);
    for (const auto* tag : {"<think>", "</think>", "<thinking>", "</thinking>"})
      out = replace_all(std::move(out), tag, "");
    return out;
  };
  Utf8Gate gate;
  std::string clean(gate.feed(text));
  clean += gate.finish();
  const auto want = bare(clean);
  const auto got = bare(came);
  return want == got ? "" : "text was lost or invented: " + want + "\n  came out as " + got;
}

}  // namespace sndr::tool_calls
