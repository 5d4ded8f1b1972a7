#!/usr/bin/env python3
"""Looks at OTF2 archives through otf2-print, independently of clc.

  otf2_text.py compare BEFORE AFTER   all but times must be equal; tells how many times differ, and by how much
  otf2_text.py violations MU ARCHIVE  counts pairs of events that are nearer than MU ticks
  otf2_text.py order BEFORE AFTER     counts events that have changed their order within a location, or with an
                                      event of another location of their location group
  otf2_text.py records ARCHIVE        prints the records that clc-filter makes an archive of, in its text format;
                                      communicators by the numbers that their names end in
"""
import collections
import re
import subprocess
import sys

EVENT = re.compile(r'^([A-Z0-9_]+) +(\d+) +(\d+)(?: |$)(.*)')
# What a correction changes beside times, and what otf2-print says about the file rather than the trace.
IGNORED = re.compile(r'^(CLOCK_OFFSET |Trace identifier |Version |Number of properties |Property name +CLC::PROVENANCE)')
ONE_TO_N = {'BCAST', 'SCATTER', 'SCATTERV'}
N_TO_ONE = {'REDUCE', 'GATHER', 'GATHERV'}
N_TO_N = {'BARRIER', 'ALLREDUCE', 'ALLGATHER', 'ALLGATHERV', 'ALLTOALL', 'ALLTOALLV', 'ALLTOALLW', 'REDUCE_SCATTER',
          'REDUCE_SCATTER_BLOCK'}


