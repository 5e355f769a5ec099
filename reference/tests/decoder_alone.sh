#!/bin/bash
# decoder_alone.sh ASSAY WITH-FACTS ALONE FORMAT VECTORS: the decoder of a format gives the same events, and
# the same of each but for the fields of facts, whether or not there are stages of facts above it: of all vectors
# in some folders, and of a generated trace.
set -euo pipefail
assay=$1 with=$2 alone=$3 format=$4 vectors=$5
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2086 # VECTORS are folders
find $vectors -name '*.yaml' -not -path '*/_base/*' | xargs "$assay" encode -o "$out" --manifest-output "$out"
"$assay" generate --format "$format" --return-stack -o "$out/generated" \
    --execution-output "$out/generated.execution" --manifest-output "$out/generated.assay.yaml"
for decoder in with alone; do
    find "$out" -name '*.assay.yaml' | sort | xargs "${!decoder}" >"$out/$decoder"
done
cmp "$out/with" "$out/alone"
count=$(grep -c '[.]assay[.]yaml$' "$out/alone")
[ "$count" -gt 100 ]
[ "$(wc -l <"$out/alone")" -gt $((count * 2)) ]
echo "$count traces"
