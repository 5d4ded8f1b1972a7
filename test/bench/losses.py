#!/usr/bin/env python3
"""What lost records do to a correction, against the truth.

    test/bench/losses.py BUILD/bin [SEEDS [EVENTS [OPTION...]]]

Each trace of clc-tracegen is corrected as it is and without some of its records, from a file to a file. The table
shows, for clc-filter --match fifo and for the default, the largest correction in units of that of the intact trace,
the share of the true messages and edges of collective operations (those with both ends still there) that the
correction violates, and how many of the ends that lost their other end, or of the lost calls, the report names at most
eight messages of their channel, or calls of their process, away. Where both the largest correction (at most twice) and
the share (at most 0.5 %, 1 % where receives are lost) reach the goal, the default's are marked by a star. OPTION: of
clc-filter, such as --auto or --match resync, which takes the place of the default. Any intact trace on which the rules
differ is named at the end, and the status is 1 then. --own-tags gives each message a tag of its own, so that it is
matched rightly: what is left is what the clock itself makes of the loss.

With the folder of real traces in CLC_DATA they are the rows, with as many random losses each as there are seeds. What is
true there is how the trace as it is was matched.
"""
import collections
import heapq
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAMS = {
    "halo": "halo --processes 8",
    "ring": "ring",
    "pairs": "pairs",
    "master-worker": "master-worker",
    "random": "random",
    "finite-elements": "finite-elements --processes 8",
}
CALL_PROGRAMS = {
    "halo, allreduce": "halo --processes 8 --allreduce 4",
    "collectives": "collectives",
}
REAL = {
    "cloverleaf": ("cloverleaf-drift.clct.zst", "-mmd 1 -cldiff 1000 -maxerr 0.5"),
    "eztrace ring": ("eztrace-ring.clct.zst", "-mmd 0.5 -cldiff 50000"),
}
CLOCKS = {
    "200 us": "--offset 200",
    "10 ms": "--offset 10000",
    "200 us, steps": "--offset 200 --steps 3:200",
    "10 ms, steps": "--offset 10000 --steps 3:10000",
}
SOUND_ONLY = {
    "tick of 1 ms": "--offset 200 --tick 1000",
    "ntp": "--offset 1000 --ntp 0.05:500",
    "set every 20 ms": "--resync 0.02:1000",
}
RULES = {"fifo": ["--match", "fifo"], "default": []}
NEAR = 8  # messages of a channel, or calls of a process
LOSSES = [("sends", 1), ("sends", 20), ("sends", 200), ("receives", 20), ("both", 20), ("burst", 50), ("first", 30),
          ("first", 250)]
CALL_LOSSES = [("calls", 1), ("calls", 20), ("calls", 200)]
ONE_TO_N = {"bcast", "scatter", "scatterv"}
N_TO_ONE = {"reduce", "gather", "gatherv"}
PREFIX = {"scan", "exscan"}


Call = collections.namedtuple("Call", "process rank begin end sends receives")


class Operation:
    """A collective operation: calls, all of them there at first."""

    def __init__(self, name, communicator, root):
        self.name, self.communicator, self.root = name, communicator, root
        self.calls = []

    def edges(self):
        """Pairs of (begin, end)."""
        for tail in self.calls:
            for head in self.calls:
                if tail.process == head.process or not tail.sends or not head.receives or tail.begin is None:
                    continue
                if self.name in ONE_TO_N and tail.rank != self.root:
                    continue
                if self.name in N_TO_ONE and head.rank != self.root:
                    continue
                if self.name in PREFIX and tail.rank > head.rank:
                    continue
                yield tail.begin, head.end


