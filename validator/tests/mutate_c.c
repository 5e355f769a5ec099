/* Mutants of C functions: what scripts/mutate-c compiles, and expects a test to notice. A list
 * (reference/<format>/mutants.yaml and its like) names the functions, the tests that have to
 * notice, and the mutants that none can notice; of a header also the file that is compiled with it.
 * An entry with `one_in: N` stands for a sample of its mutants.
 *
 *   mutate-c LIST                a line a mutant: its number, the file, the file that is compiled,
 *                                the tests, what is changed; behind that "=" and the reason if it
 *                                is listed as a survivor
 *   mutate-c LIST --apply N      the file with mutant N in it
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"

enum { NAME = 64, TEXT = 256, TOKENS_A_FUNCTION = 4096, MUTANTS = 1 << 14 };

struct token {
    const char *text; /* in the file */
    size_t length;
    enum { WORD, NUMBER, OTHER } type;
    bool operand_before; /* an operator here has two operands */
};

struct mutant {
    char name[TEXT]; /* "unit_of: `==` 2 becomes `!=`" */
    size_t at, length;
    char with[NAME];
};

struct source {
    const char *path;
    char *text;
    size_t size;
    char function[NAME]; /* that the scan is in */
    struct mutant *mutants;
    size_t count;
    struct token tokens[TOKENS_A_FUNCTION]; /* of the function, to number them */
    size_t token_count;
};

static void die(const char *what, const char *of)
{
    fprintf(stderr, "mutate-c: %s%s\n", what, of);
    exit(2);
}

/* --- tokens --- */

/* After white space, comments and preprocessor lines. */
static const char *skip(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '*') {
            at = strstr(at + 2, "*/");
            at = at != NULL ? at + 2 : "";
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (*at == '#') {
            do {
                at += strcspn(at, "\n");
            } while (*at == '\n' && at[-1] == '\\' && at++ != NULL);
        } else {
            return at;
        }
    }
}

static size_t quoted_length(const char *at)
{
    size_t n = 1;
    while (at[n] != '\0' && at[n] != *at) {
        n += at[n] == '\\' ? 2 : 1;
    }
    return n + 1;
}

