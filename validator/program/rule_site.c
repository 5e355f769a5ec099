#include "validator/program/rule_site.h"

#include <stdio.h>
#include <string.h>

#include "io/sink.h"
#include "reports/html_stream.h"
#include "validator/program/new_folder.h"
#include "validator/program/rule_page.h"

enum { PATH = ASSAY_FOLDER_PATH };

static const char *const style =
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
    "h1 { font-size: 1.5em; margin-bottom: 0; }\n"
    "h2 { font-size: 1.1em; margin: 1.5em 0 0.3em; border-bottom: 1px solid #ccc; }\n"
    "pre { font: 14px/1.45 monospace; margin: 0; overflow-x: auto; }\n"
    "table { border-collapse: collapse; } td { padding: 0 1em 0 0; vertical-align: top; }\n"
    "dt { margin-top: 1em; } dt:target, dt:target + dd { background: #fc84; }\n"
    ".must, .shall { color: #c33; } .should { color: #a70; } .may-not-rely, .info { color: #48a; "
    "}\n"
    "@media print { input { display: none; } }\n";

/* Rows are shown in which all words are, and areas that have one of them. */
static const char *const search =
    "<p><input type=\"search\" id=\"words\" placeholder=\"Search\" aria-label=\"Search the "
    "rules\"></p>\n"
    "<script>\nconst words = document.getElementById(\"words\");\n"
    "words.addEventListener(\"input\", () => {\n"
    "  const all = words.value.toLowerCase().split(/\\s+/);\n"
    "  for (const row of document.querySelectorAll(\"tr\"))\n"
    "    row.hidden = !all.every((word) => row.textContent.toLowerCase().includes(word));\n"
    "  for (const area of document.querySelectorAll(\"section\"))\n"
    "    area.hidden = !area.querySelector(\"tr:not([hidden])\");\n"
    "});\n</script>\n";

static void put_head(struct assay_sink *sink, const char *title)
{
    assay_sink_text(sink, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    assay_html_escape(sink, title, strlen(title));
    assay_sink_printf(sink, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

static void put_escaped(struct assay_sink *sink, const char *text)
{
    assay_html_escape(sink, text, strlen(text));
}

/* --- links --- */

static bool is_id(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

static bool same(const char *id, const char *text, size_t length)
{
    return strncmp(id, text, length) == 0 && id[length] == '\0';
}

/* The page of an id of the catalogue: a rule has one of its own, clauses and interpretations are in
 * lists. Null if there is none. */
static const char *page_of(const struct assay_catalogue *c, const char *text, size_t length)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        if (same(c->rules[i].id, text, length)) {
            return "";
        }
    }
    for (size_t i = 0; i < c->clause_count; i++) {
        if (same(c->clauses[i].id, text, length)) {
            return "clauses";
        }
    }
    for (size_t i = 0; i < c->interpretation_count; i++) {
        if (same(c->interpretations[i].id, text, length)) {
            return "interpretations";
        }
    }
    return NULL;
}

static void put_id(struct assay_sink *sink, const struct assay_catalogue *c, const char *text,
                   size_t length)
{
    const char *page = length > 4 ? page_of(c, text, length) : NULL;
    const int size = (int)length;
    if (page == NULL) {
        assay_html_escape(sink, text, length);
    } else if (*page == '\0') {
        assay_sink_printf(sink, "<a href=\"%.*s.html\">%.*s</a>", size, text, size, text);
    } else {
        assay_sink_printf(sink, "<a href=\"%s-%s.html#%.*s\">%.*s</a>", page, c->format->name, size,
                          text, size, text);
    }
}

/* A text, in which the ids of the catalogue are links. */
static void put_linked(struct assay_sink *sink, const struct assay_catalogue *c, const char *text,
                       size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = 0;
        while (at + length < size && is_id(text[at + length])) {
            length++;
        }
        if (length > 0) {
            put_id(sink, c, text + at, length);
        }
        at += length;
        for (length = 0; at + length < size && !is_id(text[at + length]);) {
            length++;
        }
        assay_html_escape(sink, text + at, length);
        at += length;
    }
}

/* --- pages of rules --- */

/* The page as text has its name in the first line, what it is in the second, headings without
 * indentation, and all else indented. */
static void put_page(struct assay_sink *sink, const struct assay_catalogue *c, const char *text,
                     size_t size)
{
    bool in_block = false;
    unsigned number = 0;
    for (size_t at = 0; at < size; number++) {
        const char *line = text + at;
        const char *feed = memchr(line, '\n', size - at);
        const size_t length = feed != NULL ? (size_t)(feed - line) : size - at;
        const bool heading = length > 0 && line[0] != ' ';
        at += length + 1;
        if (heading && in_block) {
            assay_sink_text(sink, "</pre>\n");
            in_block = false;
        }
        if (heading) {
            const char *tag = number == 0 ? "h1" : number == 1 ? "p" : "h2";
            assay_sink_printf(sink, "<%s>", tag);
            assay_html_escape(sink, line, length);
            assay_sink_printf(sink, "</%s>\n", tag);
        } else if (length > 0) {
            assay_sink_text(sink, in_block ? "" : "<pre>");
            in_block = true;
            put_linked(sink, c, line, length);
            assay_sink_text(sink, "\n");
        }
    }
    assay_sink_text(sink, in_block ? "</pre>\n" : "");
}

/* `path` has PATH bytes, and the sink keeps it until it is closed. */
static enum assay_error open_file(struct assay_sink *sink, const char *folder, const char *name,
                                  char *path, struct assay_diag *diag)
{
    if (snprintf(path, PATH, "%s/%s.html", folder, name) >= PATH) {
        assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "the name is too long");
        assay_diag_path(diag, folder);
        return ASSAY_NOT_WRITABLE;
    }
    return assay_sink_open(sink, path, diag);
}

