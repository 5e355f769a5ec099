/* Opening decoders and encoders of every format, and facts, while memory or threads cannot be had,
 * or the input ends early: whatever fails, nothing is left behind. The linker puts the functions
 * __wrap_... in the place of those of the C library, for all but shared libraries; what those
 * leave is seen by the address sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "astf/astf.h"
#include "common/tests/turn.h"
#include "common/yaml.h"
#include "execution/execution_writer.h"
#include "io/source.h"
#include "model/facts.h"
#include "model/parameters.h"
#include "stf/stf.h"

/* --- what is allocated, and which allocation fails --- */

enum { LIVE = 4096, NEVER = 0 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *live[LIVE]; /* unordered */
static size_t live_count;
static unsigned allocations, failing; /* the number of the one that fails, from 1 on */
static bool no_threads;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

/* Blocks that a shared library allocated are not there. */
static void forget(const void *block)
{
    for (size_t i = live_count; block != NULL && i-- > 0;) {
        if (live[i] == block) {
            live[i] = live[--live_count];
            return;
        }
    }
}

static void *remember(void *block)
{
    if (block != NULL) {
        assert_true(live_count < LIVE);
        live[live_count++] = block;
    }
    return block;
}

static bool fails(void)
{
    allocations++;
    return allocations == failing;
}

void *__wrap_malloc(size_t size)
{
    pthread_mutex_lock(&lock);
    void *block = fails() ? NULL : remember(__real_malloc(size));
    pthread_mutex_unlock(&lock);
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    pthread_mutex_lock(&lock);
    void *block = fails() ? NULL : remember(__real_calloc(count, size));
    pthread_mutex_unlock(&lock);
    return block;
}

void *__wrap_realloc(void *block, size_t size)
{
    pthread_mutex_lock(&lock);
    void *other = NULL;
    if (!fails()) {
        forget(block);
        other = remember(__real_realloc(block, size));
    }
    pthread_mutex_unlock(&lock);
    return other;
}

void __wrap_free(void *block)
{
    pthread_mutex_lock(&lock);
    forget(block);
    pthread_mutex_unlock(&lock);
    __real_free(block);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

/* From here on the n-th allocation fails; NEVER: none does. */
static void begin(unsigned n)
{
    allocations = 0;
    failing = n;
}

/* Whether there were so many that the one that was to fail was among them. */
static bool has_failed(void)
{
    const bool failed = failing != NEVER && allocations >= failing;
    failing = NEVER;
    return failed;
}

/* --- traces and a recording --- */

static const char *const storages[] = {"raw", "gzip", "xz", "lzma", "zlib", "zstd", "zstf", NULL};

static enum assay_error put_header(struct assay_encoder *encoder, bool compressed)
{
    uint64_t cells[ASTF_RECORD_BYTES / 8] = {0};
    uint8_t *const bytes = (uint8_t *)cells;
    memcpy(bytes + 1, "ASTF", 4);
    astf_set(bytes, header, compressed, compressed);
    const struct assay_event event = {
        .bytes = bytes, .bits = ASTF_RECORD_BITS, .kind = ASTF_header};
    return assay_format_astf.encoder->put(encoder, &event, NULL);
}

/* That the trace is of the second thread of the recording. */
static enum assay_error put_ids(struct assay_encoder *encoder)
{
    static const enum stf_kind kinds[] = {STF_identifier, STF_version, STF_process_id_ext};
    uint64_t cells[3][4] = {{0}};
    enum assay_error error = ASSAY_OK;
    stf_set((uint8_t *)cells[0], identifier, magic, 0x465453);
    stf_set((uint8_t *)cells[1], version, major, 1);
    stf_set((uint8_t *)cells[1], version, minor, 3);
    stf_set((uint8_t *)cells[2], process_id_ext, tid, 2);
    for (size_t i = 0; i < 3 && error == ASSAY_OK; i++) {
        const struct assay_event event = {.bytes = (const uint8_t *)cells[i],
                                          .bits = assay_format_stf.kinds[kinds[i]].bits,
                                          .kind = (uint16_t)kinds[i]};
        error = assay_format_stf.encoder->put(encoder, &event, NULL);
    }
    return error;
}

/* A trace of what stands first in the format, and of bytes that need not be records. */
static enum assay_error encode(const struct assay_format *format, const char *storage,
                               struct assay_sink *sink)
{
    struct assay_encoder *encoder = NULL;
    uint8_t body[600];
    for (size_t i = 0; i < sizeof body; i++) {
        body[i] = (uint8_t)(i * i >> 3);
    }
    enum assay_error error = format->encoder->open(sink, storage, &encoder, NULL);
    if (error != ASSAY_OK) {
        assert_null(encoder);
        return error;
    }
    if (format == &assay_format_astf) {
        error = put_header(encoder, strcmp(storage, "raw") != 0);
    } else if (format == &assay_format_stf) {
        error = put_ids(encoder);
    }
    error = error != ASSAY_OK ? error : format->encoder->put_raw(encoder, body, sizeof body);
    const enum assay_error closed = format->encoder->close(encoder);
    return error != ASSAY_OK ? error : closed;
}

static struct assay_sink record(void)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_RISCV64, .producer = "a test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_execution_writer_open(&sink, &header, &writer, NULL), ASSAY_OK);
    for (uint64_t id = 1; id <= 2; id++) {
        assert_int_equal(assay_execution_track_open(writer, id, 0, &track), ASSAY_OK);
        assert_int_equal(assay_execution_put_instruction(track, 0x1000, 0x13, 4, NULL, 0),
                         ASSAY_OK);
        assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    }
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    return sink;
}

/* Opens all that a decoder needs, reads the trace to its end, and closes it: the first error. */
static enum assay_error decode(const struct assay_format *format, const void *trace, size_t size,
                               const struct assay_sink *recording, size_t recorded, bool threaded)
{
    struct assay_parameter_values values;
    struct assay_decode_input input = {.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE,
                                       .threaded = threaded};
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    enum assay_error error = assay_source_memory(recording->data, recorded, &source);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &input.execution, NULL);
    if (error != ASSAY_OK) {
        return error;
    }
    if (format->parameters != NULL) {
        assay_parameters_init(&values, format->parameters);
        input.parameters = &values;
    }
    error = assay_source_memory(trace, size, &input.source);
    if (error != ASSAY_OK) {
        assay_execution_close(input.execution);
        return error;
    }
    error = format->decoder->open(&input, &decoder, NULL);
    while (error == ASSAY_OK && block.count > 0) {
        error = format->decoder->next(decoder, &block, NULL);
    }
    format->decoder->close(decoder);
    return error;
}

