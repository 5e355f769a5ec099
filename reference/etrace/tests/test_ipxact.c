/* Descriptions of registers in IP-XACT. Tests of clauses name them. */
#include "common/random.h"
#include "etrace/tests/etrace_text.h"

static struct assay_parameter_values values;
static char text[65536];

static int init(void **state)
{
    (void)state;
    assay_parameters_init(&values, &etrace_parameters);
    text[0] = '\0';
    return 0;
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t length = strlen(text);
    vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
}

/* --- a description, piece by piece; a field is one line --- */

static void begin(const char *vendor)
{
    put("<?xml version=\"1.0\"?><i:component xmlns:i=\"urn:i\"><i:vendor>%s</i:vendor>"
        "<i:library>TraceEncoder</i:library><i:name>TraceEncoder</i:name>"
        "<i:version>0.8</i:version><i:memoryMaps><i:memoryMap><i:addressBlock>",
        vendor);
}

static void begin_register(const char *name, const char *offset, unsigned size, const char *access)
{
    put("<i:register><i:name>%s</i:name><i:addressOffset>%s</i:addressOffset>"
        "<i:size>%u</i:size><i:access>%s</i:access>\n",
        name, offset, size, access);
}

static void field(const char *name, unsigned offset, unsigned width, const char *value)
{
    put("<i:field><i:name>%s</i:name><i:bitOffset>%u</i:bitOffset><i:bitWidth>%u</i:bitWidth>",
        name, offset, width);
    if (value != NULL) {
        put("<i:resets><i:reset><i:value>%s</i:value></i:reset></i:resets>", value);
    }
    put("</i:field>\n");
}

static void end_register(void)
{
    put("</i:register>");
}

static void end(void)
{
    put("</i:addressBlock></i:memoryMap></i:memoryMaps></i:component>\n");
}

static enum assay_error load(struct assay_diag *diag)
{
    return load_text(&values, ".xml", text, diag);
}

static void assert_refused(enum assay_error error, unsigned line, const char *message)
{
    struct assay_diag diag = {0};
    assert_int_equal(load(&diag), error);
    assert_int_equal(diag.line, line);
    if (strstr(diag.message, message) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", diag.message, message);
    }
}

/* --- the map of 9.2 --- */

