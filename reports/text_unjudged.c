/* What a run says nothing about: rules without an object in the trace, rules that lack something,
 * clauses that no trace shows. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text.h"
#include "reports/walk.h"

enum { MOST_LEFT_OUT = 40 };

/* --- lists of ids --- */

/* Ids as they come; three or more with consecutive numbers become one "ASTF-0031..0035". */
struct id_list {
    struct assay_page *page;
    const char *first, *last; /* of the run in hand; null: none */
    unsigned count;           /* in the run */
    bool any;
};

static size_t prefix_of(const char *id)
{
    size_t length = strlen(id);
    while (length > 0 && isdigit((unsigned char)id[length - 1])) {
        length--;
    }
    return length;
}

static bool follows(const char *id, const char *before)
{
    const size_t prefix = prefix_of(id);
    return prefix == prefix_of(before) && strncmp(id, before, prefix) == 0 &&
           strlen(id) == strlen(before) && id[prefix] != '\0' &&
           strtoull(id + prefix, NULL, 10) == strtoull(before + prefix, NULL, 10) + 1;
}

static void put_id(struct id_list *list, const char *id)
{
    assay_page_put(list->page, ASSAY_INK_PLAIN, list->any ? ", " : "");
    assay_page_put(list->page, ASSAY_INK_PLAIN, id);
    list->any = true;
}

static void end_run(struct id_list *list)
{
    if (list->count > 0) {
        put_id(list, list->first);
    }
    if (list->count == 2) {
        put_id(list, list->last);
    } else if (list->count > 2) {
        assay_page_put(list->page, ASSAY_INK_PLAIN, "..");
        assay_page_put(list->page, ASSAY_INK_PLAIN, list->last + prefix_of(list->last));
    }
    list->count = 0;
}

static void add_id(struct id_list *list, const char *id)
{
    if (list->count > 0 && !follows(id, list->last)) {
        end_run(list);
    }
    list->first = list->count == 0 ? id : list->first;
    list->last = id;
    list->count++;
}

/* --- not exercised --- */

static size_t count_verdict(const struct assay_results *results, enum assay_verdict verdict)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    size_t count = 0;
    while (assay_rule_walk_verdict(&walk, verdict) != NULL) {
        count++;
    }
    return count;
}

static void put_heading(struct assay_page *page, const char *heading)
{
    assay_page_blank(page);
    assay_page_line(page, 0, 2);
    assay_page_put(page, ASSAY_INK_STRONG, heading);
    assay_page_put(page, ASSAY_INK_PLAIN, ": ");
}

/* The file that rules are in is their area: "context" of rules/astf/context.yaml. */
static void area_of(const struct assay_rule *rule, char *out, size_t size)
{
    const char *file = rule->file != NULL ? rule->file : "rules";
    const char *slash = strrchr(file, '/');
    file = slash != NULL ? slash + 1 : file;
    size_t length = strcspn(file, ".");
    length = length < size - 1 ? length : size - 1;
    memcpy(out, file, length);
    out[length] = '\0';
}

static void put_not_exercised(struct assay_page *page, const struct assay_results *results)
{
    enum { AREA = 24, AREA_COLUMN = 16 };
    const size_t count = count_verdict(results, ASSAY_NOT_EXERCISED);
    struct assay_rule_walk walk = assay_rule_walk(results);
    struct id_list list = {.page = page};
    const struct assay_rule_total *total;
    char before[AREA] = "";
    char area[AREA];
    if (count == 0) {
        return;
    }
    put_heading(page, "Not exercised");
    assay_page_count(page, count, "rule applies", "rules apply");
    assay_page_put(page, ASSAY_INK_PLAIN,
                   results->input_count == 1 ? " to nothing in this input."
                                             : " to nothing in these inputs.");
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_NOT_EXERCISED)) != NULL) {
        area_of(total->rule, area, sizeof area);
        if (strcmp(area, before) != 0) {
            end_run(&list);
            list.any = false;
            assay_page_line(page, 2, 2);
            assay_page_put(page, ASSAY_INK_DIM, area);
            assay_page_tab(page, AREA_COLUMN);
            memcpy(before, area, sizeof before);
        }
        add_id(&list, total->rule->id);
    }
    end_run(&list);
}

/* --- not checkable --- */

