#include "isa/tests/templates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE_SIZE 160

static const char *const conditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs",
                                         "vc", "hi", "ls", "ge", "lt", "gt", "le"};

/* Registers used in the instruction so far. */
struct registers {
    uint32_t used;
    unsigned last;
};

uint32_t isa_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

/* `run` free registers in a row, the first below `limit` and a multiple of `step`. */
static unsigned pick(struct registers *r, unsigned limit, unsigned step, unsigned run,
                     uint64_t *seed)
{
    const uint32_t mask = (1u << run) - 1u;
    do {
        r->last = isa_random(seed) % (limit / step) * step;
    } while ((r->used >> r->last & mask) != 0);
    r->used |= mask << r->last;
    return r->last;
}

/* "uNxM", "sNxM" and "jN" at *p, which is moved after it. */
static long number(const char **p, uint64_t *seed)
{
    const char kind = *(*p)++;
    char *end;
    const unsigned bits = (unsigned)strtoul(*p, &end, 10);
    long scale = 4;
    if (kind != 'j') {
        scale = strtol(end + 1, &end, 10);
    }
    *p = end;
    const long value = (long)(isa_random(seed) & ((1u << bits) - 1u));
    return (kind == 'u' ? value : value - (1l << (bits - 1))) * scale;
}

/* Writes what the '$' before *p represents; returns the length. */
static int expand(char *out, size_t size, const char **p, struct registers *r, uint64_t *seed)
{
    const char kind = **p;
    switch (kind) {
    case 'u':
    case 's':
        return snprintf(out, size, "%ld", number(p, seed));
    case 'j':
        return snprintf(out, size, "%+ld", number(p, seed));
    default:
        break;
    }
    (*p)++;
    switch (kind) {
    case 'r':
        return snprintf(out, size, "%u", pick(r, 29, 1, 1, seed));
    case 'e':
        return snprintf(out, size, "%u", pick(r, 28, 2, 2, seed));
    case 'l':
        return snprintf(out, size, "%u", pick(r, 20, 2, 8, seed));
    case 'v':
        return snprintf(out, size, "%u", pick(r, 28, 1, 1, seed));
    case '+':
        return snprintf(out, size, "%u", r->last + (unsigned)(*(*p)++ - '0'));
    default:
        return snprintf(out, size, "%s", conditions[isa_random(seed) % 14]);
    }
}

/* The number of alternatives in "(a|b|c)", of which none holds parentheses. */
static unsigned alternatives(const char *p)
{
    unsigned count = 1;
    for (; *p != ')'; p++) {
        count += *p == '|';
    }
    return count;
}

/* How many instructions the alternatives of a template make. */
static unsigned combinations(const char *p)
{
    unsigned count = 1;
    for (p = strstr(p, "$("); p != NULL; p = strstr(p + 1, "$(")) {
        count *= alternatives(p);
    }
    return count;
}

/* The template with its alternatives chosen by the digits of `choice`, the bases being their
 * numbers. */
static void choose(char out[TEMPLATE_SIZE], const char *p, unsigned choice)
{
    size_t length = 0;
    while (*p != '\0') {
        if (p[0] != '$' || p[1] != '(') {
            out[length++] = *p++;
            continue;
        }
        const unsigned count = alternatives(p);
        const char *end = strchr(p, ')');
        p += 2;
        for (unsigned skip = choice % count; skip > 0; skip--) {
            p = strchr(p, '|') + 1;
        }
        while (*p != '|' && *p != ')') {
            out[length++] = *p++;
        }
        choice /= count;
        p = end + 1;
    }
    out[length] = '\0';
}

static void fill(char out[ISA_SOURCE_SIZE], const char *p, uint64_t *seed)
{
    struct registers r = {.used = 0};
    size_t length = 0;
    while (*p != '\0' && length + 8 < ISA_SOURCE_SIZE) {
        const char c = *p++;
        if (c == '$') {
            length += (size_t)expand(out + length, ISA_SOURCE_SIZE - length, &p, &r, seed);
        } else {
            out[length++] = c;
        }
    }
    out[length] = '\0';
}

unsigned isa_fill_templates(char (*source)[ISA_SOURCE_SIZE], unsigned size,
                            const struct isa_templates *templates, unsigned copies, uint64_t seed)
{
    unsigned count = 0;
    char chosen[TEMPLATE_SIZE];
    for (size_t i = 0; i < templates->count; i++) {
        const unsigned rounds = copies * combinations(templates->text[i]);
        for (unsigned round = 0; round < rounds && count < size; round++) {
            choose(chosen, templates->text[i], round);
            fill(source[count++], chosen, &seed);
        }
    }
    return count;
}
