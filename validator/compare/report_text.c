#include <inttypes.h>
#include <string.h>

#include "validator/compare/report_parts.h"

static void put_row(struct assay_sink *sink, const struct assay_compare_row *row)
{
    assay_sink_printf(sink, "%-10s", row->format);
    for (size_t i = 0; i < ASSAY_COMPARE_OUTCOMES; i++) {
        assay_sink_printf(sink, "%9zu", row->outcomes[i]);
    }
    assay_sink_printf(sink, "%10zu\n", row->expected);
}

static void put_matrix(struct assay_sink *sink, const struct assay_comparisons *c)
{
    struct assay_compare_row row;
    assay_sink_printf(sink, "%-10s", "format");
    for (int i = 0; i < ASSAY_COMPARE_OUTCOMES; i++) {
        assay_sink_printf(sink, "%9s", assay_compare_outcome_name((enum assay_compare_outcome)i));
    }
    assay_sink_text(sink, "  expected\n");
    for (size_t i = 0; i < c->corpus->count;) {
        i = assay_compare_count_row(c, i, &row);
        put_row(sink, &row);
    }
}

/* A text of a decoder: what is not printable ASCII as \xNN, and its lines one below the other. */
static void put_text(struct assay_sink *sink, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p == '\n') {
            assay_sink_text(sink, p[1] != '\0' ? "\n             " : "");
        } else if (*p < ' ' || *p >= 0x7f) {
            assay_sink_printf(sink, "\\x%02x", (unsigned)*p);
        } else {
            assay_sink_write(sink, p, 1);
        }
    }
}

static void put_line(struct assay_sink *sink, const char *label, const char *text)
{
    if (text[0] != '\0') {
        assay_sink_printf(sink, "    %-9s", label);
        put_text(sink, text);
        assay_sink_text(sink, "\n");
    }
}

/* A line below an event, under the field that differs. */
static void put_mark(struct assay_sink *sink, const struct assay_compared_event *event)
{
    const size_t size = strlen(event->text);
    if (event->marked == 0 || event->mark >= size) {
        return;
    }
    assay_sink_printf(sink, "    %-9s%*s", "", (int)event->mark, "");
    for (size_t i = event->mark; i < size && i < event->mark + event->marked; i++) {
        assay_sink_text(sink, "^");
    }
    assay_sink_text(sink, "\n");
}

static void put_side(struct assay_sink *sink, const char *label,
                     const struct assay_compared_event *event)
{
    put_line(sink, label, event->text[0] != '\0' ? event->text : "no event");
    put_mark(sink, event);
}

/* The first vector of a cause. */
static void put_example(struct assay_sink *sink, const struct assay_compared *one)
{
    const struct assay_failure *f = one->failure;
    const struct assay_comparison *c = &f->comparison;
    if (c->layer[0] != '\0') {
        assay_sink_printf(sink, "    %s %" PRIu64 " of %s\n", c->layer, c->index,
                          one->vector->name);
        for (size_t i = ASSAY_COMPARED_BEFORE; i-- > 0;) {
            put_line(sink, "before", c->before[i]);
        }
        put_side(sink, "expected", &c->expected);
        put_side(sink, "yours", &c->found);
    } else {
        put_line(sink, "vector", one->vector->name);
    }
    put_line(sink, "it says", f->said);
    put_line(sink, "trace", one->vector->files[ASSAY_VECTOR_TRACE]);
}

enum { NAMES = 4 };

/* Some more vectors of a cause, by name. */
static void put_others(struct assay_sink *sink, const struct assay_compare_summary *summary,
                       size_t number)
{
    const struct assay_compare_cause *cause = &summary->causes.list[number];
    size_t named = 0;
    for (size_t i = cause->first + 1; named < NAMES && named + 1 < cause->count; i++) {
        if (summary->causes.of[i] == number) {
            assay_sink_printf(sink, named == 0 ? "    also     %s" : ", %s",
                              summary->comparisons->list[i].vector->name);
            named++;
        }
    }
    if (cause->count > named + 1) {
        assay_sink_printf(sink, " and %zu more", cause->count - named - 1);
    }
    assay_sink_text(sink, named > 0 ? "\n" : "");
}

static void put_cause(struct assay_sink *sink, const struct assay_compare_summary *summary,
                      size_t number)
{
    const struct assay_compare_cause *cause = &summary->causes.list[number];
    const struct assay_compared *first = &summary->comparisons->list[cause->first];
    char text[ASSAY_COMPARE_CAUSE_TEXT];
    assay_compare_cause_text(cause, summary->comparisons, text);
    assay_sink_printf(sink,
                      "\n%-8s %zu vector%s of %s: ", assay_compare_outcome_name(first->outcome),
                      cause->count, cause->count == 1 ? "" : "s", first->vector->format->name);
    put_text(sink, text);
    assay_sink_text(sink, "\n");
    put_example(sink, first);
    put_others(sink, summary, number);
}

static void put_stale(struct assay_sink *sink, const struct assay_expected_list *expected)
{
    for (size_t i = 0; i < expected->count; i++) {
        if (expected->list[i].stale) {
            assay_sink_printf(sink, "\n%s:%u: %s does not fail so; take it out of the list\n",
                              expected->path, expected->list[i].line, expected->list[i].vector);
        }
    }
}

enum assay_error assay_compare_write_text(const struct assay_compare_summary *summary,
                                          struct assay_sink *sink)
{
    const struct assay_comparisons *c = summary->comparisons;
    put_matrix(sink, c);
    if (c->decoder->isolation == ASSAY_ISOLATION_NONE) {
        assay_sink_text(sink, "\nThe decoder was not isolated (bwrap): it could reach the network "
                              "and write files.\n");
    }
    for (size_t i = 0; i < summary->causes.count && i < summary->shown; i++) {
        put_cause(sink, summary, i);
    }
    if (summary->causes.count > summary->shown) {
        assay_sink_printf(sink, "\n%zu more causes: --report json has all\n",
                          summary->causes.count - summary->shown);
    }
    put_stale(sink, summary->expected);
    if (summary->causes.count > 0) {
        assay_sink_printf(sink, "\n%zu cause%s; one vector by itself: --only NAME\n",
                          summary->causes.count, summary->causes.count == 1 ? "" : "s");
    }
    assay_sink_printf(sink, "%s%zu of %zu vectors fail%s\n", summary->causes.count > 0 ? "" : "\n",
                      summary->failures, c->run,
                      summary->expected->count > 0 ? ", besides those that are expected" : "");
    if (summary->not_run > 0) {
        assay_sink_printf(sink, "The run was interrupted: %zu vectors were not run.\n",
                          summary->not_run);
    }
    return sink->error;
}
