package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Process with a small heap that pauses connections with private data until it reads a byte. Arguments: a folder, a fabric. */
final class LargeReader {
  static final int SIZE = 40_000_000;
  private static final Buffer EXPECTED = Buffer.buffer(bytes());
  private static final List<RdmaConnection> PAUSED = new ArrayList<>();

  private LargeReader() {
  }

  static byte[] bytes() {
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }

  private static synchronized void accepted(RdmaConnection connection) {
    if (connection.privateData().length() == 0) {
      connection.handler(connection::write);
      return;
    }
    PAUSED.add(connection.pause());
    connection.handler(message -> System.out.println("got " + message.equals(EXPECTED)));
  }

  private static synchronized void resume() {
    PAUSED.forEach(RdmaConnection::resume);
  }

  public static void main(String[] args) throws Exception {
    Rdma node = new Fabrics(Vertx.vertx(), args[0], List.of(args[1])).nodes().get(args[1]);
    await(node.createServer().connectHandler(LargeReader::accepted).listen("reader"));
    System.out.println("ready");
    while (System.in.read() >= 0) {
      resume();
    }
  }
}
