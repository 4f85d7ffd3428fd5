// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace sndr {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_local(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}
bool is_separator(char c) {
  return c == '-' || c == '_' || c == '.';
}

/// The grammar of PEP 440's appendix B, on lower-cased text. Each `take_` consumes or leaves `rest`
/// alone.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool overflowed() const { return overflowed_; }

  bool take(std::string_view word) {
    if (!starts_with(rest_, word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::uint64_t> take_number() {
    std::uint64_t value = 0;
    const char* end = rest_.data() + rest_.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): `end` is its size
    const auto [next, ec] = std::from_chars(rest_.data(), end, value);
    if (next == rest_.data() || !is_digit(rest_.front())) return std::nullopt;
    overflowed_ |= ec == std::errc::result_out_of_range;
    rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
    return value;
  }

  /// [-_.]? one of `words` [-_.]? number?; the word's index and its number (0 where it is left
  /// out).
  template <std::size_t N>
  std::optional<std::pair<std::size_t, std::uint64_t>> take_tag(
      const std::array<std::string_view, N>& words) {
    const std::string_view before = rest_;
    if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
    for (std::size_t i = 0; i < N; ++i) {
      if (!take(words[i])) continue;
      const std::string_view after = rest_;
      if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
      const auto number = take_number();
      if (!number) rest_ = after;
      return std::pair{i, number.value_or(0)};
    }
    rest_ = before;
    return std::nullopt;
  }

  void take_release(Version& out) {
    std::string_view before = rest_;
    for (auto number = take_number(); number; number = take_number()) {
      out.release.push_back(*number);
      before = rest_;
      if (!take(".")) break;
    }
    rest_ = before;
  }

  void take_epoch(Version& out) {
    const std::string_view before = rest_;
    const auto number = take_number();
    if (number && take("!")) {
      out.epoch = *number;
    } else {
      rest_ = before;
      overflowed_ = false;
    }
  }

  void take_post(Version& out) {
    static constexpr std::array<std::string_view, 3> kWords = {"post", "rev", "r"};
    const std::string_view before = rest_;
    if (take("-")) {
      if (const auto number = take_number()) {
        out.has_post = true;
        out.post = *number;
        return;
      }
      rest_ = before;
    }
    if (const auto tag = take_tag(kWords)) {
      out.has_post = true;
      out.post = tag->second;
    }
  }

  void take_local(Version& out) {
    const std::string_view before = rest_;
    if (!take("+")) return;
    std::size_t end = 0;
    while (end < rest_.size() && is_local(rest_[end])) {
      ++end;
      if (end + 1 < rest_.size() && is_separator(rest_[end]) && is_local(rest_[end + 1])) ++end;
    }
    if (end == 0) {
      rest_ = before;
      return;
    }
    out.local = rest_.substr(0, end);
    rest_.remove_prefix(end);
  }

 private:
  static bool starts_with(std::string_view text, std::string_view head) {
    return text.substr(0, head.size()) == head;
  }
  std::string_view rest_;
  bool overflowed_ = false;
};

/// Trailing zeros don't count: 1.0 == 1.0.0.
std::strong_ordering compare_release(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::max(a.release.size(), b.release.size()); ++i) {
    const std::uint64_t x = i < a.release.size() ? a.release[i] : 0;
    const std::uint64_t y = i < b.release.size() ? b.release[i] : 0;
    if (x != y) return x <=> y;
  }
  return std::strong_ordering::equal;
}

/// What follows the release, as numbers that sort the way PEP 440 says: 1.0.dev1 < 1.0a1 < 1.0rc1
/// < 1.0 < 1.0.post1, and a dev release before what it leads to.
auto tail_key(const Version& v) {
  const int stage = v.pre == "a"               ? 1
                    : v.pre == "b"             ? 2
                    : v.pre == "rc"            ? 3
                    : v.has_dev && !v.has_post ? 0
                                               : 4;
  return std::tuple{stage, v.pre_number, v.has_post, v.post, !v.has_dev, v.dev};
}

bool is_prerelease(const Version& v) {
  return !v.pre.empty() || v.has_dev;
}

/// 1.0a1 of 1.0a1.post0.
Version post_base(Version v) {
  v.has_post = v.has_dev = false;
  v.post = v.dev = 0;
  return v;
}

/// 1.0.dev0 of 1.0: what comes first of all that leads to it.
Version first_dev(Version v) {
  v.has_dev = true;
  v.dev = 0;
  return v;
}

