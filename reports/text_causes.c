/* The first screen: how sure the verdict is, and what to fix first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/text.h"
#include "reports/walk.h"

/* Of causes, and of ids in a list, so many are shown. */
enum { MOST_CAUSES = 10, MOST_IDS = 6, MOST_LESSER = 12 };

enum { CAUSE_COLUMN = 6 };

/* --- how sure --- */

/* "records" where all inputs have events of one layer with one name, else "events". */
static void put_events(struct assay_page *page, const struct assay_results *results)
{
    const char *layer = NULL;
    uint64_t events = 0;
    bool same = true;
    char one[64] = "event";
    char many[64] = "events";
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        events += assay_input_events(input);
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_format *format = input->streams[n].format;
            layer = layer == NULL && format != NULL ? format->layers[0] : layer;
            same = same && format != NULL && format->layer_count == 1 &&
                   strcmp(format->layers[0], layer) == 0;
        }
    }
    if (same && layer != NULL) {
        snprintf(one, sizeof one, "%s", layer);
        snprintf(many, sizeof many, "%ss", layer);
    }
    assay_page_count(page, events, one, many);
}

/* Why an input was judged by its profile, where it is one stream. */
static void put_reason(struct assay_page *page, const struct assay_results *results)
{
    const struct assay_input_result *input = results->input_count == 1 ? results->inputs : NULL;
    if (input != NULL && input->stream_count == 1 && input->streams[0].profile_reason != NULL) {
        assay_page_put(page, ASSAY_INK_PLAIN, ", as ");
        assay_text_profiles(page, input);
        assay_page_format(page, ASSAY_INK_PLAIN, " (%s)", input->streams[0].profile_reason);
    }
}

/* What would make rules checkable: each option once. */
static void put_lacking(struct assay_page *page, const struct assay_results *results)
{
    static const struct {
        const char *name; /* what missing things begin with */
        const char *option;
    } options[] = {{"facts:", "--facts FILE"},
                   {"config", "--config FILE"},
                   {"image", "--image FILE"},
                   {"execution", "--execution FILE"}};
    const char *separator = ": ";
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct assay_rule_walk walk = assay_rule_walk(results);
        const struct assay_rule_total *total;
        bool lacking = false;
        while ((total = assay_rule_walk_verdict(&walk, ASSAY_NOT_CHECKABLE)) != NULL) {
            for (size_t n = 0; n < total->missing_count; n++) {
                lacking = lacking ||
                          strncmp(total->missing[n], options[i].name, strlen(options[i].name)) == 0;
            }
        }
        if (lacking) {
            assay_page_put(page, ASSAY_INK_PLAIN, separator);
            assay_page_firm(page, ASSAY_INK_COMMAND, options[i].option);
            separator = ", ";
        }
    }
}

/* Events that a recorded execution says too little about. */
static uint64_t count_uncompared(const struct assay_results *results)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < results->input_count; i++) {
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            const struct assay_uncompared *one = results->inputs[i].streams[n].uncompared;
            for (unsigned r = 0; one != NULL && r < ASSAY_UNCOMPARED_COUNT; r++) {
                sum += one->count[r];
            }
        }
    }
    return sum;
}

