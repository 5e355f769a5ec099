#include "etrace/facts/access_match.h"

#include <stdlib.h>

/* Accesses among which a packet is sought where all are traced, and of those in a row that filters
 * exclude the ones that are held. */
enum { NEAR = 64, EXCLUDED_MOST = 16 };

/* --- both sides --- */

bool etrace_match_open(struct etrace_match *match)
{
    match->due = calloc(ETRACE_MATCH_DUE, sizeof *match->due);
    match->sent = calloc(ETRACE_MATCH_SENT, sizeof *match->sent);
    match->request = calloc(ETRACE_DATA_INDEXES, sizeof *match->request);
    match->open = true;
    return match->due != NULL && match->sent != NULL && match->request != NULL;
}

void etrace_match_close(struct etrace_match *match)
{
    free(match->due);
    free(match->sent);
    free(match->request);
}

static struct etrace_access *due_at(const struct etrace_match *m, uint32_t n)
{
    return &m->due[(m->due_first + n) % ETRACE_MATCH_DUE];
}

static struct etrace_sent *sent_at(const struct etrace_match *m, uint32_t n)
{
    return &m->sent[(m->sent_first + n) % ETRACE_MATCH_SENT];
}

/* Whether an encoder that traces all accesses has to trace this one: CSRs and atomic accesses are
 * each optional (4.3). */
static bool is_required(const struct etrace_match *m, const struct etrace_access *due)
{
    if (due->excluded || due->unchosen) {
        return false;
    }
    switch (due->type) {
    case ETRACE_ACCESS_CSR:
        return m->has_csrs;
    case ETRACE_ACCESS_ATOMIC:
        return m->has_atomics;
    default:
        return due->type != ETRACE_ACCESS_OTHER;
    }
}

static void drop_due(struct etrace_match *m, uint32_t count)
{
    m->due_first = (m->due_first + count) % ETRACE_MATCH_DUE;
    m->due_count -= count;
    m->searched -= m->searched < count ? m->searched : count;
}

static void note_dropped(struct etrace_match *m, const struct etrace_access *due)
{
    if (is_required(m, due)) {
        m->dropped_at = m->dropped == 0 ? due->pc : m->dropped_at;
        m->dropped++;
    }
}

void etrace_match_due(struct etrace_match *match, const struct etrace_access *access)
{
    match->excluded = access->excluded ? match->excluded + 1 : 0;
    if (match->excluded > EXCLUDED_MOST) {
        return;
    }
    if (match->due_count == ETRACE_MATCH_DUE) {
        note_dropped(match, due_at(match, 0));
        drop_due(match, 1);
    }
    *due_at(match, match->due_count++) = *access;
}

struct etrace_sent *etrace_match_sent(struct etrace_match *match)
{
    if (match->sent_count == ETRACE_MATCH_SENT) {
        return NULL;
    }
    struct etrace_sent *sent = sent_at(match, match->sent_count++);
    *sent = (struct etrace_sent){0};
    return sent;
}

const struct etrace_sent *etrace_match_take(struct etrace_match *match)
{
    const struct etrace_sent *sent = sent_at(match, 0);
    if (match->settled == 0) {
        return NULL;
    }
    match->sent_first = (match->sent_first + 1) % ETRACE_MATCH_SENT;
    match->sent_count--;
    match->decided--;
    match->settled--;
    return sent;
}

/* --- finding --- */

static bool fits(const struct etrace_match *m, uint32_t n, const struct etrace_sent *sent)
{
    return etrace_access_differs(due_at(m, n), &sent->says, m->mask) == ETRACE_DIFFERS_NOT;
}

/* The first access that filters exclude, before `end`, that a packet can be of; `end`: none is. */
static uint32_t find_excluded(const struct etrace_match *m, uint32_t end,
                              const struct etrace_sent *sent)
{
    uint32_t n = 0;
    while (n < end && !(due_at(m, n)->excluded && fits(m, n, sent))) {
        n++;
    }
    return n;
}

/* The first access from `from` on that has to be traced. */
static uint32_t next_required(const struct etrace_match *m, uint32_t from)
{
    while (from < m->due_count && !is_required(m, due_at(m, from))) {
        from++;
    }
    return from;
}