/* ETR-DISC-036: clauses, name, register, offset, width, value, parameter, its value. */
static const struct {
    const char *clauses, *name;
    unsigned in, offset, width;
    const char *value, *parameter;
    uint64_t due;
} map[] = {
    {"ETR-DISC-040", "version", 0, 0, 4, "1", NULL, 0},
    {"ETR-DISC-041", "minor_revision", 0, 4, 4, "2", NULL, 0},
    {"ETR-DISC-042 ETR-DISC-007", "arch", 0, 8, 4, "'h3", "arch_p", 3},
    {"ETR-DISC-043 ETR-DISC-008", "bpred_size", 0, 12, 4, "4'd6", "bpred_size_p", 6},
    {"ETR-DISC-044 ETR-DISC-009", "cache_size", 0, 16, 4, "0x7", "cache_size_p", 7},
    {"ETR-DISC-045 ETR-DISC-010", "call_counter_size", 0, 20, 3, "'b101", "call_counter_size_p", 5},
    {"ETR-DISC-046 ETR-DISC-021", "comparators", 0, 23, 3, "3", "comparators_p", 4},
    {"ETR-DISC-047 ETR-DISC-028", "context_type_width", 0, 26, 5, "0", "ctype_width_p", 1},
    {"ETR-DISC-048 ETR-DISC-011", "context_width", 0, 31, 5, "31", "context_width_p", 32},
    {"ETR-DISC-049 ETR-DISC-023", "ecause_choice", 0, 36, 3, "4", "ecause_choice_p", 4},
    {"ETR-DISC-050 ETR-DISC-012", "ecause_width", 0, 39, 4, "4", "ecause_width_p", 5},
    {"ETR-DISC-051 ETR-DISC-022", "filters", 0, 43, 4, "15", "filters_p", 16},
    {"ETR-DISC-052 ETR-DISC-024", "filter_context", 0, 47, 1, "0", "filter_context_p", 0},
    {"ETR-DISC-053 ETR-DISC-025", "filter_excint", 0, 48, 4, "2", "filter_excint_p", 2},
    {"ETR-DISC-054 ETR-DISC-026", "filter_privilege", 0, 52, 1, "0", "filter_privilege_p", 0},
    {"ETR-DISC-055 ETR-DISC-027", "filter_tval", 0, 53, 1, "0", "filter_tval_p", 0},
    {"ETR-DISC-056", "filter_impdef", 0, 54, 1, "0", "filter_impdef_p", 0},
    {"ETR-DISC-057 ETR-DISC-013", "f0s_width", 0, 55, 2, "1", "f0s_width_p", 1},
    {"ETR-DISC-058 ETR-DISC-014", "iaddress_lsb", 0, 57, 2, "1", "iaddress_lsb_p", 2},
    {"ETR-DISC-059 ETR-DISC-015", "iaddress_width", 1, 0, 7, "'h3_f", "iaddress_width_p", 64},
    {"ETR-DISC-060 ETR-DISC-029", "ilastsize_width", 1, 7, 7, "1", "ilastsize_width_p", 2},
    {"ETR-DISC-061 ETR-DISC-030", "itype_width", 1, 14, 7, "2", "itype_width_p", 3},
    {"ETR-DISC-062 ETR-DISC-031", "iretire_width", 1, 21, 7, "3", "iretire_width_p", 4},
    {"ETR-DISC-063 ETR-DISC-016", "nocontext", 1, 28, 1, "1", "nocontext_p", 1},
    {"ETR-DISC-064 ETR-DISC-017", "privilege_width", 1, 29, 2, "1", "privilege_width_p", 2},
    {"ETR-DISC-065 ETR-DISC-032", "retires", 1, 31, 3, "7", "retires_p", 8},
    {"ETR-DISC-066 ETR-DISC-018", "return_stack_size", 1, 34, 4, "'o5", "return_stack_size_p", 5},
    {"ETR-DISC-067 ETR-DISC-019", "sijump", 1, 38, 1, "1", "sijump_p", 1},
    {"ETR-DISC-068 ETR-DISC-033", "taken_branches", 1, 39, 4, "1", "taken_branches_p", 2},
    {"ETR-DISC-069 ETR-DISC-034", "impdef_width", 1, 43, 5, "3", "impdef_width_p", 4},
};
enum { FIELDS = sizeof map / sizeof map[0], NONE = FIELDS + 1 };

/* The map; `moved` is a field whose place is one bit further, the one before it a bit shorter. */
static void put_map(const char *vendor, const char *second, size_t moved)
{
    begin(vendor);
    for (unsigned r = 0; r < 2; r++) {
        begin_register(r == 0 ? "discovery_info_0" : "discovery_info_1", r == 0 ? "'h0" : second,
                       64, "read-only");
        for (size_t i = 0; i < FIELDS; i++) {
            if (map[i].in == r) {
                field(map[i].name, map[i].offset + (i == moved), map[i].width - (i + 1 == moved),
                      map[i].value);
            }
        }
        end_register();
    }
    end();
}

/* ETR-DISC-001 ETR-DISC-006 */
static void each_attribute_sets_its_parameter(void **state)
{
    (void)state;
    struct assay_diag diag = {0};
    put_map("UltraSoC", "'h8", NONE);
    if (load(&diag) != ASSAY_OK) {
        fail_msg("line %u: %s", diag.line, diag.message);
    }
    for (size_t i = 0; i < FIELDS; i++) {
        if (map[i].parameter != NULL) {
            const size_t number = parameter(map[i].parameter);
            assert_int_equal(values.value[number], map[i].due);
            assert_int_equal(values.site[number].origin, ASSAY_PARAMETER_CONFIG);
            assert_int_equal(values.site[number].line, 2 + i + map[i].in);
        }
    }
    assert_true(values.known[ETRACE_DISCOVERY_OVERLAP]);
    assert_int_equal(values.value[ETRACE_DISCOVERY_OVERLAP], 0);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
}

/* ETR-DISC-039 */
static void registers_that_overlap_are_read_as_if_they_did_not_and_noted(void **state)
{
    (void)state;
    struct assay_diag diag;
    put_map("UltraSoC", "'h4", NONE);
    assert_int_equal(load(&diag), ASSAY_OK);
    assert_int_equal(values.value[ETRACE_IADDRESS_WIDTH], 64);
    assert_int_equal(values.value[ETRACE_DISCOVERY_OVERLAP], 1);
    assert_int_equal(values.site[ETRACE_DISCOVERY_OVERLAP].line, 21);
}

