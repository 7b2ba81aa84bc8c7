package io.github.vertxrdma.simulator;

import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.calls.SimulatedBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A server of the service with its consumers, from its publication to its close. It compares received messages with those that callers
 * sent.
 */
final class ServiceServer {
  static final int SLOW_MILLIS = 2_000;
  static final int DRAIN_MILLIS = 60_000;
  private static final AtomicLong ADDRESSES = new AtomicLong();

  final ServiceMember member;
  final int number;
  private final ServiceConversation world;
  private final List<MessageConsumer<Buffer>> consumers = new ArrayList<>();
  private final Set<Message<Buffer>> held = new LinkedHashSet<>();
  private Supplier<Future<Void>> closer;
  /** Time at which all processes know the server. -1 before it is published. */
  long knownAt = -1;
  boolean closing;

  ServiceServer(ServiceMember member, int number) {
    this.member = member;
    this.number = number;
    this.world = member.world;
  }

  void open(int maxOutstanding) {
    String address = ServiceMember.NAME + ADDRESSES.getAndIncrement();
    for (int i = 1 + world.random(2); i > 0; i--) {
      Map<Integer, Integer> last = new HashMap<>();
      Set<Long> seen = new HashSet<>();
      consumers.add(ServiceConversation.VERTX.eventBus().localConsumer(address, message -> heard(message, last, seen)));
    }
    RdmaBusServiceOptions options = new RdmaBusServiceOptions().setAddress(address).setMaxOutstanding(maxOutstanding)
      .setDrainTimeout(Duration.ofMillis(DRAIN_MILLIS));
    world.watch("listen", member,
      SimulatedBus.listen(member.home, ServiceMember.NAME, options, ServiceMember.CLOSE_MILLIS, (metadata, acceptor) -> {
        ServiceEntry entry = new ServiceEntry(ServiceMember.NAME, "node" + member.process.number, 1, number, List.of(), metadata);
        member.acceptor = acceptor;
        knownAt = world.publish(entry);
        return Future.succeededFuture(() -> {
          world.withdraw(entry);
          member.acceptor = null;
          return Future.succeededFuture();
        });
      }), (opened, cause) -> {
        if (cause != null) {
          world.violated("server " + number + " could not be opened: " + cause);
        }
        closer = opened;
      });
  }

  void close() {
    if (closer != null && !closing) {
      closing = true;
      member.server = member.server == this ? null : member.server;
      world.watch("close of server " + number, member, closer.get(), (v, cause) -> forget());
    }
  }

  void forget() {
    consumers.forEach(MessageConsumer::unregister);
    consumers.clear();
    held.forEach(message -> message.fail(1, "gone"));
    held.clear();
  }

  static Buffer answer(Buffer request) {
    return Buffer.buffer().appendInt(request.hashCode()).appendBuffer(request);
  }

  /** @param last the number of the last message of each caller at the consumer @param seen all messages at the consumer */
  private void heard(Message<Buffer> message, Map<Integer, Integer> last, Set<Long> seen) {
    Buffer body = message.body();
    int caller = body.getInt(0);
    int sent = body.getInt(4);
    world.trace.note("heard", member.process.number, caller, sent);
    world.count("messages heard");
    if (!member.home.isRunning()) {
      world.violated("a consumer runs elsewhere than on its context");
    }
    ServiceCaller from = world.caller(caller);
    String wrong = from.heard(sent, body, this, !message.isSend());
    if (wrong == null && !seen.add((long) caller << 32 | sent)) {
      wrong = "came twice";
    }
    if (wrong == null && last.getOrDefault(caller, -1) > sent && !from.mayComeLate(sent)) {
      wrong = "came after message " + last.get(caller);
    }
    last.merge(caller, sent, Math::max);
    if (wrong != null) {
      world.violated("message " + sent + " of caller " + caller + " at server " + number + ": " + wrong);
    }
    if (message.replyAddress() != null) {
      answer(message);
    }
  }

  private void answer(Message<Buffer> message) {
    switch (world.random(12)) {
      case 0 -> held.add(message);
      case 1 -> message.fail(7, "no");
      case 2, 3, 4 -> {
        held.add(message);
        member.home.schedule(() -> {
          if (held.remove(message)) {
            message.reply(answer(message.body()));
          }
        }, world.random(world.random(3) > 0 ? 20 : SLOW_MILLIS), TimeUnit.MILLISECONDS);
      }
      case 5 -> world.watch("answer to a reply", member, message.<Buffer>replyAndRequest(answer(message.body())), (reply, cause) -> {
        if (cause == null && !reply.body().equals(answer(answer(message.body())))) {
          world.violated("an answer to another reply came to server " + number);
        }
      });
      default -> message.reply(answer(message.body()));
    }
  }
}
