"""Where the instructions of an event go: bench_stages.py ROOT EVENTS SHORT LONG, for scripts/bench --profile.

SHORT and LONG are files of callgrind (with --cache-sim=yes --branch-sim=yes) of runs over traces that differ by EVENTS
events: what both runs do, as starting and ending, cancels. Instructions belong to the source file that they were
written in, wherever they were inlined. Those of the standard library belong to the file around them or, out of line,
to the files that call them.
"""
import collections
import re
import sys

# The first pattern that fits the path of a file names its stage.
STAGES = [
    ("reading", r"src/formats/(.*_source|binary/(body|layout)|text/line|bytes/(bytes|input_buffer)|"
                r"common/(reader|words|line_reader|number_index|definition_lines|order|checksum))"),
    ("writing", r"src/formats/(.*_sink|bytes/output_buffer|common/(put|batch|message_numbers))"),
    ("codec, files", r"src/formats/(zstd|bytes)/"),
    ("the loop", r"src/clock/(doubts|filter|heads|lanes|patience|processes|reader|upkeep|waits)\.|clc/filter\.hpp"),
    ("queues: events", r"clock/process_queue\.hpp"),
    ("queues: blocks, amortization", r"clock/process_queue"),
    ("messages", r"clock/(messages|losses)|trace/delay"),
    ("collectives", r"clock/collectives"),
    ("controller, regulators", r"clock/(controller|regulators)"),
    ("amortizer", r"clock/(amortizer|release)"),
    ("merge", r"clock/(merge|gathered)"),
    ("analysis", r"clock/(analysis|recorder)|clc/analysis"),
]
OTHER = "other"
# Words that all stages use: they count as part of the file around them.
SHARED = r"(clc/event|clc/time|clock/offset|trace/flat_map)\.hpp"


class Profile:
    """Costs of one file of callgrind by stage and by source file."""

    def __init__(self, path, root):
        self.root = root
        self.names = {"file": {}, "fn": {}}
        self.own = collections.defaultdict(collections.Counter)  # function -> file -> own cost; None: library
        self.calls = collections.defaultdict(collections.Counter)  # library function -> (function, file) -> cost
        self.home = {}  # function -> project file or None
        self.events = []
        self.read(path)

    def name(self, kind, text):
        number, _, name = text.partition(" ")
        if name:
            self.names[kind][number] = name
        return self.names[kind].get(number, number)

    def project(self, path):
        """The path of a stage's file within the project, or None. Hardened builds name the root "."."""
        found = re.match(rf"(?:{re.escape(self.root)}|(?:build/)?\.)/(.*)", path)
        return found[1] if found and not re.search(SHARED, path) else None

    def read(self, path):
        function = where = callee = None
        called = False
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                line = line.rstrip("\n")
                key, equals, value = line.partition("=")
                if line.startswith("events:"):
                    self.events = line.split()[1:]
                elif equals and key in ("fl", "fi", "fe"):
                    found = self.project(self.name("file", value))
                    if key == "fl":
                        home = where = found
                    elif found:
                        where = found
                elif equals and key == "fn":
                    self.name("fn", value)
                    function = value.partition(" ")[0]
                    self.home[function] = where = home
                elif equals and key in ("cfi", "cfl"):
                    self.name("file", value)
                elif equals and key == "cfn":
                    self.name("fn", value)
                    callee = value.partition(" ")[0]
                elif equals and key == "calls":
                    called = True
                elif line[:1] in "+-*0123456789" and line and self.events:
                    costs = [int(cost) for cost in line.split()[1:]]
                    costs += [0] * (len(self.events) - len(costs))
                    for event, cost in zip(self.events, costs):
                        if called:
                            self.calls[callee][function, where, event] += cost
                        else:
                            self.own[function][where, event] += cost
                    called = False

    def callers(self, function, path=()):
        """Shares of the files that a library function works for."""
        files = collections.Counter()
        for (caller, where, event), cost in self.calls[function].items():
            if event != self.events[0] or not cost:
                continue
            if where:
                files[where] += cost
            elif caller not in path:
                for file, share in self.callers(caller, (*path, caller)).items():
                    files[file] += cost * share
        total = sum(files.values())
        return {file: cost / total for file, cost in files.items()} if total else {None: 1.0}

    def by_file(self):
        files = collections.Counter()
        for function, costs in self.own.items():
            shares = None
            for (where, event), cost in costs.items():
                if where:
                    files[where, event] += cost
                    continue
                shares = shares or self.callers(function, (function,))
                for file, share in shares.items():
                    files[file, event] += cost * share
        return files


def stage_of(file):
    return next((stage for stage, pattern in STAGES if file and re.search(pattern, file)), OTHER)


def main():
    root, events = sys.argv[1], int(sys.argv[2])
    short, long = (Profile(path, root) for path in sys.argv[3:5])
    files = collections.Counter(long.by_file())
    files.subtract(short.by_file())
    stages = collections.Counter()
    for (file, event), cost in files.items():
        stages[stage_of(file), event] += cost / events
        stages["all", event] += cost / events
    for stage in [name for name, _ in STAGES] + [OTHER, "all"]:
        cost = stages[stage, "Ir"]
        misses = abs(stages[stage, "D1mr"] + stages[stage, "D1mw"])
        mispredicted = abs(stages[stage, "Bcm"] + stages[stage, "Bim"])
        if cost >= 0.5:
            print(f"{stage}|{cost:.0f}|{100 * cost / stages['all', 'Ir']:.0f} %|{misses:.2f}|{mispredicted:.2f}")


main()
