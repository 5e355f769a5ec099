/* Streams of other trace units, beside what another reader makes of them: the same packets at the
 * same places with the same values. The folder that ASSAY_ETE_SAMPLES names, or shared/samples/ete
 * beside the source tree, has a folder NAME with sessionN.bin and the registers in ETE_0_sN.ini for
 * each expected/NAME.sessionN.pkt; where there are none this is skipped. A line of those says one
 * packet: `P id offset TYPE key=value ...`; the address in an Exception packet has a line of its
 * own.
 */
#include "ete/tests/ete_support.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/tests/samples.h"

static const char *samples(void)
{
    return samples_folder("ASSAY_ETE_SAMPLES", ASSAY_SAMPLES);
}
enum { LINE = 512, PATH = 4096, NO_ADDRESS = 0x70 };

/* --- a packet as lines --- */

struct text {
    char line[LINE];
    size_t size;
};

struct unit {
    bool commit_mode;
    uint64_t max_depth;
    uint64_t threshold; /* of the last Trace Info */
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size =
        vsnprintf(text->line + text->size, sizeof text->line - text->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && text->size + (size_t)size < sizeof text->line);
    text->size += (size_t)size;
}

static void say_atoms(struct text *text, unsigned count, uint64_t taken)
{
    say(text, count > 0 ? " atoms=" : "");
    for (unsigned n = 0; n < count; n++) {
        say(text, "%c", (taken >> n & 1) != 0 ? 'E' : 'N');
    }
}

static void say_context(struct text *text, const struct seen *p)
{
    say(text, " el=%" PRIu64 " sf=%" PRIu64 " ns=%" PRIu64 " nse=%" PRIu64, value_of(p, "el"),
        value_of(p, "sf"), value_of(p, "ns"), value_of(p, "nse"));
    if (value_of(p, "v") != 0) {
        say(text, " vmid=0x%" PRIx64, value_of(p, "vmid"));
    }
    if (value_of(p, "c") != 0) {
        say(text, " cid=0x%" PRIx64, value_of(p, "context_id"));
    }
}

static void say_place(struct text *text, const struct seen *p)
{
    say(text, " is=%" PRIu64 " addr=0x%" PRIx64, value_of(p, "is1"), value_of(p, "address"));
}

/* An address packet, or the address in another one; its header says its form. */
static void say_address(struct text *text, const struct seen *p, uint8_t header)
{
    const struct ete_form *form = ete_form_of(header);
    const bool source = form->kind == ETE_source_exact || form->kind == ETE_source_short ||
                        form->kind == ETE_source_long;
    say(text, "%s kind=", source ? "SOURCE_ADDR" : "TARGET_ADDR");
    if (form->history > 0) {
        say(text, "EXACT%u", form->history - 1u);
    } else if (form->kind == ETE_target_short || form->kind == ETE_source_short) {
        say(text, "SHORT");
    } else {
        const struct ete_part *part = form->groups[0].parts;
        unsigned bits = 0;
        for (; part->coding != ETE_PARTS_END; part++) {
            bits = part->cell == 0 ? (unsigned)part->to + part->width : bits;
        }
        say(text, "LONG%u", bits);
    }
    say_place(text, p);
    if (form->kind == ETE_target_context) {
        say_context(text, p);
    }
}

static void say_trace_info(struct text *text, const struct seen *p, struct unit *unit)
{
    const unsigned info =
        (unsigned)(value_of(p, "cc_enabled") | value_of(p, "info_low") << 1 |
                   value_of(p, "in_transaction") << 6 | value_of(p, "info_7") << 7);
    unit->threshold = value_of(p, "cc_enabled") != 0 ? value_of(p, "cyct") : 0;
    say(text, "TRACE_INFO plctl=0x%02x info=0x%x spec=%" PRIu64 " cyct=%" PRIu64, p->bytes[1], info,
        value_of(p, "spec"), value_of(p, "cyct"));
}

static void say_cycle_count(struct text *text, const struct seen *p, const struct unit *unit)
{
    const bool second = p->kind == ETE_cycle_count_2;
    uint64_t commit = value_of(p, "commit");
    if (p->kind != ETE_cycle_count_1) {
        commit = second && value_of(p, "f") != 0 ? unit->max_depth + commit - 15 : commit + 1;
    }
    say(text, "CYCLE_COUNT fmt=%c", p->kind == ETE_cycle_count_1 ? '1' : second ? '2' : '3');
    if (p->kind == ETE_cycle_count_1 && value_of(p, "u") != 0) {
        say(text, " count=UNKNOWN");
    } else {
        say(text, " count=%" PRIu64, value_of(p, "count") + unit->threshold);
    }
    if (!unit->commit_mode) {
        say(text, " commit=%" PRIu64, commit);
    }
}

