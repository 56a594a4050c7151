// SPDX-License-Identifier: Apache-2.0
// Reads the small tables of a DLProf database: version, domains, machine, mode and model
// configuration.
#include <stdlib.h>
#include <string.h>

#include "model/dldb/load_dldb.h"

enum { FACT_BYTES = 1000 };

// ---- version -----------------------------------------------------------------------------------

// Parses "1.8.0" or "v1.7.0 / r21.11" to 108 or 107. Returns 0 if the text is not a version.
static int version_of(const char *text)
{
    text += strcspn(text, "0123456789");
    char *end;
    long major = strtol(text, &end, 10), minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return major > 0 && major < 100 && minor >= 0 && minor < 100 ? (int)(major * 100 + minor) : 0;
}

static void version_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    const char **version = context;
    *version = cell_copy(row, 0, FACT_BYTES, nsys->arena);
}

bool dldb_read_version(struct dldb *dldb, struct error *error)
{
    enum { FIRST = 103, LAST = 108 };
    static const char *const columns[] = {"current_version", NULL};
    struct nsys *nsys = dldb->nsys;
    const char *version = "";
    nsys_each_row(nsys, DLDB_VERSION, columns, version_row, &version);
    nsys->profile->sources[0].schema = version;
    int number = version_of(version);
    if (number && number < FIRST)
        return error_set(error, ERROR_DATA,
                         "%s is a database of DLProf %.20s. As with DLProf itself, databases of "
                         "1.0 to 1.2 are not compatible with 1.3 and later.\nOpen what it was "
                         "made from: nsys_profile.sqlite, which dlprof leaves beside it.",
                         nsys->request->path, version);
    if (!sqlite_table(nsys, DLDB_OPS) || !sqlite_table(nsys, DLDB_OP_INSTANCES))
        return error_set(error, ERROR_DATA,
                         "%s is a database of DLProf%s%.20s without its tables read_only_ops and "
                         "read_only_op_instances.\nFound the tables: %s.\nOpen what it was made "
                         "from: nsys_profile.sqlite, which dlprof leaves beside it.",
                         nsys->request->path, *version ? " " : "", version, nsys_list_tables(nsys));
    if (number > LAST || !number)
        profile_note(nsys->profile, NOTE_WARNING, "dldb_version", 1, NULL,
                     "%s: it is read as one of 1.8",
                     number ? arena_format(nsys->scratch,
                                           "a database of DLProf %.20s, which is "
                                           "later than any that is known",
                                           version)
                            : "the database does not say of which DLProf it is");
    return true;
}

// ---- domains -----------------------------------------------------------------------------------

struct domain_list {
    size_t count, capacity;
    struct dldb_domain {
        int64_t id;
        const char *name;
    } * items;
};

enum { MAX_DOMAINS = 256 };

static void domain_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct domain_list *list = context;
    int64_t id, text;
    const char *name = cell_copy(row, 2, FACT_BYTES, nsys->arena);
    if (!cell_integer(row, 0, &id) || list->count == MAX_DOMAINS)
        return;
    if (!*name && cell_integer(row, 1, &text) && nsys_text(nsys, text, &name))
        name = arena_text(nsys->arena, name);
    if (!name || !*name)
        name = arena_format(nsys->arena, "domain %lld", (long long)id);
    ARENA_PUSH(nsys->scratch, list->items, list->count, list->capacity) =
        (struct dldb_domain){id, name};
}

static const char *domain_names(struct nsys *nsys, const struct domain_list *list)
{
    const char *names = "";
    for (size_t i = 0; i < list->count; i++)
        names =
            arena_format(nsys->scratch, "%s%s%.200s", names, i ? ", " : "", list->items[i].name);
    return names;
}

static void offer_domains(const struct dldb *dldb, const struct domain_list *list)
{
    struct profile *profile = dldb->nsys->profile;
    profile->recorded_domains = ARENA_ARRAY(dldb->nsys->arena, const char *, list->count);
    profile->recorded_domain_count = (uint32_t)list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        profile->recorded_domains[i] = list->items[i].name;
        if (list->items[i].id == dldb->domain)
            profile->recorded_domain = i;
    }
}

bool dldb_read_domain(struct dldb *dldb, struct error *error)
{
    static const char *const columns[] = {"id", "domain_name_id", "domain_name", NULL};
    struct nsys *nsys = dldb->nsys;
    const char *requested = nsys->request->domain;
    struct domain_list list = {.count = 0};
    bool has_ids = nsys_has_column(sqlite_table(nsys, DLDB_OPS), "domain_id");
    if (has_ids)
        nsys_each_row(nsys, DLDB_DOMAINS, columns, domain_row, &list);
    dldb->domain = list.count ? list.items[0].id : UNKNOWN;
    dldb->domain_name = list.count ? list.items[0].name : "";
    for (size_t i = 0; i < list.count && requested; i++)
        if (strcmp(list.items[i].name, requested) == 0) {
            dldb->domain = list.items[i].id;
            dldb->domain_name = list.items[i].name;
            requested = NULL;
        }
    if (requested)
        return error_set(error, ERROR_USAGE, "--domain: %s has no domain %.200s; it has: %s",
                         nsys->request->path, requested,
                         list.count ? domain_names(nsys, &list) : "no domains");
    if (list.count > 1) {
        offer_domains(dldb, &list);
        profile_note(nsys->profile, NOTE_INFO, "domains", (int64_t)list.count, NULL,
                     "%zu domains in the file, %.200s is shown; another one by --domain=NAME: %s",
                     list.count, dldb->domain_name, domain_names(nsys, &list));
    }
    return true;
}

