package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.SignalGuard;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadingTest {
  private static final int[] SIGNALS = {4, 6, 7, 8, 11, 15};

  @Test
  void theProviderIsFoundByServiceLoader() {
    assertTrue(Provider.all().stream().anyMatch(provider -> provider.name().equals("libfabric")));
  }

  @Test
  void aLibraryThatIsNotThereIsExplained() {
    Discovery found = new LibfabricProvider().discover(new DiscoveryOptions(null, Map.of("libfabric", "/nowhere/libfabric.so.1")));
    assertEquals(0, found.devices().size());
    assertEquals(1, found.unavailable().size());
    String words = found.unavailable().getFirst().toString();
    assertTrue(words.startsWith("libfabric: the setting libfabric names /nowhere/libfabric.so.1, which cannot be loaded: "), words);
  }

  @Test
  void signalHandlersOutliveLibraryAndSharedMemory() throws Exception {
    long[] before = handlers();
    Device device = Devices.require(new LibfabricProvider(), "fi-shm");
    try (RdmDomain domain = ((RdmDevice) device).openRdm(); CompletionQueue queue = domain.createCompletionQueue(64);
      RdmEndpoint endpoint = domain.createEndpoint(queue, null)) {
      assertArrayEquals(before, handlers(), "handlers of " + Arrays.toString(SIGNALS));
      Path name = Path.of("/dev/shm", endpoint.localAddress().toString().replaceFirst("^fi_shm://", ""));
      assertTrue(Files.exists(name), name::toString);
      for (int i = 0; i < 20_000; i++) {
        assertEquals(i % 100 == 0 ? -1 : 1, implicitCheck(i % 100 == 0 ? null : new int[] {1}));
      }
      assertTrue(Files.exists(name), "the first null check after its endpoint opened must not remove " + name);
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

  @Test
  void namesOfTheDeadAreRemovedAndThoseOfTheLivingStay() throws Exception {
    Device device = Devices.require(new LibfabricProvider(), "fi-shm");
    Process dead = new ProcessBuilder("true").start();
    assertTrue(dead.waitFor(20, TimeUnit.SECONDS));
    try (RdmDomain domain = ((RdmDevice) device).openRdm(); CompletionQueue queue = domain.createCompletionQueue(64);
      RdmEndpoint endpoint = domain.createEndpoint(queue, null)) {
      Path living = Path.of("/dev/shm", endpoint.localAddress().toString().replaceFirst("^fi_shm://", ""));
      Path left = living.resolveSibling(living.getFileName().toString().replaceFirst("^[0-9]+", Long.toString(dead.pid())));
      Files.writeString(left, "");
      SharedMemoryNames.cleanUp();
      assertTrue(Files.exists(living));
      assertTrue(Files.notExists(left), left::toString);
    }
  }
}
