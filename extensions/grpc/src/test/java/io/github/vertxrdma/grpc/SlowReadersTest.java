package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcWriteStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers that have stopped: the heap holds a window of messages for each, and a write queue for its writer. */
@Timeout(120)
class SlowReadersTest extends Nodes {
  private static final int STREAMS = 1_000;
  private static final int EACH = 30;
  private static final int WINDOW = 4;
  private static final int QUEUE = 8;
  private static final int SIZE = 4_096;
  /** Maximum bytes of a stream at both its sides, without its messages. */
  private static final int STREAM = 10_000;
  private static final Buffer MESSAGE = Buffer.buffer(new byte[SIZE]);

  private final AtomicInteger written = new AtomicInteger();

  private final class Writer {
    private final GrpcWriteStream<Buffer> stream;
    private int left = EACH;

    Writer(GrpcWriteStream<Buffer> stream) {
      this.stream = stream;
    }

    void pump(Void ready) {
      while (left > 0 && !stream.writeQueueFull()) {
        left--;
        written.incrementAndGet();
        stream.write(MESSAGE);
      }
      if (left == 0) {
        left = -1;
        stream.end();
      }
    }
  }

  private void write(GrpcWriteStream<Buffer> stream) {
    stream.setWriteQueueMaxSize(QUEUE);
    Writer writer = new Writer(stream);
    stream.drainHandler(writer::pump);
    writer.pump(null);
  }

  private void assertBounded(RdmaGrpcClient client, long before) throws Exception {
    until("all writers are held back", () -> written.get() >= STREAMS * (WINDOW + QUEUE));
    // Earlier messages have arrived when a later call is answered.
    assertEquals(MESSAGE, await(unary(client, "Echo", MESSAGE)));
    assertEquals(STREAMS * (WINDOW + QUEUE), written.get());
    // Messages in write queues share their bytes.
    long each = (Heap.used() - before) / STREAMS;
    System.out.println(each + " bytes for each of " + STREAMS + " slow readers, with a window of " + WINDOW * SIZE);
    assertTrue(each < WINDOW * SIZE + STREAM, each + " bytes for a stream with a window of " + WINDOW * SIZE);
  }

  private static long used(RdmaGrpcClient client) throws Exception {
    await(unary(client, "Echo", MESSAGE));
    return Heap.used();
  }

  private RdmaGrpcServer server() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions().setCallWindow(WINDOW).setMaxCalls(STREAMS + 1));
    serve(server, "Echo", call -> call.last().onSuccess(message -> call.response().end(message)));
    return server;
  }

  @Test
  void clientsThatDoNotReadBoundTheirServer() throws Exception {
    RdmaGrpcServer server = server();
    serve(server, "Many", call -> write(call.response()));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions().setCallWindow(WINDOW));
    long before = used(client);
    List<Future<GrpcClientResponse<Buffer, Buffer>>> calls = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      calls.add(call(client, "Many").compose(request -> {
        request.response().onSuccess(GrpcClientResponse::pause);
        return request.send(MESSAGE);
      }));
    }
    await(Future.all(calls));
    assertBounded(client, before);
    AtomicInteger read = new AtomicInteger();
    List<Future<Void>> ends = new ArrayList<>();
    for (Future<GrpcClientResponse<Buffer, Buffer>> call : calls) {
      ends.add(call.result().handler(message -> read.incrementAndGet()).resume().end());
    }
    await(Future.all(ends));
    assertEquals(STREAMS * EACH, read.get());
  }

  @Test
  void aServerThatDoesNotReadBoundsItsClient() throws Exception {
    RdmaGrpcServer server = server();
    List<Runnable> resumes = new ArrayList<>();
    AtomicInteger read = new AtomicInteger();
    serve(server, "Many", call -> {
      call.pause().handler(message -> read.incrementAndGet()).endHandler(v -> call.response().end(MESSAGE));
      synchronized (resumes) {
        resumes.add(call::resume);
      }
    });
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    long before = used(client);
    List<Future<Void>> ends = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      // On the context of the call, on which the drain handler writes too.
      ends.add(call(client, "Many").compose(request -> {
        write(request);
        return request.response().compose(GrpcClientResponse::end);
      }));
    }
    assertBounded(client, before);
    resumes.forEach(Runnable::run);
    await(Future.all(ends));
    assertEquals(STREAMS * EACH, read.get());
  }
}
