/* assay encode: bytes from vectors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "validator/program/files.h"
#include "validator/program/program.h"
#include "validator/vector/vector.h"

static const struct assay_option options[] = {
    {'o', true, "output", "PATH",
     "where the trace is written; - is standard output;\na folder: to NAME.FORMAT in it, for each "
     "NAME.yaml"},
    {'e', false, "execution-output", "PATH",
     "write the recorded execution there; to a folder: NAME.execution,\nof vectors that have one"},
    {'m', false, "manifest-output", "PATH",
     "write a manifest of the trace there, with what the vector\ngives: configuration, facts, "
     "image, recorded execution;\nto a folder: NAME.assay.yaml"},
    {0},
};

enum { PATH = 4096 };

/* Where the files of one vector are written; all but the first may be null. */
struct outputs {
    const char *trace;
    const char *execution;
    const char *manifest;
};

static int write_with(const struct assay_vector *vector, const char *path,
                      enum assay_error (*encode)(const struct assay_vector *, struct assay_sink *,
                                                 struct assay_diag *))
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    enum assay_error error = assay_sink_replace(&sink, path, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return assay_exit_of_given(error);
    }
    error = encode(vector, &sink, &diag);
    if (error != ASSAY_OK && sink.error == ASSAY_OK) {
        assay_say(&diag);
        assay_sink_discard(&sink);
        return assay_exit_of_given(error);
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

/* Whether nothing that is written takes the place of the vector or of its bases. */
static int check_files(const struct assay_vector *vector, const struct outputs *to)
{
    const char *const outputs[] = {to->trace, to->execution, to->manifest};
    struct assay_files files = {0};
    int status = 0;
    assay_files_read(&files, vector->file.path);
    for (size_t i = 0; i < vector->base_count; i++) {
        assay_files_read(&files, vector->bases[i].path);
    }
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && status == 0; i++) {
        status = assay_files_write(&files, &assay_command_encode, outputs[i]);
    }
    assay_files_close(&files);
    return status;
}

static int write_outputs(const struct assay_vector *vector, const struct outputs *to)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    int status = check_files(vector, to);
    status = status != 0 ? status : write_with(vector, to->trace, assay_vector_encode);
    if (status == ASSAY_EXIT_CONFORMS && to->execution != NULL) {
        status =
            vector->execution != NULL
                ? write_with(vector, to->execution, assay_vector_execution)
                : assay_usage_error(&assay_command_encode, "the vector has no recorded execution");
    }
    if (status != ASSAY_EXIT_CONFORMS || to->manifest == NULL) {
        return status;
    }
    const enum assay_error error =
        assay_vector_manifest(vector, to->manifest, to->trace, to->execution, &diag);
    if (error != ASSAY_OK) {
        if (diag.message[0] == '\0') {
            assay_fail(&diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
        }
        assay_say(&diag);
    }
    return assay_exit_of_given(error);
}

static int load(const char *name, struct assay_vector *vector)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const char *path = strcmp(name, "-") == 0 ? "/dev/stdin" : name;
    const enum assay_error error = assay_vector_load(path, vector, &diag);
    if (error == ASSAY_OK) {
        return ASSAY_EXIT_CONFORMS;
    }
    assay_say(&diag);
    return error == ASSAY_NOT_FOUND || error == ASSAY_NOT_READABLE ? ASSAY_EXIT_UNREADABLE
                                                                   : assay_exit_of_given(error);
}

static int encode_one(const char *name, const struct outputs *to)
{
    struct assay_vector vector;
    int status = load(name, &vector);
    if (status == ASSAY_EXIT_CONFORMS) {
        status = write_outputs(&vector, to);
        assay_vector_free(&vector);
    }
    return status;
}

/* --- into folders --- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* What the files of a vector are called: its own name without the folder and ".yaml". */
static const char *stem_of(const char *name, int *length)
{
    const char *slash = strrchr(name, '/');
    const char *stem = slash != NULL ? slash + 1 : name;
    const size_t whole = strlen(stem);
    const bool yaml = whole > 5 && strcmp(stem + whole - 5, ".yaml") == 0;
    *length = (int)(whole - (yaml ? 5 : 0));
    return stem;
}

/* The path of a file in a folder, in `path`; null where there is no folder. False when the path is
 * too long, which is said. */
