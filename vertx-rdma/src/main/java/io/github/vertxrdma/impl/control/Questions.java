package io.github.vertxrdma.impl.control;

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

/** Questions of one kind to other nodes over their control connections, each with one answer. Thread-safe. */
public final class Questions {
  private final EventLoop loop;
  private final ControlLinks control;
  private final int kind;
  private final Map<Integer, Question> asked = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile boolean closed;

  /** A question to a peer. */
  private record Question(String peer, Promise<Buffer> answer) {
  }

  /** Before the control connections listen. @param ask kind of control messages @param answer kind of what {@link Numbered#answer} makes */
  public Questions(Vertx vertx, ControlLinks control, int ask, int answer) {
    this.loop = ((VertxInternal) vertx).getOrCreateContext().nettyEventLoop();
    this.control = control;
    this.kind = ask;
    control.messageHandler(answer, this::answered);
  }

  /** Asks a node. @return fails if it cannot be reached, does not answer in time, or refuses */
  public Future<Buffer> ask(NodeEntry peer, Buffer question, long millis) {
    int number = numbers.incrementAndGet();
    Promise<Buffer> answer = Promise.promise();
    asked.put(number, new Question(peer.nodeId(), answer));
    // Timer of an event loop: those of the caller's context end with its verticle, and wait for it where it blocks.
    ScheduledFuture<?> timer = loop.schedule(() -> answer.tryFail(new RdmaException(Reason.UNREACHABLE, "node " + peer.nodeId()
      + " did not answer over the control connection within " + millis + " ms")), millis, TimeUnit.MILLISECONDS);
    if (closed) {
      answer.tryFail(over());
    } else {
      control.link(peer).compose(link -> link.send(kind, Numbered.question(number, question))).onFailure(answer::tryFail);
    }
    return answer.future().onComplete(done -> {
      asked.remove(number);
      timer.cancel(false);
    });
  }

  private void answered(ControlLink link, Buffer message) {
    Numbered answer = Numbered.answer(message);
    Question question = asked.get(answer.number());
    if (question == null || !question.peer.equals(link.nodeId())) {
      return;
    }
    if (answer.refused()) {
      question.answer.tryFail(new RdmaException(Reason.UNREACHABLE, ControlSocket.words(answer.rest())));
    } else {
      question.answer.tryComplete(answer.rest());
    }
  }

  /** Nobody is asked any more, and who waits for an answer gets none. */
  public void close() {
    closed = true;
    asked.values().forEach(question -> question.answer.tryFail(over()));
  }

  private static RdmaException over() {
    return new RdmaException(Reason.CLOSED, "RDMA was closed in this Vert.x");
  }
}
