/* The files of the corpus: each in the folder where one looks for it, under a name of its own. */
#include <fts.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validator/tests/vector_runner.h"

static struct ready_corpus corpus;

static void a_name_is_that_of_one_vector_of_the_format(void **state)
{
    (void)state;
    unsigned bad = 0;
    assert_true(corpus.count > 0);
    for (size_t i = 1; i < corpus.count; i++) { /* sorted by format and name */
        const struct ready_vector *a = &corpus.list[i - 1];
        const struct ready_vector *b = &corpus.list[i];
        if (a->vector.format == b->vector.format && strcmp(a->name, b->name) == 0) {
            print_error("%s and %s have the same name\n", a->path, b->path);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* The name of the area: of the file ("rules/astf/context.yaml") that has the rule in the vector's
 * name, or else the first word of the name ("decode"). */
static void area_of(const struct ready_vector *vector, char *area, size_t size)
{
    char first[32] = "";
    sscanf(vector->name, "%31[^.]", first);
    const struct assay_rule *rule =
        assay_rule_by_id(assay_catalogue_of(vector->vector.format), first);
    const char *slash = rule != NULL ? strrchr(rule->file, '/') : NULL;
    snprintf(area, size, "%s", slash != NULL ? slash + 1 : rule != NULL ? rule->file : first);
    area[strcspn(area, ".")] = '\0';
}

static void a_vector_is_in_the_folder_of_its_format_and_area(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        char area[64];
        char path[1024];
        if (vector->carried) {
            continue;
        }
        area_of(vector, area, sizeof area);
        snprintf(path, sizeof path, "%s/%s/%s/%s", ASSAY_CORPUS, vector->vector.format->name, area,
                 vector->name);
        if (strcmp(vector->path, path) != 0) {
            print_error("%s belongs to the folder %s/%s\n", vector->path,
                        vector->vector.format->name, area);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static bool extended(const char *path)
{
    for (size_t i = 0; i < corpus.count; i++) {
        for (size_t k = 0; k < corpus.list[i].vector.base_count; k++) {
            if (strcmp(corpus.list[i].vector.bases[k].path, path) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void every_base_is_extended_by_a_vector(void **state)
{
    (void)state;
    unsigned bad = 0;
    unsigned bases = 0;
    char *const roots[] = {strdup(ASSAY_CORPUS), NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
    assert_non_null(walk);
    for (FTSENT *entry; (entry = fts_read(walk)) != NULL;) {
        if (entry->fts_info == FTS_F && strstr(entry->fts_path, "/_") != NULL) {
            bases++;
            if (!extended(entry->fts_path)) {
                print_error("%s: no vector extends it\n", entry->fts_path);
                bad++;
            }
        }
    }
    fts_close(walk);
    free(roots[0]);
    if (bases == 0) {
        skip();
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_that_of_one_vector_of_the_format),
        cmocka_unit_test(a_vector_is_in_the_folder_of_its_format_and_area),
        cmocka_unit_test(every_base_is_extended_by_a_vector),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
