#!/usr/bin/env python3
"""extract.py PERF_DATA FOLDER [--root FOLDER]: writes what `perf record` recorded of ETE trace units to a
new folder, so that `assay check FOLDER` judges it.

Each AUX record, which is what a CPU traced without a pause, becomes a manifest with its bytes, the
registers of the trace unit and the files that the traced program had mapped as code. These are copied;
--root is the folder below which they are found, if the recording is of another system. A record that
others of its CPU come before, or that its flags say is not all that was traced, is said to be a piece
(WHOLE: 0). What is not taken over is said on standard error: trace units that are no ETE, the kernel,
code without a file.
"""
import argparse
import collections
import mmap
import pathlib
import struct
import sys

MMAP1, COMM, FORK, MMAP2, AUX, HW_ID, AUXTRACE_INFO, AUXTRACE, COMPRESSED = 1, 3, 7, 10, 11, 21, 70, 71, 81
WITH_IDS = {MMAP1, COMM, FORK, MMAP2, AUX, HW_ID}
SAMPLE_TID, SAMPLE_TIME, SAMPLE_ID, SAMPLE_CPU, SAMPLE_STREAM, SAMPLE_IDENTIFIER = (
    1 << bit for bit in (1, 2, 6, 7, 9, 16))
MISC_DATA, MISC_EXEC = 1 << 13, 1 << 13  # of MMAP1: not code; of COMM: the process has a new program
MISC_KERNEL, MISC_MODE = 1, 7
FILE_MOST = 1 << 30  # bytes of a mapped file
AUX_TRUNCATED, AUX_OVERWRITE, AUX_PARTIAL, AUX_COLLISION, AUX_RAW, ANY_CPU = 1, 2, 4, 8, 0x100, 0xffffffff
AUX_PIECE = AUX_TRUNCATED | AUX_OVERWRITE | AUX_PARTIAL | AUX_COLLISION
CORESIGHT, ETE_MAGIC, PROTECTION_EXEC = 3, 0x5050505050505050, 4
ETE_REGISTERS = ["TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS",
                 "TRCDEVARCH"]
CID, VMID, VMIDOPT = 1 << 6, 1 << 7, 1 << 15  # of TRCCONFIGR

Mapping = collections.namedtuple("Mapping", "file at length offset")
Buffer = collections.namedtuple("Buffer", "cpu tid offset data")
Piece = collections.namedtuple("Piece", "cpu tid offset size flags follows")  # follows: others of its CPU


def fail(text):
    sys.exit(f"extract.py: {text}")


def note(text):
    print(f"extract.py: {text}", file=sys.stderr)


