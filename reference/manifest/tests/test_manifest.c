#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/yaml.h"
#include "manifest/manifest.h"
#include "model/facts.h"
#include "model/model.h"

/* folder/outside, folder/inner/..., where the manifests are. */
static char folder[] = "/tmp/assay-manifest-XXXXXX";
static char inner[64];

static void in_inner(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s/%s", inner, name);
}

static int write_file(const char *name, const char *text)
{
    char path[128];
    in_inner(path, sizeof path, name);
    FILE *out = fopen(path, "w");
    return out != NULL && fputs(text, out) >= 0 && fclose(out) == 0 ? 0 : -1;
}

static int link_to(const char *target, const char *name)
{
    char path[128];
    in_inner(path, sizeof path, name);
    return symlink(target, path);
}

static int make_folder(void **state)
{
    (void)state;
    char path[128];
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(inner, sizeof inner, "%s/inner", folder);
    int bad = mkdir(inner, 0700);
    in_inner(path, sizeof path, "sub");
    bad |= mkdir(path, 0700);
    in_inner(path, sizeof path, "pipe");
    bad |= mkfifo(path, 0600);
    bad |= write_file("a.bin", "aaa") | write_file("sub/b.bin", "bb");
    bad |= write_file("enc.cfg", "width=32\n") | write_file("facts.yaml", "page_size: 4096\n");
    bad |= write_file("kernel.bin", "0123456789") | write_file("run.exec", "x");
    bad |= write_file("../outside", "o") | write_file("../inner2", "o");
    bad |= link_to("../outside", "out-link") | link_to("sub/b.bin", "in-link");
    bad |= link_to("..", "up") | link_to("loop", "loop");
    return bad;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const struct assay_profile profiles[] = {{"etrace-1.1.1", ""}, {"etrace-2.0", ""}};
static const struct assay_format etrace = {
    .name = "etrace", .profiles = profiles, .profile_count = 2};
static const struct assay_format ete = {.name = "ete"};
static const struct assay_format *const formats[] = {&etrace, &ete, NULL};

static enum assay_error parse(const char *text, bool outside, struct assay_manifest *manifest,
                              struct assay_diag *diag)
{
    char path[128];
    const struct assay_manifest_options options = {.allow_outside = outside, .formats = formats};
    in_inner(path, sizeof path, "t.assay.yaml");
    *diag = (struct assay_diag){.line = 0};
    return assay_manifest_parse(path, text, strlen(text), &options, manifest, diag);
}

static struct assay_manifest parsed(const char *text)
{
    struct assay_manifest manifest;
    struct assay_diag diag;
    if (parse(text, false, &manifest, &diag) != ASSAY_OK) {
        fail_msg("%u:%u: %s (%s)", diag.line, diag.column, diag.message, diag.hint);
    }
    return manifest;
}

/* That a path is that of a file in the folder of the manifest. */
static void assert_file(const char *path, const char *name)
{
    char due[128], real[4096];
    in_inner(due, sizeof due, name);
    assert_non_null(path);
    assert_non_null(realpath(due, real));
    assert_string_equal(path, real);
}

static void only_data_is_needed(void **state)
{
    (void)state;
    struct assay_manifest m = parsed("manifest: 1\ndata: [a.bin]\n");
    assert_int_equal(m.data_count, 1);
    assert_file(m.data[0], "a.bin");
    assert_int_equal(m.all.framing, ASSAY_FRAMING_RAW);
    assert_null(m.all.format);
    assert_null(m.all.profile);
    assert_null(m.all.config.map);
    assert_null(m.all.config.file);
    assert_null(m.all.facts.map);
    assert_null(m.all.facts.file);
    assert_null(m.all.execution);
    assert_false(m.all.has_thread);
    assert_int_equal(m.all.image_count, 0);
    assert_false(m.all.has_id);
    assert_int_equal(m.stream_count, 0);
    assay_manifest_free(&m);
    assert_null(m.memory);
    assay_manifest_free(&m);
}

static void everything_of_an_input_can_be_given(void **state)
{
    (void)state;
    struct assay_manifest m = parsed(
        "manifest: 1\nformat: etrace\nprofile: etrace-2.0\ndata: [a.bin, sub/b.bin, a.bin]\n"
        "framing: byte-header\nconfig: {width: 32}\n"
        "images:\n  - {file: kernel.bin, at: 0x80000000, el: 1, space: nonsecure, vmid: 3,\n"
        "     context: 4, kind: raw, bss: absent, offset: 2, length: 5}\n  - {file: sub/b.bin}\n"
        "facts: facts.yaml\nexecution: run.exec\nthread: 3\n");
    assert_int_equal(m.data_count, 3);
    assert_file(m.data[0], "a.bin");
    assert_file(m.data[1], "sub/b.bin");
    assert_file(m.data[2], "a.bin");
    assert_int_equal(m.all.framing, ASSAY_FRAMING_BYTE_HEADER);
    assert_string_equal(m.all.format, "etrace");
    assert_string_equal(m.all.profile, "etrace-2.0");
    assert_true(assay_yaml_is(assay_yaml_get(m.all.config.map, "width"), "32"));
    assert_null(m.all.facts.map);
    assert_file(m.all.facts.file, "facts.yaml");
    assert_file(m.all.execution, "run.exec");
    assert_true(m.all.has_thread);
    assert_int_equal(m.all.thread, 3);
    assert_int_equal(m.all.image_count, 2);
    const struct assay_image_spec *image = &m.all.images[0];
    assert_file(image->path, "kernel.bin");
    assert_true(image->has_address);
    assert_int_equal(image->address, 0x80000000);
    assert_int_equal(image->space.given, ASSAY_SPACE_ALL);
    assert_int_equal(image->space.el, 1);
    assert_int_equal(image->space.security, ASSAY_SECURITY_NONSECURE);
    assert_int_equal(image->space.vmid, 3);
    assert_int_equal(image->space.context, 4);
    assert_int_equal(image->kind, ASSAY_IMAGE_RAW);
    assert_int_equal(image->bss, ASSAY_IMAGE_BSS_ABSENT);
    assert_int_equal(image->offset, 2);
    assert_int_equal(image->length, 5);
    assert_file(m.all.images[1].path, "sub/b.bin");
    assert_false(m.all.images[1].has_address);
    assert_int_equal(m.all.images[1].kind, ASSAY_IMAGE_AUTO);
    assay_manifest_free(&m);
}

static void every_framing_has_its_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ASSAY_FRAMING_COUNT; i++) {
        char text[128];
        snprintf(text, sizeof text, "manifest: 1\ndata: [a.bin]\nframing: %s\n",
                 assay_framing_name((enum assay_framing)i));
        struct assay_manifest m = parsed(text);
        assert_int_equal(m.all.framing, i);
        assay_manifest_free(&m);
    }
    assert_string_equal(assay_framing_name(ASSAY_FRAMING_COUNT), "unknown");
}

