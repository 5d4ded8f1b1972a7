// Tables that sort and filter, and the search.
const us = ticks => ticks / (data.second / 1e6);  // microseconds
const isNumber = value => typeof value === "number" || typeof value === "bigint";
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function saveTable(title, columns, rows) {
  const quoted = value => /[",\n]/.test(value) ? `"${String(value).replace(/"/g, '""')}"` : value;
  const lines = [columns.map(column => quoted(column[0])), ...rows.map(row => columns.map(column => quoted(column[1](row))))];
  const address = URL.createObjectURL(new Blob([lines.map(line => line.join(",") + "\n").join("")], {type: "text/csv"}));
  element("a", {href: address, download: title.toLowerCase().replace(/\W+/g, "-") + ".csv"}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// columns: [title, value of a row, what else is done to its cell]; choose: what a row's button does; null: rows have none.
function table(host, title, columns, rows, choose) {
  const filter = element("input", {type: "search", placeholder: "filter", ariaLabel: `Filter the table: ${title}`});
  const count = element("span", {className: "count"}), head = element("tr"), body = element("tbody");
  const save = element("button", {type: "button", textContent: "CSV", ariaLabel: `Save as CSV: ${title}`});
  const more = element("button", {type: "button", textContent: "More rows", ariaLabel: `More rows: ${title}`});
  let sorted = null, falling = false, most = choose ? 12 : Infinity;
  const shown = () => {
    const words = filter.value.toLowerCase().split(" ").filter(Boolean);
    const found = rows.filter(row => {
      const line = words.length ? columns.map(column => column[1](row)).join(" ").toLowerCase() : "";
      return words.every(word => line.includes(word));
    });
    if (sorted === null) return found;
    const value = columns[sorted][1];
    const order = (a, b) => !isNumber(a) || !isNumber(b) ? String(a).localeCompare(String(b), "en", {numeric: true}) :
      a < b ? -1 : a > b ? 1 : 0;
    return found.sort((a, b) => (falling ? -1 : 1) * order(value(a), value(b)));
  };
  const cell = (name, value) => !isNumber(value) ? value :
    value.toLocaleString("en-US", {maximumFractionDigits: name.endsWith(", s") ? 9 : 3}).replace("-", "−");
  function fill() {
    const found = shown();
    body.replaceChildren(...found.slice(0, most).map(row => element("tr", {}, ...columns.map(([name, value, dress], i) => {
      if (i > 0 || !choose) {
        const made = element(i > 0 ? "td" : "th", {textContent: cell(name, value(row))});
        if (i === 0) made.scope = "row";
        if (dress) dress(row, made);
        return made;
      }
      const button = element("button", {type: "button", className: "plain", textContent: value(row)});
      button.addEventListener("click", () => choose(row));
      return element("th", {scope: "row"}, button);
    }))));
    count.textContent = `${Math.min(most, found.length).toLocaleString("en-US")} of ${found.length.toLocaleString("en-US")}`;
    more.hidden = found.length <= most;
  }
  columns.forEach(([name], i) => {
    const button = element("button", {type: "button", className: "plain", textContent: name});
    const header = element("th", {scope: "col"}, button);
    button.addEventListener("click", () => {
      falling = sorted === i ? !falling : i > 0;
      sorted = i;
      for (const other of head.children) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", falling ? "descending" : "ascending");
      fill();
    });
    head.append(header);
  });
  filter.addEventListener("input", fill);
  more.addEventListener("click", () => { most *= 4; fill(); });
  save.addEventListener("click", () => saveTable(title, columns, shown()));
  host.append(element("h3", {textContent: title}), element("div", {className: "controls"}, filter, save, count),
              element("div", {className: "table"}, element("table", {}, element("thead", {}, head), body)), more);
  fill();
}

{
  const columns = columnsOf(data.figures), [events, first, last, largest, received, before, after, behind] = Array.from({length: 8}, columns);
  const rows = Array.from({length: data.processes}, (_, process) => process);
  const figures = [["process", nameOf], ["events", p => events[p] || 0]];
  if (sides > 1) figures.push(["correction of its first event, µs", p => us(first[p] || 0)], ["of its last, µs", p => us(last[p] || 0)],
                              ["largest, µs", p => us(largest[p] || 0)]);
  figures.push(["clock behind a sender's by at least, µs", p => us(behind[p] || 0)], ["messages received", p => received[p] || 0],
               [sides > 1 ? "too early, recorded" : "too early", p => before[p] || 0]);
  if (sides > 1) figures.push(["too early, corrected", p => after[p] || 0]);
  table(document.getElementById("processes"), "Processes", figures, rows, process => { box.scrollIntoView(); pick(process); });
}
if (violations.length) {
  const edges = [["from", a => nameOf(a.from)], ["to", a => nameOf(a.to)],
                 ["what", a => a.operation >= 0 ? data.operations[a.operation] : "message"],
                 ["sent at, s", a => seconds(a.sent[0])], ["delay recorded, µs", a => us(a.delay[0])]];
  if (sides > 1) edges.push(["delay corrected, µs", a => us(a.delay[1])]);
  edges.push(["minimum, µs", a => us(a.mu)], ["bytes", a => a.bytes], ["tag", a => a.operation >= 0 ? "" : a.tag],
             ["communicator", a => communicatorOf(a.communicator)]);
  table(document.getElementById("edges"), "Worst violations", edges, [...violations].sort((a, b) => a.delay[0] - a.mu - b.delay[0] + b.mu),
        a => { box.scrollIntoView(); at = steps.indexOf(a); choose(a); });
}

// The figures of the page, with what can be done with a table.
{
  const host = document.getElementById("counters"), own = host.querySelector("table");
  const words = row => [...row.children].map(cell => cell.textContent);
  const [head, ...rows] = [...own.rows].map(words), bad = new Set();
  for (const row of own.querySelectorAll("tbody tr"))
    [...row.children].forEach((cell, i) => { if (cell.className) bad.add(row.children[0].textContent + i); });
  own.remove();
  host.className = "";
  head[0] = "figure";
  table(host, "Counters", head.map((name, i) => [name, row => row[i], (row, cell) => { cell.className = bad.has(row[0] + i) ? "bad" : ""; }]),
        rows, null);
}

// By name, number or region.
const search = document.getElementById("search"), hits = document.getElementById("hits");
// The next in the order of begin and process: after the one found last, if it is in view, else from the begin of the view
// on; from the begin of the trace if there is none.
let hit = null;
function nextOf(region) {
  const side = sides - 1, begin = piece => piece.from[side], order = (a, b) => begin(a) - begin(b) || a.process - b.process;
  const inView = hit && hit.region === region && begin(hit) >= view[0] && begin(hit) <= view[1];
  const later = inView ? piece => order(piece, hit) > 0 : piece => begin(piece) >= view[0];
  const next = firstPiece(region, parts.filter(part => part.to[side] >= view[0]), later, order);
  hit = next || firstPiece(region, parts, () => true, order);
  if (!hit) return redraw(`No ${data.regions[region]} in the detail that the page holds.`);
  chosen = null;
  const from = begin(hit), span = Math.max(4, (hit.to[side] - from) * 3);
  show(from - span, from + span, (next ? "" : "No later one; the first: ") +
       `${data.regions[region]} of ${nameOf(hit.process)} from ${exact(from)}.`);
}
function firstPiece(region, among, fits, order) {
  const side = sides - 1, piecesOf = (part, process) => chunkOf(part).rows.get(rowOf(process)) || [];
  // A region that goes on in a part was found in the one before.
  const goesOn = (part, piece) => piece.from[side] === part.begin &&
    parts.some(before => before.number === part.number - 1 && piecesOf(before, piece.process).some(
      ahead => ahead.process === piece.process && ahead.region === region && ahead.to[side] === part.begin));
  for (const part of among) {
    let best = null;
    for (const pieces of chunkOf(part).rows.values())
      for (const piece of pieces)
        if (piece.region === region && fits(piece) && (!best || order(piece, best) < 0) && !goesOn(part, piece)) best = piece;
    if (best) return best;
  }
  return null;
}
search.addEventListener("input", () => {
  const word = search.value.trim().toLowerCase();
  const found = [];
  const add = (name, use) => {
    const button = element("button", {type: "button", textContent: name});
    button.addEventListener("click", use);
    found.push(button);
  };
  if (word) {
    for (let process = 0; process < data.processes && found.length < 8; ++process)
      if (nameOf(process).toLowerCase().includes(word) || String(process) === word) add(nameOf(process), () => pick(process));
    data.regions.forEach((name, region) => {
      if (found.length < 14 && name.toLowerCase().includes(word)) add(`next ${name}`, () => nextOf(region));
    });
  }
  hits.replaceChildren(...found);
});
