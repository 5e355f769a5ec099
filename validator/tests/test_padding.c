/* Packets and records that say nothing change nothing of what is judged: each vector is judged
 * again with some before it, behind it, and between all of its packets, where its format allows
 * them. Readers may take many packets at once, and must find the same. Compressed files are left
 * out: of them the bytes are not those of the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tests/turn.h"
#include "model/framing.h"
#include "validator/engine/extent.h"
#include "validator/tests/vector_runner.h"

enum { PADDING = 300, RECORD = 32, FRAME = 16, UNIT_BLOCK = 512 }; /* bytes */

/* Where padding is put: at the first or at the last place where it may be, or at all others. */
enum { BEFORE = 1, BEHIND = 2, BETWEEN = 4, PLACES = 3, EVERYWHERE = 7 };
static const char *const place_names[PLACES] = {"before it", "behind it", "between its packets"};

/* A rule that finds something else where there is padding in some of these places. */
struct exception {
    const char *rule;
    unsigned places;
    const char *why;
};

/* A packet, or the end, that padding might be put before. */
struct spot {
    const struct assay_format *format;
    const struct assay_event *next;
    const char *before; /* the kind of the packet before it; "" at the beginning */
    /* For the formats: of the packets before it. */
    bool accesses, trap, unsupported, ended;
};

static const char *kind_of(const struct spot *spot)
{
    return spot->format->kinds[spot->next->kind].name;
}

static bool is(const char *kind, const char *name)
{
    return strcmp(kind, name) == 0;
}

/* The field of the next packet; 0 where it has none of this name. */
static uint64_t field_of(const struct spot *spot, const char *name)
{
    const struct assay_field *field =
        assay_field_by_name(&spot->format->kinds[spot->next->kind], name);
    return field != NULL ? assay_field_get(field, spot->next) : 0;
}

/* --- ETE: the Ignore packet (5.3) --- */

#define A_PIECE "what is before the first A-sync can be packets of a session that goes on"
#define LONGER  "by what follows it a packet is longer than it is read"

static const struct exception ete_exceptions[] = {
    {"ETE-0012", BEFORE, "the first A-sync is not at the first byte"},
    {"ETE-0300", BEFORE, "the first A-sync is not at the first byte"},
    {"ETE-0040", BEFORE, A_PIECE},
    {"ETE-0042", BEFORE, A_PIECE},
    {"ETE-0045", BEFORE, A_PIECE},
    {"ETE-0066", BEFORE, A_PIECE},
    {"ETE-0070", BEFORE, A_PIECE},
    {"ETE-0071", BEFORE, A_PIECE},
    {"ETE-0085", BEFORE, A_PIECE},
    {"ETE-0088", BEFORE, A_PIECE},
    {"ETE-0090", BEFORE, A_PIECE},
    {"ETE-0291", BEFORE, A_PIECE},
    {"ETE-0342", BEFORE, A_PIECE},
    {"ETE-0304", BEFORE, "more bytes are before what cannot be read"},
    {"ETE-0309", BEFORE, "the first frames are others"},
    {"ETE-0227", BEHIND | BETWEEN, "the A-sync is further away"},
    {"ETE-0324", BETWEEN, LONGER},
    {"ETE-0325", BETWEEN, LONGER},
};

/* Before a stream only where it begins with an A-sync: what it begins with otherwise is a piece.
 * The end may cut a packet, or zeros of no packet be there: other packets are made of them then,
 * and of what is behind them. */
static bool ete_allows(struct spot *spot)
{
    return is(spot->before, "") ? is(kind_of(spot), "async")
                                : !is(spot->before, "malformed") && !is(spot->before, "padding");
}

/* --- STF: CommentRecord, which may be anywhere, but two records are first and one is last --- */

static const uint8_t comment[] = {3, 4, 0, 0, 0, '0', 'd', 'd', 'b'};

static const struct exception stf_exceptions[] = {
    {"STF-0021", EVERYWHERE, "a trace without a comment has one"},
    {"STF-0022", EVERYWHERE, "a trace without a comment has one"},
    {"STF-0040", EVERYWHERE, "a trace without a comment has one, which holds no SHA"},
    {"STF-0041", EVERYWHERE, "the comment holds no SHA"},
    {"STF-0042", EVERYWHERE, "there are more comments than tools"},
    {"STF-0602", BETWEEN, "the zeros are the upper half of an id, into which no record comes"},
};

static bool stf_allows(struct spot *spot)
{
    spot->ended = spot->ended || is(spot->before, "reserve_end");
    return spot->next->index >= 2 && !is(spot->before, "malformed") && !spot->ended;
}

/* --- ASTF: a String record that is complete (4.8) --- */

