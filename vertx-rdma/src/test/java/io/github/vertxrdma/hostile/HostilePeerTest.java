package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.device.ExposedMemory;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.provider.contract.LogLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that violates the protocol loses its own connection, and other connections continue. */
@Timeout(60)
class HostilePeerTest {
  private static final int SLAB = 3;

  final Victim victim = open();

  Victim open() {
    return new Victim(false);
  }

  @AfterEach
  void otherConnectionsContinue() {
    victim.assertHonest();
    victim.close();
  }

  RawPeer withSlab(long length) {
    RawPeer peer = victim.proven("accept");
    // On a shared endpoint a read counts once the peer has answered a PING.
    peer.answersPings();
    peer.send(Frame.RKEY, 0, SLAB, length, peer.key());
    victim.settle();
    assertNull(peer.over());
    return peer;
  }

  private static long name(long offset) {
    return (long) SLAB << 48 | offset;
  }

  void offer(RawPeer peer, int size, int offset, int length, long at) {
    peer.sendClaiming(Frame.RTS, 0, length, Frame.piece(size, offset), name(at), Victim.NONE);
  }

  private void assertCutOff(RawPeer peer, String words) {
    victim.settle();
    assertNotNull(peer.over(), "it was not cut off");
    RdmaException cause = (RdmaException) victim.end().cause;
    assertEquals(Reason.PROTOCOL, cause.reason());
    assertTrue(cause.getMessage().contains(words), cause.getMessage());
  }

  @Test
  void invalidFramesEndTheConnection() {
    for (byte[] bytes : List.of(new byte[0], new byte[1], new byte[Frame.SIZE - 1], new byte[Frame.SIZE], new byte[5000])) {
      RawPeer stranger = victim.stranger();
      stranger.sendBytes(bytes);
      victim.settle();
      assertNotNull(stranger.over(), bytes.length + " bytes were taken for a frame");
    }
  }

  @Test
  void textOfStrangersIsPrintable() {
    String hostile = "forged \u001b[2J\n\u202e";
    try (LogLines log = new LogLines(LinkListener.class)) {
      for (String id : List.of(hostile, "id")) {
        RawPeer stranger = victim.stranger();
        stranger.send(Frame.HELLO, 0, 0, 0,
          new Greeting(new byte[] {1}, id, 1, hostile, 0, hostile, 16 << 10, 16, 16, 64 << 20, Victim.NONE,
            Victim.NONE, hostile).encode());
        victim.pass(TimeUnit.SECONDS.toNanos(15));
      }
      assertTrue(log.lines().stream().allMatch(PeerText::isPrintable), log.lines()::toString);
      assertEquals(2, log.lines().size(), log.lines()::toString);
    }
    String rejection = victim.rejectionOf(hostile).getMessage();
    assertTrue(rejection.contains("forged") && PeerText.isPrintable(rejection), rejection);
  }

