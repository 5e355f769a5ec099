/* Snapshots that the test writes itself: a good one, of which each case replaces a file. */
#include "folder_support.h"

#include "common/yaml.h"

static char ini[64]; /* folder/snap/snapshot.ini */

static const struct assay_parameter parameters[] = {
    {.name = "TRCIDR0", .most = UINT32_MAX, .hex = true},
    {.name = "TRCTRACEIDR", .most = UINT32_MAX, .hex = true},
};
static const struct assay_ignored_parameter ignored[] = {
    {.name = "TRCRSR"}, {.name = "TRCRSCTLR", .is_numbered = true, .least = 2, .most = 31}};
static const struct assay_parameter_table table = {
    .list = parameters, .count = 2, .ignored = ignored, .ignored_count = 2};
static const struct assay_format ete = {.name = "ete", .parameters = &table};
static const struct assay_format *const formats[] = {&ete, NULL};

/* --- files --- */

static const struct text_file good[] = {
    {"snapshot.ini", "[snapshot]\nversion=1.0\ndescription=any\n"
                     "[device_list]\ndevice0=cpu.ini\ndevice1=unit.ini\ndevice2=software.ini\n"
                     "[clusters]\nc0=cpu_0\n"
                     "[trace]\nmetadata=trace.ini\n"},
    {"cpu.ini", "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x0\n"
                "[dump1]\nfile=code.bin\naddress=0x1000\nlength=0x4\noffset=2\nspace=EL1N\n"
                "[dump2]\nfile=\"gone.bin\"\naddress=0x2000\n"
                "[dump3]\nfile=code.bin\naddress=0x3000\n"},
    {"unit.ini", "[device]\nname=ETE_0\nclass=trace_source\ntype=ETE\n"
                 "[regs]\nTRCIDR0(0x78)=0x28000ea1\ntrctraceidr=0x12\nTRCOTHER(size:64)=7\n"},
    {"software.ini", "[device]\nname=STM_0\nclass=trace_source\ntype=STM\n"
                     "[regs]\nSTMTCSR=0x00200003\n"},
    {"trace.ini", "[trace_buffers]\nbuffers=buffer0,\n"
                  "[buffer0]\nname=ETB_0\nfile=data.bin\nformat=source_data\n"
                  "[source_buffers]\nETE_0=ETB_0\n[core_trace_sources]\ncpu_0=ETE_0\n"},
    {"data.bin", "0123456789"},
    {"code.bin", "abcdefgh"},
};

static int restore(void **state)
{
    (void)state;
    return write_files(good, sizeof good / sizeof good[0]);
}

