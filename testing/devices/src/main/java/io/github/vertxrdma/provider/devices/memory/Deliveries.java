package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.Completions;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareReceives;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** Puts arrived messages into the posted receives of an endpoint. Confined to the polling thread. */
final class Deliveries implements SoftwareReceives.Waiter {
  final InMemoryQueue queue;
  private final InMemoryDomain domain;
  private final SoftwareReceives receives;
  private final InMemoryEndpoint endpoint;
  private final ArrayDeque<Message> waiting = new ArrayDeque<>();
  private boolean closed;

  Deliveries(InMemoryDomain domain, InMemoryQueue queue, SoftwareReceives receives, InMemoryEndpoint endpoint) {
    this.domain = domain;
    this.queue = queue;
    this.receives = receives;
    this.endpoint = endpoint;
  }

  RegionTable<InMemoryRegion> regions() {
    return domain.regions();
  }

  void arrived(Message message) {
    Capabilities capabilities = domain.capabilities();
    if (closed || endpoint != null && endpoint.state() != EndpointState.CONNECTED) {
      message.bounce();
    } else if (message.isWrite() && !capabilities.immediateConsumesReceive()) {
      queue.completions().add(-1, Operation.REMOTE_WRITE, endpoint, 0, true, message.immediate());
      message.acknowledge();
    } else if (endpoint != null && receives.isEmpty() && capabilities.noReceive() == Capabilities.NoReceive.DISCONNECTS) {
      refuse(message, Status.RNR_EXCEEDED, "no receive was posted for a message");
    } else {
      waiting.add(message);
      receivePosted();
      if (capabilities.noReceive() == Capabilities.NoReceive.BUFFERS) {
        message.acknowledge();
      }
    }
  }

  @Override
  public void receivePosted() {
    while (!waiting.isEmpty() && !receives.isEmpty()) {
      receive(waiting.poll());
    }
    if (!waiting.isEmpty()) {
      receives.await(this);
    }
    queue.wake();
  }

  private void receive(Message message) {
    long id = receives.requestId();
    SoftwareRegion region = receives.region();
    long offset = receives.offset();
    int room = receives.length();
    receives.take(this);
    byte[] data = message.data();
    if (data.length > room) {
      fail(id, message, Status.LENGTH, "a message of " + data.length + " bytes does not fit into the posted receive of " + room);
    } else if (region != null && !region.put(MemorySegment.ofArray(data), 0, offset, data.length)) {
      fail(id, message, Status.LOCAL_PROTECTION, "the posted receive's memory region was closed");
    } else {
      complete(id, message, region == null);
      message.acknowledge();
    }
  }

  private void complete(long id, Message message, boolean inPlace) {
    Completions completions = queue.completions();
    int length = message.data().length;
    if (message.isWrite()) {
      completions.add(id, Operation.REMOTE_WRITE, endpoint, 0, true, message.immediate());
    } else if (inPlace) {
      byte[] copy = message.data().clone();
      queue.overwriteLater(copy);
      completions.add(id, endpoint, MemorySegment.ofArray(copy), 0, length, message.hasImmediate(), message.immediate());
    } else {
      completions.add(id, Operation.RECEIVE, endpoint, length, message.hasImmediate(), message.immediate());
    }
  }

  private void fail(long id, Message message, int status, String error) {
    queue.completions().fail(id, message.isWrite() ? Operation.REMOTE_WRITE : Operation.RECEIVE, endpoint, message.data().length, status,
      error);
    refuse(message, Status.REMOTE_OPERATION, error);
  }

  private void refuse(Message message, int status, String error) {
    message.failed(status, error);
    if (endpoint != null) {
      endpoint.broke(error);
    }
  }

  /** Refuses further messages. Waiting datagrams fail at their senders. A connected peer is notified of the end. */
  void close() {
    closed = true;
    receives.forget(this);
    for (Message message; (message = waiting.poll()) != null;) {
      if (endpoint == null) {
        message.bounce();
      }
    }
  }
}
