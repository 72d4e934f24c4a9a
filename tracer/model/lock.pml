/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The place of a session's one consumer (shm/consumer_lock.cpp): a write lock of a file description, which lives as
 * long as a process has a descriptor of it. Processes take it, give it back, die and fork; a child lives for ever.
 *
 * WHAT IS FOLLOWED. ConsumerLock::take (open a description, F_OFD_SETLK), ~ConsumerLock (F_UNLCK, then close), the
 *   handlers of fork: list_lock is held around it, and the child closes its copies before fork() returns there
 *   (forget_consumer_locks). The kernel: a lock belongs to a description, and goes with its last descriptor.
 * LEFT OUT. vfork() and _Fork(), whose child has the descriptor until exec (consumer_lock.hpp says so); threads of one
 *   process beside the one that forks: list_lock excludes them.
 * SIZE. 500 states.
 *
 * MUTANTS
 *   M_CHILD_KEEPS     the child does not close its copy (review T8)
 *   M_CHILD_UNLOCKS   the child unlocks instead: the lock is its parent's, too
 *   M_NO_LOCK         look and lock are two steps, and who is refused goes on all the same
 */
#include "assertions.pml"

mtype = {
  one_consumer,       /* at a time */
  place_becomes_free, /* when no consumer lives */
  /* coverage */
  refused_while_used, taken_after_death, forked_with_lock
};

#define CONSUMERS 2
#define NOBODY 255

byte locked_by = NOBODY;        /* a description: one for each consumer */
byte descriptors[CONSUMERS];    /* open, of each description, in all processes */
bit consuming[CONSUMERS];
bit died;

inline close_descriptor(whose) {
  atomic {
    descriptors[whose]--;
    if
    :: descriptors[whose] == 0 && locked_by == whose -> locked_by = NOBODY /* the kernel */
    :: else
    fi }
}

/* A child, from fork() on: its copy of the descriptor. It lives for ever. */
proctype Child(byte whose) {
#ifdef M_CHILD_UNLOCKS
  atomic {
    if
    :: locked_by == whose -> locked_by = NOBODY
    :: else
    fi };
#endif
#ifdef M_CHILD_KEEPS
  skip
#else
  close_descriptor(whose)
#endif
}

active [CONSUMERS] proctype Consumer() {
  byte me = _pid;
  bit forked;
  descriptors[me] = 1; /* take: open */
#ifdef M_NO_LOCK
  if
  :: locked_by == NOBODY -> locked_by = me
  :: else
  fi;
#else
  if
  :: atomic { locked_by == NOBODY -> locked_by = me }
  :: atomic { locked_by != NOBODY -> reached(refused_while_used) };
     atomic { locked_by == NOBODY -> locked_by = me } /* asked again until then */
  fi;
#endif
  atomic {
    must(one_consumer, !consuming[1 - me]);
    consuming[me] = 1;
    if
    :: died -> reached(taken_after_death)
    :: else
    fi };
  do
  :: atomic { !forked -> forked = 1; descriptors[me]++; reached(forked_with_lock); run Child(me) } /* fork */
  :: atomic { consuming[me] = 0; locked_by = (locked_by == me -> NOBODY : locked_by) }; /* ~ConsumerLock: F_UNLCK */
     close_descriptor(me);
     break
  :: atomic { consuming[me] = 0; died = 1 }; /* kill -9: the kernel closes */
     close_descriptor(me);
     break
  od
}

/* When nobody can do anything any more. */
active proctype End() { atomic { timeout -> must(place_becomes_free, locked_by == NOBODY) } }