static int make_folder(void **state)
{
    char path[128];
    if (open_folder() != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/snap", folder);
    snprintf(ini, sizeof ini, "%s/snap/snapshot.ini", folder);
    below = "/snap";
    return mkdir(path, 0700) | restore(state) | write_file("../outside.bin", "x");
}

static enum assay_error load(const char *path, struct assay_manifest *m, struct assay_diag *diag)
{
    return load_manifest(path, formats, m, diag);
}

static void load_good(struct assay_manifest *m)
{
    struct assay_diag diag;
    const enum assay_error error = load(ini, m, &diag);
    if (error != ASSAY_OK) {
        fail_msg("%s:%u: %s", diag.path, (unsigned)diag.line, diag.message);
    }
}

/* Whether text ends in a name of a file. */
static bool is_file(const char *path, const char *name)
{
    const size_t length = strlen(path);
    const size_t tail = strlen(name);
    return length > tail && strcmp(path + length - tail, name) == 0 &&
           path[length - tail - 1] == '/';
}

/* --- tests --- */

static void a_path_is_a_snapshots_by_its_name(void **state)
{
    (void)state;
    assert_true(cs_is_snapshot("snapshot.ini"));
    assert_true(cs_is_snapshot("a/snapshot.ini"));
    assert_true(cs_is_snapshot("a/snapshot.ini#ETB_0"));
    assert_true(assay_is_manifest("a/snapshot.ini"));
    assert_false(cs_is_snapshot("a/mysnapshot.ini"));
    assert_false(cs_is_snapshot("snapshot.ini/a"));
    assert_false(cs_is_snapshot("snapshot.init"));
}

static void a_buffer_is_an_input_with_its_data_registers_and_dumps(void **state)
{
    (void)state;
    struct assay_manifest m;
    load_good(&m);
    assert_int_equal(m.input_count, 0);
    assert_int_equal(m.data_count, 1);
    assert_true(is_file(m.data[0], "data.bin"));
    assert_string_equal(m.names[0], "data.bin");
    assert_string_equal(m.all.format, "ete");
    assert_int_equal(m.all.framing, ASSAY_FRAMING_RAW);
    assert_int_equal(m.stream_count, 0);
    assert_int_equal(m.file_count, 5);
    struct assay_parameter_values values;
    struct assay_diag diag = {0};
    uint64_t value = 0;
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(&m.all, &values, &diag), ASSAY_OK);
    assert_true(assay_parameter_get(&values, 0, &value));
    assert_int_equal(value, 0x28000ea1);
    assert_true(assay_parameter_get(&values, 1, &value));
    assert_int_equal(value, 0x12);
    assay_manifest_free(&m);
}

static void dumps_are_images_of_their_part_in_their_space(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_image_set *set = NULL;
    struct assay_diag diag = {0};
    load_good(&m);
    /* EL1N is a space of EL0, too. */
    assert_int_equal(m.all.image_count, 3);
    assert_int_equal(m.all.images[0].space.el, 0);
    assert_int_equal(m.all.images[1].space.el, 1);
    assert_int_equal(m.all.images[2].space.given, 0);
    assert_int_equal(m.all.absent_count, 1);
    assert_true(is_file(m.all.absent[0], "gone.bin"));
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_manifest_images(&m.all, set, &diag), ASSAY_OK);
    const struct assay_space space = {.given = ASSAY_SPACE_EL | ASSAY_SPACE_SECURITY, .el = 1};
    char bytes[4];
    size_t have = 0;
    assert_int_equal(assay_image_read(set, &space, 0x1000, bytes, 4, &have), ASSAY_OK);
    assert_memory_equal(bytes, "cdef", 4);
    assert_int_equal(assay_image_read(set, &space, 0x2000, bytes, 1, &have), ASSAY_ABSENT);
    assay_image_set_free(set);
    assay_manifest_free(&m);
}

static void a_dump_that_is_longer_than_its_file_is_what_there_is_of_it(void **state)
{
    (void)state;
    static const struct {
        const char *part;
        size_t images;
        const char *absent; /* or null */
    } cases[] = {
        {"length=4", 1, NULL},
        {"length=9", 1, "code.bin (beyond its end, 1 bytes)"},
        {"length=4\noffset=6", 1, "code.bin (beyond its end, 2 bytes)"},
        {"length=2\noffset=7", 1, "code.bin (beyond its end, 1 bytes)"},
        {"offset=7", 1, NULL},
        {"offset=8", 0, "code.bin"},
        {"length=0", 0, NULL},
        {"length=0\noffset=9", 0, NULL},
        {"length=1\noffset=9", 0, "code.bin"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        struct assay_manifest m;
        struct assay_image_set *set = NULL;
        struct assay_diag diag = {0};
        snprintf(text, sizeof text, "[device]\nname=cpu_0\n[dump]\nfile=code.bin\naddress=0\n%s\n",
                 cases[i].part);
        assert_int_equal(write_file("cpu.ini", text), 0);
        load_good(&m);
        assert_int_equal(m.all.image_count, cases[i].images);
        assert_int_equal(m.all.absent_count, cases[i].absent != NULL);
        assert_true(cases[i].absent == NULL || is_file(m.all.absent[0], cases[i].absent));
        assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
        assert_int_equal(assay_manifest_images(&m.all, set, &diag), ASSAY_OK);
        assay_image_set_free(set);
        assay_manifest_free(&m);
    }
}

static void blanks_around_the_name_of_a_register_are_no_part_of_it(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_parameter_values values;
    struct assay_diag diag = {0};
    uint64_t value = 0;
    assert_int_equal(write_file("unit.ini", "[device]\nname=ETE_0\ntype=ETE\n"
                                            "[regs]\nTRCIDR0\t(0x78)=1\nTRCTRACEIDR (16)=2\n"),
                     0);
    load_good(&m);
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(&m.all, &values, &diag), ASSAY_OK);
    assert_true(assay_parameter_get(&values, 0, &value));
    assert_int_equal(value, 1);
    assert_true(assay_parameter_get(&values, 1, &value));
    assert_int_equal(value, 2);
    assay_manifest_free(&m);
}

