/* Expressions of the rule language: values, mistakes, limits. */
#include "validator/tests/toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "validator/compiler/loader.h"

/* Kinds, as sets of the first few. */
enum { ITEM = 1 << TOY_ITEM, MARK = 1 << TOY_MARK, ATOM = 1 << TOY_ATOM };

/* An expression that was read, with all that it rests on. */
struct reading {
    struct assay_arena arena;
    struct assay_diag diag;
    struct assay_catalogue catalogue;
    struct assay_loader loader;
    struct assay_yaml place;
    struct assay_expression expression;
    struct assay_meaning meaning;
    enum assay_error error;
};

static void read_kinds(struct reading *r, const char *text, uint64_t kinds)
{
    *r = (struct reading){.diag = {.offset = ASSAY_NO_OFFSET},
                          .catalogue = {.format = &toy_format},
                          .place = {.type = ASSAY_YAML_SCALAR,
                                    .line = 7,
                                    .column = 1,
                                    .text = text,
                                    .length = strlen(text)}};
    r->loader = (struct assay_loader){.arena = &r->arena,
                                      .diag = &r->diag,
                                      .format = &toy_format,
                                      .out = &r->catalogue,
                                      .path = "rules.yaml"};
    const struct assay_kinds set = {{kinds}};
    const struct assay_scope scope = {.loader = &r->loader, .kinds = &set, .place = &r->place};
    r->error = assay_parse(&scope, text, strlen(text), &r->expression, &r->meaning);
}

static void forget(struct reading *r)
{
    assay_loader_close(&r->loader);
    assay_arena_free(&r->arena);
}

/* --- values --- */

#define BIG UINT64_C(0xfedcba9876543210)

/* What the leaves of an item give here. */
static uint64_t leaf_value(const struct assay_leaf *leaf)
{
    static const struct {
        const char *text;
        uint64_t value;
    } values[] = {
        {"flag", 1},          {"el", 2},          {"colour", 1},        {"n", 200},
        {"word", 0xdeadbeef}, {"big", BIG},       {"wide", 4},          {"twice", 9},
        {"index", 5},         {"kind", TOY_ITEM}, {"bits", 64},         {"prev.kind", 3},
        {"fault", 0},         {"offset", 77},     {"last(item).n", 12}, {"prev.n", 300},
        {"seen(mark)", 1},    {"count(mark)", 3},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i].text, leaf->text) == 0) {
            return values[i].value;
        }
    }
    fail_msg("no value for %s", leaf->text);
    return 0;
}

static uint64_t value_of(const struct reading *r)
{
    uint64_t leaves[64] = {0};
    assert_true(r->catalogue.leaf_count <= 64);
    for (size_t i = 0; i < r->catalogue.leaf_count; i++) {
        leaves[i] = leaf_value(&r->catalogue.leaves[i]);
    }
    return assay_evaluate(&r->expression, leaves, toy_format.functions);
}