class Trace:
    """A text trace; records are (time, process, kind, peer, communicator, tag, line), those of messages at least."""

    def __init__(self, text, min_delay_us=0.0):
        lines = text.splitlines()
        self.head = [line for line in lines if line.startswith("%")]
        self.records = []
        for line in lines:
            if line.startswith("%"):
                continue
            field = line.split()
            message = [int(x) for x in field[3:6]] if field[2] in ("S", "R") else [None] * 3
            self.records.append((int(field[0]), int(field[1]), field[2], *message, line))
        of_head = {line.split()[0]: line.split()[1] for line in self.head if len(line.split()) > 1}
        self.min_delay = int(of_head.get("%min-delay", 0)) or round(min_delay_us * int(of_head["%resolution"]) / 1e6)

    def pairs(self):
        """Pairs of (send, receive): nothing is lost here, so first in, first out is right."""
        sends, receives = collections.defaultdict(list), collections.defaultdict(list)
        for i, (_, process, kind, peer, communicator, tag, _) in enumerate(self.records):
            if kind == "S":
                sends[process, peer, communicator, tag].append(i)
            elif kind == "R":
                receives[peer, process, communicator, tag].append(i)
        return [pair for key, some in sends.items() for pair in zip(some, receives[key])]

    def give_tags(self):
        """Each message has a channel of its own then."""
        for number, pair in enumerate(self.pairs()):
            for i in pair:
                *head, _, line = self.records[i]
                field = line.split()
                field[5] = str(number)
                self.records[i] = (*head, number, " ".join(field))

    def operations(self):
        """The k-th calls on a communicator, for the same reason."""
        members = {}
        for line in self.head:
            field = line.split()
            if field[0] == "%group":
                members[int(field[1])] = {int(process): rank for rank, process in enumerate(field[2:])}
        begins, called, found = {}, collections.Counter(), {}
        for i, (_, process, kind, *_, line) in enumerate(self.records):
            field = line.split()
            if kind == "B":
                begins[process] = i
            if kind != "X":
                continue
            name, communicator, root, sent, received = field[3], int(field[4]), field[5], int(field[6]), int(field[7])
            k = called[communicator, process]
            called[communicator, process] += 1
            if len(members[communicator]) < 2:
                continue
            operation = found.setdefault((communicator, k),
                                         Operation(name, communicator, None if root == "-" else int(root)))
            barrier = name == "barrier"
            operation.calls.append(Call(process, members[communicator][process], begins.pop(process, None), i,
                                        barrier or sent > 0, barrier or received > 0))
        return list(found.values())

    def lose(self, what, count, seed):
        """Indexes of records that are lost."""
        chance = random.Random(seed)
        kinds = {"sends": "S", "receives": "R", "both": "SR"}
        if what in kinds:
            some = [i for i, record in enumerate(self.records) if record[2] in kinds[what]]
            return set(chance.sample(some, min(count, len(some))))
        if what == "calls":
            some = [call for operation in self.operations() for call in operation.calls]
            return {i for call in chance.sample(some, min(count, len(some))) for i in (call.begin, call.end)
                    if i is not None}
        process = chance.choice(sorted({record[1] for record in self.records if record[2] in "SR"}))
        own = [i for i, record in enumerate(self.records) if record[1] == process]
        start = chance.randrange(max(1, len(own) - count)) if what == "burst" else 0
        return set(own[start : start + count])


def run(program, arguments, **options):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True, **options).stdout


def correct(bin_folder, folder, trace, lost, rule, options):
    """Written times by index, and the losses of the report."""
    kept = [i for i in range(len(trace.records)) if i not in lost]
    source, report = folder / "in.clct", folder / "report"
    source.write_text("\n".join(trace.head + [trace.records[i][-1] for i in kept]) + "\n")
    corrected = folder / "out.clct"
    run(bin_folder / "clc-filter", ["-q", *options, *RULES[rule], "--no-sync", "--report", report, "--report-format",
                                    "json", source, "-o", corrected])
    written = collections.defaultdict(collections.deque)
    for line in corrected.read_text().splitlines():
        if not line.startswith("%"):
            time, process = line.split()[:2]
            written[int(process)].append(int(time))
    times = {i: written[trace.records[i][1]].popleft() for i in kept}
    found = json.loads(report.read_text())
    return times, found["losses"], found.get("lost_calls", [])


def places(ends, trace, times, ticks):
    """The first and the last of these ends that are at the time: a clock that was set back stands still. Where clocks
    are estimated first, a loss has the estimated time, so that the nearest one tells."""
    there = [k for k, i in enumerate(ends) if trace.records[i][0] == ticks]
    there = there or [min(range(len(ends)), key=lambda k: abs(times[ends[k]] - ticks), default=0)]
    return there[0], there[-1]


def so_many_near(true, named):
    """Places that can be assigned to one of the named ranges each, at most NEAR away."""
    found, reachable = 0, []
    named = collections.deque(sorted(named))
    for at in sorted(true):
        while named and named[0][0] <= at + NEAR:
            heapq.heappush(reachable, named.popleft()[1])
        while reachable and reachable[0] < at - NEAR:
            heapq.heappop(reachable)
        if reachable:
            heapq.heappop(reachable)
            found += 1
    return found


def count_found(trace, times, ends, alone, named):
    """By key: ends in order, places of those that are alone, and the times that are named. How many of these are found,
    and how many there are."""
    found = sum(so_many_near(at, [places(ends[key], trace, times, ticks) for ticks in named[key]])
                for key, at in alone.items())
    return found, sum(len(at) for at in alone.values())


def found_losses(trace, pairs, times, losses):
    """Of the ends without other end."""
    named = collections.defaultdict(list)
    for loss in losses:
        named[loss["sender"], loss["receiver"], loss["communicator"], loss["tag"], loss["missing"]].append(
            int(loss["other_end_ticks"]))
    ends, alone = collections.defaultdict(list), collections.defaultdict(list)
    for s, r in pairs:
        _, sender, _, receiver, communicator, tag, _ = trace.records[s]
        for missing, end, other in (("send", r, s), ("receive", s, r)):
            if end not in times:
                continue
            key = sender, receiver, communicator, tag, missing
            if other not in times:
                alone[key].append(len(ends[key]))
            ends[key].append(end)
    return count_found(trace, times, ends, alone, named)


