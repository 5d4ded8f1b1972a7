"""Compares the options of a program with those of its man page.

Usage: PROGRAM --help | man_page.py PAGE

Prints a line for each option that only one of them has, and for each option whose default (a number, or off) in the
help does not stand in the paragraph of the page about this option, in a sentence that speaks of a default.
"""
import re
import sys


def value(word):
    """A default as something to compare: 1e+05, 10^5 and 100000 are the same."""
    base, power, exponent = word.partition("^")
    number = re.fullmatch(r"([\d.]*\d(?:e[+-]?\d+)?)([KMG]?)", base)
    if not number:
        return word
    return float(number[1]) ** int(exponent if power else 1), number[2]


WORD = r"(?<![\w.^])(off|\d[\d.]*(?:e[+-]?\d+|\^\d+)?[KMG]?)(?!\w|\.\d)"


def values(text):
    return {value(word.rstrip(".")) for word in re.findall(WORD, text)}


def of_help(text):
    """Each name of an option, with the value of its default if it is a number or off."""
    found = {}
    for entry in re.split(r"\n(?=  ?-|\S)", text):
        head = re.match(r"  ?-[^\n]*?(?=  |\n|$)", entry)
        if not head:
            continue
        default = re.search(r"Default: " + WORD, " ".join(entry.split()))
        for name in re.findall(r"(?:^|[ ,])--?([A-Za-z-]+)", head[0]):
            found[name] = default and value(default[1].rstrip("."))
    return found


def of_page(text):
    """Each name of an option, with the values in sentences about defaults in its paragraph."""
    found = {}
    for head, body in re.findall(r"^\.It (Fl .*)\n((?:(?!\.It |\.El|\.Sh ).*\n)*)", text, re.M):
        plain = re.sub(r" ([.,:;])", r"\1", " ".join(re.sub(r"^\.\w+ |\\&", "", body, flags=re.M).split()))
        sentences = re.split(r"(?<=[.:;]) ", plain)
        defaults = set()
        for before, sentence in zip([""] + sentences, sentences):
            if re.search(r"default|\belse\b", sentence, re.I) or re.search(r"default[^:]*:$", before, re.I):
                defaults |= values(sentence)
        for name in re.findall(r"Fl -?([A-Za-z-]+)", head):
            found.setdefault(name, set()).update(defaults)
    return found


help_has, page_has = of_help(sys.stdin.read()), of_page(open(sys.argv[1]).read())
for name in sorted(help_has.keys() ^ page_has.keys()):
    print(f"only the {'help' if name in help_has else 'page'} has {name}")
for name, default in help_has.items():
    if default is not None and name in page_has and default not in page_has[name]:
        print(f"{name}: the page lacks the default {default}")
if len(help_has) < 10:
    print(f"only {len(help_has)} options found")
