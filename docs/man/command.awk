# The man page of a command, of what assay.1 says about it:
#
#     awk -v command=check -v purpose="judge traces" -f command.awk assay.1 >assay-check.1

function end_block()
{
    if (block ~ ("^\\.Nm assay\n\\.Cm " command "( |\n)")) {
        synopsis = synopsis block
    }
    block = ""
}

/^\.Nm$/ { $0 = ".Nm assay" }
/^\.Dd / { date = $0 }
/^\.Sh / {
    end_block()
    heading = substr($0, 5)
    of_command = 0
    next
}
/^\.Ss / { of_command = heading == "COMMANDS" && $2 == command; next }
heading == "SYNOPSIS" {
    if ($0 == ".Nm assay") {
        end_block()
    }
    block = block $0 "\n"
}
of_command { description = description $0 "\n" }
heading == "EXIT STATUS" { status = status $0 "\n" }

END {
    if (synopsis == "" || description == "" || purpose == "") {
        print "command.awk: assay.1 has no synopsis or section of " command >"/dev/stderr"
        exit 1
    }
    printf "%s\n.Dt ASSAY-%s 1\n.Os\n.Sh NAME\n.Nm assay-%s\n.Nd %s\n", date, toupper(command), command, purpose
    printf ".Sh SYNOPSIS\n%s.Sh DESCRIPTION\n%s", synopsis, description
    printf ".Sh EXIT STATUS\n%s.Sh SEE ALSO\n.Xr assay 1\n", status
}