static void a_source_without_registers_is_read(void **state)
{
    (void)state;
    struct assay_manifest m;
    assert_int_equal(write_file("unit.ini", "[device]\nname=ETE_0\ntype=ETE\n"), 0);
    load_good(&m);
    assert_null(m.all.config.map);
    assay_manifest_free(&m);
}

static void a_register_that_the_format_does_not_know_can_be_anything(void **state)
{
    (void)state;
    struct assay_manifest m;
    assert_int_equal(write_file("unit.ini", "[device]\nname=ETE_0\nclass=trace_source\ntype=ETE\n"
                                            "[regs]\nTRCIDR0=1\nTRCSTATR=not read\nTRCRSR=\n"),
                     0);
    load_good(&m);
    assay_manifest_free(&m);
}

static void dumps_that_overlap_have_the_same_bytes(void **state)
{
    (void)state;
    static const char device[] = "[device]\nname=cpu_0\n"
                                 "[dump1]\nfile=code.bin\naddress=0x1000\nlength=8\n"
                                 "[dump2]\nfile=code.bin\naddress=0x1002\noffset=%d\nlength=2\n";
    for (int offset = 2; offset <= 3; offset++) {
        char text[256];
        struct assay_manifest m;
        struct assay_image_set *set = NULL;
        struct assay_diag diag = {0};
        snprintf(text, sizeof text, device, offset);
        assert_int_equal(write_file("cpu.ini", text), 0);
        load_good(&m);
        assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
        assert_int_equal(assay_manifest_images(&m.all, set, &diag),
                         offset == 2 ? ASSAY_OK : ASSAY_CONTRADICTION);
        assay_image_set_free(set);
        assay_manifest_free(&m);
    }
}

static void each_of_several_buffers_is_an_input_by_its_name(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_diag diag;
    char path[128];
    assert_int_equal(write_file("trace.ini", "[trace_buffers]\nbuffers=b2 , b1\n"
                                             "[b1]\nname=ETB_1\nfile=data.bin\nformat=source_data\n"
                                             "[b2]\nname=\nfile=code.bin\nformat=source_data\n"
                                             "[source_buffers]\nETE_0=ETB_1\nSTM_0=b2\n"
                                             "[core_trace_sources]\ncpu_0=ETE_0\n"),
                     0);
    load_good(&m);
    assert_int_equal(m.data_count, 0);
    assert_int_equal(m.input_count, 2);
    snprintf(path, sizeof path, "%s#b2", ini);
    assert_string_equal(m.inputs[0], path);
    assay_manifest_free(&m);
    assert_int_equal(load(path, &m, &diag), ASSAY_OK);
    assert_true(is_file(m.data[0], "code.bin"));
    assert_null(m.all.format);
    assert_non_null(strstr(m.all.unjudged, "STM_0"));
    assay_manifest_free(&m);
    snprintf(path, sizeof path, "%s#ETB_1", ini);
    assert_int_equal(load(path, &m, &diag), ASSAY_OK);
    assert_string_equal(m.all.format, "ete");
    assay_manifest_free(&m);
    snprintf(path, sizeof path, "%s#ETB_3", ini);
    assert_int_equal(load(path, &m, &diag), ASSAY_NOT_FOUND);
}

