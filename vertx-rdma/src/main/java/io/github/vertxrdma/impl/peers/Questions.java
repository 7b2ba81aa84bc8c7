package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** Sends questions of one kind over control connections, and answers those of other nodes. Thread-safe. */
public final class Questions {
  private final EventLoop loop;
  private final ControlLinks control;
  private final int kind;
  private final int answerKind;
  private final Map<Integer, Question> pending = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile boolean closed;

  private record Question(String peer, Promise<Buffer> answer) {
  }

  /** Question, or its answer. @param refused true if the rest of an answer is the text of a refusal */
  public record Numbered(int number, boolean refused, Buffer rest) {
    private static final int NUMBER = 4;

    public static Buffer question(int number, Buffer rest) {
      return Buffer.buffer(NUMBER + rest.length()).appendInt(number).appendBuffer(rest);
    }

    public static Buffer answer(int number, boolean refused, Buffer rest) {
      return Buffer.buffer(NUMBER + 1 + rest.length()).appendInt(number).appendByte((byte) (refused ? 1 : 0)).appendBuffer(rest);
    }

    public static Numbered question(Buffer message, int least) {
      check(message, NUMBER + least);
      return new Numbered(message.getInt(0), false, message.getBuffer(NUMBER, message.length()));
    }

    public static Numbered answer(Buffer message) {
      check(message, NUMBER + 1);
      return new Numbered(message.getInt(0), message.getByte(NUMBER) != 0, message.getBuffer(NUMBER + 1, message.length()));
    }

    private static void check(Buffer message, int least) {
      if (message.length() < least) {
        throw new IllegalArgumentException("a message of " + message.length() + " bytes is too short: it must have at least " + least);
      }
    }
  }

  /** Must be created before the control connections listen. */
  public Questions(Vertx vertx, ControlLinks control, int ask, int answer) {
    this.loop = ((VertxInternal) vertx).getOrCreateContext().nettyEventLoop();
    this.control = control;
    this.kind = ask;
    this.answerKind = answer;
    control.messageHandler(answer, this::answered);
  }

  /** Answers questions of at least {@code least} bytes on the control loop. The message of a failure goes to the node that asks. */
  public Questions answerer(int least, BiFunction<ControlLink, Buffer, Future<Buffer>> answerer) {
    control.messageHandler(kind, (link, message) -> {
      Numbered asked = Numbered.question(message, least);
      answerer.apply(link, asked.rest()).onComplete((answer, cause) -> link.send(answerKind, Numbered.answer(asked.number(), cause != null,
        cause == null ? answer : Buffer.buffer(String.valueOf(cause.getMessage())))));
    });
    return this;
  }

  public Future<Buffer> ask(NodeEntry peer, Buffer question, long millis) {
    int number = numbers.incrementAndGet();
    Promise<Buffer> answer = Promise.promise();
    pending.put(number, new Question(peer.nodeId(), answer));
    Future<ControlLink> open = closed ? Future.failedFuture(closedException()) : control.link(peer);
    // Timers of the caller's context would end with its verticle.
    ScheduledFuture<?> timer = loop.schedule(() -> answer.tryFail(new RdmaException(Reason.UNREACHABLE, open.isComplete()
      ? "node " + peer.nodeId() + " did not answer over the control connection within " + millis + " ms"
      : "the control connection with node " + peer.nodeId() + " at " + peer.controlHost() + ':' + peer.controlPort()
        + " has not opened within " + millis + " ms. Open this port in firewalls between the two nodes")),
      millis, TimeUnit.MILLISECONDS);
    open.compose(link -> link.send(kind, Numbered.question(number, question))).onFailure(answer::tryFail);
    return answer.future().onComplete(done -> {
      pending.remove(number);
      timer.cancel(false);
    });
  }

  private void answered(ControlLink link, Buffer message) {
    Numbered answer = Numbered.answer(message);
    Question question = pending.get(answer.number());
    if (question == null || !question.peer.equals(link.nodeId())) {
      return;
    }
    if (answer.refused()) {
      question.answer.tryFail(new RdmaException(Reason.UNREACHABLE, ControlSocket.text(answer.rest())));
    } else {
      question.answer.tryComplete(answer.rest());
    }
  }

  public void close() {
    closed = true;
    pending.values().forEach(question -> question.answer.tryFail(closedException()));
  }

  private static RdmaException closedException() {
    return new RdmaException(Reason.CLOSED, "RDMA was closed in this Vert.x");
  }
}
