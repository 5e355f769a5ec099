/* assay certify --table: what certificates say, of many at once. */
#include <string.h>
#include <time.h>

#include "validator/certify/table.h"
#include "validator/program/certify_run.h"

static int say(struct assay_diag *diag, int status)
{
    assay_say(diag);
    return status;
}

static int write_table(const struct assay_certify_given *given,
                       const struct assay_certify_table *table, bool json)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    const int status = table->refused_count > 0 ? ASSAY_EXIT_VIOLATES
                       : given->key == NULL     ? ASSAY_EXIT_CONSISTENT
                                                : ASSAY_EXIT_CONFORMS;
    const enum assay_error error =
        assay_sink_open(&sink, given->output != NULL ? given->output : "-", &diag);
    if (error != ASSAY_OK) {
        return say(&diag, assay_exit_of(error));
    }
    if (!json) {
        assay_certify_table_markdown(table, &sink);
    } else if (assay_certify_table_json(table, &sink) == ASSAY_NO_MEMORY) {
        assay_sink_fail(&sink, ASSAY_NO_MEMORY);
    }
    return assay_finish_output(&sink, status);
}

static int fill(struct assay_certify_table *table, char *const *folders, size_t count)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    for (size_t i = 0; i < count; i++) {
        const enum assay_error error = assay_certify_table_add(table, folders[i], &diag);
        if (error != ASSAY_OK) {
            return say(&diag, error == ASSAY_NO_MEMORY ? ASSAY_EXIT_AGAIN : ASSAY_EXIT_UNREADABLE);
        }
    }
    assay_certify_table_sort(table);
    return 0;
}

int assay_certify_table(const struct assay_certify_given *given, char *const *folders, size_t count,
                        bool json)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_public_key key;
    char today[16];
    struct tm utc;
    const time_t now = time(NULL);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&now, &utc));
    const enum assay_error error =
        given->key != NULL ? assay_public_key_load(given->key, &key, &diag) : ASSAY_OK;
    if (error != ASSAY_OK) {
        return say(&diag, assay_exit_of_given(error));
    }
    const struct assay_certificate_demanded demanded = {
        .modified = given->allow_modified, .key = given->key != NULL ? &key : NULL, .today = today};
    struct assay_certify_table table = {.demanded = &demanded};
    int status = fill(&table, folders, count);
    status = status != 0 ? status : write_table(given, &table, json);
    assay_certify_table_free(&table);
    return status;
}
