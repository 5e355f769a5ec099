#include "model/reader.h"

void assay_reader_begin(struct assay_reader *reader, const struct assay_format *format,
                        struct assay_decoder *decoder, int layer, bool runs)
{
    *reader = (struct assay_reader){
        .ops = format->decoder, .format = format, .decoder = decoder, .layer = layer, .runs = runs};
}

/* The next event of the run that is being expanded; null when it has no more. */
static const struct assay_event *next_of_run(struct assay_reader *r)
{
    struct assay_expansion *x = &r->expansion;
    uint64_t *added = &r->added[r->block.layer];
    x->event.cells = x->cells;
    if (!r->ops->expand(r->decoder, r->run, x)) {
        *added += x->number - 1; /* the run itself was not given */
        r->run = NULL;
        return NULL;
    }
    x->event.index = r->run->index + *added + x->number++;
    return &x->event;
}

static const struct assay_event *next_of_block(struct assay_reader *r)
{
    while (r->at < r->block.count) {
        const struct assay_event *event = &r->block.events[r->at++];
        if (r->runs || r->format->kinds[event->kind].run_of == 0) {
            const uint64_t added = r->added[r->block.layer];
            if (added == 0) {
                return event;
            }
            r->numbered = *event;
            r->numbered.index += added;
            return &r->numbered;
        }
        r->run = event;
        r->expansion = (struct assay_expansion){0};
        const struct assay_event *first = next_of_run(r);
        if (first != NULL) {
            return first;
        }
    }
    return NULL;
}

enum assay_error assay_reader_next(struct assay_reader *r, const struct assay_event **event,
                                   struct assay_diag *diag)
{
    *event = r->run != NULL ? next_of_run(r) : NULL;
    while (*event == NULL) {
        *event = next_of_block(r);
        if (*event != NULL) {
            break;
        }
        const enum assay_error error = r->ops->next(r->decoder, &r->block, diag);
        r->at = 0;
        if (error != ASSAY_OK || r->block.count == 0) {
            return error;
        }
        if (r->layer != ASSAY_ALL_LAYERS && r->block.layer != (unsigned)r->layer) {
            r->at = r->block.count;
        }
    }
    return ASSAY_OK;
}
