/* Assay in a simulation: what the module assay_judge (assay_judge.sv) imports by DPI-C. A packet is
 * judged before the call that pushes it returns, so that the simulation can stop in the cycle of
 * the first violation.
 *
 * Callbacks come from a thread of the library, but only while a call to it lasts that waits for
 * them (assay_validator_flush, assay_validator_end): what they write needs no lock.
 */
#include <assay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What assay_judge imports; a simulator writes the same to its header of imported functions. */
void *assay_dpi_open(const char *format);
const char *assay_dpi_message(void *handle);
int assay_dpi_set(void *handle, const char *name, const char *value);
int assay_dpi_begin(void *handle, const char *name);
int assay_dpi_push(void *handle, unsigned char byte);
int assay_dpi_flush(void *handle);
int assay_dpi_close(void *handle);

struct judge {
    struct assay_validator *validator;
    int violations; /* of rules of level must */
    char message[1024];
};

static void note_violation(void *context, const struct assay_violation *violation)
{
    struct judge *judge = context;
    if (strcmp(violation->level, "must") == 0 && judge->violations++ == 0) {
        snprintf(judge->message, sizeof judge->message, "%s (%s) at byte %llu, %s %llu: %s",
                 violation->rule, violation->clause_count > 0 ? violation->clauses[0] : "",
                 (unsigned long long)violation->offset, violation->kind,
                 (unsigned long long)violation->index, violation->message);
    }
}

/* A judge of a stream of a format; null when memory is out. */
void *assay_dpi_open(const char *format)
{
    struct judge *judge = calloc(1, sizeof *judge);
    if (judge == NULL || (judge->validator = assay_validator_new()) == NULL) {
        free(judge);
        return NULL;
    }
    assay_validator_on_violation(judge->validator, note_violation, judge);
    if (assay_validator_set(judge->validator, "format", format) != ASSAY_STATUS_OK) {
        assay_validator_free(judge->validator);
        free(judge);
        return NULL;
    }
    return judge;
}

/* What is wrong: the first violation, or why a call failed. */
const char *assay_dpi_message(void *handle)
{
    struct judge *judge = handle;
    const char *error = assay_validator_message(judge->validator);
    return judge->violations > 0 ? judge->message : error;
}

/* Sets an option (assay_validator_set); 0, or an error. */
int assay_dpi_set(void *handle, const char *name, const char *value)
{
    return (int)assay_validator_set(((struct judge *)handle)->validator, name, value);
}

/* Begins the stream; 0, or an error. */
int assay_dpi_begin(void *handle, const char *name)
{
    return (int)assay_validator_begin(((struct judge *)handle)->validator, name);
}

/* Adds a byte to the stream; 0, or an error. */
int assay_dpi_push(void *handle, unsigned char byte)
{
    return (int)assay_validator_push(((struct judge *)handle)->validator, &byte, 1);
}

/* Has what was pushed judged; the number of violations so far, or -1 for an error. */
int assay_dpi_flush(void *handle)
{
    struct judge *judge = handle;
    return assay_validator_flush(judge->validator) == ASSAY_STATUS_OK ? judge->violations : -1;
}

/* Ends the stream and frees the judge after printing the report; the verdict (enum assay_outcome),
 * or -1 for an error. */
int assay_dpi_close(void *handle)
{
    struct judge *judge = handle;
    int outcome = -1;
    if (assay_validator_end(judge->validator) == ASSAY_STATUS_OK &&
        assay_validator_report(judge->validator, "text", "-") == ASSAY_STATUS_OK) {
        outcome = (int)assay_validator_outcome(judge->validator);
    }
    assay_validator_free(judge->validator);
    free(judge);
    return outcome;
}
