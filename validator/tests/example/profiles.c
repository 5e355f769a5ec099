/* The formats of the example have no certification profiles. */
#include "validator/certify/profile.h"

const struct assay_corpus_text assay_certify_profiles[] = {{0}};
const size_t assay_certify_profiles_count = 0;
