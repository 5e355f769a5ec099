#!/usr/bin/env python3
"""corruptions.py [options] ASSAY CORRUPTED WORKLOADS FACTS FORMAT...: no certificate is given for a trace that
does not do what the sentences of its level say.

The reference encoder's trace of each workload that is due is changed in one field that a sentence speaks of, at a
place and in a way that a seed chooses (generators/detection/certified-FORMAT.yaml; of CoreSight below). All
traces with a change are handed in, and the certificate says of each by itself what refuses it; what nothing does is
handed in alone, in the place of the right one. So is the first one of each kind, whatever refused it. Prints how
many of each kind are refused; fails where the table says that all are, or none is, and they are not.

  --trials N     changes of each kind in each workload (8; with ASSAY_TURN in the environment 2, other ones each time)
  --seed N
  --table FILE   writes the table as Markdown
  --compare FILE the rows of that table are those of this run, and what is always refused there is here
  --verbose      what refuses each kind
  --record       of E-Trace: with records of the interface of the hart, not with recorded executions
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LEGAL, NOT_ALWAYS, ALWAYS = "legal", "nothing", "always"

Format = collections.namedtuple("Format", "isa version manifest options levels features")
Kind = collections.namedtuple("Kind", "key level shown title missed")

ARM, RISCV = "aarch64", "riscv64"
FORMATS = {
    "astf": Format(ARM, "astf-0.11", False, ["--no-description"],
                   {"records": "", "program": "flow memory pauth atomics",
                    "machine": "flow memory pauth atomics traps interrupts"}, {}),
    "stf": Format(RISCV, "stf-1.3", False, [],
                  {"records": "", "program": "flow memory vectors",
                   "machine": "flow memory vectors traps interrupts"}, {}),
    "etrace": Format(RISCV, "", True, [],
                     {"packets": "", "program": "flow memory", "machine": "flow memory traps interrupts"},
                     {"return-stack": (1, ["--return-stack"]), "branch-prediction": (2, ["--predictor", "5"]),
                      "jump-target-cache": (3, ["--target-cache", "4"])}),
    "ete": Format(ARM, "", True, [],
                  {"packets": "", "program": "flow memory pauth atomics",
                   "machine": "flow memory pauth atomics traps interrupts"},
                  {"speculation": (1, ["--speculation", "8", "--mispredictions", "20"]),
                   "cycle-counts": (2, ["--cycle-counts", "4"]), "return-stack": (3, ["--return-stack"])}),
}


class Failure(Exception):
    """Something that has nothing to do with a change: the test itself cannot go on."""


def run(command, statuses=(0,), folder=None):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          cwd=folder, check=False)
    if done.returncode not in statuses:
        raise Failure(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done


# --- traces, as they are made, and with a change ---


class Trace:
    """A trace of a workload, as an entry of a submission."""

    def __init__(self, workload, name, entry, key=None, trial=0):
        self.workload, self.name, self.entry, self.key, self.trial = workload, name, entry, key, trial


class Traces:
    """What the reference encoder makes of the workloads with some options, and changes of it."""

    def __init__(self, test, name, way, options):
        self.test, self.format, self.way, self.options = test, FORMATS[name], way, options
        self.name, self.right, self.changed, self.kinds = name, {}, [], {}

    def entry(self, workload, file):
        """The entry of a file, for whose manifest that of the workload is the pattern."""
        stem = f"{workload}-{self.way}"
        if self.format.manifest:
            text = (self.test.folder / f"{stem}.assay.yaml").read_text()
            (self.test.folder / f"{file}.assay.yaml").write_text(re.sub(r"data: \[.*\]", f"data: [{file}]", text))
            return f"{{trace: {file}.assay.yaml, workload: {workload}}}"
        facts = ", facts: machine.facts.yaml" if self.name == "astf" and workload in ("traps", "interrupts") else ""
        return f"{{trace: {file}, workload: {workload}, execution: {workload}.exec{facts}}}"

    def make(self, workload, level):
        """The trace, and its changes of a level."""
        test, folder = self.test, self.test.folder
        recording = test.workloads / f"{workload}-{self.format.isa}.exec"
        stem = f"{workload}-{self.way}"
        shutil.copy(recording, folder / f"{workload}.exec")
        made = [test.assay, "generate", "--format", self.name, "--execution", f"{workload}.exec", "-o", f"{stem}.bin"]
        made += self.format.options + self.options
        source = f"{workload}.exec"
        if self.format.manifest:
            made += ["--manifest-output", f"{stem}.assay.yaml"]
            made += ["--execution-output", f"{stem}.csv"] if test.record else []
            run(made, folder=folder)
            images = re.search(r"images: \[\{file: \"?([^,\"}]*)", (folder / f"{stem}.assay.yaml").read_text())
            source += f",,{images.group(1)}"
        else:
            run(made, folder=folder)
            if "facts" in self.entry(workload, stem):
                source += ",machine.facts.yaml"
        listed = run([test.corrupted, "--table", f"certified-{self.name}", "--workload", workload, "--name", stem,
                      "--trials", test.trials, "--seed", test.seed, "--level", level, "--way", self.way, "-o", ".",
                      source], folder=folder).stdout
        self.right[workload] = Trace(workload, stem, self.entry(workload, stem))
        for line in listed.splitlines():
            number, of_level, shown, count, title, missed = line.split("\t")
            key = (of_level, int(number))
            self.kinds[key] = Kind(key, of_level, shown, title, missed)
            for trial in range(1, int(count) + 1):
                file = f"{stem}-{number}-{trial}"
                self.changed.append(Trace(workload, file, self.entry(workload, file), key, trial))


# --- certificates ---


class Test:
    def __init__(self, options, folder):
        self.assay, self.corrupted = map(pathlib.Path.resolve, map(pathlib.Path, (options.assay, options.corrupted)))
        self.workloads, self.folder = pathlib.Path(options.workloads).resolve(), folder
        self.trials, self.seed, self.record = options.trials, options.seed, options.record
        self.certificates = 0

    def certify(self, name, level, features, entries, version=""):
        """The certificate of traces, its folder, and the exit status."""
        self.certificates += 1
        out = self.folder / f"certificate-{self.certificates}"
        submission = self.folder / f"submission-{self.certificates}.yaml"
        lines = ["submission: 1", 'producer: {name: reference encoder, version: "1"}', "claims:", f"  format: {name}",
                 f"  profile: {name}", f"  level: {level}"]
        lines += [f"  version: {version}"] if version else []
        lines += [f"  features: [{features}]"] if features else []
        submission.write_text("\n".join(lines + ["traces:"] + [f"  - {entry}" for entry in entries]) + "\n")
        status = run([self.assay, "certify", submission, "-o", out, "--jobs", "2"], (0, 1, 4)).returncode
        return json.loads((out / "certificate.json").read_text())["predicate"], out, status


def path_of(trace):
    return re.match(r"\{trace: ([^,}]*)", trace.entry).group(1)


def refusals(certificate, report, paths):
    """What refuses each trace by itself: rules that it violates, demands that name it."""
    unmet = [demand for demand in certificate["demands"] if not demand["met"]]
    rules = {demand["name"] for demand in unmet if demand["demand"] == "rules"}
    why = {path: [] for path in paths}
    for demand in unmet:
        if demand["demand"] in ("judged", "execution", "compared", "tables", "version") and demand["name"] in why:
            why[demand["name"]].append(demand["demand"])
        named = re.match(r"not of (\S+): ", demand["found"])
        if demand["demand"] == "workload" and named and named.group(1) in why:
            why[named.group(1)].append("workload")
    for read in report["inputs"]:
        lists = [read.get("rules", [])] + [stream.get("rules", []) for stream in read.get("streams", [])]
        if read["path"] in why:
            why[read["path"]] += sorted({rule["id"] for rules_of in lists for rule in rules_of
                                         if rule["violated"] and rule["id"] in rules})
    return why


class Row:
    """What became of the changes of a kind."""

    def __init__(self, kind):
        self.kind, self.tried, self.refused, self.by, self.missed = kind, 0, 0, collections.Counter(), []


def judge(test, traces, level, features, due):
    """The rows of a level, or of a feature."""
    rows = {key: Row(kind) for key, kind in traces.kinds.items()}
    right = [traces.right[workload] for workload in due]
    version = traces.format.version
    batch = [trace.entry for trace in right + traces.changed]
    certificate, out, _ = test.certify(traces.name, level, features, batch, version)
    report = json.loads((out / "report.json").read_text())
    why = refusals(certificate, report, [path_of(trace) for trace in right + traces.changed])
    for trace in right:
        if why[path_of(trace)]:
            raise Failure(f"{traces.name}: {path_of(trace)} is refused as it was made: {why[path_of(trace)]}")
    for trace in traces.changed:
        row = rows[trace.key]
        by = why[path_of(trace)]
        row.tried += 1
        row.refused += bool(by)
        row.by.update(by)
        if not by or trace.trial == 1:
            rest = [of.entry for of in right if of.workload != trace.workload]
            alone, _, status = test.certify(traces.name, level, features, rest + [trace.entry], version)
            if by and status == 0:
                raise Failure(f"{traces.name}: {path_of(trace)} is certified alone, though {by} refuse it")
            if not by and status != 0:
                row.refused += 1
                row.by.update(demand["demand"] for demand in alone["demands"] if not demand["met"])
            elif not by:
                row.missed.append(trace)
    return list(rows.values())


def of_level(options, folder, name, level, feature):
    """The rows of a level; all in a folder of their own, so that levels are tried beside each other."""
    test = Test(options, folder)
    form = FORMATS[name]
    shutil.copy(options.facts, folder / "machine.facts.yaml")
    way, more = form.features[feature] if feature else (0, [])
    traces = Traces(test, name, way, more)
    due = form.levels[level].split()
    for workload in due or ["flow", "memory"]:
        traces.make(workload, feature or level)
    if not traces.changed:
        raise Failure(f"{name}: nothing is tried of {feature or level}")
    return judge(test, traces, level, feature, due or ["flow", "memory"])


def try_format(options, name, folder):
    jobs = []
    form = FORMATS[name]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for level in form.levels:
            jobs.append((level, "", None))
        for feature in form.features:
            jobs.append((list(form.levels)[-1], feature, None))
        futures = []
        for level, feature, _ in jobs:
            place = folder / (feature or level)
            place.mkdir()
            futures.append(pool.submit(of_level, options, place, name, level, feature))
        return [row for future in futures for row in future.result()]


# --- the table ---


def share(row):
    return f"{row.refused} of {row.tried}"


def markdown(name, rows):
    lines = [f"### {name}", "", "| level | what is changed | refused | where it is not |", "|---|---|---|---|"]
    lines += [f"| `{row.kind.level}` | {row.kind.title} | {share(row)} | {row.kind.missed} |" for row in rows]
    return "\n".join(lines) + "\n\n"


def is_as_stated(name, row):
    """Whether as many are refused as the table of kinds says."""
    expected = {ALWAYS: row.refused == row.tried, LEGAL: row.refused == 0, NOT_ALWAYS: True}[row.kind.shown]
    if not expected:
        missed = ", ".join(str(trace.name) for trace in row.missed[:3])
        print(f"{name}: {row.kind.level}: {row.kind.title}: {share(row)} refused ({row.kind.shown}); {missed}")
    return expected


def compare(name, rows, page):
    """Whether the page has these rows, and what is always refused, by the table of kinds, is so there and here."""
    part = page[page.index(f"### {name}\n"):] if f"### {name}\n" in page else ""
    listed = re.findall(r"^\| `(\S+)` \| (.*?) \| (\d+) of (\d+) \|.*\|$", part.split("\n### ")[0], re.M)
    good = [(level, title) for level, title, _, _ in listed] == [(row.kind.level, row.kind.title) for row in rows]
    if not good:
        print(f"{name}: the rows of the page are not the kinds that are tried")
    for (level, title, refused, tried), row in zip(listed, rows):
        if good and row.kind.shown == ALWAYS and not (refused == tried and row.refused == row.tried):
            print(f"{name}: {level}: {title}: {share(row)} refused; the page says {refused} of {tried}")
            good = False
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--table")
    parser.add_argument("--compare")
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--record", action="store_true")
    for operand in ("assay", "corrupted", "workloads", "facts"):
        parser.add_argument(operand)
    parser.add_argument("formats", nargs="+")
    options = parser.parse_args()
    turn = os.environ.get("ASSAY_TURN")
    options.trials = options.trials or (8 if turn is None else 2)
    options.seed = options.seed if options.seed is not None else int(turn or 0)
    for name in options.formats:
        for workload in list(FORMATS[name].levels.values())[-1].split():
            if not pathlib.Path(options.workloads, f"{workload}-{FORMATS[name].isa}.exec").exists():
                print(f"skipped: no recording of {workload} (cross compilers, QEMU)")
                return SKIPPED
    good, text = True, ""
    with tempfile.TemporaryDirectory(dir=os.environ.get("ASSAY_TEST_FOLDER")) as work:
        for name in options.formats:
            folder = pathlib.Path(options.keep or work, name)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            rows = try_format(options, name, folder)
            text += markdown(name, rows)
            good = all([is_as_stated(name, row) for row in rows]) and good
            for row in rows if options.verbose else []:
                print(f"{name}: {row.kind.level}: {row.kind.title}: {share(row)}: {dict(row.by)}")
            if options.compare:
                good = compare(name, rows, pathlib.Path(options.compare).read_text()) and good
    print(text, end="")
    if options.table:
        pathlib.Path(options.table).write_text(text)
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(str(failure))
