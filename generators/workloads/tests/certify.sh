#!/bin/bash
# certify.sh ASSAY FORMAT WORKLOADS FACTS: the reference encoder of the format is certified. It makes
# traces of all workloads, with each feature of the profile; the submission is certified, gives the same
# bytes again, and is verified with its traces. With a planted fault it is not certified, and exactly the
# rules fail that the fault violates.
set -euo pipefail
assay=$(realpath "$1") format=$2 workloads=$(realpath "$3") facts=$(realpath "$4")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "$format: $1"
    [ ! -s "$out/text" ] || cat "$out/text"
    failed=1
}

# run STATUS COMMAND...: its output is in $out/text.
run() {
    local wanted=$1 status=0
    shift
    "$@" >"$out/text" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "$* ended with $status, not $wanted"
}

# --- traces ---

# take WORKLOAD-ISA: its recording.
take() {
    [ -e "$workloads/$1.exec" ] || skip "no recording of $1 (cross compilers, QEMU)"
    cp "$workloads/$1.exec" .
}

# of_file WORKLOAD ISA [OPTION...]: a trace that is one file.
of_file() {
    local name=$1-$2 with=
    take "$name"
    run 0 "$assay" generate --format "$format" --execution "$name.exec" -o "$name.$format" "${@:3}"
    if [[ $name == traps-aarch64 || $name == interrupts-aarch64 ]]; then
        cp "$facts" machine.facts.yaml
        with=", facts: machine.facts.yaml"
    fi
    echo "  - {trace: $name.$format, workload: $1, execution: $name.exec$with}" >>traces
}

# of_manifest WORKLOAD ISA FEATURE [OPTION...]
of_manifest() {
    local name=$1-$2 trace=$1-$2-$3
    take "$name"
    run 0 "$assay" generate --format "$format" --execution "$name.exec" -o "$trace.bin" \
        --manifest-output "$trace.assay.yaml" "${@:4}"
    echo "  - {trace: $trace.assay.yaml, workload: $1}" >>traces
}

# hex FILE: its bytes.
hex() {
    od -An -v -tx1 "$1" | tr -d ' \n'
}

# of_capture WORKLOAD OTHER...: a capture with each of them as a source, their bytes by turns.
of_capture() {
    local id=16 workload pieces= streams= described= capture=$1
    for workload in "$@"; do
        take "$workload-aarch64"
        run 0 "$assay" generate --format ete --execution "$workload-aarch64.exec" --sync 64 \
            -o "$workload.bin" --manifest-output "$workload.assay.yaml"
        streams+="  - {id: $id, format: ete, trace: [{raw: \"$(hex "$workload.bin")\"}]}"$'\n'
        described+="  - {id: $id, format: ete, $(sed -n "s/TRCTRACEIDR: [^,]*/TRCTRACEIDR: $id/; /^config: /p" "$workload.assay.yaml"),"
        described+=" execution: $workload-aarch64.exec, $(grep '^images: ' "$workload.assay.yaml")}"$'\n'
        pieces+="$id $(stat -c %s "$workload.bin")"$'\n'
        id=$((id + 1))
    done
    {
        printf 'vector: 1\nformat: coresight\nwhy: "a capture"\npasses: [CS-0002]\n'
        printf 'streams:\n%strace:\n' "$streams"
        awk -v piece=150 '{ id[NR] = $1; left[NR] = $2; sum += $2 }
            END { while (sum > 0) for (n = 1; n <= NR; n++) {
                take = left[n] < piece ? left[n] : piece
                if (take > 0) print "  - stream: {id: " id[n] ", bytes: " take "}"
                left[n] -= take; sum -= take } }' <<<"${pieces%$'\n'}"
    } >"$out/capture.yaml"
    run 0 "$assay" encode "$out/capture.yaml" -o "$capture.cs"
    printf 'manifest: 1\ndata: [%s.cs]\nframing: coresight\nstreams:\n%s' "$capture" "$described" \
        >"$capture-capture.assay.yaml"
    echo "  - {trace: $capture-capture.assay.yaml, workload: $capture}" >>traces
}

