#include "reports/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "reports/walk.h"

void assay_hash_begin(struct assay_hash *hash)
{
    *hash = (struct assay_hash){.high = UINT64_C(0x6c62272e07bb0142),
                                .low = UINT64_C(0x62b821756295c58d)};
}

/* The prime is 2^88 + 0x13b. */
static void multiply(struct assay_hash *hash)
{
    const uint64_t factor = 0x13b;
    const uint64_t bottom = (hash->low & UINT32_MAX) * factor;
    const uint64_t top = (hash->low >> 32) * factor + (bottom >> 32);
    hash->high = hash->high * factor + (hash->low << 24) + (top >> 32);
    hash->low = top << 32 | (bottom & UINT32_MAX);
}

void assay_hash_add(struct assay_hash *hash, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash->low ^= (unsigned char)data[i];
        multiply(hash);
    }
}

/* Texts with their ends, so that they do not run into each other. */
static void add_text(struct assay_hash *hash, const char *text)
{
    assay_hash_add(hash, text, strlen(text) + 1);
}

/* As assay_path_tidy makes it. */
static void add_path(struct assay_hash *hash, const char *path)
{
    size_t size = 0;
    const char *part = assay_path_part(path, &size);
    assay_hash_add(hash, path[0] == '/' ? "/" : ".", path[0] == '/' || size == 0);
    while (size > 0) {
        const char *next = part + size;
        assay_hash_add(hash, part, size);
        part = assay_path_part(next, &size);
        assay_hash_add(hash, "/", size > 0);
    }
    add_text(hash, "");
}

void assay_fingerprint(const struct assay_found *found, char text[ASSAY_FINGERPRINT_TEXT])
{
    const struct assay_finding *finding = found->placed->finding;
    const struct assay_catalogue *catalogue = found->catalogue;
    char number[24] = "";
    struct assay_hash hash;
    assay_hash_begin(&hash);
    add_text(&hash, finding->rule->id);
    add_path(&hash, found->path);
    if (found->stream->has_id) {
        snprintf(number, sizeof number, "%" PRIu32, found->stream->id);
    }
    add_text(&hash, number);
    add_text(&hash, catalogue->format->kinds[finding->kind].name);
    for (uint16_t i = 0; i < finding->rule->evidence_count; i++) {
        const uint16_t leaf = finding->rule->evidence[i];
        if (catalogue->leaves[leaf].what != ASSAY_LEAF_READING &&
            assay_leaf_required(finding->rule, leaf)) {
            snprintf(number, sizeof number, "%" PRIu64, finding->values[i]);
            add_text(&hash, catalogue->leaves[leaf].text);
            add_text(&hash, number);
        }
    }
    snprintf(text, ASSAY_FINGERPRINT_TEXT, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
}

/* --- counts --- */

struct assay_fingerprint_count {
    char text[ASSAY_FINGERPRINT_TEXT]; /* "": the slot is free */
    uint64_t count;
};

/* The slot of a fingerprint, or the one where it belongs; some are free. */
static struct assay_fingerprint_count *find(const struct assay_fingerprints *all, const char *text)
{
    const char *last = text + ASSAY_FINGERPRINT_TEXT - 1 - 8; /* digits */
    size_t at = strtoul(last, NULL, 16) & (all->room - 1);
    while (all->slots[at].text[0] != '\0' && strcmp(all->slots[at].text, text) != 0) {
        at = (at + 1) & (all->room - 1);
    }
    return &all->slots[at];
}

/* Makes room for one more, with at least half of the slots free. */
static bool grow(struct assay_fingerprints *all)
{
    enum { FIRST_ROOM = 256 };
    if (2 * (all->used + 1) <= all->room) {
        return true;
    }
    struct assay_fingerprints bigger = {.used = all->used,
                                        .room = all->room > 0 ? 2 * all->room : FIRST_ROOM};
    bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < all->room; i++) {
        if (all->slots[i].text[0] != '\0') {
            *find(&bigger, all->slots[i].text) = all->slots[i];
        }
    }
    free(all->slots);
    *all = bigger;
    return true;
}

bool assay_fingerprints_count(struct assay_fingerprints *all,
                              const char text[ASSAY_FINGERPRINT_TEXT], uint64_t *count)
{
    if (!grow(all)) {
        return false;
    }
    struct assay_fingerprint_count *slot = find(all, text);
    if (slot->text[0] == '\0') {
        memcpy(slot->text, text, ASSAY_FINGERPRINT_TEXT);
        all->used++;
    }
    *count = ++slot->count;
    return true;
}

void assay_fingerprints_free(struct assay_fingerprints *all)
{
    free(all->slots);
    *all = (struct assay_fingerprints){0};
}
