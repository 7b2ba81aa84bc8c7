package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Records the fds that a set names, of which those that were closed before are an error, and knows what is readable. */
public final class RecordedWatch implements DirectWatch {
  private final int set;
  /** Fds in the order of their naming; -1 for none. */
  public final List<Integer> watched = new ArrayList<>();
  /** True if it can watch. */
  public boolean able = true;
  /** True if the watch reports that the set was readable. */
  public boolean reportsSet = true;

  /** @param set fd of the set */
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
