#include "isa/a64_names.h"

#include "isa/a64.h"
#include "model/layout.h"

static const struct assay_enumerator class_list[] = {
#define X(id, name, text) {A64_##id, name, text},
    A64_CLASSES(X)
#undef X
};

const struct assay_enumeration a64_class_names = {"a64_class", class_list, ASSAY_COUNT(class_list)};
