#!/usr/bin/env python3
"""examples.py PROGRAM SOURCE_FOLDER: runs the examples of the documents that are marked, and compares
what they print with what the documents show.

    <!-- file NAME -->      the indented block after it is the file NAME
    <!-- run -->            the commands of the block after it ("$ ...") are run, in a folder of the page;
                            the lines after a command, if there are any, are its output
    <!-- run after PAGE --> the same in a folder in which the examples of PAGE were run before

Three dots stand for anything in a line, and alone in a line for any lines. A command may end with 0 or 1.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program = pathlib.Path(sys.argv[1]).absolute()
docs = pathlib.Path(sys.argv[2], "docs")
MARK = re.compile(r"^<!-- (file|run)(?: after)? ?(\S*) -->\n+((?:    .*\n|\n)+)", re.M)


def pattern_of(shown):
    """What an output has to match."""
    lines = ["(?:.*\n)*" if line.strip() == "..." else
             ".*".join(re.escape(part) for part in line.split("...")) + "\n" for line in shown]
    return "".join(lines)


def commands_of(block):
    """The commands of a block, each with the lines that are shown after it."""
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1].append(line)
    return commands


def run_block(page, folder, block):
    """Runs a block; the number of its commands."""
    commands = commands_of(block)
    for command, shown in commands:
        done = subprocess.run(["sh", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              env=os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"})
        shown = "\n".join(shown).strip("\n").splitlines()
        if done.returncode > 1 or shown and not re.fullmatch(pattern_of(shown), done.stdout):
            print(f"{page}: $ {command}\nended with {done.returncode} and printed\n{done.stdout}")
            sys.exit(1)
    return len(commands)


def run_page(page, folder):
    """Runs the examples of a page in a folder; the number of commands."""
    count = 0
    for kind, name, block in MARK.findall((docs / page).read_text()):
        block = re.sub(r"^    ", "", block, flags=re.M).strip("\n") + "\n"
        if kind == "file":
            pathlib.Path(folder, name).write_text(block)
            continue
        if name:
            run_page(os.path.normpath(docs.joinpath(page).parent.relative_to(docs) / name), folder)
        count += run_block(page, folder, block)
    return count


total = 0
for path in sorted(docs.rglob("*.md")):
    with tempfile.TemporaryDirectory() as folder:
        total += run_page(path.relative_to(docs), folder)
print(f"{total} commands of the documents print what is shown")
sys.exit(0 if total > 0 else 1)
