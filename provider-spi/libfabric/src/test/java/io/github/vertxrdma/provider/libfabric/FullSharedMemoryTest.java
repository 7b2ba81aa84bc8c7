package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A /dev/shm that others have filled when an endpoint is made: no access may find that there is no room. */
@Timeout(120)
class FullSharedMemoryTest {
  private static final Path FOLDER = Path.of("/dev/shm");
  private static final long LEFT = 4 << 20;
  /** Enough for libfabric to offer shared memory on this machine, and not much to fill. */
  private static final int MEBIBYTES = 80 * Runtime.getRuntime().availableProcessors();

  @Test
  void anEndpointWithoutRoomIsRefusedByName() throws Exception {
    assumeTrue(canMount(), "SKIPPED a full /dev/shm: only root can mount a small one, by unshare(1)");
    Devices.require(new LibfabricProvider(), "fi-shm");
    List<String> small = List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=" + MEBIBYTES + "m tmpfs " + FOLDER + " && exec \"$@\"", "sh");
    try (ChildJvm child = ChildJvm.startBy(small, Filling.class)) {
      for (String what : List.of("no domain:", "no endpoint:")) {
        String refused = child.await(what);
        assertTrue(refused.startsWith("LIMIT fi-shm: ") && refused.contains("/dev/shm") && refused.contains(" MiB free"), refused);
      }
      child.await("opened");
      assertEquals(0, child.waitFor());
    }
  }

  private static boolean canMount() throws InterruptedException {
    try {
      return new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", FOLDER.toString()).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Opens a domain, which makes an endpoint to try it, and an endpoint of its own: each where there is no room, then where there is. */
  static final class Filling {
    public static void main(String[] arguments) throws Exception {
      Device device = Devices.require(new LibfabricProvider(), "fi-shm");
      Path filler = fill();
      try {
        ((RdmDevice) device).openRdm().close();
      } catch (ProviderException e) {
        System.out.println("no domain: " + e.reason() + " " + e.getMessage());
      }
      Files.delete(filler);
      try (RdmDomain domain = ((RdmDevice) device).openRdm(); CompletionQueue queue = domain.createCompletionQueue(64)) {
        filler = fill();
        try {
          domain.createEndpoint(queue, null).close();
        } catch (ProviderException e) {
          System.out.println("no endpoint: " + e.reason() + " " + e.getMessage());
        }
        Files.delete(filler);
        try (RdmEndpoint endpoint = domain.createEndpoint(queue, null)) {
          System.out.println("opened " + endpoint.localAddress());
        }
      }
    }

    private static Path fill() throws IOException {
      Path filler = FOLDER.resolve("filler");
      try (OutputStream out = Files.newOutputStream(filler)) {
        byte[] page = new byte[4096];
        for (long left = Files.getFileStore(FOLDER).getUsableSpace() - LEFT; left > 0; left -= page.length) {
          out.write(page);
        }
      }
      return filler;
    }
  }
}
