package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.contract.RefusedCalls;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class UnavailableTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "--illegal-native-access=deny | native access is denied to this process",
    "-Dos.name=Mac OS X           | shared memory needs Linux on x86-64 or aarch64, and this is Mac OS X on ",
    "-Dos.arch=ppc64le            | shared memory needs Linux on x86-64 or aarch64, and this is Linux on ppc64le"})
  void discoveryHasReasonAndNoDeviceWhenProcessCannotShareMemory(String flag, String reason) throws Exception {
    assertUnavailable(discover(flag), reason);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "memfd_create | 1   | memfd_create failed: errno 1 EPERM",
    "memfd_create | 38  | memfd_create failed: errno 38 ENOSYS",
    "F_ADD_SEALS  | 22  | the system refuses F_ADD_SEALS of fcntl",
    "AF_UNIX      | 97  | socket failed: errno 97 EAFNOSUPPORT",
    "bind         | 13  | cannot create a socket in ",
    "accept4      | 1   | cannot connect to a socket in ",
    "SO_PEERCRED  | 92  | the system refuses SO_PEERCRED of getsockopt",
    "sendmsg      | 1   | the system refuses to send a file descriptor",
    "recvmmsg     | 38  | recvmmsg failed: errno 38 ENOSYS"})
  void discoveryHasReasonAndNoDeviceWhenACallIsRefused(String call, int errno, String reason) throws Exception {
    String output = discover("--enable-native-access=ALL-UNNAMED", call, Integer.toString(errno));
    Assumptions.assumeFalse(output.contains(RefusedCalls.UNABLE), output);
    assertUnavailable(output, reason);
    assertTrue(output.contains(switch (call) {
      case "bind" -> "VERTX_RDMA_RUNTIME";
      case "F_ADD_SEALS" -> "permit fcntl in the seccomp profile of the container";
      case "AF_UNIX" -> "permit sockets of AF_UNIX in the seccomp profile of the container (RestrictAddressFamilies= of a systemd unit)";
      case "accept4" -> "permit connect and accept4 in the seccomp profile";
      case "SO_PEERCRED" -> "permit getsockopt in the seccomp profile";
      default -> "permit " + call;
    }), output);
  }

  private static void assertUnavailable(String output, String reason) {
    assertTrue(output.contains("0 devices, [shm: " + reason), output);
    assertTrue(output.contains("cannot use shared memory (shm): " + reason), output);
  }

  /** Returns the output of a {@link Discoverer} in a JVM with a flag. */
  private static String discover(String flag, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC", flag,
      "-cp", System.getProperty("java.class.path"), Discoverer.class.getName()));
    command.addAll(List.of(arguments));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), output);
      return output;
    } finally {
      child.destroyForcibly();
    }
  }

  /** Prints the devices. The arguments name a system call that fails in this process, and its error. */
  static final class Discoverer {
    private Discoverer() {
    }

    public static void main(String[] arguments) throws Throwable {
      if (arguments.length > 0 && !RefusedCalls.refuse(arguments[0], Integer.parseInt(arguments[1]))) {
        System.out.println(RefusedCalls.UNABLE);
        return;
      }
      Discovery found = new ShmProvider().discover(new DiscoveryOptions());
      System.out.println(found.devices().size() + " devices, " + found.unavailable());
      System.out.println(found.notice());
    }
  }
}
