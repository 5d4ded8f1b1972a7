"""Compares measured offsets with the true ones.   usage: truth.py TRACE OFFSETS
TRACE (text) has lines "# clc-record truth MOMENT: process P time FAKED is REAL"; OFFSETS is the output of clc-sync.
Prints the largest error of an offset and the largest part of its bound, in us and without unit."""
import sys
from fractions import Fraction

truth = {}
for line in open(sys.argv[1]):
    if line.startswith("# clc-record truth"):
        words = line.split()
        truth.setdefault(int(words[5]), []).append((int(words[7]), int(words[9])))
reference, bounds, points = None, {}, {}
for line in open(sys.argv[2]):
    words = line.split()
    if words and words[0] == "%offset":
        points.setdefault(int(words[1]), []).append((int(words[2]), Fraction(words[3])))
    elif len(words) > 8 and words[0] == "#" and words[1].isdigit():
        bounds[int(words[1])] = float(words[7])
        if "reference" in words:
            reference = int(words[1])


def real(process, faked):
    (t1, r1), (t2, r2) = sorted(truth[process])[0], sorted(truth[process])[-1]
    return r1 + Fraction((faked - t1) * (r2 - r1), t2 - t1)


def faked(process, at):
    (t1, r1), (t2, r2) = sorted(truth[process])[0], sorted(truth[process])[-1]
    return t1 + (at - r1) * Fraction(t2 - t1, r2 - r1)


worst, part = 0.0, 0.0
for process, all_points in points.items():
    for time, offset in all_points:
        error = abs(float(faked(reference, real(process, time)) - time - offset)) / 1000
        worst = max(worst, error)
        if bounds[process] > 0:
            part = max(part, error / bounds[process])
print(f"{worst:.3f} {part:.3f}")