static void expressions_have_their_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool flag;
        uint64_t value;
    } cases[] = {
        {"0xFFFF_ffff", false, 0xffffffff},
        {"1_000", false, 1000},
        {"1 + 2 * 3", false, 7},
        {"(1 + 2) * 3", false, 9},
        {"10 - 3 - 2", false, 5},
        {"100 / 7 % 4", false, 2},
        {"100 % 7 * 4", false, 8},
        {"1 << 4 + 1", false, 32},
        {"1 << 4 << 2", false, 64},
        {"256 >> 4 << 1", false, 32},
        {"1 | 2 ^ 3 & 2", false, 1},
        {"5 & 1 << 2", false, 4},
        {"n & 8 == 8", true, 1},
        {"1 | 2 == 3", true, 1},
        {"-1", false, UINT64_MAX},
        {"- -5", false, 5},
        {"--5", false, 5},
        {"2--3", false, 5},
        {"2 * -3 + 6", false, 0},
        {"~~5", false, 5},
        {"~0", false, UINT64_MAX},
        {"~n[3:0]", false, ~UINT64_C(8)},
        {"-n[3:0]", false, 0 - UINT64_C(8)},
        {"0 - 1 > 5", true, 1},
        {"n - 201 == 0xffffffffffffffff", true, 1},
        {"18446744073709551615 + 1", false, 0},
        {"big * 3", false, BIG * 3},
        {"big + big", false, BIG + BIG},
        {"big << 1", false, BIG << 1},
        {"1 << 63", false, UINT64_C(1) << 63},
        {"1 << 64", false, 0},
        {"big << 65", false, 0},
        {"big >> 63", false, 1},
        {"big >> 64", false, 0},
        {"big >> big", false, 0},
        {"big << (0 - 1)", false, 0},
        {"n[7:4]", false, 12},
        {"n[3]", false, 1},
        {"n[2]", false, 0},
        {"big[63:0]", false, BIG},
        {"big[63]", false, 1},
        {"big[47:16]", false, BIG >> 16 & 0xffffffff},
        {"n[7:3][4:3]", false, 3},
        {"(n + 1)[3:0]", false, 9},
        {"n in {200}", true, 1},
        {"n in {1, 199}", true, 0},
        {"n in {1, 100..255}", true, 1},
        {"n in {200..255}", true, 1},
        {"n in {1..200}", true, 1},
        {"n in {1..199, 201..255}", true, 0},
        {"n + 1 in {0xc9}", true, 1},
        {"not n in {1}", true, 1},
        {"colour == green", true, 1},
        {"colour != green", true, 0},
        {"colour < light_blue", true, 1},
        {"colour in {red, light_blue}", true, 0},
        {"colour in {red..light_blue}", true, 1},
        {"colour in {0, 1}", true, 1},
        {"kind == item", true, 1},
        {"kind in {mark, item}", true, 1},
        {"kind == mark", true, 0},
        {"prev.kind == mark", true, 1},
        {"fault == bad_thing", true, 0},
        {"not flag", true, 0},
        {"not n == 200", true, 0},
        {"not not flag", true, 1},
        {"flag == true", true, 1},
        {"flag != (el == 2)", true, 0},
        {"flag and el == 2 or false", true, 1},
        {"true or false and false", true, 1},
        {"(true or false) and false", true, 0},
        {"not true or true", true, 1},
        {"flag + flag", false, 2},
        {"flag * 5", false, 5},
        {"if flag then 3 else 4", false, 3},
        {"if not flag then 3 else if el == 2 then 5 else 6", false, 5},
        {"(if el == 1 then 1 else 2) + 1", false, 3},
        {"if flag then el == 2 else false", true, 1},
        {"(if flag then 0 else 1) == 0 and flag", true, 1},
        {"sum3(1, 2, n)", false, 203},
        {"sum3(if flag then 1 else 2, 1 + 1, sum3(1, 1, 1)) * 2", false, 12},
        {"is_even(n) and not is_even(el + 1)", true, 1},
        {"wide == 0", true, 0},
        {"wide != 0", true, 1},
        {"index + offset + bits", false, 146},
        {"last(item).n", false, 12},
        {"prev.n == 300", true, 1},
        {"seen(mark) and count(mark) == 3", true, 1},
        {"twice", false, 9},
        {"\tel\n ==  2 ", true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct reading r;
        read_kinds(&r, cases[i].text, ITEM);
        if (r.error != ASSAY_OK) {
            fail_msg("%s: %u: %s", cases[i].text, r.diag.column, r.diag.message);
        }
        const uint64_t value = value_of(&r);
        if (value != cases[i].value || r.meaning.flag != cases[i].flag) {
            fail_msg("%s is 0x%llx", cases[i].text, (unsigned long long)value);
        }
        forget(&r);
    }
}

/* --- mistakes --- */

struct mistake {
    const char *text;
    enum assay_error error;
    unsigned column;
    const char *message; /* a part of it */
    const char *hint;
};

