# SPDX-License-Identifier: Apache-2.0
# Warnings, hardening and sanitizers, the same for every target.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# Adds an option only if compiler and machine support it; cf-protection, for instance, exists only
# on x86.
function(add_supported_option flag)
    string(MAKE_C_IDENTIFIER "HAVE${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
        add_compile_options(${flag})
    endif()
endfunction()

set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")

# C11 plus extensions of glibc: wcwidth, qsort_r, memmem, ppoll.
add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64)
add_compile_options(-Wall -Wextra -Wshadow -Wconversion)

add_compile_options(-fstack-protector-strong)
add_supported_option(-fstack-clash-protection)
add_supported_option(-fcf-protection)
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    # Some compilers define it by default, and a redefinition is a warning.
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

set(static_link -static-pie -s -Wl,--gc-sections)
# sqlite3 and ncurses name dlopen, which a static glibc warns of; neither is asked to load anything here.
check_linker_flag(C -Wl,--no-warnings HAVE_LINKER_NO_WARNINGS)
if(HAVE_LINKER_NO_WARNINGS)
    list(APPEND static_link -Wl,--no-warnings)
endif()
if(DLPROF_STATIC)
    add_compile_options(-ffunction-sections -fdata-sections)
    add_link_options(${static_link})
else()
    check_pie_supported(LANGUAGES C)
endif()

# Fuzzers, tests and the program are linked with sanitizers; this linker takes a third of the time.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    check_linker_flag(C -fuse-ld=lld HAVE_LLD)
    if(HAVE_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
endif()

if(DLPROF_SANITIZE)
    # -g1 suffices for the line numbers in reports and cuts compile time to two thirds. So does
    # omitting the checks that ASan covers: accesses to NULL or beyond an object.
    add_compile_options(-fsanitize=${DLPROF_SANITIZE} -fno-sanitize-recover=all -g1)
    if(DLPROF_SANITIZE MATCHES "address")
        add_compile_options(-fno-sanitize=null,object-size)
    endif()
    add_link_options(-fsanitize=${DLPROF_SANITIZE})
endif()
if(DLPROF_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "libFuzzer comes with clang: cmake --preset debug")
    endif()
    # No tracing of comparisons: it took a third of the time for binary inputs, and texts are
    # compared by functions that libFuzzer intercepts anyway.
    add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()
