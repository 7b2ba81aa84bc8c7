package io.github.vertxrdma.process;

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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LeanStartTest {
  private static final String TOLD = "told: ";

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
    Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
      "--enable-native-access=ALL-UNNAMED", "-Xlog:class+load", "-cp", System.getProperty("java.class.path"), Meeting.class.getName(),
      folder.resolve("directory").toString(), fabric).redirectErrorStream(true).start();
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

  static final class Meeting {
    private Meeting() {
    }

    public static void main(String[] arguments) throws Exception {
      RdmaOptions options = new RdmaOptions().setFabric(arguments[1].equals("any") ? null : arguments[1])
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(arguments[0]));
      Vertx one = Vertx.vertx();
      Vertx other = Vertx.vertx();
      await(Rdma.create(one, options).createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      Rdma client = Rdma.create(other, options);
      RdmaConnection connection = await(client.connect("echo"));
      Future<Buffer> echo = Future.future(promise -> connection.handler(promise::tryComplete));
      connection.write(Buffer.buffer("hello"));
      await(echo);
      System.out.println(TOLD + "echoed over " + connection.fabric().device());
      for (FabricInfo fabric : await(client.fabrics())) {
        System.out.println(TOLD + fabric.device() + " " + fabric.missing());
      }
      await(other.close());
      await(one.close());
    }

    private static <T> T await(Future<T> future) throws Exception {
      return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }
}
