// SPDX-License-Identifier: MIT
// The controller's end of a connection whose other end is the test: a program that answers late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <maxlat/trace/control_client.hpp>
#include <string>
#include <string_view>

namespace {

using namespace maxlat::trace;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class ControlClient : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_), 0); }
  void TearDown() override { close(ends_[1]); }
  std::string heard() const {
    char request[100];
    return {request, static_cast<std::size_t>(std::max<ssize_t>(recv(ends_[1], request, sizeof request, 0), 0))};
  }
  void answer(std::string_view text) const { ASSERT_GT(send(ends_[1], text.data(), text.size(), 0), 0); }

  int ends_[2] = {-1, -1};  // the controller's, which goes with its connection, and the program's
};

TEST_F(ControlClient, ALateAnswerIsNotTakenForThatOfTheNextRequest) {
  ControlConnection connection(ends_[0], 1ms);
  for (const char* late : {"list", "status"}) {
    EXPECT_THAT(connection.request(late).error().text, HasSubstr("does not answer"));
    EXPECT_EQ(heard(), late);
  }
  answer("ok\nof list\nmore");
  answer("error of status");
  answer("ok\nof stop");  // there before it is asked for: nobody has to wait
  const auto reply = connection.request("stop");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_THAT(reply->lines, ElementsAre("of stop"));
  EXPECT_EQ(heard(), "stop");
}

TEST_F(ControlClient, AnAnswerInPartsIsPutTogether) {
  ControlConnection connection(ends_[0], 1ms);
  answer("ok\none\nmore");
  answer("ok\ntwo");
  EXPECT_THAT(connection.request("list")->lines, ElementsAre("one", "two"));
  EXPECT_EQ(heard(), "list");
  EXPECT_EQ(heard(), "next");
}

}  // namespace
