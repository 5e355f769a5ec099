#include "etrace/program/predictor.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* A state: its upper bit is the prediction, its lower one the last outcome. */
enum { WEAKLY_NOT_TAKEN = 1, PREDICTED_TAKEN = 2, LAST_TAKEN = 1 };

bool etrace_predictor_open(struct etrace_predictor *predictor, unsigned size, unsigned lsb)
{
    *predictor = (struct etrace_predictor){.size = size, .lsb = lsb > 0 ? lsb : 1};
    if (size > 0) {
        predictor->table = malloc((size_t)1 << size);
        etrace_predictor_reset(predictor);
    }
    return size == 0 || predictor->table != NULL;
}

void etrace_predictor_close(struct etrace_predictor *predictor)
{
    free(predictor->table);
}

void etrace_predictor_reset(struct etrace_predictor *predictor)
{
    if (predictor->table != NULL) {
        memset(predictor->table, WEAKLY_NOT_TAKEN, (size_t)1 << predictor->size);
    }
}

static uint8_t *state_of(const struct etrace_predictor *predictor, uint64_t pc)
{
    return &predictor->table[pc >> predictor->lsb & assay_mask(predictor->size)];
}

bool etrace_predict(const struct etrace_predictor *predictor, uint64_t pc)
{
    return predictor->table != NULL && (*state_of(predictor, pc) & PREDICTED_TAKEN) != 0;
}

/* The prediction changes when it fails twice. */
void etrace_learn(struct etrace_predictor *predictor, uint64_t pc, bool taken)
{
    if (predictor->table != NULL) {
        uint8_t *state = state_of(predictor, pc);
        const bool predicted = (*state & PREDICTED_TAKEN) != 0;
        const bool last = (*state & LAST_TAKEN) != 0;
        const bool prediction = predicted == taken || predicted == last ? predicted : taken;
        *state = (uint8_t)(prediction << 1 | taken);
    }
}
