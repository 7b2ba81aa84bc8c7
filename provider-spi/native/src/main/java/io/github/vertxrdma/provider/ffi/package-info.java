/**
 * Native access for providers: libraries, function pointers, memory, errno, signal handlers, file descriptors. Pointers are plain {@code
 * long}s, so callers check them first.
 */
package io.github.vertxrdma.provider.ffi;
