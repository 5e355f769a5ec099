/* What is found in streams of the example: rules of all layers, parameters, streams in a capture.
 */
#include <stdlib.h>

#include "example/support.h"
#include "io/source_private.h"
#include "reports/report.h"
#include "validator/engine/bundle.h"
#include "validator/engine/session.h"

/* --- checks --- */

struct run {
    struct assay_check_options options;
    struct assay_check *check;
    const struct assay_results *results;
};

static void check_by(struct run *r, const struct assay_sink *bytes, const struct assay_input *input,
                     struct assay_check_options options)
{
    struct assay_source *source = NULL;
    r->options = options;
    r->options.catalogues = assay_catalogues;
    r->options.catalogue_count = 2;
    r->options.max_findings = 100;
    r->options.jobs = 1;
    assert_int_equal(assay_source_memory(bytes->data, bytes->size, &source), ASSAY_OK);
    assert_int_equal(assay_check_open(&r->options, &r->check, NULL), ASSAY_OK);
    assert_int_equal(assay_check_source(r->check, input, source, NULL, NULL), ASSAY_OK);
    r->results = assay_check_results(r->check);
}

static void check(struct run *r, const struct assay_sink *bytes, const struct assay_input *input,
                  bool evaluate)
{
    check_by(r, bytes, input, (struct assay_check_options){.evaluate = evaluate});
}

static const struct assay_rule_total *total(const struct run *r, const char *id)
{
    for (size_t i = 0; i < r->results->rule_count; i++) {
        if (strcmp(r->results->rules[i].rule->id, id) == 0) {
            return &r->results->rules[i];
        }
    }
    fail_msg("there is no rule %s", id);
    return NULL;
}

/* --- results --- */

static struct assay_input example_input(const struct assay_yaml *config,
                                        const struct assay_image_set *images)
{
    return (struct assay_input){
        .path = "in", .setup = {.config = config, .config_path = "c.yaml", .images = images}};
}

struct progress {
    uint64_t last;
    unsigned count;
};

static void note_progress(void *context, const char *path, uint64_t bytes, uint64_t size)
{
    struct progress *p = context;
    (void)path;
    (void)size;
    assert_true(bytes >= p->last + (16 << 20));
    p->last = bytes;
    p->count++;
}

/* An element is committed 18 MB after its packet: the place of what comes of it is no progress,
 * and no step back. */
static void progress_is_that_of_the_packets(void **state)
{
    (void)state;
    enum { SYNC = 6, BEFORE = 3000000, AFTER = 3000000 };
    struct assay_sink bytes;
    struct run r;
    struct progress progress = {0};
    const struct assay_input input = example_input(NULL, NULL);
    encode(START, &bytes);
    for (unsigned i = 0; i < BEFORE + AFTER; i++) {
        if (i == BEFORE) {
            assay_sink_write(&bytes, "\xa2\x04\x01", 3); /* commit of 1 */
        }
        assay_sink_write(&bytes, "\xa5SYNC\x20", SYNC);
    }
    check_by(
        &r, &bytes, &input,
        (struct assay_check_options){.progress = note_progress, .progress_context = &progress});
    assert_int_equal(progress.count, 2);
    assert_int_equal(r.results->inputs[0].streams[0].events[EXAMPLE_committed_begin], 1);
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
}

/* Atoms, of which the last is wrong: the program comes to the indirect branch first. */
enum { ATOMS_OFFSET = 16 };
static const char wrong_path[] = START "  - note_10: {value: 1}\n"
                                       "  - atoms: {count: 3, taken: 1}\n"
                                       "  - note_11: {value: 2}\n"
                                       "  - commit: {count: 4}\n"
                                       "  - cancel: {count: 1}\n";

