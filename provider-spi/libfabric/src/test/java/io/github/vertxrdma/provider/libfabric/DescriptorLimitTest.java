package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.DescriptorLimit;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.Errno;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Objects that cannot be created completely, and sockets that cannot be found, without descriptors. */
@Timeout(120)
class DescriptorLimitTest {
  private static final List<String> LIMITED = List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @Test
  void nothingIsLeftOfCompletionQueues() {
    FabricDevice tcp = (FabricDevice) Devices.require(new LibfabricProvider(), "tcp");
    try (Domain domain = tcp.open()) {
      assertNothingIsLeft(tcp.library, () -> domain.createCompletionQueue(16).close());
    }
  }

  @Test
  void nothingIsLeftOfDomains() {
    FabricDevice rxm = (FabricDevice) Devices.require(new LibfabricProvider(), "rxm");
    assertNothingIsLeft(rxm.library, () -> rxm.open().close());
  }

  /** Creates objects with one more descriptor each time, until the creation succeeds. */
  private static void assertNothingIsLeft(Libfabric library, Runnable creation) {
    // Loads the classes while there are descriptors for them.
    creation.run();
    FabricErrors.exception(library, -Errno.EMFILE, "too few");
    int open = Fid.open();
    int descriptors = 0;
    while (!succeeds(creation, descriptors)) {
      assertEquals(open, Fid.open(), "objects with " + descriptors + " descriptors");
      descriptors++;
    }
    assertTrue(descriptors > 1, "each of its descriptors can be the one that lacks, not " + descriptors);
  }

  private static boolean succeeds(Runnable creation, int descriptors) {
    try (DescriptorLimit limit = DescriptorLimit.more(descriptors)) {
      creation.run();
      return true;
    } catch (ProviderException e) {
      return false;
    }
  }

  /** A connection that is about to end is found by its socket. Otherwise the library would free its reads twice. */
  @Test
  void socketsAreFound() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/self/fdinfo")), "it needs Linux's /proc");
    Devices.require(new LibfabricProvider(), "tcp");
    try (ChildJvm child = ChildJvm.startBy(LIMITED, NoDescriptors.class)) {
      String before = child.await("before:");
      assertNotEquals("0", before);
      assertEquals(before, child.await("first:"));
      assertEquals(before, child.await("second:"), "by the same one again");
    }
  }

  /** Looks for sockets when there is no descriptor. */
  static final class NoDescriptors {
    public static void main(String[] arguments) throws IOException {
      try (Domain domain = Devices.require(new LibfabricProvider(), "tcp").open();
        FabricCompletionQueue queue = (FabricCompletionQueue) domain.createCompletionQueue(16)) {
        domain.listen(queue, null, new EndpointOptions(), request -> {});
        int epoll = queue.events.fd;
        System.out.println("before: " + WatchedSocket.of(epoll).size());
        ArrayDeque<FileInputStream> taken = new ArrayDeque<>();
        try {
          while (true) {
            taken.push(new FileInputStream("/dev/zero"));
          }
        } catch (FileNotFoundException e) {
          // No descriptor is left.
        }
        int first = WatchedSocket.of(epoll).size();
        int second = WatchedSocket.of(epoll).size();
        while (!taken.isEmpty()) {
          taken.pop().close();
        }
        System.out.println("first: " + first);
        System.out.println("second: " + second);
      }
    }
  }
}
