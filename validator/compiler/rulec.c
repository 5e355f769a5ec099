/* The rule compiler: rule files of a format in, C source text out. With --corpus it turns vectors
 * into C instead. Run by the build. */
#include <stdio.h>
#include <string.h>

#include "common/sink.h"
#include "validator/engine/catalogue.h"

static int fail(const struct assay_diag *diag)
{
    char text[1024];
    assay_diag_format(diag, text, sizeof text);
    fprintf(stderr, "assay-rulec: %s\n", text);
    return 1;
}

/* A file's bytes as an array: a C compiler need not take long string literals. */
static int put_text(const char *path, size_t number, FILE *out)
{
    FILE *in = fopen(path, "rbe");
    if (in == NULL) {
        fprintf(stderr, "assay-rulec: %s cannot be read\n", path);
        return 1;
    }
    fprintf(out, "static const char text_%zu[] = {", number);
    for (int c; (c = getc(in)) != EOF;) {
        fprintf(out, "%d,", c < 128 ? c : c - 256);
    }
    fprintf(out, "0};\n");
    fclose(in);
    return 0;
}

static int compile_corpus(const char *path, char **files, size_t count)
{
    FILE *out = fopen(path, "wbe");
    int bad = out == NULL;
    if (out == NULL) {
        fprintf(stderr, "assay-rulec: %s cannot be written\n", path);
        return 1;
    }
    fprintf(out, "#include \"validator/vector/corpus.h\"\n\n");
    for (size_t i = 0; i < count && !bad; i++) {
        bad = put_text(files[i], i, out);
    }
    fprintf(out, "const struct assay_corpus_text assay_corpus[] = {\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "{\"%s\", text_%zu, sizeof text_%zu - 1},\n", files[i], i, i);
    }
    fprintf(out, "{0, 0, 0}};\nconst size_t assay_corpus_count = %zu;\n", count);
    return fclose(out) != 0 || bad;
}

int main(int argc, char **argv)
{
    struct assay_diag diag = {0};
    struct assay_loaded *loaded = NULL;
    struct assay_sink sink;
    if (argc >= 3 && strcmp(argv[1], "--corpus") == 0) {
        return compile_corpus(argv[2], argv + 3, (size_t)argc - 3);
    }
    if (argc < 4) {
        fprintf(stderr,
                "usage: assay-rulec FORMAT OUT.c FILE.yaml... | --corpus OUT.c FILE.yaml...\n");
        return 2;
    }
    const struct assay_format *format = assay_format_by_name(argv[1]);
    if (format == NULL) {
        fprintf(stderr, "assay-rulec: there is no format \"%s\"\n", argv[1]);
        return 2;
    }
    if (assay_catalogue_load(format, (const char *const *)argv + 3, (size_t)argc - 3, NULL, &loaded,
                             &diag) != ASSAY_OK ||
        assay_sink_open(&sink, argv[2], &diag) != ASSAY_OK) {
        return fail(&diag);
    }
    const enum assay_error error = assay_catalogue_emit(assay_loaded_catalogue(loaded), &sink);
    assay_catalogue_free(loaded);
    const enum assay_error closed = assay_sink_close(&sink, &diag);
    return error == ASSAY_OK && closed == ASSAY_OK ? 0 : fail(&diag);
}
