"""What `assay compare` asks of a decoder, for adapters in Python.

    adapter.run(decode, layers=["packet"], omits=["derived"])

`decode` is called with the paths of a trace and of its manifest, and yields its events, a dictionary
each: {"kind": "atom_1", "a": 1}. It raises ValueError for a trace that it refuses. With the two
paths as arguments one trace is decoded; without arguments (`--persistent`) those that come by
standard input, one after the other."""
import json
import pathlib
import sys
import traceback


def answer(decode, head, trace, manifest):
    """Writes the events of a trace between the first line and that of the end."""
    events = 0
    end = {"kind": "end"}
    print(json.dumps(head))
    try:
        for event in decode(pathlib.Path(trace), pathlib.Path(manifest)):
            print(json.dumps(event))
            events += 1
        end |= {"events": events, "complete": True}
    except ValueError as fault:
        end["refused"] = str(fault)[:1000]
    print(json.dumps(end), flush=True)  # flushed: the answer is waited for


def run(decode, layers, omits=()):
    head = {"schema": "assay-events/1", "layers": list(layers), "omits": list(omits)}
    lines = sys.stdin if len(sys.argv) == 1 else ["\t".join(sys.argv[1:3])]
    try:
        for line in lines:
            trace, _, manifest = line.rstrip("\n").partition("\t")
            answer(decode, head, trace, manifest or pathlib.Path(trace).with_suffix(".assay.yaml"))
    except Exception:  # 1, as Python ends by itself, would mean that the trace is refused
        traceback.print_exc()
        sys.exit(3)
