/* A trace source of a snapshot as the description of a stream. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "model/model.h"
#include "snapshot/snapshot_private.h"

/* --- protocols --- */

/* The types of trace sources begin with the name of their protocol: "ETE", "ETM4.2", "PTM1.1". */
static const struct protocol {
    const char *name;
    const char *format; /* or null: there is none for it */
    const char *id;     /* the register with the trace id */
    unsigned shift;     /* where it is in there; it has 7 bits. 0: nothing else is in there */
} protocols[] = {
    {"ETE", "ete", "TRCTRACEIDR", 0}, {"ETM4", NULL, "TRCTRACEIDR", 0},
    {"ETM", NULL, "ETMTRACEIDR", 0},  {"PTM", NULL, "ETMTRACEIDR", 0},
    {"PFT", NULL, "ETMTRACEIDR", 0},  {"STM", NULL, "STMTCSR", 16},
    {"ITM", NULL, "ITMTCR", 16},      {"", NULL, "TRCTRACEIDR", 0},
};

enum { ID_MASK = 0x7f };

static const struct protocol *protocol_of(const char *type)
{
    const struct protocol *p = protocols;
    while (strncasecmp(type, p->name, strlen(p->name)) != 0) {
        p++; /* the last one's name is empty */
    }
    return p;
}

const struct assay_format *cs_find_format(const struct cs_snapshot *s, const char *name)
{
    const struct assay_format *const *f = s->reader.options->formats;
    while (f != NULL && *f != NULL && strcmp((*f)->name, name) != 0) {
        f++;
    }
    return f != NULL ? *f : NULL;
}

/* --- registers --- */

/* A register's name, which may be followed by its number or size: how long it is. */
static size_t name_length(const char *key)
{
    size_t length = strcspn(key, "(");
    while (length > 0 && (key[length - 1] == ' ' || key[length - 1] == '\t')) {
        length--;
    }
    return length;
}

static bool is_register(const char *key, const char *name)
{
    const size_t length = name_length(key);
    return length == strlen(name) && strncasecmp(key, name, length) == 0;
}

/* The value of a register, which may be given once; null where it is not given. */
static enum assay_error find_given(const struct cs_snapshot *s, const struct assay_yaml *regs,
                                   const char *name, const struct assay_yaml **value)
{
    *value = NULL;
    for (size_t i = 0; regs != NULL && i < regs->count; i++) {
        const struct assay_yaml *key = regs->items[2 * i];
        if (!is_register(key->text, name)) {
            continue;
        }
        if (*value != NULL) {
            assay_yaml_fail(key, s->reader.diag, ASSAY_DUPLICATE, "the register %s is given twice",
                            name);
            assay_diag_hint(s->reader.diag, "first at line %u", (*value)->line);
            return ASSAY_DUPLICATE;
        }
        *value = regs->items[2 * i + 1];
    }
    return ASSAY_OK;
}

/* The same of a register whose value is needed: a number. */
static enum assay_error find_register(const struct cs_snapshot *s, const struct assay_yaml *regs,
                                      const char *name, const struct assay_yaml **value)
{
    const enum assay_error error = find_given(s, regs, name, value);
    return error != ASSAY_OK || *value == NULL || assay_yaml_is_number(*value)
               ? error
               : assay_yaml_fail(*value, s->reader.diag, ASSAY_WRONG_TYPE,
                                 "the value of %s is no number", name);
}

static enum assay_error read_id(const struct cs_snapshot *s, const struct protocol *protocol,
                                const struct assay_yaml *regs, struct assay_manifest_stream *stream)
{
    const struct assay_yaml *value = NULL;
    uint64_t number = 0;
    const enum assay_error error = find_register(s, regs, protocol->id, &value);
    if (error != ASSAY_OK || value == NULL || !assay_yaml_u64(value, &number)) {
        return error;
    }
    if (protocol->shift == 0 && number > ID_MASK) {
        return assay_yaml_fail(value, s->reader.diag, ASSAY_OUT_OF_RANGE,
                               "%s is a trace id of 7 bits, from 0 to 0x7f", protocol->id);
    }
    stream->has_id = true;
    stream->id = number >> protocol->shift & ID_MASK;
    return ASSAY_OK;
}

