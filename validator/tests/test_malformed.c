/* Files that are wrong, given to the program: each is refused or reported, none is taken for right,
 * none takes much memory or time, and none crashes it. With the argument --table what is said of
 * each is printed, as docs/robustness.md has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/yaml.h"
#include "io/source.h"
#include "stf/stf.h"
#include "validator/tests/malformed_stf.h"
#include "validator/vector/vector.h"

enum { MOST_KIB = 64 * 1024, MOST_SECONDS = 10, REFUSED_STATUS = 3, TEXT = 16384 };

/* What the program said of a file. */
struct said {
    int status; /* of the exit; 128 and more: of a signal */
    bool complete;
    bool conforms;
    size_t rules;    /* that failed */
    char first[300]; /* the first of them, by name */
    long kib, seconds;
};

/* --- making the file --- */

static void add_line(char *text, const char *line)
{
    assert_true(strlen(text) + strlen(line) + 8 < TEXT);
    strcat(text, "  - ");
    strcat(text, line);
    strcat(text, "\n");
}

static void add_lines(char *text, const char *lines)
{
    while (*lines != '\0') {
        char line[1024] = "";
        const size_t size = strcspn(lines, "\n");
        assert_true(size < sizeof line);
        memcpy(line, lines, size);
        add_line(text, line);
        lines += size + (lines[size] == '\n');
    }
}

/* Records that version 1.6 does not have, or has otherwise. */
static const char *base_line(const struct malformed_case *c, size_t i)
{
    const char *line = malformed_base[i];
    if (c->minor == 6 && strncmp(line, "version", 7) == 0) {
        return "version: {major: 1, minor: 6}";
    }
    return c->minor == 6 && strncmp(line, "reserve_end", 11) == 0 ? "" : line;
}

static void write_vector(const struct malformed_case *c, char *text)
{
    bool found = c->edit == KEEP;
    snprintf(text, TEXT, "vector: 1\nformat: stf\n%s%s%strace:\n",
             c->storage != NULL ? "config: {storage: " : "", c->storage != NULL ? c->storage : "",
             c->storage != NULL ? "}\n" : "");
    for (size_t i = 0; i < malformed_base_count; i++) {
        const char *line = base_line(c, i);
        const bool here = !found && strncmp(line, c->at, strlen(c->at)) == 0;
        found = found || here;
        if (here && (c->edit == BEFORE || c->edit == REPLACE)) {
            add_lines(text, c->text);
        }
        if (!here || c->edit == BEFORE || c->edit == BEHIND) {
            add_lines(text, line);
        }
        if (here && c->edit == BEHIND) {
            add_lines(text, c->text);
        }
    }
    assert_true(found);
}

static size_t from_hex(const char *hex, uint8_t *bytes, size_t most)
{
    size_t size = 0;
    for (char *end; *hex != '\0' && size < most; hex = end) {
        bytes[size++] = (uint8_t)strtoul(hex, &end, 16);
        end += strspn(end, " ");
    }
    assert_int_equal(*hex, '\0');
    return size;
}

