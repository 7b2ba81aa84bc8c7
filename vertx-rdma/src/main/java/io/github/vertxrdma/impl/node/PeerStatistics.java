package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.Numbered;
import io.github.vertxrdma.impl.statistics.RecordJson;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;
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
  /** Of a control message, with room for its head. */
  private static final int MAX = (1 << 20) - 16;
  /** A message longer than a socket's queue would hold back the rest of the control connection. */
  private static final int ENOUGH = 32 << 10;
  /** Of {@link #ENOUGH}, for the words that tell what was left out. */
  private static final int WORDS = 128;
  private static final long TIMEOUT_MILLIS = 5_000;

  private final Node node;
  private final ControlLinks control;
  private final Map<Integer, Question> asked = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  /** Peers that are being answered. */
  private final Set<ControlLink> answering = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A question to a peer. */
  private record Question(String peer, Promise<NodeStatistics> promise) {
  }

  /** Before the control connections listen. */
  PeerStatistics(Node node, ControlLinks control) {
    this.node = node;
    this.control = control;
    control.messageHandler(ASK, this::answer).messageHandler(ANSWER, this::answered);
  }

  /** Statistics of a peer; fails if it cannot be reached, does not answer in time, or does not want to. */
  Future<NodeStatistics> ask(NodeEntry peer) {
    int number = numbers.incrementAndGet();
    Promise<NodeStatistics> promise = Promise.promise();
    asked.put(number, new Question(peer.nodeId(), promise));
    long timer = node.vertx().setTimer(TIMEOUT_MILLIS, id -> promise.tryFail("node " + peer.nodeId() + " did not tell how it stands within "
      + TIMEOUT_MILLIS + " ms"));
    if (closed) {
      promise.tryFail(over());
    } else {
      control.link(peer).compose(link -> link.send(ASK, Numbered.question(number, Buffer.buffer()))).onFailure(promise::tryFail);
    }
    return promise.future().onComplete(done -> {
      asked.remove(number);
      node.vertx().cancelTimer(timer);
    });
  }

  /** Nobody is asked any more, and who waits for an answer gets none. */
  void close() {
    closed = true;
    asked.values().forEach(question -> question.promise.tryFail(over()));
  }

  private static RdmaException over() {
    return new RdmaException(Reason.CLOSED, "RDMA was closed in this Vert.x");
  }

  private void answer(ControlLink link, Buffer message) {
    int number = Numbered.question(message, 0).number();
    ContextInternal context = node.context();
    if (!node.options().isStatistics()) {
      refuse(link, number, "node " + node.directory().nodeId() + " does not tell: its statistics are off");
    } else if (!answering.add(link)) {
      refuse(link, number, "node " + node.directory().nodeId() + " is still telling how it stands; ask again when it has");
    } else {
      // As text it may be long: not on the event loop that watches over peers.
      node.statistics(true).compose(now -> context.executeBlockingInternal(() -> encode(now))).onComplete((text, cause) -> {
        answering.remove(link);
        if (cause != null) {
          refuse(link, number, String.valueOf(cause.getMessage()));
        } else if (text.length() > MAX) {
          refuse(link, number, "node " + node.directory().nodeId() + " has too much to tell");
        } else {
          link.send(ANSWER, Numbered.answer(number, false, text));
        }
      });
    }
  }

  /** Cuts statistics that are too long: connections are left out, and regions if that is not enough; the last error says how many. */
  static Buffer encode(NodeStatistics now) {
    JsonObject json = now.toJson();
    Buffer all = json.toBuffer();
    if (all.length() <= ENOUGH) {
      return all;
    }
    int over = all.length() - ENOUGH + WORDS;
    int connections = 0;
    int regions = 0;
    for (Object device : json.getJsonArray("devices")) {
      JsonArray some = ((JsonObject) device).getJsonArray("connections");
      for (; over > 0 && !some.isEmpty(); connections++) {
        over -= removeLast(some);
      }
    }
    JsonArray some = json.getJsonArray("regions");
    for (; over > 0 && !some.isEmpty(); regions++) {
      over -= removeLast(some);
    }
    json.getJsonArray("errors").add("too much for one answer: " + connections + " connections and " + regions + " regions are left out");
    return json.toBuffer();
  }

  /** @return how much shorter it is, at least */
  private static int removeLast(JsonArray some) {
    return ((JsonObject) some.remove(some.size() - 1)).encode().length();
  }

  private static void refuse(ControlLink link, int number, String why) {
    link.send(ANSWER, Numbered.answer(number, true, Buffer.buffer(why)));
  }

  private void answered(ControlLink link, Buffer message) {
    Numbered answer = Numbered.answer(message);
    Question question = asked.get(answer.number());
    if (question == null || !question.peer.equals(link.nodeId())) {
      return;
    }
    if (answer.refused()) {
      question.promise.tryFail(answer.rest().toString());
      return;
    }
    node.context().executeBlockingInternal(() -> RecordJson.read(NodeStatistics.class, answer.rest()))
      .onComplete((read, cause) -> {
        if (cause != null) {
          question.promise.tryFail(new IllegalStateException("what node " + question.peer + " tells of itself cannot be read: "
            + cause.getMessage(), cause));
        } else if (!read.nodeId().equals(question.peer)) {
          question.promise.tryFail("node " + question.peer + " tells of another node: " + read.nodeId());
        } else {
          question.promise.tryComplete(read);
        }
      });
  }
}
