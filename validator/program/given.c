#include "validator/program/given.h"

#include <string.h>
#include <sys/stat.h>

#include "manifest/manifest.h"

static const char *name_of(const struct assay_command *command, int letter)
{
    const struct assay_option *option = command->options;
    while (option->name != NULL && option->letter != letter) {
        option++;
    }
    return option->name != NULL ? option->name : "?";
}

int assay_given_note(struct assay_given *given, const struct assay_command *command,
                     const char *once, int letter, const char *value)
{
    const char *before = given->values[letter & 127];
    if (before != NULL && strchr(once, letter) != NULL) {
        return strcmp(before, value) == 0
                   ? assay_usage_error(command, "--%s is given twice", name_of(command, letter))
                   : assay_usage_error(command, "--%s is given twice: %s, and %s",
                                       name_of(command, letter), before, value);
    }
    given->values[letter & 127] = value != NULL ? value : "";
    return 0;
}

bool assay_given(const struct assay_given *given, int letter)
{
    return given->values[letter & 127] != NULL;
}

static const struct assay_format *format_of_profile(const char *name)
{
    size_t i = 0;
    while (assay_formats[i] != NULL && assay_profile_by_name(assay_formats[i], name) < 0) {
        i++;
    }
    return assay_formats[i];
}

/* A manifest may give an execution, and a directory may hold manifests. */
static bool may_give_execution(const char *operand)
{
    struct stat status;
    return assay_is_manifest(operand) || (stat(operand, &status) == 0 && S_ISDIR(status.st_mode));
}

static bool any_may_give_execution(const char *const *operands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (may_give_execution(operands[i])) {
            return true;
        }
    }
    return false;
}

int assay_given_check(const struct assay_given *given, const struct assay_command *command,
                      const char *const *operands, size_t count)
{
    const char *format = given->values['f'];
    const char *profile = given->values['P'];
    const struct assay_format *of_profile = profile != NULL ? format_of_profile(profile) : NULL;
    if (format != NULL && strcmp(format, "auto") != 0 && of_profile != NULL &&
        strcmp(of_profile->name, format) != 0) {
        return assay_usage_error(command, "--profile %s is one of %s, not of --format %s", profile,
                                 of_profile->name, format);
    }
    if (assay_given(given, 't') && !assay_given(given, 'x') &&
        !any_may_give_execution(operands, count)) {
        return assay_usage_error(command, "--thread is of a recorded execution, and none is given "
                                          "(--execution)");
    }
    if (assay_given(given, 'q') && assay_given(given, 'p') &&
        strcmp(given->values['p'], "always") == 0) {
        return assay_usage_error(command, "--quiet and --progress always contradict each other");
    }
    return 0;
}
