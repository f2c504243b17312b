// Which part of the run has its accesses recorded: what lies between marks, and windows of so many accesses of each so
// many, roughly.
#pragma once

namespace abut::compiled {

// Whether accesses are counted, because windows begin and end with them.
extern bool counts_accesses __attribute__((visibility("hidden")));

// One more access to a block, recorded or not; a window may begin or end here.
void count_access();

// Around a fork: a child goes on as its parent was.
void keep_part();
void release_part();
void go_on_with_part();

} // namespace abut::compiled
