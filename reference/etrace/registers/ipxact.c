/* IP-XACT descriptions of an encoder's registers: the parsing, and the walk through registers and
 * fields. What is to be said of a field is in ipxact_fields.c.
 *
 * Names are compared without their prefix, so that all versions of the schema are read alike. */
#include "etrace/registers/ipxact.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "etrace/registers/ipxact_fields.h"

enum { REGISTERS_MOST = 1024, UNIT_BITS = 8 };

/* Limits of a file, which are looked at before libxml2 reads it: it needs some hundred bytes for
 * each element, and time for each pair of attributes that an element has. */
enum { BYTES_MOST = 1 << 22, ELEMENTS_MOST = 1 << 16, ATTRIBUTES_MOST = 256 };

/* What a description is read with. */
struct description {
    struct etrace_ipxact_fields fields;
    struct range {
        uint64_t first, end; /* bits of the address block */
        unsigned line;
    } registers[REGISTERS_MOST];
    size_t register_count;
    uint64_t unit; /* bits of an address */
};

/* --- elements --- */

static bool is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static xmlNode *next_named(xmlNode *node, const char *name)
{
    while (node != NULL && !is(node, name)) {
        node = node->next;
    }
    return node;
}

static xmlNode *child(const xmlNode *node, const char *name)
{
    return node != NULL ? next_named(node->children, name) : NULL;
}

static unsigned line_of(const xmlNode *node)
{
    const long line = xmlGetLineNo(node);
    return line > 0 ? (unsigned)line : 1;
}

/* The text of an element, without blanks around it; empty when there is none, or it is longer. */
static void text_of(const xmlNode *node, char out[ETRACE_IPXACT_TEXT])
{
    static const char blanks[] = " \t\r\n";
    out[0] = '\0';
    xmlNode *text = node != NULL ? node->children : NULL;
    while (text != NULL && text->type != XML_TEXT_NODE) {
        text = text->next;
    }
    if (text == NULL || text->content == NULL) {
        return;
    }
    const char *first = (const char *)text->content;
    first += strspn(first, blanks);
    size_t length = strlen(first);
    while (length > 0 && strchr(blanks, first[length - 1]) != NULL) {
        length--;
    }
    if (length < ETRACE_IPXACT_TEXT) {
        memcpy(out, first, length);
        out[length] = '\0';
    }
}

static enum assay_error fail(const xmlNode *at, enum assay_error error, const char *message,
                             const char *what, struct assay_diag *diag)
{
    return assay_fail_at(diag, error, line_of(at), 1, message, what);
}

/* The number in a child; `found` is whether there is such a child. */
static enum assay_error number_in(const xmlNode *node, const char *name, uint64_t *value,
                                  bool *found, struct assay_diag *diag)
{
    char text[ETRACE_IPXACT_TEXT];
    const xmlNode *element = child(node, name);
    *found = element != NULL;
    if (element == NULL) {
        return ASSAY_OK;
    }
    text_of(element, text);
    return etrace_ipxact_number(text, value)
               ? ASSAY_OK
               : fail(element, ASSAY_WRONG_TYPE, "%s is a number", name, diag);
}

static enum assay_error needed(const xmlNode *node, const char *name, uint64_t *value,
                               struct assay_diag *diag)
{
    bool found = false;
    const enum assay_error error = number_in(node, name, value, &found, diag);
    return error != ASSAY_OK || found ? error
                                      : fail(node, ASSAY_SYNTAX, "it has no %s", name, diag);
}

/* --- fields and registers --- */

static enum assay_error read_field(struct description *d, const xmlNode *node,
                                   struct etrace_ipxact_field *field, struct assay_diag *diag)
{
    const xmlNode *name = child(node, "name");
    const xmlNode *access = child(node, "access");
    const xmlNode *reset = child(child(node, "resets"), "reset");
    field->line = line_of(node);
    text_of(name, field->name);
    if (access != NULL) {
        text_of(access, field->access);
    }
    if (field->name[0] == '\0') {
        return fail(node, ASSAY_SYNTAX, "a %s has a name", "field", diag);
    }
    enum assay_error error = needed(node, "bitOffset", &field->offset, diag);
    error = error != ASSAY_OK ? error : needed(node, "bitWidth", &field->width, diag);
    if (error == ASSAY_OK && reset != NULL) {
        error = number_in(reset, "value", &field->value, &field->has_value, diag);
        field->value_line = line_of(child(reset, "value") != NULL ? child(reset, "value") : reset);
    }
    return error != ASSAY_OK ? error : etrace_ipxact_field(&d->fields, field, diag);
}

static enum assay_error read_fields(struct description *d, const xmlNode *node,
                                    const struct etrace_ipxact_field *in, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (xmlNode *f = child(node, "field"); f != NULL && error == ASSAY_OK;
         f = next_named(f->next, "field")) {
        struct etrace_ipxact_field field = *in;
        error = read_field(d, f, &field, diag);
    }
    return error;
}

