/* The formats of the example have no certification profiles and no releases. */
#include "validator/certify/profile.h"
#include "validator/program/rules_since.h"

const struct assay_corpus_text assay_certify_profiles[] = {{0}};
const size_t assay_certify_profiles_count = 0;
const struct assay_corpus_text assay_released_tables[] = {{0}};
const size_t assay_released_tables_count = 0;
