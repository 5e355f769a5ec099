#include "validator/program/shard_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/digest.h"
#include "reports/json_load.h"
#include "reports/json_read.h"
#include "validator/program/shard.h"
#include "validator/record/record.h"

/* One report while it is read. */
struct reader {
    struct assay_shard_reports *reports;
    struct assay_json_scan scan;
    struct assay_shard_said said;
    const char *path;
    uint32_t number; /* of the report */
    bool has_records, has_schema;
    char digest[ASSAY_DIGEST_TEXT]; /* of the records that are there */
    struct assay_diag *diag;
};

static enum assay_error refuse(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The report is none that can be merged. */
static enum assay_error refuse(struct reader *r, const char *format, ...)
{
    char what[300];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    assay_fail(r->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET, "%s", what);
    assay_diag_path(r->diag, r->path);
    return ASSAY_UNSUPPORTED;
}

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static void forget(struct assay_shard_said *said)
{
    json_decref(said->version);
    json_decref(said->catalogues);
    json_decref(said->evidence);
    json_decref(said->skipped);
    json_decref(said->list);
    json_decref(said->arguments);
    json_decref(said->schema);
    json_decref(said->digest);
    *said = (struct assay_shard_said){0};
}

/* --- the members of a report --- */

/* The value that comes next, which becomes the caller's. */
static enum assay_error load(struct reader *r, json_t **value)
{
    json_error_t wrong;
    const uint64_t offset = r->scan.offset;
    const enum assay_error error = assay_json_scan_keep(&r->scan);
    if (error != ASSAY_OK) {
        return error;
    }
    const size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES;
    json_t *loaded = NULL;
    const enum assay_error read =
        assay_json_load(r->scan.text, r->scan.size, flags, &loaded, &wrong);
    if (read != ASSAY_OK) {
        if (read == ASSAY_NO_MEMORY) {
            return no_memory(r->diag);
        }
        assay_fail(r->diag, ASSAY_SYNTAX, offset + (uint64_t)wrong.position, "%s", wrong.text);
        assay_diag_path(r->diag, r->path);
        return ASSAY_SYNTAX;
    }
    json_decref(*value);
    *value = loaded;
    return ASSAY_OK;
}

static enum assay_error load_number(struct reader *r, uint64_t most, uint64_t *number)
{
    struct assay_json_reader reader = {0};
    json_t *value = NULL;
    const enum assay_error error = load(r, &value);
    *number = error == ASSAY_OK ? assay_json_number_of(&reader, value, "", most) : 0;
    json_decref(value);
    return error == ASSAY_OK && reader.wrong != NULL ? refuse(r, "a number of its shard is wrong")
                                                     : error;
}

static enum assay_error take_schema(struct reader *r)
{
    json_t *schema = NULL;
    enum assay_error error = load(r, &schema);
    const char *name = json_string_value(schema);
    r->has_schema = error == ASSAY_OK;
    if (error == ASSAY_OK && (name == NULL || strcmp(name, "assay-report/2") != 0)) {
        error =
            refuse(r, "its schema is %.60s, not assay-report/2", name != NULL ? name : "no text");
    }
    json_decref(schema);
    return error;
}

static enum assay_error take_tool(struct reader *r)
{
    json_t *tool = NULL;
    const enum assay_error error = load(r, &tool);
    json_decref(r->said.version);
    json_decref(r->said.catalogues);
    r->said.version = json_incref(json_object_get(tool, "version"));
    r->said.catalogues = json_incref(json_object_get(tool, "catalogues"));
    json_decref(tool);
    return error;
}

/* --- records --- */

static const char prefix[] = "{\"number\":";

/* Notes where a record is, and of which input. Its text is the one that the scan has kept. */
static enum assay_error note_record(struct reader *r, uint64_t offset)
{
    struct assay_shard_reports *all = r->reports;
    const size_t begins = sizeof prefix - 1;
    uint64_t number = 0;
    size_t at = begins;
    bool good = r->scan.size > begins && memcmp(r->scan.text, prefix, begins) == 0;
    for (; good && at < r->scan.size && r->scan.text[at] >= '0' && r->scan.text[at] <= '9'; at++) {
        number = number * 10 + (uint64_t)(r->scan.text[at] - '0');
        good = number <= UINT32_MAX;
    }
    if (!good || at == begins) {
        return refuse(r, "the record at byte %" PRIu64 " does not say of which input it is",
                      offset);
    }
    if (all->place_count == all->place_room) {
        const size_t room = all->place_room > 0 ? 2 * all->place_room : 256;
        struct assay_record_place *places = realloc(all->places, room * sizeof *places);
        if (places == NULL) {
            return no_memory(r->diag);
        }
        all->places = places;
        all->place_room = room;
    }
    all->places[all->place_count++] =
        (struct assay_record_place){.number = number, .offset = offset, .report = r->number};
    return ASSAY_OK;
}

static enum assay_error take_records(struct reader *r)
{
    struct assay_digest digest;
    bool more = false;
    enum assay_error error = assay_json_scan_enter(&r->scan, '[');
    assay_digest_begin(&digest);
    for (;;) {
        error = error != ASSAY_OK ? error : assay_json_scan_item(&r->scan, &more);
        const uint64_t offset = r->scan.offset;
        if (error != ASSAY_OK || !more) {
            break;
        }
        error = assay_json_scan_keep(&r->scan);
        error = error != ASSAY_OK ? error : note_record(r, offset);
        assay_digest_add(&digest, r->scan.text, r->scan.size);
        assay_digest_add(&digest, "\n", 1);
    }
    r->has_records = true;
    const enum assay_error digested = assay_digest_end(&digest, r->digest);
    return error == ASSAY_OK && digested != ASSAY_OK ? no_memory(r->diag) : error;
}

static enum assay_error take_shard_member(struct reader *r, const char *name)
{
    struct assay_shard_said *said = &r->said;
    if (strcmp(name, "records") == 0 && !r->has_records) {
        return take_records(r);
    }
    const struct {
        const char *name;
        uint64_t most;
        uint64_t *number;
    } counts[] = {{"number", ASSAY_MOST_SHARDS, &said->number},
                  {"of", ASSAY_MOST_SHARDS, &said->of},
                  {"inputs", UINT32_MAX, &said->inputs}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (strcmp(name, counts[i].name) == 0) {
            return load_number(r, counts[i].most, counts[i].number);
        }
    }
    const struct {
        const char *name;
        json_t **value;
    } values[] = {{"list", &said->list},
                  {"arguments", &said->arguments},
                  {"schema", &said->schema},
                  {"digest", &said->digest}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(name, values[i].name) == 0) {
            return load(r, values[i].value);
        }
    }
    return assay_json_scan_skip(&r->scan);
}

