#include "model/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/yaml.h"
#include "model/model.h"

const char *assay_parameter_table_fault(const struct assay_parameter_table *table)
{
    if (table->count > ASSAY_MAX_PARAMETERS) {
        return "there are too many parameters";
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct assay_parameter *p = &table->list[i];
        if (p->least > p->most) {
            return "a range is empty";
        }
        if (p->has_default && (p->value < p->least || p->value > p->most)) {
            return "a default is out of range";
        }
        if (assay_parameter_by_name(table, p->name) != (int)i) {
            return "a name occurs twice";
        }
    }
    for (size_t i = 0; i < table->alias_count; i++) {
        if (table->aliases[i].parameter >= table->count ||
            assay_parameter_by_name(table, table->aliases[i].name) !=
                (int)table->aliases[i].parameter) {
            return "another name is that of no parameter, or of two";
        }
    }
    for (size_t i = 0; i < table->field_count; i++) {
        const struct assay_parameter_field *f = &table->fields[i];
        if (f->parameter >= table->count || f->width == 0 || f->bit + f->width > 64 ||
            table->list[f->parameter].most >> (f->bit + f->width - 1) == 0) {
            return "a field has bits that its parameter has not";
        }
    }
    return NULL;
}

int assay_parameter_by_name(const struct assay_parameter_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->list[i].name, name) == 0) {
            return (int)i;
        }
    }
    for (size_t i = 0; i < table->alias_count; i++) {
        if (strcmp(table->aliases[i].name, name) == 0) {
            return (int)table->aliases[i].parameter;
        }
    }
    return -1;
}

/* Whether a text is a number from least to most as it is written without zeros before it. */
static bool is_number_within(const char *text, unsigned least, unsigned most)
{
    unsigned number = 0;
    size_t digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 4; digits++) {
        number = 10 * number + (unsigned)(text[digits] - '0');
    }
    return digits > 0 && text[digits] == '\0' && (digits == 1 || text[0] != '0') &&
           number >= least && number <= most;
}

bool assay_parameter_is_ignored(const struct assay_parameter_table *table, const char *name)
{
    for (size_t i = 0; i < table->ignored_count; i++) {
        const struct assay_ignored_parameter *p = &table->ignored[i];
        const size_t length = strlen(p->name);
        if (strncmp(p->name, name, length) == 0 &&
            (p->is_numbered ? is_number_within(name + length, p->least, p->most)
                            : name[length] == '\0')) {
            return true;
        }
    }
    return false;
}

void assay_parameter_text(const struct assay_parameter *parameter, uint64_t value, char *out,
                          size_t size)
{
    const char *name = parameter->names != NULL ? assay_enum_name(parameter->names, value) : NULL;
    if (name != NULL) {
        snprintf(out, size, "%s", name);
    } else {
        snprintf(out, size, parameter->hex ? "0x%" PRIx64 : "%" PRIu64, value);
    }
}

void assay_parameters_init(struct assay_parameter_values *values,
                           const struct assay_parameter_table *table)
{
    memset(values, 0, sizeof *values);
    values->table = table;
    for (size_t i = 0; i < table->count && i < ASSAY_MAX_PARAMETERS; i++) {
        if (table->list[i].has_default) {
            values->known[i] = true;
            values->value[i] = table->list[i].value;
            values->site[i].origin = ASSAY_PARAMETER_DEFAULT;
        }
    }
}

void assay_parameters_array(const struct assay_parameter_table *table,
                            const struct assay_parameter_values *values, uint64_t *out)
{
    for (size_t i = 0; i < table->count; i++) {
        out[i] = values != NULL && values->known[i] ? values->value[i] : table->list[i].value;
    }
}

enum assay_error assay_parameters_check(const struct assay_parameter_values *values,
                                        struct assay_diag *diag)
{
    return values->table->check != NULL ? values->table->check(values, diag) : ASSAY_OK;
}

void assay_parameters_settle(struct assay_parameter_values *values)
{
    if (values->table->settle != NULL) {
        values->table->settle(values);
    }
}

void assay_parameter_default(struct assay_parameter_values *values, size_t number, uint64_t value)
{
    if (values->site[number].origin <= ASSAY_PARAMETER_DEFAULT) {
        values->known[number] = true;
        values->value[number] = value;
        values->site[number].origin = ASSAY_PARAMETER_DEFAULT;
    }
}

enum assay_error assay_parameters_profile(struct assay_parameter_values *values, unsigned profile,
                                          const char *name, struct assay_diag *diag)
{
    const struct assay_parameter_table *table = values->table;
    if (profile == 0 || table->by_profile == NULL) {
        return ASSAY_OK;
    }
    const size_t number = table->profiled;
    const uint64_t value = table->by_profile[profile - 1];
    if (values->site[number].origin == ASSAY_PARAMETER_CONFIG) {
        char was[64];
        assay_parameter_text(&table->list[number], values->value[number], was, sizeof was);
        return values->value[number] == value
                   ? ASSAY_OK
                   : assay_parameter_fail(values, number, diag, ASSAY_CONTRADICTION,
                                          "%s is %s here, but the profile is %s",
                                          table->list[number].name, was, name);
    }
    values->known[number] = true;
    values->value[number] = value;
    values->site[number].origin = ASSAY_PARAMETER_PROFILE;
    return ASSAY_OK;
}

