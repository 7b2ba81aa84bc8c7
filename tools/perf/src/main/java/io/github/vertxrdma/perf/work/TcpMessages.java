package io.github.vertxrdma.perf.work;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Bytes over NetSockets, with replies or one way. The first 16 bytes contain the size of requests, the size of replies, and the number of
 * requests for each reply.
 */
final class TcpMessages extends TcpEnd {
  private static final int HEAD = 16;

  TcpMessages(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    server.connectHandler(socket -> socket.handler(new WorkerAnswers(socket, Bytes.of(setup))));
    FutureAwait.await(server.listen(setup.port(), HOST));
    return nothing();
  }

  @Override
  public void connect(JsonObject ignored) throws Exception {
    FutureAwait.await(client.connect(setup.port(), HOST).compose(NetSocket::close));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    return switch (setup.mode()) {
      case "rate" -> stream(size, nanos);
      case "read" -> exchange(16, size, size, nanos);
      case "write" -> exchange(size, 8, size, nanos);
      case "atomic" -> exchange(24, 8, 8, nanos);
      default -> exchange(size, size, size, nanos);
    };
  }

  private Sample stream(int size, long nanos) throws Exception {
    List<NetSocket> sockets = new ArrayList<>();
    for (int i = 0; i < setup.connections(); i++) {
      sockets.add(open());
    }
    Sample sample = Bursts.run(size, nanos, sockets.size(), (bytes, count) -> Future.all(sockets.stream()
      .map(socket -> burst(socket, bytes, count)).toList()));
    for (NetSocket socket : sockets) {
      FutureAwait.await(socket.close());
    }
    return sample;
  }

  private NetSocket open() throws Exception {
    Promise<NetSocket> opened = Promise.promise();
    context.runOnContext(v -> client.connect(setup.port(), HOST).onComplete(opened));
    return FutureAwait.await(opened.future());
  }

  private Future<Void> burst(NetSocket socket, int size, long count) {
    Buffer message = Buffer.buffer(new byte[size]);
    boolean touch = setup.has("touch");
    return Bursts.send(context, socket, socket, head(size, 1, count), count,
      failed -> socket.write(touch ? Bytes.filled(size) : message));
  }

  private Sample exchange(int request, int reply, int size, long nanos) throws Exception {
    Histogram histogram = Sample.histogram();
    List<NetSocket> sockets = new ArrayList<>();
    List<Exchange> all = new ArrayList<>();
    for (int i = 0; i < setup.connections(); i++) {
      NetSocket socket = open();
      Exchange exchange = new Exchange(socket::write, request, setup.window(), histogram);
      socket.handler(new Replies(exchange, reply));
      socket.write(head(request, reply, 1));
      sockets.add(socket);
      all.add(exchange);
    }
    Sample sample = Exchange.run(this, all, histogram, size, nanos);
    for (NetSocket socket : sockets) {
      FutureAwait.await(socket.close());
    }
    return sample;
  }

  private static Buffer head(int request, int reply, long requests) {
    return Buffer.buffer(HEAD).appendInt(request).appendInt(reply).appendLong(requests);
  }

  private static final class Replies implements Handler<Buffer> {
    private final Exchange exchange;
    private final int size;
    private int have;

    Replies(Exchange exchange, int size) {
      this.exchange = exchange;
      this.size = size;
    }

    @Override
    public void handle(Buffer bytes) {
      have += bytes.length();
      while (have >= size && exchange.isRunning()) {
        have -= size;
        exchange.replied();
      }
    }
  }

  private static final class WorkerAnswers implements Handler<Buffer> {
    private final NetSocket socket;
    private final Bytes bytes;
    private Buffer head = Buffer.buffer(HEAD);
    private Buffer reply;
    private long each;
    private long requests;
    private long have;

    WorkerAnswers(NetSocket socket, Bytes bytes) {
      this.socket = socket;
      this.bytes = bytes;
    }

    @Override
    public void handle(Buffer part) {
      if (bytes != null) {
        bytes.add(part);
      }
      int from = 0;
      if (reply == null) {
        from = Math.min(HEAD - head.length(), part.length());
        head.appendBuffer(part, 0, from);
        if (head.length() < HEAD) {
          return;
        }
        reply = Buffer.buffer(new byte[head.getInt(4)]);
        requests = head.getLong(8);
        each = head.getInt(0) * requests;
        head = Buffer.buffer(HEAD);
      }
      have += part.length() - from;
      while (have >= each) {
        have -= each;
        socket.write(reply);
        if (requests > 1) {
          // After a burst, another head follows.
          reply = null;
          return;
        }
      }
    }
  }
}
