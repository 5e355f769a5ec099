#include "reports/xml_stream.h"

#include <inttypes.h>
#include <stdio.h>

#include <libxml/xmlwriter.h>

static int to_sink(void *context, const char *data, int size)
{
    assay_sink_write(context, data, (size_t)size);
    return size; /* the sink remembers its error */
}

static int close_nothing(void *context)
{
    (void)context;
    return 0;
}

/* A call of libxml2 fails only where memory is short: the output goes to the sink. */
static void keep(struct assay_xml *xml, int result)
{
    if (result < 0) {
        assay_sink_fail(xml->sink, ASSAY_NO_MEMORY);
    }
}

void assay_xml_begin(struct assay_xml *xml, struct assay_sink *sink)
{
    *xml = (struct assay_xml){.sink = sink};
    xmlOutputBufferPtr out = xmlOutputBufferCreateIO(to_sink, close_nothing, sink, NULL);
    xml->writer = out != NULL ? xmlNewTextWriter(out) : NULL;
    if (xml->writer == NULL) {
        xmlOutputBufferClose(out);
        assay_sink_fail(sink, ASSAY_NO_MEMORY);
        return;
    }
    keep(xml, xmlTextWriterSetIndent(xml->writer, 1));
    keep(xml, xmlTextWriterStartDocument(xml->writer, NULL, "UTF-8", NULL));
}

void assay_xml_open(struct assay_xml *xml, const char *name)
{
    if (xml->writer != NULL) {
        keep(xml, xmlTextWriterStartElement(xml->writer, BAD_CAST name));
    }
}

void assay_xml_close(struct assay_xml *xml)
{
    if (xml->writer != NULL) {
        keep(xml, xmlTextWriterEndElement(xml->writer));
    }
}

static bool is_control(unsigned char c)
{
    return (c < ' ' && c != '\t' && c != '\n') || c == 0x7f;
}

/* The bytes of the character at `text`; 0: it is no UTF-8, as encodings that are longer than
 * needed, surrogates, and values above U+10FFFF are none. xmlCheckUTF8 lets most of these through.
 */
static size_t character(const unsigned char *text)
{
    static const struct {
        unsigned char first, last; /* of the first byte */
        unsigned char low, high;   /* of the second one */
        size_t size;
    } forms[] = {
        {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (text[0] >= forms[i].first && text[0] <= forms[i].last) {
            size_t size = 1;
            while (size < forms[i].size && text[size] >= (size == 1 ? forms[i].low : 0x80) &&
                   text[size] <= (size == 1 ? forms[i].high : 0xbf)) {
                size++;
            }
            return size == forms[i].size ? size : 0;
        }
    }
    return 0;
}

/* U+FFFE and U+FFFF are no characters of XML. */
static bool can_stand(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t size = 1;
    while (*at != '\0' && size > 0) {
        const bool banned = is_control(*at) || (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
        size = banned ? 0 : character(at);
        at += size;
    }
    return size > 0;
}

static void write_text(struct assay_xml *xml, const char *attribute, const char *text)
{
    if (xml->writer == NULL) {
        return;
    }
    if (attribute != NULL) {
        keep(xml, xmlTextWriterWriteAttribute(xml->writer, BAD_CAST attribute, BAD_CAST text));
        return;
    }
    /* xmlTextWriterWriteString leaves the text out, without an error, where there is no memory. */
    xmlChar *encoded = xmlEncodeSpecialChars(NULL, BAD_CAST text);
    keep(xml, encoded != NULL ? xmlTextWriterWriteRaw(xml->writer, encoded) : -1);
    xmlFree(encoded);
}

static void put(struct assay_xml *xml, const char *attribute, const char *text)
{
    if (can_stand(text)) {
        write_text(xml, attribute, text);
        return;
    }
    struct assay_sink plain;
    assay_sink_memory(&plain, 0);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c >= 0x80 || is_control(c)) {
            assay_sink_printf(&plain, "\\x%02x", (unsigned)c);
        } else {
            assay_sink_write(&plain, text, 1);
        }
    }
    assay_sink_write(&plain, "", 1);
    if (plain.error == ASSAY_OK) {
        write_text(xml, attribute, (const char *)plain.data);
    } else {
        assay_sink_fail(xml->sink, plain.error);
    }
    assay_sink_close(&plain, NULL);
}

void assay_xml_attribute(struct assay_xml *xml, const char *name, const char *value)
{
    put(xml, name, value);
}

void assay_xml_number(struct assay_xml *xml, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    write_text(xml, name, text);
}

void assay_xml_text(struct assay_xml *xml, const char *text)
{
    put(xml, NULL, text);
}

enum assay_error assay_xml_end(struct assay_xml *xml)
{
    if (xml->writer != NULL) {
        keep(xml, xmlTextWriterEndDocument(xml->writer));
        xmlFreeTextWriter(xml->writer);
    }
    return xml->sink->error;
}
