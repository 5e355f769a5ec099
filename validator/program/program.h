/* The program `assay`: what its commands share. */
#ifndef ASSAY_VALIDATOR_PROGRAM_H
#define ASSAY_VALIDATOR_PROGRAM_H

#include "common/error.h"
#include "io/sink.h"
#include "model/model.h"

/* Exit statuses; if several apply, the first one listed here wins. */
enum assay_exit {
    ASSAY_EXIT_INTERNAL = 70,
    ASSAY_EXIT_AGAIN = 75,
    ASSAY_EXIT_USAGE = 2,
    ASSAY_EXIT_UNREADABLE = 3,
    ASSAY_EXIT_VIOLATES = 1,
    ASSAY_EXIT_INCOMPLETE = 4,
    ASSAY_EXIT_CONSISTENT = 5, /* of certify --verify, --table: neither key nor traces verify it */
    ASSAY_EXIT_CONFORMS = 0
};

/* An option of a command. */
struct assay_option {
    char letter;          /* its number in the command's switch; also its short form if `brief` */
    bool brief;           /* there is a short form */
    const char *name;     /* "max-findings" */
    const char *argument; /* "N", or null when it takes none */
    const char *help;
};

struct assay_command {
    const char *name;
    const char *usage;                  /* what follows the name */
    const char *summary;                /* one line */
    const char *const *verbs;           /* words that its first operand can be; or null */
    const char *details;                /* shown by --help after the options; may be null */
    void (*show_more)(void);            /* prints what comes after the details; may be null */
    const struct assay_option *options; /* a null name ends the list */
    int (*run)(int argc, char **argv);  /* argv[0] is the command */
};

extern const struct assay_command assay_command_check;
extern const struct assay_command assay_command_dump;
extern const struct assay_command assay_command_encode;
extern const struct assay_command assay_command_rules;
extern const struct assay_command assay_command_generate;
extern const struct assay_command assay_command_corpus;
extern const struct assay_command assay_command_compare;
extern const struct assay_command assay_command_certify;
extern const struct assay_command assay_command_merge;
extern const struct assay_command assay_command_completion;

/* All of them; null ends the list. */
extern const struct assay_command *const assay_commands[];

/* Goes through a command's options, as getopt_long does: the option's letter, -1 at the end, or 0
 * when there is nothing more to do and *status is the exit status (help was shown, or the command
 * line is wrong, which has been said). *value is the option's argument. After -1 argv[*index] is
 * the first operand; operands and options may be mixed. */
int assay_next_option(const struct assay_command *command, int argc, char **argv, int *index,
                      const char **value, int *status);

/* Writes a message to standard error, all of it at once, so that those of several programs do not
 * mix. In the text between `before` and `after`, which are short, bytes that are not printable
 * ASCII are \xNN: names of files, and texts in them, are untrusted and must not control the
 * terminal. A text that is longer than messages are is cut. */
void assay_say_text(const char *before, const char *text, const char *after);

/* Says on standard error what is wrong; returns ASSAY_EXIT_USAGE. */
int assay_usage_error(const struct assay_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that memory is out; returns ASSAY_EXIT_AGAIN. */
int assay_say_no_memory(void);

/* Says a diag on standard error, "assay: path: ...". */
void assay_say(const struct assay_diag *diag);

/* The exit status for an error. */
int assay_exit_of(enum assay_error error);

/* The same for an error of something that the command line names besides inputs: wrong usage,
 * unless the system or this program is at fault. */
int assay_exit_of_given(enum assay_error error);

/* The more severe of two exit statuses. */
int assay_more_severe_exit(int a, int b);

/* Closes a sink to which a command wrote its output; returns `status`, or another status if writing
 * failed, which is reported except for a closed pipe. */
int assay_finish_output(struct assay_sink *sink, int status);

/* The format with this name; null after having said that there is none. */
const struct assay_format *assay_named_format(const struct assay_command *command,
                                              const char *name);

/* The profile with this name, and its format: 0, or the exit status after having said that there is
 * none. *profile is 1 + its number. */
int assay_profile_option(const struct assay_command *command, const char *name,
                         const struct assay_format **format, unsigned *profile);

/* Gives a framing by its name: 0, or an exit status after saying that there is none. */
struct assay_stream_setup;
int assay_framing_option(const struct assay_command *command, const char *name,
                         struct assay_stream_setup *setup);

/* Reads a facts file on top of what is known: 0, or the exit status after having said what is wrong
 * with it. */
struct assay_facts;
int assay_facts_option(const char *path, struct assay_facts *facts);

/* Adds the argument of --image to a set, which is opened for the first one; the second function
 * seals the set, if there is one. 0, or the exit status after reporting the error. */
struct assay_image_set;
int assay_image_set_option(const struct assay_command *command, const char *value,
                           struct assay_image_set **set);
int assay_image_seal_option(struct assay_image_set **set);

/* A number from an option's argument within bounds; false after having said that it is none. */
bool assay_number_option(const struct assay_command *command, const char *option, const char *text,
                         uint64_t least, uint64_t most, uint64_t *value);

#endif
