/* The demo's program: sorts, hashes and searches, as programs do. It always does the same for the
 * same argument, and prints a checksum of each part.
 *     sorts [ROUNDS]     default 4: some 13 million AArch64 instructions at -O2 */
#include <math.h>
#include <string.h>

#include "program.h"

enum { ITEMS = 3000, WORDS = 400, BUCKETS = 256, QUEENS = 7, POINTS = 1200 };

struct word {
    char text[12];
    uint32_t count;
    struct word *next;
};

static void quick_sort(uint32_t *item, long from, long to)
{
    while (from < to) {
        const uint32_t pivot = item[from + (to - from) / 2];
        long i = from;
        long j = to;
        while (i <= j) {
            while (item[i] < pivot) {
                ++i;
            }
            while (item[j] > pivot) {
                --j;
            }
            if (i <= j) {
                const uint32_t swap = item[i];
                item[i++] = item[j];
                item[j--] = swap;
            }
        }
        quick_sort(item, from, j);
        from = i;
    }
}

static void heap_sort(uint32_t *item, long count)
{
    for (long start = count / 2, end = count; end > 1;) {
        uint32_t sifted;
        if (start > 0) {
            sifted = item[--start];
        } else {
            sifted = item[--end];
            item[end] = item[0];
        }
        long hole = start;
        for (long child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
            if (child + 1 < end && item[child + 1] > item[child]) {
                ++child;
            }
            if (item[child] <= sifted) {
                break;
            }
            item[hole] = item[child];
            hole = child;
        }
        item[hole] = sifted;
    }
}

static void merge_sort(uint32_t *item, long count)
{
    static uint32_t spare[ITEMS];
    if (count < 2) {
        return;
    }
    const long half = count / 2;
    merge_sort(item, half);
    merge_sort(item + half, count - half);
    memcpy(spare, item, (size_t)half * sizeof *item);
    for (long i = 0, j = half, to = 0; i < half;) {
        item[to++] = j < count && item[j] < spare[i] ? item[j++] : spare[i++];
    }
}

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void library_sort(uint32_t *item, long count)
{
    qsort(item, (size_t)count, sizeof *item, by_value);
}

static void quick_sort_all(uint32_t *item, long count)
{
    quick_sort(item, 0, count - 1);
}

static uint32_t sort_all_ways(void)
{
    static void (*const sorts[])(uint32_t *, long) = {quick_sort_all, heap_sort, merge_sort,
                                                      library_sort};
    static uint32_t items[ITEMS];
    uint32_t sum = 0;
    for (unsigned way = 0; way < sizeof sorts / sizeof sorts[0]; ++way) {
        for (long i = 0; i < ITEMS; ++i) {
            items[i] = random_number();
        }
        sorts[way](items, ITEMS);
        for (long i = 1; i < ITEMS; ++i) {
            sum += items[i - 1] > items[i];
        }
        sum = sum * 31 + checksum(items, sizeof items);
    }
    return sum;
}

static struct word *find_word(struct word **buckets, const char *text)
{
    struct word **place = &buckets[checksum(text, strlen(text)) % BUCKETS];
    while (*place != NULL && strcmp((*place)->text, text) != 0) {
        place = &(*place)->next;
    }
    if (*place == NULL) {
        *place = calloc(1, sizeof **place);
        if (*place == NULL) {
            abort();
        }
        strcpy((*place)->text, text);
    }
    return *place;
}

static uint32_t count_words(void)
{
    struct word *buckets[BUCKETS] = {NULL};
    uint32_t sum = 0;
    for (unsigned i = 0; i < WORDS; ++i) {
        char text[12];
        snprintf(text, sizeof text, "w%x", random_number() % 97);
        ++find_word(buckets, text)->count;
    }
    for (unsigned i = 0; i < BUCKETS; ++i) {
        while (buckets[i] != NULL) {
            struct word *word = buckets[i];
            sum = sum * 33 + word->count;
            buckets[i] = word->next;
            free(word);
        }
    }
    return sum;
}

static uint32_t place_queens(unsigned row, uint32_t columns, uint32_t left, uint32_t right)
{
    if (row == QUEENS) {
        return 1;
    }
    uint32_t ways = 0;
    for (uint32_t free_places = ~(columns | left | right) & ((1u << QUEENS) - 1); free_places != 0;
         free_places &= free_places - 1) {
        const uint32_t place = free_places & (0 - free_places);
        ways += place_queens(row + 1, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return ways;
}

static uint32_t sum_points(void)
{
    double sum = 0;
    for (unsigned i = 0; i < POINTS; ++i) {
        const double x = (double)(random_number() % 1000) / 1000;
        const double y = (double)(random_number() % 1000) / 1000;
        sum += sqrt(x * x + y * y) / (1 + x);
    }
    return (uint32_t)(sum * 1000);
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 4;
    if (rounds < 1 || rounds > 1000) {
        fputs("usage: sorts [ROUNDS], 1 to 1000\n", stderr);
        return 2;
    }
    for (long round = 1; round <= rounds; ++round) {
        const uint32_t sorted = sort_all_ways();
        const uint32_t words = count_words();
        const uint32_t queens = place_queens(0, 0, 0, 0);
        const uint32_t points = sum_points();
        printf("round %ld: sorts %08x words %08x queens %u points %u\n", round, (unsigned)sorted,
               (unsigned)words, (unsigned)queens, (unsigned)points);
        fflush(stdout);
    }
    return 0;
}
