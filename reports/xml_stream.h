/* An XML document that is written as it comes. */
#ifndef ASSAY_REPORTS_XML_STREAM_H
#define ASSAY_REPORTS_XML_STREAM_H

#include "io/sink.h"

typedef struct _xmlTextWriter *xmlTextWriterPtr;

struct assay_xml {
    xmlTextWriterPtr writer; /* null when there is no memory for it */
    struct assay_sink *sink;
};

/* Begins a document in UTF-8; `sink` outlives it. */
void assay_xml_begin(struct assay_xml *xml, struct assay_sink *sink);

/* Opens and closes an element; attributes come before what it holds. */
void assay_xml_open(struct assay_xml *xml, const char *name);
void assay_xml_close(struct assay_xml *xml);

/* XML holds neither control characters nor bytes that are no UTF-8: text that has such is written
 * with the numbers of its bytes beyond printable ASCII, as \xNN. */
void assay_xml_attribute(struct assay_xml *xml, const char *name, const char *value);
void assay_xml_number(struct assay_xml *xml, const char *name, uint64_t value);
void assay_xml_text(struct assay_xml *xml, const char *text);

/* Ends the document. Returns the error of the sink, or out of memory. */
enum assay_error assay_xml_end(struct assay_xml *xml);

#endif
