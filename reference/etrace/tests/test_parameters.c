/* The parameters of E-Trace: names, ranges, defaults, profiles and files. The folder
 * shared/samples/etrace beside the source tree has files of other tools; where there is none, those
 * tests are skipped. */
#include "etrace/tests/etrace_text.h"

static struct assay_parameter_values values;

static int init(void **state)
{
    (void)state;
    assay_parameters_init(&values, &etrace_parameters);
    return 0;
}

static void assert_value(const char *name, uint64_t due)
{
    uint64_t value = 0;
    if (!assay_parameter_get(&values, parameter(name), &value) || value != due) {
        fail_msg("%s is %llu, not %llu", name, (unsigned long long)value, (unsigned long long)due);
    }
}

static void the_table_is_valid(void **state)
{
    (void)state;
    assert_null(assay_parameter_table_fault(&etrace_parameters));
}

/* ETR-DISC-002: clauses, name, range, default of 1.1.1 and of 2.0. */
static const struct {
    const char *clauses, *name;
    uint64_t least, most, value, value_2_0;
} table[] = {
    {"ETR-PAR-002 ETR-DISC-007", "arch_p", 0, 15, 0, 0},
    {"ETR-PAR-003 ETR-DISC-008", "bpred_size_p", 0, 15, 0, 0},
    {"ETR-PAR-004 ETR-DISC-009", "cache_size_p", 0, 15, 0, 0},
    {"ETR-PAR-005 ETR-DISC-010", "call_counter_size_p", 0, 7, 0, 0},
    {"ETR-PAR-007 ETR-DISC-011", "context_width_p", 0, 64, 1, 1},
    {"ETR-PAR-008 ETR-DISC-012", "ecause_width_p", 0, 64, 4, 4},
    {"ETR-PAR-010 ETR-DISC-013", "f0s_width_p", 0, 3, 0, 0},
    {"ETR-PAR-015 ETR-DISC-014", "iaddress_lsb_p", 0, 63, 1, 1},
    {"ETR-PAR-016 ETR-DISC-015", "iaddress_width_p", 1, 64, 32, 32},
    {"ETR-PAR-020 ETR-DISC-016", "nocontext_p", 0, 1, 0, 1},
    {"ETR-PAR-021 ETR-DISC-017", "privilege_width_p", 1, 8, 3, 2},
    {"ETR-PAR-023 ETR-DISC-018", "return_stack_size_p", 0, 15, 0, 0},
    {"ETR-PAR-024 ETR-DISC-019", "sijump_p", 0, 1, 0, 0},
    {"ETR-DISC-021", "comparators_p", 0, 8, 1, 1},
    {"ETR-DISC-022", "filters_p", 0, 16, 1, 1},
    {"ETR-PAR-009 ETR-DISC-023", "ecause_choice_p", 0, 5, 5, 5},
    {"ETR-PAR-011 ETR-DISC-024", "filter_context_p", 0, 1, 1, 1},
    {"ETR-PAR-012 ETR-DISC-025", "filter_excint_p", 0, 15, 1, 1},
    {"ETR-PAR-013 ETR-DISC-026", "filter_privilege_p", 0, 1, 1, 1},
    {"ETR-PAR-014 ETR-DISC-027", "filter_tval_p", 0, 1, 1, 1},
    {"ETR-PAR-006 ETR-DISC-028", "ctype_width_p", 0, 64, 2, 1},
    {"ETR-PAR-018 ETR-DISC-029", "ilastsize_width_p", 0, 64, 1, 1},
    {"ETR-PAR-019 ETR-DISC-030", "itype_width_p", 0, 64, 4, 4},
    {"ETR-PAR-017 ETR-DISC-031", "iretire_width_p", 0, 64, 3, 2},
    {"ETR-PAR-022 ETR-DISC-032", "retires_p", 0, 65535, 1, 1},
    {"ETR-PAR-025 ETR-DISC-033", "taken_branches_p", 0, 65535, 1, 1},
    {"ETR-PAR-026 ETR-DISC-034", "impdef_width_p", 0, 64, 1, 1},
    {"", "notime_p", 0, 1, 1, 1},
    {"", "time_width_p", 0, 64, 1, 1},
};