class Recording:
    """The records of a perf.data file that have to do with traces."""

    def __init__(self, data):
        self.data = data
        self.buffers, self.pieces, self.units, self.ids = [], [], {}, {}
        self.mappings = collections.defaultdict(list)  # by process
        self.threads = {}  # the process of a thread
        self.traced = set()  # CPUs, or threads where no CPU is said, of which there was a record
        if data[:8] != b"PERFILE2":
            fail("this is no perf.data of a little-endian system")
        size, attr_size, attrs, attrs_size, records, records_size = self.read("<6Q", 8)
        if size < 104:
            fail("perf wrote this to a pipe: let it write to a file")
        self.read_events(attr_size, attrs, attrs_size)
        end = min(records + records_size, len(data)) if records_size > 0 else len(data)
        self.read_records(records, end)

    def read(self, layout, at):
        try:
            return struct.unpack_from(layout, self.data, at)
        except struct.error:
            fail(f"the file ends inside what begins at byte {at}")

    def read_events(self, attr_size, at, size):
        """Which fields the events have at the end of their records, by their numbers."""
        self.layouts = {}
        self.layout = 0
        if attr_size < 80:
            fail("the events are described in less than 64 bytes")
        for attr in range(at, at + size - attr_size + 1, attr_size):
            sample_type, _, flags = self.read("<3Q", attr + 24)
            ids, ids_size = self.read("<2Q", attr + attr_size - 16)
            layout = sample_type if flags >> 18 & 1 else 0
            self.layout = self.layout or layout
            for number in range(ids, min(ids + ids_size, len(self.data)) - 7, 8):
                self.layouts[self.read("<Q", number)[0]] = layout

    def ids_of(self, end):
        """Thread and CPU of a record, from its end backwards; None for what it does not say."""
        layout = self.layout
        if layout & SAMPLE_IDENTIFIER:
            layout = self.layouts.get(self.read("<Q", end - 8)[0], layout)
        cpu = tid = None
        for field in (SAMPLE_IDENTIFIER, SAMPLE_CPU, SAMPLE_STREAM, SAMPLE_ID, SAMPLE_TIME, SAMPLE_TID):
            end -= 8 if layout & field else 0
            if layout & field & SAMPLE_CPU:
                cpu = self.read("<I", end)[0]
            elif layout & field & SAMPLE_TID:
                tid = self.read("<2I", end)[1]
        return tid, cpu

    def read_records(self, at, end):
        while at + 8 <= end:
            kind, misc, size = self.read("<IHH", at)
            if size < 8 or at + size > end:
                note(f"the record at byte {at} is cut: what comes after it is left out")
                return
            if kind == COMPRESSED:
                fail("the records are compressed: record without -z")
            tid, cpu = self.ids_of(at + size) if kind in WITH_IDS else (None, None)
            if kind == AUXTRACE:
                size += self.read_buffer(at, size, end)
            elif kind == AUXTRACE_INFO:
                self.read_units(at, size)
            elif kind == AUX:
                self.add_piece(cpu, tid, *self.read("<3Q", at + 8))
            elif kind == HW_ID and cpu is not None:
                self.ids[cpu] = self.read("<Q", at + 8)[0] & 0x7f
            else:
                self.follow(kind, misc, at, size)
            at += size

    def add_piece(self, cpu, tid, offset, size, flags):
        """A buffer that is read out while the trace unit goes on gives records that end and begin in the
        middle of packets. What comes before the first one can be in another file."""
        key = ("thread", tid) if cpu is None else ("CPU", cpu)
        self.pieces.append(Piece(cpu, tid, offset, size, flags, offset > 0 or key in self.traced))
        if size > 0:
            self.traced.add(key)

    def read_buffer(self, at, size, end):
        length, offset, _, _, tid, cpu = self.read("<3Q3I", at + 8)
        if length > end - at - size:
            note(f"the buffer at byte {at} is cut: it is left out")
            return end - at - size
        self.buffers.append(Buffer(cpu, tid, offset, self.data[at + size:at + size + length]))
        return length

    def read_units(self, at, size):
        """The registers of the trace units, by CPU."""
        words = self.read(f"<{(size - 16) // 8}Q", at + 16)
        if self.read("<I", at + 8)[0] != CORESIGHT or len(words) < 3:
            fail("what was traced is not CoreSight")
        if words[0] not in (1, 2):
            fail(f"the registers are in version {words[0]} of their format, and 1 and 2 are known")
        words = words[3:]
        while len(words) >= 3:
            magic, cpu, count = words[:3]
            if magic == ETE_MAGIC and count >= len(ETE_REGISTERS) and len(words) >= 3 + count:
                self.units[cpu] = dict(zip(ETE_REGISTERS, words[3:]))
            else:
                note(f"the trace unit of CPU {cpu} is no ETE: it is left out")
            words = words[3 + count:]

    # --- what the processes had mapped ---

    def follow(self, kind, misc, at, size):
        if kind == FORK:
            pid, parent, tid, _ = self.read("<4I", at + 8)
            self.threads[tid] = pid
            if pid != parent:
                self.mappings[pid] = list(self.mappings[parent])
        elif kind == COMM:
            pid, tid = self.read("<2I", at + 8)
            self.threads[tid] = pid
            if misc & MISC_EXEC:
                self.mappings[pid] = []
        elif kind in (MMAP1, MMAP2) and misc & MISC_MODE != MISC_KERNEL:
            pid, tid, address, length, offset = self.read("<2I3Q", at + 8)
            name = at + (72 if kind == MMAP2 else 40)
            code = self.read("<I", at + 64)[0] & PROTECTION_EXEC if kind == MMAP2 else not misc & MISC_DATA
            text = bytes(self.data[name:at + size]).split(b"\0")[0].decode(errors="surrogateescape")
            self.threads[tid] = pid
            if code:
                self.add_mapping(pid, Mapping(text, address, length, offset))

    def add_mapping(self, pid, new):
        """A later mapping replaces what it overlaps."""
        kept = [old for old in self.mappings[pid]
                if old.at + old.length <= new.at or new.at + new.length <= old.at]
        self.mappings[pid] = kept + [new]


class Images:
    """Copies of the mapped files, each made once."""

    def __init__(self, folder, root):
        self.folder, self.root, self.names = folder / "images", root, {}

    def file_of(self, path):
        """The file of a path of the recording, which comes from outside: one below the root, of a size that
        can be copied; None if there is none."""
        if not path.startswith("/") or path.startswith("//") or "\0" in path:
            return None
        file = (self.root / path.lstrip("/")).resolve()
        below = file.is_relative_to(self.root.resolve())
        return file if below and file.is_file() and 0 < file.stat().st_size <= FILE_MOST else None

    def name_of(self, path):
        if path not in self.names:
            source = self.file_of(path)
            self.names[path] = None
            if source is None:
                note(f"no file for the code of {path!r}: it is left out")
            else:
                self.folder.mkdir(exist_ok=True)
                copy = self.folder / f"{len(self.names)}.bin"
                with open(source, "rb") as file:
                    copy.write_bytes(file.read(source.stat().st_size))
                self.names[path] = f"images/{copy.name}"
        return self.names[path]

    def entries(self, mapping, selectors):
        name = self.name_of(mapping.file)
        if name is None:
            return []
        length = min(mapping.length, (self.folder / pathlib.Path(name).name).stat().st_size - mapping.offset)
        return [] if length <= 0 else [
            f"  - {{file: {name}, kind: raw, at: {mapping.at:#x}, offset: {mapping.offset:#x}, "
            f"length: {length:#x}, el: 0{selectors}}}\n"]


