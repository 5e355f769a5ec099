/* two-threads RECORDING OUTPUT: a recording of a process whose first thread does next to nothing,
 * in a loop of two instructions, and whose second one is the first of RECORDING. */
#include <stdio.h>
#include <stdlib.h>

#include "execution/execution.h"
#include "execution/execution_writer.h"
#include "io/sink.h"
#include "io/source.h"

enum { PROCESS = 100, IDLE = 101, BUSY = 102, ROUNDS = 50, BASE = 0x10000 };

static enum assay_error write_idle(struct assay_execution_writer *writer)
{
    struct assay_execution_track *track = NULL;
    enum assay_error error = assay_execution_track_open(writer, IDLE, 0, &track);
    for (unsigned i = 0; i < ROUNDS && error == ASSAY_OK; i++) {
        error = assay_execution_put_instruction(track, BASE, 0x00000013, 4, NULL, 0);
        error = error != ASSAY_OK
                    ? error
                    : assay_execution_put_instruction(track, BASE + 4, 0xffdff06f, 4, NULL, 0);
    }
    const enum assay_error closed = assay_execution_track_close(track, true);
    return error != ASSAY_OK ? error : closed;
}

static enum assay_error write_busy(struct assay_execution *from,
                                   struct assay_execution_writer *writer)
{
    struct assay_execution_track *track = NULL;
    struct assay_executed item = {.kind = ASSAY_EXECUTED_THREAD_START};
    enum assay_error error = assay_execution_track_open(writer, BUSY, 0, &track);
    if (error == ASSAY_OK) {
        assay_execution_record_contents(track);
    }
    while (error == ASSAY_OK && item.kind != ASSAY_EXECUTED_END) {
        error = assay_execution_next(from, &item);
        if (error == ASSAY_OK && item.kind == ASSAY_EXECUTED_INSTRUCTION) {
            error = assay_execution_put_instruction(track, item.address, item.word, item.size,
                                                    item.access, item.accesses);
        } else if (error == ASSAY_OK && item.kind == ASSAY_EXECUTED_SYSTEM_CALL) {
            error = assay_execution_put_system_call(track, item.number, item.args);
        }
    }
    const enum assay_error closed = assay_execution_track_close(track, true);
    return error != ASSAY_OK ? error : closed;
}

static enum assay_error write_both(struct assay_execution *from, struct assay_sink *sink)
{
    struct assay_execution_header header = *assay_execution_header(from);
    struct assay_execution_writer *writer = NULL;
    header.system = false;
    header.process = PROCESS;
    enum assay_error error = assay_execution_writer_open(sink, &header, &writer, NULL);
    error = error != ASSAY_OK ? error : write_idle(writer);
    error = error != ASSAY_OK ? error : write_busy(from, writer);
    error = error != ASSAY_OK ? error
                              : assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assay_execution_writer_close(writer);
    return error;
}

int main(int argc, char **argv)
{
    struct assay_source *source = NULL;
    struct assay_execution *from = NULL;
    struct assay_sink sink;
    if (argc != 3 || assay_source_open(argv[1], &source, NULL) != ASSAY_OK ||
        assay_execution_open(source, &from, NULL) != ASSAY_OK ||
        assay_sink_open(&sink, argv[2], NULL) != ASSAY_OK) {
        fprintf(stderr, "usage: two-threads RECORDING OUTPUT\n");
        assay_execution_close(from);
        return 2;
    }
    enum assay_error error = write_both(from, &sink);
    const enum assay_error closed = assay_sink_close(&sink, NULL);
    assay_execution_close(from);
    return error != ASSAY_OK || closed != ASSAY_OK;
}
