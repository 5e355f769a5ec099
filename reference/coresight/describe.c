/* A frame in a line. */
#include "model/describe.h"

#include "coresight/coresight.h"

/* Ids are in brackets: `[10]`, or `[10>` where the next byte is of the source before. */
static void describe_frame(const uint8_t *frame, char *out, size_t size)
{
    for (unsigned at = 0; at < CS_SLOTS; at++) {
        const unsigned auxiliary = frame[CS_AUXILIARY] >> at / 2 & 1u;
        const char *blank = at > 0 ? " " : "";
        if (at % 2 != 0) {
            assay_append(out, size, "%s%02x", blank, frame[at]);
        } else if ((frame[at] & 1) == 0) {
            assay_append(out, size, "%s%02x", blank, frame[at] | auxiliary);
        } else {
            assay_append(out, size, "%s[%02x%s", blank, frame[at] >> 1, auxiliary ? ">" : "]");
        }
    }
}

void cs_describe(const struct assay_event *event, char *out, size_t size)
{
    if (event->kind == CS_frame) {
        out[0] = '\0';
        describe_frame(event->bytes, out, size);
    } else {
        assay_describe_fields(&assay_format_coresight.kinds[event->kind], event, out, size);
    }
}