static void a_buffer_of_a_trace_port_is_one_of_frames(void **state)
{
    (void)state;
    struct assay_manifest m;
    assert_int_equal(write_file("trace.ini", "[trace_buffers]\nbuffers=b\n"
                                             "[b]\nname=ETB_0\nfile=data.bin\n"
                                             "format=dstream_coresight\n"
                                             "[source_buffers]\nETE_0=ETB_0\n"
                                             "[core_trace_sources]\ncpu_0=ETE_0\n"),
                     0);
    load_good(&m);
    assert_int_equal(m.all.framing, ASSAY_FRAMING_TRACE_PORT);
    assert_int_equal(m.stream_count, 1);
    assert_int_equal(m.streams[0].id, 0x12);
    assay_manifest_free(&m);
}

static void a_buffer_of_frames_carries_its_sources_by_their_ids(void **state)
{
    (void)state;
    struct assay_manifest m;
    assert_int_equal(write_file("trace.ini", "[trace_buffers]\nbuffers=b\n"
                                             "[b]\nname=ETB_0\nfile=data.bin\nformat=coresight\n"
                                             "[source_buffers]\nSTM_0=ETB_0\nETE_0=ETB_0\n"
                                             "[core_trace_sources]\ncpu_0=ETE_0\n"),
                     0);
    load_good(&m);
    assert_int_equal(m.all.framing, ASSAY_FRAMING_CORESIGHT);
    assert_null(m.all.format);
    assert_int_equal(m.stream_count, 2);
    assert_int_equal(m.streams[0].id, 0x20);
    assert_non_null(m.streams[0].unjudged);
    assert_int_equal(m.streams[1].id, 0x12);
    assert_string_equal(m.streams[1].format, "ete");
    assert_int_equal(m.streams[1].image_count, 3);
    assay_manifest_free(&m);
}

static void files_outside_of_the_folder_are_refused(void **state)
{
    (void)state;
    const struct assay_manifest_options outside = {.allow_outside = true, .formats = formats};
    struct assay_manifest m;
    struct assay_diag diag;
    assert_int_equal(write_file("cpu.ini", "[device]\nname=cpu_0\n"
                                           "[dump1]\nfile=../outside.bin\naddress=0\n"),
                     0);
    assert_int_equal(load(ini, &m, &diag), ASSAY_NOT_READABLE);
    assert_true(is_file(diag.path, "cpu.ini"));
    assert_int_equal(diag.line, 4);
    assert_int_equal(assay_manifest_load(ini, &outside, &m, &diag), ASSAY_OK);
    assert_int_equal(m.all.image_count, 1);
    assay_manifest_free(&m);
}

static void its_own_folder_is_inside_and_no_file(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_diag diag;
    assert_int_equal(write_file("cpu.ini", "[device]\nname=cpu_0\n[dump1]\nfile=.\naddress=0\n"),
                     0);
    assert_int_equal(load(ini, &m, &diag), ASSAY_NOT_READABLE);
    assert_non_null(strstr(diag.message, "a directory; a file is expected"));
}

