/* assay completion: what shells complete command lines from, by the tables of options. */
#include <stdio.h>
#include <string.h>

#include "model/framing.h"
#include "reports/report.h"
#include "validator/engine/catalogue.h"
#include "validator/program/program.h"

static const struct assay_option options[] = {{0}};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

/* --- what an option takes --- */

typedef void word_writer(struct assay_sink *sink);

static void put_formats(struct assay_sink *sink)
{
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        assay_sink_printf(sink, "%s%s", i > 0 ? " " : "", assay_formats[i]->name);
    }
}

static void put_profiles(struct assay_sink *sink)
{
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        for (size_t p = 0; p < assay_formats[i]->profile_count; p++) {
            assay_sink_printf(sink, "%s%s", i + p > 0 ? " " : "",
                              assay_formats[i]->profiles[p].name);
        }
    }
}

static void put_framings(struct assay_sink *sink)
{
    for (unsigned i = 0; i < ASSAY_FRAMING_COUNT; i++) {
        assay_sink_printf(sink, "%s%s", i > 0 ? " " : "",
                          assay_framing_name((enum assay_framing)i));
    }
}

static void put_levels(struct assay_sink *sink)
{
    for (unsigned i = ASSAY_LEVEL_COUNT; i-- > 0;) {
        assay_sink_printf(sink, "%s ", assay_level_name((enum assay_level)i));
    }
    assay_sink_text(sink, "never");
}

static void put_reports(struct assay_sink *sink)
{
    for (size_t i = 0; assay_report_writers[i].name != NULL; i++) {
        assay_sink_printf(sink, "%s%s %s=", i > 0 ? " " : "", assay_report_writers[i].name,
                          assay_report_writers[i].name);
    }
}

/* The words that an option takes; null when it takes names of files, or what cannot be listed. */
static word_writer *words_of(const struct assay_option *option)
{
    static const struct {
        const char *name;
        word_writer *put;
    } known[] = {
        {"format", put_formats}, {"profile", put_profiles}, {"framing", put_framings},
        {"fail-on", put_levels}, {"report", put_reports},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, option->name) == 0) {
            return known[i].put;
        }
    }
    return NULL;
}

static void put_words(const char *const *words, struct assay_sink *sink)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        assay_sink_printf(sink, "%s%s", i > 0 ? " " : "", words[i]);
    }
}

/* The first line of a text, between single quotes of a shell; characters of `special` after a
 * backslash. */
static void put_quoted(const char *text, const char *special, struct assay_sink *sink)
{
    for (const char *c = text; *c != '\0' && *c != '\n'; c++) {
        const char one[] = {*c, '\0'};
        if (*c == '\'') {
            assay_sink_text(sink, "'\\''");
        } else {
            assay_sink_text(sink, strchr(special, *c) != NULL ? "\\" : "");
            assay_sink_text(sink, one);
        }
    }
}

/* --- bash --- */

static void bash_options(const struct assay_command *command, struct assay_sink *sink)
{
    for (const struct assay_option *o = command->options; o->name != NULL; o++) {
        if (o->brief) {
            assay_sink_printf(sink, "-%c ", o->letter);
        }
        assay_sink_printf(sink, "--%s ", o->name);
    }
    assay_sink_text(sink, "--help");
}

/* What follows an option: its words, or names of files. */
static void bash_values(const struct assay_command *command, struct assay_sink *sink)
{
    for (const struct assay_option *o = command->options; o->name != NULL; o++) {
        word_writer *words = words_of(o);
        if (o->argument == NULL) {
            continue;
        }
        assay_sink_text(sink, "    ");
        if (o->brief) {
            assay_sink_printf(sink, "'%s -%c' | ", command->name, o->letter);
        }
        assay_sink_printf(sink, "'%s --%s')", command->name, o->name);
        if (words != NULL) {
            assay_sink_text(sink, " words='");
            words(sink);
            assay_sink_text(sink, "'");
        }
        assay_sink_text(sink, " ;;\n");
    }
}

static const char bash_begin[] = "# bash completion of assay; made by assay completion bash\n"
                                 "_assay()\n{\n"
                                 "    local current=${COMP_WORDS[COMP_CWORD]} words='' word\n"
                                 "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                                 "    # Of --option=value the shell makes three words.\n"
                                 "    if [ \"$current\" = = ]; then\n"
                                 "        current=\n"
                                 "    elif [ \"$previous\" = = ]; then\n"
                                 "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                 "    fi\n"
                                 "    COMPREPLY=()\n"
                                 "    [ \"$COMP_CWORD\" -gt 1 ] || previous=\n"
                                 "    case \"${COMP_WORDS[1]} $previous\" in\n";

static const char bash_end[] =
    "        esac\n"
    "        # A command has one verb.\n"
    "        if [[ $COMP_CWORD -gt 1 && $current != -* ]]; then\n"
    "            for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
    "                [[ \" $words \" != *\" $word \"* ]] || words=\n"
    "            done\n"
    "        fi\n"
    "        ;;\n"
    "    esac\n"
    "    if [ -n \"$words\" ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
    "    fi\n"
    "}\n"
    "# Where there are no words there are files.\n"
    "complete -o default -F _assay assay\n";

