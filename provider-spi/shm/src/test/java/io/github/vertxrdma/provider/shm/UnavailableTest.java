package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that cannot share memory get the reason, in the list of devices and for the log. */
@Timeout(60)
class UnavailableTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "--illegal-native-access=deny | native access is denied to this process",
    "-Dos.name=Mac OS X           | it needs Linux on x86-64 or aarch64, and this is Mac OS X on ",
    "-Dos.arch=ppc64le            | it needs Linux on x86-64 or aarch64, and this is Linux on ppc64le"})
  void discoveryHasReasonAndNoDeviceWhenProcessCannotShareMemory(String flag, String reason) throws Exception {
    Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC", flag,
      "-cp", System.getProperty("java.class.path"), Discoverer.class.getName()).redirectErrorStream(true).start();
    try {
      String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), output);
      assertTrue(output.contains("0 devices, [shm: " + reason), output);
      assertTrue(output.contains("cannot use shared memory (shm): " + reason), output);
    } finally {
      child.destroyForcibly();
    }
  }

  /** Prints what the provider finds. */
  static final class Discoverer {
    private Discoverer() {
    }

    public static void main(String[] arguments) {
      Discovery found = new ShmProvider().discover(new DiscoveryOptions());
      System.out.println(found.devices().size() + " devices, " + found.unavailable());
      System.out.println(found.notice());
    }
  }
}
