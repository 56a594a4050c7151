// SPDX-License-Identifier: Apache-2.0
// Checks that each row of the table of cards is consistent: multiprocessors x clock x operations
// per clock give each peak, and memory width x rate gives the bandwidth. Also checks that each row
// names a source.
#include "property.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_text.h"
#include "model/open/open.h"
#include "model/rules/rules_gpus.h"
#include "paths.h"

// Operations of a multiprocessor per clock, dense, with FP32 accumulation. 0: the row must lack the
// figure.
struct unit {
    double fp64, fp64_tc, fp32, tf32, fp16, fp8, int8, fp4;
};

static const struct unit
    volta = {.fp64 = 64, .fp32 = 128, .fp16 = 1024},
    turing = {.fp64 = 4, .fp32 = 128, .fp16 = 1024, .int8 = 2048},
    a100 = {.fp64 = 64, .fp64_tc = 128, .fp32 = 128, .tf32 = 1024, .fp16 = 2048, .int8 = 4096},
    ga102 = {.fp32 = 256, .tf32 = 512, .fp16 = 1024, .int8 = 2048},
    // GeForce cards accumulate in FP32 at half the rate.
    ga102_geforce = {.fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512, .int8 = 2048},
    ga104_ti = {.fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512},
    a10g = {.tf32 = 256, .fp16 = 512, .int8 = 1024},
    ada = {.fp64 = 4, .fp32 = 256, .tf32 = 512, .fp16 = 1024, .fp8 = 2048, .int8 = 2048},
    l40 = {.fp32 = 256, .tf32 = 256, .fp16 = 512, .fp8 = 1024, .int8 = 1024},
    ada_geforce = {.fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512, .fp8 = 1024, .int8 = 2048},
    plain = {.fp32 = 256}, plain_fp4 = {.fp32 = 256, .fp4 = 4096},
    hopper = {128, 256, 256, 2048, 4096, 8192, 8192, 0},
    h800 = {4, 4, 256, 2048, 4096, 8192, 8192, 0},
    // The data sheet's FP64 and FP32 match no clock of 78 multiprocessors: 285 of FP32.
    h20 = {.fp64 = 6.5, .fp32 = 285, .tf32 = 512, .fp16 = 1024, .fp8 = 2048, .int8 = 2048},
    b200 = {128, 128, 256, 4096, 8192, 16384, 16384, 32768},
    gb200 = {.tf32 = 4096, .fp16 = 8192, .fp8 = 16384, .int8 = 16384, .fp4 = 32768},
    b300 = {.fp32 = 256, .tf32 = 4096, .fp16 = 8192, .fp8 = 16384, .fp4 = 49152},
    gb300 = {.tf32 = 4096, .fp16 = 8192, .fp8 = 16384, .fp4 = 49152},
    gb202_geforce =
        {.fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512, .fp8 = 1024, .int8 = 2048, .fp4 = 4096},
    cdna2 = {.fp64 = 128, .fp64_tc = 256, .fp32 = 128, .fp16 = 1024, .int8 = 1024},
    cdna3 = {.fp64 = 128, .fp64_tc = 256, .fp32 = 256, .fp16 = 2048, .fp8 = 4096, .int8 = 4096},
    cdna4 = {.fp64 = 128,
             .fp64_tc = 128,
             .fp32 = 256,
             .fp16 = 4096,
             .fp8 = 8192,
             .int8 = 8192,
             .fp4 = 16384};