/* What is wrong with a snapshot of which one file is another one. */
static const struct wrong {
    const char *name, *text;
    enum assay_error error;
    const char *file; /* that the message names */
    uint32_t line;
} wrongs[] = {
    {"snapshot.ini", "[snapshot]\nversion=2\n[device_list]\n[trace]\nmetadata=trace.ini\n",
     ASSAY_UNSUPPORTED, "snapshot.ini", 2},
    {"snapshot.ini", "[trace]\nmetadata=trace.ini\n", ASSAY_USAGE, "snapshot.ini", 0},
    {"snapshot.ini", "[device_list]\na=unit.ini\n", ASSAY_USAGE, "snapshot.ini", 0},
    {"snapshot.ini", "[device_list]\na=unit.ini\n[trace]\n", ASSAY_USAGE, "snapshot.ini", 3},
    {"snapshot.ini", "[device_list]\na=none.ini\n[trace]\nmetadata=trace.ini\n", ASSAY_NOT_FOUND,
     "snapshot.ini", 2},
    {"snapshot.ini", "[device_list]\na=unit.ini\nb=unit.ini\n[trace]\nmetadata=trace.ini\n",
     ASSAY_DUPLICATE, "unit.ini", 2},
    {"unit.ini", "[device]\ntype=ETE\n", ASSAY_USAGE, "unit.ini", 1},
    {"unit.ini", "[device]\nname=ETE_1\n", ASSAY_UNKNOWN_NAME, "trace.ini", 8},
    {"unit.ini", "[device]\nname=ETE_0\ntype=ETE\n[regs]\nTRCTRACEIDR=0x80\n", ASSAY_OUT_OF_RANGE,
     "unit.ini", 5},
    {"unit.ini", "[device]\nname=ETE_0\ntype=ETE\n[regs]\nTRCIDR0=zero\n", ASSAY_WRONG_TYPE,
     "unit.ini", 5},
    {"unit.ini", "[device]\nname=ETE_0\ntype=ETE\n[regs]\nTRCIDR0=1\nTRCIDR0(0x78)=1\n",
     ASSAY_DUPLICATE, "unit.ini", 6},
    {"unit.ini",
     "[device]\nname=ETE_0\ntype=ETE\n[regs]\nTRCIDR0=1\nTRCIDR1=1\nTRCRSR=1\n"
     "trcrsr (0xa)=1\n",
     ASSAY_DUPLICATE, "unit.ini", 8},
    {"unit.ini",
     "[device]\nname=ETE_0\ntype=ETE\n[regs]\nTRCRSCTLR2=1\nTRCRSCTLR3(1)=1\nTRCRSCTLR2(1)=1\n",
     ASSAY_DUPLICATE, "unit.ini", 7},
    {"cpu.ini", "[device]\nname=cpu_0\n[dump1]\nfile=code.bin\n", ASSAY_USAGE, "cpu.ini", 3},
    {"cpu.ini", "[device]\nname=cpu_0\n[dump1]\nfile=code.bin\naddress=here\n", ASSAY_WRONG_TYPE,
     "cpu.ini", 5},
    {"cpu.ini", "[device]\nname=cpu_0\n[dump1]\nfile=code.bin\naddress=0\nspace=EL9\n",
     ASSAY_UNKNOWN_NAME, "cpu.ini", 6},
    {"trace.ini", "[buffer0]\n", ASSAY_USAGE, "trace.ini", 0},
    {"trace.ini", "[trace_buffers]\nbuffers=b\n", ASSAY_UNKNOWN_NAME, "trace.ini", 2},
    {"trace.ini", "[trace_buffers]\nbuffers=b\n[b]\nname=n\n", ASSAY_USAGE, "trace.ini", 3},
    {"trace.ini", "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=tape\n",
     ASSAY_UNKNOWN_NAME, "trace.ini", 5},
    {"trace.ini", "[trace_buffers]\nbuffers=b\n[b]\nfile=none.bin\nformat=coresight\n",
     ASSAY_NOT_FOUND, "trace.ini", 4},
    {"trace.ini",
     "[trace_buffers]\nbuffers=b,c\n[b]\nname=n\nfile=data.bin\n[c]\nname=n\nfile=data.bin\n",
     ASSAY_DUPLICATE, "trace.ini", 7},
    {"trace.ini",
     "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=source_data\n"
     "[source_buffers]\nETE_0=c\n",
     ASSAY_UNKNOWN_NAME, "trace.ini", 7},
    {"trace.ini",
     "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=source_data\n"
     "[source_buffers]\nETE_0=b\nSTM_0=b\n",
     ASSAY_LIMIT, "trace.ini", 8},
    {"trace.ini",
     "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=source_data\n"
     "[source_buffers]\nETE_0=b\n[core_trace_sources]\ncpu_0=ETE_0\nSTM_0=ETE_0\n",
     ASSAY_CONTRADICTION, "trace.ini", 10},
    {"trace.ini",
     "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=source_data\n"
     "[source_buffers]\nETE_0=b\n[core_trace_sources]\ncpu_1=ETE_0\n",
     ASSAY_UNKNOWN_NAME, "trace.ini", 9},
    {"unit.ini", "[device]\nname=ETE_0\ntype=ETE\n[regs\n", ASSAY_SYNTAX, "unit.ini", 4},
};

