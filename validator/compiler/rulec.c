/* The rule compiler: rule files of a format in, C source text out. With --texts it turns files,
 * such as vectors, into texts in C instead. Run by the build. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/sink.h"
#include "validator/engine/catalogue.h"

static int fail(const struct assay_diag *diag)
{
    char text[1024];
    assay_diag_format(diag, text, sizeof text);
    fprintf(stderr, "assay-rulec: %s\n", text);
    return 1;
}

/* What is written is what the file holds already: it is left as it is, with its time, and what is
 * built from it need not be built again. */
static bool holds(const char *path, const struct assay_sink *text)
{
    FILE *in = fopen(path, "rbe");
    bool same = in != NULL;
    for (size_t i = 0; same && i < text->size; i++) {
        same = getc(in) == text->data[i];
    }
    same = same && getc(in) == EOF;
    if (in != NULL) {
        fclose(in);
    }
    return same;
}

/* Writes a file from a text in memory, which is closed. */
static int put_file(const char *path, struct assay_sink *text)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    enum assay_error error = text->error;
    if (error == ASSAY_OK && !holds(path, text)) {
        error = assay_sink_open(&sink, path, &diag);
        if (error == ASSAY_OK) {
            assay_sink_write(&sink, text->data, text->size);
            error = assay_sink_close(&sink, &diag);
        }
    }
    assay_sink_close(text, NULL);
    return error == ASSAY_OK ? 0 : fail(&diag);
}

/* --- texts --- */

/* A file as a string literal, a line of it in a line. */
static bool put_text(const char *path, struct assay_sink *out)
{
    FILE *in = fopen(path, "rbe");
    if (in == NULL) {
        fprintf(stderr, "assay-rulec: %s cannot be read\n", path);
        return false;
    }
    assay_sink_text(out, "    \"");
    for (int c; (c = getc(in)) != EOF;) {
        if (c == '\n') {
            assay_sink_text(out, "\\n\"\n    \"");
        } else if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?') {
            assay_sink_printf(out, "\\%03o", (unsigned)c);
        } else {
            const char letter = (char)c;
            assay_sink_write(out, &letter, 1);
        }
    }
    assay_sink_text(out, "\"");
    fclose(in);
    return true;
}

/* All files that a list names, a path in a line, as the array `symbol` that a header declares. */
static int compile_texts(const char *header, const char *symbol, const char *path, const char *list)
{
    struct assay_sink out;
    char name[4096];
    size_t count = 0;
    FILE *in = fopen(list, "re");
    bool good = in != NULL;
    assay_sink_memory(&out, 0);
    assay_sink_printf(&out,
                      "#include \"%s\"\n\n"
                      "#define TEXT(name, text) {name, text, sizeof text - 1}\n"
                      "const struct assay_corpus_text %s[] = {\n",
                      header, symbol);
    while (good && fgets(name, sizeof name, in) != NULL) {
        name[strcspn(name, "\n")] = '\0';
        assay_sink_printf(&out, "TEXT(\"%s\",\n", name);
        good = put_text(name, &out);
        assay_sink_text(&out, "),\n");
        count++;
    }
    if (in != NULL) {
        fclose(in);
    }
    assay_sink_printf(&out, "{0, 0, 0}};\nconst size_t %s_count = %zu;\n", symbol, count);
    if (!good || count == 0) {
        assay_sink_close(&out, NULL);
        fprintf(stderr, "assay-rulec: %s does not name files\n", list);
        return 1;
    }
    return put_file(path, &out);
}

/* Writes a part of the catalogue: OUT.h, OUT_tables.c, OUT_state.c, OUT_rules0.c ... */
static int put_part(const struct assay_catalogue *catalogue, unsigned part, const char *out)
{
    static const char *const names[] = {".h", "_tables.c", "_state.c"};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    const char *slash = strrchr(out, '/');
    char header[512];
    char path[4096];
    snprintf(header, sizeof header, "%s.h", slash != NULL ? slash + 1 : out);
    if (part < ASSAY_EMIT_RULES) {
        snprintf(path, sizeof path, "%s%s", out, names[part]);
    } else {
        snprintf(path, sizeof path, "%s_rules%u.c", out, part - ASSAY_EMIT_RULES);
    }
    assay_sink_memory(&sink, 0);
    const enum assay_error error = assay_catalogue_emit(catalogue, part, header, &sink);
    if (error != ASSAY_OK) {
        assay_sink_explain(&sink, error, &diag);
        assay_sink_close(&sink, NULL);
        return fail(&diag);
    }
    return put_file(path, &sink);
}

int main(int argc, char **argv)
{
    struct assay_diag diag = {0};
    struct assay_loaded *loaded = NULL;
    if (argc == 6 && strcmp(argv[1], "--texts") == 0) {
        return compile_texts(argv[2], argv[3], argv[4], argv[5]);
    }
    if (argc < 4) {
        fprintf(stderr, "usage: assay-rulec FORMAT OUT FILE.yaml... |\n"
                        "                   --texts HEADER SYMBOL OUT.c LIST\n");
        return 2;
    }
    const struct assay_format *format = assay_format_by_name(argv[1]);
    if (format == NULL) {
        fprintf(stderr, "assay-rulec: there is no format \"%s\"\n", argv[1]);
        return 2;
    }
    if (assay_catalogue_load(format, (const char *const *)argv + 3, (size_t)argc - 3, NULL, &loaded,
                             &diag) != ASSAY_OK) {
        return fail(&diag);
    }
    int status = 0;
    for (unsigned part = 0; part < ASSAY_EMIT_PARTS && status == 0; part++) {
        status = put_part(assay_loaded_catalogue(loaded), part, argv[2]);
    }
    assay_catalogue_free(loaded);
    return status;
}
