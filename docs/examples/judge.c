/* Judges traces of any format that the library knows, and prints what is wrong with them:
 *
 *     judge [OPTION=VALUE]... TRACE...
 *
 * The options are those of assay_validator_set; "-" is standard input, whose bytes are pushed as
 * they come. The exit status is that of the first trace that does not conform.
 *
 *     cc judge.c $(pkg-config --cflags --libs assay) -o judge
 */
#include <assay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_violation(void *context, const struct assay_violation *violation)
{
    printf("%s: %s at byte %llu (%s %llu): %s\n", (const char *)context, violation->rule,
           (unsigned long long)violation->offset, violation->kind,
           (unsigned long long)violation->index, violation->message);
}

/* Gives what comes by standard input to the validator. */
static enum assay_status push_all(struct assay_validator *validator)
{
    static char bytes[1 << 16];
    size_t size;
    enum assay_status status = assay_validator_begin(validator, "standard input");
    while (status == ASSAY_STATUS_OK && (size = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        status = assay_validator_push(validator, bytes, size);
    }
    return status == ASSAY_STATUS_OK ? assay_validator_end(validator) : status;
}

/* Judges a trace; its exit status. */
static int judge(struct assay_validator *validator, char *trace)
{
    assay_validator_on_violation(validator, print_violation, trace);
    const enum assay_status status = strcmp(trace, "-") == 0
                                         ? push_all(validator)
                                         : assay_validator_judge_path(validator, trace);
    if (status != ASSAY_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", trace, assay_validator_message(validator));
        return (int)status;
    }
    const enum assay_outcome outcome = assay_validator_outcome(validator);
    struct assay_summary summary;
    summary.size = sizeof summary;
    if (outcome == ASSAY_OUTCOME_UNREADABLE ||
        assay_validator_summary(validator, &summary) != ASSAY_STATUS_OK) {
        printf("%s: unreadable: %s\n", trace, assay_validator_message(validator));
    } else {
        printf("%s: %s (%s, %llu violations)\n", trace, assay_outcome_name(outcome), summary.format,
               (unsigned long long)summary.violations);
    }
    return (int)outcome;
}

/* Sets an option from NAME=VALUE. */
static enum assay_status set(struct assay_validator *validator, char *option)
{
    char *equals = strchr(option, '=');
    *equals = '\0';
    return assay_validator_set(validator, option, equals + 1);
}

int main(int argc, char **argv)
{
    int status = 0;
    struct assay_validator *validator = assay_validator_new();
    if (validator == NULL) {
        return ASSAY_STATUS_AGAIN;
    }
    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], '=') == NULL) {
            const int one = judge(validator, argv[i]);
            status = status != 0 ? status : one;
        } else if (set(validator, argv[i]) != ASSAY_STATUS_OK) {
            fprintf(stderr, "judge: %s\n", assay_validator_message(validator));
            assay_validator_free(validator);
            return ASSAY_STATUS_USAGE;
        }
    }
    assay_validator_free(validator);
    return status;
}
