// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sndr::cli {

/// Ctrl-C ends with 130, at once: files are renamed into place whole, and the in-place journal is
/// finished by the next command. Where our parent ignores Ctrl-C (nohup, a shell's `&`), so do we.
/// A closed pipe is seen as EPIPE by finish_output().
void set_signals();

/// As our parent left them, before exec(): handlers are put back by it, what is ignored isn't.
void restore_signals();

}  // namespace sndr::cli
