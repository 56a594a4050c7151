// SPDX-License-Identifier: Apache-2.0
//
// Reads the log line by line: time, thread, event, text. Events: B and E begin and end a nested
// range of the thread; S and F begin and end a range that does not nest with others ("loose"),
// identified by a number.
#define _POSIX_C_SOURCE 200809L
#include "play.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_NS  (4 * US)
#define LATENCY_NS (3 * US)
#define KERNEL_GAP 900

enum { THREADS_MAX = 64, DEPTH_MAX = 512, LOOSE_MAX = 16 };

typedef struct { // an open range of a thread
    char *text;
    int64_t start_ns;
    bool has_op; // contains an op
} Logged;

typedef struct {
    char name[32]; // the thread's name in the log
    int64_t global_tid;
    Logged open[DEPTH_MAX];
    int depth;
} Player;

typedef struct {
    char *text;
    int64_t start_ns, number;
} Loose; // a range that does not nest with others

typedef struct {
    World *world;
    Player *players;
    int player_count;
    Loose loose[LOOSE_MAX];
    // shift_ns: from the clock of the log to the clock of the capture
    int64_t shift_ns, now_ns, gpu_free_ns, launch_name;
} Play;

// ---- rows --------------------------------------------------------------------------------------

static void range_row(const Play *play, int64_t global_tid, int64_t start_ns, const char *text,
                      int64_t event_type)
{
    int64_t *row = writer_add(play->world->writer, TABLE_NVTX, start_ns, play->now_ns, text);
    row[ROW_CLASS_ID] = event_type;
    row[ROW_ID] = global_tid;
    row[ROW_DOMAIN] = 0;
}

// Extracts the name of an op: `linear` of "{'mod': 'torch.nn.functional', 'op': 'linear', ...",
// or the text before the comma of "AddmmBackward0, seq = 3". Returns false for ranges that launch
// nothing.
static bool op_name(const char *text, char *name, size_t size)
{
    static const char op[] = "'op': '";
    const char *from = strncmp(text, "{'mod'", 6) == 0 ? strstr(text, op) : NULL;
    const char *end = NULL;
    if (from) {
        from += sizeof op - 1;
        end = strchr(from, '\'');
    } else if (strstr(text, "Backward") && strstr(text, ", seq = ")) {
        from = text;
        end = strchr(text, ',');
    }
    if (!from || !end)
        return false;
    snprintf(name, size, "%.*s", (int)(end - from), from);
    return true;
}

// Adds launch and kernel at the start of the range, before anything inside of it begins.
static void launch_rows(Play *play, const Player *player, const Logged *range, const char *name)
{
    Rank *rank = &play->world->ranks[0];
    Writer *writer = play->world->writer;
    char kernel[160];
    snprintf(kernel, sizeof kernel, "%s_kernel", name);
    int64_t kernel_name = writer_intern(writer, kernel), correlation = ++rank->process->correlation;
    int64_t length_ns = (play->now_ns - range->start_ns) / 4;
    int64_t start_ns = range->start_ns + (length_ns > 0), end_ns = range->start_ns + length_ns + 1;
    int64_t *row = writer_add(writer, TABLE_RUNTIME, start_ns, end_ns, NULL);
    row[ROW_CLASS_ID] = 0;
    row[ROW_ID] = player->global_tid;
    row[ROW_CORRELATION] = correlation;
    row[ROW_NAME] = play->launch_name;
    int64_t begins_ns = end_ns + LATENCY_NS;
    if (begins_ns < play->gpu_free_ns)
        begins_ns = play->gpu_free_ns;
    play->gpu_free_ns = begins_ns + KERNEL_NS + KERNEL_GAP;
    row = writer_add(writer, TABLE_KERNEL, begins_ns, begins_ns + KERNEL_NS, NULL);
    row[ROW_ID] = rank->process->global_pid;
    row[ROW_CORRELATION] = correlation;
    row[ROW_DEVICE] = rank->device.ordinal;
    row[ROW_CONTEXT] = rank->device.context;
    row[ROW_STREAM] = rank->device.compute.id;
    row[ROW_NAME] = row[ROW_SHORT] = row[ROW_MANGLED] = kernel_name;
    row[ROW_REGISTERS] = 32;
    row[ROW_GRID_X] = row[ROW_GRID_Y] = 1;
    row[ROW_BLOCK] = 128;
    row[ROW_STATIC_SMEM] = row[ROW_DYNAMIC_SMEM] = row[ROW_CLUSTER] = 0;
    row[ROW_GRID_ID] = ++rank->device.grid_id;
    row[ROW_LAYER] = row[ROW_STEP] = -1;
    row[ROW_GPU] = row[ROW_CLASS] = 0;
}