static void put_navigation(struct assay_sink *sink, const struct assay_catalogue *c)
{
    const char *name = c->format->name;
    assay_sink_printf(
        sink,
        "<p><a href=\"index.html#%s\">rules</a> &middot; <a href=\"clauses-%s.html\">"
        "clauses</a> &middot; <a href=\"interpretations-%s.html\">interpretations</a></p>\n",
        name, name, name);
}

static enum assay_error write_rule(const struct assay_catalogue *c, const struct assay_rule *rule,
                                   const char *folder, struct assay_diag *diag)
{
    struct assay_sink page;
    struct assay_sink file;
    char path[PATH];
    assay_sink_memory(&page, 0);
    assay_rule_page(c, rule, &page);
    enum assay_error error = page.error;
    if (error != ASSAY_OK) {
        assay_sink_explain(&page, error, diag);
    } else {
        error = open_file(&file, folder, rule->id, path, diag);
    }
    if (error == ASSAY_OK) {
        put_head(&file, rule->id);
        put_navigation(&file, c);
        put_page(&file, c, (const char *)page.data, page.size);
        assay_sink_text(&file, "</body>\n</html>\n");
        error = assay_sink_close(&file, diag);
    }
    assay_sink_close(&page, NULL);
    return error;
}

/* Rules of one file are of one area: "context" of rules/astf/context.yaml. */
static bool same_area(const struct assay_rule *a, const struct assay_rule *b)
{
    return strcmp(a->file, b->file) == 0;
}

static void put_area(struct assay_sink *sink, const struct assay_rule *rule)
{
    const char *slash = strrchr(rule->file, '/');
    const char *name = slash != NULL ? slash + 1 : rule->file;
    assay_sink_text(sink, "<section>\n<h2>");
    assay_html_escape(sink, name, strcspn(name, "."));
    assay_sink_text(sink, "</h2>\n<table>\n");
}

static void put_catalogue(struct assay_sink *sink, const struct assay_catalogue *c)
{
    assay_sink_printf(sink, "<h1 id=\"%s\">%s %s: %zu rules</h1>\n<p>%s</p>\n", c->format->name,
                      c->format->title, c->format->version, c->rule_count, c->digest);
    put_navigation(sink, c);
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        const char *level = assay_level_name((enum assay_level)rule->level);
        if (r == 0 || !same_area(rule, &c->rules[r - 1])) {
            assay_sink_text(sink, r > 0 ? "</table>\n</section>\n" : "");
            put_area(sink, rule);
        }
        assay_sink_printf(sink,
                          "<tr><td><a href=\"%s.html\">%s</a></td><td class=\"%s\">%s</td><td>",
                          rule->id, rule->id, level, level);
        assay_html_escape(sink, rule->title, strlen(rule->title));
        assay_sink_text(sink, "</td></tr>\n");
    }
    assay_sink_text(sink, c->rule_count > 0 ? "</table>\n</section>\n" : "");
}

