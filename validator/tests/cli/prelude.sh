# What cases can use.

# assay ARGUMENTS: the program.
assay() {
    "$ASSAY" "$@"
}

# python ARGUMENTS: the system's Python, for which Debian's packages of modules are.
python() {
    if [ -x /usr/bin/python3 ]; then
        /usr/bin/python3 "$@"
    else
        python3 "$@"
    fi
}

# vector NAME: the path of this vector, in whatever folder of the corpus it is.
vector() {
    find "$CORPUS" -name "$1.yaml"
}

# make_trace FILE [OPTION...] <VECTOR: a trace of the vector's events.
make_trace() {
    output=$1
    shift
    "$ASSAY" encode - -o "$output" "$@"
}

# header_and LINE...: a vector of a Header, a Context and the lines given.
header_and() {
    printf '%s\n' 'vector: 1' 'format: astf' 'trace:' \
        '  - header: {version_minor: 11, single_el: 1}' '  - context: {el: 0}'
    for line in "$@"; do
        printf '  - %s\n' "$line"
    done
}

# good FILE, bad FILE: a trace that conforms; one that violates one rule, of level must, twice: a
# second and a third Header.
good() {
    header_and 'instr: {pc: 0x1000, iword: 0xd503201f}' | make_trace "$1"
}

bad() {
    header_and 'instr: {pc: 0x1000, iword: 0xd503201f}' \
        'header: {version_minor: 11, single_el: 1}' \
        'header: {version_minor: 11, single_el: 1}' | make_trace "$1"
}

# compressed_header FLAGS FILE: a Header alone, with these flags of format_cfg.
compressed_header() {
    printf '%s\n' 'vector: 1' 'format: astf' 'config: {storage: raw}' 'trace:' \
        "  - header: {version_minor: 11, single_el: 1, $1}" | make_trace "$2"
}

# rule LINE...: a rule file with one rule, to which the lines are added.
rule() {
    printf '%s\n' 'format: astf' 'rules:' '  - id: HOUSE-0001' '    title: The house rule' \
        '    clauses: [ASTF-HDR-002]'
    for line in "$@"; do
        printf '    %s\n' "$line"
    done
}

# house LEVEL FILE: a rule that every instruction violates.
house() {
    rule "level: $1" 'on: instr' 'require: "pc == 0"' 'say: "pc is {pc}"' >"$2"
}

# program FILE: a vector of two NOPs and a branch to itself, with its recorded execution. The branch
# is executed twice.
program() {
    {
        header_and 'instr: {pc: 0x1000, iword: 0xd503201f}' \
            'instr: {pc: 0x1004, iword: 0xd503201f}' \
            'instr: {pc: 0x1008, iword: 0x14000000, is_branch: 1, ea_valid: 1, ea: 0x1008}' \
            'instr: {pc: 0x1008, iword: 0x14000000, is_branch: 1, ea_valid: 1, ea: 0x1008}'
        printf '%s\n' 'execution:' '  - {pc: 0x1000, iword: 0xd503201f}' \
            '  - {pc: 0x1004, iword: 0xd503201f}' '  - {pc: 0x1008, iword: 0x14000000}' \
            '  - {pc: 0x1008, iword: 0x14000000}'
    } >"$1"
}

# fails STATUS COMMAND...: runs it; false unless it exits with the status.
fails() {
    wanted=$1
    shift
    got=0
    "$@" || got=$?
    if [ "$got" != "$wanted" ]; then
        printf 'exit status %s, not %s: %s\n' "$got" "$wanted" "$*" >&2
        return 1
    fi
}

# memory_limit KIB: no more address space than that from here on. Sanitizers need far more.
memory_limit() {
    # shellcheck disable=SC3045 # where there is no such limit the case says so
    [ "$SANITIZED" = 1 ] || ulimit -v "$1"
}

# without_environment REPORT: the JSON report but for what differs from run to run. It stands last.
without_environment() {
    sed '/^  "environment"/,$d' "$1"
}

# matches SCHEMA [lines|each]: whether standard input, or each value in it, is as the schema says.
matches() {
    schema=$1
    shift
    case $schema in
    *.xsd) ;;
    *) schema=$schema.json ;;
    esac
    "$MATCHES_SCHEMA" "$SOURCE/reports/schema/$schema" "$@"
}