static bool name_in(const char *folder, const char *name, const char *ending, char path[PATH],
                    const char **result)
{
    int length;
    const char *stem = stem_of(name, &length);
    *result = folder != NULL ? path : NULL;
    if (folder != NULL &&
        snprintf(path, PATH, "%s/%.*s.%s", folder, length, stem, ending) >= PATH) {
        assay_usage_error(&assay_command_encode, "the name of %s is too long", name);
        return false;
    }
    return true;
}

static int encode_into(const char *name, const struct outputs *folders)
{
    char paths[3][PATH];
    struct outputs to;
    struct assay_vector vector;
    int status = load(name, &vector);
    if (status != ASSAY_EXIT_CONFORMS) {
        return status;
    }
    const char *executions = vector.execution != NULL ? folders->execution : NULL;
    status = name_in(folders->trace, name, vector.format->name, paths[0], &to.trace) &&
                     name_in(executions, name, "execution", paths[1], &to.execution) &&
                     name_in(folders->manifest, name, "assay.yaml", paths[2], &to.manifest)
                 ? write_outputs(&vector, &to)
                 : ASSAY_EXIT_USAGE;
    assay_vector_free(&vector);
    return status;
}

/* A vector among those of a command line. */
struct named {
    const char *stem;
    int length, number;
};

static int by_stem(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;
    const int shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->stem, y->stem, (size_t)shorter);
    const int length = order != 0 ? order : x->length - y->length;
    return length != 0 ? length : x->number - y->number;
}

/* Which vectors have the name of an earlier one, and so would have the same files; null when memory
 * is out. */
static bool *find_repeated(char *const *names, int count)
{
    struct named *list = calloc((size_t)count, sizeof *list);
    bool *repeated = calloc((size_t)count, sizeof *repeated);
    if (list == NULL || repeated == NULL) {
        free(list);
        free(repeated);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        list[i].stem = stem_of(names[i], &list[i].length);
        list[i].number = i;
    }
    qsort(list, (size_t)count, sizeof *list, by_stem);
    for (int i = 1; i < count; i++) {
        repeated[list[i].number] =
            list[i].length == list[i - 1].length &&
            memcmp(list[i].stem, list[i - 1].stem, (size_t)list[i].length) == 0;
    }
    free(list);
    return repeated;
}

static int make_folder(const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (path == NULL || mkdir(path, 0777) == 0 || is_folder(path)) {
        return ASSAY_EXIT_CONFORMS;
    }
    assay_fail(&diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "the folder cannot be made: %s",
               strerror(errno));
    assay_diag_path(&diag, path);
    assay_say(&diag);
    return ASSAY_EXIT_USAGE;
}

/* What is wrong with one vector is said, and the next one is encoded. */
static int encode_many(char *const *names, int count, const struct outputs *folders)
{
    int status = make_folder(folders->trace);
    status = status != 0 ? status : make_folder(folders->execution);
    status = status != 0 ? status : make_folder(folders->manifest);
    if (status != ASSAY_EXIT_CONFORMS) {
        return status;
    }
    bool *repeated = find_repeated(names, count);
    if (repeated == NULL) {
        fputs("assay: out of memory\n", stderr);
        return ASSAY_EXIT_AGAIN;
    }
    for (int i = 0; i < count; i++) {
        const int one =
            repeated[i] ? assay_usage_error(&assay_command_encode,
                                            "%s: a vector of the same name was encoded", names[i])
                        : encode_into(names[i], folders);
        status = assay_more_severe_exit(status, one);
    }
    free(repeated);
    return status;
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_encode;
    struct outputs to = {NULL, NULL, NULL};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (option == 'o') {
            to.trace = value;
        } else if (option == 'e') {
            to.execution = value;
        } else if (option == 'm') {
            to.manifest = value;
        } else {
            return status;
        }
    }
    if (argc - index < 1 || to.trace == NULL) {
        return assay_usage_error(self, "a vector and -o PATH are wanted");
    }
    return argc - index > 1 || is_folder(to.trace) ? encode_many(argv + index, argc - index, &to)
                                                   : encode_one(argv[index], &to);
}

const struct assay_command assay_command_encode = {
    .name = "encode",
    .usage = "VECTOR ... -o PATH",
    .summary = "make traces from vectors (YAML texts)",
    .details =
        "VECTOR may be -, standard input. The traces of several vectors are written to a folder,\n"
        "which is made when it is missing; of a vector that is wrong that is said, the others are\n"
        "encoded, and the exit status is the most severe. Vectors are described in "
        "docs/vectors.md;\n"
        "`assay corpus export` writes those of this build.\n",
    .options = options,
    .run = run,
};
