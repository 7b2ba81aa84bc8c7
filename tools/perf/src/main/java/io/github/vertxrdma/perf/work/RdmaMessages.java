package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.perf.work.TimedOperations.Exchange;
import io.github.vertxrdma.perf.work.TimedOperations.Operation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

final class RdmaMessages extends End {
  private final boolean oneWay;
  /** True if messages are created in registered memory and read in place. */
  private final boolean zeroCopy;
  /** True if sent messages are filled and received ones added up. */
  private final boolean touch;
  /** True if at most one message waits to be sent, so that messages are not coalesced. */
  private final boolean apart;
  private final List<RdmaConnection> connections = new ArrayList<>();
  private volatile boolean closing;

  RdmaMessages(Setup setup) {
    super(setup);
    this.oneWay = !setup.mode().equals("latency");
    this.zeroCopy = setup.has("zeroCopy");
    this.touch = setup.has("touch");
    this.apart = setup.has("apart");
  }

  @Override
  public void serve() throws Exception {
    onContext(() -> rdma().createServer().connectHandler(c -> {
      if (oneWay) {
        Sink sink = new Sink(c, Bytes.of(setup));
        if (zeroCopy) {
          c.messageHandler(message -> sink.segment(message.segment()));
        } else {
          c.handler(sink);
        }
      } else {
        c.handler(c::write);
      }
    }).listen(NAME));
  }

  @Override
  public void connect() throws Exception {
    for (int i = 0; i < setup.connections(); i++) {
      RdmaConnection connection = onContext(() -> rdma().connect(NAME));
      connection.exceptionHandler(cause -> {
        if (!closing) {
          cause.printStackTrace();
        }
      });
      if (apart) {
        connection.setWriteQueueMaxSize(1);
      }
      connections.add(connection);
    }
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (oneWay) {
      return Bursts.run(size, nanos, connections.size(), (bytes, count) -> Future.all(connections.stream()
        .map(connection -> burst(connection, bytes, count)).toList()));
    }
    List<Operation> all = new ArrayList<>();
    for (RdmaConnection connection : connections) {
      Exchange exchange = new Exchange(this, connection::write, size, setup.window());
      connection.handler(echo -> exchange.replied());
      all.addAll(exchange.operations());
    }
    return TimedOperations.run(this, size, nanos, all);
  }

  private Future<Void> burst(RdmaConnection connection, int size, long count) {
    Buffer message = Buffer.buffer(new byte[size]);
    return Bursts.send(context, connection, connection, Buffer.buffer().appendLong(count), count, zeroCopy
      ? failed -> connection.allocate(size).onComplete(made -> write(connection, made, size), failed)
      : failed -> connection.write(touch ? Bytes.filled(size) : message));
  }

  /** Writes only the last byte, which sets the length, because most compared programs do not fill messages. */
  private void write(RdmaConnection connection, RdmaMessage made, int size) {
    if (size > 0) {
      made.body().setByte(size - 1, (byte) 0);
    }
    if (touch) {
      Bytes.fill(made.body());
    }
    connection.write(made);
  }

  @Override
  public void close() throws Exception {
    closing = true;
    super.close();
  }

  private static final class Sink implements Handler<Buffer> {
    private static final Buffer ALL = Buffer.buffer(new byte[1]);
    private static final ValueLayout.OfLong COUNT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final RdmaConnection connection;
    private final Bytes bytes;
    private long left;

    Sink(RdmaConnection connection, Bytes bytes) {
      this.connection = connection;
      this.bytes = bytes;
    }

    @Override
    public void handle(Buffer message) {
      if (left == 0) {
        left = message.getLong(0);
      } else {
        taken(bytes == null ? null : Bytes.memory(message));
      }
    }

    void segment(MemorySegment message) {
      if (left == 0) {
        left = message.get(COUNT, 0);
      } else {
        taken(message);
      }
    }

    private void taken(MemorySegment message) {
      if (bytes != null) {
        bytes.addMessage(message);
      }
      if (--left == 0) {
        connection.write(ALL);
      }
    }
  }
}
