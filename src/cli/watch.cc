// SPDX-License-Identifier: Apache-2.0
#include "cli/watch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/process.h"
#include "cli/live.h"

// The engine says itself what is live, where its log is at the level for it. This is for the
// others.
namespace sndr::cli {
namespace {

constexpr int kPauseMs = 500;

std::string reachable(const std::string& host) {
  if (host.empty() || host == "0.0.0.0" || host == "*") return "127.0.0.1";
  if (host == "::" || host == "[::]") return "::1";
  return host;
}

/// Connects with a limit of a second on everything; -1 where that fails.
int connect_to(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) return -1;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
  for (const auto* one = list; one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (fd < 0) continue;
    const timeval limit{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (::connect(fd, one->ai_addr, one->ai_addrlen) == 0) return fd;
    ::close(fd);
  }
  return -1;
}

/// True once the process has ended; waits for that up to the pause.
bool has_ended(pid_t pid, int pidfd) {
  if (pidfd < 0) {  // a kernel without pidfd_open
    ::usleep(kPauseMs * 1000);
    return !process_alive(pid);
  }
  pollfd item{.fd = pidfd, .events = POLLIN, .revents = 0};
  return ::poll(&item, 1, kPauseMs) != 0;
}

void detach() {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);  // a pipe that reads the engine's output must not wait for us
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_DFL);
}

void say(const std::string& line) {
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

[[noreturn]] void watch_until_ready(const Watch& watch, int pidfd) {
  detach();
  for (;;) {
    if (has_ended(watch.server, pidfd)) ::_exit(0);
    const auto seen = count_live(watch.overlay, watch.live_file);
    if (!seen || seen->reported) ::_exit(0);
    if (health_status(watch.host, watch.port) != 200) continue;
    // Modules that are imported with the first request aren't missing, so this is the moment.
    const auto count = count_live(watch.overlay, watch.live_file);
    if (count && claim_report(watch.live_file)) say(live_line(*count));
    ::_exit(0);
  }
}

}  // namespace

int health_status(const std::string& host, int port) {
  const auto name = reachable(host);
  const int fd = connect_to(name, port);
  if (fd < 0) return 0;
  const auto request =
      fmt::format("GET /health HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\n\r\n", name, port);
  std::string answer;
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(request.size())) {
    char buffer[256];
    while (answer.size() < 12) {  // "HTTP/1.1 200"
      const auto got = ::recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(fd);
  return answer.size() >= 12 && answer.starts_with("HTTP/1.") ? std::atoi(answer.c_str() + 9) : 0;
}

Status start_watch(const Watch& watch) {
  // By number: the C library's own name for it came with glibc 2.36.
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, watch.server, 0));
  const pid_t child = ::fork();
  if (child < 0) return fail(Errc::io, "cannot start the watcher: {}", std::strerror(errno));
  if (child == 0) {
    if (::fork() == 0) watch_until_ready(watch, pidfd);
    ::_exit(0);
  }
  if (pidfd >= 0) ::close(pidfd);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {};
}

}  // namespace sndr::cli
