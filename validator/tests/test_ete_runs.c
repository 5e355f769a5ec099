/* What ETE's captures of others executed, compared with what another decoder makes of them, run by
 * run (samples/ete/FORMAT.md there). Skipped where the captures are not. The differences that there
 * are stand in `known`, and in docs/disagreements.md with the clause that decides. */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/tests/samples.h"
#include "ete/ete.h"
#include "manifest/manifest.h"
#include "validator/engine/check.h"

static const char *samples(void)
{
    return samples_folder("ASSAY_ETE_SAMPLES", ASSAY_SAMPLES);
}

enum { LINE = 256, PATHS = 512 };

/* Lines that only one of the two has, each once. */
static const struct {
    const char *session;
    bool ours;
    const char *line;
} known[] = {
    /* Not followed: an indirect branch without a target is before it. */
    {"ete_ip.session1", false, "RUN 0x1aa93c 0x1b37f4 9134 A32"},
    {"ete_ip.session1", true, "RUN 0x1aa93c 0x1aa948 3 A32"},
    {"q_elem.session2", false, "RUN 0x6960c 0x69610 1 A64"},
};

enum { KNOWN = sizeof known / sizeof known[0] };

struct line {
    uint64_t key, address, end, count; /* of a run */
    char text[LINE];
    bool is_run;
    const char *isa;
};

struct lines {
    struct line *list;
    size_t count;
};

static struct line *add(struct lines *all)
{
    if ((all->count & (all->count - 1)) == 0) {
        all->list = realloc(all->list, (all->count + 1) * 2 * sizeof *all->list);
        assert_non_null(all->list);
    }
    struct line *line = &all->list[all->count++];
    *line = (struct line){0};
    return line;
}

static uint64_t value(const struct assay_event *event, const char *name)
{
    const struct assay_field *field =
        assay_field_by_name(&assay_format_ete.kinds[event->kind], name);
    assert_non_null(field);
    return assay_field_get(field, event);
}

/* --- ours --- */

static void add_resolved(struct lines *all, const struct assay_event *event)
{
    static const char *const security[] = {"S", "NS", "ROOT", "REALM"};
    char text[LINE] = "";
    switch (event->kind) {
    case ETE_resolved_trace_on:
        strcpy(text, "TRACE_ON");
        break;
    case ETE_resolved_context:
        snprintf(text, sizeof text, "CONTEXT el=%" PRIu64 " sec=%s bits=%d", value(event, "el"),
                 security[value(event, "security")], value(event, "sf") != 0 ? 64 : 32);
        break;
    case ETE_resolved_timestamp:
        snprintf(text, sizeof text, "TIMESTAMP ts=0x%" PRIx64, value(event, "timestamp"));
        break;
    case ETE_resolved_timestamp_marker:
        strcpy(text, "TS_MARKER");
        break;
    case ETE_resolved_cycle_count:
        snprintf(text, sizeof text, "CYCLE_COUNT count=%" PRIu64, value(event, "count"));
        break;
    case ETE_resolved_event:
        snprintf(text, sizeof text, "EVENT %" PRIu64, value(event, "number"));
        break;
    case ETE_resolved_transaction_start:
        strcpy(text, "TRANSACTION START");
        break;
    case ETE_resolved_transaction_commit:
        strcpy(text, "TRANSACTION COMMIT");
        break;
    default:
        return;
    }
    struct line *line = add(all);
    line->key = 2 * event->index;
    strcpy(line->text, text);
}

static void add_executed(struct lines *all, const struct assay_event *event)
{
    static const char *const isa[] = {"A64", "A32", "T32"};
    if (event->kind != ETE_run && event->kind != ETE_exception_taken) {
        return;
    }
    assert_non_null(event->from);
    struct line *line = add(all);
    line->key = 2 * event->from->index + 1;
    if (event->kind == ETE_run) {
        line->is_run = true;
        line->address = value(event, "address");
        line->end = value(event, "end");
        line->count = value(event, "count");
        line->isa = isa[value(event, "isa")];
    } else {
        snprintf(line->text, sizeof line->text, "EXCEPTION type=%" PRIu64 " ret=0x%" PRIx64,
                 value(event, "type"), value(event, "address"));
    }
}

static void show(void *context, const struct assay_stream_result *stream,
                 const struct assay_block *block)
{
    (void)stream;
    for (size_t i = 0; i < block->count; i++) {
        if (block->layer == ETE_RESOLVED_ELEMENT) {
            add_resolved(context, &block->events[i]);
        } else if (block->layer == ETE_INSTRUCTION) {
            add_executed(context, &block->events[i]);
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x > y) - (x < y);
}

/* Runs that follow each other become one. */
static void merge(struct lines *all)
{
    size_t to = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct line *last = to > 0 ? &all->list[to - 1] : NULL;
        const struct line *line = &all->list[i];
        if (last != NULL && last->is_run && line->is_run && last->end == line->address &&
            last->isa == line->isa) {
            last->end = line->end;
            last->count += line->count;
        } else {
            all->list[to++] = *line;
        }
    }
    all->count = to;
    for (size_t i = 0; i < to; i++) {
        struct line *line = &all->list[i];
        if (line->is_run) {
            snprintf(line->text, sizeof line->text,
                     "RUN 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 " %s", line->address, line->end,
                     line->count, line->isa);
        }
    }
}

