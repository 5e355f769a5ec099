#!/usr/bin/env python3
"""Debian's OpenCSD for `assay compare`: trc_pkt_lister (libopencsd-bin) lists the packets of ETE.
    assay compare --persistent --decoder 'python3 opencsd.py' --expected opencsd.expected.yaml CORPUS"""
import pathlib, re, subprocess, tempfile, adapter

FILES = {"snapshot.ini": "[snapshot] version=1.0 [device_list] d0=cpu.ini d1=ete.ini [trace] metadata=trace.ini",
         "cpu.ini": "[device] name=cpu class=core type=ARM-AA64 [regs]",
         "ete.ini": "[device] name=ete class=trace_source type=ETE [regs]", "trace.ini":
         "[trace_buffers] buffers=buffer [buffer] name=ETB file=trace.bin format=source_data "
         "[source_buffers] ete=ETB [core_trace_sources] cpu=ete"}
REGISTERS = dict(TRCCONFIGR="0", TRCTRACEIDR="0x10", TRCIDR0="0x28000ea1", TRCIDR1="0x4100fff3",
                 TRCIDR2="0xc0001088", TRCIDR8="0", TRCDEVARCH="0x47705a13")  # which a manifest need not give
OMITS = ("e0 e1 payload_7 address_header encoded encoded_size sbz p context_sbz v c sf ns nse vmid context_id "
         "count_size commit_size n low low_size u f plctl_info plctl_1 plctl_spec plctl_cyct plctl_high cc cc_enabled "
         "info_low in_transaction info_7 cyct cyct_size spec spec_size events a m context.el timestamp.count "
         "atom_6.count exception.type cycle_count_1.count cycle_count_2.count cycle_count_3.count "
         "cycle_count_1.commit cycle_count_2.commit cycle_count_3.commit q.type q.count").split()  # not printed
KINDS = dict(CTXT="context", TRANS_ST="transaction_start", TRANS_COMMIT="transaction_commit",
             TS_MARKER="timestamp_marker", CANCEL_F1_MISPRED="cancel_1", EXCEPT="exception",
             TRANS_FAIL="exception", PE_RESET="exception", ADDR_MATCH="target_exact", SRC_ADDR_MATCH="source_exact")
VALUES = ((r"Addr=0x([0-9A-F]+)[; ]", "address", 16), (r"; Ctxt: AArch.*EL(\d)", "el", 10),
          (r"^Commit; Commit\((\d+)\)", "count", 10), (r"Format 1.*Cancel\((\d+)\)", "count", 10),
          (r"Match., \[(\d)\]", "entry", 10), (r"Updated val = 0x(\w+)", "value", 16))

def event_of(at, name, text):
    kind = KINDS.get(name) or re.sub("_f(.)", r"_\1", name.lower().replace("ccnt", "cycle_count"))
    event = {field: hex(int(x, base)) for regex, field, base in VALUES for x in re.findall(regex, text + " ")}
    if of := re.fullmatch(r"(S\w\w_)?ADDR_(CTXT_L|L|S)_(\d*)(IS[01])", name):
        kind = ("source_" if of[1] else "target_") + {"CTXT_L": "context", "L": "long", "S": "short"}[of[2]]
        event["form"] = "_".join(filter(None, (of[4].lower(), of[3])))
    if name.startswith("ATOM_F"):
        atoms = text.split("; ")[1]
        kind += {"ATOM_F5": "_1" if atoms == "NEEEE" else "_2"}.get(name, "")
        event |= {"atoms": len(atoms), "taken": sum(1 << i for i, atom in enumerate(atoms) if atom == "E")}
    what = {"TRANS_FAIL": "transaction failure", "PE_RESET": "pe reset"}.get(name) or (text + ";").split(";")[1]
    if kind == "exception" and what.strip() != "Reserved":
        event["type"] = what.strip().lower().replace(" ", "_")
    return event | {"kind": kind, "at": int(at)}

def decode(trace, manifest):
    config = re.search(r"^config: \{(.*)\}", manifest.read_text(), re.M)
    registers = REGISTERS | dict(re.findall(r"(\w+): (\w+)", config[1] if config else ""))
    unit = FILES["ete.ini"] + "".join(f" {name}={value}" for name, value in registers.items())
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (FILES | {"ete.ini": unit}).items():
            pathlib.Path(folder, name).write_text(text.replace(" ", "\n") + "\n")
        pathlib.Path(folder, "trace.bin").write_bytes(trace.read_bytes())
        listed = subprocess.run(["trc_pkt_lister", "-ss_dir", folder, "-logstdout"], check=True, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).stdout
    exception = {}  # its address is a line of its own
    for line in re.finditer(r"Idx:(\d+); ID:\w+;\tI_(\w+) : (.*)$", listed, re.M):
        if line[2] in ("NOT_SYNC", "RESERVED", "RESERVED_CFG", "BAD_SEQUENCE", "INCOMPLETE_EOT"):
            raise ValueError(line[0])
        event = event_of(*line.groups())
        event = exception | {key: event[key] for key in ("address", "el") if key in event} if exception else event
        exception = {} if exception or "Ret Addr Follows" not in line[3] else event
        if not exception:
            yield event

adapter.run(decode, layers=["packet"], omits=OMITS)
