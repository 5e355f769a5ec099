#include "validator/vector/vector.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/image_yaml.h"
#include "model/framing.h"
#include "validator/vector/base.h"
#include "validator/vector/streams.h"

static enum assay_error fail(const struct assay_yaml *node, struct assay_diag *diag,
                             enum assay_error error, const char *message)
{
    return assay_yaml_fail(node, diag, error, "%s", message);
}

/* --- what the vector shows --- */

static bool list_of(const struct assay_yaml *node, enum assay_yaml_type type)
{
    bool all = node != NULL && node->type == ASSAY_YAML_LIST;
    for (size_t i = 0; all && i < node->count; i++) {
        all = node->items[i]->type == type;
    }
    return all;
}

static enum assay_error read_events(struct assay_vector *vector, const struct assay_yaml *events,
                                    struct assay_diag *diag)
{
    static const char *const keys[] = {"layer", "list", "runs", NULL};
    const enum assay_error error = assay_yaml_only(events, keys, diag);
    const struct assay_yaml *layer = assay_yaml_get(events, "layer");
    const struct assay_yaml *runs = assay_yaml_get(events, "runs");
    if (error != ASSAY_OK) {
        return error;
    }
    if (!list_of(assay_yaml_get(events, "list"), ASSAY_YAML_MAP)) {
        return fail(events, diag, ASSAY_WRONG_TYPE, "\"events\" has a \"list\" of mappings");
    }
    if (layer != NULL && layer->type != ASSAY_YAML_SCALAR) {
        return fail(layer, diag, ASSAY_WRONG_TYPE, "\"layer\" names a layer of the format");
    }
    if (layer != NULL && assay_layer_by_name(vector->format, layer->text) < 0) {
        return fail(layer, diag, ASSAY_UNKNOWN_NAME, "\"layer\" names a layer of the format");
    }
    if (runs != NULL && !assay_yaml_flag(runs, &vector->runs)) {
        return fail(runs, diag, ASSAY_WRONG_TYPE, "\"runs\" is true or false");
    }
    vector->layer = layer != NULL ? layer->text : NULL;
    return ASSAY_OK;
}

static enum assay_error read_silent(struct assay_vector *vector, struct assay_diag *diag)
{
    static const struct assay_yaml none = {.type = ASSAY_YAML_LIST};
    const struct assay_yaml *silent = assay_yaml_get(vector->file.root, "silent");
    if (silent == NULL) {
        return ASSAY_OK;
    }
    if (vector->expectation == ASSAY_EXPECT_NOTHING) {
        vector->expectation = ASSAY_EXPECT_PASSES;
        vector->expected = &none;
    }
    if (vector->expectation != ASSAY_EXPECT_PASSES && vector->expectation != ASSAY_EXPECT_FAILS) {
        return fail(silent, diag, ASSAY_DUPLICATE,
                    "\"silent\" can only be combined with \"fails\" or \"passes\"");
    }
    if (!list_of(silent, ASSAY_YAML_SCALAR)) {
        return fail(silent, diag, ASSAY_WRONG_TYPE, "\"silent\" is a list of rules");
    }
    for (size_t i = 0; i < silent->count; i++) {
        for (size_t k = 0; k < vector->expected->count; k++) {
            if (strcmp(silent->items[i]->text, vector->expected->items[k]->text) == 0) {
                return fail(silent->items[i], diag, ASSAY_DUPLICATE,
                            "a rule that passes or fails is not silent");
            }
        }
    }
    vector->silent = silent;
    return ASSAY_OK;
}

static enum assay_error read_expectation(struct assay_vector *vector, struct assay_diag *diag)
{
    const struct assay_yaml *root = vector->file.root;
    static const struct {
        const char *key;
        enum assay_expectation expectation;
        enum assay_yaml_type type;
    } keys[] = {
        {"fails", ASSAY_EXPECT_FAILS, ASSAY_YAML_LIST},
        {"passes", ASSAY_EXPECT_PASSES, ASSAY_YAML_LIST},
        {"events", ASSAY_EXPECT_EVENTS, ASSAY_YAML_MAP},
        {"refuses", ASSAY_EXPECT_REFUSES, ASSAY_YAML_SCALAR},
        {"conforms", ASSAY_EXPECT_CONFORMS, ASSAY_YAML_LIST},
        {"violates", ASSAY_EXPECT_VIOLATES, ASSAY_YAML_LIST},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct assay_yaml *node = assay_yaml_get(root, keys[i].key);
        if (node == NULL) {
            continue;
        }
        if (vector->expectation != ASSAY_EXPECT_NOTHING) {
            return fail(node, diag, ASSAY_DUPLICATE,
                        "a vector shows one of fails, passes, events, refuses, conforms and "
                        "violates");
        }
        const bool right = keys[i].type == ASSAY_YAML_LIST ? list_of(node, ASSAY_YAML_SCALAR)
                                                           : node->type == keys[i].type;
        if (!right) {
            return fail(node, diag, ASSAY_WRONG_TYPE, "this is of another type than due");
        }
        vector->expectation = keys[i].expectation;
        vector->expected = node;
    }
    const enum assay_error error = vector->expectation == ASSAY_EXPECT_EVENTS
                                       ? read_events(vector, vector->expected, diag)
                                       : ASSAY_OK;
    return error != ASSAY_OK ? error : read_silent(vector, diag);
}

