#include "report_support.h"

#include "validator/engine/compiled.h"

enum { KIND_NOTE = ASSAY_KIND_FIRST, KIND_MARK, KIND_COUNT };

/* Places of leaves in the catalogue. */
enum { LEAF_SHUT, LEAF_TARGET, LEAF_MODE, LEAF_SMALL, LEAF_READING, LEAF_STATE, LEAF_COUNT };

static const struct assay_enumerator modes[] = {{0, "calm", ""}, {1, "rough", ""}};
static const struct assay_enumeration mode_names = {"mode", modes, 2};
static const struct assay_field note_fields[] = {
    {.name = "shut", .type = ASSAY_FLAG, .width = 1},
    {.name = "target", .type = ASSAY_ADDRESS, .bit = 64, .width = 64},
    {.name = "mode", .type = ASSAY_ENUM, .bit = 1, .width = 2, .names = &mode_names},
    {.name = "small", .type = ASSAY_UINT, .bit = 3, .width = 13},
};
static const struct assay_kind kinds[KIND_COUNT] = {
    {.name = "malformed"},
    {.name = "end"},
    {.name = "note", .fields = note_fields, .field_count = 4},
    {.name = "mark"},
};
static const char *const layers[] = {"record"};
static const struct assay_profile profiles[] = {{"demo-2.0", "Demonstration 2.0"}};
static const struct assay_profile other_profiles[] = {{"other-1", "Another 1"}};
static const struct assay_format format = {.name = "demo",
                                           .title = "Demonstration Format",
                                           .version = "2.0",
                                           .profiles = profiles,
                                           .profile_count = 1,
                                           .layers = layers,
                                           .layer_count = 1,
                                           .kinds = kinds,
                                           .kind_count = KIND_COUNT};
static const struct assay_format other_format = {.name = "other",
                                                 .title = "Another Format",
                                                 .version = "1",
                                                 .profiles = other_profiles,
                                                 .profile_count = 1,
                                                 .layers = layers,
                                                 .layer_count = 1,
                                                 .kinds = kinds,
                                                 .kind_count = KIND_COUNT};

static const uint16_t modes_of_kinds[KIND_COUNT] = {[KIND_NOTE] = 3};
static const struct assay_leaf leaves[LEAF_COUNT] = {
    [LEAF_SHUT] = {.what = ASSAY_LEAF_FIELD, .text = "shut", .shown = {KIND_NOTE, 1}},
    [LEAF_TARGET] = {.what = ASSAY_LEAF_LAST, .text = "last(note).target", .shown = {KIND_NOTE, 2}},
    [LEAF_MODE] = {.what = ASSAY_LEAF_FIELD,
                   .text = "mode",
                   .fields = modes_of_kinds,
                   .shown = {KIND_NOTE, 3}},
    [LEAF_SMALL] = {.what = ASSAY_LEAF_FIELD, .text = "small", .shown = {KIND_NOTE, 4}},
    [LEAF_READING] = {.what = ASSAY_LEAF_READING, .text = "reads(INT-DEMO-01, strict)"},
    [LEAF_STATE] = {.what = ASSAY_LEAF_STATE, .text = "open_notes"},
};
static const struct assay_variable variables[] = {{.name = "open_notes"}};

static const struct assay_clause clauses[] = {
    {.id = "DEMO-CL-001",
     .section = "4.2",
     .level = "must",
     .text = "The target of a note is a multiple of 4, whatever its mode; a note that is shut has "
             "no target and its field is 0.\n",
     .disposition = ASSAY_BY_RULE},
    {.id = "DEMO-CL-002",
     .section = "4.3",
     .level = "should",
     .text = "Notes are closed.",
     .disposition = ASSAY_BY_RULE},
    {.id = "DEMO-CL-003", .section = "5", .level = "must", .disposition = ASSAY_BY_DECODER},
    {.id = "DEMO-CL-004", .section = "6", .level = "must", .disposition = ASSAY_NOT_VISIBLE},
    {.id = "DEMO-CL-005", .section = "7", .level = "must", .disposition = ASSAY_NOT_VISIBLE},
};
static const struct assay_reading readings[] = {
    {"strict", "Notes that are shut count too."},
    {"lenient", "Only notes that are open count."},
};
static const struct assay_interpretation interpretations[] = {
    {.id = "INT-DEMO-01",
     .section = "4.2",
     .problem = "It is not said whether notes that are shut count.",
     .because = "It is the plainer reading.",
     .readings = readings,
     .reading_count = 2},
};