static void a_stream_has_what_it_says_and_else_what_the_manifest_says(void **state)
{
    (void)state;
    struct assay_manifest m = parsed(
        "manifest: 1\nformat: etrace\nprofile: etrace-2.0\ndata: [a.bin]\nframing: coresight\n"
        "config: enc.cfg\nimages: [{file: kernel.bin, at: 0}]\nexecution: run.exec\n"
        "streams:\n"
        "  - {id: 0x10}\n"
        "  - {id: 17, config: {width: 3}, images: [{file: a.bin, at: 1}, {file: sub/b.bin}],\n"
        "     execution: a.bin, facts: {page_size: 64}}\n"
        "  - {id: 0x6f, format: ete}\n"
        "  - {id: 1, profile: etrace-1.1.1, format: etrace}\n");
    assert_int_equal(m.stream_count, 4);
    const struct assay_manifest_stream *s = m.streams;
    assert_true(s[0].has_id && s[1].has_id && s[2].has_id && s[3].has_id);
    assert_int_equal(s[0].id, 16);
    assert_string_equal(s[0].format, "etrace");
    assert_string_equal(s[0].profile, "etrace-2.0");
    assert_file(s[0].config.file, "enc.cfg");
    assert_int_equal(s[0].image_count, 1);
    assert_file(s[0].execution, "run.exec");
    assert_null(s[0].facts.map);

    assert_int_equal(s[1].id, 17);
    assert_string_equal(s[1].profile, "etrace-2.0");
    assert_null(s[1].config.file);
    assert_true(assay_yaml_is(assay_yaml_get(s[1].config.map, "width"), "3"));
    assert_int_equal(s[1].image_count, 2);
    assert_file(s[1].execution, "a.bin");
    assert_non_null(s[1].facts.map);
    assert_int_equal(s[1].line, 11);

    assert_int_equal(s[2].id, 0x6f);
    assert_string_equal(s[2].format, "ete");
    assert_null(s[2].profile);
    assert_null(s[2].config.file);
    assert_int_equal(s[2].image_count, 1);

    assert_string_equal(s[3].profile, "etrace-1.1.1");
    assert_file(s[3].config.file, "enc.cfg");
    assay_manifest_free(&m);
}