static void fields_of_the_known_component_have_their_places(void **state)
{
    put_map("UltraSoC", "'h8", 2);
    assert_refused(ASSAY_CONTRADICTION, 3, "minor_revision of UltraSoC");
    struct assay_diag diag;
    for (size_t i = 2; i < FIELDS; i++) {
        init(state);
        put_map("UltraSoC", "'h8", i);
        assert_true(load(&diag) != ASSAY_OK);
    }
    init(state);
    put_map("another vendor", "'h8", FIELDS - 1);
    assert_int_equal(load(&diag), ASSAY_OK);
    init(state);
    begin("UltraSoC"); /* ETR-DISC-038 */
    begin_register("discovery_info_0", "0", 32, "read-only");
    field("arch", 8, 4, "0");
    end_register();
    end();
    assert_refused(ASSAY_CONTRADICTION, 2, "arch of UltraSoC");
    init(state);
    begin("UltraSoC");
    begin_register("discovery_info_0", "0", 64, "read-write");
    field("arch", 8, 4, "0");
    end_register();
    end();
    assert_refused(ASSAY_CONTRADICTION, 2, "arch of UltraSoC");
}

/* --- faults of a description --- */

/* ETR-DISC-070 ETR-DISC-071: two fields of a register of 16 bits. */
static void fields_fit_beside_each_other_and_values_in_them(void **state)
{
    static const struct {
        unsigned offset, width;
        const char *value;
        enum assay_error error;
        const char *message;
    } second[] = {
        {4, 4, "15", ASSAY_OK, NULL},
        {12, 4, "15", ASSAY_OK, NULL},
        {3, 4, "0", ASSAY_CONTRADICTION, "cache_size overlaps"},
        {13, 4, "0", ASSAY_OUT_OF_RANGE, "does not fit in a register of 16 bits"},
        {4, 17, "0", ASSAY_OUT_OF_RANGE, "does not fit in a register of 16 bits"},
        {4, 0, "0", ASSAY_OUT_OF_RANGE, "does not fit in a register of 16 bits"},
        {4, 3, "8", ASSAY_OUT_OF_RANGE, "the value of cache_size does not fit in its 3 bits"},
        {4, 4, NULL, ASSAY_SYNTAX, "cache_size has no value"},
        {4, 4, "x", ASSAY_WRONG_TYPE, "value is a number"},
        {4, 4, "'h", ASSAY_WRONG_TYPE, "value is a number"},
        {4, 4, "'z1", ASSAY_WRONG_TYPE, "value is a number"},
        {4, 4, "18446744073709551616", ASSAY_WRONG_TYPE, "value is a number"},
    };
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++) {
        struct assay_diag diag;
        init(state);
        begin("v");
        begin_register("r", "0", 16, "read-only");
        field("bpred_size", 0, 4, "1");
        field("cache_size", second[i].offset, second[i].width, second[i].value);
        end_register();
        end();
        if (second[i].error == ASSAY_OK) {
            assert_int_equal(load(&diag), ASSAY_OK);
        } else {
            assert_refused(second[i].error, 3, second[i].message);
        }
    }
}

static void an_attribute_out_of_the_range_of_its_parameter_is_refused(void **state)
{
    (void)state;
    begin("v");
    begin_register("r", "0", 64, "read-only");
    field("iaddress_width", 0, 7, "64");
    end_register();
    end();
    assert_refused(ASSAY_OUT_OF_RANGE, 2, "iaddress_width_p is from 1 to 64");
    init(NULL);
    begin("v");
    begin_register("r", "0", 64, "read-only");
    field("context_width", 0, 64, "'hffff_ffff_ffff_ffff");
    end_register();
    end();
    assert_refused(ASSAY_OUT_OF_RANGE, 2, "context_width_p is from 0 to 64");
}

static void an_attribute_occurs_once_and_agrees_with_other_files(void **state)
{
    begin("v");
    begin_register("r", "0", 64, "read-only");
    field("arch", 0, 4, "1");
    field("arch", 8, 4, "1");
    end_register();
    end();
    assert_refused(ASSAY_DUPLICATE, 3, "arch_p occurs twice");
    init(state);
    struct assay_diag diag;
    assert_int_equal(load_text(&values, ".cfg", "\narch_p=2\n", &diag), ASSAY_OK);
    begin("v");
    begin_register("r", "0", 64, "read-only");
    field("arch", 0, 4, "1");
    end_register();
    end();
    assert_int_equal(load(&diag), ASSAY_CONTRADICTION);
    assert_int_equal(diag.line, 2);
    assert_non_null(strstr(diag.hint, ".cfg:2:8"));
}

