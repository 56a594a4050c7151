// SPDX-License-Identifier: Apache-2.0
// Arbitrary text as a session on the profile of a seed: it can only navigate, and the resulting
// state can be saved as a session. The first byte chooses the profile.
//
// Aims at: ui/*/session* ui/*/state_file* ui/*/app_state*
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "profile_screen.h"
#include "profile_seed.h"
#include "ui/app/app_life.h"
#include "ui/session/session.h"
#include "ui/state/app_state.h"
#include "ui/state/requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void file_write(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || (size && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 4000)
        return 0;
    struct app *app = screen_open(seed_profile(data[0]), 100, 30);
    struct session session;
    struct error error = {0};
    char path[100];
    snprintf(path, sizeof path, "%s.session", seed_path());
    file_write(path, data + 1, size - 1);
    if (session_read(path, &session, app->arena, &error)) {
        session_run(app, &session);
        if (app->requests->is_done)
            abort(); // no line of a session ends the program
        screen_key(app, ' ');
        screen_check_session(app);
    } else if (!*error.message) {
        abort();
    }
    unlink(path);
    app_free(app);
    return 0;
}
