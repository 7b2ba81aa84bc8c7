package io.github.vertxrdma.simulator;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.api.ClosingScope;
import io.github.vertxrdma.impl.api.RdmaConnectionImpl;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.provider.EndpointType;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The application at one end of a connection. It records the messages that it wrote and their results, and compares received messages with
 * those that the other end wrote.
 */
final class Speaker {
  private static final FabricChoice CHOICE = new FabricChoice("memory", "simulated", "simulated", EndpointType.MSG, List.of(), List.of());
  private static final int CLOSE_MILLIS = 1_500;

  private static final class Written {
    final boolean tooLarge;
    boolean succeeded;
    boolean failed;
    final int size;

    Written(int size, boolean tooLarge) {
      this.size = size;
      this.tooLarge = tooLarge;
    }
  }

  final RegionMember member;
  private final ConnectionConversation conversation;
  private final int talk;
  private final int side;
  private final Speaker[] both;
  private final Link link;
  private final SimulatedLoop home;
  final RdmaConnection connection;
  private final List<Written> written = new ArrayList<>();
  private final List<RdmaMessage> held = new ArrayList<>();
  private int read;
  /** Number of messages that had been read at the end handler. -1 before. */
  private int readAtEnd = -1;
  /** Whether this side had closed before. A close is an end too, and later messages of the other side are lost. */
  private boolean leftAtEnd;
  private boolean left;
  boolean closed;
  /** Number of messages that were written before this side ended or closed. -1 if it has not. */
  private int due = -1;
  private final List<Runnable> asked = new ArrayList<>();
  private int requested;
  private int flushed;
  private boolean told;
  private boolean broken;
  boolean paused;
  private boolean awaitsDrain;

  Speaker(ConnectionConversation conversation, int talk, Speaker[] both, int side, RegionMember member, Link link, SimulatedLoop home,
    int reading) {
    this.conversation = conversation;
    this.talk = talk;
    this.both = both;
    this.side = side;
    this.member = member;
    this.link = link;
    this.home = home;
    both[side] = this;
    ContextInternal context = home.context();
    connection = new RdmaConnectionImpl(context, link, CHOICE, null, new ClosingScope(), CLOSE_MILLIS);
    context.emit(connection, opened -> begin(reading));
  }

  private void begin(int reading) {
    connection.setWriteQueueMaxSize(1 << 15).exceptionHandler(cause -> {
      here("heard why it broke");
      conversation.trace.say(cause);
      if (broken || closed) {
        violated("heard twice why it broke, or after its end");
      }
      if (cause instanceof RdmaException e && e.reason() == RdmaException.Reason.CLOSED) {
        violated("an orderly close was reported as a failure: " + cause);
      }
      broken = true;
      told = true;
    }).closeHandler(v -> {
      here("is closed");
      if (closed) {
        violated("is closed twice");
      }
      closed = true;
      conversation.closed(this);
    }).endHandler(v -> {
      here("heard the end");
      if (readAtEnd >= 0) {
        violated("heard the end twice");
      }
      readAtEnd = read;
      leftAtEnd = left;
    }).drainHandler(v -> {
      here("drained");
      awaitsDrain = false;
    });
    connection.requestHandler(this::requested);
    if (reading == 1) {
      connection.messageHandler(message -> {
        MemorySegment memory = message.segment();
        conversation.count(memory.isNative() ? "views" : "views of the heap");
        read(Buffer.buffer(memory.toArray(ValueLayout.JAVA_BYTE)));
      });
    } else if (reading == 0) {
      connection.messageHandler(message -> {
        held.add(message.retain());
        read(message.body());
        if (held.size() > 3) {
          held.removeFirst().release();
        }
      });
    } else {
      connection.handler(this::read);
    }
    conversation.opened(this);
  }

  private void violated(String what) {
    conversation.violated(this + ": " + what);
  }

  private void here(String what) {
    conversation.trace.note(what, member.number, talk, side);
    if (!home.isRunning()) {
      violated("a handler runs elsewhere than on its context (" + what + ")");
    }
  }

