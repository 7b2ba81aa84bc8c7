package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.InetSocketAddress;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bookkeeping of operations in Java, beside the library's. */
@Timeout(60)
class BookkeepingTest {

  @BeforeAll
  static void onLinux() {
    Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "native access is for Linux");
  }

  private static int post(ContextSlab slab, PostOwner work, Operation operation, boolean signalled) {
    int slot = slab.acquire(1, operation, work);
    slab.signalled[slot] = signalled;
    work.posted(signalled, operation.isRead());
    return slot;
  }

  private static void complete(ContextSlab slab, PostOwner work, int slot) {
    work.returned(slab.signalled[slot], slab.operations[slot].isRead());
    slab.release(slot);
  }

  @Test
  void signalledOperationWaitsForEarlierUnsignalledOnesOfItsOwner() {
    ContextSlab slab = new ContextSlab(8, 8);
    PostOwner work = new PostOwner(null, 3);
    PostOwner other = new PostOwner(null, 3);
    int first = post(slab, work, Operation.SEND, false);
    int second = post(slab, work, Operation.SEND, true);
    assertFalse(slab.isCovered(second));
    assertTrue(slab.isCovered(post(slab, other, Operation.SEND, true)), "the unsignalled operation has another owner");
    int third = post(slab, work, Operation.READ, false);
    assertEquals(1, work.reads);
    assertFalse(work.hasRoom());
    complete(slab, work, third);
    assertFalse(slab.isCovered(second), "the first has not completed");
    complete(slab, work, first);
    assertTrue(slab.isCovered(second));
    post(slab, work, Operation.SEND, false);
    assertTrue(slab.isCovered(second), "the unsignalled operation is later");
    slab.free();
  }

  /** A send whose completion is held back must not hide the read: operations of a broken endpoint are flushed by this list. */
  @Test
  void heldCompletionIsNotInFlight() {
    ContextSlab slab = new ContextSlab(8, 8);
    HeldCompletions held = new HeldCompletions(slab);
    PostOwner work = new PostOwner(null, 8);
    int read = slab.acquire(1, Operation.READ, work);
    work.posted(false, true);
    for (int i = 0; i < 3; i++) {
      int slot = slab.acquire(2, Operation.SEND, work);
      work.posted(true, false);
      work.returned(true, false);
      held.add(slot);
      assertEquals(-1, slab.returned(slab.context(slot)), "its completion came before");
    }
    assertArrayEquals(new int[] {read}, slab.underWay(work));
    slab.free();
  }

  @Test
  void completionContextIsAcceptedOnce() {
    PostOwner work = new PostOwner(null, 8);
    ContextSlab slab = new ContextSlab(3, 3);
    int slot = slab.acquire(7, Operation.SEND, work);
    long context = slab.context(slot);
    assertEquals(0, context % 64);
    assertEquals(slot, slab.returned(context));
    slab.release(slot);
    assertEquals(-1, slab.returned(context), "it is not in use any more");
    assertEquals(-1, slab.returned(0));
    assertEquals(-1, slab.returned(context + 8), "between two contexts");
    assertEquals(-1, slab.returned(slab.context(0) + 3 * 64), "behind the last");
    slab.free();
  }

  @Test
  void slotsOfAClosedOwnerStayTakenUntilTheQueueWasReadEmpty() {
    PostOwner gone = new PostOwner(null, 8);
    PostOwner alive = new PostOwner(null, 8);
    ContextSlab slab = new ContextSlab(3, 3);
    int first = slab.acquire(1, Operation.READ, gone);
    slab.acquire(2, Operation.SEND, gone);
    slab.acquire(3, Operation.SEND, alive);
    assertEquals(-1, slab.acquire(4, Operation.SEND, alive), "all are taken");
    assertEquals(1, slab.orphan(gone), "one-sided ones");
    assertEquals(-1, slab.acquire(4, Operation.SEND, alive), "their completions may be in the queue");
    assertEquals(-1, slab.returned(slab.context(first)), "nobody hears of it");
    assertEquals(first, slab.acquire(5, Operation.SEND, alive), "but then it is free");
    slab.drained();
    assertTrue(slab.acquire(6, Operation.SEND, alive) >= 0);
    assertEquals(-1, slab.acquire(7, Operation.SEND, alive), "the owner that is alive has the other slots");
    slab.free();
  }

  @Test
  void functionOfAMissingOrShortTableIsMissing() {
    long table = Memory.allocate(32);
    Memory.putLong(table, 24);
    Memory.putLong(table + 8, 4711);
    Memory.putLong(table + 24, 4712);
    assertEquals(4711, Fid.entry(table, 8));
    assertEquals(0, Fid.entry(table, 16));
    assertEquals(0, Fid.entry(table, 24), "the entry is beyond the table's size");
    assertEquals(0, Fid.entry(0, 8));
    Memory.free(table);
  }

  @Test
  void addressesComeBackAsTheyWent() {
    for (String host : new String[] {"127.0.0.1", "::1", "2001:db8::17"}) {
      EndpointAddress address = EndpointAddress.of(new InetSocketAddress(host, 54321));
      byte[] bytes = AddressFormats.toNative(AddressFormats.format(address), address);
      long at = Memory.allocate(bytes.length);
      Memory.putBytes(at, bytes);
      assertEquals(address, AddressFormats.fromNative(AddressFormats.format(address), at, bytes.length));
      Memory.free(at);
    }
    EndpointAddress name = EndpointAddress.of("1:2:3");
    assertEquals(ProviderException.Reason.INVALID,
      assertThrows(ProviderException.class, () -> AddressFormats.toNative(Fi.SOCKADDR_IN, name)).reason());
  }

  @Test
  void errorsOfEitherSignHaveTheSameStatus() {
    assertEquals(Status.AGAIN, FabricErrors.postStatus(-11));
    assertEquals(Status.FAILED, FabricErrors.postStatus(22));
    assertEquals(Status.FAILED, FabricErrors.postStatus(-22));
    assertEquals(Status.FLUSHED, FabricErrors.completionStatus(125));
    assertEquals(Status.LENGTH, FabricErrors.completionStatus(-265));
    assertEquals(Status.CONNECTION_LOST, FabricErrors.completionStatus(107));
  }

  /** Memory of some fabrics belongs to an endpoint. No such fabric runs here. */
  @Test
  void thereIsOneEndpointAndMemoryComesAfterIt() {
    FabricDevice device = (FabricDevice) Devices.require(new LibfabricProvider(), "rxm");
    EndpointMemory memory = new EndpointMemory(device.library, "cxi");
    assertEquals(ProviderException.Reason.INVALID, assertThrows(ProviderException.class, memory::require).reason());
    try (RdmFabricDomain domain = new RdmFabricDomain(device)) {
      Fid first = new FabricAddressVector(domain).fid;
      Fid second = new FabricAddressVector(domain).fid;
      memory.opened(first);
      assertSame(first, memory.require());
      assertEquals(ProviderException.Reason.LIMIT, assertThrows(ProviderException.class, () -> memory.opened(second)).reason());
      memory.closed(second);
      assertSame(first, memory.require());
      memory.closed(first);
      memory.opened(second);
      assertSame(second, memory.require());
      first.close();
      second.close();
    }
  }

  @Test
  void memoryThatNoPeerUsesNeedsNoRegistration() {
    assertFalse(EndpointMemory.registers(Set.of()));
    assertFalse(EndpointMemory.registers(Set.of(Access.LOCAL_WRITE, Access.READ_SINK)));
    assertTrue(EndpointMemory.registers(Set.of(Access.REMOTE_READ)));
    assertTrue(EndpointMemory.registers(Set.of(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC)));
  }
}
