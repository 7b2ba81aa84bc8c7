package io.github.vertxrdma.simulator;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.FrameService;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One end of a dialogue, with its application. It records the messages that it wrote, and compares received messages with those that the
 * other end wrote.
 */
final class End implements MessageHandler, FrameService {

  private static final class Written {
    final int size;
    boolean refused;
    boolean succeeded;

    Written(int size) {
      this.size = size;
    }
  }

  final Dialogue dialogue;
  final Node node;
  final Link link;
  private final Conversation conversation;
  private final int side;
  private final List<Written> written = new ArrayList<>();
  private int read;
  /** Numbers of sent and received service frames: requests, then answers. */
  private final int[] asked = new int[2];
  private final int[] heard = new int[2];
  boolean paused;
  boolean endAsked;
  boolean closeAsked;
  private boolean ended;
  boolean over;
  Throwable cause;
  private final List<ByteBuf> held = new ArrayList<>();

  End(Conversation conversation, Dialogue dialogue, Node node, int side, Link link) {
    this.conversation = conversation;
    this.dialogue = dialogue;
    this.node = node;
    this.side = side;
    this.link = link;
    dialogue.ends[side] = this;
    link.handler(this);
    link.service(this);
    conversation.opened(this);
  }

  private End other() {
    return dialogue.other(this);
  }

  private void violated(String what) {
    conversation.violated(dialogue + ", side " + side + ": " + what);
  }