/* The first access from `from` on, before `end`, that a packet can be of; `end`: none is. */
static uint32_t find(const struct etrace_match *m, uint32_t from, uint32_t end,
                     const struct etrace_sent *sent)
{
    while (from < end && (due_at(m, from)->excluded || !fits(m, from, sent))) {
        from++;
    }
    return from < end ? from : end;
}

/* Whether a packet is of the next access from `from` on, but for those that need not be traced. */
static bool follows(const struct etrace_match *m, uint32_t from, const struct etrace_sent *sent)
{
    const uint32_t next = next_required(m, from);
    const uint32_t end = next < m->due_count ? next + 1 : m->due_count;
    return find(m, from, end, sent) < end;
}

/* The packets that were not found are between others, or before or after all. */
static void settle(struct etrace_match *m, bool between)
{
    for (; m->settled < m->decided; m->settled++) {
        struct etrace_sent *sent = sent_at(m, m->settled);
        sent->between = between && !sent->found && !sent->first && !m->gapped;
        sent->sure = sent->sure || (sent->between && sent->compared);
    }
}

/* Whether each packet is of the access that is next: none is left out. */
static bool is_exact(const struct etrace_match *m)
{
    return m->all && !m->broken && (m->begun || m->from_first);
}

/* Accesses that have to be traced, of those that were dropped and of the first ones that are there.
 */
static uint64_t count_required(const struct etrace_match *m, uint32_t first, uint64_t *where)
{
    uint64_t count = m->dropped;
    *where = m->dropped_at;
    for (uint32_t n = 0; n < first; n++) {
        if (is_required(m, due_at(m, n))) {
            *where = count == 0 ? due_at(m, n)->pc : *where;
            count++;
        }
    }
    return count;
}

static void take(struct etrace_match *m, struct etrace_sent *sent, uint32_t at)
{
    uint64_t where = 0;
    const uint64_t left_out = count_required(m, at, &where);
    sent->found = true;
    sent->due = *due_at(m, at);
    sent->first = !m->begun && !(m->from_first && is_exact(m));
    if (is_exact(m)) {
        sent->left_out = left_out;
        sent->left_out_at = where;
    }
    if (sent->request) {
        m->request[sent->index % ETRACE_DATA_INDEXES] = sent->due;
    }
    m->begun = true;
    m->unmatched = false;
    m->dropped = 0;
    drop_due(m, at + 1);
    m->searched = 0;
    m->decided++;
    settle(m, true);
}

/* No access fits. `place`: the one in whose place the packet is; `replaces`: that one is passed
 * over with it. */
static void miss(struct etrace_match *m, struct etrace_sent *sent, uint32_t place, bool replaces)
{
    const bool exact = is_exact(m);
    sent->first = !m->begun;
    sent->differs = ETRACE_DIFFERS_ABSENT;
    m->unmatched = true;
    sent->compared = !m->open && !m->broken;
    if (place < m->due_count) {
        sent->due = *due_at(m, place);
        sent->differs = etrace_access_differs(&sent->due, &sent->says, m->mask);
    }
    sent->sure = !m->broken && (m->complete || (exact && place < m->due_count));
    m->broken = m->broken || (!exact && m->dropped > 0); /* those are gone for the next packet */
    if (sent->request) {
        m->request[sent->index % ETRACE_DATA_INDEXES].type = ETRACE_ACCESS_NONE;
    }
    if (replaces) {
        drop_due(m, place + 1);
    }
    m->searched = 0;
    m->decided++;
    if (sent->sure) {
        settle(m, false);
    }
}

/* The data of a split access come in any order. */
static void decide_response(struct etrace_match *m, struct etrace_sent *sent)
{
    struct etrace_access *request = &m->request[sent->index % ETRACE_DATA_INDEXES];
    sent->found = request->type != ETRACE_ACCESS_NONE;
    if (sent->found) {
        sent->due = *request;
        sent->says.type = request->type; /* which one it answers, another rule says */
        sent->says.operation = request->operation;
        sent->differs = etrace_access_differs(request, &sent->says, m->mask);
        sent->found = sent->differs == ETRACE_DIFFERS_NOT;
        sent->sure = !m->broken;
        request->type = ETRACE_ACCESS_NONE;
    }
    m->decided++;
    settle(m, false);
}

/* The next packet that makes an access, after one; null: it is not there. */
static const struct etrace_sent *next_sent(const struct etrace_match *m, uint32_t after)
{
    for (uint32_t n = after + 1; n < m->sent_count; n++) {
        if (!sent_at(m, n)->responds) {
            return sent_at(m, n);
        }
    }
    return NULL;
}

