/* Address spaces: what selects one of several memories that a program can see at one address. Arm
 * distinguishes them by exception level, security state, VMID and context identifier; RISC-V traces
 * have none of these, so that all addresses are of one space. */
#ifndef ASSAY_IMAGE_SPACE_H
#define ASSAY_IMAGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum assay_security {
    ASSAY_SECURITY_NONSECURE,
    ASSAY_SECURITY_SECURE,
    ASSAY_SECURITY_REALM,
    ASSAY_SECURITY_ROOT,
    ASSAY_SECURITY_COUNT
};

/* The selectors, as a set of bits. */
enum assay_space_selector {
    ASSAY_SPACE_EL = 1,
    ASSAY_SPACE_SECURITY = 2,
    ASSAY_SPACE_VMID = 4,
    ASSAY_SPACE_CONTEXT = 8
};

enum {
    ASSAY_SPACE_ALL = 15,     /* every selector */
    ASSAY_SPACE_SUBSETS = 16, /* sets of selectors */
    ASSAY_EL_MAX = 3
};

/* For an image: where it is visible. For a query: where the program executes. A selector that is
 * not given means "any" in an image and "not known" in a question. */
struct assay_space {
    uint8_t given;    /* set of enum assay_space_selector */
    uint8_t el;       /* exception level, 0 to 3 */
    uint8_t security; /* enum assay_security */
    uint32_t vmid;    /* virtual context identifier */
    uint64_t context; /* context identifier (Arm: at most 32 bits) */
};

/* "nonsecure", "secure", "realm", "root"; null outside the enumeration. */
const char *assay_security_name(enum assay_security security);

/* ASSAY_SECURITY_COUNT when no state has this name. */
enum assay_security assay_security_by_name(const char *name);

/* The names, ended by null: for hints. */
extern const char *const assay_security_names[ASSAY_SECURITY_COUNT + 1];

/* The space with only those of its selectors that are in `selectors`; all else is 0. */
struct assay_space assay_space_restrict(const struct assay_space *space, unsigned selectors);

/* Orders spaces totally: below zero, zero, above zero. Members that are not given do not count. */
int assay_space_compare(const struct assay_space *a, const struct assay_space *b);

/* Whether a program can be in both spaces at once: no selector that both give differs. */
bool assay_space_compatible(const struct assay_space *a, const struct assay_space *b);

/* "el=1,nonsecure,vmid=7", or "every space" when nothing is given. Always terminated. */
void assay_space_text(const struct assay_space *space, char *out, size_t size);

#endif