static struct lines ours_of(const char *path)
{
    const struct assay_catalogue *const rules = assay_catalogue_of(&assay_format_ete);
    struct lines all = {0};
    const struct assay_check_options options = {
        .catalogues = &rules, .catalogue_count = 1, .jobs = 1, .show = show, .show_context = &all};
    const struct assay_input input = {.path = path};
    struct assay_check *check = NULL;
    assert_int_equal(assay_check_open(&options, &check, NULL), ASSAY_OK);
    assert_int_equal(assay_check_inputs(check, &input, 1, NULL), ASSAY_OK);
    assay_check_close(check);
    /* The order of equal keys is that of the events, which a stable sort keeps. */
    for (size_t i = 0; i < all.count; i++) {
        all.list[i].key = all.list[i].key << 24 | i;
    }
    if (all.count > 0) {
        qsort(all.list, all.count, sizeof *all.list, by_key);
    }
    merge(&all);
    return all;
}

/* --- the other decoder's --- */

/* What an expected line says of the things that we compare. */
static void read_line(struct lines *all, char *text)
{
    uint64_t start = 0, next = 0, count = 0;
    text[strcspn(text, "\n")] = '\0';
    char *rest = strstr(text, " isa=");
    if (strncmp(text, "CONTEXT", strlen("CONTEXT")) == 0 && rest != NULL) {
        *rest = '\0';
    }
    if (sscanf(text, "RANGE_NOPATH start=%" SCNx64 " next=%" SCNx64 " n=%" SCNu64, &start, &next,
               &count) == 3) {
        snprintf(add(all)->text, LINE, "RUN 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 " A64", start,
                 start + 4 * count, count);
        return;
    }
    snprintf(add(all)->text, LINE, "%s", text);
}

static struct lines expected_of(FILE *file)
{
    struct lines all = {0};
    char text[LINE];
    while (fgets(text, sizeof text, file) != NULL) {
        if (text[0] != '\n') {
            read_line(&all, text);
        }
    }
    return all;
}

/* --- comparison --- */

static bool is_known(const char *session, bool ours, const char *line, bool *used)
{
    for (size_t i = 0; i < KNOWN; i++) {
        if (!used[i] && known[i].ours == ours && strcmp(known[i].session, session) == 0 &&
            strcmp(known[i].line, line) == 0) {
            return used[i] = true;
        }
    }
    return false;
}

static void compare(const char *session, const struct lines *ours, const struct lines *theirs)
{
    bool used[KNOWN] = {false};
    size_t n = 0;
    size_t m = 0;
    while (n < ours->count || m < theirs->count) {
        const char *a = n < ours->count ? ours->list[n].text : "(end)";
        const char *b = m < theirs->count ? theirs->list[m].text : "(end)";
        if (strcmp(a, b) == 0) {
            n++;
            m++;
        } else if (is_known(session, false, b, used)) {
            m++;
        } else if (is_known(session, true, a, used)) {
            n++;
        } else {
            fail_msg("%s, line %zu: \"%s\", expected \"%s\"", session, m + 1, a, b);
        }
    }
    for (size_t i = 0; i < KNOWN; i++) {
        assert_true(used[i] == (strcmp(known[i].session, session) == 0));
    }
}

/* `path` names a snapshot, or one of its buffers. Returns how many were compared. */
static unsigned compare_capture(const char *folder, const char *path)
{
    struct assay_manifest manifest = {0};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (assay_manifest_load(path, NULL, &manifest, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", path, diag.message);
    }
    unsigned compared = 0;
    for (size_t i = 0; i < manifest.input_count && manifest.data_count == 0; i++) {
        compared += compare_capture(folder, manifest.inputs[i]);
    }
    if (manifest.data_count == 1) {
        char expected[2 * PATHS], session[PATHS];
        const char *name = strrchr(manifest.data[0], '/') + 1;
        snprintf(session, sizeof session, "%s.%.*s", folder, (int)strcspn(name, "."), name);
        snprintf(expected, sizeof expected, "%s/expected/%s.canon", samples(), session);
        FILE *file = fopen(expected, "r");
        if (file != NULL) {
            struct lines ours = ours_of(path);
            struct lines theirs = expected_of(file);
            fclose(file);
            compare(session, &ours, &theirs);
            free(ours.list);
            free(theirs.list);
            compared++;
        }
    }
    assay_manifest_free(&manifest);
    return compared;
}

static void every_run_is_the_same(void **state)
{
    enum { SESSIONS = 27 };
    DIR *folder = opendir(samples());
    (void)state;
    assert_non_null(folder);
    unsigned compared = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[PATHS];
        snprintf(path, sizeof path, "%s/%s/snapshot.ini", samples(), entry->d_name);
        if (access(path, R_OK) == 0) {
            compared += compare_capture(entry->d_name, path);
        }
    }
    closedir(folder);
    assert_int_equal(compared, SESSIONS);
}

int main(void)
{
    if (samples_missing(samples())) {
        return SAMPLES_SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_run_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
