# The gates of .ci/run that are no tests of ctest. Each prints what is wrong and, last, a figure.
# shellcheck shell=bash
assay=build/release/validator/assay

# tree_files FIND-EXPRESSION...: files of the tree, without what is built.
tree_files() {
    find . \( -path ./build -o -path ./out -o -path ./.git -o -path ./.cache \) -prune -o -type f "$@" -print
}

gate_format() {
    local files bad
    command -v clang-format || { echo "there is no clang-format: scripts/setup" && return 1; }
    mapfile -t files < <(tree_files -name '*.[ch]')
    bad=$(clang-format --dry-run "${files[@]}" 2>&1 | sed 's/:.*should be.*//; t; d' | sort -u)
    [ -z "$bad" ] || { printf '%s\n' "not formatted:" "$bad" | tr '\n' ' ' && echo && return 1; }
    clang-format --dry-run --Werror "${files[@]}"
    echo "${#files[@]} files"
}

# output_of_tests PATTERN: what the tests of the release build printed whose names match, which ran
# before; all of them must have passed.
output_of_tests() {
    local names name
    mapfile -t names < <(grep -oE "<testcase name=\"$1\"" build/release/tests.xml | cut -d '"' -f 2)
    [ ${#names[@]} -gt 0 ] || { echo "the release build has no test $1" >&2 && return 1; }
    for name in "${names[@]}"; do
        grep -q "<testcase name=\"$name\" .*status=\"run\"" build/release/tests.xml ||
            { echo "the test $name of the release build has not passed" >&2 && return 1; }
        sed -n "/<testcase name=\"$name\" /,/<\/testcase>/p" build/release/tests.xml
    done
}

gate_vectors() {
    local output rules format
    for rules in rules/*/clauses.yaml; do
        format=$(basename "$(dirname "$rules")")
        output_of_tests "vectors-$format" | grep '^\[       OK \]' >/dev/null ||
            { echo "the test vectors-$format says nothing" && return 1; }
    done
    output=$(output_of_tests 'vectors-[a-z]+')
    echo "$(find corpus -name '*.yaml' -not -path '*/_*' | wc -l) vectors," \
        "$(grep -c '^\[       OK \]' <<<"$output") statements about them"
}

# The figures of each format, whose mutants are in several tests.
gate_mutants() {
    local rules format output total=0
    for rules in rules/*/clauses.yaml; do
        format=$(basename "$(dirname "$rules")")
        output=$(output_of_tests "mutants-$format(-[0-9of]+)?")
        grep ' mutants, ' <<<"$output" || { echo "the tests mutants-$format print no count" && return 1; }
        total=$((total + $(sed -n 's/.* \([0-9]*\) mutants, .*killed.*/+ \1/p' <<<"$output" | tr -d '\n')))
    done
    echo "$total mutants of rules, none alive that is not listed as equivalent"
}

# A sample of the mutants of C functions that judge: another one with each commit. Where a test should be
# better, but nothing of it changed since the tree that landed, it is said, and does not fail.
gate_mutate-c() {
    local landed
    landed=$(scripts/select-tests landed release)
    scripts/mutate-c --sample 40 --seed "$(turn_of_commit)" ${landed:+--since "$landed"}
}

# What runs on several threads, by the thread sanitizer, which wants addresses that are not random.
gate_threads() {
    local fixed=() tests=(ahead filter filter-faults history library library-flush source source-push witness)
    local cases=(decoded-ahead same-report-at-any-number-of-jobs interrupted interrupted-archive
        interrupted-new-folder compare-interrupted bad-pipes) name
    for name in "${cases[@]}"; do
        [ -f "validator/tests/cli/$name.test" ] || { echo "there is no case $name" && return 1; }
    done
    ! setarch -R true 2>/dev/null || fixed=(setarch -R)
    cmake --preset threads >/dev/null
    cmake --build --preset threads --target assay "${tests[@]/#/test-}" | tail -n 1
    "${fixed[@]}" ctest --preset threads -j "$(nproc)" -R "^($(printf '%s|' "${tests[@]}" "${cases[@]/#/cli-}")-)\$" |
        tee "$logs/threads-tests.log"
    sed -n 's/^.* 0 tests failed out of \([0-9]*\)$/\1 tests/p' "$logs/threads-tests.log"
}

# Every clause has a disposition, supported by a rule or a reason.
gate_coverage() {
    "$assay" rules coverage | sed -n '/clauses by area/,/^  total/p'
    "$assay" rules coverage | awk '
        $3 ~ /^(rule|decoder|permission|input|not-visible)$/ && NF > 3 && $1 ~ /^[A-Z].*-[0-9]+$/ { good++; next }
        /clauses by / || /^  / || /^$/ { next }
        { bad++; print "not disposed of: " $0 }
        END { print good + 0 " clauses disposed of"; exit bad > 0 || good == 0 }'
}

# The fuzz targets build, and none fails or takes long on a seed or on what was found before.
gate_fuzz() {
    ASSAY_TURN=$(turn_of_commit) scripts/fuzz
}

# An installed tree ($prefix) serves programs that know nothing but pkg-config, or CMake. The only header
# stands alone.
install_header() {
    local header=$prefix/include/assay.h cflags=("$@")
    [ "$(cd "$prefix/include" && find . -type f)" = ./assay.h ] ||
        { echo "more than assay.h is installed in include/" && return 1; }
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" -fsyntax-only -x c "$header" &&
        g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" -fsyntax-only -x c++ "$header"
}

# Both libraries show what the header declares, and nothing else; the shared one also its version.
install_symbols() {
    local library names
    for library in -D\ "$1/libassay.so" "$1/libassay.a"; do
        # shellcheck disable=SC2086 # an option and a file
        names=$(nm -g --defined-only $library | sed 's/@.*//' | awk 'NF == 3 && $2 != "A" { print $3 }')
        diff <(sort <<<"$names") \
            <(grep -oE '\bassay_[a-z_]+\(' "$prefix/include/assay.h" | tr -d '(' | sort -u) ||
            { echo "$library shows (<) what is not what assay.h declares (>)" && return 1; }
    done
}

# A project that knows CMake's package alone.
install_cmake() {
    mkdir "$prefix/project"
    cp docs/examples/judge.c "$prefix/project/"
    cat >"$prefix/project/CMakeLists.txt" <<'EOT'
cmake_minimum_required(VERSION 3.25)
project(judge LANGUAGES C)
find_package(assay 0.1 REQUIRED COMPONENTS shared static)
add_executable(cmake-shared judge.c)
target_link_libraries(cmake-shared PRIVATE assay::shared)
add_executable(cmake-static judge.c)
target_link_libraries(cmake-static PRIVATE assay::static)
EOT
    cmake -S "$prefix/project" -B "$prefix/project/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null &&
        cmake --build "$prefix/project/build" >/dev/null &&
        mv "$prefix"/project/build/cmake-* "$prefix/"
}

# Programs in C and C++ judge a trace of each format.
# A command finds no violation in the traces. Those of packets lack their program, so that they are
# incomplete (4).
install_judges() {
    local status=0
    "$@" "$prefix"/traces/*.assay.yaml >"$prefix/report" || status=$?
    [ $status -eq 0 ] || [ $status -eq 4 ] || { cat "$prefix/report" && return 1; }
}

gate_install() {
    local libdir cflags shared static format vector judge
    prefix=$(mktemp -d)
    trap 'rm -rf "$prefix"' EXIT # of the gate's own shell
    cmake --install build/release --prefix "$prefix" >/dev/null
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name assay.pc)")
    export PKG_CONFIG_PATH
    libdir=$(pkg-config --variable=libdir assay)
    read -ra cflags < <(pkg-config --cflags assay)
    read -ra shared < <(pkg-config --libs assay)
    read -ra static < <(pkg-config --static --libs assay | sed 's/-lassay/-l:libassay.a/')
    install_header "${cflags[@]}" || return 1
    install_symbols "$libdir" || return 1
    [ -f "$prefix/share/man/man3/assay.3" ] && [ -f "$libdir/assay/libassay-recorder.so" ] || return 1

    gcc -std=c11 -Wall -Werror "${cflags[@]}" docs/examples/judge.c -o "$prefix/shared" "${shared[@]}"
    gcc -std=c11 -Wall -Werror "${cflags[@]}" docs/examples/judge.c -o "$prefix/static" "${static[@]}"
    g++ -std=c++17 -Wall -Werror "${cflags[@]}" -x c++ docs/examples/judge.c -x none \
        -o "$prefix/c++" "${shared[@]}"
    install_cmake || return 1
    readelf -d "$prefix/shared" | grep -q 'NEEDED.*libassay\.so\.0'
    ! readelf -d "$prefix/static" "$prefix/cmake-static" "$prefix/bin/assay" | grep libassay || return 1

    mkdir "$prefix/traces" # a manifest has the parameters that a format needs
    for format in corpus/*/; do
        vector=$(find "$format" -name '*-0001.pass.*.yaml' | sort | head -n 1)
        "$prefix/bin/assay" encode "$vector" -o "$prefix/traces/$(basename "$format")" \
            --manifest-output "$prefix/traces/$(basename "$format").assay.yaml"
    done
    install_judges "$prefix/bin/assay" check || return 1
    for judge in shared static c++ cmake-shared cmake-static; do
        LD_LIBRARY_PATH=$libdir install_judges "$prefix/$judge" || return 1
        LD_LIBRARY_PATH=$libdir "$prefix/$judge" - <"$prefix/traces/stf" >/dev/null || return 1
        ! LD_LIBRARY_PATH=$libdir "$prefix/$judge" "$prefix/include/assay.h" >/dev/null || return 1
    done
    echo "header, exported functions, five programs, recorder"
}

# The Debian package holds what it should, names the libraries that it needs, and works where it is
# unpacked.
gate_package() {
    local deb file missing=0 contents
    cmake --build build/release --target package >/dev/null
    deb=$(find build/release -maxdepth 1 -name 'assay_*.deb' | sort -V | tail -n 1)
    contents=$(dpkg-deb -c "$deb" | awk '{ print $6 }')
    for file in bin/assay lib/libassay.so.0 lib/libassay.a lib/assay/libassay-recorder.so \
        lib/assay/demo/demo lib/assay/demo/sorts-aarch64 lib/assay/demo/sorts-riscv64 \
        lib/pkgconfig/assay.pc include/assay.h share/man/man1/assay.1.gz share/man/man1/assay-check.1.gz share/man/man3/assay.3.gz \
        share/doc/assay/guide.md share/doc/assay/guide/ci.md share/doc/assay/formats/ete.md \
        share/doc/assay/examples/dpi/assay_dpi.c share/doc/assay/examples/ci/github.yml \
        share/doc/assay/copyright share/doc/assay/changelog.gz share/assay/schema/assay-report-2.json \
        share/assay/certification/astf.yaml \
        share/assay/corpus.tar.xz share/assay/workloads.tar.xz share/bash-completion/completions/assay \
        share/zsh/vendor-completions/_assay share/fish/vendor_completions.d/assay.fish; do
        grep -qxF "./usr/$file" <<<"$contents" || { echo "$deb: no $file" && missing=1; }
    done
    for file in libc6 libyaml-0-2 liblzma5 zlib1g libzstd1 libjansson4 libelf1 libarchive13 libxml2 libsodium23; do
        dpkg-deb -f "$deb" Depends | grep -qE "(^|, )$file( |,|$)" ||
            { echo "$deb: does not depend on $file" && missing=1; }
    done
    [ $missing -eq 0 ]
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT # of the gate's own shell
    dpkg-deb -x "$deb" "$root"
    tar -xf "$root/usr/share/assay/corpus.tar.xz" -C "$root"
    "$root/usr/bin/assay" encode "$(find "$root/corpus" -name ASTF-0031.pass.ids.yaml)" -o "$root/trace"
    "$root/usr/bin/assay" check "$root/trace" >/dev/null
    "$root/usr/lib/assay/demo/demo" >/dev/null
    echo "$(basename "$deb"): $(wc -l <<<"$contents") files, $(stat -c %s "$deb") bytes; the demo runs"
}

# What makes a defect harder to use is in what was built. Of objects, since the C library's own can lack
# what is then missing in the whole program: landing pads of indirect branches (x86-64, AArch64).
gate_hardening() {
    local file dynamic symbols missing=0 build=build/release note objects
    lacks() { echo "$1 lacks $2" && missing=1; }
    for file in "$assay" "$build"/libassay.so; do
        dynamic=$(readelf -hldW "$file")
        symbols=$(readelf -sW "$file")
        grep -qE '^ *Type: +DYN' <<<"$dynamic" || lacks "$file" "position independence"
        grep -q 'GNU_RELRO' <<<"$dynamic" || lacks "$file" RELRO
        grep -q 'BIND_NOW' <<<"$dynamic" || lacks "$file" BIND_NOW
        grep -qE 'GNU_STACK.* RW +0x' <<<"$dynamic" || lacks "$file" "a stack that is not executable"
        grep -q '__stack_chk_fail' <<<"$symbols" || lacks "$file" "a stack protector"
        grep -qE '__[a-z]+_chk@' <<<"$symbols" || lacks "$file" "fortified functions"
    done
    case $(uname -m) in
    x86_64) note='IBT, SHSTK' ;;
    aarch64) note='BTI' ;;
    *) note='' ;;
    esac
    mapfile -t objects < <(find "$build"/{reference,validator,reports} -name '*.c.o' \
        -path '*/assay*.dir/*')
    for file in "${objects[@]}"; do
        [ -z "$note" ] || readelf -nW "$file" | grep -q "$note" || lacks "$file" "branch protection"
    done
    # No note tells of the stack clash protection: the command line does.
    grep -q '"command": .*-fstack-clash-protection' "$build"/compile_commands.json ||
        lacks "$build" "stack clash protection"
    echo "program, library, ${#objects[@]} objects"
    [ "$missing" -eq 0 ] && [ "${#objects[@]}" -gt 0 ]
}