static void unknown_fields_are_refused_in_discovery_registers_only(void **state)
{
    begin("v");
    begin_register("discovery_info_7", "0", 64, "read-only");
    field("cache_sizes", 0, 4, "1");
    end_register();
    end();
    assert_refused(ASSAY_UNKNOWN_NAME, 2, "no attribute is called \"cache_sizes\"");
    init(state);
    struct assay_diag diag;
    begin("v");
    begin_register("sink", "0", 64, "read-only");
    field("cache_sizes", 0, 4, "1");
    field("arch", 4, 4, "1");
    end_register();
    end();
    assert_int_equal(load(&diag), ASSAY_OK);
    init(state);
    begin("v");
    begin_register("sink", "0", 64, "read-only");
    field("other", 0, 4, "1");
    end_register();
    end();
    assert_refused(ASSAY_SYNTAX, 1, "none of an encoder's attributes");
}

static void what_is_no_description_is_refused(void **state)
{
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line;
    } bad[] = {
        {"", ASSAY_SYNTAX, 1},
        {"\n\n<a>", ASSAY_SYNTAX, 3},
        {"<a/>", ASSAY_SYNTAX, 1},
        {"\n<!DOCTYPE component [<!ENTITY e \"x\">]>\n<component>&e;</component>",
         ASSAY_UNSUPPORTED, 2},
        {"<!DOCTYPE component SYSTEM \"/etc/passwd\"><component/>", ASSAY_UNSUPPORTED, 1},
        {"<component>&e;</component>", ASSAY_SYNTAX, 1},
        {"<component/>", ASSAY_SYNTAX, 1},
        {"<component><memoryMaps><memoryMap><addressBlock>\n<register/>", ASSAY_SYNTAX, 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct assay_diag diag = {0};
        init(state);
        assert_int_equal(load_text(&values, ".xml", bad[i].text, &diag), bad[i].error);
        assert_int_equal(diag.line, bad[i].line);
    }
}

/* Bytes replaced at random: every description is read or refused. */
static void damaged_descriptions_are_survived(void **state)
{
    uint64_t random = 1;
    for (unsigned n = 0; n < 3000; n++) {
        struct assay_diag diag = {0};
        init(state);
        put_map("UltraSoC", "'h8", NONE);
        for (unsigned i = 0; i < 1 + n % 3; i++) {
            static const char bytes[] = "<>/'h0123456789&;x ";
            text[assay_random_below(&random, strlen(text))] =
                bytes[assay_random_below(&random, sizeof bytes - 1)];
        }
        assert_true(load(&diag) == ASSAY_OK || diag.message[0] != '\0');
    }
}

/* --- limits --- */

/* A description that has nothing but a piece `count` times, between others; null: it is read. */
static void assert_limit(const char *first, const char *piece, size_t count, const char *last,
                         const char *message)
{
    static const char begin_of[] = "<component>", end_of[] = "</component>";
    struct assay_diag diag = {0};
    const size_t length = strlen(piece);
    init(NULL);
    char *large =
        malloc(sizeof begin_of + sizeof end_of + strlen(first) + strlen(last) + length * count);
    assert_non_null(large);
    char *at = stpcpy(stpcpy(large, begin_of), first);
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, piece);
    }
    stpcpy(stpcpy(at, last), end_of);
    const enum assay_error error = load_text(&values, ".xml", large, &diag);
    free(large);
    if (error != (message != NULL ? ASSAY_LIMIT : ASSAY_SYNTAX) ||
        strstr(diag.message, message != NULL ? message : "none of an encoder's") == NULL) {
        fail_msg("%s", diag.message);
    }
}

