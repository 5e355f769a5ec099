/* Rules that could never be exercised or never fail. */
#include "validator/tests/toy.h"

#include <stdio.h>
#include <string.h>

#include "common/tests/random.h"
#include "validator/compiler/loader.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void a_rule_that_checks_nothing_is_refused_at_the_part_that_makes_it_so(void **state)
{
    (void)state;
    static const struct {
        const char *on;
        const char *when; /* or null */
        const char *require;
        const char *refused; /* the key, or null: it is taken */
    } cases[] = {
        {"item", "el == 1 and el == 2", "flag", "when"},
        {"item", "el > 3", "flag", "when"},
        {"item", "el < 0", "flag", "when"},
        {"item", "el != el", "flag", "when"},
        {"item", "flag and not flag", "n == 1", "when"},
        {"item", "n > 5 and n < 6", "flag", "when"},
        {"item", "n in {9..1}", "flag", "when"},
        {"item", "n & 1 == 2", "flag", "when"},
        {"item", "false", "flag", "when"},
        {"item", "kind == mark", "flag", "when"},
        {"[item, mark]", "kind == malformed", "n == 1", "when"},
        {"item", "prev.kind == item and prev.kind == mark", "flag", "when"},
        {"item", "prev.kind > mark", "flag", "when"},
        {"atom", "from.kind == item and from.kind == mark", "taken", "when"},
        {"atom", "from.kind > mark", "taken", "when"},
        {"atom", NULL, "from.kind != 9", "require"},
        {"atom", NULL, "from.kind in {malformed, end, item, mark}", "require"},
        {"atom", "from.kind in {end, item}", "from.kind == item", NULL},
        {"atom", "from.kind == item and from.n == 300", "taken", NULL},
        {"atom", "prev.kind in {atom, end}", "prev.kind == atom", NULL},
        {"atom", NULL, "prev.kind in {atom, end}", "require"},
        {"item", "seen(mark) and not seen(mark)", "flag", "when"},
        {"item", "big == 1 and big == 2", "flag", "when"},
        {"item", "big > 5 and n == 1 and big < 6", "flag", "when"},
        {"item", "big > 0xffffffffffffffff", "flag", "when"},
        {"item", "big < 0", "flag", "when"},
        {"item", "count(mark) < 0", "flag", "when"},
        {"item", "big == 7 and false", "flag", "when"},
        {"item", NULL, "true", "require"},
        {"item", NULL, "flag or not flag", "require"},
        {"item", NULL, "el <= 3", "require"},
        {"item", NULL, "n == n", "require"},
        {"item", "flag", "flag", "require"},
        {"item", "n > 5", "n > 3", "require"},
        {"item", "n in {1, 2}", "n < 3 or flag", "require"},
        {"item", NULL, "if flag then el < 3 or el == 3 else true", "require"},
        {"item", NULL, "kind == item", "require"},
        {"item", NULL, "is_even(el) or not is_even(el)", "require"},
        {"item", "el > 2", "flag", NULL},
        {"item", "n > 254", "n == 255 and flag", NULL},
        {"item", "big > 5 and big < 7", "flag", NULL},
        {"item", "big > 0xfffffffffffffffe", "flag", NULL},
        {"item", "prev.n > 255", "flag", NULL},
        {"item", "prev.n == 300", "flag", NULL},
        {"atom", "from.n == 300", "taken", NULL},
        {"item", "last(mark).flag == 9", "flag", NULL},
        {"[item, mark]", "n > 255", "prev.n == 1", NULL},
        {"any", "kind == mark", "index == 1", NULL},
        {"item", "wide != 0", "flag", NULL},
        {"mark", NULL, "rest == 0", NULL},
        {"mark", "rest == 0", "rest != 0 or n == 1", NULL},
        {"mark", "rest == 0 and count == 0", "last", NULL},
        {"item", NULL, "last(mark).rest == 0", NULL},
        {"mark", NULL, "rest == 0 or rest != 0", NULL},
        {"item", NULL, "false", NULL},
        {"item", "reads(INT-T-1, zero)", "flag", NULL},
        {"item", "fact(T0SZ) == 63", "flag", NULL},
        {"item", "fact(FEAT_SVE)", "flag", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        struct assay_loaded *made = NULL;
        struct assay_diag diag;
        const bool fact = cases[i].when != NULL && strncmp(cases[i].when, "fact(", 5) == 0;
        snprintf(text, sizeof text,
                 "rules:\n- id: T-1\n  title: t\n  clauses: [T-1]\n  level: must\n  on: %s\n"
                 "  require: '%s'\n  %s%s%s\n  say: s\n  needs: [%s]\n",
                 cases[i].on, cases[i].require, cases[i].when != NULL ? "when: '" : "",
                 cases[i].when != NULL ? cases[i].when : "", cases[i].when != NULL ? "'" : "",
                 !fact                                   ? ""
                 : strstr(cases[i].when, "T0SZ") != NULL ? "'facts:T0SZ'"
                                                         : "'facts:FEAT_SVE'");
        const char *const texts[] = {text};
        const enum assay_error error = toy_load(texts, 1, NULL, &made, &diag);
        const bool when = cases[i].refused != NULL && strcmp(cases[i].refused, "when") == 0;
        if (error != (cases[i].refused != NULL ? ASSAY_VACUOUS : ASSAY_OK) ||
            (cases[i].refused != NULL && diag.line != (when ? 8 : 7))) {
            fail_msg("%s: %s at %u: %s", text, assay_error_name(error), diag.line, diag.message);
        }
        assert_true(error == ASSAY_OK || diag.hint[0] != '\0');
        assay_catalogue_free(made);
    }
}

/* --- against trying all values --- */

static const char *const small[] = {"flag",         "el == %u",     "el < %u",
                                    "colour >= %u", "n[1:0] == %u", "el + colour != %u",
                                    "is_even(el)",  "kind == item"};
static const char *const large[] = {"big == %u",  "big < %u",   "big > %u", "big >= %u",
                                    "word <= %u", "word == %u", "flag",     "index == %u"};

/* A condition out of up to six of these. */
static void random_condition(uint64_t *seed, const char *const *atoms, size_t count, char *text)
{
    static const char *const joints[] = {" and ", " and ", " or ", " and not "};
    const size_t length = 1 + random_below(seed, 6);
    text[0] = '\0';
    for (size_t i = 0; i < length; i++) {
        char atom[64];
        /* The texts above are the only formats. */
        const char *form = atoms[random_below(seed, count)];
        const char *number = strstr(form, "%u");
        snprintf(atom, sizeof atom, "%.*s", (int)(number != NULL ? number - form : 60), form);
        if (number != NULL) {
            snprintf(atom + strlen(atom), 16, "%u", (unsigned)random_below(seed, 4));
        }
        strcat(text, i > 0 ? joints[random_below(seed, COUNT(joints))] : "");
        strcat(text, atom);
    }
}

struct reading {
    struct assay_arena arena;
    struct assay_diag diag;
    struct assay_catalogue catalogue;
    struct assay_loader loader;
    struct assay_expression expression;
};

static const struct assay_kinds item = {{1 << TOY_ITEM}};

static void read_condition(struct reading *r, const char *text)
{
    const struct assay_yaml place = {
        .type = ASSAY_YAML_SCALAR, .line = 1, .column = 1, .text = text, .length = strlen(text)};
    struct assay_meaning meaning;
    *r = (struct reading){.catalogue = {.format = &toy_format}};
    r->loader = (struct assay_loader){
        .arena = &r->arena, .diag = &r->diag, .format = &toy_format, .out = &r->catalogue};
    const struct assay_scope scope = {.loader = &r->loader, .kinds = &item, .place = &place};
    if (assay_parse(&scope, text, strlen(text), &r->expression, &meaning) != ASSAY_OK) {
        fail_msg("%s: %s", text, r->diag.message);
    }
}

/* Tries the values that `values` gives for leaf after leaf, of `choices` each. */
static bool holds_somewhere(const struct reading *r, unsigned choices,
                            uint64_t (*value)(const char *leaf, unsigned choice))
{
    uint64_t leaves[16] = {0};
    uint64_t rounds = 1;
    assert_true(r->catalogue.leaf_count <= 6);
    for (size_t i = 0; i < r->catalogue.leaf_count; i++) {
        rounds *= choices;
    }
    for (uint64_t n = 0; n < rounds; n++) {
        uint64_t rest = n;
        for (size_t i = 0; i < r->catalogue.leaf_count; i++, rest /= choices) {
            leaves[i] = value(r->catalogue.leaves[i].text, (unsigned)(rest % choices));
        }
        if (assay_evaluate(&r->expression, leaves, toy_format.functions) != 0) {
            return true;
        }
    }
    return false;
}

static uint64_t every_small_value(const char *leaf, unsigned choice)
{
    return strcmp(leaf, "kind") == 0   ? TOY_ITEM
           : strcmp(leaf, "flag") == 0 ? choice & 1
           : strcmp(leaf, "el") == 0   ? choice & 3
                                       : choice;
}

static void with_few_bits_the_answer_is_exact(void **state)
{
    (void)state;
    uint64_t seed = 41;
    unsigned impossible = 0;
    for (unsigned round = 0; round < 1500; round++) {
        char text[512];
        struct reading r;
        random_condition(&seed, small, COUNT(small), text);
        read_condition(&r, text);
        /* n has 8 bits, and with all others there are more than 16: then ranges decide. */
        const bool exact = strstr(text, "n[") == NULL || strstr(text, "kind") == NULL;
        const bool holds = holds_somewhere(&r, 16, every_small_value);
        const bool answer = assay_satisfiable(&r.loader, &item, &r.expression);
        if (holds ? !answer : exact && answer) {
            fail_msg("%s", text);
        }
        impossible += !holds;
        assay_loader_close(&r.loader);
        assay_arena_free(&r.arena);
    }
    assert_in_range(impossible, 100, 1400);
}

static uint64_t values_at_ends(const char *leaf, unsigned choice)
{
    static const uint64_t ends[] = {0, 1, 2, 3, 4, UINT32_MAX, UINT64_MAX};
    const uint64_t value = ends[choice];
    return strcmp(leaf, "flag") == 0   ? value & 1
           : strcmp(leaf, "word") == 0 ? value & UINT32_MAX
                                       : value;
}

static void with_many_bits_nothing_possible_is_called_impossible(void **state)
{
    (void)state;
    uint64_t seed = 42;
    unsigned found = 0;
    for (unsigned round = 0; round < 3000; round++) {
        char text[512];
        struct reading r;
        random_condition(&seed, large, COUNT(large), text);
        read_condition(&r, text);
        const bool holds = holds_somewhere(&r, 7, values_at_ends);
        const bool answer = assay_satisfiable(&r.loader, &item, &r.expression);
        if (holds && !answer) {
            fail_msg("%s", text);
        }
        found += !answer;
        assay_loader_close(&r.loader);
        assay_arena_free(&r.arena);
    }
    assert_true(found > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_that_checks_nothing_is_refused_at_the_part_that_makes_it_so),
        cmocka_unit_test(with_few_bits_the_answer_is_exact),
        cmocka_unit_test(with_many_bits_nothing_possible_is_called_impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