def read(archive):
    """Definitions as lines, and by location the list of [kind, time, fields]."""
    run = subprocess.run(['otf2-print', '-A', archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    definitions, events, last, skip = [], collections.defaultdict(list), None, False
    in_events = in_snapshots = False
    for line in run.stdout.decode('utf-8', 'replace').splitlines():
        if line.startswith('=== '):
            in_events = line.startswith('=== Events')
            in_snapshots = line.startswith('=== Snapshots')
        if skip:
            skip = False
            continue
        if IGNORED.match(line):
            skip = 'PROVENANCE' in line  # its value
            continue
        found = EVENT.match(line) if in_events else None
        if found:
            last = [found[1], int(found[3]), re.sub(r'Stop Time: \d+', 'Stop Time', found[4])]
            events[int(found[2])].append(last)
        elif in_events and last and line.strip():
            last[2] += '\n' + line.strip()  # attributes
        elif in_snapshots:
            definitions.append(re.sub(r'^([A-Z0-9_]+ +\d+) +\d+ *', r'\1 ', line))
        else:
            definitions.append(re.sub(r'Global Offset: \d+, Length: \d+', '', line))
    return definitions, events


def compare(before, after):
    first, second = read(before), read(after)
    if first[0] != second[0]:
        different = [pair for pair in zip(first[0], second[0]) if pair[0] != pair[1]]
        sys.exit(f'definitions differ: {different[:1] or "their number"}')
    if first[1].keys() != second[1].keys():
        sys.exit('locations differ')
    moved, count, largest, least = set(), 0, 0, 0
    for location, events in first[1].items():
        others = second[1][location]
        if [(e[0], e[2]) for e in events] != [(e[0], e[2]) for e in others]:
            sys.exit(f'events of location {location} differ')
        for a, b in zip(events, others):
            count += 1
            shift = b[1] - a[1]
            largest, least = max(largest, shift), min(least, shift)
            if shift:
                moved.add(location)
    print(f'{count} events of {len(first[1])} locations; times differ in {len(moved)} locations, '
          f'by {least} to {largest} ticks')


def violations(mu, archive):
    definitions, locations = read(archive)
    # Communicators whose operations order nothing: between two groups, and of a process alone.
    alone = {found[1] for found in (re.match(r'GROUP +(\d+) .*Type: COMM_SELF', line) for line in definitions) if found}
    without = set()
    for line in definitions:
        found = re.match(r'(INTER_COMM|COMM) +(\d+) .*?Group.*?<(\d+)>', line)
        if found and (found[1] == 'INTER_COMM' or found[3] in alone):
            without.add(found[2])
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    calls = collections.defaultdict(list)  # by communicator and number of the call: begin, end, location, ...
    counted = collections.Counter()
    for location, events in locations.items():
        begin, requests = None, {}
        for kind, time, fields in events:
            if kind in ('MPI_SEND', 'MPI_ISEND', 'MPI_RECV', 'MPI_IRECV'):
                peer = int(re.search(r'(?:Receiver|Sender): \d+ \(.*?<(\d+)>\)', fields)[1])
                communicator = re.search(r'Communicator: .*?<(\d+)>', fields)[1]
                tag = re.search(r'Tag: (\d+)', fields)[1]
                if 'SEND' in kind:
                    sends[location, peer, communicator, tag].append(time)
                else:
                    receives[peer, location, communicator, tag].append(time)
            elif kind == 'MPI_COLLECTIVE_BEGIN':
                begin = time
            elif kind == 'NON_BLOCKING_COLLECTIVE_REQUEST':
                requests[re.search(r'Request: (\d+)', fields)[1]] = time
            elif kind in ('MPI_COLLECTIVE_END', 'NON_BLOCKING_COLLECTIVE_COMPLETE'):
                operation = re.search(r'Operation: ([A-Z_]+)', fields)[1]
                communicator = re.search(r'Communicator: .*?<(\d+)>', fields)[1]
                root = re.search(r'Root: \d+ \(.*?<(\d+)>\)', fields)
                sent, received = (int(re.search(word + r': (\d+)', fields)[1]) for word in ('Sent', 'Received'))
                if communicator in without:
                    continue
                request = re.search(r'Request: (\d+)', fields)
                start = begin if request is None else requests.pop(request[1], None)
                counted[location, communicator] += 1
                calls[communicator, counted[location, communicator]].append(
                    (start, time, location, operation, int(root[1]) if root else None, sent, received))
    messages = bad = 0
    for key, times in sends.items():
        for sent, received in zip(times, receives.get(key, [])):
            messages += 1
            bad += key[0] != key[1] and received < sent + mu
    pairs = bad_pairs = 0
    for members in calls.values():
        for start, _, sender, operation, root, sent, _ in members:
            for _, end, receiver, _, _, _, received in members:
                if sender == receiver or start is None:
                    continue
                data = operation == 'BARRIER' or (sent > 0 and received > 0)
                if data and (operation in N_TO_N or (operation in ONE_TO_N and sender == root) or
                             (operation in N_TO_ONE and receiver == root)):
                    pairs += 1
                    bad_pairs += end < start + mu
    print(f'{messages} messages, {bad} violated; {len(calls)} collective operations, {pairs} pairs, '
          f'{bad_pairs} violated')


def order(before, after):
    definitions, first = read(before)
    second = read(after)[1]
    group = {}
    for line in definitions:
        found = re.match(r'LOCATION +(\d+) .*Group: .*<(\d+)>', line)
        if found:
            group[int(found[1])] = int(found[2])
    single = sum(b[1] < a[1] for events in second.values() for a, b in zip(events, events[1:]))
    merged = collections.defaultdict(list)
    for location, events in first.items():
        merged[group[location]] += [(a[1], b[1]) for a, b in zip(events, second[location])]
    between = 0
    for pairs in merged.values():
        pairs.sort()
        highest = 0
        for _, time in pairs:
            between += time < highest
            highest = max(highest, time)
    print(f'{single} within a location, {between} within a group')


def records(archive):
    simple = {'MPI_SEND': 'S', 'MPI_RECV': 'R'}
    for location, events in read(archive)[1].items():
        for kind, time, fields in events:
            def field(pattern):
                return re.search(pattern, fields)[1]
            call = ''
            if 'COLLECTIVE' in kind and 'NON_BLOCKING' in kind:
                call = ' call=' + str(int(field(r'Request: (\d+)')) + 1)
            if kind in ('ENTER', 'LEAVE'):
                text = kind[0] + ' ' + field(r'Region: "(.*)" <\d+>')
            elif kind in simple:
                text = f"{simple[kind]} {field(r'(?:Receiver|Sender): .*?<([0-9]+)>')} "
                text += f"{field(r'Communicator: .*?([0-9]+)')} {field(r'Tag: ([0-9]+)')} {field(r'Length: ([0-9]+)')}"
            elif kind in ('MPI_COLLECTIVE_BEGIN', 'NON_BLOCKING_COLLECTIVE_REQUEST'):
                text = 'B'
            elif kind in ('MPI_COLLECTIVE_END', 'NON_BLOCKING_COLLECTIVE_COMPLETE'):
                root = '-' if 'Root: NONE' in fields else field(r'Root: (\d+)')
                text = f"X {field(r'Operation: ([A-Z_]+)').lower()} {field(r'Communicator: .*?([0-9]+)')} {root} "
                text += f"{field(r'Sent: ([0-9]+)')} {field(r'Received: ([0-9]+)')}"
            else:
                text = field(r'Value: "(.*)" <\d+>')
            print(time, location, text + call)


if __name__ == '__main__':
    if sys.argv[1] == 'records':
        records(sys.argv[2])
        sys.exit()
    if sys.argv[1] == 'compare':
        compare(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == 'violations':
        violations(int(sys.argv[2]), sys.argv[3])
    else:
        order(sys.argv[2], sys.argv[3])
