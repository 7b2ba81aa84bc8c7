package io.github.vertxrdma.examples;

import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.vertx.core.Future;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Set;

// tag::server[]
/** Converts text that peers write to capitals. One peer at a time, since they share the memory. */
final class Shout implements EndpointHandler {
  static final int SIZE = 1024;
  private static final Set<Access> ACCESS = Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);

  private final RdmaDevice device;
  private final MemoryRegion memory;
  private final WorkRequest answer = new WorkRequest();

  Shout(RdmaDevice device) {
    this.device = device;
    memory = device.domain().register(device.domain().allocate(SIZE, ACCESS, Arena.ofAuto()), ACCESS);
    device.completionHandler(this::completed);
  }

  /** @param where null for the device's address and any port */
  Future<Listener> listen(EndpointAddress where) {
    return device.run(() -> device.domain().listen(device.queue(), where, new EndpointOptions(), this::requested));
  }

  private void requested(ConnectionRequest request) {
    Endpoint peer = request.createEndpoint(device.queue(), new EndpointOptions(), this);
    postReceive(peer);
    // struct offer: address and key, big-endian
    byte[] key = memory.remoteKey();
    request.accept(ByteBuffer.allocate(Long.BYTES + key.length).putLong(memory.remoteAddress()).put(key).array());
  }

  private void postReceive(Endpoint peer) {
    peer.receiveQueue().post(1, memory, 0, 0);
  }

  private void completed(CompletionBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.status(i) == Status.OK && batch.operation(i) == Operation.RECEIVE) {
        postReceive(batch.endpoint(i));
        MemorySegment text = memory.segment();
        byte letter;
        for (long at = 0; at < SIZE && (letter = text.get(ValueLayout.JAVA_BYTE, at)) != 0; at++) {
          text.set(ValueLayout.JAVA_BYTE, at, (byte) Character.toUpperCase(letter));
        }
        batch.endpoint(i).post(answer.send(memory, 0, 0).id(2).flags(PostFlags.SIGNALED));
      }
    }
  }

  @Override
  public void connected(Endpoint peer, byte[] privateData) {
  }

  @Override
  public void disconnected(Endpoint peer, ProviderException cause) {
    peer.close();
  }
}
// end::server[]