def found_calls(trace, operations, times, lost_calls):
    """Of the calls, by the end of the first other one."""
    named = collections.defaultdict(list)
    for call in lost_calls:
        named[call["process"], call["communicator"]].append(int(call["others_end_ticks"]))
    firsts, absent = collections.defaultdict(list), collections.defaultdict(list)
    for operation in operations:
        others = [call.end for call in operation.calls if call.end in times]
        if not others:
            continue
        first = min(others, key=lambda end: trace.records[end][0])
        for call in operation.calls:
            key = call.process, operation.communicator
            if call.end not in times:
                absent[key].append(len(firsts[key]))
            firsts[key].append(first)
    return count_found(trace, times, firsts, absent, named)


def judge(trace, pairs, operations, times, losses, lost_calls):
    shift = max(time - trace.records[i][0] for i, time in times.items())
    edges = pairs + [edge for operation in operations for edge in operation.edges()]
    there = [(s, r) for s, r in edges if s in times and r in times]
    violated = sum(times[r] < times[s] + trace.min_delay for s, r in there)
    ends, calls = found_losses(trace, pairs, times, losses), found_calls(trace, operations, times, lost_calls)
    return shift, violated, len(there), ends[0] + calls[0], ends[1] + calls[1]


def reaches_goal(loss, largest, share):
    return largest <= 2 and share <= (0.01 if loss[0] in ("receives", "both") else 0.005)


class Table:
    """Rows of losses, and which intact traces the rules disagree about."""

    def __init__(self, bin_folder, folder, options):
        self.bin_folder, self.folder = bin_folder, folder
        self.own_tags = "--own-tags" in options
        self.options = [option for option in options if option != "--own-tags"]
        self.differ, self.sound = [], 0
        self.goals, self.reached = [0, 0], [0, 0]
        print("| program | clocks | lost | fifo: largest | violated | default: largest | violated | found |")
        print("|---|---|---|---|---|---|---|---|")

    def correct(self, trace, lost, rule, options):
        return correct(self.bin_folder, self.folder, trace, lost, rule, [*options, *self.options])

    def add(self, program, clocks, traces, losses, options=()):
        """traces: with their seeds."""
        total = {(loss, rule): [0, 0, 0, 0, 0] for loss in losses for rule in RULES}
        for seed, trace in traces:
            if self.own_tags:
                trace.give_tags()
            pairs, operations = trace.pairs(), trace.operations()
            times, *_ = self.correct(trace, set(), "fifo", options)
            self.sound += 1
            if self.correct(trace, set(), "default", options)[0] != times:
                self.differ.append(f"{program}, {clocks}, seed {seed}")
            intact = max(1, judge(trace, pairs, operations, times, [], [])[0])
            for loss, rule in total:
                lost = trace.lose(*loss, seed)
                found = judge(trace, pairs, operations, *self.correct(trace, lost, rule, options))
                sums = total[loss, rule]
                sums[0] = max(sums[0], found[0] / intact)
                for k in range(1, 5):
                    sums[k] += found[k]
        for loss in losses:
            self.print_row(program, clocks, loss, [total[loss, rule] for rule in RULES])

    def print_row(self, program, clocks, loss, by_rule):
        cells = []
        for largest, violated, there, named, orphans in by_rule:
            cells += [f"x {largest:.2f}", f"{100 * violated / there:.2f} %"]
        steps = clocks.endswith("steps")
        self.goals[steps] += 1
        if reaches_goal(loss, largest, violated / there):
            self.reached[steps] += 1
            cells[-1] += " *"
        print(f"| {program} | {clocks} | {loss[1]} {loss[0]} | {' | '.join(cells)} | {named} of {orphans} |", flush=True)

    def close(self):
        print(f"\nRows that reach the goal: {self.reached[0]} of {self.goals[0]} without steps, "
              f"{self.reached[1]} of {self.goals[1]} with steps")
        print(f"Intact traces on which the rules differ: {len(self.differ)} of {self.sound}")
        for which in self.differ:
            print(f"  {which}")
        return 1 if self.differ else 0


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve()
    seeds = range(1, 1 + (int(sys.argv[2]) if len(sys.argv) > 2 else 5))
    events = sys.argv[3] if len(sys.argv) > 3 else "10000"
    data = os.environ.get("CLC_DATA")
    with tempfile.TemporaryDirectory() as name:
        table = Table(bin_folder, pathlib.Path(name), sys.argv[4:])
        for program, (file, options) in (REAL if data else {}).items():
            text = run("zstd", ["-dcq", pathlib.Path(data) / file])
            trace = Trace(text, float(options.split()[1]))
            table.add(program, "real", ((seed, trace) for seed in seeds), LOSSES + CALL_LOSSES[:2], options.split())
        for program, arguments in ({} if data else PROGRAMS | CALL_PROGRAMS).items():
            for clocks, errors in (CLOCKS | SOUND_ONLY).items():
                traces = ((seed, Trace(run(bin_folder / "clc-tracegen",
                                           [*arguments.split(), *errors.split(), "--events", events,
                                            "--seed", str(seed)]))) for seed in seeds)
                some = LOSSES if program in PROGRAMS else [loss for loss in CALL_LOSSES if 300 * loss[1] <= int(events)]
                table.add(program, clocks, traces, [] if clocks in SOUND_ONLY else some)
        return table.close()


if __name__ == "__main__":
    sys.exit(main())