static void descriptions_that_would_cost_much_are_refused(void **state)
{
    enum { ELEMENTS = 1 << 16, ATTRIBUTES = 256, BYTES = 1 << 22 };
    (void)state;
    assert_limit("", "<b/>", ELEMENTS - 1, "", NULL);
    assert_limit("", "<b/>", ELEMENTS, "", "65536 elements");
    assert_limit("", "<!---->", ELEMENTS, "", "65536 elements");
    assert_limit("<b", " a='='", ATTRIBUTES + 1, "/>", "256 attributes of an element");
    assert_limit("", "<b a='' b='' c=''/>", ELEMENTS / 3 + 1, "", "65536 attributes");
    assert_limit("", "                ", BYTES / 16, "", "4194304 bytes");
    assert_limit("<!-- ", "= ", ATTRIBUTES + 1, "-->", NULL);
    assert_limit("<b c='>", "=", ATTRIBUTES + 1, "'/>", NULL);
    assert_limit("<![CDATA[<", "=", ATTRIBUTES + 1, "]]>", NULL);
}

static void encodings_are_those_that_have_ascii(void **state)
{
    static const struct {
        const char *text;
        enum assay_error error;
    } given[] = {
        {"<?xml version='1.0' encoding='utf-8'?><component/>", ASSAY_SYNTAX},
        {"\xef\xbb\xbf<component/>", ASSAY_SYNTAX},
        {"<?xml version='1.0' encoding=\"ISO-8859-1\"?><component/>", ASSAY_SYNTAX},
        {"<?xml version='1.0' encoding='UTF-7'?><component/>", ASSAY_UNSUPPORTED},
        {"\xff\xfe<", ASSAY_UNSUPPORTED},
        {"\x4c\x6f\xa7\x94", ASSAY_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        struct assay_diag diag = {0};
        init(state);
        assert_int_equal(load_text(&values, ".xml", given[i].text, &diag), given[i].error);
        assert_int_equal(strstr(diag.message, "none of an encoder's") != NULL,
                         given[i].error == ASSAY_SYNTAX);
    }
}

/* --- control registers --- */

static void put_controls(const char *name, unsigned width, const char *access, const char *value,
                         const char *left_out)
{
    static const struct {
        const char *name;
        unsigned width;
    } mandatory[] = {{"Active", 1}, {"iEnable", 1}, {"ResyncMode", 2}};
    begin("v");
    begin_register("control", "0", 64, "read-write");
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(mandatory[i].name, name) != 0 && strcmp(mandatory[i].name, left_out) != 0) {
            field(mandatory[i].name, 8 * i, mandatory[i].width, NULL);
        }
    }
    end_register();
    begin_register("other", "8", 64, access);
    if (name[0] != '\0') {
        field(name, 0, width, value);
    }
    end_register();
    end();
}

/* ETR-CTL-002 ETR-CTL-003 ETR-CTL-004 */
static void mandatory_control_fields_are_not_left_out(void **state)
{
    struct assay_diag diag;
    put_controls("", 0, "read-write", NULL, "");
    assert_int_equal(load(&diag), ASSAY_OK);
    init(state);
    put_controls("", 0, "read-write", NULL, "ResyncMode");
    assert_refused(ASSAY_SYNTAX, 1, "ResyncMode is missing");
    init(state);
    assert_int_equal(load_text(&values, ".cfg", "data_width_p=64", &diag), ASSAY_OK);
    put_controls("", 0, "read-write", NULL, "");
    assert_refused(ASSAY_SYNTAX, 1, "dEnable is missing");
}

