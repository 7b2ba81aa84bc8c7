package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Completion queues of a process that has few descriptors left: each is whole, or refused by name. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class QueueEventsTest {
  /** Of a queue: three for its wake-ups, its completion channel, and that of the connection manager. */
  private static final int DESCRIPTORS = 5;

  @BeforeEach
  void device() {
    assumeTrue(TestDevices.missing() == null, TestDevices.missing());
    assumeTrue(TestDevices.inUserSpace(), "the libraries of kernel devices have descriptors of their own");
  }

  /** The limit of descriptors of this process, setrlimit(2). */
  private static final class DescriptorLimit implements AutoCloseable {
    private static final long GETRLIMIT = Downcall.libc("getrlimit");
    private static final long SETRLIMIT = Downcall.libc("setrlimit");
    private static final int RLIMIT_NOFILE = 7;

    private final long limits = Memory.allocate(16);
    private final long before;

    private DescriptorLimit(int number) {
      assertEquals(0, Calls.number(GETRLIMIT, RLIMIT_NOFILE, limits));
      before = Memory.getLong(limits);
      Memory.putLong(limits, number);
      assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
    }

    /** So many more than it has. */
    static DescriptorLimit more(int count) {
      // The limit is one of numbers, of which the lowest that is free is given.
      List<Integer> free = new ArrayList<>();
      for (int i = 0; i <= count; i++) {
        free.add(FileDescriptor.event());
      }
      free.forEach(FileDescriptor::close);
      return new DescriptorLimit(free.getLast());
    }

    @Override
    public void close() {
      Memory.putLong(limits, before);
      assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
      Memory.free(limits);
    }
  }

  @Test
  void aQueueHasTheConnectionManagerOrIsRefused() {
    Nic.use(Nic.DEFAULT);
    try (Domain domain = Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT).open()) {
      // Loads the classes, which takes descriptors.
      domain.createCompletionQueue(16).close();
      DescriptorLimit.more(DESCRIPTORS).close();
      try (Epoll epoll = new Epoll()) {
        assertThrows(ProviderException.class, () -> epoll.add(-1));
      }
      Leaks before = Leaks.snapshot();
      for (int more = 0; more < DESCRIPTORS; more++) {
        ProviderException refused = refused(domain, more);
        assertEquals(ProviderException.Reason.LIMIT, refused.reason(), refused.getMessage());
        assertTrue(refused.getMessage().contains("EMFILE"), refused.getMessage());
      }
      before.assertNoneSince();
      try (DescriptorLimit limit = DescriptorLimit.more(DESCRIPTORS); CompletionQueue queue = domain.createCompletionQueue(16)) {
        assertNotNull(((VerbsCompletionQueue) queue).events().cm());
      }
    }
  }

  private static ProviderException refused(Domain domain, int more) {
    try (DescriptorLimit limit = DescriptorLimit.more(more)) {
      return assertThrows(ProviderException.class, () -> domain.createCompletionQueue(16));
    }
  }
}
