package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class RefusedMemoryTest {
  private static final String UNABLE = "cannot refuse system calls here";
  /** Refuses memfd_create(2) with EPERM, or socket(2) of AF_UNIX with EAFNOSUPPORT. */
  private static final String LAUNCHER = """
    import ctypes, os, struct, sys
    memory = sys.argv.pop(1) == 'memory'
    number = {'x86_64': 319 if memory else 41, 'aarch64': 279 if memory else 198}.get(os.uname().machine)
    libc = ctypes.CDLL(None)
    load = (0x20, 0, 0, 0)
    permit = (0x06, 0, 0, 0x7fff0000)
    calls = [load, (0x15, 0, 1, number or 0), (0x06, 0, 0, 0x00050001), permit] if memory else [
      load, (0x15, 0, 3, number or 0), (0x20, 0, 0, 16), (0x15, 0, 1, 1), (0x06, 0, 0, 0x00050061), permit]
    instructions = b''.join(struct.pack('HBBI', *each) for each in calls)
    memory = ctypes.create_string_buffer(instructions)
    program = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', len(calls), ctypes.addressof(memory)))
    if number is None or libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
      print('UNABLE')
      sys.exit(0)
    os.execvp(sys.argv[1], sys.argv[1:])
    """.replace("UNABLE", UNABLE);

  @TempDir
  Path folder;

  static final class Node {
    private Node() {
    }

    public static void main(String[] arguments) throws Exception {
      Vertx vertx = Vertx.vertx();
      try {
        Rdma rdma = Rdma.create(vertx);
        rdma.createServer().connectHandler(connection -> {}).listen("orders").await(60, TimeUnit.SECONDS);
        System.out.println("usable: " + rdma.fabrics().await(60, TimeUnit.SECONDS).stream().filter(FabricInfo::isUsable)
          .map(FabricInfo::device).toList());
      } finally {
        vertx.close().await(60, TimeUnit.SECONDS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"node", "info", "doctor"})
  void reasonIsNamedAndSharedMemoryIsNotOffered(String what) throws Exception {
    String output = output("memory", what);
    assertTrue(output.contains("memfd_create failed: errno 1 EPERM"), output);
    assertTrue(output.contains("in the seccomp profile of the container"), output);
    for (String offer : List.of("on this host: shm", "ok       shm", "fabrics shm", "usable: [shm")) {
      assertFalse(output.contains(offer), output);
    }
  }

  @Test
  void nodeThatCannotMeetOthersOfItsHostFailsWithTheRemedy() throws Exception {
    String output = output("sockets", "node");
    assertTrue(output.contains("cannot listen on " + folder.resolve("run")), output);
    assertTrue(output.contains("Permit sockets of AF_UNIX (RestrictAddressFamilies= of a systemd unit)"), output);
    assertFalse(output.contains("control port"), output);
  }

  private String output(String refused, String what) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", "-c", LAUNCHER, refused, System.getProperty("java.home") + "/bin/java",
      "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-Dvertx.rdma.runtime=" + folder.resolve("run"),
      "-cp", System.getProperty("java.class.path")));
    command.addAll(what.equals("node") ? List.of(Node.class.getName()) : List.of(CliMain.class.getName(), what));
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return Assumptions.abort("this machine has no python3");
    }
    String output;
    try {
      process.getOutputStream().close();
      output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), output);
    } finally {
      process.destroyForcibly();
    }
    Assumptions.assumeFalse(output.contains(UNABLE), UNABLE);
    return output;
  }
}
