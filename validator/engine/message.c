/* Events, values and findings as text for people. */
#include "validator/engine/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/describe.h"
#include "model/parameters.h"

/* "bad-header value=0x10: no packet begins with this byte", for formats that do not describe events
 * themselves. */
static void describe_malformed(const struct assay_format *format, const struct assay_event *event,
                               char *out, size_t size)
{
    const struct assay_fault_code *fault = &format->faults[event->fault - 1];
    char fields[ASSAY_LINE];
    assay_describe_fields(&format->kinds[event->kind], event, fields, sizeof fields);
    out[0] = '\0';
    assay_append(out, size, "%s%s%s: ", fault->name, fields[0] != '\0' ? " " : "", fields);
    assay_append(out, size, "%s", fault->doc);
}

void assay_event_line(const struct assay_format *format, const struct assay_event *event, char *out,
                      size_t size)
{
    char fields[ASSAY_LINE];
    fields[0] = '\0';
    if (format->describe != NULL) {
        format->describe(event, fields, sizeof fields);
    } else if (event->kind == ASSAY_KIND_MALFORMED && event->fault > 0 &&
               event->fault <= format->fault_count) {
        describe_malformed(format, event, fields, sizeof fields);
    } else {
        assay_describe_fields(&format->kinds[event->kind], event, fields, sizeof fields);
    }
    const char *name = format->kinds[event->kind].name;
    snprintf(out, size, fields[0] != '\0' ? "%-11s %s" : "%s%s", name, fields);
}

void assay_leaf_text(const struct assay_catalogue *catalogue, uint16_t leaf, uint64_t value,
                     char *out, size_t size)
{
    const struct assay_leaf *l = &catalogue->leaves[leaf];
    const struct assay_field *field = assay_shown_field(catalogue->format, l->shown);
    if (assay_leaf_is_kind(l)) {
        snprintf(out, size, "%s",
                 value < catalogue->format->kind_count ? catalogue->format->kinds[value].name
                                                       : "none");
    } else if (l->what == ASSAY_LEAF_FAULT) {
        snprintf(out, size, "%s",
                 value > 0 && value <= catalogue->format->fault_count
                     ? catalogue->format->faults[value - 1].name
                     : "none");
    } else if (field != NULL) {
        assay_value_text(field, value, out, size);
    } else if (l->what == ASSAY_LEAF_CONFIG) {
        assay_parameter_text(&catalogue->format->parameters->list[l->number], value, out, size);
    } else if (l->what == ASSAY_LEAF_SEEN || assay_leaf_is_condition(l) ||
               l->what == ASSAY_LEAF_READING ||
               (l->what == ASSAY_LEAF_STATE && catalogue->variables[l->number].flag) ||
               (l->what == ASSAY_LEAF_FACT && assay_fact_table[l->number].most == 1)) {
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
    } else if (value > UINT32_MAX) {
        snprintf(out, size, "0x%" PRIx64, value);
    } else if (value > UINT16_MAX) {
        /* As often an address as a count: both ways of writing it. */
        snprintf(out, size, "0x%" PRIx64 " (%" PRIu64 ")", value, value);
    } else {
        snprintf(out, size, "%" PRIu64, value);
    }
}

static void piece_text(const struct assay_catalogue *c, const struct assay_piece *piece,
                       uint64_t value, char *out, size_t size)
{
    const struct assay_field *field = assay_shown_field(c->format, piece->shown);
    if (piece->format != 0) {
        snprintf(out, size, piece->format == 'x' ? "0x%" PRIx64 : "%" PRIu64, value);
    } else if (piece->kind) {
        snprintf(out, size, "%s",
                 value < c->format->kind_count ? c->format->kinds[value].title : "nothing");
    } else if (piece->fault) {
        snprintf(out, size, "%s",
                 value > 0 && value <= c->format->fault_count ? c->format->faults[value - 1].name
                                                              : "no fault");
    } else if (field != NULL) {
        assay_value_text(field, value, out, size);
    } else if (piece->value.nodes[piece->value.count - 1].flag != 0) {
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
    } else {
        snprintf(out, size, "%" PRIu64, value);
    }
}

char *assay_message(struct assay_arena *arena, const struct assay_catalogue *c,
                    const struct assay_rule *rule, const uint64_t *leaves)
{
    char message[ASSAY_LINE];
    char value[96];
    message[0] = '\0';
    for (uint16_t i = 0; i < rule->say_count; i++) {
        const struct assay_piece *piece = &rule->say[i];
        if (piece->text != NULL) {
            assay_append(message, sizeof message, "%s", piece->text);
        } else {
            piece_text(c, piece, assay_evaluate(&piece->value, leaves, c->format->functions), value,
                       sizeof value);
            assay_append(message, sizeof message, "%s", value);
        }
    }
    return assay_arena_text(arena, message, strlen(message));
}
