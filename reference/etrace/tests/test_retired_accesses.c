/* Split loads of the record of the interface: each with its response, in the order of retirement.
 */
#include <stdio.h>

#include "etrace/interface/retired_accesses.h"
#include "etrace/packets/data.h"
#include "etrace_support.h"

#define SPLIT                                                                                      \
    "itype,cause,tval,priv,iaddr,iretire,ilastsize,dretire,dtype,daddr,dsize,lrid,lresp,lid,"      \
    "sdata,ldata\n"

struct reading {
    struct assay_parameter_values values;
    struct assay_execution *execution;
    struct etrace_retired_accesses *accesses;
};

static void open_record(struct reading *r, const char *text)
{
    struct assay_source *source = NULL;
    struct assay_diag diag;
    assay_parameters_init(&r->values, assay_format_etrace.parameters);
    set_parameter(&r->values, ETRACE_DATA_WIDTH, 64);
    set_parameter(&r->values, ETRACE_AFTER_RESET, 1);
    assert_int_equal(assay_source_memory(text, strlen(text), &source), ASSAY_OK);
    assert_int_equal(assay_execution_open_any(source, &r->execution, &diag), ASSAY_OK);
    const struct assay_decode_input input = {.parameters = &r->values, .execution = r->execution};
    assert_int_equal(etrace_retired_accesses_open(&input, &r->accesses, &diag), ASSAY_OK);
    assert_non_null(r->accesses);
}

static void close_record(struct reading *r)
{
    struct etrace_access access;
    assert_false(etrace_retired_accesses_next(r->accesses, &access));
    assert_false(etrace_retired_accesses_next(r->accesses, &access));
    etrace_retired_accesses_close(r->accesses);
    assay_execution_close(r->execution);
}

/* The next access is of this address, with these data, or failed, or has no response. */
static void next(struct reading *r, uint64_t location, uint8_t status, uint64_t value)
{
    struct etrace_access access;
    assert_true(etrace_retired_accesses_next(r->accesses, &access));
    assert_int_equal(access.location, location);
    assert_int_equal(access.status, status);
    assert_int_equal(access.value_known, status == ETRACE_STATUS_OKAY);
    if (access.value_known) {
        assert_int_equal(access.value, value);
    }
}

static void responses_in_order_are_of_the_loads_in_order(void **state)
{
    struct reading r;
    (void)state;
    open_record(&r, SPLIT "0,0,0,3,0x1000,1,1,1,0,0x100,2,1,0,0,0,0\n"
                          "0,0,0,3,0x1004,1,1,1,0,0x200,2,2,2,1,0,11\n"
                          "0,0,0,3,0x1008,1,1,0,0,0,0,0,2,2,0,22\n");
    next(&r, 0x100, ETRACE_STATUS_OKAY, 11);
    next(&r, 0x200, ETRACE_STATUS_OKAY, 22);
    close_record(&r);
}

static void responses_out_of_order_are_found_by_their_id(void **state)
{
    struct reading r;
    (void)state;
    open_record(&r, SPLIT "0,0,0,3,0x1000,1,1,1,0,0x100,2,1,0,0,0,0\n"
                          "0,0,0,3,0x1004,1,1,1,0,0x200,2,2,0,0,0,0\n"
                          "0,0,0,3,0x1008,1,1,1,0,0x300,2,3,2,3,0,33\n"
                          "0,0,0,3,0x100c,1,1,0,0,0,0,0,3,1,0,11\n"
                          "0,0,0,3,0x1010,1,1,0,0,0,0,0,2,2,0,22\n");
    next(&r, 0x100, ETRACE_STATUS_FAILED, 0);
    next(&r, 0x200, ETRACE_STATUS_OKAY, 22);
    next(&r, 0x300, ETRACE_STATUS_OKAY, 33);
    close_record(&r);
}

static void an_id_that_is_used_again_is_of_the_last_load_under_it(void **state)
{
    struct reading r;
    (void)state;
    open_record(&r, SPLIT "0,0,0,3,0x1000,1,1,1,0,0x100,2,1,0,0,0,0\n"
                          "0,0,0,3,0x1004,1,1,1,0,0x200,2,2,2,1,0,11\n"
                          "0,0,0,3,0x1008,1,1,1,0,0x300,2,1,0,0,0,0\n"
                          "0,0,0,3,0x100c,1,1,0,0,0,0,0,2,1,0,33\n"
                          "0,0,0,3,0x1010,1,1,0,0,0,0,0,2,2,0,22\n");
    next(&r, 0x100, ETRACE_STATUS_OKAY, 11);
    next(&r, 0x200, ETRACE_STATUS_OKAY, 22);
    next(&r, 0x300, ETRACE_STATUS_OKAY, 33);
    close_record(&r);
}

