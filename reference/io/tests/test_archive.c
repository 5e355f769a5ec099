#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/tests/folder.h"
#include "io/archive.h"

static char folder[40];
static char path[64]; /* of the archive */

static int make_folder(void **state)
{
    (void)state;
    if (!make_test_folder(folder, sizeof folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/a.tar", folder);
    return setenv("TMPDIR", folder, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* only if nothing is left of what was unpacked */
}

/* --- archives --- */

struct member {
    const char *name;
    const char *text; /* of a file; of a link what it leads to */
    unsigned type;    /* AE_IFREG if 0 */
    bool hard_link;
};

enum kind { TAR_GZ, TAR_XZ, ZIP };

static struct archive *begin(enum kind kind)
{
    struct archive *a = archive_write_new();
    assert_non_null(a);
    if (kind == ZIP) {
        assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
    } else {
        assert_int_equal(archive_write_set_format_pax(a), ARCHIVE_OK);
        assert_int_equal(kind == TAR_XZ ? archive_write_add_filter_xz(a)
                                        : archive_write_add_filter_gzip(a),
                         ARCHIVE_OK);
    }
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    return a;
}

static void put_header(struct archive *a, const struct member *member, int64_t size)
{
    struct archive_entry *entry = archive_entry_new();
    assert_non_null(entry);
    archive_entry_set_pathname(entry, member->name);
    archive_entry_set_perm(entry, 0777);
    archive_entry_set_filetype(entry, member->type != 0 ? member->type : AE_IFREG);
    if (member->hard_link) {
        archive_entry_set_hardlink(entry, member->text);
    } else if (member->type == AE_IFLNK) {
        archive_entry_set_symlink(entry, member->text);
    }
    archive_entry_set_size(entry, size);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    archive_entry_free(entry);
}

static void make(enum kind kind, const struct member *members, size_t count)
{
    struct archive *a = begin(kind);
    for (size_t i = 0; i < count; i++) {
        const bool file = members[i].type == 0 && !members[i].hard_link;
        const size_t size = file ? strlen(members[i].text) : 0;
        put_header(a, &members[i], (int64_t)size);
        assert_int_equal(archive_write_data(a, members[i].text, size), size);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

/* --- unpacking --- */

static char names[256];

static void note(void *context, const char *name)
{
    (void)context;
    strncat(names, name, sizeof names - strlen(names) - 1);
    strncat(names, " ", sizeof names - strlen(names) - 1);
}

static enum assay_error unpack(char **unpacked, struct assay_diag *diag)
{
    names[0] = '\0';
    *diag = (struct assay_diag){0};
    return assay_archive_unpack(path, note, NULL, unpacked, diag);
}

/* --- tests --- */

static void an_archive_is_known_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(assay_archive_length("a.zip"), 5);
    assert_int_equal(assay_archive_length("b/a.tar.gz#ETB_0"), 10);
    assert_int_equal(assay_archive_length("a.tar#x.zip"), 5);
    assert_int_equal(assay_archive_length("a.zip/b"), 0);
    assert_int_equal(assay_archive_length("a.zipper"), 0);
    assert_int_equal(assay_archive_length("b/.zip"), 0);
    assert_int_equal(assay_archive_length("a.gz"), 0);
}

static void files_are_unpacked_for_the_user_alone_and_removed(void **state)
{
    (void)state;
    static const struct member members[] = {
        {"./d", "", AE_IFDIR, false}, {"./d/a", "text", 0, false}, {"e//f/./b", "", 0, false}};
    for (enum kind kind = TAR_GZ; kind <= ZIP; kind++) {
        char *unpacked = NULL;
        struct assay_diag diag;
        struct stat st;
        char file[128];
        char text[8] = "";
        make(kind, members, 3);
        assert_int_equal(unpack(&unpacked, &diag), ASSAY_OK);
        assert_string_equal(names, "d/a e/f/b ");
        assert_int_equal(stat(unpacked, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0700);
        snprintf(file, sizeof file, "%s/d/a", unpacked);
        assert_int_equal(stat(file, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        FILE *in = fopen(file, "r");
        assert_non_null(in);
        assert_int_equal(fread(text, 1, sizeof text - 1, in), 4);
        fclose(in);
        assert_string_equal(text, "text");
        snprintf(file, sizeof file, "%s", unpacked);
        assay_archive_remove(unpacked);
        assert_int_not_equal(stat(file, &st), 0);
    }
}

static void members_that_could_do_harm_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct member members[2];
        size_t count;
        enum assay_error error;
    } cases[] = {
        {{{"/etc/a", "x", 0, false}}, 1, ASSAY_NOT_READABLE},
        {{{"../a", "x", 0, false}}, 1, ASSAY_NOT_READABLE},
        {{{"d/../../a", "x", 0, false}}, 1, ASSAY_NOT_READABLE},
        {{{"a", "/etc/passwd", AE_IFLNK, false}}, 1, ASSAY_NOT_READABLE},
        {{{"a", "x", 0, false}, {"b", "a", 0, true}}, 2, ASSAY_NOT_READABLE},
        {{{"a", "", AE_IFIFO, false}}, 1, ASSAY_NOT_READABLE},
        {{{"a", "x", 0, false}, {"./a", "y", 0, false}}, 2, ASSAY_DUPLICATE},
        {{{"a", "x", 0, false}, {"a/b", "y", 0, false}}, 2, ASSAY_CONTRADICTION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *unpacked = NULL;
        struct assay_diag diag;
        make(TAR_GZ, cases[i].members, cases[i].count);
        const enum assay_error error = unpack(&unpacked, &diag);
        if (error != cases[i].error) {
            fail_msg("case %zu: %s: %s", i, assay_error_name(error), diag.message);
        }
        assert_string_equal(diag.path, path);
        assert_null(unpacked);
    }
}

static void a_name_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char name[2 * ASSAY_ARCHIVE_MAX_NAME + 1];
    char *unpacked = NULL;
    struct assay_diag diag;
    for (size_t i = 0; i + 1 < sizeof name; i++) {
        name[i] = i % 2 == 0 ? 'a' : '/';
    }
    name[sizeof name - 1] = '\0';
    make(TAR_GZ, &(struct member){name, "x", 0, false}, 1);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_LIMIT);
}

/* Writes an archive of `count` files, each in `folders` of its own. */
static void make_deep(size_t count, size_t folders)
{
    char name[ASSAY_ARCHIVE_MAX_NAME];
    struct archive *a = begin(TAR_GZ);
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(name, sizeof name, "%zu", i);
        for (size_t n = 0; n < folders; n++) {
            memcpy(name + length, "/a", 3);
            length += 2;
        }
        put_header(a, &(struct member){.name = name}, 0);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

static void folders_count_as_members_do(void **state)
{
    (void)state;
    char *unpacked = NULL;
    struct assay_diag diag;
    make_deep(2, ASSAY_ARCHIVE_MAX_DEPTH);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_OK);
    assay_archive_remove(unpacked);
    make_deep(ASSAY_ARCHIVE_MAX_MEMBERS / (ASSAY_ARCHIVE_MAX_DEPTH + 1) + 1,
              ASSAY_ARCHIVE_MAX_DEPTH);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_LIMIT);
    assert_string_equal(diag.message, "it has more than 8192 members and folders");
}

static void what_is_in_too_many_folders_is_refused(void **state)
{
    (void)state;
    char *unpacked = NULL;
    struct assay_diag diag;
    make_deep(1, ASSAY_ARCHIVE_MAX_DEPTH + 1);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_LIMIT);
    assert_non_null(strstr(diag.message, "is in too many folders"));
}

static void members_without_contents_count(void **state)
{
    (void)state;
    char *unpacked = NULL;
    struct assay_diag diag;
    make_deep(ASSAY_ARCHIVE_MAX_MEMBERS + 1, 0);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_LIMIT);
    assert_string_equal(diag.message, "it has more than 8192 members");
}

static void what_is_out_of_proportion_is_refused(void **state)
{
    (void)state;
    enum { PIECE = 1 << 20 };
    const struct member zeros = {"zeros", "", 0, false};
    const uint64_t size = ASSAY_ARCHIVE_ANY_RATIO + PIECE;
    char *piece = calloc(1, PIECE);
    char *unpacked = NULL;
    struct assay_diag diag;
    struct archive *a = begin(TAR_XZ);
    assert_non_null(piece);
    put_header(a, &zeros, (int64_t)size);
    for (uint64_t at = 0; at < size; at += PIECE) {
        assert_int_equal(archive_write_data(a, piece, PIECE), PIECE);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    free(piece);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_LIMIT);
    assert_null(unpacked);
}

static void what_is_no_archive_is_corrupt(void **state)
{
    (void)state;
    char *unpacked = NULL;
    struct assay_diag diag;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs("this is no archive", out) >= 0);
    fclose(out);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_CORRUPT);
    make(TAR_GZ, &(struct member){"a", "text", 0, false}, 1);
    assert_int_equal(truncate(path, 60), 0);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_CORRUPT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_NOT_FOUND);
}

