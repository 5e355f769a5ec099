/* The files of the corpus: each in the folder where one looks for it, under a name of its own. */
#include <fts.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* --- folders --- */

/* The area: the name of the file ("rules/astf/context.yaml") that has the rule, or else the first
 * word of the vector's name ("decode"). */
static void area_of(const struct assay_rule *rule, const char *first, char *area, size_t size)
{
    const char *slash = rule != NULL ? strrchr(rule->file, '/') : NULL;
    snprintf(area, size, "%s", slash != NULL ? slash + 1 : rule != NULL ? rule->file : first);
    area[strcspn(area, ".")] = '\0';
}

/* The folder in that of the area which is named for a subject; empty if there is none. False if the
 * vector is in another area, or deeper. */
static bool read_subject(const struct ready_vector *vector, const char *area, char subject[64])
{
    char folder[1024];
    const int length = snprintf(folder, sizeof folder, "%s/%s/%s/", ASSAY_CORPUS,
                                vector->vector.format->name, area);
    subject[0] = '\0';
    if (strncmp(vector->path, folder, (size_t)length) != 0) {
        return false;
    }
    const char *rest = vector->path + length;
    const size_t subject_length = strcspn(rest, "/");
    if (rest[subject_length] == '\0') {
        return true;
    }
    snprintf(subject, 64, "%.*s", (int)subject_length, rest);
    return strchr(rest + subject_length + 1, '/') == NULL;
}

static void a_vector_is_in_the_folder_of_its_area_and_rule_or_subject(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        char first[32] = "";
        char area[64];
        char subject[64];
        if (vector->carried) {
            continue;
        }
        sscanf(vector->name, "%31[^.]", first);
        const struct assay_rule *rule =
            assay_rule_by_id(assay_catalogue_of(vector->vector.format), first);
        area_of(rule, first, area, sizeof area);
        const bool right = read_subject(vector, area, subject);
        const bool needs_subject = rule != NULL || strcmp(area, "scenarios") == 0;
        if (!right || (rule != NULL && strcmp(subject, first) != 0) ||
            (needs_subject && subject[0] == '\0')) {
            print_error("%s belongs to the folder %s/%s%s%s\n", vector->path,
                        vector->vector.format->name, area, needs_subject ? "/" : "",
                        rule != NULL    ? first
                        : needs_subject ? "<subject>"
                                        : "");
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* The clause that a scenario is about: the first that it names. Of a vector of events the one in
 * its name, if that has one: ETE-CNC-005 in "decode.cnc-005-b.yaml". Null where there is none. */
static const struct assay_clause *clause_of(const struct ready_vector *vector)
{
    const struct assay_catalogue *c = assay_catalogue_of(vector->vector.format);
    const bool scenario = vector->vector.expectation == ASSAY_EXPECT_CONFORMS ||
                          vector->vector.expectation == ASSAY_EXPECT_VIOLATES;
    char id[32] = "";
    if (scenario) {
        snprintf(id, sizeof id, "%s", vector->vector.expected->items[0]->text);
    } else if (strncmp(vector->name, "decode.", strlen("decode.")) == 0) {
        char letters[16];
        unsigned number = 0;
        if (sscanf(vector->name, "decode.%15[a-z0-9]-%3u", letters, &number) == 2) {
            snprintf(id, sizeof id, "-%s-%03u", letters, number);
        }
    }
    for (size_t i = 0; id[0] != '\0' && i < c->clause_count; i++) {
        const char *clause = c->clauses[i].id;
        if (strcasecmp(id[0] == '-' ? strchr(clause, '-') : clause, id) == 0) {
            return &c->clauses[i];
        }
    }
    return NULL;
}

/* Clauses of one section under one abbreviation: ETE-EXC of K10.5.2.13. */
static bool of_one_subject(const struct assay_clause *a, const struct assay_clause *b)
{
    const size_t length = (size_t)(strrchr(a->id, '-') + 1 - a->id);
    return strncmp(a->id, b->id, length) == 0 && strchr(b->id + length, '-') == NULL &&
           strcmp(a->section, b->section) == 0;
}

static void vectors_about_one_section_are_in_folders_of_one_subject(void **state)
{
    enum { MOST = 1024 };
    static const struct ready_vector *seen[MOST];
    (void)state;
    unsigned bad = 0;
    size_t count = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        const struct assay_clause *clause = clause_of(vector);
        char area[32] = "";
        char subject[64];
        char known[64];
        size_t k = 0;
        sscanf(vector->name, "%31[^.]", area);
        if (vector->carried || clause == NULL || !read_subject(vector, area, subject) ||
            subject[0] == '\0') {
            continue;
        }
        while (k < count && (seen[k]->vector.format != vector->vector.format ||
                             !of_one_subject(clause_of(seen[k]), clause))) {
            k++;
        }
        if (k == count) {
            assert_true(count < MOST);
            seen[count++] = vector;
            continue;
        }
        sscanf(seen[k]->name, "%31[^.]", area);
        read_subject(seen[k], area, known);
        if (strcmp(subject, known) != 0) {
            print_error("%s is about %s, as %s is, which is in a folder %s\n", vector->path,
                        clause->id, seen[k]->name, known);
            bad++;
        }
    }
    assert_true(count > 0);
    assert_int_equal(bad, 0);
}

static void a_folder_has_at_most_200_files_or_has_folders(void **state)
{
    enum { MOST = 200 };
    (void)state;
    unsigned bad = 0;
    char *const roots[] = {strdup(ASSAY_CORPUS), NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
    assert_non_null(walk);
    for (FTSENT *entry; (entry = fts_read(walk)) != NULL;) {
        long *counts = entry->fts_pointer; /* of a folder: its files and its folders */
        if (entry->fts_info == FTS_D) {
            entry->fts_pointer = calloc(2, sizeof *counts);
            assert_non_null(entry->fts_pointer);
        }
        if (entry->fts_level > FTS_ROOTLEVEL && entry->fts_info != FTS_DP) {
            ((long *)entry->fts_parent->fts_pointer)[entry->fts_info == FTS_D]++;
        } else if (entry->fts_info == FTS_DP) {
            if (counts[0] > MOST || (counts[0] > 0 && counts[1] > 0)) {
                print_error("%s has %ld files and %ld folders\n", entry->fts_path, counts[0],
                            counts[1]);
                bad++;
            }
            free(counts);
        }
    }
    fts_close(walk);
    free(roots[0]);
    assert_int_equal(bad, 0);
}

/* --- bases --- */

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
        cmocka_unit_test(a_vector_is_in_the_folder_of_its_area_and_rule_or_subject),
        cmocka_unit_test(vectors_about_one_section_are_in_folders_of_one_subject),
        cmocka_unit_test(a_folder_has_at_most_200_files_or_has_folders),
        cmocka_unit_test(every_base_is_extended_by_a_vector),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