static void what_is_wrong_is_reported_with_its_file_and_line(void **state)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const struct wrong *w = &wrongs[i];
        struct assay_manifest m;
        struct assay_diag diag;
        assert_int_equal(restore(state), 0);
        assert_int_equal(write_file(w->name, w->text), 0);
        const enum assay_error error = load(ini, &m, &diag);
        if (error != w->error || !is_file(diag.path, w->file) || diag.line != w->line) {
            fail_msg("case %zu: %s: %s:%u: %s", i, assay_error_name(error), diag.path,
                     (unsigned)diag.line, diag.message);
        }
        assert_null(m.memory);
    }
}

static void a_name_that_is_nearly_one_of_the_list_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *name, *hint;
    } cases[] = {{"ETE_9", "did you mean \"ETE_0\"?"}, {"elsewhere", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        struct assay_manifest m;
        struct assay_diag diag;
        snprintf(text, sizeof text,
                 "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=source_data\n"
                 "[source_buffers]\n%s=b\n",
                 cases[i].name);
        assert_int_equal(write_file("trace.ini", text), 0);
        assert_int_equal(load(ini, &m, &diag), ASSAY_UNKNOWN_NAME);
        assert_string_equal(diag.hint, cases[i].hint);
    }
}

/* Debuggers name all sources of a buffer and describe those that they know. */
static void a_source_that_is_no_device_is_left_out_beside_one_that_is(void **state)
{
    (void)state;
    static const char *const formats_of_buffers[] = {"source_data", "coresight"};
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        struct assay_manifest m;
        snprintf(text, sizeof text,
                 "[trace_buffers]\nbuffers=b\n[b]\nfile=data.bin\nformat=%s\n"
                 "[source_buffers]\nITM=b\nETE_0=b\nprofiler=b\n",
                 formats_of_buffers[i]);
        assert_int_equal(write_file("trace.ini", text), 0);
        load_good(&m);
        assert_int_equal(m.stream_count, i);
        assert_string_equal((i == 0 ? &m.all : &m.streams[0])->format, "ete");
        assay_manifest_free(&m);
    }
}

static void what_lies_beside_a_snapshot_repeats_it(void **state)
{
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/snap/contents.ini", folder);
    assert_true(cs_repeats_snapshot(path));
    assert_false(cs_repeats_snapshot(ini));
    snprintf(path, sizeof path, "%s/snap/contents.ini#buffer0", folder);
    assert_false(cs_repeats_snapshot(path));
    snprintf(path, sizeof path, "%s/contents.ini", folder);
    assert_false(cs_repeats_snapshot(path));
}

