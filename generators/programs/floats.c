/* Floating point: planets, matrices, a Fourier transform, fractions of half precision where the
 * machine has it, and the functions of libm.
 *     floats [ROUNDS]     some 2 million AArch64 instructions a round at -O2 */
#include <complex.h>
#include <math.h>

#include "program.h"

enum { PLANETS = 5, STEPS = 400, SIDE = 32, POINTS = 1024, SAMPLES = 1000 };

struct planet {
    double place[3], speed[3], mass;
};

static void pull(struct planet *a, struct planet *b, double step)
{
    double apart[3];
    double square = 0.01;
    for (int k = 0; k < 3; ++k) {
        apart[k] = a->place[k] - b->place[k];
        square += apart[k] * apart[k];
    }
    const double strength = step / (square * sqrt(square));
    for (int k = 0; k < 3; ++k) {
        a->speed[k] -= apart[k] * b->mass * strength;
        b->speed[k] += apart[k] * a->mass * strength;
    }
}

static void planets(void)
{
    struct planet planet[PLANETS];
    for (int i = 0; i < PLANETS; ++i) {
        for (int k = 0; k < 3; ++k) {
            planet[i].place[k] = random_number() / 4e8 - 5;
            planet[i].speed[k] = random_number() / 4e9 - 0.5;
        }
        planet[i].mass = 1 + i;
    }
    for (int n = 0; n < STEPS; ++n) {
        for (int i = 0; i < PLANETS; ++i) {
            for (int j = i + 1; j < PLANETS; ++j) {
                pull(&planet[i], &planet[j], 0.001);
            }
            for (int k = 0; k < 3; ++k) {
                planet[i].place[k] += 0.001 * planet[i].speed[k];
            }
        }
    }
    say("planets", planet, sizeof planet);
}

static void matrices(void)
{
    static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
    for (int i = 0; i < SIDE; ++i) {
        for (int j = 0; j < SIDE; ++j) {
            a[i][j] = random_number() * 0x1p-32;
            b[i][j] = i == j ? 2 : 1.0 / (1 + i + j);
        }
    }
    for (int i = 0; i < SIDE; ++i) {
        for (int j = 0; j < SIDE; ++j) {
            double sum = 0;
            for (int k = 0; k < SIDE; ++k) {
                sum = fma(a[i][k], b[k][j], sum);
            }
            c[i][j] = sum;
        }
    }
    say("matrices", c, sizeof c);
}

static void transform(complex double *point, int count, int stride, complex double *out)
{
    if (count == 1) {
        *out = *point;
        return;
    }
    transform(point, count / 2, 2 * stride, out);
    transform(point + stride, count / 2, 2 * stride, out + count / 2);
    for (int k = 0; k < count / 2; ++k) {
        const double angle = -2 * M_PI * k / count;
        const complex double turned = (cos(angle) + I * sin(angle)) * out[k + count / 2];
        const complex double even = out[k];
        out[k] = even + turned;
        out[k + count / 2] = even - turned;
    }
}

static void fourier(void)
{
    static complex double in[POINTS], out[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        in[i] = sin(i * 0.3) + 0.25 * cos(i * 1.7) + random_number() * 0x1p-36;
    }
    transform(in, POINTS, 1, out);
    say("fourier", out, sizeof out);
}

#ifdef __aarch64__
typedef _Float16 narrow;
#else
typedef float narrow;
#endif

static void functions(void)
{
    double sum = 0;
    float single = 0;
    long rounded = 0;
    narrow half[64] = {0};
    for (int i = 0; i < SAMPLES; ++i) {
        const double x = 1e-3 * i + random_number() * 0x1p-34;
        const float y = (float)x;
        sum += exp(-x) + log1p(x) + pow(x, 1.5) + atan2(x, 2) + tanh(x) + cbrt(x) + fmod(x, 0.37);
        single += sinf(y) + expf(-y) + logf(1 + y) + powf(y, 0.5f) + truncf(y) + floorf(-y);
        rounded += lrint(x * 100) + llround(sum) + (long)(unsigned)(x * 7);
        half[i % 64] = (narrow)(half[i % 64] * (narrow)0.5 + (narrow)y);
        sum = isfinite(sum) && !signbit(sum) ? nextafter(sum, 0) : copysign(1, sum);
    }
    say("sum", &sum, sizeof sum);
    say("single", &single, sizeof single);
    say("rounded", &rounded, sizeof rounded);
    say("half", half, sizeof half);
}

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    for (unsigned i = 0; i < rounds; ++i) {
        planets();
        matrices();
        fourier();
        functions();
    }
    return 0;
}
