package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.Questions;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Exchanges statistics with peers over the control connection. Thread-safe. See docs/protocol.adoc. */
final class PeerStatistics {
  private static final int ASK = 2;
  private static final int ANSWER = 3;
  /** Maximum bytes of the statistics: a control message without its header. Longer statistics are refused. */
  private static final int MAX = (1 << 20) - 16;
  /** Preferred maximum in bytes, because longer messages delay other control messages. */
  private static final int PREFERRED_MAX = 32 << 10;
  private static final int NOTE_BYTES = 128;
  private static final long TIMEOUT_MILLIS = 5_000;

  private final Node node;
  private final Questions questions;
  private final BlockingCalls calls;
  private final Set<ControlLink> answering = ConcurrentHashMap.newKeySet();

  PeerStatistics(Node node, ControlLinks control) {
    this.node = node;
    this.calls = new BlockingCalls(node.context);
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER).answerer(0, (link, question) -> answer(link));
  }

  Future<NodeStatistics> ask(NodeEntry peer) {
    String asked = peer.nodeId();
    return questions.ask(peer, Buffer.buffer(), TIMEOUT_MILLIS).compose(answer -> calls.onContext(() -> {
      NodeStatistics read;
      try {
        JsonObject json = answer.toJsonObject();
        // Paths of adapters are valid only on the peer's host.
        json.remove("adapters");
        read = RecordJson.read(NodeStatistics.class, json);
      } catch (RuntimeException e) {
        throw new IllegalStateException("the statistics of node " + asked + " cannot be read: " + PeerText.of(e.getMessage()));
      }
      if (!read.nodeId().equals(asked)) {
        throw new IllegalStateException("node " + asked + " sent the statistics of another node: " + read.nodeId());
      }
      return read;
    }));
  }

  void close() {
    questions.close();
  }

  private Future<Buffer> answer(ControlLink link) {
    if (!node.options().isStatistics()) {
      return refusal("does not send statistics, since its option statistics is false");
    }
    if (!answering.add(link)) {
      return refusal("is still answering an earlier request. Retry later");
    }
    return node.statistics(true).compose(now -> calls.onContext(() -> encode(now, PREFERRED_MAX)))
      .onComplete(done -> answering.remove(link))
      .compose(text -> text.length() > MAX ? refusal("cannot send its statistics: they are too long") : Future.succeededFuture(text));
  }

  private Future<Buffer> refusal(String why) {
    return Future.failedFuture("node " + node.directory().nodeId() + ' ' + why);
  }

  /**
   * Encodes statistics. If they are too long, omits other nodes, then connections, regions and records of fabric use. The last error states
   * the omitted numbers.
   *
   * @param most maximum bytes, exceeded if the remaining fields are longer
   */
  static Buffer encode(NodeStatistics now, int most) {
    JsonObject json = now.toJson();
    Buffer all = json.toBuffer();
    if (all.length() <= most) {
      return all;
    }
    Excess excess = new Excess(all.length() - most + NOTE_BYTES);
    excess.remove(json.getJsonArray("peers"));
    if (excess.bytes <= 0) {
      return json.toBuffer();
    }
    int connections = 0;
    for (Object device : json.getJsonArray("devices")) {
      connections += excess.remove(((JsonObject) device).getJsonArray("connections"));
    }
    int regions = excess.remove(json.getJsonArray("regions"));
    int ways = excess.remove(json.getJsonArray("ways"));
    json.getJsonArray("errors")
      .add("statistics are too long: " + connections + " connections, " + regions + " regions and "
        + ways + " ways are left out");
    return json.toBuffer();
  }

  private static final class Excess {
    private int bytes;

    Excess(int bytes) {
      this.bytes = bytes;
    }

    /** Returns the number of removed elements. */
    int remove(JsonArray some) {
      int before = some.size();
      while (bytes > 0 && !some.isEmpty()) {
        bytes -= ((JsonObject) some.remove(some.size() - 1)).encode().length();
      }
      return before - some.size();
    }
  }
}
