// SPDX-License-Identifier: MIT
// The controller's end of a connection whose other end is the test: a program that answers late.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <maxlat/trace/control_client.hpp>
#include <string>
#include <string_view>

namespace {

using namespace maxlat::trace;
using namespace std::chrono_literals;
using maxlat::base::Descriptor;
using testing::ElementsAre;
using testing::HasSubstr;

class ControlClient : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    controller_ = Descriptor(ends[0]);
    program_ = Descriptor(ends[1]);
  }
  std::string heard() const {
    char request[100];
    return {request,
            static_cast<std::size_t>(std::max<ssize_t>(recv(program_.number(), request, sizeof request, 0), 0))};
  }
  void answer(std::string_view text) const { ASSERT_GT(send(program_.number(), text.data(), text.size(), 0), 0); }

  // Sends a descriptor with it.
  void answer_with(std::string_view text, const Descriptor& lent) const {
    iovec where{const_cast<char*>(text.data()), text.size()};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &where;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = lent.number();
    std::memcpy(CMSG_DATA(rights), &number, sizeof number);
    ASSERT_GT(sendmsg(program_.number(), &message, 0), 0);
  }

  Descriptor controller_, program_;
};

TEST_F(ControlClient, ALateAnswerIsNotTakenForThatOfTheNextRequest) {
  ControlConnection connection(std::move(controller_), 1ms);
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
  ControlConnection connection(std::move(controller_), 1ms);
  answer("ok\none\nmore");
  answer("ok\ntwo");
  EXPECT_THAT(connection.request("list")->lines, ElementsAre("one", "two"));
  EXPECT_EQ(heard(), "list");
  EXPECT_EQ(heard(), "next");
}

TEST_F(ControlClient, ADescriptorThatNobodyTakesIsClosedWithTheReply) {
  ControlConnection connection(std::move(controller_), 1ms);
  for (const bool taken : {true, false}) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    const Descriptor read_end(ends[0]);
    answer_with("ok", Descriptor(ends[1]));
    char byte;
    {
      Descriptor kept;
      {
        auto reply = connection.request("start");
        ASSERT_TRUE(reply) << reply.error().text;
        if (taken) kept = reply->take_descriptor(0);
        EXPECT_FALSE(reply->take_descriptor(1));
      }
      EXPECT_EQ(read(read_end.number(), &byte, 1), taken ? -1 : 0) << "0: nobody has the other end";
    }
    EXPECT_EQ(read(read_end.number(), &byte, 1), 0);
  }
}

}  // namespace
