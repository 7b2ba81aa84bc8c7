package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.ffi.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ExtendWith({LeakCheck.class, UserSpace.class})
class DeviceFaultsTest {
  private static final int REQUESTS = 300;
  private static final int SLOTS = 32;
  private static final int MOST_LATE_MICROS = 300;

  private static Pair connected() {
    return connected(Nic.DEFAULT, new PairOptions());
  }

  private static Pair connected(String name, PairOptions options) {
    Nic.use(name);
    return Pair.connected(Devices.require(new VerbsProvider(), "verbs:" + name), options);
  }

  private static int number(Pair pair) {
    return ((VerbsEndpoint) pair.left()).pair.number;
  }

  @Test
  void aRegistrationBeyondTheRegionsOfTheDeviceSaysSo() {
    Nic.use("tiny");
    try (Domain domain = Devices.require(new VerbsProvider(), "verbs:tiny").open(); Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      int most = domain.limits().maxRegions();
      for (int i = 0; i < most; i++) {
        domain.register(memory, Set.of(Access.LOCAL_WRITE));
      }
      ProviderException refused = assertThrows(ProviderException.class, () -> domain.register(memory, Set.of(Access.LOCAL_WRITE)));
      assertEquals(ProviderException.Reason.LIMIT, refused.reason());
      assertTrue(refused.getMessage().contains("the device allows " + most + " regions"), refused.getMessage());
    }
  }

