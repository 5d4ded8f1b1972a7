#!/usr/bin/env python3
"""How close estimated clocks come to the truth, against the clock alone and the published methods.

    test/bench/estimates.py BUILD/bin [--seeds N] [--first SEED] [--only TEXT]... [--methods] [--list] [--readme]
                            [--oracle]

Each row is a scenario of clc-tracegen. The table shows medians over the seeds: error of the clocks (RMS, us; the best
straight line that is common to all removed) as the controlled logical clock alone leaves it, as estimated, and as
estimated with the clock behind; mean error of message delays (us), of the clock alone and with the clocks estimated
first; the share of messages below the minimum delay, recorded and mapped, with the worst one; the ratio of the
uncertainty to the actual error of a clock (median of the clocks), and the share of clocks and times at which the
certified bound contains the truth. Where clocks have coarse ticks, estimates are judged at readings without ticks.
--methods adds the error of clocks by the published methods, with the clock behind. --readme prints instead the columns
of clc-filter in README, "Other programs": error of message delays, mean and 99 %, means over the seeds.

--oracle prints instead what limits the violated messages, of all messages: the share below the minimum delay by more
than a nanosecond, and the worst one, with the estimated map; with the true clocks at the points of the map, and straight
lines between them, which the resolution leaves; with twice and four times as many points; with the estimate at its
points and the true curve between them, which its errors leave; and with the true clocks at all times, which ticks leave.

Goals, each of which is marked where it is missed: within 1.3 times the target, where there is one; at most 1.05 times
the clock alone; at most 1 % of messages violated once clocks are mapped; uncertainty between half and twice the error;
all certified bounds true; at most half of the error of each published method that finds a solution, or within 0.05 us
of it.
"""
import argparse
import bisect
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

OFFSETS = "--offset 5000 --drift 20"
HOUR = "--duration 3600"
METHODS = ["duda", "jezequel", "hofmann", "hofmann-hilgers", "variable"]
# Name: options of clc-tracegen, target of the offset error and of the delay error, us.
ROWS = {
    "halo 16, constant drift": (f"halo -n 16 {OFFSETS} --duration 10", 0.053, 0.049),
    "halo 16, wander 0.05 ppm": (f"halo -n 16 {OFFSETS} --duration 10 --wander 0.05", 0.059, 0.055),
    "halo 16, wander 0.3 ppm": (f"halo -n 16 {OFFSETS} --duration 10 --wander 0.3", 0.123, 0.118),
    "halo 64, 2 s": (f"halo -n 64 {OFFSETS} --duration 2 --wander 0.05", 0.148, 0.109),
    "halo 16, an hour": (f"halo -n 16 {OFFSETS} {HOUR} --wander 0.01", 0.462, 0.568),
    "halo 16, NTP slews": (f"halo -n 16 {OFFSETS} --duration 60 --ntp 5:500", 1.85, 1.65),
    "halo 16, temperature": (f"halo -n 16 {OFFSETS} --duration 60 --temperature 1:30", None, None),
    "16 steps of up to 2 ms": (f"halo -n 16 {OFFSETS} --duration 10 --steps 1:2000", None, None),
    "steps of up to 1 ms": (f"halo -n 16 --offset 1000 --drift 10 --duration 10 --steps 4:1000", None, None),
    "set every 5 s to 500 us": (f"halo -n 16 {OFFSETS} --duration 20 --resync 5:500", None, None),
    "tick 1 us": ("halo -n 16 --offset 200 --drift 20 --tick 1 --duration 10", 0.084, 0.366),
    "tick 1 ms": (f"halo -n 16 {OFFSETS} --tick 1000 --duration 10", 102, 370),
    "halo 16 + allreduce": (f"halo -n 16 {OFFSETS} --allreduce 10 --duration 10 --wander 0.05", 0.124, 0.121),
    "jitter 50 us": (f"halo -n 16 {OFFSETS} --jitter 50 --duration 10", 1.38, 1.32),
    "finite elements": ("finite-elements -n 16 --offset 5000 --drift 50 --duration 13", 29.7, 29.8),
    "ring of 8, one way": ("ring -n 8", 0.02, 0.017),
    "master-worker 16": ("master-worker -n 16", 0.024, 0.02),
    "pairs 8": (f"pairs -n 8 {OFFSETS} --duration 10", None, None, 2),
    "random 16": (f"random -n 16 {OFFSETS} --duration 10", 0.072, 0.076),
    "collectives 16": (f"collectives -n 16 {OFFSETS} --duration 10", None, None),
    "20 messages a pair": (f"halo -n 16 {OFFSETS} --events 2560 --duration 2", 0.759, 0.688),
    "token ring, an hour": (f"ring -n 8 {OFFSETS} {HOUR} --events 2400 --wander 0.05", 365, 91.6),
}


