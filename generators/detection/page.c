#include "page.h"

#include <stdlib.h>
#include <string.h>

enum { ROW = 1024, CELL = 64, COLUMN = 98 };

/* --- rows --- */

/* What the row of a kind has before the figures. */
static void row_begin(const struct detection_corruption *kind, char *row, size_t size)
{
    const char *level = kind->shown_by == DETECTION_BY_LEGAL ? "-" : assay_level_name(kind->level);
    int used = snprintf(row, size, "| %s |", kind->title);
    for (size_t i = 0; i < kind->clauses->count && used > 0 && (size_t)used < size; i++) {
        used += snprintf(row + used, size - (size_t)used, "%s %s", i > 0 ? "," : "",
                         kind->clauses->items[i]->text);
    }
    if (used > 0 && (size_t)used < size) {
        snprintf(row + used, size - (size_t)used, " | %s | %s |", level,
                 detection_shown_text(kind->shown_by));
    }
}

/* Only all is 100, and only none is 0. */
static unsigned percent(unsigned part, unsigned all)
{
    const unsigned rounded = (100 * part + all / 2) / all;
    return part == 0 ? 0 : part == all ? 100 : rounded < 1 ? 1 : rounded > 99 ? 99 : rounded;
}

static void cell(const struct detection_tally *tally, const struct detection_count *count,
                 unsigned column, char *text, size_t size)
{
    if (count->trials == 0 || (column == DETECTION_ACCOMPANIED && !tally->accompanied)) {
        snprintf(text, size, "-");
        return;
    }
    const unsigned must = percent(count->must[column], count->trials);
    if (count->should[column] > count->must[column]) {
        snprintf(text, size, "%u %% (%u %%)", must, percent(count->should[column], count->trials));
    } else {
        snprintf(text, size, "%u %%", must);
    }
}

static void heading(const struct detection_tally *tally, char *text, size_t size)
{
    snprintf(text, size, "### %s, %s\n", tally->table->title, tally->traces);
}

void detection_print(const struct detection_tally *tally, FILE *out)
{
    char text[ROW];
    heading(tally, text, sizeof text);
    fprintf(out,
            "\n%s\n| corruption | clauses | level | shown by | trials | trace alone "
            "| and %s | and the recording |\n|---|---|---|---|--:|--:|--:|--:|\n",
            text, tally->table->format->reads_images ? "the program" : "facts");
    for (size_t i = 0; i < tally->table->count; i++) {
        row_begin(&tally->table->list[i], text, sizeof text);
        fprintf(out, "%s %u |", text, tally->counts[i].trials);
        for (unsigned column = 0; column < DETECTION_COLUMNS; column++) {
            char share[CELL];
            cell(tally, &tally->counts[i], column, share, sizeof share);
            fprintf(out, " %s |", share);
        }
        fputc('\n', out);
    }
}

/* --- reasons --- */

/* An item of a list, broken into lines. */
static void print_item(const char *title, const char *text, FILE *out)
{
    size_t column = (size_t)fprintf(out, "- *%s*:", title);
    while (*text != '\0') {
        const size_t word = strcspn(text, " \n");
        if (column + 1 + word > COLUMN) {
            fputs("\n ", out);
            column = 1;
        }
        fprintf(out, " %.*s", (int)word, text);
        column += word + 1;
        text += word + strspn(text + word, " \n");
    }
    fputc('\n', out);
}

void detection_print_reasons(const struct detection_table *table, FILE *out)
{
    fprintf(out, "\n### %s: what is missed, and why it must be\n\n", table->title);
    for (size_t i = 0; i < table->count; i++) {
        if (table->list[i].missed != NULL) {
            print_item(table->list[i].title, table->list[i].missed, out);
        }
    }
    fprintf(out, "\n### %s: gaps\n\n", table->title);
    for (size_t i = 0; i < table->count; i++) {
        if (table->list[i].gap != NULL) {
            print_item(table->list[i].title, table->list[i].gap, out);
        }
    }
}

/* --- comparing with the page --- */

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

/* The shares in a column of a row, after the trials: at must level, and at should level.
 */
static bool promised(const char *figures, unsigned column, unsigned *must, unsigned *should)
{
    for (unsigned i = 0; i <= column && figures != NULL; i++) {
        figures = strchr(figures, '|');
        figures = figures != NULL ? figures + 1 : NULL;
    }
    const int read = figures != NULL ? sscanf(figures, " %u %% (%u %%)", must, should) : 0;
    if (read == 1) {
        *should = *must;
    }
    return read >= 1;
}

