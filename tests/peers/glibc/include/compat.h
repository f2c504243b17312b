/* What the tests and their support library expect of glibc's own build, and the system's headers lack. */
#pragma once

#define always_inline inline __attribute__((always_inline))
#define attribute_hidden
#define __set_errno(value) (errno = (value))
#define libc_hidden_proto(name)
#define libc_hidden_def(name)
#define rtld_hidden_proto(name)
