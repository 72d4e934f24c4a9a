// SPDX-License-Identifier: MIT
#include <sys/prctl.h>
#include <unistd.h>

#include <maxlat/sensors/group.hpp>
#include <string>

#include "directory/hand_over.hpp"
#include "directory/messages.hpp"
#include "sensors/group_memory.hpp"
#include "sensors/published_groups.hpp"

namespace maxlat::sensors {

base::Status publish_group(void* pages, std::size_t bytes, std::string_view name) {
  constexpr auto kAlone = detail::Producers::this_process;
  const auto lock = detail::lock_published_groups();
  if (const base::Status free = detail::take_place(pages, name); !free) return free;
  auto made = detail::GroupMemory::make(pages, bytes, name);
  if (!made) return made.error();
  if (const base::Status sealed = made->seal(kAlone); !sealed) return sealed;
  made->fill(pages, bytes, name, kAlone);
  detail::PublishedOne one{pages,      made->bytes(),          std::string(name), kAlone, made->take_descriptor(),
                           made->at(), made->settled_sensors()};
  if (const base::Status looked = one.look_at_memory(); !looked) return looked;
  if (const base::Status done = made->put_in_place(pages); !done) return done;
  const int memory = one.memory.number();
  detail::add_published(std::move(one));
  // Who may not be debugged shows its user nothing: root's directory alone.
  const bool may_be_seen = prctl(PR_GET_DUMPABLE) == 1;
  detail::hand_over(memory, detail::directories(!may_be_seen));
  return {};
}

void detail::tell_of_group(std::string_view name, const base::Error& error, std::string_view so) {
  const std::string line = "maxlat: sensors " + std::string(name) + ": " + error.text +
                           (error.hint.empty() ? "" : " (" + error.hint + ")") + "; " + std::string(so) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

PublishedGroup::PublishedGroup(void* pages, std::size_t bytes, std::string_view name) : pages_(pages) {
  const base::Status published = publish_group(pages, bytes, name);
  if (published) return;
  detail::tell_of_group(name, published.error(), "nobody can see them");
}

PublishedGroup::~PublishedGroup() {
  detail::withdraw_with_its_memory(pages_);
}

}  // namespace maxlat::sensors
