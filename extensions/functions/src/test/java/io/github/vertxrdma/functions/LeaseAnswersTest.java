package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of servers whose answers are late, invalid, or missing. */
@Timeout(120)
class LeaseAnswersTest extends Nodes {
  private RdmaDirectory directory;
  private FunctionClient client;

  @BeforeEach
  void start() throws Exception {
    Node node = node();
    directory = await(node.rdma.directory());
    client = FunctionClient.create(node.rdma);
  }

  private void known(String... servers) throws Exception {
    for (String server : servers) {
      await(directory.awaitServices(server, Duration.ofSeconds(20)));
    }
  }

  private void known(int servers) {
    until("all servers are known",
      () -> directory.services().stream().filter(e -> e.metadata().containsKey("functions")).count() == servers);
  }

  @Test
  void invalidOfferDoesNotStopWaitingSearch() throws Exception {
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(40)));
    RawManager.listen(node().rdma, "no-cores", null);
    RawManager.listen(node().rdma, "cores-as-text", "4");
    RawManager.listen(node().rdma, "no-memory", 1, null);
    known("no-cores", "cores-as-text", "no-memory");
    manager(new FunctionServerOptions().setCores(1));
    assertEquals(1, await(leases).size());
  }

  /** The sum exceeds an int. */
  @Test
  void exaggeratedOfferHidesNoOtherServer() throws Exception {
    RawManager boaster = RawManager.listen(node().rdma, "boaster", Integer.MAX_VALUE, Long.MAX_VALUE);
    Node server = manager(new FunctionServerOptions().setCores(1));
    known("boaster");
    known(2);
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20)));
    boaster.asked("lease").refuse("it was a lie");
    assertEquals(await(server.rdma.directory()).nodeId(), await(leases).getFirst().nodeId());
  }

  @Test
  void noServerIsAskedAfterTheTimeoutOfASilentOne() throws Exception {
    RawManager[] silent = new RawManager[3];
    for (int i = 0; i < silent.length; i++) {
      silent[i] = RawManager.listen(node().rdma, "silent-" + i, 1);
    }
    known("silent-0", "silent-1", "silent-2");
    assertFails(Reason.NO_CAPACITY, "did not answer", client.lease(new LeaseOptions().setWaitTimeout(Duration.ofMillis(100))));
    int asked = silent[0].waiting() + silent[1].waiting() + silent[2].waiting();
    // On a busy machine the request may still be in flight when its client gives up.
    assertTrue(asked <= 1, asked + " servers were asked");
  }

  @Test
  void silentServersAreSkippedForOneThatAnswers() throws Exception {
    RawManager mute = RawManager.listen(node().rdma, "mute", 3);
    RawManager.listenDeaf(node().rdma, "deaf", 2);
    Node server = manager(new FunctionServerOptions().setCores(1));
    known(3);
    Future<List<Lease>> leases = client.lease(new LeaseOptions());
    RawManager.Asked asked = mute.asked("lease");
    Promise<Void> gone = Promise.promise();
    asked.by().closeHandler(gone::complete);
    assertEquals(await(server.rdma.directory()).nodeId(), await(leases).getFirst().nodeId());
    asked.grant(60_000);
    await(gone.future());
    assertEquals(1, client.leases().size());
    assertEquals(0, mute.waiting());
  }

  @Test
  @Tag("full")
  void silentServerIsAskedAgainAfterOthers() throws Exception {
    RawManager mute = RawManager.listen(node().rdma, "mute", 2);
    RawManager busy = RawManager.listen(node().rdma, "busy", 1);
    known(2);
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(12)));
    mute.asked("lease");
    busy.asked("lease").refuse("others came first");
    busy.asked("lease").grant(60_000);
    assertEquals(1, await(leases).size());
    assertEquals(0, mute.waiting());
  }

  @Test
  void leaseWithTooManyWorkersIsNotUsed() throws Exception {
    RawManager generous = RawManager.listen(node().rdma, "generous", 1);
    known("generous");
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ZERO));
    RawManager.Asked asked = generous.asked("lease");
    Promise<Void> gone = Promise.promise();
    asked.by().closeHandler(gone::complete);
    asked.grant(60_000, "worker-0", "worker-1", "worker-2");
    assertFails(Reason.NO_CAPACITY, "granted 3 workers instead of 1", leases);
    await(gone.future());
  }

  @Test
  void answeringServersAreAskedAfterTheTimeout() throws Exception {
    RawManager first = RawManager.listen(node().rdma, "first", 3);
    RawManager second = RawManager.listen(node().rdma, "second", 2);
    RawManager third = RawManager.listen(node().rdma, "third", 1);
    // A server has 2 s to answer.
    first.answers = asked -> asked.grant(60_000);
    second.answers = asked -> asked.refuse("others came first");
    third.answers = asked -> asked.grant(60_000);
    known("first", "second", "third");
    assertEquals(2, await(client.lease(new LeaseOptions().setWorkers(2).setWaitTimeout(Duration.ZERO))).size());
  }

  @Test
  void pausesGrowWhileServersRefuse() throws Exception {
    RawManager busy = RawManager.listen(node().rdma, "busy", 1);
    known("busy");
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(40)));
    RawManager.Asked asked = busy.asked("lease");
    long pause = 0;
    for (int i = 0; i < 5; i++) {
      long refused = System.nanoTime();
      asked.refuse("others came first");
      asked = busy.asked("lease");
      pause = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - refused);
    }
    assertTrue(pause >= 300, "the fifth pause is " + pause + " ms");
    asked.grant(60_000);
    assertEquals(1, await(leases).size());
  }

  /** The server has not read the code, so it cannot have refused it. */
  @Test
  void nextServerIsAskedWhenOneIsLostWhileCodeIsSent() throws Exception {
    RawManager dying = RawManager.listen(node().rdma, "dying", 2);
    dying.takesOne = true;
    RawManager other = RawManager.listen(node().rdma, "other", 1);
    other.takesOne = true;
    known(2);
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(20)),
      SignedCode.withSecret(Buffer.buffer(new byte[32 << 20]), Buffer.buffer("no more than a test's secret")));
    dying.asked("lease").by().shutdown(Duration.ofMillis(1));
    other.asked("lease").grant(60_000);
    assertEquals(1, await(leases).size());
  }

  @Test
  @Tag("full")
  void renewalWithoutAnswerIsRepeated() throws Exception {
    RawManager manager = RawManager.listen(node().rdma, "forgetful", 1);
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setAutoRenew(true).setWaitTimeout(Duration.ofSeconds(20)));
    manager.asked("lease").grant(12_000);
    Lease lease = await(leases).getFirst();
    manager.asked("renew");
    manager.answers = asked -> asked.answer(new JsonObject().put("millis", 60_000));
    until("it is renewed", () -> lease.remaining().toMillis() > 20_000);
  }

  @Test
  void unknownReasonIsReported() throws Exception {
    RawManager manager = RawManager.listen(node().rdma, "newer", 1);
    known("newer");
    Future<List<Lease>> refused = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofMillis(1)));
    manager.asked("lease").answer(new JsonObject().put("refused", "TOO_LATE_IN_THE_DAY").put("words", "come back tomorrow"));
    assertFails(Reason.NO_CAPACITY, "come back tomorrow", refused);
    Future<List<Lease>> granted = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20)));
    manager.asked("lease").grant(60_000);
    Lease lease = await(granted).getFirst();
    Future<Bill> bill = lease.bill();
    manager.asked("bill").by().write(new JsonObject().put("ended", "1").put("reason", "NIGHT").put("words", "it is dark").toBuffer());
    assertFails(Reason.PROTOCOL, "it is dark", bill);
  }

  @Test
  void invalidAnswerOfServerEndsItsLease() throws Exception {
    RawManager manager = RawManager.listen(node().rdma, "confused", 1);
    Future<List<Lease>> granted = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20)));
    manager.asked("lease").grant(60_000);
    Future<Bill> bill = await(granted).getFirst().bill();
    manager.asked("bill").by().write(new JsonObject().put("request", "one").toBuffer());
    assertFails(Reason.PROTOCOL, "its server sent an invalid message of 17 bytes", bill);
    assertEquals(List.of(), client.leases());
  }

  @Test
  void aLeaseThatEndsWaitsForNoWorker() throws Exception {
    RawManager manager = RawManager.listen(node().rdma, "fickle", 1);
    known("fickle");
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofMillis(1)));
    RawManager.Asked asked = manager.asked("lease");
    asked.grant(60_000, "never comes");
    asked.by().write(new JsonObject().put("ended", "1").put("reason", Reason.LEASE_ENDED.name()).put("words", "sorry").toBuffer());
    until("it is told", leases::isComplete);
    assertFails(Reason.NO_CAPACITY, "sorry", leases);
  }

  @Test
  void aLeaseThatEndsWhileOthersAreAskedIsReplaced() throws Exception {
    Node[] servers = {node(), node(), node()};
    RawManager first = RawManager.listen(servers[0].rdma, "first", 3);
    RawManager second = RawManager.listen(servers[1].rdma, "second", 2);
    RawManager third = RawManager.listen(servers[2].rdma, "third", 1);
    known("first", "second", "third");
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWorkers(2).setWaitTimeout(Duration.ofSeconds(20)));
    RawManager.Asked asked = first.asked("lease");
    Promise<Void> gone = Promise.promise();
    asked.by().closeHandler(gone::complete);
    asked.grant(60_000);
    RawManager.Asked late = second.asked("lease");
    asked.by().write(new JsonObject().put("ended", "1").put("reason", Reason.LEASE_ENDED.name()).put("words", "sorry").toBuffer());
    await(gone.future());
    late.grant(60_000);
    third.asked("lease").grant(60_000);
    assertEquals(List.of(await(servers[1].rdma.directory()).nodeId(), await(servers[2].rdma.directory()).nodeId()),
      await(leases).stream().map(Lease::nodeId).toList());
  }

  /** @param isGranted true for a server that grants workers that do not connect, false for one that does not answer */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void leaseRequestsFailWhenTheClientCloses(boolean isGranted) throws Exception {
    RawManager manager = RawManager.listen(node().rdma, "slow", 1);
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20)));
    RawManager.Asked asked = manager.asked("lease");
    Promise<Void> gone = Promise.promise();
    asked.by().closeHandler(gone::complete);
    if (isGranted) {
      asked.grant(60_000, "a worker that nobody knows");
    }
    await(client.close());
    assertTrue(leases.isComplete());
    assertFails(Reason.CLOSED, "the client is closed", leases);
    await(gone.future());
  }

  /** The server may have received the renewal, and would keep its workers that long. */
  @Test
  void serverIsNotifiedWhenALeaseExpiresAtTheClient() throws Exception {
    RawManager manager = RawManager.listen(node().rdma, "late", 1);
    Future<List<Lease>> leases = client.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20)));
    manager.asked("lease").grant(2_000);
    Future<Duration> renewal = await(leases).getFirst().renew(Duration.ofSeconds(60));
    assertFails(Reason.LEASE_ENDED, "its duration expired", renewal);
    RawManager.Asked asked = manager.askedAtLast("end");
    assertEquals("1", asked.request().getString("lease").replaceFirst("^0+", ""));
  }
}
