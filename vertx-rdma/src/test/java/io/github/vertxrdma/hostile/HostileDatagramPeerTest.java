package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hostile peers over an endpoint that all connections share, and strangers that send to it without a connection. */
@Timeout(60)
class HostileDatagramPeerTest extends HostilePeerTest {
  private static final int VERSION = 3;
  private static final byte[] NOTHING = {};

  @Override
  Victim open() {
    return new Victim(true);
  }

  @Override
  @Test
  void strangersHoldLittleMemoryForShortTime() {
    long after = 0;
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 40; i++) {
        victim.stranger();
      }
      victim.pass(TimeUnit.SECONDS.toNanos(11));
      victim.forEachRaw(RawPeer::close);
      victim.raw.clear();
      long used = victim.loop.statistics().receiveSlotsUsed();
      assertTrue(round == 0 || used == after, used + " receives, before " + after);
      after = used;
    }
  }

  private final class Stranger implements AutoCloseable {
    private static final int SLOT = 32 << 10;
    private final Arena arena = Arena.ofShared();
    private final RdmDomain domain = victim.fabric.rdmDevice().openRdm();
    private final CompletionQueue queue = domain.createCompletionQueue(1024);
    private final RdmEndpoint endpoint = domain.createEndpoint(queue, null);
    private final MemoryRegion memory = domain.register(arena.allocate(2 * SLOT, 64), Set.of(Access.LOCAL_WRITE));
    private final CompletionBatch batch = new CompletionBatch(16);
    private final long to = endpoint.addressVector().insert(victim.listener.localAddress());

    void send(byte[] bytes) {
      ByteBuffer place = memory.segment().asByteBuffer().put(0, bytes);
      assertEquals(SLOT * 2, place.capacity());
      assertEquals(0, endpoint.post(to, new WorkRequest().send(memory, 0, bytes.length)));
      victim.settle();
      while (queue.poll(batch) > 0) {
        // Completions of sends.
      }
    }

    void control(int type, long receiver, int tag, int number, String address) {
      byte[] format = address.isEmpty() ? NOTHING : "string".getBytes(StandardCharsets.US_ASCII);
      byte[] name = address.getBytes(StandardCharsets.UTF_8);
      send(prefix(200, type, receiver, tag, VERSION).putLong(77).putLong(1).putInt(number).put((byte) format.length).put(format)
        .put((byte) name.length).put(name).put((byte) 1).put((byte) 9).array());
    }

    /** @param sequence the lowest version in messages other than DATA */
    private ByteBuffer prefix(int size, int type, long receiver, int tag, int sequence) {
      return ByteBuffer.allocate(size).putLong(receiver).put((byte) type).put((byte) VERSION).putShort((short) tag).putInt(sequence);
    }

    @Override
    public void close() {
      endpoint.close();
      queue.close();
      memory.close();
      domain.close();
      arena.close();
    }
  }

  @Test
  void tooLongMessagesOfStrangerAreDropped() {
    try (Stranger stranger = new Stranger()) {
      for (int i = 0; i < 200; i++) {
        stranger.send(new byte[20_000]);
      }
      victim.assertHonest();
      victim.proven("accept");
    }
  }

  @Test
  void messagesAfterUnconfirmedOneAreLimited() {
    RawPeer peer = withSlab(1 << 20);
    peer.answersNoPings();
    victim.pass(TimeUnit.SECONDS.toNanos(2));
    long questions = questions(peer.take());
    offer(peer, 1_000, 0, 1_000, 0);
    int sent = 0;
    for (int credits = LoopOptions.DEFAULT.dataCredits() - 1; credits > 0 && sent < 2_000;) {
      for (int i = 0; i < credits; i++, sent++) {
        peer.send(Frame.DATA, 0, 0, 0, new byte[10_000]);
      }
      victim.settle();
      List<RawPeer.Received> heard = peer.take();
      questions += questions(heard);
      credits = heard.stream().mapToInt(RawPeer.Received::dataCredits).sum();
      peer.sendCredits(Frame.CREDIT, 0, heard.size());
    }
    assertEquals(0, victim.end().messages.size());
    assertTrue(sent > 100 && sent < 600, sent + " messages of 10,000 bytes wait, beyond 4 MiB");
    peer.answersPings();
    for (; questions > 0; questions--) {
      peer.send(Frame.PONG, 0, 0, 0, Victim.NONE);
    }
    victim.settle();
    assertNull(peer.over());
    assertEquals(sent + 1, victim.end().messages.size());
    assertTrue(peer.take().stream().mapToInt(RawPeer.Received::dataCredits).sum() > 0, "it may go on");
  }

  @Test
  void fetchedMessagesAfterUnconfirmedOneAreLimited() {
    int count = 12;
    RawPeer peer = withSlab(1 << 20);
    peer.answersNoPings();
    victim.pass(TimeUnit.SECONDS.toNanos(2));
    for (int i = 0; i < count; i++) {
      offer(peer, 1 << 20, 0, 1 << 20, 0);
    }
    victim.settle();
    assertEquals(0, victim.end().messages.size());
    long fetched = victim.end().link.statistics().traffic().bytesRead();
    assertTrue(fetched > 1 << 20 && fetched <= 4 << 20, fetched + " bytes of messages of 1 MiB are fetched");
    peer.answersPings();
    for (long questions = questions(peer.take()); questions > 0; questions--) {
      peer.send(Frame.PONG, 0, 0, 0, Victim.NONE);
    }
    victim.settle();
    assertNull(peer.over());
    assertEquals(count, victim.end().messages.size());
  }

  @Test
  void peersOfOneSourceLeavePlacesToOthers() {
    RawPeer peer = victim.stranger();
    for (int i = 0; i < 300; i++) {
      peer.connectAgain(victim.listener.localAddress(), new byte[] {9});
    }
    victim.settle();
    victim.stranger();
    assertEquals(64, peer.acceptedCount(), "accepted connections of one source");
  }

  private static long questions(List<RawPeer.Received> frames) {
    return frames.stream().filter(frame -> frame.type() == Frame.PING).count();
  }

  @Test
  void messagesFarAheadOfStrangerEndItsConnection() {
    try (Stranger stranger = new Stranger()) {
      assertEquals(0, stranger.endpoint.postReceive(1, stranger.memory, Stranger.SLOT, Stranger.SLOT));
      stranger.control(1, 0, 0, 5, stranger.endpoint.localAddress().toString());
      ByteBuffer rep = stranger.memory.segment().asSlice(Stranger.SLOT, 64).asByteBuffer();
      assertEquals(2, rep.get(8), "REP");
      long id = rep.getLong(RdmLayer.PREFIX);
      int tag = rep.getInt(RdmLayer.PREFIX + 16);
      stranger.control(5, id, tag, 0, "");
      assertEquals(0, stranger.endpoint.postReceive(2, stranger.memory, Stranger.SLOT, Stranger.SLOT));
      for (int sequence = 1; sequence < 200; sequence++) {
        stranger.send(stranger.prefix(100, 0, id, tag, sequence).array());
        victim.assertHonest();
      }
      assertEquals(6, stranger.memory.segment().get(ValueLayout.JAVA_BYTE, Stranger.SLOT + 8), "it was told that it is over");
    }
  }
}
