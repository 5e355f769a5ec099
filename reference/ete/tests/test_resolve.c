/* The resolution of ETE's elements, compared with a model that keeps all elements of a stream and
 * looks through them again and again; and queues that are full. Single cases are the vectors
 * decode.res-* and decode.tq-* in corpus/ete/decode. */
#include "ete/tests/ete_support.h"

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "model/layout.h"

#define ADDRESS "\x85\0\x08\0\0\0\0\0\0\x31"
#define BEGIN   START "\x04" ADDRESS

static struct assay_parameter_values registers(uint64_t max_depth, bool start_is_p0)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR0] =
        UINT64_C(1) << ETE_COMMOPT_BIT | (start_is_p0 ? 0 : UINT64_C(1) << ETE_COMMTRANS_BIT);
    values.value[ETE_TRCIDR8] = max_depth;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR8] = true;
    return values;
}

/* --- the model --- */

enum { END, DISCARD, LOST, DEPTH, FULL, TRANSACTION, END_IN_TRANSACTION }; /* reasons */

/* An element, or what stands for those that were not resolved. */
struct item {
    uint64_t offset;
    unsigned kind;              /* that of the resolved element */
    const struct seen *element; /* null: none says the same */
    bool p0, open, removed;
    bool informs, begins, in_transaction; /* of a Trace Info */
    bool transactional;
    uint64_t reason, elements, p0_elements, unseen; /* of ETE_unresolved */
    uint64_t dropped;                               /* of a Transaction Failure */
};

struct model {
    struct item *items;
    size_t count;
    size_t first; /* of those that are not given up */
    uint64_t unseen;
    bool begun, start_is_p0;
};

static struct item *add_item(struct model *m, unsigned kind, uint64_t offset)
{
    struct item *item = &m->items[m->count++];
    *item = (struct item){.kind = kind, .offset = offset};
    return item;
}

/* Table K10-2. */
static bool outlasts_cancel(unsigned kind)
{
    return kind == ETE_resolved_cycle_count || kind == ETE_resolved_event ||
           kind == ETE_resolved_timestamp || kind == ETE_resolved_timestamp_marker ||
           kind == ETE_resolved_trace_info || kind == ETE_resolved_instrumentation;
}

static uint64_t open_count(const struct model *m)
{
    uint64_t count = 0;
    for (size_t i = m->first; i < m->count; i++) {
        count += m->items[i].open;
    }
    return count;
}

static void model_commit(struct model *m, uint64_t count)
{
    const uint64_t unseen = count < m->unseen ? count : m->unseen;
    m->unseen -= unseen;
    count -= unseen;
    for (size_t i = m->first; i < m->count && count > 0; i++) {
        count -= m->items[i].open;
        m->items[i].open = false;
    }
}

/* The number of the first element that is not resolved. */
static size_t first_waiting(const struct model *m)
{
    size_t at = m->first;
    while (m->unseen == 0 && at < m->count && !m->items[at].open) {
        at++;
    }
    return at;
}

static void model_cancel(struct model *m, uint64_t count)
{
    const size_t oldest = first_waiting(m);
    size_t at = m->count;
    while (count > 0 && at > oldest) {
        count -= m->items[--at].open;
    }
    m->unseen -= count < m->unseen ? count : m->unseen;
    for (; at < m->count; at++) {
        struct item *item = &m->items[at];
        item->removed = item->removed || !outlasts_cancel(item->kind);
        item->open = false;
        item->informs = item->informs && item->begins;
    }
}

static void model_give_up(struct model *m, uint64_t reason, uint64_t offset)
{
    const uint64_t p0_elements = open_count(m);
    uint64_t elements = 0;
    for (size_t at = first_waiting(m); at < m->count; at++) {
        struct item *item = &m->items[at];
        const bool stays = outlasts_cancel(item->kind) &&
                           (reason == END || item->kind != ETE_resolved_cycle_count);
        elements += !item->removed && !stays;
        item->removed = item->removed || !stays;
        item->open = false;
        item->informs = false;
    }
    struct item *unresolved = add_item(m, ETE_unresolved, offset);
    unresolved->reason = reason;
    unresolved->elements = elements;
    unresolved->p0_elements = p0_elements;
    unresolved->unseen = m->unseen;
    m->first = m->count;
    m->unseen = 0;
    m->begun = false;
}

