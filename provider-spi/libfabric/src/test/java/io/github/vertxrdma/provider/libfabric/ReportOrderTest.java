package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order in which connections, messages and completions are reported, which is not the order in the library's queues. */
@Timeout(60)
class ReportOrderTest {
  private static final int SENDS = 3;
  private static final int CONNECTIONS = 50;

  /** Sends behind a write with a delivery-complete completion: their completions arrive first, and are reported after the write's. */
  @Test
  void completionsBeyondTheBatchAreHeld() {
    try (Pair pair = Pair.connected(Devices.require(new LibfabricProvider(), "tcp"))) {
      assumeTrue(pair.a.domain().capabilities().deliveryComplete(), "this libfabric tells of no delivery");
      MemoryRegion mine = pair.a.openRegion(64);
      RemoteMemory theirs = pair.a.remote(pair.b.openRegion(64));
      HeldCompletions held = ((FabricCompletionQueue) pair.a.queue()).held;
      assertEquals(Status.OK, pair.left().post(new WorkRequest().write(mine, 0, 8, theirs, 0).id(1).flags(PostFlags.DELIVERY_COMPLETE)));
      List<Long> posted = new ArrayList<>();
      for (int i = 0; i < SENDS; i++) {
        posted.add(pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED));
      }
      Await.until("the sends are through", () -> held.count == SENDS || !pair.a.completions.isEmpty(), pair.a::poll, pair.a::toString);
      assumeTrue(pair.a.completions.isEmpty(), "the peer tells of a delivery without being polled");
      Await.until("the peer has all", () -> pair.b.messages.size() == SENDS, pair.b::poll, pair.b::toString);
      long answer = pair.b.send(pair.right(), new byte[10], PostFlags.SIGNALED);
      Await.until("its answer is out", () -> pair.b.completion(answer) != null, pair.b::poll, pair.b::toString);
      List<Long> told = new ArrayList<>();
      List<Long> received = new ArrayList<>();
      CompletionBatch two = new CompletionBatch(2);
      Await.until("all of it", () -> told.size() + received.size() == SENDS + 1, () -> {
        int n = pair.a.queue().poll(two);
        for (int i = 0; i < n; i++) {
          assertEquals(Status.OK, two.status(i));
          (two.operation(i) == Operation.RECEIVE ? received : told).add(two.requestId(i));
        }
        return n;
      }, told::toString);
      assertEquals(posted, told);
    }
  }

  /** The message of a connector is in the completion queue as soon as the acceptor's event is in the event queue. */
  @Test
  @Timeout(120)
  void acceptorIsNotifiedOfItsConnectionBeforeAMessage() {
    try (Pair pair = Pair.open(Devices.require(new LibfabricProvider(), "tcp"), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      for (int i = 0; i < CONNECTIONS; i++) {
        Endpoint connector = pair.a.connect(listener.localAddress());
        Await.until("the connector hears", () -> pair.a.connected.contains(connector), () -> {
          pair.b.poll();
          return pair.a.poll();
        }, pair.a::toString);
        pair.a.send(connector, new byte[1], PostFlags.SIGNALED);
        Side.Message message = pair.message(pair.b);
        assertTrue(pair.b.connected.contains(message.endpoint()), "message " + i + " came before its connection");
      }
    }
  }
}