/* Notes where a register is, and whether another one is there, too. */
static enum assay_error place_register(struct description *d, const xmlNode *node, uint64_t bits,
                                       struct assay_diag *diag)
{
    uint64_t at = 0;
    const enum assay_error error = needed(node, "addressOffset", &at, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (d->register_count == REGISTERS_MOST || at > UINT32_MAX) {
        return fail(node, ASSAY_LIMIT, "it is more than a %s of an encoder has", "map", diag);
    }
    const struct range range = {at * d->unit, at * d->unit + bits, line_of(node)};
    for (size_t i = 0; i < d->register_count; i++) {
        if (range.first < d->registers[i].end && d->registers[i].first < range.end &&
            d->fields.overlap_line == 0) {
            d->fields.overlap_line = range.line;
        }
    }
    d->registers[d->register_count++] = range;
    return ASSAY_OK;
}

static enum assay_error read_register(struct description *d, const xmlNode *node,
                                      struct assay_diag *diag)
{
    struct etrace_ipxact_field field = {.in_register = {0}};
    text_of(child(node, "name"), field.in_register);
    text_of(child(node, "access"), field.access);
    enum assay_error error = needed(node, "size", &field.register_size, diag);
    if (error == ASSAY_OK && (field.register_size == 0 || field.register_size > 64)) {
        error = fail(node, ASSAY_OUT_OF_RANGE, "%s has a size of 1 to 64 bits", field.in_register,
                     diag);
    }
    error = error != ASSAY_OK ? error : place_register(d, node, field.register_size, diag);
    d->fields.taken = 0;
    return error != ASSAY_OK ? error : read_fields(d, node, &field, diag);
}

static enum assay_error read_block(struct description *d, const xmlNode *block,
                                   struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    d->register_count = 0;
    for (xmlNode *r = child(block, "register"); r != NULL && error == ASSAY_OK;
         r = next_named(r->next, "register")) {
        error = read_register(d, r, diag);
    }
    return error;
}

static enum assay_error read_map(struct description *d, const xmlNode *map, struct assay_diag *diag)
{
    bool found = false;
    d->unit = UNIT_BITS;
    enum assay_error error = number_in(map, "addressUnitBits", &d->unit, &found, diag);
    if (error == ASSAY_OK && (d->unit == 0 || d->unit > 64)) {
        error = fail(map, ASSAY_OUT_OF_RANGE, "%s is 1 to 64", "addressUnitBits", diag);
    }
    for (xmlNode *b = child(map, "addressBlock"); b != NULL && error == ASSAY_OK;
         b = next_named(b->next, "addressBlock")) {
        error = read_block(d, b, diag);
    }
    return error;
}

/* Whether it is the component of 9.2. */
static bool is_example(const xmlNode *component)
{
    static const char *const said[][2] = {{"vendor", "UltraSoC"},
                                          {"library", "TraceEncoder"},
                                          {"name", "TraceEncoder"},
                                          {"version", "0.8"}};
    bool all = true;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        char text[ETRACE_IPXACT_TEXT];
        text_of(child(component, said[i][0]), text);
        all = all && strcmp(text, said[i][1]) == 0;
    }
    return all;
}

static enum assay_error read_component(struct description *d, const xmlNode *root,
                                       struct assay_diag *diag)
{
    if (root == NULL || !is(root, "component")) {
        return assay_fail_at(diag, ASSAY_SYNTAX, root != NULL ? line_of(root) : 1, 1,
                             "the root of a description in IP-XACT is component");
    }
    d->fields.example = is_example(root);
    enum assay_error error = ASSAY_OK;
    for (xmlNode *m = child(child(root, "memoryMaps"), "memoryMap"); m != NULL && error == ASSAY_OK;
         m = next_named(m->next, "memoryMap")) {
        error = read_map(d, m, diag);
    }
    return error != ASSAY_OK ? error : etrace_ipxact_finish(&d->fields, line_of(root), diag);
}

/* --- limits --- */

/* A file that is gone through without knowing more of XML than where tags begin and end. */
struct scan {
    const char *at, *end;
    unsigned line;
    size_t elements;   /* and comments, sections and processing instructions */
    size_t attributes; /* of all of them */
};

static bool begins(const struct scan *s, const char *with)
{
    const size_t length = strlen(with);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, with, length) == 0;
}

static void step(struct scan *s)
{
    s->line += *s->at == '\n';
    s->at++;
}

/* Goes to what ends something, or to the end. */
static void go_to(struct scan *s, const char *ending)
{
    while (s->at < s->end && !begins(s, ending)) {
        step(s);
    }
}

/* Goes to the end of a tag. Returns how many attributes it has, or more. */
static size_t go_through_tag(struct scan *s)
{
    size_t attributes = 0;
    char quote = '\0';
    for (; s->at < s->end && (quote != '\0' || *s->at != '>'); step(s)) {
        attributes += *s->at == '=' && quote == '\0';
        if (quote != '\0' ? *s->at == quote : *s->at == '"' || *s->at == '\'') {
            quote = quote == '\0' ? *s->at : '\0';
        }
    }
    return attributes;
}

static enum assay_error too_many(const struct scan *s, const char *what, int most,
                                 struct assay_diag *diag)
{
    return assay_fail_at(diag, ASSAY_LIMIT, s->line, 1,
                         "a description with more than %d %s is not read", most, what);
}

