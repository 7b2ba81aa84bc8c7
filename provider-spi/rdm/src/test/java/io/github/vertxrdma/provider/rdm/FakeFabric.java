package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/** Connectionless endpoints on one thread. A test can drop, repeat, hold and reorder their messages. */
final class FakeFabric {
  static final Limits LIMITS = new Limits(1 << 20, 1 << 20, 64, 64, 256, 4, 16, 0, 1 << 30, 1000, 1024, 8);

  enum Fate { DELIVER, DROP, TWICE, HOLD, FAIL, STUCK, FAIL_LATER, END_LATER, REFUSE }

  record Packet(FakeEndpoint from, EndpointAddress to, byte[] bytes, boolean write) {
    MessageType type() {
      return MessageType.of(bytes[8]);
    }
  }

  final Map<EndpointAddress, FakeEndpoint> endpoints = new HashMap<>();
  /** Whether endpoints make no completion for an inline send without a signal. */
  boolean silent;
  final List<Packet> held = new ArrayList<>();
  /** Messages to addresses that have a test's listener in place of an endpoint. */
  final Map<EndpointAddress, List<byte[]>> mailboxes = new HashMap<>();
  long now;
  final Random random = new Random(7);
  Function<Packet, Fate> fate = packet -> Fate.DELIVER;
  /** Whether no memory can be registered. */
  boolean full;
  int opened;
  Set<Capabilities.Order> orders = Set.of();
  /** Tasks that complete or fail messages later. */
  private final List<Runnable> late = new ArrayList<>();
  private int names;

  RdmDomain domain() {
    return new FakeDomain();
  }

  /** Delivers held messages, in the order of the list. */
  void release() {
    List<Packet> packets = List.copyOf(held);
    held.clear();
    packets.forEach(this::deliver);
  }

  void endLate() {
    late.forEach(Runnable::run);
    late.clear();
  }

  private void deliver(Packet packet) {
    List<byte[]> mail = mailboxes.get(packet.to);
    if (mail != null) {
      mail.add(packet.bytes);
    }
    FakeEndpoint target = endpoints.get(packet.to);
    if (target != null) {
      target.arrived.add(packet);
      target.match();
    }
  }

  private record Done(long requestId, Operation operation, long length, int status, String error) {
  }

  private static final class FakeQueue implements CompletionQueue {
    private final ArrayDeque<Done> done = new ArrayDeque<>();
    private int unannounced;

    @Override
    public int capacity() {
      return 1024;
    }

    @Override
    public int poll(CompletionBatch batch) {
      batch.clear();
      while (!done.isEmpty() && !batch.isFull()) {
        Done next = done.poll();
        int i = batch.add(next.requestId, next.operation, null, next.length);
        if (next.status != Status.OK) {
          batch.error(i, next.status, next.error);
        }
      }
      return batch.size();
    }

    @Override
    public Waiting waiting() {
      return Waiting.NONE;
    }

    @Override
    public int fd() {
      return -1;
    }

    @Override
    public boolean arm() {
      return done.isEmpty();
    }

    @Override
    public void wakeupHandler(Runnable handler) {
    }

    @Override
    public int unannounced() {
      return unannounced;
    }

    @Override
    public void close() {
    }
  }

  private record Region(MemorySegment segment, Set<Access> access) implements MemoryRegion {
    @Override
    public long size() {
      return segment.byteSize();
    }

    @Override
    public long remoteAddress() {
      return segment.address();
    }

    @Override
    public byte[] remoteKey() {
      return new byte[8];
    }

    @Override
    public void close() {
    }
  }

  private record Receive(long requestId, MemoryRegion region, long offset, int length) {
  }

  private final class FakeDomain implements RdmDomain {
    @Override
    public Device device() {
      return new FakeDevice();
    }

    @Override
    public Capabilities capabilities() {
      return Capabilities.builder().add(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE).immediateBits(64).orders(orders)
        .deliveryComplete(true).build();
    }

    @Override
    public Limits limits() {
      return LIMITS;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<Access> access) {
      if (full) {
        throw new ProviderException(ProviderException.Reason.LIMIT, "no memory can be registered");
      }
      return new Region(memory, access);
    }

    @Override
    public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth) {
      return new FakeQueue();
    }

