package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Messages over connections: there and back, or one way. */
final class RdmaMessages extends RdmaEnd {
  private final boolean oneWay;
  /** Whether messages lie in registered memory at both ends, where the application makes and releases them. */
  private final boolean zeroCopy;
  private final List<RdmaConnection> connections = new ArrayList<>();
  private volatile boolean closing;

  RdmaMessages(Setup setup) {
    super(setup);
    this.oneWay = !setup.mode().equals("latency");
    this.zeroCopy = setup.options().getBoolean("zeroCopy", false);
  }

  @Override
  public JsonObject serve() throws Exception {
    onContext(() -> rdma.createServer().connectHandler(c -> {
      if (oneWay) {
        Sink sink = new Sink(c);
        if (zeroCopy) {
          c.zeroCopyHandler(message -> {
            sink.handle(message.body());
            message.release();
          });
        } else {
          c.handler(sink);
        }
      } else {
        c.handler(c::write);
      }
    }).listen(NAME));
    return nothing();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    for (int i = 0; i < setup.connections(); i++) {
      RdmaConnection connection = onContext(() -> rdma.connect(NAME));
      connection.exceptionHandler(cause -> {
        if (!closing) {
          cause.printStackTrace();
        }
      });
      connections.add(connection);
    }
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (oneWay) {
      return Bursts.run(size, nanos, connections.size(), (bytes, count) -> Future.all(connections.stream()
        .map(connection -> new Stream(connection, bytes, count).start()).toList()));
    }
    Histogram histogram = Sample.histogram();
    long[] ended = {0};
    long begin = System.nanoTime();
    List<Future<Long>> all = new ArrayList<>();
    for (RdmaConnection connection : connections) {
      Exchange exchange = new Exchange(connection, Buffer.buffer(new byte[size]), setup.window(), begin + nanos, histogram);
      context.runOnContext(v -> exchange.start());
      all.add(exchange.done.future());
    }
    for (Future<Long> each : all) {
      ended[0] = Math.max(ended[0], Await.await(each));
    }
    return Sample.of(histogram, ended[0] - begin, size);
  }

  @Override
  public void close() throws Exception {
    closing = true;
    super.close();
  }

  /** A client's side of messages that come back. */
  private static final class Exchange implements Handler<Buffer> {
    private final RdmaConnection connection;
    private final Buffer message;
    private final long end;
    private final Histogram histogram;
    private final long[] sent;
    private int first;
    private int running;
    final Promise<Long> done = Promise.promise();

    Exchange(RdmaConnection connection, Buffer message, int window, long end, Histogram histogram) {
      this.connection = connection;
      this.message = message;
      this.sent = new long[window];
      this.end = end;
      this.histogram = histogram;
    }

    void start() {
      connection.handler(this);
      running = sent.length;
      for (int i = 0; i < sent.length; i++) {
        sent[i] = System.nanoTime();
        connection.write(message);
      }
    }

    @Override
    public void handle(Buffer echo) {
      long now = System.nanoTime();
      histogram.recordValue(now - sent[first]);
      if (now - end < 0) {
        sent[first] = now;
        connection.write(message);
      } else if (--running == 0) {
        done.complete(now);
      }
      if (++first == sent.length) {
        first = 0;
      }
    }
  }

  /** A client's side of a burst: first how many follow, then those. */
  private final class Stream {
    private final RdmaConnection connection;
    private final int size;
    private final Buffer message;
    private final Promise<Void> done = Promise.promise();
    private long left;

    Stream(RdmaConnection connection, int size, long count) {
      this.connection = connection;
      this.size = size;
      this.message = Buffer.buffer(new byte[size]);
      this.left = count;
    }

    Future<Void> start() {
      context.runOnContext(v -> {
        connection.handler(reply -> done.complete());
        connection.drainHandler(drained -> pump());
        connection.write(Buffer.buffer().appendLong(left));
        pump();
      });
      return done.future();
    }

    private void pump() {
      while (left > 0 && !connection.writeQueueFull()) {
        left--;
        if (zeroCopy) {
          connection.allocate(size).onComplete(this::write, done::tryFail);
        } else {
          connection.write(message);
        }
      }
    }

    /** As long as it is to be, of whatever it was before: the peers fill no messages either. */
    private void write(RdmaMessage made) {
      if (size > 0) {
        made.body().setByte(size - 1, (byte) 0);
      }
      connection.write(made);
    }
  }

  /** A server's side of bursts. */
  private static final class Sink implements Handler<Buffer> {
    private static final Buffer ALL = Buffer.buffer(new byte[1]);

    private final RdmaConnection connection;
    private long left;

    Sink(RdmaConnection connection) {
      this.connection = connection;
    }

    @Override
    public void handle(Buffer message) {
      if (left == 0) {
        left = message.getLong(0);
      } else if (--left == 0) {
        connection.write(ALL);
      }
    }
  }
}
