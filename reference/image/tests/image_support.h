/* What the tests of program images share. */
#ifndef ASSAY_IMAGE_TESTS_IMAGE_SUPPORT_H
#define ASSAY_IMAGE_TESTS_IMAGE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "image/image.h"

static const struct assay_space everywhere;

static inline struct assay_space el(unsigned level)
{
    return (struct assay_space){.given = ASSAY_SPACE_EL, .el = (uint8_t)level};
}

static inline struct assay_space vmid(uint32_t number)
{
    return (struct assay_space){.given = ASSAY_SPACE_VMID, .vmid = number};
}

static inline struct assay_space both(const struct assay_space *a, const struct assay_space *b)
{
    return (struct assay_space){.given = a->given | b->given,
                                .el = a->el | b->el,
                                .security = a->security | b->security,
                                .vmid = a->vmid | b->vmid,
                                .context = a->context | b->context};
}

static inline struct assay_image_set *new_set(void)
{
    struct assay_image_set *set = NULL;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    return set;
}

/* Adds a text at an address. */
static inline void add(struct assay_image_set *set, const char *name, struct assay_space space,
                       uint64_t address, const char *text)
{
    struct assay_image_spec spec = {.has_address = true, .address = address, .space = space};
    struct assay_diag diag;
    snprintf(spec.path, sizeof spec.path, "%s", name);
    if (assay_image_add_bytes(set, &spec, text, strlen(text), &diag) != ASSAY_OK) {
        fail_msg("%s: %s", diag.path, diag.message);
    }
}

static inline void seal(struct assay_image_set *set)
{
    struct assay_diag diag;
    if (assay_image_set_seal(set, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
}

/* What 8 bytes at an address are, those that are absent left out. */
static inline void assert_read(const struct assay_image_set *set, struct assay_space space,
                               uint64_t address, const char *due)
{
    char text[9] = "";
    size_t have = 99;
    const enum assay_error error = assay_image_read(set, &space, address, text, 8, &have);
    assert_int_equal(have, strlen(due));
    assert_int_equal(error, have == 8 ? ASSAY_OK : ASSAY_ABSENT);
    assert_string_equal(text, due);
}

#endif
