/* A table of certificates: of each what it says, if it verifies, and otherwise why it does not. */
#ifndef ASSAY_CERTIFY_TABLE_H
#define ASSAY_CERTIFY_TABLE_H

#include "io/sink.h"
#include "validator/certify/verify.h"

/* What a certificate says, as it says it: untrusted text, in UTF-8, cut off where it is long. */
struct assay_certify_row {
    const char *folder; /* as it was found */
    const char *producer, *version, *vendor;
    const char *format, *format_version; /* the version may be "": none was judged */
    const char *profile, *level;
    const char *features;    /* names, with ", " between them; may be "" */
    const char *signed_by;   /* the name of the key; "" where nothing is signed */
    const char *valid_until; /* a date, or "" */
    const char *tool;        /* version of assay */
    enum assay_certify_verdict verdict;
    bool own_profile, own_rules, released; /* as of struct assay_certificate */
};

/* A folder whose certificate does not verify. */
struct assay_certify_refused {
    const char *folder;
    const char *why;
};

struct assay_certify_table {
    const struct assay_certificate_demanded *demanded; /* of each certificate */
    struct assay_certify_row *rows;
    size_t row_count, row_room;
    struct assay_certify_refused *refused;
    size_t refused_count, refused_room;
    size_t entries; /* of folders that were looked at */
    struct assay_arena arena;
};

/* How much is looked at: certificates; entries of the folders that may have them; and of the folder
 * of one certificate files, and bytes of a file. What has more is no certificate. */
enum {
    ASSAY_CERTIFY_TABLE_ROWS = 4096,
    ASSAY_CERTIFY_TABLE_ENTRIES = 1 << 16,
    ASSAY_CERTIFY_TABLE_FILES = 64,
    ASSAY_CERTIFY_TABLE_BYTES = 1 << 28
};

/* Adds the certificate in a folder, if it has a certificate.json, or else those of the folders in
 * it that have one; links in it are not followed. A certificate that does not verify is added to
 * `refused`, and is no error. ASSAY_NOT_FOUND: there is none; ASSAY_NOT_READABLE; ASSAY_LIMIT:
 * there are more than are looked at; ASSAY_NO_MEMORY. */
enum assay_error assay_certify_table_add(struct assay_certify_table *table, const char *folder,
                                         struct assay_diag *diag);

/* Puts all that was added in the order in which it is written, which does not depend on that in
 * which it was found. */
void assay_certify_table_sort(struct assay_certify_table *table);

void assay_certify_table_free(struct assay_certify_table *table);

/* Writes the table as Markdown, of which texts of certificates and names of folders can become no
 * part: they are escaped, for HTML, too. */
void assay_certify_table_markdown(const struct assay_certify_table *table, struct assay_sink *sink);

/* Writes the table as JSON, schema assay-certificates/1. ASSAY_NO_MEMORY and errors of the sink. */
enum assay_error assay_certify_table_json(const struct assay_certify_table *table,
                                          struct assay_sink *sink);

#endif
