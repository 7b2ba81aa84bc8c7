package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.OutOfBandEnd;
import io.github.vertxrdma.simulator.world.Fault;
import io.vertx.core.AsyncResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The dialogues of a {@link Conversation}. Two nodes connect, by an address or by an exchange of addresses. The acceptor accepts at once,
 * later, or not.
 */
final class Dialogues {
  private static final byte[] NONE = {};
  private static final String[] SERVICES = {"accept", "accept", "accept", "later", "refuse"};

  final List<Dialogue> all = new ArrayList<>();
  private final Conversation conversation;
  private final SplittableRandom random;

  Dialogues(Conversation conversation, SplittableRandom random) {
    this.conversation = conversation;
    this.random = random;
  }

  void connect(Node from, Node to) {
    Dialogue dialogue = new Dialogue(all.size(), from, to);
    all.add(dialogue);
    if (from.host.isStopped() || to.host.isStopped()) {
      dialogue.faults.add(Fault.STOPPED);
    }
    if (isCut(from, to)) {
      dialogue.faults.add(Fault.CUT);
    }
    if (conversation.crowded) {
      dialogue.faults.addAll(conversation.faults.keySet());
    }
    conversation.trace.note("connect", from.number, dialogue.number, to.number);
    String service = SERVICES[random.nextInt(SERVICES.length)];
    dialogue.wanted = !service.equals("refuse");
    if (!conversation.connectionless && random.nextInt(4) == 0) {
      meet(dialogue, from, to, service);
      return;
    }
    byte[] data = ByteBuffer.allocate(4).putInt(dialogue.number).array();
    from.host.execute(() -> LinkConnector.connect(from.loop, conversation.addresses[to.number], from.identity(), service, data, 5_000,
      link -> new End(conversation, dialogue, from, 0, link)).onComplete(done -> {
        connected(dialogue, done);
      }));
  }

  /**
   * Returns whether two nodes are cut off from each other. Without connections, an operation that a cut delays on its way to an earlier
   * process of an address delays operations to the next process.
   */
  private boolean isCut(Node from, Node to) {
    for (Node one : conversation.connectionless ? conversation.everybody : List.of(from)) {
      for (Node other : conversation.connectionless ? conversation.everybody : List.of(to)) {
        if (one.number == from.number && other.number == to.number && conversation.network.isCut(one.domainNumber, other.domainNumber)) {
          return true;
        }
      }
    }
    return false;
  }

  private void connected(Dialogue dialogue, AsyncResult<?> done) {
    if (dialogue.answered) {
      conversation.violated(dialogue + ": its connect was answered twice");
    }
    dialogue.answered = true;
    conversation.trace.note("connected", dialogue.connector.number, dialogue.number, done.succeeded() ? 1 : 0);
    if (done.failed() && dialogue.wanted && !dialogue.isExcused() && !dialogue.faults.contains(Fault.RECEIVE_REFUSED)
      && !conversation.closing
      && conversation.nodes[dialogue.acceptor.number] == dialogue.acceptor) {
      conversation.violated(dialogue + " could not begin: " + done.cause());
    }
  }

  private void meet(Dialogue dialogue, Node from, Node to, String service) {
    dialogue.exchanged = true;
    byte[] data = ByteBuffer.allocate(4).putInt(dialogue.number).array();
    from.host.execute(() -> OutOfBandEnd.open(from.loop, 3_000)
      .onComplete(mine -> to.host.execute(() -> OutOfBandEnd.open(to.loop, 3_000).onComplete(theirs -> {
        if (mine.failed() || theirs.failed()) {
          from.host.execute(() -> {
            connected(dialogue, mine.failed() ? mine : theirs);
            giveUp(mine);
          });
          giveUp(theirs);
          return;
        }
        from.host.executeAfter(() -> mine.result().connect(theirs.result().localAddress(), from.identity(), "other", service, data,
          link -> new End(conversation, dialogue, from, 0, link)).onComplete(done -> connected(dialogue, done)), random.nextInt(30),
          TimeUnit.MILLISECONDS);
        to.host
          .schedule(() -> theirs.result().accept(mine.result().localAddress(), to.identity(), "other", incoming -> greeted(to, incoming))
            .onComplete(done -> {}), random.nextInt(30), TimeUnit.MILLISECONDS);
      }))));
  }

  private static void giveUp(AsyncResult<OutOfBandEnd> end) {
    if (end.succeeded()) {
      end.result().close();
    }
  }

  void greeted(Node at, IncomingLink incoming) {
    byte[] data = incoming.greeting().data();
    if (data.length != 4) {
      conversation.liars.stream().filter(liar -> liar.is(at)).findFirst().orElseThrow().answer(incoming);
      return;
    }
    Dialogue dialogue = all.get(ByteBuffer.wrap(data).getInt());
    switch (incoming.greeting().service()) {
      case "accept" -> accept(at, dialogue, incoming);
      case "later" -> at.host.schedule(() -> accept(at, dialogue, incoming), random.nextInt(50), TimeUnit.MILLISECONDS);
      default -> incoming.refuse("not here");
    }
  }

  private void accept(Node at, Dialogue dialogue, IncomingLink incoming) {
    var link = incoming.accept(NONE);
    if (link != null) {
      new End(conversation, dialogue, at, 1, link);
    }
  }

  /**
   * Checks that no link to a process goes on whose address another process has, except at a node that was stopped and has not polled yet.
   */
  void checkEarlierLives(End end) {
    End peer = end.dialogue.faults.contains(Fault.STOPPED) ? null : end.dialogue.other(end);
    for (Dialogue dialogue : all) {
      for (End other : dialogue.ends) {
        End before = other == null || other.node != end.node || other.over ? null : dialogue.other(other);
        if (before != null && peer != null && before.node.number == peer.node.number && before.node.life < peer.node.life) {
          conversation.violated(dialogue + " goes on with a process that " + end.dialogue + " has seen replaced");
        }
      }
    }
  }
}
