/* The files that a command reads and writes. An output must not overwrite a file that is read, nor
 * another output, under whatever names. */
#ifndef ASSAY_VALIDATOR_PROGRAM_FILES_H
#define ASSAY_VALIDATOR_PROGRAM_FILES_H

#include <sys/stat.h>

#include "manifest/manifest.h"
#include "validator/program/program.h"

/* A file by device and inode; or one that does not exist yet, by its folder's and its name in it.
 */
struct assay_file_place {
    dev_t device;
    ino_t inode;
    char *name; /* in the folder `inode`; owned; null: the file itself is `inode` */
    char *path; /* as it was given; owned */
};

struct assay_files {
    struct assay_file_place *read, *written;
    size_t read_count, read_room, written_count, written_room;
    bool sorted; /* those that are read, by device and inode */
    bool out_of_memory;
};

/* Adds a file that is read: "-" is standard input, null none. Only a regular file counts. */
void assay_files_read(struct assay_files *files, const char *path);

/* Adds what a manifest names, and the files that a snapshot was read from. */
void assay_files_read_manifest(struct assay_files *files, const struct assay_manifest *manifest);

/* Whether a file is among those that are read. */
bool assay_files_reads(struct assay_files *files, dev_t device, ino_t inode);

/* Adds an output: "-" is standard output, null none. 0, or the exit status after having said what
 * it would be written over. Outputs come after all that is read. */
int assay_files_write(struct assay_files *files, const struct assay_command *command,
                      const char *path);

/* Allowed for one that is zero-initialised. */
void assay_files_close(struct assay_files *files);

#endif
