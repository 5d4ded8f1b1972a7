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
// Paper is as wide as it is, whatever the window.
function printed(width) {
  known = width;
  planned = palette = null;
  for (let side = 0; side < sides; ++side) draw(side);
}
addEventListener("beforeprint", () => printed(1000));
addEventListener("afterprint", () => printed(box.clientWidth));
document.documentElement.classList.add("alive");
follow();
redraw();
