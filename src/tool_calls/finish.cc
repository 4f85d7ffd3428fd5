// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tool_calls/candidate.h"
#include "tool_calls/events.h"
#include "tool_calls/lexer.h"
#include "tool_calls/options.h"
#include "tool_calls/parser.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"
#include "tool_calls/tools.h"

// What the end of the text means to whatever was being read. The engine's reason decides what can't
// be seen from the text: a model that stopped by itself has said all it wanted, and only closing
// tags may be missing; one that was cut off hasn't.
namespace sndr::tool_calls {

void Parser::finish(Stop stop, Events& out) {
  Scope now = scope(out);
  const auto take = [&](const Lexeme& lexeme) { on(lexeme, now); };
  lexer_.feed(utf8_.finish(), take);
  const std::string partial = lexer_.take_held();
  switch (mode_) {
    case Mode::candidate:
      finish_candidate(stop, partial, now);
      break;
    case Mode::held_call:
      release(false, now);
      on_text(partial, now);
      break;
    case Mode::xml:
    case Mode::json:
      finish_call(stop, partial, now);
      break;
    case Mode::after_call:
      if (!partial.starts_with("</")) on_text(partial, now);
      if (mode_ == Mode::after_call && stop == Stop::stop) leave_wrapper(now);
      break;
    case Mode::skip:
      break;
    case Mode::prose:
      on_text(partial, now);
      break;
  }
  finish_prose(stop, now);
  Event event;
  event.kind = Event::Kind::finish;
  event.reason = stop == Stop::length ? FinishReason::length
                 : complete_ > 0      ? FinishReason::tool_calls
                                      : FinishReason::stop;
  out.push_back(std::move(event));
}

void Parser::finish_candidate(Stop stop, std::string_view partial, Scope& scope) {
  const bool empty = candidate_.is_empty_call() && scope.on(Rule::missing_close) &&
                     (candidate_.is_closed() || (candidate_.wrapped() && stop == Stop::stop));
  if (empty) {
    const bool closed = candidate_.is_closed();
    end_empty_call({}, scope);
    if (!closed) scope.repair(Rule::missing_close, "</function> of " + candidate_.name());
    leave_wrapper(scope);
  } else if (!candidate_.is_cascade() && scope.on(Rule::truncated_call) &&
             candidate_.is_cut_call(stop, partial, scope)) {
    scope.repair(Rule::truncated_call, excerpt(candidate_.raw() + std::string(partial)));
    mode_ = Mode::prose;
  } else {
    release(candidate_.undeclared(), scope);
    on_text(partial, scope);
  }
}

void Parser::finish_call(Stop stop, std::string_view partial, Scope& scope) {
  const bool xml = mode_ == Mode::xml;
  if (!xml) {
    feed_json(partial, scope);
    if (mode_ != Mode::json) return;
  }
  bool complete = xml ? xml_.finish(stop, partial, scope) : json_.finish(stop, scope);
  if (!xml && complete) commit_json(scope);
  auto& call = xml ? xml_.call() : json_.call();
  if (!xml && !committed_ && !json_.has_key()) return release(false, scope);
  if (!complete) {
    complete = call.started() && !scope.on(Rule::truncated_call);
    if (!complete) scope.repair(Rule::truncated_call, call.name(), call.index());
  }
  end_call(call, xml ? xml_.tool() : json_.tool(), complete, scope);
  if (complete && stop == Stop::stop) leave_wrapper(scope);
}

void Parser::finish_prose(Stop stop, Scope& scope) {
  think_.finish(prose_, scope);
  prose_.finish(scope);
  // The prompt opened the thinking, and the model answered without closing it, or without thinking
  // at all. If it named a call, or opened the thinking itself, it wasn't answering.
  const bool answered = stop == Stop::stop && prose_.reasoning() && !prose_.kept().empty() &&
                        next_index_ == 0 && !markup_ && !think_.opened();
  if (!answered) return;
  scope.repair(Rule::answer_in_thinking, "the reasoning is repeated as the answer");
  scope.content(prose_.kept());
}

Outcome parse(std::string_view text, std::shared_ptr<const Tools> tools, const Options& options,
              Stop stop) {
  Parser parser(std::move(tools), options);
  Events events;
  parser.feed(text, events);
  parser.finish(stop, events);
  return collect(events);
}

}  // namespace sndr::tool_calls
