// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace sndr {
namespace {

using Clock = std::chrono::steady_clock;

Spawn shell(std::string script) {
  Spawn spawn;
  spawn.argv = {"/bin/sh", "-c", std::move(script)};
  return spawn;
}

Finished run(const Spawn& spawn) {
  auto done = run_process(spawn);
  EXPECT_TRUE(done) << (done ? "" : done.error().what);
  return done ? *std::move(done) : Finished{};
}

TEST(RunProcess, CollectsBothStreamsAndTheCode) {
  const auto done = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(done.out, "out\n");
  EXPECT_EQ(done.err, "err\n");
  EXPECT_FALSE(done.timed_out);
}

TEST(RunProcess, SignalIs128More) {
  EXPECT_EQ(run(shell("kill -TERM $$")).code, 128 + SIGTERM);
}

// More than any pipe holds, on both streams at once and in turn: reading one after the other would
// hang.
TEST(RunProcess, BigOutputOnBothStreams) {
  const auto done =
      run(shell("head -c 3000000 /dev/zero >&2; head -c 5000000 /dev/zero; "
                "head -c 1000000 /dev/zero >&2"));
  EXPECT_EQ(done.out.size(), 5'000'000U);
  EXPECT_EQ(done.err.size(), 4'000'000U);
}

TEST(RunProcess, InputIsHandedOver) {
  auto spawn = shell("cat");
  spawn.input = std::string(3'000'000, 'x') + "\nend";
  EXPECT_EQ(run(spawn).out, spawn.input);
}

TEST(RunProcess, InputThatNobodyReads) {
  auto spawn = shell("exit 0");
  spawn.input = std::string(3'000'000, 'x');
  EXPECT_EQ(run(spawn).code, 0);
}

TEST(RunProcess, NoInputIsTheEndAtOnce) {
  EXPECT_EQ(run(shell("cat; echo done")).out, "done\n");
}

TEST(RunProcess, EnvironmentAndFolder) {
  auto spawn = shell("echo $ONE-$HOME; pwd");
  spawn.env = {"ONE=1"};
  spawn.cwd = "/usr";
  EXPECT_EQ(run(spawn).out, "1-\n/usr\n");
}

TEST(RunProcess, TimeoutKillsTheChildAndItsChildren) {
  auto spawn = shell("echo early; (sleep 60 & echo $!; wait); sleep 60");
  spawn.timeout_ms = 300;
  const auto began = Clock::now();
  const auto done = run(spawn);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(10));
  EXPECT_TRUE(done.timed_out);
  EXPECT_EQ(done.code, 128 + SIGKILL);
  const auto lines = split_lines(done.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "early");
  const auto grandchild = static_cast<pid_t>(std::atoi(std::string(lines[1]).c_str()));
  for (int i = 0; i < 200 && process_alive(grandchild); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(process_alive(grandchild));
}

TEST(RunProcess, ALimitThatIsNotReached) {
  auto spawn = shell("echo quick");
  spawn.timeout_ms = 60'000;
  const auto done = run(spawn);
  EXPECT_FALSE(done.timed_out);
  EXPECT_EQ(done.out, "quick\n");
}

// The grandchild keeps our pipe open for a minute; the child is done at once.
TEST(RunProcess, EndsWithTheChildNotWithThePipe) {
  const auto began = Clock::now();
  const auto done = run(shell("sleep 60 & echo $!"));
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(20));
  EXPECT_EQ(done.code, 0);
  const auto sleeper = static_cast<pid_t>(std::atoi(done.out.c_str()));
  ASSERT_GT(sleeper, 1);
  ::kill(sleeper, SIGKILL);
}

// A daemon ignores SIGPIPE; what it starts must not.
TEST(RunProcess, SignalsAreTheUsualOnes) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto done = run(shell("grep -h '^SigIgn' /proc/self/status"));
  std::signal(SIGPIPE, before);
  ASSERT_EQ(done.out.substr(0, 7), "SigIgn:");
  const auto ignored = std::strtoull(done.out.c_str() + 7, nullptr, 16);
  EXPECT_EQ(ignored & (1ULL << (SIGPIPE - 1)), 0U);
}

TEST(RunProcess, WeLeakNoDescriptors) {
  // What whoever started this test left open for every child; and 0, 1, 2 and the folder that ls
  // reads.
  std::size_t expected = 4;
  for (int fd = 3; fd < 1024; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) ++expected;
  }
  auto spawn = shell("exec ls /proc/self/fd");
  spawn.input = "some";
  const auto done = run(spawn);
  EXPECT_EQ(split_lines(done.out).size(), expected);
}

struct Failure {
  std::vector<std::string> argv;
  const char* cwd;
  Errc code;
  const char* message;
};

TEST(RunProcess, WhatCannotBeStarted) {
  for (const auto& [argv, cwd, code, message] : {
           Failure{{"sndr-no-such-program"},
                   "",
                   Errc::not_found,
                   "cannot start sndr-no-such-program: no such program\n"
                   "  install it, or add its folder to PATH"},
           Failure{{"/no/such/program", "x"},
                   "",
                   Errc::not_found,
                   "cannot start /no/such/program: no such program"},
           Failure{
               {"/etc/passwd"}, "", Errc::not_found, "cannot start /etc/passwd: no such program"},
           Failure{{"true"},
                   "/no/such/folder",
                   Errc::not_found,
                   "cannot start true: No such file or directory"},
           Failure{{}, "", Errc::internal, "cannot start a program without a name"},
       }) {
    Spawn spawn;
    spawn.argv = argv;
    spawn.cwd = cwd;
    const auto done = run_process(spawn);
    ASSERT_FALSE(done) << message;
    EXPECT_EQ(done.error().code, code) << message;
    EXPECT_EQ(render(done.error()), message);
  }
}

TEST(FindProgram, PathAndSlashes) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_THAT(find_program("sh"), testing::EndsWith("/sh"));
  EXPECT_EQ(find_program("sndr-no-such-program"), "");
  EXPECT_EQ(find_program("/usr"), "") << "a folder is no program";
  EXPECT_EQ(find_program(""), "");
}

TEST(SelfPath, IsThisTest) {
  EXPECT_EQ(fs::path(self_path()).filename(), "base_test");
}

TEST(ProcessAlive, OursEndedAndZombie) {
  EXPECT_TRUE(process_alive(::getpid()));
  EXPECT_TRUE(process_alive(1)) << "another's process counts as alive";
  EXPECT_FALSE(process_alive(0));
  EXPECT_FALSE(process_alive(-1));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_FALSE(process_alive(child)) << "a zombie";
  EXPECT_EQ(process_start_time(child), 0U) << "a zombie";
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_alive(child)) << "reaped";
}

TEST(ProcessStartTime, TellsAProcessFromALaterOneWithItsPid) {
  const auto ours = process_start_time(::getpid());
  EXPECT_GT(ours, 0U);
  EXPECT_EQ(process_start_time(::getpid()), ours);
  EXPECT_LE(process_start_time(::getppid()), ours);
  EXPECT_EQ(process_start_time(-1), 0U);
}

}  // namespace
}  // namespace sndr