# submit LEVEL [CLAIM...]
submit() {
    {
        printf 'submission: 1\nproducer: {name: reference encoder, version: "1"}\n'
        printf 'claims:\n  format: %s\n  profile: %s\n  level: %s\n' "$format" "$format" "$1"
        [ $# -eq 1 ] || printf '  %s\n' "${@:2}"
        printf 'traces:\n'
        cat traces
    } >submission.yaml
}

make_traces() {
    local workload
    case $format in
        astf)
            for workload in flow memory pauth atomics traps interrupts; do
                of_file $workload aarch64 --no-description
            done
            submit machine "version: astf-0.11"
            ;;
        stf)
            for workload in flow memory vectors; do
                of_file $workload riscv64
                of_file $workload riscv32 --operands
            done
            of_file traps riscv64
            of_file interrupts riscv64
            submit machine "version: stf-1.3"
            ;;
        etrace)
            for workload in flow memory traps interrupts; do
                of_manifest $workload riscv64 plain
            done
            of_manifest flow riscv32 plain
            of_manifest flow riscv64 return-stack --return-stack
            of_manifest traps riscv64 return-stack --return-stack --resync 20
            of_manifest flow riscv64 predictor --predictor 5
            of_manifest flow riscv64 target-cache --target-cache 4
            of_manifest flow riscv64 others --sequential-jumps --full-addresses
            submit machine "features: [return-stack, branch-prediction, jump-target-cache]"
            ;;
        ete)
            for workload in flow memory pauth atomics traps interrupts; do
                of_manifest $workload aarch64 plain
            done
            of_manifest flow aarch64 speculation --speculation 8 --mispredictions 20
            of_manifest traps aarch64 cycles --cycle-counts 4 --speculation 4 --sync 200
            of_manifest flow aarch64 return-stack --return-stack --any-packets
            submit machine "features: [speculation, cycle-counts, return-stack]"
            ;;
        coresight)
            of_capture flow atomics
            of_capture memory pauth traps
            submit frames
            ;;
    esac
}

# --- faults ---

# event TRACE LAYER AFTER PATTERN: the place of the first event after so many that, as JSON, has the pattern.
event() {
    "$assay" dump --layer "$2" --json "$1" | awk -F'"at": ' -v after="$3" -v pattern="$4" '
        at == "" && NR > 1 + after && $0 ~ pattern { at = $2 + 0 }
        END { print at == "" ? "nothing_like_that" : at }'
}

# flip FILE AT BITS: bits of a byte.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf '%b' "\\x$(printf %02x $((byte ^ $3)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# cut_out FILE AT SIZE
cut_out() {
    { head -c "$2" "$1" && tail -c +$(($2 + $3 + 1)) "$1"; } >cut
    mv cut "$1"
}

# plant NAME CLAUSE RULE...: plant_NAME changes a copy of the submission. It is not certified: exactly the
# rules, of those that have to pass, fail, and one of them for the clause.
plant() {
    local name=$1 clause=$2 found status=0
    local rules="${*:3}"
    rm -rf "$out/fault" "$out/faulty"
    cp -r "$out/submission" "$out/fault"
    cd "$out/fault"
    "plant_$name"
    "$assay" certify submission.yaml -o "$out/faulty" >"$out/text" 2>&1 || status=$?
    if [ "$status" -ne 1 ] || [ "$(head -n 1 "$out/text")" != "NOT CERTIFIED" ]; then
        fail "fault $name: it ended with $status, not with 1"
        return
    fi
    found=$(sed -n 's/.*"demand": "rules", "name": "\([A-Z]*-[0-9]*\)", "met": false.*/\1/p' \
        "$out/faulty/certificate.json" | sort | tr '\n' ' ')
    [ "${found% }" = "$rules" ] || fail "fault $name: it violates ${found:-nothing}, not $rules"
    grep -E "\"id\": \"(${rules// /|})\".*\"$clause\".*\"verdict\": \"fail\"" \
        "$out/faulty/report.json" >/dev/null || fail "fault $name: no rule fails for $clause"
    run 1 "$assay" certify --verify "$out/faulty"
    grep -q '^consistent, not verified: not-certified' "$out/text" || fail "fault $name: the certificate is not verified"
    echo "not certified: $name, $found"
}

