package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointCounters;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.InetSocketAddress;
import java.util.HashSet;
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

  @Test
  void aSignalledOperationWaitsForUnsignalledOnesBeforeIt() {
    SendWork work = new SendWork(null, new EndpointCounters(), 100, null);
    long first = work.posted(false, false);
    long second = work.posted(true, false);
    assertFalse(work.covers(second));
    long third = work.posted(false, true);
    work.uncovered(third);
    assertFalse(work.covers(second), "the first is still under way");
    work.uncovered(first);
    assertTrue(work.covers(second));
    assertEquals(1, work.reads);
    assertEquals(3, work.outstanding);
  }

  @Test
  void coveringSurvivesGrowth() {
    SendWork work = new SendWork(null, new EndpointCounters(), 1000, null);
    long[] sequences = new long[100];
    for (int i = 0; i < sequences.length; i++) {
      sequences[i] = work.posted(false, false);
    }
    long last = work.posted(true, false);
    for (int i = sequences.length - 1; i >= 0; i--) {
      assertFalse(work.covers(last), "with " + (i + 1) + " under way");
      work.uncovered(sequences[i]);
    }
    assertTrue(work.covers(last));
  }

  @Test
  void peersShareTheDepthOfTheirEndpoint() {
    SendWork whole = new SendWork(null, new EndpointCounters(), 2, null);
    SendWork one = new SendWork(null, new EndpointCounters(), 2, whole);
    SendWork two = new SendWork(null, new EndpointCounters(), 2, whole);
    one.posted(true, false);
    two.posted(true, false);
    assertFalse(one.hasRoom());
    two.returned(false);
    assertTrue(one.hasRoom());
    assertTrue(one.isOf(whole) && !one.isOf(two));
  }

  /** A send whose completion is held back must not hide the read: operations of a broken endpoint are flushed by this list. */
  @Test
  void heldCompletionIsNotInFlight() {
    ContextSlab slab = new ContextSlab(8, 8);
    HeldCompletions held = new HeldCompletions(slab);
    SendWork work = new SendWork(null, new EndpointCounters(), 8, null);
    int read = slab.acquire(1, Operation.READ, work);
    slab.sequences[read] = work.posted(false, true);
    for (int i = 0; i < 3; i++) {
      int slot = slab.acquire(2, Operation.SEND, work);
      slab.sequences[slot] = work.posted(true, false);
      work.returned(false);
      held.add(slot);
      assertEquals(-1, slab.returned(slab.context(slot)), "its completion came before");
    }
    assertArrayEquals(new int[] {read}, slab.underWay(work));
    slab.free();
  }

  @Test
  void completionContextIsAcceptedOnce() {
    PostOwner work = new PostOwner(null, new EndpointCounters());
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
    PostOwner gone = new PostOwner(null, new EndpointCounters());
    PostOwner alive = new PostOwner(null, new EndpointCounters());
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
    assertEquals(2, slab.used());
    slab.free();
  }

  @Test
  void privateDataCarriesTheNumberUnseen() {
    byte[] data = {1, 2, 3};
    PrivateData both = PrivateData.decode(PrivateData.encode(data, 4711), true);
    assertArrayEquals(data, both.bytes());
    assertEquals(4711, both.tag());
    PrivateData foreign = PrivateData.decode(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, true);
    assertEquals(9, foreign.bytes().length);
    assertEquals(0, foreign.tag());
    assertArrayEquals(data, PrivateData.encode(data, 0));
  }

  @Test
  void numbersOfEndpointsAreNotGuessed() {
    EndpointTags tags = new EndpointTags();
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      int tag = tags.add(null); // the tag stays free, since it has no endpoint
      assertNotEquals(0, tag);
      seen.add(tag);
      tags.remove(tag);
      assertNull(tags.find(tag));
    }
    assertTrue(seen.size() > 90, "the same place gets another number: " + seen.size());
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
}