  private byte[] content(int from, int number, int size) {
    byte[] bytes = new byte[size];
    int value = dialogue.number * 31 + from * 17 + number * 101;
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (value + i * 7 + (i >> 8));
    }
    return bytes;
  }

  void write(int size) {
    ByteBuf message = Unpooled.wrappedBuffer(content(side, written.size(), size));
    write(message, size);
  }

  void writeZeroCopy(int size) {
    link.allocate(size).onComplete(done -> {
      if (done.failed()) {
        violated("no memory for a message: " + done.cause());
        return;
      }
      if (!node.dead) {
        ByteBuf message = done.result();
        message.clear().writeBytes(content(side, written.size(), size));
        write(message, size);
      } else {
        done.result().release();
      }
    });
  }

  private void write(ByteBuf message, int size) {
    Written entry = new Written(size);
    written.add(entry);
    conversation.trace.note("write", node.number, dialogue.number, size);
    boolean[] returned = new boolean[1];
    link.send(message, new Once(conversation, "write of " + size + " bytes in " + dialogue, failure -> {
      entry.succeeded = failure == null;
      // A message that fails with its link or after its post may have been sent.
      entry.refused = failure != null && !returned[0] && !link.isClosed() && !(failure instanceof RdmaException e && e.isEffectUnknown());
      conversation.applications.written(this, failure);
    }));
    returned[0] = true;
  }

  void end() {
    endAsked = true;
    int due = written.size();
    conversation.trace.note("end", node.number, dialogue.number, due);
    link.end(new Once(conversation, "end of " + dialogue, failure -> {
      if (failure == null) {
        checkAllRead(due, "end() succeeded");
      }
    }));
  }

  void close(int millis) {
    boolean wasOver = link.isClosed();
    int due = written.size();
    closeAsked = true;
    conversation.trace.note("close link", node.number, dialogue.number, millis);
    Once once = new Once(conversation, "close of " + dialogue, failure -> {
      if (failure == null && !wasOver) {
        checkAllRead(due, "close() succeeded");
      }
    });
    if (millis == 0) {
      link.close(once);
    } else {
      dialogue.cutShort = true;
      link.shutdown(millis, once);
    }
  }

  private void checkAllRead(int due, String when) {
    End other = other();
    int theirs = other == null ? 0 : other.read;
    for (int i = theirs; i < due; i++) {
      if (!written.get(i).refused && written.get(i).succeeded) {
        violated(when + ", and of " + due + " messages the other side had " + theirs);
        return;
      }
    }
  }

  void ask(int type, int size) {
    if (link.isOpen()) {
      int kind = kind(type);
      link.sendFrame(type, 0, asked[kind]++, side, size == 0 ? null : new byte[Math.min(size, link.maxPayload())]);
    }
  }

  int asked() {
    return asked[0] + asked[1];
  }

  /** Returns the kind of a frame. Answers overtake waiting frames, and each kind is in order. */
  private static int kind(int type) {
    return type == RegionFrames.REPLY || type == RegionFrames.NOTIFIED ? 1 : 0;
  }

  @Override
  public void frame(int type, int flags, long a, long b, MemorySegment memory, int length) {
    conversation.trace.note(Frame.name(type), node.number, dialogue.number, a);
    int kind = kind(type);
    if (over || a != heard[kind]++ || b != 1 - side) {
      violated("frame " + a + " of the other side, " + (heard[kind] - 1) + " was due" + (over ? ", after the end" : ""));
    }
  }

  @Override
  public void turnEnd() {
  }

  @Override
  public void closed(Throwable why) {
    if (over) {
      toldTwice++;
      if (toldTwice > 1) {
        violated("heard of its end three times");
      }
      return;
    }
    over = true;
    cause = why;
    conversation.trace.note("over", node.number, dialogue.number, why == null ? 0 : 1);
    conversation.trace.say(why);
    if (node.closesNext) {
      conversation.close(node);
    }
    conversation.applications.over(this);
    String unread = conversation.outages == null ? null : conversation.outages.check(this, why);
    if (unread != null) {
      violated(unread);
    }
    // The end of the other side's messages, and its close, do not show which messages it has received.
    if (why == null && (closeAsked || !ended)) {
      checkAllRead(written.size(), "it ended well");
    }
    if (why instanceof RdmaException broken && broken.reason() == RdmaException.Reason.PROTOCOL) {
      violated("broke the protocol: " + why.getMessage());
    } else if (isCut(why)) {
      dialogue.cutShort = true;
    } else if (why != null && !dialogue.isExcused()) {
      violated("ended without a fault: " + why);
    }
  }

  private boolean isCut(Throwable why) {
    End other = other();
    if (other == null || !(why instanceof RdmaException told)) {
      return false;
    }
    // A close does not wait for ever for a paused reader, or for a peer that left without a report.
    return other.closeAsked && told.reason() == RdmaException.Reason.CLOSED
      || closeAsked && (other.paused || other.over) && told.reason() == RdmaException.Reason.TIMEOUT;
  }

  private int toldTwice;

  @Override
  public void message(ByteBuf message) {
    int size = message.readableBytes();
    conversation.trace.note("message", node.number, dialogue.number, size);
    conversation.count("messages");
    node.monitor.delivered(link.endpoint());
    if (over) {
      violated("a message after the end");
    }
    if (ended) {
      violated("a message after the end of messages");
    }
    End other = other();
    while (read < other.written.size() && other.written.get(read).refused) {
      read++;
    }
    if (read >= other.written.size()) {
      violated("a message that nobody wrote, of " + size + " bytes");
    } else if (!Unpooled.wrappedBuffer(content(1 - side, read, other.written.get(read).size)).equals(message)) {
      violated("message " + read + " of " + other.written.get(read).size + " bytes came as one of " + size + ", or of other bytes");
    }
    read++;
    if (held.size() < 4 && size > 10_000) {
      held.add(message);
    } else {
      message.release();
    }
    conversation.applications.read(this);
  }

  void release() {
    held.forEach(ByteBuf::release);
    held.clear();
  }

  @Override
  public void ended() {
    conversation.trace.note("ended", node.number, dialogue.number, read);
    if (ended || over) {
      violated("ended twice, or after its end");
    }
    ended = true;
    End other = other();
    if (other != null) {
      other.checkAllRead(other.written.size(), "the end was seen");
    }
  }
}