# ASTF: the address of an instruction, the target of a direct branch, and a store without its address.
plant_next_pc() {
    flip flow-aarch64.astf $(($(event flow-aarch64.astf record 3000 '"is_branch": 0.*"pc"') + 8)) 4
}
plant_target() {
    flip flow-aarch64.astf $(($(event flow-aarch64.astf record 3000 '"a64_class": "bl"') + 16)) 4
}
plant_no_address() {
    local file=memory-aarch64.astf
    flip $file $(($(event $file record 900 '"is_write": 1.*"ea_valid": 1') + 2)) 64
}

# STF: a load without its access, with another content, and a jump without its target.
plant_no_access() {
    local file=memory-riscv64.stf
    cut_out $file $(($(event $file record 900 '"inst_mem_access".*"type": "read"'))) 23
}
plant_content() {
    local file=memory-riscv64.stf
    flip $file $(($(event $file record 900 '"inst_mem_content"') + 1)) 1
}
plant_no_target() {
    cut_out flow-riscv64.stf $(($(event flow-riscv64.stf record 900 '"inst_pc_target"'))) 9
}

# And another interrupt than the one that was taken.
plant_cause() {
    local file=interrupts-riscv64.stf
    flip $file $(($(event $file record 0 '"kind": "event", "id": 5, "interrupt": 1') + 1)) 2
}

# E-Trace: an address is compressed as if decoders extended it by zeros and not by its sign, which leaves
# out its last byte; the outcome of a branch.
plant_zero_extension() {
    local file=flow-riscv64-plain.bin at size
    read -r at size < <(od -An -v -tu1 -w1 $file | awk '{ byte[NR - 1] = $1 }
        END { for (n = 0; n < NR; n += size + 1) {
                  size = byte[n] % 32
                  last = n + size
                  if (n > 100 && size > 2 && byte[last] == 0 && byte[last - 1] >= 128) {
                      print n, size
                      exit } } }')
    flip $file "$at" $((size ^ (size - 1)))
    cut_out $file $((at + size)) 1
}
plant_branch() {
    local name=flow-riscv64-plain
    flip $name.bin \
        $(($(event $name.assay.yaml packet 0 '"branches": 0, "branch_map": [1-9]') + 3)) 16
}
# And an interrupt as an exception: the bit after the cause, of 5 bits.
plant_interrupt() {
    local name=interrupts-riscv64-plain
    flip $name.bin \
        $(($(event $name.assay.yaml packet 0 '"kind": "exception".*"interrupt": 1') + 2)) 16
}

# ETE: a Commit of one element more than there are; an Atom.
plant_commit() {
    local name=flow-aarch64-speculation
    flip $name.bin \
        $(($(event $name.assay.yaml element 0 '"elem_commit".*"depth": "0x4".*"count": "0x4"') + 1)) 1
}
plant_atom() {
    local name=flow-aarch64-plain
    flip $name.bin $(($(event $name.assay.yaml packet 500 '"atom_1'))) 1
}

# And a Data Fault as an Inst Fault: the type is in the bits 5:1 of the second byte.
plant_exception() {
    local name=traps-aarch64-plain
    flip $name.bin \
        $(($(event $name.assay.yaml packet 0 '"exception", .*"type": "data_fault"') + 1)) 14
}

# CoreSight: an auxiliary bit, which is the lowest one of a byte; an id.
plant_auxiliary() {
    flip flow.cs $((20 * 16 + 15)) 2
}
plant_id() {
    flip flow.cs \
        "$(od -An -v -tu1 -w16 flow.cs | awk 'NR > 20 && $1 % 2 { print 16 * (NR - 1); exit }')" 0xc0
}

# A workload that is due is not handed in.
without_a_workload() {
    rm -rf "$out/fault"
    cp -r "$out/submission" "$out/fault"
    sed -i '/workload: memory/d' "$out/fault/submission.yaml"
    run 1 "$assay" certify "$out/fault/submission.yaml" -o "$out/lacking"
    grep -q '"demand": "workload", "name": "memory", "met": false' "$out/lacking/certificate.json" ||
        fail "the workload that is missing is not named"
}

# Traces of one workload under the name of another; that does not depend on what the trace is of.
under_another_name() {
    rm -rf "$out/fault"
    cp -r "$out/submission" "$out/fault"
    sed -i 's/workload: flow/workload: held/; s/workload: memory/workload: flow/; s/workload: held/workload: memory/' \
        "$out/fault/submission.yaml"
    run 1 "$assay" certify "$out/fault/submission.yaml" -o "$out/misnamed"
    for workload in flow memory; do
        grep -q "\"demand\": \"workload\", \"name\": \"$workload\", \"met\": false, .*recorded execution has" \
            "$out/misnamed/certificate.json" || fail "another program is taken for $workload"
    done
}

# due LEVEL WORKLOADS ENDING: the traces of the workloads that are due, alone, each once, are enough.
due() {
    local workload
    cp traces all
    for workload in $2; do
        grep -h "trace: $workload-$3" all
    done >traces
    cp submission.yaml whole.yaml
    submit "$1"
    run 0 "$assay" certify submission.yaml -o "$out/due-$1-$3"
    mv all traces
    mv whole.yaml submission.yaml
}

what_is_due() {
    local here="flow memory pauth atomics" there="flow memory vectors" traps="traps interrupts"
    case $format in
        astf)
            due program "$here" aarch64.astf
            due machine "$here $traps" aarch64.astf
            ;;
        stf)
            due program "$there" riscv64.stf
            due program "$there" riscv32.stf
            due machine "$there $traps" riscv64.stf
            ;;
        etrace)
            due program "flow memory" riscv64-plain
            due machine "flow memory $traps" riscv64-plain
            ;;
        ete)
            due program "$here" aarch64-plain
            due machine "$here $traps" aarch64-plain
            ;;
    esac
}