/* From a `<` to the end of what begins there. */
static enum assay_error scan_one(struct scan *s, struct assay_diag *diag)
{
    s->elements += !begins(s, "</");
    if (begins(s, "<!--")) {
        s->at += strlen("<!--");
        go_to(s, "-->");
    } else if (begins(s, "<![CDATA[")) {
        go_to(s, "]]>");
    } else if (begins(s, "<?")) {
        go_to(s, "?>");
    } else {
        const size_t attributes = go_through_tag(s);
        s->attributes += attributes;
        if (attributes > ATTRIBUTES_MOST) {
            return too_many(s, "attributes of an element", ATTRIBUTES_MOST, diag);
        }
    }
    return s->elements > ELEMENTS_MOST     ? too_many(s, "elements", ELEMENTS_MOST, diag)
           : s->attributes > ELEMENTS_MOST ? too_many(s, "attributes", ELEMENTS_MOST, diag)
                                           : ASSAY_OK;
}

/* Whether the characters of XML's own are in the file as in ASCII: what libxml2 would take for
 * another encoding, or what is said to have one, is refused. */
static bool is_like_ascii(const char *text, size_t size)
{
    static const char *const alike[] = {"UTF-8", "US-ASCII", "ISO-8859-", "WINDOWS-125"};
    static const char mark[] = "\xef\xbb\xbf";
    const char *begin = size >= 3 && memcmp(text, mark, 3) == 0 ? text + 3 : text;
    const size_t left = size - (size_t)(begin - text);
    if (memchr(begin, '\0', left < 4 ? left : 4) != NULL ||
        (left > 0 && ((unsigned char)*begin >= 0x80 || *begin == 0x4c))) {
        return false;
    }
    const char *end =
        left > 5 && memcmp(begin, "<?xml", 5) == 0 ? memmem(begin, left, "?>", 2) : NULL;
    const char *said = end != NULL ? memmem(begin, (size_t)(end - begin), "encoding", 8) : NULL;
    if (said == NULL) {
        return true;
    }
    said += strcspn(said, "\"'>");
    bool is_alike = false;
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
        is_alike = is_alike || strncasecmp(said + 1, alike[i], strlen(alike[i])) == 0;
    }
    return is_alike;
}

static enum assay_error check_size(const char *text, size_t size, struct assay_diag *diag)
{
    struct scan s = {.at = text, .end = text + size, .line = 1};
    enum assay_error error = ASSAY_OK;
    if (size > BYTES_MOST) {
        return too_many(&s, "bytes", BYTES_MOST, diag);
    }
    if (!is_like_ascii(text, size)) {
        return assay_fail_at(diag, ASSAY_UNSUPPORTED, 1, 1,
                             "a description in another encoding than UTF-8 or one that has ASCII "
                             "alike is not read");
    }
    while (error == ASSAY_OK && s.at < s.end) {
        error = *s.at == '<' ? scan_one(&s, diag) : ASSAY_OK;
        if (s.at < s.end) {
            step(&s);
        }
    }
    return error;
}

/* --- parsing --- */

/* There is no use for a document type here, and with it for entities of any kind. */
static void refuse_doctype(void *context, const xmlChar *name, const xmlChar *external,
                           const xmlChar *system)
{
    (void)name;
    (void)external;
    (void)system;
    xmlParserCtxt *parser = context;
    *(bool *)parser->_private = true;
    xmlStopParser(parser);
}

static enum assay_error parse_failed(const xmlParserCtxt *parser, bool doctype,
                                     struct assay_diag *diag)
{
    if (doctype) {
        return assay_fail_at(diag, ASSAY_UNSUPPORTED,
                             parser->input != NULL ? (unsigned)parser->input->line : 1, 1,
                             "a document type is not accepted");
    }
    const xmlError *error = &parser->lastError;
    if (error->code == XML_ERR_NO_MEMORY) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const char *message = error->message != NULL ? error->message : "it is no XML";
    return assay_fail_at(diag, ASSAY_SYNTAX, error->line > 0 ? (unsigned)error->line : 1, 1, "%.*s",
                         (int)strcspn(message, "\n"), message);
}

enum assay_error etrace_ipxact_read(struct assay_parameter_values *values, const char *path,
                                    const char *text, size_t size, struct assay_diag *diag)
{
    (void)path;
    bool doctype = false;
    const enum assay_error too_large = check_size(text, size, diag);
    if (too_large != ASSAY_OK) {
        return too_large;
    }
    xmlParserCtxt *parser = xmlNewParserCtxt();
    struct description *d = calloc(1, sizeof *d);
    if (parser == NULL || d == NULL) {
        xmlFreeParserCtxt(parser);
        free(d);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    parser->_private = &doctype;
    parser->sax->internalSubset = refuse_doctype;
    xmlDoc *document = xmlCtxtReadMemory(parser, text, (int)size, NULL, NULL,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    d->fields.values = values;
    const enum assay_error error = document == NULL || doctype
                                       ? parse_failed(parser, doctype, diag)
                                       : read_component(d, xmlDocGetRootElement(document), diag);
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    free(d);
    return error;
}
