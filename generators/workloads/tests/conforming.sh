#!/bin/bash
# conforming.sh ASSAY WORKLOADS: what the reference encoders make of the recorded workloads conforms and is
# what was executed, whatever a trace unit is told to do: leave out, lose, predict wrongly, compress.
set -euo pipefail
assay=$(realpath "$1") workloads=$(realpath "$2")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
failed=0 traces=0

# judge FORMAT WORKLOAD-ISA OPTION...: with two seeds.
judge() {
    local format=$1 name=$2 seed
    if [ ! -e "$workloads/$name.exec" ]; then
        echo "skipped: no recording of $name (cross compilers, QEMU)"
        exit 77
    fi
    cp -u "$workloads/$name.exec" .
    for seed in 1 2; do
        traces=$((traces + 1))
        if ! { "$assay" generate --format "$format" --execution "$name.exec" --seed $seed "${@:3}" \
            -o trace --manifest-output trace.assay.yaml &&
            "$assay" check --fail-on should trace.assay.yaml; } >text 2>&1; then
            echo "$format of $name, --seed $seed ${*:3}:"
            cat text
            failed=1
        fi
    done
}

lossy=(--gaps 1000 --overflows 500)
speculative=(--speculation 8 --mispredictions 10 --commit-mode)
for name in flow-aarch64 atomics-aarch64-linux traps-aarch64 interrupts-aarch64; do
    judge ete $name --q-elements 3
    judge ete $name --q-elements 20 "${lossy[@]}" --no-timestamps
    judge ete $name --speculation 8 --mispredictions 40 --contexts 3 --gaps 5000
    judge ete $name "${speculative[@]}" --return-stack --q-elements 8 --sync 300 --any-packets
    judge ete $name "${speculative[@]}" "${lossy[@]}" --cycle-counts 4 --contexts 2 --broadcast --period 50
done
for name in flow-riscv64 flow-riscv32-linux traps-riscv64 interrupts-riscv64; do
    judge etrace $name --gaps 300 --resync 20
    judge etrace $name --return-stack --predictor 4 --target-cache 2 --sequential-jumps --ratified
    judge etrace $name --gaps 2000 --return-stack --predictor 2 --full-addresses
done
echo "$traces traces"
exit $failed
