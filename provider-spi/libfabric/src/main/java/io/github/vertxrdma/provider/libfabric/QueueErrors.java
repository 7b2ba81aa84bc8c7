package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;

/** Describes errors with libfabric's text, and adds the provider's text if that says more. */
record QueueErrors(Libfabric library, Fid queue, long strerror) {
  private static final int TEXT = 256;

  String of(int errno, int providerErrno, long data) {
    String words = library.describe(errno);
    if (strerror == 0 || providerErrno == 0) {
      return words;
    }
    try (Scratch text = Scratch.of(TEXT)) {
      String more = Memory.getString(Calls.pointer(strerror, queue.address(), providerErrno, data, text.address(), TEXT));
      return more == null || more.isBlank() || words.contains(more.strip()) ? words : words + " (" + more.strip() + ")";
    }
  }
}
