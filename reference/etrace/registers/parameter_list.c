#include "etrace/registers/parameter_list.h"

#include <stdio.h>
#include <string.h>

#include "etrace/etrace.h"
#include "model/layout.h"

enum { NAME_MOST = 64, TEXT_MOST = 32 };

/* Names of the groups packet and sup, which no table has; the value is multiplied. Null: nothing
 * depends on it. */
static const struct renamed {
    const char *name, *parameter;
    unsigned times;
} renamed[] = {
    {".packet.srcid_bytes_p", "source_width", 8},
    {".packet.tstamp_bytes_p", "timestamp_size", 1},
    {".packet.type_width_p", "type_width", 1},
    {".sup.enc_mode_width_p", "encoder_mode_n", 1},
    {".sup.ioptions_width_p", "ioptions_n", 1},
    {".sup.denable_width_p", "denable_n", 1},
    {".sup.dloss_width_p", "dloss_n", 1},
    {".sup.doptions_width_p", "doptions_m", 1},
    {".sup.packet_flow_id", NULL, 1},
};
static const char *const groups[] = {".itrace.", ".dtrace."};
static const char *const of_2_0[] = {".itrace.notime_p", ".itrace.time_width_p",
                                     ".itrace.blocks_p"};

static enum assay_error configure(struct assay_parameter_values *values, const char *name,
                                  const char *text, uint32_t line, uint32_t column,
                                  struct assay_diag *diag)
{
    const struct assay_parameter_setting setting = {.name = name,
                                                    .text = text,
                                                    .line = line,
                                                    .column = 1,
                                                    .text_line = line,
                                                    .text_column = column};
    return assay_parameter_configure(values, &setting, diag);
}

static const struct renamed *renamed_of(const char *name)
{
    for (size_t i = 0; i < ASSAY_COUNT(renamed); i++) {
        if (strcmp(renamed[i].name, name) == 0) {
            return &renamed[i];
        }
    }
    return NULL;
}

/* A parameter that the draft does not have. */
static enum assay_error take_version(struct assay_parameter_values *values, const char *name,
                                     uint32_t line, struct assay_diag *diag)
{
    for (size_t i = 0; i < ASSAY_COUNT(of_2_0); i++) {
        if (strcmp(of_2_0[i], name) == 0 &&
            values->site[ETRACE_WIRE].origin <= ASSAY_PARAMETER_DEFAULT) {
            return configure(values, "wire", "2.0", line, 1, diag);
        }
    }
    return ASSAY_OK;
}

static enum assay_error take(struct assay_parameter_values *values, const char *name,
                             const char *text, uint32_t line, struct assay_diag *diag)
{
    const uint32_t column = (uint32_t)strlen(name) + 2;
    const struct renamed *other = renamed_of(name);
    if (other != NULL && other->parameter == NULL) {
        return ASSAY_OK;
    }
    if (other != NULL && other->times != 1) {
        char product[TEXT_MOST];
        const size_t digits = strspn(text, "0123456789");
        const bool is_number = digits > 0 && digits < 4 && text[digits] == '\0';
        unsigned value = 0;
        for (size_t i = 0; is_number && i < digits; i++) {
            value = 10 * value + (unsigned)(text[i] - '0');
        }
        (void)snprintf(product, sizeof product, "%u", value * other->times);
        return configure(values, other->parameter, is_number ? product : text, line, column, diag);
    }
    if (other != NULL) {
        return configure(values, other->parameter, text, line, column, diag);
    }
    for (size_t i = 0; i < ASSAY_COUNT(groups); i++) {
        const size_t length = strlen(groups[i]);
        if (strncmp(name, groups[i], length) == 0) {
            const enum assay_error error = take_version(values, name, line, diag);
            return error != ASSAY_OK ? error
                                     : configure(values, name + length, text, line, column, diag);
        }
    }
    return configure(values, name, text, line, column, diag);
}

/* A line without its newline. */
static enum assay_error take_line(struct assay_parameter_values *values, const char *at,
                                  size_t length, uint32_t line, struct assay_diag *diag)
{
    char name[NAME_MOST], text[TEXT_MOST];
    while (length > 0 && (at[length - 1] == '\r' || at[length - 1] == ' ')) {
        length--;
    }
    if (length == 0 || at[0] == '#') {
        return ASSAY_OK;
    }
    const char *comma = memchr(at, ',', length);
    const size_t name_length = comma != NULL ? (size_t)(comma - at) : 0;
    const size_t text_length = comma != NULL ? length - name_length - 1 : 0;
    if (name_length == 0 || name_length >= sizeof name || text_length == 0 ||
        text_length >= sizeof text || memchr(at, '\0', length) != NULL) {
        assay_fail_at(diag, ASSAY_SYNTAX, line, 1, "the line is no name, comma and value");
        assay_diag_hint(diag, "parameters in a .csv file are lines as .itrace.iaddress_width_p,64");
        return ASSAY_SYNTAX;
    }
    memcpy(name, at, name_length);
    name[name_length] = '\0';
    memcpy(text, comma + 1, text_length);
    text[text_length] = '\0';
    return take(values, name, text, line, diag);
}

enum assay_error etrace_parameter_list_read(struct assay_parameter_values *values, const char *path,
                                            const char *text, size_t size, struct assay_diag *diag)
{
    (void)path;
    enum assay_error error = ASSAY_OK;
    uint32_t line = 1;
    for (size_t at = 0; at < size && error == ASSAY_OK; line++) {
        const char *newline = memchr(text + at, '\n', size - at);
        const size_t end = newline != NULL ? (size_t)(newline - text) : size;
        error = take_line(values, text + at, end - at, line, diag);
        at = end + 1;
    }
    return error;
}
