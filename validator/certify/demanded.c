#include "validator/certify/demanded.h"

#include <stdio.h>
#include <string.h>

#include "model/describe.h"
#include "validator/certify/folder.h"

struct asking {
    const char *folder;
    const json_t *predicate, *profile;
    const struct assay_certificate_demanded *demanded;
    struct assay_diag *diag;
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* What the certificate has in place of what is demanded. */
static enum assay_error refuse(const struct asking *a, const char *what, const char *has,
                               const char *wanted)
{
    char shown[160];
    assay_escape((const uint8_t *)has, strlen(has), shown, sizeof shown);
    return assay_certify_refuse(a->folder, ASSAY_CERTIFICATE, a->diag,
                                "its %s is %s, and %.100s is demanded", what, shown, wanted);
}

/* --- the profile --- */

static bool is_file(const char *profile)
{
    const size_t length = strlen(profile);
    return strchr(profile, '/') != NULL ||
           (length > strlen(".yaml") && strcmp(profile + length - strlen(".yaml"), ".yaml") == 0);
}

/* That the certificate is by the profile of a file, byte for byte. */
static enum assay_error check_file(const struct asking *a)
{
    struct assay_certify_profile own = {.name = NULL};
    enum assay_error error = assay_certify_profile_load(a->demanded->profile, &own, a->diag);
    if (error == ASSAY_OK &&
        strcmp(own.digest + strlen("sha256:"), text_of(a->profile, "sha256")) != 0) {
        error = assay_certify_refuse(a->folder, "profile.yaml", a->diag,
                                     "it is not the profile that is demanded, %.200s",
                                     a->demanded->profile);
    }
    assay_certify_profile_free(&own);
    return error;
}

static enum assay_error check_profile(const struct asking *a, bool own_profile)
{
    const char *wanted = a->demanded->profile;
    if (wanted != NULL && is_file(wanted)) {
        return check_file(a);
    }
    if (wanted != NULL && strcmp(wanted, text_of(a->profile, "name")) != 0) {
        return refuse(a, "profile", text_of(a->profile, "name"), wanted);
    }
    if (own_profile && !a->demanded->modified) {
        assay_certify_refuse(a->folder, "profile.yaml", a->diag,
                             "the profile is none of Assay %s: it can demand as little as it likes",
                             ASSAY_VERSION);
        assay_diag_hint(a->diag, "read it, and demand it by --profile FILE; or --allow-modified");
        return ASSAY_CONTRADICTION;
    }
    return ASSAY_OK;
}

static enum assay_error check_rules(const struct asking *a)
{
    const json_t *tool = json_object_get(a->predicate, "tool");
    if (a->demanded->modified || json_is_false(json_object_get(tool, "modified"))) {
        return ASSAY_OK;
    }
    assay_certify_refuse(a->folder, ASSAY_CERTIFICATE, a->diag,
                         "rules were added, or readings of clauses chosen");
    assay_diag_hint(a->diag, "SUMMARY.txt names them; --allow-modified accepts them");
    return ASSAY_CONTRADICTION;
}

/* --- level and features --- */

/* A level that extends the one that is demanded has all that it demands. */
static enum assay_error check_level(const struct asking *a)
{
    struct assay_certify_profile profile = {.name = NULL};
    char path[4096];
    const char *has = text_of(a->profile, "level");
    const char *wanted = a->demanded->level;
    if (wanted == NULL) {
        return ASSAY_OK;
    }
    snprintf(path, sizeof path, "%s/profile.yaml", a->folder);
    enum assay_error error = assay_certify_profile_load(path, &profile, a->diag);
    const struct assay_certify_level *level =
        error == ASSAY_OK ? assay_certify_level_named(&profile, has) : NULL;
    while (level != NULL && strcmp(level->name, wanted) != 0) {
        level = level->extends != NULL ? assay_certify_level_named(&profile, level->extends) : NULL;
    }
    error = error != ASSAY_OK || level != NULL ? error : refuse(a, "level", has, wanted);
    assay_certify_profile_free(&profile);
    return error;
}

static bool has_feature(const json_t *features, const char *name, size_t length)
{
    size_t i = 0;
    const json_t *feature = NULL;
    json_array_foreach(features, i, feature)
    {
        const char *one = text_of(feature, "name");
        if (strlen(one) == length && memcmp(one, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static enum assay_error check_features(const struct asking *a)
{
    const json_t *features = json_object_get(a->profile, "features");
    for (const char *at = a->demanded->features; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (!has_feature(features, at, length)) {
            return assay_certify_refuse(a->folder, ASSAY_CERTIFICATE, a->diag,
                                        "the feature %.*s is demanded, and not certified",
                                        (int)(length < 100 ? length : 100), at);
        }
        at += length + (at[length] == ',');
    }
    return ASSAY_OK;
}

/* --- the producer --- */

static enum assay_error check_producer(const struct asking *a)
{
    const json_t *producer = json_object_get(a->predicate, "producer");
    const char *wanted = a->demanded->producer;
    char has[240];
    snprintf(has, sizeof has, "%s %s", text_of(producer, "name"), text_of(producer, "version"));
    return wanted == NULL || strcmp(wanted, text_of(producer, "name")) == 0 ||
                   strcmp(wanted, has) == 0
               ? ASSAY_OK
               : refuse(a, "producer", has, wanted);
}

enum assay_error assay_certify_check_demanded(const char *folder, const json_t *predicate,
                                              const struct assay_certificate_demanded *demanded,
                                              bool own_profile, struct assay_diag *diag)
{
    const struct asking a = {.folder = folder,
                             .predicate = predicate,
                             .profile = json_object_get(predicate, "profile"),
                             .demanded = demanded,
                             .diag = diag};
    enum assay_error error = check_profile(&a, own_profile);
    error = error ? error : check_rules(&a);
    error = error ? error : check_level(&a);
    error = error ? error : check_features(&a);
    return error ? error : check_producer(&a);
}
