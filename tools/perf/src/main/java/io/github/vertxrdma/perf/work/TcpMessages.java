package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.perf.work.TimedOperations.Exchange;
import io.github.vertxrdma.perf.work.TimedOperations.Operation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes over NetSockets, with replies or one way. The first 16 bytes contain the size of requests, the size of replies, and the number of
 * requests for each reply.
 */
final class TcpMessages extends End {
  private static final int HEAD = 16;

  final NetClient client = vertx.createNetClient();
  final NetServer server = vertx.createNetServer();

  TcpMessages(Setup setup) {
    super(setup);
  }

  @Override
  public void serve() throws Exception {
    server.connectHandler(socket -> socket.handler(new RequestReader(socket, Bytes.of(setup))));
    await(server.listen(setup.port(), HOST));
  }

  @Override
  public void connect() throws Exception {
    await(client.connect(setup.port(), HOST).compose(NetSocket::close));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    List<NetSocket> sockets = new ArrayList<>();
    for (int i = 0; i < setup.connections(); i++) {
      sockets.add(onContext(() -> client.connect(setup.port(), HOST)));
    }
    Sample sample = switch (setup.mode()) {
      case "rate" -> Bursts.run(size, nanos, sockets.size(), (bytes, count) -> Future.all(sockets.stream()
        .map(socket -> burst(socket, bytes, count)).toList()));
      case "read" -> exchange(sockets, 16, size, size, nanos);
      case "write" -> exchange(sockets, size, 8, size, nanos);
      case "atomic" -> exchange(sockets, 24, 8, 8, nanos);
      default -> exchange(sockets, size, size, size, nanos);
    };
    for (NetSocket socket : sockets) {
      await(socket.close());
    }
    return sample;
  }

  private Future<Void> burst(NetSocket socket, int size, long count) {
    Buffer message = Buffer.buffer(new byte[size]);
    boolean touch = setup.has("touch");
    return Bursts.send(context, socket, socket, head(size, 1, count), count,
      failed -> socket.write(touch ? Bytes.filled(size) : message));
  }

  private Sample exchange(List<NetSocket> sockets, int request, int reply, int size, long nanos) throws Exception {
    List<Operation> all = new ArrayList<>();
    for (NetSocket socket : sockets) {
      Exchange exchange = new Exchange(this, socket::write, request, setup.window());
      int[] have = {0};
      socket.handler(bytes -> {
        have[0] += bytes.length();
        while (have[0] >= reply && exchange.isRunning()) {
          have[0] -= reply;
          exchange.replied();
        }
      });
      socket.write(head(request, reply, 1));
      all.addAll(exchange.operations());
    }
    return TimedOperations.run(this, size, nanos, all);
  }

  private static Buffer head(int request, int reply, long requests) {
    return Buffer.buffer(HEAD).appendInt(request).appendInt(reply).appendLong(requests);
  }

  private static final class RequestReader implements Handler<Buffer> {
    private final NetSocket socket;
    private final Bytes bytes;
    private Buffer head = Buffer.buffer(HEAD);
    private Buffer reply;
    private long each;
    private long requests;
    private long have;

    RequestReader(NetSocket socket, Bytes bytes) {
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
