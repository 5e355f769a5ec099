#include "execution/placement.h"

#include <stdlib.h>

#include "execution/rolling_hash.h"

/* --- readers --- */

static void close_reader(struct assay_placement *p, struct assay_placement_reader *r)
{
    if (r->reader != NULL) {
        p->source->close(r->reader);
    }
    free(r->last);
    *r = (struct assay_placement_reader){.reader = NULL};
}

static struct assay_placement_item *item_at(struct assay_placement_reader *r, uint64_t n)
{
    return &r->last[n % ASSAY_PLACEMENT_BACK];
}

/* The instruction that comes next, which is not taken; null: there are no more. */
static const struct assay_placement_item *peek(struct assay_placement *p,
                                               struct assay_placement_reader *r)
{
    if (r->at == r->read) {
        struct assay_placement_item next = {.number = r->read};
        if (!p->source->next(p->source->context, r->reader, &next)) {
            return NULL;
        }
        *item_at(r, r->read++) = next;
    }
    return item_at(r, r->at);
}

static const struct assay_placement_item *take(struct assay_placement *p,
                                               struct assay_placement_reader *r)
{
    const struct assay_placement_item *item = peek(p, r);
    r->at += item != NULL;
    return item;
}

static uint64_t first_retained(const struct assay_placement_reader *r)
{
    return r->read > ASSAY_PLACEMENT_BACK ? r->read - ASSAY_PLACEMENT_BACK : 0;
}

static bool has_room(struct assay_placement *p, struct assay_placement_reader *r)
{
    if (r->last == NULL) {
        r->last = malloc(ASSAY_PLACEMENT_BACK * sizeof *r->last);
        p->unreadable = r->last == NULL;
    }
    return r->last != NULL;
}

static bool is_open(struct assay_placement *p, struct assay_placement_reader *r)
{
    if (r->reader == NULL && has_room(p, r)) {
        r->reader = p->source->open(p->source->context);
        p->unreadable = r->reader == NULL;
    }
    return r->reader != NULL;
}

/* Sets a reader to the first instruction that has a number or a later one. */
static bool go_to(struct assay_placement *p, struct assay_placement_reader *r, uint64_t number)
{
    r->read = r->reader != NULL ? r->read : 0;
    r->at = r->reader != NULL ? r->at : 0;
    const uint64_t first = first_retained(r);
    while (r->at > first && item_at(r, r->at - 1)->number >= number) {
        r->at--;
    }
    if (r->at == first && first > 0 && item_at(r, first)->number > number) {
        close_reader(p, r);
    }
    if (!is_open(p, r)) {
        return false;
    }
    const struct assay_placement_item *item = peek(p, r);
    while (item != NULL && item->number < number) {
        r->at++;
        item = peek(p, r);
    }
    return item != NULL;
}

/* --- the part, and the window that it is compared with --- */

static void append(uint64_t *length, uint64_t *hash, uint64_t key)
{
    *hash = *length > 0 ? *hash * ASSAY_ROLLING_BASE + key : 0;
    (*length)++;
}

/* Where the window begins with it, what was executed of the part is read as the beginning of that.
 */
static bool read_executed(struct assay_placement_search *s)
{
    const struct assay_placement_part *part = &s->part;
    const bool here = part->from == part->first;
    struct assay_placement_reader *reader = here ? &s->p->front : &s->p->beyond;
    if (part->first < part->end && !go_to(s->p, reader, part->first)) {
        return false;
    }
    while (part->first < part->end) {
        const struct assay_placement_item *item = peek(s->p, reader);
        if (item == NULL || item->number >= part->end) {
            break;
        }
        s->first = s->executed == 0 ? item->key_alone : s->first;
        append(&s->executed, &s->others, item->key);
        reader->at++;
    }
    s->have = here ? s->executed : 0;
    s->hash = s->others;
    return true;
}