enum { NAME = 64 };

static enum assay_error take_shard(struct reader *r)
{
    char name[NAME];
    bool more = false;
    enum assay_error error = assay_json_scan_enter(&r->scan, '{');
    r->said.is_shard = true;
    for (;;) {
        error =
            error != ASSAY_OK ? error : assay_json_scan_member(&r->scan, name, sizeof name, &more);
        if (error != ASSAY_OK || !more) {
            return error;
        }
        error = take_shard_member(r, name);
    }
}

static enum assay_error take_member(struct reader *r, const char *name)
{
    if (strcmp(name, "schema") == 0) {
        return take_schema(r);
    }
    if (!r->has_schema) {
        return refuse(r, "it does not begin with its schema, assay-report/2");
    }
    if (strcmp(name, "tool") == 0) {
        return take_tool(r);
    }
    if (strcmp(name, "evidence") == 0) {
        return load(r, &r->said.evidence);
    }
    if (strcmp(name, "skipped") == 0) {
        return load(r, &r->said.skipped);
    }
    if (strcmp(name, "shard") == 0 && !r->said.is_shard) {
        return take_shard(r);
    }
    r->said.interrupted = r->said.interrupted || strcmp(name, "interrupted") == 0;
    return assay_json_scan_skip(&r->scan);
}

