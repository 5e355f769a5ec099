#!/bin/sh
# Runs one case: sh run.sh CASE.test. Set are ASSAY (the program), CORPUS and SOURCE (folders of the
# project), and SANITIZED (1 when the program was built with sanitizers, else 0).
#
# A case is a plain file: what it shows, in its first lines; then parts, each begun by a line
# "-- NAME":
#   -- run               commands for `sh -eu`, in a new empty directory, with prelude.sh read
#   -- exit N            their exit status
#   -- stdout is         exactly these lines
#   -- stdout has        each of these lines is contained in some line
#   -- stdout lacks      none of these lines is contained in any
#   -- stderr is/has/lacks
#   -- not sanitized     the case makes no sense with sanitizers, and is skipped (status 77)
#   -- needs             programs, one a line; where one is not there the case is skipped. python:MODULE
#                        is a module of the system's Python, which cases run as `python` (prelude.sh)
#   -- slow              for the label of the test; says nothing here
# Before comparing, the program's path reads ASSAY and the directory's path reads HERE.
set -eu
# What a user's environment says must not change what the tools print, nor what getopt takes.
export LC_ALL=C
unset POSIXLY_CORRECT COLUMNS NO_COLOR

case=$1
# In memory, where scripts/test found room there (ASSAY_TEST_FOLDER); not what runs isolated commands, which
# have a /dev of their own.
case ${case##*/} in
compare* | certify* | farm*) folder=${TMPDIR:-/tmp} ;;
*) folder=${ASSAY_TEST_FOLDER:-${TMPDIR:-/tmp}} ;;
esac
here=$(mktemp -d "$folder/assay-cli-XXXXXX")
trap 'rm -rf "$here"' EXIT
trap 'exit 1' HUP INT TERM
folder=$(cd "$(dirname "$0")" && pwd)
failed=0

# The lines of a part; empty when there is none.
part() {
    awk -v name="-- $1" '/^-- / { inside = ($0 == name); next } inside' "$case"
}

has_part() {
    grep -qxF -e "-- $1" "$case"
}

complain() {
    failed=1
    printf 'FAIL: %s\n' "$*"
}

replace_paths() {
    awk -v program="$ASSAY" -v here="$here/work" '
        function replaced(line, what, by,    out, at) {
            out = ""
            while ((at = index(line, what)) > 0) {
                out = out substr(line, 1, at - 1) by
                line = substr(line, at + length(what))
            }
            return out line
        }
        { print replaced(replaced($0, program, "ASSAY"), here, "HERE") }' "$1" >"$1.shown"
}

check_is() {
    part "$1 is" >"$here/expected"
    diff -u "$here/expected" "$here/$1.shown" || complain "$1 is not what it should be"
}

check_lines() { # stream, has or lacks
    part "$1 $2" >"$here/expected"
    while IFS= read -r line; do
        if [ -z "$line" ]; then
            continue
        fi
        if grep -qF -e "$line" "$here/$1.shown"; then
            [ "$2" = has ] || complain "$1 holds: $line"
        else
            [ "$2" = lacks ] || complain "$1 lacks: $line"
        fi
    done <"$here/expected"
}

if has_part "not sanitized" && [ "$SANITIZED" = 1 ]; then
    exit 77
fi

for program in $(part needs); do
    if [ "${program#python:}" != "$program" ]; then
        # shellcheck disable=SC1091
        if ! (. "$folder/prelude.sh" && python -c "import ${program#python:}") 2>/dev/null; then
            echo "skipped: Python has no module ${program#python:}"
            exit 77
        fi
    elif ! command -v "$program" >/dev/null; then
        echo "skipped: there is no $program"
        exit 77
    fi
done

# To look for leaks takes half of the time of a short program with sanitizers: of a quarter of the cases, another one
# with each commit.
if [ "$SANITIZED" = 1 ] && [ -n "${ASSAY_TURN:-}" ] &&
    [ $(($(cksum <"$case" | cut -d ' ' -f 1) % 4)) != $((ASSAY_TURN % 4)) ]; then
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
fi

mkdir "$here/work"
part run >"$here/commands"
cat "$folder/prelude.sh" "$here/commands" >"$here/script"
status=0
export ASSAY CORPUS SOURCE SANITIZED
(cd "$here/work" && exec sh -eu "$here/script") >"$here/stdout" 2>"$here/stderr" </dev/null ||
    status=$?

expected=$(sed -n 's/^-- exit //p' "$case")
[ "$status" = "${expected:-none}" ] || complain "exit status $status, not ${expected:-given}"
for stream in stdout stderr; do
    replace_paths "$here/$stream"
    if has_part "$stream is"; then
        check_is $stream
    fi
    check_lines $stream has
    check_lines $stream lacks
done

# Whatever the case asks for: no sanitizer has anything to say.
if grep -qE 'AddressSanitizer|LeakSanitizer|runtime error:' "$here/stderr"; then
    complain "a sanitizer found something"
fi
if [ $failed = 1 ]; then
    printf -- '--- stdout\n'
    head -c 4000 "$here/stdout.shown"
    printf -- '--- stderr\n'
    head -c 8000 "$here/stderr.shown"
fi
exit $failed
