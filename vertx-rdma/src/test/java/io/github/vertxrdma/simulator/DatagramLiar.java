package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * A peer on a fabric without connections that sends arbitrary messages of the connection layer. It connects or is connected to, and sends
 * any message in any state of the connection. docs/protocol.adoc has the bytes.
 */
final class DatagramLiar {
  private static final int VERSION = 3;
  private static final long MOVE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
  private static final int MOVES = 80;
  private static final int SLOTS = 32;
  private static final int SLOT = 16 << 10;
  private static final byte[] NONE = {};

  private enum Type {
    DATA, REQ, REP, REJ, REFUSE, RTU, DREQ, RESET, WRITE
  }

  private final Conversation conversation;
  private final Node victim;
  private final SplittableRandom random;
  private final Arena arena = Arena.ofShared();
  private final RdmDomain domain;
  private final CompletionQueue queue;
  private final RdmEndpoint endpoint;
  private final MemoryRegion receives;
  private final MemoryRegion sends;
  private final CompletionBatch batch = new CompletionBatch(16);
  private final WorkRequest work = new WorkRequest();
  private final long to;
  private final long id;
  private final int tag;
  /** The id of the victim's end of the connection. 0 before it is known. */
  private long remoteId;
  private int remoteTag;
  private int sequence;
  private int sent;
  private int moves;
  private boolean closed;

  DatagramLiar(Conversation conversation, Node victim, RdmDomain domain, long seed) {
    this.conversation = conversation;
    this.victim = victim;
    this.domain = domain;
    random = new SplittableRandom(seed);
    queue = domain.createCompletionQueue(1024);
    endpoint = domain.createEndpoint(queue, null);
    receives = domain.register(arena.allocate((long) SLOTS * SLOT, 64), Set.of(Access.LOCAL_WRITE));
    sends = domain.register(arena.allocate((long) SLOTS * SLOT, 64), Set.of());
    for (int i = 0; i < SLOTS; i++) {
      endpoint.postReceive(i, receives, (long) i * SLOT, SLOT);
    }
    to = endpoint.addressVector().insert(victim.listener.localAddress());
    id = random.nextLong() | 1;
    tag = random.nextInt(1, 1 << 16);
    if (random.nextInt(5) < 2) {
      control(Type.REQ, 0);
    } else {
      victim.host.execute(() -> LinkConnector.connect(victim.loop, endpoint.localAddress(), victim.identity(), "accept", NONE, 2_000,
        link -> link).onComplete(done -> {}));
    }
    conversation.time.after(MOVE_NANOS, this::move);
  }

  private void move() {
    if (closed) {
      return;
    }
    while (queue.poll(batch) > 0) {
      for (int i = 0; i < batch.size(); i++) {
        if (batch.operation(i) == Operation.RECEIVE && batch.status(i) == Status.OK) {
          received(batch.requestId(i));
        }
      }
    }
    if (remoteId != 0 && moves < MOVES) {
      moves++;
      speak();
    }
    conversation.time.after(MOVE_NANOS * (moves < MOVES ? 1 + random.nextInt(10) : 200), this::move);
  }

  private void received(long slot) {
    ByteBuffer message = receives.segment().asSlice(slot * SLOT, 64).asByteBuffer();
    int type = message.get(8);
    if (type == Type.REQ.ordinal() || type == Type.REP.ordinal()) {
      remoteId = message.getLong(RdmLayer.PREFIX);
      remoteTag = message.getInt(RdmLayer.PREFIX + 16);
    }
    endpoint.postReceive(slot, receives, slot * SLOT, SLOT);
  }

  private void speak() {
    Type type = switch (random.nextInt(16)) {
      case 0, 1, 2, 3, 4 -> Type.DATA;
      case 5, 6, 7 -> Type.RTU;
      case 8 -> Type.REP;
      default -> Type.values()[random.nextInt(9)];
    };
    switch (type) {
      case DATA -> data();
      case WRITE -> endpoint.post(to, work.write(sends, 0, 0, domain.remoteMemory(0, SLOT, new byte[8]), 0).immediate(
        (long) remoteTag << 32 | 7).id(SLOTS).flags(0));
      case DREQ -> control(type, sequence + random.nextInt(3));
      default -> control(type, 0);
    }
  }

  private void data() {
    long at = slot();
    int number = sequence + (random.nextInt(6) == 0 ? random.nextInt(4) : 0);
    Frame.encode(sends.segment(), at + RdmLayer.PREFIX, Frame.CREDIT, 0, 0, 1, number, 0, 0, 0);
    sequence += number == sequence ? 1 : 0;
    post(at, prefix(RdmLayer.PREFIX + Frame.SIZE, Type.DATA, number), RdmLayer.PREFIX, RdmLayer.PREFIX + Frame.SIZE);
  }

  private void control(Type type, int number) {
    byte[] format = type == Type.REQ ? "string".getBytes(StandardCharsets.US_ASCII) : NONE;
    byte[] address = type == Type.REQ ? endpoint.localAddress().toString().getBytes(StandardCharsets.UTF_8) : NONE;
    int named = type == Type.REQ || type == Type.REP ? tag : number;
    ByteBuffer message = prefix(200, type, VERSION).putLong(id).putLong(1).putInt(named).put((byte) format.length).put(format)
      .put((byte) address.length).put(address).put((byte) 1).put((byte) 9);
    post(slot(), message, 200, 200);
  }

  private ByteBuffer prefix(int size, Type type, int number) {
    boolean unknown = type == Type.REQ;
    return ByteBuffer.allocate(size).putLong(unknown ? 0 : remoteId).put((byte) type.ordinal()).put((byte) VERSION)
      .putShort((short) (unknown ? 0 : remoteTag)).putInt(number);
  }

  private long slot() {
    return (long) (sent++ % SLOTS) * SLOT;
  }

  private void post(long at, ByteBuffer message, int bytes, int length) {
    sends.segment().asSlice(at, bytes).asByteBuffer().put(message.array(), 0, bytes);
    endpoint.post(to, work.send(sends, at, length).id(SLOTS).flags(0));
  }

  void close() {
    closed = true;
    endpoint.close();
    queue.close();
    receives.close();
    sends.close();
    domain.close();
    arena.close();
  }
}