static void loads_without_a_response_are_known_but_for_their_data(void **state)
{
    struct reading r;
    (void)state;
    open_record(&r, SPLIT "0,0,0,3,0x1000,1,1,1,0,0x100,2,1,0,0,0,0\n"
                          "0,0,0,3,0x1004,1,1,1,0,0x200,2,2,0,0,0,0\n"
                          "0,0,0,3,0x1008,1,1,0,0,0,0,0,2,2,0,22\n"
                          "0,0,0,3,0x100c,1,1,0,0,0,0,0,2,7,0,77\n");
    next(&r, 0x100, ETRACE_STATUS_UNKNOWN, 0);
    next(&r, 0x200, ETRACE_STATUS_OKAY, 22);
    close_record(&r);
}

static void a_store_waits_for_no_response(void **state)
{
    struct reading r;
    struct etrace_access access;
    (void)state;
    open_record(&r, SPLIT "0,0,0,3,0x1000,1,1,1,0,0x100,2,1,0,0,0,0\n"
                          "0,0,0,3,0x1004,1,1,1,1,0x200,2,1,0,0,9,0\n"
                          "0,0,0,3,0x1008,1,1,0,0,0,0,0,2,1,0,11\n");
    next(&r, 0x100, ETRACE_STATUS_OKAY, 11);
    assert_true(etrace_retired_accesses_next(r.accesses, &access));
    assert_int_equal(access.type, ETRACE_ACCESS_STORE);
    assert_int_equal(access.status, ETRACE_STATUS_UNKNOWN);
    assert_true(access.value_known && access.value == 9);
    close_record(&r);
}

/* The response to a load that is far behind: those between are held as far as there is room. */
static void accesses_are_held_as_far_as_there_is_room(void **state)
{
    enum { LOADS = ETRACE_DATA_INDEXES + 3, LINE = 64 };
    char *text = malloc(sizeof SPLIT + (LOADS + 1) * LINE);
    struct reading r;
    (void)state;
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, sizeof SPLIT, SPLIT);
    for (unsigned n = 0; n < LOADS; n++) {
        const bool first = n == 0;
        used += (size_t)snprintf(text + used, LINE, "0,0,0,3,0x1000,1,1,1,%u,%u,2,1,0,0,5,0\n",
                                 first ? 0U : 1U, n);
    }
    snprintf(text + used, LINE, "0,0,0,3,0x1000,1,1,0,0,0,0,0,2,1,0,11\n");
    open_record(&r, text);
    next(&r, 0, ETRACE_STATUS_UNKNOWN, 0);
    for (unsigned n = 1; n < LOADS; n++) {
        struct etrace_access access;
        assert_true(etrace_retired_accesses_next(r.accesses, &access));
        assert_int_equal(access.location, n);
    }
    close_record(&r);
    free(text);
}

static void a_record_without_data_has_no_accesses(void **state)
{
    static const char text[] =
        "itype,cause,tval,priv,iaddr,iretire,ilastsize\n0,0,0,3,0x1000,1,1\n";
    struct assay_source *source = NULL;
    struct assay_diag diag;
    struct reading r;
    (void)state;
    assay_parameters_init(&r.values, assay_format_etrace.parameters);
    assert_int_equal(assay_source_memory(text, strlen(text), &source), ASSAY_OK);
    assert_int_equal(assay_execution_open_any(source, &r.execution, &diag), ASSAY_OK);
    const struct assay_decode_input input = {.parameters = &r.values, .execution = r.execution};
    assert_int_equal(etrace_retired_accesses_open(&input, &r.accesses, &diag), ASSAY_OK);
    assert_null(r.accesses);
    etrace_retired_accesses_close(r.accesses);
    assay_execution_close(r.execution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_in_order_are_of_the_loads_in_order),
        cmocka_unit_test(responses_out_of_order_are_found_by_their_id),
        cmocka_unit_test(an_id_that_is_used_again_is_of_the_last_load_under_it),
        cmocka_unit_test(loads_without_a_response_are_known_but_for_their_data),
        cmocka_unit_test(a_store_waits_for_no_response),
        cmocka_unit_test(accesses_are_held_as_far_as_there_is_room),
        cmocka_unit_test(a_record_without_data_has_no_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
