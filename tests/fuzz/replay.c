// SPDX-License-Identifier: Apache-2.0
// Replaces libFuzzer in builds without it: runs the fuzzer once with each file named on the command
// line or found in a folder named there. The stored inputs thus are a regression test under every
// compiler.
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replayed;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        if (file) {
            fclose(file);
        }
        return 1;
    }
    size_t size = (size_t)status.st_size;
    /* The exact size, so that a read past the end is seen. */
    uint8_t *data = malloc(size ? size : 1);
    int failed = !data || fread(data, 1, size, file) != size;
    fclose(file);
    if (failed) {
        fprintf(stderr, "%s: cannot be read\n", path);
    } else {
        LLVMFuzzerTestOneInput(data, size);
        replayed++;
    }
    free(data);
    return failed;
}

static int replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        printf("%s: no corpus kept\n", path);
        return 0;
    }
    int failed = 0;
    for (int i = 0; i < count; i++) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && length < (int)sizeof name) {
            failed |= replay_file(name);
        }
        free(entries[i]);
    }
    free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        bool file = stat(argv[i], &status) == 0 && S_ISREG(status.st_mode);
        failed |= file ? replay_file(argv[i]) : replay_folder(argv[i]);
    }
    printf("%u inputs replayed\n", replayed);
    return failed;
}