static const uint16_t must_evidence[] = {LEAF_SHUT,  LEAF_TARGET,  LEAF_MODE,
                                         LEAF_SMALL, LEAF_READING, LEAF_STATE};
static const uint16_t should_evidence[] = {LEAF_STATE};
static const uint16_t must_interpretations[] = {0};
static const struct assay_node must_require[] = {
    {.op = ASSAY_OP_LEAF, .a = LEAF_TARGET}, {.op = ASSAY_OP_CONSTANT, .value = 4},
    {.op = ASSAY_OP_MOD, .a = 0, .b = 1},    {.op = ASSAY_OP_CONSTANT},
    {.op = ASSAY_OP_EQ, .a = 2, .b = 3},
};
static const char *const must_clauses[] = {"DEMO-CL-001"};
static const char *const should_clauses[] = {"DEMO-CL-002", "DEMO-CL-999"};

#define QUIET(number, needed)                                                                      \
    {                                                                                              \
        .id = number, .title = "A rule that says nothing", .file = "rules/demo/quiet.yaml",        \
        .level = ASSAY_MUST, .on_text = "mark", .require_text = "true", .needs = needed            \
    }

static const struct assay_node must_when[] = {{.op = ASSAY_OP_LEAF, .flag = 1, .a = LEAF_SHUT},
                                              {.op = ASSAY_OP_NOT, .flag = 1, .a = 0},
                                              {.op = ASSAY_OP_LEAF, .flag = 1, .a = LEAF_READING},
                                              {.op = ASSAY_OP_AND, .flag = 1, .a = 1, .b = 2}};

static const char *const explained[] = {"DEMO-0002"};

static const struct assay_rule rules[RULE_COUNT] = {
    [RULE_SHOULD] = {.id = "DEMO-0001",
                     .title = "Notes are closed",
                     .file = "rules/demo/notes.yaml",
                     .level = ASSAY_SHOULD,
                     .on_text = "end",
                     .require_text = "open_notes == 0",
                     .evidence = should_evidence,
                     .evidence_count = 1,
                     .clauses = should_clauses,
                     .clause_count = 2},
    [RULE_MUST] = {.id = "DEMO-0002",
                   .title = "The target of a note is aligned",
                   .file = "rules/demo/notes.yaml",
                   .level = ASSAY_MUST,
                   .on_text = "note",
                   .when_text = "not shut and reads(INT-DEMO-01, strict)",
                   .require_text = "last(note).target % 4 == 0",
                   .when = {must_when, 4},
                   .require = {must_require, 5},
                   .evidence = must_evidence,
                   .evidence_count = 6,
                   .interpretations = must_interpretations,
                   .interpretation_count = 1,
                   .clauses = must_clauses,
                   .clause_count = 1},
    [RULE_INFO] = {.id = "DEMO-0003",
                   .title = "Marks are rare",
                   .file = "rules/demo/marks.yaml",
                   .level = ASSAY_INFO,
                   .on_text = "mark",
                   .require_text = "count(mark) < 10"},
    [RULE_QUIET] = QUIET("DEMO-0004", 0),
    [RULE_QUIET_2] = QUIET("DEMO-0005", 0),
    [RULE_QUIET_3] = QUIET("DEMO-0006", 0),
    [RULE_NEEDS_EXECUTION] = QUIET("DEMO-0010", ASSAY_NEED_EXECUTION),
    [RULE_NEEDS_EXECUTION_2] = QUIET("DEMO-0012", ASSAY_NEED_EXECUTION),
    [RULE_NEEDS_FACTS] = QUIET("DEMO-0011", 0),
    [RULE_DIAGNOSIS] = {.id = "DEMO-0013",
                        .title = "Notes are those of another demo",
                        .file = "rules/demo/diagnosis.yaml",
                        .level = ASSAY_INFO,
                        .on_text = "note",
                        .when_text = "mode == 17",
                        .require_text = "false",
                        .diagnosis = true,
                        .explains = explained,
                        .explain_count = 1},
};
static const struct assay_rule other_rules[] = {QUIET("OTHER-0001", 0)};