static const uint8_t string[RECORD] = {0x43, 0, 4, 0, 'n', 'o', 'n', 'e'};

static const struct exception astf_exceptions[] = {
    {"ASTF-0153", BEFORE | BETWEEN, "by the reading that a Timestamp is the first record"},
    {"ASTF-0276", EVERYWHERE,
     "between the first Context and the first instruction are no metadata"},
};

/* No record may be between those of accesses or of metadata (4.6, 4.8) and between an instruction
 * and its Trap (4.7.2), nor in a mode that is not supported (4.4.2). */
static bool astf_allows(struct spot *spot)
{
    const char *kind = kind_of(spot);
    const bool within = spot->accesses || spot->trap || spot->unsupported ||
                        is(spot->before, "string") || is(spot->before, "string_cont") ||
                        is(kind, "extra_ea") || is(kind, "string_cont");
    const bool is_instr = is(kind, "instr");
    spot->accesses =
        is_instr || is(kind, "extra_ea") ? field_of(spot, "extra_eas") != 0 : spot->accesses;
    spot->trap = is_instr ? field_of(spot, "trap") != 0 : spot->trap && !is(kind, "trap");
    spot->unsupported =
        is(kind, "context") ? field_of(spot, "unsupported") != 0 : spot->unsupported;
    return !within && !is(spot->before, "") && !is(spot->before, "malformed");
}

/* --- E-Trace: null packets of the encapsulation --- */

static const struct exception etrace_exceptions[] = {
    {"ETR-0021", BEFORE | BETWEEN, "packets are elsewhere in the blocks of padding_block"},
    {"ETR-0855", BEFORE | BETWEEN, "null packets for alignment are due in an unframed stream"},
};

/* Whether it can be written in the encapsulation: in the containers that have a timestamp or a
 * source these are parameters. */
static bool is_in_whole_bytes(const struct ready_vector *vector)
{
    const unsigned framing = vector->vector.framing;
    return !vector->carried && vector->vector.trace != NULL &&
           (framing == ASSAY_FRAMING_RAW || framing == ASSAY_FRAMING_BYTE_HEADER ||
            framing == ASSAY_FRAMING_ENCAPSULATION);
}

static bool etrace_allows(struct spot *spot)
{
    return !is(spot->before, "malformed");
}

/* --- CoreSight: the synchronisation packet of a trace port, and frames of the id of no source ---
 */

#define NO_ID "a capture without an id has one"

static const struct exception coresight_exceptions[] = {
    {"CS-0007", BEHIND, "four packets are a barrier only where each packet is one of four"},
    {"CS-0013", BEHIND, NO_ID},
    {"CS-0015", BEHIND, NO_ID},
    {"CS-0032", BEHIND, NO_ID},
    {"CS-0033", BEHIND, NO_ID},
};

/* By its size a capture has the blocks of a DSTREAM unit, which another size has not. */
static bool has_blocks(const struct ready_vector *vector)
{
    return vector->bytes.size % UNIT_BLOCK == 0;
}

static bool is_of_port(const struct ready_vector *vector)
{
    return vector->vector.framing == ASSAY_FRAMING_TRACE_PORT && !has_blocks(vector);
}

static bool is_of_buffer(const struct ready_vector *vector)
{
    return vector->vector.framing != ASSAY_FRAMING_TRACE_PORT && !has_blocks(vector);
}

static bool port_allows(struct spot *spot)
{
    return (is(kind_of(spot), "frame") && !is(spot->before, "full_sync")) ||
           (is(kind_of(spot), "end") && is(spot->before, "frame"));
}

/* Behind the last frame only: what comes behind such a frame elsewhere is of no source, either. */
static bool buffer_allows(struct spot *spot)
{
    return is(kind_of(spot), "end") && is(spot->before, "frame");
}

/* --- all of them --- */

static const uint8_t ignore[] = {0x70};
/* As many as a packet can hold: more are a synchronization sequence, at which a piece is read. */
enum { NULLS = 20 };
static const uint8_t null_idle[] = {0};
static const uint8_t full_sync[] = {0xff, 0xff, 0xff, 0x7f};
static const uint8_t null_frame[FRAME] = {0x01};

