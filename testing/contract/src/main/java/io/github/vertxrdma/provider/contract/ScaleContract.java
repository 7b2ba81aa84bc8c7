package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.PostFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

public interface ScaleContract extends ContractFixture {
  int OTHER_POLLS = 200;

  @ContractTest
  default void manyConnectionsOnOneQueue() {
    int number = manyConnections();
    PairOptions options = new PairOptions().withEndpoint(new EndpointOptions().withDepths(8, 4)).withQueueDepth(2 * number * 12);
    boolean sharedOnly = found().sharedReceiveOnly();
    try (Pair pair = Pair.open(device(), options.withSlots(sharedOnly ? number + 4 : 4, 256))) {
      List<Endpoint> lefts = new ArrayList<>();
      List<Endpoint> rights = new ArrayList<>();
      for (int i = 0; i < number; i++) {
        pair.connect();
        lefts.add(pair.left());
        rights.add(pair.right());
      }
      for (int i = 0; i < number; i++) {
        pair.a.send(lefts.get(i), Pattern.bytes(i, 100), PostFlags.SIGNALED);
      }
      boolean[] seen = new boolean[number];
      for (int i = 0; i < number; i++) {
        Side.Message message = pair.message(pair.b);
        int who = rights.indexOf(message.endpoint());
        assertTrue(who >= 0 && !seen[who], "a message from no sender, or twice from one");
        seen[who] = true;
        Pattern.check(message.data(), 100, who);
        pair.b.send(message.endpoint(), Pattern.bytes(1000 + who, 50), PostFlags.SIGNALED);
      }
      for (int i = 0; i < number; i++) {
        Side.Message message = pair.message(pair.a);
        Pattern.check(message.data(), 50, 1000 + lefts.indexOf(message.endpoint()));
      }
      pair.until("all sends done", () -> pair.a.completions.size() == number && pair.b.completions.size() == number);
      for (int i = 0; i < number; i += 2) {
        lefts.get(i).close();
      }
      pair.until("the closed half is noticed", () -> pair.b.disconnected.size() == (number + 1) / 2);
      pair.a.send(lefts.get(1), Pattern.bytes(5, 10), PostFlags.SIGNALED);
      Pattern.check(pair.message(pair.b).data(), 10, 5);
    }
  }