static void assert_mistakes(const struct mistake *list, size_t count, uint64_t kinds)
{
    for (size_t i = 0; i < count; i++) {
        struct reading r;
        read_kinds(&r, list[i].text, kinds);
        const char *hint = list[i].hint != NULL ? list[i].hint : "";
        if (r.error != list[i].error || r.diag.line != 7 || r.diag.column != list[i].column ||
            strstr(r.diag.message, list[i].message) == NULL || strstr(r.diag.hint, hint) == NULL ||
            (hint[0] == '\0') != (r.diag.hint[0] == '\0')) {
            fail_msg("\"%s\": %s at %u:%u: %s (%s)", list[i].text, assay_error_name(r.error),
                     r.diag.line, r.diag.column, r.diag.message, r.diag.hint);
        }
        assert_string_equal(r.diag.path, "rules.yaml");
        forget(&r);
    }
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void what_cannot_be_read_is_refused_at_its_column(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"", ASSAY_SYNTAX, 1, "a value is expected", NULL},
        {"1 +", ASSAY_SYNTAX, 4, "a value is expected", NULL},
        {"(1 + 2", ASSAY_SYNTAX, 7, "\")\" is expected", NULL},
        {"1 2", ASSAY_SYNTAX, 3, "end before \"2\"", NULL},
        {"n = 1", ASSAY_SYNTAX, 3, "\"=\" is nothing", "write \"==\""},
        {"flag && flag", ASSAY_SYNTAX, 6, "\"&&\" is nothing", "write \"and\""},
        {"flag || flag", ASSAY_SYNTAX, 6, "\"||\" is nothing", "write \"or\""},
        {"!flag", ASSAY_SYNTAX, 1, "\"!\" is nothing", "write \"not\""},
        {"n <> 1", ASSAY_SYNTAX, 3, "\"<>\" is nothing", "write \"!=\""},
        {"n === 1", ASSAY_SYNTAX, 3, "\"===\" is nothing", "write \"==\""},
        {"colour == 'red'", ASSAY_SYNTAX, 11, "is nothing", "without quotes"},
        {"flag AND flag", ASSAY_SYNTAX, 6, "end before \"AND\"", "write \"and\""},
        {"n == $", ASSAY_SYNTAX, 6, "\"$\" is nothing", NULL},
        {"n == 1 $", ASSAY_SYNTAX, 8, "\"$\"", NULL},
        {"0x", ASSAY_SYNTAX, 1, "\"0x\" is nothing", NULL},
        {"n == 12ab", ASSAY_SYNTAX, 6, "\"12ab\" is nothing", NULL},
        {"18446744073709551616", ASSAY_SYNTAX, 1, "is nothing", NULL},
        {"0x10000000000000000", ASSAY_SYNTAX, 1, "is nothing", NULL},
        {"n == 1 == 1", ASSAY_SYNTAX, 8, "end before \"==\"", NULL},
        {"flag 1", ASSAY_SYNTAX, 6, "end before \"1\"", NULL},
        {"not", ASSAY_SYNTAX, 4, "a value is expected", NULL},
        {"flag and", ASSAY_SYNTAX, 9, "a value is expected", NULL},
        {"if flag 1 else 2", ASSAY_SYNTAX, 9, "\"then\" is expected", NULL},
        {"if flag then 1", ASSAY_SYNTAX, 15, "\"else\" is expected", NULL},
        {"n in 3", ASSAY_SYNTAX, 6, "\"{\" is expected", NULL},
        {"n in {", ASSAY_SYNTAX, 7, "a number or a name", NULL},
        {"n in {}", ASSAY_SYNTAX, 7, "a number or a name", NULL},
        {"n in {1", ASSAY_SYNTAX, 8, "\"}\" is expected", NULL},
        {"n in {1..}", ASSAY_SYNTAX, 10, "a number or a name", NULL},
        {"n in {el}", ASSAY_SYNTAX, 7, "a number or a name", NULL},
        {"n[64]", ASSAY_SYNTAX, 3, "from 0 to 63", NULL},
        {"n[el]", ASSAY_SYNTAX, 3, "from 0 to 63", NULL},
        {"n[7:0", ASSAY_SYNTAX, 6, "\"]\" is expected", NULL},
        {"n[7:]", ASSAY_SYNTAX, 5, "from 0 to 63", NULL},
        {"sum3()", ASSAY_SYNTAX, 1, "sum3 takes 3 arguments, not 0", NULL},
        {"sum3(1, 2)", ASSAY_SYNTAX, 1, "sum3 takes 3 arguments, not 2", NULL},
        {"sum3(1, 2, 3, 4)", ASSAY_SYNTAX, 1, "sum3 takes 3 arguments, not 4", NULL},
        {"sum3(1 2, 3)", ASSAY_SYNTAX, 8, "\",\" is expected", NULL},
        {"sum3(1, 2, 3", ASSAY_SYNTAX, 13, "\",\" is expected", NULL},
        {"last item", ASSAY_SYNTAX, 6, "\"(\" is expected", NULL},
        {"last(item)", ASSAY_SYNTAX, 11, "\".\" is expected", NULL},
        {"count(item", ASSAY_SYNTAX, 11, "\")\" is expected", NULL},
        {"prev", ASSAY_SYNTAX, 5, "\".\" is expected", NULL},
        {"prev.", ASSAY_SYNTAX, 6, "a name is expected", NULL},
        {"reads(INT-T-1)", ASSAY_SYNTAX, 14, "\",\" is expected", NULL},
    };
    assert_mistakes(list, COUNT(list), ITEM);
}

