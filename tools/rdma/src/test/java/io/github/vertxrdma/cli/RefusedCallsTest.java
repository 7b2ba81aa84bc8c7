package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.provider.contract.RefusedCalls;
import io.vertx.core.Vertx;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that all outputs about fabrics agree if a process may not make a system call that shared memory needs. */
@Timeout(180)
@Tag("full")
class RefusedCallsTest {
  private static final int SECONDS = 60;
  private static final String SECTION = "section ";

  @TempDir
  Path folder;

  /** A process with two clustered nodes and commands. The arguments are a call that is refused, and its error. */
  static final class Nodes {
    private Nodes() {
    }

    public static void main(String[] arguments) throws Throwable {
      // Called before other threads start, which the filter would not bind.
      if (!RefusedCalls.refuse(arguments[0], Integer.parseInt(arguments[1]))) {
        System.out.println(RefusedCalls.UNABLE);
        return;
      }
      System.setErr(System.out);
      System.out.println(SECTION + "node");
      int port = Member.freePorts();
      Vertx one = Member.clustered(port);
      Rdma rdma = Rdma.create(one);
      rdma.createServer().connectHandler(connection -> {}).listen("orders").await(SECONDS, TimeUnit.SECONDS);
      System.out.println(SECTION + "fabrics");
      for (FabricInfo fabric : rdma.fabrics().await(SECONDS, TimeUnit.SECONDS)) {
        System.out.println((fabric.isUsable() ? "usable " : "missing ") + fabric.device() + ' ' + fabric.missing());
      }
      System.out.println(SECTION + "bus");
      Vertx other = Member.clustered(port);
      one.eventBus().consumer("address", message -> message.reply(message.body())).completion().await(SECONDS, TimeUnit.SECONDS);
      System.out.println("answer " + other.eventBus().request("address", "body").await(SECONDS, TimeUnit.SECONDS).body());
      for (String command : new String[] {"info", "doctor"}) {
        System.out.println(SECTION + command);
        Commands.run(new String[] {command}, CliMain::run);
      }
      Runtime.getRuntime().halt(0);
    }
  }

  /** UnavailableTest of shared memory refuses each other call that it needs. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "memfd_create | 38 | memfd_create failed: errno 38 ENOSYS",
    "AF_UNIX      | 97 | socket failed: errno 97 EAFNOSUPPORT",
    "timerfd_create | 38 | timerfd_create failed: errno 38 ENOSYS"})
  void logFabricsBusInfoAndDoctorAgreeWhenACallIsRefused(String call, int errno, String reason) throws Exception {
    Path log = folder.resolve("output");
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-Xmx256m",
      "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-Dvertx.rdma.runtime=" + folder.resolve("run"), "-cp",
      System.getProperty("java.class.path"), Nodes.class.getName(), call, Integer.toString(errno)).redirectErrorStream(true)
      .redirectOutput(log.toFile()).redirectInput(new File("/dev/null")).start();
    try {
      assertTrue(process.waitFor(2 * SECONDS, TimeUnit.SECONDS), () -> text(log));
    } finally {
      process.destroyForcibly();
    }
    String output = text(log);
    Assumptions.assumeFalse(output.contains(RefusedCalls.UNABLE), RefusedCalls.UNABLE);
    assertEquals(0, process.exitValue(), output);
    for (String what : new String[] {"node", "fabrics", "info", "doctor"}) {
      String section = section(output, what);
      assertTrue(section.contains(reason), what + " has no reason: " + output);
      assertFalse(section.contains("shm: shm"), output);
    }
    assertTrue(Pattern.compile("; fabrics (?!.*shm).*nio").matcher(section(output, "node")).find(), output);
    assertTrue(Pattern.compile("^missing shm \\[.*permit ", Pattern.MULTILINE).matcher(section(output, "fabrics")).find(), output);
    assertTrue(section(output, "fabrics").contains("usable nio"), output);
    String bus = section(output, "bus");
    assertTrue(bus.contains("answer body") && (bus.contains("The event bus and streams use TCP")
      || section(output, "node").contains("TCP serves the event bus: ")), output);
    assertFalse(bus.contains(" over shm"), output);
    assertTrue(section(output, "info").contains("chosen for a peer on this host: nio"), output);
    assertFalse(Pattern.compile("^ok +shm", Pattern.MULTILINE).matcher(section(output, "doctor")).find(), output);
  }

  private static String section(String output, String name) {
    int from = output.indexOf(SECTION + name);
    assertTrue(from >= 0, () -> "no section " + name + ": " + output);
    int to = output.indexOf('\n' + SECTION, from);
    return output.substring(from, to < 0 ? output.length() : to);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
