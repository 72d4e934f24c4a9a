// SPDX-License-Identifier: MIT
#include "kernel_types.hpp"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace maxlat::trace_tools {
namespace {

namespace fs = std::filesystem;
using Argument = trace::KernelRawEvent::Argument;
using trace::KernelFieldKind;

constexpr std::string_view kProbe = "btf_trace_", kIterator = "__traceiter_";

struct FreeTypes {
  void operator()(btf* types) const { btf__free(types); }
};
using Types = std::unique_ptr<btf, FreeTypes>;

struct TypeAt {
  const btf* types = nullptr;
  __u32 id = 0;
};

const btf_type* resolved(const btf* types, __u32 id) {
  const btf_type* type = btf__type_by_id(types, id);
  while (type != nullptr && (btf_is_mod(type) || btf_is_typedef(type))) type = btf__type_by_id(types, type->type);
  return type;
}

// Nothing: it is not in one register, or in one that is not for integers.
std::optional<Argument> argument_of(const btf* types, const btf_param& parameter, std::size_t place) {
  const btf_type* const type = resolved(types, parameter.type);
  if (type == nullptr) return {};
  const char* const name = btf__name_by_offset(types, parameter.name_off);
  Argument argument{.name = name != nullptr && *name != '\0' ? name : fmt::format("a{}", place)};
  if (btf_is_ptr(type)) return argument;
  const bool is_whole = type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
  argument.bytes = static_cast<std::uint16_t>(type->size);
  if (btf_is_int(type) && is_whole) {
    argument.kind =
        (btf_int_encoding(type) & BTF_INT_SIGNED) != 0 ? KernelFieldKind::number : KernelFieldKind::cardinal;
    return argument;
  }
  argument.kind = KernelFieldKind::cardinal;
  if (btf_is_any_enum(type) && is_whole) return argument;
  if (btf_is_composite(type) && type->size == 8) return argument;
  return {};
}

// Of a function, or of a type that points to one.
const btf_type* prototype_of(const TypeAt& at) {
  const btf_type* type = resolved(at.types, at.id);
  if (type != nullptr && (btf_is_func(type) || btf_is_ptr(type))) type = btf__type_by_id(at.types, type->type);
  return type != nullptr && btf_is_func_proto(type) ? type : nullptr;
}

}  // namespace

struct KernelTypes::State {
  std::vector<Types> all;                                          // the kernel's first; the others refer to it
  std::unordered_map<std::string_view, TypeAt> probes, iterators;  // by the tracepoint's name

  void add(Types types, __u32 first);
  const btf* find_function(const std::string& symbol, __u32& id) const;
};

void KernelTypes::State::add(Types types, __u32 first) {
  for (__u32 id = first; id < btf__type_cnt(types.get()); ++id) {
    const btf_type* const type = btf__type_by_id(types.get(), id);
    const char* const text = btf__name_by_offset(types.get(), type->name_off);
    const std::string_view name = text != nullptr ? text : "";
    if (btf_is_typedef(type) && name.starts_with(kProbe))
      probes.try_emplace(name.substr(kProbe.size()), TypeAt{types.get(), id});
    if (btf_is_func(type) && name.starts_with(kIterator))
      iterators.try_emplace(name.substr(kIterator.size()), TypeAt{types.get(), id});
  }
  all.push_back(std::move(types));
}

const btf* KernelTypes::State::find_function(const std::string& symbol, __u32& id) const {
  for (const Types& types : all) {
    const __s32 found = btf__find_by_name_kind(types.get(), symbol.c_str(), BTF_KIND_FUNC);
    if (found <= 0) continue;
    id = static_cast<__u32>(found);
    return types.get();
  }
  return nullptr;
}

KernelTypes::KernelTypes(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelTypes::KernelTypes(KernelTypes&&) noexcept = default;
KernelTypes& KernelTypes::operator=(KernelTypes&&) noexcept = default;
KernelTypes::~KernelTypes() = default;

core::Result<KernelTypes> KernelTypes::open(const std::string& root) {
  const fs::path folder = fs::path(root) / "sys/kernel/btf", kernel = folder / "vmlinux";
  libbpf_set_print(nullptr);  // it would say what is said here
  std::error_code failed;
  if (!fs::exists(kernel, failed))
    return core::cannot_run("this kernel does not tell the types of its tracepoints: no " + kernel.string(),
                            "CONFIG_DEBUG_INFO_BTF is what it lacks");
  Types base(btf__parse_raw(kernel.c_str()));
  if (!base) return core::cannot_run("cannot read the kernel's types in " + kernel.string());
  auto state = std::make_unique<State>();
  state->add(std::move(base), 1);
  const btf* const of_kernel = state->all.front().get();
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path() == kernel) continue;
    Types of_module(btf__parse_raw_split(entry.path().c_str(), state->all.front().get()));
    if (of_module) state->add(std::move(of_module), btf__type_cnt(of_kernel));  // else it has just gone
  }
  return KernelTypes(std::move(state));
}

core::Result<KernelTypes::Arguments> KernelTypes::of_tracepoint(const std::string& name) const {
  const auto probe = state_->probes.find(name);
  const btf_type* const type = probe == state_->probes.end() ? nullptr : prototype_of(probe->second);
  if (type == nullptr || btf_vlen(type) == 0)
    return core::cannot_run(fmt::format("the kernel does not tell the arguments of a tracepoint \"{}\"", name));
  if (btf_vlen(type) > 1 + MAXLAT_TRACE_RAW_ARGUMENTS)
    return core::cannot_run(
        fmt::format("the tracepoint \"{}\" has more than {} arguments", name, MAXLAT_TRACE_RAW_ARGUMENTS));
  const auto iterator = state_->iterators.find(name);
  TypeAt at = probe->second;
  const btf_type* named = iterator == state_->iterators.end() ? nullptr : prototype_of(iterator->second);
  if (named != nullptr && btf_vlen(named) == btf_vlen(type))
    at = iterator->second;
  else
    named = type;
  Arguments arguments;
  for (std::size_t i = 1; i < btf_vlen(named); ++i) {
    auto argument = argument_of(at.types, btf_params(named)[i], i - 1);
    if (!argument)
      return core::cannot_run(fmt::format("an argument of the tracepoint \"{}\" is no integer and no address", name));
    arguments.push_back(*std::move(argument));
  }
  return arguments;
}

KernelTypes::Arguments KernelTypes::of_function(const std::string& symbol) const {
  const std::size_t colon = symbol.find(':');  // MODULE:SYMBOL
  TypeAt at;
  at.types = state_->find_function(symbol.substr(colon == symbol.npos ? 0 : colon + 1), at.id);
  const btf_type* const type = at.types == nullptr ? nullptr : prototype_of(at);
  Arguments arguments;
  if (type == nullptr) {
    for (std::size_t i = 0; i < MAXLAT_TRACE_FUNCTION_ARGUMENTS; ++i) arguments.push_back({fmt::format("a{}", i)});
    return arguments;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(btf_vlen(type), MAXLAT_TRACE_FUNCTION_ARGUMENTS); ++i) {
    auto argument = argument_of(at.types, btf_params(type)[i], i);
    if (!argument) break;  // where the ones behind it are, is not known either
    arguments.push_back(*std::move(argument));
  }
  return arguments;
}

}  // namespace maxlat::trace_tools