static void both_back_ends_find_the_same_in_each_layer(void **state)
{
    (void)state;
    struct assay_image_set *images = make_program();
    struct assay_sink bytes;
    struct run runs[2];
    struct assay_yaml_file config;
    assert_int_equal(assay_yaml_parse("c.yaml", "has_context: true\n", 18, &config, NULL),
                     ASSAY_OK);
    const struct assay_input input = example_input(config.root, images);
    encode(wrong_path, &bytes);
    for (int i = 0; i < 2; i++) {
        assert_non_null(assay_catalogues[0]->compiled);
        check(&runs[i], &bytes, &input, i == 1);
        assert_int_equal(runs[i].results->conclusion, ASSAY_VIOLATES);
        const struct assay_rule_total *run = total(&runs[i], "EX-0009");
        const struct assay_rule_total *resolve = total(&runs[i], "EX-0006");
        assert_int_equal(run->violated, 1);
        assert_int_equal(run->finding_count, 1);
        assert_string_equal(run->findings[0].finding->message,
                            "the run at 0x1044 ends with indirect, not conditional");
        assert_int_equal(resolve->violated, 1);
        assert_string_equal(resolve->findings[0].finding->message,
                            "1 elements, of which 0 are open");
    }
    for (size_t n = 0; n < runs[0].results->rule_count; n++) {
        const struct assay_rule_total *a = &runs[0].results->rules[n];
        const struct assay_rule_total *b = &runs[1].results->rules[n];
        assert_int_equal(a->verdict, b->verdict);
        assert_int_equal(a->exercised, b->exercised);
        assert_int_equal(a->violated, b->violated);
    }
    /* The place of a run is that of the packet which its element came from; its neighbours are
     * runs. */
    const struct assay_finding *f = total(&runs[0], "EX-0009")->findings[0].finding;
    assert_int_equal(f->offset, ATOMS_OFFSET);
    assert_non_null(strstr(assay_finding_line(f, -1), "run "));
    assert_non_null(strstr(assay_finding_line(f, -1), "address=0x1000"));
    assert_non_null(
        strstr(assay_finding_line(f, -1), " next=0x1044")); /* at the end of a long line */
    assert_non_null(strstr(assay_finding_line(f, 1), "trace_end"));
    for (int i = 0; i < 2; i++) {
        assay_check_close(runs[i].check);
    }
    assay_sink_close(&bytes, NULL);
    assay_yaml_free(&config);
    assay_image_set_free(images);
}

static void what_is_not_given_is_named(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct run r;
    const struct assay_input input = example_input(NULL, NULL);
    encode(START "  - commit: {count: 1}\n", &bytes);
    check(&r, &bytes, &input, false);
    const struct assay_rule_total *context = total(&r, "EX-0005");
    const struct assay_rule_total *run = total(&r, "EX-0009");
    assert_int_equal(context->verdict, ASSAY_NOT_CHECKABLE);
    assert_int_equal(context->missing_count, 1);
    assert_string_equal(context->missing[0], "config:has_context");
    assert_int_equal(run->verdict, ASSAY_NOT_CHECKABLE);
    assert_string_equal(run->missing[0], "image");
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
}

static void a_stream_that_contradicts_its_configuration_is_refused(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct run r;
    struct assay_yaml_file config;
    static const char text[] = "address_width: 40\n";
    assert_int_equal(assay_yaml_parse("c.yaml", text, strlen(text), &config, NULL), ASSAY_OK);
    const struct assay_input input = example_input(config.root, NULL);
    encode(START, &bytes);
    check(&r, &bytes, &input, false);
    assert_int_equal(r.results->conclusion, ASSAY_UNREADABLE);
    assert_int_equal(r.results->inputs[0].diag.error, ASSAY_CONTRADICTION);
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
    assay_yaml_free(&config);
}

static void absent_memory_makes_the_layer_of_instructions_incomplete(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct run r;
    struct assay_image_set *images = make_program();
    struct assay_yaml_file config;
    static const char text[] = "has_context: false\n";
    assert_int_equal(assay_yaml_parse("c.yaml", text, strlen(text), &config, NULL), ASSAY_OK);
    const struct assay_input input = example_input(config.root, images);
    encode("vector: 1\nformat: example\ntrace:\n"
           "  - sync: {address_width: 32}\n"
           "  - start: {address: 0x2000}\n"
           "  - atoms: {count: 1}\n"
           "  - commit: {count: 2}\n",
           &bytes);
    check(&r, &bytes, &input, false);
    const struct assay_stream_result *stream = &r.results->inputs[0].streams[0];
    for (unsigned layer = EXAMPLE_PACKET; layer < EXAMPLE_INSTRUCTION; layer++) {
        assert_true(stream->layers[layer].complete);
    }
    assert_false(stream->layers[EXAMPLE_INSTRUCTION].complete);
    assert_string_equal(stream->layers[EXAMPLE_INSTRUCTION].why, "no program image at 0x2000");
    assert_int_equal(stream->events[EXAMPLE_gap], 1);
    assert_int_equal(stream->conclusion, ASSAY_INCOMPLETE);
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
    assay_yaml_free(&config);
    assay_image_set_free(images);
}

/* --- a capture of two streams --- */

static void put_frames(struct assay_sink *capture, const struct assay_sink *a,
                       const struct assay_sink *b, size_t most)
{
    const struct assay_sink *streams[] = {a, b};
    size_t done[2] = {0, 0};
    assay_sink_text(capture, "XCAP");
    for (unsigned turn = 0; done[0] < a->size || done[1] < b->size; turn ^= 1) {
        const size_t left = streams[turn]->size - done[turn];
        const size_t size = left < most ? left : most;
        const uint8_t head[] = {(uint8_t)(0x10 + turn), (uint8_t)size};
        assay_sink_write(capture, head, 2);
        assay_sink_write(capture, streams[turn]->data + done[turn], size);
        done[turn] += size;
    }
}

