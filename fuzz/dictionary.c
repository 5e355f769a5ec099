/* Dictionaries for libFuzzer, from the tables of the formats: `fuzz-dictionary astf` prints the
 * bytes of each kind of event, and of each value of its fields that has a name;
 * `fuzz-dictionary names` what vectors, rules and manifests call them. */
#include <stdio.h>
#include <string.h>

#include "validator/vector/vector.h"

enum { WORD = 64 }; /* the most that libFuzzer takes */

static void put_word(const uint8_t *bytes, size_t size)
{
    size = size < WORD ? size : WORD;
    while (size > 1 && bytes[size - 1] == 0) {
        size--;
    }
    putchar('"');
    for (size_t i = 0; i < size; i++) {
        printf("\\x%02x", bytes[i]);
    }
    puts("\"");
}

/* The bytes of an event that is written so in a vector; nothing where none can be written so. */
static void put_event(const struct assay_format *format, const char *event)
{
    struct assay_vector vector;
    struct assay_sink sink;
    char text[512];
    const int length =
        snprintf(text, sizeof text, "vector: 1\nformat: %s\ntrace:\n  - %s\n", format->name, event);
    if (assay_vector_parse("event", text, (size_t)length, NULL, &vector, NULL) != ASSAY_OK) {
        return;
    }
    assay_sink_memory(&sink, 0);
    if (assay_vector_encode(&vector, &sink, NULL) == ASSAY_OK && sink.size > 0) {
        put_word(sink.data, sink.size);
    }
    assay_sink_close(&sink, NULL);
    assay_vector_free(&vector);
}

static void put_kind(const struct assay_format *format, const struct assay_kind *kind)
{
    char event[256];
    snprintf(event, sizeof event, "%s: {}", kind->name);
    put_event(format, event);
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if (field->place == ASSAY_DERIVED || field->names == NULL) {
            continue;
        }
        for (size_t n = 0; n < field->names->count; n++) {
            snprintf(event, sizeof event, "%s: {%s: %s}", kind->name, field->name,
                     field->names->list[n].name);
            put_event(format, event);
        }
    }
}

/* A name may be in several tables, and a dictionary may say a word twice. */
static void put_names(const struct assay_format *format)
{
    printf("\"format: %s\"\n", format->name);
    for (size_t k = ASSAY_KIND_FIRST; k < format->kind_count; k++) {
        const struct assay_kind *kind = &format->kinds[k];
        printf("\"%s: {\"\n", kind->name);
        for (size_t i = 0; i < kind->field_count; i++) {
            printf("\"%s: \"\n", kind->fields[i].name);
        }
    }
}

int main(int argc, char **argv)
{
    const struct assay_format *format = argc == 2 ? assay_format_by_name(argv[1]) : NULL;
    const bool names = argc == 2 && strcmp(argv[1], "names") == 0;
    if (format == NULL && !names) {
        fprintf(stderr, "usage: fuzz-dictionary FORMAT | names\n");
        return 2;
    }
    for (size_t i = 0; names && assay_formats[i] != NULL; i++) {
        put_names(assay_formats[i]);
    }
    for (size_t k = ASSAY_KIND_FIRST; !names && k < format->kind_count; k++) {
        put_kind(format, &format->kinds[k]);
    }
    return 0;
}