    @Override
    public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
      opened++;
      EndpointAddress address = local == null ? EndpointAddress.of("fake-" + names++) : local;
      if (endpoints.containsKey(address)) {
        throw new ProviderException(ProviderException.Reason.ADDRESS_IN_USE, "in use");
      }
      FakeEndpoint endpoint = new FakeEndpoint((FakeQueue) queue, address);
      endpoints.put(address, endpoint);
      return endpoint;
    }

    @Override
    public void close() {
    }
  }

  private final class FakeDevice implements RdmDevice {
    @Override
    public String provider() {
      return "fake";
    }

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public String fabric() {
      return "fake";
    }

    @Override
    public EndpointType endpointType() {
      return EndpointType.RDM;
    }

    @Override
    public Reach reach() {
      return Reach.PROCESS;
    }

    @Override
    public Preference preference() {
      return Preference.RDM;
    }

    @Override
    public Capabilities capabilities() {
      return RdmLayer.capabilities(new FakeDomain().capabilities());
    }

    @Override
    public Limits limits() {
      return RdmLayer.limits(LIMITS);
    }

    @Override
    public RdmDomain openRdm() {
      return domain();
    }
  }

  final class FakeEndpoint implements RdmEndpoint, AddressVector {
    private final FakeQueue queue;
    private final EndpointAddress address;
    private final ArrayDeque<Receive> receives = new ArrayDeque<>();
    private final ArrayDeque<Packet> arrived = new ArrayDeque<>();
    final Map<Long, EndpointAddress> peers = new LinkedHashMap<>();
    /** Number of peers that were ever inserted. */
    long handles;
    private int outstanding;
    /** True if posts are refused, as if the peer had ended. */
    boolean busy;

    FakeEndpoint(FakeQueue queue, EndpointAddress address) {
      this.queue = queue;
      this.address = address;
    }

    int posted() {
      return receives.size();
    }

    void inject(byte[] bytes) {
      arrived.add(new Packet(null, address, bytes, false));
      match();
    }

    void injectWrite() {
      arrived.add(new Packet(null, address, new byte[0], true));
      match();
    }

    /** Fails a receive, as fabrics do for a truncated message. */
    void breakOff(int status) {
      queue.done.add(new Done(receives.remove().requestId, Operation.RECEIVE, 0, status, "canceled"));
    }

    private void match() {
      while (!arrived.isEmpty()) {
        Packet packet = arrived.peek();
        if (packet.write) {
          queue.done.add(new Done(-1, Operation.REMOTE_WRITE, 0, Status.OK, null));
        } else if (receives.isEmpty()) {
          return;
        } else {
          Receive receive = receives.poll();
          if (packet.bytes.length > receive.length) {
            queue.done.add(new Done(receive.requestId, Operation.RECEIVE, 0, Status.LENGTH, "too long"));
          } else {
            MemorySegment.copy(packet.bytes, 0, receive.region.segment(), ValueLayout.JAVA_BYTE, receive.offset, packet.bytes.length);
            queue.done.add(new Done(receive.requestId, Operation.RECEIVE, packet.bytes.length, Status.OK, null));
          }
        }
        arrived.poll();
      }
    }

    @Override
    public int post(long peer, WorkRequest request) {
      long requestId = request.id();
      Operation operation = request.operation();
      boolean write = operation == Operation.WRITE;
      if (request.list() != null || operation.isOneSided() && !write) {
        throw new UnsupportedOperationException();
      }
      EndpointAddress to = peers.get(peer);
      if (to == null) {
        throw new IllegalArgumentException("no peer " + peer);
      }
      if (busy || outstanding == LIMITS.sendDepth()) {
        return Status.AGAIN;
      }
      byte[] bytes = write ? new byte[0] : bytes(request.region(), request.offset(), request.length());
      Packet packet = new Packet(this, to, bytes, write);
      Fate what = fate.apply(packet);
      if (what == Fate.REFUSE) {
        return Status.AGAIN;
      }
      if (what == Fate.STUCK) {
        outstanding++;
        queue.unannounced += write ? 1 : 0;
        return Status.OK;
      }
      Done failure = new Done(requestId, operation, 0, Status.CONNECTION_LOST, "nobody there");
      if (what == Fate.FAIL || what == Fate.FAIL_LATER) {
        if (what == Fate.FAIL) {
          queue.done.add(failure);
        } else {
          late.add(() -> queue.done.add(failure));
        }
        return Status.OK;
      }
      Done done = new Done(requestId, operation, 0, Status.OK, null);
      if (what == Fate.END_LATER) {
        late.add(() -> queue.done.add(done));
      } else if (!silent || operation != Operation.SEND || !PostFlags.silent(request.flags())) {
        queue.done.add(done);
      }
      switch (what) {
        case DELIVER, END_LATER -> deliver(packet);
        case TWICE -> {
          deliver(packet);
          deliver(packet);
        }
        case HOLD -> held.add(packet);
        default -> {
        }
      }
      return Status.OK;
    }

    private byte[] bytes(MemoryRegion region, long offset, long length) {
      return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public CompletionQueue completionQueue() {
      return queue;
    }

    @Override
    public EndpointAddress localAddress() {
      return address;
    }

    @Override
    public AddressVector addressVector() {
      return this;
    }

    @Override
    public long insert(EndpointAddress peer) {
      peers.put(handles, peer);
      return handles++;
    }

    @Override
    public void remove(long peer) {
      peers.remove(peer);
    }

    @Override
    public int inlineSize() {
      return 64;
    }

    @Override
    public boolean sendsSilently() {
      return silent;
    }

    @Override
    public int sendDepth() {
      return LIMITS.sendDepth();
    }

    @Override
    public int receiveDepth() {
      return LIMITS.receiveDepth();
    }

    @Override
    public int postReceive(long requestId, MemoryRegion region, long offset, int length) {
      receives.add(new Receive(requestId, region, offset, length));
      match();
      return Status.OK;
    }

    @Override
    public int flush() {
      return Status.OK;
    }

    @Override
    public void close() {
      endpoints.remove(address, this);
      queue.done.clear();
      queue.unannounced = 0;
    }
  }
}
