package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the descriptors that a set names, and knows which are readable. A descriptor that was closed while it was watched is an error.
 */
public final class RecordedWatch implements DirectWatch {
  private final int set;
  /** Descriptors in the order of the calls; -1 for none. */
  public final List<Integer> watched = new ArrayList<>();
  /** True if it can watch. */
  public boolean able = true;
  /** True if it reports that the set was readable. */
  public boolean reportsSet = true;

  /** @param set the descriptor of the set */
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
    return PollFd.readable(fd, 0) && (reportsSet || fd != set);
  }
}
