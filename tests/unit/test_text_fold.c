// SPDX-License-Identifier: Apache-2.0
// Checks the folding of C++ template arguments in names, on known kernels, malformed names and
// random texts.
#include "property.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/text.h"

static const struct {
    const char *name;
    int depth;
    const char *wanted;
} rows[] = {
    {"void at::reduce<512, ReduceOp<float, 4> >(ReduceOp<float, 4>)", 1,
     "at::reduce<512, ReduceOp<...>>"},
    {"void at::reduce<512, ReduceOp<float, 4> >(ReduceOp<float, 4>)", 0, "at::reduce<...>"},
    {"void at::reduce<512, ReduceOp<float, 4> >(ReduceOp<float, 4>)", 9,
     "at::reduce<512, ReduceOp<float, 4>>"},
    {"void at::native::(anonymous namespace)::kernel<float>(float*, int)", 1,
     "at::native::(anonymous namespace)::kernel<float>"},
    {"void at::native::(anonymous namespace)::kernel<float>(float*, int)", 0,
     "at::native::(anonymous namespace)::kernel<...>"},
    {"void (anonymous namespace)::softmax<(int)4, (bool)1>(float*)", 1,
     "(anonymous namespace)::softmax<(int)4, (bool)1>"},
    {"void at::vectorized<4, at::impl<at::Op>(at::Iter&)::{lambda(int)#1}, at::Array<char*, 2> >"
     "(int, at::Array<char*, 2>)",
     1, "at::vectorized<4, at::impl<...>::{lambda#1}, at::Array<...>>"},
    {"foo(int)::{lambda(float)#2}::operator()(float) const", 1, "foo::{lambda#2}::operator()"},
    {"bool operator< <int>(A<int> const&, A<int> const&)", 0, "operator< <...>"},
    {"operator<(A const&, A const&)", 0, "operator<"},
    {"A::operator->() const", 0, "A::operator->"},
    {"A<B>::operator<<(C<D>)", 0, "A<...>::operator<<"},
    {"A::operator bool() const", 0, "A::operator bool"},
    {"A::operator==(A const&)", 0, "A::operator=="},
    {"A::operator()<int>(int)", 1, "A::operator()<int>"},
    {"void f<decltype(a->b), 1>(X)", 1, "f<decltype, 1>"},
    {"void f<(a > b), C<D> >(X)", 1, "f<(a > b), C<...>>"},
    {"void f<(1<<3), C<D> >(X)", 1, "f<(1<<3), C<...>>"},
    {"void f<std::function<void (int)> >(X)", 2, "f<std::function<void (int)>>"},
    {"void <unnamed>::kernel<int>(int)", 0, "<unnamed>::kernel<...>"},
    {"std::enable_if<true, unsigned int>::type g<int>(int) [clone .constprop.0]", 1,
     "g<int> [clone .constprop.0]"},
    {"unsigned int h(int)", 0, "h"},
    {"f<>()", 0, "f<>"},
    {"void f<int>", 1, "f<int>"},
    // Names that are not C++ stay unchanged.
    {"volta_sgemm_128x64_nn", 0, "volta_sgemm_128x64_nn"},
    {"aten::mm", 0, "aten::mm"},
    {"[CUDA memcpy HtoD]", 0, "[CUDA memcpy HtoD]"},
    {"Memcpy HtoD (Pinned)", 0, "Memcpy HtoD (Pinned)"},
    {"a < b", 0, "a < b"},
    {"", 0, ""},
    {"void ", 0, "void "},
    // Truncated and unbalanced names give a bounded result.
    {"void f<A<B, C", 1, "f<A<..."},
    {"void f<A>>>(int)", 1, "f<A>>>"},
    {"f(a, b", 0, "f"},
    {")f", 0, ")f"},
    {"(f<)", 0, "(f<...>)"},
    {"operator", 0, "operator"},
    {"operatorfoo(int)", 0, "operatorfoo"},
};

