// Moving through the time lines: buttons, keys, pointer, links.
function show(from, to, words) {
  const least = Math.max(4, data.length * 1e-9);
  const span = Math.min(data.length, Math.max(least, to - from));
  from = Math.min(Math.max(0, from), data.length - span);
  view = [from, from + span];
  redraw(words || "");
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
const nameOf = process => data.names[process] === undefined ? String(process) : data.names[process];
const communicators = data.communicators.map(number => typeof number === "string" ? BigInt(number) : number);  // exactly
const communicatorOf = index => index < 0 ? "none" : communicators[index] === undefined ? "?" : communicators[index];
function describe(a) {
  const delay = side => duration(a.delay[side] / data.second);
  const times = side => `${exact(a.sent[side])} to ${exact(a.received[side])}`;
  const what = a.operation >= 0 ? `, ${data.operations[a.operation]}` : `, ${a.bytes.toLocaleString("en-US")} bytes`;
  return `${nameOf(a.from)} → ${nameOf(a.to)}${what}: ` +
    (sides > 1 ? `took ${delay(0)} as recorded, ${delay(1)} corrected.` : `took ${delay(0)}.`) +
    (sides > 1 ? ` Recorded ${times(0)}, corrected ${times(1)}.` : ` ${times(0)}.`) +
    (a.operation >= 0 ? "" : ` Tag ${a.tag},`) + ` communicator ${communicatorOf(a.communicator)}, minimum delay ${duration(a.mu / data.second)}.`;
}
function choose(a, prefix = "") {
  chosen = a;
  const times = [...a.sent.slice(0, sides), ...a.received.slice(0, sides)];
  const low = Math.min(...times), high = Math.max(...times);
  const span = Math.max(high - low, data.length * 1e-8, 4);
  show(low - span * 1.2, high + span * 1.2, prefix + describe(a));
}
// Messages that go back and collective operations that end too early, those by the most.
const steps = violations.filter(a => a.delay[0] < 0 || a.operation >= 0);
let at = -1;
function step(by) {
  if (!steps.length) return redraw("Nothing is too early.");
  at = (at + by + steps.length) % steps.length;
  choose(steps[at], `${at + 1} of ${steps.length.toLocaleString("en-US")}${violations.length >= data.mostViolations ? " worst" : ""}: `);
}
const actions = {
  in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.3), right: () => pan(0.3),
  all: () => { chosen = null; show(0, data.length); },
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
command.querySelector("button").addEventListener("click", () => {
  const code = command.querySelector("code"), range = document.createRange();
  range.selectNodeContents(code);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).catch(() => {});
});

