/* The record of the interface of the hart as a table: its columns, values and faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "etrace/interface/record.h"

static enum assay_error open_text(const char *text, struct assay_source **source,
                                  struct etrace_record **record, struct assay_diag *diag)
{
    static const struct etrace_record_setup setup = {RV_64, ASSAY_EXECUTION_THREAD_FROM_TRACE};
    *diag = (struct assay_diag){0};
    assert_int_equal(assay_source_memory(text, strlen(text), source), ASSAY_OK);
    return etrace_record_open(*source, &setup, record, diag);
}

/* A table is refused at a place, when it is opened or when its first line of values is read. */
static void refused(const char *text, uint32_t line, uint32_t column, const char *message)
{
    struct assay_source *source = NULL;
    struct etrace_record *record = NULL;
    struct etrace_block block;
    struct assay_diag diag;
    bool more = false;
    enum assay_error error = open_text(text, &source, &record, &diag);
    error = error != ASSAY_OK ? error : etrace_record_next(record, &block, &more, &diag);
    assert_int_equal(error, ASSAY_SYNTAX);
    assert_int_equal(diag.line, line);
    assert_int_equal(diag.column, column);
    assert_non_null(strstr(diag.message, message));
    etrace_record_close(record);
    assay_source_close(source);
}

static struct etrace_block first_of(const char *text)
{
    struct assay_source *source = NULL;
    struct etrace_record *record = NULL;
    struct etrace_block block = {.line = 0};
    struct assay_diag diag;
    bool more = false;
    assert_int_equal(open_text(text, &source, &record, &diag), ASSAY_OK);
    assert_int_equal(etrace_record_next(record, &block, &more, &diag), ASSAY_OK);
    assert_true(more);
    etrace_record_close(record);
    assay_source_close(source);
    return block;
}

#define NAMES "itype,cause,tval,priv,iaddr,iretire,ilastsize"

/* ETR-ING-035 ETR-ING-039 ETR-ING-040 */
static void a_mandatory_signal_is_there_once(void **state)
{
    (void)state;
    refused("itype,cause,tval,priv,iaddr,ilastsize\n", 1, 1, "iretire is missing");
    refused("cause,tval,priv,iaddr,iretire,ilastsize\n", 1, 1, "itype is missing");
    refused(NAMES ",priv\n", 1, 47, "priv is there twice");
}

/* ETR-ING-036 ETR-ING-038 ETR-ING-114 */
static void optional_signals_may_be_there_once(void **state)
{
    (void)state;
    const struct etrace_block block = first_of(
        "reset, halted,impdef,trigger,context,ctype,sijump,cycle," NAMES "\r\n"
        "# a comment\n\n1,0,3,4,5,2,1,18446744073709551615,8,0,0x0,3,0xFFFFFFFFFFFFFFFF,7,0\r\n");
    assert_int_equal(block.line, 4);
    assert_int_equal(block.signal[ETRACE_SIGNAL_RESET], 1);
    assert_int_equal(block.signal[ETRACE_SIGNAL_TRIGGER], 4);
    assert_int_equal(block.signal[ETRACE_SIGNAL_CTYPE], 2);
    assert_int_equal(block.signal[ETRACE_SIGNAL_ITYPE], 8);
    assert_true(block.signal[ETRACE_SIGNAL_CYCLE] == UINT64_MAX);
    assert_true(block.signal[ETRACE_SIGNAL_IADDR] == UINT64_MAX);
    assert_int_equal(block.given, (1U << ETRACE_SIGNAL_DRETIRE) - 1);
    refused(NAMES ",ctype,ctype\n", 1, 53, "ctype is there twice");
    assert_int_equal(first_of(NAMES "\n0,0,0,0,0,1,0").given >> ETRACE_SIGNAL_CYCLE, 0);
}

#define ACCESS ",dretire,dtype,daddr,dsize"

/* ETR-ING-135 ETR-ING-136 ETR-ING-137 */
static void data_signals_are_there_in_groups(void **state)
{
    (void)state;
    refused(NAMES ",dretire,dtype,daddr,data\n", 1, 1, "column dsize is missing");
    refused(NAMES ",data\n", 1, 1, "column dretire is missing");
    refused(NAMES ",iaddr_lsbs\n", 1, 1, "column dretire is missing");
    refused(NAMES ACCESS "\n", 1, 1, "column data is missing");
    refused(NAMES ACCESS ",lrid,lresp,lid,sdata\n", 1, 1, "column ldata is missing");
    refused(NAMES ACCESS ",data,lid\n", 1, 1, "column lrid is missing");
    refused(NAMES ACCESS ",data,daddr\n", 1, 78, "daddr is there twice");
    const struct etrace_block block =
        first_of(NAMES ACCESS ",lrid,lresp,lid,sdata,ldata,iaddr_lsbs,dblock\n"
                              "0,0,0,0,0,1,0,1,8,0x2000,3,5,2,4,0x55,0x66,7,1\n");
    assert_int_equal(block.signal[ETRACE_SIGNAL_DRETIRE], 1);
    assert_int_equal(block.signal[ETRACE_SIGNAL_DTYPE], 8);
    assert_int_equal(block.signal[ETRACE_SIGNAL_DADDR], 0x2000);
    assert_int_equal(block.signal[ETRACE_SIGNAL_DSIZE], 3);
    assert_int_equal(block.signal[ETRACE_SIGNAL_LRID], 5);
    assert_int_equal(block.signal[ETRACE_SIGNAL_LRESP], 2);
    assert_int_equal(block.signal[ETRACE_SIGNAL_LID], 4);
    assert_int_equal(block.signal[ETRACE_SIGNAL_SDATA], 0x55);
    assert_int_equal(block.signal[ETRACE_SIGNAL_LDATA], 0x66);
    assert_int_equal(block.signal[ETRACE_SIGNAL_IADDR_LSBS], 7);
    assert_int_equal(block.signal[ETRACE_SIGNAL_DBLOCK], 1);
    assert_false(etrace_block_has(&block, ETRACE_SIGNAL_DATA));
}

