/* Options that several commands have, in the same words: rows of their tables. */
#ifndef ASSAY_VALIDATOR_PROGRAM_SHARED_OPTIONS_H
#define ASSAY_VALIDATOR_PROGRAM_SHARED_OPTIONS_H

#define ASSAY_OPTION_ALLOW_OUTSIDE                                                                 \
    {                                                                                              \
        'A', false, "allow-outside", NULL,                                                         \
            "a manifest or snapshot may name files outside of its folder"                          \
    }

#define ASSAY_OPTION_CONFIG                                                                        \
    {                                                                                              \
        'c', false, "config", "FILE",                                                              \
            "parameters of the encoder or trace unit (YAML, or lines NAME=VALUE)"                  \
    }

#define ASSAY_OPTION_FRAMING                                                                       \
    {                                                                                              \
        'G', false, "framing", "NAME",                                                             \
            "how packets, or streams, are put into the bytes, as in a manifest;\n"                 \
            "default: what that says, else raw"                                                    \
    }

#define ASSAY_OPTION_QUIET                                                                         \
    {                                                                                              \
        'q', true, "quiet", NULL, "nothing on standard output: only errors, and the exit status"   \
    }

#define ASSAY_OPTION_REPORT                                                                        \
    {                                                                                              \
        'r', false, "report", "KIND[=PATH]",                                                       \
            "text, json, jsonl, summary, junit, sarif, sarif-all or html, to PATH\n"               \
            "or standard output; repeatable; default: text"                                        \
    }

#define ASSAY_OPTION_SUMMARY                                                                       \
    {                                                                                              \
        's', false, "summary", NULL, "--report summary: a line for each input, and the total"      \
    }

#define ASSAY_OPTION_VECTORS_OF                                                                    \
    {                                                                                              \
        'f', false, "format", "F", "only the vectors of this format"                               \
    }

#define ASSAY_OPTION_VERDICT_EXIT                                                                  \
    {                                                                                              \
        'v', false, "verdict-exit", "0|1", "0: exit with 0 whatever the verdict (default 1)"       \
    }

#endif