# Subjects of commits that do not fit into a line, from 2026-11-29 on.
long_subjects() {
    git log --since=2026-11-29 --format='%h %s' 2>/dev/null | awk '
        { size = length($0) - length($1) - 1 }
        size >= 72 { print "warning: the subject of commit " $1 " has " size " characters" }'
}

gate_sizes() {
    local found
    found=$(
        tree_files -size +1024k
        tree_files \( -name '*.[chS]' -o -name '*.def' -o -path './scripts/*' -o -path './.ci/*' \) |
            xargs -d '\n' wc -l |
            awk '$1 > 600 && $2 != "total" {
                lines = $1; sub(/^ *[0-9]+ /, ""); print (lines > 1000 ? "" : "warning: ") $0 ": " lines " lines" }'
        long_subjects || true # there is no history where the tree is an archive
    )
    [ -z "$found" ] || echo "$found"
    echo "no file over 1 MB, no source over 1,000 lines; $(grep -c ^warning <<<"$found" || true) warnings"
    ! grep -v ^warning <<<"$found" | grep -q .
}

# Files of one folder that need each other in a circle are one file cut up. Those of .ci/circles were
# there before the gate; the list gets shorter only.
gate_circles() {
    local now new gone
    now=$(scripts/circles)
    new=$(comm -23 <(grep -v '^ ' <<<"$now" | sort) <(sort .ci/circles))
    gone=$(comm -13 <(grep -v '^ ' <<<"$now" | sort) <(sort .ci/circles))
    if [ -n "$new" ]; then
        echo "Files that need each other in a circle, which .ci/circles does not list so. Make them one file, or cut"
        echo "them so that one needs the other: what both need is a third one, which needs neither."
        awk 'NR == FNR { new[$0]; next } /^[^ ]/ { shown = $0 in new } shown' <(echo "$new") <(echo "$now")
    fi
    [ -z "$gone" ] || printf '%s\n' "No longer circles: take the lines out of .ci/circles" "$gone"
    echo "$(wc -l <.ci/circles) circles are listed, $(grep -c . <<<"$new" || true) are new, $(
        grep -c . <<<"$gone" || true) are gone"
    [ -z "$new$gone" ]
}

