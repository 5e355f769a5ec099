#include "validator/program/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "validator/record/record.h"

int assay_shard_option(const struct assay_command *command, const char *value,
                       struct assay_shard *shard)
{
    const char *slash = strchr(value, '/');
    char number[16] = "";
    uint64_t i = 0;
    uint64_t n = 0;
    if (slash == NULL || slash == value || slash[1] == '\0' ||
        (size_t)(slash - value) >= sizeof number) {
        return assay_usage_error(command, "--shard is I/N, part I of N from 1/N to N/N, not %.40s",
                                 value);
    }
    memcpy(number, value, (size_t)(slash - value));
    if (!assay_number_option(command, "shard", slash + 1, 1, ASSAY_MOST_SHARDS, &n) ||
        !assay_number_option(command, "shard", number, 1, n, &i)) {
        return ASSAY_EXIT_USAGE;
    }
    shard->number = (unsigned)i;
    shard->of = (unsigned)n;
    return 0;
}

/* --- dealing --- */

/* What opening an input costs, in bytes that are judged meanwhile: so that inputs without any are
 * spread, too. */
enum { OPENING = 65536 };

struct card {
    size_t number; /* in the list */
    uint64_t bytes;
};

/* The largest first; of those that are alike the first one. */
static int by_size(const void *a, const void *b)
{
    const struct card *x = a;
    const struct card *y = b;
    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    return x->number < y->number ? -1 : 1;
}

/* A shard while inputs are dealt. */
struct hand {
    uint64_t bytes;
    unsigned number;
};

static bool has_less(const struct hand *a, const struct hand *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->number < b->number;
}

/* Restores a heap, the hand with the least first, after the first one got more. */
static void sift(struct hand *heap, unsigned count)
{
    unsigned at = 0;
    for (;;) {
        unsigned least = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            least = has_less(&heap[child], &heap[least]) ? child : least;
        }
        if (least == at) {
            return;
        }
        const struct hand moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* What all shards must have in common of what was found. */
static enum assay_error digest_list(const struct assay_paths *paths, char text[ASSAY_DIGEST_TEXT])
{
    struct assay_digest digest;
    char number[32];
    assay_digest_begin(&digest);
    for (size_t i = 0; i < paths->count; i++) {
        const struct assay_path *one = &paths->list[i];
        snprintf(number, sizeof number, "%" PRIu64, one->bytes);
        assay_digest_add(&digest, one->path, strlen(one->path) + 1);
        assay_digest_add(&digest, number, strlen(number) + 1);
    }
    for (size_t i = 0; i < paths->skipped_count; i++) {
        const struct assay_skipped *one = &paths->skipped[i];
        const char *reason = assay_skip_reason_name(one->reason);
        assay_digest_add(&digest, one->path, strlen(one->path) + 1);
        assay_digest_add(&digest, reason, strlen(reason) + 1);
    }
    return assay_digest_end(&digest, text);
}

static void deal(struct assay_shard *shard, struct card *cards, size_t count, struct hand *heap)
{
    for (unsigned i = 0; i < shard->of; i++) {
        heap[i] = (struct hand){.number = i + 1};
    }
    qsort(cards, count, sizeof *cards, by_size);
    for (size_t i = 0; i < count; i++) {
        if (heap[0].number == shard->number) {
            shard->dealt[shard->count++] = cards[i].number;
        }
        heap[0].bytes += cards[i].bytes + OPENING;
        sift(heap, shard->of);
    }
    qsort(shard->dealt, shard->count, sizeof *shard->dealt, ascending);
}

int assay_shard_deal(struct assay_shard *shard, const struct assay_paths *paths)
{
    struct card *cards = calloc(paths->count + 1, sizeof *cards);
    struct hand *heap = calloc(shard->of, sizeof *heap);
    shard->dealt = calloc(paths->count + 1, sizeof *shard->dealt);
    const bool good = cards != NULL && heap != NULL && shard->dealt != NULL &&
                      digest_list(paths, shard->result.list) == ASSAY_OK;
    for (size_t i = 0; good && i < paths->count; i++) {
        cards[i] = (struct card){.number = i, .bytes = paths->list[i].bytes};
    }
    if (good) {
        deal(shard, cards, paths->count, heap);
        shard->result.number = shard->number;
        shard->result.of = shard->of;
        shard->result.inputs = paths->count;
        shard->result.schema = ASSAY_RECORD_SCHEMA;
    }
    free(cards);
    free(heap);
    return good ? 0 : assay_say_no_memory();
}

/* --- records --- */

static int say_spool(const char *folder, int why)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_fail(&diag, ASSAY_WRITE_FAILED, ASSAY_NO_OFFSET,
               "the records of the shard cannot be kept: %s", strerror(why));
    assay_diag_path(&diag, folder);
    assay_diag_hint(&diag, "TMPDIR names the folder");
    assay_say(&diag);
    return ASSAY_EXIT_AGAIN;
}

int assay_shard_open(struct assay_shard *shard)
{
    shard->result.records = assay_temporary_file();
    if (shard->result.records == NULL) {
        return errno == ENOMEM ? assay_say_no_memory() : say_spool(assay_temporary_folder(), errno);
    }
    assay_digest_begin(&shard->digest);
    return 0;
}

static int put(const char *data, size_t size, void *context)
{
    struct assay_shard *shard = context;
    assay_digest_add(&shard->digest, data, size);
    return fwrite(data, 1, size, shard->result.records) == size ? 0 : -1;
}

enum assay_error assay_shard_added(void *context, const struct assay_input_run *run)
{
    struct assay_shard *shard = context;
    json_t *record = assay_record_of(run, shard->dealt[run->number], &shard->kept);
    if (record == NULL) {
        return ASSAY_NO_MEMORY;
    }
    const int status = json_dump_callback(record, put, shard, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(record);
    return status == 0 && put("\n", 1, shard) == 0 ? ASSAY_OK : ASSAY_WRITE_FAILED;
}

int assay_shard_end(struct assay_shard *shard)
{
    if (fflush(shard->result.records) != 0) {
        return say_spool("", errno);
    }
    return assay_digest_end(&shard->digest, shard->result.records_digest) == ASSAY_OK
               ? 0
               : assay_say_no_memory();
}

void assay_shard_close(struct assay_shard *shard)
{
    char unused[ASSAY_DIGEST_TEXT];
    if (shard->result.records != NULL) {
        fclose(shard->result.records);
        if (shard->result.records_digest[0] == '\0') {
            assay_digest_end(&shard->digest, unused);
        }
    }
    free(shard->dealt);
    *shard = (struct assay_shard){0};
}
