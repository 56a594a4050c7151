// SPDX-License-Identifier: Apache-2.0
// What the rows of the action table call. `argument` is what followed the command, "" for a key.
#ifndef UI_APP_APP_ACTIONS_H
#define UI_APP_APP_ACTIONS_H

struct app;

// app_trail.c, app_findings.c: going in, going back
void app_cancel(struct app *app, const char *argument);
void app_back(struct app *app, const char *argument);
void app_view(struct app *app, const char *argument);
void app_next_view(struct app *app, const char *argument);
void app_previous_view(struct app *app, const char *argument);
void app_who(struct app *app, const char *argument);
void app_row(struct app *app, const char *argument);
void app_timeline(struct app *app, const char *argument); // app_timeline.c
void app_next_finding(struct app *app, const char *argument);
void app_previous_finding(struct app *app, const char *argument);
void app_help(struct app *app, const char *argument);
void app_tour(struct app *app, const char *argument); // tour.c
// app_source.c: the row's line of the program, and the line of ncu
void app_edit(struct app *app, const char *argument);
void app_set_source_root(struct app *app, const char *argument);
void app_ncu(struct app *app, const char *argument);
void app_split(struct app *app, const char *argument); // app_split.c
// app_panes.c
void app_pane(struct app *app, const char *argument);
void app_close_pane(struct app *app, const char *argument);
void app_grow_pane(struct app *app, const char *argument);
void app_shrink_pane(struct app *app, const char *argument);
void app_turn_panes(struct app *app, const char *argument);
// bookmarks.c
void app_bookmark(struct app *app, const char *argument);
void app_jump(struct app *app, const char *argument);
void app_bookmarks(struct app *app, const char *argument);

// app_scope.c, app_sets.c, app_splits.c, app_undo.c: what is looked at
void app_set(struct app *app, const char *argument);
void app_go_step(struct app *app, const char *argument);
void app_all(struct app *app, const char *argument);
void app_steady(struct app *app, const char *argument);
void app_warm_up(struct app *app, const char *argument);
void app_outliers(struct app *app, const char *argument);
void app_start(struct app *app, const char *argument);
void app_stop(struct app *app, const char *argument);
void app_previous_step(struct app *app, const char *argument);
void app_next_step(struct app *app, const char *argument);
void app_key_op(struct app *app, const char *argument);
void app_scope(struct app *app, const char *argument);
void app_choose_run(struct app *app, const char *argument);
void app_previous_device(struct app *app, const char *argument);
void app_next_device(struct app *app, const char *argument);
void app_adoption(struct app *app, const char *argument);
void app_flops(struct app *app, const char *argument);
void app_items(struct app *app, const char *argument);
void app_with_backward(struct app *app, const char *argument);
void app_siblings(struct app *app, const char *argument);
void app_names(struct app *app, const char *argument);
void app_take_baseline(struct app *app, const char *argument);
void app_deltas(struct app *app, const char *argument);
void app_undo(struct app *app, const char *argument);
void app_redo(struct app *app, const char *argument);

// app_table.c, app_explain.c, app_save.c: arranging, explaining and saving what is shown
void app_search(struct app *app, const char *argument);
void app_search_word(struct app *app, const char *argument);
void app_filter(struct app *app, const char *argument);
void app_sort(struct app *app, const char *argument);
void app_detail(struct app *app, const char *argument);
void app_unfilter(struct app *app, const char *argument);
void app_share(struct app *app, const char *argument);
void app_per_step(struct app *app, const char *argument);
void app_explain(struct app *app, const char *argument);
void app_save(struct app *app, const char *argument);
void app_page(struct app *app, const char *argument);
void app_session(struct app *app, const char *argument); // session_write.c
void app_flip(struct app *app, const char *argument);    // app_input.c
void app_by_gpu(struct app *app, const char *argument);  // view_iterations.c
void app_capture_line(struct app *app, const char *argument);

// app_flame.c: from the op tree to its boxes and back, and into them
void app_boxes(struct app *app, const char *argument);
void app_enter_as(struct app *app, const char *argument);
void app_in_tree(struct app *app, const char *argument);

// app_copy.c
void app_copy_command(struct app *app, const char *argument);
void app_copy_view(struct app *app, const char *argument);

// app_columns.c
void app_columns(struct app *app, const char *argument);

// app_rules.c
void app_reload(struct app *app, const char *argument);

// app_commands.c
void app_command(struct app *app, const char *argument);
void app_theme(struct app *app, const char *argument);
void app_mouse(struct app *app, const char *argument);
void app_redraw(struct app *app, const char *argument);
void app_suspend(struct app *app, const char *argument);
void app_interrupt(struct app *app, const char *argument);
void app_quit(struct app *app, const char *argument);
void app_quit_now(struct app *app, const char *argument);

#endif