/* The registers that are parameters of the format, by the names that these have. */
static enum assay_error read_config(const struct cs_snapshot *s, const struct assay_format *format,
                                    const struct assay_yaml *regs,
                                    struct assay_manifest_stream *stream)
{
    const struct assay_parameter_table *table = format->parameters;
    const size_t count = table != NULL && regs != NULL ? table->count : 0;
    struct assay_yaml *map = assay_arena_take(s->reader.arena, sizeof *map);
    struct assay_yaml **items = assay_arena_take(s->reader.arena, (2 * count + 1) * sizeof *items);
    enum assay_error error = map != NULL && items != NULL ? ASSAY_OK : cs_snapshot_no_memory(s);
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        const struct assay_yaml *value = NULL;
        error = find_register(s, regs, table->list[i].name, &value);
        if (error != ASSAY_OK || value == NULL) {
            continue;
        }
        struct assay_yaml *pair = assay_arena_take(s->reader.arena, 2 * sizeof *pair);
        if (pair == NULL) {
            return cs_snapshot_no_memory(s);
        }
        pair[0] = *value;
        pair[0].text = table->list[i].name;
        pair[0].length = strlen(table->list[i].name);
        pair[1] = *value;
        items[2 * map->count] = &pair[0];
        items[2 * map->count + 1] = &pair[1];
        map->count++;
    }
    if (error == ASSAY_OK && regs != NULL) {
        map->type = ASSAY_YAML_MAP;
        map->path = regs->path;
        map->line = regs->line;
        map->column = regs->column;
        map->items = items;
        stream->config.map = map;
    }
    return error;
}

/* Registers on which nothing depends are given once, too, but can be anything. There are few of
 * them, so that the others are looked through few times. */
static enum assay_error check_ignored(const struct cs_snapshot *s,
                                      const struct assay_format *format,
                                      const struct assay_yaml *regs)
{
    enum { MOST = 64 };
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0;
         regs != NULL && format->parameters != NULL && i < regs->count && error == ASSAY_OK; i++) {
        const char *key = regs->items[2 * i]->text;
        const struct assay_yaml *value = NULL;
        char name[MOST] = "";
        for (size_t n = 0; n < name_length(key) && n + 1 < sizeof name; n++) {
            name[n] = (char)toupper((unsigned char)key[n]);
        }
        if (assay_parameter_is_ignored(format->parameters, name)) {
            error = find_given(s, regs, name, &value);
        }
    }
    return error;
}

/* --- dumps of memory --- */

/* Which of the spaces of a debugger an image is visible in. A space of EL1 is that of EL0, too. */
static const struct space {
    const char *name;
    int el;       /* or -1: any */
    int security; /* enum assay_security, or -1: any */
} spaces[] = {
    {"EL1S", 1, ASSAY_SECURITY_SECURE},
    {"EL1N", 1, ASSAY_SECURITY_NONSECURE},
    {"EL1R", 1, ASSAY_SECURITY_REALM},
    {"EL2S", 2, ASSAY_SECURITY_SECURE},
    {"EL2", 2, ASSAY_SECURITY_NONSECURE},
    {"EL2N", 2, ASSAY_SECURITY_NONSECURE},
    {"EL2R", 2, ASSAY_SECURITY_REALM},
    {"EL3", 3, -1},
    {"ROOT", 3, ASSAY_SECURITY_ROOT},
    {"S", -1, ASSAY_SECURITY_SECURE},
    {"N", -1, ASSAY_SECURITY_NONSECURE},
    {"R", -1, ASSAY_SECURITY_REALM},
    {"ANY", -1, -1},
    {"H", 2, ASSAY_SECURITY_NONSECURE},
    {"P", 1, ASSAY_SECURITY_NONSECURE},
    {"NP", 1, ASSAY_SECURITY_NONSECURE},
    {"SP", 1, ASSAY_SECURITY_SECURE},
};

