/* Elements to packets and back: sequences of random elements, with both policies. */
#include "ete/tests/ete_support.h"

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "generators/ete/writer.h"

enum { LENGTH = 400, TRIALS = 1500, THRESHOLD = 64, COUNTED = 1 << 20 };
enum { PE_RESET = 0, FAILURE = 24, UNKNOWN_RETURN = 25, UNKNOWN = 0x70 };

#define SET(e, name, number) ((e)->cells[ETE_CELL_##name] = (number))

/* --- random elements --- */

/* A sequence in the making. */
struct sequence {
    uint64_t seed;
    struct ete_element list[LENGTH + 8];
    size_t count;
    struct ete_element context; /* the last one */
    uint64_t address;           /* the last one */
    uint64_t timestamp;
    bool transactional, counting;
};

static struct ete_element *add(struct sequence *s, enum ete_kind kind)
{
    struct ete_element *element = &s->list[s->count++];
    *element = (struct ete_element){.kind = kind};
    return element;
}

/* Near the last one, or anywhere; sometimes one of a few. */
static uint64_t some_address(struct sequence *s, bool *is1)
{
    static const unsigned bits[] = {0, 5, 9, 17, 20, 31, 33, 48, 64};
    const unsigned near = bits[random_below(&s->seed, sizeof bits / sizeof bits[0])];
    const uint64_t mask = assay_mask(near);
    *is1 = random_below(&s->seed, 4) == 0;
    s->address = (s->address & ~mask) | (random_next(&s->seed) & mask);
    if (random_below(&s->seed, 4) == 0) {
        s->address = 0x1000 * random_below(&s->seed, 3);
    }
    return s->address &= *is1 ? ~UINT64_C(1) : ~UINT64_C(3);
}

static void set_place(struct sequence *s, struct ete_element *element, unsigned cell)
{
    bool is1 = false;
    element->cells[cell] = some_address(s, &is1);
    element->cells[cell + 1] = is1;
}

static void add_context(struct sequence *s)
{
    struct ete_element *e = add(s, ETE_elem_context);
    *e = s->context;
    e->kind = ETE_elem_context;
    if (random_below(&s->seed, 3) == 0) {
        SET(e, elem_context_el, random_below(&s->seed, 4));
        SET(e, elem_context_security, random_below(&s->seed, 4));
        SET(e, elem_context_sf, random_below(&s->seed, 2));
    }
    if (random_below(&s->seed, 3) == 0) {
        SET(e, elem_context_vmid, random_value(&s->seed, 32));
    }
    if (random_below(&s->seed, 3) == 0) {
        SET(e, elem_context_context_id, random_value(&s->seed, 32));
    }
    s->context = *e;
}

static void add_target(struct sequence *s)
{
    set_place(s, add(s, ETE_elem_target_address), ETE_CELL_elem_target_address_address);
}

static void add_failure(struct sequence *s)
{
    add(s, ETE_elem_transaction_failure);
    s->transactional = false;
}

/* With any of the elements that can be in the same packet. */
static void add_exception(struct sequence *s)
{
    const bool has_target = random_below(&s->seed, 2) == 0;
    const bool failure = s->transactional && random_below(&s->seed, 2) == 0;
    const unsigned type =
        random_below(&s->seed, 3) == 0 ? PE_RESET : (unsigned)random_below(&s->seed, 26);
    const bool has_no_address = type == PE_RESET || type == UNKNOWN_RETURN;
    const bool unknown = has_no_address || random_below(&s->seed, 8) == 0;
    const bool without = unknown && (!has_no_address || random_below(&s->seed, 2) == 0);
    struct ete_element *target = NULL;
    if (!without && random_below(&s->seed, 3) == 0) {
        add_context(s);
    }
    if (has_target) {
        add_target(s);
        target = &s->list[s->count - 1];
        if (without) {
            *target = (struct ete_element){.kind = ETE_elem_target_address};
            SET(target, elem_target_address_unknown, 1);
        }
    }
    if (failure || type == FAILURE || (type == PE_RESET && s->transactional)) {
        add_failure(s);
    }
    if (failure || type == FAILURE) {
        return;
    }
    struct ete_element *e = add(s, ETE_elem_exception);
    SET(e, elem_exception_type, type);
    SET(e, elem_exception_unknown, unknown);
    if (!without) {
        set_place(s, e, ETE_CELL_elem_exception_address);
    }
    if (target != NULL && !without) {
        memcpy(&e->cells[ETE_CELL_elem_exception_address],
               &target->cells[ETE_CELL_elem_target_address_address], 2 * sizeof e->cells[0]);
    }
}