static void write_bash(struct assay_sink *sink)
{
    assay_sink_text(sink, bash_begin);
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        bash_values(assay_commands[i], sink);
    }
    assay_sink_text(sink, "    *)\n        case $COMP_CWORD:${COMP_WORDS[1]} in\n"
                          "        1:*)\n            words='");
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        assay_sink_printf(sink, "%s ", assay_commands[i]->name);
    }
    assay_sink_text(sink, "--help --version' ;;\n");
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        assay_sink_printf(sink, "        *:%s)\n            words='", assay_commands[i]->name);
        put_words(assay_commands[i]->verbs, sink);
        assay_sink_text(sink, "'\n            [[ $current != -* ]] || words='");
        bash_options(assay_commands[i], sink);
        assay_sink_text(sink, "' ;;\n");
    }
    assay_sink_text(sink, bash_end);
}

/* --- zsh --- */

static void zsh_option(const struct assay_option *option, bool brief, struct assay_sink *sink)
{
    word_writer *words = words_of(option);
    if (brief) {
        assay_sink_printf(sink, "            '*-%c%s[", option->letter,
                          option->argument != NULL ? "+" : "");
    } else {
        assay_sink_printf(sink, "            '*--%s%s[", option->name,
                          option->argument != NULL ? "=" : "");
    }
    put_quoted(option->help, "[]:", sink);
    assay_sink_text(sink, "]");
    if (option->argument != NULL) {
        assay_sink_text(sink, ":");
        put_quoted(option->argument, "[]:", sink);
        assay_sink_text(sink, words != NULL ? ":(" : ":_files");
    }
    if (option->argument != NULL && words != NULL) {
        words(sink);
        assay_sink_text(sink, ")");
    }
    assay_sink_text(sink, "' \\\n");
}

static void write_zsh(struct assay_sink *sink)
{
    assay_sink_text(sink, "#compdef assay\n# made by assay completion zsh\n_assay()\n{\n"
                          "    local -a commands\n    commands=(\n");
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        assay_sink_printf(sink, "        '%s:", assay_commands[i]->name);
        put_quoted(assay_commands[i]->summary, ":", sink);
        assay_sink_text(sink, "'\n");
    }
    assay_sink_text(sink, "    )\n    if (( CURRENT == 2 )); then\n"
                          "        _describe command commands\n        return\n    fi\n"
                          "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n");
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        const struct assay_command *command = assay_commands[i];
        assay_sink_printf(sink, "    %s)\n        _arguments \\\n", command->name);
        for (const struct assay_option *o = command->options; o->name != NULL; o++) {
            zsh_option(o, false, sink);
            if (o->brief) {
                zsh_option(o, true, sink);
            }
        }
        if (command->verbs != NULL) {
            assay_sink_text(sink, "            '1:verb:(");
            put_words(command->verbs, sink);
            assay_sink_text(sink, ")' \\\n");
        }
        assay_sink_text(sink, "            '--help[show this]' '*:file:_files' ;;\n");
    }
    assay_sink_text(sink, "    esac\n}\n_assay \"$@\"\n");
}

/* --- fish --- */

static void fish_option(const struct assay_command *command, const struct assay_option *option,
                        struct assay_sink *sink)
{
    word_writer *words = words_of(option);
    assay_sink_printf(sink, "complete -c assay -n '__fish_seen_subcommand_from %s' -l %s",
                      command->name, option->name);
    if (option->brief) {
        assay_sink_printf(sink, " -s %c", option->letter);
    }
    if (option->argument != NULL && words != NULL) {
        assay_sink_text(sink, " -x -a '");
        words(sink);
        assay_sink_text(sink, "'");
    } else if (option->argument != NULL) {
        assay_sink_text(sink, " -r -F");
    }
    assay_sink_text(sink, " -d '");
    put_quoted(option->help, "\\", sink);
    assay_sink_text(sink, "'\n");
}

static void write_fish(struct assay_sink *sink)
{
    assay_sink_text(sink, "# fish completion of assay; made by assay completion fish\n");
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        const struct assay_command *command = assay_commands[i];
        assay_sink_printf(sink, "complete -c assay -n __fish_use_subcommand -f -a %s -d '",
                          command->name);
        put_quoted(command->summary, "\\", sink);
        assay_sink_text(sink, "'\n");
        for (const struct assay_option *o = command->options; o->name != NULL; o++) {
            fish_option(command, o, sink);
        }
        if (command->verbs != NULL) {
            assay_sink_printf(sink, "complete -c assay -n '__fish_seen_subcommand_from %s' -a '",
                              command->name);
            put_words(command->verbs, sink);
            assay_sink_text(sink, "'\n");
        }
    }
}

/* --- the command --- */

static int run(int argc, char **argv)
{
    static void (*const writers[])(struct assay_sink *) = {write_bash, write_zsh, write_fish};
    const struct assay_command *self = &assay_command_completion;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    const char *value = NULL;
    int index = 1;
    int status = 0;
    if (assay_next_option(self, argc, argv, &index, &value, &status) >= 0) {
        return status;
    }
    for (size_t i = 0; argc - index == 1 && shells[i] != NULL; i++) {
        if (strcmp(shells[i], argv[index]) == 0) {
            assay_sink_open(&sink, "-", &diag);
            writers[i](&sink);
            return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
        }
    }
    return assay_usage_error(self, "the name of a shell is wanted: bash, zsh or fish");
}

const struct assay_command assay_command_completion = {
    .name = "completion",
    .usage = "bash | zsh | fish",
    .summary = "what a shell completes command lines from",
    .verbs = shells,
    .details = "An installed assay brings it along. Without: eval \"$(assay completion bash)\"\n",
    .options = options,
    .run = run,
};