static void model_trace_info(struct model *m, const struct seen *element)
{
    const uint64_t depth = value_of(element, "spec_depth");
    if (m->begun ? depth != open_count(m) + m->unseen : depth < open_count(m)) {
        model_give_up(m, DEPTH, element->offset);
        add_item(m, ETE_resolved_loss, element->offset);
        m->first = m->count;
    }
    const size_t first = first_waiting(m);
    struct item *item = add_item(m, ETE_resolved_trace_info, element->offset);
    item->element = element;
    item->in_transaction = value_of(element, "in_transaction") != 0;
    item->informs = true;
    item->begins = !m->begun;
    if (item->begins) {
        m->first = first;
        m->unseen = depth - open_count(m);
        m->begun = true;
    }
}

static void model_element(struct model *m, const struct seen *element)
{
    const unsigned kind = (unsigned)(element->kind - ETE_elem_trace_info + ETE_resolved_trace_info);
    struct item *item = NULL;
    switch (element->kind) {
    case ETE_elem_commit:
        model_commit(m, value_of(element, "count"));
        break;
    case ETE_elem_cancel:
        model_cancel(m, value_of(element, "count"));
        break;
    case ETE_elem_trace_info:
        model_trace_info(m, element);
        break;
    case ETE_elem_discard:
    case ETE_elem_loss:
        model_give_up(m, element->kind == ETE_elem_loss ? LOST : DISCARD, element->offset);
        add_item(m, kind, element->offset)->element = element;
        m->first = m->count;
        break;
    default:
        item = add_item(m, kind, element->offset);
        item->element = element;
        item->p0 = kind == ETE_resolved_atom || kind == ETE_resolved_exception ||
                   kind == ETE_resolved_q || kind == ETE_resolved_source_address ||
                   (kind == ETE_resolved_transaction_start && m->start_is_p0);
        item->open = item->p0;
        break;
    }
}

/* Takes out the elements of a transaction that does not take effect, those from `from` on. Returns
 * how many there were. */
static uint64_t undo(struct model *m, size_t from)
{
    size_t to = from;
    for (size_t i = from; i < m->count; i++) {
        if (outlasts_cancel(m->items[i].kind)) {
            m->items[to] = m->items[i];
            m->items[to++].transactional = false;
        }
    }
    const uint64_t count = m->count - to;
    m->count = to;
    return count;
}

/* The elements that were not removed, from the oldest on: which of them are of a transaction. Moves
 * the rest to `to`, with what is inserted between them. */
static void model_transactions(const struct model *m, struct model *to)
{
    bool open = false;
    size_t begin = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct item item = m->items[i];
        if (item.removed) {
            continue;
        }
        const bool misses =
            open && ((item.informs && !item.in_transaction) || item.kind == ETE_resolved_exception);
        const bool ends =
            item.kind == ETE_unresolved || misses || item.kind == ETE_resolved_transaction_failure;
        const uint64_t undone = ends && open ? undo(to, begin) : 0;
        if (misses) {
            struct item *missed = add_item(to, ETE_unresolved, item.offset);
            missed->reason = TRANSACTION;
            missed->elements = undone;
            add_item(to, ETE_resolved_loss, item.offset);
        }
        open = open && !ends && item.kind != ETE_resolved_transaction_commit;
        item.dropped = item.kind == ETE_resolved_transaction_failure ? undone : 0;
        if (item.kind == ETE_unresolved) {
            item.elements += undone;
            item.reason = item.reason == END && undone > 0 ? END_IN_TRANSACTION : item.reason;
        }
        item.transactional = open || (misses && item.kind == ETE_resolved_exception);
        if (item.kind != ETE_unresolved || item.elements > 0 || item.unseen > 0) {
            to->items[to->count++] = item;
        }
        if (!open && (item.kind == ETE_resolved_transaction_start ||
                      (item.informs && item.in_transaction))) {
            open = true;
            begin = to->count;
        }
    }
}

/* --- random streams --- */

struct writer {
    uint64_t seed;
    uint64_t depth, max_depth;
    uint8_t bytes[4096];
    size_t size;
};

#define PUT(w, text) put(w, text, sizeof(text) - 1)

