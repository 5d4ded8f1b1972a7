// After all is defined.
let known = 0;
new ResizeObserver(() => { if (box.clientWidth !== known) { known = box.clientWidth; redraw(); } }).observe(box);
for (const query of ["(prefers-color-scheme: dark)", "print"])
  matchMedia(query).addEventListener("change", () => {
    palette = null;
    for (let side = 0; side < sides; ++side) draw(side);
  });
document.documentElement.classList.add("alive");
follow();
redraw();
