package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers that connect and never read: the memory for them is limited, and freed with their last connection. */
class DeafPeerTest {
  private static final int AT_ONCE = 256;
  private static final int MANY = 1 << 18;

  private static final int KEPT = 64;
  private static final int KEPT_BYTES = 64 * 1024;

  private static final int IDLE_MILLIS = 50;
  private static final int MOST_RINGS = 8;
  private static final int MOST_UNUSED = 64;
  private static final int STRANGERS = 200;

  private final Domain domain = Devices.require(List.of(new ShmProvider()), "shm", Map.of(ShmProvider.IDLE, String.valueOf(IDLE_MILLIS)))
    .open();
  private final Side deaf = new Side(domain, new PairOptions());
  private final Side side = new Side(domain, new PairOptions());
  private Listener listener;

  @BeforeEach
  void listen() {
    listener = side.listenAndAccept();
  }

  @AfterEach
  void close() {
    deaf.close();
    side.close();
    domain.close();
  }

  private RingOutput connect() {
    deaf.connect(listener.localAddress());
    Await.until("connected", () -> !deaf.connected.isEmpty() && !side.connected.isEmpty(), () -> deaf.poll() + side.poll(), side::toString);
    return ((ShmEndpoint) deaf.endpoint).link().output;
  }

  /** Accepts unrequested connections, each of which is answered with a good-bye. */
  private int accept(RingOutput output, int most) {
    int accepted = 0;
    while (accepted < most && side.disconnected.isEmpty()) {
      for (int i = 0; i < AT_ONCE && output.sendConnection(Record.ACCEPT, -1, 0, accepted, 0, new byte[0]); i++) {
        accepted++;
      }
      side.poll();
    }
    return accepted;
  }

  @Test
  void unreadGoodbyesEndTheLink() {
    int accepted = accept(connect(), MANY);
    assertFalse(side.disconnected.isEmpty(), accepted + " good-byes wait");
    assertEquals(Reason.OTHER, side.cause.reason());
    assertTrue(side.cause.getMessage().contains("not read the replies"), side.cause.getMessage());
    assertEquals(0, ((ShmQueue) side.queue()).links());
  }

  @Test
  void unreadGoodbyesKeepNoLink() {
    // More than the peer's rings hold. The content of the largest ring may be unread.
    accept(connect(), 140_000);
    assertTrue(side.disconnected.isEmpty(), side.toString());
    assertTrue(((ShmEndpoint) side.endpoint).link().output.hasGoodbyes());
    side.endpoint.close();
    Await.until("the link is left", () -> ((ShmQueue) side.queue()).links() == 0, side::poll, side::toString);
    Await.until("the peer hears of it", () -> !deaf.disconnected.isEmpty(), deaf::poll, deaf::toString);
    assertEquals(Reason.DISCONNECTED, deaf.cause.reason());
  }

  private static final class Talker extends DescriptorSocket {
    private static final int MOST = 1 << 20;

    private int received;

    Talker() {
      super(SystemCalls.socket());
    }

    @Override
    SocketMessage.Received receive() {
      return ++received > MOST ? null : new SocketMessage.Received(SocketMessage.of(SocketMessage.WAKE).bytes(), List.of());
    }
  }

  @Test
  void isThereReturnsWhilePeerKeepsSending() {
    Talker talker = new Talker();
    QueueLink link = new QueueLink((ShmQueue) side.queue(), talker, 1, 2, LinkKey.random());
    assertTrue(link.isThere());
    assertTrue(talker.received <= 1 << 14, talker.received + " messages");
    link.close();
  }

  /** Each further ring could lead to another one, which the peer has to keep. */
  @Test
  void unreadRingIsKept() {
    accept(connect(), 100_000);
    RingOutput output = ((ShmEndpoint) side.endpoint).link().output;
    assertEquals(Ring.LARGEST, output.writer().capacity);
    RingWriter full = output.writer();
    boolean[] later = {false};
    ((ShmQueue) side.queue()).deadline(4 * IDLE_MILLIS, () -> later[0] = true);
    Await.until("it was idle", () -> later[0], side::poll, side::toString);
    assertSame(full, output.writer());
  }

