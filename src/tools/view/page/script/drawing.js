// The time lines of the stretch of time that is looked at: bars on a canvas, all else in SVG over it.
const colours = 9;  // the last: no region
const svgs = [...box.querySelectorAll(":scope > svg")];
const canvases = svgs.map(svg => {
  const frame = document.createElement("div"), canvas = document.createElement("canvas");
  frame.className = "side";
  canvas.setAttribute("aria-hidden", "true");
  svg.replaceWith(frame);
  frame.append(canvas, svg);
  return canvas;
});
let view = [0, data.length];
let chosen = null;      // an arrow
let picked = null;      // a process
const f = value => (Math.round(value * 100) / 100).toString();
const text = s => String(s).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const seconds = time => (time + data.offset) / data.second;
const exact = time => Number(seconds(time).toPrecision(12)) + " s";

const longestOf = names => names.reduce((most, name) => Math.max(most, [...name].length), 0);
const longestName = {margin: longestOf(data.margin), narrow: longestOf(data.narrow)};
// Anew where the width changes: to ask for it makes the browser lay out the page.
let known = 0, planned = null;
function layout() {
  return planned || (planned = plan());
}
function plan() {
  const width = Math.max(280, known || box.clientWidth), narrow = width < 640, rows = data.rows.length;
  const row = rows <= 8 ? 30 : rows <= 24 ? 20 : 11;
  const names = narrow ? data.narrow : data.margin;
  const longest = longestName[narrow ? "narrow" : "margin"];
  const left = Math.min(narrow ? 92 : 142, Math.max(48, longest * 8.4 + 16));
  return {width, left, right: 14, head: 28, foot: 30, row, rows, names, inner: width - left - 14,
          height: 28 + row * rows + 30, bar: Math.round(row * 0.56), narrow};
}

// ---- bars --------------------------------------------------------------------------------------
const unpackCells = side => {
  const mix = columnsOf(side.mix)(), marks = columnsOf(side.marks)();
  return {start: side.start, width: side.width, columns: side.columns, mix, marks};
};
const cells = data.cells.map(unpackCells);
const mixtures = (() => {  // of sixteenths, by colour
  const numbers = columnsOf(data.mixtures)(), out = [];
  for (let i = 0; i < numbers.length;) {
    const shares = [];
    for (let n = numbers[i++]; n > 0; --n, i += 2) shares.push([numbers[i], numbers[i + 1] / 16]);
    out.push(shares);
  }
  return out;
})();

let palette = null, edge = 0, inks = null;
function readPalette() {
  const probe = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  svgs[0].append(probe);
  const styleOf = name => {
    probe.setAttribute("class", name);
    return getComputedStyle(probe);
  };
  const pixelOf = name => {
    const [r, g, b] = styleOf(name).fill.match(/[\d.]+/g).map(Number);
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  };
  palette = Array.from({length: 8}, (_, rank) => pixelOf("r" + rank));
  edge = pixelOf("edge");
  inks = new Map(["busy", "back1", "back2", "back3"].map(name => [name, [styleOf(name).fill, +styleOf(name).fillOpacity]]));
  probe.remove();
}

