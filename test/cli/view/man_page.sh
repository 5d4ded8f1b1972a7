# The man page and the program tell the same.
page=$CLC_SOURCE/man/clc-view.1
like_its_page clc-view
clc-view --help | tr '\n' ' ' | grep -oE 'as SVG: [a-z, -]*' | sed 's/as SVG: *//; s/ or /, /' | tr ', ' '\n\n' | grep . | sort >figures
run 0 'while read -r name; do grep -qE "It Cm $name\$" "$page" || echo "$name"; done <figures; wc -l <figures'
out 9
