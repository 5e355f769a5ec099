/* The parameters: their table, the defaults that depend on the version, and what cannot go
 * together (chapter 9). */
#include "etrace/etrace.h"
#include "etrace/registers/ipxact.h"
#include "etrace/registers/parameter_list.h"
#include "etrace/registers/register_names.h"
#include "model/layout.h"

/* --- names of values --- */

static const struct assay_enumerator etrace_wire_list[] = {
    {ETRACE_1_1_1, "1.1.1", "the draft of 2020"},
    {ETRACE_2_0, "2.0", "ratified"},
};
ASSAY_ENUMERATION(etrace_wire, "version of the wire format");

enum { NO_BIT = 64 };
static const struct assay_enumerator etrace_bit_list[] = {{NO_BIT, "none", "there is no such bit"}};
ASSAY_ENUMERATION(etrace_bit, "bit of the options");

static const struct assay_enumerator etrace_compression_list[] = {
    {ETRACE_BY_XOR, "xor", "by exclusive or"},
    {ETRACE_BY_DIFFERENCE, "difference", "as a difference"},
};
ASSAY_ENUMERATION(etrace_compression, "compression of data");

static const struct assay_enumerator etrace_message_type_list[] = {
    {ETRACE_TYPE_INSTRUCTION, "instruction", "instruction trace"},
    {ETRACE_TYPE_DATA, "data", "data trace"},
};
ASSAY_ENUMERATION(etrace_message_type, "type of messages");

static const struct assay_enumerator etrace_encapsulated_list[] = {
    {ETRACE_ENCAPSULATED_UNKNOWN, "unknown", "bytes, unless the stream shows that it is bits"},
    {ETRACE_ENCAPSULATED_BYTES, "bytes", "whole bytes, and padding of any value above them"},
    {ETRACE_ENCAPSULATED_BITS, "bits", "all bits to the end, of which the last is the sign"},
};
ASSAY_ENUMERATION(etrace_encapsulated, "payload in the encapsulation");

static const struct assay_enumerator etrace_transport_list[] = {
    {ETRACE_TRANSPORT_UNKNOWN, "unknown", "nothing is said of it"},
    {ETRACE_TRANSPORT_FRAMED, "framed", "in frames that tell where bytes and packets begin"},
    {ETRACE_TRANSPORT_UNFRAMED, "unframed", "without frames, such as a pin interface of 8 bits"},
    {ETRACE_TRANSPORT_BITS, "bits", "without frames, and bytes are not told from each other"},
};
ASSAY_ENUMERATION(etrace_transport, "transport of an encapsulated stream");

static const struct assay_enumerator etrace_cached_list[] = {
    {ETRACE_CACHED_UNKNOWN, "unknown", "the stream says it where it can"},
    {ETRACE_CACHED_JUMPS, "jumps", "of uninferable jumps"},
    {ETRACE_CACHED_XRETS, "xrets", "of uninferable jumps and of returns from traps"},
};
ASSAY_ENUMERATION(etrace_cached, "targets in the jump target cache");

static const struct assay_enumerator etrace_counter_depth_list[] = {
    {0, "power", "2^call_counter_size_p, as the decoder of chapter 11"},
    {1, "representable", "one less, which is the most that irdepth can say"},
};
ASSAY_ENUMERATION(etrace_counter_depth, "depth of the call counter");

/* --- the table --- */

static const struct assay_parameter list[] = {ETRACE_PARAMETERS(ASSAY_PARAMETER)};

_Static_assert((int)ETRACE_PARAMETER_COUNT <= (int)ASSAY_MAX_PARAMETERS,
               "a table has room for all");

/* The modes of table 2.2, the options that are in effect where a stream begins, and their bits in
 * support packets. */
