"""The tables beside the figures of a page: prints FIGURE TITLE: ROWS rows, and for each column of whole numbers its sum."""
import html
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
drawn = set(re.findall(r'data-figure="([a-z-]+)"', page))
told = set()
for name, body in re.findall(r'<details class="numbers" data-of="([a-z-]+)">(.*?)</details>', page, re.S):
    told.add(name)
    for table in re.findall(r"<table>(.*?)</table>", body, re.S):
        title = (re.findall(r"<caption>(.*?)</caption>", table) or [""])[0]
        rows = [[html.unescape(cell).replace("\u00a0", " ") for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
                for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)]
        sums = []
        for i, head in enumerate(rows[0]):
            cells = [row[i].replace(",", "") for row in rows[1:]]
            if i > 1 and all(cell.isdigit() for cell in cells):
                sums.append(f"{head} {sum(map(int, cells))}")
        print(f"{name}{' ' + title if title else ''}: {len(rows) - 1} rows; " + "; ".join(sums))
print("without a table:", *sorted(drawn - told))
