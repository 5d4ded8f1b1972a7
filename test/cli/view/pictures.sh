# The pictures of README are those that the programs make.
CLC_BUILD=$(dirname "$(dirname "$(command -v clc-view)")")
export CLC_BUILD
run 0 '"$CLC_SOURCE/scripts/pictures" made && ls made'
out 'coarse-clock.svg
ring.svg'
for picture in coarse-clock ring; do
  run 0 "cmp made/$picture.svg '$CLC_SOURCE/pictures/$picture.svg'"
  run 0 "grep -c 'pictures/$picture.svg' '$CLC_SOURCE/README.md'"
  out 1
done