// If `has_sms`, the multiprocessors are the row's. Otherwise no data sheet gives them or the clock,
// and these values make the figures consistent. `tensor_ghz` is the clock of Tensor Cores except
// for FP64; 0: the same clock.
static const struct card {
    const char *name;
    const struct unit *unit;
    bool has_sms;
    double sms, ghz, tensor_ghz, bits, gbit_s;
} cards[] = {
    {"B300", &b300, false, 148, 1.965, 1.855, 8192, 8},
    {"GB300", &gb300, false, 148, 2.062, 0, 8192, 8},
    {"B200", &b200, false, 148, 1.965, 1.855, 8192, 8},
    {"GB200", &gb200, false, 148, 2.062, 0, 8192, 8},
    {"RTX PRO 6000 Blackwell Workstation Edition", &plain_fp4, true, 188, 2.617, 0, 512, 28},
    {"RTX PRO 6000 Blackwell Max-Q Workstation Edition", &plain_fp4, true, 188, 2.28, 0, 512, 28},
    {"RTX PRO 6000 Blackwell Server Edition", &plain, true, 188, 2.49, 0, 512, 24.95},
    {"RTX 5090", &gb202_geforce, true, 170, 2.407, 0, 512, 28},
    {"H200 NVL", &hopper, true, 132, 1.785, 1.545, 6144, 6.25},
    {"H200", &hopper, true, 132, 1.98, 1.83, 6144, 6.25},
    {"H100 NVL", &hopper, true, 132, 1.785, 1.545, 6144, 5.1},
    {"H100 PCIe", &hopper, true, 114, 1.755, 1.62, 5120, 3.186},
    {"H100 80GB HBM3", &hopper, true, 132, 1.98, 1.83, 5120, 5.238},
    {"GH200 480GB", &hopper, true, 132, 1.98, 1.83, 6144, 5.2},
    {"GH200 144G HBM3e", &hopper, true, 132, 1.98, 1.83, 6144, 6.4},
    {"H800 PCIe", &h800, false, 114, 1.755, 1.62, 5120, 3.186},
    {"H800", &h800, false, 132, 1.98, 1.83, 5120, 5.238},
    {"H20", &h20, false, 78, 1.98, 1.85, 6144, 5.2},
    {"L40S", &ada, true, 142, 2.52, 0, 384, 18},
    {"L40", &l40, true, 142, 2.49, 0, 384, 18},
    {"NVIDIA L4", &ada, true, 58, 2.04, 0, 192, 12.5},
    {"RTX 6000 Ada", &plain, true, 142, 2.505, 0, 384, 20},
    {"RTX 4090", &ada_geforce, true, 128, 2.52, 0, 384, 21},
    {"RTX 4080", &ada_geforce, true, 76, 2.505, 0, 256, 22.4},
    {"A100-SXM4-80GB", &a100, true, 108, 1.41, 0, 5120, 3.186},
    {"A100 80GB PCIe", &a100, true, 108, 1.41, 0, 5120, 3.024},
    {"A100", &a100, true, 108, 1.41, 0, 5120, 2.43},
    {"A800-SXM4-80GB", &a100, true, 108, 1.41, 0, 5120, 3.186},
    {"A800 80GB PCIe", &a100, true, 108, 1.41, 0, 5120, 3.024},
    {"A30", &a100, true, 56, 1.44, 0, 3072, 2.43},
    {"A40", &ga102, true, 84, 1.74, 0, 384, 14.5},
    {"A10", &ga102, true, 72, 1.695, 0, 384, 12.5},
    {"A10G", &a10g, true, 80, 1.71, 0, 384, 12.5},
    {"RTX A6000", &ga102, true, 84, 1.8, 0, 384, 16},
    {"RTX 3090", &ga102_geforce, true, 82, 1.695, 0, 384, 19.5},
    {"RTX 3080", &ga102_geforce, true, 68, 1.71, 0, 320, 19},
    {"RTX 3070 Ti", &ga104_ti, true, 48, 1.77, 0, 256, 19},
    {"RTX 3070", &ga102_geforce, true, 46, 1.725, 0, 256, 14},
    {"V100-PCIE", &volta, true, 80, 1.38, 0, 4096, 1.754},
    {"V100", &volta, true, 80, 1.53, 0, 4096, 1.754},
    {"Tesla T4", &turing, true, 40, 1.59, 0, 256, 10},
    {"MI355X", &cdna4, true, 256, 2.4, 0, 8192, 8},
    {"MI350X", &cdna4, true, 256, 2.2, 0, 8192, 8},
    {"MI325X", &cdna3, true, 304, 2.1, 0, 8192, 6},
    {"MI300X", &cdna3, true, 304, 2.1, 0, 8192, 5.2},
    {"MI250X", &cdna2, true, 110, 1.7, 0, 4096, 3.2},
    {"MI250", &cdna2, true, 104, 1.7, 0, 4096, 3.2},
    {"MI210", &cdna2, true, 104, 1.7, 0, 4096, 3.2},
};
enum { CARDS = sizeof cards / sizeof *cards };

