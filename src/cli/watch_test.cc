// SPDX-License-Identifier: Apache-2.0
#include "cli/watch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace sndr::cli {
namespace {

/// A server for one request that gives one answer, in pieces.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, raw, size), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, raw, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, text = std::move(answer)] {
      const int peer = ::accept(fd_, nullptr, nullptr);
      char request[512];
      const auto got = ::recv(peer, request, sizeof request, 0);
      if (got > 0) request_.assign(request, static_cast<std::size_t>(got));
      for (const char c : text) ::send(peer, &c, 1, MSG_NOSIGNAL);
      ::close(peer);
    });
  }
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;
  ~OneAnswer() {
    thread_.join();
    ::close(fd_);
  }
  [[nodiscard]] int port() const { return port_; }

 private:
  int fd_;
  int port_ = 0;
  std::string request_;
  std::jthread thread_;
};

int status_of(const std::string& answer, const std::string& host) {
  const OneAnswer server(answer);
  return health_status(host, server.port());
}

TEST(Health, ReadsTheStatus) {
  EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "127.0.0.1"), 200);
  EXPECT_EQ(status_of("HTTP/1.0 503 Service Unavailable\r\n\r\n", "0.0.0.0"), 503);
  EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\n\r\n", ""), 200);
  EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\n\r\n", "localhost"), 200);
}

TEST(Health, WhatIsNoAnswerIsZero) {
  EXPECT_EQ(status_of("", ""), 0);
  EXPECT_EQ(status_of("HTTP/1.1", ""), 0);
  EXPECT_EQ(status_of("SSH-2.0-OpenSSH_9.2", ""), 0);
  EXPECT_EQ(health_status("127.0.0.1", 1), 0);
  EXPECT_EQ(health_status("no such host", 80), 0);
}

}  // namespace
}  // namespace sndr::cli
