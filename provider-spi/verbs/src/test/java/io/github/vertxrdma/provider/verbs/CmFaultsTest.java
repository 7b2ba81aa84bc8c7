package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.ffi.Errno;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ExtendWith({LeakCheck.class, UserSpace.class})
class CmFaultsTest {
  private static final int TIMEOUT_MILLIS = 5_000;

  private record Fault(String name, CmEvent.Type event, int status, Reason reason, String words) {
    @Override
    public String toString() {
      return name + ' ' + status;
    }
  }

  static List<Fault> faults() {
    Stream<Fault> rejects = Stream.of(CmReject.values()).filter(reject -> reject != CmReject.STALE_CONN)
      .map(reject -> new Fault("REJECTED " + reject, CmEvent.Type.REJECTED, reject.number, reject.reason, reject.words));
    return Stream.concat(rejects, Stream.of(
      new Fault("ADDR_ERROR", CmEvent.Type.ADDR_ERROR, -Errno.ETIMEDOUT, Reason.TIMEOUT, "the address cannot be resolved"),
      new Fault("ADDR_ERROR", CmEvent.Type.ADDR_ERROR, -Errno.EHOSTUNREACH, Reason.UNREACHABLE, "the address cannot be resolved"),
      new Fault("ROUTE_ERROR", CmEvent.Type.ROUTE_ERROR, -Errno.ETIMEDOUT, Reason.TIMEOUT, "the route cannot be resolved"),
      new Fault("ROUTE_ERROR", CmEvent.Type.ROUTE_ERROR, -Errno.EINVAL, Reason.UNREACHABLE, "the route cannot be resolved"),
      new Fault("a lost request", CmEvent.Type.CONNECT_REQUEST, 0, Reason.TIMEOUT, "Last step: waiting for the peer's answer"),
      new Fault("UNREACHABLE", CmEvent.Type.UNREACHABLE, -Errno.ETIMEDOUT, Reason.TIMEOUT, "the peer did not answer"),
      new Fault("UNREACHABLE", CmEvent.Type.UNREACHABLE, -Errno.EHOSTUNREACH, Reason.UNREACHABLE, "the peer cannot be reached"),
      new Fault("CONNECT_ERROR", CmEvent.Type.CONNECT_ERROR, -Errno.ENOMEM, Reason.LIMIT, "could not set up its queue pair"),
      new Fault("CONNECT_ERROR", CmEvent.Type.CONNECT_ERROR, -Errno.ECONNRESET, Reason.DISCONNECTED, "could not set up its queue pair"),
      new Fault("REJECTED by the application", CmEvent.Type.REJECTED, 28, Reason.REJECTED, "the peer rejected the connection"),
      new Fault("REJECTED for an unknown reason", CmEvent.Type.REJECTED, 99, Reason.UNREACHABLE, "reason 99"))).toList();
  }