# What README tells people to type exists, and so do the files that the documents point to. (The
# commands in docs/ are looked at by the test docs.)
# A link of a page leads to a file and, after #, to one of its headings.
docs_leads() {
    local to=${2%%#*} anchor
    to=$([ -n "$to" ] && echo "$(dirname "$1")/$to" || echo "$1")
    [ -e "$to" ] || return 1
    [[ $2 == *#* ]] || return 0
    anchor=${2#*#}
    sed -n 's/^##* //p' "$to" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9_ \n-' | tr ' ' - |
        grep -qxF -e "$anchor"
}

gate_docs() {
    local page command option target bad=0 seen=0
    while read -r command; do
        seen=$((seen + 1))
        [ -e "$command" ] || { echo "README.md: there is no $command" && bad=1; }
    done < <(grep -oE '(scripts|\.ci)/[a-z-]+(\.[a-z]+)?' README.md | sort -u)
    while read -r command option; do
        seen=$((seen + 1))
        "$assay" "$command" --help | grep -qF -e "$option" ||
            { echo "README.md: assay $command has no $option" && bad=1; }
    done < <(grep -oE '\bassay (check|dump|encode|generate|rules|corpus|completion)[^`]*' README.md |
        awk '{ print $2, "--help"; for (i = 3; i <= NF; i++) if ($i ~ /^--/) print $2, $i }')
    for page in README.md docs/*.md docs/*/*.md; do
        while read -r target; do
            seen=$((seen + 1))
            docs_leads "$page" "$target" || { echo "$page: $target leads nowhere" && bad=1; }
        done < <(grep -oE '\]\([^)]+' "$page" | sed 's/^](//' | grep -v '^https\?:' || true)
    done
    echo "$seen commands, options and links"
    [ "$bad" -eq 0 ]
}
