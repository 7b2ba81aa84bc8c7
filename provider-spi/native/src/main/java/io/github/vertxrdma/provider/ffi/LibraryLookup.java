package io.github.vertxrdma.provider.ffi;

public sealed interface LibraryLookup {

  record Found(NativeLibrary library) implements LibraryLookup {
  }

  record Missing(String reason, String remedy) implements LibraryLookup {
  }
}