  private static Pair open(EndpointOptions options) {
    return Pair.open(Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT), new PairOptions().withEndpoint(options));
  }

  @ParameterizedTest
  @EnumSource
  void rejectionIsFinalIfTheApplicationMadeIt(CmReject reject) {
    assertEquals(reject == CmReject.CONSUMER_DEFINED, reject.reason == Reason.REJECTED);
  }

  @ParameterizedTest
  @MethodSource("faults")
  void eachEndOfAConnectHasItsReasonAndTheNextOneConnects(Fault fault) {
    EndpointOptions options = fault.event() == CmEvent.Type.CONNECT_REQUEST ? new EndpointOptions().withConnectTimeoutMillis(TIMEOUT_MILLIS)
      : new PairOptions().endpoint();
    try (Pair pair = open(options)) {
      Listener listener = pair.b.listenAndAccept();
      Nic.built().failConnect(fault.event().ordinal(), fault.status());
      pair.a.connect(listener.localAddress());
      pair.until("the end", () -> !pair.a.disconnected.isEmpty());
      assertEquals(fault.reason(), pair.a.cause.reason(), pair.a.cause.getMessage());
      assertTrue(pair.a.cause.getMessage().contains(fault.words()), pair.a.cause.getMessage());
      assertTrue(pair.a.connected.isEmpty() && pair.b.requests.isEmpty(), pair::toString);
    }
    try (Pair pair = open(new PairOptions().endpoint())) {
      pair.connect();
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
    }
  }

  @Test
  void connectionThatThePeerEndsAtOnceIsReportedAsConnectedFirst() {
    try (Pair pair = open(new PairOptions().endpoint())) {
      Listener listener = pair.b.listenAndAccept();
      VerbsEndpoint left = (VerbsEndpoint) pair.a.connect(listener.localAddress());
      Nic.built().slowControl(20_000);
      try {
        pair.until("the answer has come", left::isMoving);
        Await.until("the peer is connected", () -> !pair.b.connected.isEmpty(), pair.b::poll, pair::toString);
        pair.right().disconnect();
        pair.until("the end", () -> !pair.a.disconnected.isEmpty());
        assertEquals(List.of(left), pair.a.connected);
        assertEquals(Reason.DISCONNECTED, pair.a.cause.reason());
      } finally {
        Nic.built().slowControl(-1);
      }
    }
  }

  @Test
  void requestsWaitWhileTheListenerIsNotPolled() {
    int count = 300;
    try (Pair pair = Pair.open(Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT), new PairOptions().withSlots(1, 64))) {
      Listener listener = pair.b.listenAndAccept();
      for (int i = 0; i < count; i++) {
        Endpoint connecting = pair.a.connect(listener.localAddress());
        Await.until("its request is sent", () -> connecting.localAddress().toInet().getPort() != 0, pair.a::poll, connecting::toString);
      }
      pair.until("all are connected", () -> pair.a.connected.size() == count);
      assertEquals(count, pair.b.requests.size());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void connectSucceedsAfterRejectionsOfAStaleConnection(int rejections) {
    try (Pair pair = open(new PairOptions().endpoint())) {
      Listener listener = pair.b.listenAndAccept();
      Nic.built().failConnects(rejections, CmEvent.Type.REJECTED.ordinal(), 10);
      pair.a.connect(listener.localAddress());
      pair.until("connected", () -> !pair.a.connected.isEmpty() && !pair.b.connected.isEmpty());
      assertTrue(pair.a.disconnected.isEmpty(), pair::toString);
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
    }
  }

  @Test
  void connectTimesOutWhileThePeerKnowsAStaleConnection() {
    try (Pair pair = open(new EndpointOptions().withConnectTimeoutMillis(TIMEOUT_MILLIS))) {
      Listener listener = pair.b.listenAndAccept();
      Nic.built().failConnects(1_000, CmEvent.Type.REJECTED.ordinal(), 10);
      try {
        pair.a.connect(listener.localAddress());
        pair.until("the end", () -> !pair.a.disconnected.isEmpty());
      } finally {
        Nic.built().failConnects(0, CmEvent.Type.REJECTED.ordinal(), 10);
      }
      assertEquals(Reason.TIMEOUT, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertTrue(pair.a.cause.getMessage().contains("old connection of this queue pair"), pair.a.cause.getMessage());
    }
  }

  private static int number(Pair pair) {
    return ((VerbsEndpoint) pair.left()).pair.number;
  }

  @ParameterizedTest
  @EnumSource(value = CmEvent.Type.class, names = {"ADDR_CHANGE", "TIMEWAIT_EXIT"})
  void aConnectionOutlivesWhatDoesNotConcernIt(CmEvent.Type event) {
    try (Pair pair = open(new PairOptions().endpoint())) {
      pair.connect();
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      pair.message(pair.b);
      Nic.built().raiseOfConnection(number(pair), event.ordinal());
      for (int i = 0; i < 100; i++) {
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      }
      assertEquals(EndpointState.CONNECTED, pair.left().state());
    }
  }

  @Test
  void aRequestThatCannotMoveToAnotherQueueIsRejectedAllTheSame() {
    try (Pair pair = open(new PairOptions().endpoint())) {
      ConnectionRequest request = pair.request();
      try (CompletionQueue other = pair.b.domain().createCompletionQueue(64)) {
        Nic.built().refuseMigration(Errno.ENOMEM);
        ProviderException refused = assertThrows(ProviderException.class,
          () -> request.createEndpoint(other, new PairOptions().endpoint(), pair.b));
        assertEquals(Errno.ENOMEM, refused.errno(), refused.getMessage());
        request.reject(new byte[0]);
        pair.until("the rejection", () -> !pair.a.disconnected.isEmpty());
        assertEquals(Reason.REJECTED, pair.a.cause.reason(), pair.a.cause.getMessage());
      }
    }
  }

  public static void main(String[] answer) {
    Nic.built().provide(Nic.DEFAULT);
    try (Pair pair = open(new PairOptions().endpoint())) {
      ConnectionRequest request = pair.request();
      Endpoint endpoint = request.createEndpoint(pair.b.queue(), pair.b.endpointOptions(), pair.b);
      endpoint.receiveQueue().post(Side.nextId(), pair.b.openRegion(64), 0, 64);
      Nic.built().raise(((VerbsEndpoint) endpoint).pair.number, AsyncEvent.CQ_ERR.ordinal());
      pair.until("the end, and the receive", () -> pair.b.disconnected.contains(endpoint) && !pair.b.completions.isEmpty());
      if (answer[0].equals("accept")) {
        request.accept(new byte[0]);
      } else {
        request.reject(new byte[0]);
      }
      System.out.println(endpoint.state());
      pair.until("the end at the peer", () -> !pair.a.disconnected.isEmpty());
      System.out.println(pair.a.cause.reason());
    }
    System.exit(0);
  }

  @ParameterizedTest
  @CsvSource({"accept, BROKEN", "reject, CLOSED"})
  void anAnswerAfterTheEndOfItsEndpointDoesNothing(String answer, String state) throws Exception {
    try (ChildJvm child = ChildJvm.start(CmFaultsTest.class, answer)) {
      assertEquals(0, child.waitFor());
      child.await(state);
      child.await(Reason.REJECTED.toString());
    }
  }

  @Test
  void removedDeviceEndsItsConnections() {
    try (Pair pair = open(new PairOptions().endpoint())) {
      pair.connect();
      Nic.built().raiseOfConnection(number(pair), CmEvent.Type.DEVICE_REMOVAL.ordinal());
      pair.until("both ends", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
      assertEquals(Reason.MISSING, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertTrue(pair.a.cause.getMessage().contains("the device was removed"), pair.a.cause.getMessage());
    }
  }
}
