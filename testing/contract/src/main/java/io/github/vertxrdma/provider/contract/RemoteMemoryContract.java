package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

public interface RemoteMemoryContract extends ContractFixture {

  /** Returns whether the device executes empty reads. An override names the driver's source. */
  default boolean executesEmptyReads() {
    return true;
  }

  /** Writes, and announces the write by a message, as the capabilities require. Returns when the peer has the message. */
  static void writeAndAnnounce(Pair pair, MemoryRegion from, long offset, long length, RemoteMemory to, long remoteOffset) {
    boolean ordered = pair.a.domain().capabilities().promises(Capabilities.Order.SEND_AFTER_WRITE);
    long id = Side.nextId();
    int flags = PostFlags.SIGNALED | (ordered ? PostFlags.MORE : PostFlags.DELIVERY_COMPLETE);
    pair.post(() -> pair.left().post(new WorkRequest().write(from, offset, length, to, remoteOffset).id(id).flags(flags)));
    if (!ordered) {
      pair.success(pair.a, id);
    }
    pair.until("room for a message", () -> pair.left().outstanding() < pair.left().sendDepth());
    pair.a.send(pair.left(), new byte[] {42}, PostFlags.SIGNALED);
    assertEquals(42, pair.message(pair.b).data()[0]);
    pair.success(pair.a, id); // until then the device may read the memory
  }

  @ContractTest
  default void announcedWritesOfAllSizesArrive(Pair pair) {
    int largest = (int) Math.min(4 << 20, device().limits().maxTransferSize());
    MemoryRegion own = pair.a.openRegion(largest);
    MemoryRegion peers = pair.b.openRegion(largest + 200L);
    RemoteMemory remote = pair.a.remote(peers);
    for (int length : new int[] {0, 1, 7, 8, 4095, 4096, 4097, 65_537, largest}) {
      Pattern.fill(own.segment(), 0, length, length);
      peers.segment().fill((byte) 0x11);
      writeAndAnnounce(pair, own, 0, length, remote, 100);
      Pattern.check(peers.segment(), 100, length, length);
      Pattern.check(own.segment(), 0, length, length);
      assertEquals(0x11, peers.segment().get(ValueLayout.JAVA_BYTE, 99));
      assertEquals(0x11, peers.segment().get(ValueLayout.JAVA_BYTE, 100L + length));
    }
  }

  /** A read that returns AGAIN uses no send queue entry. */
  @ContractTest
  default void readIntoHeapCompletesAtOnceOrIsRefused(Pair pair) {
    if (!found().maps()) {
      return;
    }
    MemoryRegion own = pair.a.openRegion(4096);
    MemoryRegion peers = pair.b.openRegion(4096);
    Pattern.fill(peers.segment(), 0, 4096, 3);
    RemoteMemory remote = pair.a.remote(peers);
    pair.success(pair.a, pair.a.post(new WorkRequest().read(own, 0, 8, remote, 0)));
    MemorySegment heap = MemorySegment.ofArray(new byte[1000]);
    long id = Side.nextId();
    int status = pair.left().post(new WorkRequest().read(null, 0, 900, remote, 0).into(heap, 100).id(id).flags(PostFlags.SIGNALED));
    if (status == Status.AGAIN) {
      assertEquals(0, pair.left().outstanding());
      return;
    }
    assertEquals(Status.OK, status);
    pair.success(pair.a, id);
    Pattern.check(heap, 100, 900, 3);
    assertEquals(Status.LOCAL_RANGE, pair.left().post(new WorkRequest().read(null, 0, 901, remote, 0).into(heap, 100)));
    assertEquals(Status.LOCAL_RANGE, pair.left().post(new WorkRequest().read(null, 0, 1, remote, 0).into(heap, -1)));
    assertEquals(Status.REMOTE_RANGE, pair.left().post(new WorkRequest().read(null, 0, 1, remote, 4096).into(heap, 0)));
    assertEquals(0, pair.left().outstanding());
  }

