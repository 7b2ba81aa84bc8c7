package io.github.vertxrdma.examples;

import static io.github.vertxrdma.impl.support.Await.PATIENCE_MILLIS;
import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The server of docs/raw.adoc over a fabric, and its clients in Java and in C. */
public abstract class ShoutPair {
  private static final String WORDS = "hello, adapter";
  protected static final String HEARD = "HELLO, ADAPTER";
  private static final int AF_INET = 2;

  @TempDir
  Path folder;
  private Vertx server;
  private Vertx client;

  @BeforeEach
  void start() {
    server = Vertx.vertx();
    client = Vertx.vertx();
  }

  @AfterEach
  void stop() throws Exception {
    await(client.close());
    await(server.close());
  }

  private Future<RdmaDevice> open(Vertx vertx, String fabric) {
    return Rdma.create(vertx, new RdmaOptions().setFabric(fabric).setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString()))).openDevice(fabric);
  }

  private EndpointAddress serve(String fabric) throws Exception {
    Future<RdmaDevice> device = open(server, fabric);
    try {
      return await(device.compose(opened -> new Shout(opened).listen(null))).localAddress();
    } catch (ExecutionException e) {
      assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == Reason.UNSUPPORTED, e.getCause().getMessage());
      throw e;
    }
  }

  /** Returns the words that the client in Java receives. */
  protected String inJava(String fabric) throws Exception {
    EndpointAddress address = serve(fabric);
    String[] heard = new String[1];
    await(client.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        heard[0] = new ShoutClient(open(client, fabric).await()).shout(address, WORDS);
        return Future.succeededFuture();
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD)));
    return heard[0];
  }

  /**
   * Returns the words that the client in C receives, in this process.
   *
   * @param source docs/raw.adoc quotes it
   * @param libraries arguments of the C compiler that name libibverbs and librdmacm
   */
  protected String inC(String fabric, Path source, List<String> libraries) throws Exception {
    InetSocketAddress address = serve(fabric).toInet();
    Path library = folder.resolve("shout.so");
    List<String> command = new ArrayList<>(
      List.of("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", library.toString(),
        source.toString()));
    command.addAll(libraries);
    Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(compiler.getInputStream().readAllBytes());
    assertTrue(compiler.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS) && compiler.exitValue() == 0, said);
    try (Arena arena = Arena.ofConfined()) {
      // struct sockaddr_in
      MemorySegment to = arena.allocate(16, 8);
      to.set(ValueLayout.JAVA_SHORT, 0, (short) AF_INET);
      to.set(ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) address.getPort());
      MemorySegment.copy(address.getAddress().getAddress(), 0, to, ValueLayout.JAVA_BYTE, 4, 4);
      MemorySegment text = arena.allocate(Shout.SIZE, Shout.SIZE);
      text.setString(0, WORDS);
      int failed = (int) Linker.nativeLinker().downcallHandle(SymbolLookup.libraryLookup(library, arena).find("shout").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS)).invokeExact(to, text);
      assertEquals(0, failed, "what shout returned");
      return text.getString(0);
    } catch (Exception e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