/* The reports only ask whether there are emitted checks: that is, whether the rules are built in.
 */
static const struct assay_compiled compiled = {0};

static const struct assay_catalogue catalogue = {.compiled = &compiled,
                                                 .format = &format,
                                                 .rules = rules,
                                                 .rule_count = RULE_COUNT,
                                                 .leaves = leaves,
                                                 .leaf_count = LEAF_COUNT,
                                                 .variables = variables,
                                                 .variable_count = 1,
                                                 .clauses = clauses,
                                                 .clause_count = 5,
                                                 .interpretations = interpretations,
                                                 .interpretation_count = 1};
static const struct assay_catalogue other_catalogue = {
    .compiled = &compiled, .format = &other_format, .rules = other_rules, .rule_count = 1};

static const char *const digests[] = {
    "sha256:00000000000000000000000000000000000000000000000000000000000000d1"};
static const char *const missing_execution[] = {"execution"};
static const char *const missing_facts[] = {"facts:FEAT_SVE", "facts:FEAT_SME"};
static const uint64_t events[KIND_COUNT] = {0, 1, 1203, 1};
static const uint64_t malformed_events[KIND_COUNT] = {1, 1, 20, 0};

/* --- scenarios --- */

static void set_total(struct scenario *s, size_t rule, enum assay_verdict verdict,
                      uint64_t exercised, uint64_t violated)
{
    s->rules[rule].verdict = verdict;
    s->rules[rule].exercised = exercised;
    s->rules[rule].violated = violated;
}

static void set_missing(struct scenario *s, size_t rule, const char *const *missing, size_t count)
{
    set_total(s, rule, ASSAY_NOT_CHECKABLE, 0, 0);
    s->rules[rule].missing = missing;
    s->rules[rule].missing_count = count;
}

void scenario_add_input(struct scenario *s, const char *path)
{
    struct assay_stream_result *stream = &s->streams[s->results.input_count];
    struct assay_input_result *input = &s->inputs[s->results.input_count++];
    *stream = (struct assay_stream_result){.format = &format,
                                           .events = events,
                                           .complete = true,
                                           .exercised = 1204,
                                           .conclusion = ASSAY_CONFORMS};
    *input = (struct assay_input_result){
        .path = path,
        .sha256 = "sha256:00000000000000000000000000000000000000000000000000000000000000f1",
        .bytes = 38560,
        .streams = stream,
        .stream_count = 1,
        .complete = true,
        .exercised = 1204,
        .conclusion = ASSAY_CONFORMS,
        .diag = {.offset = ASSAY_NO_OFFSET}};
}

static void begin(struct scenario *s)
{
    *s = (struct scenario){.options = {{"fail-on", "must"}, {"max-findings", "20"}},
                           .readings = {{&interpretations[0], 0}}};
    s->results = (struct assay_results){.conclusion = ASSAY_CONFORMS,
                                        .fail_on = ASSAY_MUST,
                                        .inputs = s->inputs,
                                        .rules = s->rules,
                                        .rule_count = RULE_COUNT + 1,
                                        .readings = s->readings,
                                        .reading_count = 1,
                                        .digests = digests,
                                        .digest_count = 1,
                                        .options = s->options,
                                        .option_count = 2,
                                        .host = "host",
                                        .started = "2025-01-01T00:00:00Z",
                                        .seconds = 0.125,
                                        .jobs = 2};
    for (size_t i = 0; i < RULE_COUNT; i++) {
        s->rules[i] = (struct assay_rule_total){.rule = &rules[i],
                                                .catalogue = &catalogue,
                                                .verdict = ASSAY_NOT_EXERCISED,
                                                .findings = s->placed[i]};
    }
    s->rules[RULE_COUNT] = (struct assay_rule_total){
        .rule = other_rules, .catalogue = &other_catalogue, .verdict = ASSAY_NOT_EXERCISED};
}

