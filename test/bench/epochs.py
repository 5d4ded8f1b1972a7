#!/usr/bin/env python3
"""What the order-free rules (clc-filter --order epochs) change against the per-event rule, on simulated traces.

    test/bench/epochs.py [--all] BUILD/bin [SEEDS [OPTION...]]

Each trace of clc-tracegen is corrected by both rules, and clc-check compares both with the truth. A cell is the figure by
the per-event rule and, where it differs by more than 2 % (gamma: 0.001), that by epochs; rows without a difference are
left out, unless --all is given. The figures are means over the seeds: offsets after the correction (root mean square;
largest over all seeds) and the 99 % quantile of the errors of message delays, in microseconds; the change of intervals
between successive events of a process (mean; largest over all seeds), in per cent; mean and lowest gamma; the largest
correction in milliseconds; of how many seeds the trace proved that clocks are no quartz. OPTION: of clc-filter, for both
rules.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = {
    "halo": "halo --processes 8 --rate 5000 --duration 20",
    "halo, allreduce": "halo --processes 8 --rate 5000 --duration 20 --allreduce 10",
    "ring": "ring --processes 8 --rate 5000 --duration 20",
    "pairs": "pairs --processes 8 --rate 5000 --duration 20",
    "master-worker": "master-worker --processes 8 --rate 5000 --duration 20",
    "finite elements": "finite-elements --grid 3x3 --rate 5000 --duration 20",
}
CLOCKS = {
    "drift 10 ppm": "--offset 200 --drift 10",
    "drift 50 ppm, 10 ms apart": "--offset 10000 --drift 50",
    "wander 0.3 ppm": "--offset 200 --drift 1 --wander 0.3",
    "wander 30 ppm": "--offset 200 --drift 10 --wander 30",
    "slewed by NTP": "--offset 1000 --drift 10 --ntp 1:500",
    "tick of 1 ms": "--offset 200 --tick 1000",
    "tick of 10 ms": "--offset 200 --tick 10000",
    "steps of 200 us": "--offset 200 --steps 5:200",
    "steps of 10 ms": "--offset 200 --steps 5:10000",
    "steps of 10 ms, set back": "--offset 200 --steps 5:10000 --set-back",
}
RULES = ("events", "epochs")


class Refused(Exception):
    pass


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0 and not result.stdout:
        raise Refused(f"{' '.join(str(word) for word in command)}: {result.stderr}")
    return result.stdout


def figures(programs, folder, rule, options):
    corrected, report = folder / "corrected", folder / "report"
    run(programs / "clc-filter", "-q", "--order", rule, *options, "--no-provenance", "--report", report,
        "--report-format", "json", folder / "trace", "-o", corrected)
    filtered = json.loads(report.read_text())
    checked = json.loads(run(programs / "clc-check", "--report-format", "json", "--truth", folder / "truth",
                             folder / "trace", corrected))
    if not checked["laws_hold"]:
        sys.exit(f"laws are broken: {folder}")
    return of_report(filtered) | of_check(checked)


def one_if_none(gamma):
    return 1 if gamma is None else gamma


def of_report(report):
    regulators = report["regulators"]
    return {
        "mean gamma": one_if_none(regulators["mean_gamma"]),
        "lowest gamma": one_if_none(regulators["together"]["lowest_gamma"]),
        "not quartz": float(regulators["not_quartz"] is not None),
        "largest correction": report["corrections"]["largest_us"] / 1000,
    }


def of_check(check):
    truth = check["truth_errors"]
    return {
        "offset": truth["offsets"]["after"]["rms"],
        "largest offset": truth["offsets"]["after"]["largest"],
        "delay": truth["message_delays"]["after"]["quantile_99"],
        "interval": check["intervals"]["average_percent"],
        "largest interval": check["intervals"]["largest_percent"],
    }


def together(of_seeds):
    joined = {}
    for name in of_seeds[0]:
        values = [of[name] for of in of_seeds]
        if name.startswith("largest"):
            joined[name] = max(values)
        elif name.startswith("lowest"):
            joined[name] = min(values)
        elif name == "not quartz":
            joined[name] = sum(values)
        else:
            joined[name] = sum(values) / len(values)
    return joined


FIGURES = {
    "offset": ".2f",
    "largest offset": ".1f",
    "delay": ".2f",
    "interval": ".4f",
    "largest interval": ".3g",
    "mean gamma": ".5f",
    "lowest gamma": ".3f",
    "largest correction": ".3f",
    "not quartz": ".0f",
}


def differs(figure, a, b):
    return abs(a - b) > (1e-3 if "gamma" in figure else 0.02 * max(a, b))


def print_row(program, clock, events, epochs, all_rows):
    if not all_rows and not any(differs(figure, events[figure], epochs[figure]) for figure in FIGURES):
        return
    cells = []
    for figure, digits in FIGURES.items():
        cell = f"{events[figure]:{digits}}"
        if differs(figure, events[figure], epochs[figure]):
            cell += f", {epochs[figure]:{digits}}"
        cells.append(cell)
    print(f"| {program} | {clock} | " + " | ".join(cells) + " |", flush=True)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--all"]
    programs = pathlib.Path(arguments[0])
    seeds = int(arguments[1]) if len(arguments) > 1 else 3
    print("| program | clocks | offsets, us, RMS | largest | delays, us, 99 % | intervals, %, mean | largest "
          "| gamma, mean | lowest | largest correction, ms | no quartz |")
    print("|---|---|" + "---:|" * len(FIGURES))
    for program, words in PROGRAMS.items():
        for clock, clock_words in CLOCKS.items():
            rows = {rule: [] for rule in RULES}
            for seed in range(1, seeds + 1):
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    run(programs / "clc-tracegen", *words.split(), *clock_words.split(), "--seed", seed, "-F", "binary",
                        "-o", folder / "trace", "--truth", folder / "truth")
                    try:
                        found = {rule: figures(programs, folder, rule, arguments[2:]) for rule in RULES}
                    except Refused as error:
                        print(f"{program}, {clock}, seed {seed}: {error}", file=sys.stderr)
                        continue
                    for rule in RULES:
                        rows[rule].append(found[rule])
            print_row(program, clock, *(together(rows[rule]) for rule in RULES), "--all" in sys.argv)


main()
