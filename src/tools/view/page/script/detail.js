// The trace in full detail, where the page holds it: model/detail.cpp.
const lastOf = (map, process) => map.get(process) || 0;

// Corrections of processes, each told as the difference to its last one.
function shifts() {
  const known = new Map();
  return (process, values, i) => {
    if (sides === 1) return 0;
    const shift = lastOf(known, process) + values[i];
    known.set(process, shift);
    return shift;
  };
}

// Collective operations: the last columns of a part.
function unpackJoints(chunk, part, column, shift) {
  const [kinds, communicators, before, after, counts, processes, begins, lengths, from, to, numbers] = Array.from({length: 11}, column);
  let k = 0, number = 0;
  for (let i = 0; i < kinds.length; ++i) {
    number += numbers[i];
    const joint = {operation: kinds[i], communicator: communicators[i] - 1, violated: [before[i], after[i]], members: [], number,
                   from: [Infinity, Infinity], to: [-Infinity, -Infinity]};
    let process = 0, time = part.begin;
    for (const end = k + counts[i]; k < end; ++k) {
      process += processes[k];
      time += begins[k];
      const a = shift(process, from, k), b = shift(process, to, k);
      const member = {process, begin: [time - a, time], end: [time + lengths[k] - b, time + lengths[k]]};
      joint.members.push(member);
      for (const side of [0, 1]) {
        joint.from[side] = Math.min(joint.from[side], member.begin[side]);
        joint.to[side] = Math.max(joint.to[side], member.end[side]);
      }
    }
    chunk.joints.push(joint);
  }
}

function unpackChunk(part) {
  const column = columnsOf(part.text), shift = shifts();
  const chunk = {rows: new Map(), pieces: 0, marks: [], arrows: [], joints: []};
  {
    const [processes, counts, regions, gaps, lengths, from, to] = Array.from({length: 7}, column);
    let process = 0, i = 0;
    for (let run = 0; run < counts.length; ++run) {
      process += processes[run];
      let end = part.begin;
      const row = rowOf(process);
      if (!chunk.rows.has(row)) chunk.rows.set(row, []);
      const pieces = chunk.rows.get(row);
      for (let k = 0; k < counts[run]; ++k, ++i) {
        const begin = end + gaps[i];
        end = begin + lengths[i];
        const a = shift(process, from, i), b = shift(process, to, i);
        pieces.push({process, region: regions[i] - 1, from: [begin - a, begin], to: [end - b, end]});
      }
    }
    chunk.pieces = i;
  }
  {
    const [processes, times, own] = Array.from({length: 3}, column);
    let time = part.begin;
    for (let i = 0; i < processes.length; ++i) {
      time += times[i];
      chunk.marks.push({process: processes[i], time: [time - shift(processes[i], own, i), time]});
    }
  }
  {
    const from = column(), to = column(), bytes = exactColumn(column), tags = exactColumn(column);
    const [communicators, delays, sent, took, sender, receiver, numbers] = Array.from({length: 7}, column);
    let time = part.begin, number = 0;
    for (let i = 0; i < from.length; ++i) {
      time += sent[i];
      number += numbers[i];
      const target = from[i] + to[i], a = shift(from[i], sender, i), b = shift(target, receiver, i);
      chunk.arrows.push(arrow(from[i], target, bytes[i], tags[i], communicators[i] - 1, delays[i], -1,
                              [time - a, time], [time + took[i] - b, time + took[i]], [took[i] + a - b, took[i]], number));
    }
  }
  unpackJoints(chunk, part, column, shift);
  return chunk;
}

// Delays stand beside the times: with clocks that began at different times these are rounded, signs of delays are not.
function arrow(from, to, bytes, tag, communicator, mu, operation, sent, received, delay, number) {
  return {from, to, bytes, tag, communicator, mu, operation, sent, received, delay, number};
}

// Arrows that stand alone: a sample of the messages, and the worst violations.
function unpackArrows(text) {
  const column = columnsOf(text);
  const from = column(), to = column(), bytes = exactColumn(column), tags = exactColumn(column);
  const [communicators, delays, operations, sent, own, took, later] = Array.from({length: 7}, column);
  const out = [];
  let time = 0;
  for (let i = 0; i < from.length; ++i) {
    time += sent[i];
    const a = time + (sides > 1 ? own[i] : 0);
    out.push(arrow(from[i], from[i] + to[i], bytes[i], tags[i], communicators[i] - 1, delays[i], operations[i] - 1,
                   [time, a], [time + took[i], a + (sides > 1 ? later[i] : took[i])],
                   [took[i], sides > 1 ? later[i] : took[i]]));
  }
  return out;
}

const rowOf = process => Math.floor(process / data.group);
const parts = data.detail.parts;
const chunkOf = part => part.chunk || (part.chunk = unpackChunk(part));
const touching = (side, from, to) => parts.filter(part => part.to[side] >= from && part.from[side] <= to);

// Stretches of time, of a side, in which all is held: of chunks without a gap.
const held = Array.from({length: sides}, (_, side) => {
  const stretches = [];
  parts.forEach((part, i) => {
    const inner = side === 0 && sides > 1 ? part.recorded : part.corrected;
    const from = part.number === 0 ? -Infinity : inner[0], to = part.number === data.detail.chunks - 1 ? Infinity : inner[1];
    if (i > 0 && parts[i - 1].number === part.number - 1) stretches[stretches.length - 1][1] = to;
    else stretches.push([from, to]);
  });
  return stretches;
});
const isHeld = (side, from, to) => held[side].some(stretch => stretch[0] <= from && stretch[1] >= to);

// Messages and operations that are in a stretch of time somewhere on a side; those of two chunks once: they have the same
// number in both, while messages with the same ends and times are several.
function between(side, from, to, what) {
  const chosen = touching(side, from, to);
  if (chosen.length === 1) return chunkOf(chosen[0])[what];
  const seen = new Set();
  return chosen.flatMap(part => chunkOf(part)[what].filter(edge => !seen.has(edge.number) && seen.add(edge.number)));
}
