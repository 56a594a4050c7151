// SPDX-License-Identifier: Apache-2.0
// Builds the plugin's view of a trace: rounds its times, nests its ranges again and
// assigns calls by External id.
#include "plugin_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/operators.h"
#include "base/sort.h"
#include "trace_events.h"

enum { US = 1000 };

// An event with an External id, with its start and end as in the profile, so that it can be matched
// An event with an External id. Start and end are as in the profile, so that the event can be
// matched with a range or call of the profile. The n-th of several equal events belongs to the n-th
// equal range or call.
struct traced_event {
    int64_t start, end, correlation;
    string_id name;
    size_t number;
    int64_t id;
    bool is_found;
};

struct traced_events {
    struct traced_event *items;
    size_t count, capacity;
};

struct builder {
    struct profile *profile; // original profile
    struct arena *arena;
    int64_t origin;    // profile time 0 on the clock of the file, in ns
    int64_t base_time; // baseTimeNanoseconds
    struct traced_events ops, calls;
    uint32_t *order; // order of the ranges
    struct profile view;
};

// ---- events of the file ------------------------------------------------------------------------

static void collect_event(void *context, const struct kineto_event *event)
{
    struct builder *builder = context;
    enum kineto_class class = kineto_classify(event);
    int64_t length = kineto_scaled(event, KEY_DURATION, 3, 0);
    size_t name_length;
    const char *name = kineto_text(event, KEY_NAME, &name_length);
    struct traced_event traced_event = {.start = kineto_scaled(event, KEY_TIME, 3, 0),
                                        .correlation = kineto_integer(event, KEY_CORRELATION, 0),
                                        .id = kineto_integer(event, KEY_EXTERNAL_ID, 0)};
    if (!kineto_is(event, KEY_PHASE, "X") || !traced_event.id)
        return;
    traced_event.end = traced_event.start + length;
    traced_event.name = strings_intern(builder->profile->strings, name, name_length);
    struct traced_events *list = class == KINETO_OP || class == KINETO_ANNOTATION ? &builder->ops
                                 : class == KINETO_CALL                           ? &builder->calls
                                                                                  : NULL;
    if (!list)
        return;
    traced_event.number = list->count;
    ARENA_PUSH(builder->arena, list->items, list->count, list->capacity) = traced_event;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_identity(const void *a, const void *b)
{
    const struct traced_event *x = a, *y = b;
    int order = compare_numbers(x->start, y->start);
    order = order ? order : compare_numbers(x->end, y->end);
    order = order ? order : compare_numbers(x->correlation, y->correlation);
    return order ? order : compare_numbers(x->name, y->name);
}

static int compare_traced_events(const void *a, const void *b)
{
    const struct traced_event *x = a, *y = b;
    int order = compare_identity(a, b);
    return order ? order : compare_numbers((int64_t)x->number, (int64_t)y->number);
}

static void sort_traced_events(struct traced_events *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_traced_events);
}

// Returns the External id of the event; 0 if it has none.
static int64_t id_of(const struct builder *builder, const struct traced_events *list,
                     struct traced_event wanted)
{
    wanted.start += builder->origin;
    wanted.end += builder->origin;
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_identity(&list->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < list->count && list->items[low].is_found &&
           compare_identity(&list->items[low], &wanted) == 0)
        low++;
    if (low == list->count || compare_identity(&list->items[low], &wanted) != 0)
        return 0;
    list->items[low].is_found = true;
    return list->items[low].id;
}

// ---- times -------------------------------------------------------------------------------------

static double start_us(const struct builder *builder, int64_t time)
{
    return us_of_ns(time + builder->origin);
}

static double end_us(const struct builder *builder, int64_t start, int64_t end)
{
    return start_us(builder, start) + (double)(end - start) / US;
}

static int64_t ns_of(const struct builder *builder, double us)
{
    int64_t whole_us = (int64_t)floor(us);
    return whole_us * US + llround((us - (double)whole_us) * US) - builder->origin;
}

static void view_times(struct builder *builder, struct column64 *start, struct column64 *end,
                       const uint32_t *order, uint32_t count)
{
    int64_t *starts = ARENA_ARRAY(builder->arena, int64_t, (size_t)count + 1);
    int64_t *ends = ARENA_ARRAY(builder->arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = order ? order[i] : i;
        starts[i] = ns_of(builder, start_us(builder, AT(*start, row)));
        ends[i] = ns_of(builder, end_us(builder, AT(*start, row), AT(*end, row)));
    }
    *start = profile_pack64(&builder->view, starts, count);
    *end = profile_pack64(&builder->view, ends, count);
}

