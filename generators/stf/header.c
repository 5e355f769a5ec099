#include "generators/stf/header.h"

#include <stdio.h>
#include <string.h>

#include "assay_commit.h"
#include "stf/tables.h"

/* Bits that only this writer needs (reference/stf/tables.yaml). */
enum {
    FEATURE_PHYSICAL_ADDRESS = 0,
    FEATURE_OPERAND_VALUE = 2,
    FEATURE_PTE = 8,
    FEATURE_MULTI_THREAD = 15,
    TOOL_QEMU = 1,
    TEXT = 1024,
    IEM_RV32 = 1,
    IEM_RV64 = 2
};

/* The clause requires the SHAs of what the generator was built from. That of QEMU is unknown. */
static void put_comments(struct stf_recorder *r, const struct stf_generate_options *options,
                         const struct assay_execution_header *execution)
{
    char text[TEXT], which[32] = "all threads";
    snprintf(text, sizeof text, "assay generate %s, git %s%s; execution recorded by %s",
             ASSAY_VERSION, ASSAY_COMMIT[0] != '\0' ? ASSAY_COMMIT : "unknown",
             ASSAY_COMMIT_MODIFIED ? " with changes" : "", execution->producer);
    stf_record_comment(r, text);
    if (execution->program[0] != '\0') {
        if (!options->all_threads) {
            snprintf(which, sizeof which, "thread %u", options->thread);
        }
        snprintf(text, sizeof text, "program: %s, %s", execution->program, which);
        stf_record_comment(r, text);
    }
    if (options->repeat > 1) {
        snprintf(text, sizeof text, "the recorded execution is repeated %llu times",
                 (unsigned long long)options->repeat);
        stf_record_comment(r, text);
    }
    if (options->metadata != NULL) {
        stf_record_comment(r, options->metadata);
    }
}

/* From "... QEMU 7.2.22 ...", as the recorder writes it; 0 where it does not. */
static struct stf_tool tool_of(const char *producer)
{
    unsigned version[3] = {0};
    const char *qemu = strstr(producer, "QEMU ");
    if (qemu == NULL ||
        sscanf(qemu, "QEMU %3u.%3u.%3u", &version[0], &version[1], &version[2]) < 2) {
        memset(version, 0, sizeof version);
    }
    return (struct stf_tool){.number = TOOL_QEMU,
                             .major = (uint8_t)version[0],
                             .minor = (uint8_t)version[1],
                             .minor_minor = (uint8_t)version[2]};
}

static void put_trace_info(struct stf_recorder *r, const struct assay_execution_header *execution)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%s, made into a trace by assay generate %s", execution->producer,
             ASSAY_VERSION);
    stf_record_trace_info(r, tool_of(execution->producer), text);
}

static void put_features(struct stf_recorder *r, const struct stf_generate_options *options,
                         bool rv64, bool walks)
{
    uint8_t data[2 * sizeof(uint64_t)] = {0};
    const uint64_t features =
        UINT64_C(1) << STF_FEATURE_EVENT | UINT64_C(1) << STF_FEATURE_PROCESS_ID |
        UINT64_C(1) << STF_FEATURE_REG_STATE | (uint64_t)rv64 << STF_FEATURE_RV64 |
        (uint64_t)walks << FEATURE_PHYSICAL_ADDRESS | (uint64_t)walks << FEATURE_PTE |
        (uint64_t)options->operands << FEATURE_OPERAND_VALUE |
        (uint64_t)r->event64 << STF_FEATURE_EVENT64 |
        (uint64_t)options->all_threads << FEATURE_MULTI_THREAD;
    stf_set(data, trace_info_feature, features, features);
    stf_record_put(r, STF_trace_info_feature, data);
}

void stf_put_header(struct stf_recorder *r, const struct stf_generate_options *options,
                    const struct assay_execution_header *execution, bool walks, uint64_t system_id,
                    uint64_t pc)
{
    enum { SIZE = 32, RISCV = 1 };
    const bool rv64 = execution->isa == ASSAY_EXECUTION_RISCV64;
    uint8_t data[6][SIZE] = {{0}};
    stf_set(data[0], identifier, magic, 0x465453);
    stf_record_put(r, STF_identifier, data[0]);
    stf_set(data[1], version, major, 1);
    stf_set(data[1], version, minor, stf_profiles[r->profile].minor % 10);
    stf_record_put(r, STF_version, data[1]);
    put_comments(r, options, execution);
    stf_set(data[2], isa, isa, RISCV);
    stf_record_put(r, STF_isa, data[2]);
    stf_set(data[3], inst_iem, encoding_mode, rv64 ? IEM_RV64 : IEM_RV32);
    stf_record_put(r, STF_inst_iem, data[3]);
    if (options->vlen != 0) {
        stf_set(data[5], vlen_config, vlen, options->vlen);
        stf_record_put(r, STF_vlen_config, data[5]);
    }
    put_trace_info(r, execution);
    put_features(r, options, rv64, walks);
    stf_record_process(r, execution->process, system_id);
    stf_record_pc(r, STF_force_pc, pc);
    stf_record_put(r, STF_end_header, data[4]);
}
