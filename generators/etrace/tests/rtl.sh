# Sourced with ASSAY SIMULATION PROGRAMS: what the tests of the encoder in RTL share. They are skipped
# where there is no simulation; the work folder is the current one.
# shellcheck shell=bash
set -euo pipefail
assay=$1
simulation=$2
programs=$3
recorder=$ASSAY_BUILD/generators/recorder/libassay-recorder.so
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "$1"
    cat "$out/text"
    exit 1
}

# run TEXT COMMAND...
run() {
    local text=$1
    shift
    "$@" >"$out/text" 2>&1 || fail "$text failed"
}

record_machine() {
    qemu-system-riscv64 -M virt -m 128M -bios none -display none -serial none -monitor none \
        -icount shift=0,sleep=off -kernel "$programs/levels-riscv64" -plugin \
        "$recorder,out=machine.exec,ram=0x80000000+0x8000000,blocks=0x80007000,limit=20000"
}

record_user() {
    qemu-riscv64 -plugin "$recorder,out=user.exec,limit=100000" "$programs/sorts-riscv64"
}

# simulate PROGRAM [OPTION]...: makes rtl.bin and rtl.assay.yaml
simulate() {
    local program=$1
    shift
    run "the simulation" "$simulation" +record="$program.csv" +packets=rtl.bin \
        +manifest=rtl.assay.yaml +image="$program.elf" "$@"
}

[ -n "$simulation" ] || skip "there is no Verilator 5 (package verilator), or no make"
[ -e "$recorder" ] || skip "the recorder was not built"
[ -x "$programs/levels-riscv64" ] || skip "no cross compiler for riscv64"
command -v qemu-riscv64 >/dev/null || skip "no QEMU user mode (package qemu-user)"
command -v qemu-system-riscv64 >/dev/null || skip "no QEMU for machines (package qemu-system-misc)"

cd "$out"
