#!/usr/bin/env python3
"""Holds a Chrome trace against the documented fields of its format and says what is in it.

usage: chrome_json.py FILE

Every event has the fields of its phase, and no others; on every thread times do not decrease and slices nest; both
ends of a flow lie inside a slice of their thread; a flow has one start and one end at most. Exits with 1 and the first
fault, else prints counts.
"""
import json
import sys

NUMBER = (int, float)
COMMON = {'ph': str, 'pid': int, 'tid': int}
# phase: fields it must have beside the common ones, fields it may have
PHASES = {
    'M': ({'name': str, 'args': dict}, {}),
    'B': ({'ts': NUMBER, 'name': str}, {'args': dict}),
    'E': ({'ts': NUMBER}, {'args': dict}),
    'i': ({'ts': NUMBER, 'name': str, 's': str}, {}),
    'C': ({'ts': NUMBER, 'name': str, 'args': dict}, {}),
    's': ({'ts': NUMBER, 'name': str, 'cat': str, 'id': int}, {}),
    'f': ({'ts': NUMBER, 'name': str, 'cat': str, 'id': int, 'bp': str}, {}),
}
METADATA = {'process_name': 'name', 'thread_name': 'name', 'process_sort_index': 'sort_index',
            'process_labels': 'labels'}


def fault(number, event, text):
    sys.exit(f'event {number}: {text}: {json.dumps(event)}')


def check_fields(number, event):
    phase = event.get('ph')
    if phase not in PHASES:
        fault(number, event, 'unknown phase')
    needed, allowed = PHASES[phase]
    needed = COMMON | needed
    for name, kind in needed.items():
        if name not in event:
            fault(number, event, f'no {name}')
    for name, value in event.items():
        kind = needed.get(name, allowed.get(name))
        if kind is None:
            fault(number, event, f'field {name}')
        if not isinstance(value, kind) or isinstance(value, bool):
            fault(number, event, f'type of {name}')
    if event['pid'] < 1 or event['tid'] < 1 or event.get('ts', 0) < 0:
        fault(number, event, 'number below its range')
    if phase == 'i' and event['s'] != 't' or phase == 'f' and event['bp'] != 'e':
        fault(number, event, 'unknown scope')
    if phase == 'M' and list(event['args']) != [METADATA.get(event['name'])]:
        fault(number, event, 'unknown metadata')
    if phase == 'C' and not all(isinstance(value, NUMBER) for value in event['args'].values()):
        fault(number, event, 'counter without number')


def refuse(word):
    raise ValueError(f'{word} is no JSON')


def main(path):
    with open(path, encoding='utf-8') as file:
        trace = json.load(file, parse_constant=refuse)
    if sorted(trace) != ['displayTimeUnit', 'otherData', 'traceEvents'] or trace['displayTimeUnit'] != 'ns':
        sys.exit(f'unknown fields: {sorted(trace)}')
    processes, threads, last, stacks, starts, ends, counts = set(), {}, {}, {}, {}, {}, {}
    corrections = []
    for number, event in enumerate(trace['traceEvents']):
        check_fields(number, event)
        phase, thread = event['ph'], (event['pid'], event['tid'])
        counts[phase] = counts.get(phase, 0) + 1
        if phase == 'M':
            if event['name'] == 'process_name':
                processes.add(event['pid'])
            if event['name'] == 'thread_name':
                threads[thread] = event['args']['name']
            continue
        if event['pid'] not in processes or thread not in threads:
            fault(number, event, 'thread without name')
        if event['ts'] < last.get(thread, 0):
            fault(number, event, f'time before {last[thread]}')
        last[thread] = event['ts']
        stack = stacks.setdefault(thread, [])
        if phase == 'B':
            stack.append(event['name'])
        elif phase == 'E':
            if not stack:
                fault(number, event, 'end without slice')
            stack.pop()
        elif phase in 'sf':
            side = starts if phase == 's' else ends
            if event['id'] in side:
                fault(number, event, 'second end of a flow')
            if not stack:
                fault(number, event, 'flow outside of slices')
            side[event['id']] = event['ts'], threads[thread]
        elif phase == 'C':
            corrections.append(event['args']['us'])
    whole = [number for number in starts if number in ends]
    backwards = {}
    for number in whole:
        if ends[number][0] < starts[number][0]:
            clock = ends[number][1]
            backwards[clock] = backwards.get(clock, 0) + 1
    print(f'{len(processes)} processes, {len(threads)} threads, {counts.get("B", 0)} slices, '
          f'{sum(len(stack) for stack in stacks.values())} open')
    print(f'{len(whole)} messages, {sum(backwards.values())} backwards' +
          (f' on {", ".join(sorted(backwards))}' if backwards else ''))
    print(f'{len(starts) + len(ends) - 2 * len(whole)} ends alone, {counts.get("i", 0)} instants')
    print(f'corrections to {max(corrections, default=0):g} us')


main(sys.argv[1])