def images_of(recording, images, config):
    """The images of a manifest. Those of several processes are told apart by the identifier of the
    thread, if it is traced."""
    used = {pid: list for pid, list in recording.mappings.items() if list}
    key = "vmid" if config & VMID and config & VMIDOPT else "context" if config & CID else None
    if len(used) > 1 and key is None:
        note("several processes are traced, and no identifier that says which: their code is left out")
        return []
    lines = []
    for pid, mappings in used.items():
        threads = [tid for tid, process in recording.threads.items() if process == pid]
        for selectors in [""] if len(used) == 1 else [f", {key}: {tid:#x}" for tid in threads]:
            for mapping in mappings:
                lines += images.entries(mapping, selectors)
    return lines


def bytes_of(piece, buffers):
    """The bytes of an AUX record; none where no buffer of its CPU, or of its thread, holds them."""
    for buffer in buffers:
        same = piece.tid == buffer.tid if buffer.cpu == ANY_CPU else piece.cpu == buffer.cpu
        size = min(piece.size, len(buffer.data)) if piece.flags & AUX_OVERWRITE else piece.size
        at = piece.offset + piece.size - size - buffer.offset
        if same and 0 <= at <= len(buffer.data) - size:
            return buffer.data[at:at + size]
    return b""


def registers_of(recording, cpu, piece):
    registers = dict(recording.units[cpu])
    registers["TRCTRACEIDR"] = recording.ids.get(cpu, registers["TRCTRACEIDR"] & 0x7f)
    if piece.follows or piece.flags & AUX_PIECE:
        registers["WHOLE"] = 0
    return "{" + ", ".join(f"{name}: {value:#x}" for name, value in registers.items()) + "}"


def manifest_of(recording, piece, data, images):
    """A manifest: of the bytes of one trace unit, or of frames with those of several."""
    cpu = piece.cpu if piece.cpu in recording.units else min(recording.units)
    where = "any CPU" if piece.cpu is None else f"CPU {piece.cpu}"
    head = f"# AUX record of {where}, {piece.size} bytes at {piece.offset}" + (
        "; the buffer was full, and trace was lost\n" if piece.flags & AUX_TRUNCATED else "\n")
    head += f"manifest: 1\ndata: [{data}]\n"
    lines = "".join(images_of(recording, images, recording.units[cpu]["TRCCONFIGR"]))
    lines = f"images:\n{lines}" if lines else ""
    if piece.flags & AUX_RAW:
        return f"{head}format: ete\nconfig: {registers_of(recording, cpu, piece)}\n{lines}"
    streams = {}
    for cpu, unit in recording.units.items():
        number = recording.ids.get(cpu, unit["TRCTRACEIDR"] & 0x7f)
        if number != 0:
            config = registers_of(recording, cpu, piece)
            streams[number] = f"  - {{id: {number:#x}, format: ete, config: {config}}}\n"
    return f"{head}framing: coresight\n{lines}streams:\n{''.join(streams.values())}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("perf_data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("/"))
    options = parser.parse_args()
    try:
        with open(options.perf_data, "rb") as file:
            size = file.seek(0, 2)
            recording = Recording(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                                             if size > 0 else b""))
        if not recording.units:
            fail("no trace unit of ETE is described in it")
        options.folder.mkdir()
        images = Images(options.folder, options.root)
        written = 0
        for number, piece in enumerate(recording.pieces):
            data = bytes_of(piece, recording.buffers)
            if len(data) == 0:
                note(f"AUX record {number} has no bytes" + (" in any buffer" if piece.size > 0 else ""))
                continue
            cpu = "any" if piece.cpu is None else piece.cpu
            name = f"cpu{cpu}-{number:06d}"
            (options.folder / f"{name}.bin").write_bytes(data)
            (options.folder / f"{name}.assay.yaml").write_text(
                manifest_of(recording, piece, f"{name}.bin", images))
            written += 1
    except OSError as error:
        fail(error)
    if written == 0:
        fail("no AUX record has bytes: nothing was traced")
    print(f"{written} traces of {len(recording.units)} trace units: assay check {options.folder}")


main()
