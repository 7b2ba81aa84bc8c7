/**
 * Native access for providers: libraries, functions, memory, errno, signal handlers, file descriptors. Pointers are {@code long}s, which
 * callers check before use.
 */
package io.github.vertxrdma.provider.ffi;
