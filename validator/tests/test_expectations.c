/* Testing the comparison of events: whatever a vector of the corpus states of an event, stated
 * wrongly it is noticed. Each value is changed in every way that its form allows. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/packed.h"
#include "validator/tests/vector_runner.h"
#include "validator/vector/match.h"
#include "validator/vector/value.h"

/* The forms of what can be stated. */
enum form {
    KIND,
    CODE,
    FLAG,
    NUMBER,
    NEGATIVE,
    NAME,
    TEXT,
    TEXT_OF_TAIL,
    HEX,
    HEX_OF_TAIL,
    LIST_OF_TAIL,
    FORMS
};

static const char *const form_names[FORMS] = {
    "kind", "code",           "flag", "number",        "negative number", "name of a value",
    "text", "text of a tail", "hex",  "hex of a tail", "list of a tail"};

/* The value at work: the event as it was decoded, what is stated of it, and where. */
struct trial {
    const struct ready_vector *vector;
    const struct assay_event *event;
    const struct assay_yaml *item;
    size_t pair;
    enum form form;
    unsigned *tried; /* a form: wrong statements */
    unsigned *missed;
};

/* The statement with another value in the pair's place must not match. */
static void try_value(const struct trial *t, const struct assay_yaml *wrong, const char *how)
{
    struct assay_yaml item = *t->item;
    struct assay_yaml value = *wrong;
    item.items = malloc(2 * item.count * sizeof(void *));
    assert_non_null(item.items);
    memcpy(item.items, t->item->items, 2 * item.count * sizeof(void *));
    item.items[2 * t->pair + 1] = &value;
    t->tried[t->form]++;
    if (assay_event_matches(t->vector->vector.format, t->event, &item, NULL, 0)) {
        (*t->missed)++;
        print_error("%s: event %" PRIu64 ": nobody notices %s with %s\n", t->vector->name,
                    t->event->index, item.items[2 * t->pair]->text, how);
    }
    free(item.items);
}

static void try_text(const struct trial *t, const char *text, const char *how)
{
    const struct assay_yaml wrong = {
        .type = ASSAY_YAML_SCALAR, .text = text, .length = strlen(text)};
    try_value(t, &wrong, how);
}

static void try_number(const struct trial *t, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    try_text(t, text, text);
}

/* Texts can hold any byte: they are changed with their length. */
static void try_bytes(const struct trial *t, const char *bytes, size_t length, const char *how)
{
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    const struct assay_yaml wrong = {
        .type = ASSAY_YAML_SCALAR, .quoted = true, .text = copy, .length = length};
    try_value(t, &wrong, how);
    free(copy);
}

static void change_text(const struct trial *t, const struct assay_yaml *value)
{
    char *longer = calloc(1, value->length + 2);
    assert_non_null(longer);
    memcpy(longer, value->text, value->length);
    longer[value->length] = 'x';
    try_bytes(t, longer, value->length + 1, "a character more");
    for (size_t i = 0; i < value->length; i++) {
        longer[i] ^= 1;
        try_bytes(t, longer, value->length, "another character");
        longer[i] ^= 1;
    }
    if (value->length > 0) {
        try_bytes(t, value->text, value->length - 1, "a character less");
    }
    free(longer);
}

static void try_hex(const struct trial *t, const uint8_t *bytes, size_t count, const char *how)
{
    char *text = calloc(1, 2 * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    struct assay_yaml key = {.type = ASSAY_YAML_SCALAR, .text = "hex", .length = 3};
    struct assay_yaml value = {.type = ASSAY_YAML_SCALAR, .text = text, .length = 2 * count};
    struct assay_yaml *items[] = {&key, &value};
    const struct assay_yaml wrong = {.type = ASSAY_YAML_MAP, .count = 1, .items = items};
    try_value(t, &wrong, how);
    free(text);
}

static void change_hex(const struct trial *t, const struct assay_yaml *value)
{
    const struct assay_yaml *hex = assay_yaml_get(value, "hex");
    size_t size = 0;
    assert_non_null(hex);
    uint8_t *bytes = calloc(1, hex->length / 2 + 2);
    assert_non_null(bytes);
    assert_true(assay_hex_bytes(hex->text, hex->length, bytes, &size));
    bytes[size] = t->form == HEX_OF_TAIL ? 0 : 1;
    try_hex(t, bytes, size + 1, "a byte more");
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x80;
        try_hex(t, bytes, size, "another byte");
        bytes[i] ^= 0x80;
    }
    if (size > 0 && (t->form == HEX_OF_TAIL || bytes[size - 1] != 0)) {
        try_hex(t, bytes, size - 1, "a byte less");
    }
    free(bytes);
}

