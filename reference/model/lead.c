#include "model/lead.h"

#include "model/history.h"

bool assay_lead_take(struct assay_lead *lead, struct assay_history *history)
{
    if (lead->count == ASSAY_LEAD_LAYERS) {
        return false;
    }
    lead->histories[lead->count++] = history;
    return true;
}

void assay_lead_mark(const struct assay_lead *lead, struct assay_lead_mark *mark)
{
    for (size_t i = 0; i < lead->count; i++) {
        mark->next[i] = lead->histories[i]->next;
    }
}

bool assay_lead_has_room(const struct assay_lead *lead, const struct assay_lead_mark *mark)
{
    bool has_room = true;
    for (size_t i = 0; i < lead->count; i++) {
        const struct assay_history *h = lead->histories[i];
        has_room = has_room && h->next - mark->next[i] + h->block <= h->slots - h->window;
    }
    return has_room;
}