static void add_trace_info(struct sequence *s, unsigned threshold)
{
    struct ete_element *e = add(s, ETE_elem_trace_info);
    s->counting = random_below(&s->seed, 4) > 0;
    s->transactional = random_below(&s->seed, 8) == 0;
    SET(e, elem_trace_info_cc_enabled, s->counting);
    SET(e, elem_trace_info_cc_threshold, s->counting ? threshold : 0);
    SET(e, elem_trace_info_spec_depth,
        random_below(&s->seed, 2) == 0 ? 0 : random_below(&s->seed, 20));
    SET(e, elem_trace_info_in_transaction, s->transactional);
    s->context = (struct ete_element){.kind = ETE_elem_context};
    s->timestamp = 0;
}

static void add_atoms(struct sequence *s)
{
    const unsigned count = (unsigned)random_below(&s->seed, 30);
    const uint64_t style = random_below(&s->seed, 4);
    for (unsigned n = 0; n < count && s->count < LENGTH; n++) {
        const uint64_t taken = style == 0   ? 1
                               : style == 1 ? n % 2
                               : style == 2 ? 0
                                            : random_below(&s->seed, 2);
        SET(add(s, ETE_elem_atom), elem_atom_taken, taken);
    }
}

static void add_misprediction(struct sequence *s)
{
    if (random_below(&s->seed, 3) > 0) {
        SET(add(s, ETE_elem_cancel), elem_cancel_count,
            random_below(&s->seed, 8) > 0 ? random_below(&s->seed, 8) : random_value(&s->seed, 32));
    }
    if (random_below(&s->seed, 4) > 0) {
        add(s, ETE_elem_mispredict);
    }
}

static void add_cycle_count(struct sequence *s, unsigned threshold)
{
    static const uint64_t above[] = {4, 16, COUNTED};
    struct ete_element *e = add(s, ETE_elem_cycle_count);
    const bool unknown = random_below(&s->seed, 8) == 0;
    SET(e, elem_cycle_count_unknown, unknown);
    if (!unknown) {
        SET(e, elem_cycle_count_count,
            random_below(&s->seed, above[random_below(&s->seed, 3)]) +
                (s->counting ? threshold : 0));
    }
}

static void add_commit(struct sequence *s, unsigned threshold)
{
    SET(add(s, ETE_elem_commit), elem_commit_count,
        random_below(&s->seed, 8) == 0   ? random_value(&s->seed, 32)
        : random_below(&s->seed, 2) == 0 ? random_below(&s->seed, 5)
                                         : random_below(&s->seed, 25));
    if (random_below(&s->seed, 4) > 0) {
        add_cycle_count(s, threshold);
    }
}

static void add_timestamp(struct sequence *s)
{
    struct ete_element *e = add(s, ETE_elem_timestamp);
    const uint64_t mask = assay_mask((unsigned)random_below(&s->seed, 65));
    const bool counted = random_below(&s->seed, 2) == 0;
    s->timestamp = (s->timestamp & ~mask) | (random_next(&s->seed) & mask);
    SET(e, elem_timestamp_timestamp, s->timestamp);
    SET(e, elem_timestamp_counted, counted);
    SET(e, elem_timestamp_count, counted ? random_value(&s->seed, 20) : 0);
}

static void add_events(struct sequence *s)
{
    const uint64_t set = 1 + random_below(&s->seed, 15);
    for (unsigned n = 0; n < 4; n++) {
        if ((set >> n & 1) != 0) {
            SET(add(s, ETE_elem_event), elem_event_number, n);
        }
    }
}

static void add_discard(struct sequence *s)
{
    add(s, ETE_elem_discard);
    if (random_below(&s->seed, 2) == 0) {
        add(s, ETE_elem_overflow);
    }
    if (s->transactional) {
        add_failure(s);
    }
}

