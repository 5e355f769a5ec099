/* The parts of the JSON report. Private to reports/. */
#ifndef ASSAY_REPORTS_JSON_PARTS_H
#define ASSAY_REPORTS_JSON_PARTS_H

#include "reports/json_stream.h"
#include "validator/engine/results.h"

/* The members `tool` and `options`, after the name of the schema. */
void assay_json_head(struct assay_json_stream *stream, const struct assay_results *results,
                     const char *schema);

/* The members that are of the whole run, from `verdict` to `environment`; `inputs`, `findings`
 * and `shard` only if they are wanted. `rule_pages` is as of a style. Errors are those of memory,
 * and of reading back what the shard has kept. */
enum assay_error assay_json_run(struct assay_json_stream *stream,
                                const struct assay_results *results, const char *rule_pages,
                                bool inputs_and_findings);

/* Sets `sha256` without its prefix, or to null with `digest_error` if a digest was wanted; and
 * `changed` if the file was changed. */
void assay_json_digest(struct assay_json_stream *stream, json_t *object, const char *sha256,
                       const char *no_digest, bool changed);

/* The files that an input consists of. */
json_t *assay_json_files(struct assay_json_stream *stream, const struct assay_input_result *input);

/* Files that were used besides the traces. */
json_t *assay_json_evidence(struct assay_json_stream *stream, const struct assay_evidence *list,
                            size_t count);

/* The member `skipped`: files that were named or found and not judged. */
void assay_json_skipped(struct assay_json_stream *stream, const struct assay_results *results);

/* An input, with its streams. */
json_t *assay_json_input(struct assay_json_stream *stream, const struct assay_results *results,
                         const struct assay_input_result *input);

/* The member `inputs`. */
void assay_json_inputs(struct assay_json_stream *stream, const struct assay_results *results);

/* The member `rules`: the verdict of each rule over all inputs, and its page. */
void assay_json_rules(struct assay_json_stream *stream, const struct assay_results *results,
                      const char *rule_pages);

/* The members `causes`, and `diagnoses` of those that are beside none. ASSAY_NO_MEMORY is the only
 * error. */
enum assay_error assay_json_causes(struct assay_json_stream *stream,
                                   const struct assay_results *results);

/* A finding. */
json_t *assay_json_finding(struct assay_json_stream *stream, const struct assay_found *found);

/* All that the rule of a finding read. */
json_t *assay_json_values(struct assay_json_stream *stream, const struct assay_catalogue *catalogue,
                          const struct assay_finding *finding);

/* The members `findings` and, where not all were kept, `findings_dropped`. */
void assay_json_findings(struct assay_json_stream *stream, const struct assay_results *results);

/* Sets the number of waived violations, if there are any. */
void assay_json_set_waived(struct assay_json_stream *stream, json_t *object, uint64_t waived);

/* The member `shard` of a run that is one. The error is that of reading back its records. */
enum assay_error assay_json_shard(struct assay_json_stream *stream,
                                  const struct assay_results *results);

/* The member `baseline`, if one was given. */
void assay_json_baseline(struct assay_json_stream *stream, const struct assay_results *results);

/* The waivers that were given, if any. */
void assay_json_waivers(struct assay_json_stream *stream, const struct assay_results *results);

#endif
