package io.github.vertxrdma.simulator;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.impl.calls.SimulatedBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A client of the service, with its application. It records the messages that it sent, and checks their results. Confined to its context.
 */
final class ServiceCaller {
  private static final int DRAIN_MILLIS = 60_000;
  private static final long NOTICED = TimeUnit.SECONDS.toNanos(8);

  enum Kind { REQUEST, SEND, PUBLISH }

  private final class Sent {
    final Kind kind;
    final Buffer body;
    final long at = world.now();
    final boolean afterClose = closing && world.now() > closedAt && !member.stopped;
    final int millis;
    Throwable failure;
    ServiceServer heardBy;

    Sent(Kind kind, Buffer body, int millis) {
      this.kind = kind;
      this.body = body;
      this.millis = millis;
    }
  }

  final ServiceMember member;
  final int number;
  private final ServiceConversation world;
  private final int maxOutstanding;
  private final List<Sent> sent = new ArrayList<>();
  private RdmaBusClient client;
  private int waiting;
  private boolean closing;
  private long closedAt;
  private boolean closed;

  ServiceCaller(ServiceMember member, int number, int maxOutstanding) {
    this.member = member;
    this.number = number;
    this.world = member.world;
    this.maxOutstanding = maxOutstanding;
  }

  void open(int lookupMillis) {
    RdmaBusClientOptions options = new RdmaBusClientOptions().setMaxOutstanding(maxOutstanding)
      .setLookupTimeout(Duration.ofMillis(lookupMillis))
      .setDrainTimeout(Duration.ofMillis(DRAIN_MILLIS));
    long since = world.now();
    world.watch("connect", member, SimulatedBus.connect(member.home, member, ServiceMember.NAME, options), (open, cause) -> {
      client = open;
      if (cause != null && world.undisturbed && world.isServed(since)) {
        world.violated("caller " + number + " was not connected: " + cause);
      }
    });
  }

  boolean isOpen() {
    return client != null && !closed;
  }

  void close() {
    if (isOpen() && !closing) {
      closing = true;
      closedAt = world.now();
      world.watch("close of caller " + number, member, client.close(), (v, cause) -> {
        closed = true;
        if (cause != null || waiting > 0) {
          world.violated("caller " + number + " is closed, with " + waiting + " requests waiting, " + cause);
        }
      });
    }
  }

  void send(Kind kind, int size, int millis) {
    Sent message = new Sent(kind, content(size), millis);
    sent.add(message);
    world.trace.note("send", member.process.number, number, sent.size());
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(millis);
    String what = kind + " of caller " + number;
    switch (kind) {
      case REQUEST -> {
        waiting++;
        world.count("requests");
        world.watch(what, member, client.<Buffer>request(message.body, options), (reply, cause) -> {
          waiting--;
          answered(message, reply, cause);
        });
      }
      case SEND -> world.watch(what, member, client.send(message.body, options), (v, cause) -> over(message, cause));
      default -> world.watch(what, member, client.publish(message.body, options), (v, cause) -> over(message, cause));
    }
  }

  private Buffer content(int size) {
    Buffer body = Buffer.buffer(8 + size).appendInt(number).appendInt(sent.size());
    for (int i = 0; i < size; i++) {
      body.appendByte((byte) (number * 31 + sent.size() * 101 + i * 7 + (i >> 8)));
    }
    return body;
  }

  private void answered(Sent message, Message<Buffer> reply, Throwable cause) {
    if (closed && cause == null) {
      violated(message, "has a reply after the close");
    }
    if (cause == null) {
      world.count("replies");
      if (!reply.body().equals(ServiceServer.answer(message.body))) {
        violated(message, "has the reply to another request");
      } else if (reply.replyAddress() != null && world.random(4) > 0) {
        reply.reply(ServiceServer.answer(reply.body()));
      }
    }
    long nanos = world.now() - message.at;
    long due = TimeUnit.MILLISECONDS.toNanos(message.millis);
    if (nanos > due + TimeUnit.MILLISECONDS.toNanos(1) && !member.stopped) {
      violated(message, "took " + nanos / 1_000_000 + " ms of " + message.millis);
    }
    if (cause instanceof ReplyException failure && failure.failureType() == ReplyFailure.TIMEOUT) {
      ServiceServer by = message.heardBy;
      if (nanos < due) {
        violated(message, "timed out after " + nanos / 1_000_000 + " ms of " + message.millis);
      } else if (by != null && by.member.process.dead && world.now() - world.diedAt(by.member) > NOTICED && !member.stopped) {
        violated(message, "waited for its time-out, though its server was dead");
      }
      return;
    }
    over(message, cause);
  }

  private void over(Sent message, Throwable cause) {
    message.failure = cause;
    if (message.afterClose && cause == null) {
      violated(message, "was sent after the close");
    } else if (cause instanceof RdmaException told && world.undisturbed && !isExpected(message, told.reason())) {
      violated(message, "failed without a fault: " + cause);
    } else if (message.heardBy != null && isNotSent(cause)) {
      violated(message, "was heard by server " + message.heardBy.number + ", and it failed as if it had not been sent: " + cause);
    }
  }

  private boolean isExpected(Sent message, Reason reason) {
    return switch (reason) {
      case NOT_FOUND, REJECTED, UNREACHABLE -> !world.isServed(message.at);
      case CLOSED -> closing;
      case LIMIT -> true;
      default -> false;
    };
  }

  private static boolean isNotSent(Throwable cause) {
    return cause instanceof RdmaException told && !told.isEffectUnknown();
  }

  /** Called when a server received a message. @return the violation, or null */
  String heard(int sequence, Buffer body, ServiceServer by, boolean published) {
    if (sequence >= sent.size()) {
      return "nobody sent it";
    }
    Sent message = sent.get(sequence);
    ServiceServer before = message.heardBy;
    message.heardBy = by;
    return !body.equals(message.body) ? "its bytes are others"
      : published != (message.kind == Kind.PUBLISH) ? "it was sent as " + message.kind
        : before != null && (before != by || !published) ? "server " + before.number + " heard it too"
          : message.afterClose ? "it was sent after the close"
            : isNotSent(message.failure) ? "it had failed as if it had not been sent: " + message.failure : null;
  }

  /** Returns whether a message may come after later ones: a request that was not sent to a lost server goes to another one. */
  boolean mayComeLate(int sequence) {
    return sent.get(sequence).kind == Kind.REQUEST && !world.undisturbed;
  }

  private void violated(Sent message, String what) {
    world.violated("message " + sent.indexOf(message) + " of caller " + number + ' ' + what);
  }
}