static void mistakes_are_told_with_their_line_and_column(void **state)
{
    (void)state;
#define START "manifest: 1\ndata: [a.bin]\n"
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line, column;
        const char *message;
        const char *hint;
    } cases[] = {
        {"[1]\n", ASSAY_WRONG_TYPE, 1, 1, "mapping", ""},
        {"data: [a.bin]\n", ASSAY_USAGE, 1, 1, "manifest: 1", ""},
        {"manifest: 2\ndata: [a.bin]\n", ASSAY_UNSUPPORTED, 1, 11, "manifest: 1", ""},
        {"manifest: 1\n", ASSAY_USAGE, 1, 1, "data", ""},
        {"manifest: 1\ndata: []\n", ASSAY_WRONG_TYPE, 2, 7, "at least one", ""},
        {"manifest: 1\ndata: a.bin\n", ASSAY_WRONG_TYPE, 2, 7, "list", ""},
        {"manifest: 1\ndata: [a.bin, [x]]\n", ASSAY_WRONG_TYPE, 2, 15, "name of a file", ""},
        {"manifest: 1\ndata: ['']\n", ASSAY_WRONG_TYPE, 2, 8, "name of a file", ""},
        {"manifest: 1\ndata: [\"a\\0b\"]\n", ASSAY_WRONG_TYPE, 2, 8, "name of a file", ""},
        {"manifest: 1\ndata:\n  - a.bin\n  - c.bin\n", ASSAY_NOT_FOUND, 4, 5, "c.bin", ""},
        {"manifest: 1\ndata: [a.bin/x]\n", ASSAY_NOT_FOUND, 2, 8, "a.bin/x", ""},
        {"manifest: 1\ndata: [sub]\n", ASSAY_NOT_READABLE, 2, 8, "directory", ""},
        {"manifest: 1\ndata: [pipe]\n", ASSAY_NOT_READABLE, 2, 8, "regular", ""},
        {"manifest: 1\ndata: [loop]\n", ASSAY_NOT_READABLE, 2, 8, "loop", ""},
        {START "image: []\n", ASSAY_UNKNOWN_NAME, 3, 1, "image", "images"},
        {START "data: [a.bin]\n", ASSAY_DUPLICATE, 3, 1, "data", ""},
        {START "format: etrac\n", ASSAY_UNKNOWN_NAME, 3, 9, "etrac", "etrace"},
        {START "format: [ete]\n", ASSAY_WRONG_TYPE, 3, 9, "name", ""},
        {START "format:\n", ASSAY_WRONG_TYPE, 3, 8, "name", ""},
        {START "profile: etrace-2.0\n", ASSAY_USAGE, 3, 10, "format", ""},
        {START "format: etrace\nprofile: etrace-2.1\n", ASSAY_UNKNOWN_NAME, 4, 10, "etrace-2.1",
         "etrace-2.0"},
        {START "framing: core-sight\n", ASSAY_UNKNOWN_NAME, 3, 10, "core-sight", "coresight"},
        {START "framing: frames\n", ASSAY_UNKNOWN_NAME, 3, 10, "frames",
         "there are: raw, coresight, byte-header"},
        {START "config: [1]\n", ASSAY_WRONG_TYPE, 3, 9, "mapping or", ""},
        {START "config: no.cfg\n", ASSAY_NOT_FOUND, 3, 9, "no.cfg", ""},
        {START "facts: no.yaml\n", ASSAY_NOT_FOUND, 3, 8, "no.yaml", ""},
        {START "execution: {}\n", ASSAY_WRONG_TYPE, 3, 12, "name of a file", ""},
        {START "thread: -1\n", ASSAY_WRONG_TYPE, 3, 9, "number of a thread", ""},
        {START "thread: 0xffffffff\n", ASSAY_WRONG_TYPE, 3, 9, "number of a thread", ""},
        {START "images: []\n", ASSAY_WRONG_TYPE, 3, 9, "at least one", ""},
        {START "images: {file: a.bin}\n", ASSAY_WRONG_TYPE, 3, 9, "list", ""},
        {START "images: [a.bin]\n", ASSAY_WRONG_TYPE, 3, 10, "mapping", ""},
        {START "images: [{at: 1}]\n", ASSAY_USAGE, 3, 10, "its file", ""},
        {START "images: [{file: no}]\n", ASSAY_NOT_FOUND, 3, 17, "no", ""},
        {START "images: [{file: a.bin, el: 4}]\n", ASSAY_OUT_OF_RANGE, 3, 28, "0 to 3", ""},
        {START "images: [{file: a.bin, at: x}]\n", ASSAY_WRONG_TYPE, 3, 28, "number", ""},
        {START "images: [{file: a.bin, space: secur}]\n", ASSAY_UNKNOWN_NAME, 3, 31, "secur",
         "secure"},
        {START "images: [{file: a.bin, space: [secure]}]\n", ASSAY_WRONG_TYPE, 3, 31, "name", ""},
        {START "images: [{file: a.bin, bss: 0}]\n", ASSAY_UNKNOWN_NAME, 3, 29, "bss", ""},
        {START "images: [{file: a.bin, length: 0}]\n", ASSAY_OUT_OF_RANGE, 3, 32, "length", ""},
        {START "images: [{file: a.bin, vmdi: 1}]\n", ASSAY_UNKNOWN_NAME, 3, 24, "vmdi", "vmid"},
        {START "images: [{file: a.bin, vmid: 0x100000000}]\n", ASSAY_OUT_OF_RANGE, 3, 30, "vmid",
         ""},
        {START "streams: []\n", ASSAY_WRONG_TYPE, 3, 10, "at least one", ""},
        {START "streams: {id: 1}\n", ASSAY_WRONG_TYPE, 3, 10, "list", ""},
        {START "streams: [1]\n", ASSAY_WRONG_TYPE, 3, 11, "mapping", ""},
        {START "streams: [{}]\n", ASSAY_USAGE, 3, 11, "id", ""},
        {START "streams: [{id: x}]\n", ASSAY_WRONG_TYPE, 3, 16, "number", ""},
        {START "streams: [{id: 1, data: [a.bin]}]\n", ASSAY_UNKNOWN_NAME, 3, 19, "data", ""},
        {START "streams: [{id: 1}, {id: 2}]\n", ASSAY_USAGE, 3, 10, "raw", ""},
        {START "framing: atb\nstreams: [{id: 1}, {id: 0x1}]\n", ASSAY_DUPLICATE, 4, 25, "id",
         "line 4"},
        {START "framing: coresight\nstreams: [{id: 0}]\n", ASSAY_OUT_OF_RANGE, 4, 16, "0x6f", ""},
        {START "framing: coresight\nstreams: [{id: 0x70}]\n", ASSAY_OUT_OF_RANGE, 4, 16, "0x6f",
         ""},
        {START "streams: [{id: 1, format: x}]\n", ASSAY_UNKNOWN_NAME, 3, 27, "format", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        const enum assay_error error = parse(cases[i].text, false, &m, &diag);
        if (error != cases[i].error || diag.line != cases[i].line ||
            diag.column != cases[i].column || strstr(diag.message, cases[i].message) == NULL ||
            strstr(diag.hint, cases[i].hint) == NULL || strstr(diag.path, "t.assay.yaml") == NULL ||
            m.memory != NULL || m.data_count != 0) {
            fail_msg("%s: %s at %s:%u:%u: %s (%s)", cases[i].text, assay_error_name(error),
                     diag.path, diag.line, diag.column, diag.message, diag.hint);
        }
    }
}