/* --- the tests --- */

typedef void look(const struct assay_format *format, const struct assay_sink *trace,
                  const struct assay_sink *recording);

/* Looks at the traces of all formats in all storages. */
static void of_all(look *look_at)
{
    struct assay_sink recording = record();
    unsigned traces = 0;
    for (size_t f = 0; assay_formats[f] != NULL; f++) {
        for (const char *const *storage = storages; *storage != NULL; storage++) {
            struct assay_sink trace;
            assay_sink_memory(&trace, 0);
            const enum assay_error error = encode(assay_formats[f], *storage, &trace);
            if (error == ASSAY_OK) {
                look_at(assay_formats[f], &trace, &recording);
                traces++;
            } else {
                assert_int_equal(error, ASSAY_UNKNOWN_NAME);
            }
            assay_sink_close(&trace, NULL);
        }
    }
    assert_in_range(traces, 10, 100);
    assay_sink_close(&recording, NULL);
}

static void fail_each_allocation(const struct assay_format *format, const struct assay_sink *trace,
                                 const struct assay_sink *recording)
{
    const size_t before = live_count;
    for (unsigned threaded = 0; threaded < 2; threaded++) {
        unsigned failed = 0;
        do {
            begin(++failed);
            const enum assay_error error =
                decode(format, trace->data, trace->size, recording, recording->size, threaded != 0);
            assert_true(error == ASSAY_OK || error == ASSAY_NO_MEMORY);
            assert_int_equal(live_count, before);
        } while (has_failed());
        assert_in_range(failed, 5, 1000);
    }
}

