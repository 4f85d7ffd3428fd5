// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t and kill are POSIX
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "base/files.h"
#include "base/text.h"

// The input lies in an anonymous file, not in a pipe: nothing can block on it and no SIGPIPE can
// reach us. The outputs are pipes, read as they fill. The end is the child's own exit, by pidfd, so
// that a grandchild that keeps the pipes open can't hold us; where the kernel has no pidfd, the end
// is the end of both streams.
namespace sndr {
namespace {

using Clock = std::chrono::steady_clock;

tl::unexpected<Error> cannot_start(const Spawn& spawn, int number) {
  return fail(number == ENOENT   ? Errc::not_found
              : number == EACCES ? Errc::denied
                                 : Errc::io,
              "cannot start {}: {}", spawn.argv.front(), std::strerror(number));
}

/// Standard input: the text, or nothing.
Fd open_input(std::string_view text) {
  if (text.empty()) return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Fd file(::memfd_create("stdin", MFD_CLOEXEC));
  while (file && !text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fd();
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// Its two ends; ours doesn't block.
bool open_pipe(Fd& ours, Fd& theirs) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  ours = Fd(ends[0]);
  theirs = Fd(ends[1]);
  return ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// 0 and the pid, or an errno. A child with a time limit leads a group of its own, so that its
/// children die with it.
int start(const Spawn& spawn, const std::string& program, const std::array<int, 3>& streams,
          pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int target = 0; target < 3; ++target)
    posix_spawn_file_actions_adddup2(&actions, streams[static_cast<std::size_t>(target)], target);
  if (!spawn.cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, spawn.cwd.c_str());
  sigset_t set;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&attributes, &set);
  sigaddset(&set, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &set);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (spawn.timeout_ms > 0) flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  auto argv = pointers(spawn.argv);
  auto env = pointers(spawn.env);
  const int failed = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(),
                                   spawn.env.empty() ? environ : env.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

/// Everything that is there now; closes the end at the end of the stream.
void drain(Fd& fd, std::string& out) {
  std::array<char, 65536> buffer;  // NOLINT: filled by read
  while (fd) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) {
      out.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      fd.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

/// Reads both streams until the child ends or the deadline passes. False at the deadline.
bool collect(Fd& out, Fd& err, int child, int timeout_ms, Finished& result) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (child >= 0 || out || err) {
    int wait_ms = -1;
    if (timeout_ms > 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) return false;
      wait_ms = static_cast<int>(left.count());
    }
    std::array<pollfd, 3> watched = {pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0},
                                     pollfd{child, POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR) return true;
    drain(out, result.out);
    drain(err, result.err);
    if (watched[2].revents != 0) break;
  }
  drain(out, result.out);
  drain(err, result.err);
  return true;
}

/// /proc/<pid>/stat behind the program's name, which may hold blanks and brackets: "S 1 ...".
std::string proc_stat(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  const auto end = text ? text->rfind(") ") : std::string::npos;
  return end == std::string::npos ? std::string() : text->substr(end + 2);
}

}  // namespace

Result<Finished> run_process(const Spawn& spawn) {
  if (spawn.argv.empty()) return fail(Errc::internal, "cannot start a program without a name");
  const std::string program = find_program(spawn.argv.front());
  if (program.empty()) {
    auto error = cannot_start(spawn, ENOENT);
    error.value().what = fmt::format("cannot start {}: no such program", spawn.argv.front());
    if (spawn.argv.front().find('/') == std::string::npos)
      error.value().hint = "install it, or add its folder to PATH";
    return error;
  }
  Fd out;
  Fd err;
  Fd child_out;
  Fd child_err;
  Fd input = open_input(spawn.input);
  if (!input || !open_pipe(out, child_out) || !open_pipe(err, child_err))
    return cannot_start(spawn, errno);
  pid_t pid = 0;
  const int failed = start(spawn, program, {input.get(), child_out.get(), child_err.get()}, pid);
  if (failed != 0) return cannot_start(spawn, failed);
  child_out.close();
  child_err.close();
  const Fd child(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));

  Finished result;
  if (!collect(out, err, child.get(), spawn.timeout_ms, result)) {
    result.timed_out = true;
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
    drain(out, result.out);
    drain(err, result.err);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  // NOLINTNEXTLINE(misc-include-cleaner): they are sys/wait.h's
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string find_program(std::string_view name) {
  const auto runs = [](const std::string& path) {
    return stat_path(path).is_file && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.empty()) return {};
  if (name.find('/') != std::string_view::npos)
    return runs(std::string(name)) ? fs::absolute(fs::path(name)).string() : std::string();
  const std::string path = env_or("PATH", "/usr/local/bin:/usr/bin:/bin");
  for (const auto folder : split(path, ':')) {
    // An empty entry of PATH means the current folder to a shell; to run what lies there is never
    // what our user meant.
    if (folder.empty()) continue;
    if (auto program = fs::absolute(fs::path(folder) / name).string(); runs(program))
      return program;
  }
  return {};
}

std::string self_path() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).string();
}

bool process_alive(pid_t pid) {
  if (pid <= 0 || (::kill(pid, 0) != 0 && errno != EPERM)) return false;
  const auto stat = proc_stat(pid);
  // Nothing to read: another user's, hidden by hidepid.
  return stat.empty() || (stat[0] != 'Z' && stat[0] != 'X');
}

std::uint64_t process_start_time(pid_t pid) {
  if (!process_alive(pid)) return 0;
  constexpr std::size_t kStart = 19;  // field 22 of proc(5), the first here is field 3
  const auto stat = proc_stat(pid);
  const auto fields = split(stat, ' ');
  std::uint64_t out = 0;
  if (fields.size() > kStart)
    std::from_chars(fields[kStart].data(), fields[kStart].data() + fields[kStart].size(), out);
  return out;
}

}  // namespace sndr