static void a_name_that_stands_for_nothing_is_refused_with_the_nearest(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"flg", ASSAY_UNKNOWN_NAME, 1, "no field \"flg\"", "\"flag\""},
        {"n == 1 and wird == 2", ASSAY_UNKNOWN_NAME, 12, "\"wird\"", "\"word\""},
        {"colour == gren", ASSAY_UNKNOWN_NAME, 11, "\"gren\"", "\"green\""},
        {"colour in {red, lightblue}", ASSAY_UNKNOWN_NAME, 17, "lightblue", "\"light-blue\""},
        {"kind == itm", ASSAY_UNKNOWN_NAME, 9, "\"itm\"", "\"item\""},
        {"prev.kind == itm", ASSAY_UNKNOWN_NAME, 14, "\"itm\"", "\"item\""},
        {"fault == bad_thin", ASSAY_UNKNOWN_NAME, 10, "bad_thin", "\"bad-thing\""},
        {"prev.wrod == 1", ASSAY_UNKNOWN_NAME, 6, "\"wrod\"", "\"word\""},
        {"prev.index == 1", ASSAY_UNKNOWN_NAME, 6, "only fields can be read", NULL},
        {"last(mark).kind == item", ASSAY_UNKNOWN_NAME, 12, "prev.kind and from.kind: not \"kind\"",
         NULL},
        {"prev.kind == atm", ASSAY_UNKNOWN_NAME, 14, "\"atm\"", "\"item\""},
        {"last(itm).n", ASSAY_UNKNOWN_NAME, 6, "\"itm\"", "\"item\""},
        {"last(mark).only", ASSAY_UNKNOWN_NAME, 12, "\"only\"", NULL},
        {"seen(atm)", ASSAY_UNKNOWN_NAME, 6, "\"atm\"", "\"atom\""},
        {"count(nothing_like_it)", ASSAY_UNKNOWN_NAME, 7, "nothing_like_it", NULL},
        {"fact(FEAT_SVEE)", ASSAY_UNKNOWN_NAME, 6, "FEAT_SVEE", "\"FEAT_SVE\""},
        {"reads(INT-T-9, zero)", ASSAY_UNKNOWN_NAME, 7, "INT-T-9", NULL},
        {"sum3 == 1", ASSAY_UNKNOWN_NAME, 1, "\"sum3\"", NULL},
        {"sum4(1, 2, 3)", ASSAY_UNKNOWN_NAME, 1, "no function \"sum4\"", "\"sum3\""},
        {"cuont(item) == 1", ASSAY_UNKNOWN_NAME, 1, "no function \"cuont\"", "\"count\""},
    };
    assert_mistakes(list, COUNT(list), ITEM);
}

