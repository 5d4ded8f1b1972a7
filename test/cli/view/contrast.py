"""Contrast of the colours of a page, by WCAG 2: text 4.5, what figures are made of 3, on what is behind it.

Usage: contrast.py PAGE. Prints a line for each pair that has less, then how many were compared.
"""
import re
import sys

style = re.search(r"<style>(.*?)</style>", open(sys.argv[1], encoding="utf-8").read(), re.S).group(1)
schemes = dict(zip(("light", "dark", "print"),
                   (dict(re.findall(r"(--\w+): (#\w{6})", block)) for block in
                    re.findall(r":root, svg\.figure \{([^}]*)\}", style))))
assert len(schemes) == 3


def light(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def over(front, back, opacity):
    return "#" + "".join(f"{round(int(front[i:i + 2], 16) * opacity + int(back[i:i + 2], 16) * (1 - opacity)):02x}"
                         for i in (1, 3, 5))


def ratio(a, b):
    a, b = sorted((light(a), light(b)))
    return (b + 0.05) / (a + 0.05)


# Rules of a style: [selector, {property: last value}].
rules = [(selector.strip(), dict(re.findall(r"([\w-]+): ([^;]+)", body)))
         for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style)]
count = 0


def compare(scheme, what, front, back, least):
    global count
    count += 1
    found = ratio(front, back)
    if found < least:
        print(f"{scheme}: {what}: {found:.2f}, expected at least {least}")


# No information by themselves: lines behind data, bars with edges, fills between lines, cells with words in them.
quiet = r"\.(rule|life|r\d|none|band|before-band|spread|f\d|m\d|on-dark)$"
for scheme, colours in schemes.items():
    def value(text):
        return re.sub(r".*var\((--\w+)\).*", lambda match: colours[match.group(1)], text)

    paper, faint = colours["--paper"], colours["--faint"]
    for selector, properties in rules:
        if "color" in properties and "var(" in properties["color"]:
            back = value(properties["background"]) if "var(" in properties.get("background", "") else paper
            compare(scheme, selector, value(properties["color"]), back, 4.5)
            if back == paper and not re.search(r"body|placeholder", selector):
                compare(scheme, selector + " on a button or in a box", value(properties["color"]), faint, 4.5)
        if not selector.startswith("svg.figure ") or re.search(quiet, selector.split()[-1]):
            continue
        for name in ("fill", "stroke"):
            if "var(" not in properties.get(name, ""):
                continue
            words = "text" in selector or selector.split()[-1] in (".title", ".strong", ".warn")
            opacity = float(properties.get(name + "-opacity", 1))
            compare(scheme, selector, over(value(properties[name]), paper, opacity), paper, 4.5 if words else 3)
    # Words in cells of matrices, as figures/matrices.cpp chooses their colour.
    for level in range(5):
        opacity = next((float(p.get("fill-opacity", 1)) for s, p in rules if s == f"svg.figure .m{level}"), None)
        cell = over(colours["--after"], paper, opacity)
        compare(scheme, f"words in .m{level}", colours["--on" if level == 4 else "--ink"], cell, 4.5)
    compare(scheme, "words in .back", colours["--on"], colours["--back"], 4.5)
    # The edges of bars, of buttons and of fields.
    compare(scheme, "edge", colours["--edge"], paper, 3)
print("pairs:", "many" if count > 100 else count)
