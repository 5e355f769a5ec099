/* Profiles, keys and envelopes, and what is refused of a run. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "execution/uncompared.h"
#include "validator/certify/folder.h"
#include "validator/certify/key.h"
#include "validator/certify/parts.h"

static const struct assay_key_cost cheap = {1, 8192};

static struct assay_diag no_diag(void)
{
    return (struct assay_diag){.offset = ASSAY_NO_OFFSET};
}

/* --- profiles --- */

#define HEAD "certification: 1\nname: n\ntitle: t\nformat: astf\n"

static enum assay_error parse(const char *text, struct assay_certify_profile *profile)
{
    struct assay_diag diag = no_diag();
    return assay_certify_profile_parse("p.yaml", text, strlen(text), profile, &diag);
}

static void a_level_adds_to_the_one_that_it_extends_and_leaves_that_alone(void **state)
{
    struct assay_certify_profile p;
    (void)state;
    assert_int_equal(parse(HEAD "levels:\n"
                                "  - {name: a, sentences: [{says: t, exercise: [{rules: x}],"
                                " covered: 12.345}], workloads: [v], waive: [y]}\n"
                                "  - {name: b, extends: a, sentences: [{says: u, exercise: ["
                                "{rules: z, times: 3, of: 2, in: [w]}]}], workloads: [w],"
                                " rules: [q], tables: [tools]}\n"
                                "  - {name: c, extends: a, sentences: [{says: v, exercise: ["
                                "{rules: u}], compared: [contents]}], waive: [s]}\n",
                           &p),
                     ASSAY_OK);
    assert_int_equal(p.level_count, 3);
    assert_int_equal(p.levels[0].sentences.count, 1);
    assert_null(p.levels[0].extends);
    const struct assay_certify_sentence *b = p.levels[1].sentences.list;
    assert_int_equal(p.levels[1].sentences.count, 2);
    assert_string_equal(p.levels[1].extends, "a");
    assert_string_equal(b[0].says, "t");
    assert_string_equal(b[0].exercise.list[0].rules, "x");
    assert_true(b[0].executions);
    assert_int_equal(b[0].covered, 12345);
    assert_string_equal(b[1].says, "u");
    assert_false(b[1].executions);
    assert_int_equal(b[1].compared, 0);
    assert_int_equal(b[1].exercise.list[0].times, 3);
    assert_int_equal(b[1].exercise.list[0].of, 2);
    assert_string_equal(b[1].exercise.list[0].in.list[0]->text, "w");
    assert_string_equal(p.levels[1].tables.list[0]->text, "tools");
    assert_int_equal(p.levels[1].workloads.count, 2);
    assert_string_equal(p.levels[1].waive.list[0]->text, "y");
    assert_int_equal(p.levels[1].rules.count, 1);
    const struct assay_certify_sentence *c = p.levels[2].sentences.list;
    assert_int_equal(p.levels[2].sentences.count, 2);
    assert_string_equal(c[1].exercise.list[0].rules, "u");
    assert_int_equal(c[1].compared, UINT64_C(1) << ASSAY_UNCOMPARED_CONTENTS);
    assert_int_equal(p.levels[2].workloads.count, 1);
    assert_int_equal(p.levels[2].waive.count, 1);
    assert_string_equal(p.levels[2].waive.list[0]->text, "s");
    assert_int_equal(p.levels[0].sentences.count, 1);
    assert_false(p.built_in);
    assay_certify_profile_free(&p);
}

