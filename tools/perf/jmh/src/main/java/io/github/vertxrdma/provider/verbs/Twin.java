package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.ffi.Calls;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;

/** The workload of {@link MessageBenchmark} in C on the same device, compiled by the constructor. */
final class Twin {
  private final SymbolLookup library;
  private final long twin;

  Twin(Nic nic) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("rdma-twin");
    Path source = folder.resolve("twin.c");
    Path made = folder.resolve("twin.so");
    try (InputStream in = Twin.class.getResourceAsStream("twin.c")) {
      Files.copy(in, source);
    }
    if (new ProcessBuilder("cc", "-O2", "-shared", "-fPIC", "-o", made.toString(), source.toString(), nic.verbs().toString(),
      "-Wl,-rpath," + nic.verbs().getParent()).inheritIO().start().waitFor() != 0) {
      throw new IOException("cannot compile the benchmark in C");
    }
    library = SymbolLookup.libraryLookup(made, Arena.global());
    twin = Calls.pointer(function("twin_open").address());
    if (twin == 0) {
      throw new IllegalStateException("the benchmark in C cannot open the device");
    }
  }

  MemorySegment function(String name) {
    return library.find(name).orElseThrow();
  }

  void work(MemorySegment function, int count) {
    int error = (int) Calls.plain(function, twin, count);
    if (error != 0) {
      throw new IllegalStateException("the benchmark in C failed with errno " + error);
    }
  }
}
