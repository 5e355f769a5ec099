/* What a packet of data trace says of its access (chapter 7). */
#ifndef ASSAY_ETRACE_FACTS_SENT_ACCESS_H
#define ASSAY_ETRACE_FACTS_SENT_ACCESS_H

#include "etrace/facts/access_match.h"

/* Sets the access of a packet, whether it is a request or a response, and its index; all else of
 * `sent` stays. */
void etrace_sent_read(struct etrace_sent *sent, const struct assay_event *packet);

#endif
