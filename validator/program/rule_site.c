#include "validator/program/rule_site.h"

#include <stdio.h>
#include <string.h>

#include "common/sink.h"
#include "reports/html_stream.h"
#include "validator/program/new_folder.h"
#include "validator/program/rule_page.h"

enum { PATH = ASSAY_FOLDER_PATH };

static const char *const style =
    "body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; "
    "color: #222; }\n"
    "h1 { font-size: 1.5em; margin-bottom: 0; }\n"
    "h2 { font-size: 1.1em; margin: 1.5em 0 0.3em; border-bottom: 1px solid #ccc; }\n"
    "pre { font: 14px/1.45 monospace; margin: 0; overflow-x: auto; }\n"
    "table { border-collapse: collapse; } td { padding: 0 1em 0 0; vertical-align: top; }\n"
    ".must { color: #a00; } .should { color: #960; } .may-not-rely, .info { color: #357; }\n";

static void put_head(struct assay_sink *sink, const char *title)
{
    assay_sink_text(sink, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    assay_html_escape(sink, title, strlen(title));
    assay_sink_printf(sink, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

/* The page as text has its name in the first line, what it is in the second, headings without
 * indentation, and all else indented. */
static void put_page(struct assay_sink *sink, const char *text, size_t size)
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
            assay_html_escape(sink, line, length);
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
        assay_sink_text(&file, "<p><a href=\"index.html\">all rules</a></p>\n");
        put_page(&file, (const char *)page.data, page.size);
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
    assay_sink_text(sink, "<h2>");
    assay_html_escape(sink, name, strcspn(name, "."));
    assay_sink_text(sink, "</h2>\n<table>\n");
}

static void put_catalogue(struct assay_sink *sink, const struct assay_catalogue *c)
{
    assay_sink_printf(sink, "<h1>%s %s: %zu rules</h1>\n<p>%s</p>\n", c->format->title,
                      c->format->version, c->rule_count, c->digest);
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        const char *level = assay_level_name((enum assay_level)rule->level);
        if (r == 0 || !same_area(rule, &c->rules[r - 1])) {
            assay_sink_text(sink, r > 0 ? "</table>\n" : "");
            put_area(sink, rule);
        }
        assay_sink_printf(sink,
                          "<tr><td><a href=\"%s.html\">%s</a></td><td class=\"%s\">%s</td><td>",
                          rule->id, rule->id, level, level);
        assay_html_escape(sink, rule->title, strlen(rule->title));
        assay_sink_text(sink, "</td></tr>\n");
    }
    assay_sink_text(sink, c->rule_count > 0 ? "</table>\n" : "");
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
    for (size_t i = 0; catalogues[i] != NULL; i++) {
        put_catalogue(&index, catalogues[i]);
    }
    assay_sink_text(&index, "</body>\n</html>\n");
    return assay_sink_close(&index, diag);
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
        for (size_t r = 0; r < catalogues[i]->rule_count && error == ASSAY_OK; r++) {
            error = write_rule(catalogues[i], &catalogues[i]->rules[r], new.root, diag);
            error = error != ASSAY_OK ? error : assay_new_folder_check(&new, diag);
        }
    }
    return assay_new_folder_end(&new, error, diag);
}
