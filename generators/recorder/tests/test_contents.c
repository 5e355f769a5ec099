/* Looking at the memory of a program, here that of the test itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "contents.h"

enum { PAGE = 4096 };

static const uint8_t code[4] = {0x13, 0, 0, 0};

/* The distance between the program's addresses and the process's own. */
static const uint64_t base = 0x100000;

static uint64_t address_of(const void *host)
{
    return (uint64_t)(uintptr_t)host - base;
}

static struct contents known(void)
{
    struct contents contents = {.wanted = true, .tag_mask = UINT64_MAX};
    assert_true(contents_learn(&contents, address_of(code), code, code, sizeof code));
    assert_int_equal(contents.base, base);
    return contents;
}

static void the_distance_is_learnt_once_and_then_checked(void **state)
{
    (void)state;
    static const uint8_t other[4] = {0x93, 0, 0, 0};
    struct contents contents = {.wanted = true, .tag_mask = UINT64_MAX};
    uint64_t value = 0;
    assert_true(contents_learn(&contents, 1, NULL, code, sizeof code));
    assert_false(contents_read(&contents, address_of(code), 4, NULL, &value));
    assert_false(contents_learn(&contents, address_of(code), code, other, sizeof other));
    contents = known();
    assert_true(contents_learn(&contents, address_of(other), other, other, sizeof other));
    assert_false(contents_learn(&contents, address_of(other) + 8, other, other, sizeof other));
}

static void what_is_there_is_read_and_more_than_8_bytes_are_not(void **state)
{
    (void)state;
    const uint8_t data[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct contents contents = known();
    atomic_bool reading = false;
    uint64_t value = 0;
    assert_true(contents_read(&contents, address_of(data), 8, NULL, &value));
    assert_true(value == UINT64_C(0x0807060504030201));
    assert_true(contents_read(&contents, address_of(data), 2, &reading, &value));
    assert_int_equal(value, 0x0201);
    assert_false(reading);
    assert_false(contents_read(&contents, address_of(data), 16, NULL, &value));
    contents.tag_mask = UINT64_MAX >> 8;
    assert_true(contents_read(&contents, address_of(data) | UINT64_C(0x55) << 56, 1, NULL, &value));
    assert_int_equal(value, 1);
}

static void what_is_being_taken_away_is_read_by_way_of_the_kernel(void **state)
{
    (void)state;
    struct contents contents = known();
    atomic_bool reading = false;
    uint64_t value = 0;
    uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    page[0] = 7;
    contents_withdraw(&contents);
    assert_true(contents_read(&contents, address_of(page), 1, &reading, &value));
    assert_int_equal(value, 7);
    assert_int_equal(munmap(page, PAGE), 0);
    assert_false(contents_read(&contents, address_of(page), 1, &reading, &value));
    contents_restore(&contents);
    assert_int_equal(contents.withdrawing, 0);
}

/* By generic numbers. */
static void calls_that_may_take_memory_away_are_known(void **state)
{
    (void)state;
    static const struct {
        uint64_t call;
        uint64_t args[6];
        bool withdraws;
    } calls[] = {
        {45, {0}, true},     /* truncate */
        {46, {0}, true},     /* ftruncate */
        {47, {0, 0}, false}, /* fallocate, longer */
        {47, {0, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE}, false},
        {47, {0, FALLOC_FL_COLLAPSE_RANGE}, true},
        {56, {0, 0, O_RDONLY}, false}, /* openat */
        {56, {0, 0, O_RDWR | O_CREAT}, false},
        {56, {0, 0, O_WRONLY | O_CREAT | O_TRUNC}, true},
        {437, {0}, true},        /* openat2 */
        {57, {0}, false},        /* close */
        {63, {0}, false},        /* read */
        {64, {0}, false},        /* write */
        {65, {0}, false},        /* readv */
        {93, {0}, false},        /* exit of a thread */
        {98, {0}, false},        /* futex */
        {196, {0, 0, 0}, false}, /* shmat */
        {196, {0, 0, SHM_RDONLY}, false},
        {196, {0, 0, SHM_REMAP}, true},
        {197, {0}, true},                    /* shmdt */
        {214, {0}, true},                    /* brk */
        {215, {0}, true},                    /* munmap */
        {216, {0}, true},                    /* mremap */
        {220, {0}, false},                   /* clone */
        {222, {0}, true},                    /* mmap */
        {226, {0}, true},                    /* mprotect */
        {233, {0, 0, MADV_DONTNEED}, false}, /* madvise: zeroes can be read */
        {233, {0, 0, MADV_REMOVE}, false},
        {233, {0, 0, MADV_HWPOISON}, true},
        {233, {0, 0, 102}, true},               /* MADV_GUARD_INSTALL */
        {440, {0, 0, 0, MADV_DONTNEED}, false}, /* process_madvise */
        {440, {0, 0, 0, 102}, true},
        {234, {0}, true}, /* remap_file_pages */
        {288, {0}, true}, /* pkey_mprotect */
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (contents_are_withdrawn_by(calls[i].call, calls[i].args) != calls[i].withdraws) {
            fail_msg("call %u (%llx, %llx, %llx)", (unsigned)calls[i].call,
                     (unsigned long long)calls[i].args[0], (unsigned long long)calls[i].args[1],
                     (unsigned long long)calls[i].args[2]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_is_learnt_once_and_then_checked),
        cmocka_unit_test(what_is_there_is_read_and_more_than_8_bytes_are_not),
        cmocka_unit_test(what_is_being_taken_away_is_read_by_way_of_the_kernel),
        cmocka_unit_test(calls_that_may_take_memory_away_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