/* Where a value is from, in words. */
static void site_text(const struct assay_parameter_values *values, size_t number, char *out,
                      size_t size)
{
    const struct assay_parameter_site *site = &values->site[number];
    if (site->origin == ASSAY_PARAMETER_CONFIG) {
        const char *file = values->files[site->file];
        const size_t length = strlen(file);
        const char *end = length > 80 ? file + length - 80 : file;
        snprintf(out, size, "%s%s:%u:%u", end != file ? "..." : "", end, site->line, site->column);
    } else if (site->origin == ASSAY_PARAMETER_PROFILE) {
        snprintf(out, size, "the profile");
    } else if (site->offset == ASSAY_NO_OFFSET) {
        snprintf(out, size, "the stream");
    } else {
        snprintf(out, size, "the stream, at byte %" PRIu64, site->offset);
    }
}

enum assay_error assay_parameter_fail(const struct assay_parameter_values *values, size_t number,
                                      struct assay_diag *diag, enum assay_error error,
                                      const char *format, ...)
{
    char message[sizeof diag->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const struct assay_parameter_site *site = &values->site[number];
    if (site->origin == ASSAY_PARAMETER_CONFIG) {
        assay_fail_at(diag, error, site->line, site->column, "%s", message);
        assay_diag_path(diag, values->files[site->file]);
    } else {
        assay_fail(diag, error,
                   site->origin == ASSAY_PARAMETER_STREAM ? site->offset : ASSAY_NO_OFFSET, "%s",
                   message);
    }
    return error;
}

/* --- configuration --- */

static enum assay_error unknown_name(const struct assay_parameter_table *table,
                                     const struct assay_parameter_setting *s,
                                     struct assay_diag *diag)
{
    enum { SHOWN = ASSAY_MAX_PARAMETERS + 64 };
    const char *names[SHOWN + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        names[count++] = table->list[i].name;
    }
    for (size_t i = 0; i < table->alias_count && count < SHOWN; i++) {
        names[count++] = table->aliases[i].name;
    }
    for (size_t i = 0; i < table->ignored_count && count < SHOWN; i++) {
        if (!table->ignored[i].is_numbered) {
            names[count++] = table->ignored[i].name;
        }
    }
    assay_fail_at(diag, ASSAY_UNKNOWN_NAME, s->line, s->column, "no parameter is called \"%s\"",
                  s->name);
    const char *near = assay_nearest(s->name, names);
    if (near != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

/* Nothing depends on the value, but what is no number is a mistake. */
static enum assay_error check_ignored(const struct assay_parameter_setting *s,
                                      struct assay_diag *diag)
{
    const struct assay_yaml node = {
        .type = ASSAY_YAML_SCALAR, .quoted = s->quoted, .text = s->text, .length = strlen(s->text)};
    return assay_yaml_is_number(&node) ? ASSAY_OK
                                       : assay_fail_at(diag, ASSAY_WRONG_TYPE, s->text_line,
                                                       s->text_column, "%s is a number", s->name);
}

static enum assay_error unknown_value(const struct assay_parameter *p,
                                      const struct assay_parameter_setting *s,
                                      struct assay_diag *diag)
{
    assay_fail_at(diag, ASSAY_UNKNOWN_NAME, s->text_line, s->text_column,
                  "%s has no value called \"%s\"", p->name, s->text);
    enum { SHOWN = 64 };
    const char *names[SHOWN + 1] = {NULL};
    for (size_t i = 0; i < p->names->count && i < SHOWN; i++) {
        names[i] = p->names->list[i].name;
    }
    const char *near = assay_nearest(s->text, names);
    if (near != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error read_value(const struct assay_parameter *p,
                                   const struct assay_parameter_setting *s, uint64_t *value,
                                   struct assay_diag *diag)
{
    const struct assay_yaml node = {
        .type = ASSAY_YAML_SCALAR, .quoted = s->quoted, .text = s->text, .length = strlen(s->text)};
    const bool is_flag = p->least == 0 && p->most == 1 && p->names == NULL;
    bool flag;
    if (p->names != NULL && assay_enum_value(p->names, s->text, value)) {
        return ASSAY_OK;
    }
    if (is_flag && assay_yaml_flag(&node, &flag)) {
        *value = flag;
        return ASSAY_OK;
    }
    if (!assay_yaml_u64(&node, value)) {
        if (p->names != NULL) {
            return unknown_value(p, s, diag);
        }
        return assay_fail_at(diag, ASSAY_WRONG_TYPE, s->text_line, s->text_column, "%s is %s",
                             p->name, is_flag ? "true or false" : "a number");
    }
    if (*value < p->least || *value > p->most) {
        char least[32], most[32];
        snprintf(least, sizeof least, p->hex ? "0x%" PRIx64 : "%" PRIu64, p->least);
        snprintf(most, sizeof most, p->hex ? "0x%" PRIx64 : "%" PRIu64, p->most);
        return assay_fail_at(diag, ASSAY_OUT_OF_RANGE, s->text_line, s->text_column,
                             "%s is from %s to %s%s%s", p->name, least, most,
                             p->unit != NULL ? " " : "", p->unit != NULL ? p->unit : "");
    }
    return ASSAY_OK;
}

/* That a value was configured before is an error in the same file, and in another one when it is a
 * different value. */
static enum assay_error check_before(const struct assay_parameter_values *values, size_t number,
                                     const struct assay_parameter_setting *s, uint64_t value,
                                     struct assay_diag *diag)
{
    const struct assay_parameter_site *site = &values->site[number];
    const bool same_file = site->file + 1u == values->file_count;
    if (site->origin != ASSAY_PARAMETER_CONFIG || (!same_file && values->value[number] == value)) {
        return ASSAY_OK;
    }
    const struct assay_parameter *p = &values->table->list[number];
    char before[128];
    site_text(values, number, before, sizeof before);
    if (same_file) {
        assay_fail_at(diag, ASSAY_DUPLICATE, s->line, s->column, "%s occurs twice", p->name);
        assay_diag_hint(diag, "first at %s", before);
        return ASSAY_DUPLICATE;
    }
    char is[64], was[64];
    assay_parameter_text(p, value, is, sizeof is);
    assay_parameter_text(p, values->value[number], was, sizeof was);
    assay_fail_at(diag, ASSAY_CONTRADICTION, s->text_line, s->text_column,
                  "%s is %s here, but was configured as %s", p->name, is, was);
    assay_diag_hint(diag, "in %s", before);
    return ASSAY_CONTRADICTION;
}

enum assay_error assay_parameter_configure(struct assay_parameter_values *values,
                                           const struct assay_parameter_setting *setting,
                                           struct assay_diag *diag)
{
    const int number = assay_parameter_by_name(values->table, setting->name);
    if (number < 0 && assay_parameter_is_ignored(values->table, setting->name)) {
        return check_ignored(setting, diag);
    }
    if (number < 0) {
        return unknown_name(values->table, setting, diag);
    }
    if (values->table->list[number].is_reading) {
        assay_fail_at(diag, ASSAY_UNKNOWN_NAME, setting->line, setting->column,
                      "%s is an interpretation, and no property of a stream", setting->name);
        assay_diag_hint(diag, "assay check --interpret %s=READING chooses how it is read",
                        setting->name);
        return ASSAY_UNKNOWN_NAME;
    }
    uint64_t value = 0;
    enum assay_error error = read_value(&values->table->list[number], setting, &value, diag);
    if (error == ASSAY_OK) {
        error = check_before(values, (size_t)number, setting, value, diag);
    }
    if (error == ASSAY_OK) {
        values->known[number] = true;
        values->value[number] = value;
        values->site[number] =
            (struct assay_parameter_site){.origin = ASSAY_PARAMETER_CONFIG,
                                          .file = (uint8_t)(values->file_count - 1),
                                          .line = setting->text_line,
                                          .column = setting->text_column,
                                          .offset = ASSAY_NO_OFFSET};
    }
    return error;
}

/* --- the stream --- */

enum assay_error assay_parameter_from_stream(struct assay_parameter_values *values, size_t number,
                                             uint64_t value, uint64_t offset,
                                             struct assay_diag *diag)
{
    const struct assay_parameter *p = &values->table->list[number];
    const unsigned origin = values->site[number].origin;
    char is[64], was[64], before[128];
    assay_parameter_text(p, value, is, sizeof is);
    if (value < p->least || value > p->most) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, offset,
                          "the stream says that %s is %s, which it cannot be", p->name, is);
    }
    if (origin >= ASSAY_PARAMETER_PROFILE) {
        if (values->value[number] == value) {
            return ASSAY_OK;
        }
        site_text(values, number, before, sizeof before);
        assay_parameter_text(p, values->value[number], was, sizeof was);
        assay_fail(
            diag, ASSAY_CONTRADICTION, offset, "the stream says that %s is %s, but %s %s", p->name,
            is, origin == ASSAY_PARAMETER_STREAM ? "it said before" : "it was configured as", was);
        assay_diag_hint(diag, "in %s", before);
        return ASSAY_CONTRADICTION;
    }
    values->known[number] = true;
    values->value[number] = value;
    values->site[number] =
        (struct assay_parameter_site){.origin = ASSAY_PARAMETER_STREAM, .offset = offset};
    return ASSAY_OK;
}