static void what_is_of_the_wrong_type_is_refused_at_its_column(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"n and flag", ASSAY_WRONG_TYPE, 1, "a condition is expected", "!= 0"},
        {"flag and n", ASSAY_WRONG_TYPE, 10, "a condition is expected", "!= 0"},
        {"flag or n + 1", ASSAY_WRONG_TYPE, 9, "a condition is expected", "!= 0"},
        {"not n", ASSAY_WRONG_TYPE, 5, "a condition is expected", "!= 0"},
        {"if n then 1 else 2", ASSAY_WRONG_TYPE, 4, "a condition is expected", "!= 0"},
        {"if flag then 1 else flag", ASSAY_WRONG_TYPE, 21, "the other a number", NULL},
        {"flag == 1", ASSAY_WRONG_TYPE, 9, "flag is compared", "not name"},
        {"n == flag", ASSAY_WRONG_TYPE, 6, "flag is compared", "not name"},
        {"flag < flag", ASSAY_WRONG_TYPE, 8, "flag is compared", "not name"},
        {"flag in {0, 1}", ASSAY_WRONG_TYPE, 10, "flag is compared", "not name"},
        {"wide == 1", ASSAY_WRONG_TYPE, 1, "compared with 0", NULL},
        {"wide > 0", ASSAY_WRONG_TYPE, 1, "compared with 0", NULL},
        {"wide == wide", ASSAY_WRONG_TYPE, 1, "compared with 0", NULL},
        {"1 + wide", ASSAY_WRONG_TYPE, 5, "compared with 0", NULL},
        {"~wide", ASSAY_WRONG_TYPE, 2, "compared with 0", NULL},
        {"last(mark).rest == 1", ASSAY_WRONG_TYPE, 1, "compared with 0", NULL},
        {"sum3(1, wide, 2)", ASSAY_WRONG_TYPE, 9, "compared with 0", NULL},
        {"if flag then wide else 1", ASSAY_WRONG_TYPE, 14, "compared with 0", NULL},
        {"wide[3:0]", ASSAY_WRONG_TYPE, 5, "at most 64 bits", NULL},
        {"n[0:7]", ASSAY_WRONG_TYPE, 2, "higher bit comes first", NULL},
        {"n / 0", ASSAY_WRONG_TYPE, 5, "constant that is not 0", NULL},
        {"n % el", ASSAY_WRONG_TYPE, 5, "constant that is not 0", NULL},
        {"n / (1 - 1)", ASSAY_WRONG_TYPE, 5, "constant that is not 0", NULL},
    };
    assert_mistakes(list, COUNT(list), ITEM);
}

static void a_kind_is_compared_with_kinds_of_its_layer(void **state)
{
    (void)state;
    static const struct mistake of_items[] = {
        {"kind == atom", ASSAY_WRONG_TYPE, 9, "atom is of the layer element", NULL},
        {"prev.kind in {item, atom}", ASSAY_WRONG_TYPE, 21, "the left side of packet", NULL},
        {"from.kind == item", ASSAY_WRONG_TYPE, 1, "no layer below packet", NULL},
    };
    static const struct mistake of_atoms[] = {
        {"from.kind == itm", ASSAY_UNKNOWN_NAME, 14, "\"itm\"", "\"item\""},
        {"from.kind == atom", ASSAY_WRONG_TYPE, 14, "the left side of packet", NULL},
        {"from.kind in {item, atom}", ASSAY_WRONG_TYPE, 21, "atom is of the layer element", NULL},
        {"from(packet).kind != atom", ASSAY_WRONG_TYPE, 22, "atom is of the layer element", NULL},
        {"from(pakcet).kind == item", ASSAY_UNKNOWN_NAME, 6, "no layer below element", NULL},
        {"from.index == 1", ASSAY_UNKNOWN_NAME, 6, "only fields can be read", NULL},
        {"kind == item", ASSAY_WRONG_TYPE, 9, "item is of the layer packet",
         "from(packet).kind is a kind of that layer"},
    };
    static const char *const right[] = {"from.kind == item", "from.kind in {item..mark, malformed}",
                                        "from(packet).kind != mark", "prev.kind in {atom, end}",
                                        "from.kind == from(packet).kind"};
    assert_mistakes(of_items, COUNT(of_items), ITEM);
    assert_mistakes(of_atoms, COUNT(of_atoms), ATOM);
    for (size_t i = 0; i < COUNT(right); i++) {
        struct reading r;
        read_kinds(&r, right[i], ATOM);
        if (r.error != ASSAY_OK) {
            fail_msg("%s: %s", right[i], r.diag.message);
        }
        assert_true(assay_leaf_is_kind(&r.catalogue.leaves[0]));
        assert_memory_equal(r.catalogue.leaves[0].text, right[i], strcspn(right[i], " "));
        forget(&r);
    }
}