  @ContractTest
  default void deliveryCompleteWriteIsVisibleWhenItCompletes(Pair pair) {
    MemoryRegion own = pair.a.openRegion(100_000);
    MemoryRegion peers = pair.b.openRegion(100_000);
    if (!pair.a.domain().capabilities().deliveryComplete()) {
      return;
    }
    for (int i = 0; i < 20; i++) {
      Pattern.fill(own.segment(), 0, 100_000, i);
      Completion completion = pair.success(pair.a,
        pair.a.post(new WorkRequest().write(own, 0, 100_000, pair.a.remote(peers), 0).flags(PostFlags.DELIVERY_COMPLETE)));
      assertEquals(Operation.WRITE, completion.operation());
      assertSame(pair.left(), completion.endpoint());
      Pattern.check(peers.segment(), 0, 100_000, i);
    }
  }

  /** First uses all send queue entries, because a stale entry would then move bytes. */
  @ContractTest
  default void emptyReadsAndWritesMoveNothing(Pair pair) {
    MemoryRegion own = pair.a.openRegion(512);
    MemoryRegion peers = pair.b.openRegion(512);
    RemoteMemory remote = pair.a.remote(peers);
    int depth = pair.left().sendDepth();
    for (int i = 0; i < depth; i++) {
      moveByte(pair, new WorkRequest().write(own, 1, 1, remote, 1));
    }
    own.segment().fill((byte) 0x11);
    peers.segment().fill((byte) 0x22);
    for (int i = 0; i < depth; i += 2) {
      moveByte(pair, new WorkRequest().write(own, 64, 0, remote, 64));
      if (executesEmptyReads()) {
        moveByte(pair, new WorkRequest().read(own, 128, 0, remote, 128));
      }
    }
    for (long at = 0; at < 512; at++) {
      assertEquals(0x11, own.segment().get(ValueLayout.JAVA_BYTE, at), "local byte " + at);
      // An earlier write to byte 1 may arrive after the fill.
      if (at != 1) {
        assertEquals(0x22, peers.segment().get(ValueLayout.JAVA_BYTE, at), "remote byte " + at);
      }
    }
  }

  private static void moveByte(Pair pair, WorkRequest request) {
    long id = Side.nextId();
    pair.post(() -> pair.left().post(request.id(id).flags(PostFlags.SIGNALED)));
    pair.success(pair.a, id);
  }

