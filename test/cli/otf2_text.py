#!/usr/bin/env python3
"""Looks at OTF2 archives through otf2-print, independently of clc.

  otf2_text.py compare BEFORE AFTER   all but times must be equal; tells how many times differ, and by how much
  otf2_text.py violations MU ARCHIVE  counts pairs of events that are nearer than MU ticks
  otf2_text.py threads MU ARCHIVE     the same between threads: forks, joins, barriers, locks, threads made and ended
  otf2_text.py order BEFORE AFTER     counts events that have changed their order within a location, or with an
                                      event of another location of their location group
  otf2_text.py records ARCHIVE        prints the records that clc-filter makes an archive of, in its text format;
                                      communicators by the numbers that their names end in
  otf2_text.py renumber FILE OLD NEW  gives the events of a kind another number, in an event file of one chunk
"""
import collections
import os
import re
import subprocess
import sys

EVENT = re.compile(r'^([A-Z0-9_]+) +(\d+) +(\d+)(?: |$)(.*)')
# What a correction changes beside times, and what otf2-print says about the file rather than the trace.
IGNORED = re.compile(r'^(CLOCK_OFFSET |Trace identifier |Version |Number of properties |Property name +CLC::PROVENANCE)')
ONE_TO_N = {'BCAST', 'SCATTER', 'SCATTERV'}
N_TO_ONE = {'REDUCE', 'GATHER', 'GATHERV'}
CALLS_WITH_GROUPS = {'MPI_Win_post', 'MPI_Win_start', 'MPI_Win_complete', 'MPI_Win_wait', 'MPI_Win_test'}
N_TO_N = {'BARRIER', 'ALLREDUCE', 'ALLGATHER', 'ALLGATHERV', 'ALLTOALL', 'ALLTOALLV', 'ALLTOALLW', 'REDUCE_SCATTER',
          'REDUCE_SCATTER_BLOCK'}


