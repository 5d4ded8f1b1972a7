# Colours have the contrast that WCAG 2 asks for at level AA, light, dark and printed.
small_trace >small.clct
run 0 'clc-view small.clct -o page.html && python3 "$CLC_SOURCE/test/cli/view/contrast.py" page.html'
out 'pairs: many'
# The test sees what it should.
run 0 'sed "s/--soft: #[0-9a-f]*/--soft: #bbbbbb/; s/--after: #[0-9a-f]*/--after: #dddddd/" page.html >pale.html; python3 "$CLC_SOURCE/test/cli/view/contrast.py" pale.html | grep -c -e "^light: .lead: " -e "^light: svg.figure .after: "'
out 2
