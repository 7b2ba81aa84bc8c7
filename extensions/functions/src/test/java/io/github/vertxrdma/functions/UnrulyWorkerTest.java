package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class UnrulyWorkerTest extends Nodes {
  private static final LeaseOptions LEASE = new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20));
  private static final int PART = 64 << 10;
  private static final int MANY = 256;
  private static final int CALLS = 16;
  private static final int LARGE = 1_000_000;

  private RawManager manager;
  private RawWorker worker;
  private FunctionClient client;
  private Lease lease;

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    registry.register("parts", IDEMPOTENT, invocation -> invocation.write(Buffer.buffer("one, "))
      .compose(v -> invocation.write(Buffer.buffer("two"))).map(Buffer.buffer("of the second")));
  }

  @BeforeEach
  void start() throws Exception {
    Node far = node();
    worker = RawWorker.listen(far.rdma, "unruly/worker");
    manager = RawManager.listen(far.rdma, "unruly", 1);
    Node near = node();
    client = FunctionClient.create(near.rdma);
    Future<List<Lease>> leases = client.lease(LEASE);
    manager.asked("lease").grant("parts", "unruly/worker");
    lease = await(leases).getFirst();
  }

  @Test
  void aPausedReaderHoldsNoMoreThanItsWindow() throws Exception {
    ResultStream stream = client.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
    stream.pause();
    stream.handler(part -> {});
    long id = worker.called();
    Buffer part = Buffer.buffer(new byte[PART]);
    for (int i = 0; i < MANY; i++) {
      worker.part(id, part);
    }
    worker.result(id, MANY, "that was much");
    assertFails(Reason.PROTOCOL, "of which 262144 bytes in 4 parts are unread", stream.result());
    assertFalse(lease.isActive());
  }

  /** Parts may be in flight when the client gives a call up. */
  @Test
  void partsOfACancelledCallAreDropped() throws Exception {
    ResultStream stream = client.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
    Promise<Throwable> failed = Promise.promise();
    stream.exceptionHandler(failed::tryComplete);
    long id = worker.called();
    stream.cancel();
    assertEquals(Reason.CANCELLED, ((FunctionException) await(failed.future())).reason());
    assertEquals(id, worker.cancelled());
    Buffer part = Buffer.buffer(new byte[PART]);
    for (int i = 0; i < MANY; i++) {
      worker.part(id, part);
    }
    worker.result(id, MANY, "too late");
    until("its slot is free", () -> lease.workers().getFirst().inFlight() == 0);
    Future<Buffer> next = client.invoke("parts", Buffer.buffer());
    worker.result(worker.called(), 0, "in time");
    assertEquals("in time", await(next).toString());
  }

  @Test
  void resultWithNegativeNumberOfPartsIsRefused() throws Exception {
    ResultStream stream = client.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
    worker.result(worker.called(), -1, "negative");
    assertFails(Reason.PROTOCOL, "a result of -1 parts", stream.result());
    assertFalse(lease.isActive());
  }

  /** Acknowledgements of reads would otherwise queue for the worker without a bound. */
  @Test
  void readsAreAcknowledgedInFewMessagesWhenTheWorkerDoesNotRead() throws Exception {
    int parts = Boolean.getBoolean("vertx.rdma.test.full") ? 10_000 : 2_000;
    AtomicInteger read = new AtomicInteger();
    ResultStream stream = client.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
    stream.handler(part -> read.addAndGet(part.length()));
    long id = worker.called();
    worker.pause();
    for (int i = 1; i <= parts; i++) {
      worker.part(id, Buffer.buffer("x"));
      int sent = i;
      // The client reads each part before the next is sent, so that it could acknowledge each separately.
      until("it is read", () -> read.get() == sent);
    }
    worker.resume();
    until("the worker knows of all reads", () -> worker.reads.stream().mapToLong(Long::longValue).sum() == parts);
    assertTrue(worker.reads.size() <= parts / 10, worker.reads.size() + " messages");
    worker.result(id, parts, "over");
    assertEquals("over", await(stream.result()).toString());
  }

  @Test
  void partsThatAreReadTogetherAreAcknowledgedInOneMessage() throws Exception {
    ResultStream stream = client.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
    stream.pause();
    stream.handler(part -> {});
    long id = worker.called();
    for (int i = 0; i < CALLS; i++) {
      worker.part(id, Buffer.buffer("x"));
    }
    // The answer to a later call arrives after the parts.
    Future<Buffer> later = client.invoke("parts", Buffer.buffer());
    worker.result(worker.called(), 0, "later");
    await(later);
    stream.resume();
    until("the worker knows of all reads", () -> worker.reads.stream().mapToLong(Long::longValue).sum() == CALLS);
    assertEquals(List.of((long) CALLS), List.copyOf(worker.reads));
    worker.result(id, CALLS, "over");
    assertEquals("over", await(stream.result()).toString());
  }

  @Test
  void longEndReasonOfWorkerIsCut() throws Exception {
    Future<Buffer> call = client.invoke("parts", Buffer.buffer());
    worker.called();
    worker.ends("x".repeat(10_000_000));
    FunctionException failure = failure(call);
    assertEquals(Reason.WORKER_LOST, failure.reason());
    assertTrue(failure.getMessage().length() < 2_000, failure.getMessage().length() + " characters");
  }

  @Test
  void longTextsOfServerAreCut() throws Exception {
    Future<Duration> renewal = lease.renew(Duration.ofSeconds(60));
    manager.asked("renew").refuse("x".repeat(1_000_000));
    FunctionException failure = failure(renewal);
    assertEquals(Reason.NO_CAPACITY, failure.reason());
    assertEquals(1_024, failure.getMessage().length());
    assertTrue(lease.isActive());
  }

  @Test
  void answerThatIsTooLongEndsTheLease() throws Exception {
    Future<Bill> bill = lease.bill();
    manager.asked("bill").refuse("x".repeat(1 << 20));
    assertFails(Reason.PROTOCOL, "it is longer than 1048576 bytes", bill);
    assertFalse(lease.isActive());
  }

  /** When the worker dies, its result has arrived, but none of its parts. */
  @Test
  void repeatedStreamKeepsNothingOfALostWorker() throws Exception {
    Node second = manager(new FunctionServerOptions().setCores(1));
    Lease other = await(client.lease(new LeaseOptions(LEASE).setNodeId(await(second.rdma.directory()).nodeId()))).getFirst();
    ResultStream stream = client.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
    Buffer read = Buffer.buffer();
    Promise<Void> ended = Promise.promise();
    stream.exceptionHandler(ended::tryFail);
    stream.endHandler(v -> ended.tryComplete());
    stream.handler(read::appendBuffer);
    worker.result(worker.called(), 1, "of the first");
    worker.leave();
    assertEquals("of the second", await(stream.result()).toString());
    await(ended.future());
    assertEquals("one, two", read.toString());
    assertEquals("on", await(client.invoke("echo", Buffer.buffer("on"))).toString());
    assertTrue(other.isActive());
    assertFalse(lease.isActive());
  }

  @Test
  void aCallOfALostWorkerIsMadeAgainWhereItsFunctionIs() throws Exception {
    Node far = node();
    RawWorker.listen(far.rdma, "second/worker");
    RawManager second = RawManager.listen(far.rdma, "second", 1);
    Future<List<Lease>> leases = client.lease(new LeaseOptions(LEASE).setNodeId(await(far.rdma.directory()).nodeId()));
    second.asked("lease").grant("others", "second/worker");
    Lease other = await(leases).getFirst();
    Future<Buffer> call = client.invoke("parts", Buffer.buffer());
    worker.called();
    worker.leave();
    assertFails(Reason.WORKER_LOST, "it closed the connection", call);
    assertTrue(other.isActive());
  }

  /** The lost worker does not read. Its first call may have begun, its later ones have not. */
  @Test
  void unsentCallsOfALostWorkerAreRepeatedWithinTheirDeadline() throws Exception {
    LeaseOptions large = new LeaseOptions(LEASE).setMemory(16 << 20).setSlots(CALLS).setMessageSize(1 << 20);
    Node far = node();
    RawWorker deaf = RawWorker.listen(far.rdma, "deaf/worker");
    RawManager server = RawManager.listen(far.rdma, "deaf", 1);
    Future<List<Lease>> leases = client.lease(new LeaseOptions(large).setNodeId(await(far.rdma.directory()).nodeId()));
    server.asked("lease").grant("once", false, "deaf/worker");
    await(leases);
    deaf.pause();
    List<Future<Buffer>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS - 1; i++) {
      calls.add(client.invoke("once", Buffer.buffer(new byte[LARGE]).setInt(0, i)));
    }
    Future<Buffer> late = client.invoke("once", Buffer.buffer(new byte[LARGE]).setInt(0, CALLS),
      CallOptions.DEFAULT.withTimeout(Duration.ofMillis(50)));
    Queue<Integer> served = new ConcurrentLinkedQueue<>();
    Node other = node();
    other.manager = FunctionServer.create(other.rdma, new FunctionServerOptions().setCores(1).setLoadProviders(false));
    other.manager.register("once", ON_LOOP, RemoteFunction.of(arguments -> {
      served.add(arguments.getInt(0));
      return Buffer.buffer("once");
    }));
    await(other.manager.listen());
    await(client.lease(new LeaseOptions(large).setNodeId(await(other.rdma.directory()).nodeId())));
    assertFails(Reason.TIMEOUT, "timed out", late);
    deaf.cut();
    int begun = 0;
    assertFails(Reason.WORKER_LOST, "may have run", calls.getFirst());
    while (failed(calls.get(begun))) {
      begun++;
    }
    for (int i = begun; i < calls.size(); i++) {
      assertEquals("once", await(calls.get(i)).toString());
    }
    assertEquals(IntStream.range(begun, calls.size()).boxed().toList(), List.copyOf(served));
  }

  private static boolean failed(Future<?> call) throws Exception {
    return await(call.transform(done -> Future.succeededFuture(done.failed())));
  }
}
