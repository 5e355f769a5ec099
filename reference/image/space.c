#include "image/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const assay_security_names[ASSAY_SECURITY_COUNT + 1] = {
    [ASSAY_SECURITY_NONSECURE] = "nonsecure",
    [ASSAY_SECURITY_SECURE] = "secure",
    [ASSAY_SECURITY_REALM] = "realm",
    [ASSAY_SECURITY_ROOT] = "root",
};

const char *assay_security_name(enum assay_security security)
{
    return (unsigned)security < ASSAY_SECURITY_COUNT ? assay_security_names[security] : NULL;
}

enum assay_security assay_security_by_name(const char *name)
{
    unsigned security = 0;
    while (security < ASSAY_SECURITY_COUNT && strcmp(assay_security_names[security], name) != 0) {
        security++;
    }
    return (enum assay_security)security;
}

struct assay_space assay_space_restrict(const struct assay_space *space, unsigned selectors)
{
    const unsigned given = space->given & selectors;
    return (struct assay_space){
        .given = (uint8_t)given,
        .el = (given & ASSAY_SPACE_EL) != 0 ? space->el : 0,
        .security = (given & ASSAY_SPACE_SECURITY) != 0 ? space->security : 0,
        .vmid = (given & ASSAY_SPACE_VMID) != 0 ? space->vmid : 0,
        .context = (given & ASSAY_SPACE_CONTEXT) != 0 ? space->context : 0,
    };
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int assay_space_compare(const struct assay_space *a, const struct assay_space *b)
{
    const struct assay_space x = assay_space_restrict(a, ASSAY_SPACE_ALL);
    const struct assay_space y = assay_space_restrict(b, ASSAY_SPACE_ALL);
    const int by[] = {order(x.given, y.given), order(x.el, y.el), order(x.security, y.security),
                      order(x.vmid, y.vmid), order(x.context, y.context)};
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        if (by[i] != 0) {
            return by[i];
        }
    }
    return 0;
}

bool assay_space_compatible(const struct assay_space *a, const struct assay_space *b)
{
    const unsigned both = a->given & b->given;
    const struct assay_space x = assay_space_restrict(a, both);
    const struct assay_space y = assay_space_restrict(b, both);
    return assay_space_compare(&x, &y) == 0;
}

void assay_space_text(const struct assay_space *space, char *out, size_t size)
{
    char el[16] = "", vmid[24] = "", context[40] = "";
    const char *security = "";
    if ((space->given & ASSAY_SPACE_EL) != 0) {
        snprintf(el, sizeof el, ",el=%u", space->el);
    }
    if ((space->given & ASSAY_SPACE_SECURITY) != 0) {
        security = assay_security_name((enum assay_security)space->security);
    }
    if ((space->given & ASSAY_SPACE_VMID) != 0) {
        snprintf(vmid, sizeof vmid, ",vmid=%" PRIu32, space->vmid);
    }
    if ((space->given & ASSAY_SPACE_CONTEXT) != 0) {
        snprintf(context, sizeof context, ",context=%" PRIu64, space->context);
    }
    char text[128];
    snprintf(text, sizeof text, "%s%s%s%s%s", el, security[0] != '\0' ? "," : "", security, vmid,
             context);
    snprintf(out, size, "%s", text[0] != '\0' ? text + 1 : "every space");
}
