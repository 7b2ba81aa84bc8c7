package io.github.vertxrdma.functions;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A worker that sends the protocol by hand, so that it can break it. */
final class RawWorker {
  private final BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
  private final BlockingQueue<Long> cancelled = new LinkedBlockingQueue<>();
  final Queue<Long> reads = new ConcurrentLinkedQueue<>();
  private volatile RdmaConnection caller;

  private RawWorker() {
  }

  static RawWorker listen(Rdma rdma, String name) throws Exception {
    RawWorker worker = new RawWorker();
    MemoryRegion input = Nodes.await(rdma.createRegion(new RegionOptions().setSize(1 << 20).setAccess(RegionAccess.WRITE)));
    Nodes.await(rdma.createServer().connectHandler(connection -> worker.connected(connection, input)).listen(name));
    return worker;
  }

  private void connected(RdmaConnection connection, MemoryRegion input) {
    caller = connection;
    connection.handler(message -> {
      if (message.getByte(0) == 8) {
        calls.add(message.getLongLE(9));
      } else if (message.getByte(0) == 2) {
        cancelled.add(message.getLongLE(1));
      } else if (message.getByte(0) == 7) {
        reads.add(message.getLongLE(9));
      }
    });
    connection.grant(input, Set.of(RegionAccess.WRITE), null);
  }

  long called() throws InterruptedException {
    return next(calls, "was not called");
  }

  long cancelled() throws InterruptedException {
    return next(cancelled, "nothing was cancelled");
  }

  private static long next(BlockingQueue<Long> queue, String otherwise) throws InterruptedException {
    Long next = queue.poll(20, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError(otherwise);
    }
    return next;
  }

  void pause() {
    caller.pause();
  }

  void resume() {
    caller.resume();
  }

  void part(long id, Buffer part) {
    caller.write(Buffer.buffer().appendByte((byte) 6).appendLongLE(id).appendBuffer(part));
  }

  void result(long id, long parts, String result) {
    Buffer bytes = Buffer.buffer(result);
    caller.write(Buffer.buffer().appendByte((byte) 9).appendLongLE(id).appendIntLE(0).appendIntLE(bytes.length()).appendLongLE(1_000)
      .appendLongLE(parts).appendBuffer(bytes));
  }

  void ends(String words) {
    caller
      .write(Buffer.buffer().appendByte((byte) 4).appendByte((byte) FunctionException.Reason.WORKER_LOST.ordinal()).appendString(words));
  }

  void cut() {
    caller.shutdown(Duration.ofMillis(1));
  }

  void leave() throws Exception {
    Nodes.await(caller.close());
  }
}