static void put(struct writer *w, const char *bytes, size_t size)
{
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void add_depth(struct writer *w, uint64_t count)
{
    w->depth = w->depth + count < w->max_depth ? w->depth + count : w->max_depth;
}

/* Several atoms of a packet, of formats 3, 5 and 6. */
static void put_atoms(struct writer *w)
{
    static const struct {
        uint8_t header, count;
    } packets[] = {{0xf8, 3}, {0xfa, 3}, {0xfd, 3}, {0xd6, 5}, {0xd7, 5}, {0xc2, 6}, {0xe9, 13}};
    const uint64_t which = random_below(&w->seed, ASSAY_COUNT(packets));
    put(w, (const char *)&packets[which].header, 1);
    add_depth(w, packets[which].count);
}

static void put_p0(struct writer *w)
{
    switch (random_below(&w->seed, 8)) {
    case 0:
        PUT(w, "\xac\x03\x95\x04"); /* Q, and an address */
        break;
    case 1:
        PUT(w, "\xb4\x02"); /* Source Address */
        break;
    case 2:
        PUT(w, "\x06\x1d\x95\x04"); /* Exception */
        break;
    case 3:
        put_atoms(w);
        return;
    default:
        put(w, random_below(&w->seed, 2) != 0 ? "\xf7" : "\xf6", 1);
        break;
    }
    add_depth(w, 1);
}

/* A count of P0 elements, seldom more than there are. */
static void put_count(struct writer *w, char header)
{
    const uint64_t most = w->depth + (random_below(&w->seed, 20) == 0 ? 3 : 0);
    const char packet[] = {header, (char)(1 + random_below(&w->seed, most == 0 ? 1 : most))};
    if (most > 0) {
        put(w, packet, sizeof packet);
        w->depth -= (uint64_t)packet[1] < w->depth ? (uint64_t)packet[1] : w->depth;
    }
}

static void put_trace_info(struct writer *w)
{
    const uint64_t other = random_below(&w->seed, 4);
    w->depth = random_below(&w->seed, 6) == 0 ? other : w->depth;
    const char info = random_below(&w->seed, 3) == 0 ? 0x40 : 0;
    const char packet[] = {0x01, 0x05, info, (char)w->depth};
    put(w, packet, sizeof packet);
}

static void put_other(struct writer *w)
{
    static const char *const packets[] = {"\x71", "\x73", "\x88",     "\x11", "\x04", "\x81\x31",
                                          "\x30", "\x84", "\x95\x04", "\x0b", "\x0a"};
    const char *packet = packets[random_below(&w->seed, ASSAY_COUNT(packets))];
    switch (random_below(&w->seed, 40)) {
    case 0:
        PUT(w, "\0\x03"); /* Discard */
        w->depth = 0;
        break;
    case 1:
        PUT(w, "\0\x05" ASYNC); /* Overflow */
        w->depth = 0;
        break;
    case 2:
        PUT(w, "\x05" ASYNC); /* a reserved header */
        w->depth = 0;
        break;
    case 3:
    case 4:
        put_trace_info(w);
        break;
    case 5:
        PUT(w, "\x06\x31\x70"); /* Transaction Failure */
        break;
    case 6:
        PUT(w, "\x06\x01\x70"); /* PE Reset */
        break;
    case 7:
        PUT(w, "\x02\x05"); /* Timestamp */
        break;
    default:
        put(w, packet, strlen(packet));
        break;
    }
}

static void write_stream(struct writer *w)
{
    PUT(w, ASYNC);
    put_trace_info(w);
    while (w->size < 500) {
        const uint64_t choice = random_below(&w->seed, 10);
        if (choice < 4) {
            put_p0(w);
        } else if (choice == 4) {
            put_count(w, 0x2d);
        } else if (choice == 5) {
            put_count(w, random_below(&w->seed, 2) != 0 ? 0x2e : 0x2f);
        } else {
            put_other(w);
        }
    }
}

/* --- comparison --- */

/* Atoms came from a run of them. */
static unsigned run_of(unsigned kind)
{
    return kind == ETE_elem_atom ? ETE_elem_atoms : kind;
}

/* What an element says, by the names of its fields. */
static void assert_says(const struct seen *event, const struct seen *element)
{
    const struct assay_kind *kind = &assay_format_ete.kinds[event->kind];
    const struct assay_kind *of = &assay_format_ete.kinds[element->kind];
    assert_int_equal(event->from_kind, run_of(element->kind));
    assert_int_equal(event->from_offset, element->offset);
    for (size_t i = 0; i < kind->field_count; i++) {
        const char *name = kind->fields[i].name;
        if (strcmp(name, "transactional") != 0 && assay_field_by_name(of, name) != NULL) {
            assert_int_equal(value_of(event, name), value_of(element, name));
        }
    }
}

static void assert_is(const struct seen *event, const struct item *item)
{
    assert_string_equal(name_of(event), assay_format_ete.kinds[item->kind].name);
    assert_int_equal(event->offset, item->offset);
    if (item->kind == ETE_unresolved) {
        assert_int_equal(value_of(event, "reason"), item->reason);
        assert_int_equal(value_of(event, "elements"), item->elements);
        assert_int_equal(value_of(event, "p0_elements"), item->p0_elements);
        assert_int_equal(value_of(event, "unseen"), item->unseen);
        return;
    }
    if (item->element != NULL) {
        assert_says(event, item->element);
    }
    assert_int_equal(value_of(event, "transactional"), item->transactional);
    if (item->kind == ETE_resolved_transaction_failure) {
        assert_int_equal(value_of(event, "dropped"), item->dropped);
    }
}

/* A run of atoms, of which some may have been taken away, says nothing of others. */
static void assert_runs_say_no_more(const struct writer *w, struct assay_parameter_values *values)
{
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_memory(w->bytes, w->size, &source), ASSAY_OK);
    struct decoded runs = decode_program(source, values, NULL, ETE_RESOLVED_ELEMENT, true);
    for (size_t i = 0; i < runs.count; i++) {
        if (runs.list[i].kind == ETE_resolved_atoms) {
            assert_int_equal(value_of(&runs.list[i], "taken") >> value_of(&runs.list[i], "atoms"),
                             0);
        }
    }
    free(runs.list);
}