static void percentages_have_up_to_three_decimals(void **state)
{
    static const struct {
        const char *text;
        int value; /* -1: it is none */
    } cases[] = {{"0", 0},          {"100", 100000}, {"99.9", 99900}, {"0.001", 1},
                 {"99.999", 99999}, {"1.2345", -1},  {"100.001", -1}, {"-1", -1},
                 {".5", -1},        {"5.", -1},      {"1e2", -1},     {"", -1},
                 {"101", -1},       {"0x10", -1},    {"99,9", -1},    {"99999999999999999999", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct assay_certify_profile p;
        char text[256];
        snprintf(text, sizeof text,
                 HEAD "levels: [{name: a, sentences: [{says: t, covered: \"%s\","
                      " exercise: [{rules: x}]}]}]\n",
                 cases[i].text);
        const enum assay_error error = parse(text, &p);
        if (cases[i].value < 0) {
            assert_int_not_equal(error, ASSAY_OK);
        } else {
            assert_int_equal(error, ASSAY_OK);
            assert_int_equal(p.levels[0].sentences.list[0].covered, cases[i].value);
        }
        assay_certify_profile_free(&p);
    }
}

static void the_profiles_of_the_build_can_be_met(void **state)
{
    (void)state;
    assert_true(assay_certify_profiles_count > 0);
    for (size_t i = 0; i < assay_certify_profiles_count; i++) {
        const struct assay_corpus_text *text = &assay_certify_profiles[i];
        struct assay_diag diag = no_diag();
        struct assay_certify_profile p;
        struct assay_certification c = {.profile = &p};
        char file[64];
        enum assay_error error =
            assay_certify_profile_parse(text->name, text->text, text->size, &p, &diag);
        error = error ? error : assay_selection_begin(&c.selection, NULL, 0, NULL, &diag);
        error = error ? error : assay_certify_check_profile(&c, &diag);
        if (error != ASSAY_OK) {
            fail_msg("%s:%u: %s", text->name, diag.line, diag.message);
        }
        assert_true(p.built_in);
        snprintf(file, sizeof file, "rules/certification/%s.yaml", p.name);
        assert_string_equal(file, text->name);
        struct assay_submission none = {.trace_count = 0};
        c.submission = &none;
        assay_certification_close(&c);
        assay_certify_profile_free(&p);
    }
}

/* --- keys --- */

static char folder[] = "/tmp/assay-certify-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"key", "key.pub", "other", "other.pub", "bad"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)unlink(files[i]);
    }
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static size_t load(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, room, file);
    fclose(file);
    return size;
}

static void save(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void make_key(const char *path, struct assay_secret_key *secret,
                     struct assay_public_key *public)
{
    struct assay_diag diag = no_diag();
    char id[ASSAY_KEY_ID_TEXT];
    char public_path[64];
    (void)unlink(path);
    snprintf(public_path, sizeof public_path, "%s.pub", path);
    (void)unlink(public_path);
    assert_int_equal(assay_key_make(path, "secret", &cheap, id, &diag), ASSAY_OK);
    assert_int_equal(assay_secret_key_load(path, "secret", secret, &diag), ASSAY_OK);
    assert_int_equal(assay_public_key_load(public_path, public, &diag), ASSAY_OK);
    assert_string_equal(secret->id, id);
    assert_string_equal(public->id, id);
}

static void a_secret_key_needs_its_passphrase(void **state)
{
    struct assay_diag diag = no_diag();
    struct assay_secret_key secret;
    struct assay_public_key public;
    char id[ASSAY_KEY_ID_TEXT];
    (void)state;
    make_key("key", &secret, &public);
    assert_int_equal(assay_secret_key_load("key", "Secret", &secret, &diag), ASSAY_CONTRADICTION);
    assert_int_equal(assay_secret_key_load("key", "", &secret, &diag), ASSAY_CONTRADICTION);
    assert_int_equal(assay_secret_key_load("key.pub", "secret", &secret, &diag), ASSAY_SYNTAX);
    assert_int_equal(assay_public_key_load("key", &public, &diag), ASSAY_SYNTAX);
    assert_int_equal(assay_key_make("key", "secret", &cheap, id, &diag), ASSAY_NOT_WRITABLE);
    assert_int_equal(assay_key_make("other", "", &cheap, id, &diag), ASSAY_OUT_OF_RANGE);
    assert_int_not_equal(access("other", F_OK), 0);
}

/* Where the second file cannot be made, the first one does not stay. */
static void a_pair_of_keys_is_made_whole_or_not_at_all(void **state)
{
    struct assay_diag diag = no_diag();
    char id[ASSAY_KEY_ID_TEXT];
    (void)state;
    (void)unlink("other");
    save("other.pub", "taken", 5);
    assert_int_equal(assay_key_make("other", "secret", &cheap, id, &diag), ASSAY_NOT_WRITABLE);
    assert_int_not_equal(access("other", F_OK), 0);
}

static void a_key_of_which_a_byte_was_altered_is_refused(void **state)
{
    struct assay_secret_key secret;
    struct assay_public_key public;
    char text[1024];
    (void)state;
    make_key("key", &secret, &public);
    char id[ASSAY_KEY_ID_TEXT];
    memcpy(id, public.id, sizeof id);
    size_t size = load("key", text, sizeof text);
    for (size_t i = 0; i < size; i++) {
        struct assay_diag diag = no_diag();
        text[i] ^= 1;
        save("bad", text, size);
        text[i] ^= 1;
        assert_int_not_equal(assay_secret_key_load("bad", "secret", &secret, &diag), ASSAY_OK);
    }
    size = load("key.pub", text, sizeof text);
    for (size_t i = 0; i < size; i++) {
        struct assay_diag diag = no_diag();
        text[i] ^= 1;
        save("bad", text, size);
        text[i] ^= 1;
        /* What still is a key is another one. */
        if (assay_public_key_load("bad", &public, &diag) == ASSAY_OK) {
            assert_string_not_equal(public.id, id);
        }
    }
}

/* --- envelopes --- */

static const char payload[] = "{\"_type\": \"https://in-toto.io/Statement/v1\"}\n";

static struct assay_sink sign(const struct assay_secret_key *secret, const char *text)
{
    struct assay_diag diag = no_diag();
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_envelope_write(secret, text, strlen(text), &sink, &diag), ASSAY_OK);
    return sink;
}

