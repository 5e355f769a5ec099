/* What a user would trace first: an ordinary program of an ordinary C library, which clears and
 * copies much memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 17, ROUNDS = 20 };

int main(void)
{
    unsigned char *bytes = malloc(SIZE);
    unsigned char *cleared = calloc(SIZE, 1);
    unsigned sum = 0;
    for (unsigned round = 0; bytes != NULL && cleared != NULL && round < ROUNDS; round++) {
        memset(bytes + round, 0, SIZE / 2 + 777 * round);
        bytes[100 * round] = (unsigned char)round;
        memcpy(cleared, bytes, SIZE / 2);
        for (unsigned i = 0; i < SIZE / 2; i += 97) {
            sum += cleared[i];
        }
    }
    printf("%u\n", sum);
    free(bytes);
    free(cleared);
    return 0;
}