  @Test
  void aDeviceWithoutReliableConnectionsIsRefusedByName() {
    Nic.use(Nic.EFA);
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions());
    assertEquals(List.of(), found.devices());
    assertTrue(found.unavailable().toString().contains("so it has no reliable connections"), found.unavailable()::toString);
    assertTrue(found.unavailable().toString().contains("libfabric"), found.unavailable()::toString);
  }

  @ParameterizedTest
  @CsvSource({"nic, true", "mlx5, true", "tiny, true", "connectib, false", "irdma, false", "iwarp, false"})
  void atomicsAreThoseWhoseAnswersCanBeRead(String name, boolean atomics) {
    Nic.use(name);
    assertEquals(atomics, Devices.require(new VerbsProvider(), "verbs:" + name).capabilities().atomics());
  }

  @ParameterizedTest
  @MethodSource("io.github.vertxrdma.nic.Nic#personalities")
  void lateCompletionsAreReportedInTheOrderOfThePosts(String name) {
    Nic.use(name);
    try (Pair pair = connected(name, new PairOptions().withSlots(SLOTS, 64))) {
      MemoryRegion mine = pair.a.openRegion(64);
      RemoteMemory remote = pair.a.remote(pair.b.openRegion(64));
      Random random = new Random(4711);
      Nic.built().delayCompletions(4711, MOST_LATE_MICROS);
      List<Long> posted = new ArrayList<>();
      int messages = 0;
      for (int i = 0; i < REQUESTS; i++) {
        long id = Side.nextId();
        WorkRequest request = new WorkRequest();
        if (random.nextInt(3) > 0) {
          int sent = messages++;
          pair.until("a receive", () -> sent - pair.b.messages.size() < SLOTS);
          request.send(mine, 0, 64);
        } else {
          request.read(mine, 0, 64, remote, 0);
        }
        pair.post(() -> pair.left().post(request.id(id).flags(PostFlags.SIGNALED)));
        posted.add(id);
      }
      pair.until("all", () -> pair.a.completions.size() == REQUESTS);
      assertEquals(posted, pair.a.completions.stream().map(Completion::requestId).toList());
      assertTrue(pair.a.completions.stream().allMatch(Completion::ok), () -> pair.a.completions.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Nic.DEFAULT, "mlx5"})
  void aForkLosesNothing(String name) {
    try (Pair pair = connected(name, new PairOptions())) {
      Nic.built().delayCompletions(4711, MOST_LATE_MICROS);
      List<Long> posted = new ArrayList<>();
      Runnable child = null;
      for (int i = 0; i < 32; i++) {
        if (i == 16) {
          child = Nic.built().fork();
        }
        posted.add(pair.a.send(pair.left(), new byte[] {(byte) i, 1}, PostFlags.SIGNALED));
      }
      try {
        posted.forEach(id -> pair.success(pair.a, id));
        for (int i = 0; i < posted.size(); i++) {
          assertArrayEquals(new byte[] {(byte) i, 1}, pair.message(pair.b).data());
        }
      } finally {
        child.run();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"ENOMEM, 12, AGAIN", "EAGAIN, 11, AGAIN", "-ENOMEM, -12, AGAIN", "EOPNOTSUPP, 95, UNSUPPORTED", "ENOSYS, 38, UNSUPPORTED",
    "EPERM, 1, FAILED", "EINVAL, 22, FAILED", "EIO, 5, FAILED", "EFAULT, 14, FAILED", "ENODEV, 19, FAILED", "one of its own, 1234, "
      + "FAILED"})
  void eachErrnoOfAPostHasItsStatusAndLosesNothing(String name, int errno, String status) {
    try (Pair pair = connected()) {
      MemoryRegion mine = pair.a.openRegion(64);
      Nic.built().refusePosts(number(pair), 1, errno);
      WorkRequest request = new WorkRequest().send(mine, 0, 8).id(Side.nextId()).flags(PostFlags.SIGNALED);
      assertEquals(status, Status.name(pair.left().post(request)));
      if (status.equals("FAILED")) {
        assertTrue(pair.left().failure().getMessage().contains("errno " + errno), pair.left().failure().getMessage());
      }
      assertEquals(0, pair.left().outstanding());
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
    }
  }

  @ParameterizedTest
  @CsvSource({"nic, 107", "nic, -104", "mlx5, 32", "iwarp, 107", "iwarp, -1"})
  void aPostThatFindsNoConnectionEndsIt(String name, int errno) {
    try (Pair pair = connected(name, new PairOptions())) {
      long before = pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED);
      pair.success(pair.a, before);
      pair.message(pair.b);
      MemoryRegion mine = pair.a.openRegion(64);
      long held = Side.nextId();
      WorkRequest request = new WorkRequest().send(mine, 0, 8);
      assertEquals(Status.OK, pair.left().post(request.id(held).flags(PostFlags.SIGNALED | PostFlags.MORE)));
      Nic.built().refusePosts(number(pair), 1, errno);
      assertEquals(Status.NOT_CONNECTED, pair.left().post(request.id(Side.nextId()).flags(PostFlags.SIGNALED)));
      assertEquals(Status.NOT_CONNECTED, pair.left().post(request));
      pair.until("the end at both sides", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
      assertEquals(ProviderException.Reason.DISCONNECTED, pair.a.cause.reason());
      assertTrue(pair.a.cause.getMessage().contains("refused to post a SEND"), pair.a.cause.getMessage());
      assertEquals(List.of(before, held), pair.a.completions.stream().map(Completion::requestId).toList(), pair.a.completions::toString);
      assertEquals(0, pair.left().outstanding());
    }
  }

  @Test
  void heldRequestsSurviveARefusedPost() {
    try (Pair pair = connected()) {
      MemoryRegion mine = pair.a.openRegion(64);
      WorkRequest last = new WorkRequest().send(mine, 0, 8).id(Side.nextId()).flags(PostFlags.SIGNALED);
      List<Long> held = List.of(pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED | PostFlags.MORE),
        pair.a.send(pair.left(), new byte[16], PostFlags.SIGNALED | PostFlags.MORE));
      Nic.built().refusePosts(number(pair), 1, Errno.ENOMEM);
      assertEquals(Status.AGAIN, pair.left().post(last));
      assertEquals(2, pair.left().outstanding());
      Nic.built().refusePosts(number(pair), 1, Errno.ENOMEM);
      assertEquals(Status.AGAIN, pair.left().flush());
      assertEquals(Status.OK, pair.left().post(last));
      held.forEach(id -> pair.success(pair.a, id));
      pair.success(pair.a, last.id());
      for (int length : new int[] {8, 16, 8}) {
        assertEquals(length, pair.message(pair.b).data().length);
      }
      assertEquals(0, pair.left().outstanding());
      long flushed = pair.a.send(pair.left(), new byte[24], PostFlags.SIGNALED | PostFlags.MORE);
      Nic.built().refusePosts(number(pair), 1, Errno.EAGAIN);
      assertEquals(Status.AGAIN, pair.left().flush());
      assertEquals(Status.OK, pair.left().flush());
      pair.success(pair.a, flushed);
      assertEquals(24, pair.message(pair.b).data().length);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = {"SUCCESS", "RECEIVE_TOO_SHORT", "STREAM_BROKEN"})
  void eachStatusEndsTheRequestAndTheConnectionByItsName(WorkStatus status) {
    try (Pair pair = connected()) {
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      Nic.built().failRequest(number(pair), 1, status.ordinal());
      long before = pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED);
      long hit = pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED);
      pair.until("the end", () -> !pair.a.disconnected.isEmpty() && pair.a.completion(hit) != null);
      assertTrue(pair.a.completion(before).ok(), "the request before it succeeded");
      Completion failed = pair.a.completion(hit);
      assertEquals(status.status, failed.status(), failed.toString());
      assertTrue(failed.error().contains("IBV_WC_" + status), failed.error());
      assertEquals(EndpointState.BROKEN, pair.left().state());
      if (status != WorkStatus.WR_FLUSH_ERR) {
        assertTrue(pair.a.cause.getMessage().contains("IBV_WC_" + status), pair.a.cause.getMessage());
      }
      pair.until("the peer's end", () -> !pair.b.disconnected.isEmpty());
    }
  }

  @ParameterizedTest
  @CsvSource({"nic, IBV_EVENT_CQ_ERR", "nic, ibv_poll_cq", "mlx5, IBV_EVENT_CQ_ERR", "mlx5, ibv_poll_cq", "tiny, IBV_EVENT_CQ_ERR",
    "iwarp, ibv_poll_cq"})
  void aLostCompletionQueueEndsWhatIsOnItAndNothingElse(String name, String how) throws Exception {
    PairOptions options = new PairOptions().withSlots(SLOTS, 64);
    try (Pair pair = connected(name, options); Side third = new Side(pair.a.domain(), options)) {
      Endpoint other = third.connect(pair.listener().localAddress());
      pair.until("the other connection", () -> third.poll() >= 0 && third.connected.contains(other));
      pair.a.domain().endpointPreparation(pair.a.queue(), pair.a.endpointOptions(), Capabilities.Connecting.LISTENER).call();
      Nic.built().delayCompletions(4711, MOST_LATE_MICROS);
      Set<Long> posted = new HashSet<>();
      for (int i = 0; i < 8; i++) {
        posted.add(pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      }
      if (how.equals("ibv_poll_cq")) {
        Nic.built().failPolls(number(pair), -2);
      } else {
        Nic.built().raise(number(pair), AsyncEvent.CQ_ERR.ordinal());
      }
      pair.until("the end of all", () -> !pair.a.disconnected.isEmpty() && pair.a.completions.size() >= posted.size()
        && pair.a.failedSlots.size() >= SLOTS);
      assertTrue(pair.a.cause.getMessage().contains(how), pair.a.cause.getMessage());
      assertEquals(List.of(pair.left()), pair.a.disconnected);
      assertEquals(posted.size(), pair.a.completions.size(), pair.a.completions::toString);
      assertEquals(posted, pair.a.completions.stream().map(Completion::requestId).collect(Collectors.toSet()));
      assertEquals(SLOTS, pair.a.failedSlots.stream().map(Completion::requestId).distinct().count());
      long request = third.send(other, new byte[8], PostFlags.SIGNALED);
      pair.until("the other connection goes on", () -> third.poll() >= 0 && third.completion(request) != null);
      assertTrue(third.completion(request).ok(), third.completion(request).toString());
      pair.connect();
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      pair.success(pair.b, pair.b.send(pair.right(), new byte[8], PostFlags.SIGNALED));
      pair.message(pair.a);
    }
  }

  private static long contexts() {
    return NativeObjects.counts().get("verbs " + NativeObjects.Kind.CONTEXT);
  }

  @Test
  void aDomainThatItsHandlerClosesIsGoneAfterThePoll() {
    Nic.use(Nic.DEFAULT);
    long before = contexts();
    Domain domain = Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT).open();
    CompletionQueue queue = domain.createCompletionQueue(SLOTS);
    List<Long> left = new ArrayList<>();
    Endpoint endpoint = domain.createEndpoint(queue, new EndpointOptions(), new EndpointHandler() {
      @Override
      public void connected(Endpoint which, byte[] privateData) {
        left.add(-1L);
      }

      @Override
      public void disconnected(Endpoint which, ProviderException cause) {
        domain.close();
        left.add(contexts() - before);
      }
    });
    Listener listener = domain.listen(queue, null, new EndpointOptions(), request -> {});
    Nic.built().failConnect(CmEvent.Type.REJECTED.ordinal(), 8);
    endpoint.connect(listener.localAddress(), new byte[0]);
    CompletionBatch batch = new CompletionBatch(SLOTS);
    Await.until("the end", () -> !left.isEmpty(), () -> queue.poll(batch), left::toString);
    assertEquals(List.of(1L), left);
    assertEquals(before, contexts());
    assertEquals(0, queue.poll(batch));
    assertTrue(queue.arm(), "nothing more comes");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = {"UNKNOWN", "WQ_FATAL"})
  void eachEventEndsWhatItStandsForOrNothing(AsyncEvent event) {
    try (Pair pair = connected(Nic.DEFAULT, new PairOptions())) {
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      Nic.built().raise(number(pair), event.ordinal());
      try {
        if (event.ends == AsyncEvent.Ends.NOTHING) {
          pair.until("the event is taken", () -> !event.explains() || !((VerbsDomain) pair.a.domain()).async.portEvent.isEmpty());
          assertEquals(EndpointState.CONNECTED, pair.left().state());
        } else {
          pair.until("the end", () -> !pair.a.disconnected.isEmpty());
          // An event of the whole device may end the other side first, which then disconnects this one.
          boolean byPeer = event.ends == AsyncEvent.Ends.ALL && pair.a.cause.getMessage().contains("the peer disconnected");
          pair.until("the end of the other side", () -> !byPeer || !pair.b.disconnected.isEmpty());
          String cause = (byPeer ? pair.b : pair.a).cause.getMessage();
          assertTrue(cause.contains("IBV_EVENT_" + event), cause);
        }
      } finally {
        if (event == AsyncEvent.PORT_ERR) {
          Nic.built().raise(number(pair), AsyncEvent.PORT_ACTIVE.ordinal());
        }
      }
      if (event.ends == AsyncEvent.Ends.NOTHING) {
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      }
    }
  }
}