static void say_cancel(struct text *text, const struct seen *p)
{
    uint32_t taken = 1;
    unsigned atoms;
    switch (p->kind) {
    case ETE_mispredict:
        atoms = ete_atoms_before(p->bytes[0], &taken);
        say(text, "MISPREDICT");
        break;
    case ETE_cancel_1:
        atoms = 0;
        say(text, "CANCEL fmt=1 n=%" PRIu64 " mispredict=%" PRIu64, value_of(p, "count"),
            value_of(p, "m"));
        break;
    case ETE_cancel_2:
        atoms = ete_atoms_before(p->bytes[0], &taken);
        say(text, "CANCEL fmt=2 n=1 mispredict=1");
        break;
    default:
        atoms = (unsigned)value_of(p, "a");
        say(text, "CANCEL fmt=3 n=%" PRIu64 " mispredict=1", value_of(p, "cc") + 2);
        break;
    }
    say_atoms(text, atoms, taken);
}

static void say_q(struct text *text, const struct seen *p)
{
    const uint64_t type = value_of(p, "type");
    if (type == 0xf) {
        say(text, "Q type=0xf count=UNKNOWN");
        return;
    }
    say(text, "Q type=0x%" PRIx64 " count=%" PRIu64, type, value_of(p, "count"));
    if (type < 0xc) {
        say_place(text, p);
    }
}

static void say_atom_packet(struct text *text, const struct seen *p)
{
    static const char *const formats[] = {"1", "2", "3", "4", "5.1", "5.2", "6"};
    say(text, "ATOM fmt=%s", formats[p->kind - ETE_atom_1]);
    say_atoms(text, (unsigned)value_of(p, "atoms"), value_of(p, "taken"));
}

/* Kinds of a name alone; null for all others. */
static const char *name_alone(unsigned kind)
{
    switch (kind) {
    case ETE_async:
        return "ASYNC";
    case ETE_discard:
        return "DISCARD";
    case ETE_overflow:
        return "OVERFLOW";
    case ETE_trace_on:
        return "TRACE_ON";
    case ETE_ignore:
        return "IGNORE";
    case ETE_transaction_start:
        return "TRANS_START";
    case ETE_transaction_commit:
        return "TRANS_COMMIT";
    case ETE_timestamp_marker:
        return "TS_MARKER";
    default:
        return NULL;
    }
}

static void say_timestamp(struct text *text, const struct seen *p)
{
    say(text, "TIMESTAMP ts=0x%" PRIx64, value_of(p, "value"));
    if (value_of(p, "n") != 0) {
        say(text, " cc=%" PRIu64, value_of(p, "count"));
    }
}

static void say_packet(struct text *text, const struct seen *p, struct unit *unit)
{
    switch (p->kind) {
    case ETE_trace_info:
        say_trace_info(text, p, unit);
        break;
    case ETE_timestamp:
        say_timestamp(text, p);
        break;
    case ETE_exception:
        say(text, "EXCEPTION type=%" PRIu64 " e=%" PRIu64, value_of(p, "type"),
            value_of(p, "e0") | value_of(p, "e1") << 1);
        break;
    case ETE_instrumentation:
        say(text, "ITE el=%" PRIu64 " value=0x%" PRIx64, value_of(p, "el"), value_of(p, "value"));
        break;
    case ETE_cycle_count_1:
    case ETE_cycle_count_2:
    case ETE_cycle_count_3:
        say_cycle_count(text, p, unit);
        break;
    case ETE_commit:
        say(text, "COMMIT n=%" PRIu64, value_of(p, "count"));
        break;
    case ETE_cancel_1:
    case ETE_cancel_2:
    case ETE_cancel_3:
    case ETE_mispredict:
        say_cancel(text, p);
        break;
    case ETE_event:
        say(text, "EVENT mask=0x%" PRIx64, value_of(p, "events"));
        break;
    case ETE_context:
        say(text, "CONTEXT p=%" PRIu64, value_of(p, "p"));
        if (value_of(p, "p") != 0) {
            say_context(text, p);
        }
        break;
    case ETE_q:
        say_q(text, p);
        break;
    default:
        if (p->kind >= ETE_atom_1 && p->kind <= ETE_atom_6) {
            say_atom_packet(text, p);
        } else {
            say_address(text, p, p->bytes[0]);
        }
    }
}