  /** An endpoint that waits for room here is not notified of room in another ring. */
  @Test
  void ringIsKeptWhileAnEndpointWaitsForIt() {
    connect();
    fill(side, side.endpoint);
    QueueLink link = ((ShmEndpoint) side.endpoint).link();
    RingWriter large = link.output.writer();
    Await.until("all is read", () -> large.isRead() && side.endpoint.outstanding() == 0, () -> deaf.poll() + side.poll(), side::toString);
    large.moved();
    link.block((ShmEndpoint) side.endpoint);
    boolean[] later = {false};
    ((ShmQueue) side.queue()).deadline(4 * IDLE_MILLIS, () -> later[0] = true);
    Await.until("it was idle", () -> later[0], side::poll, side::toString);
    assertSame(large, link.output.writer());
  }

  private static void fill(Side from, Endpoint endpoint) {
    RingOutput output = ((ShmEndpoint) endpoint).link().output;
    MemoryRegion memory = from.openRegion(4000);
    while (endpoint.outstanding() == 0) {
      int length = output.claim(Record.HEADER + 4000) < 0 ? 8 : 4000;
      assertEquals(Status.OK, endpoint.post(new WorkRequest().send(memory, 0, length).flags(0)));
    }
  }

  private static WorkRequest write(MemoryRegion from, RemoteMemory to, int id) {
    return new WorkRequest().write(from, 0, 8, to, 0).id(id).flags(PostFlags.SIGNALED);
  }

  private static WorkRequest read(MemoryRegion into, RemoteMemory from, int id) {
    return new WorkRequest().read(into, 0, 8, from, 0).id(id).flags(PostFlags.SIGNALED);
  }

