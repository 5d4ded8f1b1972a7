// Draws the time lines again for the stretch of time that is looked at, and moves through them.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("timelines");
  const status = document.getElementById("status");
  if (!box || !data.rows) return;
  const sides = data.sides.length;

  // ---- what was packed -------------------------------------------------------------------------
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const digit = new Int8Array(128);
  for (let i = 0; i < 64; ++i) digit[alphabet.charCodeAt(i)] = i;
  // Numbers in base 32, the lowest digit first; 32 is added to all but the last; the lowest bit is the sign. Sizes beyond
  // 2^53 are rounded, signs are not.
  function unpack(text) {
    const numbers = [];
    let sign = 1, size = 0, factor = 0;
    for (let i = 0; i < text.length; ++i) {
      const d = digit[text.charCodeAt(i)];
      if (factor === 0) {
        sign = d & 1 ? -1 : 1;
        size = (d & 31) >> 1;
        factor = 16;
      } else {
        size += (d & 31) * factor;
        factor *= 32;
      }
      if (d & 32) continue;
      numbers.push(sign * size);
      factor = 0;
    }
    return numbers;
  }
  function segments(text) {
    const n = unpack(text), out = [];
    let process = 0, end = 0, shift = 0;
    for (let i = 0; i < n.length;) {
      if (n[i] !== 0) end = shift = 0;
      process += n[i++];
      const region = n[i++], from = end + n[i++];
      end = from + n[i++];
      const s = {row: Math.floor(process / data.group), region, from: [from, 0], to: [end, 0]};
      if (sides > 1) {
        shift += n[i++];
        s.from[1] = from + shift;
        shift += n[i++];
        s.to[1] = end + shift;
      }
      out.push(s);
    }
    return out;
  }
  function arrows(text) {
    const n = unpack(text), out = [];
    let sent = 0, shift = 0;
    for (let i = 0; i < n.length;) {
      const a = {from: n[i++], to: n[i++], bytes: n[i++], sent: [0, 0], received: [0, 0], delay: [0, 0]};
      sent += n[i++];
      a.sent[0] = sent;
      a.delay[0] = n[i++];
      a.received[0] = sent + a.delay[0];
      if (sides > 1) {
        shift += n[i++];
        a.sent[1] = sent + shift;
        a.delay[1] = n[i++];
        a.received[1] = a.sent[1] + a.delay[1];
      }
      out.push(a);
    }
    return out;
  }
  function points(text) {
    const n = unpack(text), out = [];
    let time = 0, shift = 0;
    for (let i = 0; i < n.length;) {
      const p = {row: Math.floor(n[i++] / data.group), time: [0, 0]};
      time += n[i++];
      p.time[0] = time;
      if (sides > 1) {
        shift += n[i++];
        p.time[1] = time + shift;
      }
      out.push(p);
    }
    return out;
  }
  function runs(text) {
    const out = [];
    for (const [, letter, count] of text.matchAll(/([a-z.])(\d*)/g)) out.push([letter, count ? +count : 1]);
    return out;
  }
  const detail = {
    segments: data.segments === null ? null : segments(data.segments),
    points: data.points === null ? null : points(data.points),
    arrows: arrows(data.arrows),
  };
  const cells = data.cells.map(side => ({
    start: side.start, width: side.width,
    rows: side.rows.map(row => ({regions: runs(row.r), backward: runs(row.b), events: runs(row.e)})),
  }));
  const backward = detail.arrows.filter(a => a.delay[0] < 0);

  // ---- numbers for people, as figures/scale.cpp writes them --------------------------------------
  const units = [[86400, "d"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];
  function unitFor(seconds) {
    const size = Math.abs(seconds);
    for (const unit of units) if (size >= unit[0] * 0.9995 && !(unit[0] > 1 && size < 864000)) return unit;
    return units[units.length - 1];
  }
  const fixed = (value, behind) => value.toLocaleString("en-US", {maximumFractionDigits: behind}).replace("-", "−");
  function duration(seconds) {
    if (seconds === 0) return "0";
    const [size, name] = unitFor(seconds);
    const before = Math.floor(Math.log10(Math.abs(seconds / size)) + 1e-9) + 1;
    return fixed(seconds / size, Math.min(9, Math.max(0, 3 - before))) + " " + name;
  }
  function ticks(from, to, most) {
    const [size, name] = unitFor(Math.max(Math.abs(from), Math.abs(to)));
    const rough = (to - from) / size / most, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
    const behind = Math.min(15, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    const last = to / size + step * 1e-3;
    const out = [];
    for (let k = Math.ceil(from / size / step - 1e-3); k * step <= last && out.length < 100; ++k)
      out.push([k * step * size, k === 0 ? "0" : fixed(k * step, behind) + " " + name]);
    return out;
  }

  // ---- drawing ---------------------------------------------------------------------------------
  const svgs = [...box.querySelectorAll(":scope > svg")];
  let view = [0, data.length];
  let chosen = null;
  const f = value => (Math.round(value * 100) / 100).toString();
  const text = s => s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function layout() {
    const width = Math.max(280, box.clientWidth);
    const narrow = width < 640;
    const rows = data.rows.length;
    const row = rows <= 8 ? 30 : rows <= 24 ? 20 : 11;
    const names = narrow ? data.narrow : data.margin;
    const longest = Math.max(...names.map(name => [...name].length));
    const left = Math.min(narrow ? 92 : 142, Math.max(48, longest * 8.4 + 16));
    return {width, left, right: 14, head: 28, foot: 30, row, rows,
            names, height: 28 + row * rows + 30, bar: Math.round(row * 0.56), narrow};
  }

  function draw(side) {
    const l = layout();
    const span = view[1] - view[0];
    const inner = l.width - l.left - l.right;
    const x = t => l.left + (t - view[0]) / span * inner;
    const xs = t => Math.min(l.width + 40, Math.max(l.left - 40, x(t)));  // far outside is outside
    const y = row => l.head + l.row * (row + 0.5);
    const out = [];
    const id = "clip" + side;
    out.push(`<clipPath id="${id}"><rect x="${l.left}" y="0" width="${inner}" height="${l.height}"/></clipPath>`);
    out.push(`<text class="title" x="${l.narrow ? 4 : l.left}" y="18">${data.sides[side]}</text>`);
    for (const [value, label] of ticks(view[0] / data.second, view[1] / data.second, Math.max(2, Math.floor(inner / 100)))) {
      const at = x(value * data.second);
      out.push(`<line class="rule" x1="${f(at)}" y1="${l.head}" x2="${f(at)}" y2="${l.height - l.foot + 5}"/>`);
      const end = at > l.width - 40;
      out.push(`<text x="${f(at)}" y="${l.height - 10}" text-anchor="${end ? "end" : "middle"}">${label}</text>`);
    }
    const small = l.row < 14;
    for (let row = 0; row < l.rows; ++row) {
      out.push(`<line class="life" x1="${l.left}" y1="${f(y(row))}" x2="${l.width - l.right}" y2="${f(y(row))}"/>`);
      if (small && l.rows > 32 && row % 2) continue;
      out.push(`<text x="${l.left - 8}" y="${f(y(row) + (small ? 3.5 : 4.5))}" text-anchor="end"${small ? ' class="small"' : ""}>` +
               `${text(l.names[row])}</text>`);
    }
    out.push(`<g clip-path="url(#${id})">`);

    const inView = (from, to) => to >= view[0] && from <= view[1];
    const bars = Array.from({length: 8}, () => []);
    const bar = (rank, row, from, to) => {
      const a = xs(from), b = xs(to);
      bars[rank].push(`M${f(a)} ${f(y(row) - l.bar / 2)}h${f(Math.max(0.3, b - a))}v${l.bar}h${f(-Math.max(0.3, b - a))}z`);
    };
    let shown = null;
    if (detail.segments) shown = detail.segments.filter(s => inView(s.from[side], s.to[side]));
    const grid = cells[side];
    if (shown && shown.length <= 8000) {
      for (const s of shown) bar(data.ranks[s.region], s.row, s.from[side], s.to[side]);
    } else {
      eachRun(grid, "regions", inView, (letter, row, from, to) => bar(letter.charCodeAt(0) - 97, row, from, to));
    }
    bars.forEach((path, rank) => { if (path.length) out.push(`<path class="r${rank}" d="${path.join("")}"/>`); });

    const marks = detail.points && detail.points.filter(p => inView(p.time[side], p.time[side]));
    if (marks && marks.length <= 3000) {
      out.push(`<path class="tick" d="${marks.map(p => `M${f(x(p.time[side]))} ${f(y(p.row) - l.bar / 2)}v${l.bar}`).join("")}"/>`);
    } else if (!data.regions.length) {
      const busy = [];
      eachRun(grid, "events", inView, (letter, row, from, to) =>
        busy.push(`M${f(xs(from))} ${f(y(row) - l.bar / 2)}h${f(Math.max(0.5, xs(to) - xs(from)))}v${f(l.bar * 0.6)}h${f(-Math.max(0.5, xs(to) - xs(from)))}z`));
      out.push(`<path class="busy" d="${busy.join("")}"/>`);
    }

    const lines = detail.arrows.filter(a => inView(Math.min(a.sent[side], a.received[side]), Math.max(a.sent[side], a.received[side])));
    const most = data.sample ? 400 : 2500;
    const rowOf = process => Math.floor(process / data.group);
    if (lines.length <= most) {
      const paths = {message: [], head: [], backward: [], "backward-head": []};
      for (const a of lines) {
        const back = a.delay[side] < 0;
        // Cut at the edges without changing the slope.
        const p = clip(x(a.sent[side]), y(rowOf(a.from)), x(a.received[side]), y(rowOf(a.to)), -2000, l.width + 2000);
        if (!p) continue;
        paths[back ? "backward" : "message"].push(`M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}`);
        if (inView(a.received[side], a.received[side]))
          paths[back ? "backward-head" : "head"].push(`M${f(x(a.received[side]))} ${f(y(rowOf(a.to)))}h0`);
      }
      for (const [style, path] of Object.entries(paths)) if (path.length) out.push(`<path class="${style}" d="${path.join("")}"/>`);
    } else {
      const back = {b: [], c: [], d: []};
      eachRun(grid, "backward", inView, (letter, row, from, to) => back[letter].push(
        `M${f(xs(from))} ${f(y(row) + l.bar / 2 - 1)}h${f(Math.max(1, xs(to) - xs(from)))}v${f(Math.max(2, l.bar / 3))}h${f(-Math.max(1, xs(to) - xs(from)))}z`));
      "bcd".split("").forEach((letter, i) => { if (back[letter].length) out.push(`<path class="back${i + 1}" d="${back[letter].join("")}"/>`); });
    }
    if (lines.length > most) {
      const leaning = lines.filter(a => x(a.sent[side]) - x(a.received[side]) >= 4);
      const step = Math.floor(leaning.length / 100) + 1;
      const path = [];
      for (let i = 0; i < leaning.length; i += step) {
        const a = leaning[i];
        const p = clip(x(a.sent[side]), y(rowOf(a.from)), x(a.received[side]), y(rowOf(a.to)), -2000, l.width + 2000);
        if (p) path.push(`M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}`);
      }
      if (path.length) out.push(`<path class="lean" d="${path.join("")}"/>`);
    }
    if (chosen) {
      const p = clip(x(chosen.sent[side]), y(rowOf(chosen.from)), x(chosen.received[side]), y(rowOf(chosen.to)), -2000, l.width + 2000);
      if (p) out.push(`<path class="chosen" d="M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}"/>`);
    }
    out.push("</g>");
    const svg = svgs[side];
    svg.setAttribute("viewBox", `0 0 ${l.width} ${l.height}`);
    svg.innerHTML = out.join("");
    return lines.length;
  }

  function eachRun(grid, what, inView, use) {
    grid.rows.forEach((row, r) => {
      let column = 0;
      for (const [letter, count] of row[what]) {
        const from = grid.start + column * grid.width;
        const to = from + count * grid.width;
        column += count;
        if (letter !== "." && inView(from, to)) use(letter, r, from, to);
      }
    });
  }

  // The part of a line between two x; null: none.
  function clip(x1, y1, x2, y2, low, high) {
    if (Math.max(x1, x2) < low || Math.min(x1, x2) > high) return null;
    const at = x => x1 === x2 ? y1 : y1 + (y2 - y1) * (x - x1) / (x2 - x1);
    const inside = (x, y) => x < low ? [low, at(low)] : x > high ? [high, at(high)] : [x, y];
    return [...inside(x1, y1), ...inside(x2, y2)];
  }

  let waiting = false;
  function redraw(words) {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      let lines = 0;
      for (let side = 0; side < sides; ++side) lines = Math.max(lines, draw(side));
      box.dataset.from = view[0];
      box.dataset.to = view[1];
      const all = view[0] <= 0 && view[1] >= data.length;
      status.textContent = words || (all ? "The whole trace, " + duration(data.length / data.second) + "." :
        `From ${duration(view[0] / data.second)}, ${duration((view[1] - view[0]) / data.second)} long.` +
        (data.sample && lines ? " " + data.sample : "") +
        (!detail.segments && !all && (view[1] - view[0]) < cells[0].width * 60 ? " Finer detail: clc-view --from S --to S." : ""));
    });
  }

  // ---- moving ----------------------------------------------------------------------------------
  function show(from, to, words) {
    const least = Math.max(4, data.length * 1e-9);
    let span = Math.min(data.length, Math.max(least, to - from));
    from = Math.min(Math.max(0, from), data.length - span);
    view = [from, from + span];
    redraw(words);
  }
  function zoom(factor, centre = (view[0] + view[1]) / 2) {
    chosen = null;
    show(centre - (centre - view[0]) * factor, centre + (view[1] - centre) * factor);
  }
  function pan(part) {
    chosen = null;
    const by = (view[1] - view[0]) * part;
    show(view[0] + by, view[1] + by);
  }
  const all = () => { chosen = null; show(0, data.length); };
  function describe(a) {
    const name = p => data.group === 1 ? data.rows[p] : data.names[p];
    const delay = side => duration(a.delay[side] / data.second);
    return `${name(a.from)} → ${name(a.to)}, ${a.bytes.toLocaleString("en-US")} bytes: ` +
      (sides > 1 ? `took ${delay(0)} as recorded, ${delay(1)} corrected.` : `took ${delay(0)}.`);
  }
  function choose(a) {
    chosen = a;
    const times = [...a.sent.slice(0, sides), ...a.received.slice(0, sides)];
    const low = Math.min(...times), high = Math.max(...times);
    const span = Math.max(high - low, data.length * 1e-8, 4);
    show(low - span * 1.2, high + span * 1.2, describe(a));
  }
  let at = -1;
  function step(by) {
    if (!backward.length) {
      status.textContent = "No message was received before it was sent.";
      return;
    }
    at = (at + by + backward.length) % backward.length;
    choose(backward[at]);
  }
  const actions = {
    in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.3), right: () => pan(0.3), all,
    next: () => step(1), previous: () => step(at < 0 ? 0 : -1),
  };
  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", () => actions[button.dataset.action]());
  const keys = {"+": "in", "=": "in", "-": "out", "_": "out", ArrowLeft: "left", ArrowRight: "right", Home: "all", "0": "all",
                n: "next", p: "previous"};
  box.addEventListener("keydown", event => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[action]();
  });

  const timeAt = clientX => {
    const l = layout(), rect = box.getBoundingClientRect();
    const part = (clientX - rect.left - l.left) / (l.width - l.left - l.right);
    return view[0] + Math.min(1, Math.max(0, part)) * (view[1] - view[0]);
  };
  box.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;  // the page scrolls
    event.preventDefault();
    zoom(Math.pow(1.002, event.deltaY), timeAt(event.clientX));
  }, {passive: false});
  box.addEventListener("dblclick", event => zoom(0.4, timeAt(event.clientX)));
  const fingers = new Map();
  let pinch = null;
  box.addEventListener("pointerdown", event => {
    if (event.target.closest("button")) return;
    fingers.set(event.pointerId, event.clientX);
    box.setPointerCapture(event.pointerId);
    pinch = null;
  });
  box.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.get(event.pointerId);
    fingers.set(event.pointerId, event.clientX);
    const l = layout();
    if (fingers.size === 1) {
      const by = (before - event.clientX) / (l.width - l.left - l.right) * (view[1] - view[0]);
      if (by !== 0) show(view[0] + by, view[1] + by);
    } else {
      const [a, b] = [...fingers.values()];
      const apart = Math.max(20, Math.abs(a - b));
      if (pinch) zoom(pinch / apart, timeAt((a + b) / 2));
      pinch = apart;
    }
  });
  const lift = event => { fingers.delete(event.pointerId); pinch = null; };
  box.addEventListener("pointerup", lift);
  box.addEventListener("pointercancel", lift);

  // A click near a message says what it is.
  let pressed = null;
  box.addEventListener("pointerdown", event => { pressed = [event.clientX, event.clientY]; });
  box.addEventListener("click", event => {
    if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
    const l = layout();
    for (let side = 0; side < sides; ++side) {
      const rect = svgs[side].getBoundingClientRect();
      if (event.clientY < rect.top || event.clientY > rect.bottom) continue;
      const px = event.clientX - rect.left, py = event.clientY - rect.top;
      const x = t => l.left + (t - view[0]) / (view[1] - view[0]) * (l.width - l.left - l.right);
      const y = process => l.head + l.row * (Math.floor(process / data.group) + 0.5);
      let best = null, nearest = 7;
      for (const a of detail.arrows) {
        const x1 = x(a.sent[side]), y1 = y(a.from), x2 = x(a.received[side]), y2 = y(a.to);
        const t = Math.min(1, Math.max(0, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2 || 1)));
        const distance = Math.hypot(px - x1 - t * (x2 - x1), py - y1 - t * (y2 - y1));
        if (distance < nearest) [best, nearest] = [a, distance];
      }
      chosen = best;
      redraw(best ? describe(best) : undefined);
    }
  });

  let known = 0;
  new ResizeObserver(() => { if (box.clientWidth !== known) { known = box.clientWidth; redraw(); } }).observe(box);
  document.documentElement.classList.add("alive");
  redraw();
})();
