package io.github.vertxrdma.hostile;

import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A peer that sends any frames in any state. Its frames get the correct sequence unless the test gives another. The test polls it. */
public final class RawPeer implements EndpointHandler, AutoCloseable {
  private static final int SLOTS = 64;
  private static final int SLOT = 16 << 10;
  public static final int MOST_BYTES = SLOT - 64;

  public record Received(int type, int flags, int dataCredits, int controlCredits, int sequence, long a, long b, byte[] payload) {
    @Override
    public String toString() {
      return Frame.name(type) + "(flags " + flags + ", a " + a + ", b " + b + ", " + payload.length + " bytes)";
    }
  }

  private final Arena arena = Arena.ofShared();
  private final MemoryRegion receives;
  private final MemoryRegion sends;
  private final CompletionQueue queue;
  private final CompletionBatch batch = new CompletionBatch(16);
  private final ReceiveQueue shared;
  private final Domain domain;
  private final EndpointOptions options;
  private final Endpoint endpoint;
  private final List<Endpoint> others = new ArrayList<>();
  private final int prefix;
  private final WorkRequest work = new WorkRequest();
  private final List<Received> frames = new ArrayList<>();
  private boolean answersPings;
  private byte[] accept;
  private int acceptedCount;
  private ProviderException over;
  private int sequence;
  private int sent;

  public RawPeer(Domain domain) {
    this(domain, false);
  }

  /** @param exchanged whether its endpoint is connected by an exchange of addresses */
  public RawPeer(Domain domain, boolean exchanged) {
    prefix = domain.capabilities().messagePrefix();
    receives = domain.register(arena.allocate((long) SLOTS * SLOT, 64), Set.of(Access.LOCAL_WRITE));
    sends = domain.register(arena.allocate((long) SLOTS * SLOT, 64), Set.of(Access.REMOTE_READ));
    queue = domain.createCompletionQueue(1024);
    shared = domain.capabilities().sharedReceiveOnly() ? domain.createSharedReceiveQueue(queue, SLOTS) : null;
    options = new EndpointOptions().withDepths(SLOTS, SLOTS).withReceiveQueue(shared);
    this.domain = domain;
    endpoint = exchanged ? domain.createExchangedEndpoint(queue, options, this) : domain.createEndpoint(queue, options, this);
    for (int i = 0; i < SLOTS; i++) {
      endpoint.receiveQueue().post(i, receives, (long) i * SLOT, SLOT);
    }
  }

  public MemoryRegion memory() {
    return sends;
  }

  /** Returns the payload of a frame that announces the memory: its address and key. */
  public byte[] key() {
    byte[] key = sends.remoteKey();
    byte[] payload = new byte[Long.BYTES + key.length];
    Frame.putWord(MemorySegment.ofArray(payload), 0, sends.remoteAddress());
    System.arraycopy(key, 0, payload, Long.BYTES, key.length);
    return payload;
  }

  public void connect(EndpointAddress to, byte[] request) {
    endpoint.connect(to, request);
  }

  /** Connects a further endpoint, which has the same address if all connections share one. */
  void connectAgain(EndpointAddress to, byte[] request) {
    others.add(domain.createEndpoint(queue, options, this));
    others.getLast().connect(to, request);
  }

  int acceptedCount() {
    return acceptedCount;
  }

  public EndpointAddress address() {
    return endpoint.localAddress();
  }

  /** Returns the private data of the accept, empty for an exchange; null before it came. */
  public byte[] accepted() {
    return accept;
  }

  public ProviderException over() {
    return over;
  }

  public void answersPings() {
    answersPings = true;
  }

  public void answersNoPings() {
    answersPings = false;
  }

  public List<Received> take() {
    List<Received> taken = List.copyOf(frames);
    frames.clear();
    return taken;
  }

  public void send(int type, int flags, long a, long b, byte[] payload) {
    send(type, flags, 0, 0, sequence++, payload.length, a, b, payload);
  }

  public void sendCredits(int type, int dataCredits, int controlCredits) {
    send(type, 0, dataCredits, controlCredits, sequence++, 0, 0, 0, new byte[0]);
  }

  /** Sends a frame with a length that need not be the payload's. */
  public void sendClaiming(int type, int flags, int length, long a, long b, byte[] payload) {
    send(type, flags, 0, 0, sequence++, length, a, b, payload);
  }

  public void send(int type, int flags, int dataCredits, int controlCredits, int number, int length, long a, long b, byte[] payload) {
    long at = slot();
    MemorySegment m = sends.segment();
    Frame.encode(m, at + prefix, type, flags, dataCredits, controlCredits, number, length, a, b);
    MemorySegment.copy(payload, 0, m, ValueLayout.JAVA_BYTE, at + prefix + Frame.SIZE, payload.length);
    post(at, prefix + Frame.SIZE + payload.length);
  }

  public void sendBytes(byte[] bytes) {
    long at = slot();
    MemorySegment.copy(bytes, 0, sends.segment(), ValueLayout.JAVA_BYTE, at + prefix, bytes.length);
    post(at, prefix + bytes.length);
  }

  private long slot() {
    return (long) (sent++ % SLOTS) * SLOT;
  }

  private void post(long at, int length) {
    int status = endpoint.post(work.send(sends, at, length).id(SLOTS).flags(PostFlags.SIGNALED));
    if (status != Status.OK && endpoint.state() == EndpointState.CONNECTED) {
      throw new IllegalStateException("a raw post failed: " + Status.name(status));
    }
  }

  public void poll() {
    while (queue.poll(batch) > 0) {
      for (int i = 0; i < batch.size(); i++) {
        if (batch.operation(i) == Operation.RECEIVE && batch.status(i) == Status.OK) {
          received(batch.requestId(i), (int) batch.length(i));
        }
      }
    }
  }

  private void received(long slot, int length) {
    MemorySegment m = receives.segment();
    long at = slot * SLOT + prefix;
    long first = Frame.first(m, at);
    long second = Frame.second(m, at);
    int size = Math.max(0, Math.min(Frame.length(second), length - prefix - Frame.SIZE));
    frames.add(new Received(Frame.type(first), Frame.flags(first), Frame.dataCredits(first), Frame.controlCredits(first),
      Frame.sequence(second), Frame.a(m, at), Frame.b(m, at), m.asSlice(at + Frame.SIZE, size).toArray(ValueLayout.JAVA_BYTE)));
    endpoint.receiveQueue().post(slot, receives, slot * SLOT, SLOT);
    if (answersPings && Frame.type(first) == Frame.PING) {
      send(Frame.PONG, 0, 0, 0, new byte[0]);
    }
  }

  @Override
  public void connected(Endpoint e, byte[] privateData) {
    accept = privateData;
    acceptedCount++;
  }

  @Override
  public void disconnected(Endpoint e, ProviderException cause) {
    over = cause;
  }

  @Override
  public void close() {
    endpoint.close();
    others.forEach(Endpoint::close);
    queue.close();
    receives.close();
    sends.close();
    arena.close();
  }
}