/* The formats that have something that says nothing. */
static const struct padding {
    const char *format;
    const uint8_t *unit;
    size_t size;
    size_t most; /* units at once, before and behind */
    bool (*takes)(
        const struct ready_vector *vector); /* whether it is for this one; null: for all */
    bool (*allows)(struct spot *spot);      /* asked of each packet in turn, and of the end */
    unsigned framing; /* that vectors are written in; RAW: the one that they state */
    const struct exception *exceptions;
    size_t exception_count;
} paddings[] = {
#define UNIT(bytes)      bytes, sizeof(bytes)
#define MANY(bytes)      UNIT(bytes), PADDING / sizeof(bytes)
#define EXCEPTIONS(list) list, sizeof(list) / sizeof((list)[0])
    {"ete", MANY(ignore), NULL, ete_allows, ASSAY_FRAMING_RAW, EXCEPTIONS(ete_exceptions)},
    {"stf", MANY(comment), NULL, stf_allows, ASSAY_FRAMING_RAW, EXCEPTIONS(stf_exceptions)},
    {"astf", MANY(string), NULL, astf_allows, ASSAY_FRAMING_RAW, EXCEPTIONS(astf_exceptions)},
    {"etrace", UNIT(null_idle), NULLS, is_in_whole_bytes, etrace_allows,
     ASSAY_FRAMING_ENCAPSULATION, EXCEPTIONS(etrace_exceptions)},
    {"coresight", UNIT(full_sync), 1, is_of_port, port_allows, ASSAY_FRAMING_RAW,
     EXCEPTIONS(coresight_exceptions)},
    {"coresight", MANY(null_frame), is_of_buffer, buffer_allows, ASSAY_FRAMING_RAW,
     EXCEPTIONS(coresight_exceptions)},
};

static struct ready_corpus corpus;

/* The offsets at which padding may be, in their order. */
struct spots {
    size_t *at;
    size_t count;
    bool behind; /* nothing that cannot be read is behind the last one */
};

/* Whether the end of the trace says that it was stored as it is. */
static bool is_raw(const struct assay_format *format, const struct assay_event *end)
{
    const struct assay_field *field = assay_field_by_name(&format->kinds[end->kind], "container");
    return field == NULL || assay_field_get(field, end) == 0;
}

static struct spots find_spots(const struct padding *padding, const struct ready_vector *vector)
{
    const struct assay_format *format = vector->vector.format;
    struct ready_vector packets = *vector;
    struct vector_reader reader;
    struct spots spots = {.at = NULL};
    struct spot spot = {.format = format, .before = ""};
    packets.vector.layer = format->layers[0];
    open_events(&reader, &packets);
    while ((spot.next = next_event(&reader)) != NULL) {
        const bool ends = spot.next->kind == ASSAY_KIND_END;
        if (padding->allows(&spot)) {
            spots.at = realloc(spots.at, (spots.count + 1) * sizeof *spots.at);
            assert_non_null(spots.at);
            spots.at[spots.count++] = ends ? vector->bytes.size : spot.next->offset;
            spots.behind = true;
        }
        spots.behind = spots.behind && spot.next->kind != ASSAY_KIND_MALFORMED;
        if (ends && !is_raw(format, spot.next)) {
            spots.count = spots.behind = 0;
        }
        spot.before = kind_of(&spot);
    }
    close_events(&reader);
    return spots;
}

/* The bytes with units of padding at each of some offsets. */
static struct assay_sink pad(const struct padding *padding, const struct assay_sink *bytes,
                             const struct spots *spots, size_t units)
{
    const uint8_t *data = bytes->size > 0 ? bytes->data : (const uint8_t *)""; /* none: null */
    struct assay_sink padded;
    size_t from = 0;
    assay_sink_memory(&padded, 0);
    for (size_t i = 0; i < spots->count; i++) {
        assay_sink_write(&padded, data + from, spots->at[i] - from);
        for (size_t n = 0; n < units; n++) {
            assay_sink_write(&padded, padding->unit, padding->size);
        }
        from = spots->at[i];
    }
    assay_sink_write(&padded, data + from, bytes->size - from);
    return padded;
}

/* Padding is judged, too, and may exercise a rule that had nothing to check. It makes more of the
 * stream right, so that diagnoses of an extent are others. */
static bool differs(const struct assay_rule_total *bare, const struct assay_rule_total *padded)
{
    if (bare->rule->extent != ASSAY_EXTENT_ANY) {
        return false;
    }
    return bare->violated != padded->violated ||
           (bare->verdict != padded->verdict &&
            (bare->verdict != ASSAY_NOT_EXERCISED || padded->verdict != ASSAY_PASS));
}

static bool is_exception(const struct padding *padding, const char *rule, unsigned place)
{
    bool is_one = false;
    for (size_t i = 0; i < padding->exception_count; i++) {
        const struct exception *exception = &padding->exceptions[i];
        is_one = is_one || ((exception->places & place) != 0 && is(exception->rule, rule));
    }
    return is_one;
}

