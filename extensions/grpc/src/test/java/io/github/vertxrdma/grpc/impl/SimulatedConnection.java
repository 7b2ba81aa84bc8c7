package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** A connection between two nodes of a simulated world: messages are delayed and keep their order; it breaks, or a side closes it. */
final class SimulatedConnection {
  private static final int WRITE_QUEUE = 4_096;

  interface Watcher {
    void written(End by, Buffer message);

    void arriving(End at, Buffer message);

    void arrived(End at);
  }

  final End client;
  final End server;
  private final CallTime time;
  private final Watcher watcher;
  /** Maximum nanoseconds until a message is handed to the fabric, and until it arrives. */
  private final long handing;
  private final long travel;
  private boolean broken;

  SimulatedConnection(CallTime time, SplittableRandom random, CallNode from, CallNode to, Watcher watcher, long travel) {
    this.time = time;
    this.watcher = watcher;
    this.travel = travel;
    this.handing = 1 + travel / 4;
    this.client = new End(from, to, random.split());
    this.server = new End(to, from, random.split());
  }

  End other(End end) {
    return end == client ? server : client;
  }

  /** Delays messages: none arrives within this time. */
  void hold(long nanos) {
    for (End end : List.of(client, server)) {
      end.arrives = Math.max(end.arrives, time.now() + nanos);
    }
  }

  /** Breaks: messages in flight are lost, and each side is notified at its own time. */
  void breakUp(SplittableRandom random, long within) {
    if (!broken) {
      broken = true;
      for (End end : List.of(client, server)) {
        time.after(end.node.dead ? 0 : random.nextLong(within),
          () -> end.lost(new RdmaException(Reason.CONNECTION_LOST, "the connection broke")));
      }
    }
  }

  final class End implements InvocationHandler {
    final CallNode node;
    final RdmaConnection connection;
    private final CallNode peer;
    private final SplittableRandom random;
    private final ArrayDeque<Buffer> early = new ArrayDeque<>();
    private final Set<Promise<Void>> unsent = new LinkedHashSet<>();
    private final Promise<Void> closed;
    private Handler<Buffer> handler;
    private Handler<Void> closeHandler;
    private Handler<Throwable> exceptionHandler;
    private Handler<Void> drainHandler;
    private long queued;
    private boolean full;
    private boolean closing;
    private boolean over;
    /** Whether the fabric takes no more writes. */
    boolean stuck;
    private Throwable failure;
    /** Times at which all written messages are handed to the fabric, and have arrived. */
    private long handed;
    private long arrives;

    End(CallNode node, CallNode peer, SplittableRandom random) {
      this.node = node;
      this.peer = peer;
      this.random = random;
      this.closed = node.context.promise();
      this.connection = (RdmaConnection) Proxy.newProxyInstance(RdmaConnection.class.getClassLoader(),
        new Class<?>[] {RdmaConnection.class}, this);
    }

    SimulatedConnection of() {
      return SimulatedConnection.this;
    }

    boolean isOver() {
      return over || closing;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Object invoke(Object proxy, Method method, Object[] arguments) {
      switch (method.getName()) {
        case "handler" -> {
          handler = (Handler<Buffer>) arguments[0];
          for (Buffer next = early.poll(); next != null; next = early.poll()) {
            Buffer message = next;
            node.context.runOnContext(v -> deliver(message));
          }
        }
        case "closeHandler" -> {
          closeHandler = (Handler<Void>) arguments[0];
          if (over) {
            node.context.emit(null, closeHandler);
          }
        }
        case "exceptionHandler" -> {
          exceptionHandler = (Handler<Throwable>) arguments[0];
          if (over && failure != null) {
            node.context.emit(failure, exceptionHandler);
          }
        }
        case "drainHandler" -> drainHandler = (Handler<Void>) arguments[0];
        case "write" -> {
          return write((Buffer) arguments[0]);
        }
        case "writeQueueFull" -> {
          return queued >= WRITE_QUEUE;
        }
        case "shutdown" -> {
          return close((Duration) arguments[0]);
        }
        case "maxMessageSize" -> {
          return RdmaOptions.DEFAULT_MAX_MESSAGE_SIZE;
        }
        case "remoteNodeId", "remoteNodeName" -> {
          return peer.name;
        }
        case "localAddress", "remoteAddress" -> {
          return null;
        }
        case "toString" -> {
          return node.name + " to " + peer.name;
        }
        default -> throw new UnsupportedOperationException(method.getName());
      }
      return proxy;
    }

    Future<Void> write(Buffer message) {
      if (over || closing) {
        return node.context.failedFuture(new RdmaException(over ? Reason.CONNECTION_LOST : Reason.CLOSED, "the connection is over"));
      }
      watcher.written(this, message);
      if (stuck) {
        Promise<Void> never = node.context.promise();
        unsent.add(never);
        return never.future();
      }
      Buffer bytes = message.copy();
      long now = time.now();
      boolean atOnce = unsent.isEmpty() && random.nextInt(4) > 0;
      handed = atOnce ? Math.max(handed, now) : Math.max(handed, now) + random.nextLong(handing);
      arrives = Math.max(arrives, handed) + random.nextLong(travel);
      Promise<Void> sent = node.context.promise();
      time.after(arrives - now, () -> {
        if (!sent.future().failed()) {
          other(this).arrive(bytes);
        }
      });
      if (atOnce) {
        sent.complete();
        return node.context.succeededFuture();
      }
      unsent.add(sent);
      queued += bytes.length();
      full |= queued >= WRITE_QUEUE;
      time.after(handed - now, () -> {
        if (!bytes.equals(message)) {
          throw new AssertionError("a message was changed before its write completed: " + bytes + " became " + message);
        }
        sent(sent, bytes.length());
      });
      return sent.future();
    }

    private void sent(Promise<Void> sent, int length) {
      if (unsent.remove(sent)) {
        queued -= length;
        sent.complete();
        if (full && queued <= WRITE_QUEUE / 2) {
          full = false;
          if (drainHandler != null) {
            node.context.runOnContext(drainHandler);
          }
        }
      }
    }

    private void arrive(Buffer message) {
      if (broken || over) {
        return;
      }
      if (handler == null || !early.isEmpty()) {
        early.add(message);
      } else {
        deliver(message);
      }
    }

    private void deliver(Buffer message) {
      if (!over) {
        watcher.arriving(this, message);
        node.context.dispatch(message, handler);
        watcher.arrived(this);
      }
    }

    /** Closes it when all messages have arrived, or after a time. */
    private Future<Void> close(Duration most) {
      if (!closing && !over) {
        closing = true;
        long now = time.now();
        long heard = Math.max(arrives, now) - now + random.nextLong(travel);
        time.after(heard, () -> {
          if (!broken) {
            other(this).lost(null);
          }
        });
        time.after(Math.min(heard + random.nextLong(travel), most.toNanos()), () -> lost(null));
      } else if (over) {
        closed.tryComplete();
      }
      return closed.future();
    }

    /** @param cause null if one of the two has closed it */
    private void lost(Throwable cause) {
      if (over) {
        return;
      }
      over = true;
      failure = cause;
      List<Promise<Void>> failing = new ArrayList<>(unsent);
      unsent.clear();
      Reason reason = cause == null ? Reason.CLOSED : Reason.CONNECTION_LOST;
      failing.forEach(sent -> sent.fail(new RdmaException(reason, "the message was not sent", cause, false)));
      if (cause != null && exceptionHandler != null) {
        node.context.dispatch(cause, exceptionHandler);
      }
      if (closeHandler != null) {
        node.context.dispatch(null, closeHandler);
      }
      closed.tryComplete();
    }
  }
}
