package io.github.vertxrdma.simulator.world;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.forward.ForwardingReceiveQueue;
import io.github.vertxrdma.provider.devices.forward.ForwardingRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Wraps a device and reports misuse that could crash a process with a native device:
 * <ul>
 * <li>calls from outside of the event loop, from two loops, or after a close;
 * <li>deregistration of memory that requests in flight use.
 * </ul>
 * Each call may run offloaded work of the {@link VirtualLoop}, as a worker thread could at that time. A {@link Watcher} is called for each
 * post that accesses registered memory of a peer.
 */
public final class FragileDevice extends ForwardingDevice {
  private final Domain domain;
  private final VirtualTime time;
  private final Consumer<String> violated;
  private final Map<ByteBuffer, MemorySegment> registered;
  private final Watcher watcher;

  public interface Watcher {
    /**
     * Called after the device accepted an access.
     *
     * @param memory the whole region that the peer registered
     */
    void accessed(MemorySegment memory, long length);
  }

  private FragileDevice(Domain domain, VirtualTime time, Consumer<String> violated, Map<ByteBuffer, MemorySegment> registered,
    Watcher watcher) {
    super(domain.device(), domain.device().name());
    this.domain = domain;
    this.time = time;
    this.violated = what -> violated.accept("a device is misused: " + what);
    this.registered = registered;
    this.watcher = watcher;
  }

  public static Domain over(Domain domain, VirtualTime time, Consumer<String> violated) {
    return over(domain, time, violated, new HashMap<>(), (memory, length) -> {
    });
  }

  /** @param registered memory of all nodes by remote key; this device adds its own regions */
  public static Domain over(Domain domain, VirtualTime time, Consumer<String> violated, Map<ByteBuffer, MemorySegment> registered,
    Watcher watcher) {
    return new FragileDevice(domain, time, violated, registered, watcher).open();
  }

  @Override
  protected Capabilities change(Capabilities capabilities) {
    return capabilities;
  }

  @Override
  public Domain open() {
    return new FragileDomain(domain);
  }

  /** An object with posted requests, whose memory the device uses until they complete. */
  private interface Holder {
    boolean holds(MemoryRegion region);
  }

  private final class FragileDomain extends ForwardingDomain {
    final Set<Holder> holders = new LinkedHashSet<>();
    final Map<RemoteMemory, MemorySegment> remote = new IdentityHashMap<>();
    ReceiveQueue shared;
    /** True after the close. Misuse is then not reported, because the simulated process ends. */
    boolean closed;

    FragileDomain(Domain raw) {
      super(FragileDevice.this, raw);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<Access> access) {
      FragileRegion region = new FragileRegion(this, super.register(memory, access));
      registered.put(ByteBuffer.wrap(region.remoteKey()), memory);
      return region;
    }

    @Override
    public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
      RemoteMemory memory = super.remoteMemory(remoteAddress, length, key);
      remote.put(memory, registered.get(ByteBuffer.wrap(key)));
      return memory;
    }

    @Override
    protected MemoryRegion unwrap(MemoryRegion region) {
      return region instanceof FragileRegion own ? own.raw() : region;
    }

    @Override
    protected ForwardingQueue newQueue(CompletionQueue wrapped) {
      return new FragileQueue(this, wrapped);
    }

    @Override
    protected ForwardingReceiveQueue newReceiveQueue(ReceiveQueue wrapped) {
      return new FragileReceives(this, wrapped);
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new FragileEndpoint(this, (FragileQueue) queue, options, handler);
    }

