package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.DescriptorLimit;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WakeSetTest {
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
  void wakeUpOfAClosedEntryReachesNoOther() {
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

  @Test
  void failedCreationLeavesNothing() {
    new WakeSet().close();
    try (Epoll epoll = new Epoll()) {
      assertThrows(ProviderException.class, () -> epoll.add(-1));
    }
    DescriptorLimit.more(MANY).close();
    Leaks before = Leaks.snapshot();
    for (int more = 0; more < 3; more++) {
      ProviderException refused;
      try (DescriptorLimit limit = DescriptorLimit.more(more)) {
        refused = assertThrows(ProviderException.class, WakeSet::new);
      }
      assertEquals(ProviderException.Reason.LIMIT, refused.reason(), refused.getMessage());
    }
    before.assertNoneSince();
  }
}
