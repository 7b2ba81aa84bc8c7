package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LeanStartTest {
  static final String TOLD = "told: ";

  @TempDir
  Path folder;

  @Test
  void whereAFabricIsForcedNobodyElseIsAskedAndWithoutARecordingNoEventIsMade() throws Exception {
    List<String> lines = meet("nio");
    List<String> told = lines.stream().filter(line -> line.startsWith(TOLD)).toList();
    List<String> before = lines.subList(0, lines.indexOf(told.getFirst()));
    assertEquals(List.of(),
      loaded(before, "provider.libfabric.FabricDiscovery ", "provider.libfabric.Libfabric ", "provider.verbs.IbVerbs ",
        "provider.shm.SystemCalls ", "impl.process.FlightEvents$Types ",
        "sun.security.pkcs11.SunPKCS11 "));
    long signatures = before.stream().filter(line -> line.contains("jdk.internal.foreign.abi.DowncallStub/")).count();
    assertTrue(signatures <= 5,
      signatures + " signatures of C functions: there are two of Netty, control calls, others, and nio's transfers");
    assertEquals(TOLD + "echoed over nio", told.get(0));
    assertEquals(TOLD + "nio []", told.get(1), "the one that can be used comes first");
    assertTrue(told.contains(TOLD + "shm [not used, since fabric 'nio' is forced]"), told::toString);
  }

  @Test
  void whereTheKernelHasNoDeviceNoLibraryForSuchIsAsked() throws Exception {
    assumeTrue(!KernelDevices.mayHave("infiniband") && !KernelDevices.mayHave("cxi"), "this machine has devices");
    assumeTrue(System.getenv("VERTX_RDMA_VERBS") == null && System.getenv("VERTX_RDMA_LIBFABRIC") == null, "a library is named");
    List<String> lines = meet("any");
    List<String> before = lines.stream().takeWhile(line -> !line.startsWith(TOLD + "echoed over ")).toList();
    assertTrue(before.size() < lines.size(), lines::toString);
    assertEquals(List.of(), loaded(before, "provider.verbs.IbVerbs ", "provider.verbs.DeviceSearch ", "provider.verbs.RdmaCm ",
      "provider.libfabric.Libfabric ", "provider.libfabric.FabricDiscovery ", "provider.ffi.NativeLibrary "));
  }

  private List<String> meet(String fabric) throws Exception {
    return run(List.of("--enable-native-access=ALL-UNNAMED", "-Xlog:class+load"), Meeting.class, folder.resolve("directory").toString(),
      fabric);
  }

  /** Runs a process, which must succeed, and returns the lines that it prints. */
  static List<String> run(List<String> options, Class<?> main, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      List<String> lines = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertEquals(0, child.waitFor(), () -> lines.stream().filter(line -> !line.contains(" source: ")).toList().toString());
      return lines;
    } finally {
      child.destroyForcibly();
    }
  }

  private static List<String> loaded(List<String> lines, String... classes) {
    return lines.stream().filter(line -> Stream.of(classes).anyMatch(line::contains)).toList();
  }

  /** Two nodes of one process connect, and each asks for the fabrics. Arguments: the folder of the directory, a fabric or {@code any}. */
  static final class Meeting {
    private Meeting() {
    }

    public static void main(String[] arguments) throws Exception {
      RdmaOptions options = new RdmaOptions().setFabric(arguments[1].equals("any") ? null : arguments[1])
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(arguments[0]));
      Vertx one = Vertx.vertx();
      Vertx other = Vertx.vertx();
      Rdma server = Rdma.create(one, options);
      await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      Rdma client = Rdma.create(other, options);
      RdmaConnection connection = await(client.connect("echo"));
      Future<Buffer> echo = Future.future(promise -> connection.handler(promise::tryComplete));
      connection.write(Buffer.buffer("hello"));
      await(echo);
      System.out.println(TOLD + "echoed over " + connection.fabric().device());
      for (Rdma node : List.of(server, client)) {
        for (FabricInfo fabric : await(node.fabrics())) {
          System.out.println(TOLD + fabric.device() + " " + fabric.missing());
        }
      }
      await(other.close());
      await(one.close());
    }

  }
}