void scenario_conforms(struct scenario *s)
{
    begin(s);
    scenario_add_input(s, "boot.demo");
    set_total(s, RULE_SHOULD, ASSAY_PASS, 1, 0);
    set_total(s, RULE_MUST, ASSAY_PASS, 1203, 0);
    set_missing(s, RULE_NEEDS_EXECUTION, missing_execution, 1);
    set_missing(s, RULE_NEEDS_EXECUTION_2, missing_execution, 1);
    set_missing(s, RULE_NEEDS_FACTS, missing_facts, 2);
}

void scenario_add_finding(struct scenario *s, size_t rule, size_t input, uint64_t index,
                          const char *message, const uint64_t *values)
{
    struct assay_rule_total *total = &s->rules[rule];
    struct assay_finding *finding = &s->findings[rule][total->finding_count];
    static const uint8_t bytes[32] = {[0] = 5, [8] = 0x02, [9] = 0x10, [14] = 0xff, [15] = 0xff};
    static const struct assay_event event = {.bytes = bytes, .bits = 256, .kind = KIND_NOTE};
    *finding = (struct assay_finding){.rule = &rules[rule],
                                      .kind = KIND_NOTE,
                                      .index = index,
                                      .offset = index * 32,
                                      .bits = 256,
                                      .message = message,
                                      .values = values,
                                      .shown = s->shown[rule][total->finding_count],
                                      .shown_count = SHOWN_COUNT,
                                      .shown_at = SHOWN_EVENT,
                                      .event = &event};
    static const char *const lines[SHOWN_COUNT] = {
        "note        target=0x1000", "mark        of its group",
        "note        target=0xffff000000001002 rough", "mark        first"};
    for (size_t i = 0; i < SHOWN_COUNT; i++) {
        s->shown[rule][total->finding_count][i] =
            (struct assay_shown_event){.index = index + i - SHOWN_EVENT,
                                       .offset = (index + i - SHOWN_EVENT) * 32,
                                       .line = lines[i],
                                       .kind = i == SHOWN_EVENT ? KIND_NOTE : KIND_MARK,
                                       .grouped = i == SHOWN_EVENT || i == SHOWN_EVENT - 1};
    }
    s->placed[rule][total->finding_count++] =
        (struct assay_located_finding){.finding = finding, .input = input, .offset = index * 32};
}

void scenario_violates(struct scenario *s)
{
    static const uint64_t should_values[] = {3};
    static const uint64_t values[] = {0, 0xffff000000001002, 1, 17, 1, 3};
    scenario_conforms(s);
    s->results.conclusion = ASSAY_VIOLATES;
    s->inputs[0].conclusion = ASSAY_VIOLATES;
    s->inputs[0].violations = 6;
    set_total(s, RULE_SHOULD, ASSAY_FAIL, 1, 1);
    set_total(s, RULE_MUST, ASSAY_FAIL, 1203, 5);
    s->outcomes[0] =
        (struct assay_rule_outcome){.rule = RULE_SHOULD, .exercised = 1, .violated = 1};
    s->outcomes[1] =
        (struct assay_rule_outcome){.rule = RULE_MUST, .exercised = 1203, .violated = 5};
    s->streams[0].outcomes = s->outcomes;
    s->streams[0].outcome_count = 2;
    s->streams[0].violations = 6;
    scenario_add_finding(s, RULE_SHOULD, 0, 1204, "3 notes are still open", should_values);
    s->findings[RULE_SHOULD][0].kind = ASSAY_KIND_END;
    s->shown[RULE_SHOULD][0][SHOWN_EVENT].line = "end         1204 records";
    s->findings[RULE_SHOULD][0].shown_count = SHOWN_EVENT + 1;
    const char *message = "the target 0xffff000000001002 is not a multiple of 4";
    for (uint64_t i = 0; i < 4; i++) {
        scenario_add_finding(s, RULE_MUST, 0, i * 400, message, values);
    }
    s->findings[RULE_MUST][0].shown = &s->shown[RULE_MUST][0][SHOWN_EVENT];
    s->findings[RULE_MUST][0].shown_count -= SHOWN_EVENT;
    s->findings[RULE_MUST][0].shown_at = 0;
}