# The workloads under Linux are enough for the level of programs, too, each traced once.
under_linux() {
    local workload
    cp traces all
    cp submission.yaml whole.yaml
    : >traces
    for workload in $2; do
        "$1" "$workload" "$3-linux" "${@:4}"
    done
    submit program
    run 0 "$assay" certify submission.yaml -o "$out/linux-$3"
    mv all traces
    mv whole.yaml submission.yaml
}

what_linux_runs() {
    local isa
    case $format in
        astf) under_linux of_file "flow memory pauth atomics" aarch64 --no-description ;;
        stf)
            for isa in riscv64 riscv32; do
                under_linux of_file "flow memory vectors" $isa
            done
            ;;
        etrace)
            for isa in riscv64 riscv32; do
                under_linux of_manifest "flow memory" $isa plain
            done
            ;;
        ete) under_linux of_manifest "flow memory pauth atomics" aarch64 plain ;;
    esac
}

plant_faults() {
    case $format in
        astf)
            plant next_pc ASTF-INS-010 ASTF-0020 ASTF-0156
            plant target ASTF-BR-009 ASTF-0020 ASTF-0067 ASTF-0174
            plant no_address ASTF-MEM-001 ASTF-0059 ASTF-0071 ASTF-0171
            ;;
        stf)
            plant no_access STF-MEM-006 STF-0130 STF-0510
            plant content STF-MCT-012 STF-0528
            plant no_target STF-PCT-002 STF-0177 STF-0503
            plant cause STF-EVT-008 STF-0605
            ;;
        etrace)
            plant zero_extension ETR-DEC-048 ETR-0201 ETR-0703
            plant branch ETR-DELTA-001 ETR-0703
            plant interrupt ETR-F3-018 ETR-0713
            ;;
        ete)
            plant commit ETE-SPEC-001 ETE-0060
            plant atom ETE-FLOW-008 ETE-0150 ETE-0153
            plant exception ETE-EXC-023 ETE-0346
            ;;
        coresight)
            plant auxiliary ETE-SYNC-003 ETE-0005
            plant id CS-FRM-010 CS-0010 ETE-0004
            ;;
    esac
}

# --- the test ---

mkdir "$out/submission"
cd "$out/submission"
make_traces
[ $failed -eq 0 ] || exit 1
run 0 "$assay" certify submission.yaml -o "$out/first"
[ $failed -eq 0 ] || exit 1
head -n 1 "$out/text"
cp -r "$out/submission" "$out/elsewhere"
run 0 "$assay" certify "$out/elsewhere/submission.yaml" -o "$out/second"
run 0 diff -r "$out/first" "$out/second"
run 0 "$assay" certify --verify "$out/first" --traces "$out/submission"
[ "$(grep -c '"workload_shown": false' "$out/first/certificate.json")" = 0 ] ||
    fail "the recorded execution of a workload is not recognised"
what_is_due
what_linux_runs
without_a_workload
under_another_name
plant_faults
exit $failed
