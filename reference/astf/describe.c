/* One-line descriptions of records, in the manner of the specification's figure 1. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "astf/astf.h"
#include "isa/a64.h"
#include "model/describe.h"

static void describe_instr(const struct assay_event *event, char *out, size_t size)
{
    const uint8_t *r = event->bytes;
    const bool branch = astf_get(r, instr, is_branch) != 0;
    const bool valid = astf_get(r, instr, ea_valid) != 0;
    snprintf(out, size, "pc=0x%" PRIx64 " iword=0x%08" PRIx64 " %s", astf_get(r, instr, pc),
             astf_get(r, instr, iword), a64_class_name(a64_info_class(event->cells[0])));
    if (branch) {
        assay_append(out, size, valid ? " taken to 0x%" PRIx64 : " not taken",
                     astf_get(r, instr, ea));
    } else if (valid) {
        const uint64_t mode = astf_get(r, instr, xattr_mode);
        assay_append(out, size, " %s%s ea=0x%" PRIx64,
                     astf_get(r, instr, is_read) != 0 ? "read" : "",
                     astf_get(r, instr, is_write) != 0 ? "write" : "", astf_get(r, instr, ea));
        assay_append(out, size, " size=%" PRIu64,
                     mode == 1 ? astf_get(r, instr, ea_range) : astf_get(r, instr, ea_size) + 1);
    }
    assay_append(out, size, "%s%s%s", astf_get(r, instr, ea_tagged) != 0 ? " tagged" : "",
                 astf_get(r, instr, extra_eas) != 0 ? " extra_eas" : "",
                 astf_get(r, instr, trap) != 0 ? " trap" : "");
}

static void describe_context(const struct assay_event *event, char *out, size_t size)
{
    const uint8_t *r = event->bytes;
    snprintf(out, size, "el=%" PRIu64 "%c %s evl=%" PRIu64, astf_get(r, context, el),
             astf_get(r, context, handler) != 0 ? 'h' : 't',
             astf_get(r, context, secure) != 0 ? "secure" : "non-secure",
             astf_get(r, context, evl));
    if (astf_get(r, context, pid_valid) != 0) {
        assay_append(out, size, " pid=%" PRIu64, astf_get(r, context, pid));
    }
    if (astf_get(r, context, tid_valid) != 0) {
        assay_append(out, size, " tid=%" PRIu64, astf_get(r, context, tid));
    }
    assay_append(out, size, "%s%s%s%s", astf_get(r, context, pstate_sm) != 0 ? " sm" : "",
                 astf_get(r, context, pstate_dit) != 0 ? " dit" : "",
                 astf_get(r, context, pstate_ssbs) != 0 ? " ssbs" : "",
                 astf_get(r, context, unsupported) != 0 ? " unsupported" : "");
}

static void describe_malformed(const struct assay_event *event, char *out, size_t size)
{
    const struct assay_fault_code *fault = &assay_format_astf.faults[event->fault - 1];
    snprintf(out, size, "%s value=0x%" PRIx64 ": %s", fault->name, event->cells[0], fault->doc);
}

static void describe_end(const struct assay_event *event, char *out, size_t size)
{
    snprintf(
        out, size, "%" PRIu64 " records in %" PRIu64 " bytes, stored as %s", event->index,
        event->offset,
        assay_enum_name(assay_field_by_name(&assay_format_astf.kinds[ASTF_end], "container")->names,
                        event->cells[0] & 0xff));
}

void astf_describe(const struct assay_event *event, char *out, size_t size)
{
    switch (event->kind) {
    case ASTF_malformed:
        describe_malformed(event, out, size);
        return;
    case ASTF_end:
        describe_end(event, out, size);
        return;
    case ASTF_instr:
        describe_instr(event, out, size);
        return;
    case ASTF_context:
        describe_context(event, out, size);
        return;
    default:
        assay_describe_fields(&assay_format_astf.kinds[event->kind], event, out, size);
    }
}

bool astf_instruction(const struct assay_event *event, struct assay_instruction *instruction)
{
    if (event->kind != ASTF_instr) {
        return false;
    }
    *instruction =
        (struct assay_instruction){.address = astf_get(event->bytes, instr, pc),
                                   .word = (uint32_t)astf_get(event->bytes, instr, iword),
                                   .machine = EM_AARCH64,
                                   .bytes = 4,
                                   .width = 64};
    return true;
}
