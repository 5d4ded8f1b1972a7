// Runs in the page, after its own script: what a person would try, and what is to be seen then.
"use strict";
(() => {
  const found = [];
  const check = (what, holds) => { found.push((holds ? "ok " : "FAILED ") + what); };
  const box = document.getElementById("timelines");
  const frames = n => new Promise(done => { const next = () => n-- > 0 ? requestAnimationFrame(next) : done(); next(); });
  const span = () => +box.dataset.to - +box.dataset.from;
  const press = async key => {
    box.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    await frames(3);
  };
  // What the bars are at times at which it is known: [process, from, to, side, region], ticks from the origin.
  const instants = async () => {
    const data = JSON.parse(document.getElementById("data").textContent), wrong = [];
    for (const [process, from, to, side, region] of window.instants || []) {
      const middle = (from + to) / 2 - data.offset, span = (to - from) * 4;
      location.hash = `t=${Math.floor(middle - span / 2)},${Math.ceil(middle + span / 2)}`;
      await frames(6);
      const canvas = box.querySelectorAll("canvas")[side], svg = box.querySelectorAll("svg")[side];
      const scale = canvas.height / svg.viewBox.baseVal.height;
      const shownSpan = +box.dataset.to - +box.dataset.from;
      const x = Math.floor((middle - +box.dataset.from) / shownSpan * canvas.width);
      const life = svg.querySelectorAll(".life")[process];
      const found = canvas.getContext("2d").getImageData(x, Math.round(life.y1.baseVal.value * scale), 1, 1).data;
      const swatch = [...document.querySelectorAll(".legend li")].find(item => item.textContent === region) ||
        document.querySelector(".legend li:last-child");
      const wanted = region === "" ? [0, 0, 0] : getComputedStyle(swatch.querySelector("rect")).fill.match(/\d+/g).map(Number);
      if (wanted.some((part, i) => part !== found[i])) wrong.push(`${process} ${from} ${to} ${side} ${region}: ${found}, not ${wanted}`);
    }
    if (window.instants) check(`bars at ${window.instants.length} instants are as in the trace ${wrong.join(" | ")}`, wrong.length === 0);
    location.hash = "";
    await frames(4);
  };
  // Where messages are drawn: [from, to, [sent, received as recorded], [the same corrected]], ticks from the origin.
  const edges = async () => {
    const data = JSON.parse(document.getElementById("data").textContent), wrong = [];
    for (const [from, to, ...sidesOf] of window.edges || [])
      for (const [side, [sent, received]] of sidesOf.entries()) {
        const low = Math.min(sent, received) - data.offset, high = Math.max(sent, received) - data.offset, room = Math.max(40, (high - low) / 4);
        location.hash = `t=${Math.floor(low - room)},${Math.ceil(high + room)}`;
        await frames(6);
        const svg = box.querySelectorAll("svg")[side], clip = svg.querySelector("clipPath rect");
        const left = clip.x.baseVal.value, wide = clip.width.baseVal.value, shown = [+box.dataset.from, +box.dataset.to];
        const x = t => left + (t - data.offset - shown[0]) / (shown[1] - shown[0]) * wide;
        const y = process => svg.querySelectorAll(".life, .own")[process].y1.baseVal.value;
        const path = svg.querySelector(received < sent ? ".backward" : ".message, .thread");
        const numbers = path ? path.getAttribute("d").split("M").slice(1).map(line => line.split(/[L ]/).map(Number)) : [];
        const wanted = [x(sent), y(from), x(received), y(to)];
        if (!numbers.some(line => line.every((n, i) => Math.abs(n - wanted[i]) < 0.6))) wrong.push(`${from} ${to} ${sent} ${received} ${side}`);
      }
    if (window.edges) check(`${window.edges.length} messages are drawn where they are in the trace ${wrong.join(" | ")}`, wrong.length === 0);
    location.hash = "";
    await frames(4);
  };
  // How many messages have both ends in a stretch of time: [from, to, messages], ticks from the origin.
  const counts = async () => {
    const data = JSON.parse(document.getElementById("data").textContent), wrong = [];
    for (const [from, to, messages] of window.counts || []) {
      location.hash = `t=${from - data.offset},${to - data.offset}`;
      await frames(6);
      await new Promise(done => setTimeout(done, 300));
      const words = document.querySelector("svg[data-figure=delays]").closest("section").querySelector(".note").textContent;
      if (+words.split(" ")[0].replace(/,/g, "") !== messages) wrong.push(`${from} ${to}: ${words} Not ${messages}`);
    }
    if (window.counts) check(`messages of ${window.counts.length} stretches are counted ${wrong.join(" | ")}`, wrong.length === 0);
    location.hash = "";
    await frames(4);
  };
  // What the search for a region finds: [from, to, region, what it says at each click], ticks from the origin.
  const nexts = async () => {
    const data = JSON.parse(document.getElementById("data").textContent), wrong = [];
    const search = document.getElementById("search"), status = document.getElementById("status");
    for (const [from, to, region, ...expected] of window.nexts || []) {
      location.hash = `t=${from - data.offset},${to - data.offset}`;
      await frames(6);
      search.value = region;
      search.dispatchEvent(new Event("input"));
      for (const words of expected) {
        [...document.querySelectorAll("#hits button")].find(button => button.textContent === `next ${region}`).click();
        await frames(3);
        if (!status.textContent.startsWith(words)) wrong.push(`${status.textContent} Not ${words}`);
      }
    }
    if (window.nexts) check(`regions are found ${wrong.join(" | ")}`, wrong.length === 0);
    search.value = location.hash = "";
    search.dispatchEvent(new Event("input"));
    await frames(4);
  };
  const overlaps = svg => {
    const texts = [...svg.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
    return texts.filter(([a, p], i) => texts.some(([b, q], k) => k < i && a.textContent && b.textContent &&
      p.left < q.right - 0.5 && q.left < p.right - 0.5 && p.top < q.bottom - 2 && q.top < p.bottom - 2)).map(([a]) => a.textContent);
  };
  (async () => {
    await frames(4);
    check("no error: " + JSON.stringify(window.failures), window.failures.length === 0);
    check("script ran", document.documentElement.classList.contains("alive"));
    const names = [...new Set([...document.querySelectorAll("svg[data-figure]")].map(svg => svg.dataset.figure))];
    check("figures " + names.join(" "), names.length >= (window.wanted || 6));
    for (const svg of document.querySelectorAll("svg[data-figure]")) {
      const shapes = svg.querySelectorAll("path, rect, line").length;
      const hidden = getComputedStyle(svg.parentElement).display === "none";
      check(svg.dataset.figure + " drawn", shapes > 2 && (hidden || svg.getBoundingClientRect().height > 40));
      check(svg.dataset.figure + " has words", svg.querySelectorAll("text").length > 1 && svg.getAttribute("aria-label").length > 10);
      const outside = hidden ? [] : [...svg.querySelectorAll("text")].filter(text => {
        const box = text.getBBox();
        return box.x < -0.5 || box.x + box.width > svg.viewBox.baseVal.width + 0.5;
      });
      check(svg.dataset.figure + " has all words inside " + outside.map(text => text.textContent).join(", "), outside.length === 0);
      const overlap = hidden ? [] : overlaps(svg);
      check(svg.dataset.figure + " has no text over another: " + overlap.join(" | "), overlap.length === 0);
      check(svg.dataset.figure + " has no broken number", !/NaN|Infinity|undefined/.test(svg.outerHTML));
    }
    for (const figure of document.querySelectorAll("figure"))
      for (const svg of figure.querySelectorAll("svg[data-figure]")) {
        const name = svg.dataset.figure, table = document.querySelector(`details[data-of=${name}] tbody tr`);
        check("numbers of " + name, table || (name === "timeline" && document.querySelector("#processes tbody tr")));
      }
    check("few elements, however many records: " + box.querySelectorAll("path").length, box.querySelectorAll("path").length < 60);
    check("both sides are drawn by the script", [...box.querySelectorAll("svg")].every(svg => svg.querySelector("clipPath")));
    const tiles = document.querySelector(".tiles"), columns = getComputedStyle(tiles).gridTemplateColumns.split(" ").length;
    check("tiles fill their rows", tiles.children.length % columns === 0);
    for (const svg of document.querySelectorAll("svg[data-figure=corrections]")) {
      if (getComputedStyle(svg.parentElement).display === "none") continue;
      const words = [...svg.querySelectorAll("text[y='38'], text[y='54']")].map(text => text.getBBox());
      const marks = [...svg.querySelectorAll("line[y1='34'], line[y1='50']")].map(line => line.getBBox());
      const apart = (a, b) => a.y > b.y + b.height || a.x > b.x + b.width || b.x > a.x + a.width || b.y > a.y + a.height;
      check("names of curves are apart: " + words.length,
            words.every(a => marks.every(b => apart(a, b)) && a.x + a.width <= svg.viewBox.baseVal.width));
    }
    const margin = [...box.querySelector("svg").querySelectorAll(":scope > text[text-anchor=end]")];
    const own = name => name.firstChild.textContent;
    const full = name => name.querySelector("title") ? name.querySelector("title").textContent : own(name);
    check("names are inside: " + margin.map(own).join(", ") + " in full: " + margin.map(full).join(", "),
          margin.length > 0 && margin.every(name => name.getBBox().x >= 0));
    const all = span();
    check("shows all", all > 0);
    const count = style => [...box.querySelectorAll("path." + style)].map(path => path.getAttribute("d").split("M").length - 1).join(" and ") || "0";
    check(`drawn: ${count("joint")} lines of operations, ${count("joint-bad")} violated, ${count("thread")} of threads, ${count("cut")} cut at the margin`, true);
    const drawing = () => [...box.querySelectorAll("svg")].map(svg => svg.innerHTML).join("");
    const first = drawing();
    await press("+");
    check("+ zooms in", Math.abs(span() - all / 2) < all / 100 && drawing() !== first);
    const from = +box.dataset.from;
    await press("ArrowRight");
    check("right moves on", +box.dataset.from > from && Math.abs(span() - all / 2) < all / 100);
    await press("ArrowLeft");
    await press("-");
    await press("0");
    check("0 shows all", Math.abs(span() - all) < 1 && drawing() === first);
    const next = document.querySelector("[data-action=next]");
    if (next) {
      next.click();
      await frames(3);
      check("next backward message: " + document.getElementById("status").textContent,
            /took −/.test(document.getElementById("status").textContent) && box.querySelector(".chosen") &&
            !/undefined|NaN/.test(document.getElementById("status").textContent + drawing()));
      const second = (await press("n"), document.getElementById("status").textContent);
      await press("p");
      check("backward messages: " + [second, document.getElementById("status").textContent].sort().join(" "), true);
      await press("Home");
    } else {
      await press("n");
      check("says that there is none", /No message/.test(document.getElementById("status").textContent));
      await press("0");
    }
    box.dispatchEvent(new WheelEvent("wheel", {deltaY: -300, ctrlKey: true, clientX: 300, bubbles: true, cancelable: true}));
    await frames(3);
    check("wheel zooms", span() < all);
    box.dispatchEvent(new WheelEvent("wheel", {deltaY: -300, clientX: 300, bubbles: true, cancelable: true}));
    const buttons = [...document.querySelectorAll("button")];
    check("buttons have names", buttons.length >= 5 && buttons.every(b => b.getAttribute("aria-label") || b.textContent));
    check("keyboard reaches the time lines", box.tabIndex === 0);
    for (let i = 0; i < 60; ++i) {
      await press("+");
      const over = [...box.querySelectorAll("svg")].flatMap(overlaps);
      if (over.length) check("no text over another, zoomed " + i + ": " + over.join(" | "), false);
    }
    check("deep zoom: " + span(), span() > 0 && !/NaN|Infinity/.test(drawing()));
    await press("0");
    const host = document.getElementById("processes"), body = () => [...host.querySelectorAll("tbody tr")];
    check("the table of processes has rows: " + body().length, body().length > 0);
    const column = i => body().map(row => row.children[i].textContent);
    host.querySelectorAll("thead button")[1].click();
    const sizes = column(1).map(text => +text.replace(/,/g, ""));
    check("it sorts: " + sizes.join(" "), sizes.every((size, i) => i === 0 || sizes[i - 1] >= size));
    const wanted = column(0)[0], filter = host.querySelector("input");
    filter.value = wanted;
    filter.dispatchEvent(new Event("input"));
    check("it filters: " + wanted, body().length > 0 && column(0).every(name => name.includes(wanted)));
    filter.value = "";
    filter.dispatchEvent(new Event("input"));
    const search = document.getElementById("search");
    search.value = wanted;
    search.dispatchEvent(new Event("input"));
    const hit = document.querySelector("#hits button");
    check("the search finds " + wanted, hit && hit.textContent.includes(wanted));
    const pause = () => new Promise(done => setTimeout(done, 300));
    hit.click();
    await pause();
    check("and picks it", box.querySelector(".own") && /p=\d/.test(location.hash));
    const curves = [...document.querySelectorAll("svg[data-figure=corrections]")];
    check("its correction is drawn", curves.every(svg => {
      const path = svg.querySelector(".picked path"), name = svg.querySelector(".picked text");
      if (!path || !name || name.textContent !== wanted) return false;
      const y = path.getPathData ? 0 : +path.getAttribute("d").match(/ ([\d.-]+)$/)[1];
      // It ends where the table says: the scale is that of the figure.
      const [from, to, begin, end] = svg.querySelector(".picked").dataset.y.split(" ").map(Number);
      const told = +column(3)[0].replace(/,/g, "").replace("−", "-") / 1e6;
      return Math.abs(begin + (told - from) / (to - from) * (end - begin) - y) < 0.5;
    }));
    const worst = document.querySelector("#edges tbody tr");
    check("worst violation: " + (worst ? [...worst.children].map(cell => cell.textContent).join(" | ") : "none"), true);
    const saved = [], RealBlob = window.Blob;  // reading one would take real time
    window.Blob = class extends RealBlob { constructor(content, options) { super(content, options); saved.push(content.join("")); } };
    host.querySelectorAll("button")[0].click();
    window.Blob = RealBlob;
    const csv = saved[0];
    const histogram = document.querySelector("svg[data-figure=delay-histogram]"), before = histogram && histogram.innerHTML;
    if (histogram) {
      await pause();
      check("the histogram follows the process picked", histogram.innerHTML !== before || /messages/.test(histogram.closest("section").querySelector(".note").textContent));
      const orange = [...document.querySelectorAll("svg[data-figure=delays] rect.back title")].map(title => title.textContent);
      check("mean delays in orange are below zero", orange.every(words => /: −/.test(words)));
      check("with whole numbers", !/NaN|Infinity|undefined/.test(histogram.outerHTML + document.querySelector("svg[data-figure=delays]").outerHTML));
    }
    check("CSV: " + (csv && csv.split("\n")[0]), csv && csv.split("\n").length === JSON.parse(document.getElementById("data").textContent).processes + 2);
    await pause();
    location.hash = "";
    await frames(4);
    const counters = document.getElementById("counters"), figures = () => [...counters.querySelectorAll("tbody th")].map(th => th.textContent);
    const told = figures();
    check("counters: " + told.length, told.length >= 7 && told[0] === "Messages");
    counters.querySelector("thead button").click();
    check("they sort", figures().length === told.length && figures().every((name, i, all) => i === 0 || all[i - 1].localeCompare(name, "en") <= 0));
    counters.querySelector("input").value = "delay";
    counters.querySelector("input").dispatchEvent(new Event("input"));
    check("they filter: " + figures().join(" | "), figures().length > 1 && figures().every(name => /delay/.test(name)));
    counters.querySelector("input").value = "";
    counters.querySelector("input").dispatchEvent(new Event("input"));
    await instants();
    await edges();
    await counts();
    await nexts();
    check("nothing wider than the screen: " + document.documentElement.scrollWidth + " of " + innerWidth,
          document.documentElement.scrollWidth <= innerWidth);
    check("no error at the end: " + JSON.stringify(window.failures), window.failures.length === 0);
    parent.postMessage(found.join("\n"), "*");
  })();
})();
