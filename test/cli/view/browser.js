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
      check(svg.dataset.figure + " has no broken number", !/NaN|Infinity|undefined/.test(svg.outerHTML));
    }
    check("both sides are drawn by the script", [...box.children].every(svg => svg.querySelector("clipPath")));
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
    const margin = [...box.querySelectorAll(":scope > svg:first-child > text[text-anchor=end]")];
    check("names are inside: " + margin.map(name => name.textContent).join(", "),
          margin.length > 0 && margin.every(name => name.getBBox().x >= 0));
    const all = span();
    check("shows all", all > 0);
    const drawing = () => [...box.querySelectorAll(":scope > svg")].map(svg => svg.innerHTML).join("");
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
    check("buttons have names", buttons.length >= 5 && buttons.every(b => b.getAttribute("aria-label")));
    check("keyboard reaches the time lines", box.tabIndex === 0);
    for (let i = 0; i < 60; ++i) await press("+");
    check("deep zoom: " + span(), span() > 0 && !/NaN|Infinity/.test(drawing()));
    await press("0");
    check("nothing wider than the screen: " + document.documentElement.scrollWidth + " of " + innerWidth,
          document.documentElement.scrollWidth <= innerWidth);
    check("no error at the end: " + JSON.stringify(window.failures), window.failures.length === 0);
    parent.postMessage(found.join("\n"), "*");
  })();
})();
