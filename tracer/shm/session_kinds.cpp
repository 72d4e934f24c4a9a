// SPDX-License-Identifier: MIT
#include "session_kinds.hpp"

#include "kind_channel.hpp"
#include "kind_metadata.hpp"
#include "kind_session.hpp"

namespace maxlat::trace {
namespace {

constexpr ObjectKind kKinds[] = {
    kind_of<SessionObject>(),
    kind_of<MetadataObject>(),
    kind_of<ChannelMemory>(),
};

}  // namespace

std::span<const ObjectKind> session_kinds() {
  return kKinds;
}

}  // namespace maxlat::trace
