// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/parser.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tool_calls/candidate.h"
#include "tool_calls/events.h"
#include "tool_calls/json_body.h"
#include "tool_calls/lexer.h"
#include "tool_calls/options.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"
#include "tool_calls/tools.h"
#include "tool_calls/xml_body.h"

// Bytes become characters (Utf8Gate), characters lexemes (Lexer), and each lexeme goes to whatever
// is being read: prose, a candidate, a call's body. A part that finds a lexeme isn't its own gives
// it back, and it goes to the next one; each is given back once at most.
namespace sndr::tool_calls {
namespace {

using Kind = Lexeme::Kind;

Lexeme text_of(std::string_view raw) {
  Lexeme lexeme;
  lexeme.raw = raw;
  return lexeme;
}

std::size_t leading_space(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? text.size() : first;
}

}  // namespace

bool prompt_opens_thinking(std::string_view rendered) {
  constexpr std::string_view kTurn = "<|im_start|>";
  const auto turn = rendered.rfind(kTurn);
  if (turn != std::string_view::npos) rendered.remove_prefix(turn + kTurn.size());
  const auto open = rendered.rfind("<think>");
  if (open == std::string_view::npos) return false;
  const auto behind = rendered.substr(open);
  if (behind.find("</think>") != std::string_view::npos) return false;
  // Without turns to go by, only a tag at the very end is the template's.
  return turn != std::string_view::npos || leading_space(behind.substr(7)) + 7 == behind.size();
}

Parser::Parser(std::shared_ptr<const Tools> tools, Options options)
    : tools_(std::move(tools)),
      options_(std::move(options)),
      lexer_(options_.tokens == Tokens::marked),
      prose_(options_.thinking, options_.thinking && options_.rules.on(Rule::answer_in_thinking)) {}

Scope Parser::scope(Events& out) {
  return {*tools_, options_, counters_, next_index_, out};
}

void Parser::feed(std::string_view piece, Events& out) {
  Scope now = scope(out);
  lexer_.feed(utf8_.feed(piece), [&](const Lexeme& lexeme) { on(lexeme, now); });
}

void Parser::feed(std::string_view piece, std::span<const Mark> specials, Events& out) {
  Scope now = scope(out);
  const auto take = [&](const Lexeme& lexeme) { on(lexeme, now); };
  std::size_t at = 0;
  for (const auto& mark : specials) {
    feed(piece.substr(at, mark.offset - at), out);
    lexer_.feed(utf8_.finish(), take);
    lexer_.special(piece.substr(mark.offset, mark.length), take);
    at = mark.offset + mark.length;
  }
  feed(piece.substr(at), out);
}

bool Parser::only_reasoning() const {
  return mode_ == Mode::prose && prose_.has_reasoning() && !prose_.has_content() &&
         next_index_ == 0;
}

void Parser::on(const Lexeme& lexeme, Scope& scope) {
  switch (mode_) {
    case Mode::prose:
      return on_prose(lexeme, scope);
    case Mode::candidate:
      return on_candidate(lexeme, scope);
    case Mode::held_call:
      return on_held_call(lexeme, scope);
    case Mode::xml:
      return on_xml(lexeme, scope);
    case Mode::json:
      return on_json(lexeme, scope);
    case Mode::after_call:
      return on_after_call(lexeme, scope);
    case Mode::skip:
      return on_skip(lexeme, scope);
  }
}

void Parser::on_text(std::string_view text, Scope& scope) {
  if (!text.empty()) on(text_of(text), scope);
}

// ---- prose ----

bool Parser::may_call(bool wrapped, const Scope& scope) const {
  if (!options_.calls || (tools_->empty() && scope.on(Rule::undeclared_tool))) return false;
  if (prose_.markdown().in_code() && scope.on(Rule::fenced_example)) return false;
  if (!wrapped && !scope.on(Rule::missing_wrapper)) return false;
  return !prose_.reasoning() ||
         scope.on(wrapped ? Rule::call_in_reasoning : Rule::bare_call_in_reasoning);
}

void Parser::on_prose(const Lexeme& lexeme, Scope& scope) {
  if (think_.on(lexeme, prose_, scope)) return;
  const bool wrapper = lexeme.kind == Kind::call_open;
  const bool header = lexeme.kind == Kind::function_open;
  if (wrapper || lexeme.kind == Kind::call_close) undeclared_ = false;
  markup_ = markup_ || (prose_.reasoning() && (wrapper || header));
  if (wrapper && may_call(true, scope)) {
    candidate_ = Candidate::wrapper(lexeme.raw);
    mode_ = Mode::candidate;
  } else if (header && !undeclared_ && may_call(false, scope)) {
    begin_header(lexeme, false, scope);
  } else {
    prose_.text(lexeme.raw, scope);
  }
}

void Parser::begin_header(const Lexeme& lexeme, bool wrapped, Scope& scope) {
  auto candidate = Candidate::at_header(lexeme, wrapped, prose_.markdown().at_indent(), scope);
  if (!candidate) {
    leave_wrapper(scope);
    prose_.text(lexeme.raw, scope);
    return;
  }
  candidate_ = *std::move(candidate);
  mode_ = Mode::candidate;
}

// ---- candidates ----

void Parser::on_candidate(const Lexeme& lexeme, Scope& scope) {
  std::string_view rest = lexeme.kind == Kind::text ? lexeme.raw : std::string_view();
  const auto next = candidate_.on(lexeme, rest, scope);
  const Lexeme again = lexeme.kind == Kind::text ? text_of(rest) : lexeme;
  switch (next) {
    case Candidate::Next::more:
      return;
    case Candidate::Next::text:
      release(candidate_.undeclared(), scope);
      return on(again, scope);
    case Candidate::Next::parameter:
      if (prose_.reasoning() && !candidate_.wrapped()) {
        candidate_.raw() += lexeme.raw;
        mode_ = Mode::held_call;
        return;
      }
      commit(true, scope);
      xml_ = XmlBody(candidate_.tool(), CallWriter(candidate_.name()));
      xml_.open(lexeme, scope);
      mode_ = Mode::xml;
      return;
    case Candidate::Next::header:
      commit(true, scope);
      xml_ = XmlBody(candidate_.tool(), CallWriter(candidate_.name()));
      mode_ = Mode::xml;
      return;
    case Candidate::Next::empty:
      return end_empty_call(lexeme, scope);
    case Candidate::Next::bare_empty:
      end_empty_call({}, scope);
      return on(again, scope);
    default:
      return begin_json(next, rest, scope);
  }
}

/// It is no call: what was kept comes out as the text that it is.
void Parser::release(bool undeclared, Scope& scope) {
  mode_ = Mode::prose;
  wrapper_open_ = false;
  const auto raw = std::exchange(candidate_.raw(), {});
  if (candidate_.is_cascade() && scope.on(Rule::tag_cascade)) {
    scope.repair(Rule::tag_cascade, excerpt(raw));
    return;
  }
  undeclared_ = undeclared;
  if (!raw.empty())
    scope.repair(undeclared ? Rule::undeclared_tool : Rule::prose_mention, excerpt(raw));
  prose_.text(raw, scope);
}

/// It is a call.
void Parser::commit(bool xml, Scope& scope) {
  if (prose_.reasoning()) {
    scope.repair(Rule::call_in_reasoning, candidate_.name());
    prose_.end_reasoning();
    think_.expect_close();
  }
  prose_.before_call();
  candidate_.report(scope);
  const auto own = xml ? Dialect::qwen3 : Dialect::hermes;
  if (options_.dialect != Dialect::automatic && options_.dialect != own)
    scope.repair(Rule::other_dialect, xml ? "XML" : "JSON");
  wrapper_open_ = candidate_.wrapped();
  after_json_ = !xml;
  candidate_.raw().clear();
}

void Parser::end_empty_call(const Lexeme& lexeme, Scope& scope) {
  commit(true, scope);
  CallWriter call(candidate_.name());
  if (lexeme.kind == Kind::call_close)
    scope.repair(Rule::missing_close, "</function> of " + call.name());
  wrapper_open_ = wrapper_open_ && lexeme.kind != Kind::call_close;
  end_call(call, candidate_.tool(), true, scope);
}

/// A call without a wrapper inside the reasoning: only a complete one is believed, so it is kept
/// until its end and then read anew.
void Parser::on_held_call(const Lexeme& lexeme, Scope& scope) {
  if (lexeme.kind == Kind::think_close || lexeme.kind == Kind::call_open) {
    release(false, scope);
    return on(lexeme, scope);
  }
  candidate_.raw() += lexeme.raw;
  if (lexeme.kind != Kind::function_close) return;
  const auto raw = std::exchange(candidate_.raw(), {});
  scope.repair(Rule::bare_call_in_reasoning, candidate_.name());
  prose_.end_reasoning();
  think_.expect_close();
  mode_ = Mode::prose;
  Lexer lexer(false);
  lexer.feed(raw, [&](const Lexeme& inner) { on(inner, scope); });
}

// ---- calls ----

void Parser::on_xml(const Lexeme& lexeme, Scope& scope) {
  if (xml_.on(lexeme, scope) == XmlBody::Next::more) return;
  wrapper_open_ = wrapper_open_ && !xml_.closed_wrapper();
  end_call(xml_.call(), xml_.tool(), true, scope);
  for (const auto& held : xml_.take_behind()) {
    Lexeme behind = text_of(held.raw);
    behind.kind = held.kind;
    on(behind, scope);
  }
  if (xml_.gives_back()) on(lexeme, scope);
}

void Parser::begin_json(Candidate::Next next, std::string_view rest, Scope& scope) {
  if (next == Candidate::Next::object)
    json_ = JsonBody(JsonBody::Form::object);
  else
    json_ = JsonBody(
        next == Candidate::Next::members ? JsonBody::Form::members : JsonBody::Form::arguments,
        candidate_.tool(), CallWriter(candidate_.name()));
  committed_ = false;
  mode_ = Mode::json;
  feed_json(rest, scope);
}

void Parser::commit_json(Scope& scope) {
  if (std::exchange(committed_, true)) return;
  const auto form = json_.form();
  commit(form == JsonBody::Form::members, scope);
  after_json_ = true;
  const auto& name = json_.call().name();
  if (form == JsonBody::Form::members) scope.repair(Rule::json_body, name, json_.call().index());
  if (form == JsonBody::Form::arguments)
    scope.repair(Rule::call_syntax, name, json_.call().index());
}

void Parser::feed_json(std::string_view text, Scope& scope) {
  auto rest = text;
  const auto status = json_.feed(rest, scope);
  if (!committed_) candidate_.raw() += text.substr(0, text.size() - rest.size());
  if (json_.call().started() || status == JsonBody::Status::ended) commit_json(scope);
  if (status == JsonBody::Status::ended) end_json(scope);
  if (status == JsonBody::Status::failed) json_failed(scope);
  if (status != JsonBody::Status::more) on_text(rest, scope);
}

void Parser::end_json(Scope& scope) {
  commit_json(scope);
  end_call(json_.call(), json_.tool(), true, scope);
}

/// Before anything of it was sent it was text; afterwards it is a broken call.
void Parser::json_failed(Scope& scope) {
  if (!committed_) return release(json_.undeclared(), scope);
  const bool complete = !scope.on(Rule::broken_call);
  if (!complete) scope.repair(Rule::broken_call, json_.why(), json_.call().index());
  end_call(json_.call(), json_.tool(), complete, scope);
  mode_ = Mode::skip;
}

void Parser::on_json(const Lexeme& lexeme, Scope& scope) {
  if (lexeme.kind != Kind::call_close && lexeme.kind != Kind::function_close)
    return feed_json(lexeme.raw, scope);
  const auto status = json_.close(scope);
  if (status == JsonBody::Status::more) return feed_json(lexeme.raw, scope);
  if (status == JsonBody::Status::ended)
    end_json(scope);
  else
    json_failed(scope);
  on(lexeme, scope);
}

void Parser::end_call(CallWriter& call, const Tool* tool, bool complete, Scope& scope) {
  call.end(complete, tool, scope);
  complete_ += complete ? 1 : 0;
  mode_ = Mode::after_call;
}

/// The rest of a call that couldn't be read.
void Parser::on_skip(const Lexeme& lexeme, Scope& scope) {
  if (lexeme.kind != Kind::call_close && lexeme.kind != Kind::call_open &&
      lexeme.kind != Kind::function_close)
    return;
  mode_ = Mode::after_call;
  on(lexeme, scope);
}

// ---- behind a call ----

void Parser::leave_wrapper(Scope& scope) {
  if (std::exchange(wrapper_open_, false)) scope.repair(Rule::missing_close, "</tool_call>");
  mode_ = Mode::prose;
}

/// Brackets that are left over behind a JSON object.
std::string_view Parser::skip_brackets(std::string_view text, Scope& scope) {
  while (after_json_ && wrapper_open_ && scope.on(Rule::json_repair)) {
    const auto space = leading_space(text);
    if (space == text.size() || (text[space] != '}' && text[space] != ']')) break;
    scope.repair(Rule::json_repair, std::string("an extra ") + text[space], next_index_ - 1);
    text.remove_prefix(space + 1);
  }
  return text;
}

void Parser::on_after_call(const Lexeme& lexeme, Scope& scope) {
  switch (lexeme.kind) {
    case Kind::text: {
      auto rest = skip_brackets(lexeme.raw, scope);
      const auto space = leading_space(rest);
      prose_.text(rest.substr(0, space), scope);
      rest.remove_prefix(space);
      if (rest.empty()) return;
      if (wrapper_open_ && after_json_ && rest.front() == '{') {  // another object in the wrapper
        candidate_ = Candidate::wrapper({});
        mode_ = Mode::candidate;
      } else {
        leave_wrapper(scope);
      }
      return on_text(rest, scope);
    }
    case Kind::call_close:
      wrapper_open_ = false;
      return;
    case Kind::function_close:
    case Kind::parameter_close:
      return;
    case Kind::function_open:
      if (wrapper_open_) return begin_header(lexeme, true, scope);
      mode_ = Mode::prose;
      return on(lexeme, scope);
    default:
      leave_wrapper(scope);
      return on(lexeme, scope);
  }
}

}  // namespace sndr::tool_calls