void assay_text_judged(struct assay_page *page, const struct assay_results *results)
{
    uint64_t of[ASSAY_VERDICT_COUNT] = {0};
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        of[total->verdict] += !total->rule->diagnosis;
    }
    const uint64_t exercised = of[ASSAY_PASS] + of[ASSAY_FAIL] + of[ASSAY_WAIVED];
    const uint64_t rules = exercised + of[ASSAY_NOT_EXERCISED] + of[ASSAY_NOT_CHECKABLE];
    assay_text_label(page, "judged");
    put_events(page, results);
    put_reason(page, results);
    assay_text_label(page, "exercised");
    assay_page_number(page, exercised);
    assay_page_put(page, ASSAY_INK_PLAIN, " of ");
    assay_page_count(page, rules, "rule", "rules");
    assay_page_format(page, ASSAY_INK_PLAIN,
                      " (%" PRIu64 "%%): ", rules > 0 ? 100 * exercised / rules : 0);
    assay_page_number(page, of[ASSAY_PASS]);
    assay_page_put(page, ASSAY_INK_PLAIN, " passed, ");
    assay_page_number(page, of[ASSAY_FAIL]);
    assay_page_put(page, ASSAY_INK_PLAIN, " failed");
    if (of[ASSAY_WAIVED] > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN, ", ");
        assay_page_number(page, of[ASSAY_WAIVED]);
        assay_page_put(page, ASSAY_INK_PLAIN, " waived");
    }
    assay_page_put(page, ASSAY_INK_PLAIN, "; ");
    assay_page_number(page, of[ASSAY_NOT_EXERCISED]);
    assay_page_put(page, ASSAY_INK_PLAIN, " found nothing to check");
    if (of[ASSAY_NOT_CHECKABLE] > 0) {
        assay_text_label(page, "not judged");
        assay_page_count(page, of[ASSAY_NOT_CHECKABLE], "rule lacks inputs", "rules lack inputs");
        put_lacking(page, results);
    }
    const uint64_t uncompared = count_uncompared(results);
    if (uncompared > 0) {
        assay_text_label(page, "not compared");
        assay_page_count(page, uncompared, "event", "events");
        assay_page_put(page, ASSAY_INK_PLAIN, " of which the recorded execution shows too little");
    }
    if (of[ASSAY_DESELECTED] > 0) {
        assay_text_label(page, "left out");
        assay_page_count(page, of[ASSAY_DESELECTED], "rule", "rules");
        assay_page_put(page, ASSAY_INK_PLAIN, ", by --only or --skip");
    }
}

/* --- what to fix first --- */

/* Ids, of which the first ones are shown. */
struct ids {
    struct assay_page *page;
    const char *shown[MOST_LESSER];
    size_t count, most;
};

static void add_id(struct ids *ids, const char *id)
{
    for (size_t i = 0; i < ids->count && i < ids->most; i++) {
        if (strcmp(ids->shown[i], id) == 0) {
            return;
        }
    }
    if (ids->count < ids->most) {
        ids->shown[ids->count] = id;
    }
    ids->count++;
}

static void put_ids(const struct ids *ids, enum assay_ink ink)
{
    for (size_t i = 0; i < ids->count && i < ids->most; i++) {
        assay_page_put(ids->page, ASSAY_INK_PLAIN, i > 0 ? ", " : "");
        assay_page_put(ids->page, ink, ids->shown[i]);
    }
    if (ids->count > ids->most) {
        assay_page_format(ids->page, ASSAY_INK_PLAIN, " and %zu more", ids->count - ids->most);
    }
}

/* "always (57,003 of 57,003 checks)" */
static void put_often(struct assay_page *page, const struct assay_results *results,
                      const struct assay_cause *cause)
{
    assay_page_put(page, ASSAY_INK_STRONG, assay_often_name(cause->often));
    if (cause->often == ASSAY_ONCE) {
        assay_page_put(page, ASSAY_INK_PLAIN, cause->rule_count > 1 ? " each in " : " in ");
    } else {
        assay_page_put(page, ASSAY_INK_PLAIN, " (");
        assay_page_number(page, cause->violated);
        assay_page_put(page, ASSAY_INK_PLAIN, " of ");
    }
    assay_page_count(page, cause->exercised, "check", "checks");
    assay_page_put(page, ASSAY_INK_PLAIN,
                   cause->often != ASSAY_ONCE ? ")"
                   : cause->rule_count > 1    ? " together"
                                              : "");
    if (results->input_count > 1) {
        assay_page_put(page, ASSAY_INK_PLAIN, " in ");
        assay_page_number(page, cause->inputs);
        assay_page_put(page, ASSAY_INK_PLAIN, " of ");
        assay_page_count(page, results->input_count, "input", "inputs");
    }
}

static void put_clauses(struct assay_page *page, const struct assay_cause *cause)
{
    struct ids clauses = {.page = page, .most = 3};
    bool house = false;
    for (size_t i = 0; i < cause->rule_count; i++) {
        const struct assay_rule *rule = cause->rules[i]->rule;
        house = house || rule->clause_count == 0;
        for (uint16_t n = 0; n < rule->clause_count; n++) {
            add_id(&clauses, rule->clauses[n]);
        }
    }
    if (clauses.count > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN, clauses.count == 1 ? "; clause " : "; clauses ");
        put_ids(&clauses, ASSAY_INK_PLAIN);
    }
    assay_page_put(page, ASSAY_INK_PLAIN, house ? "; house rule" : "");
}

