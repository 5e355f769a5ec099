#!/usr/bin/env python3
"""ci_examples.py PROGRAM SOURCE_FOLDER: the files of docs/examples/ci are what they should be: their
YAML has the keys that their systems want, and their shell commands, as they are written, do what is
said of them over traces that conform, that violate, and that cannot be judged whole.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: there is no PyYAML (package python3-yaml)")
    sys.exit(77)

program = pathlib.Path(sys.argv[1])
examples = pathlib.Path(sys.argv[2], "docs/examples/ci")

PATH = {"PATH": f"{program.parent}:{os.environ['PATH']}"}  # what is installed

GOOD = """vector: 1
format: astf
trace:
  - header: {version_minor: 11, single_el: 1}
  - context: {el: 0}
  - instr: {pc: 0x1000, iword: 0xd503201f}
"""
CORPUS = pathlib.Path(sys.argv[2], "corpus")
TRACES = {0: ("a.astf", GOOD), 1: ("a.astf", GOOD.replace("el: 0", "el: 0, tid_valid: 1")),
          4: ("a.ete", CORPUS / "ete/golden/golden.events.k10-10.yaml")}  # without its program


def run(folder, script, shell, **environment):
    """Runs a script as a system does; its status and output."""
    done = subprocess.run(shell + [script], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=os.environ | PATH | environment)
    return done.returncode, done.stdout


def expect(truth, what):
    if not truth:
        print(f"FAIL: {what}")
        sys.exit(1)


def written(folder, *names):
    for name in names:
        expect((folder / name).stat().st_size > 0, f"{name} is empty")


def github(folder, status):
    steps = {step.get("name", step.get("uses")): step for step in GITHUB["jobs"]["judge"]["steps"]}
    summary = folder / "summary.md"
    got, output = run(folder, steps["Judge"]["run"], ["sh", "-e", "-c"])
    expect(got == status, f"github.yml: status {got}, not {status}: {output}")
    first, *report, last = output.splitlines()  # commands are stopped while the report is printed
    expect(first.startswith("::stop-commands::") and last == f"::{first[17:]}::" and len(first) > 40
           and report, f"github.yml: commands of GitHub in a report: {output}")
    got, output = run(folder, steps["Show"]["run"], ["sh", "-e", "-c"], GITHUB_STEP_SUMMARY=str(summary))
    expect(got == 0, f"github.yml: {output}")
    expect(re.search(r"^traces/a\.[a-z]*: ", summary.read_text(), re.M), "github.yml: no report is shown")
    if shutil.which("jq"):
        got, output = run(folder, steps["Prepare alerts"]["run"], ["sh", "-e", "-c"])
        expect(got == 0, f"github.yml: {output}")
        sarif = yaml.safe_load((folder / "assay.sarif").read_text())
        results = sarif["runs"][0]["results"]
        expect(bool(results) == (status == 1), "github.yml: the alerts are not those of the verdict")
        for result in results:
            expect(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1, "no line")
    uploads = steps["actions/upload-artifact@v4"]["with"]["path"].split()
    written(folder, *uploads)


def gitlab(folder, status):
    job = GITLAB["traces"]
    got, output = run(folder, job["script"][-1], ["sh", "-e", "-c"])
    expect(got == status, f"gitlab-ci.yml: status {got}, not {status}: {output}")
    written(folder, *job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"])
    expect(job["allow_failure"]["exit_codes"] == 4, "gitlab-ci.yml: status 4 is no warning")


def jenkins(folder, status):
    pipeline = (examples / "Jenkinsfile").read_text()
    scripts = re.findall(r"'''(.*?)'''", pipeline, re.S)
    expect(len(scripts) == 2, "Jenkinsfile: other scripts than before")
    got, output = run(folder, scripts[1].replace("\\\n", ""), ["sh", "-xe", "-c"])
    expect(got == status, f"Jenkinsfile: status {got}, not {status}: {output}")
    junit = re.search(r"testResults: '(.*)'", pipeline)[1]
    written(folder, junit, *re.search(r"artifacts: '(.*)'", pipeline)[1].split(", "))
    expect(pipeline.count("{") == pipeline.count("}"), "Jenkinsfile: braces")


GITHUB = yaml.safe_load((examples / "github.yml").read_text())
GITLAB = yaml.safe_load((examples / "gitlab-ci.yml").read_text())
expect(GITHUB.keys() == {"name", True, "permissions", "jobs"}, "github.yml: its keys")  # True: on
for status, (name, vector) in TRACES.items():
    for system in (github, gitlab, jenkins):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "traces").mkdir()
            given = [program, "encode", "-", "-o", folder / "traces" / name]
            if isinstance(vector, str):
                subprocess.run(given, input=vector, text=True, check=True)
            else:
                subprocess.run(given[:2] + [vector] + given[3:], check=True)
            system(folder, status)
print("3 examples, 3 verdicts each")