static void change_list(const struct trial *t, const struct assay_yaml *value)
{
    struct assay_yaml wrong = *value;
    struct assay_yaml *items[65];
    assert_true(value->count < 64);
    wrong.items = items;
    for (size_t n = 0; n <= value->count; n++) {
        char text[32] = "1";
        uint64_t number = 0;
        for (size_t i = 0; i < value->count; i++) {
            items[i] = value->items[i];
        }
        if (n < value->count && assay_yaml_u64(value->items[n], &number)) {
            snprintf(text, sizeof text, "%" PRIu64, number + 1);
        }
        struct assay_yaml changed = {
            .type = ASSAY_YAML_SCALAR, .text = text, .length = strlen(text)};
        items[n] = &changed;
        wrong.count = n < value->count ? value->count : n + 1;
        try_value(t, &wrong, n < value->count ? "another number" : "a number more");
    }
    if (value->count > 0) {
        wrong.count = value->count - 1;
        try_value(t, &wrong, "a number less");
    }
}

static void change_name(const struct trial *t, const struct assay_field *field,
                        const struct assay_yaml *value)
{
    for (size_t i = 0; i < field->names->count; i++) {
        if (!assay_yaml_is(value, field->names->list[i].name)) {
            try_text(t, field->names->list[i].name, "another name");
        }
    }
    try_text(t, "no-such-name", "a name that there is not");
}

static void change_bytes(struct trial *t, const struct assay_field *field,
                         const struct assay_yaml *value)
{
    const bool tail = field->place == ASSAY_TAIL;
    if (value->type == ASSAY_YAML_SCALAR) {
        t->form = tail ? TEXT_OF_TAIL : TEXT;
        change_text(t, value);
    } else if (value->type == ASSAY_YAML_LIST) {
        t->form = LIST_OF_TAIL;
        change_list(t, value);
    } else {
        t->form = tail ? HEX_OF_TAIL : HEX;
        change_hex(t, value);
    }
}

static void change_field(struct trial *t, const struct assay_field *field,
                         const struct assay_yaml *value)
{
    uint64_t number = 0;
    bool flag = false;
    if (field->type == ASSAY_BYTES) {
        change_bytes(t, field, value);
    } else if (assay_yaml_flag(value, &flag)) {
        t->form = FLAG;
        try_text(t, flag ? "false" : "true", "the other value");
        try_text(t, flag ? "0" : "1", "the other number");
    } else if (assay_yaml_u64(value, &number)) {
        t->form = NUMBER;
        try_number(t, number + 1);
        try_number(t, number - 1);
        try_number(t, number ^ UINT64_C(0x8000000000000000));
        try_text(t, "nonsense", "no number");
    } else if (value->text[0] == '-' && assay_vector_value(field, value, &number)) {
        t->form = NEGATIVE;
        try_number(t, number + 1);
        try_number(t, number - 1);
        try_text(t, value->text + 1, "no sign");
    } else {
        t->form = NAME;
        change_name(t, field, value);
    }
}

static void change_item(struct trial *t)
{
    const struct assay_format *format = t->vector->vector.format;
    const struct assay_kind *kind = &format->kinds[t->event->kind];
    assert_true(assay_event_matches(format, t->event, t->item, NULL, 0));
    for (t->pair = 0; t->pair < t->item->count; t->pair++) {
        const char *key = t->item->items[2 * t->pair]->text;
        const struct assay_yaml *value = t->item->items[2 * t->pair + 1];
        if (strcmp(key, "kind") == 0 || strcmp(key, "code") == 0) {
            t->form = key[0] == 'k' ? KIND : CODE;
            change_text(t, value);
        } else {
            const struct assay_field *field = assay_field_by_name(kind, key);
            assert_non_null(field);
            change_field(t, field, value);
        }
    }
}

