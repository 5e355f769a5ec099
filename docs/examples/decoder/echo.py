#!/usr/bin/env python3
"""A decoder for `assay compare` that decodes nothing: it repeats the events that the corpus expects
of the vector. It shows what an adapter of a decoder writes; put yours in place of `decode`.

    assay compare --decoder 'python3 echo.py {}' CORPUS
"""
import json
import pathlib
import sys


def decode(trace):
    """Yields the events of a trace. This one knows them from the file that lies beside it."""
    lines = trace.with_suffix(".events.jsonl").read_text().splitlines()
    for event in map(json.loads, lines[1:-1]):
        if event["kind"] == "malformed":
            raise ValueError(f"a fault at byte {event['at']}")
        yield event


def main():
    print(json.dumps({"schema": "assay-events/1", "layer": "all"}))
    count = 0
    try:
        for count, event in enumerate(decode(pathlib.Path(sys.argv[1])), 1):
            event.pop("derived", None)  # it may be left out; fields that are not given are
            print(json.dumps(event))    # named in "omits" of the first line
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 1  # refused
    print(json.dumps({"kind": "end", "events": count, "complete": True}))
    return 0  # accepted


sys.exit(main())
