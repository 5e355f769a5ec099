/* Records: what is read back is what was written, and whatever is wrong in one is refused, or gives
 * results that can be reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/report.h"
#include "validator/engine/collect.h"
#include "validator/record/record.h"
#include "validator/record/verdicts.h"

/* A capture of several streams, a violation with its events and a value that varies, a trace with a
 * recorded execution, layers and parameters, and what cannot be read. */
static const char *const vectors[] = {"decode.two-streams", "ASTF-0002.fail.twice",
                                      "ETE-0308.fail.exception-return", "CS-0034.fail.two"};

enum { MOST = 8 };

static struct {
    char paths[MOST][256];
    struct assay_input inputs[MOST];
    size_t count;
    json_t *records[MOST];
    char *report; /* in JSON, of the run */
    char *page;   /* in HTML */
    struct assay_check_options options;
} run;

static char folder[64];

static void run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run_shell(const char *format, ...)
{
    char line[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (system(line) != 0) {
        fail_msg("%s", line);
    }
}

static void add_input(const char *name)
{
    snprintf(run.paths[run.count], sizeof run.paths[0], "%s/%s", folder, name);
    run.inputs[run.count].path = run.paths[run.count];
    run.count++;
}

static enum assay_error added(void *context, const struct assay_input_run *input)
{
    struct assay_record_kept kept = {0};
    (void)context;
    run.records[input->number] = assay_record_of(input, input->number, &kept);
    assert_non_null(run.records[input->number]);
    return ASSAY_OK;
}

/* A report without its last member, `environment`. */
static char *report_of(const struct assay_results *results, const char *kind)
{
    const struct assay_report_writer *writer = assay_report_writers;
    const struct assay_report_style style = {.verbose = true};
    struct assay_sink sink;
    while (strcmp(writer->name, kind) != 0) {
        writer++;
    }
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_report_write(writer, results, &style, &sink), ASSAY_OK);
    assay_sink_write(&sink, "", 1);
    char *text = strdup((const char *)sink.data);
    assay_sink_close(&sink, NULL);
    char *environment = strstr(text, "\n  \"environment\"");
    if (environment != NULL) {
        *environment = '\0';
    }
    return text;
}

static int judge(void **state)
{
    static const struct assay_recorder recorder = {.added = added};
    const char *program = getenv("ASSAY");
    struct assay_diag diag;
    struct assay_check *check = NULL;
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/assay-record-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        char name[128];
        run_shell("'%s' encode \"$(find '%s' -name '%s.yaml')\" --output %s --manifest-output %s "
                  "--execution-output %s",
                  program, ASSAY_CORPUS, vectors[i], folder, folder, folder);
        snprintf(name, sizeof name, "%s.assay.yaml", vectors[i]);
        add_input(name);
    }
    add_input("missing");
    while (assay_catalogues[run.options.catalogue_count] != NULL) {
        run.options.catalogue_count++;
    }
    run.options.catalogues = assay_catalogues;
    run.options.max_findings = 20;
    run.options.fail_on = ASSAY_MUST;
    run.options.jobs = 1;
    run.options.digest = true;
    run.options.overview = true;
    run.options.recorder = &recorder;
    assert_int_equal(assay_check_open(&run.options, &check, &diag), ASSAY_OK);
    assert_int_equal(assay_check_inputs(check, run.inputs, run.count, &diag), ASSAY_OK);
    run.report = report_of(assay_check_results(check), "json");
    run.page = report_of(assay_check_results(check), "html");
    assay_check_close(check);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < run.count; i++) {
        json_decref(run.records[i]);
    }
    free(run.report);
    free(run.page);
    run_shell("rm -r %s", folder);
    return 0;
}

/* Reads a record and adds its result. */
static enum assay_error add_record(struct assay_collection *collection, const json_t *record)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_input_run input = {.options = &run.options};
    enum assay_error error = assay_record_read(record, &input, &diag);
    error = error != ASSAY_OK ? error : assay_collect(collection, &input);
    assay_input_close(&input);
    return error;
}

static void results_of_records_are_those_of_the_run(void **state)
{
    (void)state;
    struct assay_collection *collection = assay_collection_open(&run.options);
    for (size_t i = 0; i < run.count; i++) {
        assert_int_equal(add_record(collection, run.records[i]), ASSAY_OK);
    }
    const struct assay_results *results = assay_collection_results(collection);
    char *report = report_of(results, "json");
    char *page = report_of(results, "html");
    assert_string_equal(report, run.report);
    assert_string_equal(page, run.page);
    assert_non_null(strstr(page, "<svg class=\"row\""));
    free(report);
    free(page);
    assay_collection_close(collection);
}

/* What a value is replaced by. */
enum { WRONG_VALUES = 11 };