static struct arena *arena;
static struct gpu_list list;

static int open_list(void **state)
{
    (void)state;
    struct error error = {0};
    arena = arena_new(0);
    const struct yaml_node *root = yaml_read(arena, source_path("/rules/gpus.yaml"), &error);
    if (root && gpu_list_read(&list, arena, root, &error))
        return 0;
    print_error("%s\n", error.message);
    return -1;
}

static int close_list(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const struct peak {
    const char *name;
    size_t of_card, of_unit; // offsets
    bool is_tensor;          // uses the Tensor Core clock
} peaks[] = {
#define PEAK(name, is_tensor)                                                           \
    {                                                                                   \
#name, offsetof(struct gpu_peaks, name), offsetof(struct unit, name), is_tensor \
    }
    PEAK(fp64, false), PEAK(fp64_tc, false), PEAK(fp32, false), PEAK(tf32, true),
    PEAK(fp16, true),  PEAK(fp8, true),      PEAK(int8, true),  PEAK(fp4, true),
#undef PEAK
};
enum { PEAKS = sizeof peaks / sizeof *peaks };

static double at_offset(const void *row, size_t offset)
{
    double figure;
    memcpy(&figure, (const char *)row + offset, sizeof figure);
    return figure;
}

static bool has_figures(const struct gpu_peaks *gpu)
{
    bool has = gpu->bandwidth > 0 || gpu->sms > 0;
    for (size_t p = 0; p < PEAKS; p++)
        has |= at_offset(gpu, peaks[p].of_card) > 0;
    return has;
}

// Data sheets round: 33.5 to 34, 8192 GB/s to 8 TB/s. A figure with one digit (H800: 1 in FP64) may
// be off by a twentieth.
enum { ROUNDED = 18, ROUNDED_BANDWIDTH = 25 }; // thousandths

static void is_near(const char *card, const char *what, double figure, double worked_out,
                    int thousandths)
{
    bool is_digit = figure < 10 && figure == floor(figure);
    double tolerance = (is_digit ? 50 : thousandths) * worked_out / 1000;
    if (fabs(figure - worked_out) > tolerance)
        fail_msg("%s: %s is %g, and worked out %g", card, what, figure, worked_out);
}

static void check_card(const struct card *card, const struct gpu_peaks *gpu)
{
    double clocks = card->sms * card->ghz / 1000; // of all multiprocessors, in 1e12 per second
    double tensor = card->tensor_ghz > 0 ? card->sms * card->tensor_ghz / 1000 : clocks;
    assert_true(gpu->sms == (card->has_sms ? card->sms : 0));
    for (size_t p = 0; p < PEAKS; p++)
        is_near(card->name, peaks[p].name, at_offset(gpu, peaks[p].of_card),
                (peaks[p].is_tensor ? tensor : clocks) * at_offset(card->unit, peaks[p].of_unit),
                ROUNDED);
    is_near(card->name, "bandwidth", gpu->bandwidth, card->bits * card->gbit_s / 8,
            ROUNDED_BANDWIDTH);
}

static void test_every_row(void **state)
{
    (void)state;
    size_t held = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct gpu_peaks *gpu = &list.items[i];
        // No earlier row matches the name of this one.
        assert_ptr_equal(gpu_list_find(&list, gpu->name), gpu);
        if (!has_figures(gpu))
            continue;
        size_t c = 0;
        while (c < CARDS && strcmp(cards[c].name, gpu->name) != 0)
            c++;
        if (c == CARDS) {
            fail_msg("%s: nothing here to work its figures out of", gpu->name);
            return;
        }
        check_card(&cards[c], gpu);
        held++;
    }
    assert_int_equal(held, CARDS);
}