// Shares of the colours in each pixel of a row; a process is a whole.
function shareOut(side, row, pixels, shares) {
  shares.fill(0);
  const span = view[1] - view[0], perPixel = span / pixels, members = Math.min(data.group, data.processes - row * data.group);
  const add = (from, to, rank, share) => {
    const a = Math.max(0, (from - view[0]) / perPixel), b = Math.min(pixels, (to - view[0]) / perPixel);
    for (let p = Math.floor(a); p < b; ++p) shares[p * colours + rank] += (Math.min(b, p + 1) - Math.max(a, p)) * share;
  };
  const grid = cells[side], close = grid.width > perPixel * 1.2 || parts.length < 8;
  let from = view[0];
  const summary = to => {
    if (to <= from) return;
    const first = Math.max(0, Math.floor((from - grid.start) / grid.width));
    const end = Math.min(grid.columns, Math.ceil((to - grid.start) / grid.width));
    for (let column = first; column < end; ++column) {
      const begin = grid.start + column * grid.width;
      for (const [rank, share] of mixtures[grid.mix[row * grid.columns + column]])
        add(Math.max(from, begin), Math.min(to, begin + grid.width), rank, share);
    }
  };
  if (close)
    for (const stretch of held[side]) {
      // Whole pixels only: what is at the border of two kinds is a summary.
      const a = Math.max(view[0], stretch[0]), b = Math.min(view[1], stretch[1]);
      if (b <= a) continue;
      summary(a);
      for (const part of touching(side, a, b))
        for (const piece of chunkOf(part).rows.get(row) || [])
          if (piece.region >= 0 && piece.to[side] > a && piece.from[side] < b)
            add(Math.max(a, piece.from[side]), Math.min(b, piece.to[side]), data.ranks[piece.region], 1 / members);
      from = b;
    }
  summary(view[1]);
}