static void add_forms(const struct assay_field *field, bool possible[FORMS])
{
    if (field->type == ASSAY_BYTES && field->place == ASSAY_TAIL) {
        possible[TEXT_OF_TAIL] = possible[HEX_OF_TAIL] = true;
        possible[LIST_OF_TAIL] = true;
    } else if (field->type == ASSAY_BYTES) {
        possible[TEXT] = possible[HEX] = true;
    } else if (field->type == ASSAY_FLAG) {
        possible[FLAG] = true;
    } else {
        possible[NUMBER] = true;
        possible[NEGATIVE] = possible[NEGATIVE] || (field->packed != NULL &&
                                                    field->packed->sign.op != ASSAY_PACKED_DEFAULT);
        possible[NAME] = possible[NAME] || field->names != NULL;
    }
}

/* The forms that fields of the formats have. */
static void list_forms(bool possible[FORMS])
{
    for (size_t f = 0; assay_formats[f] != NULL; f++) {
        for (size_t k = 0; k < assay_formats[f]->kind_count; k++) {
            for (size_t i = 0; i < assay_formats[f]->kinds[k].field_count; i++) {
                add_forms(&assay_formats[f]->kinds[k].fields[i], possible);
            }
        }
    }
}

static void a_wrong_statement_of_any_form_is_noticed(void **state)
{
    (void)state;
    struct ready_corpus corpus = load_corpus(ASSAY_CORPUS);
    unsigned tried[FORMS] = {0};
    unsigned missed = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        struct vector_reader reader;
        const struct assay_event *event;
        if (corpus.list[i].vector.expectation != ASSAY_EXPECT_EVENTS) {
            continue;
        }
        const struct assay_yaml *list = assay_yaml_get(corpus.list[i].vector.expected, "list");
        open_events(&reader, &corpus.list[i]);
        for (size_t n = 0; n < list->count && (event = next_event(&reader)) != NULL; n++) {
            struct trial t = {.vector = &corpus.list[i],
                              .event = event,
                              .item = list->items[n],
                              .tried = tried,
                              .missed = &missed};
            change_item(&t);
        }
        close_events(&reader);
    }
    bool possible[FORMS] = {[KIND] = true, [CODE] = true};
    list_forms(possible);
    for (size_t f = 0; f < FORMS; f++) {
        print_message("%s: %u wrong statements\n", form_names[f], tried[f]);
        if (tried[f] == 0 && possible[f]) {
            fail_msg("no vector states a %s", form_names[f]);
        }
    }
    free_corpus(&corpus);
    assert_int_equal(missed, 0);
}

static void a_statement_of_a_field_that_there_is_not_is_noticed(void **state)
{
    (void)state;
    struct assay_yaml key = {.type = ASSAY_YAML_SCALAR, .text = "no_such_field", .length = 13};
    struct assay_yaml value = {.type = ASSAY_YAML_SCALAR, .text = "0", .length = 1};
    struct assay_yaml *items[] = {&key, &value};
    const struct assay_yaml item = {.type = ASSAY_YAML_MAP, .count = 1, .items = items};
    const uint64_t cells[8] = {0};
    const struct assay_event end = {.cells = cells, .kind = ASSAY_KIND_END};
    char why[128];
    for (size_t f = 0; assay_formats[f] != NULL; f++) {
        assert_false(assay_event_matches(assay_formats[f], &end, &item, why, sizeof why));
        assert_string_equal(why, "end has no field no_such_field");
    }
    assert_false(assay_event_matches(assay_formats[0], &end, &value, why, sizeof why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_statement_of_any_form_is_noticed),
        cmocka_unit_test(a_statement_of_a_field_that_there_is_not_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
