/* What the packets before an event say of it, whether the path has events of them or not. */
#include "etrace/facts/state.h"
#include "etrace/packets/options.h"

/* Whether a support packet ends the path. One that comes after a trap without a handler finds none.
 */
static bool ends(const uint64_t *support)
{
    return support[ETRACE_CELL_support_qual_status] != ETRACE_NO_CHANGE ||
           support[ETRACE_CELL_support_enable] == 0;
}

/* Whether runs can have facts: by the options in effect, or by what came before. */
void etrace_facts_look(struct etrace_facts *f)
{
    f->looks = f->announced || f->returned || f->layout[ETRACE_IMPLICIT_RETURN] != 0 ||
               f->layout[ETRACE_BRANCH_PREDICTION] != 0 || f->layout[ETRACE_JUMP_TARGET_CACHE] != 0;
}

void etrace_facts_take(struct etrace_facts *f, const struct assay_event *packet)
{
    f->of_format_3 += packet->kind != ETRACE_malformed;
    switch (packet->kind) {
    case ETRACE_malformed:
        f->unhandled = false;
        break;
    case ETRACE_start:
    case ETRACE_exception:
        f->preceded = true;
        break;
    case ETRACE_context:
        f->announced = true;
        f->looks = true;
        break;
    case ETRACE_support:
        f->preceded = true;
        f->unhandled = f->unhandled && !ends(packet->cells);
        (void)etrace_options_follow(packet->cells, f->layout);
        etrace_facts_look(f);
        break;
    default:
        break;
    }
}

bool etrace_facts_resynchronised(const struct etrace_facts *f)
{
    return f->of_format_3 > (f->ended ? 1 : 2);
}