static void add_transaction(struct sequence *s)
{
    add(s, s->transactional ? ETE_elem_transaction_commit : ETE_elem_transaction_start);
    s->transactional = !s->transactional;
}

static void add_q(struct sequence *s)
{
    struct ete_element *e = add(s, ETE_elem_q);
    const bool counted = random_below(&s->seed, 3) > 0;
    SET(e, elem_q_counted, counted);
    SET(e, elem_q_count, counted ? random_value(&s->seed, 32) : 0);
    if (random_below(&s->seed, 2) == 0) {
        add_target(s);
    }
}

static void add_some(struct sequence *s, unsigned threshold)
{
    struct ete_element *e;
    switch (random_below(&s->seed, 18)) {
    case 0:
    case 1:
    case 2:
        add_atoms(s);
        break;
    case 3:
    case 4:
        add_target(s);
        break;
    case 5:
        add_context(s);
        break;
    case 6:
        add_exception(s);
        break;
    case 7:
        add_misprediction(s);
        break;
    case 8:
        add_commit(s, threshold);
        break;
    case 9:
        add_cycle_count(s, threshold);
        break;
    case 10:
        add_timestamp(s);
        break;
    case 11:
        add_events(s);
        break;
    case 12:
        add_transaction(s);
        break;
    case 13:
        add_q(s);
        break;
    case 14:
        set_place(s, add(s, ETE_elem_source_address), ETE_CELL_elem_source_address_address);
        break;
    case 15:
        e = add(s, ETE_elem_instrumentation);
        SET(e, elem_instrumentation_el, random_below(&s->seed, 4));
        SET(e, elem_instrumentation_value, random_next(&s->seed));
        break;
    case 16:
        add(s, random_below(&s->seed, 2) == 0 ? ETE_elem_trace_on : ETE_elem_timestamp_marker);
        break;
    default:
        if (random_below(&s->seed, 4) == 0) {
            add_discard(s);
        } else if (random_below(&s->seed, 4) == 0) {
            add_trace_info(s, threshold);
        }
        break;
    }
}

/* --- there and back --- */

/* Which packets were seen: by header, by what else distinguishes forms. */
struct forms {
    unsigned header[256];
    unsigned exception[2][256]; /* by E and the header of the address */
    unsigned sections[16];      /* of a Trace Info */
    unsigned timestamp[10];     /* by bytes */
    unsigned address[3];        /* short addresses by bytes */
    unsigned identifiers[4];    /* of contexts */
};

static void note(struct forms *forms, const struct decoded *packets)
{
    for (size_t i = 0; i < packets->count; i++) {
        const struct seen *p = &packets->list[i];
        assert_int_not_equal(p->kind, ETE_malformed);
        forms->header[p->kind == ETE_end ? UNKNOWN : p->bytes[0]]++;
        if (p->kind == ETE_exception) {
            forms->exception[p->bytes[1] & 1][p->bytes[2]]++;
        } else if (p->kind == ETE_trace_info) {
            forms->sections[p->bytes[1]]++;
        } else if (p->kind == ETE_timestamp) {
            forms->timestamp[value_of(p, "low_size")]++;
        } else if (p->kind == ETE_target_short || p->kind == ETE_source_short) {
            forms->address[value_of(p, "encoded_size")]++;
        } else if (p->kind == ETE_target_context ||
                   (p->kind == ETE_context && value_of(p, "p") != 0)) {
            forms->identifiers[value_of(p, "v") + 2 * value_of(p, "c")]++;
        }
    }
}

static struct assay_parameter_values registers(bool commit_mode, uint64_t max_depth)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR0] = (uint64_t)commit_mode << ETE_COMMOPT_BIT;
    values.value[ETE_TRCIDR8] = max_depth;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR8] = true;
    return values;
}

