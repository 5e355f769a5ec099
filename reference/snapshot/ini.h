/* INI files of CoreSight snapshots and trace packages, as the small tree of common/yaml.h: a
 * mapping of the names of sections to mappings of keys to scalars. So values are read, and refused
 * with file, line and column, by the functions that YAML files have.
 *
 * A line is empty, a comment, a heading [NAME], or KEY=VALUE (KEY:VALUE in a line without "=").
 * Blanks around all of these are ignored, as are a carriage return at the end, and a byte order
 * mark of UTF-8 at the beginning of the file. A comment begins with # or ;, wherever it is, as for
 * other readers of these files. A value can be in quotes of either kind, which are not a part of
 * it; then # and ; are. Nothing else is allowed: no keys before the first heading, no lines that
 * continue others, no control characters.
 */
#ifndef ASSAY_SNAPSHOT_INI_H
#define ASSAY_SNAPSHOT_INI_H

#include "common/yaml.h"

#define CS_INI_MAX_BYTES ((size_t)4 << 20)

/* Reads a file; `shown` is what messages call it. A section that occurs twice is ASSAY_DUPLICATE,
 * unless its name begins with "dump", and so is a key that occurs twice in its section. `lists`
 * names the sections, ended by null, that are lists of pairs: there a key may occur again with
 * another value. Null: there are none. The caller frees the file by assay_yaml_free. */
enum assay_error cs_ini_load(const char *path, const char *shown, const char *const *lists,
                             struct assay_yaml_file *file, struct assay_diag *diag);

/* The same with the text in memory. */
enum assay_error cs_ini_parse(const char *path, const char *text, size_t size,
                              const char *const *lists, struct assay_yaml_file *file,
                              struct assay_diag *diag);

#endif
