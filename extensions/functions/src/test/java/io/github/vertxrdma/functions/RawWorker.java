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

/** A worker that speaks the protocol by hand, so that it can break it. */
final class RawWorker {
  /** Invocations that came as messages. */
  private final BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
  /** Invocations that were cancelled. */
  private final BlockingQueue<Long> cancelled = new LinkedBlockingQueue<>();
  /** Bytes of parts that were read, as the caller told. */
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

  /** The next invocation. */
  long called() throws InterruptedException {
    return next(calls, "was not called");
  }

  /** The next invocation that nobody waits for any more. */
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

  /** @param parts that it says it has sent */
  void result(long id, long parts, String result) {
    Buffer bytes = Buffer.buffer(result);
    caller.write(Buffer.buffer().appendByte((byte) 9).appendLongLE(id).appendIntLE(0).appendIntLE(bytes.length()).appendLongLE(1_000)
      .appendLongLE(parts).appendBuffer(bytes));
  }

  /** Says that it serves no more, and why. */
  void ends(String words) {
    caller
      .write(Buffer.buffer().appendByte((byte) 4).appendByte((byte) FunctionException.Reason.WORKER_LOST.ordinal()).appendString(words));
  }

  /** Ends its connection at once. */
  void cut() {
    caller.shutdown(Duration.ofMillis(1));
  }

  /** Is gone, once the caller has what it sent. */
  void leave() throws Exception {
    Nodes.await(caller.close());
  }
}
