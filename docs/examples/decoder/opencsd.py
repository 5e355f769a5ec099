#!/usr/bin/env python3
"""An adapter of OpenCSD for `assay compare`: trc_pkt_lister of Debian's libopencsd-bin lists the
packets of an ETE stream, and its lines become events.

    assay compare --decoder 'python3 opencsd.py {}' --expected opencsd.expected.yaml CORPUS
"""
import json, pathlib, re, subprocess, sys, tempfile

# A snapshot with one trace unit. Registers that a manifest does not give have these values.
FILES = {
    "snapshot.ini": "[snapshot] version=1.0 [device_list] device0=cpu.ini device1=ete.ini "
                    "[trace] metadata=trace.ini",
    "cpu.ini": "[device] name=cpu class=core type=ARM-AA64 [regs]",
    "ete.ini": "[device] name=ete class=trace_source type=ETE [regs]",
    "trace.ini": "[trace_buffers] buffers=buffer [buffer] name=ETB file=trace.bin "
                 "format=source_data [source_buffers] ete=ETB [core_trace_sources] cpu=ete"}
REGISTERS = {"TRCCONFIGR": "0", "TRCTRACEIDR": "0x10", "TRCIDR0": "0x28000ea1", "TRCIDR8": "0",
             "TRCIDR1": "0x4100fff3", "TRCIDR2": "0xc0001088", "TRCDEVARCH": "0x47705a13"}

# What the lister does not print, or prints in another unit.
OMITS = ("e0 e1 payload_7 address_header encoded encoded_size sbz p context_sbz v c sf ns nse vmid "
         "context_id count_size commit_size n low low_size u f plctl_info plctl_1 plctl_spec plctl_cyct "
         "plctl_high cc cc_enabled info_low in_transaction info_7 cyct cyct_size spec spec_size events "
         "a m context.el timestamp.count atom_6.count exception.type cycle_count_1.count "
         "cycle_count_2.count cycle_count_3.count cycle_count_1.commit cycle_count_2.commit "
         "cycle_count_3.commit q.type q.count").split()

KINDS = {"CTXT": "context", "TRANS_ST": "transaction_start", "TRANS_COMMIT": "transaction_commit",
         "TS_MARKER": "timestamp_marker", "CANCEL_F1_MISPRED": "cancel_1", "EXCEPT": "exception",
         "TRANS_FAIL": "exception", "PE_RESET": "exception", "ADDR_MATCH": "target_exact",
         "SRC_ADDR_MATCH": "source_exact"}
TYPES = {"TRANS_FAIL": "transaction failure", "PE_RESET": "pe reset"}
FAULTS = ("NOT_SYNC", "RESERVED", "RESERVED_CFG", "BAD_SEQUENCE", "INCOMPLETE_EOT")
VALUES = ((r"Addr=0x([0-9A-F]+)[; ]", "address", 16), (r"; Ctxt: AArch.*EL(\d)", "el", 10),
          (r"^Commit; Commit\((\d+)\)", "count", 10), (r"Format 1.*Cancel\((\d+)\)", "count", 10),
          (r"Match., \[(\d)\]", "entry", 10), (r"Updated val = 0x(\w+)", "value", 16))

# The event of a line of the lister.
def event_of(at, name, text):
    kind = KINDS.get(name) or re.sub("_f(.)", r"_\1", name.lower().replace("ccnt", "cycle_count"))
    event = {"at": int(at), "layer": "packet", "kind": kind}
    address = re.fullmatch(r"(S\w\w_)?ADDR_(CTXT_L|L|S)_(\d*)(IS[01])", name)
    if address:
        after = {"CTXT_L": "context", "L": "long", "S": "short"}[address[2]]
        event["kind"] = ("source_" if address[1] else "target_") + after
        event["form"] = "_".join(filter(None, (address[4].lower(), address[3])))
    for pattern, field, base in VALUES:
        for found in re.findall(pattern, text + " "):
            event[field] = hex(int(found, base))
    if name.startswith("ATOM_F"):
        atoms = text.split("; ")[1]
        event["kind"] += {"ATOM_F5": "_1" if atoms == "NEEEE" else "_2"}.get(name, "")
        event["atoms"] = len(atoms)
        event["taken"] = sum(1 << i for i, atom in enumerate(atoms) if atom == "E")
    if kind == "exception":
        what = text.split(";")[1] if name == "EXCEPT" else TYPES[name]
        event["type"] = what.strip().lower().replace(" ", "_")
    return {key: value for key, value in event.items() if value != "reserved"}

# The events of a trace. ValueError: OpenCSD finds a fault.
def decode(trace):
    config = re.search(r"^config: \{(.*)\}", trace.with_suffix(".assay.yaml").read_text(), re.M)
    registers = REGISTERS | dict(re.findall(r"(\w+): (\w+)", config[1] if config else ""))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text.replace(" ", "\n") + "\n")
        with open(folder + "/ete.ini", "a") as unit:
            unit.writelines(f"{name}={value}\n" for name, value in registers.items())
        pathlib.Path(folder, "trace.bin").write_bytes(trace.read_bytes())
        lister = subprocess.run(["trc_pkt_lister", "-ss_dir", folder, "-logstdout"], check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    exception = {}  # its address is a line of its own
    for line in re.finditer(r"Idx:(\d+); ID:\w+;\tI_(\w+) : (.*)$", lister.stdout, re.M):
        if line[2] in FAULTS:
            raise ValueError(line[0])
        event = event_of(*line.groups())
        if exception:
            yield exception | {key: event[key] for key in ("address", "el") if key in event}
            exception = {}
        elif "Ret Addr Follows" in line[3]:
            exception = event
        else:
            yield event

def main():
    print(json.dumps({"schema": "assay-events/1", "layers": ["packet"], "omits": OMITS}))
    count = 0
    try:
        for count, event in enumerate(decode(pathlib.Path(sys.argv[1])), 1):
            print(json.dumps(event))
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 1
    print(json.dumps({"kind": "end", "events": count, "complete": True}))

sys.exit(main())