static void a_decoder_that_gets_no_memory_leaves_nothing(void **state)
{
    (void)state;
    of_all(fail_each_allocation);
}

static void refuse_threads(const struct assay_format *format, const struct assay_sink *trace,
                           const struct assay_sink *recording)
{
    const size_t before = live_count;
    no_threads = true;
    decode(format, trace->data, trace->size, recording, recording->size, true);
    no_threads = false;
    assert_int_equal(live_count, before);
}

static void a_decoder_that_gets_no_thread_leaves_nothing(void **state)
{
    (void)state;
    of_all(refuse_threads);
}

static void cut(const struct assay_format *format, const struct assay_sink *trace,
                const struct assay_sink *recording)
{
    const size_t before = live_count;
    for (size_t size = 0; size < trace->size; size = size < 80 ? size + 1 : size + 37) {
        if (!is_in_sanitized_turn(size)) {
            continue;
        }
        assert_int_equal(
            decode(format, trace->data, size, recording, recording->size, size % 2 == 0), ASSAY_OK);
        assert_int_equal(live_count, before);
    }
    for (size_t size = 0; size < recording->size; size++) {
        if (!is_in_sanitized_turn(size)) {
            continue;
        }
        decode(format, trace->data, trace->size, recording, size, false);
        assert_int_equal(live_count, before);
    }
}

static void traces_and_recordings_that_are_cut_leave_nothing(void **state)
{
    (void)state;
    of_all(cut);
}

static void an_encoder_that_gets_no_memory_leaves_nothing(void **state)
{
    (void)state;
    const size_t before = live_count;
    for (size_t f = 0; assay_formats[f] != NULL; f++) {
        for (const char *const *storage = storages; *storage != NULL; storage++) {
            struct assay_sink trace;
            unsigned failed = 0;
            do {
                assay_sink_memory(&trace, 0);
                begin(++failed);
                const enum assay_error error = encode(assay_formats[f], *storage, &trace);
                assert_true(error == ASSAY_OK || error == ASSAY_NO_MEMORY ||
                            error == ASSAY_UNKNOWN_NAME);
                assay_sink_close(&trace, NULL);
                assert_int_equal(live_count, before);
            } while (has_failed());
        }
    }
}

static void facts_that_are_wrong_or_get_no_memory_leave_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "facts: 1\npage_size: 4096\nevent_ids:\n  fault: {BREAKPOINT: 3}\n",
        "facts: 1\nevent_ids:\n  fault: {BREAKPOINT: 3, INST_ADDR_FAULT: much}\n",
        "facts: 1\nregisters:\n  integer: {X0: 0, X1: 0}\ntools: {QEMU: 1}\nfeature_bits: 7\n",
    };
    const size_t before = live_count;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        unsigned failed = 0;
        do {
            struct assay_facts facts = {0};
            struct assay_yaml_file file;
            begin(++failed);
            if (assay_yaml_parse("facts", texts[i], strlen(texts[i]), &file, NULL) == ASSAY_OK) {
                const enum assay_error error = assay_facts_read(file.root, &facts, NULL);
                assert_true(i == 0 || error != ASSAY_OK);
                assay_facts_clear(&facts);
                assay_yaml_free(&file);
            }
            assert_int_equal(live_count, before);
        } while (has_failed());
        assert_true(failed > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoder_that_gets_no_memory_leaves_nothing),
        cmocka_unit_test(a_decoder_that_gets_no_thread_leaves_nothing),
        cmocka_unit_test(traces_and_recordings_that_are_cut_leave_nothing),
        cmocka_unit_test(an_encoder_that_gets_no_memory_leaves_nothing),
        cmocka_unit_test(facts_that_are_wrong_or_get_no_memory_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
