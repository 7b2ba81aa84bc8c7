package io.github.vertxrdma.provider.devices.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InMemoryDatagramTest {
  private final InMemoryFabric fabric = InMemoryFabric.create("datagrams", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);

  @Test
  void messagesAndMemoryBetweenDatagramEndpoints() {
    try (Arena arena = Arena.ofShared(); RdmDomain domain = fabric.rdmDevice().openRdm()) {
      RdmEndpoint a = domain.createEndpoint(domain.createCompletionQueue(64), null);
      RdmEndpoint b = domain.createEndpoint(domain.createCompletionQueue(64), null);
      MemoryRegion memory = domain.register(arena.allocate(256, 8),
        EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC));
      long toB = a.addressVector().insert(b.localAddress());
      memory.segment().set(ValueLayout.JAVA_LONG, 0, 77);
      assertEquals(Status.OK, b.postReceive(5, memory, 64, 16));
      assertEquals(Status.OK, a.post(toB, new WorkRequest().send(memory, 0, 8).id(6).flags(PostFlags.SIGNALED)));
      CompletionBatch batch = new CompletionBatch(4);
      Await.until("the message", () -> b.completionQueue().poll(batch) == 1);
      assertEquals(5, batch.requestId(0));
      assertEquals(8, batch.length(0));
      assertEquals(Operation.RECEIVE, batch.operation(0));
      assertEquals(77, memory.segment().get(ValueLayout.JAVA_LONG, 64));
      Await.until("the send", () -> a.completionQueue().poll(batch) == 1);
      assertEquals(6, batch.requestId(0));
      var remote = domain.remoteMemory(memory.remoteAddress(), 256, memory.remoteKey());
      assertEquals(Status.OK, a.post(toB, new WorkRequest().fetchAdd(memory, 128, remote, 64, 1).id(7).flags(PostFlags.SIGNALED)));
      Await.until("the addition", () -> a.completionQueue().poll(batch) == 1);
      assertEquals(77, memory.segment().get(ValueLayout.JAVA_LONG, 128));
      assertEquals(78, memory.segment().get(ValueLayout.JAVA_LONG, 64));
    }
    assertEquals(Map.of(), fabric.open());
  }

  @Test
  void missingPeerIsAnErrorAndAnAddressInUseIsNamed() {
    try (Arena arena = Arena.ofShared(); RdmDomain domain = fabric.rdmDevice().openRdm()) {
      RdmEndpoint a = domain.createEndpoint(domain.createCompletionQueue(64), EndpointAddress.of("x:1"));
      assertEquals(ProviderException.Reason.ADDRESS_IN_USE, assertThrows(ProviderException.class,
        () -> domain.createEndpoint(domain.createCompletionQueue(64), EndpointAddress.of("x:1"))).reason());
      MemoryRegion memory = domain.register(arena.allocate(256, 8), EnumSet.of(Access.LOCAL_WRITE));
      long nobody = a.addressVector().insert(EndpointAddress.of("x:2"));
      assertEquals(Status.OK, a.post(nobody, new WorkRequest().send(memory, 0, 8).id(6).flags(PostFlags.SIGNALED)));
      CompletionBatch batch = new CompletionBatch(4);
      Await.until("the error", () -> a.completionQueue().poll(batch) == 1);
      assertEquals(Status.RETRY_EXCEEDED, batch.status(0));
    }
  }
}