// ---- machine and model --------------------------------------------------------------------------

#define LISTED(column) column,
static const char *const system_columns[] = {DLDB_SYSTEM_TEXTS(LISTED) "mode_string", "mode_enum",
                                             NULL};
enum { SYSTEM_TEXTS = 9, SYSTEM_MODE = SYSTEM_TEXTS, SYSTEM_MODE_NUMBER };

static enum mode mode_of(const char *name, int64_t number)
{
    for (int mode = MODE_SIMPLE; mode < MODE_RANGES; mode++)
        if (strcmp(mode_names[mode], name) == 0)
            return (enum mode)mode;
    return number == DLDB_MODE_TENSORFLOW1 ? MODE_TENSORFLOW1
           : number == DLDB_MODE_PYTORCH   ? MODE_PYTORCH
                                           : MODE_AUTO;
}

static void system_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct profile *profile = nsys->profile;
    struct capture *capture = &profile->capture;
    const char **const texts[SYSTEM_TEXTS] = {
        &capture->cpu,    &capture->driver,       &capture->framework,
        &capture->cuda,   &capture->cudnn,        &capture->nsys,
        &capture->dlprof, &capture->dlprof_build, NULL};
    (void)context;
    for (int i = 0; i < SYSTEM_TEXTS; i++)
        if (texts[i])
            *texts[i] = cell_copy(row, i, FACT_BYTES, nsys->arena);
    if (!nsys->request->name)
        capture->name = cell_copy(row, SYSTEM_TEXTS - 1, FACT_BYTES, nsys->arena);
    profile->mode = mode_of(cell_copy(row, SYSTEM_MODE, FACT_BYTES, nsys->scratch),
                            cell_integer_or(row, SYSTEM_MODE_NUMBER, -1));
}

#define FIELD_NAME(field) #field,
static const char *const config_columns[] = {
    DLDB_CONFIG_FIRST(FIELD_NAME) DLDB_CONFIG_LAST(FIELD_NAME) DLDB_SET_DETECT_ANOMALY, NULL};

static void config_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct model_config *config = &nsys->profile->config;
#define FIELD(field) &config->field,
    int64_t *const values[] = {DLDB_CONFIG_FIRST(FIELD) DLDB_CONFIG_LAST(FIELD)};
    enum { VALUES = sizeof values / sizeof *values };
    (void)context;
    // DLProf writes default values where no marker gives one, so only other values count as
    // recorded.
    for (int i = 0; i < VALUES; i++) {
        int64_t value = cell_integer_or(row, i, *values[i]);
        config->is_told |= value != *values[i];
        *values[i] = value;
    }
    if (cell_integer_or(row, VALUES, 0))
        config->detect_anomaly = config->is_told = true;
}

static void memory_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct capture *capture = &nsys->profile->capture;
    int64_t total = cell_integer_or(row, 0, 0), used = cell_integer_or(row, 1, 0);
    (void)context;
    if (total <= 0 || used <= 0)
        return;
    struct capture candidate = {.gpu_memory_total = total,
                                .gpu_memory_used = used < total ? used : total};
    if (capture_memory_share(&candidate) > capture_memory_share(capture)) {
        capture->gpu_memory_total = candidate.gpu_memory_total;
        capture->gpu_memory_used = candidate.gpu_memory_used;
    }
}

void dldb_read_facts(struct dldb *dldb)
{
    static const char *const memory_columns[] = {DLDB_MEMORY, NULL};
    static const char *const titles[MODE_COUNT] = {
        [MODE_AUTO] = "ranges",
        [MODE_SIMPLE] = "simple",
        [MODE_PYTORCH] = "PyTorch",
        [MODE_TENSORFLOW1] = "TensorFlow 1",
        [MODE_TENSORFLOW2] = "TensorFlow 2",
        [MODE_TENSORRT] = "TensorRT",
    };
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    enum mode requested = nsys->request->mode;
    profile->config = (struct model_config){.pin_memory = 1};
    profile->mode = MODE_AUTO;
    nsys_each_row(nsys, DLDB_SYSTEM_CONFIG, system_columns, system_row, NULL);
    nsys_each_row(nsys, DLDB_MODEL_CONFIG, config_columns, config_row, NULL);
    nsys_each_row(nsys, DLDB_GPU_MEMORIES, memory_columns, memory_row, NULL);
    profile->sources[0].version = profile->capture.dlprof;
    if (requested == MODE_SIMPLE)
        return; // the reason is set where the ops are made
    profile->mode_reason = arena_format(
        nsys->arena, "%s: %s%s", titles[profile->mode],
        profile->mode == MODE_AUTO ? "the database does not say of which framework its ops are"
                                   : "as DLProf wrote into its database",
        requested != MODE_AUTO && requested != profile->mode ? "; --mode changes nothing of it"
                                                             : "");
    if (profile->mode == MODE_AUTO)
        profile->mode = MODE_RANGES;
}