static struct token token_at(const char *at)
{
    static const char *const operators[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "->",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    struct token token = {.text = at, .length = 1, .type = OTHER};
    if (isalpha((unsigned char)*at) || *at == '_') {
        token.type = WORD;
    } else if (isdigit((unsigned char)*at)) {
        token.type = NUMBER;
    } else if (*at == '"' || *at == '\'') {
        token.length = quoted_length(at);
        return token;
    }
    while (token.type != OTHER &&
           (isalnum((unsigned char)at[token.length]) || at[token.length] == '_')) {
        token.length++;
    }
    for (size_t i = 0; token.type == OTHER && i < sizeof operators / sizeof operators[0]; i++) {
        if (strncmp(at, operators[i], strlen(operators[i])) == 0) {
            token.length = strlen(operators[i]);
            break;
        }
    }
    return token;
}

static bool is(const struct token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

/* --- mutants of a token --- */

static void add(struct source *s, const struct token *token, const char *with)
{
    unsigned number = 1;
    for (size_t i = 0; i + 1 < s->token_count; i++) {
        number += s->tokens[i].length == token->length &&
                  memcmp(s->tokens[i].text, token->text, token->length) == 0;
    }
    if (s->count == MUTANTS) {
        die("too many mutants in ", s->path);
    }
    struct mutant *mutant = &s->mutants[s->count++];
    mutant->at = (size_t)(token->text - s->text);
    mutant->length = token->length;
    snprintf(mutant->with, sizeof mutant->with, "%s", with);
    snprintf(mutant->name, sizeof mutant->name, "%s: `%.*s` %u becomes `%s`", s->function,
             (int)token->length, token->text, number, with);
}

static void add_number(struct source *s, const struct token *token)
{
    char with[NAME];
    char *suffix = NULL;
    const uint64_t value = strtoull(token->text, &suffix, 0);
    const int rest = (int)(token->length - (size_t)(suffix - token->text));
    snprintf(with, sizeof with, "%" PRIu64 "%.*s", value + 1, rest, suffix);
    add(s, token, with);
    if (value > 0) {
        snprintf(with, sizeof with, "%" PRIu64 "%.*s", value - 1, rest, suffix);
        add(s, token, with);
    }
}

static void mutate(struct source *s, const struct token *token)
{
    static const struct {
        const char *text, *with[2];
        bool two; /* only where it has two operands */
    } changes[] = {
        {"==", {"!="}, false}, {"!=", {"=="}, false},      {"<", {"<=", ">="}, true},
        {"<=", {"<"}, true},   {">", {">=", "<="}, true},  {">=", {">"}, true},
        {"&&", {"||"}, true},  {"||", {"&&"}, true},       {"+", {"-"}, true},
        {"-", {"+"}, true},    {"&", {"|"}, true},         {"|", {"&"}, true},
        {"^", {"&"}, true},    {"<<", {">>"}, true},       {">>", {"<<"}, true},
        {"!", {""}, false},    {"~", {""}, false},         {"true", {"false"}, false},
        {"|=", {"="}, false},  {"+=", {"-="}, false},      {"-=", {"+="}, false},
        {"&=", {"|="}, false}, {"false", {"true"}, false},
    };
    if (token->type == NUMBER) {
        add_number(s, token);
    }
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (is(token, changes[i].text) && (!changes[i].two || token->operand_before)) {
            for (size_t w = 0; w < 2 && changes[i].with[w] != NULL; w++) {
                add(s, token, changes[i].with[w]);
            }
        }
    }
}

/* --- functions --- */

static bool named(const struct assay_yaml *functions, const char *name)
{
    for (size_t i = 0; i < functions->count; i++) {
        if (assay_yaml_is(functions->items[i], name)) {
            return true;
        }
    }
    return false;
}

static bool ends_operand(const struct token *token)
{
    return token->type == NUMBER || is(token, ")") || is(token, "]") ||
           (token->type == WORD && !is(token, "return") && !is(token, "sizeof"));
}

/* Collects the mutants of the named functions. A function is a block after a parenthesis, and
 * outside of all others. */
static void scan(struct source *s, const struct assay_yaml *functions)
{
    struct token last = {.text = "", .length = 0, .type = OTHER};
    char candidate[NAME] = "";
    unsigned depth = 0, parentheses = 0;
    bool wanted = false;
    for (const char *at = skip(s->text); *at != '\0'; at = skip(at + last.length)) {
        struct token token = token_at(at);
        token.operand_before = ends_operand(&last);
        if (depth == 0 && is(&token, "(") && parentheses == 0 && last.type == WORD) {
            snprintf(candidate, sizeof candidate, "%.*s", (int)last.length, last.text);
        }
        if (depth == 0 && is(&token, "{") && is(&last, ")")) {
            snprintf(s->function, sizeof s->function, "%s", candidate);
            wanted = named(functions, s->function);
            s->token_count = 0;
        }
        parentheses += is(&token, "(");
        parentheses -= is(&token, ")") && parentheses > 0;
        depth += is(&token, "{");
        depth -= is(&token, "}") && depth > 0;
        if (wanted && depth > 0 && s->token_count < TOKENS_A_FUNCTION) {
            s->tokens[s->token_count++] = token;
            mutate(s, &token);
        }
        wanted = wanted && depth > 0;
        last = token;
    }
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    if (file == NULL || text == NULL) {
        die("cannot read ", path);
    }
    *size = fread(text, 1, (1 << 20) - 1, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* --- the list --- */

/* The reason why no test notices a mutant; null if it is not listed as a survivor. */
static const char *reason_of(const struct assay_yaml *survivors, const char *name, bool *used)
{
    for (size_t i = 0; survivors != NULL && i < survivors->count; i++) {
        const struct assay_yaml *reason = assay_yaml_get(survivors->items[i], "reason");
        if (assay_yaml_is(assay_yaml_get(survivors->items[i], "mutant"), name)) {
            used[i] = true;
            return reason != NULL ? reason->text : "";
        }
    }
    return NULL;
}

static void put_tests(const struct assay_yaml *tests)
{
    for (size_t i = 0; i < tests->count; i++) {
        printf("%s%s", i > 0 ? "," : "", tests->items[i]->text);
    }
}

/* Whether a mutant is of the sample of one in so many. By its name, so that it stays in it when
 * another function changes, and is in each larger sample of which the number is a divisor. */
static bool is_sampled(const struct mutant *mutant, const struct assay_yaml *one_in)
{
    uint64_t in = 1;
    uint32_t hash = 2166136261;
    if (one_in != NULL && (!assay_yaml_u64(one_in, &in) || in == 0)) {
        die("not a number of mutants: ", one_in->text);
    }
    for (const char *at = mutant->name; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619;
    }
    return (hash >> 8) % in == 0;
}

static void list(const struct source *s, const struct assay_yaml *entry, size_t *number)
{
    const struct assay_yaml *survivors = assay_yaml_get(entry, "survivors");
    const struct assay_yaml *unit = assay_yaml_get(entry, "unit");
    const struct assay_yaml *one_in = assay_yaml_get(entry, "one_in");
    bool *used = calloc(survivors != NULL ? survivors->count + 1 : 1, sizeof *used);
    if (used == NULL) {
        die("out of memory", "");
    }
    for (size_t i = 0; i < s->count; i++) {
        const char *reason = reason_of(survivors, s->mutants[i].name, used);
        const size_t its_number = (*number)++;
        if (!is_sampled(&s->mutants[i], one_in)) {
            continue;
        }
        printf("%zu\t%s\t%s\t", its_number, s->path, unit != NULL ? unit->text : s->path);
        put_tests(assay_yaml_get(entry, "tests"));
        printf("\t%s\t%s%s\n", s->mutants[i].name, reason != NULL ? "=" : "",
               reason != NULL ? reason : "");
    }
    for (size_t i = 0; survivors != NULL && i < survivors->count; i++) {
        const struct assay_yaml *name = assay_yaml_get(survivors->items[i], "mutant");
        if (!used[i]) {
            die("there is no such mutant: ", name != NULL ? name->text : "(no mutant is named)");
        }
    }
    free(used);
}

static void apply(const struct source *s, size_t number)
{
    const struct mutant *mutant = &s->mutants[number];
    fwrite(s->text, 1, mutant->at, stdout);
    fputs(mutant->with, stdout);
    fputs(s->text + mutant->at + mutant->length, stdout);
}

static void check_functions(const struct source *s, const struct assay_yaml *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        const char *name = functions->items[i]->text;
        bool any = false;
        for (size_t m = 0; m < s->count; m++) {
            any = any || (strncmp(s->mutants[m].name, name, strlen(name)) == 0 &&
                          s->mutants[m].name[strlen(name)] == ':');
        }
        if (!any) {
            die("nothing to mutate in function ", name);
        }
    }
}

int main(int argc, char **argv)
{
    struct assay_yaml_file file;
    struct assay_diag diag = {.error = ASSAY_OK};
    const bool applies = argc == 4 && strcmp(argv[2], "--apply") == 0;
    if (argc != 2 && !applies) {
        die("LIST or LIST --apply N", "");
    }
    if (assay_yaml_load(argv[1], &file, &diag) != ASSAY_OK) {
        die(diag.message, "");
    }
    const size_t wanted = applies ? (size_t)strtoull(argv[3], NULL, 10) : 0;
    size_t number = 0;
    for (size_t i = 0; i < file.root->count; i++) {
        const struct assay_yaml *entry = file.root->items[i];
        const struct assay_yaml *path = assay_yaml_get(entry, "file");
        const struct assay_yaml *functions = assay_yaml_get(entry, "functions");
        if (path == NULL || functions == NULL || assay_yaml_get(entry, "tests") == NULL) {
            die("an entry has file, functions and tests: ", argv[1]);
        }
        struct source *s = calloc(1, sizeof *s);
        struct mutant *mutants = calloc(MUTANTS, sizeof *mutants);
        if (s == NULL || mutants == NULL) {
            die("out of memory", "");
        }
        s->path = path->text;
        s->text = read_file(s->path, &s->size);
        s->mutants = mutants;
        scan(s, functions);
        check_functions(s, functions);
        if (!applies) {
            list(s, entry, &number);
        } else if (wanted >= number && wanted - number < s->count) {
            apply(s, wanted - number);
        }
        number += applies ? s->count : 0;
        free(mutants);
        free(s->text);
        free(s);
    }
    assay_yaml_free(&file);
    return 0;
}