// ---- events ------------------------------------------------------------------------------------

static Player *player_find(Play *play, const char *name)
{
    for (int i = 0; i < play->player_count; i++)
        if (strcmp(play->players[i].name, name) == 0)
            return &play->players[i];
    if (play->player_count == THREADS_MAX)
        fail("the log has more than %d threads", THREADS_MAX);
    Player *player = &play->players[play->player_count];
    memset(player, 0, sizeof *player);
    snprintf(player->name, sizeof player->name, "%s", name);
    player->global_tid = play->world->ranks[0].main.global_tid + play->player_count++;
    return player;
}

static char *text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(memory_grow(NULL, size), text, size);
}

static void range_begins(const Play *play, Player *player, const char *text)
{
    if (player->depth == DEPTH_MAX)
        fail("ranges of the log are nested more than %d deep", DEPTH_MAX);
    player->open[player->depth++] = (Logged){text_copy(text), play->now_ns, false};
}

static void range_ends(Play *play, Player *player)
{
    if (player->depth == 0)
        fail("the log closes a range that was never opened");
    Logged range = player->open[--player->depth];
    Logged *outer = player->depth ? &player->open[player->depth - 1] : NULL;
    char name[128];
    bool is_op = op_name(range.text, name, sizeof name);
    if (is_op && !range.has_op) // a range that contains ops launches nothing itself
        launch_rows(play, player, &range, name);
    if (outer && (is_op || range.has_op))
        outer->has_op = true;
    range_row(play, player->global_tid, range.start_ns, range.text, 59);
    free(range.text);
}

static void loose_begins(Play *play, const char *text)
{
    char *rest;
    int64_t number = strtoll(text, &rest, 10);
    for (int i = 0; i < LOOSE_MAX; i++)
        if (!play->loose[i].text) {
            play->loose[i] = (Loose){text_copy(rest + (*rest == ' ')), play->now_ns, number};
            return;
        }
    fail("more than %d ranges that nest with no other are open in the log", LOOSE_MAX);
}

static void loose_ends(Play *play, const Player *player, const char *text)
{
    int64_t number = strtoll(text, NULL, 10);
    for (int i = 0; i < LOOSE_MAX; i++) {
        Loose *loose = &play->loose[i];
        if (!loose->text || loose->number != number)
            continue;
        range_row(play, player->global_tid, loose->start_ns, loose->text, 60);
        free(loose->text);
        loose->text = NULL;
        return;
    }
    fail("the log ends range %lld, which never began", (long long)number);
}

static void line_play(Play *play, char *line)
{
    char *rest, *fields[4] = {strtok_r(line, "\t", &rest), strtok_r(NULL, "\t", &rest),
                              strtok_r(NULL, "\t", &rest), rest};
    if (!fields[2] || strlen(fields[2]) != 1)
        fail("a line of the log is no event: %s", line);
    int64_t ns = strtoll(fields[0], NULL, 10);
    if (play->player_count == 0)
        play->shift_ns = CAPTURE_START_NS - ns;
    play->now_ns = ns + play->shift_ns;
    Player *player = player_find(play, fields[1]);
    const char *text = fields[3] ? fields[3] : "";
    switch (fields[2][0]) {
    case 'B':
        range_begins(play, player, text);
        break;
    case 'E':
        range_ends(play, player);
        break;
    case 'S':
        loose_begins(play, text);
        break;
    case 'F':
        loose_ends(play, player, text);
        break;
    default:
        fail("the log has an event %s, which nobody knows", fields[2]);
    }
}

void play_run(World *world, const char *log)
{
    FILE *file = fopen(log, "r");
    if (!file)
        fail("%s: %s", log, strerror(errno));
    Play play = {.world = world, .now_ns = CAPTURE_START_NS};
    play.players = memory_grow(NULL, THREADS_MAX * sizeof *play.players);
    play.launch_name = writer_intern(world->writer, "cudaLaunchKernel_v7000");
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        line_play(&play, line);
    }
    fclose(file);
    free(line);
    for (int i = 0; i < play.player_count; i++)
        while (play.players[i].depth > 0)
            range_ends(&play, &play.players[i]);
    for (int i = 0; i < LOOSE_MAX; i++)
        free(play.loose[i].text);
    free(play.players);
    world->ranks[0].main.now_ns = play.now_ns;
}