static void parameters_have_the_defaults_of_their_version(void **state)
{
    (void)state;
    struct assay_diag diag;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_value(table[i].name, table[i].value);
    }
    assert_int_equal(assay_parameters_profile(&values, 2, "etrace-2.0", &diag), ASSAY_OK);
    assay_parameters_settle(&values);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_value(table[i].name, table[i].value_2_0);
        assert_int_equal(values.site[parameter(table[i].name)].origin, ASSAY_PARAMETER_DEFAULT);
    }
    assert_value("wire", ETRACE_2_0);
    assert_int_equal(values.site[ETRACE_WIRE].origin, ASSAY_PARAMETER_PROFILE);
}

static void values_out_of_their_range_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct assay_parameter *p = &etrace_parameters.list[parameter(table[i].name)];
        assert_int_equal(p->least, table[i].least);
        assert_int_equal(p->most, table[i].most);
    }
    static const char *const bad[] = {/* ETR-PAR-006 ETR-PAR-019 ETR-PAR-029 */
                                      "itype_width_p=65", "ctype_width_p=65", "ioptions_n=65",
                                      "nocontext_p=2", "filter_tval_p=2", "iaddress_lsb_p=64",
                                      /* a code or value that its field does not have: ETR-CTL-031
                                         ETR-CTL-034 ETR-FLT-001 ETR-FLT-010 ETR-FLT-049 */
                                      "ResyncMode=4", "ResyncMax=16", "iFilters=0x10000",
                                      "filter3.comp1=8", "comparator7.pInput=4", "Empty=2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct assay_diag diag;
        init(state);
        assert_int_equal(load_text(&values, ".cfg", bad[i], &diag), ASSAY_OUT_OF_RANGE);
        assert_int_equal(diag.line, 1);
    }
}

/* ETR-CTL-032 ETR-FLT-058 ETR-PAR-028 */
static void codes_have_names(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".cfg",
                               "ResyncMode=half_words\nDataCompress=xor\ncomparator1.pInput=daddr\n"
                               "comparator1.sInput=tval\ncomparator0.pFunction=at_least\n"
                               "comparator0.sFunction=mask\ncomparator0.matchMode=hold\n"
                               "cache_size_p=1\nbpred_size_p=1\nreturn_stack_size_p=1\n"
                               "f0s_width_p=1\n",
                               &diag),
                     ASSAY_OK);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    assert_value("ResyncMode", 3);
    assert_value("comparator1.pInput", 3);
    assert_value("comparator1.sInput", 2);
    assert_value("comparator0.pFunction", 5);
    assert_value("comparator0.sFunction", 6);
    assert_value("comparator0.matchMode", 3);
}

static void a_profile_that_contradicts_the_configuration_is_told_with_its_place(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".cfg", "xlen=32\nwire=1.1.1\n", &diag), ASSAY_OK);
    assert_int_equal(assay_parameters_profile(&values, 1, "etrace-1.1.1", &diag), ASSAY_OK);
    assert_int_equal(assay_parameters_profile(&values, 2, "etrace-2.0", &diag),
                     ASSAY_CONTRADICTION);
    assert_int_equal(diag.line, 2);
    assert_string_equal(diag.message, "wire is 1.1.1 here, but the profile is etrace-2.0");
}

static void a_default_of_the_version_does_not_replace_what_was_given(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".yaml", "wire: 2.0\nnocontext_p: 0\n", &diag), ASSAY_OK);
    assay_parameters_settle(&values);
    assert_value("nocontext_p", 0);
    assert_value("privilege_width_p", 2);
}

