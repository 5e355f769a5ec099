#include "execution/digest.h"

/* Numbers are of 8 bytes, the lowest first. */
struct words {
    uint8_t *bytes;
    size_t size;
};

static void put(struct words *w, uint64_t number)
{
    for (unsigned i = 0; i < 8; i++) {
        w->bytes[w->size++] = (uint8_t)(number >> 8 * i);
    }
}

/* A number that may not be known. */
static void put_known(struct words *w, bool known, uint64_t number)
{
    put(w, known);
    put(w, known ? number : 0);
}

static void put_place(struct words *w, const struct assay_executed *item)
{
    put(w, item->address);
    put(w, item->word);
    put(w, item->size);
}

static void put_accesses(struct words *w, const struct assay_executed *item)
{
    put(w, item->accesses);
    for (size_t i = 0; i < item->accesses; i++) {
        const struct assay_access *access = &item->access[i];
        put(w, access->write);
        put(w, access->address);
        put(w, access->size);
        put_known(w, access->content_known, access->content);
    }
}

static void put_trap(struct words *w, const struct assay_executed *item)
{
    put(w, item->level);
    put(w, item->cause);
    put(w, item->from);
    put(w, item->status);
    put(w, item->number);
    put_known(w, item->fault_known, item->fault);
}

static void put_walk(struct words *w, const struct assay_walk *walk)
{
    put(w, walk->address);
    put(w, walk->page_log2);
    put(w, walk->data);
    put(w, walk->count);
    for (size_t i = 0; i < walk->count; i++) {
        put(w, walk->entry[i].address);
        put(w, walk->entry[i].content);
    }
}

static void put_call(struct words *w, const struct assay_executed *item)
{
    put(w, item->number);
    for (size_t i = 0; i < 6; i++) {
        put(w, item->args[i]);
    }
}

size_t assay_execution_item_bytes(const struct assay_executed *item,
                                  uint8_t bytes[ASSAY_EXECUTION_ITEM])
{
    struct words w = {.bytes = bytes};
    put(&w, item->kind);
    put(&w, item->thread);
    switch (item->kind) {
    case ASSAY_EXECUTED_INSTRUCTION:
        put_place(&w, item);
        put_accesses(&w, item);
        break;
    case ASSAY_EXECUTED_SYSTEM_CALL:
        put_call(&w, item);
        break;
    case ASSAY_EXECUTED_SYSTEM_RETURN:
        put(&w, item->number);
        put(&w, (uint64_t)item->value);
        break;
    case ASSAY_EXECUTED_DIVERTED:
        put(&w, item->aborted);
        put_place(&w, item);
        put_known(&w, item->fault_known, item->fault);
        break;
    case ASSAY_EXECUTED_TRAP:
        put_trap(&w, item);
        break;
    case ASSAY_EXECUTED_LEVEL:
        put(&w, item->level);
        break;
    case ASSAY_EXECUTED_WALK:
        put_walk(&w, item->walk);
        break;
    case ASSAY_EXECUTED_END:
        put(&w, item->reason);
        break;
    case ASSAY_EXECUTED_THREAD_START:
    case ASSAY_EXECUTED_THREAD_END:
        break;
    }
    return w.size;
}

void assay_execution_digest_begin(struct assay_execution_digest *digest,
                                  const struct assay_execution_header *header)
{
    uint8_t bytes[16];
    struct words w = {.bytes = bytes};
    put(&w, header->isa);
    put(&w, header->system);
    assay_digest_begin(&digest->digest);
    assay_digest_add(&digest->digest, bytes, w.size);
}

void assay_execution_digest_add(struct assay_execution_digest *digest,
                                const struct assay_executed *item)
{
    uint8_t bytes[ASSAY_EXECUTION_ITEM];
    assay_digest_add(&digest->digest, bytes, assay_execution_item_bytes(item, bytes));
}

enum assay_error assay_execution_digest_end(struct assay_execution_digest *digest,
                                            char text[ASSAY_DIGEST_TEXT])
{
    return assay_digest_end(&digest->digest, text);
}