static void a_damaged_gzip_stream_is_refused(void **state)
{
    (void)state;
    static const struct member member = {"a", "text", 0, false};
    for (long from_end = 1; from_end <= 8; from_end++) { /* its checksum, and its size */
        char *unpacked = NULL;
        struct assay_diag diag;
        make(TAR_GZ, &member, 1);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, -from_end, SEEK_END), 0);
        const int byte = fgetc(file);
        assert_int_equal(fseek(file, -from_end, SEEK_END), 0);
        fputc(byte ^ 1, file);
        fclose(file);
        assert_int_equal(unpack(&unpacked, &diag), ASSAY_CORRUPT);
        assert_null(unpacked);
    }
}

static void what_follows_an_archive_in_a_gzip_stream_is_not_read_for_long(void **state)
{
    (void)state;
    static const struct member member = {"a", "text", 0, false};
    static const char zeros[1 << 16];
    char *unpacked = NULL;
    struct assay_diag diag;
    make(TAR_GZ, &member, 1);
    const gzFile file = gzopen(path, "ab");
    assert_non_null(file);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(gzwrite(file, zeros, sizeof zeros), sizeof zeros);
    }
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(unpack(&unpacked, &diag), ASSAY_LIMIT);
    assert_null(unpacked);
}

static void names_that_are_not_ascii_are_read(void **state)
{
    (void)state;
    static const struct member member = {"\xc3\xa4/\xe2\x82\xac", "text", 0, false};
    for (enum kind kind = TAR_GZ; kind <= ZIP; kind++) {
        char *unpacked = NULL;
        struct assay_diag diag;
        const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        assert_ptr_not_equal(utf8, (locale_t)0);
        const locale_t before = uselocale(utf8);
        make(kind, &member, 1);
        freelocale(uselocale(before));
        assert_int_equal(unpack(&unpacked, &diag), ASSAY_OK);
        assert_string_equal(names, "\xc3\xa4/\xe2\x82\xac ");
        assay_archive_remove(unpacked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_gzip_stream_is_refused),
        cmocka_unit_test(what_follows_an_archive_in_a_gzip_stream_is_not_read_for_long),
        cmocka_unit_test(names_that_are_not_ascii_are_read),
        cmocka_unit_test(an_archive_is_known_by_its_name),
        cmocka_unit_test(files_are_unpacked_for_the_user_alone_and_removed),
        cmocka_unit_test(members_that_could_do_harm_are_refused),
        cmocka_unit_test(a_name_that_is_too_long_is_refused),
        cmocka_unit_test(folders_count_as_members_do),
        cmocka_unit_test(what_is_in_too_many_folders_is_refused),
        cmocka_unit_test(members_without_contents_count),
        cmocka_unit_test(what_is_out_of_proportion_is_refused),
        cmocka_unit_test(what_is_no_archive_is_corrupt),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