static void a_list_of_the_public_library_is_read(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".csv",
                               "# groups\r\n.packet.srcid_bytes_p,1\r\n.packet.tstamp_bytes_p,4\n"
                               ".packet.type_width_p,1\n\n.itrace.iaddress_width_p,64\n"
                               ".itrace.blocks_p,0\n.itrace.notime_p,1\n.dtrace.data_width_p,64\n"
                               ".sup.enc_mode_width_p,2\n.sup.ioptions_width_p,32\n"
                               ".sup.denable_width_p,0\n.sup.packet_flow_id,-1\n",
                               &diag),
                     ASSAY_OK);
    assay_parameters_settle(&values);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    assert_value("wire", ETRACE_2_0);
    assert_value("source_width", 8);
    assert_value("timestamp_size", 4);
    assert_value("type_width", 1);
    assert_value("instruction_type", 0);
    assert_value("data_type", 1);
    assert_value("taken_branches_p", 0);
    assert_value("data_width_p", 64);
    assert_value("encoder_mode_n", 2);
    assert_value("ioptions_n", 32);
    assert_value("denable_n", 0);
    assert_value("dloss_n", 1);
}

static void a_line_of_a_list_that_says_nothing_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line;
    } bad[] = {
        {".itrace.arch_p,0\n.itrace.iaddress_width_p=64\n", ASSAY_SYNTAX, 2},
        {",64\n", ASSAY_SYNTAX, 1},
        {".itrace.arch_p,\n", ASSAY_SYNTAX, 1},
        {".itrace.arch,0\n", ASSAY_UNKNOWN_NAME, 1},
        {".packet.arch_p,0\n", ASSAY_UNKNOWN_NAME, 1},
        {".packet.srcid_bytes_p,3\n", ASSAY_OUT_OF_RANGE, 1},
        {".packet.srcid_bytes_p,-1\n", ASSAY_WRONG_TYPE, 1},
        {".itrace.notime_p,1\n.itrace.iaddress_width_p,65\n", ASSAY_OUT_OF_RANGE, 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct assay_diag diag;
        init(state);
        assert_int_equal(load_text(&values, ".csv", bad[i].text, &diag), bad[i].error);
        assert_int_equal(diag.line, bad[i].line);
    }
}

static void registers_say_what_other_parameters_say(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(
        load_text(&values, ".cfg", "FullAddress=1\nResyncMode=packets\nResyncMax=2\n", &diag),
        ASSAY_OK);
    assay_parameters_settle(&values);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    assert_value("full_address", 1);
    assert_value("full_address_bit", 64);
    assert_value("max_resync", 64);
}

static void an_option_has_a_bit_by_default_if_no_other_one_is_given_that_bit(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".cfg", "no_address_bit=0\nfull_address=0\n", &diag),
                     ASSAY_OK);
    assay_parameters_settle(&values);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    assert_value("no_address_bit", 0);
    assert_value("sijump_bit", 64);
    assert_value("implicit_return_bit", 1);
    assert_value("full_address_bit", 64);
}

static void options_of_data_have_bits_of_their_own_in_version_2_0(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(
        load_text(&values, ".cfg", "wire=200\nno_address_bit=0\nsijump_bit=0\n", &diag), ASSAY_OK);
    assay_parameters_settle(&values);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    assert_value("no_address_bit", 0);
    assert_value("sijump_bit", 0);
}