static enum assay_error check(const struct assay_sink *envelope, const char *text,
                              const struct assay_public_key *key)
{
    struct assay_diag diag = no_diag();
    char id[ASSAY_KEY_ID_TEXT];
    return assay_envelope_check((const char *)envelope->data, envelope->size, text, strlen(text),
                                key, id, &diag);
}

static void an_envelope_is_of_its_text_and_key(void **state)
{
    struct assay_secret_key secret, other_secret;
    struct assay_public_key public, other;
    (void)state;
    make_key("key", &secret, &public);
    make_key("other", &other_secret, &other);
    struct assay_sink one = sign(&secret, payload);
    struct assay_sink again = sign(&secret, payload);
    assert_int_equal(check(&one, payload, &public), ASSAY_OK);
    assert_int_equal(check(&one, payload, NULL), ASSAY_OK);
    assert_int_equal(check(&one, payload, &other), ASSAY_CONTRADICTION);
    assert_int_equal(check(&one, "{}", &public), ASSAY_CONTRADICTION);
    assert_int_equal(one.size, again.size);
    assert_memory_equal(one.data, again.data, one.size);
    assay_sink_discard(&one);
    assay_sink_discard(&again);
}

static void an_envelope_of_which_a_byte_was_altered_is_refused(void **state)
{
    struct assay_secret_key secret;
    struct assay_public_key public;
    (void)state;
    make_key("key", &secret, &public);
    struct assay_sink one = sign(&secret, payload);
    const uint8_t *hint = memmem(one.data, one.size, "keyid", strlen("keyid"));
    assert_non_null(hint);
    const size_t hint_at = (size_t)(hint - one.data); /* nothing depends on the name of the key */
    const size_t hint_end = hint_at + strlen("keyid\": \"") + ASSAY_KEY_ID_TEXT - 1;
    for (size_t i = 0; i < one.size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            one.data[i] ^= (uint8_t)(1u << bit);
            if (check(&one, payload, &public) == ASSAY_OK) {
                assert_in_range(i, hint_at, hint_end - 1);
            }
            one.data[i] ^= (uint8_t)(1u << bit);
        }
    }
    for (size_t size = one.size - 2; size > 0; size--) {
        const struct assay_sink cut = {.data = one.data, .size = size};
        assert_int_not_equal(check(&cut, payload, &public), ASSAY_OK);
    }
    assay_sink_discard(&one);
}

/* The signature of RFC 8032 and the encoding of DSSE are those of others: a fixed example. */
static void an_envelope_is_what_others_sign(void **state)
{
    static const char text[] =
        "{\"payloadType\": \"application/vnd.in-toto+json\", \"payload\": \"e30=\", "
        "\"signatures\": [{\"keyid\": \"%s\", \"sig\": \"%s\"}]}";
    (void)state;
    struct assay_secret_key secret;
    struct assay_public_key public;
    make_key("key", &secret, &public);
    struct assay_sink made = sign(&secret, "{}");
    char wanted[512];
    char sig[128] = "";
    const char *at = memmem(made.data, made.size, "\"sig\": \"", 8);
    assert_non_null(at);
    sscanf(at + 8, "%127[^\"]", sig);
    const int size = snprintf(wanted, sizeof wanted, text, public.id, sig);
    assert_true(size > 0 && (size_t)size < sizeof wanted);
    assert_int_equal(made.size, (size_t)size + 1);
    assert_memory_equal(made.data, wanted, (size_t)size);
    assay_sink_discard(&made);
}