// For a card with a row, the rates of its compute capability agree with the row.
static void test_rates(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int major, minor;
        const char *row;
    } known[] = {
        {"Tesla V100-SXM2-16GB", 7, 0, "V100"},
        {"NVIDIA A100-SXM4-40GB", 8, 0, "A100"},
        {"NVIDIA A30", 8, 0, "A30"},
        {"NVIDIA RTX A6000", 8, 6, "RTX A6000"},
        {"NVIDIA A40", 8, 6, "A40"},
        {"NVIDIA GeForce RTX 3090", 8, 6, "RTX 3090"},
        {"NVIDIA GeForce RTX 3070", 8, 6, "RTX 3070"},
        {"NVIDIA L40S", 8, 9, "L40S"},
        {"NVIDIA L4", 8, 9, "NVIDIA L4"},
        {"NVIDIA GeForce RTX 4090", 8, 9, "RTX 4090"},
        {"NVIDIA GeForce RTX 4080", 8, 9, "RTX 4080"},
        {"NVIDIA H100 80GB HBM3", 9, 0, "H100 80GB HBM3"},
        {"NVIDIA GeForce RTX 5090", 12, 0, "RTX 5090"},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 12, 0,
         "RTX PRO 6000 Blackwell Workstation Edition"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct gpu_list rates = list;
        rates.count = 0; // without the rows of cards
        size_t c = 0;
        while (strcmp(cards[c].name, known[i].row) != 0)
            c++;
        struct device device = {.sm_count = (int64_t)cards[c].sms,
                                .clock_hz = llround(cards[c].ghz * 1e9),
                                .compute_major = (int8_t)known[i].major,
                                .compute_minor = (int8_t)known[i].minor};
        const struct gpu_peaks *row = gpu_list_find(&list, known[i].name);
        struct gpu_peaks worked_out = gpu_list_peaks(&rates, &device, known[i].name);
        assert_non_null(row);
        assert_string_equal(row->name, known[i].row);
        assert_true(worked_out.is_from_clock && worked_out.fp32 > 0);
        for (size_t p = 0; p < PEAKS; p++) {
            double by_clock = at_offset(&worked_out, peaks[p].of_card);
            double row_peak = at_offset(row, peaks[p].of_card);
            if (by_clock > 0 && row_peak > 0)
                is_near(known[i].name, peaks[p].name, row_peak, by_clock, ROUNDED);
        }
    }
}

// Cards with the same chip have different memories and clocks; each name has a row of its own or
// none.
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double fp16, bandwidth; // 0: unknown
    } names[] = {
        {"NVIDIA H100 80GB HBM3", 989.4, 3352}, // SXM5
        {"NVIDIA H100 PCIe", 756, 2039},
        {"NVIDIA H100 NVL", 835.5, 3900},
        {"NVIDIA H100 96GB HBM3", 0, 0},
        {"NVIDIA H100 64GB HBM2", 0, 0},
        {"NVIDIA GH200 480GB", 989.5, 4000},
        {"NVIDIA GH200 144G HBM3e", 989.5, 4900},
        {"NVIDIA H200", 989.4, 4800},
        {"NVIDIA H200 NVL", 835.5, 4800},
        {"NVIDIA B300 SXM6 AC", 2250, 8000},
        {"NVIDIA GB300", 2500, 8000},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 0, 1792},
        {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 0, 1792},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", 0, 1597},
        {"NVIDIA GeForce RTX 4080", 97.5, 716.8},
        {"NVIDIA GeForce RTX 4080 SUPER", 0, 0},
        {"NVIDIA GeForce RTX 4080 Laptop GPU", 0, 0},
        {"NVIDIA A100-PCIE-40GB", 312, 1555},
        {"NVIDIA A100-SXM-64GB", 0, 0},
        {"Tesla V100-SXM2-32GB", 125, 900},
        {"Tesla V100-SXM3-32GB", 0, 0},
        {"Tesla V100-PCIE-16GB", 112, 900},
        {"AMD Instinct MI355X", 2516.6, 8000},
        {"AMD Instinct MI350X", 2306.9, 8000},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct gpu_peaks *row = gpu_list_find(&list, names[i].name);
        assert_non_null(row);
        if (row->fp16 != names[i].fp16 || row->bandwidth != names[i].bandwidth)
            fail_msg("%s: %g, %g", names[i].name, row->fp16, row->bandwidth);
    }
}