static enum assay_error write_index(const struct assay_catalogue *const *catalogues,
                                    const char *folder, struct assay_diag *diag)
{
    struct assay_sink index;
    char path[PATH];
    const enum assay_error error = open_file(&index, folder, "index", path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    put_head(&index, "Rules of Assay");
    assay_sink_text(&index, "<nav>\n");
    for (size_t i = 0; catalogues[i] != NULL; i++) {
        assay_sink_printf(&index, "<a href=\"#%s\">%s</a>\n", catalogues[i]->format->name,
                          catalogues[i]->format->title);
    }
    assay_sink_printf(&index, "</nav>\n%s", search);
    for (size_t i = 0; catalogues[i] != NULL; i++) {
        put_catalogue(&index, catalogues[i]);
    }
    assay_sink_text(&index, "</body>\n</html>\n");
    return assay_sink_close(&index, diag);
}

/* --- clauses and interpretations --- */

static void put_clause(struct assay_sink *sink, const struct assay_catalogue *c,
                       const struct assay_clause *clause)
{
    const char *how = assay_disposition_name((enum assay_disposition)clause->disposition);
    assay_sink_printf(sink, "<dt id=\"%s\"><b>%s</b> ", clause->id, clause->id);
    put_escaped(sink, clause->section);
    assay_sink_printf(sink, " <span class=\"%s\">%s</span></dt>\n<dd>", clause->level,
                      clause->level);
    put_linked(sink, c, clause->text, strlen(clause->text));
    assay_sink_printf(sink, "<br>%s:", how);
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        for (size_t i = 0; i < rule->clause_count; i++) {
            if (strcmp(rule->clauses[i], clause->id) == 0) {
                assay_sink_text(sink, " ");
                put_id(sink, c, rule->id, strlen(rule->id));
            }
        }
    }
    assay_sink_text(sink, " ");
    put_linked(sink, c, clause->reason != NULL ? clause->reason : "",
               clause->reason != NULL ? strlen(clause->reason) : 0);
    assay_sink_text(sink, "</dd>\n");
}

static void put_interpretation(struct assay_sink *sink, const struct assay_catalogue *c,
                               const struct assay_interpretation *one)
{
    assay_sink_printf(sink, "<dt id=\"%s\"><b>%s</b> ", one->id, one->id);
    put_escaped(sink, one->section);
    assay_sink_text(sink, "</dt>\n<dd>");
    put_linked(sink, c, one->problem, strlen(one->problem));
    assay_sink_text(sink, "<ul>\n");
    for (size_t i = 0; i < one->reading_count; i++) {
        assay_sink_printf(sink, "<li>%s%s: ", one->readings[i].name,
                          i == one->chosen ? " (the default)" : "");
        put_linked(sink, c, one->readings[i].text, strlen(one->readings[i].text));
        assay_sink_text(sink, "</li>\n");
    }
    assay_sink_text(sink, "</ul>\n");
    put_linked(sink, c, one->because, strlen(one->because));
    for (size_t i = 0; i < one->clause_count; i++) {
        assay_sink_text(sink, " ");
        put_id(sink, c, one->clauses[i], strlen(one->clauses[i]));
    }
    assay_sink_text(sink, "</dd>\n");
}

/* Writes the list of clauses, or that of interpretations. */
static enum assay_error write_list(const struct assay_catalogue *c, const char *kind,
                                   const char *folder, struct assay_diag *diag)
{
    struct assay_sink file;
    char path[PATH];
    char name[128];
    const bool clauses = strcmp(kind, "clauses") == 0;
    snprintf(name, sizeof name, "%s-%s", kind, c->format->name);
    const enum assay_error error = open_file(&file, folder, name, path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    put_head(&file, name);
    put_navigation(&file, c);
    assay_sink_printf(&file, "<h1>%s %s: %s</h1>\n<dl>\n", c->format->title, c->format->version,
                      kind);
    for (size_t i = 0; clauses && i < c->clause_count; i++) {
        put_clause(&file, c, &c->clauses[i]);
    }
    for (size_t i = 0; !clauses && i < c->interpretation_count; i++) {
        put_interpretation(&file, c, &c->interpretations[i]);
    }
    assay_sink_text(&file, "</dl>\n</body>\n</html>\n");
    return assay_sink_close(&file, diag);
}

enum assay_error assay_rule_site(const struct assay_catalogue *const *catalogues,
                                 const char *folder, struct assay_diag *diag)
{
    struct assay_new_folder new;
    enum assay_error error = assay_new_folder_begin(&new, folder, "the pages are", diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = write_index(catalogues, new.root, diag);
    for (size_t i = 0; catalogues[i] != NULL && error == ASSAY_OK; i++) {
        error = write_list(catalogues[i], "clauses", new.root, diag);
        error = error != ASSAY_OK ? error
                                  : write_list(catalogues[i], "interpretations", new.root, diag);
        for (size_t r = 0; r < catalogues[i]->rule_count && error == ASSAY_OK; r++) {
            error = write_rule(catalogues[i], &catalogues[i]->rules[r], new.root, diag);
            error = error != ASSAY_OK ? error : assay_new_folder_check(&new, diag);
        }
    }
    return assay_new_folder_end(&new, error, diag);
}
