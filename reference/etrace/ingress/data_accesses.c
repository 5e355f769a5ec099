/* The data accesses of the record as events of its layer, with what the program says of each. */
#include "common/bytes.h"
#include "etrace/ingress/ingress.h"
#include "isa/rv_compute.h"

/* What the program says that the access stores: of an atomic one, or one that changes a CSR, where
 * the other value of the record is what was loaded, since it is not the operand. */
static bool find_stored(const struct etrace_access *due, const struct etrace_access *said,
                        uint64_t mask, uint64_t *stored)
{
    if (said->type != due->type || said->bytes != due->bytes || said->operation != due->operation) {
        return false;
    }
    if (due->type == ETRACE_ACCESS_STORE) {
        *stored = due->value & mask;
        return due->value_known && said->value_known;
    }
    if (!due->operand_known || !said->stored_known) {
        return false;
    }
    const bool swaps =
        due->type == ETRACE_ACCESS_CSR ? due->operation == 0 : rv_amo_swaps(due->word);
    const bool loaded = said->either_known && said->either[0] == said->either[1] &&
                        ((said->either[0] ^ due->operand) & mask) != 0;
    *stored = etrace_access_stores(due, said->either[0], due->operand) & mask;
    return swaps || loaded;
}

static void put_program(const struct etrace_ingress_stage *s, const struct etrace_signalled *item,
                        uint64_t *cells)
{
    const struct etrace_access *due = &item->due;
    const struct etrace_access said = etrace_signalled_access(item, s->data_width);
    const uint64_t mask = assay_mask(due->bytes < 8 ? 8 * due->bytes : 64);
    uint64_t dtype = 0;
    uint64_t stored = 0;
    const bool typed = item->located && etrace_access_dtype(due, &dtype);
    const bool stores = item->located && find_stored(due, &said, mask, &stored);
    cells[ETRACE_CELL_interface_access_located] = item->located;
    cells[ETRACE_CELL_interface_access_address] = due->pc;
    cells[ETRACE_CELL_interface_access_word] = due->word;
    cells[ETRACE_CELL_interface_access_due_type] = due->type;
    cells[ETRACE_CELL_interface_access_has_due_dtype] = typed;
    cells[ETRACE_CELL_interface_access_due_dtype] = dtype;
    cells[ETRACE_CELL_interface_access_due_bytes] = due->bytes;
    cells[ETRACE_CELL_interface_access_due_bytes_most] = item->due_most;
    cells[ETRACE_CELL_interface_access_due_location_known] = due->location_known;
    cells[ETRACE_CELL_interface_access_due_location] = due->location & s->data_mask;
    cells[ETRACE_CELL_interface_access_stored] =
        (said.type == ETRACE_ACCESS_STORE ? said.value : said.stored) & mask;
    cells[ETRACE_CELL_interface_access_due_stored_known] = stores;
    cells[ETRACE_CELL_interface_access_due_stored] = stored;
}

static void put_signals(const struct etrace_signalled *item, uint64_t *cells)
{
    const struct etrace_block *b = &item->block;
    cells[ETRACE_CELL_interface_access_dretire] = b->signal[ETRACE_SIGNAL_DRETIRE];
    cells[ETRACE_CELL_interface_access_dtype] = b->signal[ETRACE_SIGNAL_DTYPE];
    cells[ETRACE_CELL_interface_access_daddr] = b->signal[ETRACE_SIGNAL_DADDR];
    cells[ETRACE_CELL_interface_access_dsize] = b->signal[ETRACE_SIGNAL_DSIZE];
    cells[ETRACE_CELL_interface_access_data] = b->signal[ETRACE_SIGNAL_DATA];
    cells[ETRACE_CELL_interface_access_data_bits] = etrace_signalled_bits(item, ETRACE_SIGNAL_DATA);
    cells[ETRACE_CELL_interface_access_sdata] = b->signal[ETRACE_SIGNAL_SDATA];
    cells[ETRACE_CELL_interface_access_sdata_bits] =
        etrace_signalled_bits(item, ETRACE_SIGNAL_SDATA);
    cells[ETRACE_CELL_interface_access_iaddr_lsbs] = b->signal[ETRACE_SIGNAL_IADDR_LSBS];
    cells[ETRACE_CELL_interface_access_dblock] = b->signal[ETRACE_SIGNAL_DBLOCK];
    cells[ETRACE_CELL_interface_access_lrid] = b->signal[ETRACE_SIGNAL_LRID];
    cells[ETRACE_CELL_interface_access_has_blocks] = item->has_blocks;
    cells[ETRACE_CELL_interface_access_blocks] = item->blocks;
    cells[ETRACE_CELL_interface_access_named] = item->meant;
    cells[ETRACE_CELL_interface_access_has_named] = item->has_meant;
    cells[ETRACE_CELL_interface_access_pending] = item->pending;
}

