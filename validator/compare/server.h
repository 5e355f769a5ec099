/* A decoder that stays: one process that answers for one trace after the other, and is started anew
 * when it has crashed, hangs, or is out of step. */
#ifndef ASSAY_COMPARE_SERVER_H
#define ASSAY_COMPARE_SERVER_H

#include "validator/compare/decoder.h"

struct assay_server;

/* Of one thread; the decoder is prepared and outlives it. Nothing is started yet. */
enum assay_error assay_server_open(const struct assay_decoder_command *decoder,
                                   struct assay_server **server, struct assay_diag *diag);

/* Asks for a trace: a line with both paths, which are absolute, and a tab between them. run->output
 * belongs to the server, and holds the answer until the next question. ASSAY_UNSUPPORTED for paths
 * with a tab or a line feed; other errors are of the system. */
enum assay_error assay_server_ask(struct assay_server *server, const char *trace,
                                  const char *manifest, struct assay_decoder_run *run,
                                  struct assay_diag *diag);

/* What the process has done since its last answer, when nothing was asked: run->end is ANSWERED
 * for nothing, SURPLUS for output, else how it ended. To be called before each question; and, with
 * `last`, after all of them, when its input is closed and it has a second to end. */
enum assay_error assay_server_check(struct assay_server *server, bool last,
                                    struct assay_decoder_run *run, struct assay_diag *diag);

/* The same of what it had done before it read the last question: it was asked again, anew. */
struct assay_decoder_run assay_server_late(struct assay_server *server);

/* Ends the process. Null is allowed. */
void assay_server_close(struct assay_server *server);

#endif
