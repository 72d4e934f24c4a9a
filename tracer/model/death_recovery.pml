/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The reader of death.pml: packets that are whole while the producer lives, and recovery when it is dead
 * (ring/open_packet.c). When all are dead nobody else does anything, so recovery is one step, and it need not be told
 * when the death was: from every state it is tried, and what it did is undone, so that it costs no states.
 */

#define is_record(at, end) \
  (stamp_fits(cell_stamp[m * SB + (at)]) && cell_length[m * SB + (at)] <= (end) - (at))
#ifdef M_NO_STAMP
#define stamp_fits(stamp) ((stamp) != 0)
#else
#define stamp_fits(stamp) ((stamp) == stamp_of(P))
#endif
#define record_length(at) cell_length[m * SB + (at)]
#define record_time(at) cell_time[m * SB + (at)]
#define record_event(at) cell_event[m * SB + (at)]

/* One record that recovery, or the reader, says is whole. */
inline give(at) {
  must(nothing_of_another_pass, position_of[record_event(at)] == P * SB + (at));
  must(given_once, !given[record_event(at)]);
  must(record_is_whole, record_length(at) == 1 ||
                          (cell_stamp[m * SB + (at) + 1] == 0 && record_event(at + 1) == record_event(at)));
  given[record_event(at)] = 1;
  if
  :: !counted[record_event(at)] -> reached(finished_uncounted)
  :: else
  fi
}

#ifdef OVERWRITE
#define can_take(x) \
  (filled(x, commit_seq[place(x)]) && ref_tag[place(x)] == (x) / SB && !ref_writer[place(x)])
#else
#define can_take(x) filled(x, commit_seq[place(x)])
#endif

/* What the header says of the packet's end, and of this packet: maxlat_ring_content_size. */
#ifdef M_CONTENT_UNCHECKED
#define closes(i, x) true
#define content(i, x) ((content_end[i] - 1) % SB + 1)
#else
#define closes(i, x) (content_end[i] >= (x) + HEADER && content_end[i] <= (x) + SB)
#define content(i, x) (content_end[i] - (x))
#endif

/* maxlat_ring_get of the packet at `position`, which is filled. */
inline take(position) {
  P = position / SB;
#ifdef OVERWRITE
  must(ring_is_not_called_corrupt, ref_tag[place(position)] == P && !ref_writer[place(position)]);
  m = ref_index[place(position)];
#else
  m = place(position);
#endif
  must(ring_is_not_called_corrupt, sequence[m] == P && closes(m, position));
  at = HEADER;
  do
  :: at < content_end[m] - position -> give(at); at = at + record_length(at)
  :: else -> break
  od
}

/* chain_at: records in a row from `from` on, at most `most`. In `chain`. */
inline chain_at(from, most, end, latest) {
  chain = 0; k = from; time = last_time;
  do
  :: chain < most && k == end -> chain = most
  :: chain < most && k < end && is_record(k, end) && record_time(k) >= time && record_time(k) <= latest ->
     time = record_time(k); k = k + record_length(k); chain++
  :: else -> break
  od
}

/* search: in `likely` */
inline search(most, wanted, end, latest) {
  likely = 0; longest = 0; length = 1;
  do
  :: length <= most && longest < wanted ->
     chain_at(at + length, wanted, end, latest);
     if
     :: chain > longest -> longest = chain; likely = length
     :: else
     fi;
     length++
  :: else -> break
  od
}

#define CHAIN 2
#define LATER_THAN_ALL 255

/* hole: its length in `likely`, or 0. */
inline hole() {
#ifdef M_NO_SEARCH
  likely = 0;
#else
  first = (unaccounted < end - at -> unaccounted : end - at);
  search(first, CHAIN, end, latest);
#ifndef M_CHAIN_ONLY
  if
  :: likely != 0 ->
     first = likely;
     limit = (at + first < end && is_record(at + first, end) -> record_time(at + first) : latest);
     search(first - 1, 1, at + first, limit);
     likely = (likely != 0 -> likely : first);
     first = 0; limit = 0
  :: else
  fi;
#endif
#endif
}

/* rescue_records */
inline rescue() {
  at = HEADER; holes = 0; behind = HEADER;
  do
  :: at == end -> break
  :: at < end && is_record(at, end) ->
     give(at);
     last_time = record_time(at);
     at = at + record_length(at);
     behind = at
  :: else ->
     hole();
     if
     :: likely == 0 -> holes++; break
     :: else ->
        unaccounted = (likely < unaccounted -> unaccounted - likely : 0);
        at = at + likely;
#ifdef M_WORDS_COUNTED
        holes = holes + likely
#else
        holes++
#endif
     fi
  od
}