static void streams_of_a_capture_are_judged_by_themselves(void **state)
{
    (void)state;
    struct assay_sink good;
    struct assay_sink bad;
    struct assay_sink capture;
    struct assay_sink json;
    struct run r;
    struct assay_yaml_file config;
    assert_int_equal(assay_yaml_parse("c.yaml", "has_context: true\n", 18, &config, NULL),
                     ASSAY_OK);
    const struct assay_stream_setup setups[] = {
        {.has_id = true, .id = 0x10, .format = &assay_format_example, .config = config.root},
        {.has_id = true, .id = 0x11, .format = &assay_format_example, .config = config.root}};
    const struct assay_input input = {.path = "in", .streams = setups, .stream_count = 2};
    encode(START "  - commit: {count: 1}\n", &good);
    encode(START "  - cancel: {count: 2}\n", &bad); /* at byte 12 of the stream */
    assay_sink_memory(&capture, 0);
    put_frames(&capture, &good, &bad, 5);
    check(&r, &capture, &input, false);
    const struct assay_input_result *result = &r.results->inputs[0];
    assert_int_equal(result->stream_count, 3);
    assert_int_equal(result->streams[1].violations, 0);
    assert_int_equal(result->streams[2].violations, 1);
    assert_int_equal(result->streams[2].id, 0x11);
    const struct assay_rule_total *rule = total(&r, "EX-0006");
    assert_int_equal(rule->violated, 1);
    const struct assay_located_finding *found = &rule->findings[0];
    assert_int_equal(found->stream, 2);
    const uint8_t *place = capture.data + found->offset;
    assert_memory_equal(place, bad.data + found->finding->offset, 1);
    assert_int_equal(place[0] >> 5, 5); /* the header of the packet cancel */

    assay_sink_memory(&json, 0);
    for (const struct assay_report_writer *w = assay_report_writers; w->name != NULL; w++) {
        if (strcmp(w->name, "json") == 0) {
            assert_int_equal(w->write(r.results, &(struct assay_report_style){0}, &json), ASSAY_OK);
        }
    }
    assay_sink_write(&json, "", 1);
    assert_non_null(strstr((char *)json.data, "\"layers\""));
    assert_non_null(strstr((char *)json.data, "\"streams\""));
    assert_non_null(strstr((char *)json.data, "\"address_width\""));
    assay_sink_close(&json, NULL);
    assay_check_close(r.check);
    assay_yaml_free(&config);
    assay_sink_close(&good, NULL);
    assay_sink_close(&bad, NULL);
    assay_sink_close(&capture, NULL);
}

/* --- a capture that is not the same when it is read again --- */

enum { LAST_AGAIN = 5 }; /* the capture's own, two for the first stream, and the second's two */

enum fault { GONE, READ_ERROR, SHORTER, MENDED, FAULTS };

/* The bytes of a capture, of which what is opened again for the last time is not the same. */
struct failing {
    struct assay_source base;
    const struct assay_sink *bytes;
    enum fault fault;
    unsigned *opened;
};

static const struct assay_source_kind failing_kind;

static struct assay_source *failing_open(const struct failing *like)
{
    struct failing *source = calloc(1, sizeof *source);
    assert_non_null(source);
    *source = *like;
    source->base = (struct assay_source){.at = like->bytes->data,
                                         .end = like->bytes->data + like->bytes->size,
                                         .end_offset = like->bytes->size,
                                         .kind = &failing_kind};
    return &source->base;
}

static void failing_fill(struct assay_source *source, size_t want)
{
    const struct failing *failing = (const struct failing *)source;
    const bool faulty = *failing->opened == LAST_AGAIN && failing->fault == READ_ERROR;
    (void)want;
    assay_source_end(source, faulty ? ASSAY_READ_FAILED : ASSAY_OK, faulty ? "the disk" : NULL);
}

static void failing_status(const struct assay_source *source, struct assay_source_status *status)
{
    status->stored_offset = assay_source_offset(source);
}

static enum assay_error failing_again(const struct assay_source *source,
                                      struct assay_source **other)
{
    const struct failing *failing = (const struct failing *)source;
    if (++*failing->opened == LAST_AGAIN && failing->fault == GONE) {
        return ASSAY_NOT_READABLE;
    }
    *other = failing_open(failing);
    if (*failing->opened == LAST_AGAIN && failing->fault != MENDED) {
        (*other)->end -= failing->bytes->size / 2;
        (*other)->end_offset -= failing->bytes->size / 2;
    }
    return ASSAY_OK;
}

static void failing_close(struct assay_source *source)
{
    free(source);
}

static const struct assay_source_kind failing_kind = {
    .fill = failing_fill, .status = failing_status, .again = failing_again, .close = failing_close};

