package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Promises of this provider beyond the contract: order of completions, back-pressure, long transfers over small sockets. */
@Timeout(60)
interface ConnectionCases {

  Device device();

  @Test
  default void transfersOfManyMebibytes() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains())) {
      int size = 48 << 20;
      MemoryRegion mine = pair.a.openRegion(size);
      MemoryRegion theirs = pair.b.openRegion(size);
      RemoteMemory remote = pair.a.remote(theirs);
      for (long i = 0; i < size; i += 4096) {
        mine.segment().set(ValueLayout.JAVA_LONG, i, i * 31);
      }
      long write = Side.nextId();
      assertEquals(Status.OK, pair.left().post(new WorkRequest().write(mine, 0, size, remote, 0).id(write).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, write);
      assertEquals(-1, mine.segment().mismatch(theirs.segment()));
      mine.segment().fill((byte) 0);
      long read = Side.nextId();
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(mine, 0, size, remote, 0).id(read).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, read);
      assertEquals(-1, mine.segment().mismatch(theirs.segment()));
    }
  }

  @Test
  default void everyKindOfOperationInOneList() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains())) {
      MemoryRegion mine = pair.a.openRegion(1 << 16);
      MemoryRegion theirs = pair.b.openRegion(1 << 16);
      RemoteMemory remote = pair.a.remote(theirs);
      Endpoint left = pair.left();
      mine.segment().set(ValueLayout.JAVA_LONG, 0, 42);
      theirs.segment().set(ValueLayout.JAVA_LONG, 1024, 5);
      ScatterGather list = new ScatterGather(3).add(mine, 0, 8).add(mine, 8192, 6000).add(mine, 100, 0);
      long first = Side.nextId();
      for (int i = 0; i < 6; i++) {
        Side.nextId();
      }
      assertEquals(Status.OK, left.post(
        new WorkRequest().write(mine, 0, 8, remote, 512).id(first).flags(PostFlags.SIGNALED | PostFlags.MORE)));
      assertEquals(Status.OK, left.post(
        new WorkRequest().write(mine, 0, 8, remote, 520).immediate(0xffff_fffeL).id(first + 1).flags(PostFlags.SIGNALED | PostFlags.MORE)));
      assertEquals(Status.OK, left.post(
        new WorkRequest().fetchAdd(mine, 16, remote, 1024, 7).id(first + 2).flags(PostFlags.SIGNALED | PostFlags.MORE)));
      assertEquals(Status.OK, left.post(
        new WorkRequest().compareSwap(mine, 24, remote, 1024, 12, -1).id(first + 3).flags(PostFlags.SIGNALED | PostFlags.MORE)));
      assertEquals(Status.OK, left.post(
        new WorkRequest().read(mine, 32, 8, remote, 1024).id(first + 4).flags(PostFlags.SIGNALED | PostFlags.MORE)));
      assertEquals(Status.OK, left.post(new WorkRequest().write(list, remote, 2048).id(first + 5).flags(PostFlags.MORE)));
      assertEquals(Status.OK, left.post(
        new WorkRequest().send(mine, 0, 8).id(first + 6).flags(PostFlags.SIGNALED | PostFlags.FENCE | PostFlags.INLINE)));
      pair.success(pair.a, first + 6);
      assertEquals(6, pair.a.completions.size());
      for (int i = 0; i < 5; i++) {
        assertEquals(first + i, pair.a.completions.get(i).requestId());
      }
      assertEquals(8, pair.message(pair.b).data().length);
      Completion event = pair.b.completions.getFirst();
      assertEquals(Operation.REMOTE_WRITE, event.operation());
      assertEquals(0xffff_fffeL, event.immediate());
      assertEquals(42, theirs.segment().get(ValueLayout.JAVA_LONG, 520));
      assertEquals(42, theirs.segment().get(ValueLayout.JAVA_LONG, 2048));
      assertEquals(5, mine.segment().get(ValueLayout.JAVA_LONG, 16));
      assertEquals(12, mine.segment().get(ValueLayout.JAVA_LONG, 24));
      assertEquals(-1, mine.segment().get(ValueLayout.JAVA_LONG, 32));
      assertEquals(0, left.outstanding());
    }
  }

  @Test
  default void aWrongKeyEndsTheConnectionWithItsStatus() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains())) {
      MemoryRegion mine = pair.a.openRegion(64);
      MemoryRegion theirs = pair.b.region(64, Access.REMOTE_READ);
      long good = Side.nextId();
      long bad = Side.nextId();
      long later = Side.nextId();
      RemoteMemory remote = pair.a.remote(theirs);
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(mine, 0, 64, remote, 0).id(good).flags(PostFlags.SIGNALED)));
      assertEquals(Status.OK, pair.left().post(new WorkRequest().write(mine, 0, 64, remote, 0).id(bad)));
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(mine, 0, 64, remote, 0).id(later)));
      pair.until("both ends are broken", () -> pair.a.disconnected.size() + pair.b.disconnected.size() == 2);
      assertEquals(Status.OK, pair.completion(pair.a, good).status());
      assertEquals(Status.REMOTE_ACCESS, pair.completion(pair.a, bad).status());
      assertEquals(Status.FLUSHED, pair.completion(pair.a, later).status());
      assertEquals(ProviderException.Reason.PERMISSION, pair.a.cause.reason());
      assertTrue(pair.b.cause.getMessage().contains("does not allow"), pair.b.cause.getMessage());
    }
  }

  @Test
  default void messagesSentBeforeDisconnectArrive() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains().withSlots(4, 100_000))) {
      pair.b.reposting(false);
      for (int i = 0; i < 50; i++) {
        pair.a.send(pair.left(), new byte[100_000], 0);
      }
      pair.left().disconnect();
      assertEquals(Status.NOT_CONNECTED, pair.left().post(new WorkRequest().send(pair.a.region(8), 0, 8).id(1)));
      pair.until("the first messages", () -> pair.b.messages.size() == 4);
      assertTrue(pair.b.disconnected.isEmpty());
      pair.b.reposting(true);
      pair.until("disconnected", () -> pair.a.disconnected.size() + pair.b.disconnected.size() == 2);
      assertEquals(50, pair.b.messages.size());
    }
  }

  /** The messages fit the buffer of a stalled connection, which sees the end of the stream before it has executed them. */
  @Test
  default void shortMessagesSentBeforeDisconnectArriveToo() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains().withSlots(2, 64))) {
      pair.b.reposting(false);
      for (int i = 0; i < 9; i++) {
        pair.a.send(pair.left(), new byte[8], 0);
      }
      pair.left().disconnect();
      pair.until("the first messages", () -> pair.b.messages.size() == 2 && pair.a.disconnected.size() == 1);
      for (int i = 0; i < 100; i++) {
        pair.poll();
      }
      assertTrue(pair.b.disconnected.isEmpty(), () -> pair.b.cause.getMessage());
      pair.b.reposting(true);
      pair.until("disconnected", () -> pair.b.disconnected.size() == 1);
      assertEquals(9, pair.b.messages.size());
    }
  }

  @Test
  default void goodbyeBehindAWaitingMessageIsReceived() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains().withSlots(2, 64))) {
      for (int i = 0; i < 3; i++) {
        pair.a.send(pair.left(), new byte[8], 0);
      }
      pair.left().disconnect();
      pair.until("disconnected", () -> pair.a.disconnected.size() + pair.b.disconnected.size() == 2);
      assertEquals(3, pair.b.messages.size());
      assertTrue(pair.b.cause.getMessage().endsWith(" disconnected"), pair.b.cause.getMessage());
    }
  }

  @Test
  default void aReceiveGoesToTheOneThatStillWaits() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains().withSharedReceives().withSlots(0, 64))) {
      Endpoint first = pair.left();
      pair.connect();
      Endpoint second = pair.left();
      MemoryRegion mine = pair.a.openRegion(64);
      MemoryRegion theirs = pair.b.openRegion(256);
      RemoteMemory remote = pair.a.remote(theirs);
      for (Endpoint endpoint : List.of(first, second)) {
        int before = pair.b.completions.size();
        assertEquals(Status.OK, endpoint.post(new WorkRequest().write(mine, 0, 8, remote, 0).immediate(1).flags(PostFlags.MORE)));
        assertEquals(Status.OK, endpoint.post(new WorkRequest().send(mine, 0, 8)));
        pair.until("a message waits behind the write", () -> pair.b.completions.size() > before);
      }
      for (int i = 0; i < 10; i++) {
        pair.poll();
      }
      assertEquals(Status.OK, pair.b.shared().post(1, theirs, 64, 64));
      assertEquals(Status.OK, second.post(new WorkRequest().write(mine, 0, 8, remote, 8)));
      pair.completion(pair.b, 1);
      assertEquals(Status.OK, pair.b.shared().post(2, theirs, 128, 64));
      pair.success(pair.b, 2);
    }
  }
}
