// What follows the time lines: message delays and their matrix, of the time shown and the process picked; the link.
const figuresOf = name => [...document.querySelectorAll(`svg[data-figure=${name}]`)].slice(0, sides);
const whole = new Map(["delay-histogram", "delays"].flatMap(figuresOf).map(svg => [svg, svg.innerHTML]));
const notes = new Map(["delay-histogram", "delays"].filter(name => figuresOf(name).length).map(name => {
  const note = document.createElement("p");
  note.className = "note";
  note.setAttribute("role", "status");
  figuresOf(name)[0].closest("section").append(note);
  return [name, note];
}));

// The messages with both ends in the time shown, corrected; all of them, or those of the sample.
function messagesShown() {
  const side = sides - 1, all = isHeld(side, view[0], view[1]);
  const list = (all ? between(side, view[0], view[1], "arrows") : sample).filter(a =>
    a.sent[side] >= view[0] && a.received[side] <= view[1] && (picked === null || a.from === picked || a.to === picked));
  return {all, list};
}

const line = (style, x1, y1, x2, y2) => `<line class="${style}" x1="${f(x1)}" y1="${f(y1)}" x2="${f(x2)}" y2="${f(y2)}"/>`;
const word = (x, y, words, anchor, style = "small") => `<text class="${style}" x="${f(x)}" y="${f(y)}" text-anchor="${anchor}">${text(words)}</text>`;

// A quarter of an octave a bar, as in figures/histograms.cpp.
function drawHistogram(svg, side, list) {
  const left = 56, right = 544, bottom = 204, top = 34, counts = new Map();
  let low = Infinity, high = -Infinity, back = 0;
  for (const a of list) {
    const size = Math.abs(a.delay[side]), k = size ? Math.floor(4 * Math.log2(size)) : 0, sign = a.delay[side] < 0 ? -1 : 1;
    back += a.delay[side] < 0;
    low = Math.min(low, k);
    high = Math.max(high, k + 1);
    counts.set(sign * 1000 + k, (counts.get(sign * 1000 + k) || 0) + 1);
  }
  const out = [word(left, 18, data.sides[side], "start", "title"), line("axis", left, bottom, right, bottom)];
  if (list.length) {
    const most = Math.max(...counts.values()), zero = back ? (left + right) / 2 : left;
    const step = (right - zero) / (high - low + 1), height = n => Math.log10(n * 2) / Math.log10(Math.max(most, 2) * 2) * (bottom - top);
    for (const [key, count] of counts) {
      const sign = key < 0 ? -1 : 1, k = key - sign * 1000;
      const x = zero + sign * step * (k - low + 1), h = height(count);
      out.push(`<rect class="${sign < 0 ? "back" : side === 0 && sides > 1 ? "before" : "after"}" x="${f(sign < 0 ? x - step : x)}" y="${f(bottom - h)}" width="${f(step * 0.9)}" height="${f(h)}"/>`);
    }
    const at = k => duration(Math.pow(2, k / 4) / data.second);
    out.push(word(right, bottom + 18, at(high), "end"), word(zero + step, bottom + 18, at(low), "start"));
    if (back) out.push(line("axis", zero, top, zero, bottom + 4), word(left, bottom + 18, "−" + at(high), "start"),
                       word(right, 18, `${back.toLocaleString("en-US")} below zero`, "end", "warn"));
    out.push(word(left - 6, bottom - height(most) + 4, most.toLocaleString("en-US"), "end"));
  }
  out.push(word(left, 242, "messages by delay, logarithmic", "start"));
  svg.innerHTML = out.join("");
}