// ---- the tree ----------------------------------------------------------------------------------

struct open_range {
    double end;
    uint32_t range;
};

// Sorts the ranges of each thread by start, the longer first.
static void order_ranges(struct builder *builder)
{
    const struct profile *profile = builder->profile;
    const struct ranges *ranges = &profile->ranges;
    int64_t *start = ARENA_ARRAY(builder->arena, int64_t, (size_t)ranges->count + 1);
    int64_t *end = ARENA_ARRAY(builder->arena, int64_t, (size_t)ranges->count + 1);
    builder->order = ARENA_ARRAY(builder->arena, uint32_t, (size_t)ranges->count + 1);
    for (uint32_t r = 0; r < ranges->count; r++) {
        builder->order[r] = r;
        start[r] = ns_of(builder, start_us(builder, AT(ranges->start, r)));
        end[r] = -ns_of(builder, end_us(builder, AT(ranges->start, r), AT(ranges->end, r)));
    }
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        sort_ids_by_time(builder->order + thread->first_range,
                         thread->end_range - thread->first_range, start, end, builder->arena);
    }
}

bool plugin_knows_collective(const char *name)
{
    static const char *const names[] = {"broadcast", "reduce", "all_reduce", "all_gather",
                                        "reduce_scatter"};
    bool is_known = strncmp(name, "nccl:", 5) == 0 || strncmp(name, "gloo:", 5) == 0;
    for (size_t i = 0; is_known && i < sizeof names / sizeof *names; i++)
        if (strcmp(name + 5, names[i]) == 0)
            return true;
    return false;
}

// Nests the ranges of a thread. A range that reaches beyond its parent gets the label number
// `label_count`, which belongs to no operator; an annotation that is in the tree gets the next
// number.
static void nest_thread(struct builder *builder, const struct thread *thread, uint32_t *parent,
                        uint32_t *label)
{
    const struct ranges *ranges = &builder->profile->ranges;
    struct open_range *open =
        ARENA_ARRAY(builder->arena, struct open_range, thread->end_range - thread->first_range + 1);
    size_t depth = 0;
    for (uint32_t r = thread->first_range; r < thread->end_range; r++) {
        uint32_t row = builder->order[r];
        double start = start_us(builder, AT(ranges->start, row));
        double end = end_us(builder, AT(ranges->start, row), AT(ranges->end, row));
        bool is_comm =
            range_label(ranges, row)->said == SAID_ANNOTATION &&
            plugin_knows_collective(profile_text(builder->profile, range_name(ranges, row)));
        bool is_node =
            is_comm || operator_role(builder->profile, range_label(ranges, row)) != RANGE_ROLE_NONE;
        while (depth && start >= open[depth - 1].end)
            depth--;
        parent[r] = depth ? open[depth - 1].range : ROW_NONE;
        label[r] = is_comm ? ranges->label_count + 1 : AT(ranges->label, row);
        if (!is_node || (depth && end > open[depth - 1].end))
            label[r] = ranges->label_count;
        else
            open[depth++] = (struct open_range){end, r};
    }
}

static void view_tree(struct builder *builder)
{
    const struct ranges *ranges = &builder->profile->ranges;
    struct ranges *view = &builder->view.ranges;
    uint32_t *parent = ARENA_ARRAY(builder->arena, uint32_t, (size_t)ranges->count + 1);
    uint32_t *label = ARENA_ARRAY(builder->arena, uint32_t, (size_t)ranges->count + 1);
    view->labels =
        ARENA_ARRAY(builder->profile->arena, struct range_label, (size_t)ranges->label_count + 2);
    if (ranges->label_count)
        memcpy(view->labels, ranges->labels, ranges->label_count * sizeof *ranges->labels);
    view->labels[view->label_count++] =
        (struct range_label){.marker = ROW_NONE, .ending = RANGE_CROSS_THREAD};
    view->labels[view->label_count++] = (struct range_label){.said = SAID_MODULE};
    order_ranges(builder);
    for (uint32_t t = 0; t < builder->profile->thread_count; t++)
        nest_thread(builder, &builder->profile->threads[t], parent, label);
    view->parent = profile_pack32(&builder->view, parent, ranges->count);
    view->label = profile_pack32(&builder->view, label, ranges->count);
}