  @ContractTest
  default void writesTakeEffectInOrderWherePromised(Pair pair) {
    if (!found().promises(Capabilities.Order.WRITE_AFTER_WRITE)) {
      return;
    }
    MemoryRegion own = pair.a.openRegion(64 * 1000);
    MemoryRegion peers = pair.b.openRegion(64);
    RemoteMemory remote = pair.a.remote(peers);
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 10; i++) {
        Pattern.fill(own.segment(), i * 64L, 64, round * 100L + i);
      }
      for (int i = 0; i < 9; i++) {
        long at = i * 64L;
        pair.post(() -> pair.left().post(new WorkRequest().write(own, at, 64, remote, 0).id(Side.nextId()).flags(PostFlags.SIGNALED)));
      }
      writeAndAnnounce(pair, own, 9 * 64, 64, remote, 0);
      Pattern.check(peers.segment(), 0, 64, round * 100L + 9);
      pair.until("the memory is ours again", () -> pair.left().outstanding() == 0);
    }
  }

  /** The messages complete immediately, but the reads need a round trip. */
  @ContractTest
  default void readsCompleteWhenLaterMessagesAreSentFirst(Pair pair) {
    int length = 65_536;
    int reads = 3;
    MemoryRegion sink = pair.a.openRegion((long) reads * length);
    MemoryRegion peers = pair.b.openRegion(length);
    RemoteMemory remote = pair.a.remote(peers);
    for (int round = 0; round < 10; round++) {
      Pattern.fill(peers.segment(), 0, length, round);
      sink.segment().fill((byte) 0);
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < reads; i++) {
        long at = (long) i * length;
        long read = Side.nextId();
        pair.post(() -> pair.left().post(new WorkRequest().read(sink, at, length, remote, 0).id(read).flags(PostFlags.SIGNALED)));
        ids.add(read);
        pair.until("room for a message", () -> pair.left().outstanding() < pair.left().sendDepth());
        ids.add(pair.a.send(pair.left(), Pattern.bytes(i, 20), PostFlags.SIGNALED));
      }
      for (int i = 0; i < ids.size(); i++) {
        pair.success(pair.a, ids.get(i));
        if (i % 2 == 0) {
          Pattern.check(sink.segment(), i / 2L * length, length, round);
        } else {
          pair.message(pair.b);
        }
      }
      pair.until("nothing is outstanding", () -> pair.left().outstanding() == 0);
    }
  }

  @ContractTest
  default void listsAreWrittenToOnePlace(Pair pair) {
    int elements = Math.min(pair.a.domain().limits().scatterGather(), new EndpointOptions().scatterGather());
    MemoryRegion own = pair.a.openRegion(4096);
    MemoryRegion peers = pair.b.openRegion(4096);
    Pattern.fill(peers.segment(), 0, 4096, 77);
    ScatterGather list = new ScatterGather(elements);
    for (int i = 0; i < elements; i++) {
      Pattern.fill(own.segment(), i * 100L, 50, i);
      list.add(own, i * 100L, 50);
    }
    boolean delivery = pair.a.domain().capabilities().deliveryComplete();
    pair.success(pair.a,
      pair.a.post(new WorkRequest().write(list, pair.a.remote(peers), 8).flags(delivery ? PostFlags.DELIVERY_COMPLETE : 0)));
    if (!delivery) {
      writeAndAnnounce(pair, own, 0, 0, pair.a.remote(peers), 0);
    }
    for (int i = 0; i < elements; i++) {
      Pattern.check(peers.segment(), 8 + i * 50L, 50, i);
    }
    assertEquals(Pattern.bytes(77, 4096)[8 + elements * 50], peers.segment().get(ValueLayout.JAVA_BYTE, 8 + elements * 50L));
  }

  @ContractTest
  default void readsOfAllSizesByEitherSide(Pair pair) {
    int largest = (int) Math.min(4 << 20, device().limits().maxTransferSize());
    MemoryRegion atA = pair.a.openRegion(largest + 100L);
    MemoryRegion atB = pair.b.openRegion(largest + 100L);
    for (int length : new int[] {0, 1, 8, 4095, 65_537, largest}) {
      Pattern.fill(atB.segment(), 60, length, length);
      atA.segment().fill((byte) 0);
      read(pair, pair.a, atA, 40, length, pair.a.remote(atB), 60);
      Pattern.check(atA.segment(), 40, length, length);
      assertEquals(0, atA.segment().get(ValueLayout.JAVA_BYTE, 40L + length));
    }
    Pattern.fill(atA.segment(), 0, 5000, 8);
    read(pair, pair.b, atB, 0, 5000, pair.b.remote(atA), 0);
    Pattern.check(atB.segment(), 0, 5000, 8);
  }

  private static void read(Pair pair, Side side, MemoryRegion into, long offset, int length, RemoteMemory from, long remoteOffset) {
    long id = side.post(new WorkRequest().read(into, offset, length, from, remoteOffset));
    assertEquals(Operation.READ, pair.success(side, id).operation());
  }

  @ContractTest
  default void fencedWriteSendsDataOfAnEarlierRead(Pair pair) {
    MemoryRegion own = pair.a.openRegion(100_000);
    MemoryRegion peers = pair.b.openRegion(200_000);
    RemoteMemory remote = pair.a.remote(peers);
    boolean delivery = pair.a.domain().capabilities().deliveryComplete();
    for (int i = 0; i < 10; i++) {
      Pattern.fill(peers.segment(), 0, 100_000, i);
      own.segment().fill((byte) 0);
      long read = Side.nextId();
      long write = Side.nextId();
      pair.post(() -> pair.left().post(new WorkRequest().read(own, 0, 100_000, remote, 0).id(read).flags(PostFlags.SIGNALED)));
      pair.post(() -> pair.left().post(
        new WorkRequest().write(own, 0, 100_000, remote, 100_000)
          .id(write).flags(PostFlags.SIGNALED | PostFlags.FENCE | (delivery ? PostFlags.DELIVERY_COMPLETE : 0))));
      pair.success(pair.a, read);
      pair.success(pair.a, write);
      if (!delivery) {
        writeAndAnnounce(pair, own, 0, 0, remote, 0);
      }
      Pattern.check(peers.segment(), 100_000, 100_000, i);
    }
  }

  /** Maps a file, and hides that the segment is mapped, because some devices refuse mapped files. */
  private static MemorySegment sparse(FileChannel file, long size, Arena arena) throws IOException {
    MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
    return MemorySegment.ofAddress(mapped.address()).reinterpret(size, arena, null);
  }

  @ContractTest
  default void offsetsBeyondFourGiB(Arena arena, Pair pair) throws IOException {
    long size = 5L << 30;
    long far = size - 1000;
    Capabilities capabilities = found();
    if (capabilities.pinned() || device().limits().maxRegionSize() < size) {
      return; // the region would pin 5 GiB of memory, or is too large
    }
    Path sparse = Files.createTempFile("far", ".bin");
    try (FileChannel file = FileChannel.open(sparse, StandardOpenOption.READ, StandardOpenOption.WRITE);
      MemoryRegion peers = pair.b.domain().register(sparse(file, size, arena), EnumSet.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
      MemoryRegion own = pair.a.openRegion(1000);
      RemoteMemory remote = pair.a.remote(peers);
      Pattern.fill(own.segment(), 0, 1000, 12);
      writeAndAnnounce(pair, own, 0, 1000, remote, far);
      Pattern.check(peers.segment(), far, 1000, 12);
      assertEquals(0, peers.segment().get(ValueLayout.JAVA_BYTE, far & 0xffff_ffffL), "the offset lost its upper half");
      own.segment().fill((byte) 0);
      read(pair, pair.a, own, 0, 1000, remote, far);
      Pattern.check(own.segment(), 0, 1000, 12);
      Side.assertPost(Status.REMOTE_RANGE, pair.left(), new WorkRequest().read(own, 0, 1000, remote, far + 1));
    } finally {
      Files.delete(sparse);
    }
  }

  @ContractTest
  default void readsInFlightAreBoundedAndLoseNothing(Pair pair) {
    MemoryRegion own = pair.a.openRegion(300 * 256);
    MemoryRegion peers = pair.b.openRegion(300 * 256);
    RemoteMemory remote = pair.a.remote(peers);
    Pattern.fill(peers.segment(), 0, 300 * 256, 4);
    int posted = 0;
    int limit = pair.left().readsInFlight();
    while (posted < 300) {
      int before = posted;
      int status = Status.OK;
      while (posted < 300 && status == Status.OK) {
        status = pair.left().post(
          new WorkRequest().read(own, posted * 256L, 256, remote, posted * 256L).id(posted).flags(PostFlags.SIGNALED));
        posted += status == Status.OK ? 1 : 0;
      }
      assertTrue(status == Status.OK || status == Status.AGAIN, () -> "status of a read");
      assertTrue(posted - before <= Math.max(limit, pair.left().sendDepth()));
      pair.poll();
    }
    pair.until("all reads", () -> pair.a.completions.size() == 300);
    assertTrue(pair.a.completions.stream().allMatch(Completion::ok));
    Pattern.check(own.segment(), 0, 300 * 256, 4);
  }

  @ContractTest
  default void writesWithImmediateNotifyTheTarget(Pair pair) {
    MemoryRegion own = pair.a.openRegion(4096);
    MemoryRegion peers = pair.b.openRegion(4096);
    RemoteMemory remote = pair.a.remote(peers);
    Capabilities capabilities = pair.a.domain().capabilities();
    if (!capabilities.can(Operation.WRITE_IMMEDIATE)) {
      Side.assertPost(Status.UNSUPPORTED, pair.left(), new WorkRequest().write(own, 0, 8, remote, 0).immediate(1));
      return;
    }
    int bits = capabilities.immediateBits();
    long mask = bits == Long.SIZE ? -1 : (1L << bits) - 1;
    for (long value : new long[] {0, 1, 0x8000_0000L, 0x1234_5678L, -1}) {
      Pattern.fill(own.segment(), 0, 2000, value);
      pair.b.completions.clear();
      WorkRequest request = value < 0 ? new WorkRequest().write(new ScatterGather(1).add(own, 0, 2000), remote, 1000)
        : new WorkRequest().write(own, 0, 2000, remote, 1000);
      long id = pair.a.post(request.immediate(value & mask));
      pair.until("the target's completion", () -> !pair.b.completions.isEmpty());
      Completion completion = pair.b.completions.getFirst();
      assertEquals(Operation.REMOTE_WRITE, completion.operation());
      assertTrue(completion.ok() && completion.hasImmediate(), completion.toString());
      assertEquals(value & mask, completion.immediate());
      assertSame(pair.right(), completion.endpoint());
      assertEquals(!capabilities.immediateConsumesReceive(), completion.requestId() == -1);
      Pattern.check(peers.segment(), 1000, 2000, value);
      assertEquals(Operation.WRITE_IMMEDIATE, pair.success(pair.a, id).operation());
    }
  }

  @ContractTest
  default void rangesAreCheckedBeforePosting(Pair pair) {
    MemoryRegion own = pair.a.openRegion(1000);
    MemoryRegion peers = pair.b.openRegion(1000);
    RemoteMemory part = pair.a.remote(peers, 100, 500);
    Endpoint left = pair.left();
    MemoryRegion small = pair.a.openRegion(400);
    long[][] local = {{-1, 10}, {391, 10}, {0, 401}, {401, 0}, {Long.MAX_VALUE, 1}};
    for (long[] range : local) {
      Side.assertPost(Status.LOCAL_RANGE, left, new WorkRequest().write(small, range[0], range[1], part, 0));
      Side.assertPost(Status.LOCAL_RANGE, left, new WorkRequest().read(small, range[0], range[1], part, 0));
    }
    assertTrue(left.post(new WorkRequest().write(small, 0, -1, part, 0).id(1).flags(PostFlags.SIGNALED)) < 0, "a negative length");
    long[][] remote = {{-1, 10}, {491, 10}, {0, 501}, {501, 0}, {Long.MAX_VALUE, 1}, {Long.MIN_VALUE, 1}};
    for (long[] range : remote) {
      Side.assertPost(Status.REMOTE_RANGE, left, new WorkRequest().write(own, 0, range[1], part, range[0]));
      Side.assertPost(Status.REMOTE_RANGE, left, new WorkRequest().read(own, 0, range[1], part, range[0]));
      Side.assertPost(Status.REMOTE_RANGE, left, new WorkRequest().write(new ScatterGather(1).add(own, 0, (int) range[1]), part, range[0]));
    }
    MemoryRegion readOnly = pair.a.region(100, Access.REMOTE_READ);
    Side.assertPost(Status.LOCAL_RANGE, left, new WorkRequest().read(readOnly, 0, 10, part, 0)); // no right to be a read sink
    assertEquals(0, left.outstanding());
    read(pair, pair.a, own, 0, 500, part, 0);
  }

  @ContractTest
  default void automaticProgressServesReadsWithoutPolls(Pair pair) {
    if (found().progress() != Capabilities.Progress.AUTOMATIC) {
      return;
    }
    MemoryRegion own = pair.a.openRegion(4096);
    MemoryRegion peers = pair.b.openRegion(4096);
    Pattern.fill(peers.segment(), 0, 4096, 6);
    long id = pair.a.post(new WorkRequest().read(own, 0, 4096, pair.a.remote(peers), 0));
    Await.until("the read without the target's help", () -> pair.a.completion(id) != null, pair.a::poll, pair.a::toString);
    Pattern.check(own.segment(), 0, 4096, 6);
  }

  @ContractTest
  default void fetchAddAndCompareSwapGiveTheOldValue(Pair pair) {
    MemoryRegion own = pair.a.openRegion(64);
    MemoryRegion peers = pair.b.openRegion(64);
    RemoteMemory remote = pair.a.remote(peers);
    if (!pair.a.domain().capabilities().can(Operation.FETCH_ADD)) {
      Side.assertPost(Status.UNSUPPORTED, pair.left(), new WorkRequest().fetchAdd(own, 0, remote, 0, 1));
    } else {
      peers.segment().set(ValueLayout.JAVA_LONG, 16, 0x1_0000_0000L);
      assertEquals(0x1_0000_0000L, fetchAdd(pair, own, remote, 16, 5));
      assertEquals(0x1_0000_0005L, fetchAdd(pair, own, remote, 16, -6));
      assertEquals(0xffff_ffffL, fetchAdd(pair, own, remote, 16, Long.MIN_VALUE));
      assertEquals(0xffff_ffffL + Long.MIN_VALUE, fetchAdd(pair, own, remote, 16, 0));
      assertEquals(0, fetchAdd(pair, own, remote, 24, 1), "the word beside it");
    }
    if (!pair.a.domain().capabilities().can(Operation.COMPARE_SWAP)) {
      Side.assertPost(Status.UNSUPPORTED, pair.left(), new WorkRequest().compareSwap(own, 0, remote, 0, 1, 2));
    } else {
      peers.segment().set(ValueLayout.JAVA_LONG, 32, 7);
      assertEquals(7, compareSwap(pair, own, remote, 32, 6, 9));
      assertEquals(7, compareSwap(pair, own, remote, 32, 7, -1));
      assertEquals(-1, compareSwap(pair, own, remote, 32, -1, Long.MAX_VALUE));
      assertEquals(Long.MAX_VALUE, compareSwap(pair, own, remote, 32, 0, 0));
    }
  }

  private static long fetchAdd(Pair pair, MemoryRegion own, RemoteMemory remote, long at, long add) {
    long id = pair.a.post(new WorkRequest().fetchAdd(own, 8, remote, at, add));
    assertEquals(Operation.FETCH_ADD, pair.success(pair.a, id).operation());
    return own.segment().get(ValueLayout.JAVA_LONG, 8);
  }

  private static long compareSwap(Pair pair, MemoryRegion own, RemoteMemory remote, long at, long expected, long swap) {
    long id = pair.a.post(new WorkRequest().compareSwap(own, 8, remote, at, expected, swap));
    assertEquals(Operation.COMPARE_SWAP, pair.success(pair.a, id).operation());
    return own.segment().get(ValueLayout.JAVA_LONG, 8);
  }

  @ContractTest
  default void additionsOverTwoConnectionsAddUp(Pair pair) {
    if (!found().atomics()) {
      return;
    }
    MemoryRegion word = pair.b.openRegion(8);
    MemoryRegion results = pair.a.openRegion(8 * 64);
    RemoteMemory remote = pair.a.remote(word);
    Endpoint first = pair.left();
    pair.connect();
    Endpoint second = pair.left();
    int posted = 0;
    int done = 0;
    while (done < 1000) {
      assertTrue(pair.a.disconnected.isEmpty(), () -> "disconnected: " + pair.a.cause);
      for (Endpoint endpoint : List.of(first, second)) {
        if (posted < 1000) {
          int status = endpoint.post(
            new WorkRequest().fetchAdd(results, posted % 64 * 8L, remote, 0, 1).id(Side.nextId()).flags(PostFlags.SIGNALED));
          assertTrue(status == Status.OK || status == Status.AGAIN, () -> "posting an addition: " + Status.name(status));
          posted += status == Status.OK ? 1 : 0;
        }
      }
      pair.poll();
      done += pair.a.completions.size();
      pair.a.completions.clear();
    }
    assertEquals(1000, word.segment().get(ValueLayout.JAVA_LONG, 0));
  }

  @ContractTest
  default void misalignedWordsAreRefused(Pair pair) {
    if (!found().atomics()) {
      return;
    }
    MemoryRegion own = pair.a.openRegion(64);
    MemoryRegion peers = pair.b.openRegion(64);
    RemoteMemory remote = pair.a.remote(peers);
    for (long at : new long[] {1, 4, 7, 57, 60, 64, -8}) {
      Side.assertPost(Status.REMOTE_RANGE, pair.left(), new WorkRequest().fetchAdd(own, 0, remote, at, 1));
      Side.assertPost(Status.REMOTE_RANGE, pair.left(), new WorkRequest().compareSwap(own, 0, remote, at, 1, 2));
    }
    for (long at : new long[] {-8, 57, 64}) {
      Side.assertPost(Status.LOCAL_RANGE, pair.left(), new WorkRequest().fetchAdd(own, at, remote, 0, 1));
    }
    assertEquals(0, pair.left().outstanding());
  }
}