static bool read_part(struct assay_placement_search *s)
{
    const struct assay_placement_part *part = &s->part;
    if (!read_executed(s)) {
        return false;
    }
    s->length = s->executed;
    for (uint32_t n = 0; n < part->count && part->between == 0; n++) {
        s->first = s->length == 0 ? part->ahead[0] : s->first;
        append(&s->length, &s->others, part->ahead[n]);
    }
    s->first = assay_placement_key(s->first, part->led);
    return true;
}

/* An instruction of the window, from 0; null: it cannot be read again. */
static const struct assay_placement_item *in_window(struct assay_placement_search *s, uint64_t n)
{
    struct assay_placement_reader *rear = &s->p->rear;
    const uint64_t at = s->p->front.at - s->have + n;
    if (at >= first_retained(&s->p->front)) {
        return item_at(&s->p->front, at);
    }
    if (at < first_retained(rear)) {
        close_reader(s->p, rear);
    }
    if (!is_open(s->p, rear)) {
        return NULL;
    }
    rear->at = at < rear->read ? at : rear->read;
    while (rear->at < at && take(s->p, rear) != NULL) {
    }
    return peek(s->p, rear);
}

/* The front reader has taken an instruction: the window has it, too, and is moved on where it has
 * the length of the part. */
static void push(struct assay_placement_search *s, const struct assay_placement_item *item)
{
    if (s->have < s->length) {
        append(&s->have, &s->hash, item->key);
        return;
    }
    const struct assay_placement_item *first = in_window(s, 0);
    s->hash = s->hash * ASSAY_ROLLING_BASE + item->key;
    s->hash -= first != NULL ? s->weight * first->key : 0;
}

/* Takes the first instruction from the window. */
static void drop_first(struct assay_placement_search *s)
{
    const struct assay_placement_item *second = s->have > 1 ? in_window(s, 1) : NULL;
    s->weight *= ASSAY_ROLLING_INVERSE;
    s->hash -= second != NULL ? s->weight * second->key : s->hash;
    s->have--;
}

/* Takes the last instruction, one of those ahead, from the part. */
static void drop_last(struct assay_placement_search *s)
{
    s->length--;
    s->others -= s->part.ahead[s->length - s->executed];
    s->others *= ASSAY_ROLLING_INVERSE;
}

/* --- places --- */

/* Whether the instructions ahead are those of the window, as far as the front reader retains them:
 * there are sequences with one hash, as those of Thue and Morse, that a branch can be made to go
 * by. The first instruction of the part is compared by itself. */
static bool is_ahead_same(struct assay_placement_search *s)
{
    struct assay_placement_reader *front = &s->p->front;
    const uint64_t begin = front->at - s->have;
    for (uint64_t n = s->executed > 0 ? s->executed : 1; n < s->length; n++) {
        if (begin + n >= first_retained(front) &&
            item_at(front, begin + n)->key != s->part.ahead[n - s->executed]) {
            return false;
        }
    }
    return true;
}

/* Whether the instructions of the window are those of the part. */
static bool is_same(struct assay_placement_search *s, const struct assay_placement_item *begin)
{
    const struct assay_placement_part *part = &s->part;
    return begin != NULL && s->hash == s->others &&
           s->first == (part->led == 0 ? begin->key_alone : begin->key) &&
           begin->number >= part->from && !(part->moves && begin->number == part->from) &&
           is_ahead_same(s);
}

/* The number after the last instruction of the window. */
static uint64_t after_window(struct assay_placement_search *s)
{
    return item_at(&s->p->front, s->p->front.at - 1)->number + 1;
}

/* Whether the instructions ahead come after those between. */
static bool is_ahead_beyond(struct assay_placement_search *s)
{
    const struct assay_placement_item *item = NULL;
    uint32_t at = 0;
    if (!go_to(s->p, &s->p->beyond, after_window(s) + s->part.between)) {
        return false;
    }
    while (at < s->part.count && (item = take(s->p, &s->p->beyond)) != NULL &&
           item->key == s->part.ahead[at]) {
        at++;
    }
    return at == s->part.count;
}

/* Whether the instructions lead where they should, as far as is known: not where the recording ends
 * with them. */
