package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wake-ups by other threads, which may come when the completion queue is being closed. */
@Timeout(60)
class WakeSetTest {
  /** More than a set has, so that each of its numbers is given again. */
  private static final int MANY = 16;

  @Test
  void aWakeUpIsSeenUntilItIsTaken() {
    try (WakeSet wakes = new WakeSet()) {
      assertFalse(wakes.look());
      wakes.wake();
      assertTrue(wakes.look());
      wakes.drain();
      assertFalse(wakes.look());
    }
  }

  @Test
  void aWakeUpOfAClosedOneReachesNobodyElse() {
    WakeSet wakes = new WakeSet();
    wakes.close();
    List<Integer> others = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        others.add(FileDescriptor.event());
      }
      wakes.wake();
      assertFalse(others.stream().anyMatch(fd -> FileDescriptor.readable(fd, 0)), "it was written to what has the number of its fd now");
    } finally {
      others.forEach(FileDescriptor::close);
    }
  }

  /** The limit of descriptors of this process, setrlimit(2): no more than so many until it is closed. */
  private static final class DescriptorLimit implements AutoCloseable {
    private static final long GETRLIMIT = Downcall.libc("getrlimit");
    private static final long SETRLIMIT = Downcall.libc("setrlimit");
    private static final int RLIMIT_NOFILE = 7;

    private final long limits = Memory.allocate(16);
    private final long before;

    DescriptorLimit(int more) {
      assertEquals(0, Calls.number(GETRLIMIT, RLIMIT_NOFILE, limits));
      before = Memory.getLong(limits);
      // The limit is one of numbers, of which the lowest that is free is given.
      List<Integer> free = new ArrayList<>();
      for (int i = 0; i <= more; i++) {
        free.add(FileDescriptor.event());
      }
      free.forEach(FileDescriptor::close);
      Memory.putLong(limits, free.getLast());
      assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
    }

    @Override
    public void close() {
      Memory.putLong(limits, before);
      assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
      Memory.free(limits);
    }
  }

  /** Each of its three fds may be the first that the process does not get. */
  @Test
  void oneThatCannotBeMadeLeavesNothing() {
    // Loads the classes, which takes descriptors.
    new WakeSet().close();
    try (Epoll epoll = new Epoll()) {
      assertThrows(ProviderException.class, () -> epoll.add(-1));
    }
    new DescriptorLimit(MANY).close();
    Leaks before = Leaks.snapshot();
    for (int more = 0; more < 3; more++) {
      ProviderException refused;
      try (DescriptorLimit limit = new DescriptorLimit(more)) {
        refused = assertThrows(ProviderException.class, WakeSet::new);
      }
      assertEquals(ProviderException.Reason.LIMIT, refused.reason(), refused.getMessage());
    }
    before.assertNoneSince();
  }
}
