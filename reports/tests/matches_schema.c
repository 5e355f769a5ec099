/* matches-schema SCHEMA [lines|each]: whether standard input is as the schema says, of XML
 * (*.xsd) or JSON: one document; or a head, events and an end in lines; or each of several
 * documents. What the schema does not name is a fault, too. */
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "json_schema.h"

static const json_t *definition(const json_t *schema, const char *name)
{
    return json_object_get(json_object_get(schema, "$defs"), name);
}

/* What a line of events has to be. */
static const json_t *schema_of_line(const json_t *schema, const json_t *line, bool first)
{
    return definition(schema, first                                ? "head"
                              : json_object_get(line, "i") != NULL ? "event"
                                                                   : "end");
}

static int match_xml(const char *path)
{
    xmlDocPtr document = xmlReadFd(0, "standard input", NULL, XML_PARSE_NOERROR);
    xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(path);
    xmlSchemaPtr schema = parser != NULL ? xmlSchemaParse(parser) : NULL;
    xmlSchemaValidCtxtPtr valid = schema != NULL ? xmlSchemaNewValidCtxt(schema) : NULL;
    const bool good =
        document != NULL && valid != NULL && xmlSchemaValidateDoc(valid, document) == 0;
    xmlSchemaFreeValidCtxt(valid);
    xmlSchemaFree(schema);
    xmlSchemaFreeParserCtxt(parser);
    xmlFreeDoc(document);
    printf("%d as the schema says\n", good);
    return !good;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strstr(argv[1], ".xsd") != NULL) {
        return match_xml(argv[1]);
    }

    const bool lines = argc > 2 && strcmp(argv[2], "lines") == 0;
    const bool several = lines || (argc > 2 && strcmp(argv[2], "each") == 0);
    const size_t flags = JSON_REJECT_DUPLICATES | (several ? JSON_DISABLE_EOF_CHECK : 0);
    json_error_t error;
    json_t *schema = argc > 1 ? json_schema_load(argv[1]) : NULL;
    json_t *value;
    size_t count = 0;
    bool good = schema != NULL;
    while (good && (several || count == 0) && (value = json_loadf(stdin, flags, &error)) != NULL) {
        const json_t *one = lines ? schema_of_line(schema, value, count == 0) : schema;
        good = one != NULL && json_matches(schema, one, value, true);
        json_decref(value);
        count++;
    }
    json_decref(schema);
    printf("%zu as the schema says\n", good ? count : 0);
    return good && count > 0 && (!several || feof(stdin)) ? 0 : 1;
}