static void files_outside_of_the_folder_are_refused_however_they_are_reached(void **state)
{
    (void)state;
    char absolute[160];
    snprintf(absolute, sizeof absolute, "%s/outside", folder);
    const char *const ways[] = {"../outside",      "sub/../../outside", "out-link", "up/outside",
                                "sub/../out-link", "../inner2",         absolute};
    static const char *const places[] = {"manifest: 1\ndata: [%s]\n",
                                         START "config: %s\n",
                                         START "facts: %s\n",
                                         START "execution: %s\n",
                                         START "images: [{file: %s}]\n",
                                         START "streams: [{id: 1, config: %s}]\n"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            char text[512];
            struct assay_manifest m;
            struct assay_diag diag;
            snprintf(text, sizeof text, places[k], ways[i]);
            if (parse(text, false, &m, &diag) != ASSAY_NOT_READABLE || diag.line < 2 ||
                strstr(diag.message, "outside of the manifest's folder") == NULL) {
                fail_msg("%s: %s", text, diag.message);
            }
            if (parse(text, true, &m, &diag) != ASSAY_OK) {
                fail_msg("%s: %s", text, diag.message);
            }
            assay_manifest_free(&m);
        }
    }
}

static void ways_that_lead_back_into_the_folder_are_allowed(void **state)
{
    (void)state;
    char text[256];
    snprintf(text, sizeof text,
             "manifest: 1\ndata: [in-link, sub/../a.bin, up/inner/a.bin, %s/a.bin]\n", inner);
    struct assay_manifest m = parsed(text);
    assert_file(m.data[0], "sub/b.bin");
    assert_file(m.data[1], "a.bin");
    assert_file(m.data[2], "a.bin");
    assert_file(m.data[3], "a.bin");
    assay_manifest_free(&m);
}