/* A packet is of LR, SC or AMOCAS, which the encoder may leave out, or of the access after it that
 * has to be traced: of which one, the next packet says. If it does not, nothing is sure any more.
 */
static uint32_t choose(struct etrace_match *m, uint32_t optional, uint32_t required,
                       const struct etrace_sent *next)
{
    const bool first = next != NULL && find(m, optional + 1, required + 1, next) <= required;
    const bool second = next == NULL || follows(m, required + 1, next);
    m->broken = m->broken || first == second;
    return first && !second ? optional : required;
}

/* False: what follows has to be seen first. */
static bool decide(struct etrace_match *m, bool ends)
{
    struct etrace_sent *sent = sent_at(m, m->decided);
    const struct etrace_sent *next = next_sent(m, m->decided);
    const uint32_t place = next_required(m, 0);
    const uint32_t exact = find(m, 0, place < m->due_count ? place + 1 : m->due_count, sent);
    const bool full = m->sent_count == ETRACE_MATCH_SENT;
    const bool all = is_exact(m);
    const bool doubtful = all && exact < place && place < m->due_count &&
                          due_at(m, exact)->type == ETRACE_ACCESS_OTHER && fits(m, place, sent);
    if (exact < m->due_count && exact <= place && !doubtful) {
        take(m, sent, exact);
        return true;
    }
    if (all && !ends && !full && (next == NULL || (m->open && m->due_count < NEAR))) {
        return false;
    }
    if (doubtful) {
        take(m, sent, choose(m, exact, place, next));
        return true;
    }
    const uint32_t excluded = all ? find_excluded(m, place, sent) : place;
    if (excluded < place &&
        (next == NULL || follows(m, place, next) || find_excluded(m, place, next) < place)) {
        take(m, sent, excluded);
        return true;
    }
    const uint32_t end = all && m->due_count > NEAR ? NEAR : m->due_count;
    const uint32_t far = find(m, m->searched < end ? m->searched : end, end, sent);
    const bool replaces = next != NULL && follows(m, place + 1, next);
    if (far < end && (!all || !replaces || follows(m, far + 1, next))) {
        take(m, sent, far);
        return true;
    }
    if (!all && m->open && !ends && !full) {
        m->searched = end;
        return false;
    }
    m->broken = m->broken || (full && m->open && place == m->due_count); /* it comes too late */
    miss(m, sent, place, replaces);
    return true;
}

void etrace_match_decide(struct etrace_match *match, bool ends)
{
    bool goes_on = true;
    while (goes_on && match->decided < match->sent_count) {
        struct etrace_sent *sent = sent_at(match, match->decided);
        if (sent->responds) {
            decide_response(match, sent);
        } else {
            match->has_csrs = match->has_csrs || sent->says.type == ETRACE_ACCESS_CSR;
            match->has_atomics = match->has_atomics || sent->says.type == ETRACE_ACCESS_ATOMIC;
            goes_on = decide(match, ends);
        }
    }
    if (ends || match->sent_count == ETRACE_MATCH_SENT) {
        settle(match, false);
    }
}

bool etrace_match_skip(struct etrace_match *match)
{
    const bool skips =
        match->open && match->due_count == ETRACE_MATCH_DUE && match->searched == match->due_count;
    for (uint32_t n = 0; n < match->due_count && skips; n++) {
        note_dropped(match, due_at(match, n));
    }
    drop_due(match, skips ? match->due_count : 0);
    return skips;
}

bool etrace_match_left(struct etrace_match *match, uint64_t *count, uint64_t *where)
{
    etrace_match_decide(match, true);
    *count = count_required(match, match->due_count, where);
    return is_exact(match) && match->begun && !match->unmatched;
}

void etrace_match_break(struct etrace_match *match)
{
    match->open = false;
    etrace_match_decide(match, true);
    for (size_t n = 0; n < ETRACE_DATA_INDEXES; n++) {
        match->request[n].type = ETRACE_ACCESS_NONE;
    }
    match->open = true;
    match->broken = true;
    match->gapped = match->gapped || !match->from_first;
    match->begun = false;
    match->dropped = 0;
    match->searched = 0;
    match->due_count = 0;
}
