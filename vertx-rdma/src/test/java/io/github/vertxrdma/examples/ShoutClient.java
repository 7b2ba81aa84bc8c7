package io.github.vertxrdma.examples;

import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

// tag::client[]
/** The client in Java, for a virtual thread: it posts on the event loop, and waits for the completion. */
final class ShoutClient implements EndpointHandler {
  private static final Set<Access> ACCESS = Set.of(Access.LOCAL_WRITE, Access.READ_SINK);

  private final RdmaDevice device;
  private final Set<Long> done = new HashSet<>();
  private ByteBuffer offer;
  private RuntimeException failure;

  ShoutClient(RdmaDevice device) {
    this.device = device.completionHandler(this::completed);
  }

  String shout(EndpointAddress server, String words) {
    MemorySegment text = MemorySegment.ofArray(words.getBytes(StandardCharsets.US_ASCII));
    MemoryRegion memory = device.domain().register(device.domain().allocate(Shout.SIZE, ACCESS, Arena.ofAuto()), ACCESS);
    memory.segment().copyFrom(text);
    Endpoint endpoint = device.run(() -> {
      Endpoint made = device.domain().createEndpoint(device.queue(), new EndpointOptions(), this);
      made.receiveQueue().post(1, memory, 0, 0);
      made.connect(server, new byte[0]);
      return made;
    }).await();
    until(() -> offer != null);
    long address = offer.getLong();
    byte[] key = new byte[offer.remaining()];
    offer.get(key);
    try (RemoteMemory remote = device.domain().remoteMemory(address, Shout.SIZE, key)) {
      post(endpoint, new WorkRequest().write(memory, 0, text.byteSize() + 1, remote, 0).id(2));
      post(endpoint, new WorkRequest().send(memory, 0, 0).id(3));
      until(() -> done.containsAll(Set.of(1L, 2L, 3L)));
      post(endpoint, new WorkRequest().read(memory, 0, text.byteSize(), remote, 0).id(4));
      until(() -> done.contains(4L));
    }
    text.copyFrom(memory.segment().asSlice(0, text.byteSize()));
    device.run(() -> {
      endpoint.close();
      memory.close();
      return null;
    }).await();
    return new String((byte[]) text.heapBase().orElseThrow(), StandardCharsets.US_ASCII);
  }

  private void post(Endpoint endpoint, WorkRequest work) {
    int status = device.run(() -> endpoint.post(work.flags(PostFlags.SIGNALED))).await();
    if (status != Status.OK) {
      throw new IllegalStateException(work + ": " + Status.name(status));
    }
  }

  private void until(BooleanSupplier condition) {
    device.until(() -> failure != null || condition.getAsBoolean()).await();
    if (failure != null) {
      throw failure;
    }
  }

  private void completed(CompletionBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.status(i) == Status.OK) {
        done.add(batch.requestId(i));
      } else if (failure == null) {
        failure = new IllegalStateException(Status.name(batch.status(i)) + ": " + batch.error(i));
      }
    }
  }

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
    offer = ByteBuffer.wrap(privateData);
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
    failure = cause;
  }
}
// end::client[]
