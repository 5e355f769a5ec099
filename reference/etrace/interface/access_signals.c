/* What the data signals of a line say of an access. */
#include "common/bytes.h"
#include "etrace/interface/data_signals.h"

enum { WORD_BITS = 64, VALUE_BYTES = 8, SIZE_LOG_MOST = 12, CSR_MASK = 0xfff };

static const uint64_t *wide_of(const struct etrace_signalled *signalled, enum etrace_signal signal)
{
    return signalled->block.wide[signal - ETRACE_SIGNAL_DATA];
}

/* The 64 bits of data from a bit on. */
static uint64_t from_bit(const uint64_t *words, uint64_t bit)
{
    const uint64_t word = bit / WORD_BITS;
    const unsigned shift = bit % WORD_BITS;
    const uint64_t low = word < ETRACE_WIDE_WORDS ? words[word] >> shift : 0;
    const bool more = shift > 0 && word + 1 < ETRACE_WIDE_WORDS;
    return more ? low | words[word + 1] << (WORD_BITS - shift) : low;
}

uint32_t etrace_signalled_bits(const struct etrace_signalled *signalled, enum etrace_signal signal)
{
    const uint64_t *words = wide_of(signalled, signal);
    uint32_t bits = WORD_BITS * ETRACE_WIDE_WORDS;
    while (bits > 0 && (words[(bits - 1) / WORD_BITS] >> (bits - 1) % WORD_BITS & 1) == 0) {
        bits--;
    }
    return bits;
}

static void find_type(struct etrace_access *access, uint64_t dtype)
{
    if (dtype == ETRACE_DTYPE_LOAD || dtype == ETRACE_DTYPE_STORE) {
        access->type = dtype == ETRACE_DTYPE_LOAD ? ETRACE_ACCESS_LOAD : ETRACE_ACCESS_STORE;
    } else if (dtype >= ETRACE_DTYPE_CSR && dtype < ETRACE_DTYPE_CSR + 3) {
        access->type = ETRACE_ACCESS_CSR;
        access->operation = (uint8_t)(dtype - ETRACE_DTYPE_CSR);
    } else if (dtype >= ETRACE_DTYPE_ATOMIC && dtype < ETRACE_DTYPE_LAST) {
        access->type = ETRACE_ACCESS_ATOMIC;
        access->operation = (uint8_t)(dtype - ETRACE_DTYPE_ATOMIC);
    } else {
        access->type = ETRACE_ACCESS_OTHER; /* a code that is reserved */
    }
}

uint64_t etrace_data_address_mask(const struct etrace_reading *program, const uint64_t *layout)
{
    const bool narrow = program->isa == RV_32 || program->isa == RV_32_ZCM;
    const unsigned xlen = narrow ? 32 : 64;
    const uint64_t given = layout[ETRACE_DADDRESS_WIDTH];
    return assay_mask(given > 0 && given < xlen ? (unsigned)given : xlen);
}

/* Both values are in data: what was stored in the low bits, the other one above it, or in the upper
 * half of the signal. */
static void find_two(struct etrace_access *access, const uint64_t *data, uint64_t data_width)
{
    const unsigned bits = 8 * access->bytes;
    const uint64_t mask = assay_mask(bits);
    access->stored = data[0] & mask;
    access->stored_known = true;
    access->either[0] = from_bit(data, bits) & mask;
    access->either[1] =
        data_width / 2 >= bits ? from_bit(data, data_width / 2) & mask : access->either[0];
    access->either_known = data_width == 0 || data_width >= 2 * bits; /* there is room for it */
}

static void find_data(struct etrace_access *access, const struct etrace_signalled *signalled,
                      uint64_t data_width)
{
    const struct etrace_block *b = &signalled->block;
    const bool split = etrace_block_has(b, ETRACE_SIGNAL_LRID);
    const bool unified = etrace_block_has(b, ETRACE_SIGNAL_DATA);
    const uint64_t *data = wide_of(signalled, ETRACE_SIGNAL_DATA);
    switch (access->type) {
    case ETRACE_ACCESS_LOAD:
        access->value = data[0];
        access->value_known = !split;
        break;
    case ETRACE_ACCESS_STORE:
        access->value = split ? wide_of(signalled, ETRACE_SIGNAL_SDATA)[0] : data[0];
        access->value_known = true;
        break;
    case ETRACE_ACCESS_CSR:
        if (unified) {
            find_two(access, data, data_width);
        }
        break;
    case ETRACE_ACCESS_ATOMIC:
        if (!split) {
            find_two(access, data, data_width);
        } else if (!unified) { /* what is stored, or the operand of a memory that computes it */
            access->either[0] = access->either[1] = wide_of(signalled, ETRACE_SIGNAL_SDATA)[0];
            access->either_known = true;
        }
        break;
    default:
        break;
    }
}

/* Bytes of one value. Of CSRs and atomic accesses dsize can be that of both (4.4): the program says
 * how many one has, and without it that is not known. */
static uint32_t bytes_of(const struct etrace_access *access, const struct etrace_signalled *said)
{
    const uint64_t log = said->block.signal[ETRACE_SIGNAL_DSIZE];
    const bool two = access->type == ETRACE_ACCESS_CSR || access->type == ETRACE_ACCESS_ATOMIC;
    if (two) {
        return said->due.type == access->type ? said->due.bytes : 0;
    }
    return log <= SIZE_LOG_MOST ? UINT32_C(1) << log : 0;
}

struct etrace_access etrace_signalled_access(const struct etrace_signalled *signalled,
                                             uint64_t data_width)
{
    const uint64_t *signal = signalled->block.signal;
    if (signalled->block.logged) {
        return signalled->block.access;
    }
    struct etrace_access access = {.pc = signalled->due.pc, .word = signalled->due.word};
    if (!signalled->located) {
        access.pc = signal[ETRACE_SIGNAL_IADDR];
    }
    find_type(&access, signal[ETRACE_SIGNAL_DTYPE]);
    access.bytes = bytes_of(&access, signalled);
    access.location = signal[ETRACE_SIGNAL_DADDR];
    access.location &= access.type == ETRACE_ACCESS_CSR ? CSR_MASK : UINT64_MAX;
    access.location_known = true;
    /* What an atomic access stores is computed by its word. */
    const bool computed =
        access.type != ETRACE_ACCESS_ATOMIC || signalled->due.operation == access.operation;
    if (access.bytes > 0 && access.bytes <= VALUE_BYTES && computed) {
        find_data(&access, signalled, data_width);
    }
    return access;
}

bool etrace_signalled_answer(const struct etrace_signalled *signalled, uint64_t *value)
{
    *value = signalled->block.signal[ETRACE_SIGNAL_LDATA];
    return signalled->block.signal[ETRACE_SIGNAL_LRESP] == ETRACE_LRESP_OKAY;
}
