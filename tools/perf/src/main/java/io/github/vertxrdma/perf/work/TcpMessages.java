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
 * Bytes over NetSockets: requests and replies of known sizes, or one way. A connection's first 16 bytes say what follows: the size of
 * requests, that of replies, and how many requests are answered by one reply.
 */
final class TcpMessages extends TcpEnd {
  private static final int HEAD = 16;

  TcpMessages(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    server.connectHandler(socket -> socket.handler(new Answers(socket)));
    Await.await(server.listen(setup.port(), HOST));
    return new JsonObject();
  }

  @Override
  public void connect(JsonObject ignored) throws Exception {
    Await.await(client.connect(setup.port(), HOST).compose(NetSocket::close));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    return switch (setup.mode()) {
      case "bandwidth", "rate" -> stream(size, nanos);
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
      .map(socket -> new Stream(socket, Buffer.buffer(new byte[bytes]), count).start()).toList()));
    for (NetSocket socket : sockets) {
      Await.await(socket.close());
    }
    return sample;
  }

  private NetSocket open() throws Exception {
    Promise<NetSocket> opened = Promise.promise();
    context.runOnContext(v -> client.connect(setup.port(), HOST).onComplete(opened));
    return Await.await(opened.future());
  }

  private Sample exchange(int request, int reply, int size, long nanos) throws Exception {
    Histogram histogram = Sample.histogram();
    List<Exchange> all = new ArrayList<>();
    for (int i = 0; i < setup.connections(); i++) {
      all.add(new Exchange(open(), request, reply, setup.window(), histogram));
    }
    long begin = System.nanoTime();
    long end = begin;
    all.forEach(each -> context.runOnContext(v -> each.start(begin + nanos)));
    for (Exchange each : all) {
      end = Math.max(end, Await.await(each.done.future()));
      Await.await(each.socket.close());
    }
    return Sample.of(histogram, end - begin, size);
  }

  private static Buffer head(int request, int reply, long requests) {
    return Buffer.buffer(HEAD).appendInt(request).appendInt(reply).appendLong(requests);
  }

  /** A client's side of requests and replies. */
  private static final class Exchange implements Handler<Buffer> {
    private final NetSocket socket;
    private final Buffer request;
    private final Histogram histogram;
    private final int replySize;
    private final long[] sent;
    private final Promise<Long> done = Promise.promise();
    private long end;
    private int first;
    private int running;
    private int have;

    Exchange(NetSocket socket, int requestSize, int replySize, int window, Histogram histogram) {
      this.socket = socket;
      this.request = Buffer.buffer(new byte[requestSize]);
      this.replySize = replySize;
      this.sent = new long[window];
      this.histogram = histogram;
    }

    void start(long until) {
      end = until;
      socket.handler(this);
      socket.write(head(request.length(), replySize, 1));
      running = sent.length;
      for (int i = 0; i < sent.length; i++) {
        sent[i] = System.nanoTime();
        socket.write(request);
      }
    }

    @Override
    public void handle(Buffer bytes) {
      have += bytes.length();
      while (have >= replySize && running > 0) {
        have -= replySize;
        long now = System.nanoTime();
        histogram.recordValue(now - sent[first]);
        if (now - end < 0) {
          sent[first] = now;
          socket.write(request);
        } else if (--running == 0) {
          done.complete(now);
        }
        if (++first == sent.length) {
          first = 0;
        }
      }
    }
  }

  /** A client's side of a burst. */
  private final class Stream {
    private final NetSocket socket;
    private final Buffer message;
    private final long count;
    private long left;
    private final Promise<Void> done = Promise.promise();

    Stream(NetSocket socket, Buffer message, long count) {
      this.socket = socket;
      this.message = message;
      this.count = count;
      this.left = count;
    }

    Future<Void> start() {
      context.runOnContext(v -> {
        socket.handler(reply -> done.complete());
        socket.drainHandler(drained -> pump());
        socket.write(head(message.length(), 1, count));
        pump();
      });
      return done.future();
    }

    private void pump() {
      while (left > 0 && !socket.writeQueueFull()) {
        left--;
        socket.write(message);
      }
    }
  }

  /** A server's side: answers every so many bytes. */
  private static final class Answers implements Handler<Buffer> {
    private final NetSocket socket;
    private Buffer head = Buffer.buffer(HEAD);
    private Buffer reply;
    private long each;
    private long requests;
    private long have;

    Answers(NetSocket socket) {
      this.socket = socket;
    }

    @Override
    public void handle(Buffer bytes) {
      int from = 0;
      if (reply == null) {
        from = Math.min(HEAD - head.length(), bytes.length());
        head.appendBuffer(bytes, 0, from);
        if (head.length() < HEAD) {
          return;
        }
        reply = Buffer.buffer(new byte[head.getInt(4)]);
        requests = head.getLong(8);
        each = head.getInt(0) * requests;
        head = Buffer.buffer(HEAD);
      }
      have += bytes.length() - from;
      while (have >= each) {
        have -= each;
        socket.write(reply);
        if (requests > 1) {
          // A burst is over; another head follows.
          reply = null;
          return;
        }
      }
    }
  }
}