static enum assay_error read_space(const struct cs_snapshot *s, const struct assay_yaml *dump,
                                   const struct space **space)
{
    const struct assay_yaml *node = assay_yaml_get(dump, "space");
    const char *name = node != NULL && node->length > 0 ? node->text : "ANY";
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (strcasecmp(spaces[i].name, name) == 0) {
            *space = &spaces[i];
            return ASSAY_OK;
        }
        assay_near_try(&near, spaces[i].name);
    }
    assay_yaml_fail(node, s->reader.diag, ASSAY_UNKNOWN_NAME, "there is no space \"%s\"", name);
    if (near.best != NULL) {
        assay_diag_hint(s->reader.diag, "did you mean \"%s\"?", near.best);
    }
    return ASSAY_UNKNOWN_NAME;
}

/* A number that may be absent. */
static enum assay_error read_number(const struct cs_snapshot *s, const struct assay_yaml *dump,
                                    const char *key, uint64_t *number)
{
    const struct assay_yaml *node = assay_yaml_get(dump, key);
    return node == NULL || assay_yaml_u64(node, number)
               ? ASSAY_OK
               : assay_yaml_fail(node, s->reader.diag, ASSAY_WRONG_TYPE,
                                 "%s is a number of at most 64 bits", key);
}

/* Notes what there is no memory of: a file, or the part of it that `note` names. */
static enum assay_error add_absent(const struct cs_snapshot *s, struct cs_images *images,
                                   const char *name, const char *note)
{
    char path[ASSAY_IMAGE_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s%s", s->reader.folder, name, note);
    const char **list = assay_arena_grow(s->reader.arena, images->absent, images->absent_count,
                                         &images->absent_room, sizeof *list);
    const char *shown = cs_snapshot_shown(s, path);
    const char *copy =
        shown != NULL ? assay_arena_text(s->reader.arena, shown, strlen(shown)) : NULL;
    if (list == NULL || copy == NULL) {
        return cs_snapshot_no_memory(s);
    }
    images->absent = list;
    list[images->absent_count++] = copy;
    return ASSAY_OK;
}

enum assay_error cs_images_add_absent(const struct cs_snapshot *s, struct cs_images *images,
                                      const char *name)
{
    return add_absent(s, images, name, "");
}

enum assay_error cs_images_add(struct cs_snapshot *s, struct cs_images *images,
                               const struct assay_yaml *node, const struct assay_image_spec *spec)
{
    if (s->reader.image_count == ASSAY_MANIFEST_MAX_IMAGES) {
        return assay_yaml_fail(node, s->reader.diag, ASSAY_LIMIT, "there are more than %d images",
                               ASSAY_MANIFEST_MAX_IMAGES);
    }
    struct assay_image_spec *list =
        assay_arena_grow(s->reader.arena, images->list, images->count, &images->room, sizeof *list);
    if (list == NULL) {
        return cs_snapshot_no_memory(s);
    }
    s->reader.image_count++;
    images->list = list;
    list[images->count++] = *spec;
    return ASSAY_OK;
}

/* Adds a dump once for each exception level that sees it. */
static enum assay_error add_spaces(struct cs_snapshot *s, struct cs_images *images,
                                   const struct assay_yaml *dump, struct assay_image_spec *spec,
                                   const struct space *space)
{
    const int first = space->el == 1 ? 0 : space->el;
    enum assay_error error = ASSAY_OK;
    for (int el = first; el <= space->el && error == ASSAY_OK; el++) {
        spec->space.given = (uint8_t)((el >= 0 ? ASSAY_SPACE_EL : 0) |
                                      (space->security >= 0 ? ASSAY_SPACE_SECURITY : 0));
        spec->space.el = (uint8_t)(el >= 0 ? el : 0);
        spec->space.security = (uint8_t)(space->security >= 0 ? space->security : 0);
        error = cs_images_add(s, images, dump, spec);
    }
    return error;
}

/* A dump whose file is shorter than it says is what there is of it; the rest is absent. */
static enum assay_error cut_to_file(const struct cs_snapshot *s, struct cs_images *images,
                                    const char *name, struct assay_image_spec *spec, bool *some)
{
    struct stat status;
    *some = true;
    if (stat(spec->path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return ASSAY_OK; /* reading it says what is wrong */
    }
    const uint64_t size = (uint64_t)status.st_size;
    const uint64_t left = spec->offset < size ? size - spec->offset : 0;
    if (left > 0 && spec->length <= left) {
        return ASSAY_OK;
    }
    char note[80] = "";
    if (left > 0) {
        snprintf(note, sizeof note, " (beyond its end, %" PRIu64 " bytes)", spec->length - left);
    }
    *some = left > 0;
    spec->length = left;
    return add_absent(s, images, name, note);
}

static enum assay_error read_dump(struct cs_snapshot *s, struct cs_images *images,
                                  const struct assay_yaml *dump)
{
    struct assay_image_spec spec = {
        .kind = ASSAY_IMAGE_RAW, .has_address = true, .undated = images->timeline != NULL};
    const struct assay_yaml *file = assay_yaml_get(dump, "file");
    const struct space *space = NULL;
    const char *path = NULL;
    if (file == NULL || assay_yaml_get(dump, "address") == NULL) {
        return assay_yaml_fail(dump, s->reader.diag, ASSAY_USAGE,
                               "a dump needs \"file\" and \"address\"");
    }
    enum assay_error error = read_number(s, dump, "address", &spec.address);
    error = error != ASSAY_OK ? error : read_number(s, dump, "length", &spec.length);
    error = error != ASSAY_OK ? error : read_number(s, dump, "offset", &spec.offset);
    error = error != ASSAY_OK ? error : read_space(s, dump, &space);
    error = error != ASSAY_OK ? error : assay_manifest_resolve(&s->reader, file, "file", &path);
    if (error == ASSAY_NOT_FOUND) {
        return cs_images_add_absent(s, images, file->text);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    if (spec.length == 0 && assay_yaml_get(dump, "length") != NULL) {
        return ASSAY_OK; /* an image without a length is all of its file */
    }
    memcpy(spec.path, path, strlen(path) + 1);
    bool some = true;
    error = cut_to_file(s, images, file->text, &spec, &some);
    return error != ASSAY_OK || !some ? error : add_spaces(s, images, dump, &spec, space);
}

static enum assay_error read_dumps(struct cs_snapshot *s, const struct assay_yaml *root,
                                   struct cs_images *images)
{
    static const char prefix[] = "dump";
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < root->count && error == ASSAY_OK; i++) {
        if (strncmp(root->items[2 * i]->text, prefix, sizeof prefix - 1) == 0) {
            error = read_dump(s, images, root->items[2 * i + 1]);
        }
    }
    return error;
}

/* The images of the source's file, and those that there are besides. */
static enum assay_error read_images(struct cs_snapshot *s, const struct cs_source *source,
                                    struct assay_manifest_stream *stream)
{
    struct cs_images images = source->images != NULL ? *source->images : (struct cs_images){0};
    images.room = 0; /* the lists are other streams', too, and are copied when they grow */
    images.absent_room = 0;
    const enum assay_error error =
        source->dumps != NULL ? read_dumps(s, source->dumps, &images) : ASSAY_OK;
    stream->images = images.list;
    stream->image_count = images.count;
    stream->timeline = images.timeline;
    stream->absent = images.absent;
    stream->absent_count = images.absent_count;
    return error;
}

/* --- the stream --- */

/* A source whose protocol has no format here. */
static enum assay_error leave_unjudged(const struct cs_snapshot *s, const struct cs_source *source,
                                       struct assay_manifest_stream *stream)
{
    char why[256];
    snprintf(why, sizeof why, "the source %.80s is of the type \"%.80s\", which is no format here",
             source->name, source->type);
    stream->unjudged = assay_arena_text(s->reader.arena, why, strlen(why));
    return stream->unjudged != NULL ? ASSAY_OK : cs_snapshot_no_memory(s);
}

enum assay_error cs_snapshot_describe(struct cs_snapshot *s, const struct cs_source *source,
                                      struct assay_manifest_stream *stream)
{
    const struct protocol *protocol = protocol_of(source->type);
    const struct assay_format *format =
        protocol->format != NULL ? cs_find_format(s, protocol->format) : NULL;
    enum assay_error error = read_id(s, protocol, source->registers, stream);
    if (error != ASSAY_OK) {
        return error;
    }
    if (format == NULL) {
        return leave_unjudged(s, source, stream);
    }
    stream->format = format->name;
    error = read_config(s, format, source->registers, stream);
    error = error != ASSAY_OK ? error : check_ignored(s, format, source->registers);
    return error != ASSAY_OK ? error : read_images(s, source, stream);
}