static const struct mode {
    enum etrace_parameter mode, option, bit;
    bool of_data; /* version 2.0 has the bit in doptions */
} modes[] = {
    {ETRACE_FULL_ADDRESS_MODE, ETRACE_FULL_ADDRESS, ETRACE_FULL_ADDRESS_BIT, false},
    {ETRACE_IMPLICIT_EXCEPT_MODE, ETRACE_IMPLICIT_EXCEPTION, ETRACE_IMPLICIT_EXCEPTION_BIT, false},
    {ETRACE_SIJUMP_MODE, ETRACE_SIJUMP, ETRACE_SIJUMP_BIT, false},
    {ETRACE_IMPLICIT_RETURN_MODE, ETRACE_IMPLICIT_RETURN, ETRACE_IMPLICIT_RETURN_BIT, false},
    {ETRACE_BRANCH_PREDICTION_MODE, ETRACE_BRANCH_PREDICTION, ETRACE_BRANCH_PREDICTION_BIT, false},
    {ETRACE_JUMP_TARGET_CACHE_MODE, ETRACE_JUMP_TARGET_CACHE, ETRACE_JUMP_TARGET_CACHE_BIT, false},
    {ETRACE_NO_ADDRESS_MODE, ETRACE_OMIT_ADDRESS, ETRACE_NO_ADDRESS_BIT, true},
    {ETRACE_NO_DATA_MODE, ETRACE_OMIT_DATA, ETRACE_NO_DATA_BIT, true},
};

enum { COUNTS_PACKETS = 1, RESYNC_MAX_LOG = 4 };

/* The packets between synchronisations that the registers say; 0: they do not. */
static uint64_t resync_of(const struct assay_parameter_values *values)
{
    return values->value[ETRACE_RESYNC_MODE] == COUNTS_PACKETS && values->known[ETRACE_RESYNC_MAX]
               ? UINT64_C(1) << (values->value[ETRACE_RESYNC_MAX] + RESYNC_MAX_LOG)
               : 0;
}

/* The least n with 2^n >= value. */
static uint64_t ceiling_log(uint64_t value)
{
    uint64_t n = 0;
    while (UINT64_C(1) << n < value) {
        n++;
    }
    return n;
}

enum { WIDE_DATA = 128, NARROW_SIZE = 2, WIDE_SIZE = 3 };

/* 7.1.2, which the tables contradict; version 2.0 has a formula of its own. */
static uint64_t size_width(const uint64_t *v)
{
    if (v[ETRACE_WIRE] < ETRACE_2_0 || v[ETRACE_DATA_WIDTH] == 0) {
        return v[ETRACE_DATA_WIDTH] < WIDE_DATA ? NARROW_SIZE : WIDE_SIZE;
    }
    const uint64_t width = ceiling_log(ceiling_log(v[ETRACE_DATA_WIDTH] / 8 + 1));
    return width > 1 ? width : 1;
}

/* Widths of data packets follow from those of the interface where nobody gave them. */
static void settle_data(struct assay_parameter_values *values)
{
    const uint64_t *v = values->value;
    const bool has_compression =
        values->known[ETRACE_DATA_COMPRESS] && (v[ETRACE_DATA_COMPRESS] == ETRACE_BY_XOR ||
                                                v[ETRACE_DATA_COMPRESS] == ETRACE_BY_DIFFERENCE);
    const bool own_address = v[ETRACE_WIRE] >= ETRACE_2_0 && v[ETRACE_DADDRESS_WIDTH] != 0;
    const uint64_t index =
        v[ETRACE_INDEX_WIDTH] != 0 ? v[ETRACE_INDEX_WIDTH] : v[ETRACE_LRID_WIDTH];
    const uint64_t xlen = v[ETRACE_XLEN] != 0 ? v[ETRACE_XLEN] : v[ETRACE_IADDRESS_WIDTH];
    const uint64_t wider = v[ETRACE_LDATA_WIDTH] > v[ETRACE_SDATA_WIDTH] ? v[ETRACE_LDATA_WIDTH]
                                                                         : v[ETRACE_SDATA_WIDTH];
    assay_parameter_default(values, ETRACE_DATA_WIDTH, wider);
    assay_parameter_default(values, ETRACE_DATA_SIZE_N, size_width(v));
    assay_parameter_default(values, ETRACE_DATA_ADDRESS_N,
                            v[own_address ? ETRACE_DADDRESS_WIDTH : ETRACE_IADDRESS_WIDTH]);
    assay_parameter_default(values, ETRACE_DATA_INDEX_N, index);
    assay_parameter_default(values, ETRACE_DATA_COMPRESSION,
                            has_compression ? v[ETRACE_DATA_COMPRESS] : ETRACE_BY_XOR);
    assay_parameter_default(values, ETRACE_CSR_LENGTH_N, xlen <= 32 ? 2 : 3);
    assay_parameter_default(values, ETRACE_ATOMIC_SIZE, xlen <= 32 ? 2 : 3);
}

static bool is_given(const struct assay_parameter_values *values, enum etrace_parameter number)
{
    return values->site[number].origin > ASSAY_PARAMETER_DEFAULT;
}

