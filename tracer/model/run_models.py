#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Runs the Promela models of the tracer: the real ones must pass, every mutant and every coverage probe must fail, by
the one assertion that is named for it here (assertions.pml): all others are off in that run.

Prints one line per run: verdict, states, depth, CPU seconds, memory. Exit status 0 when all is as it must be, 1 when
not, 77 when spin or a C compiler is missing. --long adds the larger state spaces (about 3 GiB and 15 minutes).
"""

import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY_LIMIT_MIB = 3500
CACHED = ["ccache"] if shutil.which("ccache") else []  # compiling takes longer than most searches
CASE_LIMIT_S = 600  # wall time, on a machine that does other things too

# Two widths each, all starting just before the counters wrap. Small counters alone prove little (see ring.pml, WIDTHS).
W16 = "W=16 START=8 "
W32 = "W=32 START=24 "
W64 = "W=64 START=56 "
DISCARD = "N0=2 N1=3 "
OVERWRITE = "OVERWRITE N0=2 N1=3 "
PARALLEL = "PARALLEL N0=2 N1=2 "
KILLED = "SB=2 W=16 START=12 OVERWRITE SUCCESSOR N0=1 N1=3 "
FULL_STOP = "SB=2 W=16 START=12 OVERWRITE N0=2 N1=5 "  # a record fills a sub-buffer: many passes in few steps
ONE_EACH = "N0=1 N1=1 "
MOVED = "N0=1 N1=2 "
THREE = "N0=1 N1=1 N2=1 UNKNOWN MOVES=0 SB=7 FIRST=2 "

PASSES = None
CYCLE = "a cycle without progress"  # what a run with NP looks for; FAIR: no process is left standing in it

LARGE = ("ring", "session")  # models of many states

# name, model, definitions, what must happen: PASSES, or the assertion that must fail, or CYCLE
CASES = [
    ("discard, nested", "ring", W16 + DISCARD, PASSES),
    ("discard, nested, wider", "ring", W64 + DISCARD, PASSES),
    ("discard, more events", "ring", W32 + "N0=2 N1=4", PASSES),
    ("discard, flush", "ring", W32 + "FLUSH " + DISCARD, PASSES),
    ("discard, opening ahead", "ring", W32 + "FLUSH OPEN_AHEAD N0=2 N1=2", PASSES),
    ("discard, time stamps", "ring", W32 + "TIME N0=2 N1=2", PASSES),
    ("discard, three levels", "ring", W32 + "LEVELS=3 N0=1 N1=1 N2=2", PASSES),
    ("discard, parallel writers", "ring", W32 + "PARALLEL N0=2 N1=2", PASSES),
    ("discard, parallel, three writers", "ring", W32 + "PARALLEL LEVELS=3 N0=1 N1=1 N2=1", PASSES),
    ("discard, parallel, flush, opening ahead", "ring", W32 + "PARALLEL FLUSH OPEN_AHEAD N0=2 N1=2", PASSES),
    ("discard, parallel, time stamps", "ring", W32 + "PARALLEL TIME N0=2 N1=2", PASSES),
    ("discard, four sub-buffers", "ring", "W=64 START=48 NSB=4 N0=2 N1=3", PASSES),
    ("overwrite, nested", "ring", W32 + OVERWRITE, PASSES),
    ("overwrite, nested, wider", "ring", W64 + OVERWRITE, PASSES),
    ("overwrite, many passes", "ring", FULL_STOP, PASSES),
    ("overwrite, many passes, wider", "ring", FULL_STOP.replace("W=16 START=12", "W=32 START=28"), PASSES),
    ("overwrite, flush", "ring", W32 + "FLUSH OVERWRITE N0=2 N1=2", PASSES),
    ("overwrite, opening ahead", "ring", W32 + "OPEN_AHEAD OVERWRITE N0=2 N1=2", PASSES),
    ("overwrite, time stamps", "ring", W32 + "TIME OVERWRITE N0=2 N1=2", PASSES),
    ("overwrite, three levels", "ring", W32 + "OVERWRITE LEVELS=3 N0=1 N1=1 N2=1", PASSES),
    ("overwrite, parallel writers", "ring", W32 + "OVERWRITE PARALLEL N0=2 N1=2", PASSES),
    ("overwrite, parallel, flush, opening ahead", "ring", W32 + "OVERWRITE PARALLEL FLUSH OPEN_AHEAD N0=2 N1=1",
     PASSES),
    ("overwrite, parallel, three writers", "ring", W32 + "OVERWRITE PARALLEL LEVELS=3 N0=1 N1=1 N2=1", PASSES),
    ("overwrite, a request for a snapshot", "ring", W32 + "OVERWRITE FREEZE OPEN_AHEAD N0=1 N1=2", PASSES),
    ("overwrite, a request, parallel writers", "ring", W32 + "OVERWRITE FREEZE PARALLEL N0=2 N1=1", PASSES),
    ("overwrite, four sub-buffers", "ring", "W=64 START=48 NSB=4 OVERWRITE N0=1 N1=4", PASSES),
    ("promotion, weak memory", "promotion", "", PASSES),
    ("promotion, x86", "promotion", "TSO", PASSES),
    ("x86 needs no promotion", "promotion", "TSO M_NO_PROMOTION", PASSES),
    ("x86 needs no reader barrier", "promotion", "TSO M_NO_READER_BARRIER", PASSES),
    ("session, two in turn", "session", "A0=3 A1=0", PASSES),
    ("session, threads that share a slot", "session", "RUNS=1 A0=2 A1=3", PASSES),
    ("session, threads and two slots", "session", "RUNS=1 SLOTS=2 A0=2 A1=2", PASSES),
    ("session, prepared threads", "session", "A0=3 A1=0 PREPARED", PASSES),
    ("session, prepared threads, two slots", "session", "RUNS=1 SLOTS=2 A0=2 A1=1 PREPARED", PASSES),
    ("discard, reader killed", "ring", W32 + "SUCCESSOR N0=2 N1=2", PASSES),
    ("overwrite, reader killed", "ring", W32 + "SUCCESSOR OVERWRITE N0=2 N1=1", PASSES),
    ("the reader's lock", "lock", "", PASSES),
    ("books of overwritten records", "books", "", PASSES),
    ("killed, discard", "death", "", PASSES),
    ("killed, discard, flush, opening ahead", "death", "FLUSH OPEN_AHEAD N0=1 N1=2", PASSES),
    ("killed, the clock stands for a pass", "death", "CLOCK_STANDS", PASSES),
    ("killed, overwrite", "death", "OVERWRITE", PASSES),
    ("killed, overwrite, flush, opening ahead", "death", "OVERWRITE FLUSH OPEN_AHEAD N0=1 N1=2", PASSES),
    ("copy of the open packet, discard", "copy_open", "", PASSES),
    ("copy of the open packet, overwrite", "copy_open", "OVERWRITE", PASSES),
    ("copy of the open packet, promoted", "copy_open", "PROMOTED", PASSES),
    ("x86 needs no fence behind a claim", "copy_open", "OVERWRITE TSO M_NO_FENCE", PASSES),
    ("exchange against claim", "exchange", "", PASSES),
    ("a clear needs no release before one (R1)", "exchange", "M_RELAXED_CLEAR", PASSES),
    ("x86 needs none of these orders", "exchange",
     "TSO M_RELAXED_EXCHANGE M_RELAXED_LOOKS M_RELAXED_CLEAR M_RELAXED_PUBLISH", PASSES),
    ("times, a thread that is moved", "time_base", MOVED, PASSES),
    ("times, a packet opened meanwhile", "time_base", ONE_EACH + "AT=4", PASSES),
    ("times, a writer that is elsewhere", "time_base", "UNKNOWN MOVES=0", PASSES),
    ("times, two here and one elsewhere", "time_base", THREE, PASSES),
    ("slot, discard", "slots", "", PASSES),
    ("slot, overwrite", "slots", "OVERWRITE LIVES=1", PASSES),
    ("progress, whatever others do", "progress", "NP FAIR", PASSES),
    ("progress, the books", "progress", "", PASSES),
    ("progress, overwrite", "ring", W32 + "NP OVERWRITE N0=1 N1=2", PASSES),
    # Mutants. The widest counters, so that a failure is the algorithm's and not the wrap's.
    ("delivery test as printed", "ring", W64 + DISCARD + "M_PRINTED_DELIVERY", "all_is_read"),
    ("delivery test as printed, overwrite", "ring", W64 + OVERWRITE + "M_PRINTED_DELIVERY", "all_is_read"),
    ("add, then look", "ring", W64 + "N0=2 N1=4 M_ADD_THEN_LOOK", "published_once"),
    ("add, then look, overwrite", "ring", W64 + OVERWRITE + "M_ADD_THEN_LOOK", "published_once"),
    ("flag cleared after commit_seq", "ring", W64 + OVERWRITE + "M_LATE_CLEAR", "packet_is_opened"),
    ("no pass tag", "ring", W64 + OVERWRITE + "M_NO_TAG", "packet_is_opened"),
    ("no equation 3", "ring", W64 + OVERWRITE + "M_NO_EQUATION_3", "packet_is_opened"),
    ("reference flag removed", "ring", W64 + OVERWRITE + "M_NO_FLAG", "packet_is_opened"),
    ("old packet not claimed", "ring", W64 + OVERWRITE + "M_NO_OLD_CLAIM", "packet_is_closed"),
    ("open packet unchecked", "ring", W64 + OVERWRITE + "M_OPEN_UNCHECKED", "words_are_this_packets"),
    ("K42's buffersProduced", "ring", W64 + DISCARD + "M_K42", "packet_is_opened"),
    ("time stamp outside the loop", "ring", W64 + "TIME N0=2 N1=2 M_TIME_OUTSIDE", "time_never_goes_back"),
    ("flush of an empty packet", "ring", W64 + DISCARD + "FLUSH OPEN_AHEAD M_FLUSH_EMPTY", "no_packet_is_empty"),
    ("opened ahead and not free", "ring", W64 + DISCARD + "FLUSH OPEN_AHEAD M_OPEN_BLIND", "room_is_kept"),
    ("opened ahead and not free, overwrite", "ring", W64 + OVERWRITE + "FLUSH OPEN_AHEAD M_OPEN_BLIND", "all_is_read"),
    ("flush opens the next packet", "ring", W64 + DISCARD + "FLUSH M_OPENING_FLUSH", "packet_is_opened"),
    ("sub-buffer size 3", "ring", "W=16 SB=3 N0=2 N1=4", "all_is_read"),
    ("sub-buffer size 3, wider", "ring", "W=32 START=24 SB=3 N0=2 N1=4", "all_is_read"),
    ("a request is not looked for", "ring", W64 + "OVERWRITE N0=1 N1=3 FREEZE M_NO_FREEZE", "kept_for_snapshot"),
    ("no equation 1", "ring", W64 + DISCARD + "M_NO_EQUATION_1", "room_is_kept"),
    ("equation 1 off by one", "ring", W64 + DISCARD + "M_EQUATION_1_OFF_BY_ONE", "room_is_kept"),
    ("no equation 1, seen by the reader", "ring", W64 + DISCARD + "M_NO_EQUATION_1", "packet_is_opened"),
    ("add, then look, parallel", "ring", W64 + PARALLEL + "M_ADD_THEN_LOOK", "published_once"),
    ("commit without a lock, parallel", "ring", W64 + PARALLEL + "M_UNLOCKED", "all_is_read"),
    ("time stamp outside the loop, parallel", "ring", W64 + PARALLEL + "TIME M_TIME_OUTSIDE", "time_never_goes_back"),
    ("no equation 3, parallel", "ring", W64 + "OVERWRITE " + PARALLEL + "M_NO_EQUATION_3", "packet_is_opened"),
    ("flag cleared after commit_seq, parallel", "ring", W64 + "OVERWRITE " + PARALLEL + "M_LATE_CLEAR",
     "packet_is_opened"),
    ("open packet unchecked, parallel", "ring", W64 + "OVERWRITE " + PARALLEL + "M_OPEN_UNCHECKED",
     "words_are_this_packets"),
    ("no reader barrier", "promotion", "M_NO_READER_BARRIER", "bytes_before_the_word"),
    ("no promotion", "promotion", "M_NO_PROMOTION", "bytes_before_the_word"),
    ("no compiler barrier", "promotion", "M_NO_COMPILER_BARRIER", "bytes_before_the_word"),
    ("no compiler barrier, x86", "promotion", "TSO M_NO_COMPILER_BARRIER", "bytes_before_the_word"),
    ("put without a barrier", "promotion", "M_PLAIN_PUT", "read_before_replaced"),
    ("store before the test of read_count", "promotion", "M_NO_CONTROL", "read_before_replaced"),
    ("packet in hand forgotten (T7)", "ring", KILLED + "M_IN_HAND_FORGOTTEN", "packet_is_opened"),
    ("counted before published (B1)", "books", "M_COUNTED_FIRST", "none_taken_and_overwritten"),
    ("looked before the count (T6)", "books", "M_LOOKED_FIRST", "none_taken_and_overwritten"),
    ("a dead producer's count trusted", "books", "M_COUNT_TRUSTED", "books_balance"),
    ("child keeps the lock (T8)", "lock", "M_CHILD_KEEPS", "place_becomes_free"),
    ("child unlocks", "lock", "M_CHILD_UNLOCKS", "one_consumer"),
    ("no lock", "lock", "M_NO_LOCK", "one_consumer"),
    ("flush: the ring before running (T1)", "session", "A0=3 A1=0 M_RING_FIRST", "ring_is_mapped"),
    ("no slot once, none for ever (T9)", "session", "RUNS=1 A0=2 A1=3 M_REFUSED_FOR_GOOD", "slot_is_found"),
    ("no membarrier", "session", "A0=3 A1=0 M_NO_MEMBARRIER", "alone_in_a_ring"),
    ("no membarrier, unmapped", "session", "A0=3 A1=0 M_NO_MEMBARRIER", "ring_is_mapped"),
    ("no second look", "session", "A0=3 A1=0 M_NO_SECOND_LOOK", "alone_in_a_ring"),
    ("destroyed without waiting", "session", "A0=3 A1=0 M_NO_WAIT", "ring_is_mapped"),
    ("rings not forgotten", "session", "A0=3 A1=0 M_NO_FORGET", "ring_is_mapped"),
    ("channel gone under a thread's end", "session", "A0=3 A1=0 M_NO_RCU", "channel_is_there"),
    ("list left before the read lock", "session", "A0=3 A1=0 M_LIST_LEFT_BEFORE", "ring_of_its_channel"),
    ("given without looking at ring_place", "session", "SLOTS=2 A0=3 A1=0 PREPARED M_GIVEN_UNLOOKED",
     "one_ring_a_thread"),
    ("given to who has left the list", "session", "A0=3 A1=0 PREPARED M_GIVEN_UNLISTED", "thread_is_there"),
    ("refused by who has left, and kept", "session", "A0=3 A1=0 PREPARED M_REFUSED_KEPT", "no_ring_is_left"),
    ("content_end before end_time (D1)", "death", "M_CONTENT_FIRST", "finished_is_given"),
    ("a content_end of another pass believed", "death", "M_CONTENT_UNCHECKED", "finished_is_given"),
    ("sequence before begin_time (D1)", "death", "M_SEQUENCE_FIRST", "begins_when_entered"),
    ("a header believed without its sequence", "death", "M_SEQUENCE_UNCHECKED", "begins_when_entered"),
    ("a record's word before its payload (D1)", "death", "M_WORD_FIRST", "record_is_whole"),
    ("words without a stamp", "death", "M_NO_STAMP", "nothing_of_another_pass"),
    ("a pass later the same stamp", "death", "STAMPS=2", "nothing_of_another_pass"),
    ("recovery ends at a hole", "death", "M_NO_SEARCH", "finished_is_given"),
    ("a record alone goes with the holes", "death", "M_CHAIN_ONLY", "finished_is_given"),
    ("claimed before the reader is pushed", "death", "OVERWRITE M_CLAIM_FIRST", "ring_is_not_called_corrupt"),
    ("an unclaimed packet has no record", "death", "OVERWRITE M_UNCLAIMED_UNCOUNTED", "unfinished_is_counted"),
    ("a hole counted by its words", "death", "M_WORDS_COUNTED", "unfinished_is_counted"),
    ("padding at the end for no record", "death", "M_PADDING_UNCOUNTED", "unfinished_is_counted"),
    ("a hole over the edge counted twice", "death", "M_EDGE_COUNTED", "unfinished_is_counted"),
    ("got from the dead and not put", "death", "M_NOT_PUT", "given_once"),
    ("write_count before the commit count (O1)", "copy_open", "M_LOADS_SWAPPED", "copied_is_committed"),
    ("commit count without acquire (O1)", "copy_open", "M_RELAXED_COMMIT", "copied_is_committed"),
    ("commits that release nothing (W1)", "copy_open", "OVERWRITE M_RELAXED_COMMITS", "header_is_this_packets"),
    ("copy, promoted behind both loads", "copy_open", "PROMOTED M_PROMOTED_LATE", "copied_is_committed"),
    ("no fence behind a claim (O2)", "copy_open", "OVERWRITE M_NO_FENCE", "copied_is_this_pass"),
    ("reference not looked at again", "copy_open", "OVERWRITE M_REFERENCE_ONCE", "copied_is_this_pass"),
    ("a copy without acquire (O2)", "copy_open", "OVERWRITE M_RELAXED_COPY", "copied_is_this_pass"),
    ("relaxed exchange (X1)", "exchange", "M_RELAXED_EXCHANGE", "in_hand_stays"),
    ("relaxed looks at what is delivered", "exchange", "M_RELAXED_LOOKS", "packet_is_whole"),
    ("relaxed commit_seq (P1)", "exchange", "M_RELAXED_PUBLISH", "claim_stays"),
    ("relaxed clear and commit_seq (R1, P1)", "exchange", "M_RELAXED_CLEAR M_RELAXED_PUBLISH", "packet_is_whole"),
    ("a foreign writer leaves no mark", "time_base", MOVED + "M_NO_MARK", "time_never_goes_back"),
    ("a foreign time for a base", "time_base", ONE_EACH + "M_FOREIGN_BASE", "time_never_goes_back"),
    ("a base stored over a mark (T1)", "time_base", THREE + "M_BASE_STORED", "time_never_goes_back"),
    ("a base put over what came later", "time_base", THREE + "M_BASE_READ_LATE", "time_never_goes_back"),
    ("a base before its reservation (T1)", "time_base", MOVED + "M_BASE_FIRST", "full_time_is_read"),
    ("time_base before write_count (T2)", "time_base", ONE_EACH + "M_BASE_THEN_COUNT", "time_never_goes_back"),
    ("no second look where the thread is", "time_base", ONE_EACH + "M_NO_SECOND_LOOK", "time_never_goes_back"),
    ("out of line a plain clock", "time_base", ONE_EACH + "M_PLAIN_CLOCK", "time_never_goes_back"),
    ("short records whatever the base", "time_base", MOVED + "M_SHORT", "full_time_is_read"),
    ("a ring is read and not marked", "slots", "OVERWRITE M_NO_READING", "reader_is_alone"),
    ("claimed without asking who reads", "slots", "OVERWRITE M_STATE_ONLY", "reader_is_alone"),
    ("ended by a store", "slots", "OVERWRITE M_ENDED_STORED", "reader_is_alone"),
    ("reading ended by a store", "slots", "OVERWRITE M_READING_STORED", "slot_comes_back"),
    ("taken by a store", "slots", "OVERWRITE M_TAKEN_STORED", "hole_in_no_ring"),
    ("two rings of one generation", "slots", "OVERWRITE M_SAME_GENERATION", "generation_is_a_ring"),
    ("a replaced ring's books not kept", "slots", "OVERWRITE M_NOT_KEPT", "books_balance"),
    ("free before the hole (S4)", "slots", "M_FREE_FIRST", "hole_in_no_ring"),
    ("taken, its consumer dead, and left", "slots", "M_TAKEN_LEFT", "slot_comes_back"),
    ("attempts without end", "progress", "NP FAIR M_NO_BOUND", CYCLE),
    ("a writer waits for others", "progress", "NP FAIR M_WAITS", CYCLE),
    ("a handler waits for whom it interrupted", "ring", W32 + "NP OVERWRITE N0=1 N1=2 M_WAITS", CYCLE),
    ("given up and not counted", "progress", "M_NOT_COUNTED", "books_balance"),
    ("each attempt counted", "progress", "M_COUNTED_TWICE", "books_balance"),
    # Coverage.
    ("cover: given up", "progress", "", "gave_up"),
    ("cover: replaced unread", "slots", "OVERWRITE", "replaced_unread"),
    ("cover: away and back", "time_base", MOVED, "excused_step_back"),
    ("cover: short again behind a foreign one", "time_base", "", "short_after_foreign"),
    ("cover: exchanged", "exchange", "", "packet_taken"),
    ("cover: exchange lost to a claim", "exchange", "", "exchange_lost"),
    ("cover: the reader's spare claimed", "exchange", "", "spare_claimed"),
    ("cover: all copied", "copy_open", "OVERWRITE", "copied_all"),
    ("cover: a part copied", "copy_open", "OVERWRITE", "copied_a_part"),
    ("cover: finished and not counted", "death", "", "finished_uncounted"),
    ("cover: padding counts as a record", "death", "FLUSH", "padding_counted"),
    ("cover: a hole over the edge", "death", "", "hole_goes_on"),
    ("cover: packet got again", "ring", KILLED, "packet_got_again"),
    ("cover: died uncounted", "books", "", "died_uncounted"),
    ("cover: packet overwritten", "books", "", "packet_overwritten"),
    ("cover: lock refused", "lock", "", "refused_while_used"),
    ("cover: lock of the dead", "lock", "", "taken_after_death"),
    ("cover: forked with the lock", "lock", "", "forked_with_lock"),
    ("cover: an event", "session", "A0=3 A1=0", "event_recorded"),
    ("cover: the second session", "session", "A0=3 A1=0", "ring_of_second_session"),
    ("cover: flushed by the thread", "session", "A0=3 A1=0", "flushed_by_thread"),
    ("cover: no slot", "session", "RUNS=1 A0=2 A1=2", "thread_refused"),
    ("cover: no slot, then one", "session", "RUNS=1 A0=2 A1=2", "refused_then_served"),
    ("cover: a given ring", "session", "A0=3 A1=0 PREPARED", "traced_in_a_given_ring"),
    ("cover: ended before it was given", "session", "A0=3 A1=0 PREPARED", "ended_before_given"),
    ("cover: lost to a freeze", "ring", W64 + "OVERWRITE N0=1 N1=3 FREEZE", "event_lost_to_freeze"),
    ("cover: lost_wrap", "ring", W64 + OVERWRITE, "event_lost_to_wrap"),
    ("cover: reader pushed", "ring", W64 + OVERWRITE, "reader_pushed"),
    ("cover: exchange lost", "ring", W64 + OVERWRITE, "exchange_lost"),
    ("cover: counters wrapped", "ring", W64 + DISCARD, "counters_wrapped"),
    ("cover: promotion", "promotion", "", "packet_read"),
]

LONG_CASES = [
    ("slot, overwrite, more", "slots", "OVERWRITE", PASSES),
    ("killed, discard, more nested", "death", "SB=5 N0=1 N1=3", PASSES),
    ("times, more events", "time_base", "", PASSES),
    ("copy, promoted, overwrite", "copy_open", "OVERWRITE PROMOTED", PASSES),
    ("killed, overwrite, more", "death", "OVERWRITE FLUSH OPEN_AHEAD N0=2 N1=2", PASSES),
    ("discard, three levels, more", "ring", W32 + "LEVELS=3 N0=1 N1=2 N2=2", PASSES),
    ("overwrite, more events", "ring", W64 + "OVERWRITE N0=2 N1=4", PASSES),
    ("overwrite, many more passes", "ring", FULL_STOP.replace("N1=5", "N1=6"), PASSES),
    ("discard, parallel, more", "ring", W32 + "PARALLEL N0=3 N1=3", PASSES),
]


class Outcome:
    def __init__(self, text, seconds):
        def number(pattern):
            found = re.search(pattern, text)
            return int(float(found.group(1))) if found else 0

        self.text = text
        self.error = ""
        self.seconds = seconds
        self.states = number(r"(\d[\d.e+]*) states, stored")
        self.depth = number(r"depth reached (\d+)")
        self.mib = number(r"([\d.]+)\s+total actual memory usage")
        complete = "errors: 0" in text and "max search depth too small" not in text and "out of memory" not in text
        if found := re.search(r"pan:1: (assertion violated .*|invalid end state|non-progress cycle)", text):
            self.verdict = "fails"
            self.error = found.group(1)
        elif complete and "Search not completed" not in text:
            self.verdict = "passes"
        else:
            self.verdict = "incomplete"


def named(error, model_text):
    """`assertion violated ((condition)&&7)` with the name for the 7: spin counts a model's mtype from its end."""
    names = re.findall(r"\w+", "".join(re.findall(r"mtype = \{(.*?)\}", model_text, re.DOTALL)))
    return re.sub(r"&&(\d+)\)", lambda found: f" && {names[-int(found.group(1))]})", error)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(model, definitions, only):
    """Where one assertion must fail, nothing else may end the run: not even a deadlock."""
    flags = ["-D" + word for word in definitions.split()]
    options = []
    if only not in (PASSES, CYCLE):
        flags.append("-DONLY=" + only)
        options.append("-E")
    if "NP" in definitions.split():
        options += ["-l", "-f"] if "FAIR" in definitions.split() else ["-l"]
        search = ["-DNP", "-DNFAIR=3"]
    else:
        search = ["-DSAFETY"]
    # A mutant stops soon: compiling it well would cost more than it saves. So it would where the whole is small.
    optimise = "-O0" if only is not PASSES else "-O2" if model in LARGE else "-O1"
    with tempfile.TemporaryDirectory() as folder:
        for part in glob.glob(os.path.join(HERE, "*.pml")):
            shutil.copy(part, folder)

        def call(command):
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=CASE_LIMIT_S, check=False)
            return done.returncode, done.stdout

        for command in (["spin", "-a", *flags, model + ".pml"],
                        [*CACHED, "gcc", optimise, "-w", *search, "-DCOLLAPSE", "-DVECTORSZ=2048",
                         f"-DMEMLIM={MEMORY_LIMIT_MIB}", "-c", "pan.c", "-o", "pan.o"],
                        ["gcc", "-o", "pan", "pan.o"]):
            status, text = call(command)
            if status != 0:
                return Outcome(text, 0)
        begin = cpu_seconds()
        try:
            _, text = call(["./pan", "-m100000", "-w22", *options])
        except subprocess.TimeoutExpired:
            text = f"not finished within {CASE_LIMIT_S} s"
        outcome = Outcome(text, cpu_seconds() - begin)
        if outcome.error:
            outcome.error = named(outcome.error, call(["gcc", "-E", "-P", "-x", "c", *flags, model + ".pml"])[1])
        return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="also the larger state spaces")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains TEXT")
    options = parser.parse_args()
    for tool in ("spin", "gcc"):
        if shutil.which(tool) is None:
            print(f"run_models: {tool} is not installed")
            return 77

    cases = [case for case in CASES + (LONG_CASES if options.long else []) if options.only in case[0]]
    if not cases:
        print(f"run_models: no case is named like '{options.only}'")
        return 1
    wrong = 0
    begin = cpu_seconds()
    print(f"{'case':41} {'must':6} {'does':10} {'states':>10} {'depth':>6} {'CPU s':>6} {'MiB':>5}"
          "  by the assertion")
    for name, model, definitions, expected in cases:
        outcome = run(model, definitions, expected)
        must = "passes" if expected is PASSES else "fails"
        print(f"{name:41} {must:6} {outcome.verdict:10} {outcome.states:10} {outcome.depth:6} {outcome.seconds:6.1f} "
              f"{outcome.mib:5}  {expected or ''}".rstrip(), flush=True)
        if outcome.verdict != must:
            wrong += 1
            print(f"  WRONG: {model}.pml {definitions} {outcome.error}", *outcome.text.splitlines()[:40], sep="\n  | ")
    print(f"{len(cases)} cases, {wrong} wrong, {cpu_seconds() - begin:.0f} CPU seconds with compiling")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
