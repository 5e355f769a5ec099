/* A decoder for `assay compare` that decodes nothing: it repeats the events that the corpus expects
 * of the vector. It shows what an adapter of a decoder writes; put yours in place of `next_event`.
 * With a trace as argument it decodes that; without one it answers lines of paths:
 *
 *     cc -o echo echo.c && assay compare --persistent --jobs 2 --decoder "$PWD/echo" CORPUS
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

/* Writes the events of a trace between the first line and that of the end. */
static void answer(const char *trace)
{
    static char line[LINE];
    unsigned long events = 0;
    int more = -1;
    FILE *file = open_events(trace);
    printf("{\"schema\": \"assay-events/1\", \"layer\": \"all\"}\n");
    while (file != NULL && (more = next_event(file, line)) > 0) {
        fputs(line, stdout);
        events++;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (more < 0) {
        printf("{\"kind\": \"end\", \"refused\": \"a fault after %lu events\"}\n", events);
    } else {
        printf("{\"kind\": \"end\", \"events\": %lu, \"complete\": true}\n", events);
    }
    fflush(stdout); /* the answer is waited for */
}

int main(int argc, char **argv)
{
    static char paths[LINE];
    if (argc > 1) {
        answer(argv[1]);
    }
    while (argc == 1 && fgets(paths, sizeof paths, stdin) != NULL) {
        paths[strcspn(paths, "\t\n")] = '\0'; /* the manifest comes after the tab */
        answer(paths);
    }
    return 0;
}
