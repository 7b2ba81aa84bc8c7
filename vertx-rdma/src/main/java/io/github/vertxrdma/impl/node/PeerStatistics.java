package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.statistics.RecordJson;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks other nodes how they stand, and answers them, over the control connection: also where a fabric fails, and it costs nothing unless
 * somebody asks. Thread-safe.
 *
 * <pre>
 * ask     number 4
 * answer  number 4, 0, then {@link NodeStatistics#toJson}, UTF-8; or number 4, 1, then why not
 * </pre>
 */
final class PeerStatistics {
  /** Kinds of control messages. */
  private static final int ASK = 2;
  private static final int ANSWER = 3;
  private static final byte OK = 0;
  private static final byte REFUSED = 1;
  /** Of a control message, with room for its head. */
  private static final int MAX = (1 << 20) - 16;
  private static final long TIMEOUT_MILLIS = 5_000;

  private final Node node;
  private final ControlLinks control;
  private final Map<Integer, Promise<NodeStatistics>> asked = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();

  /** Before the control connections listen. */
  PeerStatistics(Node node, ControlLinks control) {
    this.node = node;
    this.control = control;
    control.messageHandler(ASK, this::answer).messageHandler(ANSWER, this::answered);
  }

  /** How a peer stands; fails if it cannot be reached, does not answer in time, or does not want to. */
  Future<NodeStatistics> ask(NodeEntry peer) {
    int number = numbers.incrementAndGet();
    Promise<NodeStatistics> promise = Promise.promise();
    asked.put(number, promise);
    long timer = node.vertx().setTimer(TIMEOUT_MILLIS, id -> promise.tryFail("node " + peer.nodeId() + " did not tell how it stands within "
      + TIMEOUT_MILLIS + " ms"));
    control.link(peer).compose(link -> link.send(ASK, Buffer.buffer(4).appendInt(number))).onFailure(promise::tryFail);
    return promise.future().onComplete(done -> {
      asked.remove(number);
      node.vertx().cancelTimer(timer);
    });
  }

  private void answer(ControlLink link, Buffer message) {
    int number = message.getInt(0);
    ContextInternal context = node.context();
    if (!node.options().isStatistics()) {
      send(link, number, REFUSED, Buffer.buffer("node " + node.directory().nodeId() + " does not tell: its statistics are off"));
      return;
    }
    // As text it may be long: not on the event loop that watches over peers.
    node.statistics(true).compose(now -> context.executeBlockingInternal(() -> encode(now)))
      .onSuccess(text -> send(link, number, OK, text))
      .onFailure(cause -> send(link, number, REFUSED, Buffer.buffer(String.valueOf(cause.getMessage()))));
  }

  /** Where all connections are too much for a message they are left out. */
  private static Buffer encode(NodeStatistics now) {
    Buffer all = now.toJson().toBuffer();
    if (all.length() <= MAX) {
      return all;
    }
    JsonObject json = now.toJson();
    json.getJsonArray("devices").forEach(device -> ((JsonObject) device).put("connections", List.of()));
    return json.toBuffer();
  }

  private static void send(ControlLink link, int number, byte status, Buffer text) {
    link.send(ANSWER, Buffer.buffer(5 + text.length()).appendInt(number).appendByte(status).appendBuffer(text));
  }

  private void answered(ControlLink link, Buffer message) {
    Promise<NodeStatistics> promise = asked.get(message.getInt(0));
    if (promise == null) {
      return;
    }
    Buffer text = message.getBuffer(5, message.length());
    if (message.getByte(4) == REFUSED) {
      promise.tryFail(text.toString());
      return;
    }
    node.context().executeBlockingInternal(() -> RecordJson.read(NodeStatistics.class, text.toJsonObject()))
      .onComplete((read, cause) -> {
        if (cause == null) {
          promise.tryComplete(read);
        } else {
          promise.tryFail(new IllegalStateException("what node " + link.nodeId() + " tells of itself cannot be read: " + cause.getMessage(), cause));
        }
      });
  }
}
