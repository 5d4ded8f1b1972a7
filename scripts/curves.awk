# Draws curves as SVG. Input lines: curve x y, a curve's lines together and in order of x.
#
# Usage: awk -v title=T -v xlabel=X -v ylabel=Y -v y0=LOW -v y1=HIGH -v x1=RIGHT [-v label=L] [-v dots=A,B...]
#            -f scripts/curves.awk
# L stands before the name of a curve; default "f = ". Of the curves A, B... the points are drawn.
function px(x) { return 64 + 536 * x / x1 }
function py(y) { return 36 + 264 * (y1 - y) / (y1 - y0) }
function is_dots(name) { return index("," dots ",", "," name ",") > 0 }
function end_of_curve() { if (n > 0 && !is_dots(curve)) print "\"/>" }
BEGIN {
  if (label == "") label = "f = "
  split("#1b6ca8 #c8553d #3a7d44 #8a5a9e #b8860b #4a6670 #d1495b", colours, " ")
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 350\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<rect width=\"720\" height=\"350\" fill=\"#fff\"/>"
  printf "<text x=\"64\" y=\"22\" font-size=\"14\">%s</text>\n", title
  for (i = 0; i <= 4; ++i) {
    y = y0 + (y1 - y0) * i / 4; x = x1 * i / 4
    printf "<path d=\"M64 %.1fH600\" stroke=\"#ddd\"/><text x=\"58\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", py(y), py(y) + 4, y
    printf "<text x=\"%.1f\" y=\"318\" text-anchor=\"middle\">%g</text>\n", px(x), x
  }
  printf "<text x=\"332\" y=\"340\" text-anchor=\"middle\">%s</text>\n", xlabel
  printf "<text transform=\"translate(16 168) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", ylabel
}
$2 > x1 || (is_dots($1) && ($3 < y0 || $3 > y1)) { next }
$1 != curve {
  end_of_curve()
  curve = $1
  colour = colours[n++ % 7 + 1]
  printf "<text x=\"612\" y=\"%d\" fill=\"%s\">%s%s</text>\n", 40 + 16 * n, colour, label, curve
  points = 0
  if (!is_dots(curve)) printf "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s d=\"M", colour, (n > 7) ? " stroke-dasharray=\"5 3\"" : ""
}
is_dots(curve) { printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.3\" fill=\"%s\"/>\n", px($2), py($3), colour; next }
{ printf "%s%.1f %.1f", (points++ > 0) ? "L" : "", px($2), py($3) }
END {
  end_of_curve()
  print "</svg>"
}