/* What probably happened: the sentence of a diagnosis, and where it was recognised. */
static void put_diagnosis(struct assay_page *page, const struct assay_results *results,
                          const struct assay_diagnosis *diagnosis)
{
    assay_page_put(page, ASSAY_INK_STRONG, diagnosis->sentence);
    assay_page_put(page, ASSAY_INK_PLAIN, " (");
    assay_page_put(page, ASSAY_INK_PLAIN, diagnosis->rule->rule->id);
    if (diagnosis->first != NULL) {
        assay_page_put(page, ASSAY_INK_PLAIN, diagnosis->rule->violated > 1 ? ", first " : ", ");
        assay_text_place(page, results, diagnosis->rule, diagnosis->first);
    }
    assay_page_put(page, ASSAY_INK_PLAIN, ")");
}

static bool has_diagnosis(const struct assay_cause *cause, const struct assay_diagnosis *diagnosis)
{
    for (size_t i = 0; i < cause->diagnosis_count; i++) {
        if (cause->diagnoses[i].rule == diagnosis->rule) {
            return true;
        }
    }
    return false;
}

/* Whether a diagnosis was told with a cause before the n-th. */
static bool is_told(const struct assay_causes *causes, size_t n,
                    const struct assay_diagnosis *diagnosis)
{
    size_t before = 0;
    while (before < n && !has_diagnosis(&causes->list[before], diagnosis)) {
        before++;
    }
    return before < n;
}

/* What the n-th cause probably comes from: what was told before by its id alone. */
static void put_diagnoses(struct assay_page *page, const struct assay_results *results,
                          const struct assay_causes *causes, size_t n)
{
    const struct assay_cause *cause = &causes->list[n];
    struct ids told = {.page = page, .most = MOST_IDS};
    for (size_t i = 0; i < cause->diagnosis_count; i++) {
        if (is_told(causes, n, &cause->diagnoses[i])) {
            add_id(&told, cause->diagnoses[i].rule->rule->id);
            continue;
        }
        assay_page_line(page, CAUSE_COLUMN, CAUSE_COLUMN + 2);
        assay_page_put(page, ASSAY_INK_WARNING, "likely: ");
        put_diagnosis(page, results, &cause->diagnoses[i]);
    }
    if (told.count > 0) {
        assay_page_line(page, CAUSE_COLUMN, CAUSE_COLUMN + 2);
        assay_page_put(page, ASSAY_INK_WARNING, "likely: ");
        put_ids(&told, ASSAY_INK_STRONG);
        assay_page_put(page, ASSAY_INK_PLAIN, ", as above");
    }
}

void assay_text_cause(struct assay_page *page, const struct assay_results *results,
                      const struct assay_causes *causes, size_t n)
{
    const struct assay_cause *cause = &causes->list[n];
    assay_page_line(page, CAUSE_COLUMN, CAUSE_COLUMN + 2);
    put_often(page, results, cause);
    put_clauses(page, cause);
    if (cause->first != NULL) {
        assay_page_line(page, CAUSE_COLUMN, CAUSE_COLUMN + 2);
        assay_page_put(page, ASSAY_INK_PLAIN, cause->violated > 1 ? "first " : "");
        assay_text_place(page, results, cause->first_rule, cause->first);
        assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        assay_page_put(page, ASSAY_INK_PLAIN, cause->first->finding->message);
    }
    put_diagnoses(page, results, causes, n);
}

static void put_cause(struct assay_page *page, const struct assay_results *results,
                      const struct assay_causes *causes, size_t n)
{
    const struct assay_cause *cause = &causes->list[n];
    const unsigned level = cause->rules[0]->rule->level;
    struct ids ids = {.page = page, .most = MOST_IDS};
    assay_page_line(page, 2, CAUSE_COLUMN);
    assay_page_format(page, ASSAY_INK_PLAIN, "%zu.", n + 1);
    assay_page_tab(page, CAUSE_COLUMN);
    assay_page_put(page, assay_level_ink(level), assay_level_name((enum assay_level)level));
    assay_page_put(page, ASSAY_INK_PLAIN, "  ");
    for (size_t i = 0; i < cause->rule_count; i++) {
        add_id(&ids, cause->rules[i]->rule->id);
    }
    put_ids(&ids, ASSAY_INK_STRONG);
    assay_page_put(page, ASSAY_INK_PLAIN, "  ");
    assay_page_put(page, ASSAY_INK_PLAIN, cause->likely ? "likely one cause: " : "");
    assay_page_put(page, ASSAY_INK_STRONG, cause->sentence);
    assay_text_cause(page, results, causes, n);
}

