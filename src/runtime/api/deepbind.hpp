// What becomes of RTLD_DEEPBIND.
#pragma once

namespace abut::entry {

// Lets dlopen() and dlmopen() hand the flag on, which they drop otherwise.
void keep_deepbind();

} // namespace abut::entry
