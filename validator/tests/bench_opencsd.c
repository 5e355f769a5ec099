/* What OpenCSD's library needs to decode a stream of ETE, when it prints nothing: counts packets,
 * or the instructions of ranges. scripts/bench sets a check of the same bytes beside it.
 *     assay-bench-opencsd packets|instructions STREAM CODE ADDRESS LENGTH REGISTER=VALUE...
 * CODE is the program's memory from ADDRESS on, LENGTH bytes from the beginning of the file. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opencsd/c_api/opencsd_c_api.h>

enum { BLOCK = 1 << 20 };

static ocsd_datapath_resp_t count_instructions(const void *context, ocsd_trc_index_t index,
                                               uint8_t id, const ocsd_generic_trace_elem *element)
{
    (void)index;
    (void)id;
    if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
        *(uint64_t *)context += element->num_instr_range;
    }
    return OCSD_RESP_CONT;
}

static uint32_t *register_of(ocsd_ete_cfg *config, const char *name, size_t length)
{
    const struct {
        const char *name;
        uint32_t *value;
    } registers[] = {
        {"TRCIDR0", &config->reg_idr0},         {"TRCIDR1", &config->reg_idr1},
        {"TRCIDR2", &config->reg_idr2},         {"TRCIDR8", &config->reg_idr8},
        {"TRCDEVARCH", &config->reg_devarch},   {"TRCCONFIGR", &config->reg_configr},
        {"TRCTRACEIDR", &config->reg_traceidr},
    };
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (strlen(registers[i].name) == length && strncmp(registers[i].name, name, length) == 0) {
            return registers[i].value;
        }
    }
    return NULL;
}

/* Others than those that OpenCSD knows are passed over. */
static void set_registers(ocsd_ete_cfg *config, char **arguments)
{
    for (; *arguments != NULL; arguments++) {
        const size_t length = strcspn(*arguments, "=");
        uint32_t *value = register_of(config, *arguments, length);
        if (value != NULL && (*arguments)[length] == '=') {
            *value = (uint32_t)strtoul(*arguments + length + 1, NULL, 0);
        }
    }
}

static bool decode(dcd_tree_handle_t tree, FILE *stream)
{
    static uint8_t data[BLOCK];
    ocsd_trc_index_t index = 0;
    size_t have;
    while ((have = fread(data, 1, sizeof data, stream)) > 0) {
        for (uint32_t at = 0, used = 0; at < have; at += used, index += used) {
            const ocsd_datapath_resp_t response = ocsd_dt_process_data(
                tree, OCSD_OP_DATA, index, (uint32_t)have - at, data + at, &used);
            if (!OCSD_DATA_RESP_IS_CONT(response)) {
                return false;
            }
        }
    }
    return true;
}

/* Its C interface passes on no packets of ETE, so that they are parsed for nobody. */
static ocsd_err_t open_decoder(dcd_tree_handle_t tree, bool packets, char **argv, uint64_t *count)
{
    ocsd_ete_cfg config = {.arch_ver = ARCH_AA64, .core_prof = profile_CortexA};
    const ocsd_file_mem_region_t code = {.start_address = strtoull(argv[4], NULL, 0),
                                         .region_size = strtoull(argv[5], NULL, 0)};
    unsigned char id = 0;
    set_registers(&config, argv + 6);
    const int what = packets ? OCSD_CREATE_FLG_PACKET_PROC : OCSD_CREATE_FLG_FULL_DECODER;
    ocsd_err_t error = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, what, &config, &id);
    if (error != OCSD_OK || packets) {
        return error;
    }
    error = ocsd_dt_set_gen_elem_outfn(tree, count_instructions, count);
    return error != OCSD_OK
               ? error
               : ocsd_dt_add_binfile_region_mem_acc(tree, &code, 1, OCSD_MEM_SPACE_ANY, argv[3]);
}

int main(int argc, char **argv)
{
    const bool packets = argc > 1 && strcmp(argv[1], "packets") == 0;
    if (argc < 6 || (!packets && strcmp(argv[1], "instructions") != 0)) {
        fprintf(stderr,
                "usage: assay-bench-opencsd packets|instructions STREAM CODE ADDRESS LENGTH "
                "REGISTER=VALUE...\n");
        return 2;
    }
    uint64_t count = 0;
    FILE *stream = fopen(argv[2], "rb");
    const dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    const bool decoded = stream != NULL && tree != C_API_INVALID_TREE_HANDLE &&
                         open_decoder(tree, packets, argv, &count) == OCSD_OK &&
                         decode(tree, stream);
    if (tree != C_API_INVALID_TREE_HANDLE) {
        ocsd_destroy_dcd_tree(tree);
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    if (!decoded) {
        fprintf(stderr, "%s: OpenCSD does not decode it\n", argv[2]);
        return 3;
    }
    if (!packets) {
        printf("%" PRIu64 " instructions\n", count);
    }
    return 0;
}
