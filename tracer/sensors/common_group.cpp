// SPDX-License-Identifier: MIT
#include "sensors/common_group.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <maxlat/sensors/monitor.hpp>

#include "directory/ask.hpp"
#include "directory/hand_over.hpp"
#include "sensors/group_memory.hpp"
#include "sensors/published_groups.hpp"

namespace maxlat::sensors {
namespace {

using namespace detail;

base::Status check_writers(const std::vector<PlacedSensor>& sensors) {
  for (const PlacedSensor& sensor : sensors) {
    const std::string name = text_of(sensor.head.name);
    if (sensor.head.kind == MAXLAT_SENSOR_STRIPED)
      return base::Error{"the sensor " + name + " is striped", "stripes are the threads' of one process"};
    if (sensor.head.writers != MAXLAT_SENSOR_SHARED)
      return base::Error{"the sensor " + name + " is one thread's", "one of a common group is shared (SharedCounter)"};
  }
  return {};
}

// The directory's word is not enough: what is mapped for writing must be what the posts expect. It cannot become
// another, for no process of ours writes to what is constant.
base::Status check_other(int memory, const GroupView& own) {
  constexpr int kNeeded = F_SEAL_GROW | F_SEAL_SHRINK;
  struct stat file {};
  if ((fcntl(memory, F_GET_SEALS) & kNeeded) != kNeeded || fstat(memory, &file) != 0 || file.st_uid != geteuid())
    return base::Error{"the directory's memory is not a common group's of this user"};
  const base::Result<GroupView> other = GroupView::attach(memory);
  if (!other) return other.error();
  if (!other->is_common() || other->group() != own.group() || !other->is_made_as(own))
    return base::Error{"the directory's memory is another group's"};
  return {};
}

// Of the first directory that is there: another one, which was not asked before, may have another group of this name.
// RETURNS: the memory that the group has: this one, or another. ERRORS: there is no directory, or it has none for us.
base::Result<base::Descriptor> agreed_memory(std::span<const std::string> directories, int memory) {
  for (const std::string& place : directories) {
    const Asked asked{place};
    if (!asked.socket) continue;
    if (is_left_alone(place)) return does_not_answer();
    base::Descriptor agreed;
    const base::Result<AnswerMessage> answer = ask(asked, {.request = Request::share}, memory, agreed);
    if (!answer) return answer.error();
    if (answer->answer == Answer::group && agreed) return agreed;
    return base::Error{"the directory refuses it",
                       "is there room (maxlat-sensors(1), directory), in its PID namespace?"};
  }
  return base::Error{"no directory runs", "`maxlat sensors directory` is one"};
}

}  // namespace

base::Status detail::join_group_by(std::span<const std::string> directories, void* pages, std::size_t bytes,
                                   std::string_view name) {
  constexpr auto kSeveral = Producers::several;
  auto made = GroupMemory::make(pages, bytes, name);
  if (!made) return made.error();
  if (const base::Status shared = check_writers(made->sensors()); !shared) return shared;
  if (const base::Status sealed = made->seal(kSeveral); !sealed) return sealed;
  made->fill(pages, bytes, name, kSeveral);
  // Without the lock, for a fork waits for that.
  auto agreed = agreed_memory(directories, made->descriptor());
  if (!agreed) return agreed.error();
  const base::Result<GroupView> own = GroupView::attach(made->descriptor());
  if (!own) return own.error();
  if (const base::Status checked = check_other(agreed->number(), *own); !checked) return checked;
  PublishedOne one{pages, made->bytes(), std::string(name), kSeveral, std::move(*agreed), made->at()};
  if (const base::Status looked = one.look_at_memory(); !looked) return looked;
  const int memory = one.memory.number();
  const auto lock = lock_published_groups();
  if (const base::Status free = take_place(pages, name); !free) return free;
  if (const base::Status done = made->put_other_in_place(memory, pages); !done) return done;
  add_published(std::move(one));
  hand_over(memory, directories);  // the others keep it, too
  return {};
}

// Who may not be debugged is asked nothing by its user's other programs, and has no part in their groups.
base::Status join_group(void* pages, std::size_t bytes, std::string_view name) {
  if (prctl(PR_GET_DUMPABLE) != 1) return base::Error{"a program that may not be debugged has no common group"};
  return detail::join_group_by(detail::directories(), pages, bytes, name);
}

JoinedGroup::JoinedGroup(void* pages, std::size_t bytes, std::string_view name) : pages_(pages) {
  const base::Status joined = join_group(pages, bytes, name);
  if (joined) return;
  const base::Status alone = publish_group(pages, bytes, name);
  detail::tell_of_group(name, joined.error(), alone ? "they are this process's alone" : "nobody can see them");
}

JoinedGroup::~JoinedGroup() {
  detail::withdraw_with_its_memory(pages_);
}

}  // namespace maxlat::sensors
