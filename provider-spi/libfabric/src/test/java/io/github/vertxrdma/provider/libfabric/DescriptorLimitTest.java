package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.ChildJvm;
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
  void nothingIsLeftOfCompletionQueues() throws Exception {
    nothingIsLeft("tcp", FewDescriptors.class);
  }

  @Test
  void nothingIsLeftOfDomains() throws Exception {
    nothingIsLeft("rxm", FewDescriptorsForDomains.class);
  }

  private static void nothingIsLeft(String device, Class<?> main) throws Exception {
    assumeTrue(Files.isReadable(Path.of("/dev/zero")), "it needs Linux's /dev");
    Devices.require(new LibfabricProvider(), device);
    try (ChildJvm child = ChildJvm.startBy(LIMITED, main)) {
      int failures = Integer.parseInt(child.await("failures:"));
      assertTrue(failures > 1, "each of its descriptors can be the one that lacks, not " + failures);
      assertEquals("0", child.await("objects:"));
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
        ArrayDeque<FileInputStream> taken = FewDescriptors.takeAll();
        int first = WatchedSocket.of(epoll).size();
        int second = WatchedSocket.of(epoll).size();
        FewDescriptors.give(taken);
        System.out.println("first: " + first);
        System.out.println("second: " + second);
      }
    }
  }

  /** Opens connectionless domains with few descriptors. */
  static final class FewDescriptorsForDomains {
    public static void main(String[] arguments) throws IOException {
      Device rxm = Devices.require(new LibfabricProvider(), "rxm");
      FewDescriptors.attempt(((FabricDevice) rxm).library, () -> rxm.open().close());
    }
  }

  /** Creates completion queues with few descriptors. */
  static final class FewDescriptors {
    public static void main(String[] arguments) throws IOException {
      FabricDevice tcp = (FabricDevice) Devices.require(new LibfabricProvider(), "tcp");
      try (Domain domain = tcp.open()) {
        attempt(tcp.library, () -> domain.createCompletionQueue(16).close());
      }
    }

    /** Uses up all descriptors, and frees one more each time until the call succeeds. */
    static void attempt(Libfabric library, Runnable making) throws IOException {
      // Loads the classes while there are descriptors for them.
      making.run();
      FabricErrors.exception(library, -Errno.EMFILE, "too few");
      int failures = 0;
      int open = Fid.open();
      ArrayDeque<FileInputStream> taken = takeAll();
      while (!succeeds(making) && !taken.isEmpty()) {
        failures++;
        taken.pop().close();
      }
      int left = Fid.open() - open;
      give(taken);
      System.out.println("failures: " + failures);
      System.out.println("objects: " + left);
    }

    static ArrayDeque<FileInputStream> takeAll() throws IOException {
      ArrayDeque<FileInputStream> taken = new ArrayDeque<>();
      while (take(taken)) {
        // Opens another one.
      }
      return taken;
    }

    static void give(ArrayDeque<FileInputStream> taken) throws IOException {
      while (!taken.isEmpty()) {
        taken.pop().close();
      }
    }

    private static boolean take(ArrayDeque<FileInputStream> taken) throws IOException {
      try {
        taken.push(new FileInputStream("/dev/zero"));
        return true;
      } catch (FileNotFoundException e) {
        return false;
      }
    }

    private static boolean succeeds(Runnable making) {
      try {
        making.run();
        return true;
      } catch (ProviderException e) {
        return false;
      }
    }
  }
}
