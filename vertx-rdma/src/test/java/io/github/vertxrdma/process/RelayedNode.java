package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A node that serves payments, or the client of one, which pays once. Arguments: {@code serve} or what to pay, a fabric or {@code any}, a
 * folder for the directory, then names and values of system properties. Prints received payments, that many requests wait, and the
 * fabric or the reason of a refusal.
 */
public final class RelayedNode {
  /** System property with the node's id. */
  static final String ID = "relayed.id";
  /** System properties with the epoch of the node in whose place this one answers, and with that node's address. */
  static final String EPOCH = "relayed.epoch";
  static final String ADDRESS = "relayed.address";
  private static final int SECONDS = 20;
  private static final int STATISTICS_MILLIS = 50;
  private static final int MANY = 40;

  private RelayedNode() {
  }

  public static long epoch(NodeEntry self) {
    return Long.getLong(EPOCH);
  }

  public static byte[] binding(FabricAddress own) {
    EndpointAddress taken = EndpointAddress.of(System.getProperty(ADDRESS));
    return Cursor.writing(64).text(4, own.fabric()).text(4, taken.format()).block(4, taken.bytes()).toArray();
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 3; i < arguments.length; i += 2) {
      System.setProperty(arguments[i], arguments[i + 1]);
    }
    DirectoryOptions directory = new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(arguments[2]);
    if (System.getProperty(ID) != null) {
      directory.setNodeId(System.getProperty(ID));
    }
    RdmaOptions options = new RdmaOptions().setDirectory(directory);
    if (!arguments[1].equals("any")) {
      options.setFabric(arguments[1]);
    }
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma rdma = Rdma.create(vertx, options);
    if (arguments[0].equals("serve")) {
      await(rdma.createServer().connectHandler(connection -> connection.handler(payment -> {
        System.out.println("got " + payment);
        connection.write(Buffer.buffer("done: " + payment));
      })).listen("pay"));
      System.out.println("epoch " + await(rdma.directory()).epoch());
      System.out.println("serves");
      vertx.setPeriodic(STATISTICS_MILLIS, timer -> rdma.statistics().onSuccess(found -> {
        if (found.devices().getFirst().deferred() > MANY && vertx.cancelTimer(timer)) {
          System.out.println("requests wait");
        }
      }));
      new LinkedBlockingQueue<>().take();
    }
    BlockingQueue<Buffer> answers = new LinkedBlockingQueue<>();
    try {
      RdmaConnection connection = await(rdma.connect("pay", new RdmaConnectOptions().setReconnectAttempts(0))).handler(answers::add);
      connection.write(Buffer.buffer(arguments[0]));
      Buffer answer = answers.poll(SECONDS, TimeUnit.SECONDS);
      System.out.println("fabric " + connection.fabric().provider());
      System.out.println("got " + answer);
    } catch (ExecutionException e) {
      System.out
        .println("refused " + (e.getCause() instanceof RdmaException cause ? cause.reason() + " " : "") + e.getCause().getMessage());
    }
    System.exit(0);
  }
}
