package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.AbstractRemoteMemory;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A device that holds back reads, writes and atomics, which are posted and own their memory. Memory of peers is counted, and can be in use
 * when it is closed.
 */
final class HoldingDevice extends ForwardingDevice {
  /** Guarded by {@link #held} for posts: none is held back after the release. */
  private volatile boolean holding;
  private volatile boolean inUse;
  private final AtomicInteger keys = new AtomicInteger();
  private final List<Held> held = new CopyOnWriteArrayList<>();
  private final Queue<Long> reused = new ConcurrentLinkedQueue<>();

  private record Held(HoldingEndpoint endpoint, WorkRequest request, BooleanSupplier post) {
    boolean overlaps(WorkRequest other) {
      return request.region() == other.region() && other.offset() < request.offset() + request.length()
        && request.offset() < other.offset() + other.length();
    }
  }

  HoldingDevice(Device raw) {
    super(raw, raw.name() + "-holding");
  }

  void hold(boolean on) {
    holding = on;
  }

  int held() {
    return held.size();
  }

  /** Returns the number of posts with memory that a held operation owns. */
  int reused() {
    return reused.size();
  }

  void release() {
    List<Held> stuck;
    synchronized (held) {
      holding = false;
      stuck = List.copyOf(held);
    }
    for (Held operation : stuck) {
      operation.endpoint.due.add(operation);
      operation.endpoint.wake();
    }
  }

  /** Held operations never complete, and the fabric has given their memory back. */
  void drop() {
    List<Held> stuck = List.copyOf(held);
    held.removeAll(stuck);
    stuck.forEach(operation -> operation.endpoint.wake());
  }

  void use(boolean on) {
    inUse = on;
  }

  int keys() {
    return keys.get();
  }

  @Override
  public Domain open() {
    return new ForwardingDomain(this, raw().open()) {
      @Override
      public RemoteMemory remoteMemory(long address, long length, byte[] key) {
        return new UsedMemory(super.remoteMemory(address, length, key));
      }

      @Override
      protected RemoteMemory unwrap(RemoteMemory memory) {
        return memory instanceof UsedMemory used ? used.raw : memory;
      }

      @Override
      protected ForwardingQueue newQueue(CompletionQueue behind) {
        return new HoldingQueue(behind);
      }

      @Override
      protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
        HoldingEndpoint endpoint = new HoldingEndpoint(this, queue, options, handler);
        ((HoldingQueue) queue).endpoints.add(endpoint);
        return endpoint;
      }
    };
  }

  private final class UsedMemory extends AbstractRemoteMemory {
    private final RemoteMemory raw;

    UsedMemory(RemoteMemory raw) {
      super(raw.length());
      this.raw = raw;
      keys.incrementAndGet();
    }

    @Override
    public MemorySegment mapped() {
      return raw.mapped();
    }

    @Override
    protected void unmap() {
      if (inUse) {
        throw new IllegalStateException("a thread is in the middle of a call with it");
      }
      raw.close();
      keys.decrementAndGet();
    }
  }

  private static final class HoldingQueue extends ForwardingQueue {
    private final List<HoldingEndpoint> endpoints = new CopyOnWriteArrayList<>();
    private volatile Runnable wakeup = () -> {
    };

    HoldingQueue(CompletionQueue raw) {
      super(raw);
    }

    @Override
    public void wakeupHandler(Runnable handler) {
      wakeup = handler;
      super.wakeupHandler(handler);
    }

    @Override
    public int poll(CompletionBatch batch) {
      endpoints.forEach(HoldingEndpoint::letGo);
      return super.poll(batch);
    }
  }

  private final class HoldingEndpoint extends ForwardingEndpoint {
    private final Queue<Held> due = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Held> refused = new ArrayDeque<>();

    HoldingEndpoint(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
    }

    private void wake() {
      ((HoldingQueue) queue()).wakeup.run();
    }

    private void letGo() {
      Held operation;
      while ((operation = due.poll()) != null) {
        if (operation.post.getAsBoolean()) {
          held.remove(operation);
        } else {
          refused.add(operation);
        }
      }
      due.addAll(refused);
      refused.clear();
    }

    @Override
    public int post(WorkRequest request) {
      if (!request.operation().isOneSided()) {
        return super.post(request);
      }
      for (Held operation : held) {
        if (operation.overlaps(request)) {
          reused.add(request.offset());
        }
      }
      synchronized (held) {
        if (holding) {
          WorkRequest copy = new WorkRequest().set(request);
          held.add(new Held(this, copy, () -> super.post(copy) != Status.AGAIN));
          return Status.OK;
        }
      }
      return super.post(request);
    }

    @Override
    public int outstanding() {
      return super.outstanding() + (int) held.stream().filter(operation -> operation.endpoint == this).count();
    }
  }
}
