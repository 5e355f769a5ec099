#!/bin/sh
# commands.sh PROGRAM MAN_FOLDER OUTPUT_FOLDER: the man page of each command that the program has, made of
# assay.1. A command that is not in it is an error.
set -eu
"$1" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command purpose; do
    awk -v command="$command" -v purpose="$purpose" -f "$2/command.awk" "$2/assay.1" >"$3/assay-$command.1" || exit 1
done