/* Diagnoses that explain nothing that failed: worth knowing all the same. */
void assay_text_noticed(struct assay_page *page, const struct assay_results *results,
                        const struct assay_causes *causes)
{
    for (size_t i = 0; i < causes->other_count; i++) {
        assay_text_label(page, i == 0 ? "noticed" : "");
        put_diagnosis(page, results, &causes->others[i]);
    }
}

/* The rules whose violation does not count, in two lines. */
static void put_lesser(struct assay_page *page, const struct assay_results *results,
                       const struct assay_causes *causes)
{
    uint64_t of[ASSAY_LEVEL_COUNT] = {0};
    uint64_t rules = 0;
    struct ids ids = {.page = page, .most = MOST_LESSER};
    for (size_t i = 0; i < causes->count; i++) {
        for (size_t n = 0; n < causes->list[i].rule_count && !causes->list[i].counts; n++) {
            of[causes->list[i].rules[n]->rule->level]++;
            rules++;
            add_id(&ids, causes->list[i].rules[n]->rule->id);
        }
    }
    if (rules == 0) {
        return;
    }
    assay_text_label(page, "besides");
    const char *separator = "";
    for (unsigned level = ASSAY_LEVEL_COUNT; level-- > 0;) {
        if (of[level] > 0) {
            assay_page_put(page, ASSAY_INK_PLAIN, separator);
            assay_page_number(page, of[level]);
            assay_page_format(page, ASSAY_INK_PLAIN, " %s",
                              assay_level_name((enum assay_level)level));
            separator = " and ";
        }
    }
    assay_page_put(page, ASSAY_INK_PLAIN, rules == 1 ? " rule" : " rules");
    assay_page_format(
        page, ASSAY_INK_PLAIN,
        " failed, which the verdict does not count (--fail-on %s): ", assay_fail_on(results));
    put_ids(&ids, ASSAY_INK_PLAIN);
}

/* What the causes that are not shown probably come from, each diagnosis once. */
static void put_likely(struct assay_page *page, const struct assay_results *results,
                       const struct assay_causes *causes)
{
    size_t count = 0;
    for (size_t i = 0; i < causes->count; i++) {
        const struct assay_cause *cause = &causes->list[i];
        for (size_t n = 0; n < cause->diagnosis_count && !cause->counts; n++) {
            if (!is_told(causes, i, &cause->diagnoses[n])) {
                assay_text_label(page, count++ == 0 ? "likely" : "");
                put_diagnosis(page, results, &cause->diagnoses[n]);
            }
        }
    }
}

void assay_text_causes(struct assay_page *page, const struct assay_results *results,
                       const struct assay_causes *causes, bool all)
{
    size_t count = 0;
    while (count < causes->count && (all || causes->list[count].counts)) {
        count++;
    }
    if (count > 0) {
        assay_page_blank(page);
        assay_page_line(page, 0, 0);
        assay_page_put(page, ASSAY_INK_STRONG,
                       causes->list[0].counts ? "What to fix first"
                                              : "What failed, and the verdict does not count");
    }
    for (size_t i = 0; i < count && (all || i < MOST_CAUSES); i++) {
        put_cause(page, results, causes, i);
    }
    if (!all && count > MOST_CAUSES) {
        assay_page_line(page, CAUSE_COLUMN, CAUSE_COLUMN);
        assay_page_count(page, count - MOST_CAUSES, "more cause: ", "more causes: ");
        assay_page_firm(page, ASSAY_INK_COMMAND, "--verbose");
    }
    if (count > 0 && ((!all && count < causes->count) || causes->other_count > 0)) {
        assay_page_blank(page);
    }
    if (!all) {
        put_lesser(page, results, causes);
        put_likely(page, results, causes);
    }
    assay_text_noticed(page, results, causes);
}
