// After all is defined.
new ResizeObserver(() => {
  if (box.clientWidth === known) return;
  known = box.clientWidth;
  planned = null;
  redraw();
}).observe(box);
for (const query of ["(prefers-color-scheme: dark)", "print"])
  matchMedia(query).addEventListener("change", () => {
    palette = null;
    for (let side = 0; side < sides; ++side) draw(side);
  });
document.documentElement.classList.add("alive");
follow();
redraw();
