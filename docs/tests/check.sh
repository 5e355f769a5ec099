#!/bin/sh
# Whether what the documents name exists: commands and options (against --help), files of the tree,
# names of the C code, rules, clauses, interpretations and facts. And the other way round: whether
# the man page has every option.
#
# usage: check.sh PROGRAM SOURCE_FOLDER
set -eu
LC_ALL=C
export LC_ALL

program=$1
tree=$2
tab=$(printf '\t')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

complain()
{
    echo "$1" >&2
    echo x >>"$work/bad"
}

# --- what there is ---

"$program" --help >"$work/help"
sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' "$work/help" >"$work/commands"
while read -r command; do
    "$program" "$command" --help >"$work/help.$command"
    sed -n 's/^  \(-[a-z], \|    \)\(--[a-z-]*\).*/\2/p' "$work/help.$command" \
        >"$work/options.$command"
    sed -n 's/^  \(-[a-gi-z]\), .*/\1/p' "$work/help.$command" >>"$work/options.$command"
    sed -i '/^--help$/d' "$work/options.$command"
done <"$work/commands"
printf '%s\n' --help --version >"$work/options"
cat "$work"/options.* >"$work/any-option"
cat "$work/options" >>"$work/any-option"
"$program" rules list >"$work/rules"
"$program" rules coverage >"$work/clauses"
grep -rhoE '\b(assay|astf|a64|ASSAY|ASTF|A64)_[A-Za-z0-9_]+\b' "$tree/reference" \
    "$tree/validator" "$tree/reports" "$tree/generators" "$tree/docs/examples" "$tree/scripts" | sort -u >"$work/names"

# --- looking things up ---

# An option as it is written ("--report=json", "--jobs,") without what is not its name.
bare()
{
    printf '%s\n' "$1" | sed 's/^[[(]*//; s/[^a-z-].*$//'
}

check_option() # place, option, file with the options that there are
{
    option=$(bare "$2")
    case $option in
    - | '') return ;;
    --help | -h) return ;;
    esac
    grep -qxF -e "$option" "$3" || complain "$1: there is no option $option"
}

check_command() # place, words behind "assay"
{
    place=$1
    shift
    command=${1:-}
    case $command in
    '') return ;;
    -*) check_option "$place" "$command" "$work/options"; return ;;
    [A-Z]*) return ;;
    esac
    if ! grep -qxF -e "$command" "$work/commands"; then
        complain "$place: there is no command assay $command"
        return
    fi
    shift
    verb=
    for word in "$@"; do
        case $word in
        '|' | '>' | ';' | '#'* | '&&') break ;;
        -*) check_option "$place (assay $command)" "$word" "$work/options.$command" ;;
        *) [ -n "$verb" ] || verb=$word ;;
        esac
    done
    case $command:$verb in
    rules: | rules:[A-Z]* | rules:...) ;;
    rules:*) grep -q "^Usage:.*\b$verb\b" "$work/help.rules" ||
        complain "$place: assay rules has no $verb" ;;
    esac
}

# Each part of a pipeline.
check_commands() # place, text
{
    printf '%s\n' "$2" | tr '|' '\n' | while read -r first rest; do
        if [ "$first" = assay ]; then
            # shellcheck disable=SC2086 # words are wanted
            check_command "$1" $rest
        fi
    done
}

check_path() # place, path
{
    case $2 in
    *'<'* | *NNNN* | *...*) return ;;
    esac
    [ -e "$tree/$2" ] || complain "$1: the tree has no $2"
}

check_name() # place, C name
{
    grep -qxF -e "$2" "$work/names" || complain "$1: the code has no $2"
}

check_span() # place, text
{
    case $2 in
    'assay '*) check_commands "$1" "$2" ;;
    --*) check_option "$1" "$2" "$work/any-option" ;;
    *[!A-Za-z0-9_./\<\>-]*) ;;
    reference/* | rules/* | validator/* | reports/* | corpus/* | generators/* | docs/* | fuzz/* | scripts/*)
        check_path "$1" "$2" ;;
    *-*) ;;
    assay_*[!_] | astf_*[!_] | ASSAY_*[!_] | ASTF_*[!_])
        case $2 in
        *[!A-Za-z0-9_]*) ;;
        *) check_name "$1" "$2" ;;
        esac
        ;;
    esac
    case $2 in
    'struct assay_'* | 'struct astf_'* | 'enum assay_'*)
        name=${2#* }
        case $name in
        *[!a-z0-9_]*) ;;
        *) check_name "$1" "$name" ;;
        esac
        ;;
    esac
}

# --- the worked example ---

# What is indented in its description is in its sources, line by line, but for blanks.
squeeze()
{
    sed 's/\\$//; s/[ \t][ \t]*/ /g; s/^ //; s/ $//'
}

find "$tree/validator/tests/example" -type f -exec cat {} + | squeeze | sort -u >"$work/example"
grep -n '^    ' "$tree/docs/adding-a-format.md" | while IFS= read -r found; do
    number=${found%%:*}
    line=$(printf '%s\n' "${found#*:}" | squeeze)
    case $line in
    '$ '*) ;;
    *) grep -qxF -e "$line" "$work/example" ||
        complain "adding-a-format.md:$number: the example has no line: $line" ;;
    esac
