// SPDX-License-Identifier: MIT
//
// Over a folder that looks like tracefs and /sys/kernel/btf, with types that libbpf wrote.
#include "kernel_events/wanted_events.hpp"

#include <bpf/btf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <maxlat/test/temporary_folder.hpp>
#include <string>
#include <vector>

#include "kernel_events/left_out.hpp"

namespace maxlat::trace_tools {
namespace {

using testing::HasSubstr;
using trace::KernelFieldKind;
using trace::KernelRawEvent;

struct Parameter {
  const char* name;
  int type;
};

class Types {
 public:
  explicit Types(btf* base = nullptr) : types_(base == nullptr ? btf__new_empty() : btf__new_empty_split(base)) {}
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  ~Types() { btf__free(types_); }

  btf* get() const { return types_; }
  int integer(const char* name, std::size_t bytes, bool is_signed) {
    return btf__add_int(types_, name, bytes, is_signed ? BTF_INT_SIGNED : 0);
  }
  int pointer(int to) { return btf__add_ptr(types_, to); }
  int structure(const char* name, unsigned bytes) { return btf__add_struct(types_, name, bytes); }
  int alias(const char* name, int of) { return btf__add_typedef(types_, name, of); }
  int prototype(const std::vector<Parameter>& parameters) {
    const int id = btf__add_func_proto(types_, 0);
    for (const Parameter& one : parameters) btf__add_func_param(types_, one.name, one.type);
    return id;
  }
  void function(const char* name, const std::vector<Parameter>& parameters) {
    btf__add_func(types_, name, BTF_FUNC_GLOBAL, prototype(parameters));
  }
  // As the kernel's own: names stand with the function that calls the probes only.
  void tracepoint(const std::string& name, std::vector<Parameter> arguments) {
    arguments.insert(arguments.begin(), Parameter{"__data", pointer(0)});
    function(("__traceiter_" + name).c_str(), arguments);
    for (Parameter& one : arguments) one.name = nullptr;
    alias(("btf_trace_" + name).c_str(), pointer(prototype(arguments)));
  }
  std::string bytes() const {
    __u32 size = 0;
    const void* const data = btf__raw_data(types_, &size);
    return {static_cast<const char*>(data), size};
  }

 private:
  btf* types_;
};

class KernelEvents : public testing::Test {
 protected:
  KernelEvents() {
    root_.write("sys/kernel/tracing/available_tracers", "nop\n");
    for (const char* event : {"sched/sched_switch", "sched/sched_stat_wait", "block/block_rq_issue", "block/block_pair",
                              "block/block_wide", "disk/disk_turns", "syscalls/sys_enter_open"})
      root_.write(std::string("sys/kernel/tracing/events/") + event + "/enable", "0\n");
  }

  void write_types() {
    Types kernel;
    const int byte = kernel.integer("unsigned char", 1, false), number = kernel.integer("int", 4, true);
    const int address = kernel.pointer(kernel.structure("request", 100));
    kernel.tracepoint("sched_stat_wait",
                      {{"tsk", address}, {"delay", kernel.alias("u64", kernel.integer("long", 8, false))}});
    kernel.tracepoint("block_rq_issue", {{"rq", address}});
    kernel.tracepoint("block_pair", {{"pair", kernel.structure("pair", 8)}, {"flag", byte}});
    kernel.tracepoint("block_wide", {{"wide", kernel.structure("wide", 16)}});
    kernel.function("do_step", {{"from", address}, {"count", number}});
    root_.write("sys/kernel/btf/vmlinux", kernel.bytes());
    Types module(kernel.get());
    module.tracepoint("disk_turns", {{"turns", number}});
    root_.write("sys/kernel/btf/disk", module.bytes());
  }

  // "group:name(argument kind bytes, ...)" of each raw event.
  std::string raw_of(const std::vector<std::string>& patterns) {
    const auto wanted = wanted_kernel_events(patterns, UINT64_MAX, root_.path());
    if (!wanted) return wanted.error().text;
    std::string text;
    for (const KernelRawEvent& event : wanted->raw) {
      text += event.group + ":" + event.name + "(";
      for (const auto& one : event.arguments)
        text += one.name +
                (one.kind == KernelFieldKind::address  ? " x"
                 : one.kind == KernelFieldKind::number ? " s"
                                                       : " u") +
                std::to_string(one.bytes) + ",";
      text += ")";
    }
    left_out_ = wanted->left_out;
    notes_ = wanted->notes;
    table_ = wanted->table;
    return text;
  }

