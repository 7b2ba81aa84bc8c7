package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.DescriptorLimit;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.ffi.Epoll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith({LeakCheck.class, UserSpace.class})
class QueueEventsTest {
  private static final int DESCRIPTORS = 5;

  @Test
  void aQueueHasTheConnectionManagerOrIsRefused() {
    Nic.use(Nic.DEFAULT);
    try (Domain domain = Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT).open()) {
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
        assertNotNull(((VerbsCompletionQueue) queue).events.cm);
      }
    }
  }

  private static ProviderException refused(Domain domain, int more) {
    try (DescriptorLimit limit = DescriptorLimit.more(more)) {
      return assertThrows(ProviderException.class, () -> domain.createCompletionQueue(16));
    }
  }
}
