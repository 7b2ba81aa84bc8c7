package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Connection from a client to the server of a lease. Sends JSON requests, each with one answer. */
final class LeaseLink {
  private final Vertx vertx;
  private final RdmaConnection connection;
  private final String server;
  private final Owner owner;
  private final Map<Long, Promise<JsonObject>> asked = new HashMap<>();
  private long number;
  private Throwable broken;

  interface Owner {

    void ended(Reason reason, String words, Bill bill);

    void lost(Throwable cause);
  }

  record ServerMessage(JsonObject json, Long request, String words, FunctionException refused, Reason ended, Bill bill) {

    static ServerMessage of(Buffer message) {
      try {
        JsonObject json = Wire.json(message);
        String words = Wire.cut(json.getString("words"));
        String refused = json.getString("refused");
        JsonObject bill = json.getJsonObject("bill");
        boolean isEnd = json.containsKey("ended");
        return new ServerMessage(json, json.getLong("request"), words,
          refused == null ? null : new FunctionException(Wire.reason(refused), words),
          isEnd ? Wire.reason(json.getString("reason")) : null, isEnd && bill != null ? Bill.fromJson(bill) : null);
      } catch (RuntimeException e) {
        throw new IllegalArgumentException("an invalid message of " + message.length() + " bytes: " + Wire.words(e), e);
      }
    }
  }

  LeaseLink(Vertx vertx, RdmaConnection connection, String server, Owner owner) {
    this.vertx = vertx;
    this.connection = connection;
    this.server = server;
    this.owner = owner;
    connection.exceptionHandler(cause -> broken = cause);
    connection.closeHandler(v -> owner.lost(broken));
    connection.handler(this::message);
  }

  /**
   * Sends a request. Fails with {@link Reason#TIMEOUT}, the server's refusal, or {@link Reason#WORKER_LOST} if it cannot be sent.
   *
   * @param announced code, sent as a second message; null for none
   */
  Future<JsonObject> ask(JsonObject request, Buffer announced, long millis) {
    Promise<JsonObject> answer = Promise.promise();
    long asking = ++number;
    asked.put(asking, answer);
    Future<Void> sent = send(request.put("request", asking));
    Future.all(sent, announced == null ? sent : connection.write(announced))
      .onFailure(cause -> answer.tryFail(new FunctionException(Reason.WORKER_LOST, "server " + server + " could not be reached: "
        + Wire.words(cause), cause)));
    long limit = vertx.setTimer(millis, t -> answer.tryFail(new FunctionException(Reason.TIMEOUT, "server " + server
      + " did not answer in " + millis + " ms")));
    return answer.future().onComplete(done -> {
      asked.remove(asking);
      vertx.cancelTimer(limit);
    });
  }

  Future<Void> send(JsonObject what) {
    return connection.write(what.toBuffer());
  }

  private void message(Buffer message) {
    ServerMessage received;
    try {
      received = ServerMessage.of(message);
    } catch (IllegalArgumentException e) {
      owner.ended(Reason.PROTOCOL, "its server sent " + e.getMessage(), null);
      return;
    }
    if (received.ended != null) {
      owner.ended(received.ended, received.words, received.bill);
      return;
    }
    Promise<JsonObject> answer = asked.get(received.request);
    if (answer != null && received.refused != null) {
      answer.tryFail(received.refused);
    } else if (answer != null) {
      answer.tryComplete(received.json);
    }
  }

  void fail(FunctionException why) {
    List.copyOf(asked.values()).forEach(answer -> answer.tryFail(why));
  }

  Future<Void> close() {
    return connection.close();
  }
}
