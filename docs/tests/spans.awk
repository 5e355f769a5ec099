# Takes from Markdown what stands as code: a line "place<TAB>sort<TAB>text" for each span in
# backquotes (sort: span) and each command in a code block (sort: command).

function say(sort, text, line)
{
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    if (text != "") {
        printf "%s:%d\t%s\t%s\n", name, line, sort, text
    }
}

# A span may begin on one line and end on the next, so paragraphs are taken as a whole.
function end_paragraph(    text, at, rest)
{
    text = paragraph
    paragraph = ""
    gsub(/``[^`]*`[^`]*``|``[^`]*``/, " ", text)
    while ((at = index(text, "`")) > 0) {
        rest = substr(text, at + 1)
        at = index(rest, "`")
        if (at == 0) {
            return
        }
        say("span", substr(rest, 1, at - 1), begun)
        text = substr(rest, at + 1)
    }
}

# Of a block of code only commands are looked at; a line that ends with \ goes on.
function code(line)
{
    sub(/^[ \t]+/, "", line)
    if (command == "") {
        if (line !~ /^(\$ |assay )/) {
            return
        }
        sub(/^\$ /, "", line)
        command_line = FNR
    }
    command = command " " line
    if (command ~ /\\$/) {
        sub(/\\$/, "", command)
        return
    }
    say("command", command, command_line)
    command = ""
}

FNR == 1 {
    end_paragraph()
    fenced = 0
    command = ""
    name = FILENAME
    sub(/.*\//, "", name)
}
/^ *```/ { end_paragraph(); fenced = !fenced; next }
fenced || /^(    |\t)/ { if (!fenced) end_paragraph(); code($0); next }
/^[ \t]*$/ { end_paragraph(); next }
/^[|#]/ { end_paragraph() }
{
    if (paragraph == "") {
        begun = FNR
    }
    paragraph = paragraph " " $0
}
/^[|#]/ { end_paragraph() }
END { end_paragraph() }