/* What a row promises: that all is caught, from the column on that shows it; of a legal kind that
 * nothing is found. What is found by chance, or is a gap, is no promise. */
static bool promises(const struct detection_corruption *kind, unsigned column, unsigned share)
{
    return kind->shown_by == DETECTION_BY_LEGAL
               ? share == 0
               : share == 100 && kind->gap == NULL &&
                     column >= detection_shown_from(kind->shown_by);
}

static bool keeps(const struct detection_tally *tally, size_t kind, const char *figures)
{
    const struct detection_corruption *corruption = &tally->table->list[kind];
    const struct detection_count *count = &tally->counts[kind];
    const bool legal = corruption->shown_by == DETECTION_BY_LEGAL;
    /* A kind of level should is to be caught at that level; that most trials of it are caught by
     * must rules is no promise. */
    const bool must_promised = legal || corruption->level == ASSAY_MUST;
    const unsigned due = legal ? 0 : count->trials;
    bool kept = true;
    for (unsigned column = 0; column < DETECTION_COLUMNS && count->trials > 0; column++) {
        unsigned must = 0;
        unsigned should = 0;
        if (!promised(figures, column, &must, &should)) {
            continue;
        }
        if ((must_promised && promises(corruption, column, must) && count->must[column] != due) ||
            (!legal && promises(corruption, column, should) && count->should[column] != due)) {
            fprintf(stderr, "%s, %s: %s: the page says %u %% (%u %%), and it is %u (%u) of %u\n",
                    tally->table->format->name, tally->traces, corruption->title, must, should,
                    count->must[column], count->should[column], count->trials);
            kept = false;
        }
    }
    return kept;
}

bool detection_agrees(const struct detection_tally *tally, const char *page)
{
    enum { HEAD = 4 }; /* the heading, an empty line, and the two lines of a table's head */
    char text[ROW];
    heading(tally, text, sizeof text);
    const char *line = strstr(page, text);
    bool agrees = line != NULL;
    for (unsigned i = 0; i < HEAD && agrees; i++) {
        line = next_line(line);
    }
    bool kept = true;
    for (size_t i = 0; i < tally->table->count && agrees; i++) {
        row_begin(&tally->table->list[i], text, sizeof text);
        agrees = strncmp(line, text, strlen(text)) == 0;
        kept = agrees && keeps(tally, i, line + strlen(text)) && kept;
        line = next_line(line);
    }
    if (agrees && line[0] == '|') {
        snprintf(text, sizeof text, "a row that is none of its kinds");
        agrees = false;
    }
    if (!agrees) {
        fprintf(stderr, "%s, %s: the page differs from the table of kinds, first at: %s\n",
                tally->table->format->name, tally->traces, text);
    }
    return agrees && kept;
}

bool detection_caught_as_stated(const struct detection_corruption *kind, unsigned columns)
{
    if (kind->shown_by == DETECTION_BY_LEGAL) {
        return columns == 0;
    }
    for (unsigned column = detection_shown_from(kind->shown_by); column < DETECTION_COLUMNS;
         column++) {
        if ((columns >> column & 1) == 0) {
            return false;
        }
    }
    return true;
}

bool detection_is_as_stated(const struct detection_tally *tally)
{
    bool stated = true;
    for (size_t i = 0; i < tally->table->count; i++) {
        const struct detection_corruption *kind = &tally->table->list[i];
        const struct detection_count *count = &tally->counts[i];
        const bool legal = kind->shown_by == DETECTION_BY_LEGAL;
        bool all = true;
        for (unsigned column = detection_shown_from(kind->shown_by); column < DETECTION_COLUMNS;
             column++) {
            const unsigned found =
                kind->level == ASSAY_MUST ? count->must[column] : count->should[column];
            all = all && (legal ? count->must[column] == 0 : found == count->trials);
        }
        if (!all && kind->gap == NULL) {
            fprintf(stderr, "%s, %s: %s: %s\n", tally->table->format->name, tally->traces,
                    kind->title,
                    legal ? "is found, though legal" : "is missed, and no gap is stated");
            stated = false;
        }
    }
    return stated;
}