  @Test
  void readsAmidWritesAreAnsweredWhenThereIsRoom() {
    connect();
    try (Arena arena = Arena.ofShared();
      MemoryRegion theirs = domain.register(arena.allocate(64, 8), Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
      MemoryRegion mine = deaf.openRegion(64);
      RemoteMemory remote = deaf.remote(theirs);
      assertEquals(Status.OK, deaf.endpoint.post(read(mine, remote, 1)));
      Await.until("the owner does it", () -> deaf.completion(1) != null, () -> deaf.poll() + side.poll(), deaf::toString);
      fill(side, side.endpoint);
      int last = 1;
      for (int reads = 0; reads < ShmDevice.READS_IN_FLIGHT; reads++) {
        assertEquals(Status.OK, deaf.endpoint.post(write(mine, remote, ++last)));
        assertEquals(Status.OK, deaf.endpoint.post(read(mine, remote, ++last)));
      }
      assertEquals(Status.OK, deaf.endpoint.post(write(mine, remote, ++last)));
      side.poll();
      int all = last;
      Await.until("the answers", () -> deaf.completions.size() == all, () -> deaf.poll() + side.poll(), deaf::toString);
      assertTrue(deaf.completions.stream().allMatch(Completion::ok), deaf::toString);
    }
  }

  private Endpoint[] connectTwice(Side to) {
    EndpointAddress address = to.listenAndAccept().localAddress();
    Endpoint[] ends = new Endpoint[2];
    for (int i = 0; i < ends.length; i++) {
      int connected = i + 1;
      ends[i] = deaf.connect(address);
      Await.until("connected", () -> deaf.connected.size() == connected && to.connected.size() == connected, () -> deaf.poll() + to.poll(),
        to::toString);
    }
    return ends;
  }

  /** The number of the kept messages has a limit, and so have their bytes. */
  @ParameterizedTest
  @CsvSource({KEPT + ", 8", KEPT_BYTES / 4000 + ", 4000"})
  void messagesWithoutAReceiveHinderOtherConnectionsBeyondABoundAlone(int kept, int length) {
    try (Side hungry = new Side(domain, new PairOptions().withSlots(0, 64))) {
      Endpoint[] ends = connectTwice(hungry);
      MemoryRegion memory = hungry.openRegion(length);
      for (int i = 0; i < kept; i++) {
        deaf.send(ends[0], new byte[length], 0);
      }
      hungry.connected.get(1).receiveQueue().post(1, memory, 0, length);
      deaf.send(ends[1], new byte[8], 0);
      Await.until("the other's message is there", () -> hungry.completion(1) != null, () -> deaf.poll() + hungry.poll(), hungry::toString);
      hungry.connected.get(1).receiveQueue().post(2, memory, 0, length);
      deaf.send(ends[0], new byte[length], 0);
      deaf.send(ends[1], new byte[8], 0);
      for (int i = 0; i < 3; i++) {
        deaf.poll();
        hungry.poll();
      }
      assertNull(hungry.completion(2), "it waits behind one that has no receive");
      hungry.connected.get(0).receiveQueue().post(3, memory, 0, length);
      Await.until("both are there", () -> hungry.completion(2) != null && hungry.completion(3) != null, () -> deaf.poll() + hungry.poll(),
        hungry::toString);
    }
  }

  /** Other connections continue while the refusal of the long message waits for room. */
  @Test
  void messageTooLongForItsReceiveDelaysNoOtherConnection() {
    try (Side hungry = new Side(domain, new PairOptions().withSlots(0, 64))) {
      Endpoint[] ends = connectTwice(hungry);
      MemoryRegion memory = hungry.openRegion(64);
      fill(hungry, hungry.connected.get(0));
      for (int i = 0; i <= KEPT; i++) {
        deaf.send(ends[0], new byte[8], 0);
      }
      hungry.connected.get(1).receiveQueue().post(1, memory, 0, 64);
      deaf.send(ends[1], new byte[8], 0);
      hungry.poll();
      assertNull(hungry.completion(1), "it waits behind one that has no receive");
      hungry.connected.get(0).receiveQueue().post(2, memory, 0, 4);
      hungry.poll();
      hungry.poll();
      assertEquals(Status.LENGTH, hungry.completion(2).status());
      assertTrue(hungry.disconnected.isEmpty(), "the refusal found room");
      assertNotNull(hungry.completion(1));
    }
  }

  private DescriptorSocket stranger() {
    return stranger(side, listener, 1);
  }

  private static DescriptorSocket stranger(Side to, Listener at, long queue) {
    int connected = to.connected.size();
    DescriptorSocket stranger = new DescriptorSocket(SystemCalls.socket());
    assertEquals(0, SystemCalls.connect(stranger.fd, ((ShmDomain) to.domain()).folder().socket(at.localAddress())));
    stranger.send(SocketMessages.connect(queue, queue));
    Await.until("accepted", () -> to.connected.size() > connected, to::poll, to::toString);
    return stranger;
  }

  @Test
  void unreadAnswersAboutRegionsEndTheLink() {
    DescriptorSocket stranger = stranger();
    try {
      for (int i = 0; i < MANY && side.disconnected.isEmpty(); i++) {
        stranger.send(open(i, 1));
        if (stranger.unsent() > 0) {
          side.poll();
          stranger.flush();
        }
      }
      assertFalse(side.disconnected.isEmpty(), MANY + " answers wait");
      assertEquals(Reason.OTHER, side.cause.reason());
      assertTrue(side.cause.getMessage().contains("not read the replies"), side.cause.getMessage());
    } finally {
      stranger.close();
    }
  }

  @Test
  void unreadAnswersAboutRegionsHoldFewDescriptors() {
    ShmRegion region = (ShmRegion) side.openRegion(64);
    DescriptorSocket stranger = stranger();
    try {
      int before = Leaks.descriptors().size();
      for (int i = 0; i < MANY && side.disconnected.isEmpty(); i++) {
        stranger.send(open(region.slot(), region.secret()));
        if (stranger.unsent() > 0) {
          side.poll();
          stranger.flush();
          assertTrue(Leaks.descriptors().size() < before + 100, () -> Leaks.descriptors().size() - before + " descriptors more");
        }
      }
      assertFalse(side.disconnected.isEmpty(), MANY + " answers wait");
    } finally {
      stranger.close();
    }
  }

  @Test
  void lateReaderReceivesAnswersAboutRegionsInOrder() {
    int questions = 3000;
    ShmRegion region = (ShmRegion) side.openRegion(64);
    DescriptorSocket stranger = stranger();
    try {
      for (int i = 0; i < questions; i++) {
        boolean right = i % 2 == 0;
        stranger.send(open(right ? region.slot() : i, right ? region.secret() : ~region.secret()));
      }
      Await.until("all is asked", () -> stranger.flush() && stranger.unsent() == 0, side::poll, side::toString);
      assertEquals(SocketMessage.ACCEPT, answer(stranger).type());
      for (int i = 0; i < questions; i++) {
        SocketMessage.Received answer = answer(stranger);
        assertEquals(i % 2 == 0 ? SocketMessage.OPENED : SocketMessage.NOT_OPENED, answer.type(), "answer " + i);
        assertEquals(i % 2 == 0 ? region.slot() : i, answer.fields().i32());
      }
    } finally {
      stranger.close();
    }
  }

  private static SocketMessage open(int slot, long secret) {
    return SocketMessage.of(SocketMessage.OPEN, out -> out.i32(slot).i64(secret));
  }

  private SocketMessage.Received answer(DescriptorSocket stranger) {
    SocketMessage.Received[] answer = {null};
    Await.until("an answer", () -> (answer[0] = stranger.receive()) != null, side::poll, side::toString);
    answer[0].discard();
    return answer[0];
  }

  @Test
  void tooManyRingsEndTheLink() {
    DescriptorSocket stranger = stranger();
    RingFile ring = new RingFile(Ring.SMALLEST);
    try {
      assertEquals(SocketMessage.ACCEPT, answer(stranger).type());
      for (int i = 0; i < MOST_RINGS; i++) {
        stranger.send(SocketMessage.of(SocketMessage.RING, out -> out.i64(Ring.DATA + Ring.SMALLEST), ring.file));
      }
      stranger.send(open(-1, 0));
      assertEquals(SocketMessage.NOT_OPENED, answer(stranger).type());
      stranger.send(SocketMessage.of(SocketMessage.RING, out -> out.i64(Ring.DATA + Ring.SMALLEST), ring.file));
      Await.until("the end", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
      assertEquals(Reason.OTHER, side.cause.reason());
    } finally {
      ring.close();
      stranger.close();
    }
  }

  @Test
  void strangersWithEndedConnectionsKeepFewLinks() {
    Domain patient = Devices.require(List.of(new ShmProvider()), "shm", Map.of(ShmProvider.IDLE, "3600000")).open();
    List<DescriptorSocket> strangers = new ArrayList<>();
    try (patient; Side host = new Side(patient, new PairOptions().withSlots(1, 64))) {
      Listener at = host.listenAndAccept();
      for (int i = 0; i < STRANGERS; i++) {
        strangers.add(stranger(host, at, i));
        host.endpoint.close();
      }
      host.poll();
      assertEquals(MOST_UNUSED, ((ShmQueue) host.queue()).links());
      strangers.add(stranger(host, at, STRANGERS - 1));
      assertEquals(MOST_UNUSED + 1, ((ShmQueue) host.queue()).links(), "a stranger that claims the queue of another gets its own");
    } finally {
      strangers.forEach(DescriptorSocket::close);
    }
  }

  @Test
  void peerThatNeverSendsItsRingKeepsNoLink() {
    DescriptorSocket stranger = stranger();
    try {
      side.endpoint.close();
      Await.until("the link is left", () -> ((ShmQueue) side.queue()).links() == 0, side::poll, side::toString);
    } finally {
      stranger.close();
    }
  }
}