def read(archive):
    """Definitions as lines, and by location the list of [kind, time, fields]."""
    large_pages = os.environ | {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}  # see lib.sh
    run = subprocess.run(['otf2-print', '-A', archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                         env=large_pages)
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
    # Operations between two groups order what one sends and the other receives.
    groups = {found[1]: set(re.findall(r'<(\d+)>', found[2]))
              for found in (re.match(r'GROUP +(\d+) .*Members?: (.*)', line) for line in definitions) if found}
    first_group = {found[1]: groups[found[2]] for found in
                   (re.match(r'INTER_COMM +(\d+) .*?Group.*?<(\d+)>', line) for line in definitions) if found}
    # Communicators whose operations order nothing: of a process alone.
    alone = {found[1] for found in (re.match(r'GROUP +(\d+) .*Type: COMM_SELF', line) for line in definitions) if found}
    without = set()
    for line in definitions:
        found = re.match(r'COMM +(\d+) .*?Group.*?<(\d+)>', line)
        if found and found[2] in alone:
            without.add(found[1])
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    calls = collections.defaultdict(list)  # by communicator and number of the call: begin, end, location, ...
    counted = collections.Counter()
    for location, events in locations.items():
        begin, requests, window_begin, before = None, [], None, None
        posted = {}  # position of the last receive with that number
        open_calls = []  # name, time of entry, what is awaited at the end, whether it has synchronized with its group
        for position, (kind, time, fields) in enumerate(events):
            ahead, before = before, time
            if kind in ('MPI_SEND', 'MPI_ISEND', 'MPI_RECV', 'MPI_IRECV'):
                peer = int(re.search(r'(?:Receiver|Sender): \d+ \(.*?<(\d+)>\)', fields)[1])
                communicator = re.search(r'Communicator: .*?<(\d+)>', fields)[1]
                tag = re.search(r'Tag: (\d+)', fields)[1]
                if 'SEND' in kind:
                    sends[location, peer, communicator, tag].append(time)
                else:
                    request = re.search(r'Request: (\d+)', fields)
                    order = posted.pop(request[1], position) if request else position
                    receives[peer, location, communicator, tag].append((order, time))
            elif kind == 'MPI_IRECV_REQUEST':
                posted[re.search(r'Request: (\d+)', fields)[1]] = position
            elif kind == 'RMA_SYNC' and 'NOTIFY' in fields:
                window = re.search(r'Window: .*?<(\d+)>', fields)[1]
                peer = int(re.search(r'Remote: \d+ \(.*?<(\d+)>\)', fields)[1])
                if 'NOTIFY_OUT' in fields:
                    sends[location, peer, 'window', window].append(time)
                else:
                    receives[peer, location, 'window', window].append((position, time))
            elif kind == 'ENTER':
                name = re.search(r'Region: "(.*)" <', fields)
                open_calls.append([name and name[1], time, [], False])
            elif kind == 'LEAVE':
                name, _, awaited, synchronized = open_calls.pop() if open_calls else [None, time, [], False]
                for key in awaited:
                    receives[key].append((position, time))
                outer = next((call for call in reversed(open_calls) if call[0] in CALLS_WITH_GROUPS), None)
                if synchronized and outer and outer[0] == name:
                    outer[3] = True
            elif kind == 'RMA_GROUP_SYNC' and any(call[0] in CALLS_WITH_GROUPS for call in open_calls):
                call = next(call for call in reversed(open_calls) if call[0] in CALLS_WITH_GROUPS)
                region, entered, awaited, synchronized = call
                if synchronized or 'PROCESS' not in fields:
                    continue
                call[3] = True
                window = re.search(r'Window: .*?<(\d+)>', fields)[1]
                members = groups[re.search(r'Group: .*?<(\d+)>', fields)[1]] - {str(location)}
                if region == 'MPI_Win_complete':
                    for member in members:
                        sends[location, int(member), 'epoch', window].append(entered)
                elif region in ('MPI_Win_wait', 'MPI_Win_test'):
                    awaited.extend((int(member), location, 'epoch', window) for member in members)
            elif kind == 'RMA_COLLECTIVE_BEGIN':
                window_begin = time
            elif kind in ('RMA_COLLECTIVE_END', 'RMA_GROUP_SYNC'):
                window = re.search(r'Window: .*?<(\d+)>', fields)[1]
                group = re.search(r'Group: .*?<(\d+)>', fields)
                if group and str(location) not in groups[group[1]]:
                    continue
                call = ('window', window, group and group[1])
                counted[location, call] += 1
                if 'PROCESS' not in fields:
                    continue
                if group:
                    member = (ahead, time, location, 'BARRIER', None, 0, 0)
                else:
                    root = re.search(r'Root: \d+ \(.*?<(\d+)>\)', fields)
                    sent, received = (int(re.search(word + r': (\d+)', fields)[1]) for word in ('Sent', 'Received'))
                    member = (window_begin, time, location, re.search(r'Operation: ([A-Z_]+)', fields)[1],
                              int(root[1]) if root else None, sent, received)
                calls[call, counted[location, call]].append(member)
            elif kind == 'MPI_COLLECTIVE_BEGIN':
                begin = time
            elif kind == 'NON_BLOCKING_COLLECTIVE_REQUEST':
                requests.append([re.search(r'Request: (\d+)', fields)[1], time, None])
            elif kind in ('MPI_COLLECTIVE_END', 'NON_BLOCKING_COLLECTIVE_COMPLETE'):
                operation = re.search(r'Operation: ([A-Z_]+)', fields)[1]
                communicator = re.search(r'Communicator: .*?<(\d+)>', fields)[1]
                root = re.search(r'Root: \d+ \(.*?<(\d+)>\)', fields)
                sent, received = (int(re.search(word + r': (\d+)', fields)[1]) for word in ('Sent', 'Received'))
                if communicator in without:
                    continue
                request = re.search(r'Request: (\d+)', fields)
                member = (begin, time, location, operation, int(root[1]) if root else None, sent, received)
                if request is None:
                    counted[location, communicator] += 1
                    calls[communicator, counted[location, communicator]].append(member)
                else:
                    of = next(entry for entry in requests if entry[0] == request[1] and entry[2] is None)
                    of[2] = (communicator, (of[1], *member[1:]))
        # The n-th request on a communicator, in whichever order they complete.
        for communicator, member in (entry[2] for entry in requests if entry[2] is not None):
            counted[location, communicator, 'request'] += 1
            calls[communicator, ('request', counted[location, communicator, 'request'])].append(member)
    messages = bad = 0
    for key, times in sends.items():
        # Receives match in the order in which they were posted.
        for sent, (_, received) in zip(times, sorted(receives.get(key, []))):
            messages += 1
            bad += key[0] != key[1] and received < sent + mu
    pairs = bad_pairs = 0
    for (communicator, _), members in calls.items():
        between = first_group.get(communicator)
        for start, _, sender, operation, root, sent, _ in members:
            for _, end, receiver, _, _, _, received in members:
                if sender == receiver or start is None:
                    continue
                if between is not None and (str(sender) in between) == (str(receiver) in between):
                    continue
                data = operation == 'BARRIER' or (sent > 0 and received > 0)
                if data and (operation in N_TO_N or (operation in ONE_TO_N and sender == root) or
                             (operation in N_TO_ONE and receiver == root) or
                             (operation in ('SCAN', 'EXSCAN') and sender < receiver)):
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


def threads(mu, archive):
    definitions, locations = read(archive)
    barriers, groups, team_of, process = {}, {}, {}, {}
    for line in definitions:
        found = re.match(r'LOCATION +(\d+) .*Group: .*<(\d+)>', line)
        if found:
            process[int(found[1])] = found[2]
        found = re.match(r'REGION +(\d+) .*Role: (?:IMPLICIT_)?BARRIER, Paradigm: (\w+)', line)
        if found:
            barriers[found[1]] = found[2]
        found = re.match(r'GROUP +(\d+) .*Type: COMM_GROUP, Paradigm: (OPENMP).* Members?: (.*)', line)
        if found:
            groups[found[1]] = found[2], [int(member) for member in re.findall(r'<(\d+)>', found[3])]
        found = re.match(r'COMM +(\d+) .*Group: .*?<(\d+)>, Parent', line)
        if found and found[2] in groups:
            team_of[found[1]] = groups[found[2]]
    # By team and location the regions in their order: begin, end, barriers; of the master also size, fork and join.
    regions = collections.defaultdict(lambda: collections.defaultdict(list))
    uneven, cut = set(), set()  # teams whose records do not fit; locations that end within a region
    for location, events in locations.items():
        fork, stack, left = {}, [], {}
        for kind, time, fields in events:
            if kind == 'THREAD_FORK':
                fork = {'fork': time, 'size': int(re.search(r'Threads: (\d+)', fields)[1])}
            elif kind == 'THREAD_TEAM_BEGIN':
                stack.append({'team': re.search(r'<(\d+)>', fields)[1], 'begin': time, 'barriers': [], **fork})
                regions[stack[-1]['team']][location].append(stack[-1])
                fork = {}
            elif kind == 'THREAD_TEAM_END':
                left = stack.pop() if stack else {}
                left['end'] = time
                name = re.search(r'<(\d+)>', fields)[1]
                if left.get('team') != name:
                    uneven.update((name, left.get('team')))
            elif kind == 'THREAD_JOIN':
                left['join'] = time
            elif kind in ('ENTER', 'LEAVE') and stack and stack[-1]['team'] in team_of:
                if barriers.get(re.search(r'<(\d+)>', fields)[1]) == team_of[stack[-1]['team']][0]:
                    if kind == 'ENTER':
                        stack[-1]['barriers'].append([time])
                    else:
                        stack[-1]['barriers'][-1].append(time)
        if stack:
            cut.add(location)
    edges = collections.defaultdict(list)
    for team, (_, members) in team_of.items():
        forks = regions[team][members[0]]
        if team in uneven or not all('join' in each and 'fork' in each for each in forks):
            continue
        took_part = {member: [each for each in forks if each['size'] > rank] for rank, member in enumerate(members)}
        own = {member: regions[team][member] for member in members}
        if not all('end' in each for member in members for each in own[member][:-1]):
            continue
        if any(len(took_part[member]) != len(own[member]) for member in members if not cut) or any(
                len(took_part[member]) < len(own[member]) for member in members):
            continue
        for region in forks:
            calls = {member: mine for member in members
                     for mine, forked in zip(own[member], took_part[member]) if forked is region}
            others = [calls[member] for member in calls if member != members[0]]
            edges['forks'] += [(region['fork'], call['begin']) for call in others]
            edges['joins'] += [(call['end'], region['join']) for call in others if 'end' in call]
            if len({len(call['barriers']) for call in calls.values() if 'end' in call}) > 1:
                continue
            if len(calls) < min(region['size'], len(members)):
                continue
            for together in zip(*(call['barriers'] for call in calls.values())):
                edges['barriers'] += [(a[0], b[1]) for a in together for b in together if a is not b]
    sent, received = {}, {}
    for location, events in locations.items():
        depth = collections.Counter()
        for kind, time, fields in events:
            if kind.endswith('_LOCK') and kind.startswith('THREAD_'):
                paradigm, lock, order = re.search(r'Model: (\w+), Lock: (\d+), Acquisition Order: (\d+)', fields).groups()
                key = 'locks', process[location], paradigm, lock
                depth[key] += 1 if 'ACQUIRE' in kind else -1
                if 'ACQUIRE' in kind and depth[key] == 1:
                    received[(*key, int(order) - 1)] = time
                elif 'RELEASE' in kind and depth[key] == 0:
                    sent[(*key, int(order))] = time
            elif kind in ('THREAD_CREATE', 'THREAD_BEGIN', 'THREAD_END', 'THREAD_WAIT'):
                contingent, sequence = re.search(r'Contingent: (.*), Sequence Count: (\d+)', fields).groups()
                key = 'threads', contingent, sequence, kind in ('THREAD_END', 'THREAD_WAIT')
                (sent if kind in ('THREAD_CREATE', 'THREAD_END') else received)[key] = time
    for key in sent.keys() & received.keys():
        edges[key[0]].append((sent[key], received[key]))
    print('; '.join(f'{len(pairs)} {name}, {sum(head < tail + mu for tail, head in pairs)} violated'
                    for name, pairs in sorted(edges.items())))


def renumber(path, old, new):
    with open(path, 'rb') as file:
        content = bytearray(file.read())
    at, count = 18, 0  # behind the head of the chunk
    while content[at] > 2:
        kind = content[at]
        if kind == old:
            content[at] = new
            count += 1
        at += 1
        if kind == 5:
            at += 8
        elif content[at] == 255 and kind not in (12, 13):
            at += 9 + int.from_bytes(content[at + 1:at + 9], 'little')
        else:
            at += 1 + content[at] % 255
    with open(path, 'wb') as file:
        file.write(content)
    print(count)


if __name__ == '__main__':
    if sys.argv[1] == 'renumber':
        renumber(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    if sys.argv[1] == 'records':
        records(sys.argv[2])
        sys.exit()
    if sys.argv[1] == 'compare':
        compare(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == 'violations':
        violations(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == 'threads':
        threads(int(sys.argv[2]), sys.argv[3])
    else:
        order(sys.argv[2], sys.argv[3])
