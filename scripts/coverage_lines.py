"""Sums up what gcov knows: coverage_lines.py ROOT BUILD; see scripts/coverage."""
import collections
import json
import os
import subprocess
import sys

root, build = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
folders = ["src/trace", "src/clock", "src/formats", "include/clc"]
wanted = 95.0
lines = collections.defaultdict(lambda: collections.defaultdict(int))
for folder, _, names in os.walk(build):
    data = [os.path.join(folder, name) for name in names if name.endswith(".gcda")]
    if not data:
        continue
    output = subprocess.run(["gcov", "--json-format", "--stdout", *data], capture_output=True, text=True, cwd=folder, check=True)
    for text in output.stdout.splitlines():
        if not text.startswith("{"):
            continue
        report = json.loads(text)
        for file in report["files"]:
            path = os.path.realpath(os.path.join(report["current_working_directory"], file["file"]))
            path = os.path.relpath(path, root)
            if any(path.startswith(known + "/") for known in folders):
                for line in file["lines"]:
                    lines[path][line["line_number"]] += line["count"]


def ranges(numbers):
    text, numbers = [], sorted(numbers)
    while numbers:
        first = last = numbers.pop(0)
        while numbers and numbers[0] <= last + 1:
            last = numbers.pop(0)
        text.append(str(first) if first == last else f"{first}-{last}")
    return " ".join(text)


if not lines:
    sys.exit("no counters were found: no test has run")
poor = False
for folder in folders:
    total = ran = 0
    for path in sorted(path for path in lines if path.startswith(folder + "/")):
        missed = [number for number, count in lines[path].items() if count == 0]
        total += len(lines[path])
        ran += len(lines[path]) - len(missed)
        share = 100 * (1 - len(missed) / len(lines[path]))
        print(f"{share:6.1f} %  {path}" + (f"  not run: {ranges(missed)}" if missed else ""))
    share = 100 * ran / total
    poor = poor or share < wanted
    print(f"{share:6.1f} %  {folder}: {ran} of {total} lines\n")
sys.exit(1 if poor else 0)
