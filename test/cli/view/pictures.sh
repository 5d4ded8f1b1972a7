# The pictures of README and of the thesis' figures are those that the programs make.
needs_estimates
CLC_BUILD=$(dirname "$(dirname "$(command -v clc-view)")")
export CLC_BUILD
run 0 '"$CLC_SOURCE/scripts/pictures" made 2>/dev/null && cd made && ls *.svg'
out 'coarse-clock.svg
duda.svg
hofmann-hilgers.svg
hofmann.svg
regulator-b-1.svg
regulator-b-2.svg
regulator-b-3.svg
regulator-b.svg
ring.svg
smooth.svg
sweep-mmd.svg
variable.svg'
# The first screen of a page, where there is a browser: 1280 pixels wide, below 200 kB.
if command -v chromium >/dev/null; then
  run 0 'od -An -tu1 -j16 -N8 made/page.png | tr -s " "'
  out ' 0 0 5 0 0 0 3 132'
  run 0 'od -An -tu1 -j16 -N8 made/zoom.png | tr -s " "'
  out ' 0 0 5 0 0 0 1 190'
  run 0 'test $(wc -c <made/page.png) -lt 200000; test $(wc -c <made/zoom.png) -lt 200000'
fi
for picture in coarse-clock ring; do
  run 0 "cmp made/$picture.svg '$CLC_SOURCE/pictures/$picture.svg'"
  run 0 "grep -c 'pictures/$picture.svg' '$CLC_SOURCE/README.md'"
  out 1
done
for picture in duda hofmann hofmann-hilgers variable smooth regulator-b regulator-b-1 regulator-b-2 regulator-b-3 sweep-mmd; do
  run 0 "cmp made/$picture.svg '$CLC_SOURCE/pictures/$picture.svg'"
done
