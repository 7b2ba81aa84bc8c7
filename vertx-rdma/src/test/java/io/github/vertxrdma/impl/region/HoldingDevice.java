package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** A device on which reads, writes and atomics can get stuck: they are posted, own their memory, and complete when they are let go. */
final class HoldingDevice extends ForwardingDevice {
  private volatile boolean holding;
  private final List<Held> held = new CopyOnWriteArrayList<>();
  private final Queue<Long> reused = new ConcurrentLinkedQueue<>();

  /** A stuck operation and the local memory it owns. */
  private record Held(HoldingEndpoint endpoint, MemoryRegion region, long offset, long length, BooleanSupplier post) {
    boolean overlaps(MemoryRegion other, long otherOffset, long otherLength) {
      return region == other && otherOffset < offset + length && offset < otherOffset + otherLength;
    }
  }

  HoldingDevice(Device raw) {
    super(raw, raw.name() + "-holding");
  }

  /** From now on operations get stuck, or do not any more. */
  void hold(boolean on) {
    holding = on;
  }

  /** Operations that are stuck. */
  int held() {
    return held.size();
  }

  /** Posts of memory that a stuck operation owns. */
  int reused() {
    return reused.size();
  }

  /** Lets go of what is stuck; it happens at the next poll of its queue. */
  void release() {
    holding = false;
    for (Held operation : held) {
      operation.endpoint.due.add(operation);
      operation.endpoint.wake();
    }
  }

  /** What is stuck will never complete, and the fabric has given its memory back. */
  void drop() {
    held.clear();
  }

  @Override
  public Domain open() {
    return new ForwardingDomain(this, raw().open()) {
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

  /** Lets go at its polls. */
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

  /** Posts that get stuck. */
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

    private int post(MemoryRegion region, long offset, long length, IntSupplier post) {
      for (Held operation : held) {
        if (operation.overlaps(region, offset, length)) {
          reused.add(offset);
        }
      }
      if (!holding) {
        return post.getAsInt();
      }
      held.add(new Held(this, region, offset, length, () -> post.getAsInt() != Status.AGAIN));
      return Status.OK;
    }

    @Override
    public int outstanding() {
      return super.outstanding() + (int) held.stream().filter(operation -> operation.endpoint == this).count();
    }

    @Override
    public int postWrite(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
      return post(region, offset, length, () -> super.postWrite(requestId, region, offset, length, remote, remoteOffset, flags));
    }

    @Override
    public int postRead(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
      return post(region, offset, length, () -> super.postRead(requestId, region, offset, length, remote, remoteOffset, flags));
    }

    @Override
    public int postFetchAdd(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add, int flags) {
      return post(result, offset, 8, () -> super.postFetchAdd(requestId, result, offset, remote, remoteOffset, add, flags));
    }
  }
}
