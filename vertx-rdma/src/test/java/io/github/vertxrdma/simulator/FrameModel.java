package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Greeting;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A second implementation of the protocol of one endpoint's frames: credits of both directions, pieces, slabs and pings. It sees the posted
 * and the received frames, and shares no code with the tested implementation.
 */
final class FrameModel {

  record Seen(int type, int flags, int data, int control, int length, long a, long b, int messages, byte[] payload) {
    boolean isData() {
      return Frame.isData(type);
    }

    static Seen of(MemorySegment m, long at, long bytes) {
      long first = Frame.first(m, at);
      long second = Frame.second(m, at);
      int length = Frame.length(second);
      int type = Frame.type(first);
      boolean wanted = type == Frame.HELLO || type == Frame.WELCOME || type == Frame.ATS;
      byte[] payload = wanted && length > 0 && length <= bytes - Frame.SIZE
        ? m.asSlice(at + Frame.SIZE, length).toArray(ValueLayout.JAVA_BYTE) : new byte[0];
      return new Seen(type, Frame.flags(first), Frame.dataCredits(first), Frame.controlCredits(first), length, Frame.a(m, at),
        Frame.b(m, at),
        messages(m, at, bytes, type, Frame.flags(first), length), payload);
    }

    private static int messages(MemorySegment m, long at, long bytes, int type, int flags, int length) {
      if (type != Frame.DATA || (flags & Frame.COALESCED) == 0 || (flags & Frame.SEGMENT) != 0 || length > bytes - Frame.SIZE) {
        return 1;
      }
      int messages = 0;
      for (long next = at + Frame.SIZE; next + Frame.LENGTH <= at + Frame.SIZE + length; messages++) {
        next += Frame.LENGTH + Math.max(0, Frame.length(m, next));
      }
      return messages;
    }

    boolean isGreeting() {
      return (type == Frame.HELLO || type == Frame.WELCOME) && (flags & Frame.REFUSED) == 0;
    }
  }

  private long grantedData;
  private long grantedControl = Grant.HANDSHAKE_CREDITS;
  private long receivedData;
  private long receivedControl;
  private long mostData;
  private long mostControl = Grant.HANDSHAKE_CREDITS;
  private long sentOfService;
  private long creditsData;
  private long creditsControl = Grant.HANDSHAKE_CREDITS;
  private long sentData;
  private long sentControl;

  /**
   * The message of the peer that is incomplete: its size or -1 for none, the offset of the next piece, and whether it is read by
   * rendezvous.
   */
  private int size = -1;
  private int next;
  private boolean rendezvous;
  private boolean peerEnded;
  private boolean ended;
  private boolean endAcknowledged;
  private final Map<Integer, Long> slabs = new HashMap<>();
  private final Set<Long> given = new HashSet<>();
  private long complete;
  private long delivered;
  private int questions;
  private int answers;

  void granted(byte[] bytes) {
    Greeting greeting = Greeting.decode(bytes);
    grantedData += greeting.dataCredits();
    grantedControl += greeting.controlCredits() - Grant.HANDSHAKE_CREDITS;
    mostData = Math.max(mostData, grantedData - receivedData);
    mostControl = Math.max(mostControl, grantedControl - receivedControl);
  }

  void greeted(byte[] bytes) {
    try {
      Greeting greeting = Greeting.decode(bytes);
      creditsData += greeting.dataCredits();
      creditsControl += greeting.controlCredits() - Grant.HANDSHAKE_CREDITS;
    } catch (IllegalArgumentException e) {
      // A wrong greeting, which ends the link.
    }
  }

  String sent(Seen frame) {
    grantedData += frame.data;
    grantedControl += frame.control;
    if (frame.isGreeting()) {
      granted(frame.payload);
    }
    mostData = Math.max(mostData, grantedData - receivedData);
    mostControl = Math.max(mostControl, grantedControl - receivedControl);
    if (frame.type >= Frame.REGION_BASE) {
      sentOfService++;
    }
    switch (frame.type) {
      case Frame.RTS -> given.add(frame.b);
      case Frame.END -> ended = true;
      case Frame.PING -> questions++;
      default -> {
      }
    }
    if (frame.isData() ? ++sentData > creditsData : ++sentControl > creditsControl) {
      return "sent " + Frame.name(frame.type) + " without a credit";
    }
    return frame.isData() && ended ? "sent " + Frame.name(frame.type) + " after its END" : null;
  }