static struct assay_sink write_all(const struct sequence *s, enum ete_choice choice,
                                   const struct assay_parameter_values *values)
{
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    const struct ete_writer_setup setup = {.sink = &sink,
                                           .trcidr0 = values->value[ETE_TRCIDR0],
                                           .max_depth = values->value[ETE_TRCIDR8],
                                           .choice = choice,
                                           .seed = s->seed};
    struct ete_writer *writer = ete_writer_open(&setup);
    assert_non_null(writer);
    for (size_t i = 0; i < s->count; i++) {
        assert_int_equal(ete_writer_put(writer, &s->list[i], NULL), ASSAY_OK);
    }
    assert_int_equal(ete_writer_flush(writer, NULL), ASSAY_OK);
    ete_writer_close(writer);
    return sink;
}

/* The elements but for their state, and but for commits that no packet says. */
static void assert_elements(const struct sequence *s, const struct decoded *elements)
{
    size_t at = 0;
    for (size_t i = 0; i < elements->count; i++) {
        const struct seen *e = &elements->list[i];
        if (e->kind == ETE_elem_commit && value_of(e, "implicit") != 0) {
            continue;
        }
        assert_true(at < s->count);
        assert_int_equal(e->kind, s->list[at].kind);
        assert_memory_equal(e->cells + ETE_SAYS, s->list[at].cells + ETE_SAYS,
                            ETE_SAYS_MOST * sizeof e->cells[0]);
        at++;
    }
    assert_int_equal(at, s->count);
}

static uint64_t there_and_back(const struct sequence *s, enum ete_choice choice,
                               struct assay_parameter_values *values, struct forms *forms)
{
    struct assay_sink sink = write_all(s, choice, values);
    struct decoded packets = decode(sink.data, sink.size, values, ETE_PACKET);
    struct decoded elements = decode(sink.data, sink.size, values, ETE_ELEMENT);
    const uint64_t size = sink.size;
    note(forms, &packets);
    assert_elements(s, &elements);
    free(packets.list);
    free(elements.list);
    assay_sink_close(&sink, NULL);
    return size;
}

static struct sequence *some_sequence(uint64_t seed, unsigned threshold)
{
    struct sequence *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->seed = seed;
    add_trace_info(s, threshold);
    while (s->count < LENGTH - 40) {
        add_some(s, threshold);
    }
    return s;
}

/* Every header of a packet, and what else there is to choose. */
static void assert_all_forms(const struct forms *forms)
{
    for (unsigned header = 0; header < 256; header++) {
        if (ete_form_of((uint8_t)header)->kind != ETE_malformed) {
            assert_true(forms->header[header] > 0);
        } else {
            assert_int_equal(forms->header[header], 0);
        }
        if (ete_address_form_of((uint8_t)header)->kind != ETE_malformed) {
            assert_true(forms->exception[0][header] > 0);
            assert_true(forms->exception[1][header] > 0);
        }
    }
    for (unsigned size = 1; size <= 9; size++) {
        assert_true(forms->timestamp[size] > 0);
    }
    for (unsigned bits = 0; bits < 8; bits++) {
        assert_true(forms->sections[(bits & 1) | (bits & 6) << 1] > 0);
    }
    for (unsigned n = 0; n < 4; n++) {
        assert_true(forms->identifiers[n] > 0);
    }
    assert_true(forms->address[1] > 0 && forms->address[2] > 0);
}

static void elements_come_back_from_any_packets_and_every_form_is_used(void **state)
{
    (void)state;
    static struct forms any, shortest;
    uint64_t any_bytes = 0;
    uint64_t shortest_bytes = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        if (!is_in_sanitized_turn(seed / 4)) {
            continue;
        }
        struct assay_parameter_values values = registers(seed % 2 == 0, seed % 3 * 9);
        struct sequence *s = some_sequence(seed, seed % 4 == 0 ? 0 : THRESHOLD);
        any_bytes += there_and_back(s, ETE_CHOOSE_ANY, &values, &any);
        shortest_bytes += there_and_back(s, ETE_CHOOSE_SHORTEST, &values, &shortest);
        free(s);
    }
    if (are_all_in_sanitized_turn()) {
        assert_all_forms(&any);
    }
    assert_true(shortest_bytes * 5 < any_bytes * 4);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    struct assay_parameter_values values = registers(false, 4);
    struct sequence *s = some_sequence(7, THRESHOLD);
    struct assay_sink first = write_all(s, ETE_CHOOSE_ANY, &values);
    struct assay_sink second = write_all(s, ETE_CHOOSE_ANY, &values);
    s->seed++;
    struct assay_sink other = write_all(s, ETE_CHOOSE_ANY, &values);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    assert_true(other.size != first.size || memcmp(other.data, first.data, first.size) != 0);
    assay_sink_close(&first, NULL);
    assay_sink_close(&second, NULL);
    assay_sink_close(&other, NULL);
    free(s);
}

