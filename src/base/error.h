// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

/// How every room reports failure: a value, never an exception of ours.
///
/// `Error::what` is one sentence without a period that names the offending value; `where` is for
/// editors; `hint` is the next thing to type or change. Messages are formatted once, by `render()`,
/// at the program's edge.
namespace sndr {

/// What a caller can do about a failure. The exit code is derived from it in one place
/// (`exit_code`).
enum class Errc : std::uint8_t {
  invalid_input,  ///< the user's words or file: exit 2
  not_found,      ///< a key, id or path that doesn't exist: exit 2
  conflict,       ///< two things that can't both be: exit 1
  drift,          ///< vLLM's text is not what the pack expects: exit 1
  denied,         ///< permission: exit 1
  io,             ///< the disk, a pipe: exit 1
  unavailable,    ///< something that should run doesn't: exit 1
  internal,       ///< ours to fix: exit 1
};

/// A place in a file; 1-based, 0 = unknown.
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Error {
  Errc code = Errc::internal;
  std::string what;
  Where where;
  std::string hint;
  std::vector<std::string> trail;  ///< innermost first: "patch PN91", "overlay"
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// `return fail(Errc::io, "cannot read {}: {}", path, reason);`
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(Errc code, fmt::format_string<Args...> text,
                                         Args&&... args) {
  Error error;
  error.code = code;
  error.what = fmt::format(text, std::forward<Args>(args)...);
  return tl::unexpected<Error>(std::move(error));
}

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

/// "FILE:LINE:COLUMN: what (trail)\n  hint", as it stands on stderr, without colour and without
/// "error: ".
[[nodiscard]] std::string render(const Error& error);

[[nodiscard]] int exit_code(Errc code);

}  // namespace sndr

#define SNDR_JOIN_TOKENS(a, b) a##b
#define SNDR_CONCAT(a, b) SNDR_JOIN_TOKENS(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration takes none
/// `SNDR_TRY(auto text, read_file(path));` returns the error to the caller, or binds the value.
#define SNDR_TRY(declaration, expression)                                                      \
  auto SNDR_CONCAT(sndr_try_, __LINE__) = (expression);                                        \
  if (!SNDR_CONCAT(sndr_try_, __LINE__))                                                       \
    return tl::unexpected<::sndr::Error>(std::move(SNDR_CONCAT(sndr_try_, __LINE__)).error()); \
  declaration = *std::move(SNDR_CONCAT(sndr_try_, __LINE__))
// NOLINTEND(bugprone-macro-parentheses)

/// The same for a Status.
#define SNDR_CHECK(expression)                     \
  if (auto sndr_check = (expression); !sndr_check) \
  return tl::unexpected<::sndr::Error>(std::move(sndr_check).error())
