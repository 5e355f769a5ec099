/* Traces of other writers, beside a dump by another reader: the same records at the same places
 * with the same values. They lie in the folder that ASSAY_STF_SAMPLES names, or in
 * shared/samples/stf beside the source tree; where there are none this is skipped. */
#include "stf/tests/stf_support.h"

#include "common/tests/samples.h"
#include <dirent.h>
#include <stdio.h>

static const char *samples(void)
{
    return samples_folder("ASSAY_STF_SAMPLES", ASSAY_SAMPLES);
}

enum { LINE = 65536, PATH = 4096 };

/* --- what a dump says --- */

/* Its names of fields, where they are not those of the tables. */
static const struct {
    const char *kind, *key, *field; /* a kind of null: any */
} renamed[] = {
    {"page_table_walk", "index", "instruction"},
    {"bus_master_access", "index", "initiator_index"},
    {"process_id_ext_hart", "hw_tid", "hart"},
    {"process_id_ext of 1.3", "tgid_pid", "pid"},
    {"inst_iem", "iem", "encoding_mode"},
    {NULL, "va", "address"},
    {NULL, "attr", "attributes"},
    {NULL, "len", "length"},
    {NULL, "generator", "tool"},
    {NULL, "opcode", "encoding"},
    {NULL, "n", "count"},
    {NULL, "n_pte", "count"},
    {NULL, "reg", "number"},
    {NULL, "rsvd", "reserved_23_22"},
};

static const char *name_of(const char *kind, const char *key)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strcmp(renamed[i].key, key) == 0 &&
            (renamed[i].kind == NULL || strcmp(renamed[i].kind, kind) == 0)) {
            return renamed[i].field;
        }
    }
    return key;
}

/* A value of the dump; how many values it held. */
static unsigned compare_value(const struct seen *seen, const char *kind, const char *key,
                              const char *value)
{
    unsigned a, b, c;
    if (strcmp(key, "version") == 0) {
        assert_int_equal(sscanf(value, "%u.%u.%u", &a, &b, &c), 3);
        ASSERT_VALUES(seen, {"major", a}, {"minor", b}, {"minor_minor", c});
        return 3;
    }
    if (strcmp(key, "width") == 0) {
        assert_string_equal(kind_of(seen->kind)->name,
                            strtoul(value, NULL, 10) == 64 ? "event64" : "event");
        return 1;
    }
    const struct assay_field *field = assay_field_by_name(kind_of(seen->kind), name_of(kind, key));
    if (field == NULL || field->place != ASSAY_AT_BIT) {
        return 0; /* in the list of a walk: its bytes are compared */
    }
    assert_value(seen, field->name, strtoull(value, NULL, 0));
    return 1;
}

/* The fields of an event are a list: the first three have names. */
static unsigned compare_item(const struct seen *seen, unsigned item, const char *value)
{
    static const char *const names[] = {"field0", "field1", "field2"};
    if (item >= 3) {
        return 0;
    }
    assert_value(seen, names[item], strtoull(value, NULL, 0));
    return 1;
}

static unsigned compare_values(const struct seen *seen, char *line)
{
    unsigned count = 0, items = 0;
    const bool old = strstr(line, "tgid_pid=") != NULL;
    const char *kind = old ? "process_id_ext of 1.3" : kind_of(seen->kind)->name;
    const bool event = seen->kind == STF_event || seen->kind == STF_event64;
    for (char *key = strtok(line, " \n,[]"); key != NULL; key = strtok(NULL, " \n,[]")) {
        char *value = strchr(key, '=');
        if (value == NULL && event) {
            count += compare_item(seen, items++, key);
        } else if (value != NULL && value[1] == 'b') {
            return count; /* a text, which may hold anything */
        } else if (value != NULL) {
            *value = '\0';
            count += compare_value(seen, kind, key, value + 1);
        }
    }
    assert_true(!event || items == value_of(seen, "field_count"));
    return count;
}

/* --- a trace and its dump --- */

static struct trace read_file(const char *path)
{
    struct trace trace = {0};
    uint8_t buffer[4096];
    FILE *file = fopen(path, "rb");
    for (size_t size; file != NULL && (size = fread(buffer, 1, sizeof buffer, file)) > 0;) {
        put_bytes(&trace, buffer, size);
    }
    if (file != NULL) {
        fclose(file);
    }
    return trace;
}

static void compare_line(const struct trace *trace, const struct seen *seen, char *line)
{
    unsigned long long index, offset, size;
    unsigned descriptor;
    char name[64];
    int used = 0;
    assert_int_equal(
        sscanf(line, "%llu %llu %llu %u %63s%n", &index, &offset, &size, &descriptor, name, &used),
        5);
    assert_true(seen->index == index && seen->offset == offset && seen->bits == 8 * size);
    assert_int_equal(stf_descriptor_of(seen->kind), descriptor);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    assert_true(strncmp(kind_of(seen->kind)->name, name, strlen(name)) == 0);
    assert_true(digest_of(trace->data + offset + 1, size - 1) == seen->all_bytes);
    const bool any = strchr(line + used, '=') != NULL && seen->kind != STF_identifier;
    assert_true(compare_values(seen, line + used) > 0 || !any);
}

static void compare_dump(const char *stem)
{
    static char line[LINE];
    char path[PATH];
    static const char *const stored[] = {"stf.gz", "stf.xz", "zstf"};
    snprintf(path, sizeof path, "%s.stf", stem);
    struct trace trace = read_file(path);
    struct decoded all = decode_all(&trace);
    size_t records = 0;
    snprintf(path, sizeof path, "%s.stf.txt", stem);
    FILE *dump = fopen(path, "r");
    assert_non_null(dump);
    assert_true(all.complete);
    while (fgets(line, sizeof line, dump) != NULL) {
        if (line[0] != '#') {
            assert_true(records + 1 < all.count);
            compare_line(&trace, &all.list[records++], line);
        }
    }
    fclose(dump);
    assert_int_equal(records + 1, all.count);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s.%s", stem, stored[i]);
        struct trace again = read_file(path);
        if (again.size > 0) {
            struct decoded same = decode_all(&again);
            assert_same(&all, &same);
            free(same.list);
        }
        free(again.data);
    }
    print_message("%s: %zu records\n", stem, records);
    free(all.list);
    free(trace.data);
}

/* Each NAME.stf.txt of a folder and of those in it; how many. */
static unsigned compare_folder(const char *folder, unsigned depth)
{
    unsigned count = 0;
    DIR *list = opendir(folder);
    for (const struct dirent *item; list != NULL && (item = readdir(list)) != NULL;) {
        char path[PATH];
        const size_t length = strlen(item->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (length > 8 && strcmp(item->d_name + length - 8, ".stf.txt") == 0) {
            path[strlen(path) - 8] = '\0';
            compare_dump(path);
            count++;
        } else if (depth > 0 && item->d_name[0] != '.') {
            count += compare_folder(path, depth - 1);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
    return count;
}

static void samples_of_another_writer_have_the_records_of_another_reader(void **state)
{
    (void)state;
    assert_true(compare_folder(samples(), 1) > 0);
}

int main(void)
{
    if (samples_missing(samples())) {
        return SAMPLES_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_another_writer_have_the_records_of_another_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
