/* Seeds for the targets of traces, in the layout of described.h:
 *
 *     fuzz-seeds CORPUS SEEDS <MANIFESTS
 *
 * reads the names of manifests below a folder, one a line, as `assay corpus export` writes them,
 * and puts each with the files that it names to one file of the same name in the folder of seeds.
 * What is longer than a target takes is left out. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "fuzz/described.h"
#include "io/sink.h"

static _Noreturn void die(const char *what, const char *path)
{
    fprintf(stderr, "fuzz-seeds: %s: %s\n", path, what);
    exit(1);
}

/* A file that a manifest names, relative to its folder; false when there is none of that name. */
static bool put_file(struct assay_sink *sink, const char *manifest, const char *name, size_t length,
                     bool sized)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t size = 0;
    const char *const slash = strrchr(manifest, '/');
    const int folder_length = slash != NULL ? (int)(slash + 1 - manifest) : 0;
    const int end =
        snprintf(path, sizeof path, "%.*s%.*s", folder_length, manifest, (int)length, name);
    if (end < 0 || (size_t)end >= sizeof path ||
        assay_text_load(path, &text, &size, NULL) != ASSAY_OK) {
        return false;
    }
    if (sized) {
        const uint8_t bytes[2] = {(uint8_t)(size & 0xff), (uint8_t)(size >> 8 & 0xff)};
        assay_sink_write(sink, bytes, size > UINT16_MAX ? 0 : sizeof bytes);
    }
    assay_sink_write(sink, text, size);
    free(text);
    return true;
}

/* The text of the manifest with numbers for the names of files, and these, and last the trace. */
static void put_seed(struct assay_sink *seed, const char *manifest, const char *text, size_t size)
{
    struct assay_sink files, trace;
    uint8_t count = 0;
    assay_sink_memory(&files, 0);
    assay_sink_memory(&trace, 0);
    for (const char *at = text, *const end = text + size; at < end;) {
        const char *const open = memchr(at, '"', (size_t)(end - at));
        const char *const shut =
            open != NULL ? memchr(open + 1, '"', (size_t)(end - open) - 1) : NULL;
        if (shut == NULL) {
            assay_sink_write(seed, at, (size_t)(end - at));
            break;
        }
        const char *const name = open + 1;
        const size_t length = (size_t)(shut - name);
        const bool is_data = open > text && open[-1] == '[';
        assay_sink_write(seed, at, (size_t)(name - at));
        if (is_data && put_file(&trace, manifest, name, length, false)) {
            assay_sink_text(seed, "0");
        } else if (!is_data && put_file(&files, manifest, name, length, true)) {
            assay_sink_printf(seed, "%u", (unsigned)++count);
        } else {
            assay_sink_write(seed, name, length);
        }
        assay_sink_write(seed, "\"", 1);
        at = shut + 1;
    }
    const uint8_t between[] = {1, count};
    assay_sink_write(seed, between, sizeof between);
    assay_sink_write(seed, files.data, files.size);
    assay_sink_write(seed, trace.data, trace.size);
    if (count >= DESCRIBED_FILES) {
        die("it names too many files", manifest);
    }
    assay_sink_discard(&files);
    assay_sink_discard(&trace);
}

/* Whether it was short enough. */
static bool make(const char *corpus, const char *name, const char *seeds)
{
    char manifest[PATH_MAX], path[PATH_MAX];
    char *text = NULL;
    size_t size = 0;
    struct assay_sink seed;
    const size_t stem = strlen(name) - strlen(".assay.yaml");
    if (snprintf(manifest, sizeof manifest, "%s/%s", corpus, name) >= (int)sizeof manifest ||
        snprintf(path, sizeof path, "%s/%.*s", seeds, (int)stem, name) >= (int)sizeof path) {
        die("the name is too long", name);
    }
    if (assay_text_load(manifest, &text, &size, NULL) != ASSAY_OK) {
        die("it cannot be read", manifest);
    }
    assay_sink_memory(&seed, 0);
    put_seed(&seed, manifest, text, size);
    free(text);
    const bool is_short = seed.size <= DESCRIBED_MOST;
    FILE *out = is_short ? fopen(path, "w") : NULL;
    if (is_short &&
        (out == NULL || fwrite(seed.data, 1, seed.size, out) != seed.size || fclose(out) != 0)) {
        die("it cannot be written", path);
    }
    assay_sink_discard(&seed);
    return is_short;
}

int main(int argc, char **argv)
{
    char line[PATH_MAX];
    size_t made = 0, left_out = 0;
    if (argc != 3) {
        die("wrong number of arguments", "usage: fuzz-seeds CORPUS SEEDS");
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!assay_is_manifest(line)) {
            die("it is no manifest", line);
        }
        const bool is_short = make(argv[1], line, argv[2]);
        made += is_short;
        left_out += !is_short;
    }
    printf("%zu seeds, %zu left out\n", made, left_out);
    return 0;
}
