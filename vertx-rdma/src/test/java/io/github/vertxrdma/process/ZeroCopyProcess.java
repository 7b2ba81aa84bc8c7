package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.List;

/** A process that sends zero-copy messages until it is killed, and reads none. Arguments: a folder, fabrics. */
final class ZeroCopyProcess {
  static final int SIZE = 1 << 20;

  private ZeroCopyProcess() {
  }

  public static void main(String[] args) throws Exception {
    Fabrics fabrics = new Fabrics(Vertx.vertx(), args[0], List.of(args).subList(1, args.length));
    for (String fabric : fabrics.names()) {
      RdmaConnection connection = await(fabrics.nodes().get(fabric).connect("zero-copy over " + fabric));
      connection.pause();
      connection.messageHandler(message -> {
      });
      send(connection);
    }
    System.out.println("ready");
    Thread.currentThread().join();
  }

  static byte[] bytes() {
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }

  static void send(RdmaConnection connection) {
    connection.allocate(SIZE).onSuccess(message -> {
      message.body().appendBytes(bytes());
      connection.write(message).onSuccess(v -> send(connection));
    });
  }
}