static void a_name_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char text[6000];
    memset(text, 'x', sizeof text);
    memcpy(text, "manifest: 1\ndata: [", 19);
    memcpy(text + 5000, "]\n", 3);
    struct assay_manifest m;
    struct assay_diag diag;
    assert_int_equal(parse(text, false, &m, &diag), ASSAY_LIMIT);
    assert_int_equal(diag.line, 2);
}

static void names_of_formats_are_looked_at_only_when_formats_are_given(void **state)
{
    (void)state;
    char path[128];
    in_inner(path, sizeof path, "t.assay.yaml");
    static const char text[] = START "format: other\nprofile: any\n";
    struct assay_manifest m;
    assert_int_equal(assay_manifest_parse(path, text, strlen(text), NULL, &m, NULL), ASSAY_OK);
    assert_string_equal(m.all.format, "other");
    assert_string_equal(m.all.profile, "any");
    assay_manifest_free(&m);
}

static void a_manifest_is_read_from_its_file_relative_to_where_that_is(void **state)
{
    (void)state;
    char path[128], here[256];
    struct assay_manifest m;
    struct assay_diag diag;
    assert_int_equal(write_file("t.assay.yaml", START), 0);
    in_inner(path, sizeof path, "t.assay.yaml");
    assert_int_equal(assay_manifest_load(path, NULL, &m, &diag), ASSAY_OK);
    assert_string_equal(m.path, path);
    assert_file(m.data[0], "a.bin");
    assay_manifest_free(&m);

    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(inner), 0);
    assert_int_equal(assay_manifest_load("t.assay.yaml", NULL, &m, &diag), ASSAY_OK);
    assert_file(m.data[0], "a.bin");
    assay_manifest_free(&m);
    assert_int_equal(chdir(here), 0);

    in_inner(path, sizeof path, "none.assay.yaml");
    assert_int_equal(assay_manifest_load(path, NULL, &m, &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, path);
    assert_true(assay_is_manifest(path));
    assert_false(assay_is_manifest("a.yaml"));
    assert_false(assay_is_manifest(".assay.yaml"));
}

/* --- what a manifest is read for --- */

static const struct assay_parameter list[] = {{.name = "width", .most = 64}};
static const struct assay_parameter_table table = {.list = list, .count = 1};