static void two_sources_of_one_id_are_a_contradiction_and_one_without_is_refused(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_diag diag;
    assert_int_equal(write_file("trace.ini", "[trace_buffers]\nbuffers=b\n"
                                             "[b]\nfile=data.bin\nformat=coresight\n"
                                             "[source_buffers]\nETE_0=b\nSTM_0=b\n"),
                     0);
    assert_int_equal(write_file("software.ini", "[device]\nname=STM_0\ntype=STM\n"
                                                "[regs]\nSTMTCSR=0x120000\n"),
                     0);
    assert_int_equal(load(ini, &m, &diag), ASSAY_CONTRADICTION);
    assert_int_equal(diag.line, 8);
    assert_int_equal(write_file("unit.ini", "[device]\nname=ETE_0\ntype=ETE\n"), 0);
    assert_int_equal(load(ini, &m, &diag), ASSAY_USAGE);
    assert_int_equal(diag.line, 7);
}

/* Registers of trace units that were not programmed hold anything: two of them have no trace id in
 * common that means something. */
static void a_unit_without_the_id_of_a_source_has_no_stream(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        size_t streams;
    } cases[] = {{"0", 1}, {"0x70", 1}, {"0x7f", 1}, {"1", 3}, {"0x6f", 3}};
    assert_int_equal(write_file("snapshot.ini",
                                "[device_list]\na=unit.ini\nb=two.ini\nc=three.ini\n"
                                "[trace]\nmetadata=trace.ini\n"),
                     0);
    assert_int_equal(write_file("trace.ini", "[trace_buffers]\nbuffers=b\n"
                                             "[b]\nfile=data.bin\nformat=coresight\n"
                                             "[source_buffers]\nETE_1=b\nETE_0=b\nETE_2=b\n"),
                     0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        for (unsigned n = 1; n <= 2; n++) {
            char text[96];
            snprintf(text, sizeof text, "[device]\nname=ETE_%u\ntype=ETE\n[regs]\nTRCTRACEIDR=%s\n",
                     n, n == 2 && cases[i].streams > 1 ? "0x55" : cases[i].id);
            assert_int_equal(write_file(n == 1 ? "two.ini" : "three.ini", text), 0);
        }
        load_good(&m);
        assert_int_equal(m.stream_count, cases[i].streams);
        assert_int_equal(m.streams[cases[i].streams / 2].id, 0x12);
        assay_manifest_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_a_snapshots_by_its_name),
        cmocka_unit_test(a_buffer_is_an_input_with_its_data_registers_and_dumps),
        cmocka_unit_test(dumps_are_images_of_their_part_in_their_space),
        cmocka_unit_test_teardown(a_dump_that_is_longer_than_its_file_is_what_there_is_of_it,
                                  restore),
        cmocka_unit_test_teardown(blanks_around_the_name_of_a_register_are_no_part_of_it, restore),
        cmocka_unit_test_teardown(a_source_without_registers_is_read, restore),
        cmocka_unit_test_teardown(a_register_that_the_format_does_not_know_can_be_anything,
                                  restore),
        cmocka_unit_test_teardown(dumps_that_overlap_have_the_same_bytes, restore),
        cmocka_unit_test_teardown(each_of_several_buffers_is_an_input_by_its_name, restore),
        cmocka_unit_test_teardown(a_buffer_of_a_trace_port_is_one_of_frames, restore),
        cmocka_unit_test_teardown(a_buffer_of_frames_carries_its_sources_by_their_ids, restore),
        cmocka_unit_test_teardown(files_outside_of_the_folder_are_refused, restore),
        cmocka_unit_test_teardown(its_own_folder_is_inside_and_no_file, restore),
        cmocka_unit_test_teardown(what_is_wrong_is_reported_with_its_file_and_line, restore),
        cmocka_unit_test_teardown(a_name_that_is_nearly_one_of_the_list_is_told, restore),
        cmocka_unit_test_teardown(a_source_that_is_no_device_is_left_out_beside_one_that_is,
                                  restore),
        cmocka_unit_test_teardown(a_unit_without_the_id_of_a_source_has_no_stream, restore),
        cmocka_unit_test(what_lies_beside_a_snapshot_repeats_it),
        cmocka_unit_test_teardown(
            two_sources_of_one_id_are_a_contradiction_and_one_without_is_refused, restore),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
