package io.github.vertxrdma.perf.work;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.perf.work.TimedOperations.Exchange;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExchangeTest {
  private static final long TIME = MILLISECONDS.toNanos(50);
  private static final int SIZE = 8;

  private final TcpMessages end = new TcpMessages(new Setup("tcp", "latency", "none", 1, 1, "", 0, new JsonObject()));

  @AfterEach
  void close() throws Exception {
    end.close();
  }

  /** A reply of the first run that arrives in the second would make the number of requests in flight negative, and no run would end. */
  @Test
  void runsEndWithTheirOwnReplies() throws Exception {
    int port = End.await(end.server.connectHandler(socket -> socket.handler(socket::write)).listen(0, End.HOST)).actualPort();
    NetSocket socket = end.onContext(() -> end.client.connect(port, End.HOST));
    end.everyMillis = 1;
    for (int run = 0; run < 3; run++) {
      Sample sample = exchange(socket);
      assertTrue(sample.messages() > 0, "run " + run);
    }
  }

  private Sample exchange(NetSocket socket) throws Exception {
    Exchange exchange = new Exchange(end, socket::write, SIZE, 1);
    end.onContext(() -> {
      socket.handler(new Replies(exchange));
      return Future.succeededFuture();
    });
    end.context.runOnContext(v -> LockSupport.parkNanos(TIME));
    return TimedOperations.run(end, SIZE, TIME, exchange.operations());
  }

  private static final class Replies implements Handler<Buffer> {
    private final Exchange exchange;
    private int bytes;

    Replies(Exchange exchange) {
      this.exchange = exchange;
    }

    @Override
    public void handle(Buffer part) {
      for (bytes += part.length(); bytes >= SIZE; bytes -= SIZE) {
        exchange.replied();
      }
    }
  }
}