// ---- calls -------------------------------------------------------------------------------------

struct owner { // the op that calls with this External id belong to
    int64_t id;
    uint32_t range;
};

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// Marks ops whose calls do not count for them: if two nested ops are one call, only the calls of
// the inner op count.
static bool *find_replaced(const struct builder *builder)
{
    const struct ranges *ranges = &builder->view.ranges;
    bool *is_replaced = ARENA_ARRAY(builder->arena, bool, (size_t)ranges->count + 1);
    const uint32_t *owners = operator_owners(&builder->view, builder->arena);
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t parent = AT(ranges->parent, r);
        bool is_node = operator_role(&builder->view, range_label(ranges, r)) == RANGE_ROLE_OPERATOR;
        if (is_node && parent != ROW_NONE && owners[r] != r)
            is_replaced[parent] = true;
    }
    return is_replaced;
}

static struct owner *owners_of(const struct builder *builder, size_t *count)
{
    const struct ranges *ranges = &builder->profile->ranges;
    struct owner *owners = ARENA_ARRAY(builder->arena, struct owner, (size_t)ranges->count + 1);
    const bool *is_replaced = find_replaced(builder);
    *count = 0;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t row = builder->order[r];
        int64_t id = id_of(builder, &builder->ops,
                           (struct traced_event){.start = AT(ranges->start, row),
                                                 .end = AT(ranges->end, row),
                                                 .name = range_label(ranges, row)->name});
        bool is_dropped = AT(builder->view.ranges.label, r) == ranges->label_count;
        if (id && !is_dropped && !is_replaced[r])
            owners[(*count)++] = (struct owner){id, r};
    }
    if (*count)
        qsort(owners, *count, sizeof *owners, compare_owners);
    return owners;
}

static bool is_of_driver(const struct profile *profile, uint32_t call)
{
    const char *name = profile_text(profile, AT(profile->api.name, call));
    return strncmp(name, "cu", 2) == 0 && strncmp(name, "cuda", 4) != 0;
}

static void view_calls(struct builder *builder)
{
    struct profile *profile = builder->profile;
    const struct api_calls *api = &profile->api;
    size_t owner_count;
    struct owner *owners = owners_of(builder, &owner_count);
    uint32_t *range = ARENA_ARRAY(builder->arena, uint32_t, (size_t)api->count + 1);
    int64_t *end = ARENA_ARRAY(builder->arena, int64_t, (size_t)api->count + 1);
    for (uint32_t c = 0; c < api->count; c++) {
        struct owner wanted = {
            .id = id_of(builder, &builder->calls,
                        (struct traced_event){.start = AT(api->start, c),
                                              .end = AT(api->end, c),
                                              .correlation = AT(api->correlation, c),
                                              .name = AT(api->name, c)})};
        const struct owner *found =
            wanted.id && owner_count && !is_of_driver(profile, c)
                ? bsearch(&wanted, owners, owner_count, sizeof wanted, compare_owners)
                : NULL;
        range[c] = found ? found->range : ROW_NONE;
        end[c] = is_of_driver(profile, c) ? AT(api->start, c) : AT(api->end, c);
    }
    builder->view.api.range = profile_pack32(&builder->view, range, api->count);
    builder->view.api.end = profile_pack64(&builder->view, end, api->count);
}

struct profile plugin_view_of(struct profile *profile, const char *path)
{
    struct builder builder = {.profile = profile, .arena = arena_new(0), .view = *profile};
    builder.base_time = trace_events_walk(path, collect_event, &builder);
    if (profile->capture.utc_epoch_ns != UNKNOWN) // otherwise relative to time 0
        builder.origin = profile->capture.utc_epoch_ns - builder.base_time;
    sort_traced_events(&builder.ops);
    sort_traced_events(&builder.calls);
    builder.view.work.range = (struct column32){0};
    view_tree(&builder);
    if (HAS(profile->api.range))
        view_calls(&builder);
    view_times(&builder, &builder.view.ranges.start, &builder.view.ranges.end, builder.order,
               profile->ranges.count);
    view_times(&builder, &builder.view.api.start, &builder.view.api.end, NULL, profile->api.count);
    view_times(&builder, &builder.view.work.start, &builder.view.work.end, NULL,
               profile->work.count);
    arena_free(builder.arena);
    return builder.view;
}