/* What the rules say of both; 1 where it is not the same. */
static unsigned compare(const struct padding *padding, const struct ready_vector *vector,
                        unsigned place, const struct vector_run *bare,
                        const struct vector_run *padded)
{
    unsigned bad = 0;
    for (size_t r = 0; r < bare->results->rule_count; r++) {
        const struct assay_rule_total *a = &bare->results->rules[r];
        const struct assay_rule_total *b = &padded->results->rules[r];
        if (differs(a, b) && !is_exception(padding, a->rule->id, 1U << place)) {
            print_error("%s: %s: %s, violated %llu times; with padding %s: %s, %llu times\n",
                        vector->path, a->rule->id, assay_verdict_name(a->verdict),
                        (unsigned long long)a->violated, place_names[place],
                        assay_verdict_name(b->verdict), (unsigned long long)b->violated);
            bad = 1;
        }
    }
    return bad;
}

/* A capture with all its streams. */
static void judge(struct vector_run *run, const struct ready_vector *vector)
{
    if (vector->vector.format->carrier != NULL) {
        run_capture(run, vector, false);
    } else {
        run_vector(run, vector, assay_catalogue_of(vector->vector.format), false);
    }
}

/* Judges a vector with padding in all places, and counts the trials. */
static unsigned judge_padded(const struct padding *padding, const struct ready_vector *vector,
                             unsigned *run)
{
    struct spots spots = find_spots(padding, vector);
    if (spots.count == 0) {
        free(spots.at);
        return 0;
    }
    const struct spots chosen[PLACES] = {
        {.at = spots.at, .count = spots.count > spots.behind},
        {.at = spots.at + spots.count - spots.behind, .count = spots.behind},
        {.at = spots.at + 1, .count = spots.count > 2 ? spots.count - 2 : 0}};
    const size_t units[PLACES] = {padding->most, padding->most, 1};
    struct vector_run bare;
    unsigned bad = 0;
    judge(&bare, vector);
    for (unsigned place = 0; place < PLACES; place++) {
        struct ready_vector other = *vector;
        struct vector_run padded;
        if (chosen[place].count == 0) {
            continue;
        }
        other.bytes = pad(padding, &vector->bytes, &chosen[place], units[place]);
        judge(&padded, &other);
        bad += compare(padding, vector, place, &bare, &padded);
        end_run(&padded);
        assay_sink_close(&other.bytes, NULL);
        (*run)++;
    }
    end_run(&bare);
    free(spots.at);
    return bad;
}

/* The same, of the vector as it is written in the framing of the padding. */
static unsigned judge_framed(const struct padding *padding, const struct ready_vector *vector,
                             unsigned *run)
{
    struct ready_vector framed = *vector;
    unsigned bad = 0;
    if (padding->framing == ASSAY_FRAMING_RAW) {
        return judge_padded(padding, vector, run);
    }
    framed.vector.framing = padding->framing;
    assay_sink_memory(&framed.bytes, 0);
    if (assay_vector_encode(&framed.vector, &framed.bytes, NULL) == ASSAY_OK) {
        bad = judge_padded(padding, &framed, run);
    }
    assay_sink_close(&framed.bytes, NULL);
    return bad;
}

static void change_no_finding(const char *format, unsigned least)
{
    unsigned bad = 0, run = 0;
    for (size_t p = 0; p < sizeof paddings / sizeof paddings[0]; p++) {
        const struct padding *padding = &paddings[p];
        for (size_t i = 0; i < corpus.count && is(padding->format, format); i++) {
            const struct ready_vector *vector = &corpus.list[i];
            if (is_in_turn(i) && is(vector->vector.format->name, format) &&
                vector->vector.expectation != ASSAY_EXPECT_REFUSES &&
                (padding->takes == NULL || padding->takes(vector))) {
                bad += judge_framed(padding, vector, &run);
            }
        }
    }
    if (bad > 0) {
        print_error("%u of %u padded traces are judged otherwise\n", bad, run);
    }
    assert_true(run > least);
    assert_int_equal(bad, 0);
}

static void ignore_packets_of_ete_change_no_finding(void **state)
{
    (void)state;
    change_no_finding("ete", 1000);
}

static void comments_of_stf_change_no_finding(void **state)
{
    (void)state;
    change_no_finding("stf", 1000);
}

static void strings_of_astf_change_no_finding(void **state)
{
    (void)state;
    change_no_finding("astf", 1000);
}

static void null_packets_of_etrace_change_no_finding(void **state)
{
    (void)state;
    change_no_finding("etrace", 1000);
}

static void what_fills_a_capture_changes_no_finding(void **state)
{
    (void)state;
    change_no_finding("coresight", 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ignore_packets_of_ete_change_no_finding),
        cmocka_unit_test(comments_of_stf_change_no_finding),
        cmocka_unit_test(strings_of_astf_change_no_finding),
        cmocka_unit_test(null_packets_of_etrace_change_no_finding),
        cmocka_unit_test(what_fills_a_capture_changes_no_finding),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