static void compare(const struct writer *w, bool start_is_p0, unsigned *kinds)
{
    enum { ITEMS = 8192 };
    struct assay_parameter_values values = registers(w->max_depth, start_is_p0);
    struct decoded elements = decode(w->bytes, w->size, &values, ETE_ELEMENT);
    struct decoded resolved = decode(w->bytes, w->size, &values, ETE_RESOLVED_ELEMENT);
    struct model m = {.items = calloc(ITEMS, sizeof *m.items), .start_is_p0 = start_is_p0};
    struct model expected = {.items = calloc(ITEMS, sizeof *m.items)};
    assert_non_null(m.items);
    assert_non_null(expected.items);
    for (size_t i = 0; i < elements.count; i++) {
        model_element(&m, &elements.list[i]);
    }
    model_give_up(&m, END, elements.list[elements.count - 1].offset);
    model_transactions(&m, &expected);
    for (size_t i = 0; i < expected.count && i < resolved.count; i++) {
        assert_is(&resolved.list[i], &expected.items[i]);
        kinds[expected.items[i].kind]++;
    }
    assert_int_equal(resolved.count, expected.count);
    assert_true(resolved.complete);
    assert_runs_say_no_more(w, &values);
    free(m.items);
    free(expected.items);
    free(elements.list);
    free(resolved.list);
}

static void random_streams_are_resolved_as_by_a_model(void **state)
{
    (void)state;
    unsigned kinds[ETE_KIND_COUNT] = {0};
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        if (!is_in_turn(seed / 12)) {
            continue;
        }
        struct writer w = {.seed = seed * UINT64_C(0x9e3779b97f4a7c15),
                           .max_depth = seed % 4 == 0 ? 0 : seed % 13};
        write_stream(&w);
        compare(&w, seed % 3 != 0, kinds);
    }
    for (unsigned kind = ETE_resolved_trace_info; kind <= ETE_unresolved; kind++) {
        if (kind != ETE_resolved_instrumentation) {
            assert_in_range(kinds[kind], 25, 100000000);
        }
    }
}

/* --- queues that are full --- */

enum { MANY = (1 << 20) + 100 };

/* What comes of a stream that begins with `first`, has `fill` very often, and ends with `last`. */
static struct decoded resolve_many(const char *first, size_t first_size, char fill,
                                   const char *last, size_t last_size, uint64_t max_depth)
{
    struct assay_parameter_values values = registers(max_depth, true);
    const size_t size = first_size + MANY + last_size;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, first, first_size);
    memset(bytes + first_size, fill, MANY);
    memcpy(bytes + first_size + MANY, last, last_size);
    struct decoded all = decode(bytes, size, &values, ETE_RESOLVED_ELEMENT);
    free(bytes);
    return all;
}

#define RESOLVE_MANY(first, fill, last, max_depth)                                                 \
    resolve_many(first, sizeof(first) - 1, fill, last, sizeof(last) - 1, max_depth)

/* The elements at the begin, what says that they are given up, and what comes then: a stream that
 * begins anew, and whose last elements are not resolved. */