// A row is used only if its number of multiprocessors agrees with the capture: names may be shared
// by several cards and by parts of a card.
static void test_other_multiprocessors(void **state)
{
    (void)state;
    struct device device = {
        .sm_count = 70, .clock_hz = 1710000000, .compute_major = 8, .compute_minor = 6};
    // the 12 GB variant
    struct gpu_peaks found = gpu_list_peaks(&list, &device, "NVIDIA GeForce RTX 3080");
    assert_true(found.is_from_clock && found.bandwidth == 0 && found.sms == 0);
    assert_true(fabs(found.fp32 - 30.6) < 0.1);
    device.sm_count = 68;
    found = gpu_list_peaks(&list, &device, "NVIDIA GeForce RTX 3080");
    assert_true(!found.is_from_clock && found.fp32 == 29.8 && found.bandwidth == 760);
    device.sm_count = UNKNOWN;
    found = gpu_list_peaks(&list, &device, "NVIDIA GeForce RTX 3080");
    assert_true(found.fp32 == 29.8);
    // A seventh of a card with unknown clock: all peaks are unknown.
    device = (struct device){
        .sm_count = 14, .clock_hz = UNKNOWN, .compute_major = 8, .compute_minor = 0};
    found = gpu_list_peaks(&list, &device, "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
    assert_true(!found.name && found.fp16 == 0 && found.bandwidth == 0);
}

// A comment that names a data sheet or a paper precedes each row with figures or its group of rows.
static void test_sources(void **state)
{
    (void)state;
    char *text = file_read(source_path("/rules/gpus.yaml")), *rest = NULL;
    bool has_source = false, is_comment = false;
    size_t rows = 0;
    char *line = strtok_r(strstr(text, "\ngpus:") + 1, "\n", &rest);
    for (; line && strncmp(line, "multiprocessors:", 16) != 0; line = strtok_r(NULL, "\n", &rest)) {
        const char *at = line + strspn(line, " ");
        if (*at == '#') {
            has_source &= is_comment;
            has_source |= strstr(at, "sheet") || strstr(at, "(paper");
            is_comment = true;
        } else if (*at == '-') {
            is_comment = false;
            if (strstr(at, "bandwidth") && !has_source)
                fail_msg("no source: %s", at);
            rows++;
        }
    }
    assert_int_equal(rows, list.count);
    free(text);
}

// ---- what Tensor Cores take --------------------------------------------------------------------

enum {
    VOLTA = TAKES_FP16,
    TURING = VOLTA | TAKES_INT8,
    AMPERE = TURING | TAKES_BF16 | TAKES_TF32,
    ADA = AMPERE | TAKES_FP8, // Hopper, too
    BLACKWELL = ADA | TAKES_FP4,
    CDNA = TURING | TAKES_BF16,
    UNTOLD = -1,     // of a capability: the capture does not tell it; of types: unknown
    HALF_TOLD = 1000 // added to a capability: the capture does not tell its second number
};

// Every figure of a row is of a type that the card takes, and each row tells what that is.
static void test_abilities_of_rows(void **state)
{
    (void)state;
    const struct device untold = {.compute_major = -1, .compute_minor = -1};
    for (size_t i = 0; i < list.count; i++) {
        const struct gpu_peaks *gpu = &list.items[i];
        const char *name = arena_format(arena, "a %s", gpu->name);
        enum vendor vendor = strncmp(gpu->name, "MI", 2) == 0 ? VENDOR_AMD : VENDOR_NVIDIA;
        struct gpu_abilities abilities = gpu_list_abilities(&list, &untold, vendor, name);
        const struct {
            double figure;
            unsigned bit;
        } told[] = {{gpu->tf32, TAKES_TF32},
                    {gpu->fp16, TAKES_FP16},
                    {gpu->fp8, TAKES_FP8},
                    {gpu->int8, TAKES_INT8},
                    {gpu->fp4, TAKES_FP4}};
        assert_true(abilities.is_known);
        for (size_t t = 0; t < sizeof told / sizeof *told; t++)
            if (told[t].figure > 0 && !(abilities.types & told[t].bit))
                fail_msg("%s has a figure of a type that it does not take", gpu->name);
        if (gpu->fp16 > 0 && gpu->fp32 > 0 && gpu->fp16 / gpu->fp32 > abilities.ratio * 1.02)
            fail_msg("%s: 16 bit is %g times FP32", gpu->name, gpu->fp16 / gpu->fp32);
        // The row of the name and the capability agree.
        struct device device = {.compute_major = gpu->capability / 10,
                                .compute_minor = gpu->capability % 10};
        if (gpu->capability > 0)
            assert_int_equal(gpu_list_abilities(&list, &device, vendor, "another card").types,
                             abilities.types);
    }
    for (size_t i = 0; i < list.rate_count; i++) {
        const struct sm_rates *rates = &list.rates[i];
        struct device device = {.compute_major = rates->major, .compute_minor = rates->minor};
        struct gpu_abilities abilities =
            gpu_list_abilities(&list, &device, VENDOR_NVIDIA, "another card");
        assert_true(abilities.is_known);
        if (rates->each.fp16 > 0)
            assert_true(rates->each.fp16 / rates->each.fp32 <= abilities.ratio);
    }
}

static void test_abilities(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int capability; // in tenths, as the capture tells it
        int types;
    } captured[] = {
        // as captures tell them; most are no rows of the list
        {"NVIDIA RTX 5000 Ada Generation", 89, ADA},
        {"NVIDIA RTX 6000 Ada Generation", 89, ADA},
        {"NVIDIA L20", 89, ADA},
        {"NVIDIA L2", 89, ADA},
        {"NVIDIA GeForce RTX 4070", 89, ADA},
        {"NVIDIA GeForce RTX 4050 Laptop GPU", 89, ADA},
        {"NVIDIA A16", 86, AMPERE},
        {"NVIDIA A2", 86, AMPERE},
        {"NVIDIA A10M", 86, AMPERE},
        {"NVIDIA RTX A1000 Laptop GPU", 86, AMPERE},
        {"NVIDIA RTX A5000", 86, AMPERE},
        {"NVIDIA GeForce RTX 3060", 86, AMPERE},
        {"NVIDIA GeForce MX570", 86, AMPERE},
        {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", 80, AMPERE},
        {"GRID A100X-20C", 80, AMPERE},
        {"Orin", 87, AMPERE},
        {"NVIDIA H100 96GB HBM3", 90, ADA},
        {"NVIDIA GH200 96GB HBM3", 90, ADA},
        {"NVIDIA H100 PCIe MIG 1g.10gb", 90, ADA},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", 120, BLACKWELL},
        {"NVIDIA RTX PRO 2000 Blackwell", 120, BLACKWELL},
        {"NVIDIA GeForce RTX 5070 Ti", 120, BLACKWELL},
        {"NVIDIA GB10", 121, BLACKWELL},
        {"NVIDIA Thor", 110, BLACKWELL},
        {"NVIDIA GB200", 100, BLACKWELL},
        {"Tesla T4", 75, TURING},
        {"Quadro RTX 8000", 75, TURING},
        {"NVIDIA GeForce RTX 2080 Ti", 75, TURING},
        {"NVIDIA GeForce GTX 1660 Ti", 75, 0},
        {"GeForce MX450", 75, 0},
        {"NVIDIA T1000 8GB", 75, 0},
        {"Xavier", 72, TURING},
        {"NVIDIA TITAN V", 70, VOLTA},
        {"Tesla P100-PCIE-16GB", 60, 0},
        {"Tesla K80", 37, 0},
        {"a card of 2030", 155, ADA}, // and what else is not known
        // The name alone tells.
        {"NVIDIA L20", UNTOLD, ADA},
        {"NVIDIA RTX 5000 Ada Generation", UNTOLD, ADA},
        {"NVIDIA GH200 120GB", UNTOLD, ADA},
        {"Quadro RTX 5000", UNTOLD, TURING},
        {"NVIDIA GeForce GTX 1650", UNTOLD, 0},
        {"NVIDIA A16-4Q", UNTOLD, AMPERE},
        // Nothing tells; a number of AMD's is no compute capability.
        {"NVIDIA RTX 9999", UNTOLD, UNTOLD},
        {"", UNTOLD, UNTOLD},
        {"", 86, AMPERE},
        // The capture tells half of the number, or one that is none.
        {"NVIDIA L20", 80 + HALF_TOLD, ADA},
        {"", 80 + HALF_TOLD, UNTOLD},
        {"AMD Radeon Graphics", 94, UNTOLD},
        {"AMD Instinct MI300A", 94, CDNA | TAKES_TF32 | TAKES_FP8},
        {"AMD Instinct MI100", UNTOLD, CDNA},
        {"AMD Instinct MI50", 90, 0},
        {"gfx942:sramecc+:xnack-", UNTOLD, CDNA | TAKES_TF32 | TAKES_FP8},
        {"AMD Radeon RX 7900 XTX", 110, CDNA},
        {"AMD Instinct MI350X", 95, CDNA | TAKES_FP8 | TAKES_FP4},
    };
    for (size_t i = 0; i < sizeof captured / sizeof *captured; i++) {
        bool is_told = captured[i].capability != UNTOLD;
        bool is_half = captured[i].capability >= HALF_TOLD;
        struct device device = {
            .compute_major = is_told ? captured[i].capability % HALF_TOLD / 10 : -1,
            .compute_minor = is_told && !is_half ? captured[i].capability % 10 : -1};
        enum vendor vendor = strstr(captured[i].name, "AMD") ? VENDOR_AMD : VENDOR_NVIDIA;
        struct gpu_abilities found = gpu_list_abilities(&list, &device, vendor, captured[i].name);
        if (found.is_known != (captured[i].types != UNTOLD) ||
            (found.is_known && found.types != (unsigned)captured[i].types))
            fail_msg("%s: %d, types %x", captured[i].name, found.is_known, found.types);
    }
    const struct device absurd = {.compute_major = 99, .compute_minor = INT32_MAX};
    assert_false(gpu_list_abilities(&list, &absurd, VENDOR_NVIDIA, "").is_known);
}

// A trace of ROCm may have no name of the GPU: 9.4 is then no Hopper.
static void test_abilities_without_name(void **state)
{
    (void)state;
    static const struct {
        const char *call, *name;
        bool is_known;
    } traces[] = {{"hipLaunchKernel", "", false},
                  {"cudaLaunchKernel", "", true},
                  {"hipLaunchKernel", "gfx9999", false},
                  {"hipLaunchKernel", "gfx942", true}};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char path[] = "/tmp/test_rules_gpus_XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        file_write(path, arena_format(arena,
                                      "{\"deviceProperties\":[{\"id\":0,\"name\":\"%s\","
                                      "\"computeMajor\":9,\"computeMinor\":4}],\"traceEvents\":["
                                      "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\","
                                      "\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5,\"args\":"
                                      "{\"correlation\":7}},"
                                      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                                      "\"tid\":7,\"ts\":9,\"dur\":5,\"args\":{\"device\":0,"
                                      "\"stream\":7,\"correlation\":7}}]}",
                                      traces[i].name, traces[i].call));
        struct error error;
        struct profile *profile =
            profile_load(&(struct load_request){.path = path, .threads = 1}, &error);
        unlink(path);
        assert_non_null(profile);
        assert_int_equal(profile->device_count, 1);
        assert_int_equal(device_abilities(profile, 0).is_known, traces[i].is_known);
        profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row), cmocka_unit_test(test_rates),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_other_multiprocessors),
        cmocka_unit_test(test_sources),   cmocka_unit_test(test_abilities_of_rows),
        cmocka_unit_test(test_abilities), cmocka_unit_test(test_abilities_without_name),
    };
    return cmocka_run_group_tests(tests, open_list, close_list);
}