done

# --- the documents ---

awk -f "$tree/docs/tests/spans.awk" "$tree"/docs/*.md "$tree"/docs/*/*.md >"$work/spans"
ids=$(grep -noE '\b(INT-)?[A-Z]+(-[A-Z]+)?-[0-9]{2,4}\b' "$tree"/docs/*.md "$tree"/docs/*/*.md /dev/null | tr ' ' _)
set -f
while IFS=$tab read -r place sort text; do
    case $sort in
    command) check_commands "$place" "$text" ;;
    *) check_span "$place" "$text" ;;
    esac
done <"$work/spans"

for found in $ids; do
    id=${found##*:}
    place=${found%:*}
    place=${place##*/}
    case $id in
    INT-ASTF-*) grep -qF -e "id: $id" "$tree/rules/astf/interpretations.yaml" \
        "$tree/rules/astf/built-in-interpretations.yaml" ||
        complain "$place: there is no interpretation $id" ;;
    ASTF-[0-9][0-9][0-9][0-9]) grep -qF -e "$id" "$work/rules" ||
        complain "$place: there is no rule $id" ;;
    ASTF-[A-Z]*-[0-9][0-9][0-9]) grep -qF -e "$id" "$work/clauses" ||
        complain "$place: there is no clause $id" ;;
    esac
done

facts=$(sed -n 's/^ASSAY_FACT(\([A-Za-z0-9_]*\),.*/\1/p' "$tree/reference/model/facts.def")
for fact in $facts; do
    grep -qF -e "| \`$fact\` |" "$tree/docs/facts.md" ||
        complain "facts.md: the fact $fact is missing"
done

sed -n 's/^    X([A-Z_]*, "\([a-z-]*\)", *"\(.*\)").*/| `\1` | \2 |/p' \
    "$tree/reference/model/framing.h" >"$work/framings"
[ -s "$work/framings" ] || complain "framing.h: there are no framings"
while read -r row; do
    grep -qxF -e "$row" "$tree/docs/manifests.md" ||
        complain "manifests.md: the table of framings has no row \"$row\""
done <"$work/framings"

# --- the files of the reference ---

# Each file of a folder is in a table of the folder's own section.
while read -r folder heading; do
    awk -v heading="### $heading" '/^##/ { inside = $0 == heading } inside && /^\|/' \
        "$tree/docs/architecture.md" >"$work/tables"
    find "$tree/reference/$folder" -name tests -prune -o '(' -name '*.c' -o -name '*.def' ')' -print >"$work/sources"
    while read -r file; do
        grep -q "[\`/]${file##*/}\`" "$work/tables" ||
            complain "architecture.md: ${file#"$tree/"} is in no table of \"$heading\""
    done <"$work/sources"
done <<'FOLDERS'
stf STF
ete ETE
etrace E-Trace
coresight CoreSight
snapshot Snapshots
execution Recorded executions
FOLDERS

# --- the indexes at the head of decoder files ---

# A line of one is indented under its comment: a section, what the text calls it, functions and kinds.
for file in $(find "$tree/reference" -name "*.c"); do
    sed -n 's/^ \*     \(K10[0-9.]*  .*\)/\1/p' "$file" | grep -oE '\b[a-z]+(_[a-z]+)+\b' | sort -u |
        while read -r name; do
            grep -rqE "^[a-z].*\b$name\(|^struct $name|\bETE_$name\b" "$(dirname "$file")" ||
                complain "${file#"$tree"/}: the index names $name, which is no function or kind there"
        done
done

# --- the man page ---

page=$tree/docs/man/assay.1
while read -r command; do
    # The section of a command, from its heading to the next one.
    sed -n "/^\.Ss $command\$/,/^\.S[sh] /p" "$page" | sed '1!{/^\.S[sh] /d;}' >"$work/section"
    [ -s "$work/section" ] || complain "assay.1: the command $command is missing"
    while read -r option; do
        grep -qE -e "Fl (o , Fl )?${option#-}( |\$)" "$work/section" ||
            complain "assay.1: the option $option of $command is missing"
    done <"$work/options.$command"
    sed -n 's/^\.It \(Fl o , \)\{0,1\}Fl -\([a-z-]*\).*/--\2/p' "$work/section" >"$work/told"
    while read -r option; do
        check_option "assay.1 (assay $command)" "$option" "$work/options.$command"
    done <"$work/told"
done <"$work/commands"
mkdir "$work/man"
set +f
sh "$tree/docs/man/commands.sh" "$program" "$tree/docs/man" "$work/man" ||
    complain "the man page of a command cannot be made"
if command -v groff >/dev/null; then
    for page in "$page" "$work"/man/*.1; do
        groff -mdoc -Tascii -ww -z "$page" >"$work/groff" 2>&1 || :
        [ ! -s "$work/groff" ] || complain "${page##*/}: $(cat "$work/groff")"
    done
fi

if [ -e "$work/bad" ]; then
    echo "$(wc -l <"$work/bad") names in the documents stand for nothing" >&2
    exit 1
fi
echo "$(wc -l <"$work/spans") pieces of code in the documents were looked at"