  @ContractTest
  default void requestsAreAcceptedOnAnotherThreadsQueue(Domain domain) throws Exception {
    if (found().sharedReceiveOnly()) {
      return;
    }
    CompletableFuture<EndpointAddress> address = new CompletableFuture<>();
    CompletableFuture<ConnectionRequest> request = new CompletableFuture<>();
    CompletableFuture<Void> over = new CompletableFuture<>();
    List<CompletableFuture<Void>> parts = List.of(
      Duo.start("listening", over, () -> {
        try (Side side = new Side(domain, new PairOptions())) {
          address.complete(listenForOthers(side, request::complete).localAddress());
          Await.until("the others are done", over::isDone, side::poll, side::toString);
        }
      }),
      Duo.start("serving", over, () -> {
        try (Side side = new Side(domain, new PairOptions())) {
          Await.until("a request", () -> request.isDone() || over.isDone(), side::poll, side::toString);
          side.accept(request.get());
          Await.until("a message", () -> !side.messages.isEmpty(), side::poll, side::toString);
          side.send(side.endpoint, side.messages.poll().data(), PostFlags.SIGNALED);
          Await.until("the connector has left", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
        }
      }),
      Duo.start("connecting", over, () -> {
        try (Side side = new Side(domain, new PairOptions())) {
          side.connect(address.get());
          Await.until("connected", () -> !side.connected.isEmpty(), side::poll, side::toString);
          side.send(side.endpoint, Pattern.bytes(4, 500), PostFlags.SIGNALED);
          Await.until("the echo", () -> !side.messages.isEmpty(), side::poll, side::toString);
          Pattern.check(side.messages.poll().data(), 500, 4);
        } finally {
          over.complete(null);
        }
      }));
    for (CompletableFuture<Void> part : parts) {
      Duo.get(part);
    }
  }

  private static Listener listenForOthers(Side side, ListenHandler handler) {
    return side.domain().listen(side.queue(), null, side.endpointOptions(), handler);
  }

  @ContractTest
  default void onlyPollsOfItsOwnQueueChangeAConnection() {
    if (found().sharedReceiveOnly()) {
      return;
    }
    try (Pair pair = Pair.open(device(), new PairOptions()); Side server = new Side(pair.b.domain(), new PairOptions())) {
      Endpoint left = pair.a.connect(listenForOthers(pair.b, server::accept).localAddress());
      Await.until("connected", () -> pair.a.connected.size() == 1 && server.connected.size() == 1, () -> pair.poll() + server.poll(),
        () -> pair.a + "; " + server);
      left.disconnect();
      for (int i = 0; i < OTHER_POLLS; i++) {
        pair.poll();
      }
      assertEquals(EndpointState.CONNECTED, server.endpoint.state(), "another queue was polled, and its own was not");
      Await.until("its own is", () -> server.disconnected.size() == 1, () -> pair.poll() + server.poll(), server::toString);
    }
  }

  @ContractTest
  default void aListenerThatClosesLeavesEndpointsOfOtherQueuesAlone() {
    if (found().sharedReceiveOnly()) {
      return;
    }
    try (Pair pair = Pair.open(device(), new PairOptions()); Side server = new Side(pair.b.domain(), new PairOptions())) {
      ConnectionRequest request = pair.request();
      Endpoint right = request.createEndpoint(server.queue(), server.endpointOptions(), server);
      pair.listener().close();
      assertEquals(EndpointState.INIT, right.state(), "the listener's thread touched it");
      try {
        request.accept(new byte[0]);
      } catch (IllegalStateException e) {
        right.close();
      }
      Await.until("the connector is notified of it", () -> pair.a.connected.size() + pair.a.disconnected.size() > 0,
        () -> pair.poll() + server.poll(), () -> pair.a + "; " + server);
    }
  }

  @ContractTest
  default void aQueueIsClosedFromAnotherThreadAfterPollingEnded(Pair pair) throws Exception {
    pair.success(pair.a, pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED));
    Thread closer = new Thread(pair.a::close);
    closer.start();
    closer.join();
    Await.until("the peer is notified of it", () -> !pair.b.disconnected.isEmpty(), pair.b::poll, pair.b::toString);
  }

  @ContractTest
  default void severalQueuesOnThreadsOfTheirOwn(Domain domain) throws Exception {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int seed = i;
      ends.add(Duo.start("streaming", failed,
        () -> Duo.run(domain, new PairOptions(), side -> stream(side, seed, 2000), side -> sink(side, seed, 2000))));
    }
    for (CompletableFuture<Void> end : ends) {
      Duo.get(end);
    }
  }

  private static void stream(Side side, int seed, int count) {
    for (int i = 0; i < count; i++) {
      // Waits for an answer after 8 messages, so that at most half of the receiver's slots are used.
      if (i % 8 == 0 && i > 0) {
        Await.until("an answer", () -> !side.messages.isEmpty(), side::poll, side::toString);
        side.messages.poll();
      }
      side.send(side.endpoint, Pattern.bytes(seed * 10_000L + i, 200), PostFlags.SIGNALED);
      side.poll();
      side.completions.clear();
    }
    Await.until("the last answer", () -> !side.messages.isEmpty(), side::poll, side::toString);
  }

  private static void sink(Side side, int seed, int count) {
    for (int i = 0; i < count; i++) {
      Await.until("message " + i, () -> !side.messages.isEmpty(), side::poll, side::toString);
      Pattern.check(side.messages.poll().data(), 200, seed * 10_000L + i);
      if (i % 8 == 7) {
        side.send(side.endpoint, new byte[] {1}, PostFlags.SIGNALED);
      }
    }
    Await.until("the last send", () -> side.endpoint.outstanding() == 0 || !side.disconnected.isEmpty(), side::poll, side::toString);
    assertEquals(0, side.messages.size());
  }
}
