// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/lexer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tool_calls/rules.h"

// A tag is matched byte by byte, and what was matched is kept. No tag has a second `<` in it, so
// that text which only began like a tag never has to be read again: it is given out as it is, and
// the byte that broke it starts afresh.
namespace sndr::tool_calls {
namespace {

using Kind = Lexeme::Kind;

struct Word {
  std::string_view text;
  Kind kind;
  bool special;  // one token in the model's vocabulary
};

constexpr std::array kWords = {
    Word{"<tool_call>", Kind::call_open, true},
    Word{"</tool_call>", Kind::call_close, true},
    Word{"<think>", Kind::think_open, true},
    Word{"</think>", Kind::think_close, true},
    Word{"<thinking>", Kind::think_open, false},
    Word{"</thinking>", Kind::think_close, false},
    Word{"</function>", Kind::function_close, false},
    Word{"</parameter>", Kind::parameter_close, false},
    Word{"<|im_end|>", Kind::turn_end, true},
    Word{"<|endoftext|>", Kind::turn_end, true},
    Word{"<function", Kind::function_open, false},  // more follows
    Word{"<parameter", Kind::parameter_open, false},
};

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestTag = 160;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

Lexeme text_lexeme(std::string_view raw) {
  Lexeme lexeme;
  lexeme.raw = raw;
  return lexeme;
}

}  // namespace

Lexeme Lexer::special_lexeme(std::string_view token) {
  Lexeme lexeme = text_lexeme(token);
  for (const auto& word : kWords) {
    if (word.text != token) continue;
    lexeme.kind = word.kind;
    lexeme.variant = token.find("thinking") != std::string_view::npos;
  }
  return lexeme;
}

void Lexer::start() {
  held_.clear();
  name_.clear();
  attribute_ = false;
  quote_ = 0;
}

Lexeme Lexer::flush() {
  stage_ = Stage::text;
  out_.swap(held_);
  start();
  return text_lexeme(out_);
}

std::string Lexer::take_held() {
  return std::string(flush().raw);
}

Lexeme Lexer::next(std::string_view& rest) {
  if (stage_ == Stage::text) {
    // Most `<` of a value are comparisons or HTML: the byte behind them says so.
    std::size_t at = rest.find('<');
    while (at != std::string_view::npos && at + 1 < rest.size() &&
           std::string_view("tfp/|").find(rest[at + 1]) == std::string_view::npos)
      at = rest.find('<', at + 1);
    const auto text = rest.substr(0, at);
    rest.remove_prefix(text.size());
    if (!rest.empty()) {
      start();
      held_ = '<';
      stage_ = Stage::literal;
      rest.remove_prefix(1);
    }
    return text_lexeme(text);
  }
  while (!rest.empty()) {
    Lexeme found;
    const char byte = rest.front();
    const bool ends_here = (byte == '\n' || byte == '<') && stage_ >= Stage::bare;
    if (!ends_here) {
      rest.remove_prefix(1);
      if (step(byte, found)) return found;
      if (stage_ != Stage::text) continue;
      // Not a tag: `step` has left everything before this byte in held_, and the byte comes again.
      rest = std::string_view(rest.data() - 1, rest.size() + 1);
      return flush();
    }
    if (stage_ != Stage::quoted && end_tag(found, true)) return found;
    return flush();
  }
  return {};
}

/// Takes one byte into the tag. True: the tag is complete. Stage::text: there is no tag.
bool Lexer::step(char byte, Lexeme& found) {
  const bool complete =
      stage_ == Stage::literal ? step_literal(byte, found) : step_name(byte, found);
  if (!complete && (held_.size() >= kLongestTag || name_.size() > kLongestName))
    stage_ = Stage::text;
  if (!complete && stage_ != Stage::text) held_ += byte;
  return complete;
}

bool Lexer::step_literal(char byte, Lexeme& found) {
  bool begins = false;
  for (const auto& word : kWords) {
    if (marked_ && word.special) continue;
    const auto size = held_.size();
    if (size >= word.text.size() || word.text[size] != byte || !word.text.starts_with(held_))
      continue;
    begins = true;
    if (size + 1 < word.text.size()) continue;
    if (word.kind == Kind::function_open || word.kind == Kind::parameter_open) {
      parameter_ = word.kind == Kind::parameter_open;
      stage_ = Stage::word;
      return false;
    }
    held_ += byte;
    const bool variant = held_.find("thinking") != std::string::npos;
    found = flush();
    found.kind = word.kind;
    found.variant = variant;
    return true;
  }
  if (!begins) stage_ = Stage::text;
  return false;
}

bool Lexer::step_name(char byte, Lexeme& found) {
  switch (stage_) {
    case Stage::word:
      if (byte == '=') {
        stage_ = Stage::equals;
      } else if (is_blank(byte)) {
        attribute_ = true;
      } else if (byte == 'n' && attribute_) {
        name_ = byte;
        stage_ = Stage::attribute;
      } else {
        stage_ = Stage::text;
      }
      return false;
    case Stage::attribute: {
      const bool spelled = name_ == "name";
      if (!spelled && std::string_view("name")[name_.size()] == byte) {
        name_ += byte;
      } else if (spelled && byte == '=') {
        name_.clear();
        stage_ = Stage::equals;
      } else if (!spelled || !is_blank(byte)) {
        stage_ = Stage::text;
      }
      return false;
    }
    case Stage::equals:
      if (is_blank(byte) || byte == '"' || byte == '\'') attribute_ = true;
      if (byte == '"' || byte == '\'') {
        quote_ = byte;
        stage_ = Stage::quoted;
      } else if (byte == '>' || byte == '<' || byte == '\n') {
        stage_ = Stage::text;
      } else if (!is_blank(byte)) {
        name_ = byte;
        stage_ = Stage::bare;
      }
      return false;
    case Stage::bare:
      if (byte == '>') {
        held_ += byte;
        return end_tag(found, false);
      }
      if (byte == '"' || byte == '\'' || static_cast<unsigned char>(byte) < ' ')
        stage_ = Stage::text;
      else
        name_ += byte;
      return false;
    case Stage::quoted:
      if (byte == '>') {
        held_ += byte;
        return end_tag(found, false);
      }
      if (byte == quote_)
        stage_ = Stage::end;
      else
        name_ += byte;
      return false;
    default:  // Stage::end: blanks, or more attributes
      if (byte != '>') return false;
      held_ += byte;
      return end_tag(found, false);
  }
}

/// False: there is no name, so it is no tag.
bool Lexer::end_tag(Lexeme& found, bool unclosed) {
  const auto last = name_.find_last_not_of(" \t\r");
  const bool named = last != std::string::npos;
  if (named && last + 1 < name_.size()) {
    attribute_ = attribute_ || is_blank(name_[last + 1]);
    name_.resize(last + 1);
  }
  if (!named) {
    if (!unclosed) held_.pop_back();
    stage_ = Stage::text;
    return false;
  }
  const bool attribute = attribute_;
  const auto kind = parameter_ ? Kind::parameter_open : Kind::function_open;
  out_name_.swap(name_);
  found = flush();
  found.kind = kind;
  found.name = out_name_;
  found.unclosed = unclosed;
  found.attribute = attribute;
  return true;
}

}  // namespace sndr::tool_calls
