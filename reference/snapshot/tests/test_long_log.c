/* Logs of many more events than a file may have. If the work for an event grew with the number of
 * those before it, these would take hours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "image/timeline.h"
#include "snapshot/memory.h"

enum { MANY = 1 << 19, CODES = 1 << 10, LIBRARIES = MANY - ASSAY_WRITES_MAX };

typedef void filler(struct cs_event *event, size_t n);

/* Gives a log to the index and to the check, and the images that it declares to the memory. */
static void take(filler *fill, enum cs_context_layout layout)
{
    struct assay_arena arena = {0};
    struct assay_diag diag = {0};
    struct cs_snapshot s = {.reader = {.arena = &arena, .folder = "folder", .diag = &diag}};
    struct cs_event *list = calloc(MANY, sizeof *list);
    struct cs_memory memory = {.events = {"log", list, MANY}, .layout = layout};
    assert_non_null(list);
    for (size_t n = 0; n < MANY; n++) {
        list[n] = (struct cs_event){.line = (uint32_t)n + 1, .pid = 5, .text = "", .uuid = "u"};
        if (n > 0 && n <= CODES) {
            list[n].kind = CS_PATCH_CODE;
            list[n].address = n * 16;
            list[n].length = 4;
            list[n].text = "None";
        } else if (n > 0) {
            fill(&list[n], n - CODES - 1);
        }
    }
    enum assay_error error = cs_events_index(list, MANY, &diag);
    error = error != ASSAY_OK ? error : cs_events_check(&memory.events, &diag);
    error = error != ASSAY_OK ? error : cs_memory_find_images(&s, &memory);
    error = error != ASSAY_OK ? error : cs_memory_make_timeline(&s, &memory);
    if (error != ASSAY_OK) {
        fail_msg("line %u: %s", (unsigned)diag.line, diag.message);
    }
    free(list);
    assay_arena_free(&arena);
}

/* Threads, of which each has a number of its own. */
static void make_thread(struct cs_event *event, size_t n)
{
    event->kind = CS_DECLARE_THREAD;
    event->id = n;
}

/* Sources, of which each has a name of its own, and all one trace id after the other. */
static void make_source(struct cs_event *event, size_t n)
{
    static char names[MANY][24];
    snprintf(names[n], sizeof names[n], "%zx", n / 2);
    event->kind = CS_DEFINE_TRACE;
    event->state = n % 2 == 0 ? CS_EVENT_START : CS_EVENT_END;
    event->id = 0x10;
    event->pid = 0;
    event->text = names[n];
}

/* Libraries without a file at one place, of which each has an identity of its own. */
static void make_library_there(struct cs_event *event, size_t n)
{
    static char uuids[MANY][24];
    snprintf(uuids[n], sizeof uuids[n], "%zx", n / 2);
    event->kind = CS_DECLARE_LIBRARY;
    event->state = n % 2 == 0 ? CS_EVENT_START : CS_EVENT_END;
    event->address = 0x1000;
    event->uuid = uuids[n];
}

/* Libraries without a file, which begin, and then end. */
static void make_library(struct cs_event *event, size_t n)
{
    const size_t half = (MANY - CODES - 1) / 2;
    event->kind = CS_DECLARE_LIBRARY;
    event->state = n / half % 2 == 0 ? CS_EVENT_START : CS_EVENT_END;
    event->address = n % half * 0x1000;
}

/* The process ends, and begins again. */
static void make_process(struct cs_event *event, size_t n)
{
    event->state = n % 2 == 0 ? CS_EVENT_END : CS_EVENT_START;
}

/* Libraries begin, and then their process begins again and again. */
static void make_library_or_process(struct cs_event *event, size_t n)
{
    if (n < LIBRARIES) {
        event->kind = CS_DECLARE_LIBRARY;
        event->address = n * 0x1000;
    } else {
        make_process(event, n - LIBRARIES);
    }
}

static void the_work_for_an_event_does_not_grow_with_those_before_it(void **state)
{
    (void)state;
    static filler *const fillers[] = {make_thread, make_source, make_library_there, make_library,
                                      make_library_or_process};
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
        take(fillers[i], CS_CONTEXT_PID);
        take(fillers[i], CS_CONTEXT_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_for_an_event_does_not_grow_with_those_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
