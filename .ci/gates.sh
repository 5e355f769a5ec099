# The gates of .ci/run that are no tests of ctest. Each prints what is wrong and, last, a figure.
# shellcheck shell=bash
assay=build/release/validator/assay

# tree_files FIND-EXPRESSION...: files of the tree, without what is built.
tree_files() {
    find . \( -path ./build -o -path ./out -o -path ./.git \) -prune -o -type f "$@" -print
}

gate_format() {
    local files bad
    mapfile -t files < <(tree_files -name '*.[ch]')
    bad=$(clang-format --dry-run "${files[@]}" 2>&1 | sed 's/:.*should be.*//; t; d' | sort -u)
    [ -z "$bad" ] || { printf '%s\n' "not formatted:" "$bad" | tr '\n' ' ' && echo && return 1; }
    clang-format --dry-run --Werror "${files[@]}"
    echo "${#files[@]} files"
}

# output_of_test NAME: what a test of the release build printed, which ran before; it must have passed.
output_of_test() {
    grep -q "<testcase name=\"$1\" .*status=\"run\"" build/release/tests.xml ||
        { echo "the test $1 of the release build has not passed" >&2 && return 1; }
    sed -n "/<testcase name=\"$1\" /,/<\/testcase>/p" build/release/tests.xml
}

gate_vectors() {
    local output
    output=$(output_of_test vectors)
    echo "$(find corpus -name '*.yaml' -not -path '*/_*' | wc -l) vectors," \
        "$(grep -c '^\[       OK \]' <<<"$output") statements about them"
}

gate_mutants() {
    output_of_test mutants | grep ' mutants, '
}

# A sample of the mutants of C functions that judge: another one with each commit.
gate_mutate-c() {
    scripts/mutate-c --sample 300 --seed "$(git rev-list --count HEAD 2>/dev/null || echo 1)"
}

# Every clause has a disposition, supported by a rule or a reason.
gate_coverage() {
    "$assay" rules coverage | sed -n '/clauses by area/,/^  total/p'
    "$assay" rules coverage | awk '
        $3 ~ /^(rule|decoder|permission|not-visible)$/ && NF > 3 && $1 ~ /^[A-Z].*-[0-9]+$/ { good++; next }
        /clauses by / || /^  / || /^$/ { next }
        { bad++; print "not disposed of: " $0 }
        END { print good + 0 " clauses disposed of"; exit bad > 0 || good == 0 }'
}

# The fuzz targets build, and none fails or takes long on a seed or on what was found before.
gate_fuzz() {
    scripts/fuzz
}

# An installed tree serves a program that knows nothing but pkg-config.
gate_install() {
    local libdir cflags shared static headers header
    prefix=$(mktemp -d)
    trap 'rm -rf "$prefix"' EXIT # of the gate's own shell
    cmake --install build/release --prefix "$prefix" >/dev/null
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name assay.pc)")
    export PKG_CONFIG_PATH
    libdir=$(pkg-config --variable=libdir assay)
    read -ra cflags < <(pkg-config --cflags assay)
    read -ra shared < <(pkg-config --libs assay)
    read -ra static < <(pkg-config --static --libs assay | sed 's/-lassay/-l:libassay.a/')

    mapfile -t headers < <(cd "$prefix/include/assay" && find . -name '*.h')
    for header in "${headers[@]}"; do
        gcc -std=c11 -Wall -Wextra -Werror "${cflags[@]}" -fsyntax-only -x c - \
            <<<"#include \"${header#./}\"" || { echo "$header does not stand alone" && return 1; }
    done

    gcc -std=c11 -Wall -Werror "${cflags[@]}" .ci/judge.c -o "$prefix/shared" "${shared[@]}"
    gcc -std=c11 -Wall -Werror "${cflags[@]}" .ci/judge.c -o "$prefix/static" "${static[@]}"
    readelf -d "$prefix/shared" | grep -q 'NEEDED.*libassay\.so\.0'
    ! readelf -d "$prefix/static" "$prefix/bin/assay" | grep libassay || return 1
    "$prefix/bin/assay" encode .ci/judge.yaml -o "$prefix/trace"
    "$prefix/bin/assay" check "$prefix/trace" >/dev/null
    "$prefix/static" "$prefix/trace"
    LD_LIBRARY_PATH=$libdir "$prefix/shared" "$prefix/trace"
    [ -f "$libdir/assay/libassay-recorder.so" ]
    echo "${#headers[@]} headers, shared and static library, program, recorder"
}

# The Debian package holds what it should, names the libraries that it needs, and works where it is
# unpacked.
gate_package() {
    local deb file missing=0 contents
    cmake --build build/release --target package >/dev/null
    deb=$(find build/release -maxdepth 1 -name 'assay_*.deb' | sort -V | tail -n 1)
    contents=$(dpkg-deb -c "$deb" | awk '{ print $6 }')
    for file in bin/assay lib/libassay.so.0 lib/libassay.a lib/assay/libassay-recorder.so \
        lib/assay/demo/demo lib/assay/demo/sorts-aarch64 lib/pkgconfig/assay.pc \
        include/assay/common/model.h share/man/man1/assay.1 share/doc/assay/guide.md \
        share/doc/assay/copyright share/assay/schema/assay-report-2.json \
        share/assay/corpus.tar.xz share/bash-completion/completions/assay \
        share/zsh/vendor-completions/_assay share/fish/vendor_completions.d/assay.fish; do
        grep -qxF "./usr/$file" <<<"$contents" || { echo "$deb: no $file" && missing=1; }
    done
    for file in libc6 libyaml-0-2 liblzma5 zlib1g libzstd1 libjansson4 libelf1; do
        dpkg-deb -f "$deb" Depends | grep -qE "(^|, )$file( |,|$)" ||
            { echo "$deb: does not depend on $file" && missing=1; }
    done
    [ $missing -eq 0 ]
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT # of the gate's own shell
    dpkg-deb -x "$deb" "$root"
    tar -xf "$root/usr/share/assay/corpus.tar.xz" -C "$root"
    "$root/usr/bin/assay" encode "$root/corpus/astf/context/ASTF-0031.pass.ids.yaml" -o "$root/trace"
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

gate_sizes() {
    local big long
    big=$(tree_files -size +1024k)
    long=$(tree_files \( -name '*.[chS]' -o -name '*.def' -o -path './scripts/*' -o -path './.ci/*' \) |
        xargs wc -l | awk '$1 > 600 && $2 != "total" { print $2 ": " $1 " lines" }')
    printf '%s\n' "$big" "$long" | sed '/^$/d'
    [ -z "$big$long" ]
    echo "no file over 1 MB, no source over 600 lines"
}

# What README tells people to type exists, and so do the files that the documents point to. (The
# commands in docs/ are looked at by the test docs.)
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
    for page in README.md docs/*.md; do
        while read -r target; do
            seen=$((seen + 1))
            [ -e "$(dirname "$page")/$target" ] || { echo "$page: there is no $target" && bad=1; }
        done < <(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^https\?:' || true)
    done
    echo "$seen commands, options and links"
    [ "$bad" -eq 0 ]
}