/* --- a stream and its packets --- */

static void read_line(FILE *file, uint64_t offset, const char *expected)
{
    char line[LINE], text[LINE];
    unsigned id;
    unsigned long long at;
    do {
        assert_non_null(fgets(line, sizeof line, file));
    } while (line[0] != 'P');
    assert_int_equal(sscanf(line, "P %x %llu %511[^\n]", &id, &at, text), 3);
    assert_string_equal(text, expected);
    assert_int_equal(at, offset);
}

static void compare_packet(FILE *file, const struct seen *p, struct unit *unit)
{
    struct text text = {.size = 0};
    const char *name = name_alone(p->kind);
    if (name != NULL) {
        say(&text, "%s", name);
    } else {
        say_packet(&text, p, unit);
    }
    read_line(file, p->offset, text.line);
    if (p->kind == ETE_exception) {
        struct text in = {.size = 0};
        if (p->bytes[2] == NO_ADDRESS) {
            say(&in, "IGNORE");
        } else {
            say_address(&in, p, p->bytes[2]);
        }
        say(&in, " in=exc");
        read_line(file, p->offset + 2, in.line);
    }
}

/* The registers of a device that the format knows, of all that the file has. */
static struct assay_parameter_values read_registers(const char *path)
{
    struct assay_parameter_values values;
    char line[LINE], name[32];
    long long value;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assay_parameters_init(&values, assay_format_ete.parameters);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%31[A-Z0-9]%*[^=]=%lli", name, &value) == 2 ||
            sscanf(line, "%31[A-Z0-9]=%lli", name, &value) == 2) {
            const int number = assay_parameter_by_name(assay_format_ete.parameters, name);
            if (number >= 0) {
                values.value[number] = (uint64_t)value;
                values.known[number] = true;
            }
        }
    }
    fclose(file);
    return values;
}

static struct decoded decode_file(const char *path, struct assay_parameter_values *values)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_true(size < sizeof bytes);
    fclose(file);
    return decode(bytes, size, values, ETE_PACKET);
}

static void compare(const char *folder, const char *name, const char *session, const char *expected)
{
    char path[PATH], line[LINE];
    snprintf(path, sizeof path, "%s/%s/ETE_0_s%s.ini", folder, name, session);
    struct assay_parameter_values values = read_registers(path);
    struct unit unit = {.commit_mode = (values.value[ETE_TRCIDR0] >> ETE_COMMOPT_BIT & 1) != 0,
                        .max_depth = values.value[ETE_TRCIDR8]};
    snprintf(path, sizeof path, "%s/%s/session%s.bin", folder, name, session);
    struct decoded all = decode_file(path, &values);
    FILE *file = fopen(expected, "r");
    size_t packets = 0;
    assert_non_null(file);
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].kind != ETE_end && all.list[i].kind != ETE_padding) {
            assert_int_not_equal(all.list[i].kind, ETE_malformed);
            compare_packet(file, &all.list[i], &unit);
            packets++;
        }
    }
    while (fgets(line, sizeof line, file) != NULL) {
        assert_int_not_equal(line[0], 'P');
    }
    print_message("%s session %s: %zu packets\n", name, session, packets);
    fclose(file);
    free(all.list);
}

static void streams_of_other_units_have_the_packets_of_another_reader(void **state)
{
    (void)state;
    const char *folder = samples();
    char path[PATH];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/expected", folder);
    DIR *list = opendir(path);
    assert_non_null(list);
    for (const struct dirent *item; (item = readdir(list)) != NULL;) {
        char name[256], session[16];
        int used = 0;
        if (sscanf(item->d_name, "%255[^.].session%15[0-9].pkt%n", name, session, &used) == 2 &&
            used > 0 && item->d_name[used] == '\0') {
            snprintf(path, sizeof path, "%s/expected/%s", folder, item->d_name);
            compare(folder, name, session, path);
            count++;
        }
    }
    closedir(list);
    assert_true(count > 0);
}

int main(void)
{
    if (samples_missing(samples())) {
        return SAMPLES_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_other_units_have_the_packets_of_another_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
