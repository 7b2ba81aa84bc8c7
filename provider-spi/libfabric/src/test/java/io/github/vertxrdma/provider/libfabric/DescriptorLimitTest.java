package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Domain;
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

/** Completion queues of which a part cannot be made, for want of descriptors. */
@Timeout(120)
class DescriptorLimitTest {
  private static final List<String> LIMITED = List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @Test
  void nothingIsLeftOfThem() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/dev/zero")), "it needs Linux's /dev");
    Devices.require(new LibfabricProvider(), "tcp");
    try (ChildJvm child = ChildJvm.startBy(LIMITED, FewDescriptors.class)) {
      int failures = Integer.parseInt(child.await("failures:"));
      assertTrue(failures > 1, "each of its descriptors can be the one that lacks, not " + failures);
      assertEquals("0", child.await("objects:"));
    }
  }

  /** Takes what descriptors there are, and gives one more back each time, until a completion queue can be made. */
  static final class FewDescriptors {
    public static void main(String[] arguments) throws IOException {
      FabricDevice tcp = (FabricDevice) Devices.require(new LibfabricProvider(), "tcp");
      try (Domain domain = tcp.open()) {
        // Classes are loaded while there are descriptors for it.
        domain.createCompletionQueue(16).close();
        FabricErrors.exception(tcp.library(), -Errno.EMFILE, "too few");
        int failures = 0;
        int open = Fid.open();
        ArrayDeque<FileInputStream> taken = new ArrayDeque<>();
        while (take(taken)) {
          // Another one.
        }
        while (!attempt(domain) && !taken.isEmpty()) {
          failures++;
          taken.pop().close();
        }
        int left = Fid.open() - open;
        while (!taken.isEmpty()) {
          taken.pop().close();
        }
        System.out.println("failures: " + failures);
        System.out.println("objects: " + left);
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

    private static boolean attempt(Domain domain) {
      try {
        domain.createCompletionQueue(16).close();
        return true;
      } catch (ProviderException e) {
        return false;
      }
    }
  }
}