static void what_does_not_go_together_is_told_with_its_place(void **state)
{
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line;
    } bad[] = {
        {"full_address=0\nFullAddress=1\n", ASSAY_CONTRADICTION, 2},
        {"max_resync=63\nResyncMode=1\nResyncMax=2\n", ASSAY_CONTRADICTION, 3},
        {"xlen=33\n", ASSAY_OUT_OF_RANGE, 1},
        {"wire=150\n", ASSAY_OUT_OF_RANGE, 1},
        {"iaddress_width_p=1\niaddress_lsb_p=2\n", ASSAY_CONTRADICTION, 2},
        {"bpred_size_p=2\ncache_size_p=2\nf0s_width_p=0\n", ASSAY_CONTRADICTION, 3},
        {"sijump_bit=3\nfull_address_bit=3\n", ASSAY_CONTRADICTION, 2},
        {"no_data_bit=3\nsijump_bit=3\n", ASSAY_CONTRADICTION, 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct assay_diag diag;
        init(state);
        assert_int_equal(load_text(&values, ".cfg", bad[i].text, &diag), ASSAY_OK);
        assay_parameters_settle(&values);
        assert_int_equal(assay_parameters_check(&values, &diag), bad[i].error);
        assert_int_equal(diag.line, bad[i].line);
    }
}

/* --- files of other tools --- */

static void a_file_of_an_encoder_of_lines_is_read(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".scf",
                               "# an example\n[Required Attributes]\narch_p=0\n"
                               "context_width_p = 32 ; of satp\niaddress_width_p=64\n"
                               "[Optional Filtering Attributes]\ncomparators_p=1\nfilters_p=1\n",
                               &diag),
                     ASSAY_OK);
    assert_value("context_width_p", 32);
    assert_value("iaddress_width_p", 64);
}

static void samples_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
        uint64_t value;
    } samples[] = {
        {"calls64/full/enc.cfg", "ecause_width_p", 5},
        {"b31/base/enc.cfg", "wire", ETRACE_1_1_1},
        {"calls64/v2tec_sij/enc.cfg", "wire", ETRACE_2_0},
        {"calls64/v2py_itype4_basic/hardware.scf", "context_width_p", 32},
        {"calls32/v2py_itype4_basic/hardware.scf", "iretire_width_p", 3},
        {"amo64/dtype_basic/hardware_64.scf", "daddress_width_p", 64},
        {"amo64/dtype_basic/hardware_64.scf", "ldata_width_p", 32},
    };
    unsigned read = 0;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char path[4096];
        struct assay_diag diag;
        snprintf(path, sizeof path, "%s/%s", ASSAY_SAMPLES, samples[i].file);
        if (access(path, R_OK) != 0) {
            continue;
        }
        read++;
        init(state);
        if (assay_parameters_load(&values, path, &diag) != ASSAY_OK) {
            fail_msg("%s: %s", path, diag.message);
        }
        assay_parameters_settle(&values);
        assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
        assert_value(samples[i].name, samples[i].value);
    }
    if (read == 0) {
        print_message("skipped: there are no samples in " ASSAY_SAMPLES "\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_table_is_valid, init),
        cmocka_unit_test_setup(parameters_have_the_defaults_of_their_version, init),
        cmocka_unit_test_setup(values_out_of_their_range_are_refused, init),
        cmocka_unit_test_setup(codes_have_names, init),
        cmocka_unit_test_setup(a_profile_that_contradicts_the_configuration_is_told_with_its_place,
                               init),
        cmocka_unit_test_setup(a_default_of_the_version_does_not_replace_what_was_given, init),
        cmocka_unit_test_setup(a_list_of_the_public_library_is_read, init),
        cmocka_unit_test_setup(a_line_of_a_list_that_says_nothing_is_refused_with_its_place, init),
        cmocka_unit_test_setup(registers_say_what_other_parameters_say, init),
        cmocka_unit_test_setup(an_option_has_a_bit_by_default_if_no_other_one_is_given_that_bit,
                               init),
        cmocka_unit_test_setup(options_of_data_have_bits_of_their_own_in_version_2_0, init),
        cmocka_unit_test_setup(what_does_not_go_together_is_told_with_its_place, init),
        cmocka_unit_test_setup(a_file_of_an_encoder_of_lines_is_read, init),
        cmocka_unit_test_setup(samples_are_read, init),
    };
    return cmocka_run_group_tests_name("etrace-parameters", tests, NULL, NULL);
}