  private byte[] content(int from, int number, int size) {
    byte[] bytes = new byte[size];
    int value = talk * 31 + from * 17 + number * 101;
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (value + i * 7 + (i >> 8));
    }
    return bytes;
  }

  private void read(Buffer message) {
    here("message");
    conversation.count("messages");
    if (readAtEnd >= 0) {
      violated("a message after the end");
    }
    Speaker other = both[1 - side];
    while (read < other.written.size() && other.written.get(read).tooLarge) {
      read++;
    }
    if (read >= other.written.size()) {
      violated("a message that nobody wrote, of " + message.length() + " bytes");
    } else if (!message.equals(Buffer.buffer(content(1 - side, read, other.written.get(read).size)))) {
      violated(
        "message " + read + " of " + other.written.get(read).size + " bytes came as one of " + message.length() + ", or of other bytes");
    }
    read++;
  }

  void act(Consumer<Speaker> action) {
    home.execute(() -> action.accept(this));
  }

  void write(int size, boolean zeroCopy) {
    if (zeroCopy) {
      conversation.watch("room for a message of " + this, this, connection.allocate(size), (message, cause) -> {
        if (cause == null) {
          message.body().appendBytes(content(side, written.size(), size));
          written(size, connection.write(message));
        }
      });
    } else {
      written(size, connection.write(Buffer.buffer(content(side, written.size(), size))));
    }
  }

  private void written(int size, Future<Void> write) {
    Written entry = new Written(size, size > link.maxMessageSize());
    written.add(entry);
    conversation.watch("write of " + this, this, write, (v, cause) -> {
      entry.succeeded = cause == null;
      entry.failed = cause != null;
      if (entry.tooLarge && cause == null) {
        violated("wrote " + size + " bytes, where at most " + link.maxMessageSize() + " are allowed");
      }
    });
    awaitsDrain |= connection.writeQueueFull();
  }

  void flush() {
    int before = written.size();
    conversation.watch("flush of " + this, this, connection.flush(), (v, cause) -> {
      Speaker other = both[1 - side];
      if (cause != null || other == null) {
        return;
      }
      conversation.count("flushes");
      flushed = before;
      if (written.stream().limit(before).anyMatch(message -> message.failed && !message.tooLarge)) {
        violated("is flushed, though a message before the flush was refused");
      }
      long whole = written.stream().limit(before).filter(message -> !message.tooLarge).count();
      long has = other.link.statistics().traffic().messagesReceived();
      // Messages that the peer has read wait there for a confirmation of this side, if reads outlive a connection.
      if (has < whole && !conversation.readsOutliveLinks) {
        violated("is flushed with " + whole + " messages, of which the other side has " + has);
      }
    });
  }

  void request(int size, int millis) {
    byte[] content = content(side, 1000 + requested++, size);
    conversation.watch("request of " + this, this, connection.request(Buffer.buffer(content), Duration.ofMillis(millis)),
      (reply, cause) -> {
        here("reply");
        if (cause == null) {
          conversation.count("replies");
          if (!reply.equals(answer(Buffer.buffer(content)))) {
            violated("got the reply of " + reply.length() + " bytes to another request than its own of " + size);
          }
        }
      });
  }

  private static Buffer answer(Buffer request) {
    return Buffer.buffer().appendInt(request.hashCode()).appendBuffer(request);
  }

  private Future<Buffer> requested(Buffer body) {
    here("request");
    Future<Buffer> reply = Future.succeededFuture(answer(body));
    if (asked.size() > 2 || body.length() % 3 == 0) {
      return reply;
    }
    Promise<Buffer> later = Promise.promise();
    asked.add(() -> later.complete(reply.result()));
    return later.future();
  }

  void answer() {
    while (!asked.isEmpty()) {
      asked.removeLast().run();
    }
  }

  void end() {
    finish("end", connection.end());
  }

  void close() {
    left = true;
    finish("close", connection.close());
  }

  void shutdown(int millis) {
    left = true;
    finish("shutdown", connection.shutdown(Duration.ofMillis(millis)));
  }

  private void finish(String what, Future<Void> done) {
    if (due < 0 && !closed) {
      due = written.size();
    }
    conversation.watch(what + " of " + this, this, done, (v, cause) -> told |= cause != null);
  }

  void pause(boolean on) {
    paused = on;
    if (on) {
      connection.pause();
    } else {
      connection.resume();
    }
  }

  void fetch(int count) {
    connection.fetch(count);
  }

  void release() {
    held.forEach(RdmaMessage::release);
    held.clear();
  }

  void check() {
    Speaker other = both[1 - side];
    if (!closed) {
      violated("was never told that it is closed");
    }
    if (awaitsDrain) {
      violated("waits to be drained");
    }
    if (other == null || other.member.dead) {
      return;
    }
    for (int i = 0; i < written.size(); i++) {
      Written message = written.get(i);
      if (message.succeeded && other.readAtEnd >= 0 && i >= other.readAtEnd && !other.leftAtEnd) {
        violated("message " + i + " of " + written.size() + " was handed over, and the other side heard the end after " + other.readAtEnd);
      }
      if (!message.tooLarge && !message.failed && i < flushed && i >= other.read && !other.broken && !other.leftAtEnd) {
        violated("message " + i + " of " + flushed + " before a flush did not arrive");
      }
      if (!message.tooLarge && i < due && i >= other.read && !message.failed && !told) {
        violated("message " + i + " of " + due + " before its end did not arrive, and nobody said so");
      }
    }
  }

  @Override
  public String toString() {
    return "side " + side + " of talk " + talk;
  }
}