static bool leads_there(struct assay_placement_search *s)
{
    const struct assay_placement_lead *lead = s->part.lead;
    const struct assay_placement_item *next = NULL;
    if (lead == NULL || !go_to(s->p, &s->p->beyond, after_window(s)) ||
        (next = peek(s->p, &s->p->beyond)) == NULL) {
        return true;
    }
    return next->pc == lead->to || next->unknown ||
           !lead->can(lead->context, lead->event, next->pc, next->diverted);
}

static bool is_place(struct assay_placement_search *s, const struct assay_placement_item *begin)
{
    const struct assay_placement_part *part = &s->part;
    return is_same(s, begin) &&
           (!part->in_context ||
            item_at(&s->p->front, s->p->front.at - 1)->context == part->context) &&
           (part->between == 0 || is_ahead_beyond(s)) && leads_there(s);
}

/* Whether instructions can come before a place. */
static bool can_pass(const struct assay_placement_search *s,
                     const struct assay_placement_item *begin)
{
    return begin != NULL && (!s->part.silently || begin->is_silent);
}

/* Nothing comes after the window: a place can have as much of the part as was executed. */
static enum assay_placement_result find_at_end(struct assay_placement_search *s)
{
    s->weight = assay_rolling_weight(s->have - 1);
    while (s->have > s->executed) {
        if (s->have == s->length) {
            if (!can_pass(s, in_window(s, 0))) {
                break;
            }
            drop_first(s);
        }
        while (s->length > s->have) {
            drop_last(s);
        }
        if (s->have > s->executed && is_same(s, in_window(s, 0))) {
            return ASSAY_PLACEMENT_AT_END;
        }
    }
    return ASSAY_PLACEMENT_NONE;
}

enum assay_placement_result assay_placement_find(struct assay_placement *p,
                                                 const struct assay_placement_part *part,
                                                 struct assay_place *place)
{
    struct assay_placement_search s = {.p = p, .part = *part};
    if (!read_part(&s)) {
        return ASSAY_PLACEMENT_NONE;
    }
    if (s.length == 0) {
        return ASSAY_PLACEMENT_FOUND;
    }
    if (s.have == 0 && !go_to(p, &p->front, part->from)) {
        return ASSAY_PLACEMENT_NONE;
    }
    s.weight = assay_rolling_weight(s.length - 1);
    for (;;) {
        const bool is_full = s.have == s.length;
        const struct assay_placement_item *begin = is_full ? in_window(&s, 0) : NULL;
        if (is_full && is_place(&s, begin)) {
            *place = (struct assay_place){begin->number, after_window(&s) - 1};
            return ASSAY_PLACEMENT_FOUND;
        }
        if (is_full && !can_pass(&s, begin)) {
            return ASSAY_PLACEMENT_NONE;
        }
        const struct assay_placement_item *next = take(p, &p->front);
        if (next == NULL) {
            return find_at_end(&s);
        }
        push(&s, next);
    }
}

/* --- step by step --- */

void assay_placement_begin(struct assay_placement_search *s, struct assay_placement *p,
                           const struct assay_placement_part *part)
{
    *s = (struct assay_placement_search){.p = p, .part = *part};
    assay_placement_close(p);
    (void)has_room(p, &p->front);
    (void)read_part(s);
    s->weight = assay_rolling_weight(s->length - 1);
}

bool assay_placement_step(struct assay_placement_search *s, const struct assay_placement_item *item)
{
    struct assay_placement_reader *front = &s->p->front;
    if (front->last == NULL) {
        return false;
    }
    *item_at(front, front->read++) = *item;
    front->at = front->read;
    push(s, item);
    return s->have == s->length && is_same(s, in_window(s, 0));
}

uint64_t assay_placement_number(struct assay_placement_search *s, uint32_t n)
{
    return in_window(s, n)->number;
}

enum assay_placement_result assay_placement_end(struct assay_placement_search *s)
{
    return find_at_end(s);
}

void assay_placement_close(struct assay_placement *p)
{
    close_reader(p, &p->rear);
    close_reader(p, &p->front);
    close_reader(p, &p->beyond);
}
