/* The generator of captures: the traces of several units, made by their own generators, in the
 * frames of a formatter that does all that it may. */
#include "generators/generator.h"

#include "common/random.h"
#include "coresight/mux.h"

enum { SOURCES_MOST = 8, PIECE_MOST = 64 };

/* The stream of a source, and how much of it is in frames. */
struct stream {
    uint32_t id;
    struct assay_sink bytes;
    size_t done;
};

struct capture {
    struct stream streams[SOURCES_MOST];
    size_t count; /* streams that are not whole in frames */
    uint64_t random;
};

/* Pieces of the streams in turn, until all are in frames. */
static void put_pieces(struct capture *capture, struct cs_mux *mux)
{
    while (capture->count > 0) {
        const size_t number = assay_random_below(&capture->random, capture->count);
        struct stream *stream = &capture->streams[number];
        const size_t left = stream->bytes.size - stream->done;
        const size_t drawn = 1 + (size_t)assay_random_below(&capture->random, PIECE_MOST);
        const size_t size = drawn < left ? drawn : left;
        cs_mux_put(mux, (uint8_t)stream->id, stream->bytes.data + stream->done, size);
        stream->done += size;
        if (stream->done == stream->bytes.size) {
            const struct stream whole = *stream;
            *stream = capture->streams[--capture->count];
            capture->streams[capture->count] = whole;
        }
    }
    cs_mux_flush(mux);
}

/* What the protocol leaves open, now and then; a memory has no synchronisation packets. */
static struct cs_policy draw_policy(uint64_t *random, bool port)
{
    enum { OFTEN = 40, SELDOM = 8 };
    struct cs_policy policy = {.seed = assay_random(random)};
    policy.repeat = (uint8_t)assay_random_below(random, OFTEN);
    policy.pad = (uint8_t)assay_random_below(random, OFTEN);
    policy.trigger = (uint8_t)assay_random_below(random, SELDOM);
    policy.flush = (uint8_t)assay_random_below(random, SELDOM);
    policy.half_sync = port ? (uint8_t)assay_random_below(random, SELDOM) : 0;
    policy.full_sync = port ? (uint8_t)(1 + assay_random_below(random, SELDOM)) : 0;
    return policy;
}

static enum assay_error make_streams(const struct assay_model_source *sources,
                                     const struct assay_generate_settings *settings,
                                     struct capture *capture, struct assay_generated *generated,
                                     struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (const struct assay_model_source *s = sources; s->id != 0 && error == ASSAY_OK; s++) {
        struct stream *stream = &capture->streams[capture->count++];
        struct assay_generated made = {0};
        stream->id = s->id;
        assay_sink_memory(&stream->bytes, 0);
        error = assay_source_make(s, settings, &stream->bytes, NULL, &made, diag);
        error = error != ASSAY_OK ? error : stream->bytes.error;
        generated->records += made.records;
        generated->instructions += made.instructions;
    }
    return error;
}

static enum assay_error make(const struct assay_model_source *sources, bool port,
                             const struct assay_generate_settings *settings,
                             struct assay_sink *trace, struct assay_generated *generated,
                             struct assay_diag *diag)
{
    struct capture capture = {.random = settings->seed};
    enum assay_error error = make_streams(sources, settings, &capture, generated, diag);
    const size_t count = capture.count;
    if (error == ASSAY_OK) {
        const struct cs_policy policy = draw_policy(&capture.random, port);
        struct cs_mux mux;
        cs_mux_begin(&mux, trace, &policy);
        put_pieces(&capture, &mux);
        error = trace->error;
    }
    for (size_t i = 0; i < count; i++) {
        assay_sink_close(&capture.streams[i].bytes, NULL);
    }
    return error;
}

/* --- the models --- */

static const struct assay_model_source cluster[] = {
    {0x10, "ete", "system", {.return_stack = true, .sync = 500}},
    {0x11, "ete", "user", {.cycle_counts = 20, .sync = 200}},
    {0x12, "ete", "system", {.speculation = 8, .mispredictions = 10, .commit_mode = true}},
    {0x13, "ete", "user", {.broadcast = true, .any_packets = true}},
    {0},
};

static const struct assay_model_source harts[] = {
    {0x21, "etrace", "system", {.return_stack = true}},
    {0x6f, "etrace", "user", {.resync = 20}},
    {0x01, "ete", "user", {.period = 100}},
    {0},
};

static enum assay_error make_cluster(const struct assay_generate_settings *settings,
                                     struct assay_sink *trace, struct assay_sink *execution,
                                     struct assay_sink *facts, struct assay_generated *generated,
                                     struct assay_diag *diag)
{
    (void)execution;
    (void)facts;
    return make(cluster, false, settings, trace, generated, diag);
}

static enum assay_error make_port(const struct assay_generate_settings *settings,
                                  struct assay_sink *trace, struct assay_sink *execution,
                                  struct assay_sink *facts, struct assay_generated *generated,
                                  struct assay_diag *diag)
{
    (void)execution;
    (void)facts;
    return make(harts, true, settings, trace, generated, diag);
}

static const struct assay_model models[] = {
    {.name = "cluster",
     .summary = "four trace units of ETE, captured in memory",
     .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(seed),
     .sources = cluster,
     .make = make_cluster},
    {.name = "port",
     .summary = "two harts and a trace unit of ETE, by a trace port with synchronisation packets",
     .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(seed),
     .sources = harts,
     .framing = ASSAY_FRAMING_TRACE_PORT,
     .make = make_port},
    {0},
};

static const struct assay_sample samples[] = {
    {"generated-cluster", "cluster", "ids that change at any byte, repeated ids, padding", {0}},
    {"generated-port", "port", "synchronisation packets within and between frames", {0}},
    {0},
};

const struct assay_generator assay_generator_coresight = {
    .format = &assay_format_coresight, .models = models, .samples = samples};