static void a_keyword_of_the_language_is_a_field_where_no_parenthesis_follows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *leaves[2];
    } cases[] = {
        {"count == 3", {"count", NULL}},
        {"last and count(item) == 1", {"last", "count(item)"}},
        {"prev.count == count", {"prev.count", "count"}},
        {"last(mark).count > 0 or last", {"last(mark).count", "last"}},
    };
    struct reading r;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        read_kinds(&r, cases[i].text, MARK);
        if (r.error != ASSAY_OK) {
            fail_msg("%s: %s", cases[i].text, r.diag.message);
        }
        for (size_t n = 0; n < r.catalogue.leaf_count; n++) {
            assert_string_equal(r.catalogue.leaves[n].text, cases[i].leaves[n]);
        }
        forget(&r);
    }
    static const char *const wrong[] = {"count == 3", "last", "seen", "count(mark"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        read_kinds(&r, wrong[i], ITEM);
        assert_int_equal(r.error, ASSAY_SYNTAX);
        forget(&r);
    }
}

static void a_constant_that_is_out_of_reach_is_refused(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"n == 256", ASSAY_OUT_OF_RANGE, 6, "at most 255", NULL},
        {"el != 4", ASSAY_OUT_OF_RANGE, 7, "at most 3", NULL},
        {"n[3:0] < 16", ASSAY_OUT_OF_RANGE, 10, "at most 15", NULL},
        {"n in {1, 256}", ASSAY_OUT_OF_RANGE, 10, "at most 255", NULL},
        {"n in {1..256}", ASSAY_OUT_OF_RANGE, 10, "at most 255", NULL},
        {"last(mark).n == 65536", ASSAY_OUT_OF_RANGE, 17, "at most 65535", NULL},
        {"prev.n == 65536", ASSAY_OUT_OF_RANGE, 11, "at most 65535", NULL},
        {"fact(T0SZ) == 64", ASSAY_OUT_OF_RANGE, 15, "at most 63", NULL},
    };
    assert_mistakes(list, COUNT(list), ITEM);
}

static void a_rule_on_several_kinds_reads_what_all_of_them_have(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"flag", ASSAY_WRONG_TYPE, 1, "flag in one of the kinds", NULL},
        {"word == 1", ASSAY_UNKNOWN_NAME, 1, "the kind mark has no field", NULL},
        {"only_mark == 1", ASSAY_UNKNOWN_NAME, 1, "the kind item has no field", NULL},
        {"n == 65536", ASSAY_OUT_OF_RANGE, 6, "at most 65535", NULL},
    };
    struct reading r;
    assert_mistakes(list, COUNT(list), ITEM | MARK);
    read_kinds(&r, "n == 65535", ITEM | MARK);
    assert_int_equal(r.error, ASSAY_OK);
    forget(&r);
}

/* --- limits --- */

static char *repeated(const char *head, const char *unit, size_t n, const char *tail)
{
    const size_t length = strlen(unit);
    char *text = malloc(strlen(head) + n * length + strlen(tail) + 1);
    assert_non_null(text);
    strcpy(text, head);
    char *at = text + strlen(head);
    for (size_t i = 0; i < n; i++) {
        memcpy(at, unit, length);
        at += length;
    }
    strcpy(at, tail);
    return text;
}

static enum assay_error error_of(const char *head, const char *unit, size_t n, const char *tail)
{
    struct reading r;
    char *text = repeated(head, unit, n, tail);
    read_kinds(&r, text, ITEM);
    forget(&r);
    free(text);
    return r.error;
}

static void nesting_is_limited_whatever_nests(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    static const struct {
        const char *unit;
        const char *tail;
    } nests[] = {
        {"(", "1"},
        {"~", "1"},
        {"-", "1"},
        {"not ", "flag"},
        {"-~(", "1"},
        {"sum3(", "1"},
        {"sum3(1, 1, ", "1"},
        {"if ", "flag"},
        {"if flag then 1 else ", "2"},
        {"if flag then ", "2"},
        {"not (", "flag"},
        {"is_even(", "1"},
        {"1 + (", "1"},
        {"flag and (", "flag"},
    };
    for (size_t i = 0; i < COUNT(nests); i++) {
        assert_int_equal(error_of("", nests[i].unit, MANY, nests[i].tail), ASSAY_LIMIT);
    }
}