# Runs of 100 s for README: clocks within 200 us, drift within 1 ppm.
README = {
    "constant drift": "",
    "wander 0.3 ppm": "--wander 0.3",
    "slewed by NTP": "--ntp 16:200",
}
README_RUN = "halo -n 8 --offset 200 --drift 1 --duration 100 --events 500000"


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def records(path):
    """Times by process, in order."""
    times = {}
    for line in path.read_text().splitlines():
        if line and line[0] not in "%#":
            time, process = line.split(None, 2)[:2]
            times.setdefault(int(process), []).append(int(time))
    return times


def read_map(text):
    """Points of each process, and the rows of the report: {process: (error, bound, note)}."""
    points, clocks = {}, {}
    for line in text.splitlines():
        fields = line.split()
        if fields[0] == "%offset":
            points.setdefault(int(fields[1]), []).append((int(fields[2]), float(fields[3])))
        elif re.fullmatch(r"#( +(-?[0-9.]+|-)){8} .*", line) and fields[2] != "-":
            clocks[int(fields[1])] = (float(fields[6]), float("inf") if fields[7] == "-" else float(fields[7]), line)
    return points, clocks


def mapped(points, time):
    if not points:
        return time
    if len(points) == 1:
        return time + points[0][1]
    at = min(max(bisect.bisect_right(points, (time, float("inf"))), 1), len(points) - 1)
    (t0, o0), (t1, o1) = points[at - 1], points[at]
    return time + o0 + (o1 - o0) * (time - t0) / (t1 - t0)


