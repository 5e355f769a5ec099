#include "isa/tests/a64_oracle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* log2 of the bytes of an element "b" to "q", or of a "w" in memory. */
static unsigned log2_of(char letter)
{
    static const char letters[] = "bhsdq";
    const char *at = letter == '\0' ? NULL : strchr(letters, letter == 'w' ? 's' : letter);
    return at != NULL ? (unsigned)(at - letters) : 0;
}

/* "ld1rqb", "ld1row", "ld1rsh": not "ld1r" of Advanced SIMD. */
static bool replicates(const char *mnemonic)
{
    return starts(mnemonic, "ld1r") && mnemonic[4] != '\0';
}

/* Registers in "{z30.b-z1.b}" or "{ z30.b, z31.b }". */
static unsigned registers_in(const char *list)
{
    const size_t length = strcspn(list, "}");
    const char *dash = memchr(list, '-', length);
    if (dash != NULL) {
        const long first = strtol(list + strcspn(list, "0123456789"), NULL, 10);
        const long last = strtol(dash + strcspn(dash, "0123456789"), NULL, 10);
        return (unsigned)((last - first) & 31) + 1;
    }
    unsigned count = 1;
    for (size_t i = 0; i < length; i++) {
        count += list[i] == ',';
    }
    return count;
}

/* "za0h.b[w12, 3]" or "za[w12, 3]", in braces or not. */
static const char *indexed_za(const char *operands)
{
    const char *za = strstr(operands, "za");
    const char *index = za != NULL ? strstr(za, "[w") : NULL;
    return index != NULL && strcspn(za, ", }") > (size_t)(index - za) ? za : NULL;
}

/* The element of "za0h.b[", 0 for "za[". */
static unsigned za_element(const char *za)
{
    const size_t length = strcspn(za, "[");
    const char *dot = memchr(za, '.', length);
    return dot != NULL ? log2_of(dot[1]) : 0;
}

static unsigned vector_element(const char *mnemonic, const char *list)
{
    if (replicates(mnemonic) && (mnemonic[4] == 'q' || mnemonic[4] == 'o')) {
        return mnemonic[4] == 'q' ? 4 : 5;
    }
    const char *dot = strchr(list, '.');
    return dot != NULL ? log2_of(dot[1]) : 0;
}

/* A fill or spill is of bytes, of as many as a vector or predicate has. */
static void expect_vectors(struct a64_expectation *e, const char *mnemonic, const char *operands)
{
    struct a64_scalable_expectation *s = &e->scalable;
    const char *za = indexed_za(operands);
    s->sized = true;
    s->count = 1;
    e->bytes = 0;
    if (operands[0] != '{') {
        return;
    }
    s->predicated = true;
    s->first_fault = starts(mnemonic, "ldff");
    s->non_fault = starts(mnemonic, "ldnf");
    s->replicate = replicates(mnemonic);
    s->log2 = log2_of(mnemonic[strlen(mnemonic) - 1]);
    if (za == NULL) {
        s->count = registers_in(operands);
        s->element = vector_element(mnemonic, operands);
    }
    if (s->replicate && s->element < 4) {
        e->bytes = 1 << s->log2;
    }
}

void a64_expect_scalable(struct a64_expectation *e, const char *mnemonic, const char *operands)
{
    const char *first = operands + strspn(operands, "{ ");
    const char *base = strrchr(operands, '[');
    const char *za = indexed_za(operands);
    const bool memory = starts(mnemonic, "ld") || starts(mnemonic, "st");
    const bool vectors = first[0] == 'z' || (first[0] == 'p' && operands[0] != '{');
    const bool prefetch = strcmp(e->name, "sve_prefetch") == 0;
    if (memory && vectors) {
        e->name = starts(first, "za") ? (e->reads ? "sme_load" : "sme_store")
                                      : (e->reads ? "sve_load" : "sve_store");
        expect_vectors(e, mnemonic, operands);
    }
    if ((memory && vectors) || prefetch) {
        e->scalable.gather_scatter =
            base != NULL && strchr(base, 'z') != NULL && strchr(base, 'z')[1] != 'r';
    }
    e->scalable.predicated = e->scalable.predicated || prefetch;
    if (za != NULL) {
        e->scalable.za_indexing = true;
        e->scalable.element = za_element(za);
    }
}
