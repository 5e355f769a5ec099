#include "validator/tests/toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/layout.h"
#include "model/parameters.h"

static const struct assay_enumerator colour_list[] = {
    {0, "red", ""}, {1, "green", ""}, {2, "light-blue", ""}};
ASSAY_ENUMERATION(colour, "colour");

#define TOY_ITEM_FIELDS(F, T, D)                                                                   \
    F(item, flag, FLAG, 0, 1, "")                                                                  \
    F(item, el, UINT, 1, 2, "", .track = ASSAY_TRACK_STATE)                                        \
    F(item, colour, ENUM, 4, 4, "", .names = &colour)                                              \
    F(item, n, UINT, 8, 8, "")                                                                     \
    F(item, word, HEX, 32, 32, "")                                                                 \
    F(item, big, HEX, 64, 64, "")                                                                  \
    F(item, wide, BYTES, 128, 128, "")                                                             \
    D(item, twice, UINT, 0, 0, 16, "")
#define TOY_MARK_FIELDS(F, T, D)                                                                   \
    F(mark, flag, UINT, 0, 4, "")                                                                  \
    F(mark, n, UINT, 16, 16, "")                                                                   \
    F(mark, only_mark, UINT, 32, 8, "")                                                            \
    F(mark, count, UINT, 40, 8, "", .track = ASSAY_TRACK_AMOUNT_OR_ALL)                            \
    F(mark, last, FLAG, 48, 1, "")                                                                 \
    T(mark, rest, 64, "")
#define TOY_ATOM_FIELDS(F, T, D)                                                                   \
    D(atom, taken, FLAG, 0, 0, 1, "")                                                              \
    D(atom, n, UINT, 0, 8, 8, "", .track = ASSAY_TRACK_AMOUNT)                                     \
    D(atom, n_known, FLAG, 0, 16, 1, "")                                                           \
    D(atom, executed, FLAG, 0, 17, 1, "", .flags = ASSAY_COMPARED)

static const struct assay_field malformed_fields[] = {ASSAY_D(malformed, value, HEX, 0, 0, 64, "")};
static const struct assay_field end_fields[] = {ASSAY_D(end, total, UINT, 0, 0, 64, "")};
static const struct assay_field item_fields[] = {TOY_ITEM_FIELDS(ASSAY_F, ASSAY_T, ASSAY_D)};
static const struct assay_field mark_fields[] = {TOY_MARK_FIELDS(ASSAY_F, ASSAY_T, ASSAY_D)};
static const struct assay_field atom_fields[] = {TOY_ATOM_FIELDS(ASSAY_F, ASSAY_T, ASSAY_D)};

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "0"),   ASSAY_KIND(end, "End", 0, "0"),
    ASSAY_KIND(item, "Item", 256, "1"),           ASSAY_KIND(mark, "Mark", 64, "2"),
    ASSAY_KIND(atom, "Atom", 0, "3", .layer = 1),
};

static const struct assay_fault_code faults[] = {{"bad-thing", ""}, {"cut-short", ""}};

static uint64_t sum3(uint64_t a, uint64_t b, uint64_t c)
{
    return a + b + c;
}

static uint64_t is_even(uint64_t a, uint64_t b, uint64_t c)
{
    return ((a | b | c) & 1) == 0; /* b and c are 0 */
}

static const struct assay_function functions[] = {
    {"sum3", 3, false, sum3, "sum3", ""},
    {"is_even", 1, true, is_even, "is_even", ""},
};

static bool probe(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return false;
}

static void describe(const struct assay_event *event, char *out, size_t size)
{
    const struct assay_field *n = assay_field_by_name(&kinds[event->kind], "n");
    snprintf(out, size, "#%llu n=%llu", (unsigned long long)event->index,
             n != NULL ? (unsigned long long)assay_field_get(n, event) : 0);
}

static const char *const layers[] = {"packet", "element"};

static const struct assay_profile profiles[] = {{"toy-1", "Toy 1"}, {"toy-2", "Toy 2"}};

static const struct assay_parameter parameter_list[] = {
    [TOY_WIDTH] = {.name = "WIDTH", .least = 1, .most = 64},
    [TOY_WHOLE] = {.name = "WHOLE", .most = 1},
    [TOY_ORDER] = {.name = "ORDER", .most = 7, .has_default = true, .value = 3}};
