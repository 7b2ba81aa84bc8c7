package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that die or lie, and memory that is freed under traffic. */
@Timeout(120)
interface RobustnessCases {

  Device device();

  @Test
  default void connectionWorksOverIpv6() throws Exception {
    InetAddress loopback = InetAddress.getByName("::1");
    try (ServerSocket probe = new ServerSocket(0, 1, loopback)) {
      assertTrue(probe.isBound());
    } catch (IOException e) {
      Assumptions.abort("no IPv6 loopback here: " + e.getMessage());
    }
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      Listener listener = pair.b.listen(EndpointAddress.of(new InetSocketAddress(loopback, 0)), pair.b::accept);
      Endpoint left = pair.a.connect(listener.localAddress());
      pair.until("connected", () -> left.state() == EndpointState.CONNECTED && pair.b.connected.size() == 1);
      assertEquals(listener.localAddress(), left.remoteAddress());
      pair.a.send(left, new byte[100], 0);
      assertEquals(100, pair.message(pair.b).data().length);
    }
  }

  @Test
  default void lyingPeerLosesOnlyItsConnection() throws Exception {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion region = pair.b.region(4096, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC, Access.LOCAL_WRITE);
      SoftwareRegion target = (SoftwareRegion) region;
      region.segment().fill((byte) 7);
      long key = target.secret();
      int slot = target.slot();
      long[][] lies = {
        {NioFrame.ACK, 5, 0, 0, 0, 0},
        {NioFrame.READ_RESPONSE, 0, 0, 0, 0, 100},
        {NioFrame.READ_RESPONSE, -1, 0, 0, -100, 100},
        {NioFrame.ATOMIC_RESPONSE, 0, 0, 0, 0, 0},
        {NioFrame.SEND, 0, 0, 0, 0, -1},
        {NioFrame.SEND, 0, 0, 0, 0, Long.MAX_VALUE},
        {NioFrame.WRITE, 0, key, slot, 4000, 97},
        {NioFrame.WRITE, 0, key, slot, -8, 8},
        {NioFrame.WRITE, 0, key, slot, Long.MAX_VALUE, 8},
        {NioFrame.WRITE, 0, key + 1, slot, 0, 8},
        {NioFrame.WRITE, 0, key, slot + 1, 0, 8},
        {NioFrame.WRITE, 0, key, -1, 0, 8},
        {NioFrame.WRITE, 0, key, Integer.MAX_VALUE, 0, 8},
        {NioFrame.READ, 0, key, slot, 4096, 1},
        {NioFrame.READ, 0, key, slot, 0, -5},
        {NioFrame.READ, 0, key, slot, 1, Long.MAX_VALUE},
        {NioFrame.FETCH_ADD, 0, key, slot, 4090, 1},
        {NioFrame.FETCH_ADD, 0, key, slot, 4, 1},
        {NioFrame.COMPARE_SWAP, 0, key, slot, -8, 1},
        {NioFrame.NAK, 77, 0, 0, 0, 0},
        {NioFrame.ACCEPT, 0, NioFrame.MAGIC, NioFrame.VERSIONS.word(), 0, 0},
        {NioFrame.CONNECT, 0, NioFrame.MAGIC, NioFrame.VERSIONS.word(), 0, 0},
        {0, 0, 0, 0, 0, 0},
        {120, 0, 0, 0, 0, 0},
      };
      for (long[] lie : lies) {
        try (Socket liar = RawSockets.open(pair.listener())) {
          RawSockets.connect(pair, liar);
          ByteBuffer frame = ByteBuffer.allocate(NioFrame.HEADER);
          NioFrame.put(frame, (byte) lie[0], NioFrame.LAST, 0, lie[1], lie[2], (int) lie[3], lie[4], lie[5], 1);
          liar.getOutputStream().write(frame.array());
          Endpoint victim = pair.b.connected.getLast();
          pair.until("the liar is cut off: type " + lie[0], () -> pair.b.disconnected.contains(victim));
          InputStream in = liar.getInputStream();
          pair.until("nothing is left of it", () -> RawSockets.isClosed(liar) || drain(in));
        }
      }
      for (long i = 0; i < 4096; i++) {
        assertEquals(7, region.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, i));
      }
      assertEquals(EndpointState.CONNECTED, pair.left().state());
      pair.a.send(pair.left(), new byte[3], 0);
      assertEquals(3, pair.message(pair.b).data().length);
    }
  }

  @Test
  default void resetIsReportedAsLostConnection() throws Exception {
    try (Pair pair = Pair.connected(device())) {
      Endpoint victim;
      try (Socket peer = RawSockets.open(pair.listener())) {
        RawSockets.connect(pair, peer);
        victim = pair.b.connected.getLast();
        for (int i = 0; i < 3; i++) {
          RawSockets.send(peer, NioFrame.SEND, 0);
          assertEquals(victim, pair.message(pair.b).endpoint());
        }
        peer.setSoLinger(true, 0);
      }
      pair.until("the end is seen", () -> pair.b.disconnected.contains(victim));
      assertEquals(ProviderException.Reason.DISCONNECTED, pair.b.cause.reason());
      assertTrue(pair.b.cause.getMessage().matches(".* was lost: (the peer's process or the network has failed|Connection reset)"),
        pair.b.cause.getMessage());
    }
  }

  @Test
  default void aReceiveThatARefusedConnectionWaitedForIsAnothers() throws Exception {
    int size = 16 << 20;
    try (Pair pair = Pair.connected(device(), new PairOptions().withSharedReceives().withSlots(0, 64));
      Socket slow = new Socket()) {
      MemoryRegion mine = pair.a.openRegion(64);
      SoftwareRegion large = (SoftwareRegion) pair.b.openRegion(size);
      SoftwareRegion small = (SoftwareRegion) pair.b.region(64, Access.REMOTE_READ);
      RemoteMemory remote = pair.a.remote(large);
      slow.setReceiveBufferSize(1 << 16);
      slow.connect(pair.listener().localAddress().toInet());
      RawSockets.connect(pair, slow);
      ByteBuffer frames = ByteBuffer.allocate(5 * NioFrame.HEADER);
      NioFrame.put(frames, NioFrame.READ, 0, 0, 0, large.secret(), large.slot(), 0, size, 0);
      NioFrame.put(frames, NioFrame.READ, 0, 0, 1, small.secret(), small.slot(), 0, 64, 0);
      NioFrame.put(frames, NioFrame.READ, 0, 0, 2, large.secret(), large.slot(), 0, size, 0);
      NioFrame.put(frames, NioFrame.WRITE_IMMEDIATE, 0, 0, 3, large.secret(), large.slot(), 0, 0, 0);
      NioFrame.put(frames, NioFrame.SEND, 0, 0, 4, 0, 0, 0, 0, 0);
      slow.getOutputStream().write(frames.array());
      pair.until("the first one waits", () -> pair.b.completions.size() == 1);
      assertEquals(Status.OK, pair.left().post(new WorkRequest().write(mine, 0, 8, remote, 0).immediate(1).flags(PostFlags.MORE)));
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(mine, 0, 8)));
      pair.until("the second one waits", () -> pair.b.completions.size() == 2);
      small.close();
      long[] read = new long[1];
      pair.until("the refusal", () -> (read[0] += drained(slow)) > size + size / 4096);
      assertEquals(Status.OK, pair.b.shared().post(1, large, 0, 64));
      for (int i = 0; i < 5; i++) {
        pair.b.poll();
      }
      assertNotNull(pair.b.completion(1), "the receive is kept");
      assertEquals(pair.b.connected.getFirst(), pair.success(pair.b, 1).endpoint());
    }
  }

  private static int drained(Socket socket) {
    try {
      return socket.getInputStream().readNBytes(socket.getInputStream().available()).length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The peer does not read for a while, and resets the connection when later bytes arrive. */
  @Test
  default void messagesSentBeforeAGoodbyeArriveAfterThePeersSocketClosed() throws Exception {
    sentBeforeAGoodbye(8);
    sentBeforeAGoodbye(1000);
  }

  private void sentBeforeAGoodbye(int length) throws IOException {
    int messages = 80;
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(2, length))) {
      pair.b.reposting(false);
      Endpoint left;
      try (Socket peer = RawSockets.open(pair.listener())) {
        RawSockets.connect(pair, peer);
        left = pair.right();
        for (int i = 0; i < messages; i++) {
          RawSockets.send(peer, NioFrame.SEND, length);
          pair.poll();
        }
        RawSockets.send(peer, NioFrame.DISCONNECT, 0);
        pair.until("the first messages", () -> pair.b.messages.size() == 2);
        assertEquals(NioFrame.HEADER, peer.getInputStream().readNBytes(NioFrame.HEADER).length);
      }
      MemoryRegion region = pair.b.region(8);
      pair.until("the socket takes nothing more", () -> left.post(new WorkRequest().send(region, 0, 8).id(1)) != Status.OK
        || left.outstanding() > 0);
      for (int i = 0; i < 100; i++) {
        pair.poll();
      }
      assertTrue(pair.b.disconnected.isEmpty(), () -> pair.b.cause.getMessage());
      pair.b.reposting(true);
      pair.until("disconnected", () -> pair.b.disconnected.contains(left));
      assertEquals(messages, pair.b.messages.size());
      assertTrue(pair.b.cause.getMessage().endsWith(" disconnected"), pair.b.cause.getMessage());
    }
  }

  /** Such an early acknowledgement would release memory of which more is sent, and which may be another peer's by then. */
  @Test
  default void aWriteIsNotOverBeforeAllOfItIsSent() throws Exception {
    try (ServerSocket server = new ServerSocket()) {
      server.setReceiveBufferSize(4096);
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
      try (Domain domain = device().open(); Side side = new Side(domain, new PairOptions())) {
        side.connect(EndpointAddress.of((InetSocketAddress) server.getLocalSocketAddress()));
        try (Socket liar = server.accept()) {
          RawSockets.send(liar, NioFrame.ACCEPT, 0);
          Await.until("connected", () -> side.connected.size() == 1, side::poll, side::toString);
          // A list is one frame, which a socket cannot hold.
          MemoryRegion mine = side.openRegion(16 << 20);
          ScatterGather list = new ScatterGather(2).add(mine, 0, 8 << 20).add(mine, 8 << 20, 8 << 20);
          RemoteMemory remote = domain.remoteMemory(0, 16 << 20, mine.remoteKey());
          assertEquals(Status.OK, side.endpoint.post(new WorkRequest().write(list, remote, 0).id(1).flags(PostFlags.SIGNALED)));
          liar.setSoTimeout(20_000);
          side.poll();
          assertEquals(2 * NioFrame.HEADER, liar.getInputStream().readNBytes(2 * NioFrame.HEADER).length);
          ByteBuffer early = ByteBuffer.allocate(NioFrame.HEADER);
          NioFrame.put(early, NioFrame.ACK, 0, 0, 0, 0, 0, 0, 0, 0);
          liar.getOutputStream().write(early.array());
          Await.until("the liar is cut off", () -> side.disconnected.size() == 1, side::poll, side::toString);
          assertEquals(List.of(Status.FLUSHED), side.completions.stream().map(Completion::status).toList());
          assertTrue(side.cause.getMessage().contains("an acknowledgement of operations that were not sent"), side.cause.getMessage());
        }
      }
    }
  }

  private static boolean drain(InputStream in) {
    try {
      return in.skip(in.available()) < 0;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  default void closingMemoryUnderTrafficEndsOnlyTheConnection() throws Exception {
    for (int round = 0; round < 20; round++) {
      AtomicReference<Throwable> failure = new AtomicReference<>();
      AtomicBoolean stop = new AtomicBoolean();
      AtomicLong done = new AtomicLong();
      try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains())) {
        Arena arena = Arena.ofShared();
        MemoryRegion theirs = pair.b.domain().register(arena.allocate(1 << 20, 8), EnumSet.of(Access.REMOTE_READ, Access.REMOTE_WRITE));
        MemoryRegion mine = pair.a.openRegion(1 << 20);
        RemoteMemory remote = pair.a.remote(theirs);
        boolean reads = round % 2 == 0;
        Thread initiator = Thread.ofPlatform().start(() -> run(failure, () -> {
          while (!stop.get() && pair.a.disconnected.isEmpty()) {
            int status = reads ? pair.left().post(new WorkRequest().read(mine, 0, 1 << 20, remote, 0).id(1).flags(PostFlags.SIGNALED))
              : pair.left().post(new WorkRequest().write(mine, 0, 1 << 20, remote, 0).id(1).flags(PostFlags.SIGNALED));
            assertTrue(status == Status.OK || status == Status.AGAIN || status == Status.NOT_CONNECTED, Status.name(status));
            pair.a.poll();
            done.set(pair.a.completions.size());
          }
        }));
        Thread target = Thread.ofPlatform().start(() -> run(failure, () -> {
          while (!stop.get()) {
            pair.b.poll();
          }
        }));
        Await.until("traffic", () -> done.get() > 3 || failure.get() != null);
        theirs.close();
        arena.close();
        Await.until("the end of the connection", () -> !initiator.isAlive());
        stop.set(true);
        initiator.join();
        target.join();
        assertNull(failure.get());
        assertEquals(EndpointState.BROKEN, pair.left().state());
      }
    }
  }

  private static void run(AtomicReference<Throwable> failure, Runnable body) {
    try {
      body.run();
    } catch (Throwable t) {
      failure.compareAndSet(null, t);
    }
  }

  @Test
  default void messagesWritesAndReadsCostNoAllocation() throws Exception {
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(0, 64))) {
      CompletionQueue a = pair.a.queue();
      CompletionQueue b = pair.b.queue();
      MemoryRegion mine = pair.a.openRegion(1 << 20);
      MemoryRegion theirs = pair.b.openRegion(1 << 20);
      RemoteMemory remote = pair.a.remote(theirs);
      CompletionBatch batch = new CompletionBatch(64);
      WorkRequest request = new WorkRequest();
      long before = 0;
      int rounds = 20_000;
      for (int i = -rounds; i < rounds; i++) {
        if (i == 0) {
          before = allocatedBytes();
        }
        int large = (i & 15) == 0 ? 100_000 : 64;
        pair.right().receiveQueue().post(1, theirs, 0, 64);
        pair.left().post(request.write(mine, 0, large, remote, 64).id(2));
        pair.left().post(request.read(mine, 0, large, remote, 64).id(3).flags(PostFlags.SIGNALED));
        pair.left().post(request.fetchAdd(mine, 0, remote, 8, 1).id(4).flags(PostFlags.SIGNALED));
        pair.left().post(request.send(mine, 0, 64).id(5).flags(PostFlags.SIGNALED | PostFlags.INLINE));
        for (int seen = 0; seen < 4;) {
          seen += a.poll(batch) + b.poll(batch);
        }
      }
      long bytes = allocatedBytes() - before;
      assertTrue(bytes / rounds < 16, bytes + " bytes in " + rounds + " rounds");
    }
  }

  /** By reflection, because the module does not read the management API. */
  private static long allocatedBytes() throws ReflectiveOperationException {
    Object threads = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean").invoke(null);
    return (long) Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes").invoke(threads);
  }
}