static bool same_missing(const struct assay_rule_total *a, const struct assay_rule_total *b)
{
    if (a->missing_count != b->missing_count) {
        return false;
    }
    for (size_t i = 0; i < a->missing_count; i++) {
        if (strcmp(a->missing[i], b->missing[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Whether no rule before this one lacks the same. */
static bool leads_group(const struct assay_results *results, const struct assay_rule_total *total)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *other;
    while ((other = assay_rule_walk_verdict(&walk, ASSAY_NOT_CHECKABLE)) != total) {
        if (same_missing(other, total)) {
            return false;
        }
    }
    return true;
}

static size_t group_size(const struct assay_results *results, const struct assay_rule_total *leader)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    size_t count = 0;
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_NOT_CHECKABLE)) != NULL) {
        count += same_missing(total, leader) ? 1 : 0;
    }
    return count;
}

/* What to give for something that is missing. */
static void put_missing(struct assay_page *page, const char *missing)
{
    static const struct {
        const char *name;
        const char *command;
        const char *text;
    } known[] = {{"isa", "", "instruction words"},
                 {"config", "--config FILE", " (the encoder's parameters)"},
                 {"image", "--image FILE", " (the program)"},
                 {"execution", "--execution FILE", " (a recorded execution)"}};
    static const char facts[] = "facts:";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(missing, known[i].name) == 0) {
            assay_page_firm(page, ASSAY_INK_COMMAND, known[i].command);
            assay_page_put(page, ASSAY_INK_PLAIN, known[i].text);
            return;
        }
    }
    assay_page_put(page, ASSAY_INK_STRONG,
                   strncmp(missing, facts, sizeof facts - 1) == 0 ? missing + sizeof facts - 1
                                                                  : missing);
}

static void put_all_missing(struct assay_page *page, const struct assay_rule_total *total)
{
    bool facts = false;
    for (size_t i = 0; i < total->missing_count; i++) {
        const bool last = i + 1 == total->missing_count;
        assay_page_put(page, ASSAY_INK_PLAIN, i == 0 ? "" : last ? " and " : ", ");
        put_missing(page, total->missing[i]);
        facts = facts || strncmp(total->missing[i], "facts:", 6) == 0;
    }
    if (facts) {
        assay_page_put(page, ASSAY_INK_PLAIN, " (");
        assay_page_firm(page, ASSAY_INK_COMMAND, "--facts FILE");
        assay_page_put(page, ASSAY_INK_PLAIN, ")");
    }
    assay_page_put(page, ASSAY_INK_PLAIN, total->missing_count == 0 ? "what is not known" : "");
}

static void put_group(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *leader)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    struct id_list list = {.page = page};
    const struct assay_rule_total *total;
    assay_page_line(page, 2, 6);
    assay_page_count(page, group_size(results, leader), "rule needs ", "rules need ");
    put_all_missing(page, leader);
    assay_page_put(page, ASSAY_INK_PLAIN, ": ");
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_NOT_CHECKABLE)) != NULL) {
        if (same_missing(total, leader)) {
            add_id(&list, total->rule->id);
        }
    }
    end_run(&list);
}

static void put_not_checkable(struct assay_page *page, const struct assay_results *results)
{
    const size_t count = count_verdict(results, ASSAY_NOT_CHECKABLE);
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    if (count == 0) {
        return;
    }
    put_heading(page, "Not checkable");
    assay_page_count(page, count, "rule needs", "rules need");
    assay_page_put(page, ASSAY_INK_PLAIN, " something besides the trace that was not given.");
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_NOT_CHECKABLE)) != NULL) {
        if (leads_group(results, total)) {
            put_group(page, results, total);
        }
    }
}

/* --- not compared --- */

/* Over all streams, as the rules above. */
static struct assay_uncompared sum_uncompared(const struct assay_results *results)
{
    struct assay_uncompared sum = {.wrong = ""};
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_uncompared *one = input->streams[n].uncompared;
            for (unsigned r = 0; one != NULL && r < ASSAY_UNCOMPARED_COUNT; r++) {
                sum.count[r] += one->count[r];
            }
        }
    }
    return sum;
}

static void put_not_compared(struct assay_page *page, const struct assay_results *results)
{
    const struct assay_uncompared sum = sum_uncompared(results);
    bool any = false;
    for (unsigned r = 0; r < ASSAY_UNCOMPARED_COUNT; r++) {
        if (sum.count[r] == 0) {
            continue;
        }
        if (!any) {
            put_heading(page, "Not compared");
            assay_page_put(page, ASSAY_INK_PLAIN,
                           "the recorded execution shows too little about these, so that rules "
                           "which compare the trace with it say nothing of them.");
            any = true;
        }
        assay_page_line(page, 2, 6);
        assay_page_count(page, sum.count[r], assay_uncompared_text(r, 1),
                         assay_uncompared_text(r, 2));
    }
}