/* begins_with_hole: in `next_hole`. */
inline begins_with_hole(x) {
  next_hole = 0;
#ifndef M_EDGE_COUNTED
  if
  :: write_count > (x) + HEADER ->
#ifdef OVERWRITE
     k = ref_index[place(x)];
     next_hole = (ref_tag[place(x)] != (x) / SB);
#else
     k = place(x);
#endif
     limit = (start_of(write_count) == (x) -> write_count - (x) : SB);
     limit = (limit == SB && closes(k, x) -> content(k, x) : limit);
     next_hole = (next_hole || (limit > HEADER && !(cell_stamp[k * SB + HEADER] == stamp_of((x) / SB) &&
                                                    cell_length[k * SB + HEADER] <= limit - HEADER)));
     limit = 0
  :: else
  fi
#endif
}

/* mend, of the packet at `position`. */
inline mend() {
  P = position / SB;
  committed = commit_count[place(position)] - before(position);
  last = (start_of(write_count) == position);
  reserved = (last -> write_count - position : SB);
  must(ring_is_not_called_corrupt, committed <= reserved);
#ifdef OVERWRITE
  found = (ref_tag[place(position)] == P);
  m = ref_index[place(position)];
#else
  found = 1;
  m = place(position);
#endif
  if
  :: reserved == HEADER -> skip
  :: reserved != HEADER && !found ->
#ifndef M_UNCLAIMED_UNCOUNTED
     unfinished++
#endif
  :: else ->
     opened = (sequence[m] == P);
#ifdef M_SEQUENCE_UNCHECKED
     opened = 1;
#endif
     must(begins_when_entered, !opened || begin_time[m] == entered_at[P]);
     closed = (!last && closes(m, position));
     end = (closed -> content(m, position) : reserved);
     last_time = (opened -> begin_time[m] : 0); /* time_before: no later than any record's time */
     latest = (closed -> end_time[m] : LATER_THAN_ALL);
     unaccounted = reserved - committed;
     rescue();
     begins_with_hole(position + SB);
     if
     :: !last && holes > 0 && behind < end && next_hole -> holes--; reached(hole_goes_on)
     :: else -> paddings = paddings + (!last && !closed && flushed[P])
     fi;
#ifdef M_PADDING_UNCOUNTED
     holes = holes - (!last && !closed && holes > 0 && behind < end);
#endif
     unfinished = unfinished + holes
  fi
}

/* Until it says that nothing is left. */
inline recover() {
  position = read_count;
  must(ring_is_not_called_corrupt, write_count <= position + 2 * BUF);
  do
  :: position < write_count ->
     if
     :: filled(position, commit_seq[place(position)]) -> take(position)
     :: else -> mend()
     fi;
#ifdef M_NOT_PUT
     position = (filled(position, commit_seq[place(position)]) -> position : position + SB)
#else
     position = position + SB
#endif
  :: else -> break
  od
}

inline check() {
  id = 1;
  do
  :: id < EVENTS ->
     if
     :: position_of[id] >= read_count ->
        must(finished_is_given, !finished[id] || given[id]);
        given[id] = 0;
        exact = exact + !finished[id]
     :: else
     fi;
     id++
  :: else -> break
  od;
  must(unfinished_is_counted, (exact == 0 || unfinished > 0) && unfinished <= exact + paddings);
  if
  :: unfinished > exact -> reached(padding_counted)
  :: else
  fi
}

/* The recorder, while the producer lives. */
proctype Reader() {
  byte spare = NSB, m;
end:
  do
  :: d_step { can_take(read_count) ->
       m = place(read_count);
#ifdef OVERWRITE
       m = ref_index[m];
       ref_index[place(read_count)] = spare;
       ref_tag[place(read_count)] = 0; /* taken */
       spare = m;
#endif
       read_count = read_count + SB;
       m = 0 }
  od
}

/* What it would find if the producer were dead now. */
proctype Recovery() {
  byte m, P, at, k, unfinished, exact, id;
  byte position, committed, reserved, end, last_time, latest, unaccounted, time, holes, behind, paddings;
  byte chain, likely, longest, length, first, limit;
  bit found, last, closed, opened, next_hole;
end_of_all:
  do
  :: d_step { true ->
       recover();
       check();
       m = 0; P = 0; at = 0; k = 0; unfinished = 0; exact = 0; id = 0; position = 0; committed = 0;
       reserved = 0; end = 0; last_time = 0; latest = 0; unaccounted = 0; time = 0; holes = 0; behind = 0;
       paddings = 0; next_hole = 0; chain = 0; likely = 0; longest = 0; length = 0; first = 0; limit = 0; found = 0;
       last = 0; closed = 0; opened = 0 }
  od
}