static json_t *wrong_value(size_t number)
{
    switch (number) {
    case 0:
        return json_null();
    case 1:
        return json_true();
    case 2:
        return json_integer(-1);
    case 3:
        return json_integer(255);
    case 4:
        return json_integer(INT64_MAX);
    case 5:
        return json_string("0xffffffffffffffff");
    case 6:
        return json_string("\\x");
    case 7:
        return json_real(0.5);
    case 8:
        return json_array();
    case 9:
        return json_pack("[[i]]", 7);
    default:
        return json_object();
    }
}

struct tried {
    json_t *record;
    size_t refused, accepted;
};

/* The record as it is now: refused, or reported in each kind of report without harm. */
static void try_record(struct tried *tried)
{
    static const char *const kinds[] = {"json", "html", "sarif", "junit", "text", "summary"};
    struct assay_collection *collection = assay_collection_open(&run.options);
    const enum assay_error error = add_record(collection, tried->record);
    assert_true(error == ASSAY_OK || error == ASSAY_CORRUPT);
    tried->refused += error != ASSAY_OK;
    tried->accepted += error == ASSAY_OK;
    if (error == ASSAY_OK) {
        const char *kind = kinds[tried->accepted % (sizeof kinds / sizeof kinds[0])];
        free(report_of(assay_collection_results(collection), kind));
    }
    assay_collection_close(collection);
}

static void try_values(struct tried *tried, json_t *value, unsigned depth);

/* Long lists repeat: only their ends are tried. */
static void try_elements(struct tried *tried, json_t *list, unsigned depth)
{
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i = i < 1 || i + 2 >= count ? i + 1 : count - 1) {
        json_t *value = json_incref(json_array_get(list, i));
        for (size_t n = 0; n < WRONG_VALUES; n++) {
            json_array_set_new(list, i, wrong_value(n));
            try_record(tried);
        }
        json_array_set(list, i, value);
        try_values(tried, value, depth + 1);
        json_decref(value);
    }
    json_array_append_new(list, json_integer(0));
    try_record(tried);
    json_array_remove(list, count);
}

static void try_members(struct tried *tried, json_t *object, unsigned depth)
{
    const char *name = NULL;
    void *next = NULL;
    json_t *copy = json_copy(object);
    json_t *value = NULL;
    json_object_foreach_safe(copy, next, name, value)
    {
        for (size_t n = 0; n < WRONG_VALUES; n++) {
            json_object_set_new(object, name, wrong_value(n));
            try_record(tried);
        }
        json_object_del(object, name);
        try_record(tried);
        json_object_set(object, name, value);
        try_values(tried, value, depth + 1);
    }
    json_decref(copy);
}

static void try_values(struct tried *tried, json_t *value, unsigned depth)
{
    assert_true(depth < 16);
    if (json_is_array(value)) {
        try_elements(tried, value, depth);
    } else if (json_is_object(value)) {
        try_members(tried, value, depth);
    }
}

static void wrong_records_do_no_harm(void **state)
{
    (void)state;
    for (size_t i = 0; i < run.count; i++) {
        struct tried tried = {.record = run.records[i]};
        try_values(&tried, run.records[i], 0);
        assert_true(tried.refused > tried.accepted);
    }
    results_of_records_are_those_of_the_run(state);
}

/* --- verdicts --- */

static void verdicts_come_back(void **state)
{
    enum { RULES = 300 };
    uint8_t before[RULES];
    uint8_t after[RULES];
    struct assay_sink sink;
    (void)state;
    for (size_t i = 0; i < RULES; i++) {
        before[i] = (uint8_t)(i * i / 7 % (ASSAY_VERDICT_COUNT + 1));
    }
    assay_sink_memory(&sink, 0);
    assay_verdicts_pack(before, RULES, &sink);
    assay_sink_write(&sink, "", 1);
    assert_true(assay_verdicts_unpack((const char *)sink.data, after, RULES));
    assert_memory_equal(before, after, RULES);
    assert_false(assay_verdicts_unpack((const char *)sink.data, after, RULES - 1));
    assay_sink_close(&sink, NULL);
}

static void texts_that_are_no_verdicts_are_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "2",
                                        "3p",
                                        "p",
                                        "2x",
                                        "0p2p",
                                        "1p",
                                        "-2p",
                                        "+2p",
                                        " 2p",
                                        "2p ",
                                        "2pp",
                                        "99999999999999999999p",
                                        "1p18446744073709551615p"};
    uint8_t verdicts[2];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(assay_verdicts_unpack(texts[i], verdicts, 2));
    }
    assert_true(assay_verdicts_unpack("1p1f", verdicts, 2));
    assert_int_equal(verdicts[1], ASSAY_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_records_are_those_of_the_run),
        cmocka_unit_test(wrong_records_do_no_harm),
        cmocka_unit_test(verdicts_come_back),
        cmocka_unit_test(texts_that_are_no_verdicts_are_refused),
    };
    return cmocka_run_group_tests(tests, judge, clean);
}
