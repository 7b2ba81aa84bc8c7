package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Records watched descriptors, and fails if one was closed while it was watched. */
public final class RecordedWatch implements DirectWatch {
  private final int set;
  /** Descriptors in the order of the calls; -1 when a watch ended. */
  public final List<Integer> watched = new ArrayList<>();
  public boolean able = true;
  public boolean reportsSet = true;

  public RecordedWatch(int set) {
    this.set = set;
  }

  @Override
  public boolean watch(int fd) {
    if (!watched.isEmpty() && watched.getLast() >= 0) {
      assertTrue(Files.exists(Path.of("/proc/self/fd/" + watched.getLast())), "closed while it was watched");
    }
    watched.add(fd);
    return able;
  }

  @Override
  public boolean woke(int fd) {
    return Libc.readable(fd, 0) && (reportsSet || fd != set);
  }
}