static enum assay_error read_report(struct reader *r)
{
    char name[NAME];
    bool more = true;
    enum assay_error error = assay_json_scan_open(&r->scan, r->path, r->diag);
    error = error != ASSAY_OK ? error : assay_json_scan_enter(&r->scan, '{');
    while (error == ASSAY_OK && more) {
        error = assay_json_scan_member(&r->scan, name, sizeof name, &more);
        error = error == ASSAY_OK && more ? take_member(r, name) : error;
    }
    return error != ASSAY_OK ? error : assay_json_scan_end(&r->scan);
}

/* --- whether they belong together --- */

/* What a report must say by itself. */
static enum assay_error check_alone(struct reader *r)
{
    const struct assay_shard_said *said = &r->said;
    const char *version = json_string_value(said->version);
    const char *schema = json_string_value(said->schema);
    const char *digest = json_string_value(said->digest);
    if (!r->has_schema) {
        return refuse(r, "it is no report: it has no schema");
    }
    if (!said->is_shard) {
        return refuse(r, "it is not of a shard (assay check --shard I/N)");
    }
    if (said->number == 0 || said->number > said->of || !r->has_records || digest == NULL ||
        schema == NULL || version == NULL || json_string_value(said->list) == NULL ||
        !json_is_array(said->catalogues) || !json_is_array(said->arguments) ||
        !json_is_array(said->evidence) || !json_is_array(said->skipped)) {
        return refuse(r, "what it says of its shard is not as its schema says");
    }
    if (strcmp(version, ASSAY_VERSION) != 0) {
        return refuse(r, "it was written by version %.40s; this is %s", version, ASSAY_VERSION);
    }
    if (strcmp(schema, ASSAY_RECORD_SCHEMA) != 0) {
        return refuse(r, "its records are of schema %.40s, not %s", schema, ASSAY_RECORD_SCHEMA);
    }
    if (said->interrupted) {
        return refuse(r, "shard %" PRIu64 " of %" PRIu64 " was interrupted; run it again",
                      said->number, said->of);
    }
    return strcmp(digest, r->digest) == 0 ? ASSAY_OK : refuse(r, "its records have been altered");
}

/* The first element of two lists that differs; null: they are equal, or one is only longer. */
static const json_t *differing(const json_t *a, const json_t *b)
{
    const size_t shorter =
        json_array_size(a) < json_array_size(b) ? json_array_size(a) : json_array_size(b);
    const json_t *longer = json_array_size(a) > shorter ? a : b;
    size_t at = 0;
    while (at < shorter && json_equal(json_array_get(a, at), json_array_get(b, at))) {
        at++;
    }
    return json_array_get(at < shorter ? a : longer, at);
}

static const char *or_unnamed(const json_t *text)
{
    const char *value = json_string_value(text);
    return value != NULL ? value : "?";
}

/* What it must have in common with the first report. */
static enum assay_error check_common(struct reader *r)
{
    const struct assay_shard_said *said = &r->said;
    const struct assay_shard_said *first = &r->reports->said;
    const char *other = r->reports->paths[0];
    if (said->of != first->of) {
        return refuse(r, "it is one of %" PRIu64 " shards, %.120s one of %" PRIu64, said->of, other,
                      first->of);
    }
    if (!json_equal(said->catalogues, first->catalogues)) {
        return refuse(r, "it was judged by other rules than %.120s: their catalogues differ",
                      other);
    }
    if (!json_equal(said->arguments, first->arguments)) {
        return refuse(r, "it was judged with other options than %.120s: --%.40s differs", other,
                      or_unnamed(json_array_get(differing(said->arguments, first->arguments), 0)));
    }
    if (!json_equal(said->evidence, first->evidence)) {
        const json_t *file = differing(said->evidence, first->evidence);
        return refuse(r, "it was judged with other files than %.100s: %.80s (%.20s) differs", other,
                      or_unnamed(json_object_get(file, "path")),
                      or_unnamed(json_object_get(file, "role")));
    }
    if (said->inputs != first->inputs || !json_equal(said->list, first->list) ||
        !json_equal(said->skipped, first->skipped)) {
        return refuse(r, "it was dealt from another list of inputs than %.120s", other);
    }
    return ASSAY_OK;
}

