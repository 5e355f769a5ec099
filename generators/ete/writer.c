/* The writer of elements: those that are not written yet, the state of the decoder, and the choice
 * of a packet. */
#include "generators/ete/writer_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"

enum { ASYNC_END = 0x80, MORE_ZEROS = 5, IGNORE = 0x70, IGNORE_ONCE_IN = 32 };

/* --- the choice --- */

static bool is_better(struct ete_writer *w, const struct ete_packet *packet)
{
    const struct ete_packet *best = &w->chosen;
    if (w->setup.choice == ETE_CHOOSE_ANY) {
        return assay_random_once_in(&w->setup.seed, w->offered);
    }
    return w->offered == 1 || packet->elements > best->elements ||
           (packet->elements == best->elements && packet->size < best->size);
}

/* Discard and Overflow have the header of an A-sync, and no form of their own. */
static bool is_extension(const struct ete_packet *packet)
{
    return packet->bytes[0] == 0;
}

void ete_offer(struct ete_writer *w, struct ete_packet *packet)
{
    const uint8_t header = packet->bytes[0];
    packet->form = ete_form_of(header);
    if (packet->form->kind == ETE_cycle_count_1) {
        packet->form = ete_cycle_count_form(header, w->commit_mode);
    }
    packet->address =
        packet->form->kind == ETE_exception ? ete_address_form_of(packet->bytes[2]) : NULL;
    packet->size = 2;
    if (!is_extension(packet) &&
        ete_pack(packet->form, packet->address, ete_vmid_bits(NULL), packet->cells, packet->bytes,
                 &packet->size, NULL) != ASSAY_OK) {
        return;
    }
    w->offered++;
    if (is_better(w, packet)) {
        w->chosen = *packet;
    }
}

/* --- the decoder's state --- */

static void follow_element(struct ete_writer *w, const struct ete_element *element)
{
    switch (element->kind) {
    case ETE_elem_trace_info:
        w->addresses = (struct ete_addresses){0};
        w->context = (struct ete_element){.kind = ETE_elem_context};
        w->timestamp = 0;
        w->threshold = element->cells[ETE_CELL_elem_trace_info_cc_threshold];
        w->transactional = element->cells[ETE_CELL_elem_trace_info_in_transaction] != 0;
        break;
    case ETE_elem_context:
        w->context = *element;
        break;
    case ETE_elem_timestamp:
        w->timestamp = element->cells[ETE_CELL_elem_timestamp_timestamp];
        break;
    case ETE_elem_transaction_start:
        w->transactional = true;
        break;
    case ETE_elem_transaction_commit:
    case ETE_elem_transaction_failure:
        w->transactional = false;
        break;
    default:
        break;
    }
}

static void follow(struct ete_writer *w, const struct ete_packet *packet)
{
    const struct ete_form *form = packet->address != NULL ? packet->address : packet->form;
    if (form->addressed) {
        ete_addresses_add(&w->addresses, ete_address_complete(&w->addresses, form, packet->cells));
    }
    for (unsigned n = 0; n < packet->elements; n++) {
        follow_element(w, ete_next_element(w, n));
    }
    w->first += packet->elements;
    w->count -= packet->elements;
}

/* --- writing --- */

static void write_async(struct ete_writer *w)
{
    uint8_t bytes[1 + ETE_ASYNC_ZEROS + MORE_ZEROS + 1] = {0};
    size_t zeros = 1 + ETE_ASYNC_ZEROS;
    if (w->setup.choice == ETE_CHOOSE_ANY) {
        zeros += (size_t)assay_random_below(&w->setup.seed, MORE_ZEROS);
    }
    bytes[zeros] = ASYNC_END;
    assay_sink_write(w->setup.sink, bytes, zeros + 1);
}

/* Packets of no element. */
static void write_ignored(struct ete_writer *w)
{
    const uint8_t ignore = IGNORE;
    while (w->setup.choice == ETE_CHOOSE_ANY &&
           assay_random_once_in(&w->setup.seed, IGNORE_ONCE_IN)) {
        assay_sink_write(w->setup.sink, &ignore, 1);
    }
}

static enum assay_error write_packet(struct ete_writer *w, struct assay_diag *diag)
{
    w->offered = 0;
    ete_offer_packets(w);
    if (w->offered == 0) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET, "no packet has this %s",
                          assay_format_ete.kinds[w->window[w->first].kind].title);
    }
    if (w->chosen.form->kind == ETE_trace_info) {
        write_async(w);
    }
    assay_sink_write(w->setup.sink, w->chosen.bytes, w->chosen.size);
    write_ignored(w);
    follow(w, &w->chosen);
    return w->setup.sink->error;
}

/* --- the interface --- */

struct ete_writer *ete_writer_open(const struct ete_writer_setup *setup)
{
    struct ete_writer *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->setup = *setup;
        w->commit_mode = (setup->trcidr0 >> ETE_COMMOPT_BIT & 1) != 0;
        w->context.kind = ETE_elem_context;
    }
    return w;
}

static void make_room(struct ete_writer *w)
{
    if (w->first + w->count == ETE_WRITER_WINDOW) {
        memmove(w->window, w->window + w->first, w->count * sizeof w->window[0]);
        w->first = 0;
    }
}

enum assay_error ete_writer_put(struct ete_writer *w, const struct ete_element *element,
                                struct assay_diag *diag)
{
    if (element->kind == ETE_elem_commit && element->cells[ETE_CELL_elem_commit_implicit] != 0) {
        return ASSAY_OK;
    }
    make_room(w);
    w->window[w->first + w->count++] = *element;
    /* One more than a packet can have: that it ends there is known. */
    return w->count > ETE_WRITER_ELEMENTS ? write_packet(w, diag) : ASSAY_OK;
}

enum assay_error ete_writer_flush(struct ete_writer *w, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    while (w->count > 0 && error == ASSAY_OK) {
        error = write_packet(w, diag);
    }
    return error;
}

void ete_writer_close(struct ete_writer *w)
{
    free(w);
}