  void received(Seen frame) {
    if (frame.isData()) {
      receivedData++;
    } else {
      receivedControl++;
    }
    creditsData += frame.data;
    creditsControl += frame.control;
    if (frame.isGreeting()) {
      greeted(frame.payload);
    }
  }

  long outstanding() {
    return grantedData - receivedData + grantedControl - receivedControl;
  }

  long mostData() {
    return mostData;
  }

  long mostControl() {
    return mostControl;
  }

  /** Returns whether this side has no credits for control frames except the one that is kept for CREDIT. */
  boolean lacksCredits() {
    return creditsControl - sentControl <= 1;
  }

  long given() {
    return creditsControl;
  }

  long sentOfService() {
    return sentOfService;
  }

  boolean delivered() {
    return ++delivered <= complete;
  }

  Set<Row> taken(Seen frame) {
    EnumSet<Row> rows = EnumSet.noneOf(Row.class);
    switch (frame.type) {
      case Frame.DATA, Frame.RTS -> data(frame, rows);
      case Frame.END -> {
        rows.add(peerEnded ? Row.AFTER_END : size >= 0 ? Row.OTHER_PIECE : Row.END);
        peerEnded = true;
      }
      case Frame.END_ACK -> {
        rows.add(ended && !endAcknowledged ? Row.END_ACK : Row.END_ACK_UNASKED);
        endAcknowledged = true;
      }
      case Frame.RKEY -> key(frame, rows);
      case Frame.ATS -> {
        for (int at = 0; at + 8 <= frame.payload.length; at += 8) {
          rows.add(given.remove(Frame.word(MemorySegment.ofArray(frame.payload), at)) ? Row.ATS : Row.ATS_UNKNOWN);
        }
      }
      case Frame.PONG -> rows.add(answers++ < questions ? Row.PONG : Row.PONG_UNASKED);
      default -> {
      }
    }
    return rows;
  }

  private void data(Seen frame, EnumSet<Row> rows) {
    boolean rts = frame.type == Frame.RTS;
    boolean segment = !rts && (frame.flags & Frame.SEGMENT) != 0;
    if (peerEnded) {
      rows.add(Row.AFTER_END);
      return;
    }
    if (rts) {
      Long bytes = slabs.get((int) (frame.b >>> 48));
      long offset = frame.b & 0xffff_ffff_ffffL;
      rows.add(bytes == null ? Row.SLAB_UNKNOWN : frame.length < 0 || frame.length > bytes - offset ? Row.PIECE_BEYOND : Row.PIECE_WITHIN);
    }
    if (!rts && !segment) {
      complete += frame.messages;
      rows.add(size >= 0 ? Row.OTHER_PIECE : Row.WHOLE);
      return;
    }
    int whole = Frame.pieceSize(frame.a);
    int offset = Frame.pieceOffset(frame.a);
    if (size < 0) {
      if (offset == 0) {
        rows.add(Row.FIRST_PIECE);
        size = whole;
        next = 0;
        rendezvous = rts;
      }
    } else {
      rows.add(rendezvous == rts && whole == size && offset == next ? Row.NEXT_PIECE : Row.OTHER_PIECE);
    }
    next += frame.length;
    if (next >= size) {
      complete++;
      size = -1;
    }
  }

  private void key(Seen frame, EnumSet<Row> rows) {
    int slab = (int) frame.a;
    boolean there = slabs.containsKey(slab);
    if (frame.b == 0) {
      rows.add(there ? Row.KEY_GONE : Row.KEY_GONE_UNKNOWN);
      slabs.remove(slab);
    } else if (there) {
      rows.add(Row.PIECE_BEYOND);
    } else if (frame.a >= 0 && frame.a < 1024) {
      rows.add(Row.KEY);
      slabs.put(slab, frame.b);
    }
  }
}