/* The JSON report and the text report in full, one after the other. */
static char *reports_of(const struct assay_results *results, struct assay_sink *sink)
{
    assay_sink_memory(sink, 0);
    for (const struct assay_report_writer *w = assay_report_writers; w->name != NULL; w++) {
        const struct assay_report_style style = {.verbose = true, .width = 1000};
        assert_int_equal(w->write(results, &style, sink), ASSAY_OK);
    }
    assay_sink_write(sink, "", 1);
    return (char *)sink->data;
}

static void judge_failing(const struct assay_sink *capture, const struct assay_input *input,
                          enum fault fault)
{
    static const enum assay_error errors[FAULTS] = {ASSAY_READ_FAILED, ASSAY_READ_FAILED,
                                                    ASSAY_TRUNCATED, ASSAY_OK};
    static const char *const whys[FAULTS] = {
        "the input cannot be read again to find where findings are", "the disk",
        "the capture is shorter than it was", ""};
    unsigned opened = 0;
    const struct failing first = {.bytes = capture, .fault = fault, .opened = &opened};
    const struct assay_check_options options = {
        .catalogues = assay_catalogues, .catalogue_count = 2, .max_findings = 9, .jobs = 1};
    struct run r = {.options = options};
    struct assay_sink sink;
    assert_int_equal(assay_check_open(&r.options, &r.check, NULL), ASSAY_OK);
    assert_int_equal(assay_check_source(r.check, input, failing_open(&first), NULL, NULL),
                     ASSAY_OK);
    r.results = assay_check_results(r.check);
    assert_int_equal(opened, LAST_AGAIN);
    const struct assay_stream_result *stream = &r.results->inputs[0].streams[2];
    const struct assay_located_finding *found = &total(&r, "EX-0006")->findings[0];
    assert_int_equal(r.results->conclusion, ASSAY_VIOLATES);
    assert_int_equal(stream->violations, 1);
    assert_null(stream->unjudged);
    assert_int_equal(total(&r, "EX-0006")->finding_count, 1);
    assert_int_equal(found->finding->offset, 13);
    assert_int_equal(found->unlocated, fault != MENDED);
    const char *text = reports_of(r.results, &sink);
    if (fault == MENDED) {
        assert_null(stream->unlocated);
        assert_null(strstr(text, "unlocated"));
        assert_null(strstr(text, "could not be found"));
    } else {
        assert_int_equal(stream->unlocated->error, errors[fault]);
        assert_string_equal(stream->unlocated->message, whys[fault]);
        assert_null(r.results->inputs[0].streams[1].unlocated);
        assert_non_null(strstr(text, "\"offset\": null, \"source\": 17, \"stream_offset\": 13"));
        assert_non_null(strstr(text, "\"unlocated\": {\"code\": "));
        assert_non_null(strstr(text, ") at byte 0xd (13) of source 0x11"));
        assert_non_null(strstr(text, "Where the findings of source 0x11 are in the capture could "
                                     "not be found, only where they are in the stream: "));
        assert_non_null(strstr(text, whys[fault]));
    }
    assay_sink_close(&sink, NULL);
    assay_check_close(r.check);
}

static void findings_stay_when_their_place_in_the_capture_is_lost(void **state)
{
    (void)state;
    struct assay_sink good;
    struct assay_sink bad;
    struct assay_sink capture;
    struct assay_yaml_file config;
    assert_int_equal(assay_yaml_parse("c.yaml", "has_context: true\n", 18, &config, NULL),
                     ASSAY_OK);
    const struct assay_stream_setup setups[] = {
        {.has_id = true, .id = 0x10, .format = &assay_format_example, .config = config.root},
        {.has_id = true, .id = 0x11, .format = &assay_format_example, .config = config.root}};
    const struct assay_input input = {.path = "in", .streams = setups, .stream_count = 2};
    encode(START "  - commit: {count: 1}\n", &good);
    encode(START "  - cancel: {count: 2}\n", &bad);
    assay_sink_memory(&capture, 0);
    put_frames(&capture, &good, &bad, 5);
    for (enum fault fault = GONE; fault < FAULTS; fault++) {
        judge_failing(&capture, &input, fault);
    }
    assay_yaml_free(&config);
    assay_sink_close(&good, NULL);
    assay_sink_close(&bad, NULL);
    assay_sink_close(&capture, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_that_of_the_packets),
        cmocka_unit_test(both_back_ends_find_the_same_in_each_layer),
        cmocka_unit_test(what_is_not_given_is_named),
        cmocka_unit_test(a_stream_that_contradicts_its_configuration_is_refused),
        cmocka_unit_test(absent_memory_makes_the_layer_of_instructions_incomplete),
        cmocka_unit_test(streams_of_a_capture_are_judged_by_themselves),
        cmocka_unit_test(findings_stay_when_their_place_in_the_capture_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
