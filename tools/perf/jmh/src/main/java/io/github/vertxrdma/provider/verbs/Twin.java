package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.ffi.Downcall;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** The same work in C on the same device, compiled when this starts. */
final class Twin {
  private static final MethodHandle OPEN = Downcall.of(long.class);
  private static final MethodHandle WORK = Downcall.of(int.class, long.class, int.class);

  private final SymbolLookup library;
  private final long twin;

  Twin(Nic nic) throws Throwable {
    Path folder = Files.createTempDirectory("rdma-twin");
    Path source = folder.resolve("twin.c");
    Path made = folder.resolve("twin.so");
    try (InputStream in = Twin.class.getResourceAsStream("twin.c")) {
      Files.copy(in, source);
    }
    if (new ProcessBuilder("cc", "-O2", "-shared", "-fPIC", "-o", made.toString(), source.toString(), nic.verbs().toString(),
      "-Wl,-rpath," + nic.verbs().getParent()).inheritIO().start().waitFor() != 0) {
      throw new IOException("the twin in C could not be compiled");
    }
    library = SymbolLookup.libraryLookup(made, Arena.global());
    twin = (long) OPEN.invokeExact(function("twin_open"));
    if (twin == 0) {
      throw new IllegalStateException("the twin in C could not open the device");
    }
  }

  /** The address of one of its functions. */
  long function(String name) {
    return library.find(name).orElseThrow().address();
  }

  /** Does the work of a function so often. */
  void work(long function, int count) throws Throwable {
    int error = (int) WORK.invokeExact(function, twin, count);
    if (error != 0) {
      throw new IllegalStateException("the twin in C failed with errno " + error);
    }
  }
}
