#!/usr/bin/env python3
"""perf_data.py PROGRAM SOURCE_FOLDER: docs/examples/perf/extract.py makes manifests of a perf.data file
that are judged as the streams that were put into it, and refuses broken files with a message. Where
perf is there, its own decoder has to find the same packets in the file.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

program = pathlib.Path(sys.argv[1]).absolute()
extract = pathlib.Path(sys.argv[2], "docs/examples/perf/extract.py").absolute()

TID, TIME, CPU, IDENTIFIER = 1 << 1, 1 << 2, 1 << 7, 1 << 16
EVENTS = {77: TID | TIME | CPU | IDENTIFIER, 78: TID | TIME | IDENTIFIER}  # by their numbers
MMAP, COMM, FORK, MMAP2, AUX, HW_ID, AUXTRACE_INFO, AUXTRACE = 1, 3, 7, 10, 11, 21, 70, 71
USER, EXEC = 2, 1 << 13
INDEX = 18  # the part of the header that says where the buffers are
RAW = 0x100
ETE, ETMV4 = 0x5050505050505050, 0x4040404040404040
PMU = 9
NAMES = ["TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS", "TRCDEVARCH"]


def run(*command, code=0):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True,
                          stdin=subprocess.DEVNULL)
    if code is not None and done.returncode != code or "Traceback" in done.stderr:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def record(kind, body, misc=0, tail=b""):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body) + len(tail)) + body + tail


def ids(event, tid, cpu):
    """What is at the end of a record of an event."""
    cpus = struct.pack("<II", cpu, 0) if EVENTS[event] & CPU else b""
    return struct.pack("<IIQ", 100, tid, 5) + cpus + struct.pack("<Q", event)


def event(kind, body, misc=USER, number=78, tid=100, cpu=0):
    return record(kind, body, misc, ids(number, tid, cpu))


def mmap2(pid, tid, at, length, offset, name):
    return event(MMAP2, struct.pack("<2I3Q2I2Q2I", pid, tid, at, length, offset, 0, 0, 0, 0, 5, 2)
                 + os.fsencode(name) + b"\0")


def aux(cpu, offset, size, flags=RAW, tid=100):
    return event(AUX, struct.pack("<3Q", offset, size, flags), 0, 77, tid, cpu)


def auxtrace(cpu, offset, data, tid=100):
    padded = data + bytes(-len(data) % 8)
    return record(AUXTRACE, struct.pack("<3Q4I", len(padded), offset, 0, cpu, tid, cpu, 0)) + padded


def units(list, magic=ETE, version=1):
    body = struct.pack("<2I3Q", 3, 0, version, PMU << 32 | len(list), 0)
    for cpu, config in list:
        values = [config.get(name, 0) for name in NAMES] + [0]
        body += struct.pack(f"<{3 + len(values)}Q", magic, cpu, len(values), *values)
    return record(AUXTRACE_INFO, body)


def perf_data(records):
    """A file with these records; perf wants the events of Linux on an arm64 to be described."""
    attributes, numbers = b"", b""
    at = 104
    for index, (number, sample_type) in enumerate(EVENTS.items()):
        sort = (PMU, 0) if index == 0 else (1, 9)  # the PMU of CoreSight; a dummy of software
        flags = 1 << 18 | 1 << 8 | 1 << 9 | 1 << 23
        attribute = struct.pack("<2I5Q", sort[0], 128, sort[1], 1, sample_type, 4, flags)
        attributes += attribute + bytes(128 - len(attribute))
        attributes += struct.pack("<2Q", at + 144 * len(EVENTS) + 8 * index, 8)
        numbers += struct.pack("<Q", number)
    start = at + len(attributes) + len(numbers)
    data, index = b"", []
    for part in records:
        index += [start + len(data), 48] if part[0] == AUXTRACE else []
        data += part
    header = struct.pack("<8s8Q4Q", b"PERFILE2", 104, 144, at, len(attributes), start, len(data), 0, 0,
                         1 << INDEX, 0, 0, 0)
    index = struct.pack(f"<{1 + len(index)}Q", len(index) // 2, *index)
    where = struct.pack("<2Q", start + len(data) + 16, len(index))
    return header + attributes + numbers + data + where + index


def config_of(manifest, which=0):
    text = re.findall(r"config: \{([^}]*)\}", manifest.read_text())[which]
    return {name: int(value, 0) for name, value in re.findall(r"(\w+): (\w+)", text)}


def code_of(elf):
    """Addresses, sizes and offsets of the code of a program."""
    data = elf.read_bytes()
    table, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<2H", data, 54)
    segments = [struct.unpack_from("<2I4Q", data, at) for at in range(table, table + size * count, size)]
    return [(address, length, offset) for kind, flags, offset, address, _, length in segments
            if kind == 1 and flags & 1]


def packets(manifest, start=0):
    """Where the packets of a trace are, from `start` on; the last line is its end."""
    lines = run(program, "dump", "--layer", "packet", manifest).stdout.splitlines()
    return {start + int(line.split()[1], 16) for line in lines[:-1]}


def one_trace(folder, seed, *options):
    trace = folder / f"t{seed}.ete"
    run(program, "generate", "--format", "ete", "--model", "user", "--seed", seed, "--events", 3000,
        *options, "-o", trace, "--manifest-output", folder / f"t{seed}.assay.yaml",
        "--execution-output", folder / f"t{seed}.exec")
    manifest = folder / f"t{seed}.assay.yaml"
    elf = folder / re.search(r'file: "([^"]*)"', manifest.read_text()).group(1)
    return trace.read_bytes(), config_of(manifest), elf


def judged(folder, code):
    return run(program, "check", folder, code=code).stdout


def raw_buffers(folder):
    """TRBE: two sessions on one CPU, and one on another whose buffer was full."""
    trace, config, elf = one_trace(folder, 1)
    size = len(trace)
    code = code_of(elf)
    name = f"/bin/{elf.name}"
    (folder / "root/bin").mkdir(parents=True)
    shutil.copy(elf, folder / "root" / name[1:])
    (folder / "outside").write_bytes(bytes(4096))
    (folder / "root/bin/link").symlink_to(folder / "outside")
    records = [
        event(HW_ID, struct.pack("<Q", 0x15), 0, 77, cpu=3),
        event(COMM, struct.pack("<2I", 100, 100) + b"perf\0"), mmap2(100, 100, *code[0], "/bin/other"),
        event(COMM, struct.pack("<2I", 100, 100) + b"t\0", USER | EXEC),
        event(FORK, struct.pack("<4IQ", 100, 100, 101, 100, 0)),
        *[mmap2(100, 100, *part, name) for part in code], mmap2(100, 100, 0x7fff0000, 4096, 0, "[vdso]"),
        mmap2(100, 100, 0x7ffe0000, 4096, 0, "/../outside"), mmap2(100, 100, 0x7ffd0000, 4096, 0, "/bin/link"),
        aux(0, 0, size), aux(0, size, size), aux(3, 4096, size - 1, RAW | 1), aux(3, 9999, 0),
        auxtrace(0, 0, trace + trace), auxtrace(3, 4096, trace[:-1])]
    path = folder / "perf.data"
    path.write_bytes(perf_data([units([(0, config), (3, config)], version=2), *records]))
    done = run(sys.executable, extract, path, folder / "out", "--root", folder / "root")
    assert done.stdout.startswith("3 traces of 2 trace units"), done.stdout
    assert all(f"code of '{left}'" in done.stderr for left in ["[vdso]", "/../outside", "/bin/link"]), done.stderr
    assert "AUX record 3 has no bytes" in done.stderr, done.stderr
    assert len(list((folder / "out/images").iterdir())) == 1
    made = sorted((folder / "out").glob("*.assay.yaml"))
    assert [m.name for m in made] == ["cpu0-000000.assay.yaml", "cpu0-000001.assay.yaml",
                                      "cpu3-000002.assay.yaml"], made
    assert "trace was lost" in made[2].read_text() and "TRCTRACEIDR: 0x15" in made[2].read_text()
    assert ["WHOLE: 0x0}" in m.read_text() for m in made] == [False, True, True]
    assert made[0].with_name("cpu0-000001.bin").read_bytes() == trace
    assert packets(made[0]) == packets(folder / "t1.assay.yaml")
    found = packets(made[0]) | packets(made[1], size) | packets(made[2], 4096)
    text = judged(folder / "out", 0)
    assert "3 conform" in text, text
    for layer in ["instruction"]:
        same = [run(program, "dump", "--layer", layer, m).stdout for m in (made[0], folder / "t1.assay.yaml")]
        assert same[0] == same[1] != "", same[0][:400]
    old = folder / "old.data"  # for a perf that does not know version 2
    two = [(0, config), (3, config | {"TRCTRACEIDR": 2})]
    old.write_bytes(perf_data([units(two), *records]))
    return path, old, found


def pieces(folder):
    """Records that follow each other in mid-packet, and those of which flags say that trace is missing, are
    pieces, of which one without an A-sync is incomplete."""
    config = {"TRCIDR0": 0x28c18ea0, "TRCIDR2": 0x40001088, "TRCDEVARCH": 0x47705a13, "TRCCONFIGR": 1}
    trace = bytes(11) + b"\x80\x01\0\x04\x85\0\x10\0\0\0\0\0\0\x31" + b"\xf7\x95\0" * 300
    flags = [RAW, RAW | 2, RAW | 4, RAW | 8]
    for number, first in enumerate(flags):
        path = folder / f"pieces{number}.data"
        path.write_bytes(perf_data([
            units([(0, config), (1, config)]), aux(0, 0, 200, first), aux(0, 200, 300), aux(0, 500, len(trace) - 500),
            aux(1, 64, 50), auxtrace(0, 0, trace), auxtrace(1, 64, trace[:50])]))
        run(sys.executable, extract, path, folder / f"pieces{number}")
        made = sorted((folder / f"pieces{number}").glob("*.assay.yaml"))
        whole = ["WHOLE" not in m.read_text() for m in made]
        assert whole == [first == RAW, False, False, False], whole
        text = " ".join(judged(folder / f"pieces{number}", 4).split())
        assert text.count("no A-sync is in it") == 4, text


def frames(folder):
    """ETR: the frames of four trace units."""
    run(program, "generate", "--format", "coresight", "--model", "cluster", "--seed", 4, "--events", 2000,
        "-o", folder / "c.bin", "--manifest-output", folder / "c.assay.yaml")
    capture = (folder / "c.bin").read_bytes()
    configs = [config_of(folder / "c.assay.yaml", n) for n in range(4)]
    (folder / "etr.data").write_bytes(perf_data([
        units(list(enumerate(configs))), aux(2, 0, len(capture), 0), auxtrace(2, 0, capture)]))
    run(sys.executable, extract, folder / "etr.data", folder / "etr")
    text = (folder / "etr/cpu2-000000.assay.yaml").read_text()
    assert text.count("  - {id: ") == 4 and "framing: coresight" in text, text
    text = judged(folder / "etr", 4)
    assert "source 0x10, 0x11, 0x12, 0x13" in text and "no program image" in text, text


def processes(folder):
    """Two processes with code at the same addresses, told apart by their Virtual context identifier."""
    trace, config, elf = one_trace(folder, 6, "--contexts", 2)
    seen = sorted(set(re.findall(r" vmid=(0x[0-9a-f]+)", run(
        program, "dump", "--layer", "instruction", folder / "t6.assay.yaml").stdout)))
    assert len(seen) == 2, seen
    first, second = (int(number, 16) for number in seen)
    other = folder / "other.bin"
    other.write_bytes(bytes(elf.stat().st_size))
    for name, second_file, code in [("same", elf, 0), ("other", other, 1)]:
        data = perf_data([
            units([(0, config)]), *[mmap2(first, first, *part, elf) for part in code_of(elf)],
            *[mmap2(second, second, *part, second_file) for part in code_of(elf)],
            aux(0, 0, len(trace)), auxtrace(0, 0, trace)])
        (folder / f"{name}.data").write_bytes(data)
        run(sys.executable, extract, folder / f"{name}.data", folder / name)
        text = next((folder / name).glob("*.assay.yaml")).read_text()
        assert set(re.findall(r" vmid: (0x[0-9a-f]+)}", text)) == set(seen), text[:1000]
        judged(folder / name, code)


def broken(folder, path):
    """What is no perf.data, or cut, or of another trace unit, ends with a message."""
    data = path.read_bytes()
    unit = [(0, {"TRCDEVARCH": 0x47705a13})]
    for number, (text, message) in enumerate([
            (b"", "no perf.data"), (b"PERFILE2" + bytes(8), "ends inside"),
            (b"PERFILE2" + struct.pack("<6Q", 16, 0, 0, 0, 0, 0), "pipe"), (data[:300], "ends inside|no trace unit"),
            (perf_data([units(unit, ETMV4)]), "is no ETE"), (perf_data([units(unit, version=9)]), "version 9"),
            (perf_data([units(unit), record(81, bytes(8))]), "compressed"),
            (perf_data([units(unit), aux(0, 0, 100)]), "in any buffer"),
            (perf_data([units(unit)]) + b"\x47\0\0\0\0\0\4\0", "nothing was traced")]):
        file = folder / f"broken{number}"
        file.write_bytes(text)
        done = run(sys.executable, extract, file, folder / f"b{number}", code=1)
        assert re.search(message, done.stderr), (number, done.stderr)
    for cut in range(0, min(len(data), 2500), 37):
        file = folder / "cut"
        file.write_bytes(data[:cut])
        run(sys.executable, extract, file, folder / f"cut{cut}", code=None)


def by_perf(path, expected):
    """The packets that perf finds; it may have been built without a decoder. The address of an
    exception is a packet of its own there."""
    perf = shutil.which("perf")
    if perf is None:
        return "there is no perf to compare with"
    text = subprocess.run([perf, "report", "-D", "-i", path], text=True, capture_output=True,
                          stdin=subprocess.DEVNULL).stdout
    found, after = set(), False
    for at, kind in re.findall(r"^\s+Idx:(\d+); ID:\w+;\s+(\w+)", text, re.M):
        found |= set() if after else {int(at)}
        after = kind == "I_EXCEPT"
    if not found:
        return "perf has no decoder"
    assert found == expected, sorted(found ^ expected)[:20]
    return f"perf finds the same {len(found)} packets"


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    path, old, expected = raw_buffers(folder)
    pieces(folder)
    frames(folder)
    processes(folder)
    broken(folder, path)
    print(by_perf(old, expected))
