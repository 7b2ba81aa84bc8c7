package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An event loop that receives a long message and sends it back allocates it once. */
@Timeout(120)
class LargeMessagesTest extends Nodes {
  private static final int SIZE = 1 << 20;
  private static final int CALLS = 20;

  // Only the default compiler removes temporary objects.
  @Tag("alone")
  @Tag("full")
  @Test
  void echoedMessageIsAllocatedOnce() throws Exception {
    Node serving = node();
    Promise<Long> thread = Promise.promise();
    RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> {
      thread.tryComplete(Thread.currentThread().threadId());
      call.handler(call.response()::end);
    });
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    byte[] bytes = new byte[SIZE];
    for (int i = 0; i < SIZE; i++) {
      bytes[i] = (byte) (i * 31 >> 3);
    }
    Buffer message = Buffer.buffer(bytes);
    assertEquals(message, await(unary(client, "Echo", message)));
    long before = Allocated.by(await(thread.future()));
    for (int i = 0; i < CALLS; i++) {
      assertEquals(message, await(unary(client, "Echo", message)));
    }
    long each = (Allocated.by(await(thread.future())) - before) / CALLS;
    assertTrue(each < SIZE * 3 / 2, each + " bytes for a message of " + SIZE);
  }

  /** A server with too many bytes of answers in flight does not read; its client continues to read. */
  @Test
  void manyAtATimeArriveBothWays() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> call.handler(call.response()::end));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    Buffer message = Buffer.buffer(new byte[SIZE / 8]);
    List<Future<Buffer>> answers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      answers.add(unary(client, "Echo", message));
    }
    for (Future<Buffer> answer : answers) {
      assertEquals(message, await(answer));
    }
  }

  @Test
  void messagesThatWaitArriveWhole() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> call.handler(call.response()::end));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    Buffer[] messages = new Buffer[8];
    Future<?>[] answers = new Future<?>[messages.length];
    for (int i = 0; i < messages.length; i++) {
      byte[] bytes = new byte[SIZE / 3 * (i % 3 + 1) + i];
      Arrays.fill(bytes, (byte) i);
      messages[i] = i % 2 == 0 ? Buffer.buffer(bytes) : Buffer.buffer().appendBytes(bytes).slice(0, bytes.length);
      answers[i] = unary(client, "Echo", messages[i]);
    }
    for (int i = 0; i < messages.length; i++) {
      assertEquals(messages[i], await(answers[i]));
    }
  }
}
