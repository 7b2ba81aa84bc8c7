package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.CSource;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Adjustable wall clocks of processes. A file sets each clock; see {@code clock.c}. */
final class StepClocks {
  private static final CSource LIBRARY = new CSource("clock", "-shared", "-fPIC", "-ldl");

  private final Path library = LIBRARY.compiled();
  private final Path folder;

  StepClocks(Path folder) throws SkippedException {
    this.folder = folder;
  }

  List<String> of(int number) throws IOException {
    if (!Files.exists(file(number))) {
      set(number, 0);
    }
    return List.of("env", "LD_PRELOAD=" + library, "VERTX_RDMA_CLOCK=" + file(number));
  }

  void set(int number, long seconds) throws IOException {
    Files.write(file(number), ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(seconds).array(),
      StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private Path file(int number) {
    return folder.resolve("clock-" + number);
  }
}