void scenario_unreadable(struct scenario *s)
{
    scenario_conforms(s);
    s->results.conclusion = ASSAY_UNREADABLE;
    s->inputs[0] = (struct assay_input_result){
        .path = "junk.bin",
        .conclusion = ASSAY_UNREADABLE,
        .diag = {.error = ASSAY_UNKNOWN_FORMAT,
                 .offset = 0,
                 .message = "the input begins with 68 65, which is no format's magic",
                 .hint = "--format says what it is meant to be"}};
}

void scenario_diagnosed(struct scenario *s, bool violated)
{
    (violated ? scenario_violates : scenario_conforms)(s);
    struct assay_stream_result *stream = &s->streams[0];
    set_total(s, RULE_DIAGNOSIS, ASSAY_RECOGNISED, 2, 2);
    stream->outcomes = s->outcomes;
    s->outcomes[stream->outcome_count++] =
        (struct assay_rule_outcome){.rule = RULE_DIAGNOSIS, .exercised = 2, .violated = 2};
    scenario_add_finding(s, RULE_DIAGNOSIS, 0, 399, "the notes are of mode 17, as another demo has",
                         NULL);
}

void scenario_inputs(struct scenario *s)
{
    struct scenario unreadable;
    scenario_unreadable(&unreadable);
    scenario_violates(s);
    scenario_add_input(s, "idle.demo");
    s->inputs[2] = unreadable.inputs[0];
    s->results.input_count = 3;
    s->results.conclusion = ASSAY_UNREADABLE;
    s->placed[RULE_MUST][1].input = 1;
}

void scenario_incomplete(struct scenario *s)
{
    static const struct assay_uncompared uncompared = {
        .count = {[ASSAY_UNCOMPARED_VECTORS] = 60103, [ASSAY_UNCOMPARED_ATTEMPTS] = 1}};
    scenario_conforms(s);
    s->streams[0].uncompared = &uncompared;
    s->results.conclusion = ASSAY_INCOMPLETE;
    s->inputs[0].conclusion = ASSAY_INCOMPLETE;
    s->inputs[0].complete = false;
    s->streams[0].complete = false;
    s->streams[0].events = malformed_events;
}

void scenario_waives(struct scenario *s)
{
    static bool waived_rules[RULE_COUNT] = {[RULE_MUST] = true};
    static bool *const of_catalogues[] = {waived_rules};
    static const struct assay_catalogue *const catalogues[] = {&catalogue};
    static struct assay_waiver waiver = {.rule = "DEMO-0002",
                                         .input = "*.demo",
                                         .reason = "known",
                                         .owner = "somebody",
                                         .link = "https://example.org/1",
                                         .expires = "2999-12-31",
                                         .rules = of_catalogues};
    static const struct assay_waivers waivers = {
        .catalogues = catalogues, .catalogue_count = 1, .list = &waiver, .count = 1};
    static const struct assay_waiver_used used = {.waiver = &waiver, .waived = 3, .judged = true};
    s->inputs[0].waived = 3;
    s->streams[0].outcomes = s->outcomes;
    s->streams[0].outcome_count = 1;
    s->outcomes[0] = (struct assay_rule_outcome){.rule = RULE_MUST, .exercised = 1203, .waived = 3};
    s->rules[RULE_MUST].waived = 3;
    s->rules[RULE_MUST].verdict = ASSAY_WAIVED;
    s->results.waivers = &used;
    s->results.waiver_count = 1;
    s->results.waiver_list = &waivers;
}

char *written(const char *writer, const struct assay_results *results,
              const struct assay_report_style *style)
{
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    for (size_t i = 0; assay_report_writers[i].name != NULL; i++) {
        if (strcmp(assay_report_writers[i].name, writer) == 0) {
            assert_int_equal(assay_report_write(&assay_report_writers[i], results, style, &sink),
                             ASSAY_OK);
        }
    }
    char *text = malloc(sink.size + 1);
    assert_non_null(text);
    memcpy(text, sink.data, sink.size);
    text[sink.size] = '\0';
    assay_sink_close(&sink, NULL);
    return text;
}
