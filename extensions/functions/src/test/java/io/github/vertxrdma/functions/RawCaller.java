package io.github.vertxrdma.functions;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client that sends the protocol by hand, so that it can break it. */
final class RawCaller {
  private static final Buffer NONE = Buffer.buffer();

  final RdmaConnection manager;
  final BlockingQueue<JsonObject> answers = new LinkedBlockingQueue<>();
  final BlockingQueue<Buffer> messages = new LinkedBlockingQueue<>();
  final BlockingQueue<Long> results = new LinkedBlockingQueue<>();
  private final Rdma rdma;
  JsonObject granted;
  long patience = 20;
  int memory = 65_536;
  int slots = 4;
  int messageSize;
  int outputSize = 65_536;
  private int calls;
  RdmaConnection worker;
  RemoteRegion input;
  MemoryRegion output;

  private RawCaller(Rdma rdma, RdmaConnection manager) {
    this.rdma = rdma;
    this.manager = manager;
    manager.handler(message -> answers.add(message.toJsonObject()));
  }

  static String managerName(Rdma rdma) throws Exception {
    return Nodes.await(rdma.directory()).services().stream().filter(e -> e.metadata().containsKey("functions")).findFirst().orElseThrow()
      .name();
  }

  static RawCaller connect(Rdma rdma) throws Exception {
    return new RawCaller(rdma, Nodes.await(rdma.connect(managerName(rdma))));
  }

  JsonObject ask(JsonObject request) throws Exception {
    manager.write(request.toBuffer());
    JsonObject answer = answers.poll(patience, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer to " + request.encode());
    }
    return answer;
  }

  JsonObject lease(int workers, long millis) throws Exception {
    return lease(workers, millis, "WARM");
  }

  JsonObject lease(int workers, long millis, String mode) throws Exception {
    String nodeId = Nodes.await(rdma.directory()).nodeId();
    return lease(workers, millis, mode, nodeId);
  }

  JsonObject lease(int workers, long millis, String mode, String callerId) throws Exception {
    granted = ask(
      new JsonObject().put("op", "lease").put("versions", "1-1").put("workers", workers).put("memory", memory).put("slots", slots)
        .put("millis", millis)
        .put("mode", mode).put("caller", nobody(callerId)).put("messageSize", messageSize));
    return granted;
  }

  JsonObject endLease() throws Exception {
    return ask(new JsonObject().put("op", "end").put("lease", granted.getString("lease")));
  }

  /** Names a service that cold workers will not find. */
  static JsonObject nobody(String nodeId) {
    return new JsonObject().put("node", new JsonObject().put("node", nodeId))
      .put("endpoint", new JsonObject().put("name", "nobody").put("node", nodeId)).put("token", "1");
  }

  String workerName() {
    return granted.getJsonArray("workers").getString(0);
  }

  Buffer ticket() {
    return ticket(number("lease"), number("secret"));
  }

  static Buffer ticket(long lease, long secret) {
    return Buffer.buffer().appendByte((byte) 1).appendLongLE(lease).appendLongLE(secret);
  }

  long number(String key) {
    return Long.parseUnsignedLong(granted.getString(key), 16);
  }

  Future<RdmaConnection> connectWorker(Buffer ticket) {
    return rdma.connect(workerName(), new RdmaConnectOptions().setPrivateData(ticket));
  }

  void openWorker() throws Exception {
    worker = Nodes.await(connectWorker(ticket()));
    Promise<RemoteRegion> granted = Promise.promise();
    worker.grantHandler(granted::tryComplete);
    worker.handler(messages::add);
    worker.write(ticket());
    output = Nodes.await(rdma.createRegion(new RegionOptions().setSize(outputSize).setAccess(RegionAccess.WRITE)));
    output.notificationHandler(n -> results.add(n.tag()));
    Nodes.await(worker.grant(output, Set.of(RegionAccess.WRITE), null));
    input = Nodes.await(granted.future());
  }

  int functionId(String name) {
    return granted.getJsonArray("functions").stream().map(JsonObject.class::cast).filter(f -> f.getString("name").equals(name)).findFirst()
      .orElseThrow().getInteger("id");
  }

  Future<Void> call(long secret, long id, int function, long resultAt, int room) {
    // Each call is written at another place, as the worker may not have read the previous one.
    return input.writeNotify(64L * (calls++ % 100), append(Buffer.buffer(), secret, id, function, NONE, resultAt, room, 0), id);
  }

  private static Buffer append(Buffer frame, long secret, long id, int function, Buffer arguments, long resultAt, int room, int window) {
    return frame.appendLongLE(secret).appendLongLE(id).appendIntLE(function).appendIntLE(arguments.length()).appendLongLE(resultAt)
      .appendIntLE(room).appendIntLE(0).appendIntLE(window).appendIntLE(0).appendBuffer(arguments);
  }

  Buffer append(Buffer frame, long id, int function, Buffer arguments) {
    return append(frame, id, function, arguments, 256);
  }

  Buffer append(Buffer frame, long id, int function, Buffer arguments, int room) {
    return append(frame, number("secret"), id, function, arguments, 0, room, 0);
  }

  static Buffer message() {
    return Buffer.buffer().appendByte((byte) 8);
  }

  void cancel(long id) {
    worker.write(Buffer.buffer().appendByte((byte) 2).appendLongLE(id));
  }

  void callByMessage(long secret, long id, int function, long resultAt, int room) {
    callByMessage(secret, id, function, resultAt, room, 0);
  }

  void callByMessage(long secret, long id, int function, long resultAt, int room, int window) {
    worker.write(append(message(), secret, id, function, NONE, resultAt, room, window));
  }

  String refusal() throws Exception {
    Buffer message = messages.poll(20, TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError("the worker said nothing");
    }
    return message.getByte(0) == 3 ? message.getString(10, message.length()) : message.getString(2, message.length());
  }

  /** Returns the status of the next result: 0, or 1 + the reason's ordinal. */
  int status(long at) throws Exception {
    if (results.poll(20, TimeUnit.SECONDS) == null) {
      throw new AssertionError("no result");
    }
    return output.segment().get(java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED, at + 8);
  }
}
