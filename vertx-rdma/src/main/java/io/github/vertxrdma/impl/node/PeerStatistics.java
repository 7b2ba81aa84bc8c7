package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.Numbered;
import io.github.vertxrdma.impl.control.Questions;
import io.github.vertxrdma.impl.statistics.RecordJson;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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
  /** Room for the words that tell what was left out. */
  private static final int WORDS = 128;
  private static final long TIMEOUT_MILLIS = 5_000;

  private final Node node;
  private final Questions questions;
  /** Peers that are being answered. */
  private final Set<ControlLink> answering = ConcurrentHashMap.newKeySet();

  /** Before the control connections listen. */
  PeerStatistics(Node node, ControlLinks control) {
    this.node = node;
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER);
    control.messageHandler(ASK, this::answer);
  }

  /** Statistics of a peer; fails if it cannot be reached, does not answer in time, or does not want to. */
  Future<NodeStatistics> ask(NodeEntry peer) {
    String asked = peer.nodeId();
    return questions.ask(peer, Buffer.buffer(), TIMEOUT_MILLIS).compose(answer -> node.context.executeBlockingInternal(() -> {
      NodeStatistics read;
      try {
        read = RecordJson.read(NodeStatistics.class, answer);
      } catch (RuntimeException e) {
        throw new IllegalStateException("what node " + asked + " tells of itself cannot be read: " + e.getMessage(), e);
      }
      if (!read.nodeId().equals(asked)) {
        throw new IllegalStateException("node " + asked + " tells of another node: " + read.nodeId());
      }
      return read;
    }));
  }

  /** Nobody is asked any more, and who waits for an answer gets none. */
  void close() {
    questions.close();
  }

  private void answer(ControlLink link, Buffer message) {
    int number = Numbered.question(message, 0).number();
    ContextInternal context = node.context;
    if (!node.options().isStatistics()) {
      refuse(link, number, "node " + node.directory().nodeId() + " does not tell: its statistics are off");
    } else if (!answering.add(link)) {
      refuse(link, number, "node " + node.directory().nodeId() + " is still telling how it stands; ask again when it has");
    } else {
      // As text it may be long: not on the event loop that watches over peers.
      node.statistics(true).compose(now -> context.executeBlockingInternal(() -> encode(now, ENOUGH))).onComplete((text, cause) -> {
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

  /**
   * Writes statistics. Of those that are too long connections are left out, then regions, then ways, as far as needed. The last error says
   * how many.
   *
   * @param most bytes; exceeded where all else is longer
   */
  static Buffer encode(NodeStatistics now, int most) {
    JsonObject json = now.toJson();
    Buffer all = json.toBuffer();
    if (all.length() <= most) {
      return all;
    }
    Excess excess = new Excess(all.length() - most + WORDS);
    int connections = 0;
    for (Object device : json.getJsonArray("devices")) {
      connections += excess.remove(((JsonObject) device).getJsonArray("connections"));
    }
    int regions = excess.remove(json.getJsonArray("regions"));
    int ways = excess.remove(json.getJsonArray("ways"));
    json.getJsonArray("errors")
      .add("too much to tell: " + connections + " connections, " + regions + " regions and " + ways + " ways are left out");
    return json.toBuffer();
  }

  /** Bytes by which a text is too long, at least. */
  private static final class Excess {
    private int bytes;

    Excess(int bytes) {
      this.bytes = bytes;
    }

    /** Removes the last elements, as many as needed. @return how many */
    int remove(JsonArray some) {
      int before = some.size();
      while (bytes > 0 && !some.isEmpty()) {
        bytes -= ((JsonObject) some.remove(some.size() - 1)).encode().length();
      }
      return before - some.size();
    }
  }

  private static void refuse(ControlLink link, int number, String why) {
    link.send(ANSWER, Numbered.answer(number, true, Buffer.buffer(why)));
  }
}