static void add_access(struct etrace_ingress_stage *s, const struct etrace_signalled *item)
{
    const struct etrace_block *b = &item->block;
    uint64_t *cells =
        assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_interface_access, NULL));
    cells[ETRACE_CELL_interface_access_line] = item->line;
    cells[ETRACE_CELL_interface_access_has_iaddr_lsbs] =
        etrace_block_has(b, ETRACE_SIGNAL_IADDR_LSBS);
    cells[ETRACE_CELL_interface_access_has_dblock] = etrace_block_has(b, ETRACE_SIGNAL_DBLOCK);
    cells[ETRACE_CELL_interface_access_split] = etrace_block_has(b, ETRACE_SIGNAL_LRID);
    put_program(s, item, cells);
    put_signals(item, cells);
}

static void add_lack(struct etrace_ingress_stage *s, const struct etrace_signalled *item)
{
    uint64_t *cells =
        assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_interface_lack, NULL));
    cells[ETRACE_CELL_interface_lack_line] = item->line;
    cells[ETRACE_CELL_interface_lack_address] = item->due.pc;
    cells[ETRACE_CELL_interface_lack_word] = item->due.word;
    cells[ETRACE_CELL_interface_lack_due_type] = item->due.type;
    cells[ETRACE_CELL_interface_lack_has_due_dtype] = true;
}

static void add_response(struct etrace_ingress_stage *s, const struct etrace_signalled *item)
{
    const uint64_t *signal = item->block.signal;
    uint64_t *cells =
        assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_interface_response, NULL));
    cells[ETRACE_CELL_interface_response_line] = item->line;
    cells[ETRACE_CELL_interface_response_lresp] = signal[ETRACE_SIGNAL_LRESP];
    cells[ETRACE_CELL_interface_response_lid] = signal[ETRACE_SIGNAL_LID];
    cells[ETRACE_CELL_interface_response_ldata] = signal[ETRACE_SIGNAL_LDATA];
    cells[ETRACE_CELL_interface_response_ldata_bits] =
        etrace_signalled_bits(item, ETRACE_SIGNAL_LDATA);
    cells[ETRACE_CELL_interface_response_pending] = item->pending;
    cells[ETRACE_CELL_interface_response_requested] = item->requested;
}

bool etrace_ingress_add_access(struct etrace_ingress_stage *s)
{
    const struct etrace_signalled *item =
        s->signalled != NULL ? etrace_signalled_peek(s->signalled) : NULL;
    if (item == NULL || item->kind == ETRACE_SIGNALLED_END ||
        (s->reader.has_block && item->line >= s->reader.block.line)) {
        return false;
    }
    if (item->kind == ETRACE_SIGNALLED_RESPONSE) {
        add_response(s, item);
    } else if (item->kind == ETRACE_SIGNALLED_LACKING) {
        add_lack(s, item);
    } else {
        add_access(s, item);
    }
    etrace_signalled_take(s->signalled);
    return true;
}
