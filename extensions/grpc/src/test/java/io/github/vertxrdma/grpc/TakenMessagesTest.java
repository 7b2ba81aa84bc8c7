package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Long messages without protobuf are views of registered memory, which their receiver releases. */
@Timeout(180)
class TakenMessagesTest extends Nodes {
  private static final Buffer LONG = random(1 << 20);
  private static final Buffer SHORT = Buffer.buffer("hello");

  private final BlockingQueue<RdmaMessage> taken = new LinkedBlockingQueue<>();
  private Node serving;
  private Node calling;
  private RdmaGrpcServer server;
  private RdmaGrpcClient client;

  @BeforeEach
  void start() throws Exception {
    serving = node();
    calling = node();
    server = server(serving, new RdmaGrpcServerOptions());
    client = client(calling, new RdmaGrpcClientOptions());
    serveTaken("Take", call -> call.handler(message -> {
      taken.add(message);
      call.response().end(Buffer.buffer());
    }));
    serveTaken("Last", call -> call.last().onSuccess(message -> {
      taken.add(message);
      call.response().end(Buffer.buffer());
    }));
    serve(server, "Echo", call -> call.handler(call.response()::end));
    await(server.listen(NAME));
  }

  private static Buffer random(int size) {
    byte[] bytes = new byte[size];
    new Random(1).nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  private void serveTaken(String method, Handler<GrpcServerRequest<RdmaMessage, Buffer>> handler) {
    server.callHandler(ServiceMethod.server(ECHO, method, GrpcMessageEncoder.IDENTITY, RdmaMessageDecoder.IN_PLACE), handler);
  }

  private RdmaMessage taken() throws InterruptedException {
    return taken.poll(20, TimeUnit.SECONDS);
  }

  /** The first long message requests the memory, which is registered meanwhile. */
  private RdmaMessage inPlace(String method) throws Exception {
    while (true) {
      await(unary(client, method, LONG));
      RdmaMessage message = taken();
      if (message.isZeroCopy()) {
        return message;
      }
      message.release();
    }
  }

  private static int inUse(Node node) {
    try {
      return await(node.rdma().statistics()).devices().stream().mapToInt(DeviceStatistics::zeroCopyMessages).sum();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void untilInUse(int messages) {
    until(messages + " are in use", () -> inUse(serving) == messages && inUse(calling) == 0);
  }

  @Test
  void receiverReleasesATakenMessage() throws Exception {
    for (String method : new String[] {"Take", "Last"}) {
      RdmaMessage first = inPlace(method);
      RdmaMessage second = inPlace(method);
      untilInUse(2);
      assertEquals(LONG.length(), first.size());
      assertEquals(LONG, first.body());
      first.release();
      assertThrows(IllegalStateException.class, first::body);
      assertThrows(IllegalStateException.class, first::release);
      untilInUse(1);
      assertEquals(LONG, second.body(), "beyond the end of its call, and beside those that come later");
      second.close();
      second.close();
      untilInUse(0);
    }
  }

  @Test
  void shortMessagesComeByTheHeap() throws Exception {
    await(unary(client, "Take", SHORT));
    try (RdmaMessage message = taken()) {
      assertEquals(SHORT, message.body());
      assertEquals(false, message.isZeroCopy());
    }
  }

  @Test
  void memoryOfUntakenMessagesIsReleased() throws Exception {
    inPlace("Take").release();
    serveTaken("Unread", call -> call.endHandler(v -> call.response().end(SHORT)));
    await(unary(client, "Unread", LONG));
    untilInUse(0);

    serveTaken("Held", call -> {
      call.last().onSuccess(taken::add);
      call.pause();
      call.fetch(1);
    });
    GrpcClientRequest<Buffer, Buffer> held = await(call(client, "Held"));
    held.write(LONG);
    held.write(LONG);
    untilInUse(2);
    held.cancel();
    untilInUse(0);
  }

  @Test
  void memoryIsReleasedWhenACallIsAnsweredBeforeItsClientEnds() throws Exception {
    inPlace("Take").release();
    for (boolean paused : new boolean[] {false, true}) {
      Promise<GrpcServerRequest<RdmaMessage, Buffer>> served = Promise.promise();
      Promise<RdmaMessage> last = Promise.promise();
      BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
      serveTaken("Answered", call -> {
        call.exceptionHandler(told::add);
        call.last().onComplete(last);
        if (paused) {
          call.pause();
          call.fetch(1);
        }
        served.complete(call);
      });
      GrpcClientRequest<Buffer, Buffer> request = await(call(client, "Answered"));
      request.write(LONG);
      if (paused) {
        request.write(LONG);
      }
      untilInUse(paused ? 2 : 1);
      GrpcServerRequest<RdmaMessage, Buffer> call = await(served.future());
      call.response().end(SHORT);
      untilInUse(0);
      assertEquals(SHORT, await(await(request.response()).last()));
      call.resume();
      assertFails(GrpcStatus.CANCELLED, last.future());
      assertSame(failure(last.future()), told.poll(20, TimeUnit.SECONDS));
      assertSame(failure(last.future()), failure(call.end()));
      assertTrue(
        failure(call.end()).getCause().getMessage().contains("vertxrdma.test.Echo/Answered was answered before its client had ended"));
    }
  }

  @Test
  void anAnswerIsTaken() throws Exception {
    GrpcMessageDecoder<RdmaMessage> inPlace = RdmaMessageDecoder.IN_PLACE;
    ServiceMethod<RdmaMessage, Buffer> echo = ServiceMethod.client(ECHO, "Echo", GrpcMessageEncoder.IDENTITY, inPlace);
    until("an answer lies in registered memory", () -> {
      Future<RdmaMessage> answer = client.request(echo).compose(request -> request.send(LONG)).compose(GrpcClientResponse::last);
      try (RdmaMessage message = await(answer)) {
        assertEquals(LONG, message.body());
        return message.isZeroCopy();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
    untilInUse(0);
  }

  @Test
  void takenMessageIsForwardedOverAConnection() throws Exception {
    BlockingQueue<Buffer> heard = new LinkedBlockingQueue<>();
    await(serving.rdma().createServer().connectHandler(connection -> connection.handler(heard::add)).listen("further"));
    RdmaConnection connection = await(calling.rdma().connect("further"));
    await(unary(client, "Take", SHORT));
    RdmaMessage onHeap = taken();
    for (RdmaMessage message : List.of(onHeap, inPlace("Take"))) {
      Buffer bytes = message.body().copy();
      connection.write(message);
      assertEquals(bytes, heard.poll(20, TimeUnit.SECONDS));
      assertThrows(IllegalStateException.class, message::release);
    }
    untilInUse(0);
  }
}
