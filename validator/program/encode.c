/* assay encode: bytes from a vector. */
#include <stdio.h>
#include <string.h>

#include "validator/program/files.h"
#include "validator/program/program.h"
#include "validator/vector/vector.h"

static const struct assay_option options[] = {
    {'o', true, "output", "FILE", "where the trace is written; - is standard output"},
    {'e', false, "execution-output", "FILE", "write the vector's recorded execution there"},
    {'m', false, "manifest-output", "FILE",
     "write a manifest of the trace there, with what the vector\ngives: configuration, facts, "
     "image, recorded execution"},
    {0},
};

static int write_with(const struct assay_vector *vector, const char *path,
                      enum assay_error (*encode)(const struct assay_vector *, struct assay_sink *,
                                                 struct assay_diag *))
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    if (assay_sink_replace(&sink, path, &diag) != ASSAY_OK) {
        assay_say(&diag);
        return ASSAY_EXIT_USAGE;
    }
    const enum assay_error error = encode(vector, &sink, &diag);
    if (error != ASSAY_OK && sink.error == ASSAY_OK) {
        assay_say(&diag);
        assay_sink_discard(&sink);
        return ASSAY_EXIT_USAGE;
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

/* Whether nothing that is written takes the place of the vector or of its bases. */
static int check_files(const struct assay_vector *vector, const char *const *outputs, size_t count)
{
    struct assay_files files = {0};
    int status = 0;
    assay_files_read(&files, vector->file.path);
    for (size_t i = 0; i < vector->base_count; i++) {
        assay_files_read(&files, vector->bases[i].path);
    }
    for (size_t i = 0; i < count && status == 0; i++) {
        status = assay_files_write(&files, &assay_command_encode, outputs[i]);
    }
    assay_files_close(&files);
    return status;
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_encode;
    const char *output = NULL;
    const char *execution = NULL;
    const char *manifest = NULL;
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (option == 'o') {
            output = value;
        } else if (option == 'e') {
            execution = value;
        } else if (option == 'm') {
            manifest = value;
        } else {
            return status;
        }
    }
    if (argc - index != 1 || output == NULL) {
        return assay_usage_error(self, "one vector and -o FILE are wanted");
    }
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_vector vector;
    const char *path = strcmp(argv[index], "-") == 0 ? "/dev/stdin" : argv[index];
    const enum assay_error error = assay_vector_load(path, &vector, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return error == ASSAY_NOT_FOUND || error == ASSAY_NOT_READABLE ? ASSAY_EXIT_UNREADABLE
                                                                       : ASSAY_EXIT_USAGE;
    }
    status = check_files(&vector, (const char *const[]){output, execution, manifest}, 3);
    status = status != 0 ? status : write_with(&vector, output, assay_vector_encode);
    if (status == ASSAY_EXIT_CONFORMS && execution != NULL) {
        status = vector.execution != NULL
                     ? write_with(&vector, execution, assay_vector_execution)
                     : assay_usage_error(self, "the vector has no recorded execution");
    }
    if (status == ASSAY_EXIT_CONFORMS && manifest != NULL &&
        assay_vector_manifest(&vector, manifest, output, execution, &diag) != ASSAY_OK) {
        assay_say(&diag);
        status = ASSAY_EXIT_USAGE;
    }
    assay_vector_free(&vector);
    return status;
}

const struct assay_command assay_command_encode = {
    .name = "encode",
    .usage = "VECTOR -o FILE",
    .summary = "make a trace from a vector (a YAML text)",
    .details =
        "VECTOR may be -, standard input. Vectors are described in docs/vectors.md; corpus/\n"
        "holds hundreds.\n",
    .options = options,
    .run = run,
};