static const struct assay_parameter_field register_fields[] = {
    {.parameter = TOY_WIDTH, .bit = 2, .width = 3, .name = "STEP"},
    {.parameter = TOY_ORDER, .bit = 0, .width = 1, .name = "FIRST"}};
static const struct assay_parameter_table parameters = {.list = parameter_list,
                                                        .fields = register_fields,
                                                        .field_count = ASSAY_COUNT(register_fields),
                                                        .count = ASSAY_COUNT(parameter_list)};

const struct assay_format toy_format = {.name = "toy",
                                        .title = "Toy",
                                        .version = "1",
                                        .profiles = profiles,
                                        .profile_count = ASSAY_COUNT(profiles),
                                        .layers = layers,
                                        .layer_count = ASSAY_COUNT(layers),
                                        .kinds = kinds,
                                        .kind_count = ASSAY_COUNT(kinds),
                                        .faults = faults,
                                        .fault_count = ASSAY_COUNT(faults),
                                        .parameters = &parameters,
                                        .functions = functions,
                                        .function_count = ASSAY_COUNT(functions),
                                        .probe = probe,
                                        .describe = describe};

struct assay_event toy_event(struct toy_event *memory, unsigned kind)
{
    memset(memory, 0, sizeof *memory);
    return (struct assay_event){.bytes = memory->bytes,
                                .cells = memory->cells,
                                .bits = kinds[kind].bits,
                                .kind = (uint16_t)kind};
}

void toy_set(struct toy_event *memory, unsigned kind, const char *field, uint64_t value)
{
    const struct assay_field *found = assay_field_by_name(&kinds[kind], field);
    assert_non_null(found);
    assert_int_equal(assay_field_set(found, memory->bytes, memory->cells, value), ASSAY_OK);
}

const char toy_clauses[] = "clauses:\n"
                           "  - {id: T-1, section: '1', level: must, text: one, "
                           "disposition: rule}\n"
                           "  - {id: T-2, section: '2', level: may, text: two, "
                           "disposition: decoder, reason: x, vectors: [v]}\n";

const char toy_interpretations[] = "interpretations:\n"
                                   "  - id: INT-T-1\n"
                                   "    section: '1'\n"
                                   "    clauses: [T-1]\n"
                                   "    problem: unclear\n"
                                   "    readings: {zero: it is 0, not-so: it may be anything}\n"
                                   "    default: zero\n"
                                   "    because: we like it\n";

enum { MOST_FILES = 8 };

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

enum assay_error toy_load_named(const char *const *names, const char *const *texts, size_t count,
                                const struct assay_catalogue *base, struct assay_loaded **loaded,
                                struct assay_diag *diag)
{
    char folder[] = "/tmp/assay-toy-XXXXXX";
    char files[MOST_FILES][128];
    const char *paths[MOST_FILES];
    assert_non_null(mkdtemp(folder));
    assert_true(count <= MOST_FILES);
    for (size_t i = 0; i < count; i++) {
        snprintf(files[i], sizeof files[i], "%s/%s", folder, names[i]);
        paths[i] = files[i];
        write_file(files[i], texts[i]);
    }
    *diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    *loaded = NULL;
    const enum assay_error error =
        assay_catalogue_load(&toy_format, paths, count, base, loaded, diag);
    for (size_t i = 0; i < count; i++) {
        unlink(files[i]);
    }
    rmdir(folder);
    if (strncmp(diag->path, folder, strlen(folder)) == 0) {
        memmove(diag->path, diag->path + sizeof folder, strlen(diag->path) - sizeof folder + 1);
    }
    return error;
}

enum assay_error toy_load(const char *const *texts, size_t count,
                          const struct assay_catalogue *base, struct assay_loaded **loaded,
                          struct assay_diag *diag)
{
    const char *names[MOST_FILES] = {"clauses.yaml", "interpretations.yaml"};
    const char *all[MOST_FILES] = {toy_clauses, toy_interpretations};
    char rule_names[MOST_FILES][32];
    assert_true(count + 2 <= MOST_FILES);
    for (size_t i = 0; i < count; i++) {
        snprintf(rule_names[i], sizeof rule_names[i], "rules%zu.yaml", i);
        names[i + 2] = rule_names[i];
        all[i + 2] = texts[i];
    }
    const size_t skipped = base != NULL ? 2 : 0; /* the base lends them */
    return toy_load_named(names + skipped, all + skipped, count + 2 - skipped, base, loaded, diag);
}
