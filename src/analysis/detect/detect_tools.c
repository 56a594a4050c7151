// SPDX-License-Identifier: Apache-2.0
// Helpers shared by several detectors.
#include "analysis/detect/detect_tools.h"

#include <string.h>

#include "analysis/report/names.h"
#include "base/text/format.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/profile/copy_kinds.h"

bool detect_any_op_has(const struct profile *profile, const char *word)
{
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++) {
        const struct op *op = &profile->ops->items[i];
        if (text_has_nocase(profile_text(profile, op->type), word) ||
            text_has_nocase(profile_text(profile, op->name), word))
            return true;
    }
    return false;
}

bool detect_any_op_type(const struct profile *profile, bool (*matches)(const char *type))
{
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++)
        if (matches(profile_text(profile, profile->ops->items[i].type)))
            return true;
    return false;
}

bool detect_has_range(const struct profile *profile, const char *text)
{
    for (uint32_t m = 0; m < profile->marker_count; m++)
        if (strcmp(profile_text(profile, profile->markers[m].text), text) == 0)
            return true;
    return false;
}

bool detect_has_communication(const struct profile *profile)
{
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (profile->functions[f].class == CLASS_COMM)
            return true;
    return false;
}

const struct copy *detect_upload(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = work != ROW_NONE ? work_copy(profile, work) : NULL;
    return copy && copy->copy_kind == COPY_HTOD ? copy : NULL;
}

const char *detect_copied_text(int64_t copies, int64_t sized, int64_t bytes, struct arena *arena)
{
    char size[FORMAT_SIZE];
    if (sized == 0)
        return arena_format(arena, "%lld copies", (long long)copies);
    return arena_format(arena, "%lld copies, %s%s in all", (long long)copies,
                        sized < copies ? "at least " : "", format_bytes(size, bytes));
}

void detect_request_copies(struct scan *scan,
                           bool (*matches)(const struct step_line *line, uint32_t work))
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[line->device];
    size_t capacity = (size_t)(device->end_work - device->first_work) + 1, count = 0, next = 0;
    // Intervals in which such copies run on compute streams: in order, disjoint.
    int64_t *starts = ARENA_ARRAY(line->scratch, int64_t, capacity);
    int64_t *ends = ARENA_ARRAY(line->scratch, int64_t, capacity);
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (profile->streams[AT(work->stream, w)].role != ROLE_COMPUTE || !matches(line, w))
            continue;
        if (count == 0 || AT(work->start, w) > ends[count - 1]) {
            starts[count] = AT(work->start, w);
            ends[count++] = AT(work->end, w);
        } else if (AT(work->end, w) > ends[count - 1]) {
            ends[count - 1] = AT(work->end, w);
        }
    }
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class != CLASS_COPY && interval->class != CLASS_COMM)
            continue;
        if (matches(line, interval->work))
            scan_request_removed(scan, interval, 0);
        if (interval->class != CLASS_COMM)
            continue;
        while (next < count && ends[next] <= interval->from)
            next++;
        for (size_t i = next; i < count && starts[i] < interval->to; i++) {
            int64_t from = starts[i], to = ends[i];
            from = from > interval->from ? from : interval->from;
            to = to < interval->to ? to : interval->to;
            if (to > from)
                scan_request(scan, from, to, 0, interval->window);
        }
    }
}

const bool *detect_functions(const struct step_line *line,
                             bool (*matches)(const struct profile *profile,
                                             const struct function *function))
{
    const struct profile *profile = line->profile;
    bool *matching = ARENA_ARRAY(line->scratch, bool, (size_t)profile->function_count + 1);
    bool any = false;
    for (uint32_t f = 0; f < profile->function_count; f++)
        any |= matching[f] = matches(profile, &profile->functions[f]);
    return any ? matching : NULL;
}

void detect_card_unknown(struct finding_list *findings, const struct detector *detector,
                         const struct step *step)
{
    const char *name = profile_text(step->profile, step->profile->devices[step->device].name);
    struct finding *finding = finding_add(findings, detector, SEVERITY_NOT_JUDGED);
    finding->problem = arena_format(findings->arena,
                                    "What %s can do at most is not known: %s is "
                                    "not judged",
                                    *name ? name : "the GPU", detector->title);
    finding->recommendation = *name ? "Add the card to gpus.yaml, with the peaks of its data sheet"
                                    : "The file does not tell which GPU it is of";
}

double device_sm_count(const struct profile *profile, uint32_t device)
{
    const struct device *row = &profile->devices[device];
    return row->sm_count != UNKNOWN && row->sm_count > 0 ? (double)row->sm_count
                                                         : device_peaks(profile, device).sms;
}
