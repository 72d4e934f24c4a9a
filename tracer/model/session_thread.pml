/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The threads of session.pml: probes, flush(), the claim of a slot, a thread's end. */

/* Channel::claim: looks at all slots, or where it was refused before at the one whose turn it is. In r: the ring. */
inline claim(generation) {
  atomic {
    slot = (refused[me] == 0 -> 0 : refused[me] - 1);
    last = (refused[me] == 0 -> SLOTS : slot + 1);
    refused[me] = 1
  };
  do
  :: slot < last ->
     atomic { /* take: the CAS */
       if
       :: slot_free(generation, slot) ->
          r = ring_id(generation, slot); claimed[r] = 1; refusals[0] = 0; refusals[1] = 0;
          break
       :: else -> slot++
       fi }
  :: else -> break
  od;
  if
  :: r != NOWHERE -> /* make_ring; the rest is the thread's alone until it is outside */
     atomic { mapped[r] = 1; refused[me] = 0; ring_place[me] = r }
  :: else
  fi;
  atomic { slot = 0; last = 0 }
}

inline claim_in() {
  generation = live;
  if
  :: generation != 0 && running ->
     must(channel_is_there, exists[generation]);
     claim(generation)
  :: else
  fi
}

/* claim_ring: the thread's ring in r, made now, or NOWHERE. */
inline claim_ring() {
  hopeless = 0;
  if
  :: refused[me] != 0 -> /* slot_is_free */
#ifdef M_REFUSED_FOR_GOOD
     hopeless = 1;
#else
     generation = live;
     if
     :: atomic { generation != 0 && slot_free(generation, refused[me] - 1) -> skip }
     :: atomic { generation != 0 && !slot_free(generation, refused[me] - 1) ->
          refused[me] = refused[me] % SLOTS + 1; hopeless = 1 }
     :: generation == 0 -> hopeless = 1
     fi;
#endif
  :: else
  fi;
  if
  :: !hopeless -> claim_in()
  :: else
  fi;
  if
  :: r == NOWHERE -> /* lose_in, or stopped meanwhile */
     atomic {
       generation = live;
       if
       :: generation != 0 && running && any_slot_free(generation) ->
          refusals[me]++;
          must(slot_is_found, refusals[me] <= SLOTS)
       :: else
       fi };
     reached(thread_refused);
     was_refused = 1
  :: else ->
     if
     :: was_refused -> reached(refused_then_served)
     :: else
     fi
  fi;
  atomic { generation = 0; hopeless = 0 }
}

/* The probe of one event. `inside` is counted up, and may stay in the store buffer. */
inline event() {
  if
  :: wanted -> /* is_wanted, outside */
     inside[me] = 1;
#ifdef M_NO_SECOND_LOOK
     r = ring_place[me];
#else
     r = (place -> ring_place[me] : NOWHERE);
#endif
     if
     :: r == NOWHERE -> /* record_elsewhere */
        atomic { registered[me] = 1; drain(me) }; /* register_thread: a lock */
        if
        :: wanted ->
           r = ring_place[me]; /* ring_of */
           if
           :: r == NOWHERE -> claim_ring()
           :: else
           fi
        :: else
        fi
     :: else
     fi;
     if
     :: r != NOWHERE ->
        begin_store(r);
        atomic {
          end_store(r);
          reached(event_recorded);
          if
          :: generation_of(r) == 2 -> reached(ring_of_second_session)
          :: else
          fi;
#ifdef PREPARED
          if
          :: given[r] -> reached(traced_in_a_given_ring)
          :: else
          fi;
#endif
          inside[me] = 0; r = NOWHERE }
     :: else -> inside[me] = 0
     fi
  :: else
  fi
}

/* maxlat::trace::flush(). */
inline flush() {
  inside[me] = 1;
#ifdef M_RING_FIRST
  r = ring_place[me];
  if
  :: !running -> r = NOWHERE
  :: else
  fi;
#else
  if
  :: running -> r = ring_place[me]
  :: else
  fi;
#endif
  if
  :: r != NOWHERE ->
     begin_store(r);
     atomic { end_store(r); reached(flushed_by_thread); inside[me] = 0; r = NOWHERE }
  :: else -> inside[me] = 0
  fi
}

#ifdef PREPARED
/* prepare_thread(), which the program calls: its look at all slots is for every call. */
inline prepare() {
  atomic { registered[me] = 1; drain(me); prepared[me] = 1 };
  inside[me] = 1;
  if
  :: running ->
     refused[me] = 0;
     r = ring_place[me];
     if
     :: r == NOWHERE -> claim_in()
     :: else
     fi
  :: else
  fi;
  r = NOWHERE;
  if
  :: running -> r = ring_place[me] /* ring_in_running */
  :: else
  fi;
  if
  :: r != NOWHERE -> begin_store(r); end_store(r) /* open_ahead */
  :: else
  fi;
  atomic { inside[me] = 0; r = NOWHERE }
}
#endif

/* end_rings_of_this_thread. Locks empty the store buffer. */
inline end_of_thread() {
#ifdef M_LIST_LEFT_BEFORE
  atomic { registered[me] = 0; drain(me) };
  reading[me] = 1;
#else
  reading[me] = 1; /* ReadLock */
  atomic { registered[me] = 0; drain(me) };
#endif
  r = ring_place[me];
  if
  :: r != NOWHERE ->
     generation = live;
     if
     :: generation != 0 -> /* Channel::end */
        must(ring_of_its_channel, generation == generation_of(r));
        atomic { must(channel_is_there, exists[generation]); !rings_lock[generation] -> rings_lock[generation] = 1 };
        finalise(r);
        atomic { must(channel_is_there, exists[generation]); rings_lock[generation] = 0 };
     :: else
     fi;
     ring_place[me] = NOWHERE
  :: else
  fi;
  atomic { reading[me] = 0; r = NOWHERE; generation = 0 }
}

active [THREADS] proctype Thread() {
  byte me = _pid, acts = (_pid == 0 -> A0 : A1), r, slot, last, generation;
  bit hopeless, was_refused;
  do
  :: atomic { acts > 0 -> acts-- };
     if
     :: event()
     :: flush()
#ifdef PREPARED
     :: prepare()
#endif
     fi
  :: atomic { acts > 0 -> acts = 0 };
     end_of_thread();
#ifdef PREPARED
     gone[me] = 1
#endif
  :: acts == 0 -> break
  od
}
