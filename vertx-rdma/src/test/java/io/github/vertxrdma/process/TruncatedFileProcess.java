package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.base.MemoryFaultException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node with one event loop shares a mapped file and echoes, and another node uses both when the file is truncated. Arguments: a folder, a
 * fabric, the number of operations before. Prints the result of each operation on the file, and whether everything else continued.
 */
final class TruncatedFileProcess {
  private static final int SIZE = 1 << 20;
  static final int OWN_ACCESSES = 120;

  private final Rdma client;
  private final AtomicLong echoes = new AtomicLong();

  private TruncatedFileProcess(Rdma client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    String fabric = arguments[1];
    Vertx serving = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Vertx calling = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma server = new Fabrics(serving, folder.toString(), List.of(fabric)).nodes().get(fabric);
    Rdma client = new Fabrics(calling, folder.toString(), List.of(fabric)).nodes().get(fabric);
    if (server == null || client == null) {
      System.out.println("skipped");
      System.exit(0);
    }
    try (Arena arena = Arena.ofShared();
      FileChannel file = FileChannel.open(Files.createTempFile(folder, "mapped", ""), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      MemoryRegion shared = await(server.createRegion(mapped, new RegionOptions().setName("mapped").setAccess(RegionAccess.values())));
      await(server.createRegion(new RegionOptions().setName("plain").setSize(SIZE).setAccess(RegionAccess.values())));
      await(server.createServer().connectHandler(connection -> connection.handler(connection::write)).listen("echo"));
      new TruncatedFileProcess(client).run(file, shared, Integer.parseInt(arguments[2]));
    }
    System.exit(0);
  }

  private void run(FileChannel file, MemoryRegion shared, int operations) throws Exception {
    RdmaConnection innocent = connect();
    use(innocent, operations);
    RemoteRegion mapped = await(client.openRegion("mapped"));
    for (int i = 0; i < operations; i++) {
      await(mapped.read(0, 64 + i % 5000));
      await(mapped.write(8, Buffer.buffer("x")));
      await(mapped.fetchAndAdd(0, 1));
      useOwn(shared, i);
    }
    file.truncate(0);
    tellOwn(shared);
    tell("own addition", shared.fetchAndAdd(4096, 1));
    tell("own exchange", shared.compareAndExchange(4096, 0, 1));
    tell("read", mapped.read(0, 64));
    tell("long read", reopened("mapped").read(0, SIZE));
    tell("write", reopened("mapped").write(8, Buffer.buffer("words")));
    tell("long write", reopened("mapped").write(8, Buffer.buffer(new byte[SIZE / 2])));
    tell("word", reopened("mapped").fetchAndAdd(0, 1));
    tell("notified write", reopened("mapped").writeNotify(8, Buffer.buffer("words"), 1));
    use(innocent, 100);
    use(connect(), 100);
    System.out.println("plain " + await(reopened("plain").read(0, 64)).length());
    System.out.println("went on");
  }

  private static void useOwn(MemoryRegion own, int i) throws Exception {
    own.write(4096, own.read(4096, 64 + i % 5000));
    own.getAcquire(4096);
    await(own.fetchAndAdd(4096, 1));
    own.putRecord(16384, Buffer.buffer("a record"));
    own.getRecord(16384);
  }

  private static void tellOwn(MemoryRegion own) {
    List<Runnable> accesses = List.of(() -> own.read(4096, 64), () -> own.read(0, SIZE), () -> own.write(4096, Buffer.buffer("words")),
      () -> own.getAcquire(4096), () -> own.putRecord(16384, Buffer.buffer("words")), () -> own.getRecord(16384));
    int failed = 0;
    for (int i = 0; i < OWN_ACCESSES; i++) {
      try {
        accesses.get(i % accesses.size()).run();
      } catch (MemoryFaultException e) {
        failed++;
      }
    }
    System.out.println("own accesses that failed: " + failed);
  }

  private RdmaConnection connect() throws Exception {
    return await(client.connect("echo", new RdmaConnectOptions().setReconnectAttempts(0))).handler(back -> echoes.incrementAndGet());
  }

  private void use(RdmaConnection connection, int messages) {
    for (int i = 0; i < messages; i++) {
      long before = echoes.get();
      connection.write(Buffer.buffer("words"));
      until("an echo", () -> echoes.get() > before);
    }
  }

  private RemoteRegion reopened(String name) throws Exception {
    for (int attempt = 0;; attempt++) {
      try {
        return await(client.openRegion(name));
      } catch (ExecutionException e) {
        if (attempt == 20) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(Duration.ofMillis(50).toMillis());
      }
    }
  }

  private static void tell(String what, Future<?> done) throws InterruptedException {
    String became;
    try {
      done.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
      became = "succeeded";
    } catch (ExecutionException e) {
      became = "failed";
    } catch (TimeoutException e) {
      became = "has no end";
    }
    System.out.println(what + ": " + became);
  }
}