static void test_examples(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(text_fold_templates(arena, rows[i].name, rows[i].depth),
                            rows[i].wanted);
    arena_free(arena);
}

static void test_narrow_signatures(void **state)
{
    (void)state;
    static const char name[] = "void at::native::elementwise_kernel<128, 4, "
                               "at::native::gpu_kernel_impl<at::native::CUDAFunctor_add<float> >"
                               "(at::TensorIteratorBase&)::{lambda(int)#1}>(int, at::A<1>)";
    static const struct {
        const char *name;
        int columns;
        const char *wanted;
    } cases[] = {
        {name, 300, name},
        {name, 90,
         "elementwise_kernel<128, 4, gpu_kernel_impl<CUDAFunctor_add<float>>::{lambda#1}>"},
        {name, 70, "elementwise_kernel<128, 4, gpu_kernel_impl<...>::{lambda#1}>"},
        // too deep for one level
        {name, 10, "elementwise_kernel<128, 4, gpu_kernel_impl<...>::{lambda#1}>"},
        {"ncclDevKernel_AllReduce(ncclDevKernelArgsStorage<4096ul>)", 30,
         "ncclDevKernel_AllReduce"},
        {"void (anonymous namespace)::softmax<(at::Mode)1>(float*)", 40, "softmax<(Mode)1>"},
        {"A::B<C::D>::run(int*)", 15, "B<D>::run"},
        {"<unnamed>::k<int>(A::B)", 10, "k<int>"},
    };
    struct arena *arena = arena_new(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(text_is_signature(cases[i].name));
        assert_string_equal(text_shorten_signature(arena, cases[i].name, cases[i].columns),
                            cases[i].wanted);
    }
    static const char *const others[] = {
        "",        ")", "aten::mm", "elementwise add<float>", "[memset]", "Memcpy HtoD (Pinned)",
        "step (3)"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(text_is_signature(others[i]));
    arena_free(arena);
}

// For any input the function terminates, and the output is bounded and contains no new text except
// "...>".
static void test_any_mixture(void **state)
{
    (void)state;
    static const char *const pieces[] = {"<",  ">",  "(",  ")",     "{",  "}",
                                         "[",  "]",  " ",  "a",     "f<", "operator",
                                         "->", "::", ", ", "void ", "'",  "const"};
    struct random random = {13};
    struct arena *arena = arena_new(0);
    for (int i = 0; i < random_rounds(100000); i++) {
        char name[40];
        random_text(&random, pieces, sizeof pieces / sizeof *pieces, name, sizeof name);
        const char *folded = text_fold_templates(arena, name, (int)random_below(&random, 4) - 1);
        assert_true(strlen(folded) <= 2 * strlen(name) + 3);
        assert_true(strlen(name) == 0 || strlen(folded) > 0);
        arena_reset(arena);
    }
    arena_free(arena);
}

// The longest names are folded in linear time, however deep they nest.
static void test_long_names(void **state)
{
    (void)state;
    static const char *const pieces[] = {"A<", "a<b>(c)",   "(",   "<<",  "{",
                                         "f(", "operator<", "x<>", "(f<)"};
    size_t length = 273000;
    char *name = malloc(length + 20);
    struct arena *arena = arena_new(0);
    clock_t start = clock();
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t piece = strlen(pieces[i]);
        for (size_t at = 0; at < length; at += piece)
            memcpy(name + at, pieces[i], piece + 1);
        for (int depth = 0; depth < 3; depth++) {
            assert_true(strlen(text_fold_templates(arena, name, depth)) <= 2 * strlen(name) + 3);
            arena_reset(arena);
        }
    }
    // Maximal depth, balanced.
    for (size_t i = 0; i < length; i += 2)
        memcpy(name + i, i < length / 3 * 2 ? "A<" : ">>", 3);
    assert_memory_equal(text_fold_templates(arena, name, 1), "A<A<...>>", 9);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    arena_free(arena);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_narrow_signatures),
        cmocka_unit_test(test_any_mixture),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