static enum assay_error take_number(struct reader *r)
{
    struct assay_shard_reports *all = r->reports;
    const char **known = &all->by_number[r->said.number - 1];
    if (*known != NULL) {
        return refuse(r, "it is shard %" PRIu64 " of %" PRIu64 ", as is %.160s", r->said.number,
                      r->said.of, *known);
    }
    *known = r->path;
    return ASSAY_OK;
}

static enum assay_error read_one(struct reader *r)
{
    struct assay_shard_reports *all = r->reports;
    enum assay_error error = read_report(r);
    error = error != ASSAY_OK ? error : check_alone(r);
    if (error == ASSAY_OK && r->number == 0) {
        all->said = r->said;
        r->said = (struct assay_shard_said){.number = all->said.number, .of = all->said.of};
        all->by_number = calloc(all->said.of, sizeof *all->by_number);
        error = all->by_number != NULL ? ASSAY_OK : no_memory(r->diag);
    } else if (error == ASSAY_OK) {
        error = check_common(r);
    }
    error = error != ASSAY_OK ? error : take_number(r);
    assay_json_scan_close(&r->scan);
    forget(&r->said);
    return error;
}

/* --- all of them --- */

static int by_input(const void *a, const void *b)
{
    const struct assay_record_place *x = a;
    const struct assay_record_place *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static enum assay_error check_complete(struct assay_shard_reports *all, struct assay_diag *diag)
{
    for (uint64_t i = 0; i < all->said.of; i++) {
        if (all->by_number[i] == NULL) {
            return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                              "the report of shard %" PRIu64 " of %" PRIu64 " is missing", i + 1,
                              all->said.of);
        }
    }
    if (all->place_count > 0) {
        qsort(all->places, all->place_count, sizeof *all->places, by_input);
    }
    for (size_t i = 0; i < all->place_count; i++) {
        if (all->places[i].number != i || i >= all->said.inputs) {
            assay_fail(diag, ASSAY_CORRUPT, all->places[i].offset,
                       "the record is of input %zu, which is not the next one",
                       all->places[i].number);
            assay_diag_path(diag, all->paths[all->places[i].report]);
            return ASSAY_CORRUPT;
        }
    }
    return all->place_count == all->said.inputs
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                            "the reports have %zu of %" PRIu64 " inputs", all->place_count,
                            all->said.inputs);
}

enum assay_error assay_shard_reports_open(struct assay_shard_reports *all, const char *const *paths,
                                          size_t count, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    *all = (struct assay_shard_reports){.paths = paths, .count = count};
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        struct reader r = {.reports = all, .path = paths[i], .number = (uint32_t)i, .diag = diag};
        error = read_one(&r);
    }
    return error != ASSAY_OK ? error : check_complete(all, diag);
}

enum assay_error assay_shard_reports_record(struct assay_shard_reports *all, size_t number,
                                            json_t **record, struct assay_diag *diag)
{
    const struct assay_record_place *place = &all->places[number];
    enum assay_error error = ASSAY_OK;
    if (all->scanned != place->report + 1) {
        assay_json_scan_close(&all->scan);
        all->scanned = place->report + 1;
        error = assay_json_scan_open(&all->scan, all->paths[place->report], diag);
    }
    error = error != ASSAY_OK ? error : assay_json_scan_seek(&all->scan, place->offset);
    struct reader r = {
        .reports = all, .scan = all->scan, .path = all->paths[place->report], .diag = diag};
    *record = NULL;
    error = error != ASSAY_OK ? error : load(&r, record);
    all->scan = r.scan;
    struct assay_json_reader reader = {0};
    if (error == ASSAY_OK &&
        (assay_json_get_number(&reader, *record, "number", UINT32_MAX) != number ||
         reader.wrong != NULL)) {
        json_decref(*record);
        *record = NULL;
        error = refuse(&r, "it was changed while it was read");
    }
    return error;
}

void assay_shard_reports_close(struct assay_shard_reports *all)
{
    assay_json_scan_close(&all->scan);
    forget(&all->said);
    free(all->by_number);
    free(all->places);
    *all = (struct assay_shard_reports){0};
}