  @Test
  void wrongPayloadLengthEndsTheConnection() {
    for (int length : new int[] {1, 1 << 20, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
      RawPeer peer = victim.proven("accept");
      peer.sendClaiming(Frame.DATA, 0, length, 0, 0, Victim.NONE);
      assertCutOff(peer, "should have " + length);
    }
  }

  @Test
  void linkEndsIfPeerStaysConnectedAfterClose() {
    for (int frames = 0; frames < 12; frames++) {
      RawPeer peer = victim.proven("accept");
      Victim.End end = victim.end();
      for (int i = 0; i < frames; i++) {
        end.link.sendFrame(Frame.REGION_BASE, 0, 0, 0, Victim.NONE);
      }
      peer.send(Frame.CLOSE, 0, 0, 0, Victim.NONE);
      victim.settle();
      assertTrue(peer.take().stream().anyMatch(frame -> frame.type() == Frame.CLOSE_ACK), "the close is acknowledged");
      for (int i = frames; i < 15; i++) {
        end.link.sendFrame(Frame.REGION_BASE, 0, 0, 0, Victim.NONE);
      }
      peer.send(Frame.CLOSE_ACK, 0, 0, 0, Victim.NONE);
      victim.pass(TimeUnit.SECONDS.toNanos(3));
      assertTrue(end.over, "the link is over after " + frames + " frames");
      assertNull(end.cause, "after " + frames + " frames");
    }
  }

  @Test
  void linkEndsIfPeerDoesNotAcknowledgeClose() {
    RawPeer peer = victim.proven("accept");
    Victim.End end = victim.end();
    peer.send(Frame.CLOSE, 0, 0, 0, Victim.NONE);
    victim.settle();
    assertFalse(end.over);
    victim.pass(TimeUnit.MILLISECONDS.toNanos(2L * LoopOptions.DEFAULT.closeIdleMillis()));
    assertTrue(end.over);
    assertNotNull(end.cause);
  }

  @Test
  void closeBetweenPartsOfMessageTimesOut() {
    RawPeer peer = victim.proven("accept");
    Victim.End end = victim.end();
    peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(20_000, 0), 0, new byte[10_000]);
    peer.send(Frame.CLOSE, 0, 0, 0, Victim.NONE);
    victim.settle();
    end.link.shutdown(100, (v, cause) -> {});
    victim.pass(TimeUnit.SECONDS.toNanos(1));
    assertTrue(end.over);
    assertEquals(Reason.TIMEOUT, ((RdmaException) end.cause).reason());
  }