const timeAt = clientX => {
  const l = layout(), rect = box.getBoundingClientRect();
  const part = (clientX - rect.left - l.left) / l.inner;
  return view[0] + Math.min(1, Math.max(0, part)) * (view[1] - view[0]);
};
box.addEventListener("wheel", event => {
  if (!event.ctrlKey && !event.metaKey) return;  // the page scrolls
  event.preventDefault();
  zoom(Math.pow(1.002, event.deltaY), timeAt(event.clientX));
}, {passive: false});
box.addEventListener("dblclick", event => zoom(0.4, timeAt(event.clientX)));
const fingers = new Map();
let pinch = null, pressed = null;
box.addEventListener("pointerdown", event => {
  pressed = [event.clientX, event.clientY];
  fingers.set(event.pointerId, event.clientX);
  if (event.isTrusted) box.setPointerCapture(event.pointerId);
  pinch = null;
});
box.addEventListener("pointermove", event => {
  if (!fingers.has(event.pointerId)) return hover(event);
  const before = fingers.get(event.pointerId);
  fingers.set(event.pointerId, event.clientX);
  if (fingers.size === 1) {
    const by = (before - event.clientX) / layout().inner * (view[1] - view[0]);
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

// Side and row under the pointer.
function place(event) {
  const l = layout();
  for (let side = 0; side < sides; ++side) {
    const rect = svgs[side].getBoundingClientRect();
    if (event.clientY < rect.top || event.clientY > rect.bottom) continue;
    return {side, l, px: event.clientX - rect.left, py: event.clientY - rect.top,
            row: Math.floor((event.clientY - rect.top - l.head) / l.row)};
  }
  return null;
}

// The region of a process at a time; a mixture where only that is known.
function regionAt(side, row, time) {
  if (isHeld(side, time, time)) {
    const found = touching(side, time, time).flatMap(part => (chunkOf(part).rows.get(row) || []).filter(
      piece => piece.from[side] <= time && piece.to[side] > time));
    if (data.group === 1) return found.length && found[0].region >= 0 ?
      `${data.regions[found[0].region]}, ${exact(found[0].from[side])} to ${exact(found[0].to[side])}` : "no region";
    return found.map(piece => `${nameOf(piece.process)}: ${piece.region < 0 ? "no region" : data.regions[piece.region]}`).slice(0, 8).join("; ");
  }
  const grid = cells[side], column = Math.floor((time - grid.start) / grid.width);
  if (column < 0 || column >= grid.columns) return "no region";
  return mixtures[grid.mix[row * grid.columns + column]].map(([rank, share]) =>
    `${data.colours[rank]} ${Math.round(share * 100)} %`).join(", ") || "no region";
}
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
box.append(tip);
function hover(event) {
  const where = place(event);
  tip.hidden = !where || where.row < 0 || where.row >= where.l.rows || where.px < where.l.left || !data.regions.length;
  if (tip.hidden) return;
  tip.textContent = `${data.rows[where.row]}: ${regionAt(where.side, where.row, timeAt(event.clientX))}`;
  const rect = box.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX - rect.left + 12, Math.max(0, rect.width - tip.offsetWidth)) + "px";
  tip.style.top = event.clientY - rect.top + 16 + "px";
}
box.addEventListener("pointerleave", () => { tip.hidden = true; });

// A click on a name picks the process; near a message it says what it is.
box.addEventListener("click", event => {
  if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
  const where = place(event);
  if (!where) return;
  if (where.px < where.l.left && where.row >= 0 && where.row < where.l.rows) {
    const process = where.row * data.group;
    return pick(picked === process ? null : process);
  }
  const {side, l, px, py} = where;
  const x = t => l.left + (t - view[0]) / (view[1] - view[0]) * l.inner;
  const y = process => l.head + l.row * (rowOf(process) + 0.5);
  let best = null, nearest = 7;
  for (const a of [...edges(side).arrows, ...violations]) {
    const x1 = x(a.sent[side]), y1 = y(a.from), x2 = x(a.received[side]), y2 = y(a.to);
    const t = Math.min(1, Math.max(0, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2 || 1)));
    const distance = Math.hypot(px - x1 - t * (x2 - x1), py - y1 - t * (y2 - y1));
    if (distance < nearest) [best, nearest] = [a, distance];
  }
  chosen = best;
  redraw(best ? describe(best) : `${data.rows[where.row] || ""}: ${regionAt(side, where.row, timeAt(event.clientX))}`);
});
function pick(process) {
  picked = process;
  redraw(process === null ? "" : `Process ${nameOf(process)} is picked: message delays and the correction follow it.`);
}

// A link holds time, process and message.
let linked = "";
function link() {
  const whole = view[0] <= 0 && view[1] >= data.length;
  const hash = [whole ? "" : `t=${view.map(v => Math.round(v)).join(",")}`, picked === null ? "" : `p=${picked}`,
                chosen && at >= 0 && chosen === steps[at] ? `n=${at + 1}` : ""].filter(Boolean).join("&");
  if (hash === linked) return;
  linked = hash;
  try { history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search); } catch (error) { /* in a frame without an address */ }
}
function follow() {
  const hash = location.hash.slice(1);
  if (hash === linked) return;
  const values = new Map(hash.split("&").map(part => part.split("=")));
  picked = values.has("p") && +values.get("p") < data.processes ? +values.get("p") : null;
  if (values.has("n") && steps[values.get("n") - 1]) {
    at = +values.get("n") - 2;
    return step(1);
  }
  const [from, to] = (values.get("t") || "").split(",").map(Number);
  to > from ? show(from, to) : show(0, data.length);
}
addEventListener("hashchange", follow);