/* --- what is chosen, and what cannot be --- */

/* The bytes of a few elements after a Trace Info, the A-sync and the Trace Info left out. */
static void assert_bytes(const struct ete_element *list, size_t count, const char *bytes,
                         size_t size)
{
    enum { BEFORE = 14 };
    struct assay_parameter_values values = registers(false, 20);
    static struct sequence s;
    s = (struct sequence){0};
    add(&s, ETE_elem_trace_info);
    memcpy(&s.list[1], list, count * sizeof *list);
    s.count += count;
    struct assay_sink sink = write_all(&s, ETE_CHOOSE_SHORTEST, &values);
    assert_int_equal(sink.size, BEFORE + size);
    assert_memory_equal(sink.data + BEFORE, bytes, size);
    assay_sink_close(&sink, NULL);
}

#define ATOM(e)                                                                                    \
    {                                                                                              \
        .kind = ETE_elem_atom, .cells = { [ETE_CELL_elem_atom_taken] = (e) }                       \
    }
#define TARGET(a)                                                                                  \
    {                                                                                              \
        .kind = ETE_elem_target_address, .cells = { [ETE_CELL_elem_target_address_address] = (a) } \
    }
#define CANCEL(n)                                                                                  \
    {                                                                                              \
        .kind = ETE_elem_cancel, .cells = { [ETE_CELL_elem_cancel_count] = (n) }                   \
    }
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void the_shortest_packets_are_chosen(void **state)
{
    (void)state;
    const struct ete_element cancelled[] = {
        ATOM(1), ATOM(1), CANCEL(1), {.kind = ETE_elem_mispredict}};
    const struct ete_element addresses[] = {TARGET(0x1000), TARGET(0x1004), TARGET(0x2000),
                                            TARGET(0x1004), TARGET(UINT64_C(0x100001004))};
    struct ete_element atoms[26];
    for (size_t i = 0; i < COUNT(atoms); i++) {
        atoms[i] = (struct ete_element)ATOM(i != 23);
    }
    assert_bytes(cancelled, COUNT(cancelled), "\x36", 1);
    assert_bytes(addresses, COUNT(addresses),
                 "\x95\x80\x08\x95\x01\x95\x80\x10\x91"
                 "\x9d\x01\x08\0\0\1\0\0\0",
                 18);
    assert_bytes(atoms, COUNT(atoms), "\xf4\xdb", 2);
}

static void an_element_that_no_packet_says_is_refused(void **state)
{
    (void)state;
    struct assay_parameter_values values = registers(true, 0);
    const struct ete_element wrong[] = {
        TARGET(0x1001),
        {.kind = ETE_elem_loss},
        {.kind = ETE_elem_overflow},
        {.kind = ETE_elem_target_address, .cells = {[ETE_CELL_elem_target_address_unknown] = 1}},
        {.kind = ETE_elem_cycle_count, .cells = {[ETE_CELL_elem_cycle_count_count] = COUNTED}},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct assay_sink sink;
        assay_sink_memory(&sink, 0);
        const struct ete_writer_setup setup = {.sink = &sink, .trcidr0 = values.value[ETE_TRCIDR0]};
        struct ete_writer *writer = ete_writer_open(&setup);
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        assert_int_equal(ete_writer_put(writer, &wrong[i], &diag), ASSAY_OK);
        assert_int_equal(ete_writer_flush(writer, &diag), ASSAY_OUT_OF_RANGE);
        assert_true(diag.message[0] != '\0');
        ete_writer_close(writer);
        assay_sink_close(&sink, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_back_from_any_packets_and_every_form_is_used),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(the_shortest_packets_are_chosen),
        cmocka_unit_test(an_element_that_no_packet_says_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