/* --- what the trace is made of --- */

/* The format is stated once, or more often in the same way. */
static enum assay_error read_format(struct assay_vector *vector, struct assay_diag *diag)
{
    const struct assay_yaml *format = assay_vector_inherited(vector, "format");
    vector->format = format != NULL && format->type == ASSAY_YAML_SCALAR
                         ? assay_format_by_name(format->text)
                         : NULL;
    if (vector->format == NULL) {
        return fail(format != NULL ? format : vector->file.root, diag, ASSAY_UNKNOWN_NAME,
                    "\"format\" names a format of this build");
    }
    for (size_t i = 0; i < vector->base_count; i++) {
        const struct assay_yaml *other = assay_yaml_get(vector->bases[i].root, "format");
        if (other != NULL && !assay_yaml_is(other, format->text)) {
            return assay_yaml_fail(other, diag, ASSAY_WRONG_TYPE,
                                   "a vector of %s extends this base", format->text);
        }
    }
    return ASSAY_OK;
}

static enum assay_error read_head(struct assay_vector *vector,
                                  const struct assay_vector_files *files, struct assay_diag *diag)
{
    enum assay_error error = assay_vector_open_bases(vector, files, diag);
    error = error != ASSAY_OK ? error : read_format(vector, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_yaml *profile = assay_vector_inherited(vector, "profile");
    if (profile != NULL) {
        const int number = profile->type == ASSAY_YAML_SCALAR
                               ? assay_profile_by_name(vector->format, profile->text)
                               : -1;
        if (number < 0) {
            return fail(profile, diag, ASSAY_UNKNOWN_NAME,
                        "\"profile\" names a profile of the format");
        }
        vector->profile = 1 + (unsigned)number;
    }
    return ASSAY_OK;
}

static enum assay_error read_framing(struct assay_vector *vector, struct assay_diag *diag)
{
    const struct assay_yaml *framing = assay_vector_inherited(vector, "framing");
    if (framing == NULL) {
        return ASSAY_OK;
    }
    vector->framing = framing->type == ASSAY_YAML_SCALAR
                          ? (unsigned)assay_framing_by_name(framing->text)
                          : ASSAY_FRAMING_COUNT;
    return assay_format_framed(vector->format, vector->framing)
               ? ASSAY_OK
               : fail(framing, diag, ASSAY_UNKNOWN_NAME,
                      "\"framing\" names a framing that the format has");
}

/* The mapping without `storage`, which is the encoder's. */
static const struct assay_yaml *parameters_of(struct assay_vector *vector,
                                              const struct assay_yaml *config)
{
    struct assay_yaml *map = assay_arena_take(&vector->memory, sizeof *map);
    struct assay_yaml **items =
        assay_arena_take(&vector->memory, 2 * config->count * sizeof(struct assay_yaml *));
    if (map == NULL || items == NULL) {
        return NULL;
    }
    *map = *config;
    map->items = items;
    map->count = 0;
    for (size_t i = 0; i < config->count; i++) {
        if (!assay_yaml_is(config->items[2 * i], "storage")) {
            items[2 * map->count] = config->items[2 * i];
            items[2 * map->count + 1] = config->items[2 * i + 1];
            map->count++;
        }
    }
    return map;
}

static enum assay_error read_config(struct assay_vector *vector, struct assay_diag *diag)
{
    static const char *const none[] = {"storage", NULL};
    const struct assay_yaml *config = assay_vector_inherited(vector, "config");
    if (config == NULL) {
        return ASSAY_OK;
    }
    if (config->type != ASSAY_YAML_MAP || vector->format->parameters == NULL) {
        const enum assay_error error = assay_yaml_only(config, none, diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    const struct assay_yaml *storage = assay_yaml_get(config, "storage");
    if (storage != NULL && storage->type != ASSAY_YAML_SCALAR) {
        return fail(storage, diag, ASSAY_WRONG_TYPE, "\"storage\" names a container");
    }
    vector->storage = storage != NULL ? storage->text : NULL;
    if (vector->format->parameters != NULL) {
        vector->config = parameters_of(vector, config);
        return vector->config != NULL
                   ? ASSAY_OK
                   : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    return ASSAY_OK;
}

/* --- the program --- */

size_t assay_vector_repeat(const struct assay_yaml *part)
{
    const struct assay_yaml *repeat = assay_yaml_get(part, "repeat");
    uint64_t times = 1;
    return repeat != NULL && assay_yaml_u64(repeat, &times) ? (size_t)times : 1;
}

/* The bytes of a part, as often as it says; its memory is the vector's. */
static enum assay_error repeat_part(struct assay_vector *vector, const struct assay_yaml *part,
                                    uint8_t **bytes, size_t *size, struct assay_diag *diag)
{
    const struct assay_yaml *repeat = assay_yaml_get(part, "repeat");
    uint64_t times = 1;
    if (repeat == NULL || *size == 0) {
        return ASSAY_OK;
    }
    if (!assay_yaml_u64(repeat, &times) || times == 0 || times > ASSAY_VECTOR_MAX_PART / *size) {
        return fail(repeat, diag, ASSAY_OUT_OF_RANGE,
                    "a part comes at least once, and has at most 16 MiB in all");
    }
    uint8_t *all = assay_arena_take(&vector->memory, *size * (size_t)times);
    if (all == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t i = 0; i < times; i++) {
        memcpy(all + i * *size, *bytes, *size);
    }
    *bytes = all;
    *size *= (size_t)times;
    return ASSAY_OK;
}

static enum assay_error read_part(struct assay_vector *vector, const struct assay_yaml *part,
                                  struct assay_diag *diag)
{
    struct assay_image_spec spec = {.path = "image", .kind = ASSAY_IMAGE_RAW, .has_address = true};
    const struct assay_yaml *hex = NULL;
    bool placed = false;
    for (size_t i = 0; i < part->count; i++) {
        const struct assay_yaml *key = part->items[2 * i];
        const struct assay_yaml *value = part->items[2 * i + 1];
        if (assay_yaml_is(key, "hex") && value->type == ASSAY_YAML_SCALAR) {
            hex = value;
        } else if (!assay_yaml_is(key, "asm") && !assay_yaml_is(key, "repeat")) {
            const enum assay_error error = assay_image_key(&spec, key, value, diag);
            if (error != ASSAY_OK) {
                return error;
            }
            placed = placed || assay_yaml_is(key, "at");
        }
    }
    uint8_t *bytes = hex != NULL ? assay_arena_take(&vector->memory, hex->length / 2 + 1) : NULL;
    size_t size = 0;
    if (!placed || bytes == NULL || !assay_hex_bytes(hex->text, hex->length, bytes, &size)) {
        return fail(part, diag, ASSAY_SYNTAX,
                    "a part of the image is {at: 0x1000, hex: \"1f 20 03 d5\", asm: \"nop\"}");
    }
    const enum assay_error error = repeat_part(vector, part, &bytes, &size, diag);
    return error != ASSAY_OK ? error
                             : assay_image_add_bytes(vector->images, &spec, bytes, size, diag);
}

static enum assay_error read_image(struct assay_vector *vector, struct assay_diag *diag)
{
    const struct assay_yaml *image = assay_vector_inherited(vector, "image");
    if (image == NULL) {
        return ASSAY_OK;
    }
    if (!list_of(image, ASSAY_YAML_MAP)) {
        return fail(image, diag, ASSAY_WRONG_TYPE, "\"image\" is a list of {at: .., hex: ..}");
    }
    enum assay_error error = assay_image_set_open(NULL, &vector->images);
    for (size_t i = 0; i < image->count && error == ASSAY_OK; i++) {
        error = read_part(vector, image->items[i], diag);
        if (error != ASSAY_OK) {
            assay_diag_path(diag, image->items[i]->path);
        }
    }
    return error != ASSAY_OK ? error : assay_image_set_seal(vector->images, diag);
}

enum assay_error assay_vector_read_content(struct assay_vector *vector,
                                           const struct assay_vector_files *files,
                                           struct assay_diag *diag)
{
    enum assay_error error = read_head(vector, files, diag);
    error = error != ASSAY_OK ? error : read_expectation(vector, diag);
    error = error != ASSAY_OK ? error : read_framing(vector, diag);
    error = error != ASSAY_OK ? error : read_config(vector, diag);
    error = error != ASSAY_OK ? error : read_image(vector, diag);
    const struct assay_yaml *facts = assay_vector_inherited(vector, "facts");
    if (error == ASSAY_OK && facts != NULL) {
        error = assay_facts_read(facts, &vector->facts, diag);
        assay_diag_path(diag, facts->path);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_yaml *why = assay_yaml_get(vector->file.root, "why");
    vector->why = why != NULL && why->type == ASSAY_YAML_SCALAR ? why->text : "";
    vector->interpret = assay_vector_inherited(vector, "interpret");
    vector->execution = assay_yaml_get(vector->file.root, "execution");
    vector->after = assay_yaml_get(vector->file.root, "after");
    return assay_vector_join_trace(vector, diag);
}

static enum assay_error read_vector(struct assay_vector *vector,
                                    const struct assay_vector_files *files, struct assay_diag *diag)
{
    const struct assay_yaml *root = vector->file.root;
    enum assay_error error = assay_yaml_only(root, assay_vector_keys, diag);
    if (error == ASSAY_OK && !assay_yaml_is(assay_yaml_get(root, "vector"), "1")) {
        error = fail(root, diag, ASSAY_UNSUPPORTED, "the file lacks \"vector: 1\"");
    }
    error = error != ASSAY_OK ? error : assay_vector_read_content(vector, files, diag);
    if (error == ASSAY_OK && vector->trace == NULL) {
        error = fail(root, diag, ASSAY_SYNTAX, "\"trace\" is a list of events");
    }
    return error != ASSAY_OK ? error : assay_vector_read_streams(vector, files, diag);
}

static enum assay_error read_from_disk(void *context, const char *path,
                                       struct assay_yaml_file *file, struct assay_diag *diag)
{
    (void)context;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a pipe might never end */
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "is no regular file");
    }
    return assay_yaml_load(path, file, diag);
}

enum assay_error assay_vector_parse(const char *path, const char *text, size_t size,
                                    const struct assay_vector_files *files,
                                    struct assay_vector *vector, struct assay_diag *diag)
{
    *vector = (struct assay_vector){0};
    enum assay_error error = assay_yaml_parse(path, text, size, &vector->file, diag);
    error = error != ASSAY_OK ? error : read_vector(vector, files, diag);
    if (error != ASSAY_OK) {
        assay_vector_free(vector);
    }
    return error;
}

enum assay_error assay_vector_load(const char *path, struct assay_vector *vector,
                                   struct assay_diag *diag)
{
    static const struct assay_vector_files disk = {.read = read_from_disk};
    *vector = (struct assay_vector){0};
    enum assay_error error = assay_yaml_load(path, &vector->file, diag);
    error = error != ASSAY_OK ? error : read_vector(vector, &disk, diag);
    if (error != ASSAY_OK) {
        assay_vector_free(vector);
    }
    return error;
}

struct assay_input assay_vector_input(const struct assay_vector *vector, const char *name)
{
    return (struct assay_input){.path = name,
                                .setup = {.format = vector->format,
                                          .profile = vector->profile,
                                          .framing = vector->framing,
                                          .source_id = vector->source_id,
                                          .facts = &vector->facts,
                                          .config = vector->config,
                                          .config_path = vector->file.path,
                                          .interpret = vector->interpret,
                                          .images = vector->images},
                                .streams = vector->setups,
                                .stream_count = vector->stream_count};
}

static void free_content(struct assay_vector *vector)
{
    assay_yaml_free(&vector->file);
    for (size_t i = 0; i < vector->base_count; i++) {
        assay_yaml_free(&vector->bases[i]);
    }
    assay_arena_free(&vector->memory);
    assay_facts_clear(&vector->facts);
    assay_image_set_free(vector->images);
    *vector = (struct assay_vector){0};
}

void assay_vector_free(struct assay_vector *vector)
{
    for (size_t i = 0; i < vector->stream_count; i++) {
        free_content(&vector->streams[i].vector);
    }
    free_content(vector);
}

enum assay_error assay_vector_readings(const struct assay_vector *vector,
                                       const struct assay_catalogue *catalogue, uint16_t *readings,
                                       struct assay_diag *diag)
{
    for (size_t i = 0; i < catalogue->interpretation_count; i++) {
        readings[i] = catalogue->interpretations[i].chosen;
    }
    const struct assay_yaml *map = vector->interpret;
    if (map != NULL && map->type != ASSAY_YAML_MAP) {
        return fail(map, diag, ASSAY_WRONG_TYPE, "\"interpret\" maps ids to readings");
    }
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        bool found = false;
        for (size_t k = 0; k < catalogue->interpretation_count; k++) {
            const struct assay_interpretation *one = &catalogue->interpretations[k];
            for (uint16_t r = 0; r < one->reading_count; r++) {
                if (assay_yaml_is(map->items[2 * i], one->id) &&
                    assay_yaml_is(map->items[2 * i + 1], one->readings[r].name)) {
                    readings[k] = r;
                    found = true;
                }
            }
        }
        if (!found) {
            return fail(map->items[2 * i], diag, ASSAY_UNKNOWN_NAME,
                        "no such interpretation or reading");
        }
    }
    return ASSAY_OK;
}
