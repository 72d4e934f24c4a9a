// SPDX-License-Identifier: MIT
//
// With a folder for tracefs, whose kprobe_events keeps what is written to it. What the kernel makes of it:
// tests/guest/who_did_it.guest.sh.
#include "elsewhere/sender_probes.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <optional>

namespace maxlat::attribution {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class SenderProbesTest : public testing::Test {
 protected:
  SenderProbesTest() { tracefs_.write("available_filter_functions", ""); }
  core::Result<SenderProbes> make() const { return SenderProbes::make(root_.path(), tracefs_.path()); }
  std::string written() const { return *core::read_file(tracefs_.path() + "/kprobe_events"); }

  const test::TemporaryFolder root_, tracefs_;
  const std::string group_ = fmt::format("maxlat_senders_{}", ::getpid());
};

TEST_F(SenderProbesTest, AreMadeAndRemoved) {
  tracefs_.write("kprobe_events", "");
  {
    std::optional<SenderProbes> kept;
    {
      auto made = make();
      ASSERT_TRUE(made) << made.error().text;
      EXPECT_EQ(made->group(), group_);
      kept.emplace(*std::move(made));
    }
    EXPECT_THAT(written(), HasSubstr(fmt::format("p:{}/reschedule native_smp_send_reschedule target=%di:u32", group_)));
    EXPECT_THAT(written(), HasSubstr("native_send_call_func_single_ipi"));
    EXPECT_THAT(written(), HasSubstr("native_send_call_func_ipi"));
    EXPECT_THAT(written(), Not(HasSubstr("-:"))) << "the first owner handed them on";
  }
  EXPECT_THAT(written(), EndsWith(fmt::format("-:{0}/reschedule-:{0}/call_one-:{0}/call_many", group_)));
}

TEST_F(SenderProbesTest, ThoseOfTheDeadGoAndNobodyElses) {
  tracefs_.write("kprobe_events",
                 "p:maxlat_senders_999999999/call_one native_send_call_func_single_ipi target=%di:u32\n"
                 "p:maxlat_senders_1/call_one native_send_call_func_single_ipi target=%di:u32\n"
                 "p:mine/call_one do_nanosleep\nr4:kprobes/r\n\n");
  ASSERT_TRUE(make());
  EXPECT_THAT(written(), HasSubstr("-:maxlat_senders_999999999/call_onep:"));
  EXPECT_THAT(written(), Not(HasSubstr("-:maxlat_senders_1/")));
  EXPECT_THAT(written(), Not(HasSubstr("-:mine")));
}

TEST_F(SenderProbesTest, WhereTheKernelHasNoneThatIsSaid) {
  const auto made = make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "this kernel has no kprobe_events");
}

TEST_F(SenderProbesTest, WhereTheyWouldTellNothingOrTheWrongContextThereAreNone) {
  tracefs_.write("kprobe_events", "");
  root_.write("proc/sys/kernel/ftrace_enabled", "0\n");
  EXPECT_THAT(make().error().text, HasSubstr("kernel.ftrace_enabled"));
  root_.write("proc/sys/kernel/ftrace_enabled", "1\n");
  EXPECT_TRUE(make());
  root_.write("sys/hypervisor/type", "xen\n");
  EXPECT_THAT(make().error().text, HasSubstr("Xen"));
  root_.write("sys/hypervisor/type", "kvm\n");
  ASSERT_EQ(::unlink((tracefs_.path() + "/available_filter_functions").c_str()), 0);
  EXPECT_THAT(make().error().text, HasSubstr("by ftrace"));
}

}  // namespace
}  // namespace maxlat::attribution
