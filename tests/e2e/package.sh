#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the contents of the Debian package that CPack makes from this build.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
for tool in cpack dpkg-deb dpkg-shlibdeps; do
    if ! command -v "$tool" >/dev/null; then
        echo "skip $tool is not here"
        exit 77
    fi
done

check "cpack makes it" run 0 cpack -G DEB --config "$BUILD_DIR/CPackConfig.cmake" -B "$work/made"
deb=$(find "$work/made" -maxdepth 1 -name 'dlprof-tui_*.deb')
check "... one" test -f "$deb" || finish
dpkg-deb --info "$deb" >"$work/info"
dpkg-deb --contents "$deb" >"$work/contents"
field() { dpkg-deb --field "$deb" "$1"; }
check "its name" test "$(field Package)" = dlprof-tui
check "its version" test "$(field Version)" = "$("$DLPROF_TUI" --version | cut -d' ' -f2)"
check "its machine" test "$(field Architecture)" = "$(dpkg --print-architecture)"
check "who made it" test -n "$(field Maintainer)"
check "what it is" grep -q "Tensor Cores" <(field Description)
for library in libc6 libncursesw6 libtinfo6 libsqlite3-0 libyaml-0-2 libpcre2-8-0; do
    check "it needs $library" grep -qw "$library" <(field Depends)
done
has() { grep -qE " \./$1\$" "$work/contents"; }
for path in usr/bin/dlprof-tui \
    usr/share/bash-completion/completions/dlprof-tui usr/share/zsh/site-functions/_dlprof-tui \
    usr/share/fish/vendor_completions.d/dlprof-tui.fish usr/share/doc/dlprof-tui/LICENSE \
    usr/share/doc/dlprof-tui/copyright usr/share/doc/dlprof-tui/NOTICE; do
    check "it has $path" has "$path"
done
for page in "$SOURCE_DIR"/man/*.in; do
    page=$(basename "$page" .in)
    check "it has the page $page" has "usr/share/man/man${page##*.}/$page"
done
for path in "$SOURCE_DIR"/themes/*.yaml "$SOURCE_DIR"/rules/*.yaml; do
    check "it has ${path#"$SOURCE_DIR/"}" has "usr/share/dlprof-tui/${path#"$SOURCE_DIR/"}"
done
check "no tests, no generator" sh -c "! grep -qE 'dlprof-gen|test_' '$work/contents'"
check "all of it below /usr" sh -c "! grep -vE ' \./(usr(/.*)?)?\$' '$work/contents'"
check "nothing that others may write" sh -c "! grep -qE '^.....w|^........w' '$work/contents'"
dpkg-deb --extract "$deb" "$work/root"
check "what is in it runs" run 0 "$work/root/usr/bin/dlprof-tui" --version
check "its completions are those of the program" cmp -s \
    "$work/root/usr/share/bash-completion/completions/dlprof-tui" <("$DLPROF_TUI" --completion=bash)
finish
