#!/bin/sh
# Runs the compiler, its arguments, through ccache. A precompiled header of before is removed first: ccache would take it
# for one that is used, and what it was made of for what has not changed.
for word in "$@"; do
  case "$before $word" in '-o '*.gch) rm -f "$word" ;; esac
  before=$word
done
# Without these two ccache keeps nothing that was compiled with a precompiled header.
CCACHE_SLOPPINESS=pch_defines,time_macros exec ccache "$@"
