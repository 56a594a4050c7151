// SPDX-License-Identifier: Apache-2.0
// Demangling of C++ symbols: compares each part of the grammar that kernels use with a table
// (symbols made by a compiler), and every symbol of the corpus with the name that nsys wrote; cut,
// changed and endlessly growing symbols must be handled safely.
#include "property.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/parse/demangle.h"
#include "paths.h"

static struct demangler work;

static const struct {
    const char *symbol, *full, *base;
} known[] = {
    {"_ZL6hiddeni", "hidden(int)", "hidden"},
    {"_ZN3app1SC1Ei", "app::S::S(int)", "S"},
    {"_ZN3app1SD1Ev", "app::S::~S()", "~S"},
    {"_ZN3app1SpLEi", "app::S::operator +=(int)", "operator +="},
    {"_ZN3app2v16policyINS0_3BoxEiEEvT_IT0_E", "void app::v1::policy<app::v1::Box, int>(T1<T2>)",
     "policy"},
    {"_ZN3app3funEPFifiERA4_iOd", "app::fun(int (*)(float, int), int (&)[4], double &&)", "fun"},
    // As nsys writes it, a template parameter after a prefix operator has no parentheses.
    {"_ZN3app1fILb1EEENS_1CIXntT_EEEv", "app::C<!T1> app::f<(bool)1>()", "f"},
    {"_ZN3app1fILb1EEENS_1CIXntLb0EEEEv", "app::C<!((bool)0)> app::f<(bool)1>()", "f"},
    {"_ZN3app1fILb1ELb0EEENS_1CIXaaT_T0_EEEv", "app::C<(T1)&&(T2)> app::f<(bool)1, (bool)0>()",
     "f"},
    {"_ZN3app3negILin3EEEvv", "void app::neg<(int)-3>()", "neg"},
    {"_ZN3app3runIfEEvPT_PNS_12_GLOBAL__N_14AdamIS1_E5StateE",
     "void app::run<float>(T1 *, app::<unnamed>::Adam<T1>::State *)", "run"},
    {"_ZN3app3sumILi3EEEvNS_1CIXplT_Li1EEEENS1_IXmlLm4ET_EEE",
     "void app::sum<(int)3>(app::C<(T1)+((int)1)>, app::C<((unsigned long)4)*(T1)>)", "sum"},
    {"_ZN3app3useIfLi4ELNS_6LayoutE1EEEiNS_4TileIT_XT0_EXT1_EEE",
     "int app::use<float, (int)4, (app::Layout)1>(app::Tile<T1, T2, T3>)", "use"},
    {"_ZN3app4eachIfZNS_3runIfEEvPT_PNS_12_GLOBAL__N_14AdamIS2_E5StateEEUlfRKfE_EEvi"
     "PKS2_S3_T0_",
     "void app::each<float, void app::run<float>(T1 *, app::<unnamed>::Adam<T1>::Sta"
     "te *)::[lambda(float, const float &) (instance 1)]>(int, const T1 *, T1 *, T2)",
     "each"},
    {"_ZN3app4eachIfZNS_3runIfEEvPT_PNS_12_GLOBAL__N_14AdamIS2_E5StateEEUliE_EEviPKS"
     "2_S3_T0_",
     "void app::each<float, void app::run<float>(T1 *, app::<unnamed>::Adam<T1>::Sta"
     "te *)::[lambda(int) (instance 1)]>(int, const T1 *, T1 *, T2)",
     "each"},
    {"_ZN3app4getfEMNS_1SEiMS0_KFviE", "app::getf(int app::S::*, void (app::S::*)(int) const)",
     "getf"},
    {"_ZN3app4halfEne", "app::half(__int128, long double)", "half"},
    {"_ZN3app4litsILb1ELxn5ELj7EEEvv", "void app::lits<(bool)1, (long long)-5, (unsigned int)7>()",
     "lits"},
    {"_ZN3app4sizeIiEEDTplfp_Li1EET_", "decltype(({parm})+((int)1)) app::size<int>(T1)", "size"},
    {"_ZN3app4useSERNS_1SE", "app::useS(app::S &)", "useS"},
    {"_ZN3app4viafIXadL_ZNS_6targetEPfEEEEvv", "void app::viaf<&(app::target(float *))>()", "viaf"},
    {"_ZN3app5plainEPfPKPKcyPVi",
     "app::plain(float *, const char * const *, unsigned long long, volatile int *)", "plain"},
    {"_ZN3app6launchIJEEEvDpT_", "void app::launch<>(T1...)", "launch"},
    {"_ZN3app6launchIJifPKcEEEvDpT_", "void app::launch<int, float, const char *>(T1...)",
     "launch"},
    {"_ZN3app6targetEPf", "app::target(float *)", "target"},
    {"_ZNK3app1S6memberEi", "app::S::member(int) const", "member"},
    {"_ZNK3app1ScvbEv", "app::S::operator bool() const", "operator bool"},
    {"_ZNK3app4TileIfLi4ELNS_6LayoutE1EE3getIiEET_S4_",
     "T1 app::Tile<float, (int)4, (app::Layout)1>::get<int>(T1) const", "get"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_16tanh_kernel_cudaERNS"
     "_18TensorIteratorBaseEENKUlvE0_clEvENKUlvE0_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T"
     "1_",
     "void at::native::vectorized_elementwise_kernel<(int)4, at::native::tanh_kernel"
     "_cuda(at::TensorIteratorBase &)::[lambda() (instance 2)]::operator ()() const:"
     ":[lambda() (instance 2)]::operator ()() const::[lambda(float) (instance 1)], s"
     "td::array<char *, (unsigned long)2>>(int, T2, T3)",
     "vectorized_elementwise_kernel"},
    {"_ZN44_GLOBAL__N__50c743a2_11_Indexing_cu_89862edb6kernelIfLi4EEEvPKlS2_PKT_PS3"
     "_llllb",
     "void <unnamed>::kernel<float, (int)4>(const long *, const long *, const T1 *, "
     "T1 *, long, long, long, long, bool)",
     "kernel"},
    {"_Z4sumsI4ReduIfSt6vectorIS0_IiEEEEvRKT_OS3_",
     "void sums<Redu<float, std::vector<Redu<int>>>>(const T1 &, std::vector<Redu<in"
     "t>> &&)",
     "sums"},
    {"_ZN6thrust4fillIPfEENSt9enable_ifIXsr3std9is_signedIT_EE5valueES2_E4typeES2_",
     "std::enable_if<std::is_signed<T1>::value, std::enable_if>::type thrust::fill<f"
     "loat *>(std::enable_if)",
     "fill"},
    {"_ZN3lib6kernelB5cxx11Ev", "lib::kernel[abi:cxx11]()", "kernel[abi:cxx11]"},
    {"_ZZN3lib5outerEiE5table_0", "lib::outer(int)::table", "table"},
    {"_ZZ4mainENKUlvE_clEv.isra.0", "main::[lambda() (instance 1)]::operator ()() const [.isra.0]",
     "operator ()"},
    {"_Z1fIDv4_fEvT_", "void f<float __vector(4)>(T1)", "f"},
};

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct demangled name;
        if (!demangle(&work, known[i].symbol, strlen(known[i].symbol), &name))
            fail_msg("%s is not read", known[i].symbol);
        assert_string_equal(name.full, known[i].full);
        assert_string_equal(name.base, known[i].base);
    }
}

