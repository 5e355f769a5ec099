/* Data packets, and the accesses that instructions made, put side by side: both are in the order of
 * retirement (4.3). Which accesses an encoder leaves out, its filters say. Where they are known to
 * choose all, each packet is of the next access. Otherwise it is of the first one after that of the
 * packet before it that it can be of: if there is none, no other choice would have left one. */
#ifndef ASSAY_ETRACE_ACCESS_MATCH_H
#define ASSAY_ETRACE_ACCESS_MATCH_H

#include "etrace/data/accesses.h"
#include "etrace/packets/data.h"

enum { ETRACE_MATCH_DUE = 4096, ETRACE_MATCH_SENT = 1024 };

/* A data packet, and what was found of it. */
struct etrace_sent {
    struct etrace_access says;
    uint64_t packet;             /* its index */
    uint64_t offset;             /* in bytes */
    uint16_t index;              /* of a request or response */
    bool request, responds;      /* it is one; a response makes no access of its own */
    bool found;                  /* it is of `due` */
    bool sure;                   /* if not, no instruction can have made its access */
    bool between;                /* others before and after it are found */
    bool compared;               /* with all accesses that follow that of the packet before it */
    bool first;                  /* none was found before it, and others may have been left out */
    enum etrace_differs differs; /* from `due`, in whose place it is */
    struct etrace_access due;
    uint64_t left_out;    /* accesses between it and the packet before it */
    uint64_t left_out_at; /* address of the instruction of the first one */
};

struct etrace_match {
    struct etrace_access *due;
    struct etrace_sent *sent;
    uint32_t due_first, due_count, sent_first, sent_count;
    uint32_t decided, settled;     /* packets of those that are there; settled ones do not change */
    uint64_t mask;                 /* of addresses */
    bool all;                      /* all accesses are traced */
    bool from_first;               /* the first packet is of the first access */
    bool complete;                 /* no access was made after those that are there */
    bool open;                     /* more of them may be added */
    bool broken;                   /* some are not known, or packets are missing */
    bool begun;                    /* a packet was found since then */
    bool gapped;                   /* packets can be of accesses that are never there */
    bool has_csrs, has_atomics;    /* the encoder traces them */
    bool unmatched;                /* the last packet was not found */
    uint32_t excluded;             /* of the last accesses, those that filters exclude */
    uint64_t dropped, dropped_at;  /* accesses for which there was no room */
    uint32_t searched;             /* of those that are there, the next packet is none of them */
    struct etrace_access *request; /* by index, the access that was found; type 0: none */
};

/* Nothing is there yet. False: out of memory. */
bool etrace_match_open(struct etrace_match *match);
void etrace_match_close(struct etrace_match *match);

/* Adds an access, for which the oldest one is dropped where there is no room. */
void etrace_match_due(struct etrace_match *match, const struct etrace_access *access);

/* The place for a packet's access, which is empty; null: there is no room before others are taken.
 */
struct etrace_sent *etrace_match_sent(struct etrace_match *match);

/* Finds what can be found now. With `ends` no packet comes after those that are there. */
void etrace_match_decide(struct etrace_match *match, bool ends);

/* Drops all accesses if there is no room for others and the next packet is of none of them. False:
 * they stay. */
bool etrace_match_skip(struct etrace_match *match);

/* Whether each packet so far is of the access that was next, and no packet follows; *count is how
 * many accesses that must have one are left, *where the instruction of the first one. */
bool etrace_match_left(struct etrace_match *match, uint64_t *count, uint64_t *where);

/* Accesses are not known from here on, and then others come; or packets are missing. */
void etrace_match_break(struct etrace_match *match);

/* The next packet of which all is known, until the next call; null: there is none. */
const struct etrace_sent *etrace_match_take(struct etrace_match *match);

#endif
