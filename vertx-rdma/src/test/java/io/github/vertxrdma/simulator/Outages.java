package io.github.vertxrdma.simulator;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.simulator.world.Fault;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Outages of devices in a {@link Conversation}. A device carries nothing for a time. Its node detects that, ends the links over the device,
 * and notifies its peers by another way, as {@code impl.node.DeviceFailover} does.
 */
final class Outages {
  private static final String TOLD = "the peer has ended the connection";
  private static final int NOTICED_MILLIS = 250;

  private final Conversation conversation;
  private final SplittableRandom random;
  /** Ends whose peers ended the link, with the time of the last message of the peer. */
  private final Map<End, Long> told = new HashMap<>();

  Outages(Conversation conversation, SplittableRandom random) {
    this.conversation = conversation;
    this.random = random;
  }

  void begin(Node node) {
    for (Node other : conversation.nodes) {
      if (other != node && !other.dead && random.nextInt(3) == 0) {
        conversation.stop(other);
      }
    }
    ends(node).forEach(end -> node.host.execute(() -> {
      for (int i = random.nextInt(4); i > 0 && !node.dead && !end.over; i--) {
        end.write(random.nextInt(300));
      }
    }));
    conversation.time.after(random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(5)), () -> fail(node));
  }

  private void fail(Node node) {
    if (conversation.closing) {
      return;
    }
    conversation.trace.note("outage", node.number, node.life, 0);
    conversation.disturbed(Fault.OUTAGE, node.domainNumber, -1);
    long nanos = TimeUnit.MILLISECONDS.toNanos(3 * NOTICED_MILLIS + random.nextInt(3_000));
    for (Node other : conversation.nodes) {
      if (other != node) {
        conversation.network.cut(node.domainNumber, other.domainNumber, nanos);
      }
    }
    node.host.executeAfter(() -> noticed(node), NOTICED_MILLIS + random.nextInt(NOTICED_MILLIS), TimeUnit.MILLISECONDS);
  }

  private void noticed(Node node) {
    if (node.isUp() && !conversation.closing) {
      conversation.disturbed(Fault.OUTAGE, node.domainNumber, -1);
      List<End> ended = ends(node);
      node.loop.failed(new RdmaException(Reason.CONNECTION_LOST, "its device carries nothing"));
      ended.forEach(this::tell);
    }
  }

  private List<End> ends(Node node) {
    List<End> ends = new ArrayList<>();
    for (Dialogue dialogue : conversation.dialogues.all) {
      for (End end : dialogue.ends) {
        if (end != null && end.node == node && !end.over) {
          ends.add(end);
        }
      }
    }
    return ends;
  }

  private void tell(End end) {
    End other = end.dialogue.other(end);
    if (other != null) {
      told.put(other, conversation.network.lastMessage(end.node.domainNumber, other.node.domainNumber));
      Link link = other.link;
      conversation.time.after(random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(50)),
        () -> other.node.host.execute(() -> link.peerEnded("its device carries nothing")));
    }
  }

  /**
   * Checks that messages of a peer which arrived are read before a link ends because of the peer's report. @return the violation, or null
   */
  String check(End end, Throwable why) {
    if (why == null || !why.getMessage().contains(TOLD)) {
      return null;
    }
    conversation.count("links ended by what the peer told of its device");
    return told.get(end) <= end.node.monitor.lookedAt() ? null
      : "gave up a peer whose device went out before it had read what had come of it";
  }
}