// ---- nsys's names ------------------------------------------------------------------------------

static int check_row(void *context, int count, char **cells, char **titles)
{
    struct demangled name;
    (void)titles;
    assert_int_equal(count, 3);
    if (!demangle(&work, cells[0], strlen(cells[0]), &name))
        fail_msg("%s is not read", cells[0]);
    assert_string_equal(name.full, cells[1]);
    assert_string_equal(name.base, cells[2]);
    ++*(int *)context;
    return 0;
}

static void check_profile(const char *path, int *checked)
{
    sqlite3 *db = NULL;
    char uri[2100];
    snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
    assert_int_equal(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
                     SQLITE_OK);
    // Without such a column there is nothing to check.
    sqlite3_exec(db,
                 "SELECT DISTINCT m.value, d.value, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                 "JOIN StringIds m ON m.id = k.mangledName JOIN StringIds d ON d.id = "
                 "k.demangledName JOIN StringIds s ON s.id = k.shortName "
                 "WHERE m.value LIKE '\\_Z%' ESCAPE '\\'",
                 check_row, checked, NULL);
    sqlite3_close(db);
}

static void test_as_nsys(void **state)
{
    (void)state;
    const char *corpus = getenv("DLPROF_CORPUS");
    char folder[1000], path[2000];
    snprintf(folder, sizeof folder, "%s/nsys", corpus ? corpus : source_path("/../shared/corpus"));
    DIR *cases = opendir(folder);
    if (!cases) {
        print_message("skipped: no corpus in %s\n", folder);
        skip();
        return;
    }
    int checked = 0;
    for (struct dirent *entry; (entry = readdir(cases));) {
        snprintf(path, sizeof path, "%s/%s/profile.sqlite", folder, entry->d_name);
        if (entry->d_name[0] != '.' && access(path, R_OK) == 0)
            check_profile(path, &checked);
    }
    closedir(cases);
    assert_true(checked >= 100);
}

