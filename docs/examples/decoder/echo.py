#!/usr/bin/env python3
"""A decoder for `assay compare` that decodes nothing: it repeats the events that the corpus expects
of the vector. It shows what an adapter of a decoder is; put yours in place of `decode`.

    assay compare --persistent --jobs 2 --decoder 'python3 echo.py' CORPUS
"""
import json

import adapter


def decode(trace, manifest):
    """Yields the events of a trace. This one knows them from the file that lies beside it."""
    lines = trace.with_suffix(".events.jsonl").read_text().splitlines()
    for event in map(json.loads, lines[1:-1]):
        if event["kind"] == "malformed":
            raise ValueError(f"a fault at byte {event['at']}")
        event.pop("derived", None)  # what only this validator computes
        yield event


adapter.run(decode, layers=["record", "packet", "element", "resolved", "instruction", "frame", "source"])
