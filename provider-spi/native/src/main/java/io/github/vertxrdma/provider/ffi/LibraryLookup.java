package io.github.vertxrdma.provider.ffi;

public sealed interface LibraryLookup {

  /** The library is loaded, and stays loaded. */
  record Found(NativeLibrary library) implements LibraryLookup {
  }

  /** The library is not loaded, with the reason and the remedy. */
  record Missing(String reason, String remedy) implements LibraryLookup {
  }
}