static void parameters_come_from_the_mapping_or_the_file(void **state)
{
    (void)state;
    struct assay_manifest m =
        parsed(START "config: enc.cfg\nstreams: [{id: 1, config: {width: 7}}]\n");
    struct assay_parameter_values values;
    struct assay_diag diag;
    uint64_t width;
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(&m.all, &values, &diag), ASSAY_OK);
    assert_true(assay_parameter_get(&values, 0, &width));
    assert_int_equal(width, 32);
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(&m.streams[0], &values, &diag), ASSAY_OK);
    assert_true(assay_parameter_get(&values, 0, &width));
    assert_int_equal(width, 7);
    assert_string_equal(values.files[0], m.path);
    assert_int_equal(values.site[0].line, 4);
    assay_manifest_free(&m);

    m = parsed(START "config: {width: 65}\n");
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(&m.all, &values, &diag), ASSAY_OUT_OF_RANGE);
    assert_string_equal(diag.path, m.path);
    assert_int_equal(diag.line, 3);
    assay_manifest_free(&m);

    m = parsed(START);
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(&m.all, &values, &diag), ASSAY_OK);
    assert_false(assay_parameter_get(&values, 0, &width));
    assay_manifest_free(&m);
}

static void facts_come_from_the_mapping_or_the_file(void **state)
{
    (void)state;
    struct assay_manifest m =
        parsed(START "facts: facts.yaml\nstreams: [{id: 1, facts: {page_size: 64}}]\n");
    struct assay_facts facts = {0};
    struct assay_diag diag;
    assert_int_equal(assay_manifest_facts(&m, &m.all, &facts, &diag), ASSAY_OK);
    assert_int_equal(facts.value[ASSAY_FACT_page_size], 4096);
    assert_int_equal(assay_manifest_facts(&m, &m.streams[0], &facts, &diag), ASSAY_OK);
    assert_int_equal(facts.value[ASSAY_FACT_page_size], 64);
    assay_facts_clear(&facts);
    assay_manifest_free(&m);

    m = parsed(START "facts: {page_sise: 64}\n");
    assert_int_equal(assay_manifest_facts(&m, &m.all, &facts, &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.path, m.path);
    assert_int_equal(diag.line, 3);
    assay_manifest_free(&m);
}

static void images_of_a_stream_become_its_memory(void **state)
{
    (void)state;
    struct assay_manifest m =
        parsed(START "images: [{file: kernel.bin, at: 0x1000, offset: 2, el: 1},"
                     " {file: a.bin, at: 0x2000}]\n");
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_manifest_images(&m.all, set, &diag), ASSAY_OK);
    char text[4] = "";
    size_t have;
    const struct assay_space one = {.given = ASSAY_SPACE_EL, .el = 1};
    assert_int_equal(assay_image_read(set, &one, 0x1000, text, 3, &have), ASSAY_OK);
    assert_string_equal(text, "234");
    assert_int_equal(assay_image_read(set, &one, 0x2000, text, 3, &have), ASSAY_OK);
    assert_string_equal(text, "aaa");
    assay_image_set_free(set);
    assay_manifest_free(&m);

    m = parsed(START "images: [{file: kernel.bin}]\n");
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_manifest_images(&m.all, set, &diag), ASSAY_USAGE);
    assert_non_null(strstr(diag.path, "kernel.bin"));
    assay_image_set_free(set);
    assay_manifest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_data_is_needed),
        cmocka_unit_test(everything_of_an_input_can_be_given),
        cmocka_unit_test(every_framing_has_its_name),
        cmocka_unit_test(a_stream_has_what_it_says_and_else_what_the_manifest_says),
        cmocka_unit_test(mistakes_are_told_with_their_line_and_column),
        cmocka_unit_test(files_outside_of_the_folder_are_refused_however_they_are_reached),
        cmocka_unit_test(ways_that_lead_back_into_the_folder_are_allowed),
        cmocka_unit_test(a_name_that_is_too_long_is_refused),
        cmocka_unit_test(names_of_formats_are_looked_at_only_when_formats_are_given),
        cmocka_unit_test(a_manifest_is_read_from_its_file_relative_to_where_that_is),
        cmocka_unit_test(parameters_come_from_the_mapping_or_the_file),
        cmocka_unit_test(facts_come_from_the_mapping_or_the_file),
        cmocka_unit_test(images_of_a_stream_become_its_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
