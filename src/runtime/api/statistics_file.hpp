// The heap's statistics as JSON: to a file descriptor, or to the file that the option `stats` names.
#pragma once

namespace abut::entry {

// Writes one JSON object; false where writing failed. Allocates nothing.
bool write_statistics(int file);

// At the end of the process, if the option is set. Says so where the file cannot be made.
void write_statistics_file();

} // namespace abut::entry
