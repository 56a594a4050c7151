// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/panes.h"

const char *const panes_side_names[PANES_SIDES] = {"as-fits", "beside", "below"};

// Splits `length` in proportion to the shares into parts of at least `minimum`, with a gap between
// two parts. Returns false if it is too short.
static bool split_length(int length, int minimum, int gap, unsigned count, const unsigned share[],
                         int out[])
{
    int left = length - ((int)count - 1) * gap;
    unsigned total = 0;
    if (left < (int)count * minimum)
        return false;
    for (unsigned i = 0; i < count; i++)
        total += share[i];
    for (unsigned i = 0; i < count; i++) {
        int limit = left - (int)(count - 1 - i) * minimum;
        int want = total > 0 ? (int)(((long)left * share[i] + total / 2) / total) : limit;
        out[i] = want < minimum ? minimum : want > limit ? limit : want;
        left -= out[i];
        total -= share[i];
    }
    return true;
}

static bool place_beside(struct area area, unsigned count, const unsigned share[],
                         struct area out[])
{
    int width[MAX_PANES], x = area.x;
    if (!split_length(area.width, MIN_PANE_WIDTH, 1, count, share, width))
        return false;
    for (unsigned i = 0; i < count; i++) {
        out[i] = (struct area){x, area.y, width[i], area.height};
        x += width[i] + 1;
    }
    return true;
}

static bool place_below(struct area area, unsigned count, const unsigned share[], struct area out[])
{
    int height[MAX_PANES], y = area.y;
    if (!split_length(area.height, MIN_PANE_HEIGHT, 0, count, share, height))
        return false;
    for (unsigned i = 0; i < count; i++) {
        out[i] = (struct area){area.x, y, area.width, height[i]};
        y += height[i];
    }
    return true;
}

bool panes_place(struct area area, unsigned count, enum panes_side side, const unsigned share[],
                 struct area out[])
{
    bool is_side_work =
        side == PANES_SIDE_BY_SIDE || (side == PANES_AUTO && area.width >= MIN_SIDE_BY_SIDE_WIDTH);
    if (area.width < MIN_PANE_WIDTH || area.height < MIN_PANE_HEIGHT)
        return false;
    if (is_side_work && place_beside(area, count, share, out))
        return true;
    return place_below(area, count, share, out) || place_beside(area, count, share, out);
}

void panes_set_share(unsigned share[], unsigned count, unsigned changed, unsigned percent)
{
    enum {
        MIN_PERCENT = 10,
        MAX_PERCENT = 90,
        HUNDREDTHS = 100
    }; // a share is stored in hundredths of a percent
    unsigned others = 0;
    percent = percent < MIN_PERCENT ? MIN_PERCENT : percent > MAX_PERCENT ? MAX_PERCENT : percent;
    for (unsigned i = 0; i < count; i++)
        others += i == changed ? 0 : share[i];
    for (unsigned i = 0; i < count && count > 1; i++) {
        unsigned rest = (100 - percent) * HUNDREDTHS;
        unsigned new_share = others > 0 ? share[i] * rest / others : rest / (count - 1);
        share[i] = i == changed ? percent * HUNDREDTHS : new_share > 0 ? new_share : 1;
    }
}