/* Another option of the same field whose bit is given, and is the bit of this one. Null: none. */
static const struct mode *same_bit(const struct assay_parameter_values *values,
                                   const struct mode *mode)
{
    const bool one_field = values->value[ETRACE_WIRE] < ETRACE_2_0;
    for (size_t i = 0; i < ASSAY_COUNT(modes); i++) {
        if (&modes[i] != mode && (one_field || modes[i].of_data == mode->of_data) &&
            is_given(values, modes[i].bit) &&
            values->value[modes[i].bit] == values->value[mode->bit]) {
            return &modes[i];
        }
    }
    return NULL;
}

/* An option that is given without its bit has none; and a bit that is given is that of one option.
 */
static void settle_bits(struct assay_parameter_values *values)
{
    for (size_t i = 0; i < ASSAY_COUNT(modes); i++) {
        if (is_given(values, modes[i].option) || is_given(values, modes[i].mode) ||
            same_bit(values, &modes[i]) != NULL) {
            assay_parameter_default(values, modes[i].bit, NO_BIT);
        }
    }
}

static enum assay_error check_bits(const struct assay_parameter_values *values,
                                   struct assay_diag *diag)
{
    for (size_t i = 0; i < ASSAY_COUNT(modes); i++) {
        const size_t bit = modes[i].bit;
        const struct mode *same = values->value[bit] != NO_BIT ? same_bit(values, &modes[i]) : NULL;
        if (same != NULL) {
            return assay_parameter_fail(values, bit, diag, ASSAY_CONTRADICTION,
                                        "%s and %s are the same bit", list[bit].name,
                                        list[same->bit].name);
        }
    }
    return ASSAY_OK;
}

/* Version 2.0 has other defaults in tables 9.2 to 9.4; and registers say what is known by other
 * names, too. */
static void settle(struct assay_parameter_values *values)
{
    static const struct {
        enum etrace_parameter parameter;
        uint64_t value;
    } of_2_0[] = {
        {ETRACE_NOCONTEXT, 1},     {ETRACE_PRIVILEGE_WIDTH, 2}, {ETRACE_CTYPE_WIDTH, 1},
        {ETRACE_IRETIRE_WIDTH, 2}, {ETRACE_NO_ADDRESS_BIT, 0},  {ETRACE_NO_DATA_BIT, 1},
    };
    for (size_t i = 0; i < ASSAY_COUNT(of_2_0) && values->value[ETRACE_WIRE] == ETRACE_2_0; i++) {
        assay_parameter_default(values, of_2_0[i].parameter, of_2_0[i].value);
    }
    for (size_t i = 0; i < ASSAY_COUNT(modes); i++) {
        if (values->known[modes[i].mode]) {
            assay_parameter_default(values, modes[i].option, values->value[modes[i].mode]);
        }
    }
    if (resync_of(values) != 0) {
        assay_parameter_default(values, ETRACE_MAX_RESYNC, resync_of(values));
    }
    if (values->value[ETRACE_TYPE_WIDTH] == 1) {
        assay_parameter_default(values, ETRACE_INSTRUCTION_TYPE, 0);
        assay_parameter_default(values, ETRACE_DATA_TYPE, 1);
    }
    settle_data(values);
    settle_bits(values);
}

/* Registers say nothing else than parameters of other names. */
static enum assay_error check_registers(const struct assay_parameter_values *values,
                                        struct assay_diag *diag)
{
    for (size_t i = 0; i < ASSAY_COUNT(modes); i++) {
        const size_t mode = modes[i].mode;
        if (values->known[mode] && values->value[mode] != values->value[modes[i].option]) {
            return assay_parameter_fail(values, mode, diag, ASSAY_CONTRADICTION, "%s and %s differ",
                                        list[mode].name, list[modes[i].option].name);
        }
    }
    const uint64_t resync = resync_of(values);
    return resync == 0 || resync == values->value[ETRACE_MAX_RESYNC]
               ? ASSAY_OK
               : assay_parameter_fail(values, ETRACE_RESYNC_MAX, diag, ASSAY_CONTRADICTION,
                                      "it stands for %u packets, and max_resync for others",
                                      (unsigned)resync);
}