static size_t make_file(const struct malformed_case *c, uint8_t *bytes, size_t most)
{
    char text[TEXT];
    struct assay_vector vector;
    struct assay_sink sink;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (c->file != NULL) {
        return from_hex(c->file, bytes, most);
    }
    write_vector(c, text);
    if (assay_vector_parse(c->name, text, strlen(text), NULL, &vector, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", c->name, diag.message);
    }
    assay_sink_memory(&sink, 0);
    if (assay_vector_encode(&vector, &sink, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", c->name, diag.message);
    }
    size_t size = sink.size;
    assert_true(size < most);
    memcpy(bytes, sink.data, size);
    assay_sink_close(&sink, NULL);
    assay_vector_free(&vector);
    size = c->keep > 0 ? c->keep : size - c->cut;
    if (c->poke != NULL) {
        const size_t at = c->poke_at < 0 ? size - (size_t)-c->poke_at : (size_t)c->poke_at;
        assert_true(at < size);
        from_hex(c->poke, bytes + at, size - at);
    }
    return size + (c->append != NULL ? from_hex(c->append, bytes + size, most - size) : 0);
}

/* --- asking the program --- */

static void run_program(const char *path, bool named, const char *report, struct said *said)
{
    const char *program = getenv("ASSAY");
    int status = 0;
    struct rusage used;
    assert_non_null(program);
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int none = open("/dev/null", O_WRONLY);
        dup2(out, STDOUT_FILENO);
        dup2(none, STDERR_FILENO);
        execl(program, program, "check", "--report", "json", "--format", named ? "stf" : "auto",
              path, (char *)NULL);
        _exit(126);
    }
    assert_true(child > 0);
    assert_int_equal(wait4(child, &status, 0, &used), child);
    said->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    said->kib = used.ru_maxrss;
    said->seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
}

static void read_report(const char *path, struct said *said)
{
    json_t *report = json_load_file(path, 0, NULL);
    size_t i;
    json_t *rule;
    if (report == NULL) {
        return;
    }
    const json_t *input = json_array_get(json_object_get(report, "inputs"), 0);
    const char *verdict = json_string_value(json_object_get(report, "verdict"));
    said->complete = json_is_true(json_object_get(input, "complete"));
    said->conforms = verdict != NULL && strcmp(verdict, "conforms") == 0;
    json_array_foreach(json_object_get(report, "rules"), i, rule)
    {
        if (strcmp(json_string_value(json_object_get(rule, "verdict")), "fail") == 0 &&
            said->rules++ == 0) {
            snprintf(said->first, sizeof said->first, "%s, %s",
                     json_string_value(json_object_get(rule, "id")),
                     json_string_value(json_object_get(rule, "title")));
        }
    }
    json_decref(report);
}

/* The fault that decoding stops with, or "". */
static const char *code_of(const uint8_t *bytes, size_t size)
{
    struct assay_decode_input input = {0};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    const char *code = "";
    assert_int_equal(assay_source_memory(bytes, size, &input.source), ASSAY_OK);
    assert_int_equal(stf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(stf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            if (block.events[i].kind == STF_malformed) {
                code = assay_format_stf.faults[block.events[i].fault - 1].name;
            }
        }
    } while (block.count > 0);
    stf_decoder_ops.close(decoder);
    return code;
}

static struct said ask(const struct malformed_case *c, const char **code)
{
    static uint8_t bytes[1 << 16];
    struct said said = {0};
    char folder[] = "/tmp/assay-malformed-XXXXXX", path[64], report[64];
    const size_t size = make_file(c, bytes, sizeof bytes);
    *code = c->answer == STOPS ? code_of(bytes, size) : "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trace", folder);
    snprintf(report, sizeof report, "%s/report", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    run_program(path, c->named, report, &said);
    read_report(report, &said);
    unlink(path);
    unlink(report);
    rmdir(folder);
    return said;
}

/* What the program says of a case of the list, which is asked once. */
static struct said answer_of(size_t i, const char **code)
{
    static struct answer {
        bool known;
        struct said said;
        const char *code;
    } * answers;
    if (answers == NULL) {
        answers = calloc(malformed_case_count, sizeof *answers);
        assert_non_null(answers);
    }
    struct answer *answer = &answers[i];
    if (!answer->known) {
        answer->said = ask(&malformed_cases[i], &answer->code);
        answer->known = true;
    }
    *code = answer->code;
    return answer->said;
}

/* --- what has to hold --- */

static bool is_answered(const struct malformed_case *c, const struct said *said, const char *code)
{
    switch (c->answer) {
    case REFUSED:
        return said->status == REFUSED_STATUS;
    case STOPS:
        return (said->status == 1 || said->status == 4) && !said->complete &&
               strcmp(code, c->code) == 0;
    default:
        return said->status <= 1 && said->rules > 0;
    }
}

static void a_trace_without_a_fault_is_taken(void **state)
{
    (void)state;
    static const char *const storages[] = {NULL, "gzip", "xz", "zstd", "zstf"};
    for (size_t i = 0; i < 5; i++) {
        const struct malformed_case right = {
            .name = "right", .answer = STOPS, .storage = storages[i]};
        const char *code;
        const struct said said = ask(&right, &code);
        assert_int_equal(said.status, 0);
        assert_true(said.complete && said.conforms);
        assert_string_equal(code, "");
    }
}

static void each_malformed_file_is_refused_or_reported(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < malformed_case_count; i++) {
        const char *code;
        const struct said said = answer_of(i, &code);
        if (!is_answered(&malformed_cases[i], &said, code)) {
            print_message("%s: exit status %d, %zu rules failed, %s\n", malformed_cases[i].name,
                          said.status, said.rules, code);
            wrong++;
        }
        assert_true(said.seconds <= MOST_SECONDS);
#ifndef ASSAY_SANITIZED
        assert_true(said.kib < MOST_KIB);
#endif
    }
    assert_int_equal(wrong, 0);
}

static void print_table(FILE *out)
{
    long most = 0;
    unsigned answers[3] = {0};
    fprintf(out, "| file | answer | by |\n|---|---|---|\n");
    for (size_t i = 0; i < malformed_case_count; i++) {
        const struct malformed_case *c = &malformed_cases[i];
        const char *code;
        const struct said said = answer_of(i, &code);
        most = said.kib > most ? said.kib : most;
        answers[c->answer] += is_answered(c, &said, code);
        if (!is_answered(c, &said, code)) {
            fprintf(out, "| %s | %s, status %d | |\n", c->name,
                    said.status == 0 ? "accepted" : "wrong", said.status);
        } else if (c->answer == REPORTED) {
            fprintf(out, "| %s | %s | %s%s |\n", c->name, said.status == 1 ? "violates" : "finding",
                    said.first, said.rules > 1 ? " ..." : "");
        } else {
            fprintf(out, "| %s | %s | %s |\n", c->name, c->answer == REFUSED ? "refused" : "stops",
                    code);
        }
    }
    const unsigned answered = answers[REFUSED] + answers[STOPS] + answers[REPORTED];
    fprintf(
        out,
        "\n%zu files: %u refused, %u where decoding stops with a fault, %u reported by rules, %zu "
        "accepted; peak memory %.1f MiB\n",
        malformed_case_count, answers[REFUSED], answers[STOPS], answers[REPORTED],
        malformed_case_count - answered, (double)most / 1024);
}

/* Each line of the table is in the document, but for the memory that it took. */
static void the_document_has_the_table(void **state)
{
    (void)state;
    char *table = NULL, *rest = NULL, *document = NULL;
    size_t size = 0;
    unsigned lacking = 0;
    FILE *out = open_memstream(&table, &size);
    assert_non_null(out);
    print_table(out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(assay_text_load(ASSAY_ROBUSTNESS, &document, &size, NULL), ASSAY_OK);
    document[size] = '\0';
    for (char *line = strtok_r(table, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *memory = strstr(line, "; peak memory");
        if (memory != NULL) {
            *memory = '\0';
        }
        if (strstr(document, line) == NULL) {
            print_message("docs/robustness.md lacks: %s\n", line);
            lacking++;
        }
    }
    free(table);
    free(document);
    assert_int_equal(lacking, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_without_a_fault_is_taken),
        cmocka_unit_test(each_malformed_file_is_refused_or_reported),
        cmocka_unit_test(the_document_has_the_table),
    };
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        print_table(stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
