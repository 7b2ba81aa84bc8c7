package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.SignalGuard;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadingTest {
  private static final int[] SIGNALS = {4, 6, 7, 8, 11, 15};

  @Test
  void missingLibraryIsExplained() {
    Discovery found = new LibfabricProvider().discover(new DiscoveryOptions(null, Map.of("libfabric", "/nowhere/libfabric.so.1")));
    assertEquals(0, found.devices().size());
    assertEquals(1, found.unavailable().size());
    String words = found.unavailable().getFirst().toString();
    assertTrue(words.startsWith("libfabric: the setting libfabric names /nowhere/libfabric.so.1, which cannot be loaded: "), words);
  }

  @Test
  void signalHandlersAreRestoredWhenLibraryAndEndpointAreOpened() {
    long[] before = handlers();
    RdmDevice device = (RdmDevice) Devices.require(new LibfabricProvider(), "rxm");
    try (RdmDomain domain = device.openRdm();
      CompletionQueue queue = domain.createCompletionQueue(64);
      RdmEndpoint endpoint = domain.createEndpoint(queue, null)) {
      assertArrayEquals(before, handlers(), () -> "handlers of " + Arrays.toString(SIGNALS) + " with " + endpoint.localAddress());
      for (int i = 0; i < 20_000; i++) {
        assertEquals(i % 100 == 0 ? -1 : 1, implicitCheck(i % 100 == 0 ? null : new int[] {1}));
      }
    }
  }

  private static int implicitCheck(int[] array) {
    try {
      return array.length;
    } catch (NullPointerException e) {
      return -1;
    }
  }

  private static long[] handlers() {
    return Arrays.stream(SIGNALS).mapToLong(SignalGuard::handler).toArray();
  }
}
