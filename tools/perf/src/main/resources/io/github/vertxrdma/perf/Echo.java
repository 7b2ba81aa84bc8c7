import com.sun.management.ThreadMXBean;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Measures messages and their echoes between two nodes of one process, on one event loop. Uses only the API that all compared builds have.
 * Prints for each round the nanoseconds of processor time and bytes of garbage of a message with its echo.
 */
public final class Echo {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int PATIENCE_SECONDS = 120;
  /** Echoes between two readings of the processor time. */
  private static final int BATCH = 1000;

  private final RdmaConnection connection;
  private final Buffer message;
  private final long warmUp;
  private final long nanos;
  private int rounds;
  private boolean warm;
  private long begun;
  private long allocated;
  private int echoes;
  private final Promise<Void> done = Promise.promise();

  private Echo(RdmaConnection connection, int size, long warmUp, long nanos, int rounds) {
    this.connection = connection;
    this.message = Buffer.buffer(new byte[size]);
    this.warmUp = warmUp;
    this.nanos = nanos;
    this.rounds = rounds;
  }

  /** @param arguments fabric, bytes, milliseconds of processor time to warm up and of a round, rounds, folder of the directory */
  public static void main(String[] arguments) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma server = node(vertx, arguments, "server");
    Rdma client = node(vertx, arguments, "client");
    await(server.createServer().connectHandler(accepted -> accepted.handler(accepted::write)).listen("echo"));
    RdmaConnection connection = await(client.connect("echo"));
    Echo echo = new Echo(connection, Integer.parseInt(arguments[1]), millis(arguments[2]), millis(arguments[3]),
      Integer.parseInt(arguments[4]));
    connection.handler(echo::arrived);
    connection.write(echo.message);
    await(echo.done.future());
    System.exit(0);
  }

  private static Rdma node(Vertx vertx, String[] arguments, String id) {
    return Rdma.create(vertx, new RdmaOptions(new JsonObject().put("fabric", arguments[0]).put("statistics", false).put("directory",
      new JsonObject().put("type", "same-host").put("nodeId", id).put("path", arguments[5]))));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static long millis(String text) {
    return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(text));
  }

  private void arrived(Buffer echo) {
    if (++echoes % BATCH == 0) {
      look(THREADS.getCurrentThreadCpuTime());
    }
    if (rounds > 0) {
      connection.write(message);
    }
  }

  private void look(long now) {
    if (warm && now - begun >= nanos) {
      System.out.println("round " + (double) (now - begun) / echoes + ' '
        + (double) (THREADS.getCurrentThreadAllocatedBytes() - allocated) / echoes);
      rounds--;
      begin();
    } else if (!warm && now >= warmUp) {
      warm = true;
      begin();
    }
    if (rounds == 0) {
      done.complete();
    }
  }

  private void begin() {
    echoes = 0;
    allocated = THREADS.getCurrentThreadAllocatedBytes();
    begun = THREADS.getCurrentThreadCpuTime();
  }
}
