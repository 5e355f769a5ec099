/* A decoder for `assay compare` that decodes nothing: it repeats the events that the corpus expects
 * of the vector. It shows what an adapter of a decoder writes; put yours in place of `next_event`.
 *
 *     cc -o echo echo.c && assay compare --decoder './echo {}' CORPUS
 */
#include <stdio.h>
#include <string.h>

enum { LINE = 1 << 16 };

/* Opens the events that lie beside a trace, and passes their first line over. */
static FILE *open_events(const char *trace)
{
    static char line[LINE];
    char path[4096];
    const char *suffix = strrchr(trace, '.');
    const int stem = suffix != NULL ? (int)(suffix - trace) : (int)strlen(trace);
    snprintf(path, sizeof path, "%.*s.events.jsonl", stem, trace);
    FILE *file = fopen(path, "r");
    return file != NULL && fgets(line, sizeof line, file) != NULL ? file : NULL;
}

/* The next event, as a line of JSON; 0 at the end, -1 at a fault. */
static int next_event(FILE *file, char *line)
{
    if (fgets(line, LINE, file) == NULL || strstr(line, "\"kind\": \"end\"") != NULL) {
        return 0;
    }
    return strstr(line, "\"kind\": \"malformed\"") != NULL ? -1 : 1;
}

int main(int argc, char **argv)
{
    static char line[LINE];
    unsigned long events = 0;
    int more = 0;
    FILE *file = argc == 2 ? open_events(argv[1]) : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: echo TRACE\n");
        return 2; /* neither accepted nor refused */
    }
    printf("{\"schema\": \"assay-events/1\", \"layer\": \"all\"}\n");
    while ((more = next_event(file, line)) > 0) {
        fputs(line, stdout);
        events++;
    }
    fclose(file);
    if (more < 0) {
        fprintf(stderr, "a fault after %lu events\n", events);
        return 1; /* refused */
    }
    printf("{\"kind\": \"end\", \"events\": %lu, \"complete\": true}\n", events);
    return 0; /* accepted */
}