class Truth:
    """Deviations of clocks from the truth at 201 times, less the mean of connected clocks: a common time is arbitrary.
    Means of 25 records, so that ticks do not count as errors."""

    def __init__(self, path, connected):
        self.true = records(path)
        self.connected = connected or len(self.true)
        begin = max(min(t) for t in self.true.values())
        end = min(max(t) for t in self.true.values())
        self.grid = [begin + (end - begin) * i // 200 for i in range(201)]

    def deviations(self, times, map_of=lambda process, time: time):
        """Of each clock, us. times: of the same records on the clocks."""
        errors = {process: [(map_of(process, time) - t) / 1000 for time, t in zip(times[process], true)]
                  for process, true in self.true.items()}
        result = {}
        for first in range(0, len(errors), self.connected):
            group = sorted(errors)[first : first + self.connected]
            # Without their common rate: the means of two clocks are not of the same moment.
            rate = self.common_rate([self.means(p, errors[p]) for p in group])
            rows = [self.means(p, [e - rate * (t - self.grid[0]) for e, t in zip(errors[p], self.true[p])]) for p in group]
            means = [statistics.fmean(column) for column in zip(*rows)]
            result |= {p: [d - m for d, m in zip(row, means)] for p, row in zip(group, rows)}
        return result

    def means(self, process, errors):
        sums = list(itertools.accumulate(errors, initial=0))
        means = []
        for t in self.grid:
            last = min(bisect.bisect_right(self.true[process], t) + 12, len(errors))
            first = max(last - 25, 0)
            means.append((sums[last] - sums[first]) / (last - first))
        return means

    def common_rate(self, rows):
        means = [statistics.fmean(column) for column in zip(*rows)]
        middle, mean = statistics.fmean(self.grid), statistics.fmean(means)
        return (sum((t - middle) * (m - mean) for t, m in zip(self.grid, means)) /
                max(sum((t - middle) ** 2 for t in self.grid), 1))


def rms(values):
    return statistics.fmean(value * value for value in values) ** 0.5


class Straight:
    """Straight lines between points."""

    def __init__(self, points):
        self.times, self.values = zip(*points)

    def __call__(self, time):
        if len(self.times) == 1:
            return self.values[0]
        at = min(max(bisect.bisect_right(self.times, time), 1), len(self.times) - 1)
        (t0, t1), (v0, v1) = self.times[at - 1 : at + 1], self.values[at - 1 : at + 1]
        return v0 + (v1 - v0) * (time - t0) / (t1 - t0)


def messages(path):
    """Times of sends and receives of each channel: [(from, to, [(sent, received)])]; and the minimum delay."""
    channels, least = {}, 0
    for line in path.read_text().splitlines():
        fields = line.split()
        if fields[0] == "%min-delay":
            least = int(fields[1])
        elif fields[0][0] not in "%#" and fields[2] in "SR":
            ends = (int(fields[1]), int(fields[3]))
            key = (*(ends if fields[2] == "S" else ends[::-1]), *fields[4:6])
            channels.setdefault(key, ([], []))["SR".index(fields[2])].append(int(fields[0]))
    return [(key[0], key[1], list(zip(*both))) for key, both in channels.items()], least


def violated(channels, least, offset_of):
    """Share, %, and worst, us, with these offsets."""
    missing = [least - (received - sent + offset_of[to](received) - offset_of[source](sent))
               for source, to, both in channels for sent, received in both]
    return 100 * sum(one > 1 for one in missing) / len(missing), max(0, *missing) / 1000


def oracles(programs, folder, options, seed):
    trace, exact, truth = simulated(programs, folder, options, seed)
    channels, least = messages(trace)
    points, _ = read_map(run(programs / "clc-sync", "-q", trace))
    clocks = {process: Straight([(time, t - time) for time, t in sorted(dict(zip(times, records(truth)[process])).items())])
              for process, times in records(exact).items()}

    def sampled(process, parts):
        times = [time for time, _ in points[process]]
        times = [a + (b - a) * i / parts for a, b in zip(times, times[1:]) for i in range(parts)] + times[-1:]
        return Straight([(time, clocks[process](time)) for time in times])

    def with_curve(process):
        same = sampled(process, 1)
        return lambda time: mapped(points[process], time) - time + clocks[process](time) - same(time)

    if not points or not channels:
        return None
    maps = [{p: Straight(of) for p, of in points.items()}]
    maps += [{p: sampled(p, parts) for p in points} for parts in (1, 2, 4)]
    maps += [{p: with_curve(p) for p in points}, clocks]
    return [len(points[0])] + [figure for offset_of in maps for figure in violated(channels, least, offset_of)]


def print_oracles(programs, folder, options):
    print("| trace | points | estimate, % (us) | true at its points | at twice as many | at four times as many | "
          "true between its points | true |\n|---|" + "---:|" * 7)
    for row, (arguments, *_) in ROWS.items():
        if options.only and not any(text in row for text in options.only):
            continue
        runs = [oracles(programs, folder, arguments, seed) for seed in range(options.first, options.first + options.seeds)]
        found = [statistics.median(of) for of in zip(*filter(None, runs))]
        if found:
            cells = [f"{figure(share)} ({figure(worst)})" for share, worst in zip(found[1::2], found[2::2])]
            print("| " + " | ".join([row, figure(found[0]), *cells]) + " |", flush=True)


def known_errors(report, recorded, truth):
    """Error, ratios of the uncertainty to it, and bounds kept and all, over clocks and times."""
    points, clocks = read_map(report)
    deviations = truth.deviations(recorded, lambda process, time: mapped(points.get(process), time))
    references = [p for p, (_, _, note) in clocks.items() if "reference" in note]
    ratios, kept, count = [], 0, 0
    for process, (error, bound, _) in clocks.items():
        ratios.append(error / max(rms(deviations[process]), 1e-9))
        group = process // truth.connected
        for own, other in zip(deviations[process], next((deviations[p] for p in references if p // truth.connected == group), [])):
            count += 1
            kept += abs(own - other) <= bound + 0.002
    whole = points and "clocks were set" not in report
    error = rms([value for row in deviations.values() for value in row]) if whole else float("nan")
    return error, ratios, kept, count


def delay_errors(programs, trace, corrected, truth):
    process = subprocess.run([programs / "clc-check", trace, corrected, "--truth", truth, "--report-format", "json"],
                             capture_output=True, text=True)
    return json.loads(process.stdout)["truth_errors"]["message_delays"]


def print_readme(programs, folder, seeds):
    print("| error of message delays, mean / 99 %, 100 s | recorded | `clc-filter` | `--estimate` |\n|---|---:|---:|---:|")
    trace, truth, corrected = folder / "trace", folder / "truth", folder / "corrected"
    for row, more in README.items():
        errors = {"before": [], "clock": [], "estimate": []}
        for seed in seeds:
            run(programs / "clc-tracegen", *README_RUN.split(), *more.split(), "--seed", seed, "--truth", truth, "-o", trace)
            for name, option in (("clock", []), ("estimate", ["--estimate"])):
                run(programs / "clc-filter", "-q", "-mmd", 1, *option, trace, "-o", corrected)
                both = delay_errors(programs, trace, corrected, truth)
                errors[name].append(both["after"])
                if not option:  # before a map they are those of the mapped times
                    errors["before"].append(both["before"])
        cells = [" / ".join(f"{statistics.fmean(e[key] for e in runs):.3g}" for key in ("mean", "quantile_99")) + " us"
                 for runs in errors.values()]
        print("| " + " | ".join([row, *cells]) + " |", flush=True)


def simulated(programs, folder, options, seed):
    """Files of a trace, of the same without ticks, and of the true times."""
    trace, exact, truth = folder / "trace", folder / "trace", folder / "truth"
    arguments = options.split()
    if "--events" not in arguments:
        arguments += ["--events", "100000"]
    run(programs / "clc-tracegen", *arguments, "--seed", seed, "--no-sync", "--truth", truth, "-o", trace)
    if "--tick" in arguments:
        exact = folder / "exact"
        at = arguments.index("--tick")
        run(programs / "clc-tracegen", *arguments[:at], *arguments[at + 2 :], "--seed", seed, "--no-sync", "-o", exact)
    return trace, exact, truth


def measure(programs, folder, options, seed, methods, connected=None):
    trace, exact, truth_file = simulated(programs, folder, options, seed)
    corrected = folder / "corrected"
    truth = Truth(truth_file, connected)

    def corrected_with(*more):
        """Error of clocks and of delays."""
        run(programs / "clc-filter", "-q", "--no-sync", *more, trace, "-o", corrected)
        rows = truth.deviations(records(corrected)).values()
        return rms([value for row in rows for value in row]), delay_errors(programs, trace, corrected, truth_file)["after"]["mean"]

    alone, behind = corrected_with(), corrected_with("--estimate")
    report = run(programs / "clc-sync", "-q", trace)
    line = next((l for l in report.splitlines() if l.startswith("# binding edges")), "")
    share = lambda part: float(part.split()[0]) if part else float("nan")
    recorded, _, after = line.partition("recorded ")[2].partition("; mapped ")
    estimated, ratios, kept, count = known_errors(report, records(exact), truth)
    result = {
        "clock": alone[0],
        "clock delay": alone[1],
        "offset": estimated,
        "behind": behind[0],
        "delay": behind[1],
        "recorded": share(recorded),
        "violated": share(after),
        "worst": float(after.partition("worst ")[2].split()[0]) if after else float("nan"),
        "sigma": statistics.median(ratios) if ratios else float("nan"),
        "bounds": 100 * kept / count if count else float("nan"),
    }
    for method in methods:
        try:
            result[method] = corrected_with("--estimate=" + method)[0]
        except subprocess.CalledProcessError:
            result[method] = None
    return result


def figure(value):
    return "-" if value != value else f"{value:.3g}"


def verdict(found, offset, delay, methods):
    missed = []
    for name, target in (("offset", offset), ("delay", delay)):
        if target is not None and found[name] > 1.3 * target:
            missed.append(f"{name} {found[name] / target:.1f} x target")
        behind = found["behind" if name == "offset" else name]
        alone = found["clock" if name == "offset" else "clock delay"]
        if behind > 1.05 * alone:
            missed.append(f"{name} {behind / alone:.2f} x clock")
    if found["violated"] > 1:
        missed.append("violated")
    if not 0.5 <= found["sigma"] <= 2:
        missed.append("sigma")
    if found["bounds"] < 100:
        missed.append("bounds")
    for method in methods:
        other = found[method]
        if other is not None and found["behind"] > max(other / 2, other + 0.05 if other < 0.1 else 0, 0.05):
            missed.append(f"{found['behind'] / other:.2f} x {method}")
    return ", ".join(missed) or "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, help="seed; default: 1001, with --readme 1")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--methods", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--readme", action="store_true")
    parser.add_argument("--oracle", action="store_true")
    options = parser.parse_args()
    if options.first is None:
        options.first = 1 if options.readme else 1001
    if options.list:
        for name, (arguments, *_) in ROWS.items():
            print(f"{name}: {arguments}")
        return 0
    programs = options.programs.resolve()
    if options.readme:
        with tempfile.TemporaryDirectory() as name:
            print_readme(programs, pathlib.Path(name), range(options.first, options.first + options.seeds))
        return 0
    if options.oracle:
        with tempfile.TemporaryDirectory() as name:
            print_oracles(programs, pathlib.Path(name), options)
        return 0
    methods = METHODS if options.methods else []
    print("| trace | clocks: alone | target | estimate (worst) | behind it | delays: alone | target | estimate | violated, % | worst/us | sigma | "
          "bounds, % |" + "".join(f" {m} |" for m in methods) + " missed |")
    print("|---|" + "---:|" * (11 + len(methods)) + "---|")
    with tempfile.TemporaryDirectory() as name:
        for row, (arguments, offset, delay, *connected) in ROWS.items():
            if options.only and not any(text in row for text in options.only):
                continue
            runs = [measure(programs, pathlib.Path(name), arguments, seed, methods, *connected)
                    for seed in range(options.first, options.first + options.seeds)]
            found = {key: statistics.median([r[key] for r in runs if r[key] is not None] or [float("nan")])
                     if key not in methods or any(r[key] is not None for r in runs) else None for key in runs[0]}
            found["bounds"] = min(r["bounds"] for r in runs)
            if any(r["offset"] != r["offset"] for r in runs):  # not all were estimated to their ends
                found["offset"] = float("nan")
            target = lambda value: "-" if value is None else figure(value)
            cells = [row, figure(found["clock"]), target(offset), f"{figure(found['offset'])} ({figure(max(r['offset'] for r in runs))})", figure(found["behind"]),
                     figure(found["clock delay"]), target(delay), figure(found["delay"]),
                     f"{figure(found['recorded'])} -> {figure(found['violated'])}", figure(found["worst"]), figure(found["sigma"]),
                     figure(found["bounds"])]
            cells += ["-" if found[m] is None else figure(found[m]) for m in methods]
            print("| " + " | ".join([*cells, verdict(found, offset, delay, methods)]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
