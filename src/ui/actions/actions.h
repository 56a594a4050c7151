// SPDX-License-Identifier: Apache-2.0
// The actions of ui/actions, for the table of actions (ui/app/action_list.c). `argument` is the
// text after the command name; "" for a key. Group `x` is in app_x.c.
#ifndef UI_ACTIONS_ACTIONS_H
#define UI_ACTIONS_ACTIONS_H

struct app;

// trail
void app_cancel(struct app *app, const char *argument);
void app_back(struct app *app, const char *argument);
void app_view(struct app *app, const char *argument);
void app_next_view(struct app *app, const char *argument);
void app_previous_view(struct app *app, const char *argument);
void app_who(struct app *app, const char *argument);
void app_row(struct app *app, const char *argument);
void app_help(struct app *app, const char *argument);

// findings
void app_next_finding(struct app *app, const char *argument);
void app_previous_finding(struct app *app, const char *argument);

// split
void app_split(struct app *app, const char *argument);

// panes
void app_pane(struct app *app, const char *argument);
void app_close_pane(struct app *app, const char *argument);
void app_grow_pane(struct app *app, const char *argument);
void app_shrink_pane(struct app *app, const char *argument);
void app_turn_panes(struct app *app, const char *argument);

// scope
void app_scope(struct app *app, const char *argument);
void app_previous_device(struct app *app, const char *argument);
void app_next_device(struct app *app, const char *argument);
void app_adoption(struct app *app, const char *argument);
void app_flops(struct app *app, const char *argument);
void app_items(struct app *app, const char *argument);
void app_with_backward(struct app *app, const char *argument);
void app_siblings(struct app *app, const char *argument);
void app_names(struct app *app, const char *argument);

// sets
void app_set(struct app *app, const char *argument);
void app_go_step(struct app *app, const char *argument);
void app_all(struct app *app, const char *argument);
void app_steady(struct app *app, const char *argument);
void app_kind(struct app *app, const char *argument);
void app_warm_up(struct app *app, const char *argument);
void app_outliers(struct app *app, const char *argument);
void app_start(struct app *app, const char *argument);
void app_stop(struct app *app, const char *argument);
void app_previous_step(struct app *app, const char *argument);
void app_next_step(struct app *app, const char *argument);

// undo
void app_undo(struct app *app, const char *argument);
void app_redo(struct app *app, const char *argument);

// table
void app_search(struct app *app, const char *argument);
void app_search_word(struct app *app, const char *argument);
void app_filter(struct app *app, const char *argument);
void app_sort(struct app *app, const char *argument);
void app_detail(struct app *app, const char *argument);
void app_unfilter(struct app *app, const char *argument);
void app_share(struct app *app, const char *argument);
void app_per_step(struct app *app, const char *argument);

// explain
void app_explain(struct app *app, const char *argument);
void app_capture_line(struct app *app, const char *argument);

// save
void app_save(struct app *app, const char *argument);
void app_page(struct app *app, const char *argument);

// copy
void app_copy_command(struct app *app, const char *argument);
void app_copy_view(struct app *app, const char *argument);
void app_copy_over(struct app *app, const char *argument); // `:copy` to an existing file

// (candidates.c)
void app_key_op(struct app *app, const char *argument);

// columns
void app_columns(struct app *app, const char *argument);

#endif