/* An envelope with members as given: printed with the right signature, and one by another key. */
static enum assay_error check_written(const char *format, const struct assay_public_key *key)
{
    struct assay_secret_key secret, other_secret;
    struct assay_public_key public, other;
    char sig[2][128] = {"", ""};
    char text[4096];
    make_key("key", &secret, &public);
    make_key("other", &other_secret, &other);
    for (int i = 0; i < 2; i++) {
        struct assay_sink made = sign(i == 0 ? &secret : &other_secret, "{\"a\": \"?>?\"}");
        const char *at = memmem(made.data, made.size, "\"sig\": \"", 8);
        assert_non_null(at);
        assert_int_equal(sscanf(at + 8, "%127[^\"]", sig[i]), 1);
        assay_sink_discard(&made);
    }
    size_t length = 0;
    for (const char *at = format; *at != '\0'; at++) {
        const char *piece = *at == 'R' ? sig[0] : *at == 'W' ? sig[1] : NULL;
        length +=
            (size_t)(piece != NULL ? snprintf(text + length, sizeof text - length, "%s", piece)
                                   : snprintf(text + length, sizeof text - length, "%c",
                                              *at == '\'' ? '"' : *at));
        assert_true(length < sizeof text);
    }
    const struct assay_sink envelope = {.data = (uint8_t *)text, .size = length};
    return check(&envelope, "{\"a\": \"?>?\"}", key != NULL ? &public : NULL);
}

#define ENVELOPE "{'payloadType': 'application/vnd.in-toto+json', 'payload': "
#define STANDARD ENVELOPE "'eyJhIjogIj8+PyJ9', 'signatures': "
#define URL_SAFE ENVELOPE "'eyJhIjogIj8-PyJ9', 'signatures': "