// ---- invalid symbols ---------------------------------------------------------------------------

static bool reads(const char *symbol, size_t length)
{
    struct demangled name;
    char *own =
        malloc(length + (length == 0)); // exactly this long, so that the sanitizers detect overruns
    assert_non_null(own);
    memcpy(own, symbol, length);
    bool done = demangle(&work, own, length, &name);
    free(own);
    return done;
}

static void test_invalid_symbols(void **state)
{
    (void)state;
    static const char *const none[] = {
        "",         "_",        "_Z",        "volta_sgemm_32x128_tn",
        "_ZTV3app", "_Z9",      "_Z9short",  "_Z1fS_",
        "_Z1fSZ_",  "_Z1fT",    "_ZN3app1f", "_Z1fvX",
        "_Z1fI",    "_Z1fILi3", "_Z1fIXE",   "_Z99999999999999999999f"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (reads(none[i], strlen(none[i])))
            fail_msg("%s", none[i]);
    assert_false(reads("_Z2a\0v", 6));
}

static void test_cut_and_changed(void **state)
{
    (void)state;
    static const char letters[] = "NSTZEKPRFAIJLXDU_0123456789abcdefiklmnprstvxyz";
    struct random random = {11};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char symbol[1000];
        size_t length = strlen(known[i].symbol);
        size_t room = length > 2 ? length - 2 : 1; // after "_Z"
        for (size_t cut = 0; cut < length; cut++)
            reads(known[i].symbol, cut);
        for (int n = 0; n < 2000; n++) {
            memcpy(symbol, known[i].symbol, length);
            for (int changes = 0; changes < 1 + n % 3; changes++)
                symbol[2 + random_below(&random, room)] =
                    letters[random_below(&random, sizeof letters - 1)];
            reads(symbol, length);
        }
    }
}

static const char *id_of(int seen)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static char text[3];
    text[0] = seen < 36 ? digits[seen] : digits[seen / 36];
    text[1] = seen < 36 ? '\0' : digits[seen % 36];
    return text;
}

// Each class contains the previous one twice: a symbol of some hundred bytes with a name too large
// for any memory.
static void test_endless_name(void **state)
{
    (void)state;
    char symbol[2000];
    int length = sprintf(symbol, "_Z1f1aIiiE");
    int read = 0;
    for (int seen = 0; seen < 40; seen++) { // S0_ is a<int, int>
        length += sprintf(symbol + length, "S_IS%s_S%s_E", id_of(seen), id_of(seen));
        read += reads(symbol, (size_t)length);
    }
    assert_in_range(read, 5, 15);
}

static void test_depth(void **state)
{
    (void)state;
    enum { BYTES = 200000 };
    static char symbol[BYTES + 100];
    static const char *const deep[] = {"P", "N1aI", "1aI", "F", "XplLi1E", "J", "Z1f", "K", "Dp"};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        int length = sprintf(symbol, "_Z1f");
        while (length < BYTES)
            length += sprintf(symbol + length, "%s", deep[i]);
        assert_false(reads(symbol, (size_t)length));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),           cmocka_unit_test(test_as_nsys),
        cmocka_unit_test(test_invalid_symbols), cmocka_unit_test(test_cut_and_changed),
        cmocka_unit_test(test_endless_name),    cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