static enum assay_error check_data(const struct assay_parameter_values *values,
                                   struct assay_diag *diag)
{
    const uint64_t *v = values->value;
    if (v[ETRACE_OMIT_ADDRESS] != 0 && v[ETRACE_OMIT_DATA] != 0) {
        return assay_parameter_fail(values, ETRACE_OMIT_DATA, diag, ASSAY_CONTRADICTION,
                                    "data packets have no address either");
    }
    if (v[ETRACE_DATA_FORMAT_N] == 2 && v[ETRACE_DATA_SPLIT] != 0) {
        return assay_parameter_fail(values, ETRACE_DATA_FORMAT_N, diag, ASSAY_CONTRADICTION,
                                    "split loads need a format of 3 bits (7.1.1)");
    }
    if (v[ETRACE_DATA_INDEX_N] > etrace_parameters.list[ETRACE_DATA_INDEX_N].most) {
        return assay_parameter_fail(values, ETRACE_DATA_INDEX_N, diag, ASSAY_OUT_OF_RANGE,
                                    "indexes of more than %u bits are not read",
                                    (unsigned)etrace_parameters.list[ETRACE_DATA_INDEX_N].most);
    }
    return ASSAY_OK;
}

static enum assay_error check(const struct assay_parameter_values *values, struct assay_diag *diag)
{
    const uint64_t *v = values->value;
    if (v[ETRACE_WIRE] != ETRACE_1_1_1 && v[ETRACE_WIRE] != ETRACE_2_0) {
        return assay_parameter_fail(values, ETRACE_WIRE, diag, ASSAY_OUT_OF_RANGE,
                                    "wire is 1.1.1 or 2.0");
    }
    if (v[ETRACE_IADDRESS_LSB] >= v[ETRACE_IADDRESS_WIDTH]) {
        return assay_parameter_fail(values, ETRACE_IADDRESS_LSB, diag, ASSAY_CONTRADICTION,
                                    "it leaves nothing of an address of %u bits",
                                    (unsigned)v[ETRACE_IADDRESS_WIDTH]);
    }
    if (v[ETRACE_INSTRUCTION_TYPE] == v[ETRACE_DATA_TYPE]) {
        return assay_parameter_fail(values, ETRACE_DATA_TYPE, diag, ASSAY_CONTRADICTION,
                                    "it is the type of instruction trace, too");
    }
    if (v[ETRACE_BPRED_SIZE] > 0 && v[ETRACE_CACHE_SIZE] > 0 && v[ETRACE_F0S_WIDTH] == 0) {
        return assay_parameter_fail(values, ETRACE_F0S_WIDTH, diag, ASSAY_CONTRADICTION,
                                    "with a branch predictor and a jump target cache packets of "
                                    "format 0 need a subformat (6.8.1)");
    }
    if (v[ETRACE_XLEN] != 0 && v[ETRACE_XLEN] != 32 && v[ETRACE_XLEN] != 64) {
        return assay_parameter_fail(values, ETRACE_XLEN, diag, ASSAY_OUT_OF_RANGE,
                                    "it is 32 or 64");
    }
    enum assay_error error = check_data(values, diag);
    if (error == ASSAY_OK) {
        error = check_bits(values, diag);
    }
    return error != ASSAY_OK ? error : check_registers(values, diag);
}

static const uint64_t by_profile[] = {ETRACE_1_1_1, ETRACE_2_0};
static const char *const xml[] = {".xml", NULL};
static const char *const csv[] = {".csv", NULL};
static const struct assay_parameter_syntax syntaxes[] = {
    {"IP-XACT", xml, etrace_ipxact_read}, {".GROUP.NAME,VALUE", csv, etrace_parameter_list_read}};
/* Names of the tables themselves: of 9.1 of the draft, and of 2.0. */
static const struct assay_parameter_alias aliases[] = {{"lastsize_width_p", ETRACE_ILASTSIZE_WIDTH},
                                                       {"blocks_p", ETRACE_TAKEN_BRANCHES}};

const struct assay_parameter_table etrace_parameters = {.list = list,
                                                        .count = ETRACE_PARAMETER_COUNT,
                                                        .check = check,
                                                        .syntaxes = syntaxes,
                                                        .syntax_count = ASSAY_COUNT(syntaxes),
                                                        .aliases = aliases,
                                                        .alias_count = ASSAY_COUNT(aliases),
                                                        .profiled = ETRACE_WIRE,
                                                        .by_profile = by_profile,
                                                        .settle = settle};

void etrace_layout(const struct assay_parameter_values *values,
                   uint64_t out[ETRACE_PARAMETER_COUNT])
{
    assay_parameters_array(&etrace_parameters, values, out);
}