static void the_deepest_nesting_that_is_allowed_is_read(void **state)
{
    (void)state;
    struct reading r;
    char text[128];
    for (int depth = 39; depth <= 40; depth++) {
        memset(text, '(', (size_t)depth);
        text[depth] = '7';
        memset(text + depth + 1, ')', (size_t)depth);
        text[2 * depth + 1] = '\0';
        read_kinds(&r, text, ITEM);
        assert_int_equal(r.error, depth == 39 ? ASSAY_OK : ASSAY_LIMIT);
        assert_true(depth > 39 || value_of(&r) == 7);
        assert_int_equal(r.diag.column, depth == 39 ? 0 : 41);
        forget(&r);
    }
}

static void the_parts_of_an_expression_are_limited(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        const char *unit;
        const char *tail;
    } longs[] = {
        {"1", " + 1", ""},       {"flag", " and flag", ""}, {"flag", " or flag", ""},
        {"n in {1", ", 1", "}"}, {"n", "[7:0]", ""},        {"n == 1", " or n == 1", ""},
        {"1", " << 1", ""},
    };
    for (size_t i = 0; i < COUNT(longs); i++) {
        assert_int_equal(error_of(longs[i].head, longs[i].unit, 10, longs[i].tail), ASSAY_OK);
        assert_int_equal(error_of(longs[i].head, longs[i].unit, 100000, longs[i].tail),
                         ASSAY_LIMIT);
    }
    assert_int_equal(error_of("1", " + 1", 124, ""), ASSAY_OK);
    assert_int_equal(error_of("1", " + 1", 125, ""), ASSAY_LIMIT);
}

static void a_name_may_be_63_characters_long(void **state)
{
    (void)state;
    assert_int_equal(error_of("", "x", 63, ""), ASSAY_UNKNOWN_NAME);
    assert_int_equal(error_of("", "x", 64, ""), ASSAY_SYNTAX);
    assert_int_equal(error_of("", "x", 1000000, ""), ASSAY_SYNTAX);
    assert_int_equal(error_of("", "1", 1000000, ""), ASSAY_SYNTAX);
}

/* Texts out of the language's own tokens: what can be read has a value, what cannot has a place. */
static void any_row_of_tokens_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const tokens[] = {
        "flag", "el",    "n",    "big",     "wide", "colour",  "green", "kind", "item", "1",
        "0",    "200",   "0x10", "+",       "-",    "*",       "/",     "%",    "&",    "|",
        "^",    "~",     "<<",   ">>",      "==",   "!=",      "<",     ">=",   "(",    ")",
        "{",    "}",     "[",    "]",       "..",   ".",       ",",     ":",    "and",  "or",
        "not",  "in",    "if",   "then",    "else", "true",    "prev",  "last", "seen", "count",
        "fact", "reads", "sum3", "is_even", "$",    "INT-T-1", "\x80",
    };
    uint64_t seed = 31;
    unsigned good = 0;
    for (unsigned round = 0; round < 60000; round++) {
        char text[256] = "";
        const size_t length = 1 + random_below(&seed, 8);
        for (size_t i = 0; i < length; i++) {
            strcat(text, tokens[random_below(&seed, COUNT(tokens))]);
            strcat(text, " ");
        }
        struct reading r;
        read_kinds(&r, text, ITEM);
        if (r.error == ASSAY_OK) {
            good++;
            assert_true(r.expression.count > 0);
        } else {
            assert_true(r.diag.message[0] != '\0');
            assert_in_range(r.diag.column, 1, strlen(text) + 1);
        }
        forget(&r);
    }
    assert_true(good > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(what_cannot_be_read_is_refused_at_its_column),
        cmocka_unit_test(a_name_that_stands_for_nothing_is_refused_with_the_nearest),
        cmocka_unit_test(what_is_of_the_wrong_type_is_refused_at_its_column),
        cmocka_unit_test(a_kind_is_compared_with_kinds_of_its_layer),
        cmocka_unit_test(a_keyword_of_the_language_is_a_field_where_no_parenthesis_follows),
        cmocka_unit_test(a_constant_that_is_out_of_reach_is_refused),
        cmocka_unit_test(a_rule_on_several_kinds_reads_what_all_of_them_have),
        cmocka_unit_test(nesting_is_limited_whatever_nests),
        cmocka_unit_test(the_deepest_nesting_that_is_allowed_is_read),
        cmocka_unit_test(the_parts_of_an_expression_are_limited),
        cmocka_unit_test(a_name_may_be_63_characters_long),
        cmocka_unit_test(any_row_of_tokens_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