    @Override
    public void close() {
      closed = true;
      super.close();
    }
  }

  private final class FragileRegion extends ForwardingRegion {
    private final FragileDomain domain;

    FragileRegion(FragileDomain domain, MemoryRegion raw) {
      super(raw);
      this.domain = domain;
    }

    @Override
    public void close() {
      if (!domain.closed && domain.holders.stream().anyMatch(holder -> holder.holds(this))) {
        violated.accept("memory was deregistered while requests used it");
      }
      super.close();
    }
  }

  /** A completion queue. The loop of the first call owns it. */
  private final class FragileQueue extends ForwardingQueue {
    private final FragileDomain domain;
    final Set<Holder> holders = new LinkedHashSet<>();
    private Object loop;
    /** Number of calls in progress, during which the queue must not be closed. */
    private int inside;
    private boolean closed;

    FragileQueue(FragileDomain domain, CompletionQueue raw) {
      super(raw);
      this.domain = domain;
    }

    void enter(String call, boolean over) {
      Object now = time.running;
      if (domain.closed || now == null) {
        return;
      }
      loop = loop == null ? now : loop;
      if (now != loop) {
        violated.accept(call + " was called outside of its event loop");
      } else if (over || closed) {
        violated.accept(call + " after " + (over ? "its close" : "the close of its completion queue"));
      } else if (now instanceof VirtualLoop its) {
        inside++;
        its.interrupt();
        inside--;
      }
    }

    @Override
    public int poll(CompletionBatch batch) {
      enter("poll", false);
      inside++;
      super.poll(batch);
      inside--;
      for (int i = 0; i < batch.size(); i++) {
        FragileEndpoint endpoint = (FragileEndpoint) batch.endpoint(i);
        if (batch.operation(i) == Operation.RECEIVE) {
          ((FragileReceives) (endpoint == null ? domain.shared : endpoint.receiveQueue())).posted.remove(batch.requestId(i));
        } else if (endpoint != null) {
          endpoint.completed(batch.requestId(i));
        }
      }
      return batch.size();
    }

    @Override
    public void close() {
      if (inside > 0) {
        violated.accept("a completion queue is closed during a call of it");
      } else if (closed && !domain.closed) {
        violated.accept("a completion queue is closed twice");
      }
      closed = true;
      super.close();
      domain.holders.removeAll(holders);
    }
  }

  private final class FragileReceives extends ForwardingReceiveQueue implements Holder {
    final Map<Long, MemoryRegion> posted = new HashMap<>();
    private final FragileDomain domain;

    FragileReceives(FragileDomain domain, ReceiveQueue raw) {
      super(domain, raw);
      this.domain = domain;
      domain.holders.add(this);
      if (shared()) {
        domain.shared = this;
      }
    }

    @Override
    public boolean holds(MemoryRegion region) {
      return posted.containsValue(region);
    }

    @Override
    public int post(long id, MemoryRegion region, long offset, int length) {
      int status = super.post(id, region, offset, length);
      if (status == Status.OK) {
        posted.put(id, region);
      }
      return status;
    }

    @Override
    public void close() {
      super.close();
      if (shared()) {
        domain.holders.remove(this);
      }
    }
  }

  private final class FragileEndpoint extends ForwardingEndpoint implements Holder {
    private record Piece(long id, MemoryRegion region) {
    }

    private final FragileDomain domain;
    private final ArrayDeque<Piece> underWay = new ArrayDeque<>();
    private boolean closed;

    FragileEndpoint(FragileDomain domain, FragileQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
      this.domain = domain;
      domain.holders.add(this);
      queue.holders.add(this);
    }

    private void enter(String call) {
      ((FragileQueue) queue()).enter(call + " of an endpoint", closed);
    }

    @Override
    protected void bind(Endpoint wrapped) {
      super.bind(wrapped);
      if (!receiveQueue().shared()) {
        ((FragileQueue) queue()).holders.add((Holder) receiveQueue());
      }
    }

    @Override
    public boolean holds(MemoryRegion region) {
      return (!closed || outstanding() > 0) && underWay.stream().anyMatch(piece -> piece.region == region);
    }

    /** Removes the completed request and all earlier requests, because a completion covers them. */
    void completed(long id) {
      if (underWay.stream().anyMatch(piece -> piece.id == id)) {
        while (underWay.peek().id != id) {
          underWay.poll();
        }
        underWay.removeIf(piece -> piece.id == id);
      }
    }

    @Override
    public void connect(EndpointAddress remote, byte[] privateData) {
      enter("connect");
      super.connect(remote, privateData);
    }

    @Override
    public int post(WorkRequest request) {
      enter("post");
      int status = super.post(request);
      if (status == Status.OK && (request.flags() & PostFlags.INLINE) == 0) {
        for (int i = 0; i < request.pieces(); i++) {
          underWay.add(new Piece(request.id(), request.pieceRegion(i)));
        }
      }
      MemorySegment accessed = request.remote() == null ? null : domain.remote.get(request.remote());
      if (status == Status.OK && accessed != null) {
        watcher.accessed(accessed, request.length());
      }
      return status;
    }

    @Override
    public int flush() {
      enter("flush");
      return super.flush();
    }

    @Override
    public void disconnect() {
      enter("disconnect");
      super.disconnect();
    }

    @Override
    public void peerDead(String reason) {
      enter("peerDead");
      super.peerDead(reason);
    }

    @Override
    public void close() {
      enter("close");
      closed = true;
      super.close();
      if (!receiveQueue().shared()) {
        domain.holders.remove((Holder) receiveQueue());
      }
      if (outstanding() == 0) {
        domain.holders.remove(this);
      }
    }
  }
}
