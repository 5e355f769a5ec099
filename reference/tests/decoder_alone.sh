#!/bin/bash
# decoder_alone.sh ASSAY WITH-FACTS ALONE FORMAT VECTORS: the decoder of a format gives the same events, and
# the same of each but for the fields of facts, whether or not there are stages of facts above it: of the
# vectors about what was executed, a quarter of them, and of a generated trace. Where a Q element of ETE leads, the
# facts say in fields of the decoder, too.
set -euo pipefail
assay=$1 with=$2 alone=$3 format=$4 vectors=$5
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2086 # VECTORS are folders
{ grep -rL -e '- q: ' $vectors || true; } | grep '\.yaml$' | sort | awk 'NR % 4 == 1' |
    xargs "$assay" encode -o "$out" --manifest-output "$out"
"$assay" generate --format "$format" --return-stack -o "$out/generated" \
    --execution-output "$out/generated.execution" --manifest-output "$out/generated.assay.yaml"
count=0
for manifest in "$out"/*.assay.yaml; do
    "$with" "$manifest" >"$out/with"
    "$alone" "$manifest" >"$out/alone"
    cmp "$out/with" "$out/alone" || { echo "$manifest" >&2 && exit 1; }
    [ -s "$out/alone" ]
    count=$((count + 1))
done
[ $count -gt 10 ]
echo "$count traces"