/* --- left out --- */

/* Rules in a list, if it is a short one: with --only it is all the others. */
static void put_left_out(struct assay_page *page, const struct assay_results *results,
                         enum assay_verdict verdict, const char *heading, const char *why)
{
    const size_t count = count_verdict(results, verdict);
    struct assay_rule_walk walk = assay_rule_walk(results);
    struct id_list list = {.page = page};
    const struct assay_rule_total *total;
    if (count == 0 || count > MOST_LEFT_OUT) {
        return;
    }
    put_heading(page, heading);
    assay_page_count(page, count, "rule", "rules");
    assay_page_put(page, ASSAY_INK_PLAIN, why);
    while ((total = assay_rule_walk_verdict(&walk, verdict)) != NULL) {
        add_id(&list, total->rule->id);
    }
    end_run(&list);
}

/* --- not certified --- */

static size_t count_clauses(const struct assay_catalogue *catalogue,
                            enum assay_disposition disposition)
{
    size_t count = 0;
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        count += catalogue->clauses[i].disposition == disposition ? 1 : 0;
    }
    return count;
}

/* "9 clauses of astf-0.11 that bind readers and 3 that no trace can show (assay rules ...)" */
static void put_clauses(struct assay_page *page, const struct assay_catalogue *catalogue)
{
    const size_t readers = count_clauses(catalogue, ASSAY_BY_DECODER);
    const size_t hidden = count_clauses(catalogue, ASSAY_NOT_VISIBLE);
    const struct assay_format *format = catalogue->format;
    char command[96];
    assay_page_count(page, readers > 0 ? readers : hidden, "clause", "clauses");
    assay_page_format(page, ASSAY_INK_PLAIN, " of %s-%s", format->name, format->version);
    if (readers > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN,
                       readers == 1 ? " that binds readers" : " that bind readers");
    }
    if (readers > 0 && hidden > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN, " and ");
        assay_page_number(page, hidden);
    }
    assay_page_put(page, ASSAY_INK_PLAIN, hidden > 0 ? " that no trace can show (" : " (");
    snprintf(command, sizeof command, "assay rules coverage --format %s", format->name);
    assay_page_firm(page, ASSAY_INK_COMMAND, command);
    assay_page_put(page, ASSAY_INK_PLAIN, ")");
}

/* Whether a catalogue has clauses of its own that rules do not check. Catalogues that a user adds
 * borrow the clauses of the built-in one. */
static bool has_unchecked(const struct assay_catalogue *catalogue,
                          const struct assay_catalogue *before)
{
    const bool borrowed = before != NULL && before->clauses == catalogue->clauses;
    return !borrowed && count_clauses(catalogue, ASSAY_BY_DECODER) +
                                count_clauses(catalogue, ASSAY_NOT_VISIBLE) >
                            0;
}

static void put_not_certified(struct assay_page *page, const struct assay_results *results)
{
    const bool rules = count_verdict(results, ASSAY_NOT_EXERCISED) +
                           count_verdict(results, ASSAY_NOT_CHECKABLE) +
                           count_verdict(results, ASSAY_DESELECTED) >
                       0;
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_catalogue *before = NULL;
    const struct assay_rule_total *total;
    bool any = rules;
    if (rules) {
        put_heading(page, "Not certified");
        assay_page_put(page, ASSAY_INK_PLAIN, "what rules demand that were not judged");
    }
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        if (total->catalogue == before) {
            continue;
        }
        if (has_unchecked(total->catalogue, before)) {
            if (any) {
                assay_page_put(page, ASSAY_INK_PLAIN, "; ");
            } else {
                put_heading(page, "Not certified");
            }
            any = true;
            put_clauses(page, total->catalogue);
        }
        before = total->catalogue;
    }
    assay_page_put(page, ASSAY_INK_PLAIN, any ? "." : "");
}

void assay_text_unjudged(struct assay_page *page, const struct assay_results *results)
{
    put_not_exercised(page, results);
    put_not_checkable(page, results);
    put_not_compared(page, results);
    put_left_out(page, results, ASSAY_NOT_APPLICABLE, "Not of this profile", ": ");
    put_left_out(page, results, ASSAY_DESELECTED, "Left out", ", by --only or --skip: ");
    put_not_certified(page, results);
}
