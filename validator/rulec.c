/* The rule compiler: rule files of a format in, C source text out. Run by the build. */
#include <stdio.h>

#include "common/sink.h"
#include "validator/catalogue.h"

static int fail(const struct assay_diag *diag)
{
    char text[1024];
    assay_diag_format(diag, text, sizeof text);
    fprintf(stderr, "assay-rulec: %s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    struct assay_diag diag = {0};
    struct assay_loaded *loaded = NULL;
    struct assay_sink sink;
    if (argc < 4) {
        fprintf(stderr, "usage: assay-rulec FORMAT OUT.c FILE.yaml...\n");
        return 2;
    }
    const struct assay_format *format = assay_format_by_name(argv[1]);
    if (format == NULL) {
        fprintf(stderr, "assay-rulec: there is no format \"%s\"\n", argv[1]);
        return 2;
    }
    if (assay_catalogue_load(format, (const char *const *)argv + 3, (size_t)argc - 3, NULL,
                             &loaded, &diag) != ASSAY_OK ||
        assay_sink_open(&sink, argv[2], &diag) != ASSAY_OK) {
        return fail(&diag);
    }
    const enum assay_error error = assay_catalogue_emit(assay_loaded_catalogue(loaded), &sink);
    assay_catalogue_free(loaded);
    const enum assay_error closed = assay_sink_close(&sink, &diag);
    return error == ASSAY_OK && closed == ASSAY_OK ? 0 : fail(&diag);
}