function drawMatrix(svg, side, list) {
  const rows = new Map();
  for (const a of list) for (const process of [a.from, a.to]) rows.set(rowOf(process), 0);
  const order = [...rows.keys()].sort((a, b) => a - b), left = 112, top = 74, n = Math.max(1, order.length);
  order.forEach((row, i) => rows.set(row, i));
  const room = svg.viewBox.baseVal, cell = Math.min(96, (room.width - left - 12) / n), height = Math.min(cell, (room.height - top - 54) / n);
  const means = new Map();
  for (const a of list) {
    const key = rows.get(rowOf(a.from)) * n + rows.get(rowOf(a.to)), mean = means.get(key) || [0, 0];
    mean[0] += a.delay[side];
    ++mean[1];
    means.set(key, mean);
  }
  const values = [...means].map(([key, [sum, count]]) => [key, sum / count / data.second, count]);
  const forward = values.map(value => value[1]).filter(value => value > 0), low = Math.min(...forward), high = Math.max(...forward);
  const zero = values.some(value => value[1] === 0);
  const out = [word(left, 18, data.sides[side], "start", "title"), word(left, 40, "receiver →", "start", ""), word(left - 8, top - 12, "sender ↓", "end", "")];
  for (const [key, value, count] of values) {
    const i = Math.floor(key / n), k = key % n;
    const level = value === 0 ? 0 : high > low ? Math.min(4, Math.floor(Math.log(value / low) / Math.log(high / low) * 5)) : 2;
    out.push(`<rect class="${value < 0 ? "back" : "m" + Math.max(0, level)}" x="${f(left + k * cell)}" y="${f(top + i * height)}" width="${f(cell - (cell > 6))}" height="${f(height - (cell > 6))}">` +
             `<title>${text(`${data.rows[order[i]]} → ${data.rows[order[k]]}: ${duration(value)}, ${count} messages`)}</title></rect>`);
  }
  const every = Math.ceil(14 / height);
  for (let i = 0; i < order.length; i += every) out.push(word(left - 8, top + (i + 0.5) * height + 4, data.margin[order[i]], "end"));
  if (forward.length) out.push(word(left, top + n * height + 24, `${duration(zero ? 0 : low)} to ${duration(high)}; orange: below zero`, "start"));
  svg.innerHTML = out.join("");
}

// The correction of the process picked, over the curves of all.
const course = data.courses && (() => {
  const {start, width, columns, step, text: packed} = data.courses, column = columnsOf(packed), begins = column(), values = column();
  const firsts = [];
  let at = 0;
  for (const begin of begins) {
    firsts.push(at);
    at += columns - begin;
  }
  return process => {  // [seconds from the zero of axes, seconds] by column
    const points = [];
    let value = 0;
    for (let k = begins[process] || 0, i = firsts[process]; k < columns && i < values.length; ++k, ++i) {
      value += values[i];
      const time = Math.min(data.length, Math.max(0, start + (k + 0.5) * width));
      points.push([seconds(time), value * step / data.second]);
    }
    return points;
  };
})();
function drawCourse() {
  for (const group of document.querySelectorAll("svg[data-figure=corrections] .picked")) {
    const points = picked === null || !course ? [] : course(picked);
    const scale = ([from, to, begin, end]) => value => begin + (value - from) / (to - from) * (end - begin);
    const x = scale(group.dataset.x.split(" ").map(Number)), y = scale(group.dataset.y.split(" ").map(Number));
    const end = points[points.length - 1];
    group.innerHTML = points.length ? `<path class="chosen" d="M${points.map(([t, v]) => `${f(x(t))} ${f(y(v))}`).join("L")}"/>` +
      word(x(end[0]), Math.max(12, y(end[1]) - 8), nameOf(picked), "end", "strong") : "";
  }
}

let later = 0;
function changed() {  // after a movement, not in each of its frames
  clearTimeout(later);
  later = setTimeout(() => {
    link();
    drawCourse();
    const all = view[0] <= 0 && view[1] >= data.length && picked === null;
    if (all) for (const [svg, inner] of whole) svg.innerHTML = inner;
    const shown = all ? null : messagesShown();
    for (const [name, note] of notes) {
      if (!all) figuresOf(name).forEach((svg, side) => (name === "delays" ? drawMatrix : drawHistogram)(svg, side, shown.list));
      note.textContent = all ? "" : `${shown.list.length.toLocaleString("en-US")} messages ` +
        (shown.all ? "" : `of a sample of ${sample.length.toLocaleString("en-US")}, `) + "in the time shown" +
        (picked === null ? "." : `, to and from ${nameOf(picked)}.`);
    }
  }, 120);
}