// Bars; with summaries also where events are and where messages go back.
function drawBars(side, l, found) {
  const canvas = canvases[side], ratio = Math.min(3, window.devicePixelRatio || 1);
  const pixels = Math.max(1, Math.round(l.inner * ratio)), height = Math.round(l.height * ratio);
  if (canvas.width !== pixels || canvas.height !== height) {
    canvas.width = pixels;
    canvas.height = height;
  }
  canvas.style.cssText = `left:${100 * l.left / l.width}%;width:${100 * l.inner / l.width}%;height:100%`;  // on paper, too
  if (!palette) readPalette();
  const context = canvas.getContext("2d"), bar = Math.round(l.bar * ratio);
  context.clearRect(0, 0, pixels, height);
  if (data.regions.length) fillBars(side, l, context, pixels, bar, ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const x = t => Math.min(l.inner + 2, Math.max(-2, (t - view[0]) / (view[1] - view[0]) * l.inner));
  const middle = row => l.head + l.row * (row + 0.5);
  const ink = name => [context.fillStyle, context.globalAlpha] = inks.get(name);
  if (!data.regions.length && !found.marks) {
    ink("busy");
    eachMark(side, mark => mark & 1, (level, row, from, to) =>
      context.fillRect(x(from), middle(row) - l.bar / 2, Math.max(0.5, x(to) - x(from)), l.bar * 0.6));
  }
  if (!found.all)
    eachMark(side, mark => mark >> 1, (level, row, from, to) => {
      ink("back" + level);
      context.fillRect(x(from), middle(row) + l.bar / 2 - 1, Math.max(1, x(to) - x(from)), Math.max(2, l.bar / 3));
    });
  context.globalAlpha = 1;
  context.setTransform(1, 0, 0, 1, 0, 0);
}

function fillBars(side, l, context, pixels, bar, ratio) {
  const shares = new Float32Array(pixels * colours), image = context.createImageData(pixels, bar);
  const out = new Uint32Array(image.data.buffer);
  for (let row = 0; row < l.rows; ++row) {
    shareOut(side, row, pixels, shares);
    out.fill(0);
    for (let p = 0; p < pixels; ++p) {
      let done = 0;  // of the height, from below
      for (let rank = 0; rank < 8; ++rank) {
        const share = shares[p * colours + rank];
        if (share <= 0) continue;
        const end = Math.min(bar, Math.round((done + share) * bar)), begin = Math.round(done * bar);
        for (let y = begin; y < end; ++y) out[(bar - 1 - y) * pixels + p] = palette[rank];
        done += share;
      }
      // Edges: a bar is seen on any paper, whatever its colour.
      const high = Math.min(bar, Math.round(done * bar));
      if (high > 3) out[(bar - 1) * pixels + p] = out[(bar - high) * pixels + p] = edge;
    }
    context.putImageData(image, 0, Math.round((l.head + l.row * (row + 0.5)) * ratio - bar / 2));
  }
}

// ---- lines -------------------------------------------------------------------------------------
const sample = unpackArrows(data.sample);
const violations = unpackArrows(data.violations);
const mostLines = 2500, mostOfSample = 400;

// What is drawn between processes, and whether it is all there is.
function edges(side) {
  const all = isHeld(side, view[0], view[1]);
  const inView = a => Math.max(a.sent[side], a.received[side]) >= view[0] && Math.min(a.sent[side], a.received[side]) <= view[1];
  const few = touching(side, view[0], view[1]).length < 30;
  if (all && few) {
    const arrows = between(side, view[0], view[1], "arrows").filter(inView);
    const joints = between(side, view[0], view[1], "joints").filter(j => j.to[side] >= view[0] && j.from[side] <= view[1]);
    if (arrows.length <= mostLines) return {arrows, joints, passing: [], all: true};
    // Of those with both ends elsewhere a few tell enough.
    const here = t => t >= view[0] && t <= view[1], ends = arrows.filter(a => here(a.sent[side]) || here(a.received[side]));
    if (ends.length <= mostLines) return {arrows: ends, joints, passing: arrows.filter(a => !here(a.sent[side]) && !here(a.received[side])), all: true};
    return {arrows: ends.filter(a => a.delay[side] < 0), joints, passing: [], all: false};
  }
  return {arrows: sample.filter(inView), joints: [], passing: [], all: false};
}

function draw(side) {
  const l = layout(), span = view[1] - view[0];
  const x = t => l.left + (t - view[0]) / span * l.inner;
  const xs = t => Math.min(l.width + 40, Math.max(l.left - 40, x(t)));  // far outside is outside
  const y = row => l.head + l.row * (row + 0.5);
  const out = [], found = edges(side);
  found.marks = marksOf(side, found);
  drawBars(side, l, found);
  const moving = drawNames(side, l, y);
  let used = 0;
  for (const [value, label] of ticks(seconds(view[0]), seconds(view[1]), Math.max(2, Math.floor(l.inner / 100)))) {
    const at = x(value * data.second - data.offset);
    out.push(`<line class="rule" x1="${f(at)}" y1="${l.head}" x2="${f(at)}" y2="${l.height - l.foot + 5}"/>`);
    const wide = 8.5 * label.length, end = at + wide / 2 > l.width, begin = end ? at - wide : at - wide / 2;
    if (begin < used) continue;
    used = begin + wide + 8.5;
    out.push(`<text x="${f(at)}" y="${l.height - 10}" text-anchor="${end ? "end" : "middle"}">${label}</text>`);
  }
  out.push(`<g clip-path="url(#clip${side})">`);
  if (found.marks && found.marks.length)
    out.push(`<path class="tick" d="${found.marks.map(([process, time]) =>
      `M${f(xs(time))} ${f(y(rowOf(process)) - l.bar / 2)}v${l.bar}`).join("")}"/>`);
  found.allJoints = drawJoints(side, out, l, xs, y, found.joints);
  drawArrows(side, out, l, x, y, found);
  out.push("</g>");
  moving.innerHTML = out.join("");
  return found;
}

// What stays while the time shown changes; made again where it does not. Returns the group of what moves.
const standing = [];
function drawNames(side, l, y) {
  const svg = svgs[side];
  if (standing[side] && standing[side].l === l && standing[side].picked === picked) return svg.lastChild;
  standing[side] = {l, picked};
  const out = [`<clipPath id="clip${side}"><rect x="${l.left}" y="0" width="${l.inner}" height="${l.height}"/></clipPath>`,
               `<text class="title" x="${l.narrow ? 4 : l.left}" y="18">${data.sides[side]}</text>`];
  const small = l.row < 14;
  for (let row = 0; row < l.rows; ++row) {
    const own = picked !== null && rowOf(picked) === row;
    out.push(`<line class="${own ? "own" : "life"}" x1="${l.left}" y1="${f(y(row))}" x2="${l.width - l.right}" y2="${f(y(row))}"/>`);
    if (small && l.rows > 32 && row % 2 && !own) continue;
    out.push(`<text x="${l.left - 8}" y="${f(y(row) + (small ? 3.5 : 4.5))}" text-anchor="end" class="${small ? "small" : ""}${own ? " strong" : ""}">` +
             `${text(l.names[row])}${l.names[row] === data.rows[row] ? "" : `<title>${text(data.rows[row])}</title>`}</text>`);
  }
  svg.setAttribute("viewBox", `0 0 ${l.width} ${l.height}`);
  svg.innerHTML = out.join("") + "<g></g>";
  return svg.lastChild;
}

// The records to draw one by one; null: they are too many, or not all known.
function marksOf(side, found) {
  if (!found.all) return null;
  const times = touching(side, view[0], view[1]).flatMap(part => chunkOf(part).marks).map(mark => [mark.process, mark.time[side]]);
  if (!data.regions.length)
    for (const a of found.arrows) times.push([a.from, a.sent[side]], [a.to, a.received[side]]);
  const shown = times.filter(([, time]) => time >= view[0] && time <= view[1]);
  return shown.length <= 3000 ? shown : null;
}

// Runs of cells in view with the same level above 0. A mark: whether there are events, and twice how many go back, 0 to 3.
function eachMark(side, levelOf, use) {
  const grid = cells[side];
  const first = Math.max(0, Math.floor((view[0] - grid.start) / grid.width));
  const end = Math.min(grid.columns, Math.ceil((view[1] - grid.start) / grid.width));
  for (let row = 0; row < data.rows.length; ++row)
    for (let column = first; column < end;) {
      const level = levelOf(grid.marks[row * grid.columns + column]), from = column;
      while (++column < end && levelOf(grid.marks[row * grid.columns + column]) === level);
      if (level) use(level, row, grid.start + from * grid.width, grid.start + column * grid.width);
    }
}

// What members of a collective operation have a line of their own: each, or the first begin and last end of those that
// share a row.
function linesOf(joint, side) {
  if (data.group === 1) return joint.members.map(member => [member.process, member.begin[side], member.end[side]]);
  if (!joint.lines) joint.lines = [];
  if (!joint.lines[side]) {
    const rows = new Map();
    for (const member of joint.members) {
      const row = rowOf(member.process), line = rows.get(row);
      if (!line) rows.set(row, [member.process, member.begin[side], member.end[side]]);
      else [line[1], line[2]] = [Math.min(line[1], member.begin[side]), Math.max(line[2], member.end[side])];
    }
    joint.lines[side] = [...rows.values()];
  }
  return joint.lines[side];
}

// A collective operation: a line under each member from its begin to its end, joined at the last begin. Where they are
// too many, those that are violated; false: some are missing.
function drawJoints(side, out, l, xs, y, joints) {
  const most = 20000, size = list => list.reduce((sum, joint) => sum + linesOf(joint, side).length, 0);
  let drawn = joints;
  if (size(drawn) > most) drawn = joints.filter(joint => joint.violated[side]);
  if (size(drawn) > most) drawn = [];
  const paths = {joint: [], "joint-bad": []};
  for (const joint of drawn) {
    const path = paths[joint.violated[side] ? "joint-bad" : "joint"];
    let top = Infinity, bottom = -Infinity, at = -Infinity;
    for (const member of joint.members) at = Math.max(at, member.begin[side]);
    for (const [process, begin, end] of linesOf(joint, side)) {
      const height = y(rowOf(process)) + l.bar / 2 + 1.5;
      path.push(`M${f(xs(begin))} ${f(height)}H${f(Math.max(xs(begin) + 1, xs(end)))}`);
      top = Math.min(top, height);
      bottom = Math.max(bottom, height);
    }
    if (drawn.length <= 200) path.push(`M${f(xs(at))} ${f(top)}V${f(bottom)}`);
  }
  for (const [style, path] of Object.entries(paths)) if (path.length) out.push(`<path class="${style}" d="${path.join("")}"/>`);
  return drawn.length === joints.length;
}

function drawArrows(side, out, l, x, y, found) {
  const paths = {message: [], thread: [], head: [], backward: [], "backward-head": [], lean: [], cut: []};
  const line = a => clip(x(a.sent[side]), y(rowOf(a.from)), x(a.received[side]), y(rowOf(a.to)), -2000, l.width + 2000);
  const inView = t => t >= view[0] && t <= view[1];
  if (found.all) {
    for (const a of found.arrows) {
      const back = a.delay[side] < 0, p = line(a);
      if (!p) continue;
      paths[back ? "backward" : data.threads.includes(a.communicator) ? "thread" : "message"].push(`M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}`);
      if (inView(a.received[side])) paths[back ? "backward-head" : "head"].push(`M${f(x(a.received[side]))} ${f(y(rowOf(a.to)))}h0`);
      if (found.arrows.length <= 200) drawCuts(paths.cut, p, l);
    }
  }
  const leaning = (found.all ? found.passing : found.arrows).filter(a => x(a.sent[side]) - x(a.received[side]) >= 4);
  for (let i = 0, step = Math.floor(leaning.length / 100) + 1; i < leaning.length; i += step) {
    const p = line(leaning[i]);
    if (p) paths.lean.push(`M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}`);
  }
  if (!found.all) {
    if (found.arrows.length <= mostOfSample && cells[side].width * 40 > view[1] - view[0])
      for (const a of found.arrows) {
        const p = a.delay[side] >= 0 && line(a);
        if (p) paths.message.push(`M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}`);
      }
  }
  for (const [style, path] of Object.entries(paths)) if (path.length) out.push(`<path class="${style}" d="${path.join("")}"/>`);
  if (chosen) {
    const p = line(chosen);
    if (p) out.push(`<path class="chosen" d="M${f(p[0])} ${f(p[1])}L${f(p[2])} ${f(p[3])}"/>`);
  }
}

// Where a line leaves the picture, a mark: its end is elsewhere.
function drawCuts(path, [x1, y1, x2, y2], l) {
  const low = l.left, high = l.width - l.right;
  for (const [edge, by] of [[low, 5], [high, -5]])
    if (x1 !== x2 && (Math.min(x1, x2) < edge && Math.max(x1, x2) > edge)) {
      const at = y1 + (y2 - y1) * (edge - x1) / (x2 - x1);
      path.push(`M${f(edge)} ${f(at)}l${by} -3v6z`);
    }
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
  if (words !== undefined) said = words;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const found = Array.from({length: sides}, (_, side) => draw(side));
    box.dataset.from = view[0];
    box.dataset.to = view[1];
    tell(found);
    changed();
  });
}

// What the line below says: what was chosen, or what is in view; and how to see what the page does not hold.
let said = "";
function tell(found) {
  const all = view[0] <= 0 && view[1] >= data.length, span = view[1] - view[0];
  const missing = Array.from({length: sides}, (_, side) => side).some(side => !isHeld(side, view[0], view[1]));
  const coarse = missing && cells[0].width > span / 500;
  status.textContent = said || (all ? (data.excerpt ? "The whole excerpt, " : "The whole trace, ") + duration(data.length / data.second) + "." :
    `From ${exact(view[0])}, ${duration(span / data.second)} long.`) +
    (missing && !all && found.some(side => !side.all) ? " Lines are a sample of the messages." : "") +
    (found.every(side => side.allJoints) ? "" : " Not all collective operations are drawn: they are too many.") +
    (coarse ? ` Bars are summaries of ${duration(cells[0].width / data.second)}; for all detail run:` : "");
  command.hidden = !coarse;
  if (coarse) command.querySelector("code").textContent =
    `${data.command} --from ${Number(Math.max(0, seconds(view[0])).toPrecision(12))} --to ${Number(Math.max(0, seconds(view[1])).toPrecision(12))} -o excerpt.html`;
}