static void assert_given_up(struct decoded *all, size_t before, uint64_t p0_elements,
                            const unsigned *then, size_t then_count)
{
    const struct seen *unresolved = &all->list[before];
    const struct seen *last = &all->list[all->count - 1];
    assert_false(all->complete);
    assert_int_equal(unresolved->kind, ETE_unresolved);
    assert_int_equal(value_of(unresolved, "reason"), FULL);
    assert_int_equal(value_of(unresolved, "elements"), 1 << 20);
    assert_int_equal(value_of(unresolved, "p0_elements"), p0_elements);
    assert_int_equal(unresolved[1].kind, ETE_resolved_loss);
    for (const struct seen *at = unresolved + 2; at <= last; at++) {
        const size_t left = (size_t)(last - at);
        assert_int_equal(at->kind,
                         left < then_count ? then[then_count - left - 1] : ETE_resolved_event);
    }
    assert_int_equal(last->kind, ETE_unresolved);
    assert_int_equal(value_of(last, "reason"), END);
    assert_int_equal(value_of(last, "elements"), 2);
    assert_int_equal(value_of(last, "p0_elements"), 1);
}

static void more_elements_than_the_decoder_holds_are_given_up(void **state)
{
    (void)state;
    static const unsigned then[] = {ETE_resolved_atom, ETE_unresolved};
    struct decoded all = RESOLVE_MANY(BEGIN "\xf7", 0x71, "\xf6\x2d\x01\xf7\x95\x04", 4);
    assert_given_up(&all, 4, 1, then, ASSAY_COUNT(then));
    assert_false(value_of(&all.list[all.count - 2], "taken"));
    assert_int_equal(value_of(&all.list[all.count - 1], "unseen"), 0);
    free(all.list);
}

/* A Trace Info after that is one at which the analysis begins, whatever depth it says. */
static void a_transaction_of_more_elements_than_the_decoder_holds_is_given_up(void **state)
{
    (void)state;
    static const unsigned then[] = {ETE_resolved_trace_info, ETE_unresolved};
    struct decoded all =
        RESOLVE_MANY(BEGIN "\x0a\x2d\x01", 0x71, ASYNC "\x01\x05\0\x02\xf6\x95\x04", 4);
    assert_given_up(&all, 5, 0, then, ASSAY_COUNT(then));
    assert_int_equal(value_of(&all.list[all.count - 1], "unseen"), 2);
    free(all.list);
}

static void very_many_elements_are_committed_at_once(void **state)
{
    (void)state;
    struct assay_parameter_values values = registers(UINT32_MAX, true);
    enum { ATOMS = 1 << 19 };
    uint8_t *bytes = malloc(sizeof BEGIN + ATOMS + 4);
    assert_non_null(bytes);
    memcpy(bytes, BEGIN, sizeof BEGIN - 1);
    memset(bytes + sizeof BEGIN - 1, 0xf7, ATOMS);
    memcpy(bytes + sizeof BEGIN - 1 + ATOMS, "\x2d\x80\x80\x20", 4);
    struct decoded all = decode(bytes, sizeof BEGIN - 1 + ATOMS + 4, &values, ETE_RESOLVED_ELEMENT);
    assert_int_equal(all.count, 4 + ATOMS);
    assert_true(all.complete);
    free(all.list);
    free(bytes);
}

/* Each of the Cancels reaches P0 elements that were not seen, behind the Events. */
static void very_many_cancels_over_very_many_events_take_no_longer(void **state)
{
    (void)state;
    enum { EVENTS = 1 << 19, CANCELS = 1 << 19 };
    static const char begin[] = ASYNC "\x01\x04\xff\xff\xff\xff\x0f";
    struct assay_parameter_values values = registers(UINT32_MAX, true);
    const size_t size = sizeof begin - 1 + EVENTS + 2 * (size_t)CANCELS;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, begin, sizeof begin - 1);
    memset(bytes + sizeof begin - 1, 0x71, EVENTS);
    for (size_t i = 0; i < CANCELS; i++) {
        memcpy(bytes + sizeof begin - 1 + EVENTS + 2 * i, "\x2e\x01", 2);
    }
    struct decoded all = decode(bytes, size, &values, ETE_RESOLVED_ELEMENT);
    assert_int_equal(all.count, 1 + EVENTS + 1);
    assert_int_equal(all.list[all.count - 1].kind, ETE_unresolved);
    assert_int_equal(value_of(&all.list[all.count - 1], "unseen"), UINT32_MAX - CANCELS);
    free(all.list);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_streams_are_resolved_as_by_a_model),
        cmocka_unit_test(more_elements_than_the_decoder_holds_are_given_up),
        cmocka_unit_test(a_transaction_of_more_elements_than_the_decoder_holds_is_given_up),
        cmocka_unit_test(very_many_elements_are_committed_at_once),
        cmocka_unit_test(very_many_cancels_over_very_many_events_take_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