static void data_have_up_to_512_bits(void **state)
{
#define UNIFIED NAMES ACCESS ",data\n0,0,0,0,0,1,0,1,0,0,0,"
#define DIGITS  "0123456789abcdefFEDCBA9876543210"
    (void)state;
    struct etrace_block block = first_of(UNIFIED "0x1" DIGITS "\n");
    assert_true(block.wide[0][0] == 0xfedcba9876543210);
    assert_true(block.wide[0][1] == 0x0123456789abcdef);
    assert_true(block.wide[0][2] == 1);
    assert_true(block.signal[ETRACE_SIGNAL_DATA] == block.wide[0][0]);
    block = first_of(UNIFIED "0x" DIGITS DIGITS DIGITS DIGITS);
    assert_true(block.wide[0][7] == 0x0123456789abcdef);
    block = first_of(UNIFIED "18446744073709551615\n");
    assert_true(block.wide[0][0] == UINT64_MAX && block.wide[0][1] == 0);
    refused(UNIFIED "0x1" DIGITS DIGITS DIGITS DIGITS "\n", 2, 23, "data is no number of 512 bits");
    refused(UNIFIED "18446744073709551616\n", 2, 23, "data is no number of 512 bits");
    refused(UNIFIED "0x" DIGITS "g\n", 2, 23, "data is no number of 512 bits");
    refused(UNIFIED "0x0123456789abcdef+0123456789abcde\n", 2, 23, "data is no number");
    refused(UNIFIED "0x\n", 2, 23, "data is no number");
}

static void faults_are_refused_with_their_place(void **state)
{
    (void)state;
    refused(NAMES "\n", 1, 1, "the table has no instruction");
    refused("itype,color\n", 1, 7, "no column color");
    refused(NAMES "\n8,0,0,3,0x1000,7\n", 2, 1, "no value of ilastsize");
    refused(NAMES "\n8,0,0,3,0x1000,7,0,1\n", 2, 20, "more values");
    refused(NAMES "\n8,0,0,3,,7,0\n", 2, 9, "of iaddr is no number");
    refused(NAMES "\n8,0,0,-1,0,7,0\n", 2, 7, "of priv is no number");
    refused(NAMES "\n8,0,0,1f,0,7,0\n", 2, 7, "of priv is no number");
    refused(NAMES "\n8,0,0,0,0,18446744073709551616,0\n", 2, 11, "of iretire is no number");
}

static void a_table_of_retired_instructions_is_a_record(void **state)
{
    (void)state;
#define RETIRED "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
    struct etrace_block block = first_of(RETIRED "1,80000000,9117,3,0,0,0,0\n");
    assert_true(block.retired);
    assert_int_equal(block.signal[ETRACE_SIGNAL_IADDR], 0x80000000);
    assert_int_equal(block.signal[ETRACE_SIGNAL_IRETIRE], 1);
    assert_int_equal(block.signal[ETRACE_SIGNAL_ILASTSIZE], 1);
    assert_int_equal(block.signal[ETRACE_SIGNAL_PRIV], 3);
    block = first_of(RETIRED "1,80000000,1101,3,1,b,12,1\n");
    assert_int_equal(block.signal[ETRACE_SIGNAL_ITYPE], 2);
    assert_int_equal(block.signal[ETRACE_SIGNAL_IRETIRE], 0);
    assert_int_equal(block.signal[ETRACE_SIGNAL_ILASTSIZE], 0);
    assert_int_equal(block.signal[ETRACE_SIGNAL_CAUSE], 0xb);
    assert_int_equal(block.signal[ETRACE_SIGNAL_TVAL], 0x12);
    assert_int_equal(first_of(RETIRED "1,0,73,3,1,b,0,0\n").signal[ETRACE_SIGNAL_ITYPE], 1);
    assert_int_equal(first_of(RETIRED "0,4,13,3,0,0,0,0\n").signal[ETRACE_SIGNAL_IRETIRE], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mandatory_signal_is_there_once),
        cmocka_unit_test(optional_signals_may_be_there_once),
        cmocka_unit_test(data_signals_are_there_in_groups),
        cmocka_unit_test(data_have_up_to_512_bits),
        cmocka_unit_test(faults_are_refused_with_their_place),
        cmocka_unit_test(a_table_of_retired_instructions_is_a_record)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