/* What a verifier of DSSE has to accept: either alphabet, no keyid or another, more signatures. */
static void an_envelope_can_be_as_dsse_allows(void **state)
{
    static const struct assay_public_key some = {.id = ""};
    (void)state;
    static const struct {
        const char *text;
        enum assay_error with_key, without;
    } cases[] = {
        {STANDARD "[{'sig': 'R'}]}", ASSAY_OK, ASSAY_OK},
        {URL_SAFE "[{'sig': 'R'}]}", ASSAY_OK, ASSAY_OK},
        {STANDARD "[{'keyid': 'mine', 'sig': 'R'}]}", ASSAY_OK, ASSAY_OK},
        {STANDARD "[{'sig': 'W'}, {'sig': 'R'}]}", ASSAY_OK, ASSAY_OK},
        {STANDARD "[{'sig': 'cnNh'}, {'sig': 'R', 'cert': ''}]}", ASSAY_OK, ASSAY_OK},
        {STANDARD "[{'sig': 'W'}]}", ASSAY_CONTRADICTION, ASSAY_OK},
        {STANDARD "[{'sig': 'W'}, {'sig': 'W'}]}", ASSAY_CONTRADICTION, ASSAY_OK},
        {STANDARD "[{'sig': ''}]}", ASSAY_CONTRADICTION, ASSAY_OK},
        {STANDARD "[{'keyid': 'R'}]}", ASSAY_CONTRADICTION, ASSAY_CONTRADICTION},
        {STANDARD "[]}", ASSAY_CONTRADICTION, ASSAY_CONTRADICTION},
        {STANDARD "{'sig': 'R'}}", ASSAY_CONTRADICTION, ASSAY_CONTRADICTION},
        {ENVELOPE "'e30=', 'signatures': [{'sig': 'R'}]}", ASSAY_CONTRADICTION,
         ASSAY_CONTRADICTION},
        {ENVELOPE "'eyJhIjogIj8+PyJ', 'signatures': [{'sig': 'R'}]}", ASSAY_CONTRADICTION,
         ASSAY_CONTRADICTION},
        {ENVELOPE "7, 'signatures': [{'sig': 'R'}]}", ASSAY_CONTRADICTION, ASSAY_CONTRADICTION},
        {"{'payloadType': 'text/plain', 'payload': 'eyJhIjogIj8+PyJ9', 'signatures': [{'sig': "
         "'R'}]}",
         ASSAY_CONTRADICTION, ASSAY_CONTRADICTION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(check_written(cases[i].text, &some), cases[i].with_key);
        assert_int_equal(check_written(cases[i].text, NULL), cases[i].without);
    }
    char many[2048] = STANDARD "[{'sig': 'R'}";
    for (int i = 1; i < 16; i++) {
        strcat(many, ", {'sig': ''}");
    }
    const size_t length = strlen(many);
    strcat(many, "]}");
    assert_int_equal(check_written(many, &some), ASSAY_OK);
    strcpy(many + length, ", {'sig': ''}]}");
    assert_int_equal(check_written(many, &some), ASSAY_CONTRADICTION);
}

/* --- what is refused of a run --- */

static enum assay_error files_of(struct assay_input_result *inputs, size_t count,
                                 struct assay_diag *diag)
{
    struct assay_submission submission = {.trace_count = 0};
    struct assay_certification c = {.submission = &submission,
                                    .results = {.inputs = inputs, .input_count = count}};
    const enum assay_error error = assay_certify_files(&c, diag);
    assay_certification_close(&c);
    return error;
}

static void a_trace_that_changed_while_it_was_judged_is_refused(void **state)
{
    struct assay_diag diag = no_diag();
    struct assay_input_result input = {.path = "t", .sha256 = "sha256:0"};
    (void)state;
    assert_int_equal(files_of(&input, 1, &diag), ASSAY_OK);
    input.changed = true;
    assert_int_equal(files_of(&input, 1, &diag), ASSAY_CONTRADICTION);
    assert_string_equal(diag.message, "the file changed while it was judged");
    assert_string_equal(diag.path, "t");
}

static void an_image_that_changed_between_two_traces_is_refused(void **state)
{
    struct assay_diag diag = no_diag();
    struct assay_evidence images[] = {{.role = "image", .path = "i", .sha256 = "sha256:1"},
                                      {.role = "image", .path = "./i", .sha256 = "sha256:1"}};
    struct assay_input_result inputs[] = {
        {.path = "t", .sha256 = "sha256:0", .evidence = &images[0], .evidence_count = 1},
        {.path = "u", .sha256 = "sha256:0", .evidence = &images[1], .evidence_count = 1}};
    (void)state;
    struct assay_input_result same[] = {inputs[0], inputs[1]};
    assert_int_equal(files_of(same, 2, &diag), ASSAY_OK);
    strcpy(images[1].sha256, "sha256:2");
    assert_int_equal(files_of(inputs, 2, &diag), ASSAY_CONTRADICTION);
    assert_string_equal(diag.path, "i");
}

static void a_file_without_a_digest_is_refused(void **state)
{
    struct assay_diag diag = no_diag();
    struct assay_input_result input = {.path = "t", .sha256 = ""};
    (void)state;
    assert_int_equal(files_of(&input, 1, &diag), ASSAY_NO_MEMORY);
}

static void no_catalogue_but_that_of_a_release_is_unmodified(void **state)
{
    (void)state;
    assert_false(assay_certify_is_released("sha256:0"));
    assert_false(assay_certify_is_released(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_adds_to_the_one_that_it_extends_and_leaves_that_alone),
        cmocka_unit_test(percentages_have_up_to_three_decimals),
        cmocka_unit_test(the_profiles_of_the_build_can_be_met),
        cmocka_unit_test(a_secret_key_needs_its_passphrase),
        cmocka_unit_test(a_pair_of_keys_is_made_whole_or_not_at_all),
        cmocka_unit_test(a_key_of_which_a_byte_was_altered_is_refused),
        cmocka_unit_test(an_envelope_is_of_its_text_and_key),
        cmocka_unit_test(an_envelope_of_which_a_byte_was_altered_is_refused),
        cmocka_unit_test(an_envelope_is_what_others_sign),
        cmocka_unit_test(an_envelope_can_be_as_dsse_allows),
        cmocka_unit_test(a_trace_that_changed_while_it_was_judged_is_refused),
        cmocka_unit_test(an_image_that_changed_between_two_traces_is_refused),
        cmocka_unit_test(a_file_without_a_digest_is_refused),
        cmocka_unit_test(no_catalogue_but_that_of_a_release_is_unmodified),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
