#include "execution/placement.h"

#include <string.h>

#include "execution/locate.h"

static void close_reader(struct assay_placement_reader *r)
{
    assay_execution_close(r->execution);
    r->execution = NULL;
    r->read = 0;
    r->at = 0;
}

/* Reads an instruction. False: there are no more. */
static bool read_one(struct assay_placement_reader *r, const struct assay_window *window)
{
    struct assay_executed item;
    struct assay_placement_item last = {0};
    do {
        if (assay_execution_next(r->execution, &item) != ASSAY_OK ||
            item.kind == ASSAY_EXECUTED_END) {
            return false;
        }
        if (item.kind == ASSAY_EXECUTED_DIVERTED && item.thread == window->thread &&
            !last.diverted) {
            last.diverted = true;
            last.unknown = !item.aborted;
            last.pc = item.address;
        }
    } while (!assay_window_takes(window, &item));
    last.key = assay_instruction_key(item.address, item.word);
    last.pc = last.diverted ? last.pc : item.address;
    r->last[r->read % ASSAY_PLACEMENT_BACK] = last;
    r->read++;
    return true;
}

/* The key of the next instruction. False: there are no more. */
static bool next_key(struct assay_placement_reader *r, const struct assay_window *window,
                     uint64_t *key)
{
    if (r->at == r->read && !read_one(r, window)) {
        return false;
    }
    *key = r->last[r->at++ % ASSAY_PLACEMENT_BACK].key;
    return true;
}

/* Sets a reader to an instruction. */
static bool go_to(struct assay_placement *p, struct assay_placement_reader *r,
                  const struct assay_window *window, uint64_t at)
{
    if (r->read > ASSAY_PLACEMENT_BACK && at < r->read - ASSAY_PLACEMENT_BACK) {
        close_reader(r);
    }
    if (r->execution == NULL &&
        assay_execution_again(window->execution, &r->execution, NULL) != ASSAY_OK) {
        p->unreadable = true;
        return false;
    }
    bool more = true;
    while (r->read < at && more) {
        more = read_one(r, window);
    }
    r->at = at;
    return more;
}

/* Extends a hash by the next instructions. False: there are not so many. */
static bool hash_next(struct assay_placement_reader *r, const struct assay_window *window,
                      uint64_t count, uint64_t *hash)
{
    uint64_t key = 0;
    while (count > 0 && next_key(r, window, &key)) {
        *hash = *hash * ASSAY_ROLLING_BASE + key;
        count--;
    }
    return count == 0;
}

static uint64_t key_of(const struct assay_step *step)
{
    return assay_instruction_key(step->pc, step->word);
}

/* Extends a hash by the records ahead. */
static uint64_t hash_ahead(const struct assay_placement_part *part, uint64_t hash)
{
    for (unsigned i = 0; i < part->count; i++) {
        hash = hash * ASSAY_ROLLING_BASE + key_of(&part->ahead[i]);
    }
    return hash;
}

/* Addresses of accesses tell iterations apart without this, and were compared already; records
 * without an address of their own cannot be searched. */
static bool is_searchable(const struct assay_placement_part *part)
{
    unsigned at = 0;
    while (at < part->count && !part->ahead[at].has_address && !part->ahead[at].any_pc) {
        at++;
    }
    return at == part->count && (part->count > 0 || part->lead != NULL);
}

/* Whether the records ahead are of the instructions after those between. */
static bool is_ahead_beyond(struct assay_placement *p, const struct assay_placement_part *part)
{
    uint64_t key = 0;
    unsigned at = 0;
    if (!go_to(p, &p->beyond, part->window, p->front.at + part->between)) {
        return false;
    }
    while (at < part->count && next_key(&p->beyond, part->window, &key) &&
           key == key_of(&part->ahead[at])) {
        at++;
    }
    return at == part->count;
}

/* Whether the instructions lead where they should, as far as is known: not where the recording ends
 * with them. */
static bool leads_there(struct assay_placement *p, const struct assay_placement_part *part)
{
    const struct assay_placement_lead *lead = part->lead;
    uint64_t key = 0;
    if (lead == NULL || !go_to(p, &p->beyond, part->window, p->front.at) ||
        !next_key(&p->beyond, part->window, &key)) {
        return true;
    }
    const struct assay_placement_item *next =
        &p->beyond.last[(p->beyond.at - 1) % ASSAY_PLACEMENT_BACK];
    return next->pc == lead->to || next->unknown ||
           !lead->can(lead->context, lead->event, next->pc, next->diverted);
}

/* Moves both readers on together until the instructions between them are those of the part; without
 * those ahead, where others are between. */
static bool search(struct assay_placement *p, const struct assay_placement_part *part,
                   uint64_t *moved)
{
    const struct assay_window *window = part->window;
    const uint64_t count = part->between == 0 ? part->count : 0;
    const uint64_t weight = assay_rolling_weight(part->matched + count);
    uint64_t hash = 0;
    if (!go_to(p, &p->rear, window, part->first) || !go_to(p, &p->front, window, part->first) ||
        !hash_next(&p->front, window, part->matched, &hash)) {
        return false;
    }
    const uint64_t wanted = count > 0 ? hash_ahead(part, hash) : hash;
    if (!hash_next(&p->front, window, count, &hash)) {
        return false;
    }
    uint64_t first_key;
    uint64_t last_key;
    uint64_t by = 0;
    for (; hash != wanted || (by == 0 && part->matched > 0) ||
           (part->between > 0 && !is_ahead_beyond(p, part)) || !leads_there(p, part);
         by++) {
        if (!next_key(&p->rear, window, &first_key) || !next_key(&p->front, window, &last_key)) {
            return false;
        }
        hash = hash * ASSAY_ROLLING_BASE + last_key - weight * first_key;
    }
    *moved = by;
    return true;
}

bool assay_placement_find(struct assay_placement *p, const struct assay_placement_part *part,
                          uint64_t *moved)
{
    if (p->failures == ASSAY_PLACEMENT_FAILURES || !is_searchable(part)) {
        return false;
    }
    const bool found = search(p, part, moved);
    if (!found) {
        p->failures++;
        assay_placement_close(p);
    }
    return found;
}

void assay_placement_close(struct assay_placement *p)
{
    close_reader(&p->rear);
    close_reader(&p->front);
    close_reader(&p->beyond);
}
