// SPDX-License-Identifier: MIT
// Places and sockets of another owner than they should have: what stands in a place that everybody may write to is not
// believed. The test changes between two users, so it needs root.
#include "consumer/control_places.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/base/owned.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>

#include "shm/local_socket.hpp"

namespace {

using namespace maxlat::trace::detail;
using maxlat::base::Descriptor;

constexpr uid_t kNobody = 65534, kSomebody = 65533;
constexpr pid_t kProgram = 4242;  // only a name here

// What is done while it lives is done by that user, for files and for SO_PEERCRED.
class As {
 public:
  explicit As(uid_t user) { EXPECT_EQ(seteuid(user), 0); }
  ~As() { EXPECT_EQ(seteuid(0), 0); }
};

class ControlPlaces : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "not root";
    ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
    ASSERT_EQ(mkdir(place_.c_str(), 0700), 0);
    ASSERT_EQ(chown(place_.c_str(), kNobody, kNobody), 0);
  }
  // The socket of the program in the place.
  Descriptor listen_as(uid_t user) const {
    const As him(user);
    sockaddr_un address;
    EXPECT_TRUE(address_of(path(), address));
    Descriptor listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << errno;
    EXPECT_EQ(listen(listener.number(), 8), 0) << errno;
    return listener;
  }
  std::string path() const { return place_ + "/" + std::to_string(kProgram) + ".trace"; }
  // 0, or why not.
  int error_of_connecting(std::optional<uid_t> owner = kNobody) const {
    const Descriptor connected = connect_to({place_, owner}, kProgram);
    return connected ? 0 : errno;
  }

  const maxlat::test::TemporaryFolder folder_;
  const std::string place_ = folder_ / "place";
};

TEST_F(ControlPlaces, TheSocketOfTheUserWhosePlaceItIsIsConnectedTo) {
  const Descriptor listener = listen_as(kNobody);
  EXPECT_EQ(error_of_connecting(), 0);
  EXPECT_EQ(error_of_connecting({}), 0);
}

TEST_F(ControlPlaces, APlaceOfAnotherUserIsNone) {
  const Descriptor listener = listen_as(kNobody);
  EXPECT_EQ(error_of_connecting(kSomebody), ENOENT);
}

TEST_F(ControlPlaces, APlaceThatIsOpenToOthersIsNone) {
  const Descriptor listener = listen_as(kNobody);
  ASSERT_EQ(chmod(place_.c_str(), 0701), 0);
  EXPECT_EQ(error_of_connecting(), ENOENT);
}

// Its owner listens at it, so that nothing but the owner of the file tells.
TEST_F(ControlPlaces, ASocketFileOfAnotherUserIsNotConnectedTo) {
  const Descriptor listener = listen_as(kNobody);
  ASSERT_EQ(chown(path().c_str(), kSomebody, kSomebody), 0);
  EXPECT_EQ(error_of_connecting(), ENOENT);
}

// The file is the owner's: nothing but who listens at it tells.
TEST_F(ControlPlaces, ASocketThatAnotherUserListensAtIsNotConnectedTo) {
  const Descriptor listener = listen_as(0);
  ASSERT_EQ(chown(path().c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(error_of_connecting(), EPERM);
}

}  // namespace
