package io.github.vertxrdma.provider.ffi;

/** Result of looking for a library. */
public sealed interface LibraryLookup {

  /** It is loaded, for good. */
  record Found(NativeLibrary library) implements LibraryLookup {
  }

  /** It is not, and why, and what to do about it. */
  record Missing(String reason, String remedy) implements LibraryLookup {
  }
}
