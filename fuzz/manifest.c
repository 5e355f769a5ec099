/* A manifest in a folder with two files, `a` and `b`, and what its config says of a table of
 * parameters; and the same text as lines NAME=VALUE and as the argument of --image. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/folder.h"
#include "model/facts.h"
#include "model/model.h"

static const struct assay_parameter list[] = {
    {.name = "a", .most = 1},
    {.name = "width", .least = 1, .most = 64, .has_default = true, .value = 8},
    {.name = "TRCIDR0", .most = UINT32_MAX, .hex = true},
};
static const struct assay_parameter_table table = {.list = list, .count = 3};

/* The files are made once in a run. */
static void make_files(void)
{
    static const char text[] = "width: 3\n";
    static bool made;
    if (!made) {
        made = true;
        folder_write("a", text, sizeof text - 1);
        folder_write("b", text, sizeof text - 1);
    }
}

static void use_stream(const struct assay_manifest *manifest,
                       const struct assay_manifest_stream *stream)
{
    struct assay_parameter_values values;
    struct assay_facts facts = {0};
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    assay_parameters_init(&values, &table);
    (void)assay_manifest_configure(stream, &values, &diag);
    (void)assay_manifest_facts(manifest, stream, &facts, &diag);
    assay_facts_clear(&facts);
    if (assay_image_set_open(NULL, &set) == ASSAY_OK) {
        (void)assay_manifest_images(stream, set, &diag);
        assay_image_set_free(set);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct assay_manifest_options options = {.formats = assay_formats};
    struct assay_manifest manifest;
    struct assay_parameter_values values;
    struct assay_image_spec spec;
    struct assay_diag diag;
    char path[FOLDER_PATH_MOST];
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    make_files();
    folder_path("fuzz.assay.yaml", path);
    if (assay_manifest_parse(path, text, size, &options, &manifest, &diag) == ASSAY_OK) {
        for (size_t i = 0; i < manifest.data_count; i++) {
            /* Nothing but the two files can be reached. */
            require(folder_has(manifest.data[i]));
        }
        use_stream(&manifest, &manifest.all);
        for (size_t i = 0; i < manifest.stream_count; i++) {
            use_stream(&manifest, &manifest.streams[i]);
        }
    }
    assay_manifest_free(&manifest);
    assay_parameters_init(&values, &table);
    (void)assay_parameters_lines(&values, "lines", text, size, &diag);
    (void)assay_image_option(text, &spec, &diag);
    free(text);
    return 0;
}