/// The first `count` release numbers are those of `prefix`, missing ones taken as 0.
bool has_prefix(const Version& version, const Version& prefix, std::size_t count) {
  if (version.epoch != prefix.epoch) return false;
  for (std::size_t i = 0; i < count; ++i)
    if ((i < version.release.size() ? version.release[i] : 0) != prefix.release[i]) return false;
  return true;
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kPre = {"alpha",   "a",   "beta", "b",
                                                           "preview", "pre", "rc",   "c"};
  static constexpr std::array<const char*, 8> kPreNames = {"a",  "a",  "b",  "b",
                                                           "rc", "rc", "rc", "rc"};
  static constexpr std::array<std::string_view, 1> kDev = {"dev"};
  Version out;
  out.text = trim(text);
  const std::string low = lower(out.text);
  Scanner scan(low);
  scan.take("v");
  scan.take_epoch(out);
  scan.take_release(out);
  if (!out.release.empty()) {
    if (const auto tag = scan.take_tag(kPre)) {
      out.pre = kPreNames.at(tag->first);
      out.pre_number = tag->second;
    }
    scan.take_post(out);
    if (const auto tag = scan.take_tag(kDev)) {
      out.has_dev = true;
      out.dev = tag->second;
    }
    scan.take_local(out);
  }
  if (out.release.empty() || !scan.done() || scan.overflowed()) {
    Error error;
    error.code = Errc::invalid_input;
    error.what = fmt::format("'{}' is not a version", out.text);
    error.hint = "write it as 0.24.0, 0.24.0rc2 or 0.23.1rc1.dev748+g2dfaae752";
    return fail(std::move(error));
  }
  return out;
}

std::string Version::canonical() const {
  std::string out;
  if (epoch != 0) out += fmt::format("{}!", epoch);
  for (std::size_t i = 0; i < release.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ".", release[i]);
  if (!pre.empty()) out += fmt::format("{}{}", pre, pre_number);
  if (has_post) out += fmt::format(".post{}", post);
  if (has_dev) out += fmt::format(".dev{}", dev);
  return out;
}

std::strong_ordering compare(const Version& a, const Version& b) {
  if (a.epoch != b.epoch) return a.epoch <=> b.epoch;
  if (const auto order = compare_release(a, b); order != 0) return order;
  return tail_key(a) <=> tail_key(b);
}

namespace {

constexpr std::array<std::string_view, 8> kOperators = {
    "===", "==", "!=", "~=", ">=", "<=", ">", "<"};
constexpr std::string_view kBlanks = " \t\r\n\f\v";

tl::unexpected<Error> bad_range(std::string_view range, std::string what) {
  Error error;
  error.code = Errc::invalid_input;
  error.what = fmt::format("'{}' is not a version range: {}", range, what);
  error.hint = "write it as >=0.22.1,<0.34";
  return fail(std::move(error));
}

}  // namespace

Result<VersionRange> VersionRange::parse(std::string_view text) {
  VersionRange out;
  out.text_ = trim(text);
  std::string_view rest = out.text_;
  const auto skip = [&rest](std::string_view chars) {
    rest.remove_prefix(std::min(rest.find_first_not_of(chars), rest.size()));
  };
  for (skip(" \t\r\n\f\v,"); !rest.empty(); skip(" \t\r\n\f\v,")) {
    Clause clause;
    const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                                 [&](std::string_view o) { return rest.substr(0, o.size()) == o; });
    if (op == kOperators.end())
      return bad_range(out.text_,
                       fmt::format("expected one of === == != ~= >= <= > < before '{}'", rest));
    clause.op = *op;
    rest.remove_prefix(op->size());
    skip(kBlanks);
    const auto end = std::min(rest.find_first_of(std::string(kBlanks) + "," + "<>=~"), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    if (word.empty()) return bad_range(out.text_, fmt::format("no version after '{}'", clause.op));
    if (word.size() > 2 && word.substr(word.size() - 2) == ".*") {
      if (clause.op != "==" && clause.op != "!=")
        return bad_range(out.text_,
                         fmt::format("'{}{}': .* goes with == and != alone", clause.op, word));
      clause.wildcard = true;
      word.remove_suffix(2);
    }
    auto version = Version::parse(word);
    if (!version) return bad_range(out.text_, version.error().what);
    clause.version = *std::move(version);
    const Version& v = clause.version;
    if (clause.wildcard && (is_prerelease(v) || v.has_post || !v.local.empty()))
      return bad_range(out.text_, fmt::format("'{}.*': only a release goes before .*", word));
    if (clause.op == "~=" && v.release.size() < 2)
      return bad_range(out.text_,
                       fmt::format("'~={}': ~= needs two numbers or more, as in ~=0.24.0", word));
    out.clauses_.push_back(std::move(clause));
  }
  return out;
}

bool VersionRange::contains(const Version& version) const {
  return std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    const Version& wanted = clause.version;
    if (clause.op == "===")
      return version.canonical() == lower(wanted.text.substr(0, wanted.text.find('+')));
    const auto order = compare(version, wanted);
    const bool equal =
        clause.wildcard ? has_prefix(version, wanted, wanted.release.size()) : order == 0;
    if (clause.op == "==") return equal;
    if (clause.op == "!=") return !equal;
    if (clause.op == "~=")
      return order >= 0 && has_prefix(version, wanted, wanted.release.size() - 1);
    if (clause.op == ">=") return order >= 0;
    if (clause.op == "<=") return order <= 0;
    // PEP 440: ">1.0" leaves out the posts of 1.0, and "<1.0" its pre-releases, unless the clause
    // names one itself.
    if (clause.op == ">")
      return order > 0 &&
             (wanted.has_post || !version.has_post || compare(post_base(version), wanted) != 0);
    return order < 0 && (is_prerelease(wanted) || !is_prerelease(version) ||
                         compare(version, first_dev(wanted)) < 0);
  });
}

}  // namespace sndr