/* Each field of tables 2.1 to 2.6. -1: the reset value is the system's. */
static const struct {
    const char *clause, *name;
    unsigned width;
    int reset;
} controls[] = {
    {"ETR-CTL-005", "Active", 1, 0},
    {"ETR-CTL-010", "iEnable", 1, 0},
    {"ETR-CTL-013", "dEnable", 1, 0},
    {"ETR-CTL-016", "iTrigEnable", 1, 0},
    {"ETR-CTL-020", "dTrigEnable", 1, 0},
    {"ETR-CTL-024", "stallEnable", 1, 0},
    {"ETR-CTL-028", "Empty", 1, 1},
    {"ETR-CTL-031", "ResyncMode", 2, -1},
    {"ETR-CTL-034", "ResyncMax", 4, -1},
    {"ETR-OPT-001", "FullAddress", 1, -1},
    {"ETR-OPT-002", "ImplicitExcept", 1, -1},
    {"ETR-OPT-003", "siJump", 1, -1},
    {"ETR-OPT-004", "ImplicitReturn", 1, -1},
    {"ETR-OPT-005", "BranchPrediction", 1, -1},
    {"ETR-OPT-006", "JumpTargetCache", 1, -1},
    {"ETR-OPT-007", "noData", 1, -1},
    {"ETR-OPT-008", "noAddress", 1, -1},
    {"ETR-OPT-009", "DataCompress", 2, -1},
    {"ETR-FLT-001", "iFilters", 16, 0},
    {"ETR-FLT-004", "dFilters", 16, 0},
    {"ETR-FLT-008", "filterEnable", 1, 0},
    {"ETR-FLT-009", "matchComp1", 1, 0},
    {"ETR-FLT-010", "comp1", 3, 0},
    {"ETR-FLT-011", "matchComp2", 1, 0},
    {"ETR-FLT-012", "comp2", 3, 0},
    {"ETR-FLT-013", "matchComp3", 1, 0},
    {"ETR-FLT-014", "comp3", 3, 0},
    {"ETR-FLT-015", "matchPrivilege", 1, 0},
    {"ETR-FLT-016", "matchEcause", 1, 0},
    {"ETR-FLT-017", "matchInterrupt", 1, 0},
    {"ETR-FLT-017", "matchInterupt", 1, 0},
    {"ETR-FLT-018", "matchImpdef", 1, 0},
    {"ETR-FLT-019", "matchDtype", 1, 0},
    {"ETR-FLT-020", "matchDsize", 1, 0},
    {"ETR-FLT-035", "matchChoicePrivilege", 8, -1},
    {"ETR-FLT-036", "matchValueInterrupt", 1, -1},
    {"ETR-FLT-037", "matchChoiceEcause", 32, -1},
    {"ETR-FLT-040", "matchChoiceDtype", 16, -1},
    {"ETR-FLT-041", "matchChoiceDsize", 8, -1},
    {"ETR-FLT-049", "pInput", 2, -1},
    {"ETR-FLT-050", "sInput", 2, -1},
    {"ETR-FLT-051", "pFunction", 3, -1},
    {"ETR-FLT-052", "sFunction", 3, -1},
    {"ETR-FLT-053", "matchMode", 2, -1},
    {"ETR-FLT-056", "pNotify", 1, 0},
    {"ETR-FLT-057", "sNotify", 1, 0},
};

static void control_fields_are_as_chapter_2_has_them(void **state)
{
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        const char *name = controls[i].name;
        const bool empty = strcmp(name, "Empty") == 0;
        const char *access = empty ? "read-only" : "read-write";
        struct assay_diag diag = {0};
        init(state);
        put_controls(name, controls[i].width, access, controls[i].reset == 1 ? "1" : "0", "");
        if (load(&diag) != ASSAY_OK) {
            fail_msg("%s: %s", name, diag.message);
        }
        init(state);
        put_controls(name, controls[i].width + 1, access, NULL, "");
        assert_int_equal(load(&diag), ASSAY_CONTRADICTION);
        init(state);
        put_controls(name, controls[i].width, empty ? "read-write" : "read-only", NULL, "");
        assert_int_equal(load(&diag), ASSAY_CONTRADICTION);
        init(state);
        put_controls(name, controls[i].width, access, controls[i].reset == 1 ? "0" : "1", "");
        assert_int_equal(load(&diag), controls[i].reset < 0 ? ASSAY_OK : ASSAY_CONTRADICTION);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_attribute_sets_its_parameter, init),
        cmocka_unit_test_setup(registers_that_overlap_are_read_as_if_they_did_not_and_noted, init),
        cmocka_unit_test_setup(fields_of_the_known_component_have_their_places, init),
        cmocka_unit_test_setup(fields_fit_beside_each_other_and_values_in_them, init),
        cmocka_unit_test_setup(an_attribute_out_of_the_range_of_its_parameter_is_refused, init),
        cmocka_unit_test_setup(an_attribute_occurs_once_and_agrees_with_other_files, init),
        cmocka_unit_test_setup(unknown_fields_are_refused_in_discovery_registers_only, init),
        cmocka_unit_test_setup(what_is_no_description_is_refused, init),
        cmocka_unit_test_setup(damaged_descriptions_are_survived, init),
        cmocka_unit_test_setup(descriptions_that_would_cost_much_are_refused, init),
        cmocka_unit_test_setup(encodings_are_those_that_have_ascii, init),
        cmocka_unit_test_setup(mandatory_control_fields_are_not_left_out, init),
        cmocka_unit_test_setup(control_fields_are_as_chapter_2_has_them, init),
    };
    return cmocka_run_group_tests_name("etrace-ipxact", tests, NULL, NULL);
}