  test::TemporaryFolder root_;
  std::string left_out_;
  std::vector<std::string> notes_;
  std::uint64_t table_ = 0;
};

TEST_F(KernelEvents, WhatTheTableHasNotComesWithItsArguments) {
  write_types();
  EXPECT_EQ(raw_of({"sched:*"}), "sched:sched_stat_wait(tsk x8,delay u8,)");
  EXPECT_EQ(table_, trace::kernel_events_matching("sched:*"));
  EXPECT_EQ(raw_of({"block:block_rq_issue", "block:block_r*"}), "block:block_rq_issue(rq x8,)");
  EXPECT_EQ(table_, 0u);
}

TEST_F(KernelEvents, AModuleTellsOfItsOwn) {
  write_types();
  EXPECT_EQ(raw_of({"disk:*"}), "disk:disk_turns(turns s4,)");
}

TEST_F(KernelEvents, WhatIsInNoRegisterIsLeftOutAndNamed) {
  write_types();
  EXPECT_EQ(raw_of({"block:*"}), "block:block_pair(pair u8,flag u1,)block:block_rq_issue(rq x8,)");
  EXPECT_EQ(left_out_,
            "1 of \"block:*\" (an argument of the tracepoint \"block_wide\" is no integer and no address: block_wide)");
  EXPECT_THAT(raw_of({"block:block_wide"}), HasSubstr("is no integer and no address"));
}

// Each reason once, with the first that it left out and how many more.
TEST_F(KernelEvents, ReasonsAreCountedApart) {
  LeftOut left_out;
  EXPECT_EQ(left_out.text(), "");
  left_out.add("a", "no type of \"a\"");
  left_out.add("b", "too wide");
  left_out.add("c", "no type of \"c\"");
  EXPECT_EQ(left_out.count(), 3u);
  EXPECT_EQ(left_out.text(), "no type of \"a\": a and 1 more; too wide: b");
}

// Where nobody tells which functions there are, whoever asked for one is believed (AFunctionIsNamedWhole).
TEST_F(KernelEvents, AFunctionIsOneOfTheKernels) {
  write_types();
  root_.write("proc/kallsyms",
              "ffffffff81000000 T do_step\n0000000000000000 t twice\n0000000000000000 t twice\t[disk]\n"
              "0000000000000000 d no_code\n");
  EXPECT_EQ(raw_of({"kprobe:do_step"}), "kprobe:do_step(from x8,count s4,)");
  EXPECT_THAT(notes_, testing::IsEmpty());
  EXPECT_THAT(raw_of({"kprobe:do_ste"}), HasSubstr("this kernel has no function \"do_ste\""));
  EXPECT_THAT(raw_of({"kprobe:no_code"}), HasSubstr("has no function"));
  EXPECT_THAT(raw_of({"kprobe:twice"}), HasSubstr("kprobe:twice(a0 x8"));
  EXPECT_THAT(notes_, testing::ElementsAre(HasSubstr("2 functions of that name")));
}

TEST_F(KernelEvents, AFunctionIsNamedWhole) {
  write_types();
  EXPECT_EQ(raw_of({"kprobe:do_step"}), "kprobe:do_step(from x8,count s4,)");
  EXPECT_EQ(raw_of({"kprobe:untold"}), "kprobe:untold(a0 x8,a1 x8,a2 x8,a3 x8,a4 x8,a5 x8,)");
  EXPECT_THAT(raw_of({"kprobe:do_*"}), HasSubstr("by its whole symbol"));
  EXPECT_THAT(raw_of({"kprobe:"}), HasSubstr("by its whole symbol"));
}

TEST_F(KernelEvents, WithoutTypesThereIsTheTable) {
  EXPECT_EQ(raw_of({"sched:*"}), "");
  EXPECT_EQ(table_, trace::kernel_events_matching("sched:*"));
  EXPECT_THAT(left_out_, HasSubstr("1 of \"sched:*\" (this kernel does not tell the types"));
  EXPECT_THAT(raw_of({"block:*"}), HasSubstr("/sys/kernel/btf/vmlinux"));
  EXPECT_EQ(raw_of({"kprobe:do_step"}), "kprobe:do_step(a0 x8,a1 x8,a2 x8,a3 x8,a4 x8,a5 x8,)");
}

// A defect: without tracefs the module's own events were refused.
TEST_F(KernelEvents, WithoutTracefsThereIsTheTable) {
  std::filesystem::remove_all(root_ / "sys/kernel/tracing");
  EXPECT_EQ(raw_of({"sched:sched_switch"}), "");
  EXPECT_EQ(table_, trace::kernel_events_matching("sched:sched_switch"));
  EXPECT_THAT(notes_, testing::IsEmpty());
  EXPECT_EQ(raw_of({"sched:*"}), "");
  EXPECT_EQ(table_, trace::kernel_events_matching("sched:*"));
  EXPECT_THAT(notes_,
              testing::ElementsAre(HasSubstr("what else this kernel has is not known: this kernel has no tracefs")));
  EXPECT_THAT(raw_of({"block:*"}), HasSubstr("no tracefs"));
}

TEST_F(KernelEvents, DamagedTypesAreNone) {
  root_.write("sys/kernel/btf/vmlinux", "no types at all");
  EXPECT_THAT(raw_of({"block:*"}), HasSubstr("cannot read the kernel's types"));
}

TEST_F(KernelEvents, WhatThereIsNotIsNamed) {
  write_types();
  EXPECT_THAT(raw_of({"no:such"}), HasSubstr("has no event \"no:such\""));
  EXPECT_THAT(raw_of({"syscalls:*"}), HasSubstr("is no tracepoint of its own"));
}

}  // namespace
}  // namespace maxlat::trace_tools