  /** Returns links on which the first byte of a large message has arrived. At least one message waits for its admission. */
  private List<Victim.End> stalledMessages() {
    int size = LoopOptions.DEFAULT.maxMessageSize();
    List<Victim.End> ends = new ArrayList<>();
    for (long left = Runtime.getRuntime().maxMemory() / 4; left > -size; left -= size) {
      RawPeer peer = victim.proven("accept");
      ends.add(victim.end());
      peer.answersPings();
      peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(size, 0), 0, new byte[1]);
      victim.settle();
    }
    return ends;
  }

  @Test
  void smallMessageNeedsNoAdmission() {
    int most = 2 << 20;
    stalledMessages();
    for (int size : new int[] {most, most + 1}) {
      RawPeer peer = withSlab(1 << 20);
      for (int offset = 0; offset < size; offset += 1 << 20) {
        offer(peer, size, offset, Math.min(1 << 20, size - offset), 0);
      }
      victim.settle();
      assertEquals(size == most, victim.end().messages.size() == 1, size + " bytes are delivered");
    }
  }

  @Test
  void largeMessageThatStallsEndsItsConnectionOnlyIfOthersWait() {
    List<Victim.End> ends = stalledMessages();
    victim.pass(TimeUnit.SECONDS.toNanos(9));
    assertTrue(ends.stream().noneMatch(end -> end.over), "the others still have time");
    victim.pass(TimeUnit.SECONDS.toNanos(5));
    assertTrue(ends.getFirst().over, "it has stalled");
    assertFalse(ends.getLast().over, "it waits");
    RdmaException cause = (RdmaException) ends.getFirst().cause;
    assertEquals(Reason.LIMIT, cause.reason());
    assertTrue(cause.getMessage().contains("less than 1 MiB of a large message arrived in 10 s"), cause.getMessage());
    victim.pass(TimeUnit.SECONDS.toNanos(14));
    assertTrue(ends.stream().anyMatch(end -> !end.over), "one stalls, but no other waits");
  }

  @Test
  void wrongSequenceNumberEndsTheConnection() {
    for (int number : new int[] {0, 2, -1, Integer.MIN_VALUE}) {
      RawPeer peer = victim.proven("accept");
      peer.send(Frame.DATA, 0, 0, 0, number, 0, 0, 0, Victim.NONE);
      assertCutOff(peer, "and 1 was expected");
    }
  }

  @Test
  void messageWithoutCreditEndsTheConnection() {
    RawPeer peer = victim.proven("accept");
    victim.end().link.pause(true);
    for (int i = 0; i <= LoopOptions.DEFAULT.dataCredits(); i++) {
      peer.send(Frame.DATA, 0, 0, 0, new byte[1]);
    }
    assertCutOff(peer, "than it had credits for");
    assertEquals(LoopOptions.DEFAULT.dataCredits(), victim.end().messages.size());
  }

  @Test
  void unlimitedCreditsEndTheConnection() {
    RawPeer peer = victim.proven("accept");
    for (int i = 0; i < 40 && peer.over() == null; i++) {
      peer.sendCredits(Frame.CREDIT, 0xffff, 0);
      victim.settle();
    }
    assertCutOff(peer, "more credits than it can have");
  }

  @Test
  void wrongLengthsOfCoalescedMessagesEndTheConnection() {
    for (byte[] payload : List.of(new byte[] {1}, new byte[] {5, 0, 0, 0, 1}, new byte[] {-1, -1, -1, -1, 0}, new byte[] {0, 0, 0, 0, 9})) {
      RawPeer peer = victim.proven("accept");
      peer.send(Frame.DATA, Frame.COALESCED, 0, 0, payload);
      assertCutOff(peer, "the sum of their lengths is different");
    }
  }

  @Test
  void piecesWithOverlapOrGapEndTheConnection() {
    record Case(int size, int first, int offset, int length) {
    }
    for (Case each : List.of(new Case(30_000, 10_000, 0, 10_000), new Case(30_000, 10_000, 5_000, 10_000),
      new Case(30_000, 10_000, 20_000, 10_000),
      new Case(30_000, 10_000, 10_000, 20_001), new Case(30_000, 10_000, 29_999, 1), new Case(1 << 30, 1, 1, 1),
      new Case(30_000, 0, 0, 1))) {
      RawPeer peer = withSlab(1 << 20);
      offer(peer, each.size, 0, each.first, 0);
      offer(peer, each.size, each.offset, each.length, 100);
      victim.settle();
      assertNotNull(peer.over(), each + " by rendezvous");
      assertEquals(0, victim.end().messages.size());
      if (each.length > 10_000) {
        // More than a frame holds.
        continue;
      }
      RawPeer other = victim.proven("accept");
      other.send(Frame.DATA, Frame.SEGMENT, Frame.piece(each.size, 0), 0, new byte[Math.min(each.first, 10_000)]);
      other.send(Frame.DATA, Frame.SEGMENT, Frame.piece(each.size, each.offset), 0, new byte[each.length]);
      victim.settle();
      assertNotNull(other.over(), each + " in segments");
      assertEquals(0, victim.end().messages.size());
    }
  }

  @Test
  void piecesOfTwoKindsDoNotFormOneMessage() {
    RawPeer peer = withSlab(1 << 20);
    peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(20_000, 0), 0, new byte[10_000]);
    offer(peer, 20_000, 10_000, 10_000, 0);
    assertCutOff(peer, "does not fit");
  }

  @Test
  void messageBetweenPiecesEndsTheConnection() {
    for (int flags : new int[] {0, Frame.COALESCED}) {
      RawPeer peer = victim.proven("accept");
      peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(20_000, 0), 0, new byte[10_000]);
      peer.send(Frame.DATA, flags, 0, 0, new byte[8]);
      assertCutOff(peer, "between the parts");
    }
    RawPeer peer = victim.proven("accept");
    peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(20_000, 0), 0, new byte[10_000]);
    peer.send(Frame.END, 0, 0, 0, Victim.NONE);
    assertCutOff(peer, "between the parts");
  }

  @Test
  void pieceBeyondItsSlabEndsTheConnection() {
    for (long[] each : new long[][] {{4096, 4096, 1}, {4096, 0, 4097}, {4096, 4095, 2}, {1L << 47, (1L << 48) - 10, 600_000},
      {4096, -1, 1}}) {
      RawPeer peer = withSlab(each[0]);
      peer.sendClaiming(Frame.RTS, 0, (int) each[2], Frame.piece((int) each[2], 0), (long) SLAB << 48 | each[1] & 0xffff_ffff_ffffL,
        Victim.NONE);
      assertCutOff(peer, "named a part");
    }
    RawPeer peer = withSlab(4096);
    peer.sendClaiming(Frame.RTS, 0, 10, Frame.piece(10, 0), (long) (SLAB + 1) << 48, Victim.NONE);
    assertCutOff(peer, "named a part");
  }

  @Test
  void invalidSlabEndsTheConnection() {
    for (long[] each : new long[][] {{-1, 10}, {1024, 10}, {0, -1}, {0, Long.MAX_VALUE}, {0, (1L << 48) + 1}, {0, 0},
      {Long.MAX_VALUE, 1}}) {
      RawPeer peer = victim.proven("accept");
      peer.send(Frame.RKEY, 0, each[0], each[1], peer.key());
      assertCutOff(peer, "announced source memory");
    }
    RawPeer twice = withSlab(10);
    twice.send(Frame.RKEY, 0, SLAB, 10, twice.key());
    assertCutOff(twice, "announced source memory");
    RawPeer brief = victim.proven("accept");
    brief.send(Frame.RKEY, 0, SLAB, 10, new byte[7]);
    assertCutOff(brief, "announced source memory");
  }

  @Test
  void slabNumberIsReusedAfterSlabIsFreed() {
    RawPeer peer = withSlab(1 << 20);
    offer(peer, 100_000, 0, 100_000, 0);
    victim.settle();
    assertEquals(100_000, victim.end().messages.getFirst().length);
    peer.send(Frame.RKEY, 0, SLAB, 0, Victim.NONE);
    peer.send(Frame.RKEY, 0, SLAB, 1 << 19, peer.key());
    offer(peer, 20_000, 0, 20_000, 50);
    victim.settle();
    assertNull(peer.over());
    assertEquals(20_000, victim.end().messages.get(1).length);
  }

  @Test
  void announcedMemoryIsNotAllocatedBeforeItIsRead() {
    RawPeer peer = withSlab(1 << 20);
    victim.end().link.pause(true);
    long before = used();
    // Each names a message of 64 MiB, and one byte of it would be read.
    for (int i = 0; i < LoopOptions.DEFAULT.dataCredits() / 2; i++) {
      offer(peer, 64 << 20, 0, 1 << 20, 0);
      peer.sendClaiming(Frame.RTS, 0, (64 << 20) - (1 << 20), Frame.piece(64 << 20, 1 << 20), name(0), Victim.NONE);
      victim.settle();
      if (peer.over() != null) {
        break;
      }
    }
    assertTrue(used() - before < 32 << 20, used() - before + " bytes more");
    peer.close();
    victim.raw.remove(peer);
  }

  @Test
  void firstSegmentDoesNotAllocateTheWholeMessage() {
    long before = used();
    for (int i = 0; i < 8; i++) {
      RawPeer peer = victim.proven("accept");
      peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(64 << 20, 0), 0, new byte[1]);
      victim.settle();
      assertNull(peer.over());
    }
    assertTrue(used() - before < 64 << 20, used() - before + " bytes for eight bytes");
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  void messageContainsOnlySentBytes() {
    RawPeer peer = withSlab(1 << 20);
    MemorySegment memory = peer.memory().segment();
    memory.asSlice(1 << 19, 30_000).fill((byte) 7);
    offer(peer, 30_000, 0, 30_000, 1 << 19);
    victim.settle();
    byte[] expected = new byte[30_000];
    Arrays.fill(expected, (byte) 7);
    assertArrayEquals(expected, victim.end().messages.getFirst());
  }

  @Test
  void acknowledgementWithoutPieceEndsTheConnection() {
    RawPeer peer = victim.proven("accept");
    peer.send(Frame.ATS, 0, 0, 0, new byte[8]);
    assertCutOff(peer, "acknowledged a part");
  }

  @Test
  void secondAcknowledgementOfPieceEndsTheConnection() {
    RawPeer peer = victim.proven("accept");
    victim.end().link.send(Unpooled.wrappedBuffer(new byte[100_000]), null);
    victim.settle();
    RawPeer.Received rts = peer.take().stream().filter(frame -> frame.type() == Frame.RTS).findFirst().orElseThrow();
    acknowledge(peer, rts);
    victim.settle();
    assertNull(peer.over());
    acknowledge(peer, rts);
    assertCutOff(peer, "acknowledged a part");
  }

  @Test
  void unexpectedCloseAcknowledgementEndsTheConnection() {
    RawPeer peer = victim.proven("accept");
    peer.send(Frame.DATA, 0, 0, 0, new byte[3]);
    peer.send(Frame.CLOSE_ACK, 0, 0, 0, Victim.NONE);
    assertCutOff(peer, "CLOSE_ACK, which is not allowed");
    assertFalse(victim.end().ended, "a cut stream is no end");
  }

  @Test
  void unreadAnswersAreLimited() {
    RawPeer peer = victim.proven("accept");
    // One credit for each answer: just enough for the next request.
    int asked = 0;
    for (int round = 0; round < 2_000 && peer.over() == null; round++) {
      int credits = peer.take().stream().mapToInt(RawPeer.Received::controlCredits).sum() + (round == 0 ? 8 : 0);
      for (int i = 0; i < credits; i++) {
        peer.send(Frame.PING, 0, 0, 0, Victim.NONE);
        asked++;
      }
      peer.sendCredits(Frame.CREDIT, 0, 1);
      victim.settle();
    }
    assertTrue(asked < 2_000, asked + " questions wait for an answer, or were answered");
  }

  @Test
  void unreadAcknowledgementsAreLimited() {
    RawPeer peer = withSlab(1 << 20);
    Link link = victim.end().link;
    int credits = LoopOptions.DEFAULT.dataCredits();
    int named = 0;
    for (int round = 0; round < 2_000 && credits > 0; round++, credits--, named++) {
      peer.sendCredits(Frame.CREDIT, 1, 0);
      offer(peer, 100, 0, 100, 0);
      victim.settle();
      link.send(Unpooled.wrappedBuffer(new byte[1]), null);
      victim.settle();
      credits += peer.take().stream().mapToInt(RawPeer.Received::dataCredits).sum();
    }
    assertTrue(link.waitingFrames() < 100, link.waitingFrames() + " frames wait after " + named + " pieces");
    peer.sendCredits(Frame.CREDIT, 0, 1_000);
    victim.settle();
    assertNull(peer.over());
    assertEquals(0, link.waitingFrames());
    assertEquals(named, victim.end().messages.size());
    assertTrue(peer.take().stream().mapToInt(RawPeer.Received::dataCredits).sum() > 0, "it may go on");
  }

  @Test
  void memoryIsWithdrawnFromPeerThatReadsNoControlFrames() {
    RawPeer peer = victim.proven("accept", "raw 0");
    Link link = victim.end().link;
    sendInPlace(link);
    List<RawPeer.Received> keys = new ArrayList<>(keysAcknowledged(peer));
    for (int i = 0; i < 40; i++) {
      link.sendFrame(Frame.REGION_BASE, 0, 0, 0, Victim.NONE);
    }
    for (int other = 1; other <= 5; other++) {
      RawPeer next = victim.proven("accept", "raw " + other);
      sendInPlace(victim.end().link);
      keysAcknowledged(next);
    }
    link.allocate(100_000).onSuccess(ByteBuf::release);
    sendInPlace(link);
    peer.sendCredits(Frame.CREDIT, 0, 100);
    victim.settle();
    keys.addAll(keysAcknowledged(peer));
    assertNull(peer.over());
    assertEquals(List.of(true, false, true), keys.stream().map(key -> key.b() > 0).toList(), "known, gone, known again: " + keys);
  }

  private void sendInPlace(Link link) {
    link.allocate(100_000).onSuccess(memory -> link.send(memory.writerIndex(100_000), null));
    victim.settle();
  }

  private List<RawPeer.Received> keysAcknowledged(RawPeer peer) {
    List<RawPeer.Received> frames = peer.take();
    frames.stream().filter(frame -> frame.type() == Frame.RTS).forEach(rts -> acknowledge(peer, rts));
    victim.settle();
    return frames.stream().filter(frame -> frame.type() == Frame.RKEY && frame.a() == ExposedMemory.OUTGOING_SLAB).toList();
  }

  private static void acknowledge(RawPeer peer, RawPeer.Received rts) {
    byte[] name = new byte[Frame.NAME];
    Frame.putWord(MemorySegment.ofArray(name), 0, rts.b());
    peer.send(Frame.ATS, 0, 0, 0, name);
  }

  @Test
  void invalidProofIsRejected() {
    RawPeer stranger = victim.stranger();
    Greeting hello = Victim.hello("accept");
    stranger.send(Frame.HELLO, 0, 0, 0, new Greeting(new byte[] {6, 6, 6}, hello.nodeId(), 1, "", 0, "accept", hello.bufferSize(),
      hello.dataCredits(), hello.controlCredits(), hello.maxMessageSize(), Victim.NONE, Victim.NONE, hello.device()).encode());
    victim.settle();
    List<RawPeer.Received> answer = stranger.take();
    assertEquals(List.of(Frame.WELCOME), answer.stream().map(RawPeer.Received::type).toList());
    assertEquals(Frame.REFUSED, answer.getFirst().flags());
    assertEquals(1, victim.ends.size(), "only the honest link");
  }

  @Test
  void invalidGreetingIsRejected() {
    Greeting hello = Victim.hello("accept");
    byte[] good = hello.encode();
    // Without the device it is a greeting of version 4.
    int ofVersion4 = good.length - Short.BYTES - hello.device().length();
    for (int length = 0; length < good.length; length += length + 1 == ofVersion4 ? 2 : 1) {
      RawPeer stranger = victim.stranger();
      stranger.send(Frame.HELLO, 0, 0, 0, Arrays.copyOf(good, length));
      victim.settle();
      assertTrue(stranger.over() != null || stranger.take().stream().anyMatch(frame -> frame.flags() == Frame.REFUSED), length + " bytes");
      assertEquals(1, victim.ends.size());
    }
  }

  @Test
  void invalidNodeIdIsRejected() {
    for (String id : List.of("", "x".repeat(256), "two\nlines")) {
      RawPeer stranger = victim.stranger();
      stranger.send(Frame.HELLO, 0, 0, 0, Victim.hello("accept", id).encode());
      victim.settle();
      assertTrue(stranger.over() != null || stranger.take().stream().anyMatch(frame -> frame.flags() == Frame.REFUSED), "'" + id + "'");
      assertEquals(1, victim.ends.size());
    }
  }

  @Test
  void strangersHoldLittleMemoryForShortTime() {
    long before = victim.loop.statistics().receiveSlotsUsed();
    for (int i = 0; i < 40; i++) {
      victim.stranger();
    }
    long held = victim.loop.statistics().receiveSlotsUsed() - before;
    assertEquals(40 * Grant.HANDSHAKE_CREDITS, held, "receives");
    victim.pass(TimeUnit.SECONDS.toNanos(11));
    victim.forEachRaw(peer -> assertNotNull(peer.over(), "a stranger is still there"));
    assertEquals(before, victim.loop.statistics().receiveSlotsUsed());
  }
}
